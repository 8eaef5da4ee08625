/* Failures that are expected of every method, whoever wrote it; those of one are in its own table. */
#include "check.h"

/* Only of the controllers that are defined so: a method that takes them, and has more than the state in its
 * test, solves with their mean over the whole. */
static const char AVERAGE[] =
    "the controller's norm is a root mean square over the whole system that is solved, "
    "sensitivities and quadratures among it";

const struct sens_limit verify_limits[] = {
    {"test.dilution", "*hairer-pi*", AVERAGE, .always = false},
    {"test.dilution", "*petsc*", AVERAGE, .always = false},
    {.check = NULL},
};
