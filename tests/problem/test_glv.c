/* glv: the drawn instance, its Jacobian as a coupling matrix, the species-scaling identity, and the closed
 * forms against steps with their tangent. */
#include "steps.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

enum { RANDOM, UNCOUPLED };

static struct sens_problem glv(struct sens_ctx *ctx, double n, double seed, int kind)
{
    return make_problem(ctx, "glv", (struct setting[]){{"n", n}, {"seed", seed}, {"kind", kind}, {0}});
}

/* The documented order of draws, and that half of the entries are kept. */
static void test_instance(void **state)
{
    (void)state;
    enum { N = 40 };
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = glv(&ctx, N, 3, RANDOM);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    size_t kept = 0;
    gsl_rng_set(rng, 3);
    assert_int_equal(pb.np, N + N * N);
    for (size_t i = 0; i < N; i++) {
        assert_true(pb.p[i] == 0.1 && pb.x0[i] == 0.1);
        for (size_t j = 0; j < N; j++) {
            double want = i == j ? -10 : 0;
            if (i != j && gsl_rng_uniform(rng) < 0.5) want = gsl_ran_gaussian(rng, 1), kept++;
            assert_true(pb.p[N + i * N + j] == want);
        }
    }
    assert_true(fabs((double)kept - 0.5 * N * (N - 1)) < 4 * sqrt(0.25 * N * (N - 1)));
    const struct sens_problem other = glv(&ctx, N, 4, RANDOM);
    assert_true(memcmp(other.p, pb.p, pb.np * sizeof *pb.p) != 0);
    gsl_rng_free(rng);
    sens_arena_release(&ctx.arena);
}

/* df/dx = diag(d) + diag(s) M, at a point and with parameters that are not the nominal ones. Beside the
 * diagonal both are one product; on it d is part of either, a sum of n + 1 terms that need not be the same
 * one, and there is a rounding of the product and of the last sum. */
static void require_coupling(size_t n)
{
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = glv(&ctx, (double)n, 2, RANDOM);
    double *x = SENS_NEW(&ctx, double, n), *p = SENS_NEW(&ctx, double, pb.np),
           *J = SENS_NEW(&ctx, double, n *n), *M = SENS_NEW(&ctx, double, n *n),
           *d = SENS_NEW(&ctx, double, n), *s = SENS_NEW(&ctx, double, n),
           *phi = SENS_NEW(&ctx, double, 1 + n);
    for (size_t i = 0; i < n; i++) x[i] = 0.1 + 0.05 * sin((double)i);
    for (size_t k = 0; k < pb.np; k++) p[k] = pb.p[k] * (1 + 0.1 * cos((double)k));
    const struct sens_at at = {0, x, p};
    pb.structure->jacobian(&pb, &at, J);
    pb.structure->coupling(&pb, p, M);
    pb.structure->diagonal(&pb, &at, d);
    pb.structure->outer(&pb, &at, s, phi);
    for (size_t i = 0; i < n; i++) {
        double size = fabs(p[i]); /* of the sum in d */
        for (size_t j = 0; j < n; j++) size += fabs(p[n + i * n + j] * x[j]);
        for (size_t j = 0; j < n; j++) {
            const double product = s[i] * M[i * n + j], want = J[i * n + j];
            const double got = i == j ? d[i] + product : product;
            const double terms = i == j ? (double)n + 3 : 1;
            assert_true(fabs(got - want) <= 2.3e-16 * terms * (fabs(product) + (i == j ? size : 0)));
        }
    }
    sens_arena_release(&ctx.arena);
}

/* Few species, many, and more than go through the Jacobian at a time. */
static void test_coupling(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 8, 9, 13, 64, 70};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) require_coupling(sizes[k]);
}

/* x_j0 dx_k/dx_j0 - sum_i A_ij dx_k/dA_ij = delta_kj x_j(T): the substitution x_j -> s x_j, A_ij -> A_ij /
 * s leaves the system, and every Runge-Kutta step, unchanged. True to rounding, whatever the step. */
static void require_scaling(size_t n, size_t steps)
{
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = glv(&ctx, (double)n, 1, RANDOM);
    const size_t L = pb.np + n;
    double *x = SENS_NEW(&ctx, double, n), *T = SENS_NEW(&ctx, double, n *L);
    step_with_tangent(&pb, tableau_named("rk4"), steps, x, T);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++) {
            double sum = pb.x0[j] * T[k * L + pb.np + j], size = fabs(sum) + x[j];
            for (size_t i = 0; i < n; i++) {
                const double term = pb.p[n + i * n + j] * T[k * L + n + i * n + j];
                sum -= term, size += fabs(term);
            }
            /* each of the terms has gone through `steps` steps */
            assert_true(fabs(sum - (k == j ? x[j] : 0)) <= 4 * (double)steps * 2.3e-16 * size);
        }
    sens_arena_release(&ctx.arena);
}

