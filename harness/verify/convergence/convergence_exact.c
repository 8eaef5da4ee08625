/* order.exact: whatever a method declares, its results become those of the exact solution as its steps are
 * refined, by what the method has for that: a tolerance, a fixed step, an option of its own; else over
 * shorter and shorter intervals. */
#include <stdio.h>
#include <string.h>

#include "convergence.h"
#include "convergence_part.h"
#include "refinement.h"

/* ---- the errors ---------------------------------------------------------------------------------------- */

enum { MOST_RUNGS = 7, LEAST_RUNGS = 3, COARSER = 4 };
static const double DONE = 1e-9, DONE_QUOTIENT = 1e-5;

void convergence_find_parts(const struct scene *scene, const struct expected *goal, enum way way,
                            struct part part[SENS_PARTS])
{
    const struct bed *bed = &scene->bed;
    const bool quotient = bed->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    const bool gradient = !quotient || way != BY_TOLERANCE; /* else the controller's noise over the bump */
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = bed_part(bed, k);
        part[k] = (struct part){.name = shape.title,
                                .count = shape.rows * shape.cols,
                                .got = bed->out.part[k],
                                .truth = goal->value.part[k],
                                .unsure = goal->bound.part[k],
                                .done = shape.wrt && quotient ? DONE_QUOTIENT : DONE};
        part[k].judged = part[k].got && part[k].truth && (gradient || !shape.wrt);
    }
}

/* |a - b|_F; b NULL: |a|_F */
static double distance(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t q = 0; q < count; q++) sum += pow(a[q] - (b ? b[q] : 0), 2);
    return sqrt(sum);
}

void convergence_add_rung(struct part *part, double h)
{
    const double size = distance(part->count, part->truth, NULL), per = size > 0 ? 1 / size : 1;
    ladder_add(&part->ladder, h, per * distance(part->count, part->got, part->truth),
               per * distance(part->count, part->unsure, NULL) + DBL_EPSILON);
}

/* The slope from the last rung but one to the last; 1 where the last is as good as none. */
static double slope(const struct part *part)
{
    const struct ladder *l = &part->ladder;
    const int last = l->count - 1;
    if (!ladder_finite(l)) return NAN;
    if (l->error[last] <= part->done || !ladder_clean(l, last)) return 1;
    return last > 0 ? log(l->error[last - 1] / l->error[last]) / log(l->h[last - 1] / l->h[last]) : 0;
}

/* Local errors of the tolerance follow it less evenly than they follow the step. */
static double least_slope(enum way way)
{
    return way == BY_TOLERANCE ? 0.25 : 0.5;
}

static bool all_fall(const struct part part[SENS_PARTS], enum way way)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (part[k].judged && !(slope(&part[k]) >= least_slope(way))) return false;
    return true;
}

/* ---- the verdict --------------------------------------------------------------------------------------- */

static void blame_parts(unsigned parts, struct verify_result *result)
{
    const bool state = parts & SENS_IN_STATE;
    verify_blame(result, state ? CAUSE_solver_not_derivative : CAUSE_derivative_not_solver, 0.95);
    if (state) verify_blame(result, CAUSE_stops_early, 0.6);
}

/* Are the last errors of what fails those of single precision, and as good as equal? */
static bool stays_at_single(const struct part part[SENS_PARTS], unsigned parts)
{
    static const double least = 1e-10, most = 1e-6, equal = 30;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct ladder *l = &part[k].ladder;
        if (!part[k].judged || !(parts >> k & 1)) continue;
        const double last = l->error[l->count - 1], before = l->count > 1 ? l->error[l->count - 2] : INFINITY;
        if (!(last > least && last < most && before < equal * last && last < equal * before)) return false;
    }
    return parts != 0;
}

/* Of the tolerance, for every step: norms, and how the errors of steps grow, differ by less. */
static const double EACH_STEP = 64;

