/* Tasks on the probe, what is known of their steps, and a Runge-Kutta step by plain loops. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

#include "attain.h"

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
    if (s->tol > 0) bed->task.rtol = bed->task.atol = s->tol;
    if (s->inside && !take_inside(bed)) return false;
    if (s->choice && !take_choice(bed, s->choice)) return false;
    if (is_fixed(s)) return bed_fixed(bed, s->tableau, s->steps);
    return (!s->tableau || !(caps & SENS_CAP_TABLEAU) || bed_tableau(bed, s->tableau)) &&
           (!s->controller || !(caps & SENS_CAP_CONTROLLER) || bed_controller(bed, s->controller));
}

static void set_subject(struct scene *scene, const struct scene_settings *s)
{
    char instance[VERIFY_SUBJECT / 2];
    snprintf(instance, sizeof instance, "probe n=%zu np=%zu%s%s", s->n, s->np,
             s->autonomous ? " autonomous" : "", s->x0_depends ? " x0(p)" : "");
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
    probe_problem(v, &settings, &problem);
    probe_cost(v, &problem, s->m, s->parts & probe_parts_for(v->method), &cost);
    *scene = (struct scene){.fixed = is_fixed(s)};
    bed_create(v, &problem, &cost, v->method, &scene->bed);
    scene->bed.task.max_steps = MAX_STEPS;
    verify_module("method", v->method->name, scene->module);
    if (!configure(&scene->bed, s)) return false;
    if (!scene->fixed) loosen(&scene->bed);
    set_subject(scene, s);
    return true;
}

void scene_free(struct scene *scene)
{
    bed_free(&scene->bed);
}

bool scene_rebuilds(const struct scene *scene)
{
    const unsigned caps = scene->bed.method->caps;
    return (caps & SENS_CAP_TABLEAU) && (scene->fixed || scene->bed.grid.steps > 0);
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* Steps from `from` to `to`, the last of which ends there exactly. */
static bool append_segment(struct grid *grid, double from, double to, long steps)
{
    const double h = (to - from) / (double)steps;
    for (long k = 0; k < steps; k++) {
        const double t = from + (double)k * h, t1 = k + 1 == steps ? to : from + (double)(k + 1) * h;
        if (!grid_append(grid, t, h, t1)) return false;
    }
    return true;
}

bool scene_uniform(const struct bed *bed, long steps, struct grid *grid)
{
    const struct sens_problem *pb = &bed->problem;
    const double dt = (pb->t1 - pb->t0) / (double)steps;
    double from = pb->t0;
    *grid = (struct grid){.steps = 0};
    for (size_t j = 0; j <= bed->cost.n_obs; j++) {
        const double to = j < bed->cost.n_obs ? bed->cost.t_obs[j] : pb->t1;
        if (to > from && !append_segment(grid, from, to, lround((to - from) / dt))) return false;
        from = fmax(from, to);
    }
    return true;
}

static bool copy_grid(const struct grid *from, struct grid *to)
{
    *to = (struct grid){.steps = 0};
    for (long k = 0; k < from->steps; k++)
        if (!grid_append(to, from->t[k], from->h[k], from->t1[k])) return false;
    return true;
}

bool scene_grid(struct scene *scene, struct grid *grid)
{
    struct bed *bed = &scene->bed;
    const struct sens_task *task = &bed->task;
    *grid = (struct grid){.steps = 0};
    if (bed->grid.steps > 0) return copy_grid(&bed->grid, grid);
    if (scene->fixed) return scene_uniform(bed, lround((bed->problem.t1 - bed->problem.t0) / task->dt), grid);
    return oracle_steps_within(bed->v, &bed->problem, &bed->cost, task->tableau, task->rtol, task->atol,
                               task->max_steps, grid) == SENS_OK;
}

/* ---- causes -------------------------------------------------------------------------------------------- */

