/* The gradient of one method on the probe, against the derivative that it declares:
 *
 *     discrete     of the discrete map over the reported steps: equal to rounding
 *     continuous   of the exact solution: equal to the tolerance
 *     difference   a quotient: equal to the truncation and the noise of a quotient */
#include <stdio.h>
#include <string.h>

#include "gradient_case.h"
#include "offers.h"
#include "taylor.h"

/* ---- solve.completes ----------------------------------------------------------------------------------- */

static bool check_completes(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    struct verify_result result = verify_open("solve.completes", given->scene.module, given->scene.subject);
    const sens_status status = bed_solve(bed);
    const bool alive = bed_canaries_alive(bed);
    if (status == SENS_UNSUPPORTED || status == SENS_UNAVAILABLE) {
        verify_skip(&result, "%s: %s", sens_status_name(status), bed->message);
    } else if (status != SENS_OK) {
        verify_fail(&result, "%s: %s", sens_status_name(status), bed->message);
        case_blame_empty(given, &result);
        verify_blame(&result, CAUSE_solver_not_derivative, 0.5);
        verify_blame(&result, CAUSE_controller_norm, 0.3);
        verify_blame(&result, CAUSE_controller_law, 0.3);
        if (status == SENS_NOT_REPEATABLE) verify_blame(&result, CAUSE_stale_workspace, 0.7);
    } else if (!out_finite(bed, &bed->out)) {
        verify_fail(&result,
                    "success is reported, and an output is not a finite number (outputs never written "
                    "hold NaN)");
        case_blame_empty(given, &result);
        verify_blame(&result, CAUSE_lanes_lost, 0.6);
        verify_blame(&result, CAUSE_one_part_only, 0.4);
        verify_blame(&result, CAUSE_stale_workspace, 0.4);
    }
    if (!alive) {
        verify_fail(&result, "the guard round an output has changed");
        verify_blame(&result, CAUSE_out_of_bounds, 1);
    }
    const bool usable = status == SENS_OK && out_finite(bed, &bed->out);
    verify_close(bed->v, &result);
    return usable;
}

/* ---- state.map ----------------------------------------------------------------------------------------- */

/* Causes of a wrong gradient; where the state is right as well, they are in the sweep. */
static void blame_gradient(struct gradient_case *given, const struct expected *expected,
                           struct verify_result *result)
{
    const bool state_right = scene_blame(&given->oracle, &given->scene.bed.out, expected, result);
    if (state_right)
        case_blame_parts(given, result);
    else
        verify_blame(result, CAUSE_solver_not_derivative, 0.5);
    case_blame_settings(given, result);
    case_blame_mass(given, result);
    if (result->blames > 0) return;
    verify_blame(result, CAUSE_dropped_stage, 0.15);
    verify_blame(result, CAUSE_stale_stage, 0.15);
    verify_blame(result, CAUSE_tableau_transposed, 0.15);
}

static void check_state(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    struct verify_result result = verify_open("state.map", given->scene.module, given->scene.subject);
    struct worst worst = {0};
    const bool rebuilt = case_frozen(given), heeds = bed->method->caps & SENS_CAP_TOLERANCE;
    if (!rebuilt && !heeds) {
        verify_skip(&result, "tableau or steps are the method's own, and it takes no tolerance");
    } else if (!rebuilt && !case_truth(given)) {
        verify_skip(&result, "the oracle cannot solve this task");
    } else {
        const struct expected state = expected_state(rebuilt ? &given->frozen : &given->truth);
        expected_compare(&worst, bed, &bed->out, &state);
        verify_judge(&result, &worst);
        if (result.verdict == VERIFY_FAIL) {
            oracle_blame_state(&given->oracle, &bed->out, &state.value, &result);
            case_blame_mass(given, &result);
        }
    }
    verify_close(bed->v, &result);
}

/* ---- gradient.frozen ----------------------------------------------------------------------------------- */

/* Why the gradient cannot be held against the derivative of the map; NULL: it can. */
static const char *no_frozen(struct gradient_case *given)
{
    if (given->scene.bed.method->derivative != SENS_DERIVATIVE_DISCRETE)
        return "the method does not declare the derivative of the discrete map";
    return case_frozen(given) ? NULL : "the map cannot be made again: tableau or steps are the method's own";
}

