/* What one task of the group gradient is compared with. */
#include "gradient_case.h"

#include <string.h>

/* ---- the derivatives ----------------------------------------------------------------------------------- */

bool case_prepare(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    if (!expected_grid(&given->scene.bed, &given->grid)) return false;
    oracle_create(bed, bed->task.tableau, &given->grid, &given->oracle);
    return true;
}

bool case_frozen(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    if (given->frozen_tried) return given->frozen_known;
    given->frozen_tried = true;
    if (!expected_rebuilds(bed)) return false;
    given->adjoint = bed_shape(bed);
    given->frozen_known = expected_map(bed, &given->grid, &given->frozen) == SENS_OK &&
                          oracle_adjoint(&given->oracle, &given->adjoint) == SENS_OK;
    return given->frozen_known;
}

bool case_truth(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    if (given->truth_tried) return given->truth_known;
    given->truth_tried = true;
    if (bed->problem.mass) return false; /* the oracle of the exact solution knows x' = f alone */
    given->uncertainty = bed_shape(bed);
    given->truth_known = expected_exact(bed, &given->truth) == SENS_OK;
    if (!given->truth_known) return false;
    out_add(bed, &given->uncertainty, 1, &given->truth.bound);
    given->truth_known =
        expected_allow_errors(bed, &given->grid, expected_local_error(bed), &given->truth) == SENS_OK;
    return given->truth_known;
}

const struct expected *case_expected(struct gradient_case *given)
{
    if (given->scene.bed.method->derivative == SENS_DERIVATIVE_DISCRETE)
        return case_frozen(given) ? &given->frozen : NULL;
    return case_truth(given) ? &given->truth : NULL;
}

void case_free(struct gradient_case *given)
{
    grid_free(&given->grid);
    scene_free(&given->scene);
}

/* ---- the third derivative ------------------------------------------------------------------------------ */

/* G of the method itself at parameters p. */
static bool solve_at(struct gradient_case *given, const double *p, double *G)
{
    struct bed bed = given->scene.bed;
    bed.grid = (struct grid){.steps = 0};
    bed.problem.p = p;
    bed.out = bed_outputs(&bed);
    if (sens_problem_x0_depends(&bed.problem)) {
        double *const x0 = verify_array(bed.v, bed.problem.n);
        sens_problem_x0(&bed.problem, p, x0);
        bed.problem.x0 = x0;
    }
    const bool solved = bed_solve(&bed) == SENS_OK;
    for (size_t c = 0; c < bed.cost.m && solved; c++) G[c] = bed.out.G[c];
    bed_free(&bed);
    return solved;
}

static double along_p(const struct bed *bed, const struct sens_out *out, size_t c, const double *d)
{
    double sum = 0;
    for (size_t k = 0; k < bed->problem.np; k++) sum += out->dGdp[c * bed->problem.np + k] * d[k];
    return sum;
}

void case_say_controlled(struct gradient_case *given, struct verify_result *result)
{
    struct bed *bed = &given->scene.bed;
    const size_t np = bed->problem.np, m = bed->cost.m;
    const double eps = 1e-3;
    double *const d = verify_random(bed->v, np), *const p = verify_array(bed->v, np);
    double *const above = verify_array(bed->v, m), *const below = verify_array(bed->v, m);
    if (np == 0 || !bed->out.dGdp) return;
    for (size_t k = 0; k < np; k++) p[k] = bed->problem.p[k] + eps * d[k];
    if (!solve_at(given, p, above)) return;
    for (size_t k = 0; k < np; k++) p[k] = bed->problem.p[k] - eps * d[k];
    if (!solve_at(given, p, below)) return;
    verify_say(result, "G_0 along a random dp: gradient %.6g, with the controller %.6g",
               along_p(bed, &bed->out, 0, d), (above[0] - below[0]) / (2 * eps));
    if (case_truth(given)) verify_say(result, "exact %.6g", along_p(bed, &given->truth.value, 0, d));
    if (case_frozen(given)) verify_say(result, "frozen %.6g", along_p(bed, &given->frozen.value, 0, d));
}

/* ---- which part of the task ---------------------------------------------------------------------------- */

bool case_is_right(struct gradient_case *solved)
{
    const struct bed *bed = &solved->scene.bed;
    struct worst worst = {0};
    if (bed->status != SENS_OK || !out_finite(bed, &bed->out) || !case_prepare(solved)) return false;
    const struct expected *const expected = case_expected(solved);
    if (expected) expected_compare(&worst, bed, &bed->out, expected);
    return expected && worst_passes(&worst);
}

/* Is the gradient right for this cost, the initial state held or not? */
static bool right_without(const struct gradient_case *given, unsigned parts, bool x0_fixed)
{
    struct gradient_case part = {.scene = given->scene};
    struct bed *bed = &part.scene.bed;
    bed->grid = (struct grid){.steps = 0};
    bed->problem.x0_fixed = bed->problem.x0_fixed || x0_fixed;
    probe_cost(bed->v, &bed->problem, bed->cost.m, parts & probe_parts_for(bed->method), &bed->cost);
    bed->out = bed_outputs(bed);
    bed_solve(bed);
    const bool right = case_is_right(&part);
    case_free(&part);
    return right;
}

bool case_tells(const struct verify_result *result)
{
    static const double clearly = 4; /* bounds of neighbouring tasks differ by less */
    return !(result->value <= clearly * result->bound);
}

