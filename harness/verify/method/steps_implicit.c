/* The steps of implicit formulas, where their error estimate leaves no choice.
 *
 *     x_i' = p cos((1 + i) t):                        df/dx = 0. Whatever an estimate is filtered with is then the
 *                                                     identity, and stages are slopes at given times: what the
 *                                                     tableau and the controller prescribe is all there is.
 *     y' = -k (y - cos t) - sin t,   y(0) = 1:        y = cos t, however large k is (Prothero & Robinson, Math.
 *                                                     Comput. 28 (1974) 145). An estimate that is filtered, or
 *                                                     damped by its formula, sees that; another one sees stages
 *                                                     that are far off, and makes steps as short as it would.
 *
 * Rosenbrock pairs, whose stages have df/dt in them, and additive ones, which take f_I, are not looked at. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagonal.h"
#include "probe.h"
#include "step_rules.h"

enum { OUTPUTS = 2, MAX_STEPS = 2000 };

/* ---- df/dx = 0 ----------------------------------------------------------------------------------------- */

static double wave(const struct sens_at *at, size_t i)
{
    return cos((double)(1 + i) * at->t);
}

static sens_status quadrature_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = at->p[0] * wave(at, i);
    return SENS_OK;
}

static struct diagonal_slopes quadrature_slopes(const struct sens_problem *pb, const struct sens_at *at,
                                                size_t i)
{
    (void)pb;
    return (struct diagonal_slopes){0, wave(at, i)};
}

/* ---- Prothero & Robinson ------------------------------------------------------------------------------- */

static const double STIFFNESS = 1e6;

static sens_status stiff_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * (at->x[0] - cos(at->t)) - sin(at->t);
    return SENS_OK;
}

static struct diagonal_slopes stiff_slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb, (void)i;
    return (struct diagonal_slopes){-at->p[0], cos(at->t) - at->x[0]};
}

/* ---- tasks --------------------------------------------------------------------------------------------- */

struct task {
    const char *tableau, *controller;
};

/* false: the method does not take them. */
static bool create_scene(struct verify *v, const struct sens_problem *pb, struct task task,
                         struct scene *scene)
{
    struct sens_cost cost;
    struct bed *const bed = &scene->bed;
    *scene = (struct scene){.subject = ""};
    probe_cost(v, pb, OUTPUTS, PROBE_AT_T1 & probe_parts_for(v->method), &cost);
    bed_create(v, pb, &cost, v->method, bed);
    bed->task.max_steps = MAX_STEPS;
    verify_module("method", v->method->name, scene->module);
    if (!bed_tableau(bed, task.tableau) || !bed_controller(bed, task.controller)) return false;
    bed_subject(bed, pb->type->name, scene->subject);
    return true;
}

static void check_law(struct verify *v, struct task task)
{
    enum { N = 3 };
    static const double x0[N] = {0, 1, -1}, p = 1;
    const struct sens_problem pb = {.type = diagonal_type(v, "cosines", quadrature_rhs, quadrature_slopes),
                                    .n = N,
                                    .np = 1,
                                    .t1 = 3,
                                    .x0 = verify_copy(v, N, x0),
                                    .p = verify_copy(v, 1, &p)};
    struct scene scene;
    if (create_scene(v, &pb, task, &scene)) {
        scene.bed.task.dt = 1e-2 * pb.t1;
        if (bed_solve(&scene.bed) == SENS_OK)
            steps_check_controller(&scene);
        else
            verify_skip_check(v, "steps.law", scene.module, scene.subject, scene.bed.message);
    }
    scene_free(&scene);
}

/* A first step of 1e-6, which grows fivefold or faster, is as long as the interval after nine. */
static void check_stiff(struct verify *v, struct task task)
{
    enum { MOST = 40 };
    static const double x0 = 1;
    const struct sens_problem pb = {.type = diagonal_type(v, "Prothero-Robinson", stiff_rhs, stiff_slopes),
                                    .n = 1,
                                    .np = 1,
                                    .t1 = 2,
                                    .x0 = verify_copy(v, 1, &x0),
                                    .p = verify_copy(v, 1, &STIFFNESS)};
    struct scene scene;
    if (create_scene(v, &pb, task, &scene)) {
        struct verify_result result = verify_open("steps.stiff", scene.module, scene.subject);
        struct worst worst = {0};
        bed_tolerance(&scene.bed, 1e-6);
        const sens_status status = bed_solve(&scene.bed);
        if (status == SENS_OK || status == SENS_STEP_LIMIT)
            worst_note(&worst, (double)scene.bed.work.steps, MOST, "k = %g: steps", STIFFNESS);
        if (status == SENS_STEP_LIMIT) worst_note(&worst, INFINITY, 0, "%s", scene.bed.message);
        if (worst.count > 0)
            verify_judge(&result, &worst);
        else
            verify_skip(&result, "%s: %s", sens_status_name(status), scene.bed.message);
        verify_blame(&result, CAUSE_estimate_unfiltered, 0.9);
        verify_blame(&result, CAUSE_controller_norm, 0.4);
        verify_close(v, &result);
    }
    scene_free(&scene);
}

void steps_check_implicit(struct verify *v)
{
    static const struct task law[] = {
        {"sdirk4a", "hairer-pi"}, {"kvaerno43", "petsc"}, {"radau_iia5", "gustafsson"}};
    static const struct task stiff[] = {
        {"sdirk4a", "odeint"}, {"sdirk3a", "hairer-pi"}, {"gauss6", "odeint"}};
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) check_law(v, law[k]);
    for (size_t k = 0; k < sizeof stiff / sizeof *stiff; k++) check_stiff(v, stiff[k]);
}
