/* Are the steps that a method reports the steps that its task asks for?
 *
 * The accepted steps must cover [t0, t1]; with the fixed step they must be equal; with a named controller
 * they are made a second time, by plain loops: from each reported step the next one follows by
 *
 *     err = |e / scale|,   h' = h * factor(err),   again from the same state while err > 1,   cut at the
 * stop,
 *
 * so that every rejected trial is met too. The norms and factors are in step_rules.c. */
#include <string.h>

#include "step_rules.h"

/* ---- steps.cover --------------------------------------------------------------------------------------- */

static double time_rounding(const struct bed *bed)
{
    return 8 * DBL_EPSILON * fmax(fabs(bed->problem.t0), fabs(bed->problem.t1));
}

static void note_chain(const struct bed *bed, struct worst *worst)
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
    note_chain(bed, &worst);
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

/* Results against the oracle's over the reported steps. */
static sens_status compare_results(struct scene *scene, struct worst *worst, struct sens_out *right)
{
    struct bed *bed = &scene->bed;
    struct expected expected;
    const sens_status status = expected_map(bed, &bed->grid, &expected);
    if (status == SENS_OK)
        out_compare(worst, bed, &bed->out, &expected.value, &expected.bound, "on the reported steps:");
    *right = expected.value;
    return status;
}

/* ---- steps.accepted and steps.law ---------------------------------------------------------------------- */

/* Steps made again along those reported. */
struct replay {
    struct scene *scene;
    struct step_rule rule;
    struct step_memory memory;
    struct rk_step step;
    double *x;                       /* at the step's start */
    double h, h_noise;               /* the step proposed, and by how much rounding may move it */
    double proposed, proposed_noise; /* what the accepted trial was before a stop cut it */
    long rejects;
    bool undecided; /* an error within rounding of 1 was met: a count of rejections says nothing */
    struct worst accepted, law;
};

static double next_stop(const struct bed *bed, double t)
{
    for (size_t j = 0; j < bed->cost.n_obs; j++)
        if (bed->cost.t_obs[j] > t) return bed->cost.t_obs[j];
    return bed->problem.t1;
}

/* A trial that would pass the stop, or miss it by rounding, ends there. */
static double cut(double t, double h, double stop)
{
    return stop - (t + h) <= 4 * DBL_EPSILON * fmax(fabs(t), fabs(stop)) ? stop - t : h;
}

static sens_status measure(struct replay *replay, double t, double h, struct step_error *error)
{
    const struct bed *bed = &replay->scene->bed;
    const sens_status status = rk_step(&bed->problem, bed->task.tableau, t, h, replay->x, &replay->step);
    if (status == SENS_OK) *error = step_error(&replay->rule, bed, h, replay->x, &replay->step);
    return status;
}

/* The next proposal after a trial h, itself known to h_noise, with this error; and how far rounding may move
 * it. An error that goes as h^k makes h err^(-1/l) go as h^(1 - k/l): with l >= k/5, at most fourfold. */
static void propose(struct replay *replay, double h, double h_noise, const struct step_error *error)
{
    const struct sens_tableau *tb = replay->scene->bed.task.tableau;
    const struct step_memory before = replay->memory;
    struct step_memory low = before, high = before;
    const double fast = step_factor(&replay->rule, &low, fmax(error->err - error->noise, 0), tb);
    const double slow = step_factor(&replay->rule, &high, error->err + error->noise, tb);
    replay->h = h * step_factor(&replay->rule, &replay->memory, error->err, tb);
    replay->h_noise = 2 * h * fabs(fast - slow) + 4 * h_noise + 16 * DBL_EPSILON * h;
}

/* Trials from the proposal until one is accepted: is it step k? false: it cannot be told. */
static bool repeat_trials(struct replay *replay, long k)
{
    enum { TRIALS = 60 };
    const struct grid *grid = &replay->scene->bed.grid;
    const double t = grid->t[k], stop = next_stop(&replay->scene->bed, t);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct step_error error;
        const double h = cut(t, replay->h, stop);
        if (measure(replay, t, h, &error) != SENS_OK || !isfinite(error.err) ||
            fabs(error.err - 1) <= error.noise)
            return false;
        replay->proposed = replay->h;
        replay->proposed_noise = replay->h_noise;
        if (error.err <= 1) {
            worst_note(&replay->law, fabs(h - grid->h[k]), replay->h_noise,
                       "step %ld at t = %.6g: h = %.10g, where the law gives %.10g", k, t, grid->h[k], h);
            return true;
        }
        replay->rejects++;
        propose(replay, h, h == replay->h ? replay->h_noise : 0, &error);
    }
    return false;
}

