/* The variational equations of x' = f(t, x, p) for directions q among the parameters and the initial states,
 *
 *     S' = (df/dx) S + df/dq,      S(t0) = dx0/dq,
 *     dG/dq = sum_j (phi_x S + phi_q)(t_j) + int (g_x S + g_q) dt
 *
 * (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, I.14). */
#include <string.h>

#include "blocks.h"
#include "cfsa_common.h"

/* ---- layout -------------------------------------------------------------------------------------------- */

/* Width of the block that starts with direction q. */
static size_t block_width(const struct cfsa_system *system, size_t q)
{
    const size_t end = q < system->np ? system->np : system->n_dir;
    return end - q < system->L ? end - q : system->L;
}

static size_t block_offset(const struct cfsa_system *system, size_t q)
{
    return system->n * (1 + q);
}

/* Sixteen lanes where there are as many: the product with a dense Jacobian gains a third over eight, and more
 * lanes gain little (generalised Lotka-Volterra, n = 5 ... 100). */
static size_t choose_lanes(int asked, size_t n_dir)
{
    return asked <= 0 && n_dir >= 16 ? 16 : sens_blocks_lanes(asked, n_dir);
}

sens_status cfsa_create(struct sens_ctx *ctx, const struct sens_task *task, struct cfsa_system *system)
{
    const struct sens_problem *pb = task->problem;
    const struct sens_cost_type *cost = task->cost->type;
    *system = (struct cfsa_system){.task = task, .n = pb->n, .m = task->cost->m};
    system->np = task->wrt & SENS_WRT_P ? pb->np : 0;
    system->n_dir = system->np + (task->wrt & SENS_WRT_X0 ? pb->n : 0);
    system->size = block_offset(system, system->n_dir);
    system->L = choose_lanes(task->lanes, system->n_dir);
    const bool explicit_p = system->np > 0 && (cost->phi_dp || cost->g_dp);
    system->cost_dx = SENS_NEW(ctx, sens_real, pb->n * CFSA_COST_LANES);
    system->cost_dp = explicit_p ? SENS_NEW(ctx, sens_real, pb->np * CFSA_COST_LANES) : NULL;
    return system->cost_dx && (system->cost_dp || !explicit_p) ? SENS_OK : SENS_NO_MEMORY;
}

/* ---- the equations ------------------------------------------------------------------------------------- */

void cfsa_start(const struct cfsa_system *system, sens_real *y)
{
    const struct sens_problem *pb = system->task->problem;
    memset(y, 0, system->size * sizeof *y);
    sens_problem_x0(pb, pb->p, y);
    for (size_t q = 0, w; q < system->n_dir; q += w) {
        sens_real *S = y + block_offset(system, q);
        w = block_width(system, q);
        if (q >= system->np)
            for (size_t l = 0; l < w; l++) S[(q - system->np + l) * w + l] = 1;
        else if (sens_problem_x0_depends(pb))
            pb->type->x0_jvp_cols(pb, pb->p, q, w, S);
    }
}

sens_status cfsa_slope(const struct cfsa_system *system, sens_real t, const sens_real *y, sens_real *dy)
{
    const struct sens_problem *pb = system->task->problem;
    const struct sens_at at = {t, y, pb->p};
    const sens_status status = pb->type->rhs(pb, at, dy);
    if (status != SENS_OK) return status;
    for (size_t q = 0, w; q < system->n_dir; q += w) {
        const size_t offset = block_offset(system, q);
        w = block_width(system, q);
        pb->type->jvp(pb, at, w, y + offset, dy + offset);
        if (q < system->np) pb->type->jvp_p_cols(pb, at, q, w, dy + offset);
    }
    return SENS_OK;
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

static void clear_cost(const struct cfsa_system *system)
{
    const size_t np = system->task->problem->np;
    memset(system->cost_dx, 0, system->n * CFSA_COST_LANES * sizeof *system->cost_dx);
    if (system->cost_dp) memset(system->cost_dp, 0, np * CFSA_COST_LANES * sizeof *system->cost_dp);
}

/* dG[l] += sum_i cost_dx[i] S[i][l] for one functional and one block; cost_dx has the stride of its lanes. */
static void contract_block(size_t n, size_t w, const sens_real *cost_dx, const sens_real *S,
                           sens_real *restrict dG)
{
    for (size_t i = 0; i < n; i++) {
        const sens_real weight = cost_dx[i * CFSA_COST_LANES];
        if (weight != 0)
            for (size_t l = 0; l < w; l++) dG[l] += weight * S[i * w + l];
    }
}

/* Adds the functionals from c0 on that cost_dx and cost_dp hold. */
static void contract(const struct cfsa_system *system, size_t c0, const sens_real *y, sens_real *dG)
{
    const size_t lanes = system->m - c0 < CFSA_COST_LANES ? system->m - c0 : CFSA_COST_LANES;
    for (size_t c = 0; c < lanes; c++) {
        sens_real *row = dG + (c0 + c) * system->n_dir;
        for (size_t q = 0, w; q < system->n_dir; q += w) {
            w = block_width(system, q);
            contract_block(system->n, w, system->cost_dx + c, y + block_offset(system, q), row + q);
        }
        for (size_t k = 0; system->cost_dp && k < system->np; k++)
            row[k] += system->cost_dp[k * CFSA_COST_LANES + c];
    }
}

void cfsa_add_running(const struct cfsa_system *system, sens_real t, const sens_real *y, sens_real w,
                      sens_real *dG)
{
    const struct sens_cost *cost = system->task->cost;
    const struct sens_at at = {t, y, system->task->problem->p};
    for (size_t c0 = 0; c0 < system->m; c0 += CFSA_COST_LANES) {
        clear_cost(system);
        cost->type->g_dx(cost, at, w, c0, CFSA_COST_LANES, system->cost_dx);
        if (system->cost_dp && cost->type->g_dp)
            cost->type->g_dp(cost, at, w, c0, CFSA_COST_LANES, system->cost_dp);
        contract(system, c0, y, dG);
    }
}

void cfsa_observe(const struct cfsa_system *system, size_t j, const sens_real *y, sens_real *dG)
{
    const struct sens_cost *cost = system->task->cost;
    const sens_real *p = system->task->problem->p;
    for (size_t c0 = 0; c0 < system->m; c0 += CFSA_COST_LANES) {
        clear_cost(system);
        cost->type->phi_dx(cost, j, y, p, c0, CFSA_COST_LANES, system->cost_dx);
        if (system->cost_dp && cost->type->phi_dp)
            cost->type->phi_dp(cost, j, y, p, c0, CFSA_COST_LANES, system->cost_dp);
        contract(system, c0, y, dG);
    }
}

/* ---- results ------------------------------------------------------------------------------------------- */

sens_status cfsa_write(const struct cfsa_system *system, const sens_real *y, const sens_real *G,
                       const sens_real *dG, const struct sens_out *out)
{
    const size_t n = system->n, m = system->m, np = system->np, n_dir = system->n_dir;
    if (!sens_blocks_finite(m, G) || !sens_blocks_finite(m * n_dir, dG)) return SENS_DIVERGED;
    for (size_t c = 0; c < m && np > 0; c++) memcpy(out->dGdp + c * np, dG + c * n_dir, np * sizeof *dG);
    for (size_t c = 0; c < m && n_dir > np; c++)
        memcpy(out->dGdx0 + c * n, dG + c * n_dir + np, n * sizeof *dG);
    memcpy(out->x, y, n * sizeof *y);
    memcpy(out->G, G, m * sizeof *G);
    return SENS_OK;
}