/* An error test holds the error of each step to the tolerance, so that all of them together leave no more. */
static void note_all_steps(const struct part *x, enum way way, long steps, struct worst *worst)
{
    const struct ladder *l = &x->ladder;
    const int last = l->count - 1;
    if (way != BY_TOLERANCE || !x->judged || steps < 1) return;
    worst_note_in(worst, SENS_IN_X, l->error[last], EACH_STEP * (double)steps * l->h[last] + x->done,
                  "x: with errors of the tolerance %.0e in each of %ld steps: relative error", l->h[last],
                  steps);
}

static void judge_ladders(const struct part part[SENS_PARTS], enum way way, long steps,
                          struct verify_result *result)
{
    struct worst worst = {.count = 0};
    note_all_steps(&part[SENS_PART_X], way, steps, &worst);
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        char words[VERIFY_SUBJECT];
        if (!part[k].judged) continue;
        ladder_words(&part[k].ladder, words);
        worst_note_in(&worst, 1u << k, ladder_missing(1, slope(&part[k])), 1 - least_slope(way),
                      "%s: the error against the exact one stays: %s; 1 - slope", part[k].name, words);
    }
    verify_judge(result, &worst);
    if (result->verdict != VERIFY_FAIL) return;
    blame_parts(worst.parts, result);
    if (stays_at_single(part, worst.parts)) verify_blame(result, CAUSE_single_precision, 0.96);
}

static void judge_beside(struct scene *scene, struct part part[SENS_PARTS], const struct refinement *by,
                         int last, struct verify_result *result)
{
    struct worst worst = {.count = 0};
    if (last < 1 || !refinement_turn_parity(&scene->bed, by, last)) return;
    if (convergence_fails_beside(
            &scene->bed, "with an odd number of steps for an even one, or the other way round", result)) {
        verify_blame(result, CAUSE_remainder, 0.97);
        return;
    }
    for (enum sens_part i = 0; i < SENS_PARTS && scene->bed.status == SENS_OK; i++) {
        if (!part[i].judged) continue;
        convergence_add_rung(&part[i], exp2(-last));
        const struct ladder *l = &part[i].ladder;
        const double before = fmax(l->error[last - 1], l->error[last]);
        worst_note_in(
            &worst, 1u << i, l->error[last + 1],
            CONVERGENCE_BESIDE * before + l->floor[last + 1] + part[i].done,
            "%s: with an odd number of steps it was even, or the other way round (%ld in all): error",
            part[i].name, refinement_steps(&scene->bed));
    }
    if (worst_passes(&worst)) return;
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_remainder, 0.97);
    blame_parts(worst.parts, result);
}

enum { CUBIC = 3 }; /* the order of the interpolant of one whose formula is its own */

/* A discrete method differentiates its own formula, to the order that this has; a continuous one is as good as what it
 * reads the state from. */
static void judge_alike(const struct bed *bed, const struct part part[SENS_PARTS], const struct rungs *rungs,
                        struct verify_result *result)
{
    const struct ladder *ladder[SENS_PARTS];
    const char *name[SENS_PARTS];
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        ladder[k] = part[k].judged ? &part[k].ladder : NULL;
        name[k] = part[k].name;
    }
    const struct sens_tableau *const tb = bed->task.tableau;
    struct rungs all = *rungs;
    all.interpolant = tb && bed->method->caps & SENS_CAP_TABLEAU ? tb->dense_order : CUBIC;
    const bool discrete = bed->method->derivative == SENS_DERIVATIVE_DISCRETE;
    const bool continuous = bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS;
    if (rungs->equal ? discrete : continuous) convergence_judge_alike(ladder, name, &all, result);
}

/* ---- the task ------------------------------------------------------------------------------------------ */

static bool create_scene(struct verify *v, const struct scene_settings *settings, struct scene *scene)
{
    const bool fixed = !(v->method->caps & SENS_CAP_TOLERANCE) && (v->method->caps & SENS_CAP_CONTROLLER);
    if (!scene_create(v, settings, scene)) return false;
    scene->bed.task.max_steps = MAX_STEPS;
    if (fixed) bed_controller(&scene->bed, "fixed");
    return true;
}

