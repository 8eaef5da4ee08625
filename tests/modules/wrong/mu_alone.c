/* A continuous adjoint whose steps back are chosen by dG/dp alone, where it is asked for: dG/dx0 is as it comes.
 * verify: --quick --method mu_alone
 * cause: one_part_only */
#define NAME               "mu_alone"
#define DERIVATIVE         SENS_DERIVATIVE_CONTINUOUS
#define UNTESTED(st, w, i) ((w) == &(st)->backward && (st)->np && (i) < (st)->n * (st)->m)
#include "continuous_adjoint.h"
