/* How the error of a method falls on the probe: with the step, with the tolerance, and whatever else is asked
 * of it.
 *
 *     order.h        error = C h^p + ...  for fixed steps h, halved: p at the fine end
 *     order.tol      error of gradient and of state for falling tolerances
 *     test.inside    gradient where the state hardly moves: only a test of the sensitivities controls it
 *     test.dilution  outputs that are zero must not change the steps
 *
 * All errors are against the exact derivative (oracle_truth), relative, in the Frobenius norm. */
#include <stdio.h>
#include <string.h>

#include "convergence.h"

struct scene_settings convergence_settings(struct verify *v, const char *tableau, const char *controller)
{
    const bool any = v->seed != 0;
    return (struct scene_settings){
        .tableau = tableau,
        .controller = controller,
        .n = (size_t)(any ? verify_integer(v, 2, 7) : 4),
        .np = (size_t)(any ? verify_integer(v, 1, 5) : 3),
        .m = (size_t)(any ? verify_integer(v, 1, 5) : 2),
        .autonomous = any && verify_integer(v, 0, 3) == 0,
        .x0_depends = any ? verify_integer(v, 0, 1) : true,
        .parts = PROBE_AT_T0 | PROBE_BETWEEN | PROBE_AT_T1 | PROBE_RUNNING | PROBE_EXPLICIT,
    };
}

/* ---- norms --------------------------------------------------------------------------------------------- */

struct errors { /* |a - b|_F over all gradients, over x and G, over each part */
    double gradient, state, part[SENS_PARTS];
};

/* b NULL: of a itself */
static struct errors difference(const struct bed *bed, const struct sens_out *a, const struct sens_out *b)
{
    struct errors of = {.gradient = out_norm(bed, a, b, SENS_IN_GRADIENT),
                        .state = out_norm(bed, a, b, SENS_IN_STATE)};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) of.part[k] = out_norm(bed, a, b, 1u << k);
    return of;
}

static double share(double of, double size)
{
    return size > 0 ? of / size : of;
}

static struct errors shares(const struct errors *of, const struct errors *size, double more)
{
    struct errors made = {.gradient = share(of->gradient, size->gradient) + more,
                          .state = share(of->state, size->state) + more};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) made.part[k] = share(of->part[k], size->part[k]) + more;
    return made;
}

/* Relative errors of the last solve, and what rounding and the truth leave uncertain of them. */
static void measure(const struct bed *bed, const struct expected *goal, struct errors *error,
                    struct errors *floor)
{
    const struct errors size = difference(bed, &goal->value, NULL);
    const struct errors unsure = difference(bed, &goal->bound, NULL);
    const struct errors off = difference(bed, &bed->out, &goal->value);
    *error = shares(&off, &size, 0);
    *floor = shares(&unsure, &size, DBL_EPSILON);
}

/* ---- order.h ------------------------------------------------------------------------------------------- */

/* A difference quotient has an error that no step removes. */
static sens_status quotient_floor(struct scene *scene, const struct expected *goal, double *floor)
{
    struct bed *bed = &scene->bed;
    struct expected quotient;
    struct grid grid;
    if (bed->method->derivative != SENS_DERIVATIVE_DIFFERENCE) return SENS_OK;
    if (!expected_grid(bed, &grid)) return SENS_NO_MEMORY;
    sens_status status = expected_map(bed, &grid, &quotient);
    if (status == SENS_OK) status = expected_allow_quotient(bed, &grid, &quotient);
    if (status == SENS_OK)
        *floor += out_norm(bed, &quotient.bound, NULL, SENS_IN_GRADIENT) /
                  out_norm(bed, &goal->value, NULL, SENS_IN_GRADIENT);
    grid_free(&grid);
    return status;
}

/* The order that the derivative has with fixed steps: that of the formula, but for continuous methods no more
 * than the interpolant allows, from which an adjoint may read the state (error h^(q + 1) for order q). */
static int expected_order(const struct bed *bed)
{
    const struct sens_tableau *tb = bed->task.tableau;
    const bool limited =
        bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS && tb->dense_order + 1 < tb->order;
    return limited ? tb->dense_order + 1 : tb->order;
}

struct ladders {
    struct ladder gradient, state, part[SENS_PARTS]; /* the parts for falling tolerances alone */
};

