/* Where a right method may be far from the exact derivative with the state on the mark: its error test does
 * not see the derivative, and something other than the state should have kept the steps short. */
#include <stdio.h>
#include <string.h>

#include "pair.h"

/* ---- does the error test see the derivative? ----------------------------------------------------------- */

/* Is a part that could be tested outside the test? */
static bool leaves_out(const struct bed *bed)
{
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++)
        if (bed_error_test(bed, i, "outside") == (long)bed->option[i].number) return true;
    return false;
}

static bool takes_in(const struct bed *bed)
{
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++)
        if (bed_error_test(bed, i, "inside") == (long)bed->option[i].number) return true;
    return false;
}

static bool tests_state_alone(const struct bed *bed)
{
    return leaves_out(bed) || (bed->method->derivative == SENS_DERIVATIVE_DISCRETE && !takes_in(bed));
}

/* ---- a state that says nothing ------------------------------------------------------------------------- */

/* Looks are taken at so many places; a state that stays within so many tolerances of its start has an error
 * estimate of no more than about one, whatever the step. */
enum { LOOKS = 8 };
static const double AT_REST = 1e3;

/* The largest distance from the initial state, in tolerances; infinite where the state is not known. */
static double movement(const struct bed *bed)
{
    const struct sens_problem *pb = &bed->problem;
    struct verify *v = bed->v;
    double *const x0 = verify_array(v, pb->n), *const x = verify_array(v, pb->n), most = 0;
    sens_problem_x0(pb, pb->p, x0);
    for (int k = 1; k <= LOOKS; k++) {
        const double t = k < LOOKS ? pb->t0 + k * (pb->t1 - pb->t0) / LOOKS : pb->t1;
        if (oracle_visit(v, pb, t, x) != SENS_OK) return INFINITY;
        for (size_t i = 0; i < pb->n; i++)
            most = fmax(most, fabs(x[i] - x0[i]) / (bed->task.atol + bed->task.rtol * fabs(x0[i])));
    }
    return most;
}

/* Is what the method got the derivative of the map on its own steps, to rounding? Then the steps are to
 * blame, if the products are not: those give the exact derivative on fine steps. */
static bool right_for_its_steps(const struct bed *bed, const struct expected *exact,
                                const struct expected *target)
{
    struct expected frozen;
    struct worst own = {.count = 0}, products = {.count = 0};
    struct sens_out truth = bed_shape(bed), uncertainty = bed_shape(bed);
    if (bed->method->derivative != SENS_DERIVATIVE_DISCRETE || expected_reported_map(bed, &frozen) != SENS_OK)
        return false;
    if (oracle_truth(bed, &truth, &uncertainty) != SENS_OK) return false;
    expected_compare(&own, bed, &bed->out, &frozen);
    out_compare(&products, bed, &truth, &exact->value, &target->bound, "");
    return own.count > 0 && worst_passes(&own) && worst_passes(&products);
}

/* ---- a quadrature that nothing tests ------------------------------------------------------------------- */

enum { LONG_STEPS = 8000 };
static const double SAFETY = 16; /* of methods whose norms, factors and pairs differ */

/* The derivative of this cost on the longest steps that the state allows. */
static bool on_long_steps(const struct bed *bed, const struct sens_cost *cost, struct sens_out *out)
{
    const struct sens_tableau *const tb = bed_pair(bed);
    struct grid grid = {.steps = 0};
    struct bed shape = *bed;
    struct oracle oracle;
    shape.cost = *cost;
    const bool made = tb && oracle_long_steps(bed->v, &bed->problem, cost, tb, bed->task.rtol, LONG_STEPS,
                                              &grid) == SENS_OK;
    oracle_create(&shape, tb, &grid, &oracle);
    *out = bed_shape(bed);
    const bool solved = made && oracle_tangent(&oracle, out) == SENS_OK;
    grid_free(&grid);
    return solved;
}

/* On the longest steps that the state allows, is all but the running cost's share within the bounds? */
static bool right_without_running(const struct bed *bed, const struct expected *target)
{
    struct sens_cost_type *const type = verify_memory(bed->v, 1, sizeof *type);
    struct bed without = *bed;
    struct sens_out truth = bed_shape(bed), uncertainty = bed_shape(bed), out;
    struct worst worst = {.count = 0};
    *type = *bed->cost.type;
    type->g = NULL;
    type->g_dx = NULL;
    type->g_dp = NULL;
    without.cost.type = type;
    if (oracle_truth(&without, &truth, &uncertainty) != SENS_OK) return false;
    if (!on_long_steps(&without, &without.cost, &out)) return false;
    out_compare(&worst, bed, &out, &truth, &target->bound, "");
    return worst_passes(&worst);
}