static void check_frozen(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    struct verify_result result = verify_open("gradient.frozen", given->scene.module, given->scene.subject);
    struct worst worst = {0};
    const char *const why_not = no_frozen(given);
    if (why_not) {
        verify_skip(&result, "%s", why_not);
    } else {
        const struct expected gradient = expected_gradient(&given->frozen);
        out_compare(&worst, bed, &bed->out, &gradient.value, &gradient.bound, "tangent of the map:");
        out_compare(&worst, bed, &bed->out, &given->adjoint, &gradient.bound, "adjoint of the map:");
        verify_judge(&result, &worst);
        if (result.verdict == VERIFY_FAIL) {
            blame_gradient(given, &given->frozen, &result);
            case_say_controlled(given, &result);
        }
    }
    verify_close(bed->v, &result);
    given->to_rounding = given->to_rounding || case_compared(&result);
}

/* ---- gradient.exact ------------------------------------------------------------------------------------ */

static void judge_exact(struct gradient_case *given, struct verify_result *result)
{
    struct bed *bed = &given->scene.bed;
    const struct expected gradient = expected_gradient(&given->truth);
    struct worst worst = {0};
    expected_compare(&worst, bed, &bed->out, &gradient);
    verify_judge(result, &worst);
    if (result->verdict != VERIFY_FAIL) return;
    blame_gradient(given, &given->truth, result);
    verify_blame(result, CAUSE_outside_test, 0.3);
    verify_blame(result, CAUSE_unstable_reverse, 0.12);
    case_say_controlled(given, result);
}

/* With the fixed step the quotient is one of the frozen map; else of the map with its controller, whose own
 * noise is the tolerance. */
static void judge_difference(struct gradient_case *given, struct verify_result *result)
{
    struct bed *bed = &given->scene.bed;
    const struct expected *const plain = bed_is_fixed(bed) ? &given->frozen : &given->truth;
    struct expected quotient = expected_zero(bed);
    struct worst worst = {0};
    quotient.value = plain->value;
    quotient.why = plain->why;
    out_add(bed, &quotient.bound, 1, &plain->bound);
    if (expected_allow_quotient(bed, &given->grid, &quotient) != SENS_OK) {
        verify_skip(result, "the oracle cannot bound the quotient");
        return;
    }
    quotient = expected_gradient(&quotient);
    expected_compare(&worst, bed, &bed->out, &quotient);
    verify_judge(result, &worst);
    if (result->verdict == VERIFY_FAIL) blame_gradient(given, plain, result);
}

static void check_exact(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    const enum sens_derivative kind = bed->method->derivative;
    const bool of_map = kind == SENS_DERIVATIVE_DIFFERENCE && bed_is_fixed(&given->scene.bed);
    struct verify_result result = verify_open("gradient.exact", given->scene.module, given->scene.subject);
    if (kind == SENS_DERIVATIVE_DISCRETE)
        verify_skip(&result,
                    "a discrete derivative has no tolerance of its own: order.h and order.tol judge it");
    else if (kind == SENS_DERIVATIVE_CONTINUOUS && bed_is_fixed(&given->scene.bed))
        verify_skip(&result, "a fixed step has no tolerance: order.h judges it");
    else if (of_map ? !case_frozen(given) : !case_truth(given))
        verify_skip(&result, "the oracle cannot solve this task");
    else if (kind == SENS_DERIVATIVE_DIFFERENCE)
        judge_difference(given, &result);
    else
        judge_exact(given, &result);
    verify_close(bed->v, &result);
}

/* ---- gradient.taylor ----------------------------------------------------------------------------------- */

