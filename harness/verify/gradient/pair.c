/* A method on a registered problem: does it compute the derivative that it declares?
 *
 * The problem's callbacks have been verified before; a failure here is the method's. Targets and bounds are
 * those of expected.h, by kind of derivative. */
#include "pair.h"

#include <math.h>
#include <stdio.h>

#include "decorate.h"

enum { QUICK_INSTANCES = 2 };
static const double APART = 100;

static const struct verify_check checks[] = {
    {.id = "pair.status",
     .summary = "a solve ends with finite numbers, or with a status that the task explains",
     .bound = "none: the harness's own solve of the same task tells whether it can be done",
     .explanation =
         "The method solves the task at hand; all outputs must then be finite and nothing outside them "
         "may be written. A status is accepted where the method does not support the task, or where the "
         "harness's own adaptive solve fails too, with the same or a 100 times looser tolerance. Any "
         "other status is a failure: look at the method's message first, then at where it compares a "
         "state or a step with a limit."},
    {.id = "pair.frozen",
     .level = VERIFY_TO_ROUNDING,
     .summary = "the gradient of a discrete method is that of the map on its own accepted steps",
     .bound = "rounding: the same derivative recomputed with every intermediate number perturbed",
     .explanation =
         "The accepted steps that the method reports are given to the harness's own tangent, written from "
         "the formulas of the tableau with plain loops. A discrete method must give the same numbers to "
         "rounding, whose effect on every entry is measured on this very task. A failure means that the "
         "method is not the derivative of its own map; the causes named are single faults that were put "
         "into the tangent and compared with what the method got."},
    {.id = "pair.taylor",
     .summary = "the Taylor remainder of the map falls as eps^2 with the method's gradient",
     .bound = "slope 2 within 1/2, over the lowest clean stretch of at least one decade of eps",
     .explanation =
         "G(q + eps d) - G(q) - eps G'(q) d is formed for a random direction d, with G the harness's own "
         "map over the method's frozen steps and G' the method's gradient. It falls as eps^2 if G' is the "
         "derivative and as eps if it is not. This uses rhs alone: where pair.frozen passes and this "
         "fails, the method and the harness share the fault of a Jacobian product."},
    {.id = "pair.exact",
     .level = VERIFY_TO_TOLERANCE,
     .summary = "the gradient agrees with the closed form, or with a solution on fine steps",
     .bound =
         "continuous, discrete: local errors of the tolerance's size, propagated; difference: truncation "
         "and rounding of the quotient",
     .explanation =
         "The gradient is compared with the derivative of the exact solution: from the problem's closed form "
         "where it has one, else from steps so fine that halving them shows the uncertainty. Instances "
         "behind the first are observed 24 times in the first 1/200 of the interval, and have no running "
         "cost. How far local errors of the size of the tolerance may move each entry is measured by putting "
         "such errors into the harness's own solve. A difference quotient is compared on fixed steps with "
         "the derivative of the map. On failure the solve is repeated at a tolerance 10^4 times looser: if "
         "the state gets better and the gradient does not, the derivative is wrong and not the solver."},
    {.id = "pair.identity",
     .summary = "the relations that the problem declares between state and derivatives hold",
     .bound = "the residual's response to each entry being off by its own bound, added up",
     .explanation =
         "A problem may declare relations that every right derivative satisfies, such as a conserved sum "
         "or a scaling symmetry. They need no reference. The residual is formed with the method's "
         "numbers; its bound is what the bounds of pair.frozen or pair.exact do to it. A failure with "
         "pair.frozen passing would mean that the identity is wrong."},
    {.id = NULL}};

void pair_skip(struct pair *pair, const char *check, const char *reason)
{
    verify_skip_check(pair->v, check, pair->v->module, pair->instance->label, reason);
}

/* ---- solves -------------------------------------------------------------------------------------------- */

bool pair_declares(const struct pair *pair, enum sens_derivative kind)
{
    return pair->v->method->derivative == kind;
}

/* How many times the steps of the harness's own pair a pair of lower order takes at the task's tolerance, which
 * bounds C h^k, k the lower order of the pair plus one. */
