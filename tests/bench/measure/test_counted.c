/* The counting decorator on every registered problem: the same bits as the problem it wraps, and exact
 * counts, also when several threads share it. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "counted.h"
#include "sens/registry.h"
#include "testing.h"

enum { MAX_OPTIONS = 16, L = 3, K = 2 };

static double *numbers(struct sens_ctx *ctx, size_t count)
{
    double *made = SENS_NEW(ctx, double, count);
    assert_non_null(made);
    for (size_t i = 0; i < count; i++) made[i] = cos(0.3 + (double)i);
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

/* All outputs of a problem at fixed inputs, in one array. */
struct results {
    size_t count;
    double *value;
};

static void call_everything(struct sens_ctx *ctx, const struct sens_problem *pb, struct results *results)
{
    const struct sens_problem_type *type = pb->type;
    const size_t n = pb->n, np = pb->np, cols = np < L ? np : L;
    const struct sens_at at = {0.5, pb->x0, pb->p};
    const double t[K] = {0.25, 0.5}, *W = numbers(ctx, K * n * L);
    results->count = n + 3 * n * L + np * L + n + np * L + n * L + n;
    double *out = results->value = numbers(ctx, results->count), *X = numbers(ctx, K * n);
    for (size_t i = 0; i < K * n; i++) X[i] = pb->x0[i % n];
    assert_int_equal(type->rhs(pb, &at, out), SENS_OK);
    type->vjp(pb, &at, L, W, out += n);
    type->jvp(pb, &at, L, W, out += n * L);
    type->jvp_p_cols(pb, &at, np - cols, cols, out += n * L);
    type->vjp_p_batch(pb, K, t, X, pb->p, L, W, out += n * L);
    sens_problem_x0(pb, pb->p, out += np * L);
    out += n;
    if (sens_problem_x0_depends(pb)) {
        type->x0_vjp(pb, pb->p, L, W, out);
        type->x0_jvp_cols(pb, pb->p, 0, cols, out + np * L);
    }
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = pb->t1};
    if (type->exact) type->exact(pb, &query, pb->p, out + np * L + n * L, NULL, NULL);
}

static void check_type(const struct sens_problem_type *type)
{
    struct sens_ctx ctx = {0};
    struct sens_problem inner, counted;
    struct sens_counts counts = {0};
    struct results plain, wrapped;
    default_problem(&ctx, type, &inner);
    assert_int_equal(sens_counted_create(&ctx, &inner, &counts, &counted), SENS_OK);
    assert_true(counted.n == inner.n && counted.np == inner.np && counted.x0 == inner.x0 &&
                counted.p == inner.p);
    assert_true(counted.t0 == inner.t0 && counted.t1 == inner.t1);
    assert_string_equal(counted.type->name, type->name);
    assert_true(sens_problem_x0_depends(&counted) == sens_problem_x0_depends(&inner) &&
                !counted.type->exact == !type->exact);

    call_everything(&ctx, &inner, &plain);
    assert_true(counts.rhs + counts.vjp + counts.jvp + counts.jvp_p + counts.vjp_p == 0);
    call_everything(&ctx, &counted, &wrapped);
    assert_int_equal(memcmp(plain.value, wrapped.value, plain.count * sizeof *plain.value), 0);
    assert_int_equal(counts.rhs, 1);
    assert_int_equal(counts.vjp, L);
    assert_int_equal(counts.jvp, L);
    assert_int_equal(counts.jvp_p, inner.np < L ? inner.np : L);
    assert_int_equal(counts.vjp_p, K * L);
    sens_arena_release(&ctx.arena);
}

static void test_counted_problems_behave_as_the_wrapped_ones(void **state)
{
    (void)state;
    for (const struct sens_problem_type *const *type = sens_registry_baseline()->problems; *type; type++)
        check_type(*type);
}

enum { CALLS = 500000 };

static void *call_repeatedly(void *argument)
{
    const struct sens_problem *pb = argument;
    double *OUT = calloc(pb->n * L, sizeof *OUT), *W = calloc(pb->n * L, sizeof *W);
    for (int i = 0; OUT && W && i < CALLS; i++)
        pb->type->vjp(pb, &(struct sens_at){0, pb->x0, pb->p}, L, W, OUT);
    free(W);
    free(OUT);
    return NULL;
}

static void test_threads_lose_no_count(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_problem inner, counted;
    struct sens_counts counts = {0};
    pthread_t other;
    default_problem(&ctx, sens_registry_baseline()->problems[0], &inner);
    assert_int_equal(sens_counted_create(&ctx, &inner, &counts, &counted), SENS_OK);
    assert_int_equal(pthread_create(&other, NULL, call_repeatedly, &counted), 0);
    call_repeatedly(&counted);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(counts.vjp, 2 * CALLS * L);
    sens_arena_release(&ctx.arena);
}

static void test_refused_memory_leaves_the_output_alone(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    struct sens_problem inner = {.type = sens_registry_baseline()->problems[0]}, counted = {.n = 42};
    struct sens_counts counts = {0};
    ctx.arena.fail_at = 1;
    assert_int_equal(sens_counted_create(&ctx, &inner, &counts, &counted), SENS_NO_MEMORY);
    assert_int_equal(counted.n, 42);
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted_problems_behave_as_the_wrapped_ones),
        cmocka_unit_test(test_threads_lose_no_count),
        cmocka_unit_test(test_refused_memory_leaves_the_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