/* Steps halved from 8 on, until rounding shows. false: the method fails on one. */
static bool climb_steps(struct scene *scene, const struct expected *goal, struct ladders *ladders)
{
    enum { FEWEST = 8, MOST = 1024 };
    struct bed *bed = &scene->bed;
    const double length = bed->problem.t1 - bed->problem.t0;
    double extra = 0;
    *ladders = (struct ladders){.gradient = {.count = 0}};
    for (long steps = FEWEST; steps <= MOST; steps *= 2) {
        struct errors error, floor;
        bed->task.dt = length / (double)steps;
        if (bed_solve(bed) != SENS_OK) return false;
        if (steps == FEWEST && quotient_floor(scene, goal, &extra) != SENS_OK) return false;
        measure(bed, goal, &error, &floor);
        ladder_add(&ladders->gradient, bed->task.dt, error.gradient, floor.gradient + extra);
        ladder_add(&ladders->state, bed->task.dt, error.state, floor.state);
        if (error.gradient < 1e-11 || !ladder_clean(&ladders->gradient, ladders->gradient.count - 1)) break;
    }
    return true;
}

static double slope_or(const struct ladder *ladder, double otherwise)
{
    double slope;
    return ladder_slope(ladder, &slope) ? slope : otherwise;
}

/* What the pair of slopes says: has the state its order, and the gradient not? */
static void blame_order(const struct ladders *ladders, int order, struct verify_result *result)
{
    const double state = slope_or(&ladders->state, order);
    char words[VERIFY_SUBJECT];
    ladder_words(&ladders->state, words);
    verify_say(result, "the state's error falls as h^%.2f: %s", state, words);
    if (state >= order - 0.5) {
        /* It falls, as a whole power: no term is wrong, and something is of that order. */
        const double gradient = slope_or(&ladders->gradient, 0);
        if (gradient > 0.75) verify_blame(result, CAUSE_lower_order, 0.97);
        verify_blame(result, CAUSE_derivative_not_solver, 0.9);
        verify_blame(result, CAUSE_stale_stage, 0.3);
        verify_blame(result, CAUSE_dropped_stage, 0.3);
    } else {
        verify_blame(result, CAUSE_solver_not_derivative, 0.9);
        verify_blame(result, CAUSE_tableau_coefficient, 0.6);
        verify_blame(result, CAUSE_stage_time, 0.5);
        verify_blame(result, CAUSE_stops_early, state < 0.3 ? 0.5 : 0.3);
    }
}

/* Against the derivative of the map where it can be made again, else against the exact one. */
static void blame_on(struct scene *scene, const struct oracle *oracle, const struct expected *goal,
                     struct verify_result *result)
{
    struct bed *bed = &scene->bed;
    struct expected frozen;
    if (!expected_rebuilds(&scene->bed))
        oracle_blame_gradient(oracle, &bed->out, &goal->value, &bed->work, result);
    else if (expected_map(bed, oracle->grid, &frozen) == SENS_OK)
        scene_blame(oracle, &bed->out, &frozen, result);
}

/* Names what is wrong on few steps: the catalogue of faults is tried on each. */
static void blame_faults(struct scene *scene, const struct expected *goal, struct verify_result *result)
{
    struct bed *bed = &scene->bed;
    struct oracle oracle;
    struct grid grid;
    bed_tolerance(bed, 1e-5);
    if (bed_is_fixed(&scene->bed)) bed->task.dt = (bed->problem.t1 - bed->problem.t0) / 16;
    if (bed_solve(bed) != SENS_OK || !expected_grid(&scene->bed, &grid)) return;
    oracle_create(bed, bed->task.tableau, &grid, &oracle);
    if (grid.steps < 1000) blame_on(scene, &oracle, goal, result);
    grid_free(&grid);
}

static void judge_order(struct scene *scene, const struct expected *goal, struct verify_result *result)
{
    const int order = expected_order(&scene->bed);
    struct ladders ladders;
    struct worst worst = {0};
    char words[VERIFY_SUBJECT];
    double slope;
    if (!climb_steps(scene, goal, &ladders)) {
        verify_skip(result, "the solve failed: solve.completes");
        return;
    }
    if (!ladder_slope(&ladders.gradient, &slope)) {
        verify_skip(result, "the error is rounding, or a quotient's own, from the largest steps on");
        return;
    }
    ladder_words(&ladders.gradient, words);
    worst_note(&worst, ladder_missing(order, slope), 0.5,
               "the gradient's error falls as h^%.2f for order %d, with halved steps %s; order - slope",
               slope, order, words);
    verify_judge(result, &worst);
    if (result->verdict != VERIFY_FAIL) return;
    verify_blame(result, CAUSE_failure_swallowed, isnan(slope) ? 0.95 : 0);
    blame_order(&ladders, order, result);
    blame_faults(scene, goal, result);
}

