/* Forward sensitivities by Gragg-Bulirsch-Stoer extrapolation, in blocks of columns.
 *
 *     x' = f(t, x, p),  V' = f_x V + f_p,  q' = g(t, x, p),  Q' = g_x V + g_p,
 *     V(t0) = [dx0/dp | I],  q(t0) = Q(t0) = 0,
 *     G = sum_j phi(j, x(t_j), p) + q(t1),   dG = sum_j (phi_x V(t_j) + phi_p) + Q(t1).
 *
 * A step H is taken by the smoothed midpoint rule with n_j = 2, 4, ..., 16 substeps and extrapolated in
 * (H/n_j)^2: order 16. Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.9, eq. (9.10)
 * and (9.13). Two measures keep rounding near one unit in the last place of a step: increments are
 * extrapolated, not states, and the states are accumulated with a compensated sum. Each block chooses its own
 * steps, so that the error of every column is controlled; the state is carried along again, which costs 1/L
 * of the work. */
#include "gbs.h"

#include <string.h>
#include <tgmath.h>

enum { TABLE = 8 }; /* rows of the extrapolation table */

/* ---- the variational system of one block: y = [x n][q m_q][V n x L][Q m_q x L] ------------------------- */

struct variation {
    const struct sens_problem *pb;
    const struct sens_cost *cost;
    size_t n, m_q; /* m_q: m with a running cost, else 0 */
    size_t L;
    const size_t *col; /* [L] */
    sens_real *cost_x; /* [n][m] */
    sens_real *cost_p; /* [np][m]; NULL when the cost does not depend on p */
    sens_real *source; /* [n][L] */
};

static size_t offset_V(const struct variation *va)
{
    return va->n + va->m_q;
}

static size_t offset_Q(const struct variation *va)
{
    return offset_V(va) + va->n * va->L;
}

static size_t system_size(const struct variation *va)
{
    return offset_Q(va) + va->m_q * va->L;
}

/* How many columns from lane l on are consecutive parameters; 0 when lane l is an initial state. */
static size_t parameter_run(const struct variation *va, size_t l)
{
    size_t run = 0;
    while (l + run < va->L && va->col[l + run] < va->pb->np && va->col[l + run] == va->col[l] + run) run++;
    return run;
}

/* V[:, l ... l + run) += source [n][run] */
static void add_source(const struct variation *va, size_t l, size_t run, sens_real *V)
{
    for (size_t i = 0; i < va->n; i++)
        for (size_t r = 0; r < run; r++) V[i * va->L + l + r] += va->source[i * run + r];
}

static void initial_state(const struct variation *va, sens_real *y)
{
    const struct sens_problem *pb = va->pb;
    sens_real *V = y + offset_V(va);
    memset(y, 0, system_size(va) * sizeof *y);
    sens_problem_x0(pb, pb->p, y);
    for (size_t l = 0; l < va->L; l++)
        if (va->col[l] >= pb->np) V[(va->col[l] - pb->np) * va->L + l] = 1;
    if (!sens_problem_x0_depends(pb)) return;
    for (size_t l = 0, run; l < va->L; l += run ? run : 1) {
        run = parameter_run(va, l);
        if (!run) continue;
        memset(va->source, 0, va->n * run * sizeof *va->source);
        pb->type->x0_jvp_cols(pb, pb->p, va->col[l], run, va->source);
        add_source(va, l, run, V);
    }
}

/* OUT [m][L] += weight-free contraction of cost_x [n][m] with V, plus cost_p of the parameter lanes. */
static void contract_cost(const struct variation *va, const sens_real *V, bool with_p, size_t stride,
                          sens_real *OUT)
{
    const size_t m = va->cost->m, L = va->L;
    for (size_t i = 0; i < va->n; i++)
        for (size_t c = 0; c < m; c++) {
            const sens_real weight = va->cost_x[i * m + c];
            if (weight == 0) continue; /* identity costs: one entry a row */
            for (size_t l = 0; l < L; l++) OUT[c * stride + l] += weight * V[i * L + l];
        }
    if (!with_p) return;
    for (size_t l = 0; l < L; l++)
        if (va->col[l] < va->pb->np)
            for (size_t c = 0; c < m; c++) OUT[c * stride + l] += va->cost_p[va->col[l] * m + c];
}

