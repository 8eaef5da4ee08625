/* A continuous adjoint that takes the long steps of a pair of order 8, and reads the state between them from a cubic:
 * its error falls with the tolerance, as h^4, and is thousands of times as large.
 *
 * verify: --quick --method cubic_of_eight
 * cause: lower_order */
#define NAME       "cubic_of_eight"
#define DERIVATIVE SENS_DERIVATIVE_CONTINUOUS
#include "sens/plugin.h"

/* Fehlberg 8(7), NASA TR R-287 (1968), table X, and the slope at the end of the step. */
#define STAGES 14
#define LOWER  7
static const sens_real A[STAGES][STAGES] = {
    {0},
    {SENS_Q(2, 27)},
    {SENS_Q(1, 36), SENS_Q(1, 12)},
    {SENS_Q(1, 24), 0, SENS_Q(1, 8)},
    {SENS_Q(5, 12), 0, SENS_Q(-25, 16), SENS_Q(25, 16)},
    {SENS_Q(1, 20), 0, 0, SENS_Q(1, 4), SENS_Q(1, 5)},
    {SENS_Q(-25, 108), 0, 0, SENS_Q(125, 108), SENS_Q(-65, 27), SENS_Q(125, 54)},
    {SENS_Q(31, 300), 0, 0, 0, SENS_Q(61, 225), SENS_Q(-2, 9), SENS_Q(13, 900)},
    {2, 0, 0, SENS_Q(-53, 6), SENS_Q(704, 45), SENS_Q(-107, 9), SENS_Q(67, 90), 3},
    {SENS_Q(-91, 108), 0, 0, SENS_Q(23, 108), SENS_Q(-976, 135), SENS_Q(311, 54), SENS_Q(-19, 60),
     SENS_Q(17, 6), SENS_Q(-1, 12)},
    {SENS_Q(2383, 4100), 0, 0, SENS_Q(-341, 164), SENS_Q(4496, 1025), SENS_Q(-301, 82), SENS_Q(2133, 4100),
     SENS_Q(45, 82), SENS_Q(45, 164), SENS_Q(18, 41)},
    {SENS_Q(3, 205), 0, 0, 0, 0, SENS_Q(-6, 41), SENS_Q(-3, 205), SENS_Q(-3, 41), SENS_Q(3, 41),
     SENS_Q(6, 41)},
    {SENS_Q(-1777, 4100), 0, 0, SENS_Q(-341, 164), SENS_Q(4496, 1025), SENS_Q(-289, 82), SENS_Q(2193, 4100),
     SENS_Q(51, 82), SENS_Q(33, 164), SENS_Q(12, 41), 0, 1},
    {0, 0, 0, 0, 0, SENS_Q(34, 105), SENS_Q(9, 35), SENS_Q(9, 35), SENS_Q(9, 280), SENS_Q(9, 280), 0,
     SENS_Q(41, 840), SENS_Q(41, 840)},
};
static const sens_real E[STAGES] = {
    [0] = SENS_Q(-41, 840), [10] = SENS_Q(-41, 840), [11] = SENS_Q(41, 840), [12] = SENS_Q(41, 840)};

#include "continuous_adjoint.h"
