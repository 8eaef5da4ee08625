/* The tangent of Bogacki and Shampine's pair, which takes less than 1e-9 to be no time.
 *
 * verify: --quick --method no_time_left
 * cause: interval_length */
#define NAME        "no_time_left"
#define NO_TIME     SENS_C(1e-9)
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#include "own_control.h"
