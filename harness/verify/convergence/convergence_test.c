/* What the error test of a method runs over: the sensitivities (test.inside), and nothing that is zero
 * (test.dilution). */
#include "convergence.h"
#include "decorate.h"

/* ---- test.inside --------------------------------------------------------------------------------------- */

/* State and parameters of this size leave the state's own errors far below the tolerance. */
static const double FAINT = 1e-9;

static void make_faint(struct scene *scene)
{
    struct sens_problem *pb = &scene->bed.problem;
    struct verify *v = scene->bed.v;
    double *const p = verify_copy(v, pb->np, pb->p), *const x0 = verify_copy(v, pb->n, pb->x0);
    for (size_t k = 0; k < pb->np; k++) p[k] *= FAINT;
    for (size_t i = 0; i < pb->n; i++) x0[i] *= FAINT;
    pb->p = p;
    pb->x0 = x0;
    pb->x0_fixed = true;
}

/* Is the gradient right where the state is of size 1, and its own test controls the steps? */
static bool right_otherwise(struct bed *ordinary, const struct sens_out *bound)
{
    struct worst worst = {0};
    struct expected exact;
    ordinary->grid = (struct grid){.steps = 0};
    ordinary->out = bed_outputs(ordinary);
    const bool made = bed_solve(ordinary) == SENS_OK && expected_exact(ordinary, &exact) == SENS_OK;
    if (made) out_compare(&worst, ordinary, &ordinary->out, &exact.value, bound, "");
    bed_free(ordinary);
    return made && worst_passes(&worst);
}

/* Errors of the tolerance on steps that resolve the sensitivities: those of the pair for a state of size 1. */
static bool allow_honest(const struct bed *ordinary, struct expected *goal)
{
    const struct local_error error = {ordinary->task.rtol, ordinary->task.atol};
    struct grid grid;
    const bool made =
        expected_grid(ordinary, &grid) && expected_allow_errors(ordinary, &grid, error, goal) == SENS_OK;
    grid_free(&grid);
    return made;
}

static void judge_inside(struct scene *scene, const struct sens_problem *original,
                         struct verify_result *result)
{
    struct bed *bed = &scene->bed;
    struct bed ordinary = *bed; /* the bound is that of the probe as it is, whose state is of size 1 */
    struct expected goal;
    struct worst gradient = {0};
    ordinary.problem = *original;
    /* the bound comes first: the steps of a solve would be written over those of the probe as it is */
    if (expected_exact(bed, &goal) != SENS_OK || !allow_honest(&ordinary, &goal) ||
        bed_solve(bed) != SENS_OK) {
        verify_skip(result, "the task cannot be solved");
        return;
    }
    expected_compare(&gradient, bed, &bed->out, &goal);
    verify_judge(result, &gradient);
    if (result->verdict != VERIFY_FAIL) return;
    const bool elsewhere = right_otherwise(&ordinary, &goal.bound);
    verify_say(result, "%ld steps; %s where the state is of size 1", bed->work.steps,
               elsewhere ? "right" : "wrong, too,");
    verify_blame(result, CAUSE_outside_test, elsewhere ? 0.95 : 0.2);
    verify_blame(result, CAUSE_derivative_not_solver, elsewhere ? 0.3 : 0.6);
    verify_blame(result, CAUSE_unstable_reverse, 0.15);
}

static void check_inside(struct verify *v, const struct scene_settings *settings)
{
    struct scene scene;
    if (!scene_create(v, settings, &scene)) return;
    struct verify_result result = verify_open("test.inside", scene.module, scene.subject);
    if (v->method->derivative == SENS_DERIVATIVE_CONTINUOUS) {
        const struct sens_problem original = scene.bed.problem;
        make_faint(&scene);
        judge_inside(&scene, &original, &result);
    } else {
        verify_skip(&result, "only a continuous method has sensitivities to test");
    }
    verify_close(v, &result);
    scene_free(&scene);
}

/* As the method is by default; where that leaves a part outside the error test, with all parts inside,
 * too. */
void convergence_inside(struct verify *v, const char *tableau, const char *controller)
{
    struct scene_settings settings = convergence_settings(v, tableau, controller);
    settings.parts = PROBE_AT_T1; /* no stop in between, which would cut the steps */
    check_inside(v, &settings);
    settings.inside = true;
    check_inside(v, &settings);
}

/* ---- test.dilution ------------------------------------------------------------------------------------- */

/* Accepted steps of the scene's task with little or much that is zero; false: it cannot be solved. */
static bool count_steps(struct scene *scene, const struct sens_problem *problem, const struct sens_cost *cost,
                        struct sens_work *work)
{
    struct bed *bed = &scene->bed;
    const struct sens_problem own_problem = bed->problem;
    const struct sens_cost own_cost = bed->cost;
    bed->problem = *problem;
    bed->cost = *cost;
    bed->out = bed_outputs(bed);
    const bool solved = bed_solve(bed) == SENS_OK;
    *work = bed->work;
    bed->problem = own_problem;
    bed->cost = own_cost;
    return solved;
}

static void note_steps(struct worst *worst, const char *what, const struct sens_work work[2])
{
    worst_note(worst, fabs((double)(work[1].steps - work[0].steps)), 0,
               "%ld steps with 1 more %s, %ld with 65", work[0].steps, what, work[1].steps);
    worst_note(worst, fabs((double)(work[1].steps_reverse - work[0].steps_reverse)), 0,
               "%ld backward steps with 1 more %s, %ld with 65", work[0].steps_reverse, what,
               work[1].steps_reverse);
}

/* 1 and 65 more outputs that are zero, 1 and 65 more parameters on which nothing depends. */
static bool note_dilution(struct scene *scene, struct worst *worst)
{
    struct verify *v = scene->bed.v;
    struct sens_work work[2];
    struct sens_problem problem;
    struct sens_cost cost;
    bool solved = true;
    for (int k = 0; k < 2; k++) {
        decorate_pad_cost(v, &scene->bed.cost, k ? 65 : 1, &cost);
        solved = solved && count_steps(scene, &scene->bed.problem, &cost, &work[k]);
    }
    if (solved) note_steps(worst, "zero output", work);
    for (int k = 0; k < 2; k++) {
        decorate_pad_parameters(v, &scene->bed.problem, k ? 65 : 1, &problem);
        solved = solved && count_steps(scene, &problem, &scene->bed.cost, &work[k]);
    }
    if (solved) note_steps(worst, "idle parameter", work);
    return solved;
}

void convergence_dilution(struct verify *v, const char *tableau, const char *controller)
{
    const struct scene_settings settings = convergence_settings(v, tableau, controller);
    struct scene scene;
    struct worst worst = {0};
    if (!scene_create(v, &settings, &scene)) return;
    scene.bed.task.dt = 1e-3; /* the choice of a first step averages over all components */
    struct verify_result result = verify_open("test.dilution", scene.module, scene.subject);
    if (note_dilution(&scene, &worst))
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "the solve failed: solve.completes");
    verify_blame(&result, CAUSE_diluted_test, 0.95);
    verify_blame(&result, CAUSE_controller_norm, 0.6);
    verify_close(v, &result);
    scene_free(&scene);
}
