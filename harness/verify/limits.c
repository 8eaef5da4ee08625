/* The register of known limits: failures that are expected, each with its reason. */
#include "check.h"

/* casa_reverse, on any problem with a rate k for which k (t1 - t0) is large, as 1000 ... 3000 for vdp, 900
 * for robertson, 65 and more for heat with n = 9 ... 12, and so for conduction. On the probe, which is mild,
 * it is held to everything. */
static const char BACKWARD[] = "the state is integrated back: with rate k, what decays forwards grows "
                               "backwards by exp(k (t1 - t0)), which no step size mends";

/* Only of the controllers that are defined so. */
static const char AVERAGE[] =
    "the controller's norm is a root mean square over the whole system that is solved, "
    "sensitivities and quadratures among it";

/* CVODES as shipped: neither CVodeSetSensErrCon nor CVodeSetQuadErrConB. On forced form=power the state is a
 * quadrature, the adjoint constant, and its steps as long as its error test likes. */
static const char SENSITIVITIES_OUTSIDE[] =
    "sensitivities are outside the error test, CVODES' default: errcon=inside mends it";
static const char SENSITIVITIES_SCALED[] =
    "tolerances of sensitivities are the state's over the parameter's size, as CVodeSensEEtolerances makes "
    "them, and the sizes are 1e-9 here: scale=none mends it";
static const char FUNCTIONALS_TOGETHER[] = "CVODES' norm is a root mean square over all functionals of a "
                                           "backward problem: lanes=1 gives each its own";
static const char QUADRATURES_OUTSIDE[] =
    "the adjoint is constant, and the parameter quadratures are outside the error test, CVODES' default: "
    "quad=inside mends it";

/* PETSc 3.18, methods/peers/petsc_tableau.c; a later one passes all but the last. */
static const char WEIGHTS[] =
    "PETSc up to 3.21 leaves the parameter product out at stages with b_i = 0, as in its "
    "default scheme 5dp, and adds what the stage before left: dG/dp is wrong, dG/dx0 is right";
static const char SLOPES[] =
    "PETSc up to 3.21, with a trajectory of states alone, computes a step of a scheme that is "
    "first same as last again from another step's slope";
static const char TIMES[] = "PETSc computes a step again with the difference of stored times, which is not "
                            "the step in the last digits";
/* A running cost is summed on the way back, too. */
enum { ALL_BUT_X = VERIFY_IN_G | VERIFY_IN_DGDP | VERIFY_IN_DGDX0 };

const struct verify_limit verify_limits[] = {
    {"pair.exact", "method casa_reverse", "*", BACKWARD, .always = false},
    {"pair.identity", "method casa_reverse", "*", BACKWARD, .always = false},
    {"cross.*", "method casa_reverse", "*casa_reverse*", BACKWARD, .always = false},
    {"test.dilution", "method cfsa", "*hairer-pi*", AVERAGE, .always = true},
    {"test.dilution", "method casa_*", "*hairer-pi*", AVERAGE, .always = true},
    {"test.dilution", "method c?sa*", "*petsc*", AVERAGE, .always = true},
    {"test.dilution", "method cvodes_adjoint", "*", FUNCTIONALS_TOGETHER, .always = true},
    {"test.inside", "method cvodes_forward", "*errcon=outside*", SENSITIVITIES_OUTSIDE, .always = true},
    {"test.inside", "method cvodes_forward", "*", SENSITIVITIES_SCALED, .always = true},
    {"pair.exact", "method cvodes_adjoint", "forced form=power*quad=outside*", QUADRATURES_OUTSIDE,
     .only = VERIFY_IN_DGDP, .always = false},
    {"cross.[cd]*", "method cvodes_adjoint", "*cvodes_adjoint on forced form=power*", QUADRATURES_OUTSIDE,
     .only = VERIFY_IN_DGDP, .always = false},
    {"gradient.own", "method petsc_tsadjoint", "*", WEIGHTS, .only = VERIFY_IN_DGDP, .always = false},
    {"order.*", "method petsc_tsadjoint", "*", WEIGHTS, .only = VERIFY_IN_DGDP, .always = false},
    {"pair.exact", "method petsc_tsadjoint", "*", WEIGHTS, .only = VERIFY_IN_DGDP, .always = false},
    {"pair.identity", "method petsc_tsadjoint", "*", WEIGHTS, .only = VERIFY_IN_DGDP, .always = false},
    {"drawn.right", "method petsc_tsadjoint", "*", WEIGHTS, .only = VERIFY_IN_DGDP, .always = false},
    {"drawn.right", "method petsc_tsadjoint", "*ckpt = 1*", SLOPES, .only = ALL_BUT_X, .always = false},
    {"ckpt.same", "method petsc_tsadjoint", "probe*", SLOPES, .only = ALL_BUT_X, .always = false},
    {"ckpt.same", "method petsc_corrected", "probe*", TIMES, .only = VERIFY_IN_DIGITS, .always = false},
    {.check = NULL},
};
