/* The register of known limits: failures that are expected, each with its reason. */
#include "check.h"

/* casa_reverse, on problems with a rate k for which k (t1 - t0) is large: 1000 ... 3000 for vdp, 900 for
 * robertson, 65 and more for heat with n = 9 ... 12. */
static const char BACKWARD[] = "the state is integrated back: with rate k, what decays forwards grows "
                               "backwards by exp(k (t1 - t0)), which no step size mends";

/* Only of the controllers that are defined so. */
static const char AVERAGE[] =
    "the controller's norm is a root mean square over the whole system that is solved, "
    "sensitivities and quadratures among it";

const struct verify_limit verify_limits[] = {
    {"pair.status", "method casa_reverse", "vdp*", BACKWARD, .always = true},
    {"pair.status", "method casa_reverse", "robertson*", BACKWARD, .always = true},
    {"pair.status", "method casa_reverse", "heat n=[19]*", BACKWARD, .always = false},
    {"pair.exact", "method casa_reverse", "heat n=[19]*", BACKWARD, .always = false},
    {"cross.*", "method casa_reverse", "*casa_reverse* on robertson*", BACKWARD, .always = false},
    {"cross.*", "method casa_reverse", "*casa_reverse* on heat n=[19]*", BACKWARD, .always = false},
    {"test.dilution", "method c?sa*", "*hairer-pi*", AVERAGE, .always = false},
    {"test.dilution", "method c?sa*", "*petsc*", AVERAGE, .always = false},
    {.check = NULL},
};
