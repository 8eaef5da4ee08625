/* Equal errors: the tolerance at which a contender just reaches a wanted error.
 *
 * Tolerances stand on a ladder of quarter decades, tol = 10^(-rung/4), from 1e-2 to 1e-14. Errors go down it,
 * but not from every rung to the next: a loose one may hit by luck what a tighter one misses. So a rung
 * counts as reaching E when its error is at most E, unless that of the rung below it is above E. That rung
 * says nothing when the solve fails there, or when no time is left to try it. Whole decades are walked from
 * the loosest to the first that reaches E; then quarters back up, as long as they do without a gap, and as
 * there is time: `stopped` then says that a looser one might have done. What lies beyond a gap is not looked
 * for. A rung at which the solve fails reaches nothing: the next may succeed. */
#include <math.h>

#include "files.h"
#include "machine.h"

#include "compare.h"
#include "seconds.h"

double compare_rung_tolerance(int rung)
{
    char text[COMPARE_TOLERANCE];
    double tol = NAN;
    compare_rung_text(rung, text);
    read_number(text, &tol);
    return tol;
}

/* With six digits: what is printed is what is used. */
void compare_rung_text(int rung, char text[COMPARE_TOLERANCE])
{
    snprintf(text, COMPARE_TOLERANCE, "%.6g", pow(10, -rung / 4.0));
}

struct walk {
    const struct calibration_subject *subject;
    double target, start, longest; /* seconds of the longest try */
    bool known[RUNG_TIGHTEST + 1], out_of_time;
    double error[RUNG_TIGHTEST + 1]; /* NaN: the solve failed */
    struct calibration *found;
};

/* The error at a rung, tried once. A status other than SENS_OK ends the walk. */
static sens_status try_rung(struct walk *walk, int rung)
{
    const struct calibration_subject *subject = walk->subject;
    if (walk->known[rung] || walk->out_of_time) return SENS_OK;
    /* The next decade takes longer than this one by less than three times, with order three or more. */
    const double before = seconds_now(), elapsed = before - walk->start;
    if (subject->seconds > 0 && elapsed + 3 * walk->longest > subject->seconds) {
        walk->out_of_time = true;
        return SENS_OK;
    }
    double error = NAN;
    const sens_status status = subject->achieve(subject->self, rung, &error);
    if (status != SENS_OK) return status;
    walk->longest = fmax(walk->longest, seconds_now() - before);
    walk->known[rung] = true;
    walk->error[rung] = error;
    walk->found->tried++;
    if (!(error >= walk->found->best)) { /* NaN at first */
        if (isnan(error)) return SENS_OK;
        walk->found->best = error;
        walk->found->best_rung = rung;
    }
    return SENS_OK;
}

static bool is_within(const struct walk *walk, int rung)
{
    return walk->known[rung] && walk->error[rung] <= walk->target;
}

/* Within E, and not refuted by the rung below, where that has an error and there is time to learn it. */
static sens_status look_at(struct walk *walk, int rung, bool *reached)
{
    *reached = false;
    sens_status status = try_rung(walk, rung);
    if (status != SENS_OK || !is_within(walk, rung)) return status;
    if (rung < RUNG_TIGHTEST) status = try_rung(walk, rung + 1);
    *reached = status == SENS_OK &&
               (rung == RUNG_TIGHTEST || !(walk->known[rung + 1] && walk->error[rung + 1] > walk->target));
    return status;
}

sens_status compare_calibrate(const struct calibration_subject *subject, double target,
                              struct calibration *found)
{
    struct walk walk = {.subject = subject, .target = target, .start = seconds_now(), .found = found};
    sens_status status = SENS_OK;
    bool reached = false;
    int rung = RUNG_LOOSEST;
    *found = (struct calibration){.rung = -1, .error = NAN, .best = NAN, .best_rung = -1};
    for (;; rung += RUNGS_A_DECADE) {
        status = look_at(&walk, rung, &reached);
        if (status != SENS_OK || reached || rung == RUNG_TIGHTEST) break;
    }
    for (bool looser = reached; status == SENS_OK && looser && rung > RUNG_LOOSEST; rung -= looser) {
        status = try_rung(&walk, rung - 1);
        looser = is_within(&walk, rung - 1);
    }
    found->stopped = walk.out_of_time;
    if (status != SENS_OK || !reached) return status;
    found->rung = rung;
    found->error = walk.error[rung];
    return SENS_OK;
}