static void running_slope(const struct variation *va, const struct sens_at *at, sens_real *dy)
{
    const struct sens_cost *cost = va->cost;
    sens_real *dq = dy + va->n, *dQ = dy + offset_Q(va);
    memset(dq, 0, va->m_q * sizeof *dq);
    memset(dQ, 0, va->m_q * va->L * sizeof *dQ);
    cost->type->g(cost, at, 1, dq);
    memset(va->cost_x, 0, va->n * cost->m * sizeof *va->cost_x);
    cost->type->g_dx(cost, at, 1, 0, cost->m, va->cost_x);
    if (cost->type->g_dp) {
        memset(va->cost_p, 0, va->pb->np * cost->m * sizeof *va->cost_p);
        cost->type->g_dp(cost, at, 1, 0, cost->m, va->cost_p);
    }
    contract_cost(va, at->x + offset_V(va), cost->type->g_dp != NULL, va->L, dQ);
}

static sens_status system_slope(const struct variation *va, sens_real t, const sens_real *y, sens_real *dy)
{
    const struct sens_problem_type *type = va->pb->type;
    const struct sens_at at = {t, y, va->pb->p};
    sens_real *dV = dy + offset_V(va);
    const sens_status status = type->rhs(va->pb, &at, dy);
    if (status != SENS_OK) return status;
    type->jvp(va->pb, &at, va->L, y + offset_V(va), dV);
    for (size_t l = 0, run; l < va->L; l += run ? run : 1) {
        run = parameter_run(va, l);
        if (!run) continue;
        memset(va->source, 0, va->n * run * sizeof *va->source);
        type->jvp_p_cols(va->pb, &at, va->col[l], run, va->source);
        add_source(va, l, run, dV);
    }
    if (va->m_q) running_slope(va, &at, dy);
    return SENS_OK;
}

/* ---- the extrapolation method -------------------------------------------------------------------------- */

struct gbs {
    const struct variation *system;
    size_t size;
    sens_real tolerance, t, H, H_first; /* H_first: of the first accepted step */
    sens_real *y, *carry;               /* the state is y + carry; carry is what rounding took from y */
    sens_real *largest;                 /* of |y| so far, a component */
    sens_real *slope0, *slope, *stage, *d, *d_old;
    sens_real *table[TABLE]; /* the current row of increments */
    long steps, rejects;
};

/* The increment over [t, t + H] by the smoothed midpoint rule with `parts` substeps. */
static sens_status midpoint(const struct gbs *gbs, int parts, sens_real *increment)
{
    const size_t size = gbs->size;
    const sens_real h = gbs->H / parts;
    for (size_t i = 0; i < size; i++) {
        gbs->d_old[i] = 0;
        gbs->d[i] = h * gbs->slope0[i];
    }
    for (int part = 1; part <= parts; part++) {
        for (size_t i = 0; i < size; i++) gbs->stage[i] = gbs->y[i] + (gbs->carry[i] + gbs->d[i]);
        const sens_status status = system_slope(gbs->system, gbs->t + part * h, gbs->stage, gbs->slope);
        if (status != SENS_OK) return status;
        if (part == parts) break;
        for (size_t i = 0; i < size; i++) {
            const sens_real next = gbs->d_old[i] + 2 * h * gbs->slope[i];
            gbs->d_old[i] = gbs->d[i];
            gbs->d[i] = next;
        }
    }
    for (size_t i = 0; i < size; i++) increment[i] = (gbs->d[i] + gbs->d_old[i] + h * gbs->slope[i]) / 2;
    return SENS_OK;
}

/* Aitken-Neville: row j of the table from row j - 1 and its own first entry, which stands in table[j]. */
static void extrapolate(const struct gbs *gbs, int j)
{
    for (int k = 1; k <= j; k++) {
        const sens_real ratio = (sens_real)(j + 1) / (sens_real)(j + 1 - k), divisor = ratio * ratio - 1;
        sens_real *above = gbs->table[k - 1], *entry = gbs->table[j];
        for (size_t i = 0; i < gbs->size; i++) {
            const sens_real left = entry[i];
            entry[i] = left + (left - above[i]) / divisor;
            above[i] = left;
        }
    }
}

static sens_real magnitude(const struct gbs *gbs, size_t i)
{
    return fmax(gbs->largest[i], fabs(gbs->y[i] + gbs->table[TABLE - 1][i]));
}

/* Error of a part [rows][width] of the state: each entry against the largest it has been, but not less than
 * 2^-14 of its column (an entry may start from zero) and not less than `least` (a column may be rounding
 * noise only). */
