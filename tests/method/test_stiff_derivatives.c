/* Derivatives of implicit steps where the equation is as stiff as a number allows, to rounding of each of them, however
 * small: against closed forms and exact relations. */
#include <float.h>

#include "support.h"

static const struct sens_tableau *const *implicit(void)
{
    return sens_registry_baseline()->implicit_tableaux;
}

/* ---- a linear equation with a feed --------------------------------------------------------------------- */

/* x' = -k x + c, p = (k, c), which starts where it stays, x = c / k. */
static sens_status feed_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + at->p[1];
    return SENS_OK;
}

static void feed_jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    (void)pb;
    J[0] = -at->p[0];
}

static void feed_product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                         double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = -at->p[0] * V[l];
}

static void feed_vjp_p(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                       const double *p, size_t L, const double *W, double *MU)
{
    (void)pb, (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) {
            MU[l] += -X[k] * W[k * L + l];
            MU[L + l] += W[k * L + l];
        }
}

static void feed_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                         double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] += k0 + l == 0 ? -at->x[0] : 1;
}

static const struct sens_problem_type feed = {.name = "feed",
                                              .rhs = feed_rhs,
                                              .jvp = feed_product,
                                              .vjp = feed_product,
                                              .vjp_p_batch = feed_vjp_p,
                                              .jvp_p_cols = feed_columns};

/* G = int x dt. */
static void integral_g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    (void)cost;
    G[0] += w * at->x[0];
}

static void integral_g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0,
                          size_t L, double *OUT)
{
    (void)cost, (void)at, (void)c0;
    for (size_t l = 0; l < L; l++) OUT[l] += l == 0 ? w : 0;
}

static const struct sens_cost_type integral = {.name = "integral", .g = integral_g, .g_dx = integral_g_dx};

/* The bed of `decay`, with another equation in it. */
static void feed_create(struct method_bed *bed, const double *p, const double *x0, bool running)
{
    static const struct sens_structure structure = {.jacobian = feed_jacobian};
    bed_create(bed, "decay", "identity", "T", 1.0, NULL);
    bed->problem = (struct sens_problem){
        .type = &feed, .n = 1, .np = 2, .t1 = 1, .x0 = x0, .p = p, .structure = &structure};
    bed->cost.np = 2;
    if (running) bed->cost = (struct sens_cost){.type = &integral, .m = 1, .n = 1, .np = 2};
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (bed->out.part[k]) bed->out.part[k] = SENS_NEW(&bed->ctx, sens_real, bed_count(bed, k));
}

/* In M steps that end in what is left of R(z), which is nothing here: x = c / k + (x0 - c / k) R^M. */
static void check_feed(const struct sens_tableau *tableau, const char *method, double k, bool running)
{
    const double p[] = {k, 1}, x0 = 1 / k;
    struct method_bed bed;
    feed_create(&bed, p, &x0, running);
    bed.task.tableau = tableau;
    bed.task.controller = named(bed.registry->controllers, "fixed");
    bed.task.dt = 0.25;
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    const double found[] = {bed.out.dGdp[0], bed.out.dGdp[1], bed.out.dGdx0[0]};
    const double end[] = {-1 / k / k, 1 / k, 0}, sum[] = {-1 / k / k, 1 / k, 1 / k};
    for (int q = 0; q < (running ? 3 : 2); q++) {
        const double expected = running ? sum[q] : end[q];
        /* Three to seven stages with coefficients up to 30, each of them rounded. An explicit first stage has nothing
         * that damps: its kappa is 0 for large k as a sum of terms of the size of h lambda, or h, in each step. */
        const double rounding = tableau->b[0] != 0 ? 64 * DBL_EPSILON * (q == 0 ? x0 : 1) : 0;
        if (!(fabs(found[q] - expected) <= 1e-12 * fabs(expected) + rounding))
            fail_msg("%s, %s, k = %g, %s: %.17g for %.17g", tableau->name, method, k,
                     running ? "integral" : "end", found[q], expected);
    }
    bed_free(&bed);
}

/* R(z) goes to 0. Rosenbrock formulas, whose second derivatives `feed` has not, stand in test_rosenbrock.c; what
 * switches takes no equal steps, what is additive problems with a split alone. */
static bool takes_feed(const struct sens_tableau *tb)
{
    return tb->family != SENS_FAMILY_ROSENBROCK && tb->family != SENS_FAMILY_SWITCHED && !tb->a_explicit &&
           strcmp(tb->name, "crank_nicolson") != 0 && strcmp(tb->name, "theta") != 0 &&
           strcmp(tb->name, "gauss6") != 0;
}

/* kappa is 1 / k of what it is made of: as a difference it would have lost all its digits. */
static void nothing_cancels(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        const struct sens_tableau *tb = implicit()[i];
        if (!takes_feed(tb)) continue;
        for (double k = 1e14; k < 1e19; k *= 100)
            for (int running = 0; running < 2; running++) {
                check_feed(tb, "discrete_adjoint", k, running);
                check_feed(tb, "discrete_tangent", k, running);
            }
    }
}

/* ---- Robertson's problem over eleven decades ----------------------------------------------------------- */

/* G(x) = x at T, on the steps of the state. */
static void gradient_at(const struct sens_tableau *tableau, const char *method, double T, double *gradient)
{
    struct method_bed bed;
    bed_create(&bed, "robertson", "identity", "T", T, NULL);
    bed.task.tableau = tableau;
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    memcpy(gradient, bed.out.dGdp, 9 * sizeof *gradient);
    bed_free(&bed);
}

/* Steps grow with t. Of the slow part, a stage's df/dx^T kappa is the difference k1 (kappa_2 - kappa_1), in which kappa
 * is h times as large: rounding times h k1, summed over all steps. The bound has room for the size of coefficients;
 * with df/dx^T c instead, whose other rows are 1e4 h, it was 200 times the bound for the worst. */
static void long_times(void **state)
{
    (void)state;
    const double k1 = 0.04;
    for (size_t i = 0; implicit()[i]; i++) {
        const struct sens_tableau *tb = implicit()[i];
        for (double T = 4e7; tb->order >= 4 && !tb->a_explicit && T < 2e11; T *= 50) {
            double adjoint[9], tangent[9];
            gradient_at(tb, "discrete_adjoint", T, adjoint);
            gradient_at(tb, "discrete_tangent", T, tangent);
            const double error = relative_error(9, adjoint, tangent);
            if (!(error <= 32 * DBL_EPSILON * T * k1))
                fail_msg("%s, T = %g: adjoint differs from tangent by %g", tb->name, T, error);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_cancels),
        cmocka_unit_test(long_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
