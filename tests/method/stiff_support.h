/* tests/method/stiff_support.h - implicit tableaux by family; what any of them must keep: adjoint against tangent
 * against differences of values, the same bits whatever is kept, bad ends; and a stiff equation with all its
 * derivatives. */
#ifndef STIFF_SUPPORT_H
#define STIFF_SUPPORT_H

#include "support.h"

/* Those of either family, NULL-terminated. */
static inline const struct sens_tableau *const *of_families(enum sens_family one, enum sens_family other)
{
    static const struct sens_tableau *found[SENS_MAX_STAGES];
    const struct sens_tableau *const *all = sens_registry_baseline()->implicit_tableaux;
    size_t count = 0;
    for (size_t i = 0; all[i]; i++) {
        if (all[i]->family != one && all[i]->family != other) continue;
        if (all[i]->a_explicit) continue; /* for problems with a split: test_additive.c */
        assert_true(count + 1 < SENS_MAX_STAGES);
        found[count++] = all[i];
    }
    assert_true(count >= 6);
    found[count] = NULL;
    return found;
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

/* A Jacobian product that is no number. */
static inline void nan_product(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                               const double *V, double *OUT)
{
    (void)at, (void)V;
    for (size_t q = 0; q < pb->n * L; q++) OUT[q] = NAN;
}

/* ---- what any of them must keep ------------------------------------------------------------------------ */

/* Every entry of both derivatives, so that no seed is missing. The adjoint's, to be freed. */
static inline sens_real *check_tangent(struct method_bed *bed, double bound)
{
    size_t count;
    assert_int_equal(bed_run(bed, "discrete_tangent", NULL), SENS_OK);
    sens_real *tangent = bed_gradient(bed, &count);
    assert_int_equal(bed_run(bed, "discrete_adjoint", NULL), SENS_OK);
    sens_real *adjoint = bed_gradient(bed, &count);
    const double error = relative_error(count, adjoint, tangent);
    if (!(error <= bound))
        fail_msg("%s, %s, %s: adjoint differs from tangent by %g", bed->task.tableau->name,
                 bed->problem.type->name, bed->cost.type->name, error);
    free(tangent);
    return adjoint;
}

/* Bit for bit where only every so many states are kept. */
static inline void check_checkpoints(struct method_bed *bed, long every, const sens_real *adjoint)
{
    size_t count;
    const double x = bed->out.x[0];
    bed->task.ckpt = bed_every(bed, every);
    assert_int_equal(bed_run(bed, "discrete_adjoint", NULL), SENS_OK);
    sens_real *again = bed_gradient(bed, &count);
    assert_memory_equal(again, adjoint, count * sizeof *again);
    assert_true(x == bed->out.x[0]);
    free(again);
    bed->task.ckpt = (struct sens_ckpt){NULL, 0};
}

/* Central differences of whole solves on the frozen grid: of second order in the bump, and rounding over it. What the
 * adjoint took is in *work. */
static inline void check_frozen(const struct sens_tableau *tableau, const char *problem, const char *cost,
                                struct sens_work *work)
{
    struct method_bed bed;
    size_t count;
    bed_create(&bed, problem, cost, NULL);
    bed.task.tableau = tableau;
    bed.task.rtol = 1e-4, bed.task.atol = 1e-7;
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    *work = bed.work;
    sens_real *adjoint = bed_gradient(&bed, &count);
    const double central = 1, frozen = 1;
    assert_int_equal(
        bed_run(&bed, "finite_difference", "scheme", central, "grid", frozen, "bump", 1e-6, NULL), SENS_OK);
    sens_real *difference = bed_gradient(&bed, &count);
    const double error = relative_error(count, difference, adjoint);
    if (!(error <= 1e-6)) fail_msg("%s, %s: differences are off by %g", tableau->name, problem, error);
    free(adjoint);
    free(difference);
    bed_free(&bed);
}

/* gamma = 1/4: I - h gamma J is 0 where y' = y and h = 1 / gamma, and is not with half of that. */
static inline void check_singular(const struct sens_tableau *tableau)
{
    struct method_bed bed;
    bed_create(&bed, "decay", "identity", "k", -1.0, "T", 4.0, NULL);
    fix_steps(&bed, tableau, 1);
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_DIVERGED);
    assert_non_null(strstr(bed.ctx.message, "singular"));
    fix_steps(&bed, tableau, 2);
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    bed_free(&bed);
}

/* What has no implicit form says so: no backward system has a J. */
static inline void check_others_refuse(const struct sens_tableau *tableau)
{
    const char *const method[] = {"casa_dense", "casa_reverse"};
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        struct method_bed bed;
        bed_create(&bed, "robertson", "identity", NULL);
        bed.task.tableau = tableau;
        assert_int_equal(bed_run(&bed, method[i], NULL), SENS_UNSUPPORTED);
        assert_non_null(strstr(bed.ctx.message, tableau->name));
        bed_free(&bed);
    }
}

#endif
