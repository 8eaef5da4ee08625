/* pair.exact on the whole interval of a stiff problem. Explicit steps are at the boundary of stability there,
 * where what errors of the tolerance do to the derivative has no bound by our own explicit solve: check_adaptive
 * stops where it has one. A method is then tried on the whole interval as well, with more steps, and held
 * against the implicit formula of oracle_stiff.c. */
#include <stdio.h>
#include <string.h>

#include "pair.h"
#include "probe.h"

enum { OUTPUTS = 2, STIFF_STEPS = 20000 };
/* Tolerance of a solve of ours. */
static const double MODERATE = 1e-6;

/* What may be tested is. */
static void test_all(struct bed *bed)
{
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++) {
        const long inside = bed_error_test(bed, i, "inside");
        if (inside >= 0 && !verify_held(bed->v, &bed->method->options[i]))
            bed->option[i].number = (double)inside;
    }
}

static void create_bed(const struct pair *pair, double tol, struct bed *bed)
{
    const unsigned all = PROBE_AT_T0 | PROBE_BETWEEN | PROBE_AT_T1 | PROBE_EXPLICIT; /* no quadrature */
    struct sens_cost cost;
    probe_cost(pair->v, &pair->instance->problem, OUTPUTS, all & probe_parts_for(pair->v->method), &cost);
    bed_create(pair->v, &pair->instance->problem, &cost, pair->v->method, bed);
    bed_tolerance(bed, tol);
    bed->task.max_steps = STIFF_STEPS;
    test_all(bed);
}

static bool is_stiff(const struct bed *bed)
{
    long steps;
    return !expected_solvable(bed, MODERATE, &steps) && bed->problem.n <= STIFF_LARGEST;
}

/* Of a derivative that the error test does not see, and of one that is integrated back, it is not known how
 * far off it may be; nor where errors of the tolerance add up to more than the derivative. */
static void judge(struct verify_result *result, const struct bed *bed, const struct expected *target)
{
    const bool seen = bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS && bed->work.steps_reverse == 0;
    const bool known = seen && expected_weakness(bed, target) <= 1;
    const struct expected state = expected_state(target);
    const size_t used = strlen(result->subject);
    if (!known) snprintf(result->subject + used, sizeof result->subject - used, ", x and G alone");
    pair_judge(result, bed, known ? target : &state);
}

void pair_stiff(struct pair *pair, double tol)
{
    struct bed bed;
    struct expected target;
    create_bed(pair, tol, &bed);
    if (is_stiff(&bed)) {
        struct verify_result result = pair_open(pair, &bed, "pair.exact");
        const bool solved = bed_solve(&bed) == SENS_OK;
        pair->solved = pair->solved || solved;
        if (!solved)
            verify_skip(&result, "to the end of the stiff interval, t = %.6g: %s: %s", bed.problem.t1,
                        sens_status_name(bed.status), bed.message);
        else if (expected_stiff(&bed, &target) != SENS_OK)
            verify_skip(&result, "no reference on the whole interval: implicit steps of ours fail");
        else
            judge(&result, &bed, &target);
        verify_blame(&result, CAUSE_solver_not_derivative, 0.5);
        verify_blame(&result, CAUSE_derivative_not_solver, 0.5);
        verify_close(pair->v, &result);
    }
    bed_free(&bed);
}
