/* harness/derive/model and problems/program: a problem as text is the problem that was written in C. f, its
 * products and x0 are compared at random points; the two share no source but the caller's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "modules.h"
#include "testing.h"
#include "variants.h"

enum { LANES = 11 }; /* more than one block of a sweep, and no multiple of one */

/* In [-1, 1): a fixed sequence. */
static double uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

struct pair { /* one problem in two forms */
    struct sens_ctx ctx;
    struct model *model;
    struct sens_problem_type type;
    struct sens_problem written, c;
    double *x, *p;
    double bound; /* of the relative differences: so many roundings are in a sum */
};

static void create(struct pair *pair, const char *name, const char *option, double value)
{
    char path[128];
    struct bench_error error;
    struct sens_value given[64], other[64];
    const struct sens_problem_type *c = find_problem(variant_all()[0], name);
    *pair = (struct pair){.bound = 64 * 0x1p-52};
    snprintf(path, sizeof path, "tests/models/%s.ode", name);
    pair->model = model_read(path, &error);
    assert_non_null(pair->model);
    model_type(pair->model, variant_all()[0]->written, &pair->type);
    sens_option_defaults(pair->type.options, given);
    sens_option_defaults(c->options, other);
    if (option) given[sens_option_find(pair->type.options, option)].number = value;
    if (option) other[sens_option_find(c->options, option)].number = value;
    if (strcmp(name, "vdp") == 0) other[sens_option_find(c->options, "initial")].number = 1;
    assert_int_equal(sens_problem_create(&pair->ctx, &pair->type, given, &pair->written), SENS_OK);
    assert_int_equal(sens_problem_create(&pair->ctx, c, other, &pair->c), SENS_OK);
    assert_int_equal(pair->written.n, pair->c.n);
    assert_int_equal(pair->written.np, pair->c.np);
    pair->x = SENS_NEW(&pair->ctx, double, pair->c.n);
    pair->p = SENS_NEW(&pair->ctx, double, pair->c.np);
}

static void destroy(struct pair *pair)
{
    sens_arena_release(&pair->ctx.arena);
    model_destroy(pair->model);
}

static void draw(struct pair *pair, unsigned long long *seed)
{
    for (size_t i = 0; i < pair->c.n; i++) pair->x[i] = 1 + uniform(seed) / 2;
    for (size_t k = 0; k < pair->c.np; k++) pair->p[k] = pair->c.p[k] * (1 + uniform(seed) / 4);
}

/* Relative to the largest entry: what is a difference of large terms has their roundings. */
static void compare(const struct pair *pair, const char *what, size_t count, const double *one,
                    const double *other)
{
    double largest = 0;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(other[k]));
    for (size_t k = 0; k < count; k++)
        if (!(fabs(one[k] - other[k]) <= pair->bound * largest))
            fail_msg("%s of %s, entry %zu: %.17g and %.17g", what, pair->c.type->name, k, one[k], other[k]);
}

static double *numbers(struct pair *pair, size_t count, unsigned long long *seed)
{
    double *made = SENS_NEW(&pair->ctx, double, count);
    assert_non_null(made);
    for (size_t k = 0; seed && k < count; k++) made[k] = uniform(seed);
    return made;
}

static void compare_products(struct pair *pair, const struct sens_at *at, unsigned long long *seed)
{
    const size_t n = pair->c.n, np = pair->c.np, columns = np < LANES ? np : LANES;
    const struct sens_problem *const problem[] = {&pair->written, &pair->c};
    double *W = numbers(pair, 2 * n * LANES, seed), *X = numbers(pair, 2 * n, seed), *out[2][4];
    const double t[2] = {at->t, at->t};
    for (int k = 0; k < 2; k++) {
        const struct sens_problem *pb = problem[k];
        for (int q = 0; q < 4; q++) out[k][q] = numbers(pair, (q == 3 ? np : n) * LANES, NULL);
        pb->type->vjp(pb, at, LANES, W, out[k][0]);
        pb->type->jvp(pb, at, LANES, W, out[k][1]);
        pb->type->jvp_p_cols(pb, at, np - columns, columns, out[k][2]);
        pb->type->vjp_p_batch(pb, 2, t, X, at->p, LANES, W, out[k][3]);
    }
    compare(pair, "vjp", n * LANES, out[0][0], out[1][0]);
    compare(pair, "jvp", n * LANES, out[0][1], out[1][1]);
    compare(pair, "jvp_p_cols", n * columns, out[0][2], out[1][2]);
    compare(pair, "vjp_p_batch", np * LANES, out[0][3], out[1][3]);
}