static void check_order_h(struct verify *v, const char *tableau)
{
    struct scene_settings settings = convergence_settings(v, tableau, "fixed");
    struct scene scene;
    struct expected goal;
    settings.steps = 8;
    if (!scene_create(v, &settings, &scene)) return;
    snprintf(scene.subject + strcspn(scene.subject, ","), sizeof scene.subject / 2, ", %s fixed, dt halved",
             tableau);
    struct verify_result result = verify_open("order.h", scene.module, scene.subject);
    if (expected_exact(&scene.bed, &goal) == SENS_OK)
        judge_order(&scene, &goal, &result);
    else
        verify_skip(&result, "the oracle cannot solve this task");
    verify_close(v, &result);
    scene_free(&scene);
}

/* ---- order.tol ----------------------------------------------------------------------------------------- */

static bool climb_tolerances(struct scene *scene, const struct expected *goal, struct ladders *ladders)
{
    struct bed *bed = &scene->bed;
    *ladders = (struct ladders){.gradient = {.count = 0}};
    for (double tol = 1e-4; tol > 1e-11; tol /= bed->v->quick ? 1000 : 100) {
        struct errors error, floor;
        bed_tolerance(bed, tol);
        if (bed_solve(bed) != SENS_OK) /* one of low order need not get to the end */
            return bed->status == SENS_STEP_LIMIT && ladders->gradient.count > 1;
        measure(bed, goal, &error, &floor);
        ladder_add(&ladders->gradient, tol, error.gradient, floor.gradient);
        for (enum sens_part k = 0; k < SENS_PARTS; k++)
            ladder_add(&ladders->part[k], tol, error.part[k], floor.part[k]);
        ladder_add(&ladders->state, tol, error.state, floor.state);
    }
    return true;
}

/* d log error / d log tol from the first to the last; at least 1 where the last is rounding. */
static double overall(const struct ladder *ladder)
{
    const int last = ladder->count - 1;
    if (!ladder_finite(ladder)) return NAN;
    if (!ladder_clean(ladder, last)) return 1;
    return log(ladder->error[0] / ladder->error[last]) / log(ladder->h[0] / ladder->h[last]);
}

/* The parts whose error does not fall as it should. */
static unsigned stuck_parts(const struct ladders *ladders)
{
    unsigned stuck = overall(&ladders->state) >= 0.5 ? 0 : SENS_IN_STATE;
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_part_wrt(k) && !(overall(&ladders->part[k]) >= 0.5)) stuck |= 1u << k;
    return stuck;
}

static void judge_tolerances(const struct ladders *ladders, struct verify_result *result)
{
    const double gradient = overall(&ladders->gradient), state = overall(&ladders->state);
    struct worst worst = {0};
    char words[VERIFY_SUBJECT], state_words[VERIFY_SUBJECT];
    ladder_words(&ladders->gradient, words);
    ladder_words(&ladders->state, state_words);
    worst_note(&worst, ladder_missing(1, gradient), 0.5,
               "the gradient's error falls as tol^%.2f: %s; 1 - slope", gradient, words);
    verify_judge(result, &worst);
    if (result->verdict != VERIFY_FAIL) return;
    verify_say(result, "the state's as tol^%.2f: %s", state, state_words);
    result->parts = stuck_parts(ladders);
    verify_blame(result, CAUSE_failure_swallowed, isnan(gradient) ? 0.96 : 0);
    if (state >= 0.5) {
        verify_blame(result, CAUSE_derivative_not_solver, 0.95);
        if (gradient > 0.15) verify_blame(result, CAUSE_lower_order, 0.9);
        verify_blame(result, CAUSE_outside_test, gradient > 0.2 ? 0.6 : 0.2);
        verify_blame(result, CAUSE_unstable_reverse, 0.1);
    } else {
        verify_blame(result, CAUSE_solver_not_derivative, 0.95);
        verify_blame(result, CAUSE_stops_early, 0.6);
        verify_blame(result, CAUSE_controller_norm, 0.3);
    }
}

/* Where state and derivative are of low order, and right without t in the equations, the formula takes something of t
 * for 0. */