const struct case_part case_parts[CASE_PARTS] = {
    {PROBE_AT_T0, "an observation at t0", CAUSE_observation_t0, CAUSE_observation_t0},
    {PROBE_BETWEEN, "observations in between", CAUSE_observation_between, CAUSE_observation_between},
    {PROBE_RUNNING, "a running cost", CAUSE_missing_running_cost, CAUSE_quadrature_weights},
    {PROBE_EXPLICIT, "explicit p in the cost", CAUSE_missing_explicit_cost, CAUSE_missing_explicit_cost},
};

void case_blame_parts(struct gradient_case *given, struct verify_result *result)
{
    if (!case_tells(result)) return;
    const unsigned parts = given->parts;
    for (size_t k = 0; k < CASE_PARTS; k++) {
        const struct case_part *const one = &case_parts[k];
        if (!(parts & one->part)) continue;
        if (!right_without(given, (parts & ~one->part) | PROBE_AT_T1, false)) continue;
        verify_say(result, "right without %s", one->words);
        verify_blame(result, one->cause, 0.6);
        verify_blame(result, one->other, 0.5);
    }
    if (!sens_problem_x0_depends(&given->scene.bed.problem) || !right_without(given, parts, true)) return;
    verify_say(result, "right where x0 does not depend on p");
    verify_blame(result, CAUSE_missing_initial_term, 0.6);
}

void case_blame_mass(const struct gradient_case *given, struct verify_result *result)
{
    if (!given->scene.bed.problem.mass) return;
    struct gradient_case plain = {.scene = given->scene};
    struct bed *bed = &plain.scene.bed;
    bed->grid = (struct grid){.steps = 0};
    bed->problem.mass = NULL;
    bed->out = bed_outputs(bed);
    bed_solve(bed);
    if (case_is_right(&plain)) {
        verify_say(result, "right where there is no mass matrix");
        verify_blame(result, CAUSE_mass_matrix, 1);
    }
    case_free(&plain);
}

/* ---- kinds --------------------------------------------------------------------------------------------- */

/* Frobenius distance of the gradients, absolute; b NULL: size of a. */
static double distance(const struct bed *bed, const struct sens_out *a, const struct sens_out *b)
{
    return out_norm(bed, a, b, SENS_IN_GRADIENT);
}

/* Tasks whose exact and frozen derivatives are nearer than this many roundings tell nothing. */
static const double APART = 1000;

void kinds_note_discrete(struct gradient_case *given, struct kinds *kinds)
{
    const struct bed *bed = &given->scene.bed;
    const double rounding =
        distance(bed, &given->frozen.bound, NULL) + distance(bed, &given->uncertainty, NULL);
    if (distance(bed, &given->frozen.value, &given->truth.value) < APART * rounding) return;
    worst_note(&kinds->worst, distance(bed, &bed->out, &given->frozen.value),
               10 * distance(bed, &bed->out, &given->truth.value) + rounding,
               "%s: declared discrete, yet ten times nearer to the exact derivative than to the frozen one",
               given->scene.subject);
}

/* The frozen derivative over the steps that the task's controller takes for the state alone. */
static bool frozen_on_state_steps(struct gradient_case *given, struct sens_out *out)
{
    struct bed *bed = &given->scene.bed;
    const size_t n = bed->problem.n, np = bed->problem.np, m = bed->cost.m, all = n + np;
    struct sens_task task = bed->task;
    struct sens_ctx ctx = {.now = NULL};
    size_t *const col = verify_memory(bed->v, all, sizeof *col);
    double *const columns = verify_array(bed->v, m * all);
    for (size_t k = 0; k < all; k++) col[k] = k;
    task.listener = (struct sens_listener){.step = NULL};
    task.ckpt = (struct sens_ckpt){.policy = NULL};
    const sens_status status = bed->v->reg->tangent_columns(&ctx, &task, false, all, col, columns);
    sens_arena_release(&ctx.arena);
    for (size_t c = 0; c < m && status == SENS_OK; c++) {
        for (size_t k = 0; out->dGdp && k < np; k++) out->dGdp[c * np + k] = columns[c * all + k];
        for (size_t i = 0; out->dGdx0 && i < n; i++) out->dGdx0[c * n + i] = columns[c * all + np + i];
    }
    return status == SENS_OK;
}

/* At a loose tolerance, where the kinds are far apart, and under a mean over all components, which the
 * sensitivities never leave as it is. */
void kinds_note_continuous(struct gradient_case *given, struct kinds *kinds)
{
    struct bed *bed = &given->scene.bed;
    const unsigned both = SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER;
    const double rtol = bed->task.rtol, atol = bed->task.atol;
    struct sens_out frozen = bed_shape(bed), rounding = bed_shape(bed);
    if ((bed->method->caps & both) != both) return;
    if (strcmp(bed->task.controller->name, "odeint") == 0) return;
    if (oracle_rounding(&given->oracle, NULL, &rounding) != SENS_OK) return;
    const double smallest = distance(bed, &rounding, NULL);
    bed_tolerance(bed, 1e-5);
    const bool solved = bed_solve(bed) == SENS_OK && frozen_on_state_steps(given, &frozen);
    if (solved && distance(bed, &frozen, &given->truth.value) > APART * smallest)
        worst_note(
            &kinds->worst, smallest, distance(bed, &bed->out, &frozen),
            "%s: declared continuous, yet to rounding the discrete derivative over the state's own steps",
            given->scene.subject);
    bed->task.rtol = rtol;
    bed->task.atol = atol;
}

void kinds_note_difference(struct gradient_case *given, struct kinds *kinds)
{
    const struct bed *bed = &given->scene.bed;
    worst_note(&kinds->worst, distance(bed, &given->frozen.bound, NULL),
               distance(bed, &bed->out, &given->frozen.value),
               "%s: declared a difference quotient, yet to rounding the derivative of the map",
               given->scene.subject);
}
