/* Tasks on the probe, what is known of their steps, and a Runge-Kutta step by plain loops. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

#include "attain.h"
#include "offers.h"

/* ---- tasks --------------------------------------------------------------------------------------------- */

/* The probe takes a few thousand steps at most; a solver that takes more is wrong, and no cause is looked for
 * on steps that are many more than its own. */
enum { MAX_STEPS = 8000, MOST_BLAMED = 3000 };

static bool is_fixed(const struct scene_settings *s)
{
    return s->controller && strcmp(s->controller, "fixed") == 0;
}

/* false: nothing is outside the error test by default. */
static bool take_inside(struct bed *bed)
{
    bool taken = false;
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++) {
        const long inside = bed_error_test(bed, i, "inside");
        if (inside < 0 || bed->option[i].number == (double)inside) continue;
        bed->option[i].number = (double)inside;
        taken = true;
    }
    return taken;
}

static bool take_choice(struct bed *bed, const char *choice)
{
    size_t option;
    double value;
    if (!limits_choice(bed->method, choice, &option, &value)) return false;
    bed->option[option].number = value;
    return true;
}

static bool configure(struct bed *bed, const struct scene_settings *s)
{
    const unsigned caps = bed->method->caps;
    if (s->tol > 0) bed_tolerance(bed, s->tol);
    if (s->inside && !take_inside(bed)) return false;
    if (s->choice && !take_choice(bed, s->choice)) return false;
    if (is_fixed(s)) return bed_fixed(bed, s->tableau, s->steps);
    return (!s->tableau || !(caps & SENS_CAP_TABLEAU) || bed_tableau(bed, s->tableau)) &&
           (!s->controller || !(caps & SENS_CAP_CONTROLLER) || bed_controller(bed, s->controller));
}

static void set_subject(struct scene *scene, const struct scene_settings *s)
{
    char instance[VERIFY_SUBJECT / 2];
    const unsigned offers = scene->bed.v->offers;
    snprintf(instance, sizeof instance, "probe n=%zu np=%zu%s%s%s%s%s%s", s->n, s->np, offers ? " with " : "",
             offers_words(offers), s->autonomous ? " autonomous" : "", s->x0_depends ? " x0(p)" : "",
             s->uneven ? ", seen at uneven times" : "",
             s->turned ? " M x', rows turned"
             : s->mass ? " M x'"
                       : "");
    bed_subject(&scene->bed, instance, scene->subject);
    const size_t used = strlen(scene->subject);
    if (s->choice) snprintf(scene->subject + used, sizeof scene->subject - used, ", %s", s->choice);
}

/* To what the method can reach. */
static void loosen(struct bed *bed)
{
    struct sens_task *task = &bed->task;
    const double wanted = task->rtol, attained = attain_tolerance(bed, wanted, MAX_STEPS / 2);
    if (!(attained > wanted)) return;
    task->atol *= attained / wanted;
    task->rtol = attained;
}

bool scene_create(struct verify *v, const struct scene_settings *s, struct scene *scene)
{
    const struct probe_settings settings = {.n = s->n,
                                            .np = s->np,
                                            .autonomous = s->autonomous,
                                            .x0_depends = s->x0_depends,
                                            .t0 = 0.25,
                                            .t1 = 0.25 + (s->length > 0 ? s->length : 2)};
    struct sens_problem problem;
    struct sens_cost cost;
    if (s->mass && !(v->method->caps & SENS_CAP_MASS)) return false;
    probe_problem(v, &settings, &problem);
    if (s->mass) problem.mass = probe_mass(v, s->n, s->turned);
    (s->uneven ? probe_cost_uneven : probe_cost)(v, &problem, s->m, s->parts & probe_parts_for(v->method),
                                                 &cost);
    *scene = (struct scene){.subject = ""};
    bed_create(v, &problem, &cost, v->method, &scene->bed);
    scene->bed.task.max_steps = MAX_STEPS;
    verify_module("method", v->method->name, scene->module);
    if (!configure(&scene->bed, s)) return false;
    if (!bed_is_fixed(&scene->bed)) loosen(&scene->bed);
    set_subject(scene, s);
    return true;
}