/* Errors of x alone, on neighbouring rungs. */
struct climb {
    struct ladder x;
    long steps[MOST_RUNGS];
};

/* So many rungs from `first` on, which is below 0 for coarser ones. false: they cannot be climbed. */
static bool climb_state(struct verify *v, const struct scene_settings *settings, const struct refinement *by,
                        int first, int rungs, struct climb *climb)
{
    struct scene scene;
    struct expected goal;
    struct part part[SENS_PARTS];
    if (!create_scene(v, settings, &scene)) return false;
    bool made = expected_exact(&scene.bed, &goal) == SENS_OK;
    if (made) convergence_find_parts(&scene, &goal, by->way, part);
    for (int k = 0; k < rungs && made; k++) {
        double h;
        made = refinement_take(&scene.bed, by, first + k, &h) && bed_solve(&scene.bed) == SENS_OK;
        if (made) convergence_add_rung(&part[SENS_PART_X], h);
        climb->steps[k] = refinement_steps(&scene.bed);
    }
    if (made) climb->x = part[SENS_PART_X].ladder;
    scene_free(&scene);
    return made;
}

/* In units of the last place, for each step: what rounding may leave of an error. */
static const double ROUNDED = 100;

/* NaN: rounding says nothing. */
static double order_between(const struct climb *climb, int k)
{
    const struct ladder *const l = &climb->x;
    const double more = log((double)climb->steps[k] / (double)climb->steps[k - 1]);
    const bool clean = ladder_clean(l, k - 1) && ladder_clean(l, k) &&
                       l->error[k] > ROUNDED * DBL_EPSILON * (double)climb->steps[k];
    return clean && more > 0.5 ? log(l->error[k - 1] / l->error[k]) / more : NAN;
}

struct orders {
    double timed, still; /* where f depends on t, and where it does not */
};

/* Of the last two pairs of rungs, the orders of that on which they are nearest to each other. */
static bool compare_orders(const struct climb *timed, const struct climb *still, int rungs,
                           struct orders *orders)
{
    static const double SECOND = 1.75;
    *orders = (struct orders){0, 1};
    for (int k = rungs - 2; k < rungs; k++) {
        const struct orders here = {order_between(timed, k), order_between(still, k)};
        if (isnan(here.timed) || !(here.still >= SECOND)) return false;
        if (here.timed / here.still >= orders->timed / orders->still) *orders = here;
    }
    return true;
}

/* Without t, x is exact from the first rung on. Of an error C h^q, q is some part of log(1 / error) / log(steps): half
 * of it leaves room for C. false: it is not exact, or nearly so with t, too. */
static bool compare_with_exact(const struct climb *timed, const struct climb *still, int rungs,
                               struct orders *orders)
{
    const double rounded = ROUNDED * DBL_EPSILON * (double)still->steps[0], error = still->x.error[0];
    if (!(error <= ROUNDED * rounded) || still->steps[0] < 2) return false;
    if (isnan(order_between(timed, rungs - 1)) || !(timed->x.error[rungs - 1] > DONE)) return false;
    orders->timed = fmax(order_between(timed, rungs - 2), order_between(timed, rungs - 1));
    orders->still = 0.5 * log(1 / fmax(error, DBL_EPSILON)) / log((double)still->steps[0]);
    return true;
}

/* The orders of x with and without explicit t, on the rungs that were climbed with one of them (x), or where x is too
 * exact there on coarser ones. false: they cannot be told. */
static bool orders_in_time(struct verify *v, const struct scene_settings *settings, const struct climb *x,
                           const struct refinement *by, int rungs, struct orders *orders)
{
    struct scene_settings with = *settings, without = *settings;
    struct climb other;
    with.autonomous = false, without.autonomous = true;
    const struct climb *const timed = settings->autonomous ? &other : x, *const still = settings->autonomous
                                                                                            ? x
                                                                                            : &other;
    if (!climb_state(v, settings->autonomous ? &with : &without, by, 0, rungs, &other)) return false;
    if (compare_orders(timed, still, rungs, orders) || compare_with_exact(timed, still, rungs, orders))
        return true;
    if (!isnan(order_between(still, rungs - 1))) return false;
    for (int first = -1; first >= -COARSER; first--) {
        struct climb moving, resting;
        if (climb_state(v, &without, by, first, LEAST_RUNGS, &resting) &&
            climb_state(v, &with, by, first, LEAST_RUNGS, &moving) &&
            compare_orders(&moving, &resting, LEAST_RUNGS, orders))
            return true;
    }
    return false;
}

