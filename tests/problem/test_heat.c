/* heat: the five-point matrix, the three closed forms, and the errors that Tables 1-3 must show. */
#include "steps.h"

#include <math.h>

/* (i, j) entry of alpha n^2 (five-point matrix), unknowns numbered row by row. */
static double matrix_entry(size_t n, double alpha, size_t i, size_t j)
{
    const size_t side = n - 1;
    const long dx = (long)(i % side) - (long)(j % side), dy = (long)(i / side) - (long)(j / side);
    const long distance = labs(dx) + labs(dy);
    return alpha * (double)(n * n) * (distance == 0 ? -4 : distance == 1 ? 1 : 0);
}

static void test_matrix(void **state)
{
    (void)state;
    for (size_t n = 2; n <= 6; n++) {
        struct sens_ctx ctx = {0};
        const struct sens_problem pb =
            make_problem(&ctx, "heat", (struct setting[]){{"n", (double)n}, {"alpha", 0.5}, {0}});
        const size_t N = pb.n;
        assert_int_equal(N, (n - 1) * (n - 1));
        double *identity = SENS_NEW(&ctx, double, N *N), *J = SENS_NEW(&ctx, double, N *N);
        double *JT = SENS_NEW(&ctx, double, N *N);
        for (size_t i = 0; i < N; i++) identity[i * N + i] = 1;
        const struct sens_at at = {pb.t0, pb.x0, pb.p};
        pb.type->jvp(&pb, &at, N, identity, J);
        pb.type->vjp(&pb, &at, N, identity, JT);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                assert_true(J[i * N + j] == matrix_entry(n, 0.5, i, j));
                assert_true(JT[i * N + j] == matrix_entry(n, 0.5, i, j));
            }
        sens_arena_release(&ctx.arena);
    }
}

/* Steps and tangent from the definition reach the fully discrete closed form to the rounding of some
 * hundred steps. */
static void require_discrete(const char *tableau, double mx, double my)
{
    enum { STEPS = 200 };
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = make_problem(
        &ctx, "heat", (struct setting[]){{"n", 8}, {"alpha", 0.75}, {"mx", mx}, {"my", my}, {"T", 0.1}, {0}});
    const size_t n = pb.n, L = n + 1;
    double *x = SENS_NEW(&ctx, double, n), *T = SENS_NEW(&ctx, double, n *L);
    double *want = SENS_NEW(&ctx, double, n), *S = SENS_NEW(&ctx, double, n);
    const struct sens_exact_query q = {.level = SENS_EXACT_DISCRETE,
                                       .t = pb.t1,
                                       .tableau = tableau_named(tableau),
                                       .dt = (pb.t1 - pb.t0) / STEPS};
    step_with_tangent(&pb, q.tableau, STEPS, x, T);
    assert_true(pb.type->exact(&pb, &q, pb.p, want, S, NULL));
    double size = 0, dsize = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(want[i])), dsize = fmax(dsize, fabs(S[i]));
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(x[i] - want[i]) <= 1e-12 * size);
        assert_true(fabs(T[i * L] - S[i]) <= 1e-12 * dsize);
    }
    sens_arena_release(&ctx.arena);
}

static void test_discrete_closed_form(void **state)
{
    (void)state;
    static const char *const tableaux[] = {"euler", "rk4"};
    for (size_t i = 0; i < 2; i++) {
        require_discrete(tableaux[i], 1, 1);
        require_discrete(tableaux[i], 2, 1);
    }
}

/* A mode (2, 3) seen at a known point pins which option is x and which is y: unknowns run along x first. */
static void test_orientation(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem pb =
        make_problem(&ctx, "heat", (struct setting[]){{"n", 10}, {"mx", 2}, {"my", 3}, {0}});
    const double pi = acos(-1), want = sin(2 * pi * 0.3) * sin(3 * pi * 0.2); /* x = 0.3, y = 0.2 */
    assert_true(fabs(pb.x0[1 * 9 + 2] - want) < 1e-15);
    sens_arena_release(&ctx.arena);
}

/* Percent by which the discrete solution misses the PDE's; one mode, so every point has the same. */
struct errors {
    double state, sensitivity;
};