static void compare_initial(struct pair *pair, unsigned long long *seed)
{
    const size_t n = pair->c.n, np = pair->c.np;
    const struct sens_problem *const problem[] = {&pair->written, &pair->c};
    double *W = numbers(pair, n * LANES, seed), *out[2][3];
    assert_int_equal(sens_problem_x0_depends(&pair->written), sens_problem_x0_depends(&pair->c));
    compare(pair, "x0", n, pair->written.x0, pair->c.x0);
    for (int k = 0; k < 2 && sens_problem_x0_depends(&pair->c); k++) {
        for (int q = 0; q < 3; q++) out[k][q] = numbers(pair, (n + np) * LANES, NULL);
        problem[k]->type->x0(problem[k], pair->p, out[k][0]);
        problem[k]->type->x0_vjp(problem[k], pair->p, LANES, W, out[k][1]);
        problem[k]->type->x0_jvp_cols(problem[k], pair->p, 0, np, out[k][2]);
    }
    if (!sens_problem_x0_depends(&pair->c)) return;
    compare(pair, "x0(p)", n, out[0][0], out[1][0]);
    compare(pair, "x0_vjp", np * LANES, out[0][1], out[1][1]);
    compare(pair, "x0_jvp_cols", n * np, out[0][2], out[1][2]);
}

static void compare_problems(const char *name, const char *option, double value, int points)
{
    struct pair pair;
    unsigned long long seed = 7;
    create(&pair, name, option, value);
    const struct sens_arena_mark mark = sens_arena_mark(&pair.ctx.arena);
    for (int k = 0; k < points; k++) {
        double *one = numbers(&pair, pair.c.n, NULL), *other = numbers(&pair, pair.c.n, NULL);
        draw(&pair, &seed);
        const struct sens_at at = {0.5, pair.x, pair.p};
        assert_int_equal(pair.written.type->rhs(&pair.written, &at, one), SENS_OK);
        assert_int_equal(pair.c.type->rhs(&pair.c, &at, other), SENS_OK);
        compare(&pair, "rhs", pair.c.n, one, other);
        compare_products(&pair, &at, &seed);
        compare_initial(&pair, &seed);
        sens_arena_rewind(&pair.ctx.arena, mark);
    }
    destroy(&pair);
}

static void test_robertson(void **state)
{
    (void)state;
    compare_problems("robertson", NULL, 0, 1000);
}

static void test_vdp(void **state)
{
    (void)state;
    compare_problems("vdp", NULL, 0, 1000);
}

static void test_glv(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++) compare_problems("glv", "n", n, 20);
}

static void test_heat(void **state)
{
    (void)state;
    for (int n = 2; n <= 9; n++) compare_problems("heat", "n", n, 20);
}

/* ---- what no problem in C has --------------------------------------------------------------------------- */

struct written_case {
    struct sens_ctx ctx;
    struct model *model;
    struct sens_problem_type type;
    struct sens_problem problem;
};

static void open_case(struct written_case *made, const char *text)
{
    struct bench_error error = {.text = ""};
    struct sens_value value[32];
    *made = (struct written_case){.model = model_parse("m.ode", text, strlen(text), &error)};
    assert_string_equal(error.text, "");
    model_type(made->model, variant_all()[0]->written, &made->type);
    sens_option_defaults(made->type.options, value);
    assert_int_equal(sens_problem_create(&made->ctx, &made->type, value, &made->problem), SENS_OK);
}

