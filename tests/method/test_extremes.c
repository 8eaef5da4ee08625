/* What every method must do at the edges of its task: a gradient by p alone or by x0 alone, no parameters at
 * all, and results that overflow although the solve does not, which are a status and never a number. */
#include "support.h"

/* ---- one of the two gradients -------------------------------------------------------------------------- */

/* Neither gradient may depend on whether the other is wanted: to rounding for a discrete derivative, and for
 * a continuous one, whose steps may see what is carried along, to 1e-8 times a factor for the growth of
 * errors. */
static void check_alone(const struct sens_method_type *method, const char *problem, const char *cost)
{
    struct method_bed bed;
    bed_create(&bed, problem, cost, NULL);
    assert_int_equal(bed_run(&bed, method->name, NULL), SENS_OK);
    size_t count;
    sens_real *both = bed_gradient(&bed, &count);
    const size_t p = bed.cost.m * bed.problem.np, x = bed.cost.m * bed.problem.n;
    sens_real *const dGdp = bed.out.dGdp, *const dGdx0 = bed.out.dGdx0;
    const double tolerance = method->derivative == SENS_DERIVATIVE_CONTINUOUS ? 1e-5 : 1e-13;
    for (enum sens_part part = SENS_PART_DGDP; part <= SENS_PART_DGDX0; part++) {
        const bool by_p = part == SENS_PART_DGDP;
        bed.task.parts = 1u << part;
        bed.out.dGdp = by_p ? memset(dGdp, 0xff, p * sizeof *dGdp) : NULL;
        bed.out.dGdx0 = by_p ? NULL : memset(dGdx0, 0xff, x * sizeof *dGdx0);
        assert_int_equal(bed_run(&bed, method->name, NULL), SENS_OK);
        const double error = by_p ? relative_error(p, dGdp, both) : relative_error(x, dGdx0, both + p);
        if (!(error <= tolerance))
            fail_msg("%s: %s, %s: dG/d%s alone is off by %g", method->name, problem, cost, by_p ? "p" : "x0",
                     error);
    }
    free(both);
    bed_free(&bed);
}

static void one_gradient_alone(void **state)
{
    (void)state;
    static const char *const problem[] = {"initial", "glv"}, *const cost[] = {"terminal", "running",
                                                                              "tracking"};
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->methods[i]; i++)
        for (int q = 0; q < 6; q++) check_alone(reg->methods[i], problem[q % 2], cost[q / 2]);
}

/* ---- problems of this test ----------------------------------------------------------------------------- */

/* x' = rate + slope p, x(0) = x0, on [0, 10]: dx(t)/dp = slope t, dx/dx0 = 1. */
struct line {
    double rate, slope;
};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct line *line = pb->data;
    dx[0] = line->rate + (pb->np ? line->slope * at->p[0] : 0);
    return SENS_OK;
}

static void no_product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                       sens_real *OUT)
{
    (void)pb, (void)at, (void)V;
    for (size_t l = 0; l < L; l++) OUT[l] = 0;
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    const struct line *line = pb->data;
    (void)at;
    assert_true(k0 + L <= pb->np);
    for (size_t l = 0; l < L; l++) OUT[l] += line->slope;
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const struct line *line = pb->data;
    (void)t, (void)X, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L && pb->np; l++) MU[l] += line->slope * W[k * L + l];
}

static const struct sens_problem_type line_type = {.name = "line",
                                                   .summary = "x' = rate + slope p",
                                                   .rhs = rhs,
                                                   .vjp = no_product,
                                                   .jvp = no_product,
                                                   .jvp_p_cols = jvp_p_cols,
                                                   .vjp_p_batch = vjp_p_batch};

/* One state, np = 0 or 1 parameters (p = 0), the cost by name with its defaults; bed->out as the task
 * wants. */
static void line_create(struct method_bed *bed, const struct line *line, const sens_real *x0, size_t np,
                        const char *cost)
{
    static const sens_real zero = 0;
    bed_create(bed, "decay", "identity", NULL); /* its outputs are of the same sizes */
    const struct sens_cost_type *type = named(bed->registry->costs, cost);
    bed->problem = (struct sens_problem){
        .type = &line_type, .n = 1, .np = np, .t1 = 10, .x0 = x0, .p = &zero, .data = line};
    sens_option_defaults(type->options, bed->cost_value);
    assert_int_equal(sens_cost_create(&bed->ctx, type, bed->cost_value, &bed->problem, &bed->cost), SENS_OK);
    bed->task.dt = 0.5; /* the right-hand side is nearly 0 or huge: nothing to choose a first step by */
}

/* ---- the edges ----------------------------------------------------------------------------------------- */

static void no_parameters(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    const struct line line = {.rate = 0.25};
    const sens_real x0 = 1;
    for (size_t i = 0; reg->methods[i]; i++)
        for (unsigned wrt = SENS_WRT_P; wrt <= (SENS_WRT_P | SENS_WRT_X0); wrt++) {
            struct method_bed bed;
            line_create(&bed, &line, &x0, 0, "terminal"); /* G = x(T)^2/2, dG/dx0 = x(T) = 3.5 */
            bed.task.parts = sens_method_parts(reg->methods[i], wrt);
            if (!(wrt & SENS_WRT_X0)) bed.out.dGdx0 = NULL;
            assert_int_equal(bed_run(&bed, reg->methods[i]->name, NULL), SENS_OK);
            assert_true(fabs(bed.out.G[0] - 6.125) < 1e-12);
            /* 1e-6: the one-sided difference of 1.5e-8 */
            if (bed.out.dGdx0) assert_true(fabs(bed.out.dGdx0[0] - 3.5) < 1e-6);
            bed_free(&bed);
        }
}

static void require_diverged(const struct line *line, sens_real x0, const char *cost, unsigned parts)
{
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->methods[i]; i++) {
        struct method_bed bed;
        line_create(&bed, line, &x0, 1, cost);
        bed.task.parts = parts;
        const sens_status status = bed_run(&bed, reg->methods[i]->name, NULL);
        if (status != SENS_DIVERGED)
            fail_msg("%s, %s: %s", reg->methods[i]->name, cost, sens_status_name(status));
        bed_free(&bed);
    }
}

/* x stays at 1 and lambda at 1, but dG/dp = slope T is beyond the largest number. */
static void overflowing_gradient(void **state)
{
    (void)state;
    require_diverged(&(struct line){.slope = 1e308}, 1, "identity", SENS_IN_GRADIENT);
}

/* x stays at 1e200, whose square overflows in G; the gradient x is finite. */
static void overflowing_cost(void **state)
{
    (void)state;
    require_diverged(&(struct line){.slope = 1}, 1e200, "terminal", SENS_IN_DGDX0);
    require_diverged(&(struct line){.slope = 1}, 1e200, "tracking", SENS_IN_DGDX0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_gradient_alone),
        cmocka_unit_test(no_parameters),
        cmocka_unit_test(overflowing_gradient),
        cmocka_unit_test(overflowing_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
