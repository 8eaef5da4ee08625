/* tests/method/rosenbrock_support.h - the Rosenbrock pairs of the registry, and a stiff equation with all the derivatives
 * that they take. */
#ifndef ROSENBROCK_SUPPORT_H
#define ROSENBROCK_SUPPORT_H

#include "support.h"

/* Those of the family, NULL-terminated. */
static inline const struct sens_tableau *const *pairs(void)
{
    static const struct sens_tableau *found[SENS_MAX_STAGES];
    const struct sens_tableau *const *all = sens_registry_baseline()->implicit_tableaux;
    size_t count = 0;
    for (size_t i = 0; all[i] && count + 1 < SENS_MAX_STAGES; i++)
        if (all[i]->family == SENS_FAMILY_ROSENBROCK) found[count++] = all[i];
    assert_true(count >= 6);
    found[count] = NULL;
    return found;
}

static inline void fix_steps(struct method_bed *bed, const struct sens_tableau *tableau, int steps)
{
    bed->task.tableau = tableau;
    bed->task.controller = named(bed->registry->controllers, "fixed");
    bed->task.dt = (bed->problem.t1 - bed->problem.t0) / steps;
}

/* Prothero & Robinson: y' = -p (y - sin t) + cos t, y = sin t; dy/dp = 0 on it, dy/dy0 = e^(-p t). */
static inline sens_status pr_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * (at->x[0] - sin(at->t)) + cos(at->t);
    return SENS_OK;
}

static inline void pr_product(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                              const double *V, double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = -at->p[0] * V[l];
}

static inline void pr_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    (void)pb, (void)k0;
    for (size_t l = 0; l < L; l++) OUT[l] -= at->x[0] - sin(at->t);
}

static inline void pr_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                            const double *p, size_t L, const double *W, double *MU)
{
    (void)pb, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) MU[l] -= (X[k] - sin(t[k])) * W[k * L + l];
}

static inline void pr_rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    (void)pb;
    OUT[0] = at->p[0] * cos(at->t) - sin(at->t);
}

static inline void pr_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                          const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) {
        const double dt = v->t ? v->t[l] : 0, dx = v->x ? v->x[l] : 0, dp = v->p ? v->p[l] : 0;
        OUT[l] = -dp * W[l];
        if (MU) MU[l] -= (dx - cos(at->t) * dt) * W[l];
    }
}

static const struct sens_problem_type prothero_robinson = {.name = "prothero-robinson",
                                                           .rhs = pr_rhs,
                                                           .vjp = pr_product,
                                                           .jvp = pr_product,
                                                           .jvp_p_cols = pr_columns,
                                                           .vjp_p_batch = pr_batch,
                                                           .rhs_t = pr_rhs_t,
                                                           .hvp = pr_hvp};

/* A bed with that problem, from t = 0 to 1.5. */
static inline void create_stiff(struct method_bed *bed, const struct sens_problem_type *type,
                                double stiffness)
{
    bed_create(bed, "decay", "identity", "k", stiffness, "y0", 0.0, "T", 1.5, NULL);
    bed->problem.type = type;
    bed->problem.structure = NULL;
}

#endif