static void check_taylor(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    struct verify_result result = verify_open("gradient.taylor", given->scene.module, given->scene.subject);
    struct worst worst = {0};
    const char *const why_not = no_frozen(given);
    if (why_not) {
        verify_skip(&result, "%s", why_not);
    } else {
        const int rays = bed->v->quick ? 1 : 3;
        for (int k = 0; k < rays; k++)
            taylor_remainders(&worst, bed, &bed->out, &given->frozen.value, &given->frozen.bound);
        verify_judge(&result, &worst);
        if (result.verdict == VERIFY_FAIL) blame_gradient(given, &given->frozen, &result);
    }
    verify_close(bed->v, &result);
}

/* ---- kind.declared ------------------------------------------------------------------------------------- */

/* What one task says about the kind. */
static void note_kind(struct gradient_case *given, struct kinds *kinds)
{
    const struct bed *bed = &given->scene.bed;
    const enum sens_derivative kind = bed->method->derivative;
    kinds->to_rounding = kinds->to_rounding || given->to_rounding;
    if (bed->v->quick && kinds->worst.count > 0) return;
    if (kind == SENS_DERIVATIVE_DISCRETE && case_frozen(given) && case_truth(given))
        kinds_note_discrete(given, kinds);
    if (kind == SENS_DERIVATIVE_CONTINUOUS && !bed_is_fixed(&given->scene.bed) && case_truth(given))
        kinds_note_continuous(given, kinds);
    if (kind == SENS_DERIVATIVE_DIFFERENCE && bed_is_fixed(&given->scene.bed) && case_frozen(given))
        kinds_note_difference(given, kinds);
}

static void check_kind(struct verify *v, const struct kinds *kinds)
{
    struct verify_result result = verify_open("kind.declared", v->module, "all tasks of gradient");
    verify_judge(&result, &kinds->worst);
    if (result.verdict == VERIFY_SKIP) verify_say(&result, "no task tells the kinds apart");
    verify_blame(&result, CAUSE_kind_misdeclared, 1);
    if (v->method->derivative == SENS_DERIVATIVE_CONTINUOUS) verify_blame(&result, CAUSE_outside_test, 0.7);
    verify_close(v, &result);
}

/* A discrete derivative is one to rounding: where nothing could be compared with it, nothing vouches for
 * it. */
