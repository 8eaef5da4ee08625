/* fail.limit: solves that have no room for their steps, or a demand that nothing meets. */
#include <stdio.h>

#include "failures.h"

/* How a solve ended that cannot be finished. */
static void note_end(sens_status status, const char *what, struct worst *worst)
{
    worst_note(worst, status == SENS_OK ? INFINITY : 0, 0, "%s: success is reported", what);
}

static void note_unfinished(struct bed *bed, const char *what, struct worst *worst)
{
    note_end(bed_solve(bed), what, worst);
}

/* ---- a limit of steps ---------------------------------------------------------------------------------- */

/* Are the trials that the last solve told of, each way, as few as the limit allows? */
static bool told_fewer(const struct bed *bed, long limit)
{
    const struct sens_work *const told = &bed->work;
    return told->steps + told->rejects <= limit && told->steps_reverse + told->rejects_reverse <= limit &&
           bed->grid.steps <= limit;
}

/* The larger relative error of x and of G; infinity: one is no number. */
static double error_of(const struct bed *bed, const struct sens_out *got, const struct sens_out *exact)
{
    const struct distance distance = out_distance(bed, got, exact);
    const double x = distance.part[SENS_PART_X], G = distance.part[SENS_PART_G];
    return isfinite(x) && isfinite(G) ? fmax(x, G) : INFINITY;
}

/* What a tolerance lets errors differ by, between one choice of steps and another; what it is made tighter by, so that
 * no fewer steps keep it; and what the error has to fall by then. */
static const double ALIKE = 8, TIGHTER = 1e-3, FALLS = 0.25;

/* With room for fewer steps: the error is still that of the tolerance, and follows it, or there is a status. One that
 * takes a tolerance that the steps suffice for does neither. */
static bool tolerance_kept(struct fragile *f, long limit)
{
    struct bed *const bed = &f->scene.bed;
    const struct sens_task kept = bed->task;
    const struct sens_out *const exact = &f->exact.value;
    if (!f->exact_known) return true;
    const double tol = bed->task.rtol + bed->task.atol;
    const double usual = error_of(bed, &f->healthy, exact), limited = error_of(bed, &f->bed.out, exact);
    bed->task.max_steps = limit;
    bed->task.rtol *= TIGHTER, bed->task.atol *= TIGHTER;
    const double tighter = bed_solve(bed) == SENS_OK ? error_of(bed, &bed->out, exact) : 0;
    bed->task = kept;
    return limited <= ALIKE * fmax(usual, tol) && tighter <= fmax(FALLS * limited, ALIKE * TIGHTER * tol);
}

/* Is what the last solve got with this limit right, and not the result of the steps that it has no room for? A map on
 * the steps that were told of is right for any number of them: they have to reach the end. */
static bool right_with_fewer(struct fragile *f, long limit)
{
    const struct grid *const grid = &f->bed.grid;
    const struct sens_out none = trial_nothing(&f->bed),
                          other = failures_allow_steps(f, FAILURES_OTHER_STEPS);
    if (!trial_pattern(&f->bed, &f->bed.out, &f->healthy, &none).any) return false;
    if (grid->steps > 0 && grid->t1[grid->steps - 1] != f->bed.problem.t1) return false;
    if (!(f->expects || f->sound) || !tolerance_kept(f, limit)) return false;
    if (!f->expects) return !trial_pattern(&f->bed, &f->bed.out, &f->healthy, &other).any;
    const long kept = f->scene.bed.task.max_steps;
    f->scene.bed.task.max_steps = limit;
    const bool right = trial_right(&f->scene);
    f->scene.bed.task.max_steps = kept;
    return right;
}

/* A solve with room for fewer trials than it made. Steps that a controller has chosen stay as many; one with steps of
 * its own may find others. */
