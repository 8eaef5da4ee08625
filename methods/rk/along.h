/* methods/rk/along.h - followers (followers.h) of a system that an implicit scheme solves. When the stages of a
 * trial are known, all of them go through it by the derivative of its formula, with the factors that the stages were
 * found with: a corrector that is staggered, with one matrix for all directions (Feehery, Tolsma & Barton, Appl. Numer.
 * Math. 25 (1997) 41-54), here to rounding. Their estimates are filtered as the state's are, by the scheme. */
#ifndef SENS_ALONG_H
#define SENS_ALONG_H

#include "followers.h"
#include "scheme.h"

struct sens_along {
    const struct sens_followers *who;
    size_t size;                 /* numbers of z */
    bool tested;                 /* they are in the error test */
    bool f_known;                /* at the current state */
    bool has_rate;               /* z' is f: the problem has no mass matrix */
    sens_real *z;                /* [size] */
    sens_real *z1, *f, *e;       /* [size] candidate, slope at the start, estimates */
    struct sens_error_norm norm; /* theirs, of the trial at hand */
};

/* For a sens_scheme_type, `follow`; *along is the scheme's. SENS_NO_MEMORY; SENS_UNSUPPORTED: they go along with
 * explicit formulas alone. */
sens_status sens_along_create(struct sens_ctx *ctx, struct sens_scheme *scheme,
                              const struct sens_followers *who, struct sens_along **along);

/* The lanes of vectors [n][L], to be filtered as an estimate of the state is. */
typedef void sens_along_filter(struct sens_scheme *scheme, size_t L, sens_real *e);

/* After the stages of a trial of h: their candidate, and if `estimates` their norm. factors: those of the trial
 * (sens_step). Any status of a solve; SENS_NONFINITE. along NULL: nothing goes along. */
sens_status sens_along_try(struct sens_along *along, struct sens_scheme *scheme, sens_real h, bool estimates,
                           const struct sens_shifted *const *factors, sens_along_filter *filter);

/* The norm that the state's estimate is added to; along NULL: nothing goes along. */
static inline struct sens_error_norm sens_along_norm(const struct sens_along *along)
{
    return along ? along->norm : (struct sens_error_norm){0};
}

/* The candidate becomes the current one; whoever starts from it forgets f. */
void sens_along_accept(struct sens_along *along, struct sens_scheme *scheme);

#endif
