/* Values of the registered costs worked out by hand, data that must be refused, and refused memory. That
 * derivatives, lane blocks and sums are right is for `sensbench verify --cost` to say. */
#include <math.h>
#include <string.h>

#include "sens/registry.h"
#include "testing.h"

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

static void default_problem(struct sens_ctx *ctx, const struct sens_problem_type *type,
                            struct sens_problem *pb)
{
    struct sens_value option[MAX_OPTIONS];
    assert_true(sens_option_count(type->options) <= MAX_OPTIONS);
    sens_option_defaults(type->options, option);
    assert_int_equal(sens_problem_create(ctx, type, option, pb), SENS_OK);
}

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
    cost.type->g(&cost, &(struct sens_at){2, hand_x, hand_p}, 8, G);
    for (size_t c = 0; c < 2; c++) assert_true(fabs(G[c] - 1 - 8 * exp(-0.5) * Q[c]) <= 1e-14 * G[c]);
    sens_arena_release(&ctx.arena);
}

/* G_(2 j + i) = x_i(t_j): the lanes 1 to 4 of the second time hold the derivatives of outputs 2 and 3 alone. */
static void test_snapshots_by_hand(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    const double times[] = {0.5, 1.25, 2};
    const struct sens_value given[] = {{.data = times, .count = 3}, {.number = 4}},
                            equal[] = {{.data = NULL}, {.number = 2}};
    double G[6] = {0}, D[2][4] = {{0}};
    assert_int_equal(create_on_initial(&ctx, "snapshots", given, &cost), SENS_OK);
    assert_true(cost.m == 6 && cost.n_obs == 3 && cost.t_obs[1] == 1.25 && cost.t_obs[2] == 2);
    cost.type->phi(&cost, 1, hand_x, hand_p, G);
    assert_true(G[2] == hand_x[0] && G[3] == hand_x[1] && G[0] == 0 && G[1] == 0 && G[4] == 0 && G[5] == 0);
    cost.type->phi_dx(&cost, 1, hand_x, hand_p, 1, 4, D[0]);
    for (size_t i = 0; i < 2; i++)
        for (size_t l = 0; l < 4; l++) assert_true(D[i][l] == (1 + l == 2 + i));
    assert_int_equal(create_on_initial(&ctx, "snapshots", equal, &cost), SENS_OK);
    assert_true(cost.m == 4 && cost.t_obs[0] == 1 && cost.t_obs[1] == 2);
    sens_arena_release(&ctx.arena);
}

static void test_synthetic_tracking_by_hand(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    struct sens_value option[MAX_OPTIONS];
    double G = 0;
    sens_option_defaults(find_cost("tracking")->options, option);
    option[1].number = 3;
    assert_int_equal(create_on_initial(&ctx, "tracking", option, &cost), SENS_OK);
    assert_true(cost.m == 1 && cost.n_obs == 3);
    assert_true(cost.t_obs[0] == 0 && cost.t_obs[1] == 1 && cost.t_obs[2] == 2);
    cost.type->phi(&cost, 1, hand_x, hand_p, &G); /* z = 3/4 (1, 1.5) */
    assert_true(fabs(G - (1.25 * 1.25 + 2.125 * 2.125) / 2) <= 1e-15 * G);
    option[1].number = 1;
    assert_int_equal(create_on_initial(&ctx, "tracking", option, &cost), SENS_OK);
    assert_true(cost.n_obs == 1 && cost.t_obs[0] == 2);
    sens_arena_release(&ctx.arena);
}

