/* Solves a drawn scene and holds it against what the method declares. However many outputs there are, they
 * are judged by one mean of all, with weights of one sign: a single wrong entry of a single output moves it
 * by far more than rounding, and the oracle carries one cotangent. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "drawn.h"
#include "gradient_case.h"
#include "pair.h"
#include "trial.h"

enum { RACE_RUNS = 3, MOST_ENTRIES = 600, MOST_STEPS = 400 };

/* The steps of a discrete map that is not known were accepted for the state alone: no test sees the errors of
 * its derivative, which are of the same order, by factors of the sensitivities' size. */
static const double UNSEEN = 100;

struct trial { /* a solved scene beside its judge: the same task with the mean of all outputs */
    struct scene scene, judge;
    struct sens_out got;
    bool closely; /* an option has another value than usual */
};

/* ---- solving ------------------------------------------------------------------------------------------- */

struct repeats {
    struct sens_out first;
    struct drawn_verdict *verdict;
};

static void compare_run(void *self, struct bed *bed, int number)
{
    struct repeats *repeats = self;
    const struct sens_out nothing = trial_nothing(bed);
    char what[64];
    if (number == 0) repeats->first = bed_keep(bed);
    snprintf(what, sizeof what, "run %d and run 1 differ:", number + 1);
    if (number > 0) trial_compare(&repeats->verdict->worst, bed, &repeats->first, &nothing, what);
}

static void blame_one(struct drawn_verdict *verdict, enum cause cause)
{
    verdict->known_cause = true;
    verdict->cause = cause;
}

/* Several threads run more than once: what is a race in one run need not be in another. */
static void solve(struct bed *bed, struct drawn_verdict *verdict)
{
    struct repeats repeats = {.verdict = verdict};
    if (bed->task.threads > 1)
        verdict->status = bed_solve_repeatedly(bed, RACE_RUNS, compare_run, &repeats);
    else
        verdict->status = bed_solve(bed);
    if (!worst_passes(&verdict->worst)) blame_one(verdict, CAUSE_data_race);
    verdict->steps = bed->work.steps;
    if (verdict->status == SENS_OK && !bed_canaries_alive(bed)) {
        worst_note(&verdict->worst, INFINITY, 0, "the guard round an output has changed");
        blame_one(verdict, CAUSE_out_of_bounds);
    }
    if (verdict->status == SENS_OK) return;
    verdict->outcome = verdict->status == SENS_UNSUPPORTED ? DRAWN_REFUSED : DRAWN_FAILED;
    snprintf(verdict->message, sizeof verdict->message, "%s: %s", sens_status_name(verdict->status),
             bed->message);
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

/* The oracle follows the steps that were reported: they have to be steps from t0 to t1, past every
 * observation. */
static void judge_steps(const struct bed *bed, struct drawn_verdict *verdict)
{
    const struct grid *grid = &bed->grid;
    const struct sens_cost *cost = &bed->cost;
    size_t j = cost->n_obs > 0 && cost->t_obs[0] == bed->problem.t0;
    if (!(bed->method->caps & SENS_CAP_STEPS)) return;
    const double first = grid->steps ? grid->t[0] : NAN, last = grid->steps ? grid->t1[grid->steps - 1] : NAN;
    for (long k = 0; k < grid->steps; k++) j += j < cost->n_obs && cost->t_obs[j] == grid->t1[k];
    worst_note(&verdict->worst, fabs(first - bed->problem.t0), 0, "the first step starts at %.17g", first);
    worst_note(&verdict->worst, fabs(last - bed->problem.t1), 0, "the last step ends at %.17g, not at t1",
               last);
    for (long k = 0; k < grid->steps; k++)
        worst_note(&verdict->worst, fabs(grid->t[k] + grid->h[k] - grid->t1[k]),
                   8 * DBL_EPSILON * fmax(fabs(first), fabs(last)),
                   "step %ld: t + h = %.17g is not t1 = %.17g", k, grid->t[k] + grid->h[k], grid->t1[k]);
    worst_note(&verdict->worst, (double)(cost->n_obs - j), 0, "no step ends at observation %zu", j);
    if (first != bed->problem.t0) blame_one(verdict, CAUSE_first_step_lost);
    if (j < cost->n_obs) blame_one(verdict, CAUSE_observation_between);
    if (last != bed->problem.t1) blame_one(verdict, CAUSE_stops_early);
}

/* ---- what is expected ---------------------------------------------------------------------------------- */

/* Over the steps of the map; of quotients, with what they may be off by. */
static sens_status expect_map(const struct trial *trial, bool quotient, struct expected *expected)
{
    const struct bed *bed = &trial->judge.bed;
    struct grid grid;
    if (!expected_grid(bed, &grid)) return SENS_NO_MEMORY;
    sens_status status = expected_map_in_reverse(bed, &grid, expected);
    if (status == SENS_OK && quotient) status = expected_allow_quotient(bed, &grid, expected);
    grid_free(&grid);
    return status;
}

/* The exact solution, to the tolerance. */
static sens_status expect_exact(const struct bed *bed, struct expected *expected)
{
    struct grid grid;
    sens_status status = expected_exact_in_reverse(bed, expected);
    if (status != SENS_OK) return status;
    if (!expected_grid(bed, &grid)) return SENS_NO_MEMORY;
    status = expected_allow_errors(bed, &grid, expected_local_error(bed), expected);
    grid_free(&grid);
    return status;
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

static void compare(struct trial *trial, const struct expected *expected, const char *what,
                    struct drawn_verdict *verdict)
{
    out_compare(&verdict->worst, &trial->judge.bed, &trial->got, &expected->value, &expected->bound, what);
}

/* x and G alone. */
static void judge_state(struct trial *trial, struct drawn_verdict *verdict)
{
    struct scene state = trial->judge;
    struct expected expected;
    state.bed.task.parts = SENS_IN_STATE;
    if (expect_exact(&state.bed, &expected) == SENS_OK) compare(trial, &expected, "exact:", verdict);
}

/* Values of the method itself, where nothing else is known of its map. */
static bool judge_own(const struct bed *bed, struct drawn_verdict *verdict)
{
    struct worst own = {.count = 0};
    if (!gradient_note_own(bed, true, &own)) return false;
    if (own.count > 0) worst_note(&verdict->worst, own.value, own.bound, "%s", own.where);
    return true;
}

/* How much of a bump sound methods differ in: expected_allow_quotient has that of a forward quotient. */
static const double BUMPS_DIFFER = 2;

/* Quotients of a map that is not known, against those of its values that are better. What they may be off by
 * is a matter of the solution: of its curvature, and of its rounding over the bump. */
static bool judge_quotient(struct trial *trial, struct drawn_verdict *verdict)
{
    struct expected expected;
    struct worst own = {.count = 0};
    const struct bed *bed = &trial->judge.bed;
    if (expect_map(trial, true, &expected) != SENS_OK) return false;
    out_add(bed, &expected.bound, BUMPS_DIFFER - 1, &expected.bound);
    if (!gradient_note_quotient(bed, &trial->got, &expected.bound, &own)) return false;
    if (own.count > 0)
        worst_note(&verdict->worst, own.value, own.bound, "the mean of all outputs, by its own values: %s",
                   own.where);
    return true;
}

/* Of a derivative, so much is allowed that one without digits passes. */
static const double LITTLE = 1e-2;

static bool tells_little(const struct bed *bed, const struct expected *expected)
{
    static const unsigned parts[] = {SENS_IN_DGDP, SENS_IN_DGDX0};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!(bed->task.parts & parts[k])) continue;
        const double size = out_norm(bed, &expected->value, NULL, parts[k]);
        if (!(out_norm(bed, &expected->bound, NULL, parts[k]) <= LITTLE * size)) return true;
    }
    return false;
}

