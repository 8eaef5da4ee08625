/* Directions that go along with the state through implicit steps (rk/along.h): cfsa by every implicit tableau,
 * and the tangent in the error test of the discrete methods. Outside the test they are the discrete tangent, which
 * takes its steps afterwards, with factors of its own; inside, the derivative is as good as the tolerance where the
 * state says nothing of it. */
#include "stiff_support.h"

enum { INSIDE, OUTSIDE };

/* With an estimate, and for problems without a split. */
static bool chooses_steps(const struct sens_tableau *tb)
{
    return (tb->e || tb->family == SENS_FAMILY_SWITCHED) && !tb->a_explicit;
}

static const struct sens_tableau *const *implicit(void)
{
    return sens_registry_baseline()->implicit_tableaux;
}

static void create_robertson(struct method_bed *bed, const struct sens_tableau *tb)
{
    bed_create(bed, "robertson", "running", "T", 40.0, NULL);
    bed->task.tableau = tb;
    bed->task.rtol = 1e-5, bed->task.atol = 1e-9;
}

/* ---- outside the test ---------------------------------------------------------------------------------- */

static void check_outside(struct method_bed *bed, double bound)
{
    const struct bed_solved tangent = bed_solved(bed, "discrete_tangent", "sens_test", OUTSIDE);
    const struct bed_solved along = bed_solved(bed, "cfsa", "sens_test", OUTSIDE);
    const double error = relative_error(along.count, along.gradient, tangent.gradient);
    assert_int_equal(along.work.steps, tangent.work.steps);
    assert_int_equal(along.work.rejects, tangent.work.rejects);
    assert_int_equal(along.work.steps_implicit, tangent.work.steps_implicit);
    if (!(error <= bound))
        fail_msg("%s, %s, %s: %g from the tangent", bed->task.tableau->name, bed->problem.type->name,
                 bed->cost.type->name, error);
    free(tangent.gradient), free(along.gradient);
}

/* A first trial over the whole interval, so that some are rejected, with all that they added to the cost. At most
 * 3e-14 was met. */
static void outside_is_the_discrete_tangent(void **state)
{
    (void)state;
    enum { SECOND = 4 }; /* have the second derivatives that Rosenbrock's tangent takes */
    static const char *const problem[] = {"logistic", "oscillator", "forced", "chain", "glv", "initial"};
    static const char *const cost[] = {"identity", "running", "tracking"};
    for (size_t i = 0; implicit()[i]; i++)
        for (size_t q = 0; q < (implicit()[i]->family == SENS_FAMILY_ROSENBROCK ? SECOND : 6); q++)
            for (size_t c = 0; c < 3 && chooses_steps(implicit()[i]); c++) {
                struct method_bed bed;
                bed_create(&bed, problem[q], cost[c], NULL);
                bed.task.tableau = implicit()[i];
                bed.task.rtol = bed.task.atol = implicit()[i]->order < 3 ? 1e-3 : 1e-5;
                bed.task.dt = bed.problem.t1 - bed.problem.t0;
                check_outside(&bed, 1e-12);
                bed_free(&bed);
            }
}

/* Rounding of the states' differences, h |J| times as large: at most 2e-12 was met. With `auto`, both parts. */
static void outside_on_a_stiff_problem(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        struct method_bed bed;
        if (!chooses_steps(implicit()[i]) || implicit()[i]->order < 3) continue;
        create_robertson(&bed, implicit()[i]);
        check_outside(&bed, 1e-11);
        if (implicit()[i]->family == SENS_FAMILY_SWITCHED)
            assert_true(bed.work.steps_implicit > 0 && bed.work.steps_implicit < bed.work.steps);
        bed_free(&bed);
    }
}

static void fixed_steps_are_the_discrete_tangent(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        struct method_bed bed;
        if (implicit()[i]->family == SENS_FAMILY_SWITCHED || implicit()[i]->a_explicit) continue;
        bed_create(&bed, "forced", "running", NULL);
        fix_steps(&bed, implicit()[i], 32);
        check_outside(&bed, 1e-13);
        bed_free(&bed);
    }
}