static void blame_time(struct verify *v, const struct scene_settings *settings,
                       const struct ladders *with_time, struct verify_result *result)
{
    struct scene_settings still = *settings;
    struct scene scene;
    struct expected goal;
    struct ladders ladders;
    still.autonomous = true;
    if (settings->autonomous || overall(&with_time->state) >= 0.75) return;
    if (!scene_create(v, &still, &scene)) return;
    if (expected_exact(&scene.bed, &goal) == SENS_OK && climb_tolerances(&scene, &goal, &ladders) &&
        overall(&ladders.gradient) >= 0.75 && overall(&ladders.state) >= 0.75) {
        verify_say(result, "right where rhs does not depend on t");
        verify_blame(result, CAUSE_slope_t_left_out, 0.97);
        verify_blame(result, CAUSE_stage_time, 0.9);
    }
    scene_free(&scene);
}

static void check_order_tol(struct verify *v, const char *tableau, const char *controller)
{
    const struct scene_settings settings = convergence_settings(v, tableau, controller);
    struct scene scene;
    struct expected goal;
    struct ladders ladders;
    if (!scene_create(v, &settings, &scene)) return;
    struct verify_result result = verify_open("order.tol", scene.module, scene.subject);
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE)
        verify_skip(&result,
                    "the controller's noise over the quotient's step does not fall with the tolerance");
    else if (!(v->method->caps & SENS_CAP_TOLERANCE))
        verify_skip(&result, "the method takes no tolerance");
    else if (expected_exact(&scene.bed, &goal) != SENS_OK)
        verify_skip(&result, "the oracle cannot solve this task");
    else if (!climb_tolerances(&scene, &goal, &ladders))
        verify_skip(&result, "the solve failed: solve.completes");
    else {
        judge_tolerances(&ladders, &result);
        if (result.verdict == VERIFY_FAIL) blame_time(v, &settings, &ladders, &result);
        if (result.verdict == VERIFY_FAIL) blame_faults(&scene, &goal, &result);
    }
    verify_close(v, &result);
    scene_free(&scene);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

/* Every explicit formula; in a quick run two, of methods whose map by each formula is looked at (formulas.right). */
static void check_orders(struct verify *v)
{
    static const char *const usual[] = {"rk4", "dopri5"};
    const struct sens_tableau *const *const list = v->reg->tableaux;
    const bool every = !v->quick || v->method->derivative != SENS_DERIVATIVE_DISCRETE;
    for (size_t k = 0; !every && k < sizeof usual / sizeof *usual; k++) check_order_h(v, usual[k]);
    for (size_t k = 0; every && list[k]; k++) check_order_h(v, list[k]->name);
}

static void run(struct verify *v)
{
    const bool own_steps = !(v->method->caps & SENS_CAP_TABLEAU) || !(v->method->caps & SENS_CAP_CONTROLLER);
    if (!own_steps)
        check_orders(v);
    else
        verify_skip_check(v, "order.h", v->module, "fixed steps", "the method's steps are its own");
    convergence_exact(v);
    convergence_mass(v);
    convergence_decay(v);
    check_order_tol(v, "cash_karp", "odeint");
    if (!v->quick && !own_steps) check_order_tol(v, "dopri5", "hairer-pi");
    convergence_inside(v, "cash_karp", "odeint");
    convergence_dilution(v, "cash_karp", "odeint");
    if (!v->quick && !own_steps) convergence_dilution(v, "dopri5", "hairer-pi");
}

