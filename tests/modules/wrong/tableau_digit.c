/* A tableau whose rows and weights sum to what they should, and that has one wrong coefficient.
 *
 * verify: --quick --check tableau.*
 * module: tableau ralston
 * cause: tableau_coefficient */
#define A32 0.73
#include "ralston.h"
