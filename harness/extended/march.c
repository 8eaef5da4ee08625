/* One-step rules with step control, in blocks of columns: see march.h. */
#include "march.h"

#include <string.h>
#include <tgmath.h>

/* ---- the error of a step ------------------------------------------------------------------------------- */

static sens_real magnitude(const struct sens_march *march, size_t i)
{
    return fmax(march->largest[i], fabs(march->y[i] + march->increment[i]));
}

static sens_real largest_of(const struct sens_march *march, size_t offset, size_t count)
{
    sens_real largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, magnitude(march, offset + i));
    return largest;
}

/* What a change of the parameter or the initial state of column l is measured by. */
static sens_real column_scale(const struct sens_variation *va, size_t l)
{
    const struct sens_problem *pb = va->pb;
    const bool is_p = va->col[l] < pb->np;
    const sens_real own = fabs(is_p ? pb->p[va->col[l]] : pb->x0[va->col[l] - pb->np]);
    sens_real largest = 0;
    for (size_t i = 0; i < va->n; i++) largest = fmax(largest, fabs(pb->x0[i]));
    if (own > 0) return own;
    return !is_p && largest > 0 ? largest : 1;
}

/* Error of a part [rows][width] of y, each entry against its size, which is not less than a share of that of
 * its column, nor than what rounding may be: `rounding`, which a rule may take by the scale of the column. */
static sens_real part_error(const struct sens_march *march, size_t offset, size_t rows, size_t width,
                            sens_real share, sens_real rounding, bool scaled)
{
    sens_real worst = 0;
    for (size_t l = 0; l < width; l++) {
        sens_real column = scaled ? rounding / column_scale(march->system, l) : rounding;
        for (size_t i = 0; i < rows; i++)
            column = fmax(column, magnitude(march, offset + i * width + l) * share);
        for (size_t i = 0; i < rows; i++) {
            const size_t k = offset + i * width + l;
            const sens_real e = fabs(march->estimate[k]);
            if (!isfinite(e) || !isfinite(march->increment[k])) return INFINITY;
            if (e > 0) worst = fmax(worst, e / fmax(column, magnitude(march, k)));
        }
    }
    return worst;
}