static double longer(const struct bed *bed)
{
    enum { OWN = 5 }; /* cash_karp's k */
    const struct sens_tableau *const tb = bed->task.tableau;
    if (!(bed->method->caps & SENS_CAP_TABLEAU) || !tb->e) return 1;
    const double k = fmin(tb->order, tb->order_hat) + 1;
    return fmax(1, pow(bed->task.rtol, 1.0 / OWN - 1 / k));
}

/* f, where f_I has values too: data is room for those. */
static sens_status rhs_with_part(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct sens_problem *const part = pb->inner->implicit;
    double *const room = *(double *const *)pb->data;
    const sens_status status = part->type->rhs(part, at, room);
    for (size_t i = 0; status == SENS_OK && i < pb->n; i++)
        if (!isfinite(room[i])) return SENS_NONFINITE;
    return status == SENS_OK ? pb->inner->type->rhs(pb->inner, at, dx) : status;
}

/* The task, as the harness's own steps are to solve it: additive ones need f_I as well. */
static struct bed with_part(const struct bed *bed)
{
    struct bed made = *bed;
    const struct sens_problem_decoration with = {.type.rhs = rhs_with_part};
    double **const room = verify_memory(bed->v, 1, sizeof *room);
    if (!bed->task.tableau->a_explicit || !bed->problem.implicit) return made;
    *room = verify_array(bed->v, bed->problem.n);
    decorate_wrap(bed->v, &bed->problem, &with, room, &made.problem);
    return made;
}

/* Can the harness do what the method could not, and at a much looser tolerance too, and is it the same solution at a
 * much tighter one? Then the task is no excuse for a status. Else a method that is more exact than the harness's pair
 * may run into a singularity that this pair passes by. */
static bool solvable(const struct bed *bed)
{
    const double tol = bed->task.rtol;
    const struct bed own = with_part(bed);
    long steps, others;
    return expected_solvable(&own, tol, &steps) && (double)steps * longer(bed) < PAIR_STEPS / 4.0 &&
           expected_solvable(bed, tol * APART, &others) && expected_settled(bed, tol, tol / APART);
}

static void judge_status(struct verify_result *result, const struct bed *bed)
{
    const sens_status status = bed->status;
    const char *const name = sens_status_name(status);
    const bool heeds =
        bed->method->caps & SENS_CAP_TOLERANCE; /* else its steps may be too large for the task */
    /* An augmented or a backward system can be harder than the problem: giving up is no fault. */
    const bool harder =
        bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS && status != SENS_NOT_REPEATABLE;
    if (status == SENS_STEP_LIMIT && !(bed->method->caps & SENS_CAP_TABLEAU)) {
        verify_skip(result,
                    "%s: %s; %d trial steps are given, and how many it needs is the method's own order", name,
                    bed->message, PAIR_STEPS);
        return;
    }
    if (status == SENS_UNSUPPORTED || status == SENS_UNAVAILABLE || !heeds || harder || !solvable(bed)) {
        verify_skip(result, "%s: %s", name, bed->message);
        return;
    }
    verify_fail(result, "%s: %s; the harness's own solve succeeds", name, bed->message);
    if (status == SENS_NOT_REPEATABLE) verify_blame(result, CAUSE_dirty_buffer, 0.5);
    if (status == SENS_NOT_REPEATABLE) verify_blame(result, CAUSE_stale_workspace, 0.5);
    if (status == SENS_STEP_LIMIT) verify_blame(result, CAUSE_controller_law, 0.4);
    if (status == SENS_STEP_LIMIT) verify_blame(result, CAUSE_controller_norm, 0.4);
    if (status == SENS_STEP_LIMIT) verify_blame(result, CAUSE_solver_not_derivative, 0.3);
    if (status == SENS_DIVERGED || status == SENS_STEP_UNDERFLOW || status == SENS_STEP_LIMIT)
        verify_blame(result, CAUSE_unstable_reverse, bed->method->caps & SENS_CAP_STEPS ? 0.1 : 0.4);
}

/* false: there are no numbers to go on with, and the result says why. */
bool pair_solve(struct pair *pair, struct bed *bed)
{
    char subject[VERIFY_SUBJECT];
    bed->task.max_steps = PAIR_STEPS;
    if (bed_solve(bed) == SENS_OK && out_finite(bed, &bed->out) && bed_canaries_alive(bed))
        return pair->solved = true;
    bed_subject(bed, pair->instance->label, subject);
    struct verify_result result = verify_open("pair.status", pair->v->module, subject);
    if (bed->status != SENS_OK) {
        judge_status(&result, bed);
    } else if (!out_finite(bed, &bed->out)) {
        verify_fail(&result, "success is reported with outputs that are not finite");
        verify_blame(&result, CAUSE_failure_swallowed, 0.6);
    } else {
        verify_fail(&result, "memory outside the outputs was written");
        verify_blame(&result, CAUSE_out_of_bounds, 1);
    }
    verify_close(pair->v, &result);
    pair->status_told = true;
    return false;
}