/* Steps of one formula have one order, whether f depends on t or not: without df/dt, which a problem need not offer, a
 * formula that asks for it falls back to the first or second. Of the order of either part of the last two pairs of
 * rungs, for an error may be small by accident on one. */
static void judge_time(const struct scene *scene, const struct scene_settings *settings,
                       const struct ladder *x, const struct refinement *by, const struct rungs *rungs,
                       struct verify_result *result)
{
    static const double LESS = 0.8; /* of the order: of 4 one is missing, and right ones have 0.94 and more */
    struct worst worst = {.count = 0};
    struct climb climbed = {.x = *x};
    struct orders orders;
    if (!rungs->equal || rungs->count < LEAST_RUNGS) return;
    memcpy(climbed.steps, rungs->steps, (size_t)rungs->count * sizeof *rungs->steps);
    if (!orders_in_time(scene->bed.v, settings, &climbed, by, rungs->count, &orders)) return;
    worst_note_in(&worst, SENS_IN_X, 1 - orders.timed / orders.still, 1 - LESS,
                  "x is of order %.2f where f depends on t, and %.2f where it does not: 1 - quotient",
                  orders.timed, orders.still);
    if (worst_passes(&worst)) return;
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_slope_t_left_out, 0.97);
    verify_blame(result, CAUSE_stage_time, 0.9);
}

/* As many rungs as it takes for every error to fall: one that is small by accident is followed by another. A
 * rung that the method cannot climb is the end, for want of steps. */
static void climb(struct scene *scene, const struct scene_settings *settings, const struct expected *goal,
                  const struct refinement *by, struct verify_result *result)
{
    struct part part[SENS_PARTS];
    double h;
    long steps[MOST_RUNGS];
    int rungs = 0;
    convergence_find_parts(scene, goal, by->way, part);
    for (int k = 0; k < MOST_RUNGS && refinement_take(&scene->bed, by, k, &h); k++) {
        if (bed_solve(&scene->bed) != SENS_OK) break;
        for (enum sens_part i = 0; i < SENS_PARTS; i++)
            if (part[i].judged) convergence_add_rung(&part[i], h);
        steps[rungs] = refinement_steps(&scene->bed);
        if (++rungs >= LEAST_RUNGS && all_fall(part, by->way)) break;
    }
    if (rungs < LEAST_RUNGS - 1) {
        verify_skip(result, "%s: %s", sens_status_name(scene->bed.status), scene->bed.message);
        return;
    }
    judge_ladders(part, by->way, steps[rungs - 1], result);
    const struct rungs climbed = {.steps = steps, .count = rungs, .equal = by->way != BY_TOLERANCE};
    if (result->verdict == VERIFY_PASS) judge_alike(&scene->bed, part, &climbed, result);
    if (result->verdict == VERIFY_PASS) convergence_judge_slivers(scene, part, by, &climbed, result);
    if (result->verdict == VERIFY_PASS) judge_beside(scene, part, by, rungs - 1, result);
    if (result->verdict == VERIFY_PASS && part[SENS_PART_X].judged)
        judge_time(scene, settings, &part[SENS_PART_X].ladder, by, &climbed, result);
    if (result->verdict == VERIFY_PASS) convergence_judge_stops(scene, part, by, &climbed, result);
}

/* ---- shorter intervals --------------------------------------------------------------------------------- */

static const double EULERS = 8; /* times the error of Euler's method, for steps that are not equal */

