/* vjp=fd: difference quotients against the problems' own products, and how many right-hand sides they take. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "providers.h"
#include "sens/decorate.h"
#include "testing.h"

enum { LANES = 2 };

/* ---- a problem whose right-hand sides are counted --------------------------------------------------------- */

struct counter {
    struct sens_decorated_problem room;
    long calls;
};

static sens_status counted_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    ((struct counter *)pb->data)->calls++;
    return pb->inner->type->rhs(pb->inner, at, dx);
}

static double *zeroed(size_t count)
{
    double *v = calloc(count + 1, sizeof *v);
    assert_non_null(v);
    return v;
}

static struct sens_problem created(struct sens_ctx *ctx, const char *name)
{
    const struct sens_problem_type *type = find_problem(variant_all()[0], name);
    struct sens_value *value = SENS_NEW(ctx, struct sens_value, sens_option_count(type->options));
    struct sens_problem pb;
    sens_option_defaults(type->options, value);
    assert_int_equal(sens_problem_create(ctx, type, value, &pb), SENS_OK);
    return pb;
}

static struct sens_problem by_differences(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    const struct sens_provider_request request = {pb, variant_all()[0], 1};
    struct sens_problem wrapped;
    assert_int_equal(find_provider("fd")->wrap(ctx, &request, &wrapped), SENS_OK);
    assert_null(wrapped.structure);
    return wrapped;
}

/* ---- products --------------------------------------------------------------------------------------------- */

/* Forward differences have errors of sqrt(epsilon) times second derivatives by first ones, and epsilon |f| by
 * the step: far below 1e-4 of the largest entry where no state is 0. */
static void assert_near(const double *got, const double *wanted, size_t count)
{
    double largest = 0;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(wanted[k]));
    for (size_t k = 0; k < count; k++)
        if (!(fabs(got[k] - wanted[k]) <= 1e-4 * largest))
            fail_msg("%zu: %g is not %g", k, got[k], wanted[k]);
}

static void check_problem(struct sens_ctx *ctx, const char *name)
{
    const struct sens_problem own = created(ctx, name), fd = by_differences(ctx, &own);
    const size_t n = own.n, np = own.np, all = (n > np ? n : np) * LANES;
    double *V = zeroed(all), *a = zeroed(all), *b = zeroed(all), *x = zeroed(n);
    const struct sens_at at = {own.t0, x, own.p};
    for (size_t i = 0; i < n; i++) x[i] = own.x0[i] + 0.1;
    for (size_t k = 0; k < n * LANES; k++) V[k] = sin(1.0 + (double)k);
    fd.type->vjp(&fd, &at, LANES, V, a);
    own.type->vjp(&own, &at, LANES, V, b);
    assert_near(a, b, n * LANES);
    fd.type->jvp(&fd, &at, LANES, V, a);
    own.type->jvp(&own, &at, LANES, V, b);
    assert_near(a, b, n * LANES);
    for (int k = 0; np && k < 2; k++) {
        const struct sens_problem *pb = k ? &own : &fd;
        double *out = k ? b : a;
        memset(out, 0, all * sizeof *out);
        pb->type->vjp_p_batch(pb, 1, &at.t, at.x, at.p, LANES, V, out);
    }
    if (np) assert_near(a, b, np * LANES);
    for (int k = 0; np && k < 2; k++) {
        const struct sens_problem *pb = k ? &own : &fd;
        memset(k ? b : a, 0, n * sizeof *a);
        pb->type->jvp_p_cols(pb, &at, np - 1, 1, k ? b : a);
    }
    if (np) assert_near(a, b, n);
    double *const all_memory[] = {V, a, b, x};
    for (size_t k = 0; k < 4; k++) free(all_memory[k]);
}

static void test_products(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    (void)state;
    for (const struct sens_problem_type *const *type = variant_all()[0]->problems; *type; type++)
        if ((*type)->vjp && (*type)->jvp) check_problem(&ctx, (*type)->name);
    sens_arena_release(&ctx.arena);
}