static void test_scaling_identity(void **state)
{
    (void)state;
    require_scaling(1, 40);
    require_scaling(5, 40);
    require_scaling(13, 100);
}

/* rk4 with h = 0.005, A x up to 1: its error, h^4 times a constant, stays below 1e-9 of the largest entry
 * of a column. */
static void require_closed_form(size_t n, double T)
{
    struct sens_ctx ctx = {0};
    const struct sens_problem pb =
        make_problem(&ctx, "glv", (struct setting[]){{"n", (double)n}, {"kind", UNCOUPLED}, {"T", T}, {0}});
    const size_t np = pb.np, L = np + n;
    double *x = SENS_NEW(&ctx, double, n), *tangent = SENS_NEW(&ctx, double, n *L),
           *want = SENS_NEW(&ctx, double, n);
    double *S = SENS_NEW(&ctx, double, n *np), *S0 = SENS_NEW(&ctx, double, n *n), size = 0;
    const struct sens_exact_query q = {.level = SENS_EXACT_ODE, .t = pb.t1};
    step_with_tangent(&pb, tableau_named("rk4"), (size_t)(T / 0.005), x, tangent);
    assert_true(pb.type->exact(&pb, &q, pb.p, want, S, S0));
    for (size_t i = 0; i < n * L; i++) size = fmax(size, fabs(tangent[i]));
    for (size_t k = 0; k < n; k++) {
        assert_true(fabs(x[k] - want[k]) <= 1e-9 * want[k]);
        for (size_t j = 0; j < np; j++) assert_true(fabs(tangent[k * L + j] - S[k * np + j]) <= 1e-9 * size);
        for (size_t j = 0; j < n; j++)
            assert_true(fabs(tangent[k * L + np + j] - S0[k * n + j]) <= 1e-9 * size);
    }
    sens_arena_release(&ctx.arena);
}

static void test_closed_form(void **state)
{
    (void)state;
    require_closed_form(1, 10);
    require_closed_form(4, 10);
    require_closed_form(3, 0.5);
}

/* No closed form where species differ or interact, where the solution blows up before t, or of another
 * kind. */
static void test_closed_form_refuses(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem random = glv(&ctx, 5, 1, RANDOM), alike = glv(&ctx, 2, 1, UNCOUPLED);
    const struct sens_problem alone = glv(&ctx, 1, 1, RANDOM);
    struct sens_exact_query q = {.level = SENS_EXACT_ODE, .t = 10};
    double x[5], p[6];
    assert_false(random.type->exact(&random, &q, random.p, x, NULL, NULL));
    memcpy(p, alike.p, sizeof p);
    assert_true(alike.type->exact(&alike, &q, p, x, NULL, NULL));
    p[0] = 0.2;
    assert_false(alike.type->exact(&alike, &q, p, x, NULL, NULL));
    const double growing[2] = {0.1, 1}; /* blows up at t = log(2) / 0.1 = 6.9 */
    assert_false(alone.type->exact(&alone, &q, growing, x, NULL, NULL));
    q.t = 6;
    assert_true(alone.type->exact(&alone, &q, growing, x, NULL, NULL));
    q.level = SENS_EXACT_PDE;
    assert_false(alike.type->exact(&alike, &q, alike.p, x, NULL, NULL));
    sens_arena_release(&ctx.arena);
}

/* Long after e^(r t) has overflowed: x = -r/A, whatever x0. */
static void test_closed_form_settles(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem pb =
        make_problem(&ctx, "glv", (struct setting[]){{"n", 1}, {"kind", UNCOUPLED}, {"T", 1e4}, {0}});
    const struct sens_exact_query q = {.level = SENS_EXACT_ODE, .t = pb.t1};
    double x, S[2], S0;
    assert_true(pb.type->exact(&pb, &q, pb.p, &x, S, &S0));
    assert_true(fabs(x - 0.01) < 1e-16 && fabs(S[0] - 0.1) < 1e-15 && fabs(S[1] - 0.001) < 1e-17 && S0 == 0);
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instance),
        cmocka_unit_test(test_coupling),
        cmocka_unit_test(test_scaling_identity),
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_closed_form_refuses),
        cmocka_unit_test(test_closed_form_settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
