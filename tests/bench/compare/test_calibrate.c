/* The search for the loosest tolerance that reaches an error: on errors that fall evenly, wander, fail,
 * stagnate. */
#include <math.h>
#include <time.h>

#include "compare.h"
#include "testing.h"

/* The error of each rung, as a table; how often each was tried. */
struct ladder {
    double error[RUNG_TIGHTEST + 1];
    int tries[RUNG_TIGHTEST + 1];
    sens_status status; /* of a try */
    double seconds;     /* that it takes */
    int slow_rung;      /* the one that takes longer, by slow_seconds; 0: none */
    double slow_seconds;
};
static struct ladder ladder;
static struct calibration found;

static sens_status achieve(void *self, int rung, double *error)
{
    struct ladder *me = self;
    assert_true(rung >= RUNG_LOOSEST && rung <= RUNG_TIGHTEST);
    assert_int_equal(me->tries[rung]++, 0); /* none twice */
    const double seconds = me->seconds + (rung == me->slow_rung ? me->slow_seconds : 0);
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
    *error = me->error[rung];
    return me->status;
}

/* error = 10 tol */
static void make_even(void)
{
    ladder = (struct ladder){.status = SENS_OK};
    for (int rung = RUNG_LOOSEST; rung <= RUNG_TIGHTEST; rung++) ladder.error[rung] = pow(10, 1 - rung / 4.0);
}

static sens_status calibrate(double target, double seconds)
{
    const struct calibration_subject subject = {achieve, &ladder, seconds};
    return compare_calibrate(&subject, target, &found);
}

/* What any search has to say: the loosest one of the stretch, none wasted. */
static void even_errors(void **state)
{
    (void)state;
    for (int wanted = RUNG_LOOSEST; wanted < RUNG_TIGHTEST; wanted++) {
        make_even();
        assert_int_equal(calibrate(1.01 * ladder.error[wanted], 0), SENS_OK);
        assert_int_equal(found.rung, wanted);
        assert_true(found.error == ladder.error[wanted] && found.best <= found.error);
        const int decades = (wanted - RUNG_LOOSEST + RUNGS_A_DECADE - 1) / RUNGS_A_DECADE + 1;
        assert_true(found.tried <= decades + RUNGS_A_DECADE);
    }
}

static void luck_does_not_count(void **state)
{
    (void)state;
    make_even();
    ladder.error[16] = 1e-9; /* tol = 1e-4; the next has 5.6e-4 */
    assert_int_equal(calibrate(1.01e-6, 0), SENS_OK);
    assert_int_equal(found.rung, 28); /* tol = 1e-7 */
    make_even();
    for (int rung = 20; rung <= RUNG_TIGHTEST; rung++) ladder.error[rung] = 1e-4; /* a floor */
    ladder.error[24] = 1e-9;
    assert_int_equal(calibrate(1e-6, 0), SENS_OK);
    assert_int_equal(found.rung, -1);
    assert_int_equal(found.best_rung, 24);
}

/* A gap ends the way back up: 26 is above, so that 25, which is within, is not taken. */
static void gaps_are_not_jumped(void **state)
{
    (void)state;
    make_even();
    ladder.error[25] = 1e-8;
    ladder.error[26] = 1e-3;
    ladder.error[27] = 1e-8;
    assert_int_equal(calibrate(1.01e-6, 0), SENS_OK);
    assert_int_equal(found.rung, 27);
    assert_int_equal(ladder.tries[25], 0);
}

static void failures_are_passed_over(void **state)
{
    (void)state;
    make_even();
    for (int rung = RUNG_LOOSEST; rung < 24; rung++) ladder.error[rung] = NAN; /* diverged */
    assert_int_equal(calibrate(1e-2, 0), SENS_OK);
    assert_int_equal(found.rung, 24);
    make_even();
    for (int rung = 29; rung <= RUNG_TIGHTEST; rung++) ladder.error[rung] = NAN; /* too many steps */
    assert_int_equal(calibrate(1.01e-6, 0), SENS_OK);
    assert_int_equal(found.rung, 28);
}

static void a_floor_is_not_reached(void **state)
{
    (void)state;
    make_even();
    for (int rung = 33; rung <= RUNG_TIGHTEST; rung++) ladder.error[rung] = 3e-8 * (1 + rung);
    ladder.error[40] = 2e-8;
    assert_int_equal(calibrate(1e-8, 0), SENS_OK);
    assert_int_equal(found.rung, -1);
    assert_int_equal(found.best_rung, 40);
    assert_true(found.best == 2e-8 && isnan(found.error) && !found.stopped);
    for (int rung = RUNG_LOOSEST; rung <= RUNG_TIGHTEST; rung++) ladder.error[rung] = NAN;
    for (int rung = RUNG_LOOSEST; rung <= RUNG_TIGHTEST; rung++) ladder.tries[rung] = 0;
    assert_int_equal(calibrate(1e-8, 0), SENS_OK);
    assert_true(found.rung == -1 && found.best_rung == -1 && isnan(found.best));
}

static void what_is_hopeless_is_not_tried_again(void **state)
{
    (void)state;
    make_even();
    ladder.status = SENS_UNSUPPORTED;
    assert_int_equal(calibrate(1e-8, 0), SENS_UNSUPPORTED);
    assert_int_equal(found.rung, -1);
    assert_int_equal(ladder.tries[RUNG_LOOSEST], 1);
    assert_int_equal(ladder.tries[RUNG_LOOSEST + RUNGS_A_DECADE], 0);
}

/* Ten decades of 20 ms do not fit into 100 ms, less three tries. */
static void time_is_kept(void **state)
{
    (void)state;
    make_even();
    ladder.seconds = 0.02;
    assert_int_equal(calibrate(1e-11, 0.1), SENS_OK);
    assert_true(found.rung == -1 && found.stopped && found.tried >= 1 && found.tried <= 3);
}

/* Found, then no time on the way back up: the tolerance stands, and it is said that it may be too tight. */
static void no_time_for_looser_ones_is_said(void **state)
{
    (void)state;
    make_even();
    assert_int_equal(calibrate(1.01 * ladder.error[14], 0), SENS_OK);
    assert_int_equal(found.rung, 14);
    assert_false(found.stopped);
    make_even();
    ladder.slow_rung = 21; /* after 8, 12, 16 and 20: with three times as long as it took, 1 s is over */
    ladder.slow_seconds = 0.3;
    assert_int_equal(calibrate(1.01 * ladder.error[18], 1), SENS_OK);
    assert_int_equal(found.rung, 20);
    assert_true(found.stopped && found.error == ladder.error[20]);
}

static void rungs_are_what_they_print(void **state)
{
    (void)state;
    char text[COMPARE_TOLERANCE];
    compare_rung_text(24, text);
    assert_string_equal(text, "1e-06");
    compare_rung_text(25, text);
    assert_string_equal(text, "5.62341e-07");
    assert_true(compare_rung_tolerance(25) == 5.62341e-07);
    assert_true(compare_rung_tolerance(RUNG_LOOSEST) == 1e-2 &&
                compare_rung_tolerance(RUNG_TIGHTEST) == 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_errors),
        cmocka_unit_test(luck_does_not_count),
        cmocka_unit_test(gaps_are_not_jumped),
        cmocka_unit_test(failures_are_passed_over),
        cmocka_unit_test(a_floor_is_not_reached),
        cmocka_unit_test(what_is_hopeless_is_not_tried_again),
        cmocka_unit_test(time_is_kept),
        cmocka_unit_test(no_time_for_looser_ones_is_said),
        cmocka_unit_test(rungs_are_what_they_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