/* Step k as reported: its error, and the proposal for the next. */
static bool take_reported(struct replay *replay, long k)
{
    const struct bed *bed = &replay->scene->bed;
    const struct grid *grid = &bed->grid;
    struct step_error error;
    if (measure(replay, grid->t[k], grid->h[k], &error) != SENS_OK) return false;
    worst_note(&replay->accepted, error.err, 1 + error.noise, "step %ld at t = %.6g: scaled error", k,
               grid->t[k]);
    const bool landed = grid->t1[k] == next_stop(bed, grid->t[k]);
    error.err = fmin(error.err, 1); /* it was accepted, be it within rounding */
    propose(replay, grid->h[k], 0, &error);
    if (landed && replay->proposed > replay->h) {
        replay->h = replay->proposed;
        replay->h_noise += replay->proposed_noise;
    }
    memcpy(replay->x, replay->step.x1, bed->problem.n * sizeof *replay->x);
    return true;
}

static struct replay replay_steps(struct scene *scene, const struct step_rule *rule)
{
    struct bed *bed = &scene->bed;
    struct replay replay = {.scene = scene, .rule = *rule, .h = bed->task.dt};
    replay.step = rk_step_create(bed->v, bed->task.tableau, bed->problem.n);
    replay.x = verify_array(bed->v, bed->problem.n);
    replay.h_noise = 16 * DBL_EPSILON * replay.h;
    sens_problem_x0(&bed->problem, bed->problem.p, replay.x);
    for (long k = 0; k < bed->grid.steps; k++) {
        if (!repeat_trials(&replay, k)) {
            replay.undecided = true;
            replay.proposed = bed->grid.h[k];
        }
        if (!take_reported(&replay, k)) break;
    }
    if (!replay.undecided)
        worst_note(&replay.law, fabs((double)(replay.rejects - bed->work.rejects)), 0,
                   "%ld rejections counted, the law makes %ld", bed->work.rejects, replay.rejects);
    return replay;
}

/* Is the state that of the reported steps? If not, the trials are another state's: the solver is at fault,
 * not its controller. */
static bool state_follows(struct scene *scene, struct verify_result *result)
{
    struct bed *bed = &scene->bed;
    struct worst worst = {0};
    struct sens_out right;
    struct oracle oracle;
    if (compare_results(scene, &worst, &right) != SENS_OK || worst_passes(&worst)) return true;
    verify_say(result, "the state itself is not that of the steps reported: state.map");
    oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
    oracle_blame_state(&oracle, &bed->out, &right, result);
    if (bed->task.tableau->fsal && bed->work.rejects > 0) verify_blame(result, CAUSE_stale_slope, 0.8);
    verify_blame(result, CAUSE_solver_not_derivative, 0.5);
    return false;
}

/* Another norm or another law that makes just these steps is the cause. */
enum { MOST_REPEATED = 3000 };

static void blame_rules(struct scene *scene, const struct step_rule *named, struct verify_result *result)
{
    if (scene->bed.grid.steps > MOST_REPEATED) return;
    bool found = !state_follows(scene, result);
    struct step_rule other;
    for (int number = 0; step_rule_variant(named, number, &other); number++) {
        const struct replay replay = replay_steps(scene, &other);
        if (!worst_passes(&replay.law) || !worst_passes(&replay.accepted)) continue;
        const bool norm = other.law == named->law;
        verify_say(result, "the steps are those of %s %s", norm ? "the norm" : "the law",
                   norm ? step_norm_words(&other) : step_law_words(&other));
        verify_blame(result, norm ? CAUSE_controller_norm : CAUSE_controller_law, 1);
        found = true;
    }
    if (!found) verify_blame(result, CAUSE_controller_norm, 0.6);
    if (!found) verify_blame(result, CAUSE_controller_law, 0.55);
    verify_blame(result, CAUSE_tableau_coefficient, 0.2);
}

