/* The same tank, with directions of the Taylor remainder that cross the kink.
 *
 * verify: --seed 8 --problem kink --check pair.taylor */
#include "right/kink.c"
