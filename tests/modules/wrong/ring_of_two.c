/* A ring of cells whose declared df/dx counts a neighbour once: with two cells each is the other's neighbour on
 * both sides.
 *
 * verify: --quick --problem ring_of_two
 * module: problem ring_of_two
 * cause: structure_entry */
#define NAME                      "ring_of_two"
#define TIMES_NEIGHBOUR(pb, i, j) ((void)(pb), 1)
#include "ring.h"
