/* A ring of cells, of which the least are two: each is the other's neighbour on both sides.
 *
 * verify: --quick --problem ring */
#define NAME                      "ring"
#define TIMES_NEIGHBOUR(pb, i, j) ((left(pb, i) == (j)) + (right(pb, i) == (j)))
#include "ring.h"
