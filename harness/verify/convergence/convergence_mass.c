/* order.mass: M x' = f beside x' = M^-1 f, whose exact solution is known. A method with steps of its own is otherwise
 * held to its own values alone where there is a mass matrix. */

#include "convergence_part.h"
#include "decorate.h"
#include "trial.h"

/* Of each part: what a coarse method may be off by on a rung that is not its finest; M in a wrong place is off by its
 * size. */
static const double COARSE = 0.05;
enum { RUNG = 3 };

/* What x' = M^-1 f has, in the scene's shape; false: it is not to be had. */
static bool find_goal(const struct scene *scene, struct expected *goal)
{
    struct sens_problem plain;
    struct bed bed;
    if (!decorate_solved(scene->bed.v, &scene->bed.problem, &plain)) return false;
    trial_decorated(scene, &plain, &scene->bed.cost, &bed);
    const bool known = expected_exact(&bed, goal) == SENS_OK;
    bed_free(&bed);
    return known;
}

static void note_parts(const struct bed *bed, const struct expected *goal, struct worst *worst)
{
    const bool quotient = bed->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = bed_part(bed, k);
        if (!bed->out.part[k] || !goal->value.part[k] || (quotient && shape.wrt)) continue;
        worst_note_in(worst, 1u << k, out_norm(bed, &bed->out, &goal->value, 1u << k),
                      COARSE * out_norm(bed, &goal->value, NULL, 1u << k),
                      "%s is not that of x' = M^-1 f: apart by", shape.title);
    }
}

/* The same scene without M, x' = f: as right as it has to be with it? */
static bool right_without(const struct scene *scene)
{
    struct sens_problem plain = scene->bed.problem;
    struct worst worst = {.count = 0};
    struct expected goal;
    struct bed bed;
    plain.mass = NULL;
    trial_decorated(scene, &plain, &scene->bed.cost, &bed);
    if (expected_exact(&bed, &goal) == SENS_OK && bed_solve(&bed) == SENS_OK) note_parts(&bed, &goal, &worst);
    bed_free(&bed);
    return worst.count && worst_passes(&worst);
}

static void solve_turned(struct verify *v, bool turned)
{
    struct scene_settings settings = convergence_settings(v, "kvaerno54", "hairer-pi");
    struct worst worst = {.count = 0};
    struct expected goal;
    struct scene scene;
    double h;
    settings.mass = true, settings.turned = turned;
    if (!scene_create(v, &settings, &scene)) {
        verify_skip_check(v, "order.mass", v->module, "probe", "the method takes no mass matrix");
        return;
    }
    scene.bed.task.max_steps = MAX_STEPS;
    const struct refinement by = refinement_find(&scene);
    if (by.way != BY_INTERVAL) refinement_take(&scene.bed, &by, RUNG, &h);
    struct verify_result result = verify_open("order.mass", v->module, scene.subject);
    if (bed_solve(&scene.bed) != SENS_OK)
        verify_skip(&result, "%s: %s", sens_status_name(scene.bed.status), scene.bed.message);
    else if (!find_goal(&scene, &goal))
        verify_skip(&result, "the oracle cannot solve this task");
    else
        note_parts(&scene.bed, &goal, &worst);
    if (worst.count) verify_judge(&result, &worst);
    if (worst.count && !worst_passes(&worst) && right_without(&scene))
        verify_blame(&result, CAUSE_mass_matrix, 0.97);
    verify_close(v, &result);
    scene_free(&scene);
}

void convergence_mass(struct verify *v)
{
    solve_turned(v, false);
    if (v->method->caps & SENS_CAP_MASS) solve_turned(v, true);
}
