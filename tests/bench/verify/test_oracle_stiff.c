/* The truth of stiff problems by implicit steps, against numbers computed in quadruple precision, and within
 * the uncertainty that it states. */
#include <string.h>

#include "oracle_run.h"
#include "scene.h"
#include "testing.h"

struct known { /* entry k of x, or of column 0 of dx/dp */
    double x, dp;
};

/* The truth of the problem's default instance with the state as its cost, next to what is known. */
static void compare(const char *name, size_t n, const struct known *known)
{
    const struct sens_registry *reg = sens_registry_baseline();
    const struct sens_problem_type *const *type = reg->problems;
    struct verify v = {.reg = reg, .rng = gsl_rng_alloc(gsl_rng_mt19937)};
    struct instance instance;
    struct sens_cost cost;
    struct bed bed;
    struct sens_out truth, unsure;
    while (*type && strcmp((*type)->name, name) != 0) type++;
    assert_non_null(*type);
    assert_non_null(v.rng);
    assert_true(instance_create(&v, *type, 0, &instance));
    assert_int_equal(instance.problem.n, n);
    scene_state_cost(&v, &instance.problem, &cost);
    bed_create(&v, &instance.problem, &cost, reg->methods[0], &bed);
    assert_int_equal(oracle_stiff_truth(&bed, &truth, &unsure), SENS_OK);
    for (size_t i = 0; i < n; i++) {
        const size_t entry = i * instance.problem.np;
        if (!(fabs(truth.x[i] - known[i].x) <= unsure.x[i] + 2 * DBL_EPSILON * fabs(known[i].x)) ||
            !(fabs(truth.dGdp[entry] - known[i].dp) <= unsure.dGdp[entry]) || !(unsure.x[i] <= 1e-10) ||
            !(unsure.dGdp[entry] <= 1e-9))
            fail_msg("%s, component %zu: x %.17g +- %.2g, known %.17g; dx/dp %.17g +- %.2g, known %.17g",
                     name, i, truth.x[i], unsure.x[i], known[i].x, truth.dGdp[entry], unsure.dGdp[entry],
                     known[i].dp);
    }
    bed_free(&bed);
    gsl_rng_free(v.rng);
    sens_arena_release(&v.ctx.arena);
}

static void robertson_is_right(void **state)
{
    static const struct known known[] = {{.985172113860989862415, -.355952565982855567250},
                                         {3.38639537897490413645e-5, 3.90254405381821853582e-4},
                                         {.0147940221852203885436, .355562311577473745396}};
    (void)state;
    compare("robertson", 3, known);
}

static void vdp_is_right(void **state)
{
    static const struct known known[] = {{1.59698077865970440110, .211577765778018940156},
                                         {-1.02910301587870790455, 1.28208465605032422474}};
    (void)state;
    compare("vdp", 2, known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(robertson_is_right), cmocka_unit_test(vdp_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
