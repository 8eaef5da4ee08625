/* The arena, the statuses, and the checks that instances pass when they are created. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sens/cost.h"
#include "sens/status.h"
#include "testing.h"

/* ---- arena --------------------------------------------------------------------------------------------- */

static void test_arena_memory(void **state)
{
    (void)state;
    struct sens_arena arena = {0};
    for (size_t count = 0; count < 100000; count = 3 * count + 1) {
        unsigned char *memory = sens_arena_alloc(&arena, count, 3);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % SENS_ALIGNMENT, 0);
        for (size_t i = 0; i < 3 * count; i++) assert_int_equal(memory[i], 0);
        memset(memory, 0xff, 3 * count);
    }
    sens_arena_release(&arena);
    assert_true(arena.bytes == 0 && !arena.head);
}

/* What is given back is used again, and zeroed again; what was taken before the mark stays. */
static void test_arena_rewind(void **state)
{
    (void)state;
    struct sens_arena arena = {0};
    int *kept = sens_arena_alloc(&arena, 10, sizeof *kept);
    kept[9] = 7;
    const struct sens_arena_mark mark = sens_arena_mark(&arena);
    unsigned char *first = sens_arena_alloc(&arena, 100, 1);
    memset(first, 0xff, 100);
    assert_non_null(sens_arena_alloc(&arena, 1 << 20, 1)); /* a block of its own */
    const size_t peak = arena.peak;
    sens_arena_rewind(&arena, mark);
    assert_true(arena.bytes == mark.bytes && arena.peak == peak && kept[9] == 7);
    unsigned char *again = sens_arena_alloc(&arena, 100, 1);
    assert_ptr_equal(again, first);
    for (int i = 0; i < 100; i++) assert_int_equal(again[i], 0);
    sens_arena_release(&arena);
}

struct guest {
    int *order, *count;
};

static void note_end(void *object)
{
    const struct guest *guest = object;
    *guest->order = ++*guest->count;
}

/* Guests end newest first, with what was taken after the mark; those before it stay until the release. */
static void test_arena_guests(void **state)
{
    (void)state;
    struct sens_arena arena = {0};
    int count = 0, order[3] = {0};
    struct guest guest[3];
    struct sens_arena_mark mark = {.head = NULL};
    for (int k = 0; k < 3; k++) {
        if (k == 1) mark = sens_arena_mark(&arena);
        guest[k] = (struct guest){&order[k], &count};
        assert_int_equal(sens_arena_attach(&arena, note_end, &guest[k]), SENS_OK);
    }
    sens_arena_rewind(&arena, mark);
    assert_true(order[0] == 0 && order[1] == 2 && order[2] == 1);
    sens_arena_release(&arena);
    assert_true(order[0] == 3 && count == 3 && !arena.guests);
    arena = (struct sens_arena){.fail_at = 1};
    assert_int_equal(sens_arena_attach(&arena, note_end, &guest[0]), SENS_NO_MEMORY);
    sens_arena_release(&arena);
    assert_int_equal(count, 3);
}