static void note_limited(struct fragile *f, long limit, const char *what, struct worst *worst)
{
    struct bed *const bed = &f->bed;
    const bool own = !bed_is_fixed(&f->scene.bed) && !(bed->method->caps & SENS_CAP_CONTROLLER);
    bed->task.max_steps = limit;
    const sens_status status = bed_solve(bed);
    if (!own || status != SENS_OK)
        note_end(status, what, worst);
    else if (!told_fewer(bed, limit))
        worst_note(worst, INFINITY, 0, "%s: success is reported, by %ld trials and %ld on the way back", what,
                   bed->work.steps + bed->work.rejects, bed->work.steps_reverse + bed->work.rejects_reverse);
    else
        worst_note(worst, right_with_fewer(f, limit) ? 0 : INFINITY, 0,
                   "%s: success is reported, by fewer trials, with a result that they do not give", what);
}

static void limit_steps(struct fragile *f, struct worst *worst)
{
    const long trials = f->work.steps + f->work.rejects, kept = f->bed.task.max_steps;
    const long reverse = f->work.steps_reverse + f->work.rejects_reverse;
    const long limit[] = {3, trials / 2, (trials + reverse) / 2};
    for (int k = 0; k < 3; k++) {
        char what[96];
        snprintf(what, sizeof what, "max_steps = %ld, where %ld trials are made and %ld on the way back",
                 limit[k], trials, reverse);
        if (limit[k] > 0 && limit[k] < (k < 2 ? trials : reverse)) note_limited(f, limit[k], what, worst);
    }
    f->bed.task.max_steps = kept;
}

/* A first step of the whole interval is rejected, and counts. What a library counts of its rejections is its own
 * business. */
static void limit_rejections(struct fragile *f, struct worst *worst)
{
    const struct sens_task kept = f->bed.task;
    if (bed_is_fixed(&f->scene.bed) || f->bed.method->library) return;
    f->bed.task.dt = f->bed.problem.t1 - f->bed.problem.t0;
    if (bed_solve(&f->bed) == SENS_OK && f->bed.work.rejects > 0) {
        char what[96];
        snprintf(what, sizeof what, "max_steps = %ld, where %ld trials more are rejected", f->bed.work.steps,
                 f->bed.work.rejects);
        f->bed.task.max_steps = f->bed.work.steps;
        note_unfinished(&f->bed, what, worst);
    }
    f->bed.task = kept;
}

/* ---- what cannot be met -------------------------------------------------------------------------------- */

/* true: what nothing can keep is said to be kept, a tolerance or a step that does not fit. */
static bool demand_too_much(struct fragile *f, struct worst *worst)
{
    const bool fine = worst_passes(worst), fixed = bed_is_fixed(&f->scene.bed);
    const struct sens_task kept = f->bed.task;
    if (!fixed && f->bed.method->caps & SENS_CAP_TOLERANCE) {
        f->bed.task.rtol = 0;
        f->bed.task.atol = 1e-300;
        f->bed.task.max_steps = 500;
        note_unfinished(&f->bed, "rtol = 0, atol = 1e-300", worst);
    } else if (fixed) {
        f->bed.task.dt = (f->bed.problem.t1 - f->bed.problem.t0) / 24.3;
        note_unfinished(&f->bed, "a fixed step that does not divide the interval", worst);
    }
    f->bed.task = kept;
    return fine && !worst_passes(worst);
}

void failures_check_limits(struct verify *v, struct fragile way[2])
{
    struct worst worst = {.count = 0};
    bool excess[2] = {false, false}; /* of adaptive steps, of fixed ones */
    struct verify_result result = verify_open("fail.limit", v->module, "probe, adaptive and fixed steps");
    for (int k = 0; k < 2; k++) {
        if (!way[k].made) continue;
        limit_steps(&way[k], &worst);
        limit_rejections(&way[k], &worst);
        excess[k] = demand_too_much(&way[k], &worst);
    }
    verify_judge(&result, &worst);
    if (excess[0]) verify_blame(&result, CAUSE_tolerance_floor, 0.95);
    if (excess[1]) verify_blame(&result, CAUSE_misfit_accepted, 0.95);
    verify_blame(&result, CAUSE_limit_ignored, excess[0] || excess[1] ? 0.6 : 0.95);
    verify_blame(&result, CAUSE_stops_early, 0.5);
    verify_blame(&result, CAUSE_failure_swallowed, 0.4);
    verify_close(v, &result);
}
