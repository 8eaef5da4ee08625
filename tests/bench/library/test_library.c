/* The library as its users see it: values against closed forms, statuses with their sentences, what is there when, and
 * handles of several threads, whose results are those of one. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sens/sensbench.h"
#include "testing.h"

static struct sensbench *handle(const char *problem, const char *method)
{
    struct sensbench *sb = sensbench_create();
    assert_non_null(sb);
    assert_int_equal(sensbench_set(sb, "problem", problem), SENS_OK);
    assert_int_equal(sensbench_set(sb, "method", method), SENS_OK);
    return sb;
}

/* x' = -k x, x(0) = y0, at T = 2. */
static void check_decay(struct sensbench *sb, double k, double y0)
{
    size_t rows = 9, cols = 9;
    const double *x = sensbench_array(sb, "x", &rows, &cols);
    assert_non_null(x);
    assert_true(rows == 1 && cols == 1);
    assert_true(fabs(x[0] - y0 * exp(-2 * k)) < 1e-9);
    assert_true(sensbench_array(sb, "G", NULL, NULL)[0] == x[0]);
    const double *p = sensbench_array(sb, "dGdp", &rows, &cols),
                 *x0 = sensbench_array(sb, "dGdx0", NULL, NULL);
    assert_true(rows == 1 && cols == 1);
    assert_true(fabs(p[0] + 2 * y0 * exp(-2 * k)) < 1e-9 && fabs(x0[0] - exp(-2 * k)) < 1e-9);
}

static void test_values(void **state)
{
    (void)state;
    struct sensbench *sb = handle("decay", "discrete_adjoint");
    assert_int_equal(sensbench_set(sb, "tol", "1e-11"), SENS_OK);
    assert_int_equal(sensbench_set(sb, NULL, NULL), SENS_BAD_INPUT);
    assert_int_equal(sensbench_set_numbers(sb, NULL, 0, NULL), SENS_BAD_INPUT);
    assert_int_equal(sensbench_run(sb), SENS_OK);
    assert_string_equal(sensbench_message(sb), "");
    check_decay(sb, 1, 1);
    assert_true(sensbench_number(sb, "n") == 1 && sensbench_number(sb, "np") == 1 &&
                sensbench_number(sb, "t1") == 2);
    assert_true(sensbench_number(sb, "steps") > 5 && sensbench_number(sb, "n_rhs") > 30);
    assert_true(isnan(sensbench_number(sb, "nothing")) && isnan(sensbench_number(sb, "problem")));
    assert_string_equal(sensbench_name(sb, "p", 0), "k");
    assert_string_equal(sensbench_name(sb, "x", 0), "y0");
    assert_null(sensbench_name(sb, "p", 1));
    assert_null(sensbench_name(sb, "y", 0));

    double k = 0.75, y0 = 3;
    assert_int_equal(sensbench_set_numbers(sb, "p", 1, &k), SENS_OK);
    assert_int_equal(sensbench_set_numbers(sb, "x0", 1, &y0), SENS_OK);
    k = y0 = NAN; /* were copied */
    assert_int_equal(sensbench_run(sb), SENS_OK);
    check_decay(sb, 0.75, 3);
    assert_true(sensbench_array(sb, "p", NULL, NULL)[0] == 0.75 &&
                sensbench_array(sb, "x0", NULL, NULL)[0] == 3);
    assert_int_equal(sensbench_set_numbers(sb, "p", 0, NULL), SENS_OK);
    assert_int_equal(sensbench_set(sb, "y0", "2"), SENS_OK);
    assert_int_equal(sensbench_run(sb), SENS_OK);
    check_decay(sb, 1, 3); /* x0 stays before the option that sets it */
    sensbench_destroy(sb);
}

static void test_initial_state_of_parameters(void **state)
{
    (void)state;
    struct sensbench *sb = handle("initial", "cfsa");
    const double p[] = {0.5, 7, 9}; /* k a b: x(0) = (a, k b) */
    assert_int_equal(sensbench_set_numbers(sb, "p", 3, p), SENS_OK);
    assert_int_equal(sensbench_prepare(sb), SENS_OK);
    const double *x0 = sensbench_array(sb, "x0", NULL, NULL);
    assert_true(x0[0] == 7 && x0[1] == 4.5);
    assert_null(sensbench_array(sb, "x", NULL, NULL)); /* not run */
    assert_int_equal(sensbench_set_numbers(sb, "x0", 2, p), SENS_OK);
    assert_int_equal(sensbench_prepare(sb), SENS_BAD_INPUT);
    assert_non_null(strstr(sensbench_message(sb), "depends on its parameters"));
    sensbench_destroy(sb);
}

static void check_refused(struct sensbench *sb, sens_status status, const char *text)
{
    size_t rows = 9, cols = 9;
    assert_int_equal(sensbench_run(sb), status);
    assert_int_equal(sensbench_status(sb), status);
    if (!strstr(sensbench_message(sb), text)) fail_msg("'%s' has no '%s'", sensbench_message(sb), text);
    assert_null(sensbench_array(sb, "G", &rows, &cols));
    assert_true(rows == 0 && cols == 0);
    assert_true(isnan(sensbench_number(sb, "steps")));
}