/* Beside a faint copy of itself the map is known to rounding, where the exact solution says little of the derivative.
 * With a value of an option that is not usual it is looked at in any case: what goes wrong by it may be as small as the
 * errors that the tolerance allows. */
static void judge_closely(const struct trial *trial, const struct expected *expected,
                          struct drawn_verdict *verdict)
{
    struct worst own = {.count = 0};
    if (!worst_passes(&verdict->worst)) return;
    if (!trial->closely && !tells_little(&trial->judge.bed, expected)) return;
    if (gradient_note_faint(&trial->scene.bed, &own) && own.count > 0)
        worst_note_in(&verdict->worst, own.parts, own.value, own.bound, "beside a faint copy: %s", own.where);
}

static bool judge_discrete(struct trial *trial, struct drawn_verdict *verdict)
{
    const unsigned caps = trial->scene.bed.method->caps;
    struct expected expected;
    if ((caps & SENS_CAP_TOLERANCE) && !bed_is_fixed(&trial->scene.bed)) judge_state(trial, verdict);
    if (expected_rebuilds(&trial->scene.bed)) {
        if (expect_map(trial, false, &expected) != SENS_OK) return false;
        compare(trial, &expected, "on the same steps, the mean of all outputs:", verdict);
        return true;
    }
    if (!(caps & SENS_CAP_TOLERANCE)) return judge_own(&trial->scene.bed, verdict);
    if (expect_exact(&trial->judge.bed, &expected) != SENS_OK) return false;
    out_add(&trial->judge.bed, &expected.bound, UNSEEN - 1, &expected.bound);
    compare(trial, &expected, "exact, the mean of all outputs:", verdict);
    judge_closely(trial, &expected, verdict);
    return true;
}

/* A method need not have dG/dp in the error test of its backward solve, and some pairs do not see a quadrature at
 * all (the estimate of Fehlberg's 7(8) is 0 where f depends on t alone). It may be as far off as that is over as many
 * equal steps: an error that falls with the tolerance, as that of a wrong term does not (order.exact). */