/* One matrix a trial serves state and directions: fewer factorisations than the tangent makes afterwards. */
static void one_matrix_serves_all(void **state)
{
    (void)state;
    static const char *const tableau[] = {"sdirk4a", "kvaerno54", "radau_iia5", "rodas4"};
    for (size_t i = 0; i < 4; i++) {
        struct method_bed bed;
        bed_create(&bed, "oscillator", "identity", NULL);
        bed.task.tableau = named(implicit(), tableau[i]);
        const struct bed_solved tangent = bed_solved(&bed, "discrete_tangent", "sens_test", OUTSIDE);
        const struct bed_solved along = bed_solved(&bed, "cfsa", "sens_test", OUTSIDE);
        const long trials = along.work.steps + along.work.rejects;
        const long a_trial = bed.task.tableau->family == SENS_FAMILY_FIRK ? 2 : 1;
        assert_true(along.work.factorisations <= a_trial * trials);
        assert_true(along.work.factorisations < tangent.work.factorisations);
        assert_true(along.work.kept >= a_trial * trials);
        free(tangent.gradient), free(along.gradient);
        bed_free(&bed);
    }
}

/* ---- inside the test ----------------------------------------------------------------------------------- */

/* x = 0, whatever the step: the state alone takes the longest that the controller lets it take. */
static double error_at_rest(const struct sens_tableau *tb, const char *method, int test, long *steps)
{
    struct method_bed bed;
    double x[2], S[4], exact[4];
    size_t count;
    bed_create(&bed, "oscillator", "identity", "position", 0.0, "velocity", 0.0, "T", 20.0, NULL);
    bed.task.tableau = tb;
    bed.task.rtol = bed.task.atol = tb->order < 3 ? 1e-4 : 1e-8;
    const sens_status status = bed_run(&bed, method, "sens_test", (double)test, NULL);
    if (status != SENS_OK) fail_msg("%s, %s: %s", tb->name, method, bed.ctx.message);
    *steps = bed.work.steps;
    const struct sens_exact_query query = {SENS_EXACT_ODE, bed.problem.t1, NULL, 0};
    assert_true(bed.problem.type->exact(&bed.problem, &query, bed.problem.p, x, S, exact));
    double *const gradient = bed_gradient(&bed, &count); /* dG/dp = 0, then dG/dx0 */
    const double error = relative_error(4, gradient + 4, exact);
    free(gradient);
    bed_free(&bed);
    return error;
}

/* Local errors of the tolerance on a solution that is damped from 1 to 0.07, of some hundred to thousand steps. */
static void the_derivative_chooses_steps_where_the_state_is_at_rest(void **state)
{
    (void)state;
    static const char *const method[] = {"cfsa", "discrete_tangent", "discrete_adjoint"};
    for (size_t i = 0; implicit()[i]; i++)
        for (size_t k = 0; k < 3 && chooses_steps(implicit()[i]); k++) {
            const struct sens_tableau *const tb = implicit()[i];
            const double bound = tb->order < 3 ? 0.1 : 1e-5;
            long alone, tested;
            const double off = error_at_rest(tb, method[k], OUTSIDE, &alone);
            const double error = error_at_rest(tb, method[k], INSIDE, &tested);
            if (!(tested > 3 * alone && off > 10 * bound && error < bound))
                fail_msg("%s, %s: %ld steps and an error of %g, with the test %ld and %g", tb->name,
                         method[k], alone, off, tested, error);
        }
}

/* The directions of the test see what the adjoint's own directions do: its steps are the tangent's, kept and
 * recomputed. */
