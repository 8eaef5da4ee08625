/* Steps back over a grid whose df/dx is one matrix, see grid_step.h. */
#include "grid_step.h"

#include <math.h>
#include <string.h>

#include "kernels.h"

/* For fewer, W takes longer than the front saves: it is 2 stages products with J for a parameter. */
enum { OUTPUTS_A_PARAMETER = 16 };

bool grid_step_suits(const struct sens_task *task)
{
    const struct sens_problem *const pb = task->problem;
    const struct sens_tableau *const tb = task->tableau;
    const bool explicit = tb->family == SENS_FAMILY_EXPLICIT && tb->stages <= SENS_WAVE_DEGREE;
    if (!explicit || task->cost->type->g || pb->mass || !wave_matrix_suits(pb)) return false;
    if (!(task->parts & SENS_IN_DGDP)) return true;
    return pb->structure->jacobian_p && task->cost->m >= OUTPUTS_A_PARAMETER * pb->np;
}

/* r [stages + 1]; its degree. Of coefficients as large as those of dop853 double would leave 1e-14. */
static size_t find_polynomial(const struct sens_tableau *tb, long double *r)
{
    const int s = tb->stages;
    long double power[SENS_WAVE_DEGREE]; /* A^(k-1) 1 */
    size_t degree = 1;
    for (int i = 0; i < s; i++) power[i] = 1;
    r[0] = 1;
    for (int k = 1; k <= s; k++) {
        r[k] = 0;
        for (int i = 0; i < s; i++) r[k] += (long double)tb->b[i] * power[i];
        if (r[k] != 0) degree = (size_t)k;
        for (int i = s - 1; i >= 0; i--) {
            long double sum = 0;
            for (int j = 0; j < i; j++) sum += (long double)sens_tableau_a(tb, i, j) * power[j];
            power[i] = sum;
        }
    }
    return degree;
}

size_t grid_step_lanes(const struct sens_ctx *ctx, const struct sens_task *task)
{
    long double r[SENS_WAVE_DEGREE + 1];
    return sens_wave_lanes(wave_matrix_chunk(task->problem), find_polynomial(task->tableau, r),
                           ctx->cache.l1);
}

sens_status grid_step_create(struct sens_ctx *ctx, const struct sens_task *task, size_t L,
                             struct grid_step *step)
{
    const struct sens_problem *const pb = task->problem;
    const size_t n = pb->n, np = task->parts & SENS_IN_DGDP ? pb->np : 0,
                 stages = (size_t)task->tableau->stages;
    *step = (struct grid_step){.task = task, .n = n, .np = np, .stages = stages};
    step->degree = find_polynomial(task->tableau, step->r);
    const sens_status status = wave_matrix_create(ctx, pb, &step->matrix);
    if (status != SENS_OK) return status;
    step->room = SENS_NEW(ctx, sens_real, sens_wave_room(&step->matrix.A, step->degree, L));
    if (!step->room) return SENS_NO_MEMORY;
    if (np == 0) return SENS_OK;
    step->value = SENS_NEW(ctx, sens_real, pb->structure->sparsity_p->start[np]);
    step->K = SENS_NEW(ctx, sens_real, stages * np * n);
    step->V = SENS_NEW(ctx, sens_real, n);
    return step->value && step->K && step->V ? SENS_OK : SENS_NO_MEMORY;
}

void grid_step_begin(struct grid_step *step, const sens_real *p)
{
    wave_matrix_find(&step->matrix, p);
    step->h = (sens_real)NAN;
}

/* ---- W ------------------------------------------------------------------------------------------------- */

/* K_i [np][n] = weight df/dp at a point. */
static void find_df_dp(struct grid_step *step, const struct sens_at *at, sens_real weight, size_t i)
{
    const struct sens_problem *const pb = step->task->problem;
    const struct sens_pattern *const pattern = pb->structure->sparsity_p;
    const size_t n = step->n, np = step->np;
    sens_real *const K = step->K + i * np * n;
    pb->structure->jacobian_p(pb, at, step->value);
    memset(K, 0, np * n * sizeof *K);
    for (size_t j = 0; j < np; j++)
        for (size_t e = pattern->start[j]; e < pattern->start[j + 1]; e++)
            K[j * n + pattern->col[e]] = weight * step->value[e];
}

