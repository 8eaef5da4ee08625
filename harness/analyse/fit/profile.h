/* harness/analyse/fit/profile.h - profile likelihood of one parameter.
 *
 *     PL(c) = min { chi2(q) : q_k = c },     dPL/dc = 2 sum_e r_e dr_e/dq_k at that minimum
 *
 * The interval is where PL lies above its minimum by no more than L, the quantile of chi2 with one degree of freedom;
 * where the errors of the data are not known, chi2/dof times that of F with (1, dof) (Raue et al., Bioinformatics 25,
 * 2009). For a linear model PL is a parabola and the interval that of linear regression. */
#ifndef FIT_PROFILE_H
#define FIT_PROFILE_H

#include "minimise.h"

struct profile_point {
    double q, rise, slope; /* coordinate, PL above the minimum, dPL/dq */
};

enum profile_end {
    PROFILE_CROSSED, /* PL passes L: here the interval ends */
    PROFILE_OPEN,    /* it does not, as far as the range goes */
    PROFILE_FAILED   /* no solve further on */
};

enum { PROFILE_POINTS = 128 }; /* at most, of each side */
struct profile_side {
    struct profile_point point[PROFILE_POINTS]; /* from the fit outwards, without it */
    size_t count;
    enum profile_end end;
    double bound;       /* PROFILE_CROSSED: the coordinate where PL = L */
    sens_status status; /* PROFILE_FAILED: of the solve */
};

/* L of the model, whose least chi2 this is, where the data determine so many parameters. */
double profile_limit(const struct fit_model *model, double chi2, size_t determined);

struct profile_start {  /* the fit */
    const double *q;    /* [count] */
    const double *from; /* [count] where it began */
    double chi2, limit; /* limit: L */
    double step;        /* the standard deviation of q_k; infinite where there is none */
};

/* From the fit downwards (sign = -1) or upwards (1). SENS_NOT_CONVERGED, with a message in ctx, where a better fit is
 * found than the one started from; SENS_NO_MEMORY. A solve that fails is an end, and none of these. */
sens_status profile_walk(struct sens_ctx *ctx, struct fit_model *model, size_t k,
                         const struct profile_start *start, int sign, struct profile_side *side);

#endif
