/* A tableau and a step controller of a module, which methods of the program take.
 *
 * verify: --quick --check tableau.* */
#define A32 0.75
#include "ralston.h"
