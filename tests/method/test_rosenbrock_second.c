/* Second derivatives in the tangent of Rosenbrock steps where df/dx is sparse: as few products as the pattern has
 * colours; the tangent against the adjoint, which takes other ones. */
#include "stiff_support.h"

enum { N = 40, NP = 3, COLOURS = 3, STEPS = 8 };

/* x_i' = p_0 (x_(i-1) - 2 x_i + x_(i+1)) + p_1 (1 + k t) x_i^2 - p_2 x_i, x_(-1) = x_N = 0; k is the problem's data. */
static double drift(const struct sens_problem *pb)
{
    return *(const double *)pb->data;
}

static double second_difference(size_t L, const double *x, size_t i)
{
    return (i > 0 ? x[-(ptrdiff_t)L] : 0) - 2 * x[0] + (i + 1 < N ? x[L] : 0);
}

static sens_status line_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const double c = 1 + drift(pb) * at->t, *p = at->p, *x = at->x;
    for (size_t i = 0; i < N; i++)
        dx[i] = p[0] * second_difference(1, x + i, i) + p[1] * c * x[i] * x[i] - p[2] * x[i];
    return SENS_OK;
}

static void line_rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    for (size_t i = 0; i < N; i++) OUT[i] = at->p[1] * drift(pb) * at->x[i] * at->x[i];
}

/* df/dx is symmetric. */
static void line_product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                         double *OUT)
{
    const double c = 1 + drift(pb) * at->t, *p = at->p;
    for (size_t q = 0; q < N * L; q++)
        OUT[q] = p[0] * second_difference(L, V + q, q / L) + (2 * p[1] * c * at->x[q / L] - p[2]) * V[q];
}

static double line_slope(const struct sens_problem *pb, double t, const double *x, size_t i, size_t k)
{
    if (k == 0) return second_difference(1, x + i, i);
    return k == 1 ? (1 + drift(pb) * t) * x[i] * x[i] : -x[i];
}

static void line_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                         double *OUT)
{
    for (size_t q = 0; q < N * L; q++) OUT[q] += line_slope(pb, at->t, at->x, q / L, k0 + q % L);
}

static void line_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                       const double *p, size_t L, const double *W, double *MU)
{
    (void)p;
    for (size_t point = 0; point < K; point++)
        for (size_t i = 0; i < N; i++)
            for (size_t q = 0; q < NP * L; q++)
                MU[q] += line_slope(pb, t[point], X + point * N, i, q / L) * W[(point * N + i) * L + q % L];
}

static size_t vectors; /* of the calls below: a test's own */

static void line_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                     const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    const double k = drift(pb), c = 1 + k * at->t, *p = at->p;
    vectors += L;
    for (size_t q = 0; q < N * L; q++) {
        const size_t i = q / L, l = q % L;
        const double x = at->x[i], dt = v->t ? v->t[l] : 0, dx = v->x ? v->x[q] : 0;
        const double dp[NP] = {v->p ? v->p[l] : 0, v->p ? v->p[L + l] : 0, v->p ? v->p[2 * L + l] : 0};
        OUT[q] = dp[0] * second_difference(L, W + q, i) +
                 (2 * (dp[1] * c * x + p[1] * c * dx + p[1] * k * dt * x) - dp[2]) * W[q];
        if (!MU) continue;
        if (v->x) MU[l] += W[q] * second_difference(L, v->x + q, i);
        MU[L + l] += W[q] * (2 * c * x * dx + k * dt * x * x);
        MU[2 * L + l] -= W[q] * dx;
    }
}

static const struct sens_problem_type line = {.name = "line",
                                              .rhs = line_rhs,
                                              .jvp = line_product,
                                              .vjp = line_product,
                                              .jvp_p_cols = line_columns,
                                              .vjp_p_batch = line_batch,
                                              .rhs_t = line_rhs_t,
                                              .hvp = line_hvp};

static struct sens_pattern neighbours(struct sens_ctx *ctx)
{
    size_t *start = SENS_NEW(ctx, size_t, N + 1), *col = SENS_NEW(ctx, size_t, 3 * N);
    assert_true(start && col);
    for (size_t i = 0; i < N; i++) {
        start[i + 1] = start[i];
        for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) col[start[i + 1]++] = j;
    }
    return (struct sens_pattern){N, N, start, col};
}

/* G = x at the end, on the bed of `chain`. */
static void line_create(struct method_bed *bed, const struct sens_problem_type *type, const double *k,
                        bool sparse, struct sens_structure *structure, struct sens_pattern *pattern)
{
    static const double p[NP] = {40, 0.7, 0.3};
    static double x0[N];
    for (size_t i = 0; i < N; i++) x0[i] = 1 + 0.5 * sin(0.3 * (double)(i * i));
    bed_create(bed, "chain", "identity", "n", (double)N, "T", 0.5, NULL);
    *pattern = neighbours(&bed->ctx);
    *structure = (struct sens_structure){.sparsity = sparse ? pattern : NULL};
    bed->problem = (struct sens_problem){.type = type,
                                         .n = N,
                                         .np = NP,
                                         .t0 = bed->problem.t0,
                                         .t1 = bed->problem.t1,
                                         .x0 = x0,
                                         .p = p,
                                         .structure = structure,
                                         .data = k};
    bed->cost.np = NP;
}

/* Every entry; and in each of M steps of s stages: s directions of the state and NP of the parameters, each by as many
 * products as there are colours. Where the problem does not say that t is not in it, two products more see whether d/dt
 * df/dp is 0, and n more are it where it is not. Dense, n for each stage may be fewer. */
static void check_line(const struct sens_tableau *tableau, double k, bool autonomous, bool sparse)
{
    struct sens_problem_type type = line;
    struct sens_structure structure;
    struct sens_pattern pattern;
    struct method_bed bed;
    const size_t stages = (size_t)tableau->stages, colours = sparse ? COLOURS : N;
    const size_t time = autonomous ? 0 : k != 0 ? 2 + N : 2;
    type.autonomous = autonomous;
    line_create(&bed, &type, &k, sparse, &structure, &pattern);
    fix_steps(&bed, tableau, STEPS);
    free(check_tangent(&bed, 1e-13)); /* rounding: at most 5e-15 was met */
    vectors = 0;
    assert_int_equal(bed_run(&bed, "discrete_tangent", NULL), SENS_OK);
    const size_t once = autonomous ? 0 : N;
    const bool by_columns = NP * colours + once < stages * N;
    assert_true(by_columns || !sparse);
    assert_int_equal(vectors, STEPS * (stages * colours + (by_columns ? NP * colours + time : stages * N)));
    bed_free(&bed);
}

static void as_few_products_as_colours(void **state)
{
    const struct sens_tableau *const *pairs = of_families(SENS_FAMILY_ROSENBROCK, SENS_FAMILY_ROSENBROCK);
    (void)state;
    for (size_t i = 0; pairs[i]; i++) {
        check_line(pairs[i], 0, true, true);
        check_line(pairs[i], 0, false, true);
        check_line(pairs[i], 0.8, false, true);
        check_line(pairs[i], 0.8, false, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_few_products_as_colours)};
    return cmocka_run_group_tests_name("rosenbrock_second", tests, NULL, NULL);
}