/* Is the method no farther off than an honest tangent on the longest steps that the state allows? */
static bool as_on_long_steps(const struct bed *bed, const struct expected *exact,
                             const struct expected *target)
{
    struct sens_out out, allowed = bed_shape(bed);
    struct worst worst = {.count = 0};
    if (bed->work.steps_reverse > 0 || !on_long_steps(bed, &bed->cost, &out)) return false;
    out_add(bed, &allowed, 1, &target->bound);
    out_add_apart(bed, &allowed, SAFETY, &out, &exact->value);
    out_compare(&worst, bed, &bed->out, &exact->value, &allowed, "");
    return worst_passes(&worst);
}

/* Is the method no farther off than the quadrature of an honest solve with long steps? */
static bool as_the_quadrature(const struct bed *bed, const struct expected *exact,
                              const struct expected *target)
{
    struct sens_out out, allowed = bed_shape(bed);
    struct worst worst = {.count = 0};
    if (!bed->cost.type->g || !on_long_steps(bed, &bed->cost, &out)) return false;
    out_add(bed, &allowed, 1, &target->bound);
    out_add_apart(bed, &allowed, SAFETY, &out, &exact->value);
    out_compare(&worst, bed, &bed->out, &exact->value, &allowed, "");
    return worst_passes(&worst) && right_without_running(bed, target);
}

/* ---- dG/dp outside the test of a backward solve -------------------------------------------------------- */

/* A continuous adjoint over as many equal steps as the method took back, the state on steps of the tolerance. */
static bool on_equal_steps(const struct bed *bed, long steps, struct sens_out *out)
{
    const struct sens_tableau *const tb = bed_pair(bed);
    struct grid forward = {.steps = 0}, back = {.steps = 0};
    struct oracle solve, over;
    bool made = tb && expected_equal_steps(bed, steps, &back) &&
                oracle_steps_within(bed->v, &bed->problem, &bed->cost, tb, bed->task.rtol, bed->task.atol,
                                    LONG_STEPS, &forward) == SENS_OK;
    oracle_create(bed, tb, &forward, &solve);
    oracle_create(bed, tb, &back, &over);
    *out = bed_shape(bed);
    made = made && oracle_adjoint_along(&solve, &over, out) == SENS_OK;
    grid_free(&forward);
    grid_free(&back);
    return made;
}

/* Is the error estimate 0 where f depends on t alone? So is that of Fehlberg's 7(8), whose weights at a node cancel. */
static bool sees_no_quadrature(const struct sens_tableau *tb)
{
    for (int i = 0; i < tb->stages; i++) {
        sens_real sum = 0;
        for (int j = 0; j < tb->stages; j++) sum += tb->c[j] == tb->c[i] ? tb->e[j] : 0;
        if (fabs((double)sum) > 4 * DBL_EPSILON) return false;
    }
    return true;
}

/* Parts of the result that no error test of the backward solve need see: dG/dp; dG/dx0, too, where the running cost
 * drives lambda and the pair does not see what time alone does. */
unsigned pair_untested_back(const struct bed *bed)
{
    const struct sens_tableau *const tb = bed_pair(bed);
    const bool driven = bed->cost.type->g && tb && tb->e && tb->c && sees_no_quadrature(tb);
    return SENS_IN_DGDP | (driven ? SENS_IN_DGDX0 : 0u);
}

/* lambda alone chooses the steps back. It may be smooth where df/dp has a kink in time, and a formula of any
 * order is of order 2 across one. Is the method no farther off in dG/dp than that, and right in all else, as
 * equal steps are? Of their number three that follow one another: whichever the kink is at the end of a step of,
 * it is not of the next. */
bool pair_quadrature_back(const struct bed *bed, const struct sens_out *got, const struct expected *exact,
                          const struct expected *target)
{
    enum { NUMBERS = 3 };
    const unsigned untested = pair_untested_back(bed);
    const struct sens_out rest = out_only(&target->value, ~untested);
    struct sens_out out, allowed = bed_shape(bed), tests;
    struct worst worst = {.count = 0}, others = {.count = 0};
    if (bed->work.steps_reverse == 0) return false;
    out_add(bed, &allowed, 1, &target->bound);
    for (long more = 0; more < NUMBERS; more++) {
        if (!on_equal_steps(bed, bed->work.steps_reverse + more, &out)) return false;
        tests = out_only(&out, ~untested);
        out_compare(&others, bed, &tests, &rest, &target->bound, "");
        out = out_only(&out, untested);
        out_add_apart(bed, &allowed, SAFETY / NUMBERS, &out, &exact->value);
    }
    out_compare(&worst, bed, got, &exact->value, &allowed, "");
    return worst_passes(&others) && worst_passes(&worst);
}