static void check_controller(struct scene *scene)
{
    struct bed *bed = &scene->bed;
    struct step_rule rule;
    if (!step_rule_named(bed->task.controller->name, &rule)) return;
    const struct replay replay = replay_steps(scene, &rule);
    struct verify_result accepted = verify_open("steps.accepted", scene->module, scene->subject);
    verify_judge(&accepted, &replay.accepted);
    if (accepted.verdict == VERIFY_FAIL) blame_rules(scene, &rule, &accepted);
    verify_close(bed->v, &accepted);
    struct verify_result law = verify_open("steps.law", scene->module, scene->subject);
    verify_judge(&law, &replay.law);
    if (law.verdict == VERIFY_FAIL) blame_rules(scene, &rule, &law);
    verify_close(bed->v, &law);
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
           compare_results(scene, &worst, &right) == SENS_OK && worst_passes(&worst);
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
    } else if (compare_results(scene, &worst, &right) != SENS_OK) {
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
};
static const struct plan plans[] = {
    {"cash_karp", "odeint", 0, 1e-3, 5, false},
    {"dopri5", "hairer-pi", 0, 1, 5, false},
    {"bs32", "petsc", 0, 1, 3, false},
    {"dop853", "hairer-pi", 0, 1e-2, 9, false},
    {"dopri5", "odeint", 0, 1, 9, false},
    {"rk4", "fixed", 24, 0, 5, false},
    {"cash_karp", "odeint", 0, 0.1, 1, false},
    {"tsit5", "petsc", 0, 1, 2, true},
    {"fehlberg45", "hairer-pi", 0, 0.3, 8, true},
    {"verner65", "odeint", 0, 1, 2, true},
    {"fehlberg78", "petsc", 0, 0.5, 6, true},
    {"bs32", "odeint", 0, 1, 4, true},
    {"dopri5", "fixed", 40, 0, 5, true},
    {"tsit5", "hairer-pi", 0, 1, 7, true},
    {"dop853", "petsc", 0, 1, 17, true},
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

static void check_plan(struct verify *v, const struct plan *plan)
{
    const struct scene_settings settings = draw(v, plan);
    struct scene scene;
    if (!scene_create(v, &settings, &scene)) return;
    const double length = scene.bed.problem.t1 - scene.bed.problem.t0;
    const double part = v->seed ? pow(10, verify_uniform(v, -3, 0)) : plan->dt;
    const bool far = !bed_is_fixed(&scene.bed) && plan->dt == 1;
    if (!bed_is_fixed(&scene.bed)) scene.bed.task.dt = length * (far ? 1 : part);
    if (bed_solve(&scene.bed) == SENS_OK) {
        check_cover(&scene);
        if (bed_is_fixed(&scene.bed)) check_fixed(&scene, settings.steps);
        const bool controlled = v->method->caps & SENS_CAP_CONTROLLER && expected_rebuilds(&scene.bed);
        if (controlled && !bed_is_fixed(&scene.bed)) check_controller(&scene);
        if (controlled && far && scene.bed.task.tableau->fsal) check_rejected(&scene);
    } else {
        verify_skip_check(v, "steps.cover", scene.module, scene.subject, "the solve failed: solve.completes");
    }
    scene_free(&scene);
}

static void run(struct verify *v)
{
    char module[VERIFY_NAME];
    verify_module("method", v->method->name, module);
    if (!(v->method->caps & SENS_CAP_STEPS)) {
        for (const struct verify_check *check = steps_checks; check->id; check++)
            verify_skip_check(v, check->id, module, "any task", "the method does not report its steps");
        return;
    }
    const bool own = !(v->method->caps & SENS_CAP_CONTROLLER);
    for (const struct verify_check *check = steps_checks + 1; own && check->id; check++)
        verify_skip_check(v, check->id, module, "any task", "the method's steps are its own");
    for (int k = 0; k < PLANS; k++)
        if (!v->quick || !plans[k].full) check_plan(v, &plans[k]);
}

const struct verify_group verify_steps = {
    .name = "steps", .kind = VERIFY_METHOD, .checks = steps_checks, .run = run};