bool scene_blame(const struct oracle *oracle, const struct sens_out *got, const struct sens_out *right,
                 const struct sens_out *bound, struct verify_result *result)
{
    const struct bed *bed = oracle->shape;
    struct worst state = {0};
    const struct sens_out limit = out_only(bound, SENS_IN_STATE);
    if (oracle->grid->steps > MOST_BLAMED) return true;
    out_compare(&state, bed, got, right, &limit, "");
    const bool state_right = worst_passes(&state);
    if (!state_right) oracle_blame_state(oracle, got, right, result);
    oracle_blame_gradient(oracle, got, right, &bed->work, result);
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

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* Norms differ in what they hold an error against: |x|, |x| + |h f|, the mean of many components; and what no
 * test sees (quadrature, interpolant) follows the steps they lead to. */
static const double NORMS_DIFFER = 8;

sens_status scene_tolerance(struct scene *scene, const struct grid *grid, const struct sens_out *uncertainty,
                            struct sens_out *bound)
{
    struct bed *bed = &scene->bed;
    struct oracle oracle;
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    const sens_status status =
        oracle_tolerance(&oracle, NORMS_DIFFER * bed->task.rtol, NORMS_DIFFER * bed->task.atol, bound);
    if (status == SENS_OK && uncertainty) out_add(bed, bound, 1, uncertainty);
    return status;
}

/* ---- difference quotients ------------------------------------------------------------------------------ */

/* q_k of all np + n: parameters, then initial states. */
static double *coordinate(double *p, double *x0, size_t np, size_t k)
{
    return k < np ? p + k : x0 + (k - np);
}

/* The derivative over the grid with q_k moved by `by`; the initial state is then what it is given as, but
 * for a parameter on which it depends. */
static sens_status moved_tangent(struct scene *scene, const struct grid *grid, size_t k, double by,
                                 struct sens_out *out)
{
    struct bed *bed = &scene->bed;
    struct sens_problem moved = bed->problem;
    const size_t n = moved.n, np = moved.np;
    double *p = verify_copy(bed->v, np, moved.p), *x0 = verify_array(bed->v, n);
    struct oracle oracle;
    sens_problem_x0(&moved, p, x0);
    *coordinate(p, x0, np, k) += by;
    moved.x0_fixed = moved.x0_fixed || k >= np;
    if (!moved.x0_fixed) sens_problem_x0(&moved, p, x0);
    moved.p = p;
    moved.x0 = x0;
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    oracle.problem = &moved;
    return oracle_tangent(&oracle, out);
}

/* The entries of column k of both gradients. */
static double *entry(const struct bed *bed, const struct sens_out *out, size_t c, size_t k)
{
    const size_t n = bed->problem.n, np = bed->problem.np;
    return k < np ? &out->dGdp[c * np + k] : &out->dGdx0[c * n + (k - np)];
}

sens_status scene_difference(struct scene *scene, const struct grid *grid, const struct sens_out *noise,
                             struct sens_out *bound)
{
    struct bed *bed = &scene->bed;
    const size_t n = bed->problem.n, np = bed->problem.np;
    const double forward = sqrt(DBL_EPSILON), central = cbrt(DBL_EPSILON);
    double *x0 = verify_array(bed->v, n), *p = verify_copy(bed->v, np, bed->problem.p);
    struct sens_out low = bed_shape(bed), high = bed_shape(bed);
    sens_problem_x0(&bed->problem, p, x0);
    for (size_t k = bound->dGdp ? 0 : np; k < np + (bound->dGdx0 ? n : 0); k++) {
        const double q = *coordinate(p, x0, np, k), size = q != 0 ? fabs(q) : 1, by = 1e-3 * size;
        sens_status status = moved_tangent(scene, grid, k, -by, &low);
        if (status == SENS_OK) status = moved_tangent(scene, grid, k, by, &high);
        if (status != SENS_OK) return status;
        for (size_t c = 0; c < bed->cost.m; c++) {
            const double curvature = fabs(*entry(bed, &high, c, k) - *entry(bed, &low, c, k)) / (2 * by);
            *entry(bed, bound, c, k) = curvature * central * size + 2 * noise->G[c] / (forward * size);
        }
    }
    return SENS_OK;
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

static double slope_between(const struct ladder *ladder, int coarse, int fine)
{
    return log(ladder->error[coarse] / ladder->error[fine]) / log(ladder->h[coarse] / ladder->h[fine]);
}

bool ladder_slope(const struct ladder *ladder, double *slope)
{
    int fine = ladder->count - 1;
    while (fine > 0 && !(ladder_clean(ladder, fine) && ladder_clean(ladder, fine - 1))) fine--;
    if (fine < 1) return false;
    *slope = slope_between(ladder, fine - 1, fine);
    if (fine > 1 && ladder_clean(ladder, fine - 2))
        *slope = fmax(*slope, slope_between(ladder, fine - 2, fine));
    return true;
}

void ladder_words(const struct ladder *ladder, char text[VERIFY_SUBJECT])
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < ladder->count && used + 10 < VERIFY_SUBJECT; k++)
        used += (size_t)snprintf(text + used, VERIFY_SUBJECT - used, k ? " %.1e" : "%.1e", ladder->error[k]);
}
