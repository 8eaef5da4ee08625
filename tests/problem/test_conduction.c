/* conduction: the declared patterns and their values entry by entry, the identities, and the closed form
 * against steps with their tangent. */
#include "steps.h"

#include <math.h>

enum { GRADED, UNIFORM };

static struct sens_problem rod(struct sens_ctx *ctx, double n, int kind, double T)
{
    return make_problem(ctx, "conduction", (struct setting[]){{"n", n}, {"kind", kind}, {"T", T}, {0}});
}

static void test_instance(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = rod(&ctx, 6, GRADED, 0.1);
    assert_true(pb.n == 6 && pb.np == 5);
    for (size_t j = 0; j < 5; j++) assert_true(fabs(log(pb.p[j]) - sin((double)(j + 1) * M_PI / 3)) < 1e-15);
    for (size_t i = 0; i < 6; i++) {
        const double x = ((double)i + 0.5) / 6 - 1.0 / 3;
        assert_true(fabs(pb.x0[i] - 1 - exp(-8 * x * x)) < 1e-15);
    }
    const struct sens_problem other = rod(&ctx, 6, UNIFORM, 0.1);
    for (size_t j = 0; j < 5; j++) assert_true(other.p[j] == 1);
    sens_arena_release(&ctx.arena);
}

static double dense_entry(const struct sens_pattern *pattern, const double *value, size_t row, size_t column)
{
    for (size_t e = pattern->start[row]; e < pattern->start[row + 1]; e++)
        if (pattern->col[e] == column) return value[e];
    return 0;
}

/* J from the formula; df/dk from the differences of the state. */
static void require_structure(size_t n)
{
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = rod(&ctx, (double)n, GRADED, 0.1);
    const struct sens_at at = {0, pb.x0, pb.p};
    const double scale = (double)(n * n), *k = pb.p, *u = pb.x0;
    double *J = SENS_NEW(&ctx, double, 3 * n), *F = SENS_NEW(&ctx, double, 2 * n);
    assert_int_equal(pb.structure->sparsity->start[n], 3 * n - 2);
    assert_int_equal(pb.structure->sparsity_p->start[pb.np], 2 * (n - 1));
    pb.structure->jacobian(&pb, &at, J);
    pb.structure->jacobian_p(&pb, &at, F);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double left = i > 0 ? k[i - 1] : 0, right = i < n - 1 ? k[i] : 0;
            const double want = j == i ? -(left + right) : j + 1 == i ? left : j == i + 1 ? right : 0;
            const double got = dense_entry(pb.structure->sparsity, J, i, j);
            assert_true(fabs(got - scale * want) <= 4e-16 * fabs(scale * want));
        }
    for (size_t j = 0; j + 1 < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double want = (i == j ? 1 : i == j + 1 ? -1 : 0) * scale * (u[j + 1] - u[j]);
            assert_true(fabs(dense_entry(pb.structure->sparsity_p, F, j, i) - want) <= 4e-16 * fabs(want));
        }
    sens_arena_release(&ctx.arena);
}

static void test_structure(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 7, 70};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) require_structure(sizes[k]);
}

/* S [n][np] and S0 [n][n] out of T [n][np + n]. */
static void take_apart(const struct sens_problem *pb, const double *T, double *S, double *S0)
{
    const size_t n = pb->n, np = pb->np, L = np + n;
    for (size_t i = 0; i < n; i++) {
        memcpy(S + i * np, T + i * L, np * sizeof *S);
        memcpy(S0 + i * n, T + i * L + np, n * sizeof *S0);
    }
}

/* Those that hold for every Runge-Kutta map do so after a few steps of euler; the other one as the steps get
 * small. */
static void require_identities(const char *tableau, size_t steps, double exact, double limit)
{
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = rod(&ctx, 6, GRADED, 0.05);
    const size_t n = pb.n, np = pb.np;
    double x[6], T[6 * 11], S[6 * 5], S0[6 * 6], residual[11], size[11];
    step_with_tangent(&pb, tableau_named(tableau), steps, x, T);
    take_apart(&pb, T, S, S0);
    int discrete = 0;
    for (const struct sens_identity *id = pb.type->identities; id->name; id++) {
        discrete += id->discrete;
        const size_t rows = id->rows(&pb);
        assert_true(rows <= n + np);
        id->residual(&pb, x, S, S0, residual, size);
        for (size_t r = 0; r < rows; r++)
            assert_true(fabs(residual[r]) <= (id->discrete ? exact : limit) * size[r]);
    }
    assert_int_equal(discrete, 2);
    sens_arena_release(&ctx.arena);
}

static void test_identities(void **state)
{
    (void)state;
    require_identities("euler", 20, 1e-13, 1); /* h |J| = 0.9 */
    /* rk4: (h |J|)^4 = 1e-8 of the terms at most, and 2000 steps of rounding */
    require_identities("rk4", 200, 1e-12, 1e-6);
    require_identities("rk4", 2000, 1e-12, 1e-10);
}

/* The closed form against fine steps, all parts. */
static void test_closed_form(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = rod(&ctx, 5, UNIFORM, 0.1);
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = 0.1};
    double x[5], T[5 * 9], S[5 * 4], S0[5 * 5], want[5], want_S[5 * 4], want_S0[5 * 5];
    step_with_tangent(&pb, tableau_named("rk4"), 4000, x, T); /* h |J| = 2.5e-3, to the 4th: 4e-11 */
    take_apart(&pb, T, S, S0);
    assert_true(pb.type->exact(&pb, &query, pb.p, want, want_S, want_S0));
    for (size_t i = 0; i < 5; i++) assert_true(fabs(x[i] - want[i]) < 1e-10);
    for (size_t i = 0; i < 5 * 4; i++) assert_true(fabs(S[i] - want_S[i]) < 1e-10);
    for (size_t i = 0; i < 5 * 5; i++) assert_true(fabs(S0[i] - want_S0[i]) < 1e-10);
    const struct sens_problem graded = rod(&ctx, 5, GRADED, 0.1);
    assert_false(graded.type->exact(&graded, &query, graded.p, want, NULL, NULL));
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instance),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