/* Each mistake is told, and mended by the next setting. */
static void test_mistakes(void **state)
{
    (void)state;
    const double one[] = {1, 2, INFINITY};
    struct sensbench *sb = sensbench_create();
    assert_non_null(sb);
    assert_int_equal(sensbench_status(sb), SENS_OK);
    check_refused(sb, SENS_BAD_INPUT, "no problem given");
    assert_int_equal(sensbench_set(sb, "problem", "decai"), SENS_OK);
    check_refused(sb, SENS_BAD_INPUT, "did you mean decay");
    assert_int_equal(sensbench_set(sb, "problem", "decay"), SENS_OK);
    assert_int_equal(sensbench_set(sb, "method", "cfsa"), SENS_OK);
    assert_int_equal(sensbench_set(sb, "9", "1"), SENS_BAD_INPUT);
    assert_int_equal(sensbench_set(sb, "tol", ""), SENS_BAD_INPUT);
    assert_int_equal(sensbench_set(sb, "tol", "much"), SENS_OK);
    check_refused(sb, SENS_BAD_INPUT, "tol=much");
    assert_int_equal(sensbench_set(sb, "tol", NULL), SENS_OK);
    assert_int_equal(sensbench_set(sb, "never", NULL), SENS_OK);
    assert_int_equal(sensbench_set_numbers(sb, "q", 1, one), SENS_BAD_INPUT);
    assert_int_equal(sensbench_set_numbers(sb, "p", 3, one), SENS_BAD_INPUT);
    assert_int_equal(sensbench_set_numbers(sb, "p", 2, one), SENS_OK);
    check_refused(sb, SENS_BAD_INPUT, "p has 2 numbers, problem decay takes 1");
    assert_int_equal(sensbench_set_numbers(sb, "p", 0, NULL), SENS_OK);
    assert_int_equal(sensbench_set(sb, "max_steps", "2"), SENS_OK);
    check_refused(sb, SENS_STEP_LIMIT, "");
    assert_true(sensbench_message(sb)[0] != '\0');
    assert_int_equal(sensbench_set(sb, "product", "vjp"), SENS_OK);
    check_refused(sb, SENS_BAD_INPUT, "product");
    assert_int_equal(sensbench_set(sb, "product", NULL), SENS_OK);
    assert_int_equal(sensbench_set(sb, "max_steps", NULL), SENS_OK);
    assert_int_equal(sensbench_run(sb), SENS_OK);
    assert_int_equal(sensbench_load(sb, "/nowhere.ode"), SENS_BAD_INPUT);
    assert_non_null(strstr(sensbench_message(sb), "/nowhere.ode"));
    assert_int_equal(sensbench_load(sb, "/nowhere.so"), SENS_BAD_INPUT);
    assert_non_null(sensbench_array(sb, "G", NULL, NULL)); /* loading leaves results */
    sensbench_destroy(sb);
    sensbench_destroy(NULL);
}

/* Numbers are read with a point, and the caller's locale is what it was. */
static void test_locale(void **state)
{
    (void)state;
    locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
    if (comma == (locale_t)0) skip();
    const locale_t former = uselocale(comma);
    struct sensbench *sb = handle("decay", "cfsa");
    assert_int_equal(sensbench_set(sb, "k", "0.5"), SENS_OK);
    assert_int_equal(sensbench_set(sb, "tol", "1e-11"), SENS_OK);
    assert_int_equal(sensbench_run(sb), SENS_OK);
    check_decay(sb, 0.5, 1);
    assert_true(uselocale((locale_t)0) == comma);
    sensbench_destroy(sb);
    uselocale(former);
    freelocale(comma);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 6 };
static const char *const settings[THREADS][3] = {{"glv", "discrete_adjoint", "hand"},
                                                 {"vdp", "discrete_tangent", "tape"},
                                                 {"sir", "cfsa", "auto"},
                                                 {"glv", "cfsa_gsl", "auto"}};

struct job {
    const char *const *setting;
    double *dGdp;
    size_t count;
    bool same; /* in all rounds */
};

static bool job_round(struct job *job)
{
    struct sensbench *sb = sensbench_create();
    size_t rows = 0, cols = 0;
    const bool run = sb && sensbench_set(sb, "problem", job->setting[0]) == SENS_OK &&
                     sensbench_set(sb, "method", job->setting[1]) == SENS_OK &&
                     sensbench_set(sb, "vjp", job->setting[2]) == SENS_OK && sensbench_run(sb) == SENS_OK;
    const double *dGdp = run ? sensbench_array(sb, "dGdp", &rows, &cols) : NULL;
    bool same = dGdp && (!job->dGdp || rows * cols == job->count);
    if (same && !job->dGdp) {
        job->count = rows * cols;
        job->dGdp = malloc(job->count * sizeof *dGdp);
        if (job->dGdp) memcpy(job->dGdp, dGdp, job->count * sizeof *dGdp);
    }
    same = same && job->dGdp && memcmp(job->dGdp, dGdp, job->count * sizeof *dGdp) == 0;
    sensbench_destroy(sb);
    return same;
}

static void *do_job(void *of)
{
    struct job *job = of;
    job->same = true;
    for (int k = 0; k < ROUNDS; k++) job->same = job_round(job) && job->same;
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct job job[2 * THREADS];
    pthread_t thread[2 * THREADS];
    for (int k = 0; k < 2 * THREADS; k++) {
        job[k] = (struct job){.setting = settings[k % THREADS]};
        assert_int_equal(pthread_create(&thread[k], NULL, do_job, &job[k]), 0);
    }
    for (int k = 0; k < 2 * THREADS; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < 2 * THREADS; k++) {
        assert_true(job[k].same);
        assert_true(job[k].count == job[k % THREADS].count);
        assert_memory_equal(job[k].dGdp, job[k % THREADS].dGdp, job[k].count * sizeof *job[k].dGdp);
    }
    for (int k = 0; k < 2 * THREADS; k++) free(job[k].dGdp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), /* first: the tables of the process are not there yet */
        cmocka_unit_test(test_values),   cmocka_unit_test(test_initial_state_of_parameters),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