static void close_case(struct written_case *made)
{
    sens_arena_release(&made->ctx.arena);
    model_destroy(made->model);
}

static double slope(const struct written_case *made, double t, double x)
{
    double dx;
    assert_int_equal(made->type.rhs(&made->problem, &(struct sens_at){t, &x, made->problem.p}, &dx), SENS_OK);
    return dx;
}

static double derivative(const struct written_case *made, double x)
{
    double J;
    const double one = 1;
    made->type.vjp(&made->problem, &(struct sens_at){0, &x, made->problem.p}, 1, &one, &J);
    return J;
}

#define SCALAR(expression) "model m \"x\"\nstate x = 1\ninterval 0 .. 1\nx' = " expression

static void check_value(const char *text, double t, double x, double expected)
{
    struct written_case made;
    open_case(&made, text);
    const double value = slope(&made, t, x);
    if (!(fabs(value - expected) <= 4e-16 * fabs(expected)))
        fail_msg("%s: %.17g, not %.17g", text, value, expected);
    close_case(&made);
}

static void test_precedence(void **state)
{
    (void)state;
    check_value(SCALAR("2 + 3*x^2"), 0, 5, 77);
    check_value(SCALAR("-x^2"), 0, 3, -9);
    check_value(SCALAR("2^-x"), 0, 2, 0.25);
    check_value(SCALAR("2^x^2"), 0, 3, 512);
    check_value(SCALAR("x/2/5*10"), 0, 3, 3);
    check_value(SCALAR("10 - x - 3"), 0, 2, 5);
    check_value(SCALAR("x^-2"), 0, -2, 0.25);
    check_value(SCALAR("x^2.5"), 0, 4, 32);
    check_value(SCALAR("if x < 2 and not x < 1 or t == 7 then 1 else 0"), 0, 1.5, 1);
    check_value(SCALAR("if x < 2 and not x < 1 or t == 7 then 1 else 0"), 0, 0.5, 0);
    check_value(SCALAR("if x < 2 and not x < 1 or t == 7 then 1 else 0"), 7, 0.5, 1);
    check_value(SCALAR("if x != 2 then 1 else 3"), 7, 2, 3);
    check_value(SCALAR("sum(i in 1 .. 3, j in 1 .. i, i*x^j)"), 0, 2, 2 + 2 * (2 + 4) + 3 * (2 + 4 + 8));
    check_value(SCALAR("product(i in 1 .. 4, i + x)"), 0, 1, 120);
    check_value(SCALAR("sum(i in 1 .. 0, x)"), 0, 1, 0);
    check_value(SCALAR("sum(i in -3 .. 3, mod(i, 3) + 0*x)"), 0, 1, 0 + 1 + 2 + 0 + 1 + 2 + 0);
    check_value(SCALAR("sum(i in 1 .. 3, if i == 1 then 0 else 1/(i - 1)) + x - x"), 0, 1, 1.5);
    check_value("model m \"x\"\nstate x = 1\ninterval 0 .. 1\nf(a, b) = a - 2*b\nx' = f(f(x, 1), f(1, x))", 0,
                5, 21);
}

/* At a corner the derivative is of one side, as graph.h says; the side that is not taken adds nothing even
 * where it is infinite. */
static void test_derivatives_at_corners(void **state)
{
    static const struct {
        const char *text;
        double x, expected;
    } corner[] = {
        {SCALAR("abs(x)"), 0, 1},
        {SCALAR("max(x, 2*x)"), 0, 1},
        {SCALAR("min(3*x, x)"), 0, 3},
        {SCALAR("if x > 0 then sqrt(x) else 5*x"), 0, 5},
        {SCALAR("max(sqrt(x), x + 1)"), 0, 1},
        {SCALAR("x^3"), 0, 0},
        {SCALAR("x^2"), -2, -4},
        {SCALAR("x^2.5"), 0, 0},
        {SCALAR("atan2(x, 2)"), 1, 0.4},
        {SCALAR("hypot(x, 4)"), 3, 0.6},
    };
    (void)state;
    for (size_t k = 0; k < sizeof corner / sizeof corner[0]; k++) {
        struct written_case made;
        open_case(&made, corner[k].text);
        const double J = derivative(&made, corner[k].x);
        if (!(fabs(J - corner[k].expected) <= 1e-15)) fail_msg("%s: %.17g", corner[k].text, J);
        close_case(&made);
    }
}