static void test_arena_refusals(void **state)
{
    (void)state;
    struct sens_arena arena = {.limit = 256};
    assert_null(sens_arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(sens_arena_alloc(&arena, SIZE_MAX / 4, 8)); /* the product wraps around */
    assert_null(sens_arena_alloc(&arena, 257, 1));
    assert_non_null(sens_arena_alloc(&arena, 256, 1));
    assert_null(sens_arena_alloc(&arena, 1, 1));
    assert_int_equal(arena.bytes, 256);
    sens_arena_release(&arena);

    arena = (struct sens_arena){.fail_at = 2};
    assert_non_null(sens_arena_alloc(&arena, 1, 1));
    for (int i = 0; i < 3; i++) assert_null(sens_arena_alloc(&arena, 1, 1));
    sens_arena_release(&arena);
}

/* ---- statuses ------------------------------------------------------------------------------------------ */

static void test_statuses(void **state)
{
    (void)state;
#define CHECK(code, value, class, name, message)                                                             \
    {                                                                                                        \
        sens_status found = SENS_NO_MEMORY;                                                                  \
        assert_int_equal(code, value);                                                                       \
        assert_int_equal(sens_status_class(code), SENS_CLASS_##class);                                       \
        assert_string_equal(sens_status_name(code), name);                                                   \
        assert_string_equal(sens_status_message(code), message);                                             \
        assert_true(sens_status_from_name(name, &found) && found == (code));                                 \
    }
    SENS_STATUS_LIST(CHECK)
#undef CHECK
    sens_status untouched = SENS_CRASHED;
    assert_false(sens_status_from_name("no such status", &untouched));
    assert_int_equal(untouched, SENS_CRASHED);
    assert_string_equal(sens_status_name((sens_status)99), "unknown");
}

/* What a solver does next is told by the class alone. */
static void test_classes(void **state)
{
    (void)state;
    const sens_status tried_again[] = {SENS_NONFINITE, SENS_OUT_OF_DOMAIN, SENS_SINGULAR, SENS_NOT_CONVERGED};
    const sens_status ends[] = {SENS_RHS_FAILED, SENS_NO_MEMORY, SENS_TIMEOUT, (sens_status)99,
                                (sens_status)-99};
    assert_false(sens_recoverable(SENS_OK) || sens_fatal(SENS_OK));
    for (size_t k = 0; k < sizeof tried_again / sizeof *tried_again; k++)
        assert_true(sens_recoverable(tried_again[k]) && !sens_fatal(tried_again[k]));
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        assert_true(sens_fatal(ends[k]) && !sens_recoverable(ends[k]));
    assert_int_equal(sens_status_class(SENS_TIMEOUT), SENS_CLASS_HARNESS);
}

/* ---- instances ----------------------------------------------------------------------------------------- */

struct fixture {
    struct sens_ctx ctx;         /* first: what create is given is the fixture */
    struct sens_problem problem; /* what create fills in */
    struct sens_cost cost;
};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    *pb = ((const struct fixture *)(const void *)ctx)->problem;
    return SENS_OK;
}

static sens_status create_cost(struct sens_ctx *ctx, const struct sens_value *option,
                               const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option, (void)pb;
    const struct sens_cost *candidate = &((const struct fixture *)(const void *)ctx)->cost;
    cost->m = candidate->m;
    cost->n_obs = candidate->n_obs;
    cost->t_obs = candidate->t_obs;
    return SENS_OK;
}

static const struct sens_problem_type type = {.name = "made", .create = create};
static void cost_phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,
                     sens_real *G)
{
    (void)cost, (void)j, (void)x, (void)p, (void)G;
}
static void cost_phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,
                        size_t c0, size_t L, sens_real *OUT)
{
    (void)cost, (void)j, (void)x, (void)p, (void)c0, (void)L, (void)OUT;
}
static void cost_g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    (void)cost, (void)at, (void)w, (void)G;
}

static const struct sens_cost_type cost_type = {.name = "made", .create = create_cost, .phi = cost_phi};

static sens_status problem_status(struct sens_problem candidate)
{
    struct fixture fx = {.problem = candidate};
    struct sens_problem pb = {.n = 77};
    const sens_status status = sens_problem_create(&fx.ctx, &type, NULL, &pb);
    if (status != SENS_OK) assert_true(pb.n == 77 && fx.ctx.message[0]);
    sens_arena_release(&fx.ctx.arena);
    return status;
}

static void test_problem_checks(void **state)
{
    (void)state;
    const double x0[2] = {1, 2}, p = 3, bad[2] = {1, NAN}, huge = INFINITY;
    const struct sens_problem good = {.n = 2, .np = 1, .t1 = 1, .x0 = x0, .p = &p};
    struct sens_problem wrong[9];
    for (int i = 0; i < 9; i++) wrong[i] = good;
    wrong[0].n = 0;
    wrong[1].x0 = NULL;
    wrong[2].p = NULL;
    wrong[3].t1 = 0;
    wrong[4].t1 = NAN;
    wrong[5].t1 = INFINITY;
    wrong[6].t0 = -INFINITY;
    wrong[7].x0 = bad;
    wrong[8].p = &huge;
    assert_int_equal(problem_status(good), SENS_OK);
    for (int i = 0; i < 9; i++) assert_int_equal(problem_status(wrong[i]), SENS_BAD_INPUT);
    struct sens_problem no_parameters = good;
    no_parameters.np = 0;
    no_parameters.p = NULL;
    assert_int_equal(problem_status(no_parameters), SENS_OK);
}