void scene_free(struct scene *scene)
{
    bed_free(&scene->bed);
}

/* ---- causes -------------------------------------------------------------------------------------------- */

bool scene_blame(const struct oracle *oracle, const struct sens_out *got, const struct expected *expected,
                 struct verify_result *result)
{
    const struct bed *bed = oracle->shape;
    struct worst state = {0};
    const struct expected of_state = expected_state(expected);
    if (oracle->grid->steps > MOST_BLAMED) return true;
    expected_compare(&state, bed, got, &of_state);
    const bool state_right = worst_passes(&state);
    if (!state_right) oracle_blame_state(oracle, got, &expected->value, result);
    oracle_blame_gradient(oracle, got, &expected->value, &bed->work, result);
    return state_right;
}

/* ---- the state as a cost ------------------------------------------------------------------------------- */

static void state_phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    (void)j;
    (void)p;
    for (size_t i = 0; i < cost->n; i++) G[i] += x[i];
}

static void state_phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                         size_t L, double *OUT)
{
    (void)j;
    (void)x;
    (void)p;
    for (size_t l = 0; l < L && c0 + l < cost->n; l++) OUT[(c0 + l) * L + l] += 1;
}

static const struct sens_cost_type state_cost = {.name = "state", .phi = state_phi, .phi_dx = state_phi_dx};

void scene_state_cost(struct verify *v, const struct sens_problem *problem, struct sens_cost *cost)
{
    *cost = (struct sens_cost){.type = &state_cost,
                               .m = problem->n,
                               .n = problem->n,
                               .np = problem->np,
                               .n_obs = 1,
                               .t_obs = verify_copy(v, 1, &problem->t1)};
}

/* ---- a step -------------------------------------------------------------------------------------------- */

struct rk_step rk_step_create(struct verify *v, const struct sens_tableau *tb, size_t n)
{
    const size_t rows = (size_t)tb->stages + (size_t)tb->extra_stages;
    return (struct rk_step){.Y = verify_array(v, rows * n),
                            .K = verify_array(v, rows * n),
                            .x1 = verify_array(v, n),
                            .e = verify_array(v, n),
                            .e3 = verify_array(v, n),
                            .f1 = verify_array(v, n)};
}

static void combine(size_t n, int count, const double *w, const double *K, double h, const double *base,
                    double *out)
{
    for (size_t q = 0; q < n; q++) {
        double sum = 0;
        for (int j = 0; w && j < count; j++) sum += w[j] * K[(size_t)j * n + q];
        out[q] = (base ? base[q] : 0) + h * sum;
    }
}

static sens_status stage(const struct sens_problem *pb, const struct sens_tableau *tb, double t, double h,
                         const double *x, int i, struct rk_step *step)
{
    double *Y = step->Y + (size_t)i * pb->n;
    combine(pb->n, i, tb->a + i * (tb->stages + tb->extra_stages), step->K, h, x, Y);
    const struct sens_at at = {t + tb->c[i] * h, Y, pb->p};
    return pb->type->rhs(pb, &at, step->K + (size_t)i * pb->n);
}

sens_status rk_step(const struct sens_problem *pb, const struct sens_tableau *tb, double t, double h,
                    const double *x, struct rk_step *step)
{
    for (int i = 0; i < tb->stages; i++) {
        const sens_status status = stage(pb, tb, t, h, x, i, step);
        if (status != SENS_OK) return status;
    }
    combine(pb->n, tb->stages, tb->b, step->K, h, x, step->x1);
    combine(pb->n, tb->stages, tb->e, step->K, h, NULL, step->e);
    combine(pb->n, tb->stages, tb->e3, step->K, h, NULL, step->e3);
    return SENS_OK;
}

double rk_dense_weight(const struct sens_tableau *tb, int i, double theta)
{
    double sum = 0;
    for (int d = tb->dense_degree; d > 0; d--) sum = (sum + tb->dense[i * tb->dense_degree + d - 1]) * theta;
    return sum;
}

