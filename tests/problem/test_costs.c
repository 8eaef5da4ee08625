/* Every registered cost on every registered problem: its derivatives against its values by Taylor's theorem,
 *
 *     G(x + eps v) - G(x) - eps <G_x, v> = O(eps^2),   and the same in p,
 *
 * its lane blocks against one block of all functionals, and values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "sens/registry.h"

enum { MAX_OPTIONS = 16 };

static const struct sens_problem_type *find_problem(const char *name)
{
    for (const struct sens_problem_type *const *type = sens_registry_baseline()->problems; *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    fail_msg("problem %s is not registered", name);
    return NULL;
}

static const struct sens_cost_type *find_cost(const char *name)
{
    for (const struct sens_cost_type *const *type = sens_registry_baseline()->costs; *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    fail_msg("cost %s is not registered", name);
    return NULL;
}

static double *numbers(struct sens_ctx *ctx, size_t count)
{
    double *made = SENS_NEW(ctx, double, count);
    assert_non_null(made);
    return made;
}

static void default_problem(struct sens_ctx *ctx, const struct sens_problem_type *type,
                            struct sens_problem *pb)
{
    struct sens_value option[MAX_OPTIONS];
    assert_true(sens_option_count(type->options) <= MAX_OPTIONS);
    sens_option_defaults(type->options, option);
    assert_int_equal(sens_problem_create(ctx, type, option, pb), SENS_OK);
}

/* ---- one part of a cost: observation j, or the running cost (j = n_obs) at weight 0.75 ----------------- */

struct part {
    const struct sens_cost *cost;
    size_t j;
    double t;
};
static const double part_weight = 0.75;

static bool is_running(const struct part *part)
{
    return part->j == part->cost->n_obs;
}

static void add_value(const struct part *part, const double *x, const double *p, double *G)
{
    const struct sens_cost *cost = part->cost;
    if (is_running(part))
        cost->type->g(cost, (struct sens_at){part->t, x, p}, part_weight, G);
    else
        cost->type->phi(cost, part->j, x, p, G);
}

static void add_dx(const struct part *part, const double *x, const double *p, size_t c0, size_t L,
                   double *OUT)
{
    const struct sens_cost *cost = part->cost;
    if (is_running(part))
        cost->type->g_dx(cost, (struct sens_at){part->t, x, p}, part_weight, c0, L, OUT);
    else
        cost->type->phi_dx(cost, part->j, x, p, c0, L, OUT);
}

static void add_dp(const struct part *part, const double *x, const double *p, size_t c0, size_t L, double *MU)
{
    const struct sens_cost *cost = part->cost;
    if (is_running(part)) {
        if (cost->type->g_dp) cost->type->g_dp(cost, (struct sens_at){part->t, x, p}, part_weight, c0, L, MU);
    } else if (cost->type->phi_dp) {
        cost->type->phi_dp(cost, part->j, x, p, c0, L, MU);
    }
}

typedef void add_function(const struct part *, const double *, const double *, size_t, size_t, double *);

/* ---- Taylor -------------------------------------------------------------------------------------------- */

/* |G_c(x + eps vx, p + eps vp) - G_c(x, p) - eps slope_c| for every c. */
static void remainders(struct sens_ctx *ctx, const struct part *part, const double *x, const double *p,
                       const double *vx, const double *vp, double eps, const double *slope, double *remainder,
                       double *rounding)
{
    const size_t n = part->cost->n, np = part->cost->np, m = part->cost->m;
    double *G0 = numbers(ctx, m), *G1 = numbers(ctx, m), *x1 = numbers(ctx, n), *p1 = numbers(ctx, np);
    for (size_t i = 0; i < n; i++) x1[i] = x[i] + eps * vx[i];
    for (size_t k = 0; k < np; k++) p1[k] = p[k] + eps * vp[k];
    add_value(part, x, p, G0);
    add_value(part, x1, p1, G1);
    for (size_t c = 0; c < m; c++) {
        remainder[c] = fabs(G1[c] - G0[c] - eps * slope[c]);
        /* n + np terms of one sign, each rounded a few times */
        rounding[c] =
            4 * (double)(n + np) * SENS_EPSILON * (fabs(G0[c]) + fabs(G1[c]) + fabs(eps * slope[c]) + 1);
    }
}

/* slope_c = sum_i D[i][c] v[i], added. */
static void add_slope(size_t rows, size_t m, const double *D, const double *v, double *slope)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < m; c++) slope[c] += D[i * m + c] * v[i];
}