static void adjoint_and_tangent_see_the_same_steps(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        struct method_bed bed;
        if (!chooses_steps(implicit()[i]) || implicit()[i]->order < 3) continue;
        create_robertson(&bed, implicit()[i]);
        const struct bed_solved tangent = bed_solved(&bed, "discrete_tangent", "sens_test", INSIDE);
        const struct bed_solved outside = bed_solved(&bed, "discrete_adjoint", "sens_test", OUTSIDE);
        for (long every = 0; every <= 7; every += 7) {
            bed.task.ckpt = bed_every(&bed, every);
            const struct bed_solved adjoint = bed_solved(&bed, "discrete_adjoint", "sens_test", INSIDE);
            const double error = relative_error(adjoint.count, adjoint.gradient, tangent.gradient);
            assert_int_equal(adjoint.work.steps, tangent.work.steps);
            /* 3 to 4 times as many; 9 and more with estimates that are not filtered. */
            assert_in_range(adjoint.work.steps, outside.work.steps + 1, 6 * outside.work.steps);
            if (!(error <= 1e-11)) fail_msg("%s: %g from the tangent", bed.task.tableau->name, error);
            free(adjoint.gradient);
        }
        free(tangent.gradient), free(outside.gradient);
        bed_free(&bed);
    }
}

/* y' = a(t) y from y(0) = 1: dy/dy0 is y, and so are its estimates: no step changes. */
static void a_direction_that_is_the_state_has_its_estimates(void **state)
{
    (void)state;
    static const char *const problem[] = {"decay", "forced"};
    for (size_t i = 0; implicit()[i]; i++)
        for (size_t q = 0; q < 2 && chooses_steps(implicit()[i]); q++) {
            struct method_bed bed;
            bed_create(&bed, problem[q], "identity", "y0", 1.0, NULL);
            bed.task.tableau = implicit()[i];
            bed.task.rtol = bed.task.atol = 1e-5;
            bed.task.parts = SENS_IN_DGDX0;
            const struct bed_solved alone = bed_solved(&bed, "cfsa", "sens_test", OUTSIDE);
            const struct bed_solved tested = bed_solved(&bed, "cfsa", "sens_test", INSIDE);
            if (tested.work.steps != alone.work.steps || tested.work.rejects != alone.work.rejects)
                fail_msg("%s, %s: %ld steps and %ld rejected, %ld and %ld without a direction",
                         implicit()[i]->name, problem[q], tested.work.steps, tested.work.rejects,
                         alone.work.steps, alone.work.rejects);
            free(alone.gradient), free(tested.gradient);
            bed_free(&bed);
        }
}

/* The error norm is one of components, however these are cut into blocks: rounding apart, so are the steps. */
static void blocks_do_not_change_the_norm(void **state)
{
    (void)state;
    static const char *const tableau[] = {"kvaerno43", "radau_ia5", "rodas4", "auto"};
    static const int lanes[] = {1, 3, 8, 16, 100};
    for (size_t i = 0; i < 4; i++) {
        struct method_bed bed;
        struct bed_solved first = {.gradient = NULL};
        bed_create(&bed, "chain", "identity", NULL);
        bed.task.tableau = named(implicit(), tableau[i]);
        for (size_t l = 0; l < 5; l++) {
            bed.task.lanes = lanes[l];
            const struct bed_solved one = bed_solved(&bed, "cfsa", "sens_test", INSIDE);
            if (l == 0) {
                first = one;
                continue;
            }
            const double error = relative_error(one.count, one.gradient, first.gradient);
            assert_int_equal(one.work.steps, first.work.steps);
            if (!(error < 1e-12)) fail_msg("%s, lanes %d: %g", tableau[i], lanes[l], error);
            free(one.gradient);
        }
        free(first.gradient);
        bed_free(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_is_the_discrete_tangent),
        cmocka_unit_test(outside_on_a_stiff_problem),
        cmocka_unit_test(fixed_steps_are_the_discrete_tangent),
        cmocka_unit_test(one_matrix_serves_all),
        cmocka_unit_test(the_derivative_chooses_steps_where_the_state_is_at_rest),
        cmocka_unit_test(adjoint_and_tangent_see_the_same_steps),
        cmocka_unit_test(a_direction_that_is_the_state_has_its_estimates),
        cmocka_unit_test(blocks_do_not_change_the_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