/* x0(p) without products of its own. */
static void test_initial_state(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    const struct sens_problem own = created(&ctx, "initial");
    struct sens_problem_type type = *own.type;
    struct sens_problem without = own;
    (void)state;
    type.x0_vjp = NULL, type.x0_jvp_cols = NULL;
    without.type = &type;
    const struct sens_problem fd = by_differences(&ctx, &without);
    const size_t n = own.n, np = own.np, all = (n > np ? n : np) * LANES;
    double *W = zeroed(all), *a = zeroed(all), *b = zeroed(all);
    for (size_t k = 0; k < n * LANES; k++) W[k] = sin(1.0 + (double)k);
    fd.type->x0_vjp(&fd, own.p, LANES, W, a);
    own.type->x0_vjp(&own, own.p, LANES, W, b);
    assert_near(a, b, np * LANES);
    memset(a, 0, all * sizeof *a), memset(b, 0, all * sizeof *b);
    fd.type->x0_jvp_cols(&fd, own.p, 0, LANES, a);
    own.type->x0_jvp_cols(&own, own.p, 0, LANES, b);
    assert_near(a, b, n * LANES);
    free(W), free(a), free(b);
    sens_arena_release(&ctx.arena);
}

/* The five-point stencil takes a handful of groups, whatever the grid; without its pattern each state one. What is
 * counted is not recorded: it is a decorated problem. */
static void test_groups(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    const struct sens_problem own = created(&ctx, "heat");
    struct counter *counter = SENS_NEW(&ctx, struct counter, 1);
    struct sens_problem counted;
    const struct sens_problem_decoration with = {.type = {.rhs = counted_rhs}};
    (void)state;
    sens_problem_decorate(&own, &with, counter, &counter->room, &counted);
    struct sens_problem plain = by_differences(&ctx, &counted), grouped = by_differences(&ctx, &own);
    grouped.inner = &counted;
    const struct sens_at at = {own.t0, own.x0, own.p};
    double *V = zeroed(own.n), *a = zeroed(own.n);
    counter->calls = 0;
    plain.type->vjp(&plain, &at, 1, V, a);
    assert_int_equal(counter->calls, 1 + (long)own.n);
    counter->calls = 0;
    grouped.type->vjp(&grouped, &at, 1, V, a);
    assert_in_range(counter->calls, 6, 10);
    free(V);
    free(a);
    sens_arena_release(&ctx.arena);
}

/* ---- what explicit steps make of the errors -------------------------------------------------------------------- */

static double norm(size_t n, const double *v)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) square += v[i] * v[i];
    return sqrt(square);
}

/* The largest |v| / |v at the beginning| over explicit Euler steps v += dt J v, J by hand. */
static double growth(const struct sens_problem *own, const struct sens_at *at, double dt, double *v)
{
    const double before = norm(own->n, v);
    double *slope = zeroed(own->n), largest = 1;
    for (int step = 0; step < 20; step++) {
        own->type->jvp(own, at, 1, v, slope);
        for (size_t i = 0; i < own->n; i++) v[i] += dt * slope[i];
        largest = fmax(largest, norm(own->n, v) / before);
    }
    free(slope);
    return largest;
}

/* Of heat (n = 10) the state and df/dalpha are the smoothest mode, the error of a quotient is noise, of all modes.
 * f is linear in alpha: that noise is the rounding of f, 4 alpha n^2 |u| epsilon, by the step sqrt(epsilon) alpha, in
 * all below 1e-6 of f. Steps inside of the stability domain (dt times the largest eigenvalue 780: 0.8) damp it;
 * outside (6.2) they leave the mode alone and multiply the noise. */
static void test_noise_and_growth(void **state)
{
    struct sens_ctx ctx = {.now = NULL};
    const struct sens_problem own = created(&ctx, "heat"), fd = by_differences(&ctx, &own);
    const struct sens_at at = {own.t0, own.x0, own.p};
    double *mode = zeroed(own.n), *error = zeroed(own.n), *again = zeroed(own.n);
    (void)state;
    own.type->jvp_p_cols(&own, &at, 0, 1, mode);
    fd.type->jvp_p_cols(&fd, &at, 0, 1, error);
    for (size_t i = 0; i < own.n; i++) again[i] = error[i] -= mode[i];
    assert_true(norm(own.n, error) > 0);
    assert_true(norm(own.n, error) <= 1e-6 * norm(own.n, mode));
    assert_true(growth(&own, &at, 1e-3, error) <= 1);
    assert_true(growth(&own, &at, 8e-3, again) >= 1e9);
    assert_true(growth(&own, &at, 8e-3, mode) <= 1);
    free(mode);
    free(error);
    free(again);
    sens_arena_release(&ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_initial_state),
                                       cmocka_unit_test(test_noise_and_growth)};
    if (!providers_add(derive_providers)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