/* An interval without room for distinct times inside is refused, with its ends. */
static void test_interval(void **state)
{
    (void)state;
    const double x0 = 1;
    const struct {
        double t0, t1;
        bool has_room;
    } ends[] = {{1e16, 1e16 + 2, false},  {-1e16 - 2, -1e16, false}, {1, 1 + 512 * DBL_EPSILON, false},
                {1e16, 1e16 + 4e3, true}, {0, 1e-300, true},         {1, 1 + 2048 * DBL_EPSILON, true}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        struct fixture fx = {.problem = {.n = 1, .t0 = ends[k].t0, .t1 = ends[k].t1, .x0 = &x0}};
        struct sens_problem pb = {.n = 77};
        const sens_status status = sens_problem_create(&fx.ctx, &type, NULL, &pb);
        assert_int_equal(status, ends[k].has_room ? SENS_OK : SENS_BAD_INPUT);
        if (k == 0) {
            assert_non_null(strstr(fx.ctx.message, "10000000000000000"));
            assert_non_null(strstr(fx.ctx.message, "10000000000000002"));
        }
        sens_arena_release(&fx.ctx.arena);
    }
}

static sens_status cost_status(size_t m, size_t n_obs, const double *t_obs)
{
    struct fixture fx = {.cost = {.m = m, .n_obs = n_obs, .t_obs = t_obs}};
    struct sens_cost cost = {.m = 77};
    const struct sens_problem pb = {.n = 2, .np = 3, .t0 = 1, .t1 = 2};
    const sens_status status = sens_cost_create(&fx.ctx, &cost_type, NULL, &pb, &cost);
    if (status != SENS_OK)
        assert_true(cost.m == 77 && fx.ctx.message[0]);
    else
        assert_true(cost.n == 2 && cost.np == 3 && cost.type == &cost_type);
    sens_arena_release(&fx.ctx.arena);
    return status;
}

static void test_cost_checks(void **state)
{
    (void)state;
    const double ends[2] = {1, 2}, wrong[][2] = {{0.9, 2}, {1, 2.1}, {1.5, 1.5}, {2, 1}, {NAN, 2}, {1, NAN}};
    assert_int_equal(cost_status(1, 2, ends), SENS_OK);
    assert_int_equal(cost_status(1, 0, NULL), SENS_OK);
    assert_int_equal(cost_status(0, 2, ends), SENS_BAD_INPUT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(cost_status(1, 2, wrong[i]), SENS_BAD_INPUT);
}

/* All gradients, or none. */
static void test_gradients(void **state)
{
    struct sens_cost_type made = cost_type;
    (void)state;
    assert_true(sens_gradients_lack(&made) && sens_gradients_whole(&made));
    made.g = cost_g;
    assert_true(sens_gradients_lack(&made) && sens_gradients_whole(&made));
    made.phi_dx = cost_phi_dx;
    assert_false(sens_gradients_lack(&made) || sens_gradients_whole(&made)); /* g lacks its own */
    made.g = NULL;
    assert_true(!sens_gradients_lack(&made) && sens_gradients_whole(&made));
    made.phi_dp = cost_phi_dx;
    assert_true(sens_gradients_whole(&made));
    made.phi_dx = NULL;
    assert_false(sens_gradients_lack(&made) || sens_gradients_whole(&made));
    made.phi = NULL;
    assert_false(sens_gradients_whole(&made));
    made.phi_dp = NULL;
    assert_false(sens_gradients_whole(&made)); /* nothing at all */
    struct fixture fx = {.cost = {.m = 1}};
    struct sens_cost cost;
    const struct sens_problem pb = {.n = 2, .t0 = 1, .t1 = 2};
    assert_int_equal(sens_cost_create(&fx.ctx, &made, NULL, &pb, &cost), SENS_BAD_INPUT);
    sens_arena_release(&fx.ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_memory),   cmocka_unit_test(test_arena_rewind),
        cmocka_unit_test(test_arena_refusals), cmocka_unit_test(test_arena_guests),
        cmocka_unit_test(test_statuses),       cmocka_unit_test(test_classes),
        cmocka_unit_test(test_problem_checks), cmocka_unit_test(test_interval),
        cmocka_unit_test(test_cost_checks),    cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
