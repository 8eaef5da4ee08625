/* The tangent of Bogacki and Shampine's pair with a step control of its own, whose first trial is the whole interval.
 *
 * verify: --quick --method whole_first */
#define NAME        "whole_first"
#define KEEPS_SLOPE 0
#define KEEPS_STEP  0
#define FIRST       1
#include "own_control.h"
