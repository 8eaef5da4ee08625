/* Changes of the problem that change its gradient in a known way, and so may not change anything else:
 *
 *     time         f(t - s, x, p) on [t0 + s, t1 + s] has the gradient of f(t, x, p) on [t0, t1]
 *     parameters   q_k = 2^(e_k) p_k: dG/dp_k = 2^(e_k) dG/dq_k, without any rounding
 *     components   the same of p and x0, each component by another power of two: transforms_sizes.c */
#include <stdio.h>

#include "decorate.h"
#include "transforms.h"
#include "trial.h"

/* ---- time ---------------------------------------------------------------------------------------------- */

struct shift_study {
    struct worst worst;
    struct pattern autonomous, forced;
    const char *missing; /* what could not be done first, so that nothing was compared; NULL: nothing */
    sens_status status;  /* of that */
};

/* Discrete and difference methods on fixed steps, since steps that are chosen respond to rounding. */
static struct scene_settings shift_settings(struct verify *v, bool autonomous)
{
    const bool continuous = v->method->derivative == SENS_DERIVATIVE_CONTINUOUS;
    struct scene_settings s = continuous ? trial_settings(v, 3) : trial_fixed_settings(v, 3);
    s.autonomous = autonomous;
    return s;
}

/* A time near t + s is rounded by eps |t + s| at most, and so are the ends of an interval: h changes by that
 * part of itself, as if every slope did. oracle_rounding's unit is 4 eps of every number. */
static double widening(const struct scene *scene, const struct scene_settings *settings, double shift)
{
    const struct sens_problem *pb = &scene->bed.problem;
    const double h = (pb->t1 - pb->t0) / (double)settings->steps;
    return 1 + (fabs(shift) + fmax(fabs(pb->t0), fabs(pb->t1))) / h;
}

static void compare_shifted(struct verify *v, struct scene *scene, double shift, const struct sens_out *bound,
                            struct shift_study *found, bool autonomous)
{
    const struct sens_out first = bed_keep(&scene->bed);
    struct sens_problem later;
    struct sens_cost later_cost;
    struct bed bed;
    char what[96];
    decorate_shift(v, &scene->bed.problem, shift, &later);
    decorate_shift_cost(v, &scene->bed.cost, shift, &later_cost);
    trial_decorated(scene, &later, &later_cost, &bed);
    bed_solve(&bed);
    snprintf(what, sizeof what, "%s, t + %g:", autonomous ? "autonomous" : "forced", shift);
    trial_compare(&found->worst, &bed, &first, bound, what);
    const struct pattern pattern = trial_pattern(&bed, &bed.out, &first, bound);
    trial_merge(autonomous ? &found->autonomous : &found->forced, &pattern);
    bed_free(&bed);
}

static void shift_problem(struct verify *v, bool autonomous, struct shift_study *found)
{
    const double shifts[] = {v->seed ? verify_uniform(v, 1, 30) : 17.3,
                             v->seed ? verify_uniform(v, -30, -1) : -3.1};
    const struct scene_settings settings = shift_settings(v, autonomous);
    struct scene scene;
    struct sens_out apart;
    const char *missing = NULL;
    sens_status status = SENS_OK;
    if (!scene_create(v, &settings, &scene))
        missing = "the method does not take the settings of this task";
    else if ((status = bed_solve(&scene.bed)) != SENS_OK)
        missing = "the method does not solve the probe";
    else if ((status = trial_apart(&scene, &apart)) != SENS_OK)
        missing = "the harness cannot compute a bound over these steps";
    if (missing && !found->missing) found->missing = missing, found->status = status;
    for (size_t k = 0; !missing && k < sizeof shifts / sizeof shifts[0]; k++) {
        struct sens_out bound = bed_shape(&scene.bed);
        out_add(&scene.bed, &bound, bed_is_fixed(&scene.bed) ? widening(&scene, &settings, shifts[k]) : 1,
                &apart);
        compare_shifted(v, &scene, shifts[k], &bound, found, autonomous);
    }
    scene_free(&scene);
}

