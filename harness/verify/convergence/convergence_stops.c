/* order.exact beside its rungs: where observations are close behind the end of a step, and where they cut the interval
 * unevenly, or almost evenly, so that steps change their length from one to the next. */
#include "convergence_part.h"

/* ---- what is solved beside a rung ---------------------------------------------------------------------- */

/* Other statuses have other reasons: want of steps, a case that it does not take, a process that was stopped. */
bool convergence_fails_beside(struct bed *bed, const char *words, struct verify_result *result)
{
    const sens_status status = bed_solve(bed);
    if (status != SENS_DIVERGED && status != SENS_STEP_UNDERFLOW && status != SENS_NONFINITE &&
        status != SENS_SINGULAR && status != SENS_NOT_CONVERGED)
        return false;
    verify_fail(result, "%s: %s: %s; what is beside it is solved", words, sens_status_name(status),
                bed->message);
    return true;
}

/* An error within the tolerance is none: steps that are doubled until they are good enough are often much better, and
 * beside that they need not be. */
static double tolerated(const struct refinement *by, double h)
{
    return by->way == BY_TOLERANCE ? h : 0;
}

/* ---- close behind a step ------------------------------------------------------------------------------- */

/* The observation times, each a sliver of a step later than it was after the one before: a number of equal
 * steps that is rounded, or a rest that counts as none, leaves it out, and as many again, too. */
static const double *behind_steps(const struct bed *bed, long steps)
{
    static const double sliver[] = {8e-3, 2e-3}; /* of a step */
    const struct sens_problem *pb = &bed->problem;
    double *const t = verify_copy(bed->v, bed->cost.n_obs, bed->cost.t_obs), later = 0;
    for (size_t j = 0; j < bed->cost.n_obs; j++) {
        if (!(t[j] > pb->t0 && t[j] < pb->t1)) continue;
        later += sliver[j % 2] * (pb->t1 - pb->t0) / (double)steps;
        t[j] += later;
    }
    return t;
}

void convergence_judge_slivers(struct scene *scene, const struct part part[SENS_PARTS],
                               const struct refinement *by, const struct rungs *rungs,
                               struct verify_result *result)
{
    const int last = rungs->count - 1;
    const long steps = rungs->steps[last];
    struct bed *const bed = &scene->bed;
    const struct sens_cost usual = bed->cost;
    struct worst worst = {.count = 0};
    struct part moved[SENS_PARTS];
    struct expected goal;
    double h;
    if (by->way == BY_STEP || last < 1 || steps < 1 || !refinement_take(bed, by, last, &h)) return;
    bed->cost.t_obs = behind_steps(bed, steps);
    const bool known = expected_exact(&scene->bed, &goal) == SENS_OK;
    const bool failed =
        known && convergence_fails_beside(bed, "observed close behind the end of a step", result);
    const bool made = known && !failed && bed->status == SENS_OK;
    bed->cost = usual;
    verify_blame(result, CAUSE_observation_times, failed ? 0.97 : 0);
    if (failed) return;
    convergence_find_parts(scene, &goal, by->way, moved);
    for (enum sens_part i = 0; i < SENS_PARTS && made; i++) {
        const double *const error = part[i].ladder.error;
        if (!part[i].judged) continue;
        convergence_add_rung(&moved[i], h);
        worst_note_in(&worst, 1u << i, moved[i].ladder.error[0],
                      CONVERGENCE_BESIDE * fmax(error[last - 1], error[last]) + tolerated(by, h) +
                          moved[i].ladder.floor[0] + part[i].done,
                      "%s: observed close behind the end of a step: error", part[i].name);
    }
    if (worst_passes(&worst)) return;
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_remainder, 0.97);
    verify_blame(result, CAUSE_observation_times, 0.96);
}

/* ---- other stops --------------------------------------------------------------------------------------- */

enum { STOPS = 9 };

/* Where observations are, in parts of the interval. Unevenly: no two gaps are alike, and none is a few times another.
 * Almost evenly: gaps are alike but for some thousandths, and what belongs to one of them is not what belongs to the
 * next. */