/* out [n] = scale sum_l weight_l K_l of parameter j, first <= l < first + terms. */
static void combine(const struct grid_step *step, size_t first, size_t terms, sens_real scale,
                    const sens_real *weight, size_t j, sens_real *out)
{
    const sens_real *K[SENS_WAVE_DEGREE];
    for (size_t l = 0; l < terms; l++) K[l] = step->K + ((first + l) * step->np + j) * step->n;
    sens_lanes_combine(step->n, (int)terms, scale, weight, K, out);
}

/* K_i += h J sum_l weight_l K_l, first <= l < first + terms. */
static void add_product(struct grid_step *step, size_t first, size_t terms, sens_real h,
                        const sens_real *weight, size_t i)
{
    for (size_t j = 0; j < step->np && terms > 0; j++) {
        combine(step, first, terms, h, weight, j, step->V);
        wave_matrix_add_product(&step->matrix, step->V, step->K + (i * step->np + j) * step->n);
    }
    step->columns += step->np;
}

void grid_step_discrete(struct grid_step *step, sens_real h, const struct sens_at *at, sens_real *W)
{
    const struct sens_tableau *const tb = step->task->tableau;
    sens_real a[SENS_WAVE_DEGREE];
    for (size_t i = 0; i < step->stages; i++) {
        for (size_t l = 0; l < i; l++) a[l] = sens_tableau_a(tb, (int)i, (int)l);
        find_df_dp(step, &at[i], 1, i);
        add_product(step, 0, i, h, a, i);
    }
    for (size_t j = 0; j < step->np; j++) combine(step, 0, step->stages, h, tb->b, j, W + j * step->n);
}

void grid_step_continuous(struct grid_step *step, sens_real h, const struct sens_at *at, sens_real *W)
{
    const struct sens_tableau *const tb = step->task->tableau;
    sens_real a[SENS_WAVE_DEGREE];
    for (size_t i = step->stages; i-- > 0;) {
        const size_t behind = step->stages - 1 - i;
        for (size_t l = 0; l < behind; l++) a[l] = sens_tableau_a(tb, (int)(i + 1 + l), (int)i);
        find_df_dp(step, &at[i], tb->b[i], i);
        add_product(step, i + 1, behind, h, a, i);
    }
    for (size_t i = 0; i < step->stages; i++) a[i] = 1;
    for (size_t j = 0; j < step->np; j++) combine(step, 0, step->stages, h, a, j, W + j * step->n);
}

/* ---- a step -------------------------------------------------------------------------------------------- */

void grid_step_sweep(struct grid_step *step, sens_real h, const sens_real *W, size_t L,
                     const sens_real *lambda, sens_real *out, sens_real *mu)
{
    for (size_t j = 0; j < step->np; j++) sens_lanes_add_row(step->n, L, W + j * step->n, lambda, mu + j * L);
    if (!(h == step->h)) wave_matrix_polynomial(&step->matrix, h, step->degree, step->r, step->q);
    step->h = h;
    sens_lanes_wave(&step->matrix.A, step->degree, step->q, L, step->room, lambda, out);
    step->vectors += step->degree * L;
    step->lanes += L;
}

void grid_step_count(struct grid_step *step, size_t idle, size_t lanes, struct sens_work *work)
{
    const bool wrt_p = step->np > 0;
    work->vjp += step->vectors;
    work->jvp += step->columns;
    work->jvp_p += step->columns;
    if (wrt_p) work->vjp_p += step->lanes;
    if (lanes > 0) work->idle_vjp += step->vectors / lanes * idle;
    if (lanes > 0 && wrt_p) work->idle_vjp_p += step->lanes / lanes * idle;
    step->vectors = step->lanes = step->columns = 0;
}
