/* The derivative against the exact solution's, and against the relations that a problem declares. */
#include <stdio.h>
#include <string.h>

#include "attain.h"
#include "pair.h"
#include "probe.h"

enum { OUTPUTS = 2 };
static const double TIGHT = 1e-9, LOOSER = 1e4;

/* Loose tolerances say nothing of a stiff problem: explicit steps are at the boundary of stability there. */
static double draw_tolerance(struct verify *v)
{
    return v->seed ? TIGHT * pow(10, verify_uniform(v, -1, 0.5)) : TIGHT;
}

/* ---- failures ------------------------------------------------------------------------------------------ */

/* The error of the gradient and of the state, relative to what is right. */
struct miss {
    double gradient, state;
};

static struct miss miss(const struct bed *bed, const struct expected *exact)
{
    const double size = out_norm(bed, &exact->value, NULL, SENS_IN_X);
    return (struct miss){out_distance(bed, &bed->out, &exact->value).gradient,
                         out_norm(bed, &bed->out, &exact->value, SENS_IN_X) / (size > 0 ? size : 1)};
}

/* Solves at a looser tolerance: does the error of the gradient follow that of the state? */
static void blame_by_tolerance(struct bed *bed, const struct expected *exact, struct verify_result *result)
{
    const struct miss tight = miss(bed, exact);
    const double tol = bed->task.rtol;
    bed_tolerance(bed, tol * LOOSER);
    const bool solved = bed_solve(bed) == SENS_OK;
    bed_tolerance(bed, tol);
    if (!solved) return;
    const struct miss loose = miss(bed, exact);
    verify_say(result,
               "relative error of the gradient %.2g at tol %.1g and %.2g at tol %.1g; of the state %.2g "
               "and %.2g",
               loose.gradient, tol * LOOSER, tight.gradient, tol, loose.state, tight.state);
    const bool flat = tight.gradient > loose.gradient / 10, converges = tight.state < loose.state / 10;
    if (flat && converges) verify_blame(result, CAUSE_derivative_not_solver, 0.7);
    if (flat && !converges && tight.state > 0.1 * tight.gradient)
        verify_blame(result, CAUSE_solver_not_derivative, 0.7);
    if (!flat) verify_blame(result, CAUSE_outside_test, 0.3);
}

/* ---- the exact derivative ------------------------------------------------------------------------------ */

static void check_exact(struct pair *pair, struct bed *bed, const char *label, const struct expected *exact,
                        const struct expected *target)
{
    char subject[VERIFY_SUBJECT];
    if (!pair_solve(pair, bed)) {
        pair_skip(pair, "pair.exact", "no numbers: see pair.status");
        return;
    }
    bed_subject(bed, label, subject);
    struct verify_result result = verify_open("pair.exact", pair->v->module, subject);
    pair_judge(&result, bed, target);
    char reason[VERIFY_TEXT];
    if (result.verdict == VERIFY_FAIL && pair_excuse(bed, exact, target, reason)) {
        result = verify_open("pair.exact", pair->v->module, subject);
        verify_skip(&result, "%s", reason);
    } else if (result.verdict == VERIFY_FAIL) {
        pair_blame(bed, &exact->value, &result);
        blame_by_tolerance(bed, exact, &result);
        verify_blame(&result, CAUSE_missing_step, pair->first ? 0 : 0.4); /* stops are crowded there */
        verify_blame(&result, CAUSE_observation_times, pair->first ? 0 : 0.35);
    }
    verify_close(pair->v, &result);
}

/* The choice that is not the default of each option that takes a part into the error test, or out of it. */
static void check_error_tests(struct pair *pair, struct bed *bed, const char *label,
                              const struct expected *exact, const struct expected *target)
{
    const struct sens_option *const table = bed->method->options;
    for (size_t i = 0; i < sens_option_count(table); i++) {
        const long outside = bed_error_test(bed, i, "outside"), inside = bed_error_test(bed, i, "inside");
        if (outside < 0 || inside < 0 || verify_held(bed->v, &table[i])) continue;
        bed->option[i].number = (double)(table[i].fallback == (double)outside ? inside : outside);
        check_exact(pair, bed, label, exact, target);
        bed->option[i].number = table[i].fallback;
    }
}