static sens_real part_error(const struct gbs *gbs, size_t offset, size_t rows, size_t width, sens_real least)
{
    sens_real worst = 0;
    for (size_t l = 0; l < width; l++) {
        sens_real column = least;
        for (size_t i = 0; i < rows; i++)
            column = fmax(column, magnitude(gbs, offset + i * width + l) / 16384);
        for (size_t i = 0; i < rows; i++) {
            const size_t k = offset + i * width + l;
            const sens_real e = fabs(gbs->table[TABLE - 1][k] - gbs->table[TABLE - 2][k]);
            if (!isfinite(e)) return INFINITY;
            if (e > 0) worst = fmax(worst, e / fmax(column, magnitude(gbs, k)));
        }
    }
    return worst;
}

static sens_real error_norm(const struct gbs *gbs)
{
    const struct variation *va = gbs->system;
    sens_real largest = 0;
    for (size_t i = 0; i < gbs->size; i++) largest = fmax(largest, magnitude(gbs, i));
    const sens_real least = largest * SENS_C(0x1p-64);
    const sens_real state =
        fmax(part_error(gbs, 0, va->n, 1, least), part_error(gbs, va->n, va->m_q, 1, least));
    const sens_real columns = fmax(part_error(gbs, offset_V(va), va->n, va->L, least),
                                   part_error(gbs, offset_Q(va), va->m_q, va->L, least));
    return fmax(state, columns) / gbs->tolerance;
}

/* One trial of size H: *err <= 1 to accept. A recoverable status is an infinite error. */
static sens_status trial(const struct gbs *gbs, sens_real *err)
{
    *err = INFINITY;
    for (int j = 0; j < TABLE; j++) {
        const sens_status status = midpoint(gbs, 2 * (j + 1), gbs->table[j]);
        if (sens_recoverable(status)) return SENS_OK;
        if (sens_fatal(status)) return status;
        extrapolate(gbs, j);
    }
    *err = error_norm(gbs);
    return SENS_OK;
}

/* y + carry += the extrapolated increment, without loss (two-sum). */
static void accept(struct gbs *gbs)
{
    for (size_t i = 0; i < gbs->size; i++) {
        const sens_real d = gbs->table[TABLE - 1][i] + gbs->carry[i];
        const sens_real sum = gbs->y[i] + d, back = sum - gbs->y[i];
        gbs->carry[i] = (gbs->y[i] - (sum - back)) + (d - back);
        gbs->y[i] = sum;
        gbs->largest[i] = fmax(gbs->largest[i], fabs(sum));
    }
    if (gbs->steps++ == 0) gbs->H_first = gbs->H;
}

/* Steps from gbs->t to t_end, landing on it. gbs->H holds the size wanted next, before it is cut at t_end. */
static sens_status advance(struct gbs *gbs, sens_real t_end, long max_steps)
{
    bool rejected = false;
    while (gbs->t < t_end) {
        const sens_real wanted = gbs->H;
        const bool last = gbs->t + wanted * SENS_C(1.0001) >= t_end;
        gbs->H = last ? t_end - gbs->t : wanted;
        if (!(gbs->t + gbs->H / (2 * TABLE) > gbs->t)) return SENS_STEP_UNDERFLOW;
        if (gbs->steps + gbs->rejects >= max_steps) return SENS_STEP_LIMIT;
        sens_real err = 0;
        sens_status status = rejected ? SENS_OK : system_slope(gbs->system, gbs->t, gbs->y, gbs->slope0);
        if (status == SENS_OK) status = trial(gbs, &err);
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : SENS_RHS_FAILED;
        const sens_real proposal =
            SENS_C(0.9) * pow(fmax(err, SENS_C(1e-30)), -1 / (sens_real)(2 * TABLE - 1));
        const sens_real factor = fmin(fmax(proposal, SENS_C(0.2)), rejected ? 1 : 4);
        rejected = !(err <= 1);
        if (rejected)
            gbs->rejects++;
        else {
            accept(gbs);
            gbs->t = last ? t_end : gbs->t + gbs->H;
        }
        /* a step cut short at t_end says nothing against the size wanted before */
        gbs->H = rejected || !last ? gbs->H * factor : fmax(wanted, gbs->H * factor);
    }
    return SENS_OK;
}

/* ---- one block, all blocks ----------------------------------------------------------------------------- */