static void check_shift(struct verify *v)
{
    struct shift_study found = {.worst = {.count = 0}};
    struct verify_result result =
        verify_open("time.shift", v->module, "probe, autonomous and forced, shifted forward and back");
    shift_problem(v, true, &found);
    shift_problem(v, false, &found);
    verify_judge(&result, &found.worst);
    if (found.worst.count == 0 && found.missing)
        verify_say(&result, "%s%s%s", found.missing, found.status ? ": " : "",
                   found.status ? sens_status_name(found.status) : "");
    verify_blame(&result, CAUSE_absolute_time, found.autonomous.any ? 0.6 : 0.9);
    verify_blame(&result, CAUSE_observation_between, found.autonomous.any ? 0.4 : 0.1);
    verify_blame(&result, CAUSE_stage_time, found.autonomous.any ? 0.1 : 0.4);
    verify_close(v, &result);
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

enum { LARGEST_EXPONENT = 3 };

/* dG/dp_k = 2^(e_k) dG/dq_k, in place. */
static void scale_back(const struct bed *bed, const int *exponent, const struct sens_out *out)
{
    const size_t np = bed->problem.np;
    for (size_t c = 0; out->dGdp && c < bed->cost.m; c++)
        for (size_t k = 0; k < np; k++) out->dGdp[c * np + k] = ldexp(out->dGdp[c * np + k], exponent[k]);
}

/* Difference quotients are tried far from 1, where a bump of a fixed size is lost, or is much too large. */
static int draw_exponent(struct verify *v, size_t k)
{
    enum { FAR = 40 }; /* 1e12 */
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE) return k % 2 ? FAR : -FAR;
    return (int)verify_integer(v, -LARGEST_EXPONENT, LARGEST_EXPONENT);
}

static void compare_scaled(struct verify *v, struct scene *scene, const struct sens_out *bound,
                           struct verify_result *result)
{
    const struct sens_out first = bed_keep(&scene->bed);
    const size_t np = scene->bed.problem.np;
    int *exponent = verify_memory(v, np, sizeof *exponent);
    struct sens_problem scaled;
    struct sens_cost scaled_cost;
    struct bed bed;
    struct worst worst = {.count = 0};
    for (size_t k = 0; k < np; k++) exponent[k] = draw_exponent(v, k);
    decorate_scale(v, &scene->bed.problem, exponent, &scaled);
    decorate_scale_cost(v, &scene->bed.cost, exponent, &scaled_cost);
    trial_decorated(scene, &scaled, &scaled_cost, &bed);
    bed_solve(&bed);
    const bool discrete = bed.method->derivative == SENS_DERIVATIVE_DISCRETE;
    const bool quotient = bed.method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    const bool same = grid_same(&scene->bed.grid, &bed.grid);
    if (same || !discrete) scale_back(&bed, exponent, &bed.out);
    trial_compare_anew(&worst, &bed, &scene->bed.grid, &first, bound, "2^e p:");
    verify_judge(result, &worst);
    if (!same) verify_say(result, "the steps are others, too");
    verify_blame(result, CAUSE_state_scale, quotient ? 0.9 : 0);
    verify_blame(result, CAUSE_diluted_test, same ? 0.1 : 0.7);
    verify_blame(result, CAUSE_product_factor, 0.3);
    verify_blame(result, CAUSE_missing_explicit_cost, 0.2);
    verify_blame(result, CAUSE_missing_initial_term, 0.2);
    bed_free(&bed);
}

/* trial_apart; quotients of a map that is not known are as far off as those of another that follows the
 * solution: a matter of its curvature, and of rounding over the bump. Steps that are chosen respond to the
 * bump, and nothing is known of what that does. */
static sens_status quotients_apart(struct scene *scene, struct sens_out *apart)
{
    struct bed *bed = &scene->bed;
    struct expected expected;
    struct grid grid;
    const bool quotient = bed->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    if (!quotient || expected_rebuilds(&scene->bed)) return trial_apart(scene, apart);
    if (bed->method->caps & SENS_CAP_TOLERANCE && !bed_is_fixed(&scene->bed)) return SENS_UNSUPPORTED;
    if (!expected_grid(&scene->bed, &grid)) return SENS_NO_MEMORY;
    sens_status status = expected_map(bed, &grid, &expected);
    if (status == SENS_OK) status = expected_allow_quotient(bed, &grid, &expected);
    *apart = bed_shape(bed);
    out_add(bed, apart, 2, &expected.bound);
    grid_free(&grid);
    return status;
}