static sens_real error_norm(const struct sens_march *march)
{
    const struct sens_variation *va = march->system;
    const bool scaled = march->rule->scaled;
    const sens_real noise = SENS_EPSILON / 2, all = noise * largest_of(march, 0, march->size),
                    x = scaled ? noise * largest_of(march, 0, va->n) : all,
                    q = scaled ? noise * largest_of(march, va->n, va->m_q) : all;
    const sens_real share = march->rule->share;
    const sens_real state = fmax(part_error(march, 0, va->n, 1, march->rule->share_x, x, false),
                                 part_error(march, va->n, va->m_q, 1, share, q, false));
    const sens_real columns = fmax(part_error(march, sens_variation_V(va), va->n, va->L, share, x, scaled),
                                   part_error(march, sens_variation_Q(va), va->m_q, va->L, share, q, scaled));
    return fmax(state, columns) / march->tolerance;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* y + carry += increment, without loss (two-sum). */
static void accept(struct sens_march *march)
{
    for (size_t i = 0; i < march->size; i++) {
        const sens_real d = march->increment[i] + march->carry[i];
        const sens_real sum = march->y[i] + d, back = sum - march->y[i];
        march->carry[i] = (march->y[i] - (sum - back)) + (d - back);
        march->y[i] = sum;
        march->largest[i] = fmax(march->rule->memory * march->largest[i], fabs(sum));
    }
    if (march->steps++ == 0) march->H_first = march->H;
}

/* One trial of size H: *err <= 1 to accept. A recoverable status is an infinite error. */
static sens_status attempt(struct sens_march *march, bool again, sens_real *err)
{
    *err = INFINITY;
    sens_status status = again ? SENS_OK : march->rule->begin(march);
    if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
    status = march->rule->trial(march);
    if (status == SENS_OK) *err = error_norm(march);
    return sens_fatal(status) ? SENS_RHS_FAILED : SENS_OK;
}

/* Steps from march->t to t_end, landing on it. march->H holds the size wanted next, before it is cut. */
static sens_status advance(struct sens_march *march, sens_real t_end, long max_steps)
{
    bool rejected = false;
    while (march->t < t_end) {
        const sens_real wanted = march->H;
        const bool last = march->t + wanted * SENS_C(1.0001) >= t_end;
        march->H = last ? t_end - march->t : wanted;
        if (!(march->t + march->H / 16 > march->t)) return SENS_STEP_UNDERFLOW;
        if (march->steps + march->rejects >= max_steps) return SENS_STEP_LIMIT;
        sens_real err;
        const sens_status status = attempt(march, rejected, &err);
        if (status != SENS_OK) return status;
        const sens_real proposal =
            SENS_C(0.9) * pow(fmax(err, SENS_C(1e-30)), -1 / (sens_real)march->rule->order);
        const sens_real factor = fmin(fmax(proposal, SENS_C(0.2)), rejected ? 1 : 4);
        rejected = !(err <= 1);
        if (rejected)
            march->rejects++;
        else {
            accept(march);
            march->t = last ? t_end : march->t + march->H;
        }
        /* a step cut short at t_end says nothing against the size wanted before */
        march->H = rejected || !last ? march->H * factor : fmax(wanted, march->H * factor);
    }
    return SENS_OK;
}

/* ---- one block, all blocks ----------------------------------------------------------------------------- */

static void start(struct sens_march *march, sens_real t0)
{
    march->size = sens_variation_size(march->system);
    march->t = t0;
    march->steps = march->rejects = 0;
    sens_variation_start(march->system, march->y);
    memset(march->carry, 0, march->size * sizeof *march->carry);
    for (size_t i = 0; i < march->size; i++) march->largest[i] = fabs(march->y[i]);
}

/* Solves for the columns of march->system and writes G and D[:, 0 ... L), rows `cols` apart. */
static sens_status solve_block(struct sens_march *march, long max_steps, size_t cols, sens_real *G,
                               sens_real *D)
{
    const struct sens_variation *va = march->system;
    const struct sens_cost *cost = va->cost;
    start(march, va->pb->t0);
    memset(G, 0, cost->m * sizeof *G);
    for (size_t j = 0; j < cost->n_obs; j++) {
        const sens_status status = advance(march, cost->t_obs[j], max_steps);
        if (status != SENS_OK) return status;
        sens_variation_observe(va, j, march->y, cols, G, D);
    }
    const sens_status status = advance(march, va->pb->t1, max_steps);
    if (status == SENS_OK) sens_variation_finish(va, march->y, cols, G, D);
    return status;
}

static sens_status allocate(struct sens_ctx *ctx, struct sens_march *march)
{
    const size_t size = sens_variation_size(march->system);
    sens_real **const vector[] = {&march->y, &march->carry, &march->largest, &march->increment,
                                  &march->estimate};
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++)
        if (!(*vector[i] = SENS_NEW(ctx, sens_real, size))) return SENS_NO_MEMORY;
    return march->rule->create(ctx, march);
}

static sens_status solve_blocks(struct sens_march *march, const struct sens_march_task *task,
                                struct sens_march_out *out)
{
    struct sens_variation *va = march->system;
    const size_t widest = va->L;
    sens_real H = (task->problem->t1 - task->problem->t0) / 10;
    memset(out->D, 0, task->cost->m * task->cols * sizeof *out->D);
    out->steps = out->rejects = 0;
    for (size_t done = 0; done == 0 || done < task->cols; done += widest ? widest : 1) {
        va->L = task->cols - done < widest ? task->cols - done : widest;
        va->col = task->col + done;
        march->H = H;
        const sens_status status = solve_block(march, task->max_steps, task->cols, out->G, out->D + done);
        if (status != SENS_OK) return status;
        H = march->H_first;
        if (march->steps > out->steps) out->steps = march->steps, out->rejects = march->rejects;
    }
    memcpy(out->x, march->y, task->problem->n * sizeof *out->x);
    return SENS_OK;
}

sens_status sens_march_solve(struct sens_ctx *ctx, const struct sens_march_task *task,
                             struct sens_march_out *out)
{
    const struct sens_march_rule *rule = task->rule;
    struct sens_variation va;
    struct sens_march march = {.rule = rule, .system = &va, .tolerance = task->tolerance};
    if (rule->most && task->problem->n > rule->most)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "%s, whose systems are dense, takes at most %zu states, not %zu", rule->name,
                         rule->most, task->problem->n);
    sens_status status = sens_variation_create(ctx, task->problem, task->cost,
                                               task->cols < rule->block ? task->cols : rule->block, &va);
    if (status == SENS_OK) status = allocate(ctx, &march);
    if (status == SENS_OK) status = solve_blocks(&march, task, out);
    if (rule->release && march.own) rule->release(&march);
    return status;
}
