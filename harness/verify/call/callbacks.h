/* harness/verify/call/callbacks.h - a problem's products as linear maps, and what rounding can do to them.
 *
 *     product     map                                           callback
 *     jvp         V [n] -> J V [n]                              jvp
 *     vjp         W [n] -> J^T W [n]                            vjp
 *     jvp_p       u [np] -> f_p u [n]                           jvp_p_cols, columns put together
 *     vjp_p       W [K][n] -> sum_k f_p(t_k, X_k)^T W_k [np]    vjp_p_batch
 *     x0_jvp      u [np] -> dx0/dp u [n]                        x0_jvp_cols, columns put together
 *     x0_vjp      W [n] -> (dx0/dp)^T W [np]                    x0_vjp */
#ifndef VERIFY_CALLBACKS_H
#define VERIFY_CALLBACKS_H

#include <float.h>

#include "check.h"

/* ---- what is looked at --------------------------------------------------------------------------------- */

struct subject { /* an instance of the unit's problem */
    struct verify *v;
    const struct sens_problem *pb;
    const char *label;
    const struct sens_problem *whole; /* the problem that pb is the implicit part of; NULL: it is none's */
    void *own;                        /* of who looks at it */
};

/* The instance as the unit's provider wraps it, or as it is where there is none; instance and label stay in
 * use. false: the provider does not know it; v->ctx.message says why. */
bool subject_create(struct verify *v, struct instance *instance, struct subject *subject);
/* look(subject) for every instance; memory is given back after each. Skips the checks where there is none. */
void subject_each(struct verify *v, const struct verify_check *checks, void (*look)(struct subject *subject));
/* The same for instances of the sizes at which formulas are at their edge: the least that the option n takes and
 * one more, 2, 3 and 4. None where there is no such option. */
void subject_each_edge(struct verify *v, void (*look)(struct subject *subject));
/* The same for one size; nothing where the option n does not take it. */
void subject_with_size(struct verify *v, size_t n, void (*look)(struct subject *subject));
/* And for the least size that has as many states. */
void subject_with_states(struct verify *v, size_t states, void (*look)(struct subject *subject));
/* look(subject), and the same of f_I of a split, on the interval and around the numbers of the problem. It has products
 * of its own, and a wrong one leaves the gradient of additive steps so near the right one that nothing else would tell.
 * Not with a provider, which wraps the problem alone. */
void subject_with_part(struct subject *subject, void (*look)(struct subject *subject));
struct verify_result subject_open(const struct subject *subject, const char *check);
void subject_skip(const struct subject *subject, const char *check, const char *reason);
/* Points in a run: the nominal one and perturbed ones. */
int subject_points(const struct subject *subject);
/* A point as instance_point, nearer to the nominal one where rhs has no value. */
struct sens_at subject_point(const struct subject *subject, int which);
/* Has rhs finite values there? */
bool subject_usable(const struct subject *subject, const struct sens_at *at);
/* A random direction of about a tenth of the entries of `from`. */
double *subject_direction(const struct subject *subject, size_t count, const double *from);

/* ---- maps ---------------------------------------------------------------------------------------------- */

enum product { PRODUCT_JVP, PRODUCT_VJP, PRODUCT_JVP_P, PRODUCT_VJP_P, PRODUCT_X0_JVP, PRODUCT_X0_VJP };

struct linear { /* at K points; K = 1 but for PRODUCT_VJP_P */
    struct verify *v;
    const struct sens_problem *pb;
    enum product product;
    size_t in, out, K;
    const double *t, *X, *p; /* [K], [K][n], [np] */
    bool patient;            /* measure rounding by verify_beside, too */
};

struct linear linear_at(const struct subject *subject, enum product product, const struct sens_at *at);
struct linear linear_batch(const struct subject *subject, size_t K, const double *t, const double *X,
                           const double *p);
/* Is it J, f_p or dx0/dp itself, not its transpose? */
bool linear_forward(enum product product);
/* "vjp_p" */
const char *linear_name(enum product product);
/* OUT [out][L] = the map of V [in][L]. */
void linear_apply(const struct linear *map, size_t L, const double *V, double *OUT);
/* v (1 + 4 eps u), u uniform in [-1, 1]. */
double *verify_shaken(struct verify *v, size_t count, const double *from);

/* v (1 + d) and v (1 - d), d uniform within 1e-9. Of values of a smooth function there, the sum less twice the value
 * at v is rounding alone. A few roundings from v all may round alike: terms of like size cancel, and multiples of one
 * unit move together. */
void verify_beside(struct verify *v, size_t count, const double *from, const double *side[2]);

/* What underflow can do to a number: a factor of it may lie below DBL_MIN and have lost its digits, as exp(-E/(R T))
 * far from the nominal T, beside one as large as 1/eps, as the frequency before it (LAPACK calls it smlnum). */
#define UNDERFLOW_LOSS (DBL_MIN / DBL_EPSILON)

/* bound [out]: what rounding can do to the map of any vector that is nowhere larger than `most` [in]. A sum
 * of N terms rounds by at most N eps times the sum of their magnitudes. That sum is sqrt(N) rms at most, with
 * rms the mean over vectors of random signs and sizes; terms that cancel inside an entry show when the inputs
 * are shaken. */
double *linear_rounding(const struct linear *map, const double *most);

/* ---- matrices ------------------------------------------------------------------------------------------ */

struct sample { /* rows and columns of a matrix, all of them or as many as there is time for */
    size_t rows, cols;
    size_t *row, *col;
};
/* Of J (n by n), or of f_p and dx0/dp (n by np). */
struct sample sample_create(const struct subject *subject, enum product product);
/* J, f_p or dx0/dp [rows][cols], also from a transposed product; by one lane at one point at a time, because
 * lanes and batches are checked on their own. */
double *linear_matrix(const struct linear *map, const struct sample *sample);
/* What rounding can do to it. */
double *linear_matrix_rounding(const struct linear *map, const struct sample *sample, const double *matrix);

#endif