/* Halving eps divides a second-order remainder by 4 (by 2 where the derivative is wrong). */
static void check_taylor(struct sens_ctx *ctx, const struct part *part, const double *x, const double *p,
                         const double *vx, const double *vp)
{
    const struct sens_cost *cost = part->cost;
    const size_t m = cost->m;
    double *Dx = numbers(ctx, cost->n * m), *Dp = numbers(ctx, cost->np * m), *slope = numbers(ctx, m);
    double *whole = numbers(ctx, m), *half = numbers(ctx, m), *rounding = numbers(ctx, m);
    add_dx(part, x, p, 0, m, Dx);
    add_dp(part, x, p, 0, m, Dp);
    add_slope(cost->n, m, Dx, vx, slope);
    add_slope(cost->np, m, Dp, vp, slope);
    remainders(ctx, part, x, p, vx, vp, 0.0625, slope, whole, rounding);
    remainders(ctx, part, x, p, vx, vp, 0.03125, slope, half, rounding);
    for (size_t c = 0; c < m; c++)
        if (whole[c] > 100 * rounding[c] && !(half[c] > 0.2 * whole[c] && half[c] < 0.3 * whole[c]))
            fail_msg("cost %s, part %zu, functional %zu: remainder %g, at half the step %g", cost->type->name,
                     part->j, c, whole[c], half[c]);
}

/* ---- lanes --------------------------------------------------------------------------------------------- */

/* A block [rows][L] from functional c0 on, added to `base`, against all of them at once in D [rows][m]. */
static void check_block(struct sens_ctx *ctx, add_function *add, const struct part *part, size_t rows,
                        const double *x, const double *p, const double *D, size_t c0, size_t L, double base)
{
    const size_t m = part->cost->m;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    double *OUT = numbers(ctx, rows * L + 1);
    for (size_t k = 0; k <= rows * L; k++) OUT[k] = base;
    add(part, x, p, c0, L, OUT);
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < L; l++) {
            const bool used = c0 + l < m;
            const double want = used ? base + D[i * m + c0 + l] : base;
            /* one rounding of the sum, at most two where the product is fused into it */
            const double tolerance = used && base != 0 ? 2 * SENS_EPSILON * (fabs(base) + fabs(want)) : 0;
            if (!(fabs(OUT[i * L + l] - want) <= tolerance))
                fail_msg("cost %s, part %zu, c0 %zu, L %zu, entry %zu, %zu: %.17g, expected %.17g",
                         part->cost->type->name, part->j, c0, L, i, l, OUT[i * L + l], want);
        }
    assert_true(OUT[rows * L] == base); /* nothing written behind the block */
    sens_arena_rewind(&ctx->arena, mark);
}

static void check_lanes(struct sens_ctx *ctx, add_function *add, const struct part *part, size_t rows,
                        const double *x, const double *p)
{
    static const size_t lanes[] = {0, 1, 2, 3, 8, 17};
    const size_t m = part->cost->m, start[] = {0, 1, m / 2, m - 1, m, m + 3};
    double *D = numbers(ctx, rows * m);
    add(part, x, p, 0, m, D);
    for (size_t a = 0; a < sizeof lanes / sizeof *lanes; a++)
        for (size_t b = 0; b < sizeof start / sizeof *start; b++)
            for (int base = 0; base <= 3; base += 3)
                check_block(ctx, add, part, rows, x, p, D, start[b], lanes[a], base);
}

/* ---- all costs on all problems ------------------------------------------------------------------------- */

static void check_accumulates(struct sens_ctx *ctx, const struct part *part, const double *x, const double *p)
{
    const size_t m = part->cost->m;
    double *once = numbers(ctx, m), *twice = numbers(ctx, m);
    add_value(part, x, p, once);
    add_value(part, x, p, twice);
    add_value(part, x, p, twice);
    for (size_t c = 0; c < m; c++)
        assert_true(fabs(twice[c] - 2 * once[c]) <= 4 * SENS_EPSILON * fabs(once[c]));
}

static void check_part(struct sens_ctx *ctx, const struct part *part, const struct sens_problem *pb)
{
    const size_t n = pb->n, np = pb->np;
    double *x = numbers(ctx, n), *p = numbers(ctx, np), *vx = numbers(ctx, n), *vp = numbers(ctx, np);
    double *zero = numbers(ctx, n > np ? n : np);
    for (size_t i = 0; i < n; i++)
        x[i] = pb->x0[i] + cos(1.3 * (double)i), vx[i] = sin(2.1 * (double)i + 0.4);
    for (size_t k = 0; k < np; k++)
        p[k] = pb->p[k] * (1 + 0.1 * sin(0.7 * (double)k)), vp[k] = p[k] * cos(3.0 * (double)k);
    check_accumulates(ctx, part, x, p);
    check_taylor(ctx, part, x, p, vx, zero);
    check_taylor(ctx, part, x, p, zero, vp);
    check_lanes(ctx, add_dx, part, n, x, p);
    check_lanes(ctx, add_dp, part, np, x, p);
}