static const struct verify_check checks[] = {
    {.id = "order.exact",
     .level = VERIFY_TO_TOLERANCE,
     .essential = true,
     .summary = "state, G and gradient become the exact ones as the method's steps are refined",
     .bound =
         "1 - slope of each one's error <= 3/4 for falling tolerances, 1/2 for halved steps; or an error "
         "below 1e-9; or eight times that of Euler's method on as many steps; with odd numbers of steps for "
         "even ones: four times the larger error of the last two rungs; orders of a discrete method that are "
         "3/4 apart; the order of x with t in f is at least 4/5 of that without; with uneven stops: 1.5 "
         "times the largest relative error of all parts, more where steps are few, and by a "
         "tolerance 30 times each one's and the tolerance",
     .explanation =
         "Whatever a method declares, it is held to the exact solution of the probe, each of x, G, dG/dp "
         "and dG/dx0 by itself. Its steps are refined as it can be told to: by the tolerance; else by the "
         "fixed step; else by an option of its own whose doubling (or halving) makes the steps half as "
         "many again at least. Of a discrete method whose steps become twice as many each time, the "
         "orders are compared: G and gradients that are of lower order than x are the work of a "
         "quadrature, or of a start, of low order. Where nothing does that, the interval is made shorter "
         "instead: 2, 1/2, 1/8, 1/32; a solver of the equations is then never worse than eight times "
         "Euler's method in as many equal steps, while one of other equations stays off by its share of "
         "the length. A gradient of difference quotients is left to gradient.exact where the tolerance "
         "refines, and may stay at 1e-5 elsewhere. Observed a sliver of a step later, the last rung is to "
         "be as good, or within the tolerance. Where steps can be counted out, it is solved once more "
         "with odd numbers of them between observations in place of even ones, or the other way round. "
         "The order of x is compared with that of the same task without explicit t: a formula that asks "
         "for df/dt, which a problem need not offer, falls back to the first without it. Where x without "
         "t is exact to rounding, fewer steps are taken; where that is so on the first rung, half of "
         "log(1 / error) / log(steps) stands for its order. Nine observations that cut the interval "
         "unevenly, so that steps change their length, may make no error much larger than the largest "
         "usual one. A failure of x or G is the solver's; one of the gradient alone is the derivative's."},
    {.id = "order.h",
     .level = VERIFY_TO_TOLERANCE,
     .summary = "with fixed steps the gradient's error falls at least as h to the order of the formula",
     .bound = "order - slope at the fine end <= 1/2; for continuous methods the order is at most that of the "
              "interpolant + 1",
     .explanation = "The probe is solved with halved fixed steps and the gradient is compared with the "
                    "exact one, down to errors of 1e-11 or to rounding. The slope is that of the last two "
                    "or three errors that stand clear of rounding, so that an error of one part in a "
                    "thousand in one entry shows as a slope of 0 at the end of a good start. The state's "
                    "slope is measured too: where the state has its order and the gradient has not, the "
                    "derivative is wrong and not the solver. A continuous adjoint reads the state from the "
                    "pair's dense output, whose order may limit its own."},
    {.id = "order.tol",
     .level = VERIFY_TO_TOLERANCE,
     .summary = "the gradient's error falls with the tolerance, as the state's does",
     .bound = "1 - slope <= 1/2 from tol = 1e-4 to 1e-10 or to rounding",
     .explanation = "The probe is solved at falling tolerances. An error that stays where it is while the "
                    "state converges is the plain sign of a wrong derivative: no tolerance will mend it. "
                    "Where both stay, the solver is wrong: it ends early, or its error test does not test. "
                    "A gradient that falls more slowly than the state has sensitivities outside the error "
                    "test."},
    {.id = "order.mass",
     .summary = "results with a mass matrix are those of x' = M^-1 f",
     .bound = "a twentieth of each: M in a wrong place is off by its size",
     .explanation =
         "The probe with a mass matrix that is not symmetric, and with its rows turned so that the diagonal "
         "is 0, is solved with steps finer than usual, and each of x, G, dG/dp and dG/dx0 is compared with "
         "the exact one of the same equations solved for x'. What a method does to rows, columns or the "
         "diagonal of M in its state and its derivative alike agrees with its own values, and shows here.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "order.decay",
     .summary = "formulas of low order keep to the tolerance, whichever way the state moves",
     .bound = "twice the tolerance in every step, which the equation lets no error grow beyond",
     .explanation = "x' = -p x from 1 and from -1, between two states that do not move, by pairs of order 2 "
                    "and 3 at 1e-7. What has forgotten an absolute value, or looks at one component, takes "
                    "the state for settled at once; at a high order the first steps are right by luck."},
    {.id = "test.inside",
     .summary = "a continuous method controls the error of the gradient itself, not only of the state",
     .bound = "local errors of the tolerance, carried through the problem's own conditioning",
     .explanation = "State and parameters of the probe are made so small that the state passes any error "
                    "test with few steps, while the sensitivities are of size 1. A method whose "
                    "sensitivities (or adjoints) take part in the error test still returns them within the "
                    "tolerance; one that leaves them out takes a few long steps and is far off, with "
                    "success as its status. Look at which components the error norm runs over."},
    {.id = "test.dilution",
     .summary = "outputs that are zero do not change the steps",
     .bound = "exact: the same numbers of steps, forward and backward",
     .explanation = "The cost is padded with 1 and with 65 outputs that are zero whatever the state. Under "
                    "a maximum norm they cannot change a step. Where they do, the error test is a mean "
                    "over state and outputs together, and each harmless output lets the others be less "
                    "accurate. For controllers whose norm is a root mean square the averaging is their "
                    "definition, and the check shows its price."},
    {.id = NULL}};

const struct verify_group verify_convergence = {
    .name = "convergence", .kind = VERIFY_METHOD, .checks = checks, .run = run};
