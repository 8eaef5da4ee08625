/* A drawn scene as a task on the probe. */
#include <stdlib.h>
#include <string.h>

#include "decorate.h"
#include "drawn.h"

/* ---- observation times --------------------------------------------------------------------------------- */

/* In (0, 1), from the seed and the index: the mixing steps of splitmix64. */
static double fraction_of(unsigned long seed, unsigned long index)
{
    unsigned long long z = seed * 0x9E3779B97F4A7C15ULL + (index + 1) * 0xD1B54A32D192ED03ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return 0.005 + 0.99 * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where observation j of `count` is, as a part of the interval. A few are at multiples of an eighth. */
static double place_of(const struct drawn *drawn, size_t j, size_t count)
{
    static const double CLOSE = 1e-6;
    const int layout = (int)drawn->value[AXIS_LAYOUT];
    const size_t pairs = (count + 1) / 2, pair = j / 2;
    if (layout == 1) return fraction_of(drawn->layout, j);
    if (layout == 2 && j == 0) return CLOSE;                          /* to t0 */
    if (layout == 2 && j > 1 && j + 1 == count) return 1 - CLOSE / 4; /* to t1 */
    if (layout == 2) return (double)(pair + 1) / (double)(pairs + 1) + (double)(j % 2) * CLOSE;
    return count < 8 ? round(8 * (double)(j + 1) / (double)(count + 1)) / 8
                     : (double)(j + 1) / (double)(count + 1);
}

/* The times of a fixed step are multiples of it. Equal ones are taken once. */
static size_t observation_times(const struct drawn *drawn, bool fixed, double t0, double t1, double *t)
{
    const double steps = drawn->value[AXIS_STEPS];
    const int ends = (int)drawn->value[AXIS_ENDS];
    const size_t count = (size_t)drawn->value[AXIS_TIMES];
    size_t kept = 0, between = 0;
    double *const place = t + 1; /* one observation at t0 goes before */
    for (size_t j = 0; j < count; j++) {
        const double at = place_of(drawn, j, count);
        place[j] = fixed ? fmin(fmax(round(at * steps), 1), steps - 1) / steps : at;
    }
    qsort(place, count, sizeof *place, compare_numbers);
    for (size_t j = 0; j < count; j++)
        if (j == 0 || place[j] > place[between - 1]) place[between++] = place[j];
    if (ends & 1) t[kept++] = t0;
    for (size_t j = 0; j < between; j++) t[kept++] = t0 + place[j] * (t1 - t0);
    if (ends & 2) t[kept++] = t1;
    return kept;
}

static void make_cost(const struct drawing *drawing, const struct drawn *drawn, bool fixed,
                      const struct sens_problem *problem, struct sens_cost *cost)
{
    const int parts = (int)drawn->value[AXIS_PARTS];
    double *t = verify_array(drawing->v, (size_t)drawn->value[AXIS_TIMES] + 3);
    size_t n_obs = observation_times(drawn, fixed, problem->t0, problem->t1, t);
    if (n_obs == 0 && !(parts & 1)) t[n_obs++] = problem->t1; /* else there is no cost at all */
    probe_cost_at(drawing->v, problem, (size_t)drawn->value[AXIS_OUTPUTS],
                  (parts & 1 ? PROBE_RUNNING : 0u) | (parts & 2 ? PROBE_EXPLICIT : 0u), n_obs, t, cost);
}

/* ---- the task ------------------------------------------------------------------------------------------ */

static void make_problem(const struct drawing *drawing, const struct drawn *drawn,
                         struct sens_problem *problem)
{
    const double *const value = drawn->value;
    const struct probe_settings settings = {.n = (size_t)value[AXIS_STATES],
                                            .np = (size_t)value[AXIS_PARAMETERS],
                                            .autonomous = (int)value[AXIS_FORM] & 1,
                                            .x0_depends = (int)value[AXIS_FORM] & 2,
                                            .t0 = value[AXIS_START],
                                            .t1 = value[AXIS_START] + value[AXIS_LENGTH],
                                            .scale = exp2(value[AXIS_SCALE])};
    probe_problem(drawing->v, &settings, problem);
}

/* What is too tight for a pair of low order q: local errors h^(q+1) of 10^(-2 (q+1)) take some hundred
 * steps. */
static double reachable(const struct bed *bed, double tol)
{
    const struct sens_tableau *tb = bed->task.tableau;
    const int order = tb->order < tb->order_hat ? tb->order : tb->order_hat;
    if (!(bed->method->caps & SENS_CAP_TABLEAU) || order <= 0) return tol;
    return fmax(tol, pow(10, -2 * (order + 1)));
}

static void set_tolerances(const struct drawing *drawing, const struct drawn *drawn, struct bed *bed)
{
    const double ratio = drawn->value[AXIS_RATIO];
    const double tol = reachable(bed, drawing->tol > 0 ? drawing->tol : 1e-7);
    bed->task.rtol = tol * pow(10, fmax(-ratio, 0));
    bed->task.atol = tol * pow(10, fmax(ratio, 0));
    if (drawn->scaled) bed->task.atol *= exp2(drawn->value[AXIS_SCALE]);
}

static void set_task(const struct drawn *drawn, struct bed *bed)
{
    const unsigned caps = bed->method->caps;
    const double *const value = drawn->value;
    struct sens_task *task = &bed->task;
    if (caps & SENS_CAP_LANES) task->lanes = (int)value[AXIS_LANES];
    if (caps & SENS_CAP_BATCH) task->batch = (int)value[AXIS_BATCH];
    if (caps & SENS_CAP_THREADS) task->threads = (int)value[AXIS_THREADS];
    if (caps & SENS_CAP_CKPT) task->ckpt = bed_every(bed->v, (long)value[AXIS_CKPT]);
    task->max_steps = (long)value[AXIS_LIMIT];
    const unsigned by = (unsigned)value[AXIS_WRT] & (bed->problem.np ? 3u : (unsigned)SENS_WRT_X0);
    task->parts = sens_method_parts(bed->method, by ? by : SENS_WRT_X0);
    for (size_t k = 0; k < sens_option_count(bed->method->options) && k < AXIS_OPTIONS; k++)
        if (bed->method->options[k].kind != SENS_OPT_DATA)
            bed->option[k].number = value[AXIS_OPTION + (int)k];
}

/* Fixed steps take any tableau, adaptive ones a pair. */
static bool set_solver(const struct drawing *drawing, const struct drawn *drawn, struct scene *scene)
{
    const struct sens_registry *reg = drawing->v->reg;
    struct bed *bed = &scene->bed;
    const struct sens_controller *controller = reg->controllers[(size_t)drawn->value[AXIS_CONTROLLER]];
    bed->task.tableau = reg->tableaux[(size_t)drawn->value[AXIS_TABLEAU]];
    bed->task.controller = controller;
    if (!(bed->method->caps & SENS_CAP_CONTROLLER)) return true;
    if (!bed_is_fixed(&scene->bed)) return bed->task.tableau->e != NULL;
    bed->task.dt = (bed->problem.t1 - bed->problem.t0) / drawn->value[AXIS_STEPS];
    return bed->method->derivative != SENS_DERIVATIVE_CONTINUOUS;
}

bool drawn_scene(const struct drawing *drawing, const struct drawn *drawn, struct scene *scene)
{
    struct verify *v = drawing->v;
    struct sens_problem problem;
    struct sens_cost cost;
    const struct sens_controller *controller = v->reg->controllers[(size_t)drawn->value[AXIS_CONTROLLER]];
    const bool fixed = (v->method->caps & SENS_CAP_CONTROLLER) && !controller->adaptive;
    *scene = (struct scene){.subject = ""};
    make_problem(drawing, drawn, &problem);
    make_cost(drawing, drawn, fixed, &problem, &cost);
    bed_create(v, &problem, &cost, v->method, &scene->bed);
    verify_module("method", v->method->name, scene->module);
    drawn_subject(drawing, drawn, scene->subject);
    const bool taken = set_solver(drawing, drawn, scene);
    set_tolerances(drawing, drawn, &scene->bed);
    set_task(drawn, &scene->bed);
    scene->bed.out = bed_outputs(&scene->bed);
    return taken;
}

/* ---- the mean of all outputs --------------------------------------------------------------------------- */

struct mean {                /* sum_c w_c G_c; the arrays hold what the cost says of all outputs */
    double *w, *G, *dx, *dp; /* [m], [m], [n][m], [np][m] */
};

static void clear(size_t count, double *v)
{
    for (size_t q = 0; q < count; q++) v[q] = 0;
}

/* Output 0, and with it lane 0, is that of all, times w. */
static void answer_mean(const struct sens_cost *cost, const struct cost_call *call)
{
    const struct mean *mean = decorate_own(cost);
    const bool value = cost_call_is_value(call);
    const size_t m = cost->inner->m, rows = value ? 1 : cost_call_rows(cost, call);
    struct cost_call inner = *call;
    double *const all = inner.out = value ? mean->G : cost_call_is_by_p(call) ? mean->dp : mean->dx;
    inner.c0 = 0, inner.L = value ? 1 : m;
    clear(rows * m, all);
    cost_call(cost->inner, &inner);
    for (size_t i = 0; call->c0 == 0 && call->L > 0 && i < rows; i++)
        for (size_t c = 0; c < m; c++) call->out[i * call->L] += mean->w[c] * all[i * m + c];
}

/* All different, and of one sign: the outputs do not cancel, so that a mean is as well known as each. */
static double *weights_of(struct verify *v, size_t m)
{
    double *w = verify_array(v, m), sum = 0;
    for (size_t c = 0; c < m; c++) sum += w[c] = 0.5 + fraction_of(97, c);
    for (size_t c = 0; c < m; c++) w[c] /= sum;
    return w;
}

void drawn_mean_cost(struct bed *bed, struct sens_cost *cost)
{
    struct verify *v = bed->v;
    const size_t n = bed->cost.n, np = bed->cost.np, m = bed->cost.m;
    struct mean *mean = verify_memory(v, 1, sizeof *mean);
    *mean =
        (struct mean){weights_of(v, m), verify_array(v, m), verify_array(v, n * m), verify_array(v, np * m)};
    decorate_wrap_cost(v, &bed->cost, answer_mean, mean, cost);
    cost->m = 1;
}

static void mean_of(const double *w, size_t m, size_t cols, const double *rows, double *to)
{
    for (size_t k = 0; rows && to && k < cols; k++) {
        to[k] = 0;
        for (size_t c = 0; c < m; c++) to[k] += w[c] * rows[c * cols + k];
    }
}

void drawn_mean_out(const struct bed *bed, const struct bed *mean, struct sens_out *out)
{
    const struct mean *const of = decorate_own(&mean->cost);
    const size_t m = bed->cost.m;
    memcpy(out->x, bed->out.x, bed->problem.n * sizeof *out->x);
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (k == SENS_PART_G || sens_part_wrt(k))
            mean_of(of->w, m, bed_part(bed, k).cols, bed->out.part[k], out->part[k]);
}