/* Options away from their defaults: whole numbers 7, real numbers 0.5, as far as their ranges allow. */
static void stir(const struct sens_option *table, struct sens_value *option)
{
    for (size_t i = 0; i < sens_option_count(table); i++) {
        if (table[i].kind == SENS_OPT_INT) option[i].number = fmax(table[i].min, fmin(table[i].max, 7));
        if (table[i].kind == SENS_OPT_REAL) option[i].number = fmax(table[i].min, fmin(table[i].max, 0.5));
    }
}

static void check_pair(const struct sens_cost_type *type, const struct sens_problem_type *problem,
                       bool stirred)
{
    struct sens_ctx ctx = {0};
    struct sens_problem pb;
    struct sens_cost cost;
    struct sens_value option[MAX_OPTIONS];
    default_problem(&ctx, problem, &pb);
    assert_true(sens_option_count(type->options) <= MAX_OPTIONS);
    sens_option_defaults(type->options, option);
    if (stirred) stir(type->options, option);
    assert_int_equal(sens_cost_create(&ctx, type, option, &pb, &cost), SENS_OK);
    assert_true(cost.n_obs > 0 || type->g);
    const size_t parts = cost.n_obs + (type->g ? 1 : 0);
    for (size_t j = 0; j < parts; j++) {
        const struct sens_arena_mark mark = sens_arena_mark(&ctx.arena);
        const struct part part = {&cost, j, pb.t0 + 0.375 * (pb.t1 - pb.t0)};
        check_part(&ctx, &part, &pb);
        sens_arena_rewind(&ctx.arena, mark);
    }
    sens_arena_release(&ctx.arena);
}

static void test_every_cost_on_every_problem(void **state)
{
    (void)state;
    const struct sens_registry *registry = sens_registry_baseline();
    for (const struct sens_cost_type *const *cost = registry->costs; *cost; cost++)
        for (const struct sens_problem_type *const *problem = registry->problems; *problem; problem++)
            for (int stirred = 0; stirred < 2; stirred++) check_pair(*cost, *problem, stirred);
}

/* ---- values by hand ------------------------------------------------------------------------------------ */

/* A cost on problem `initial` (x0 = (1, 1.5), p = (0.5, 1, 3), T = 2) with options in its table's order. */
static sens_status create_on_initial(struct sens_ctx *ctx, const char *name, const struct sens_value *option,
                                     struct sens_cost *cost)
{
    struct sens_problem *pb = SENS_NEW(ctx, struct sens_problem, 1);
    assert_non_null(pb);
    default_problem(ctx, find_problem("initial"), pb);
    return sens_cost_create(ctx, find_cost(name), option, pb, cost);
}

static const double hand_x[] = {2, -1}, hand_p[] = {0.5, 1, 3}; /* |p|^2 = 10.25 */

static void test_identity_by_hand(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    double G[2] = {0, 0};
    assert_int_equal(create_on_initial(&ctx, "identity", NULL, &cost), SENS_OK);
    assert_int_equal(cost.m, 2);
    assert_int_equal(cost.n_obs, 1);
    assert_true(cost.t_obs[0] == 2);
    cost.type->phi(&cost, 0, hand_x, hand_p, G);
    assert_true(G[0] == 2 && G[1] == -1);
    sens_arena_release(&ctx.arena);
}

static void test_quadratics_by_hand(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    const struct sens_value option[] = {{.number = 2}, {.number = 0.5}, {.number = 0.25}};
    /* (4 + 1)/2 + 10.25/4 and (4 65/64 + 66/64)/2 + 10.25/4 */
    const double Q[] = {2.5 + 2.5625, (260.0 / 64 + 66.0 / 64) / 2 + 2.5625};
    double G[2] = {0, 0};
    assert_int_equal(create_on_initial(&ctx, "terminal", option, &cost), SENS_OK);
    assert_true(cost.m == 2 && cost.n_obs == 1 && cost.t_obs[0] == 2);
    cost.type->phi(&cost, 0, hand_x, hand_p, G);
    assert_true(G[0] == Q[0] && G[1] == Q[1]);

    G[0] = G[1] = 1;
    assert_int_equal(create_on_initial(&ctx, "running", option, &cost), SENS_OK);
    assert_true(cost.m == 2 && cost.n_obs == 0);
    cost.type->g(&cost, (struct sens_at){2, hand_x, hand_p}, 8, G);
    for (size_t c = 0; c < 2; c++) assert_true(fabs(G[c] - 1 - 8 * exp(-0.5) * Q[c]) <= 1e-14 * G[c]);
    sens_arena_release(&ctx.arena);
}

