/* What a wrong gradient hangs on: the task is solved again with one thing changed, and what goes with the
 * change that makes it right is blamed. */
#include "decorate.h"
#include "gradient_case.h"

/* ---- other settings ------------------------------------------------------------------------------------ */

/* first_step: 0 as by default. work: where it is wanted, of the solve. */
static bool right_with(struct verify *v, const struct scene_settings *settings, double first_step,
                       struct sens_work *work)
{
    struct gradient_case other = {.parts = settings->parts & probe_parts_for(v->method)};
    if (!scene_create(v, settings, &other.scene)) return false;
    if (first_step > 0) other.scene.bed.task.dt = first_step;
    bed_solve(&other.scene.bed);
    const bool right = case_is_right(&other);
    if (work) *work = other.scene.bed.work;
    case_free(&other);
    return right;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Right where n = np = m, none of them smaller than here: one is taken for another. */
static void blame_sizes(struct verify *v, const struct gradient_case *given, struct verify_result *result)
{
    struct scene_settings equal = given->settings;
    equal.n = equal.np = equal.m = larger(equal.n, larger(equal.np, equal.m));
    if (equal.n == given->settings.n && equal.n == given->settings.np && equal.n == given->settings.m) return;
    if (!right_with(v, &equal, 0, NULL)) return;
    verify_say(result, "right where n = np = m = %zu", equal.n);
    verify_blame(result, CAUSE_equal_sizes, 0.97);
}

/* Wrong where two sizes are equal, and right where the one is larger by one. */
static void blame_equal(struct verify *v, const struct gradient_case *given, struct verify_result *result)
{
    const struct scene_settings *here = &given->settings;
    struct scene_settings apart = *here;
    if (here->np == here->n || here->np == here->m)
        apart.np = larger(here->n, here->m) + 1;
    else if (here->n == here->m)
        apart.m++;
    else
        return;
    if (!right_with(v, &apart, 0, NULL)) return;
    verify_say(result, "right where n = %zu, np = %zu, m = %zu, of which no two are equal", apart.n, apart.np,
               apart.m);
    verify_blame(result, CAUSE_equal_sizes, 0.97);
}

/* Is there a solve without rejected trials that has a few steps, and is it right? A short first step is what
 * keeps a controller from rejecting; a method that chooses its own rejects none where the tolerance is loose,
 * which changes nothing in what a discrete derivative is held to. */
static bool right_without_rejection(struct verify *v, const struct gradient_case *given)
{
    static const double tol[] = {0, 1e-5, 1e-3, 1e-1, 10};
    enum { FEW_STEPS = 4 };
    const struct bed *bed = &given->scene.bed;
    const double step = 1e-3 * (bed->problem.t1 - bed->problem.t0);
    const int count = bed->method->derivative == SENS_DERIVATIVE_DISCRETE ? 5 : 1;
    for (int k = 0; k < count; k++) {
        struct scene_settings settings = given->settings;
        struct sens_work work = {.steps = 0};
        if (tol[k] > 0) settings.tol = tol[k];
        const bool right = right_with(v, &settings, step, &work);
        if (work.steps >= FEW_STEPS && work.rejects == 0) return right;
    }
    return false;
}

static void blame_rejection(struct verify *v, const struct gradient_case *given, struct verify_result *result)
{
    const struct bed *bed = &given->scene.bed;
    if (bed->work.rejects == 0 || bed_is_fixed(&given->scene.bed) || !right_without_rejection(v, given))
        return;
    verify_say(result, "right where no trial step is rejected (here %ld are)", bed->work.rejects);
    verify_blame(result, CAUSE_after_rejection, 0.97);
}

/* |got - right| / |right| of a discrete gradient at a tolerance; NaN: not to be had. */
static double error_at(struct verify *v, const struct gradient_case *given, double tol)
{
    struct gradient_case other = {.settings = given->settings};
    double error = NAN;
    other.settings.tol = tol;
    if (!scene_create(v, &other.settings, &other.scene)) return NAN;
    const struct bed *bed = &other.scene.bed;
    if (bed_solve(&other.scene.bed) == SENS_OK && case_prepare(&other) && case_frozen(&other))
        error = out_distance(bed, &bed->out, &other.frozen.value).gradient;
    case_free(&other);
    return error;
}

/* Errors of the size of single precision, whatever the tolerance is. */
static void blame_digits(struct verify *v, const struct gradient_case *given, struct verify_result *result)
{
    static const double tol[] = {1e-9, 1e-7, 1e-5, 1e-3}, least = 1e-10, most = 3e-7;
    enum { COUNT = sizeof tol / sizeof *tol };
    double error[COUNT];
    if (v->method->derivative != SENS_DERIVATIVE_DISCRETE || !(v->method->caps & SENS_CAP_TOLERANCE)) return;
    for (int k = 0; k < COUNT; k++) {
        error[k] = error_at(v, given, tol[k]);
        if (!(error[k] > least && error[k] < most)) return;
    }
    verify_say(result, "relative error %.1e, %.1e, %.1e, %.1e at the tolerances 1e-9, 1e-7, 1e-5, 1e-3",
               error[0], error[1], error[2], error[3]);
    verify_blame(result, CAUSE_single_precision, 0.97);
}

void case_blame_settings(struct gradient_case *given, struct verify_result *result)
{
    struct verify *v = given->scene.bed.v;
    if (given->settings.n == 0 || !case_tells(result)) return;
    blame_rejection(v, given, result);
    if (result->blames > 0 && result->blame[0].weight > 0.95) return; /* it is explained */
    blame_digits(v, given, result);
    blame_sizes(v, given, result);
    blame_equal(v, given, result);
}

void case_blame_empty(const struct gradient_case *given, struct verify_result *result)
{
    struct scene_settings some = given->settings;
    struct scene scene;
    if (given->settings.n == 0 || given->settings.np > 0) return;
    some.np = 2;
    if (!scene_create(given->scene.bed.v, &some, &scene)) return;
    if (bed_solve(&scene.bed) == SENS_OK && out_finite(&scene.bed, &scene.bed.out)) {
        verify_say(result, "all is well with two parameters in place of none");
        verify_blame(result, CAUSE_empty_set, 0.97);
    }
    scene_free(&scene);
}

/* ---- linear equations ---------------------------------------------------------------------------------- */

static bool right_on_linear(const struct gradient_case *given, bool adaptive, bool moving)
{
    const struct bed *bed = &given->scene.bed;
    struct sens_problem problem;
    decorate_linear(bed->v, &bed->problem, moving, &problem);
    return gradient_own_is_right(given, adaptive, &problem, &bed->cost);
}

/* A product at another state than is due is right where J does not depend on the state, one at another time
 * only where it does not depend on the time either. */
void case_blame_linear(const struct gradient_case *given, bool adaptive, struct verify_result *result)
{
    if (given->scene.bed.problem.n > DECORATE_FAINT_MOST || given->scene.bed.problem.np > DECORATE_FAINT_MOST)
        return;
    if (right_on_linear(given, adaptive, true)) {
        verify_say(result, "right where rhs is linear in x and p, with coefficients that depend on t");
        verify_blame(result, CAUSE_stale_jacobian, 0.97);
        verify_blame(result, CAUSE_stale_stage, 0.8);
    } else if (right_on_linear(given, adaptive, false)) {
        verify_say(result,
                   "right where rhs is linear in x and p with one Jacobian, not where that depends on t");
        verify_blame(result, CAUSE_stale_jacobian, 0.95);
        verify_blame(result, CAUSE_jacobian_held, 0.9);
        if (!given->settings.autonomous) verify_blame(result, CAUSE_stage_time, 0.8); /* there t is nothing */
    }
}
