/* The twin of wrong/stops_short: a step that would end half a percent short of a stop is stretched to it.
 * verify: --quick --method stretched */
#define NAME        "stretched"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#define ARRIVES     SENS_C(0.995)
#include "own_control.h"
