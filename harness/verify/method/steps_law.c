/* Are the steps that a method reports those of the controller that its task names?
 *
 * They are made a second time, by plain loops: from each reported step the next one follows by
 *
 *     err = |e / scale|,   h' = h * factor(err),   again from the same state while err > 1,   cut at the stop,
 *
 * so that every rejected trial is met too. The norms and factors are in step_rules.c. What a controller's law does
 * not say is what happens at a stop (docs/adding-a-method.md, "Steps at a stop"): the rest up to it may be shared
 * between two steps, a last step may be a little longer than proposed, and behind a step that was cut the next
 * proposal is anything from what follows by the law to what was proposed before the cut. */
#include <string.h>

#include "step_rules.h"

/* Steps made again along those reported. */
struct replay {
    struct scene *scene;
    step_function *take;
    struct step_rule rule;
    struct step_memory memory;
    struct rk_step step;
    double *x;                       /* at the step's start */
    double h, h_noise;               /* the step proposed, and by how much rounding may move it */
    double least;                    /* behind a cut the least that may be proposed; else h */
    double proposed, proposed_noise; /* what the accepted trial was before a stop cut it */
    double accepted_h;               /* of the accepted trial */
    long rejects;
    bool
        undecided; /* an error within rounding of 1 was met, or a choice: a count of rejections says nothing */
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
    const sens_status status = replay->take(&bed->problem, bed->task.tableau, t, h, replay->x, &replay->step);
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
    const double fast = step_factor(&replay->rule, &low, h, fmax(error->err - error->noise, 0), tb);
    const double slow = step_factor(&replay->rule, &high, h, error->err + error->noise, tb);
    replay->h = h * step_factor(&replay->rule, &replay->memory, h, error->err, tb);
    replay->h_noise = 2 * h * fabs(fast - slow) + 4 * h_noise + 16 * DBL_EPSILON * h;
}

/* A proposal that would leave less than itself up to the stop: half of the rest, where it is shared. */
static double share(double t, double h, double stop)
{
    return t + h < stop && t + 2 * h > stop ? (stop - t) / 2 : h;
}

/* Trials from the proposal h until one is accepted: is that step k? *known: it can be told. */
static bool follow(struct replay *replay, long k, double h, bool shared, bool *known)
{
    enum { TRIALS = 60 };
    const struct grid *grid = &replay->scene->bed.grid;
    const double t = grid->t[k], stop = next_stop(&replay->scene->bed, t);
    *known = false;
    replay->h = h;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct step_error error;
        const double length = cut(t, shared ? share(t, replay->h, stop) : replay->h, stop);
        if (measure(replay, t, length, &error) != SENS_OK || !isfinite(error.err) ||
            fabs(error.err - 1) <= error.noise)
            return false;
        replay->proposed = replay->h;
        replay->proposed_noise = replay->h_noise;
        replay->accepted_h = length;
        *known = error.err <= 1;
        if (*known) return fabs(length - grid->h[k]) <= replay->h_noise;
        replay->rejects++;
        propose(replay, length, length == replay->h ? replay->h_noise : 0, &error);
    }
    return false;
}

/* May a method choose the step, where the law and the stop leave it a choice? From `least` on up to h behind a cut,
 * or less where such a trial is `rejected`; all of the rest, where that is up to STRETCH times the proposal. */
static bool is_choice(const struct replay *replay, long k, bool rejected)
{
    static const double STRETCH = 1.01;
    const struct grid *grid = &replay->scene->bed.grid;
    const double h = grid->h[k], rest = next_stop(&replay->scene->bed, grid->t[k]) - grid->t[k];
    const double most = replay->h + replay->h_noise;
    const bool any = replay->least < replay->h && h <= most;
    if (any && (rejected || h >= replay->least - replay->h_noise)) return true;
    return fabs(h - rest) <= 1e-12 * rest && rest <= STRETCH * most;
}