/* The cubic through x, x1 with slopes f, f1. */
static sens_status hermite(const struct sens_problem *pb, double t, double h, const double *x,
                           struct rk_step *step, double theta, double *out)
{
    const double rest = 1 - theta;
    const sens_status status = pb->type->rhs(pb, &(struct sens_at){t + h, step->x1, pb->p}, step->f1);
    for (size_t q = 0; q < pb->n && status == SENS_OK; q++)
        out[q] = rest * rest * (1 + 2 * theta) * x[q] + theta * theta * (3 - 2 * theta) * step->x1[q] +
                 h * theta * rest * (rest * step->K[q] - theta * step->f1[q]);
    return status;
}

sens_status rk_dense(const struct sens_problem *pb, const struct sens_tableau *tb, double t, double h,
                     const double *x, struct rk_step *step, double theta, double *out)
{
    if (tb->dense_degree == 0) return hermite(pb, t, h, x, step, theta, out);
    for (int i = tb->stages; i < tb->stages + tb->extra_stages; i++) {
        const sens_status status = stage(pb, tb, t, h, x, i, step);
        if (status != SENS_OK) return status;
    }
    for (size_t q = 0; q < pb->n; q++) {
        out[q] = x[q];
        for (int i = 0; i < tb->stages + tb->extra_stages; i++)
            out[q] += h * rk_dense_weight(tb, i, theta) * step->K[(size_t)i * pb->n + q];
    }
    return SENS_OK;
}

/* ---- the order of errors ------------------------------------------------------------------------------- */

/* An error this many times what rounding makes of it has a logarithm that rounding moves by 0.03. */
static const double CLEAN = 30;

void ladder_add(struct ladder *ladder, double h, double error, double floor)
{
    if (ladder->count == LADDER) return;
    ladder->h[ladder->count] = h;
    ladder->error[ladder->count] = error;
    ladder->floor[ladder->count++] = floor;
}

bool ladder_clean(const struct ladder *ladder, int k)
{
    return isfinite(ladder->error[k]) && ladder->error[k] > CLEAN * ladder->floor[k];
}

/* To a rung that is not clean: at least this, as its error is no larger than what was found and the floor. */
static double slope_to_floor(const struct ladder *ladder, int fine)
{
    const double most = ladder->error[fine] + ladder->floor[fine];
    return log(ladder->error[fine - 1] / most) / log(ladder->h[fine - 1] / ladder->h[fine]);
}

static double slope_between(const struct ladder *ladder, int coarse, int fine)
{
    return log(ladder->error[coarse] / ladder->error[fine]) / log(ladder->h[coarse] / ladder->h[fine]);
}

bool ladder_finite(const struct ladder *ladder)
{
    for (int k = 0; k < ladder->count; k++)
        if (!isfinite(ladder->error[k])) return false;
    return true;
}

bool ladder_slope(const struct ladder *ladder, double *slope)
{
    int fine = ladder->count - 1;
    *slope = NAN;
    if (!ladder_finite(ladder)) return true;
    while (fine > 0 && !(ladder_clean(ladder, fine) && ladder_clean(ladder, fine - 1))) fine--;
    if (fine < 1) return false;
    *slope = slope_between(ladder, fine - 1, fine);
    if (fine > 1 && ladder_clean(ladder, fine - 2))
        *slope = fmax(*slope, slope_between(ladder, fine - 2, fine));
    if (fine + 1 < ladder->count) *slope = fmax(*slope, slope_to_floor(ladder, fine + 1));
    return true;
}

double ladder_missing(double order, double slope)
{
    return slope >= order ? 0 : order - slope;
}

void ladder_words(const struct ladder *ladder, char text[VERIFY_SUBJECT])
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < ladder->count && used + 10 < VERIFY_SUBJECT; k++)
        used += (size_t)snprintf(text + used, VERIFY_SUBJECT - used, k ? " %.1e" : "%.1e", ladder->error[k]);
}
