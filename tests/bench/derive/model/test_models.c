/* problems/models: each file can be written out and says where it is from. Those whose publication prints the state
 * at the end are compared with it by verify; of the clock it prints the period, which GSL finds here. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#include "model.h"
#include "modules.h"
#include "testing.h"
#include "variants.h"

static struct model *read_model(const char *name)
{
    char path[256];
    struct bench_error error = {.text = ""};
    snprintf(path, sizeof path, "problems/models/%s", name);
    struct model *model = model_read(path, &error);
    if (!model || !model_check(model, &error)) fail_msg("%s", error.text);
    return model;
}

static int is_model(const struct dirent *entry)
{
    return strlen(entry->d_name) > 4 && strcmp(entry->d_name + strlen(entry->d_name) - 4, ".ode") == 0;
}

static void each_model(void (*look)(const struct model *model))
{
    struct dirent **entry;
    const int count = scandir("problems/models", &entry, is_model, alphasort);
    assert_true(count >= 8);
    for (int k = 0; k < count; k++) {
        struct model *model = read_model(entry[k]->d_name);
        look(model);
        model_destroy(model);
        free(entry[k]);
    }
    free(entry);
}

/* ---- as they stand -------------------------------------------------------------------------------------- */

static void has_a_source(const struct model *model)
{
    assert_true(strlen(model->syntax.summary) > 10);
    assert_true(strlen(model->syntax.source) > 20);
    assert_true(model->syntax.costs > 0);
}

static void test_sources(void **state)
{
    (void)state;
    each_model(has_a_source);
}

/* ---- as GSL solves them --------------------------------------------------------------------------------- */

static int slope(double t, const double x[], double dx[], void *problem)
{
    const struct sens_problem *pb = problem;
    return pb->type->rhs(pb, &(struct sens_at){t, x, pb->p}, dx) == SENS_OK ? GSL_SUCCESS : GSL_EBADFUNC;
}

struct solution {
    struct sens_ctx ctx;
    struct sens_problem_type type;
    struct sens_problem problem;
    struct sens_value value[256];
    double x[20];
};

static void create(const struct model *model, struct solution *made)
{
    *made = (struct solution){.ctx = {.message = ""}};
    model_type(model, variant_all()[0]->written, &made->type);
    sens_option_defaults(made->type.options, made->value);
    assert_int_equal(sens_problem_create(&made->ctx, &made->type, made->value, &made->problem), SENS_OK);
    assert_true(made->problem.n <= 20);
    memcpy(made->x, made->problem.x0, made->problem.n * sizeof *made->x);
}

/* ---- the period of the clock ---------------------------------------------------------------------------- */

/* The next time at which the first state passes `level` upwards, by a straight line between points. */
static double next_rise(gsl_odeiv2_driver *driver, struct solution *made, double *t, double level)
{
    const double step = 1e-3;
    for (;;) {
        const double before = made->x[0];
        assert_int_equal(gsl_odeiv2_driver_apply(driver, t, *t + step, made->x), GSL_SUCCESS);
        if (before < level && made->x[0] >= level)
            return *t - step * (made->x[0] - level) / (made->x[0] - before);
    }
}

/* Leloup and Goldbeter print 24.135 h. */
static void test_period_of_the_clock(void **state)
{
    struct solution made;
    struct model *model = read_model("clock.ode");
    (void)state;
    create(model, &made);
    made.problem.t1 = 1200; /* the start is forgotten: the cycle attracts */
    gsl_odeiv2_system system = {slope, NULL, made.problem.n, &made.problem}; /* explicit */
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, 1e-9, 1e-9);
    double t = 0;
    assert_non_null(driver);
    assert_int_equal(gsl_odeiv2_driver_apply(driver, &t, made.problem.t1, made.x), GSL_SUCCESS);
    const double first = next_rise(driver, &made, &t, 1), second = next_rise(driver, &made, &t, 1);
    if (!(fabs(second - first - 24.135) <= 0.0005)) fail_msg("a period of %.6f h", second - first);
    gsl_odeiv2_driver_free(driver);
    sens_arena_release(&made.ctx.arena);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_period_of_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