/* Adds observation j to G and D (column col0 on). */
static void observe(const struct variation *va, const struct gbs *gbs, size_t j, size_t cols, sens_real *G,
                    sens_real *D)
{
    const struct sens_cost *cost = va->cost;
    const sens_real *p = va->pb->p;
    cost->type->phi(cost, j, gbs->y, p, G);
    memset(va->cost_x, 0, va->n * cost->m * sizeof *va->cost_x);
    cost->type->phi_dx(cost, j, gbs->y, p, 0, cost->m, va->cost_x);
    if (cost->type->phi_dp) {
        memset(va->cost_p, 0, va->pb->np * cost->m * sizeof *va->cost_p);
        cost->type->phi_dp(cost, j, gbs->y, p, 0, cost->m, va->cost_p);
    }
    contract_cost(va, gbs->y + offset_V(va), cost->type->phi_dp != NULL, cols, D);
}

static void start(struct gbs *gbs, sens_real t0)
{
    gbs->size = system_size(gbs->system);
    gbs->t = t0;
    gbs->steps = gbs->rejects = 0;
    initial_state(gbs->system, gbs->y);
    memset(gbs->carry, 0, gbs->size * sizeof *gbs->carry);
    for (size_t i = 0; i < gbs->size; i++) gbs->largest[i] = fabs(gbs->y[i]);
}

/* Solves for the columns of gbs->system and writes G and D[:, 0 ... L), rows `cols` apart. */
static sens_status solve_block(struct gbs *gbs, long max_steps, size_t cols, sens_real *G, sens_real *D)
{
    const struct variation *va = gbs->system;
    const struct sens_cost *cost = va->cost;
    start(gbs, va->pb->t0);
    memset(G, 0, cost->m * sizeof *G);
    for (size_t j = 0; j < cost->n_obs; j++) {
        const sens_status status = advance(gbs, cost->t_obs[j], max_steps);
        if (status != SENS_OK) return status;
        observe(va, gbs, j, cols, G, D);
    }
    const sens_status status = advance(gbs, va->pb->t1, max_steps);
    if (status != SENS_OK) return status;
    for (size_t c = 0; c < va->m_q; c++) {
        G[c] += gbs->y[va->n + c];
        for (size_t l = 0; l < va->L; l++) D[c * cols + l] += gbs->y[offset_Q(va) + c * va->L + l];
    }
    return SENS_OK;
}

static bool allocate(struct sens_ctx *ctx, struct variation *va, struct gbs *gbs)
{
    const size_t m = va->cost->m, size = system_size(va);
    const bool with_p = va->cost->type->phi_dp || va->cost->type->g_dp;
    sens_real **const vector[] = {&gbs->y,     &gbs->carry, &gbs->largest, &gbs->slope0,
                                  &gbs->slope, &gbs->stage, &gbs->d,       &gbs->d_old};
    va->cost_x = SENS_NEW(ctx, sens_real, va->n * m);
    va->source = SENS_NEW(ctx, sens_real, va->n * va->L);
    va->cost_p = with_p ? SENS_NEW(ctx, sens_real, va->pb->np * m) : NULL;
    bool enough = va->cost_x && va->source && (va->cost_p || !with_p);
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++)
        enough = (*vector[i] = SENS_NEW(ctx, sens_real, size)) && enough;
    for (int j = 0; j < TABLE; j++) enough = (gbs->table[j] = SENS_NEW(ctx, sens_real, size)) && enough;
    return enough;
}

sens_status sens_gbs_solve(struct sens_ctx *ctx, const struct sens_gbs_task *task, struct sens_gbs_out *out)
{
    const struct sens_problem *pb = task->problem;
    const size_t widest = task->cols < task->block ? task->cols : task->block;
    struct variation va = {.pb = pb,
                           .cost = task->cost,
                           .n = pb->n,
                           .m_q = task->cost->type->g ? task->cost->m : 0,
                           .L = widest,
                           .col = task->col};
    struct gbs gbs = {.system = &va, .tolerance = task->tolerance};
    if (!allocate(ctx, &va, &gbs)) return SENS_NO_MEMORY;
    sens_real H = (pb->t1 - pb->t0) / 10;
    memset(out->D, 0, task->cost->m * task->cols * sizeof *out->D);
    out->steps = out->rejects = 0;
    for (size_t done = 0; done == 0 || done < task->cols; done += widest ? widest : 1) {
        va.L = task->cols - done < widest ? task->cols - done : widest;
        va.col = task->col + done;
        gbs.H = H;
        const sens_status status = solve_block(&gbs, task->max_steps, task->cols, out->G, out->D + done);
        if (status != SENS_OK) return status;
        H = gbs.H_first;
        if (gbs.steps > out->steps) out->steps = gbs.steps, out->rejects = gbs.rejects;
    }
    memcpy(out->x, gbs.y, pb->n * sizeof *out->x);
    return SENS_OK;
}