static void judge_exact(struct trial *trial, const struct expected *expected, struct drawn_verdict *verdict)
{
    const struct worst before = verdict->worst;
    compare(trial, expected, "the mean of all outputs:", verdict);
    if (worst_passes(&verdict->worst) || (verdict->worst.parts & ~pair_untested_back(&trial->judge.bed)))
        return;
    if (!pair_quadrature_back(&trial->judge.bed, &trial->got, expected, expected)) return;
    verdict->worst = before;
    worst_note(&verdict->worst, 0, 0, "as an untested quadrature");
}

static bool judge_numbers(struct trial *trial, struct drawn_verdict *verdict)
{
    const enum sens_derivative kind = trial->scene.bed.method->derivative;
    struct expected expected;
    if (kind == SENS_DERIVATIVE_DISCRETE) return judge_discrete(trial, verdict);
    if (kind == SENS_DERIVATIVE_DIFFERENCE && !expected_rebuilds(&trial->scene.bed))
        return judge_quotient(trial, verdict);
    const bool exact = kind == SENS_DERIVATIVE_CONTINUOUS;
    const sens_status status =
        exact ? expect_exact(&trial->judge.bed, &expected) : expect_map(trial, true, &expected);
    if (status != SENS_OK) return false;
    if (exact)
        judge_exact(trial, &expected, verdict);
    else
        compare(trial, &expected, "the mean of all outputs:", verdict);
    return true;
}

static bool options_differ(const struct drawing *drawing, const struct drawn *drawn)
{
    for (int axis = AXIS_OPTION; axis < AXIS_OPTION + AXIS_OPTIONS; axis++)
        if (drawn->value[axis] != drawing->usual.value[axis]) return true;
    return false;
}

static void make_judge(struct trial *trial)
{
    struct sens_cost mean;
    trial->judge = trial->scene;
    drawn_mean_cost(&trial->scene.bed, &mean);
    trial->judge.bed.cost = mean;
    trial->judge.bed.task.max_steps = 100000;
    trial->got = bed_shape(&trial->judge.bed);
    drawn_mean_out(&trial->scene.bed, &trial->judge.bed, &trial->got);
}

static struct drawn_verdict judge(const struct drawing *drawing, const struct drawn *drawn)
{
    struct drawn_verdict verdict = {.outcome = DRAWN_UNJUDGED};
    struct trial trial;
    long steps;
    if (!drawn_scene(drawing, drawn, &trial.scene)) {
        snprintf(verdict.message, sizeof verdict.message, "the tableau does not go with the controller");
        return verdict;
    }
    const struct sens_problem alone = trial.scene.bed.problem; /* the oracle has one thread */
    if (trial.scene.bed.task.threads > 1)
        trial.scene.bed.problem = trial_yielding(drawing->v, &trial.scene.bed.problem);
    solve(&trial.scene.bed, &verdict);
    trial.scene.bed.problem = alone;
    if (verdict.outcome == DRAWN_FAILED && !expected_solvable(&trial.scene.bed, 1e-6, &steps))
        verdict.outcome = DRAWN_UNJUDGED;
    if (verdict.status == SENS_OK) {
        make_judge(&trial);
        trial.closely = options_differ(drawing, drawn);
        judge_steps(&trial.scene.bed, &verdict);
        const bool wrong = !worst_passes(&verdict.worst);
        const bool judged = !wrong && judge_numbers(&trial, &verdict);
        verdict.outcome = !worst_passes(&verdict.worst)       ? DRAWN_WRONG
                          : judged && verdict.worst.count > 0 ? DRAWN_RIGHT
                                                              : DRAWN_UNJUDGED;
        if (verdict.outcome == DRAWN_UNJUDGED)
            snprintf(verdict.message, sizeof verdict.message, "the oracle cannot solve this task");
    }
    scene_free(&trial.scene);
    return verdict;
}

struct drawn_verdict drawn_judge(const struct drawing *drawing, const struct drawn *drawn)
{
    struct sens_arena *arena = &drawing->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    const struct drawn_verdict verdict = judge(drawing, drawn);
    sens_arena_rewind(arena, mark);
    return verdict;
}

/* ---- the catalogue of faults --------------------------------------------------------------------------- */

static void search(struct gradient_case *given, struct verify_result *result)
{
    struct bed *bed = &given->scene.bed;
    const size_t entries = bed->cost.m * (bed->problem.n + bed->problem.np);
    if (entries > MOST_ENTRIES || bed_solve(bed) != SENS_OK || bed->work.steps > MOST_STEPS) return;
    if (!case_prepare(given)) return;
    const struct expected *const expected = case_expected(given);
    if (expected) scene_blame(&given->oracle, &bed->out, expected, result);
}

void drawn_blame_catalogue(const struct drawing *drawing, const struct drawn *drawn,
                           struct verify_result *result)
{
    struct sens_arena *arena = &drawing->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct gradient_case given = {.parts = 0};
    if (drawing->v->method->derivative == SENS_DERIVATIVE_DIFFERENCE) return;
    if (drawn_scene(drawing, drawn, &given.scene)) search(&given, result);
    case_free(&given);
    sens_arena_rewind(arena, mark);
}