/* ---- jumps --------------------------------------------------------------------------------------------- */

/* Steps that are shorter than this share of the interval are those across a jump; and how much of f jumps. */
static const double SLIVER = 1e-7, JUMP = 1e-3;

static double jump_across(const struct bed *bed, const double *x, double t, double h)
{
    const struct sens_problem *pb = &bed->problem;
    double *const before = verify_array(bed->v, pb->n), *const after = verify_array(bed->v, pb->n);
    double change = 0, size = 0;
    if (pb->type->rhs(pb, &(struct sens_at){t, x, pb->p}, before) != SENS_OK) return 0;
    if (pb->type->rhs(pb, &(struct sens_at){t + h, x, pb->p}, after) != SENS_OK) return 0;
    for (size_t i = 0; i < pb->n; i++) {
        change = fmax(change, fabs(after[i] - before[i]));
        size = fmax(size, fmax(fabs(before[i]), fabs(after[i])));
    }
    return size > 0 ? change / size : 0;
}

/* The first time at which rhs jumps on its own account, x held; false: there is none. */
static bool find_jump(const struct bed *bed, double *when)
{
    const struct sens_problem *pb = &bed->problem;
    struct grid grid = {.steps = 0};
    double *const x = verify_array(bed->v, pb->n);
    bool found = false;
    if (oracle_visit(bed->v, pb, pb->t1, x) != SENS_OK) return false;
    oracle_steps(bed->v, pb, &bed->cost, verify_formula(bed->v, "cash_karp"), 1e-10, 20000, &grid);
    for (long k = 0; k < grid.steps && !found; k++) {
        found = grid.h[k] < SLIVER * (pb->t1 - pb->t0) && jump_across(bed, x, grid.t[k], grid.h[k]) > JUMP;
        if (found) *when = grid.t[k];
    }
    grid_free(&grid);
    return found;
}

/* The state, and G where nothing of it is a quadrature. */
static bool state_is_off(const struct bed *bed, const struct expected *target)
{
    struct worst worst = {.count = 0};
    const struct sens_out state = {.x = target->value.x, .G = bed->cost.type->g ? NULL : target->value.G};
    out_compare(&worst, bed, &bed->out, &state, &target->bound, "");
    return !worst_passes(&worst);
}

/* ---- the excuse ---------------------------------------------------------------------------------------- */

bool pair_excuse(const struct bed *bed, const struct expected *exact, const struct expected *target,
                 char reason[VERIFY_TEXT])
{
    double when;
    if (state_is_off(bed, target)) return false;
    const bool alone = tests_state_alone(bed);
    const double moved = alone ? movement(bed) : INFINITY;
    if (moved < AT_REST)
        snprintf(
            reason, VERIFY_TEXT,
            "the state says nothing: it stays within %.2g tolerances of its start, and the error test "
            "sees the state alone, so that no step is too long for it; the derivative needs shorter ones",
            moved);
    else if (alone && right_for_its_steps(bed, exact, target))
        snprintf(
            reason, VERIFY_TEXT,
            "the state says too little: on these steps, which the state alone chooses and which are right "
            "for it, the exact derivative of the map is as far off; the derivative needs shorter ones");
    else if (leaves_out(bed) && as_on_long_steps(bed, exact, target))
        snprintf(
            reason, VERIFY_TEXT,
            "the state says too little: the sensitivities are outside the error test, and on the longest "
            "steps that the state allows an honest tangent is as far off; the derivative needs shorter ones");
    else if (as_the_quadrature(bed, exact, target))
        snprintf(reason, VERIFY_TEXT,
                 "the running cost is a quadrature, which no error test sees: on the longest steps that the "
                 "state allows it is as far off, and all else is right");
    else if (leaves_out(bed) && pair_quadrature_back(bed, &bed->out, exact, target))
        snprintf(
            reason, VERIFY_TEXT,
            "dG/dp is outside the error test of the backward solve: over as many equal steps, on which all "
            "else is right, it is as far off");
    else if (leaves_out(bed) && find_jump(bed, &when))
        snprintf(reason, VERIFY_TEXT,
                 "the right-hand side jumps at t = %.6g: what is outside the error test steps across it",
                 when);
    else
        return false;
    return true;
}