/* A tolerance that the method can reach on this problem within the steps that it is given. */
static double reachable(const struct pair *pair, double wanted)
{
    const struct sens_problem *pb = &pair->instance->problem;
    struct sens_cost cost;
    struct bed bed;
    if (pair->v->method->caps & SENS_CAP_TABLEAU) return wanted;
    probe_cost(pair->v, pb, OUTPUTS, PROBE_AT_T1, &cost);
    bed_create(pair->v, pb, &cost, pair->v->method, &bed);
    bed.task.max_steps = PAIR_STEPS;
    const double tol = attain_tolerance(&bed, wanted, PAIR_STEPS / 2);
    bed_free(&bed);
    return tol;
}

static void check_adaptive(struct pair *pair)
{
    struct verify *v = pair->v;
    const struct sens_problem *pb = &pair->instance->problem;
    const double tol = reachable(pair, draw_tolerance(v));
    const struct horizon want = {pb, v->method, tol, probe_parts_for(v->method), NULL, !pair->first};
    struct bed bed;
    struct expected exact, target;
    char label[VERIFY_SUBJECT];
    const sens_status status = expected_horizon(v, &want, &bed, &exact, &target);
    pair_name_interval(pair, &bed, label);
    if (status == SENS_OK) {
        check_exact(pair, &bed, label, &exact, &target);
        check_error_tests(pair, &bed, label, &exact, &target);
    } else {
        pair_skip(pair, "pair.exact", "no reference: the harness's own solve fails");
    }
    const bool whole = bed.problem.t1 == pb->t1;
    bed_free(&bed);
    if (!whole) pair_stiff(pair, tol);
}

/* A difference quotient on its own steps has a noise of the tolerance over the bump: only equal steps make
 * its error one that can be foretold. */
static void check_difference(struct pair *pair, struct bed *bed)
{
    struct expected target = {.why = "the method does not take rk4 with a fixed step"};
    const long steps = bed_fixed(bed, "rk4", 1) ? expected_difference(bed, &target) : 0;
    if (steps == 0) {
        pair_skip(pair, "pair.exact", target.why);
        return;
    }
    bed_fixed(bed, "rk4", steps);
    if (!pair_solve(pair, bed)) {
        pair_skip(pair, "pair.exact", "no numbers: see pair.status");
        return;
    }
    struct verify_result result = pair_open(pair, bed, "pair.exact");
    pair_judge(&result, bed, &target);
    if (result.verdict == VERIFY_FAIL) pair_blame(bed, &target.value, &result);
    verify_close(pair->v, &result);
}

/* The closed form of the map itself, to rounding. */
static void check_discrete_form(struct pair *pair, struct bed *bed)
{
    struct expected target;
    struct sens_out form;
    const long steps = bed_fixed(bed, "rk4", 1) ? expected_fixed_steps(bed) : 0;
    if (steps == 0 || !bed_fixed(bed, "rk4", steps) || !expected_discrete_form(bed, &form)) return;
    if (!pair_solve(pair, bed) || expected_reported_map(bed, &target) != SENS_OK) return;
    struct verify_result result = pair_open(pair, bed, "pair.exact");
    target.value = form;
    pair_judge(&result, bed, &target);
    if (result.verdict == VERIFY_FAIL) pair_blame(bed, &target.value, &result);
    verify_close(pair->v, &result);
}

/* Equal steps, and a cost that a closed form can be used for. */
static void check_fixed(struct pair *pair)
{
    const unsigned all = probe_parts_for(pair->v->method);
    const unsigned final = all & (PROBE_AT_T1 | PROBE_EXPLICIT);
    const bool difference = pair_declares(pair, SENS_DERIVATIVE_DIFFERENCE);
    struct sens_cost cost;
    struct bed bed;
    probe_cost(pair->v, &pair->instance->problem, OUTPUTS, difference ? all : final, &cost);
    bed_create(pair->v, &pair->instance->problem, &cost, pair->v->method, &bed);
    if (difference)
        check_difference(pair, &bed);
    else
        check_discrete_form(pair, &bed);
    bed_free(&bed);
}

void pair_exact(struct pair *pair)
{
    if (!(pair->v->method->caps & SENS_CAP_TOLERANCE))
        pair_skip(pair, "pair.exact", "the method takes no tolerance");
    else if (!pair_declares(pair, SENS_DERIVATIVE_DIFFERENCE))
        check_adaptive(pair);
    if (!pair_declares(pair, SENS_DERIVATIVE_CONTINUOUS)) check_fixed(pair);
}