/* Euler's results on as many equal steps as the method took. */
static bool euler(struct bed *bed, struct sens_out *out)
{
    const struct sens_tableau *const tableau = verify_formula(bed->v, "euler");
    const long steps = refinement_steps(bed) > 0 ? refinement_steps(bed) : 1;
    struct oracle oracle;
    struct grid grid;
    *out = bed_shape(bed);
    if (!tableau || !expected_equal_steps(bed, steps < MAX_STEPS ? steps : MAX_STEPS, &grid)) return false;
    oracle_create(bed, tableau, &grid, &oracle);
    const bool made = oracle_tangent(&oracle, out) == SENS_OK;
    grid_free(&grid);
    return made;
}

static bool note_interval(struct verify *v, const char *choice, double length, struct worst *worst)
{
    struct scene_settings settings = convergence_settings(v, NULL, NULL);
    struct scene scene;
    struct expected goal;
    struct part part[SENS_PARTS], plain[SENS_PARTS];
    struct sens_out rough;
    settings.length = length;
    settings.choice = choice;
    settings.parts = PROBE_AT_T1 | PROBE_RUNNING | PROBE_EXPLICIT; /* equal steps meet every stop */
    if (!scene_create(v, &settings, &scene)) return false;
    const bool made = expected_exact(&scene.bed, &goal) == SENS_OK && bed_solve(&scene.bed) == SENS_OK &&
                      euler(&scene.bed, &rough);
    convergence_find_parts(&scene, &goal, BY_INTERVAL, part);
    scene.bed.out = made ? rough : scene.bed.out;
    convergence_find_parts(&scene, &goal, BY_INTERVAL, plain);
    for (enum sens_part k = 0; k < SENS_PARTS && made; k++)
        if (part[k].judged)
            worst_note_in(worst, 1u << k, distance(part[k].count, part[k].got, part[k].truth),
                          EULERS * distance(part[k].count, plain[k].got, part[k].truth) +
                              part[k].done * distance(part[k].count, part[k].truth, NULL),
                          "%s is off on an interval of length %g in %ld steps", part[k].name, length,
                          refinement_steps(&scene.bed));
    scene_free(&scene);
    return made;
}

static void shorten(struct verify *v, const char *choice, struct verify_result *result)
{
    static const double lengths[] = {2, 0.5, 0.125, 0.03125};
    struct worst worst = {.count = 0};
    bool made = true;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths && made; k++)
        made = note_interval(v, choice, lengths[k], &worst);
    if (made)
        verify_judge(result, &worst);
    else
        verify_skip(result, "the solve failed: solve.completes");
    if (result->verdict == VERIFY_FAIL) blame_parts(worst.parts, result);
}

/* ---- order.exact --------------------------------------------------------------------------------------- */

static void check_exact(struct verify *v, const char *choice)
{
    struct scene scene;
    struct expected goal;
    char subject[VERIFY_SUBJECT];
    struct scene_settings settings =
        convergence_settings(v, v->method->caps & SENS_CAP_TABLEAU ? "cash_karp" : NULL, NULL);
    settings.choice = choice;
    if (!create_scene(v, &settings, &scene)) {
        verify_skip_check(v, "order.exact", v->module, "probe", "the method does not take the task");
        return;
    }
    const struct refinement by = refinement_find(&scene);
    refinement_say(&scene, &by, subject);
    const size_t used = strlen(subject);
    if (choice) snprintf(subject + used, sizeof subject - used, ", %s", choice);
    struct verify_result result = verify_open("order.exact", v->module, subject);
    if (expected_exact(&scene.bed, &goal) != SENS_OK)
        verify_skip(&result, "the oracle cannot solve this task");
    else if (by.way == BY_INTERVAL)
        shorten(v, choice, &result);
    else
        climb(&scene, &settings, &goal, &by, &result);
    verify_close(v, &result);
    scene_free(&scene);
}

void convergence_exact(struct verify *v)
{
    check_exact(v, NULL);
    for (const struct sens_limit *limit = v->method->limits; limit && limit->check; limit++)
        if (strcmp(limit->check, "order.exact") == 0 && !limits_fault(v->groups, v->method, limit))
            check_exact(v, limit->holds_with);
}
