/* The variational equations of x' = f(t, x, p) for directions q among the parameters and the initial states,
 *
 *     S' = (df/dx) S + df/dq,      S(t0) = dx0/dq,
 *     dG/dq = sum_j (phi_x S + phi_q)(t_j) + int (g_x S + g_q) dt
 *
 * (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, I.14). */
#include "cfsa_common.h"

#include <string.h>

#include "directions.h"
#include "rules.h"

/* ---- layout -------------------------------------------------------------------------------------------- */

/* Cuts `count` directions from `first` on into blocks from number b on; the number after the last. */
static size_t cut(struct cfsa_system *system, size_t first, size_t count, size_t b)
{
    for (size_t w; count > 0; first += w, count -= w, b++) {
        const size_t width = sens_directions_width(system->L, count);
        w = count < width ? count : width;
        system->block[b] =
            (struct cfsa_block){.first = first, .count = w, .lane = system->lanes, .width = width};
        system->lanes += width;
    }
    return b;
}

sens_status cfsa_create(struct sens_ctx *ctx, const struct sens_task *task, struct cfsa_system *system)
{
    const struct sens_problem *pb = task->problem;
    *system = (struct cfsa_system){.task = task, .n = pb->n, .m = task->cost->m};
    const size_t nx = task->parts & SENS_IN_DGDX0 ? pb->n : 0;
    system->np = task->parts & SENS_IN_DGDP ? pb->np : 0;
    system->n_dir = system->np + nx;
    const size_t worked_with =
        (size_t)task->tableau->stages + 3; /* S, S1, a stage state or estimate, slopes */
    const size_t L = system->L = sens_directions_lanes(task->lanes, system->n_dir, pb->n, worked_with);
    system->blocks = (system->np + L - 1) / L + (nx + L - 1) / L;
    system->block = SENS_NEW(ctx, struct cfsa_block, system->blocks);
    system->column = SENS_NEW(ctx, sens_real, system->n * L);
    if (!system->block || !system->column) return SENS_NO_MEMORY;
    cut(system, system->np, nx, cut(system, 0, system->np, 0));
    return SENS_OK;
}

/* ---- the equations ------------------------------------------------------------------------------------- */

/* OUT [n][width] += system->column [n][count] */
static void add_narrow(const struct cfsa_system *system, const struct cfsa_block *block, sens_real *OUT)
{
    for (size_t i = 0; i < system->n; i++)
        for (size_t l = 0; l < block->count; l++)
            OUT[i * block->width + l] += system->column[i * block->count + l];
}

static void clear_narrow(const struct cfsa_system *system, const struct cfsa_block *block)
{
    memset(system->column, 0, system->n * block->count * sizeof *system->column);
}

void cfsa_start(const struct cfsa_system *system, sens_real *x, sens_real *S)
{
    const struct sens_problem *pb = system->task->problem;
    memset(S, 0, system->n * system->lanes * sizeof *S);
    sens_problem_x0(pb, pb->p, x);
    for (size_t b = 0; b < system->blocks; b++) {
        const struct cfsa_block *block = &system->block[b];
        sens_real *S_b = S + system->n * block->lane;
        if (block->first >= system->np) {
            for (size_t l = 0; l < block->count; l++)
                S_b[(block->first - system->np + l) * block->width + l] = 1;
        } else if (sens_problem_x0_depends(pb)) {
            clear_narrow(system, block);
            pb->type->x0_jvp_cols(pb, pb->p, block->first, block->count, system->column);
            add_narrow(system, block, S_b);
        }
    }
}

static void add_columns(const struct cfsa_system *system, struct sens_products *products,
                        const struct cfsa_block *block, sens_real *dS)
{
    if (block->count == block->width) {
        sens_products_add_columns(products, block->first, block->count, dS);
        return;
    }
    clear_narrow(system, block);
    sens_products_add_columns(products, block->first, block->count, system->column);
    add_narrow(system, block, dS);
}

void cfsa_slope(const struct cfsa_system *system, struct sens_products *products, size_t b,
                const sens_real *S, sens_real *dS)
{
    const struct cfsa_block *block = &system->block[b];
    sens_products_multiply(products, block->width, S, dS);
    if (block->first < system->np) add_columns(system, products, block, dS);
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

void cfsa_add_block(const struct cfsa_system *system, const struct sens_gradient *gradient, size_t b,
                    const sens_real *S, sens_real *dG)
{
    const struct cfsa_block *block = &system->block[b];
    sens_gradient_multiply(gradient, block->width, S, dG + system->m * block->lane);
}

void cfsa_add_explicit(const struct cfsa_system *system, const struct sens_gradient *gradient, sens_real *dG)
{
    for (size_t b = 0; gradient->dp && b < system->blocks; b++) {
        const struct cfsa_block *block = &system->block[b];
        sens_real *dG_b = dG + system->m * block->lane;
        for (size_t c = 0; block->first < system->np && c < system->m; c++)
            for (size_t l = 0; l < block->count; l++)
                dG_b[c * block->width + l] += sens_gradient_explicit(gradient, c, block->first + l);
    }
}

void cfsa_observe(const struct cfsa_system *system, struct sens_gradient *gradient, size_t j,
                  const sens_real *x, const sens_real *S, sens_real *dG)
{
    sens_gradient_observed(gradient, j, x, system->task->problem->p);
    for (size_t b = 0; b < system->blocks; b++)
        cfsa_add_block(system, gradient, b, S + system->n * system->block[b].lane, dG);
    cfsa_add_explicit(system, gradient, dG);
}

/* ---- results ------------------------------------------------------------------------------------------- */

sens_status cfsa_write(const struct cfsa_system *system, const sens_real *x, const sens_real *G,
                       const sens_real *dG, const struct sens_out *out)
{
    const size_t n = system->n, m = system->m, np = system->np;
    if (!sens_finite(m, G) || !sens_finite(m * system->lanes, dG)) return SENS_DIVERGED;
    for (size_t b = 0; b < system->blocks; b++) {
        const struct cfsa_block *block = &system->block[b];
        const bool parameter = block->first < np;
        sens_real *to = parameter ? out->dGdp + block->first : out->dGdx0 + (block->first - np);
        for (size_t c = 0; c < m; c++)
            memcpy(to + c * (parameter ? np : n), dG + m * block->lane + c * block->width,
                   block->count * sizeof *dG);
    }
    memcpy(out->x, x, n * sizeof *x);
    memcpy(out->G, G, m * sizeof *G);
    return SENS_OK;
}
