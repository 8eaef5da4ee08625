/* The register of known limits: failures that are expected, each with its reason. */
#include "check.h"

/* casa_reverse, on any problem with a rate k for which k (t1 - t0) is large, as 1000 ... 3000 for vdp, 900
 * for robertson, 65 and more for heat with n = 9 ... 12. On the probe, which is mild, it is held to
 * everything. */
static const char BACKWARD[] = "the state is integrated back: with rate k, what decays forwards grows "
                               "backwards by exp(k (t1 - t0)), which no step size mends";

/* Only of the controllers that are defined so. */
static const char AVERAGE[] =
    "the controller's norm is a root mean square over the whole system that is solved, "
    "sensitivities and quadratures among it";

const struct verify_limit verify_limits[] = {
    {"pair.exact", "method casa_reverse", "*", BACKWARD, .always = false},
    {"cross.*", "method casa_reverse", "*casa_reverse*", BACKWARD, .always = false},
    {"test.dilution", "method cfsa", "*hairer-pi*", AVERAGE, .always = true},
    {"test.dilution", "method casa_*", "*hairer-pi*", AVERAGE, .always = true},
    {"test.dilution", "method c?sa*", "*petsc*", AVERAGE, .always = true},
    {.check = NULL},
};