/* Trials from what may be proposed until one is accepted: is it step k? false: it cannot be told. */
static bool repeat_trials(struct replay *replay, long k)
{
    const struct grid *grid = &replay->scene->bed.grid;
    const double from[] = {replay->h, replay->least};
    struct replay usual = *replay;
    bool known, found = follow(&usual, k, replay->h, false, &known), other_known;
    const bool rejected = usual.rejects > replay->rejects;
    for (int way = 1; way < 4; way++) {
        struct replay other = *replay;
        if (!follow(&other, k, from[way % 2], way >= 2, &other_known)) continue;
        if (found && other.rejects != usual.rejects) usual.undecided = true;
        if (!found) usual = other;
        found = true;
    }
    if (!found && is_choice(replay, k, rejected)) {
        replay->undecided = true;
        replay->proposed = grid->h[k];
        replay->proposed_noise = replay->h_noise;
        return true;
    }
    if (!known && !found) return false;
    *replay = usual;
    worst_note(&replay->law, fabs(replay->accepted_h - grid->h[k]), replay->h_noise,
               "step %ld at t = %.6g: h = %.10g, where the law gives %.10g", k, grid->t[k], grid->h[k],
               replay->accepted_h);
    return true;
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
    const bool at_stop =
        grid->t1[k] == next_stop(bed, grid->t[k]) || grid->h[k] < replay->proposed - replay->proposed_noise;
    error.err = fmin(error.err, 1); /* it was accepted, be it within rounding */
    propose(replay, grid->h[k], 0, &error);
    replay->least = replay->h;
    if (at_stop) {
        replay->least = fmin(replay->h, replay->proposed);
        replay->h = fmax(replay->h, replay->proposed);
        replay->h_noise += replay->proposed_noise;
    }
    memcpy(replay->x, replay->step.x1, bed->problem.n * sizeof *replay->x);
    return true;
}

static struct replay replay_steps(struct scene *scene, step_function *take, const struct step_rule *rule)
{
    struct bed *bed = &scene->bed;
    struct replay replay = {
        .scene = scene, .take = take, .rule = *rule, .h = bed->task.dt, .least = bed->task.dt};
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
    if (steps_compare(scene, &worst, &right) != SENS_OK || worst_passes(&worst)) return true;
    verify_say(result, "the state itself is not that of the steps reported: state.map");
    oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
    oracle_blame_state(&oracle, &bed->out, &right, result);
    if (bed->task.tableau->fsal && bed->work.rejects > 0) verify_blame(result, CAUSE_stale_slope, 0.8);
    verify_blame(result, CAUSE_solver_not_derivative, 0.5);
    return false;
}

/* Another norm or another law that makes just these steps is the cause. */
enum { MOST_REPEATED = 3000 };

static void blame_rules(struct scene *scene, step_function *take, const struct step_rule *named,
                        struct verify_result *result)
{
    if (scene->bed.grid.steps > MOST_REPEATED) return;
    bool found = !state_follows(scene, result);
    struct step_rule other;
    for (int number = 0; step_rule_variant(named, number, &other); number++) {
        const struct replay replay = replay_steps(scene, take, &other);
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

void steps_check_controller(struct scene *scene, step_function *take)
{
    struct bed *bed = &scene->bed;
    struct step_rule rule;
    if (!step_rule_named(bed->task.controller->name, &rule)) return;
    const struct replay replay = replay_steps(scene, take, &rule);
    struct verify_result accepted = verify_open("steps.accepted", scene->module, scene->subject);
    verify_judge(&accepted, &replay.accepted);
    if (accepted.verdict == VERIFY_FAIL) blame_rules(scene, take, &rule, &accepted);
    verify_close(bed->v, &accepted);
    struct verify_result law = verify_open("steps.law", scene->module, scene->subject);
    verify_judge(&law, &replay.law);
    if (law.verdict == VERIFY_FAIL) blame_rules(scene, take, &rule, &law);
    verify_close(bed->v, &law);
}