static sens_status create_tracking(struct sens_ctx *ctx, size_t count, const double *data,
                                   struct sens_cost *cost)
{
    const struct sens_cost_type *type = find_cost("tracking");
    struct sens_value option[MAX_OPTIONS];
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

/* Rows t, weight, x_1, x_2, sigma_1, sigma_2: two at the same time, one value of three without a measurement. */
static const double measured[] = {0.5, 1, 3,   NAN, 0.5, NAN, /* a residual of -1, over 0.5 */
                                  2,   3, 2.5, -3,  0.5, 2,   /* three times: -0.5 over 0.5, 2 over 2 */
                                  2,   1, NAN, 1,   0.5, 4};  /* -2 over 4 */

static sens_status create_measured(struct sens_ctx *ctx, double likelihood, size_t count, const double *data,
                                   struct sens_cost *cost)
{
    const struct sens_option *const table = find_cost("tracking")->options;
    struct sens_value option[MAX_OPTIONS];
    sens_option_defaults(table, option);
    option[0] = (struct sens_value){.data = data, .count = count, .measured = true};
    option[sens_option_find(table, "likelihood")].number = likelihood == 1;
    option[sens_option_find(table, "residuals")].number = likelihood == 2;
    return create_on_initial(ctx, "tracking", option, cost);
}

static void test_measurements_by_hand(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    double G[2] = {0, 0}, D[2] = {0, 0};
    assert_int_equal(create_measured(&ctx, 0, 18, measured, &cost), SENS_OK);
    assert_true(cost.m == 1 && cost.n_obs == 2 && cost.t_obs[0] == 0.5 && cost.t_obs[1] == 2);
    cost.type->phi(&cost, 0, hand_x, hand_p, &G[0]);
    cost.type->phi(&cost, 1, hand_x, hand_p, &G[1]);
    assert_true(G[0] == 4.0 / 2 && G[1] == (3 * (1.0 + 1.0) + 0.25) / 2);
    cost.type->phi_dx(&cost, 1, hand_x, hand_p, 0, 1, D);
    assert_true(D[0] == 3 * -0.5 / 0.25 && D[1] == 3 * 2 / 4.0 - 2 / 16.0);

    double L = 0, slope[2] = {0, 0};
    const double expected = -G[1] - 3 * log(0.5 * 2 * 2.50662827463100050242 * 2.50662827463100050242) -
                            log(4 * 2.50662827463100050242);
    assert_int_equal(create_measured(&ctx, 1, 18, measured, &cost), SENS_OK);
    cost.type->phi(&cost, 1, hand_x, hand_p, &L);
    assert_true(fabs(L - expected) <= 1e-14 * fabs(expected));
    cost.type->phi_dx(&cost, 1, hand_x, hand_p, 0, 1, slope);
    assert_true(slope[0] == -D[0] && slope[1] == -D[1]);

    double r[4] = {0}, rows[8] = {0}; /* a residual each, in lanes */
    static const double signs[] = {-2, -1.7320508075688772, 1.7320508075688772, -0.5};
    assert_int_equal(create_measured(&ctx, 2, 18, measured, &cost), SENS_OK);
    assert_int_equal(cost.m, 4);
    cost.type->phi(&cost, 0, hand_x, hand_p, r);
    cost.type->phi(&cost, 1, hand_x, hand_p, r);
    for (size_t e = 0; e < 4; e++) assert_true(fabs(r[e] - signs[e]) <= 1e-15 * fabs(signs[e]));
    cost.type->phi_dx(&cost, 1, hand_x, hand_p, 1, 4, rows);
    assert_true(rows[0] == sqrt(3) / 0.5 && rows[4 + 1] == sqrt(3) / 2 && rows[4 + 2] == 0.25);
    assert_true(rows[1] == 0 && rows[2] == 0 && rows[3] == 0 && rows[4] == 0 && rows[7] == 0);
    sens_arena_release(&ctx.arena);
}

static void test_likelihood_needs_deviations(void **state)
{
    (void)state;
    static const double bare[] = {0.5, 1, 3, NAN, NAN, 0.5};
    struct sens_ctx ctx = {0};
    struct sens_cost cost;
    double G = 0;
    assert_int_equal(create_measured(&ctx, 1, 6, bare, &cost), SENS_BAD_INPUT);
    assert_non_null(strstr(ctx.message, "standard deviation"));
    assert_int_equal(create_measured(&ctx, 0, 6, bare, &cost), SENS_OK); /* one of 1 */
    cost.type->phi(&cost, 0, hand_x, hand_p, &G);
    assert_true(G == 0.5);
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
        cmocka_unit_test(test_identity_by_hand),
        cmocka_unit_test(test_quadratics_by_hand),
        cmocka_unit_test(test_snapshots_by_hand),
        cmocka_unit_test(test_synthetic_tracking_by_hand),
        cmocka_unit_test(test_tracking_of_given_data),
        cmocka_unit_test(test_bad_tracking_data_are_refused),
        cmocka_unit_test(test_measurements_by_hand),
        cmocka_unit_test(test_likelihood_needs_deviations),
        cmocka_unit_test(test_refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
