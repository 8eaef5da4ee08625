/* Are the steps that a method reports the steps that its task asks for?
 *
 * The accepted steps must cover [t0, t1]; with the fixed step they must be equal; with a named controller they
 * are made a second time (steps_law.c). */
#include <stdio.h>
#include <string.h>

#include "step_rules.h"

/* ---- steps.cover --------------------------------------------------------------------------------------- */

static double time_rounding(const struct bed *bed)
{
    return 8 * DBL_EPSILON * fmax(fabs(bed->problem.t0), fabs(bed->problem.t1));
}

void steps_note_chain(const struct bed *bed, struct worst *worst)
{
    const struct grid *grid = &bed->grid;
    for (long k = 0; k < grid->steps; k++) {
        const double sum = grid->t[k] + grid->h[k];
        worst_note(worst, fabs(sum - grid->t1[k]), time_rounding(bed),
                   "step %ld: t + h = %.17g is not t1 = %.17g", k, sum, grid->t1[k]);
        worst_note(worst, grid->h[k] > 0 ? 0 : INFINITY, 0, "step %ld: h = %.3g", k, grid->h[k]);
        if (k > 0)
            worst_note(worst, fabs(grid->t[k] - grid->t1[k - 1]), 0,
                       "step %ld starts at %.17g, the one before ended at %.17g", k, grid->t[k],
                       grid->t1[k - 1]);
    }
}

/* How far the nearest place between two steps is from time t. */
static double nearest(const struct bed *bed, double t)
{
    double gap = fabs(t - bed->problem.t0);
    for (long k = 0; k < bed->grid.steps; k++) gap = fmin(gap, fabs(bed->grid.t1[k] - t));
    return gap;
}

static double observation_gap(const struct bed *bed, size_t *which)
{
    double widest = 0;
    *which = 0;
    for (size_t j = 0; j < bed->cost.n_obs; j++)
        if (nearest(bed, bed->cost.t_obs[j]) > widest) {
            widest = nearest(bed, bed->cost.t_obs[j]);
            *which = j;
        }
    return widest;
}

static void check_cover(struct scene *scene)
{
    struct bed *bed = &scene->bed;
    const struct grid *grid = &bed->grid;
    struct verify_result result = verify_open("steps.cover", scene->module, scene->subject);
    struct worst worst = {0};
    size_t missed;
    const double gap = observation_gap(bed, &missed);
    const double first = grid->steps ? grid->t[0] : NAN, last = grid->steps ? grid->t1[grid->steps - 1] : NAN;
    steps_note_chain(bed, &worst);
    worst_note(&worst, fabs(first - bed->problem.t0), 0, "the first step starts at %.17g", first);
    worst_note(&worst, fabs(last - bed->problem.t1), 0, "the last step ends at %.17g", last);
    worst_note(&worst, gap, 0, "no step ends at observation %zu", missed);
    worst_note(&worst, fabs((double)(bed->work.steps - grid->steps)), 0, "%ld steps reported, %ld counted",
               grid->steps, bed->work.steps);
    verify_judge(&result, &worst);
    if (!(last >= bed->problem.t1)) verify_blame(&result, CAUSE_stops_early, 1);
    if (!(first <= bed->problem.t0)) verify_blame(&result, CAUSE_first_step_lost, 1);
    if (gap > 0) verify_blame(&result, CAUSE_observation_between, 0.8);
    if (bed->work.steps != grid->steps) verify_blame(&result, CAUSE_work_miscounted, 0.8);
    verify_blame(&result, CAUSE_missing_step, 0.5);
    verify_blame(&result, CAUSE_step_from_times, 0.4);
    verify_close(bed->v, &result);
}

/* ---- steps.fixed --------------------------------------------------------------------------------------- */

static void check_fixed(struct scene *scene, long steps)
{
    struct bed *bed = &scene->bed;
    struct verify_result result = verify_open("steps.fixed", scene->module, scene->subject);
    struct worst worst = {0};
    const double h = (bed->problem.t1 - bed->problem.t0) / (double)steps;
    worst_note(&worst, fabs((double)(steps - bed->grid.steps)), 0, "%ld steps, not %ld", bed->grid.steps,
               steps);
    for (long k = 0; k < bed->grid.steps; k++)
        worst_note(&worst, fabs(bed->grid.h[k] - h), time_rounding(bed), "step %ld: h = %.17g is not %.17g",
                   k, bed->grid.h[k], h);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_missing_step, 0.7);
    if (bed->grid.steps < steps) verify_blame(&result, CAUSE_stops_early, 0.9);
    verify_close(bed->v, &result);
}