/* Every function of the library: its derivative against a central difference of f, of order h^2. */
static void test_derivatives_of_functions(void **state)
{
    static const char *const function[] = {"sqrt", "cbrt", "exp",  "expm1", "log",  "log1p", "sin",  "cos",
                                           "tan",  "asin", "acos", "atan",  "sinh", "cosh",  "tanh", "abs"};
    (void)state;
    for (size_t k = 0; k < sizeof function / sizeof function[0]; k++) {
        char text[128];
        struct written_case made;
        const double x = 0.375, h = 1e-5;
        snprintf(text, sizeof text, SCALAR("%s(x)"), function[k]);
        open_case(&made, text);
        const double difference = (slope(&made, 0, x + h) - slope(&made, 0, x - h)) / (2 * h);
        if (!(fabs(derivative(&made, x) - difference) <= 1e-9)) fail_msg("%s", function[k]); /* h^2 f'''/6 */
        close_case(&made);
    }
}

/* df/dt, and the costs, with numbers that can be said at once. */
static void test_time_and_costs(void **state)
{
    struct written_case made;
    struct sens_cost cost;
    struct sens_value only = {.number = 0};
    double ft, G[2] = {0, 0}, dx[2] = {0, 0}, dp[2] = {0, 0};
    const double x = 3;
    (void)state;
    open_case(&made, "model m \"x\"\nparameter a = 2\nstate x = 1\ninterval 0 .. 4\nx' = a*t^2\n"
                     "cost one = final(x^2*a) - at(1, x)\ncost two = integral(a*x*t)");
    made.type.rhs_t(&made.problem, &(struct sens_at){3, &x, made.problem.p}, &ft);
    assert_true(ft == 12);
    assert_int_equal(sens_cost_create(&made.ctx, variant_all()[0]->own, &only, &made.problem, &cost),
                     SENS_OK);
    assert_int_equal(cost.m, 2);
    assert_int_equal(cost.n_obs, 2);
    assert_true(cost.t_obs[0] == 1 && cost.t_obs[1] == 4);
    cost.type->phi(&cost, 1, &x, made.problem.p, G);
    assert_true(G[0] == 18 && G[1] == 0);
    cost.type->phi(&cost, 0, &x, made.problem.p, G);
    assert_true(G[0] == 15 && G[1] == 0);
    cost.type->g(&cost, &(struct sens_at){5, &x, made.problem.p}, 0.5, G);
    assert_true(G[0] == 15 && G[1] == 15);
    cost.type->phi_dx(&cost, 1, &x, made.problem.p, 0, 2, dx);
    cost.type->phi_dp(&cost, 1, &x, made.problem.p, 0, 2, dp);
    assert_true(dx[0] == 12 && dx[1] == 0 && dp[0] == 9 && dp[1] == 0);
    only.number = 2;
    assert_int_equal(sens_cost_create(&made.ctx, variant_all()[0]->own, &only, &made.problem, &cost),
                     SENS_OK);
    assert_int_equal(cost.m, 1);
    only.number = 3;
    assert_int_equal(sens_cost_create(&made.ctx, variant_all()[0]->own, &only, &made.problem, &cost),
                     SENS_BAD_INPUT);
    close_case(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_vdp),
        cmocka_unit_test(test_glv),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_derivatives_at_corners),
        cmocka_unit_test(test_derivatives_of_functions),
        cmocka_unit_test(test_time_and_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