static void check_rounding(struct verify *v, const struct kinds *kinds)
{
    struct verify_result result = verify_open("gradient.rounding", v->module, "all tasks of gradient");
    if (v->method->derivative != SENS_DERIVATIVE_DISCRETE)
        verify_skip(&result, "the method does not declare the derivative of the discrete map");
    else if (!kinds->to_rounding)
        verify_fail(
            &result,
            "the declared derivative of the discrete map could be held to rounding by nothing: not over "
            "reported steps (SENS_CAP_TABLEAU and SENS_CAP_STEPS), and not by differences of the "
            "method's own values (its steps move with what is far below the absolute tolerance)");
    verify_blame(&result, CAUSE_kind_misdeclared, 0.5);
    verify_close(v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

/* When a plan is made in a quick run. The bound of a quotient of solves with a tolerance is so wide that the dear
 * ones, of implicit stages, tell nothing that the others do not. */
enum quick { QUICK, QUICK_UNLESS_QUOTIENT, NOT_QUICK };

struct plan {
    const char *tableau, *controller;
    long steps;
    bool autonomous, x0_depends;
    enum quick quick;
    size_t n, np;     /* 0: 5 and 4; once more states than a block of lanes has, and no multiple of it */
    unsigned without; /* parts of the cost */
    bool uneven;      /* observations */
};
enum mass { NO_MASS, MASS, MASS_TURNED };
static const struct plan plans[] = {
    {"cash_karp", "odeint", 0, false, true, QUICK, 0, 0, 0, false},
    {"dopri5", "hairer-pi", 0, true, false, QUICK, 0, 0, PROBE_EXPLICIT_G, false},
    {"dopri5", "odeint", 0, false, true, QUICK, 19, 4, PROBE_RUNNING, true},
    {"rk4", "fixed", 16, false, true, QUICK, 0, 0, PROBE_EXPLICIT_PHI, false},
    {"dopri5", "fixed", 16, false, false, QUICK, 0, 0, 0, false},
    {"tsit5", "petsc", 0, false, true, NOT_QUICK, 0, 0, 0, false},
    {"dop853", "odeint", 0, false, true, NOT_QUICK, 0, 0, 0, false},
    {"verner65", "fixed", 8, false, true, NOT_QUICK, 0, 0, 0, false},
    {"bs32", "petsc", 0, true, true, NOT_QUICK, 0, 0, 0, false},
    {"fehlberg78", "hairer-pi", 0, false, true, NOT_QUICK, 0, 0, 0, false},
    {"euler", "fixed", 64, false, true, NOT_QUICK, 0, 0, 0, false},
    {"fehlberg45", "odeint", 0, false, false, NOT_QUICK, 0, 0, 0, false},
    {"midpoint", "fixed", 32, false, true, NOT_QUICK, 0, 0, 0, false},
    {"sdirk4a", "odeint", 0, false, true, QUICK_UNLESS_QUOTIENT, 0, 0, 0, false},
    {"kvaerno54", "hairer-pi", 0, false, true, NOT_QUICK, 0, 0, 0, false},
    {"tr_bdf2", "fixed", 16, false, true, NOT_QUICK, 19, 4, 0, false},
    {"backward_euler", "fixed", 16, true, true, NOT_QUICK, 0, 0, 0, false},
    {"auto", "hairer-pi", 0, false, true, NOT_QUICK, 0, 0, 0, false},
    {"theta", "fixed", 16, false, true, NOT_QUICK, 0, 0, 0, false},
    {"radau_iia5", "odeint", 0, false, true, QUICK_UNLESS_QUOTIENT, 0, 0, 0, false},
    {"gauss6", "fixed", 16, false, true, NOT_QUICK, 19, 4, 0, false},
    {"lobatto_iiic4", "petsc", 0, false, true, NOT_QUICK, 0, 0, 0, false},
    {"radau_ia5", "hairer-pi", 0, true, true, NOT_QUICK, 0, 0, 0, false},
    {"kvaerno43", "gustafsson", 0, false, true, NOT_QUICK, 0, 0, 0, false},
};
/* Of M x' = f, with a probe_mass that is not symmetric, as those of the registered problems are. */
static const struct plan mass_plans[] = {
    {"sdirk4a", "fixed", 16, false, true, QUICK, 0, 0, 0, false},
    {"radau_iia5", "fixed", 16, false, true, QUICK, 0, 0, 0, false},
    {"gauss6", "odeint", 0, false, false, NOT_QUICK, 0, 0, 0, false},
};
static const struct plan turned_plans[] = {
    {"kvaerno54", "hairer-pi", 0, false, true, QUICK_UNLESS_QUOTIENT, 0, 0, 0, false},
};
enum {
    MASS_PLANS = sizeof mass_plans / sizeof *mass_plans,
    TURNED_PLANS = sizeof turned_plans / sizeof *turned_plans
};
enum { PLANS = sizeof plans / sizeof *plans, OWN_STEPS_PLANS = 3 };

static struct scene_settings draw(struct verify *v, const struct plan *plan)
{
    const bool any = v->seed != 0;
    return (struct scene_settings){
        .tableau = plan->tableau,
        .controller = plan->controller,
        .steps = plan->steps,
        .tol = pow(10, any ? verify_uniform(v, -9, -7) : -9), /* tight: a bound that hides no wrong digit */
        .n = any       ? (size_t)verify_integer(v, 1, 9)
             : plan->n ? plan->n
                       : 5,
        .np = any        ? (size_t)verify_integer(v, 0, 6)
              : plan->np ? plan->np
                         : 4,
        .m = (size_t)(any ? verify_integer(v, 1, 9) : 3),
        .autonomous = any ? verify_integer(v, 0, 1) : plan->autonomous,
        .x0_depends = any ? verify_integer(v, 0, 1) : plan->x0_depends,
        .uneven = plan->uneven,
        .parts = any ? (unsigned)verify_integer(v, 0, 63) | PROBE_AT_T1
                     : ~plan->without &
                           (PROBE_AT_T0 | PROBE_BETWEEN | PROBE_AT_T1 | PROBE_RUNNING | PROBE_EXPLICIT),
    };
}

/* kind.declared and gradient.rounding are about all tasks together, and come last. */
static void skip_rest(const struct gradient_case *given)
{
    for (const struct verify_check *check = gradient_checks + 1; check->id; check++)
        if (strcmp(check->id, "kind.declared") != 0 && strcmp(check->id, "gradient.rounding") != 0)
            verify_skip_check(given->scene.bed.v, check->id, given->scene.module, given->scene.subject,
                              "no numbers: see solve.completes");
}

static bool check_plan(struct verify *v, const struct plan *plan, enum mass mass, struct kinds *kinds)
{
    struct scene_settings settings = draw(v, plan);
    settings.mass = mass != NO_MASS, settings.turned = mass == MASS_TURNED;
    struct gradient_case given = {.parts = settings.parts & probe_parts_for(v->method), .settings = settings};
    if (!scene_create(v, &settings, &given.scene)) return false;
    const bool usable = check_completes(&given) && case_prepare(&given);
    if (usable) {
        check_state(&given);
        check_frozen(&given);
        check_exact(&given);
        check_taylor(&given);
        gradient_check_bilinear(&given);
        gradient_check_own(&given);
        note_kind(&given, kinds);
    } else {
        skip_rest(&given);
    }
    case_free(&given);
    return usable;
}

/* What a limit excuses is looked at again where it says that the check holds. */
static void check_choices(struct verify *v, struct kinds *kinds)
{
    struct scene_settings settings = draw(v, &plans[0]);
    for (const struct sens_limit *limit = v->method->limits; limit && limit->check; limit++) {
        struct gradient_case given = {.parts = settings.parts & probe_parts_for(v->method)};
        settings.choice = limit->holds_with;
        if (strncmp(limit->check, "gradient.", 9) != 0 || !limit->holds_with) continue;
        if (limits_fault(v->groups, v->method, limit) || !scene_create(v, &settings, &given.scene)) continue;
        if (check_completes(&given) && case_prepare(&given)) {
            check_frozen(&given);
            gradient_check_own(&given);
        }
        kinds->to_rounding = kinds->to_rounding || given.to_rounding;
        case_free(&given);
    }
}

static bool takes_plan(const struct verify *v, const struct plan *plan)
{
    const bool quotient = v->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    return !v->quick || plan->quick == QUICK || (plan->quick == QUICK_UNLESS_QUOTIENT && !quotient);
}

/* How many of them could be made. */
static int check_plans(struct verify *v, int count, const struct plan *plan, enum mass mass,
                       struct kinds *kinds)
{
    int usable = 0;
    for (int k = 0; k < count; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        if (takes_plan(v, &plan[k])) usable += check_plan(v, &plan[k], mass, kinds);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    return usable;
}

/* That a method was looked at on problems alone that offer what they need not. */
static void say_offers(struct verify *v)
{
    char words[VERIFY_TEXT];
    if (!v->offers) return;
    snprintf(words, sizeof words,
             "the method refuses problems that do not offer %s, and was checked on ones that do; it says: %s",
             offers_words(v->offers), v->refused);
    verify_not_varied(v, "solve.completes", v->module, "all tasks of gradient", words);
}

static void run(struct verify *v)
{
    const bool own_steps = !(v->method->caps & (SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER));
    const int count = own_steps ? OWN_STEPS_PLANS : PLANS;
    struct kinds kinds = {.worst = {0}};
    const int usable = check_plans(v, count, plans, NO_MASS, &kinds);
    check_plans(v, MASS_PLANS, mass_plans, MASS, &kinds);
    check_plans(v, TURNED_PLANS, turned_plans, MASS_TURNED, &kinds);
    if (usable == 0) {
        struct verify_result result = verify_open("solve.completes", v->module, "all tasks of gradient");
        verify_fail(&result, "the method solves none of the tasks that its table says it can do");
        verify_close(v, &result);
    }
    say_offers(v);
    check_kind(v, &kinds);
    check_choices(v, &kinds);
    check_rounding(v, &kinds);
}

const struct verify_group verify_gradient = {
    .name = "gradient", .kind = VERIFY_METHOD, .checks = gradient_checks, .run = run};