static struct errors errors_of(double n, const char *tableau, double dt)
{
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = make_problem(&ctx, "heat", (struct setting[]){{"n", n}, {0}});
    double *x[2] = {SENS_NEW(&ctx, double, pb.n), SENS_NEW(&ctx, double, pb.n)};
    double *S[2] = {SENS_NEW(&ctx, double, pb.n), SENS_NEW(&ctx, double, pb.n)};
    const struct sens_exact_query pde = {.level = SENS_EXACT_PDE, .t = pb.t1};
    const struct sens_exact_query discrete = {
        .level = SENS_EXACT_DISCRETE, .t = pb.t1, .tableau = tableau_named(tableau), .dt = dt};
    assert_true(pb.type->exact(&pb, &pde, pb.p, x[0], S[0], NULL));
    assert_true(pb.type->exact(&pb, &discrete, pb.p, x[1], S[1], NULL));
    const struct errors e = {100 * fabs(x[1][0] / x[0][0] - 1), 100 * fabs(S[1][0] / S[0][0] - 1)};
    sens_arena_release(&ctx.arena);
    return e;
}

/* The predicted errors of the published set-up, five digits. */
static void test_published_set_up(void **state)
{
    (void)state;
    static const struct {
        const char *tableau;
        double dt, n, state, sensitivity;
    } table[] = {
        {"euler", 1e-4, 10, 1.4365, 0.80229},   {"euler", 1e-4, 30, 0.014396, 0.091658},
        {"euler", 1e-4, 50, 0.12993, 0.034613}, {"rk4", 1e-4, 10, 1.6313, 0.79818},
        {"rk4", 1e-4, 30, 0.18048, 0.088967},   {"rk4", 1e-4, 50, 0.064952, 0.032036},
        {"rk4", 5e-5, 10, 1.6313, 0.79818},     {"rk4", 5e-5, 30, 0.18048, 0.088967},
        {"rk4", 5e-5, 50, 0.064952, 0.032036},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct errors e = errors_of(table[i].n, table[i].tableau, table[i].dt);
        if (!(fabs(e.state / table[i].state - 1) < 5e-5) ||
            !(fabs(e.sensitivity / table[i].sensitivity - 1) < 5e-5))
            fail_msg("%s dt %g n %g: %.6g %.6g", table[i].tableau, table[i].dt, table[i].n, e.state,
                     e.sensitivity);
    }
}

/* A step typed with ten digits stands for the one that divides the interval, which is the one a
 * solver takes. */
static void test_typed_step(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem pb = make_problem(&ctx, "heat", (struct setting[]){{"n", 2}, {"T", 1}, {0}});
    struct sens_exact_query q = {
        .level = SENS_EXACT_DISCRETE, .t = 1, .tableau = tableau_named("rk4"), .dt = 1.0 / 30};
    double x[2], S[2];
    assert_true(pb.type->exact(&pb, &q, pb.p, &x[0], &S[0], NULL));
    q.dt = 0.0333333333;
    assert_true(pb.type->exact(&pb, &q, pb.p, &x[1], &S[1], NULL));
    assert_true(x[0] == x[1] && S[0] == S[1]);
    sens_arena_release(&ctx.arena);
}

static void test_refusals(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_problem pb;
    assert_int_equal(try_problem(&ctx, "heat", (struct setting[]){{"n", 3}, {"mx", 3}, {0}}, &pb),
                     SENS_BAD_INPUT);
    assert_true(ctx.message[0] != '\0');
    pb = make_problem(&ctx, "heat", (struct setting[]){{"n", 3}, {0}});
    const struct sens_exact_query q = {.level = SENS_EXACT_ODE, .t = pb.t1};
    double x[4], S[4], S0[16], other[4] = {1, 2, 3, 4};
    assert_true(pb.type->exact(&pb, &q, pb.p, x, S, NULL));
    assert_false(pb.type->exact(&pb, &q, pb.p, x, S, S0));
    pb.x0 = other;
    assert_false(pb.type->exact(&pb, &q, pb.p, x, S, NULL));
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),      cmocka_unit_test(test_discrete_closed_form),
        cmocka_unit_test(test_orientation), cmocka_unit_test(test_published_set_up),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_typed_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
