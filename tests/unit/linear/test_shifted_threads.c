/* methods/linear: systems factored and solved by several threads at once, against each alone. */
#include <pthread.h>

#include "linear_support.h"
#include "shifted.h"

enum { CALLERS = 3, SIDE = 90, ROUNDS = 200 };

struct caller {
    pthread_t thread;
    struct sens_shifted *shifted;
    const double *value; /* [SIDE][SIDE] of J */
    size_t parts;        /* of a number: 2, it is complex */
    double X[2 * SIDE], first[2 * SIDE];
    long wrong; /* rounds that differ from the first solve, which was made alone */
};

static void solve_once(struct caller *caller, double *X)
{
    const struct sens_shift shift = {1, 0.05, caller->parts == 2 ? 0.5 : 0};
    for (size_t q = 0; q < caller->parts * SIDE; q++) X[q] = sin((double)q + 1);
    assert_int_equal(sens_shifted_factor(caller->shifted, shift, caller->value), SENS_OK);
    sens_shifted_solve(caller->shifted, false, 1, X);
}

static void *solve_often(void *one)
{
    struct caller *caller = one;
    for (int round = 0; round < ROUNDS; round++) {
        solve_once(caller, caller->X);
        if (memcmp(caller->X, caller->first, caller->parts * SIDE * sizeof *caller->X) != 0) caller->wrong++;
    }
    return NULL;
}

static void check_callers(size_t parts)
{
    struct caller caller[CALLERS] = {{.wrong = 0}};
    struct sens_ctx ctx = {.now = NULL};
    double *value = malloc(sizeof *value * SIDE * SIDE);
    assert_non_null(value);
    for (size_t q = 0; q < SIDE * SIDE; q++) value[q] = cos((double)(q * q % 1009));
    sens_status status = SENS_OK;
    for (int c = 0; c < CALLERS && status == SENS_OK; c++) {
        caller[c].value = value, caller[c].parts = parts;
        status = parts == 2
                     ? sens_shifted_create_complex(&ctx, SIDE, NULL, SENS_KERNEL_LAPACK, &caller[c].shifted)
                     : sens_shifted_create(&ctx, SIDE, NULL, SENS_KERNEL_LAPACK, &caller[c].shifted);
        if (status == SENS_OK) solve_once(&caller[c], caller[c].first);
    }
    for (int c = 0; c < CALLERS && status == SENS_OK; c++)
        assert_int_equal(pthread_create(&caller[c].thread, NULL, solve_often, &caller[c]), 0);
    for (int c = 0; c < CALLERS && status == SENS_OK; c++) pthread_join(caller[c].thread, NULL);
    for (int c = 0; c < CALLERS; c++) {
        assert_int_equal(caller[c].wrong, 0);
        sens_shifted_release(caller[c].shifted);
    }
    free(value);
    sens_arena_release(&ctx.arena);
    if (status == SENS_UNAVAILABLE) skip();
    assert_int_equal(status, SENS_OK);
}

/* A BLAS that keeps a buffer of its own gives each thread the numbers of another. */
static void test_threads(void **state)
{
    (void)state;
    check_callers(1);
    check_callers(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("shifted threads", tests, NULL, NULL);
}