static const struct stops {
    double at[STOPS];
    const char *words;
} stops[] = {{{0.043, 0.112, 0.297, 0.352, 0.541, 0.618, 0.803, 0.874, 1}, "unevenly"},
             {{0.11112, 0.22226, 0.33329, 0.44449, 0.55551, 0.66671, 0.77775, 0.88892, 1}, "almost evenly"}};

/* Errors follow a tolerance less evenly than they follow a step. */
static const double BY_STEPS = 1.5, BY_TESTS = 30, MOST_ORDER = 10;

/* The error of a rung, or that of the rungs beside it, brought there: one may be small by accident. */
static double usual_error(const struct ladder *l, int k, int last)
{
    const double beside = k < last ? sqrt(l->error[k - 1] * l->error[k + 1])
                                   : l->error[k - 1] * fmin(1, l->error[k - 1] / l->error[k - 2]);
    return fmax(l->error[k], beside);
}

/* What equal steps may leave behind other stops: the largest relative error of the parts, for that of a sum may be
 * small by accident on all rungs; more where steps are so few that stops make the longest one longer. */
static double allowed_error(const struct part usual[SENS_PARTS], long steps, int k, int last)
{
    double most = 0, order = 1;
    for (enum sens_part i = 0; i < SENS_PARTS; i++) {
        const struct ladder *const l = &usual[i].ladder;
        if (!usual[i].judged) continue;
        most = fmax(most, usual_error(l, k, last));
        order = fmax(order, log2(l->error[last - 1] / l->error[last]));
    }
    order = fmin(order, MOST_ORDER);
    return BY_STEPS * pow(1 + STOPS / (double)steps, order) * most;
}

/* On the last two rungs; of tolerances, on the last. */
static void note_stops(struct scene *scene, const struct part usual[SENS_PARTS], const struct refinement *by,
                       int last, const char *words, struct worst *worst)
{
    struct bed *const bed = &scene->bed;
    const bool tested = by->way == BY_TOLERANCE;
    struct part part[SENS_PARTS];
    struct expected goal;
    double h;
    if (expected_exact(bed, &goal) != SENS_OK) return;
    convergence_find_parts(scene, &goal, by->way, part);
    for (int k = tested ? last : last - 1; k <= last && refinement_take(bed, by, k, &h); k++) {
        if (bed_solve(bed) != SENS_OK) return;
        const double equal = tested ? 0 : allowed_error(usual, refinement_steps(bed), k, last);
        for (enum sens_part i = 0; i < SENS_PARTS; i++) {
            if (!part[i].judged || !usual[i].judged) continue;
            convergence_add_rung(&part[i], h);
            const int at = part[i].ladder.count - 1;
            worst_note_in(worst, 1u << i, part[i].ladder.error[at],
                          (tested ? BY_TESTS * usual_error(&usual[i].ladder, k, last) : equal) +
                              tolerated(by, h) + part[i].ladder.floor[at] + part[i].done,
                          "%s: where observations cut the interval %s (%ld steps in all): error",
                          part[i].name, words, refinement_steps(bed));
        }
    }
}

void convergence_judge_stops(struct scene *scene, const struct part part[SENS_PARTS],
                             const struct refinement *by, const struct rungs *rungs,
                             struct verify_result *result)
{
    struct bed *const bed = &scene->bed;
    const struct sens_problem *const pb = &bed->problem;
    const struct sens_cost usual = bed->cost;
    const unsigned parts = probe_parts_for(bed->method);
    const int last = rungs->count - 1;
    if (by->way == BY_STEP || last < 2 || !(bed->method->caps & SENS_CAP_OBSERVATIONS)) return;
    for (size_t q = 0; q < sizeof stops / sizeof *stops && result->verdict == VERIFY_PASS; q++) {
        struct worst worst = {.count = 0};
        double t[STOPS];
        for (int j = 0; j < STOPS; j++) t[j] = pb->t0 + stops[q].at[j] * (pb->t1 - pb->t0);
        probe_cost_at(bed->v, pb, usual.m, parts, STOPS, t, &bed->cost);
        note_stops(scene, part, by, last, stops[q].words, &worst);
        bed->cost = usual;
        if (worst_passes(&worst)) continue;
        verify_judge(result, &worst);
        verify_blame(result, CAUSE_missing_step, 0.97);
        verify_blame(result, CAUSE_observation_between, 0.9);
    }
}