/* ---- identities ---------------------------------------------------------------------------------------- */

enum { IDENTITY_OF_MAP = 1, IDENTITY_OF_SOLUTION = 2 };
static const double ROUNDINGS = 16; /* in the sums of an identity */

/* Notes the identities of these kinds. */
static void note_identities(struct worst *worst, const struct bed *bed, unsigned kinds,
                            const struct expected *target)
{
    for (const struct sens_identity *identity = bed->problem.type->identities; identity->name; identity++)
        if (kinds & (identity->discrete ? IDENTITY_OF_MAP : IDENTITY_OF_SOLUTION))
            expected_note_identity(worst, bed, identity, target, &bed->out, ROUNDINGS);
}

/* Do the identities hold as soon as dG/dp is the target's? Then they fail in nothing else. */
static bool fail_in_dGdp_alone(struct bed *bed, unsigned kinds, const struct expected *target)
{
    struct worst worst = {.count = 0};
    sens_real *const own = bed->out.dGdp;
    bed->out.dGdp = target->value.dGdp;
    note_identities(&worst, bed, kinds, target);
    bed->out.dGdp = own;
    return worst_passes(&worst);
}

/* Those of every Runge-Kutta map are put to a discrete method at the level of rounding. */
static void check_identities(struct pair *pair, struct bed *bed, const struct expected *target)
{
    const bool discrete = pair_declares(pair, SENS_DERIVATIVE_DISCRETE);
    const unsigned by_tolerance = discrete ? IDENTITY_OF_SOLUTION : IDENTITY_OF_MAP | IDENTITY_OF_SOLUTION;
    struct worst worst = {.count = 0};
    struct expected frozen;
    char label[VERIFY_SUBJECT], subject[VERIFY_SUBJECT];
    pair_name_interval(pair, bed, label);
    bed_subject(bed, label, subject);
    struct verify_result result = verify_open("pair.identity", pair->v->module, subject);
    const bool held_to_map = discrete && expected_reported_map(bed, &frozen) == SENS_OK;
    if (held_to_map) note_identities(&worst, bed, IDENTITY_OF_MAP, &frozen);
    if (bed->method->caps & SENS_CAP_TOLERANCE) note_identities(&worst, bed, by_tolerance, target);
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) {
        if (!held_to_map && fail_in_dGdp_alone(bed, by_tolerance, target)) result.parts = SENS_IN_DGDP;
        verify_blame(&result, CAUSE_derivative_not_solver, 0.3);
        verify_blame(&result, CAUSE_identity_wrong, 0.1);
    }
    verify_close(pair->v, &result);
}

static const struct sens_cost_type *final_state(const struct verify *v)
{
    const struct sens_cost_type *const *cost = v->reg->costs;
    while (*cost && strcmp((*cost)->name, "identity") != 0) cost++;
    return *cost;
}

/* Why the identities cannot be checked; NULL: they can. */
static const char *no_identities(const struct pair *pair, const struct sens_cost_type *cost)
{
    const struct sens_problem_type *const type = pair->instance->problem.type;
    if (!type->identities || !type->identities->name) return "the problem declares none";
    if (pair_declares(pair, SENS_DERIVATIVE_DIFFERENCE))
        return "a difference quotient has no derivative's identities";
    if (!cost || type->many_states) return "dx/dx0 is not computed for this problem";
    return NULL;
}

void pair_identities(struct pair *pair)
{
    struct verify *v = pair->v;
    struct horizon want = {&pair->instance->problem, v->method, draw_tolerance(v), 0, final_state(v), false};
    const char *const why_not = no_identities(pair, want.cost);
    struct expected exact, target;
    struct bed bed;
    if (why_not) {
        pair_skip(pair, "pair.identity", why_not);
        return;
    }
    want.tol = reachable(pair, want.tol);
    if (expected_horizon(v, &want, &bed, &exact, &target) != SENS_OK)
        pair_skip(pair, "pair.identity", "no reference: the harness's own solve fails");
    else if (pair_solve(pair, &bed))
        check_identities(pair, &bed, &target);
    else
        pair_skip(pair, "pair.identity", "no numbers: see pair.status");
    bed_free(&bed);
}
