/* Every instruction-set variant computes the same: to rounding, and bit for bit when built without
 * contraction. */
#include <math.h>
#include <string.h>

#include "cell.h"
#include "modules.h"
#include "testing.h"

enum { GRADIENT = 4096 };

struct result {
    size_t count;
    double gradient[GRADIENT];
};

static void set(struct spec *spec, const char *key, const char *value)
{
    struct bench_error error;
    if (!spec_set(spec, key, value, "test", &error)) fail_msg("%s", error.text);
}

static void solve(const char *problem, const char *method, const char *isa, struct result *result)
{
    struct spec spec = {.count = 0};
    struct sens_ctx ctx = {.now = NULL};
    struct bench_error error;
    struct cell cell;
    struct sens_out out;
    struct sens_work work;
    void *state = NULL;
    set(&spec, "problem", problem);
    set(&spec, "method", method);
    set(&spec, "isa", isa);
    if (cell_resolve(&ctx, &spec, &cell, &error) != SENS_OK) fail_msg("%s", error.text);
    assert_int_equal(cell_out_create(&ctx, &cell, &out), SENS_OK);
    assert_int_equal(cell.method->prepare(&ctx, &cell.task, &state), SENS_OK);
    assert_int_equal(cell.method->run(&ctx, state, &out, &work), SENS_OK);
    if (cell.method->release) cell.method->release(state);
    const size_t p = cell.cost.m * cell.problem.np, x = cell.cost.m * cell.problem.n;
    result->count = p + x;
    assert_true(result->count <= GRADIENT);
    memcpy(result->gradient, out.dGdp, p * sizeof(double));
    memcpy(result->gradient + p, out.dGdx0, x * sizeof(double));
    sens_arena_release(&ctx.arena);
    spec_free(&spec);
}

static void compare(const char *problem, const char *method, const char *isa)
{
    static struct result baseline, other;
    solve(problem, method, "baseline", &baseline);
    solve(problem, method, isa, &other);
    assert_int_equal(baseline.count, other.count);
#ifdef SENS_TEST_REPRO
    if (memcmp(baseline.gradient, other.gradient, other.count * sizeof(double)) != 0)
        fail_msg("%s, %s: %s differs from baseline in bits", problem, method, isa);
#endif
    double difference = 0, size = 0;
    for (size_t i = 0; i < other.count; i++) {
        difference = fmax(difference, fabs(baseline.gradient[i] - other.gradient[i]));
        size = fmax(size, fabs(baseline.gradient[i]));
    }
    /* Contraction changes single roundings, and with them the accepted steps in their last digits: the
     * gradient of the discrete map moves by no more than its truncation error, about tol = 1e-6 of a
     * well-conditioned problem. */
    if (!(difference <= 1e-5 * size))
        fail_msg("%s, %s: %s is off by %g", problem, method, isa, difference / size);
}

static void every_variant_agrees(void **state)
{
    (void)state;
    const char *const problem[] = {"glv", "forced", "oscillator", "logistic"};
    const char *const method[] = {"discrete_adjoint", "discrete_tangent", "cfsa", "casa_dense"};
    for (size_t v = 0; variant_all()[v]; v++) {
        if (!variant_supported(variant_all()[v])) continue;
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++) compare(problem[i], method[j], variant_all()[v]->isa);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