/* A continuous method's absolute tolerance for dx/dq_k is one of 2^(e_k) as much for dx/dp_k. */
static void check_scale(struct verify *v)
{
    const bool continuous = v->method->derivative == SENS_DERIVATIVE_CONTINUOUS;
    struct scene_settings settings = trial_settings(v, 3);
    struct scene scene;
    struct sens_out apart;
    struct verify_result result = verify_open("scale.parameters", v->module, "probe");
    if (!(v->method->caps & SENS_CAP_CONTROLLER)) settings.controller = NULL;
    const bool made = scene_create(v, &settings, &scene);
    if (!made)
        verify_skip(&result, "the method takes no tableau or controller of the probe's");
    else if (bed_solve(&scene.bed) != SENS_OK || quotients_apart(&scene, &apart) != SENS_OK)
        trial_skip(&scene.bed, &result);
    else {
        struct sens_out bound = bed_shape(&scene.bed);
        out_add(&scene.bed, &bound, continuous ? ldexp(1, LARGEST_EXPONENT) : 1, &apart);
        compare_scaled(v, &scene, &bound, &result);
    }
    verify_close(v, &result);
    scene_free(&scene);
}

static void run(struct verify *v)
{
    check_shift(v);
    check_scale(v);
    transforms_check_components(v);
}

static const struct verify_check checks[] = {
    {.id = "time.shift",
     .summary = "a problem that happens later has the same gradient",
     .bound = "discrete: rounding of times near t + s, measured; continuous: twice that of the tolerance",
     .explanation =
         "The probe is solved on [t0, t1] and, with f(t - s, x, p) in place of f(t, x, p) and all "
         "observation times moved along, on [t0 + s, t1 + s], for a positive and a negative s. A method "
         "that takes t - t0 for t, or starts a sweep at 0, gets another gradient where f, g or the "
         "observations depend on t. If the autonomous problem fails as well, look at observation times and "
         "ends of intervals."},
    {.id = "scale.parameters",
     .summary = "the gradient does not depend on the unit of a parameter",
     .bound = "discrete: rounding, measured; continuous: the tolerance in the coarsest unit; difference: "
              "truncation and noise of the quotient",
     .explanation =
         "Every parameter is given in another unit, q = 2^e p with e between -3 and 3. Powers of two round "
         "nothing, and the error test of the state sees no parameter, so that a discrete derivative keeps "
         "its steps and its digits; one whose error test includes dx/dp or mu may take other steps, within "
         "its tolerance. For difference quotients e is 40 and -40: a bump is a part of what is bumped, for "
         "one of a fixed size is lost in large numbers, and far beyond small ones. A failure with other "
         "steps points to what the error test sees; one with the same steps, to a product or a term of the "
         "gradient that is not linear in its direction."},
    {.id = "scale.components",
     .summary = "a difference quotient by one component does not depend on the sizes of the others",
     .bound = "a thousandth of each entry, and 16 times what quotients differ by where all components have "
              "size 1, and where all have 2^40",
     .explanation =
         "Three states that do not see one another, with a parameter each, are given in units of 1, 2^20 and "
         "2^40, x0 and p in another order, and G as a sum of numbers of size 1. Times its unit each entry of "
         "the gradient is what it is where all units are 1, and with powers of two nothing is rounded. A "
         "bump that is one for all components (a part of the largest, of a norm, of the first) moves the "
         "small ones 2^20 or 2^40 times too far, beyond where G is straight; one that follows the smallest "
         "is lost in the large ones. Scale the bump of each component by that component. A bump in "
         "proportion to max(|x|, 1) is no fault here: no component is smaller than 1 (scale.parameters and "
         "drawn.scaled have small ones). Equal sizes show how far solves that choose their steps scatter; "
         "above a 64th nothing is told.",
     .level = VERIFY_UNLEVELLED},
    {.id = NULL}};

const struct verify_group verify_transforms = {
    .name = "transforms", .kind = VERIFY_METHOD, .checks = checks, .run = run};
