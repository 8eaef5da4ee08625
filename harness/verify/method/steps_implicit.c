/* The steps of implicit formulas, where their error estimate leaves no choice.
 *
 *     x_i' = p cos((1 + i) t):                        df/dx = 0. Whatever an estimate is filtered with is then the
 *                                                     identity, and stages are slopes at given times: what the
 *                                                     tableau and the controller prescribe is all there is.
 *     x_i' = -(1 + i) p x_i:                          df/dx is a number for each state, df/dt = 0, and so is what a
 *                                                     Rosenbrock step does to it.
 *     y' = -k (y - cos t) - sin t,   y(0) = 1:        y = cos t, however large k is (Prothero & Robinson, Math.
 *                                                     Comput. 28 (1974) 145). An estimate that is filtered, or
 *                                                     damped by its formula, sees that; another one sees stages
 *                                                     that are far off, and makes steps as short as it would.
 *
 * Additive pairs take 2/3 of the first equation for f_I: the estimates of both parts are then multiples of one another,
 * and that of the sum is the sum of theirs, by whichever of the two a method goes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagonal.h"
#include "probe.h"
#include "step_rules.h"

enum { OUTPUTS = 2, MAX_STEPS = 2000 };

/* ---- df/dx = 0 ----------------------------------------------------------------------------------------- */

static const double SHARE = 2.0 / 3; /* of f_I, whose data point here */

static double wave(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    return (pb->data ? SHARE : 1) * cos((double)(1 + i) * at->t);
}

static sens_status quadrature_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = at->p[0] * wave(pb, at, i);
    return SENS_OK;
}

static struct diagonal_slopes quadrature_slopes(const struct sens_problem *pb, const struct sens_at *at,
                                                size_t i)
{
    return (struct diagonal_slopes){0, wave(pb, at, i)};
}

/* ---- x_i' = -(1 + i) p x_i ----------------------------------------------------------------------------- */

static double rate(const double *p, size_t i)
{
    return -(double)(1 + i) * p[0];
}

static sens_status decay_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = rate(at->p, i) * at->x[i];
    return SENS_OK;
}

static struct diagonal_slopes decay_slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb;
    return (struct diagonal_slopes){rate(at->p, i), -(double)(1 + i) * at->x[i]};
}

/* Of f_i = -(1 + i) p x_i the only second derivative is that by p and x_i. */
static void decay_hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                      const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    (void)at;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) {
            const double w = -(double)(1 + i) * W[i * L + l];
            OUT[i * L + l] = v->p ? v->p[l] * w : 0;
            if (MU && v->x) MU[l] += v->x[i * L + l] * w;
        }
}

static const struct sens_problem_type *decay_type(struct verify *v)
{
    /* made for this call, and ours to complete */
    struct sens_problem_type *const made =
        (struct sens_problem_type *)diagonal_type(v, "decays", decay_rhs, decay_slopes);
    made->hvp = decay_hvp;
    made->autonomous = true;
    return made;
}

static double weighted(const struct rk_step *step, size_t n, size_t q, int count, const double *w)
{
    double sum = 0;
    for (int j = 0; j < count; j++) sum += w[j] * step->K[(size_t)j * n + q];
    return sum;
}

/* (1 - h gamma r) K_i = r Y_i + h r sum_{j<i} gamma_ij K_j,   Y_i = x + h sum_{j<i} alpha_ij K_j */
static sens_status rosenbrock_step(const struct sens_problem *pb, const struct sens_tableau *tb, double t,
                                   double h, const double *x, struct rk_step *step)
{
    (void)t;
    const size_t n = pb->n, s = (size_t)tb->stages;
    for (size_t q = 0; q < n; q++) {
        const double r = rate(pb->p, q);
        for (int i = 0; i < tb->stages; i++) {
            const double Y = x[q] + h * weighted(step, n, q, i, tb->a + (size_t)i * s);
            const double coupled = h * weighted(step, n, q, i, tb->gamma + (size_t)i * s);
            step->K[(size_t)i * n + q] = r * (Y + coupled) / (1 - h * tb->gamma[0] * r);
        }
        step->x1[q] = x[q] + h * weighted(step, n, q, tb->stages, tb->b);
        step->e[q] = h * weighted(step, n, q, tb->stages, tb->e);
    }
    return SENS_OK;
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

/* f_I for additive pairs, from the unit's arena. */
static const struct sens_problem *implicit_part(struct verify *v, const struct sens_problem *pb)
{
    struct sens_problem *const part = verify_memory(v, 1, sizeof *part);
    *part = *pb;
    part->data = &SHARE;
    return part;
}

static bool is_additive(struct verify *v, struct task task)
{
    const struct sens_tableau *const tableau = verify_formula(v, task.tableau);
    return tableau && tableau->a_explicit;
}

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

static void check_law(struct verify *v, const struct sens_problem_type *type, struct task task,
                      step_function *step)
{
    enum { N = 3 };
    static const double x0[N] = {0.5, 1, -1}, p = 1;
    struct sens_problem pb = {
        .type = type, .n = N, .np = 1, .t1 = 3, .x0 = verify_copy(v, N, x0), .p = verify_copy(v, 1, &p)};
    struct scene scene;
    if (is_additive(v, task)) pb.implicit = implicit_part(v, &pb);
    if (create_scene(v, &pb, task, &scene)) {
        scene.bed.task.dt = 1e-2 * pb.t1;
        if (bed_solve(&scene.bed) == SENS_OK)
            steps_check_controller(&scene, step);
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
    static const struct task law[] = {{"sdirk4a", "hairer-pi"},
                                      {"kvaerno43", "petsc"},
                                      {"radau_iia5", "gustafsson"},
                                      {"ark32", "hairer-pi"},
                                      {"ark43", "odeint"}};
    static const struct task rosenbrock[] = {{"rodas4", "hairer-pi"}, {"ros4", "petsc"}};
    static const struct task stiff[] = {
        {"sdirk4a", "odeint"}, {"sdirk3a", "hairer-pi"}, {"gauss6", "odeint"}};
    const struct sens_problem_type *const cosines =
        diagonal_type(v, "cosines", quadrature_rhs, quadrature_slopes);
    for (size_t k = 0; k < sizeof law / sizeof *law; k++) check_law(v, cosines, law[k], rk_step);
    for (size_t k = 0; k < sizeof rosenbrock / sizeof *rosenbrock; k++)
        check_law(v, decay_type(v), rosenbrock[k], rosenbrock_step);
    for (size_t k = 0; k < sizeof stiff / sizeof *stiff; k++) check_stiff(v, stiff[k]);
}