sens_status steps_compare(struct scene *scene, struct worst *worst, struct sens_out *right)
{
    struct bed *bed = &scene->bed;
    struct expected expected;
    const sens_status status = expected_map(bed, &bed->grid, &expected);
    if (status == SENS_OK)
        out_compare(worst, bed, &bed->out, &expected.value, &expected.bound, "on the reported steps:");
    *right = expected.value;
    return status;
}

/* ---- steps.rejected ------------------------------------------------------------------------------------ */

/* Is everything right from a first step that is not rejected? */
static bool right_without_rejection(struct scene *scene)
{
    struct bed *bed = &scene->bed;
    struct worst worst = {0};
    struct sens_out right;
    bed->task.dt = 1e-3;
    return bed_solve(bed) == SENS_OK && bed->work.rejects == 0 &&
           steps_compare(scene, &worst, &right) == SENS_OK && worst_passes(&worst);
}

static void check_rejected(struct scene *scene)
{
    struct bed *bed = &scene->bed;
    struct verify_result result = verify_open("steps.rejected", scene->module, scene->subject);
    struct worst worst = {0};
    struct sens_out right;
    if (bed->method->derivative != SENS_DERIVATIVE_DISCRETE) {
        verify_skip(&result, "not the derivative of the discrete map: gradient.exact judges it");
    } else if (bed->work.rejects == 0) {
        verify_skip(&result, "no trial was rejected");
    } else if (steps_compare(scene, &worst, &right) != SENS_OK) {
        verify_skip(&result, "the oracle cannot follow these steps");
    } else {
        verify_judge(&result, &worst);
    }
    if (result.verdict == VERIFY_FAIL) {
        struct oracle oracle;
        oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
        oracle_blame_gradient(&oracle, &bed->out, &right, &bed->work, &result);
        if (right_without_rejection(scene)) {
            verify_say(&result, "right where no trial is rejected");
            verify_blame(&result, CAUSE_after_rejection, 0.97);
            verify_blame(&result, CAUSE_stale_slope, 0.9);
        }
    }
    verify_close(bed->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

struct plan {
    const char *tableau, *controller;
    long steps;
    double dt; /* first trial step, as a part of the interval; 0: drawn */
    size_t n;
    bool full; /* not in a quick run */
    bool each; /* with tolerances of each component */
};
static const struct plan plans[] = {
    {"cash_karp", "odeint", 0, 1e-3, 5, false, false},
    {"dopri5", "hairer-pi", 0, 1, 5, false, false},
    {"bs32", "petsc", 0, 1, 3, false, false},
    {"dop853", "hairer-pi", 0, 1e-2, 9, false, false},
    {"dopri5", "odeint", 0, 1, 9, false, false},
    {"rk4", "fixed", 24, 0, 5, false, false},
    {"cash_karp", "odeint", 0, 0.1, 1, false, false},
    {"dopri5", "gustafsson", 0, 1, 5, false, false},
    {"dopri5", "petsc", 0, 0.3, 7, false, true},
    {"tsit5", "petsc", 0, 1, 2, true, false},
    {"fehlberg45", "hairer-pi", 0, 0.3, 8, true, false},
    {"verner65", "odeint", 0, 1, 2, true, false},
    {"fehlberg78", "petsc", 0, 0.5, 6, true, false},
    {"bs32", "odeint", 0, 1, 4, true, false},
    {"dopri5", "fixed", 40, 0, 5, true, false},
    {"tsit5", "hairer-pi", 0, 1, 7, true, false},
    {"dop853", "petsc", 0, 1, 17, true, false},
    {"dop853", "gustafsson", 0, 1e-2, 6, true, false},
    {"cash_karp", "odeint", 0, 1, 12, true, true},
    {"dop853", "hairer-pi", 0, 0.1, 9, true, true},
};
enum { PLANS = sizeof plans / sizeof *plans };

static struct scene_settings draw(struct verify *v, const struct plan *plan)
{
    const bool any = v->seed != 0;
    return (struct scene_settings){.tableau = plan->tableau,
                                   .controller = plan->controller,
                                   .steps = plan->steps,
                                   .n = any ? (size_t)verify_integer(v, 1, 18) : plan->n,
                                   .np = (size_t)(any ? verify_integer(v, 1, 5) : 4),
                                   .m = (size_t)(any ? verify_integer(v, 1, 4) : 2),
                                   .autonomous = any && verify_integer(v, 0, 1),
                                   .x0_depends = any ? verify_integer(v, 0, 1) : true,
                                   .parts = PROBE_BETWEEN | PROBE_AT_T1};
}

/* Observed at t1 alone, which is here. */
static void end_at(struct bed *bed, double t1)
{
    bed->problem.t1 = t1;
    bed->cost.t_obs = verify_copy(bed->v, 1, &t1);
    bed->cost.n_obs = 1;
}

/* Once more from a first step that is accepted, by an error that is neither small nor large: the limits of the
 * law do not reach the second step, so that it tells what the controller remembers at the start. Should that be
 * the end of a solve before, it is seen where the last step is not made short by t1: so the second time t1 is in
 * the middle of a step. */
static void check_first_factor(struct scene *scene)
{
    static const double FIRST = 0.8, LAST = 0.7; /* parts of steps that are known */
    struct bed *bed = &scene->bed;
    const struct grid *grid = &bed->grid;
    double t1 = bed->problem.t1;
    if (grid->steps > 0) bed->task.dt = FIRST * grid->h[0];
    for (int k = 0; k < 2 && grid->steps > 2; k++) {
        end_at(bed, t1);
        if (bed_solve(bed) != SENS_OK || grid->steps < 3) return;
        steps_check_controller(scene, rk_step);
        t1 = grid->t[grid->steps - 2] + LAST * grid->h[grid->steps - 2];
    }
}

/* Another rtol for every second component, another atol for two of three. */
static void part_tolerances(struct scene *scene)
{
    struct bed *bed = &scene->bed;
    const size_t used = strlen(scene->subject), n = bed->problem.n;
    struct sens_ode_part *part = verify_memory(bed->v, n, sizeof *part);
    double least = bed->task.atol;
    for (size_t i = 0; i < n; i++) {
        const double atol = bed->task.atol * pow(8, -(double)(i % 3));
        part[i] = (struct sens_ode_part){1, i % 2 ? bed->task.rtol : 4 * bed->task.rtol, atol, true};
        least = fmin(least, atol);
    }
    bed->task.rtol *= n > 1 ? 1 : 4;
    bed->task.atol = least;
    bed->task.n_tolerances = n;
    bed->task.tolerance = part;
    snprintf(scene->subject + used, sizeof scene->subject - used, ", other tolerances of each component");
}

static void check_plan(struct verify *v, const struct plan *plan)
{
    const struct scene_settings settings = draw(v, plan);
    struct scene scene;
    if (plan->each && !(v->method->caps & SENS_CAP_COMPONENTS)) return;
    if (!scene_create(v, &settings, &scene)) return;
    if (plan->each) part_tolerances(&scene);
    const double length = scene.bed.problem.t1 - scene.bed.problem.t0;
    const double part = v->seed ? pow(10, verify_uniform(v, -3, 0)) : plan->dt;
    const bool far = !bed_is_fixed(&scene.bed) && plan->dt == 1;
    if (!bed_is_fixed(&scene.bed)) scene.bed.task.dt = length * (far ? 1 : part);
    if (bed_solve(&scene.bed) == SENS_OK) {
        check_cover(&scene);
        if (bed_is_fixed(&scene.bed)) check_fixed(&scene, settings.steps);
        const bool controlled = v->method->caps & SENS_CAP_CONTROLLER && expected_rebuilds(&scene.bed);
        if (controlled && !bed_is_fixed(&scene.bed)) steps_check_controller(&scene, rk_step);
        if (controlled && far && scene.bed.task.tableau->fsal) check_rejected(&scene);
        if (controlled && far) check_first_factor(&scene);
    } else {
        verify_skip_check(v, "steps.cover", scene.module, scene.subject, "the solve failed: solve.completes");
    }
    scene_free(&scene);
}

static const struct verify_check checks[] = {
    {.id = "steps.cover",
     .summary =
         "the reported steps chain from t0 to t1, land on every observation, and are as many as counted",
     .bound = "exact, but t + h = t1 to 8 eps max |t|",
     .explanation = "The accepted steps that the method tells the task's listener are walked through: the "
                    "first starts at t0, the last ends at t1, each starts where the one before ended, h > "
                    "0, t + h is t1, every observation time is the end of a step, and work.steps is their "
                    "number. A failure means that the method integrated over another interval than the "
                    "problem's, that an observation is taken from a state of another time, or that what it "
                    "reports is not what it did. Look at the end of the interval and at the handling of "
                    "stops first."},
    {.id = "steps.accepted",
     .summary = "every accepted step passes the error test of the controller that the task names",
     .bound = "scaled error <= 1 + what rounding can do to the estimate",
     .explanation =
         "Stages and error estimate of every reported step are computed again by plain loops, and the "
         "controller's norm by its published formula. A step whose scaled error exceeds 1 would have been "
         "rejected by the controller that the task names: the method uses another norm (a mean where a "
         "maximum is due, other weights atol + rtol |x|, components left out) or another estimate. Of a "
         "method that takes tolerances of each component (SENS_CAP_COMPONENTS) some tasks have them: look "
         "at which of them is taken with which component. Where another norm explains all steps, the text "
         "names it."},
    {.id = "steps.law",
     .summary = "each step follows from the one before by the step-size law that the task names",
     .bound = "rounding of the error estimate, carried through the law, + 16 eps h",
     .explanation =
         "From each reported step the next is predicted: scaled error, factor, cut at the next stop (or the "
         "rest up to it shared, or the step before it continued: docs/adding-a-method.md, Steps at a stop), "
         "and all trials that the law rejects on the way; the number of rejections must agree too. A failure "
         "is another exponent, safety factor or limit, or a norm that is larger than it should be (steps too "
         "small, so that every one still passes its test). Where another law or norm makes exactly these "
         "steps, the text names it."},
    {.id = "steps.fixed",
     .summary = "with the fixed step all steps are (t1 - t0) / M, and there are M",
     .bound = "8 eps max |t|",
     .explanation = "A task with the fixed step is run and the reported steps are counted and compared. "
                    "Fewer steps mean that the solve stops before t1, more that a sliver is left at the "
                    "end by accumulated rounding; other sizes that the step is adapted after all."},
    {.id = "steps.rejected",
     .summary = "state and gradient are right after rejected trials with a first-same-as-last pair",
     .bound = "rounding, measured on the oracle (Monte Carlo arithmetic)",
     .explanation = "The first trial step is the whole interval, so that trials are rejected. A "
                    "first-same-as-last pair takes the last slope of a step for the first of the next one: "
                    "after a rejection the slope of the rejected trial must not be taken. State and "
                    "gradient are compared with the oracle over the reported steps. Look at where the "
                    "first slope is declared known."},
    {.id = "steps.stiff",
     .summary = "steps of implicit formulas are as long as the solution allows, however stiff the equation",
     .bound = "40 steps, where growth from the first takes nine",
     .explanation =
         "y' = -1e6 (y - cos t) - sin t from y = 1 is cos t. An error estimate that is not filtered takes "
         "stages that are far off the slow solution for its error, and makes hundreds of steps. Look at "
         "where h sum e_i K_i is multiplied by (I - h gamma df/dx)^-1."},
    {.id = NULL}};

static void run(struct verify *v)
{
    if (!(v->method->caps & SENS_CAP_STEPS)) {
        for (const struct verify_check *check = checks; check->id; check++)
            verify_skip_check(v, check->id, v->module, "any task", "the method does not report its steps");
        return;
    }
    const bool own = !(v->method->caps & SENS_CAP_CONTROLLER);
    for (const struct verify_check *check = checks + 1; own && check->id; check++)
        verify_skip_check(v, check->id, v->module, "any task", "the method's steps are its own");
    for (int k = 0; k < PLANS; k++)
        if (!v->quick || !plans[k].full) check_plan(v, &plans[k]);
    const unsigned all = SENS_CAP_IMPLICIT | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER;
    if ((v->method->caps & all) == all)
        steps_check_implicit(v);
    else if (!own)
        verify_skip_check(v, "steps.stiff", v->module, "Prothero-Robinson", "no implicit tableaux are taken");
}

const struct verify_group verify_steps = {
    .name = "steps", .kind = VERIFY_METHOD, .checks = checks, .run = run};
