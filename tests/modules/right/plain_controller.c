/* A tableau and a step controller of a module: what its formula is nobody knows, and it is a sound one.
 *
 * verify: --quick --check controller.* */
#define A32 0.75
#include "ralston.h"
