/* The derivatives of Rosenbrock steps: adjoint against tangent against differences of values; the same bits whatever is
 * kept; operations by their formula; bad ends. */
#include "stiff_support.h"

static const struct sens_tableau *const *pairs(void)
{
    return of_families(SENS_FAMILY_ROSENBROCK, SENS_FAMILY_ROSENBROCK);
}

/* ---- adjoint, tangent, values -------------------------------------------------------------------------- */

/* Rounding: a few hundred times that of a number; on robertson ten times as much, for what it grows to on the way. */
static void check_pair(const struct sens_tableau *tableau, const char *problem, const char *cost, double tol)
{
    struct method_bed bed;
    size_t count;
    bed_create(&bed, problem, cost, NULL);
    bed.task.tableau = tableau, bed.task.rtol = bed.task.atol = tol;
    sens_real *adjoint = check_tangent(&bed, 1e-12);
    check_checkpoints(&bed, 3, adjoint);
    bed.task.batch = 1;
    bed.task.lanes = 1;
    bed.task.threads = 2;
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    sens_real *alone = bed_gradient(&bed, &count);
    assert_true(relative_error(count, alone, adjoint) <= 1e-12);
    free(alone);
    free(adjoint);
    bed_free(&bed);
}

static void adjoint_equals_tangent_whatever_is_kept(void **state)
{
    (void)state;
    const char *const problem[] = {"robertson", "forced", "logistic", "chain", "oscillator", "decay"};
    for (size_t i = 0; pairs()[i]; i++)
        for (size_t k = 0; k < sizeof problem / sizeof *problem; k++) {
            const double tol = pairs()[i]->order < 3 ? 1e-3 : 1e-5;
            check_pair(pairs()[i], problem[k], "identity", tol);
            check_pair(pairs()[i], problem[k], "running", tol);
            check_pair(pairs()[i], problem[k], "tracking", tol);
        }
}

/* Robertson to 4e7 is as stiff as problems are: the longest steps are 1e13 times as long as its fastest part. Rounding
 * times what the derivative grows to on the way: 1e-9 of the largest entry. */
static void to_the_end_of_robertson(void **state)
{
    (void)state;
    for (size_t i = 0; pairs()[i]; i++) {
        struct method_bed bed;
        bed_create(&bed, "robertson", "identity", "T", 4e7, NULL);
        bed.task.tableau = pairs()[i];
        bed.task.rtol = 1e-5, bed.task.atol = 1e-9;
        free(check_tangent(&bed, 1e-9));
        const double total = bed.out.x[0] + bed.out.x[1] + bed.out.x[2] - 1;
        print_message("%s: %ld steps, %ld rejected\n", pairs()[i]->name, bed.work.steps, bed.work.rejects);
        assert_true(fabs(total) <= 1e-9); /* mass is kept by every linear step, to rounding */
        if (pairs()[i]->order > 2) assert_true(bed.work.steps < (pairs()[i]->order > 3 ? 300 : 500));
        bed_free(&bed);
    }
}

/* The second problem moves with t. */
static void frozen_differences(void **state)
{
    (void)state;
    const char *const problem[] = {"robertson", "forced", "logistic"};
    for (size_t i = 0; pairs()[i]; i++)
        for (size_t k = 0; k < sizeof problem / sizeof *problem; k++) {
            struct sens_work work;
            check_frozen(pairs()[i], problem[k], k == 2 ? "running" : "identity", &work);
        }
}

/* ---- operations ---------------------------------------------------------------------------------------- */

struct counts {
    long hvp, lanes, rhs_t;
};
static struct counts counted; /* of the calls below: a test's own */

static void counting_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                         const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    counted.hvp++, counted.lanes += (long)L;
    pr_hvp(pb, at, L, v, W, OUT, MU);
}

static void counting_rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    counted.rhs_t++;
    pr_rhs_t(pb, at, OUT);
}

/* In M equal steps of s stages, an adjoint in L lanes: M factorisations forwards and M in the sweep; M s solves
 * forwards and L M s in the sweep, with as many second derivatives; df/dt once a step. The solve is made twice, of
 * which the first only counts steps. */
static void operations_by_formula(void **state)
{
    (void)state;
    enum { STEPS = 16, LANES = 4 };
    for (size_t i = 0; pairs()[i]; i++) {
        struct method_bed bed;
        const long stages = pairs()[i]->stages;
        struct sens_problem_type type = prothero_robinson;
        type.hvp = counting_hvp;
        type.rhs_t = counting_rhs_t;
        create_stiff(&bed, &type, 2);
        fix_steps(&bed, pairs()[i], STEPS);
        bed.task.lanes = LANES;
        counted = (struct counts){.hvp = 0};
        assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
        assert_int_equal(bed.work.lanes, LANES);
        assert_int_equal(bed.work.factorisations, 2 * STEPS);
        assert_int_equal(bed.work.solves, STEPS * stages + LANES * STEPS * stages);
        assert_int_equal(bed.work.newton, 0);
        assert_int_equal(counted.hvp, STEPS * stages);
        assert_int_equal(counted.lanes, LANES * STEPS * stages);
        assert_int_equal(counted.rhs_t, 2 * STEPS);
        bed_free(&bed);
    }
}

/* ---- bad ends ------------------------------------------------------------------------------------------ */

static void a_singular_matrix_is_a_status(void **state)
{
    (void)state;
    check_singular(named(pairs(), "rodas4"));
}

static void nan_rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    (void)at;
    for (size_t q = 0; q < pb->n; q++) OUT[q] = NAN;
}

static void expect_refused(const struct sens_problem_type *type, const char *method, sens_status status,
                           const char *word)
{
    struct method_bed bed;
    create_stiff(&bed, type, 3);
    bed.task.tableau = named(pairs(), "rodas4");
    bed.task.max_steps = 1000;
    assert_int_equal(bed_run(&bed, method, NULL), status);
    if (!strstr(bed.ctx.message, word)) fail_msg("%s lacks '%s'", bed.ctx.message, word);
    bed_free(&bed);
}

/* What follows from a derivative that is no number, or that nobody has. */
static void what_is_missing_is_a_status(void **state)
{
    (void)state;
    struct sens_problem_type type = prothero_robinson;
    type.jvp = type.vjp = nan_product;
    expect_refused(&type, "discrete_adjoint", SENS_DIVERGED, "");
    type = prothero_robinson;
    type.rhs_t = nan_rhs_t;
    expect_refused(&type, "discrete_tangent", SENS_DIVERGED, "");
    type.rhs_t = NULL;
    expect_refused(&type, "finite_difference", SENS_UNSUPPORTED, "rhs_t");
    expect_refused(&type, "discrete_adjoint", SENS_UNSUPPORTED, "rhs_t");
    type = prothero_robinson;
    type.hvp = NULL;
    expect_refused(&type, "discrete_adjoint", SENS_UNSUPPORTED, "second derivatives");
    expect_refused(&type, "discrete_tangent", SENS_UNSUPPORTED, "second derivatives");
}

static void others_refuse(void **state)
{
    (void)state;
    check_others_refuse(named(pairs(), "rodas4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_equals_tangent_whatever_is_kept),
        cmocka_unit_test(to_the_end_of_robertson),
        cmocka_unit_test(frozen_differences),
        cmocka_unit_test(operations_by_formula),
        cmocka_unit_test(a_singular_matrix_is_a_status),
        cmocka_unit_test(what_is_missing_is_a_status),
        cmocka_unit_test(others_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