static void test_synthetic_tracking_by_hand(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    const struct sens_value option[] = {{.data = NULL}, {.number = 3}},
                            last_only[] = {{.data = NULL}, {.number = 1}};
    double G = 0;
    assert_int_equal(create_on_initial(&ctx, "tracking", option, &cost), SENS_OK);
    assert_true(cost.m == 1 && cost.n_obs == 3);
    assert_true(cost.t_obs[0] == 0 && cost.t_obs[1] == 1 && cost.t_obs[2] == 2);
    cost.type->phi(&cost, 1, hand_x, hand_p, &G); /* z = 3/4 (1, 1.5) */
    assert_true(fabs(G - (1.25 * 1.25 + 2.125 * 2.125) / 2) <= 1e-15 * G);
    assert_int_equal(create_on_initial(&ctx, "tracking", last_only, &cost), SENS_OK);
    assert_true(cost.n_obs == 1 && cost.t_obs[0] == 2);
    sens_arena_release(&ctx.arena);
}

static sens_status create_tracking(struct sens_ctx *ctx, size_t count, const double *data,
                                   struct sens_cost *cost)
{
    const struct sens_cost_type *type = find_cost("tracking");
    struct sens_value option[2];
    sens_option_defaults(type->options, option);
    option[0] = (struct sens_value){.data = data, .count = count};
    return create_on_initial(ctx, "tracking", option, cost);
}

static void test_tracking_of_given_data(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    const double good[] = {0.25, 1, 2, 2, 3, 4};
    double G = 0, D[2] = {0, 0};
    assert_int_equal(create_tracking(&ctx, 6, good, &cost), SENS_OK);
    assert_true(cost.n_obs == 2 && cost.t_obs[0] == 0.25 && cost.t_obs[1] == 2);
    cost.type->phi(&cost, 1, hand_x, hand_p, &G);
    cost.type->phi_dx(&cost, 1, hand_x, hand_p, 0, 1, D);
    assert_true(G == (1.0 + 25.0) / 2 && D[0] == -1 && D[1] == -5);
    sens_arena_release(&ctx.arena);
}

static void test_bad_tracking_data_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double data[6];
    } bad[] = {
        {5, {0.25, 1, 2, 1, 3}},       /* half a row */
        {2, {0.25, 1}},                /* less than a row */
        {6, {0.25, 1, 2, 0.25, 3, 4}}, /* the same time twice */
        {6, {1, 1, 2, 0.25, 3, 4}},    /* backwards */
        {6, {-0.5, 1, 2, 1, 3, 4}},    /* before t0 */
        {6, {0.25, 1, 2, 2.5, 3, 4}},  /* after t1 */
        {6, {0.25, 1, NAN, 1, 3, 4}},  /* no number */
        {6, {NAN, 1, 2, 1, 3, 4}},     /* no time */
        {3, {0.25, INFINITY, 2}},      /* infinite */
    };
    struct sens_ctx ctx = {0};
    struct sens_cost cost = {.m = 42};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ctx.message[0] = '\0';
        assert_int_equal(create_tracking(&ctx, bad[i].count, bad[i].data, &cost), SENS_BAD_INPUT);
        assert_true(ctx.message[0] != '\0');
        assert_int_equal(cost.m, 42); /* outputs untouched */
    }
    sens_arena_release(&ctx.arena);
}

/* Every allocation of every cost refused in turn: a status, never a crash. */
static void test_refused_memory_is_a_status(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0}, poor = {0};
    struct sens_problem pb;
    struct sens_cost cost;
    struct sens_value option[MAX_OPTIONS];
    default_problem(&ctx, find_problem("initial"), &pb);
    for (const struct sens_cost_type *const *type = sens_registry_baseline()->costs; *type; type++) {
        sens_option_defaults((*type)->options, option);
        sens_status status = SENS_NO_MEMORY;
        for (size_t nth = 1; status == SENS_NO_MEMORY; nth++) {
            poor.arena.allocations = 0;
            poor.arena.fail_at = nth;
            status = sens_cost_create(&poor, *type, option, &pb, &cost);
            assert_true(status == SENS_OK || status == SENS_NO_MEMORY);
            assert_true(status == SENS_NO_MEMORY || nth > 1);
        }
    }
    sens_arena_release(&poor.arena);
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cost_on_every_problem),
        cmocka_unit_test(test_identity_by_hand),
        cmocka_unit_test(test_quadratics_by_hand),
        cmocka_unit_test(test_synthetic_tracking_by_hand),
        cmocka_unit_test(test_tracking_of_given_data),
        cmocka_unit_test(test_bad_tracking_data_are_refused),
        cmocka_unit_test(test_refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