void pair_name_interval(const struct pair *pair, const struct bed *bed, char label[VERIFY_SUBJECT])
{
    const double t1 = bed->problem.t1;
    const bool whole = t1 == pair->instance->problem.t1;
    snprintf(label, VERIFY_SUBJECT, whole ? "%s" : "%s to t = %.3g", pair->instance->label, t1);
}

struct verify_result pair_open(const struct pair *pair, const struct bed *bed, const char *check)
{
    char label[VERIFY_SUBJECT], subject[VERIFY_SUBJECT];
    pair_name_interval(pair, bed, label);
    bed_subject(bed, label, subject);
    return verify_open(check, pair->v->module, subject);
}

/* Notes the gradient, the state and the cost against the target. */
void pair_judge(struct verify_result *result, const struct bed *bed, const struct expected *target)
{
    struct worst worst = {.count = 0};
    const double weakness = expected_weakness(bed, target);
    if (weakness > 1) {
        verify_skip(result, "the bound is %.2g times the derivative: nothing could be told", weakness);
        return;
    }
    expected_compare(&worst, bed, &bed->out, target);
    verify_judge(result, &worst);
}

/* Is the failure one that a limit lets expect? Then it is told without causes, which take long to find. */
static bool expected_to_fail(const struct bed *bed, const struct verify_result *result)
{
    struct verify_result closed = *result;
    limits_apply(bed->v, bed->method, &closed);
    return closed.verdict == VERIFY_LIMIT;
}

void pair_blame(const struct bed *bed, const struct sens_out *right, struct verify_result *result)
{
    if (expected_to_fail(bed, result)) return;
    struct oracle oracle;
    struct grid grid = {.steps = 0};
    oracle_create(bed, bed->task.tableau, &grid, &oracle);
    if (expected_grid(bed, &grid)) oracle_blame_gradient(&oracle, &bed->out, right, &bed->work, result);
    if (bed->work.steps_reverse > 0) verify_blame(result, CAUSE_unstable_reverse, 0.3);
    grid_free(&grid);
}

bool pair_state_fails(const struct bed *bed, const struct expected *target)
{
    struct worst worst = {.count = 0};
    const struct expected state = expected_state(target);
    expected_compare(&worst, bed, &bed->out, &state);
    return !worst_passes(&worst);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

/* Are the steps taken enough to tell right from wrong? Of a discrete method whose formula is known. */
static bool frozen_tells(const struct sens_method_type *method)
{
    return method->derivative == SENS_DERIVATIVE_DISCRETE && method->caps & SENS_CAP_TABLEAU;
}

/* A further instance has other products, which are looked at on frozen steps where these can be; its exact solution is
 * left to a full run then. */
static void run_instance(struct pair *pair)
{
    pair->status_told = pair->solved = false;
    pair_frozen(pair);
    if (pair->first || !pair->v->quick || !frozen_tells(pair->v->method)) {
        pair_exact(pair);
        pair_identities(pair);
    }
    if (pair->status_told) return;
    struct verify_result result = verify_open("pair.status", pair->v->module, pair->instance->label);
    if (!pair->solved) verify_skip(&result, "no check of this instance applies to the method");
    verify_close(pair->v, &result);
}

static void run(struct verify *v)
{
    struct instance instance;
    struct pair pair = {.v = v, .instance = &instance};
    int k = 0;
    for (; !(v->quick && k >= QUICK_INSTANCES) && instance_create(v, v->problem, k, &instance); k++)
        pair.first = k == 0, run_instance(&pair);
    for (const struct verify_check *check = checks; k == 0 && check->id; check++)
        verify_skip_check(v, check->id, v->module, v->problem->name, "no instance could be created");
}

const struct verify_group verify_pair = {.name = "pair", .kind = VERIFY_PAIR, .checks = checks, .run = run};
