/* The coupled system of a fully implicit step, see firk_system.h. */
#include "firk_system.h"

#include <string.h>

enum { S = SENS_FIRK_STAGES };

static const sens_real WORTHLESS = SENS_C(1e-6); /* a correction that is left, as a part of the solution */

/* ---- creation ------------------------------------------------------------------------------------------ */

sens_status firk_system_create(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                               size_t L, struct firk_system *system)
{
    const size_t size = S * task->problem->n * L;
    *system = (struct firk_system){.h = 0};
    if (!sens_firk_transform(task->tableau, &system->formula))
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: not three implicit stages", task->tableau->name);
    system->B = SENS_NEW(ctx, sens_real, size);
    system->R = SENS_NEW(ctx, sens_real, size);
    system->D = SENS_NEW(ctx, sens_real, size);
    system->terms = SENS_NEW(ctx, sens_real, size);
    if (!system->B || !system->R || !system->D || !system->terms) return SENS_NO_MEMORY;
    const sens_status status = corrections_create(ctx, S * task->problem->n, L, &system->corrections);
    return status == SENS_OK ? sens_coupled_create(ctx, task->problem, by, S, &system->coupled) : status;
}

/* Of the iteration, once. */
static sens_status create_matrix(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                                 size_t L, struct firk_system *system)
{
    struct sens_firk_transform *tr = &system->formula;
    if (system->has_matrix) return SENS_OK;
    system->has_matrix = true;
    system->exact = SENS_NEW(ctx, sens_real, S * task->problem->n * L);
    if (!system->exact) return SENS_NO_MEMORY;
    const sens_status status = corrections_create(ctx, S * task->problem->n, L, &system->iterations);
    if (status != SENS_OK) return status;
    sens_firk_multiply(tr->T_inverse, S, tr->A_inverse[0], system->C[0]);
    return sens_firk_matrix_create(ctx, task->problem, task->tableau, by, L, &system->matrix);
}

sens_status firk_system_iterate(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                                size_t L, struct firk_system *system)
{
    system->iterates = true;
    return create_matrix(ctx, task, by, L, system);
}

sens_status firk_system_keep(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                             size_t L, struct firk_system *system)
{
    return create_matrix(ctx, task, by, L, system);
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static sens_status factor(struct firk_system *system)
{
    if (system->factored) return SENS_OK;
    const sens_status status = sens_coupled_factor(&system->coupled, system->h, system->formula.A[0]);
    system->factored = status == SENS_OK;
    return status;
}

/* P, with the mean of the J_j. */
static sens_status factor_mean(struct firk_system *system)
{
    const size_t entries = system->coupled.J->entries;
    const sens_real *const J = system->coupled.J_value;
    for (size_t e = 0; e < entries; e++)
        system->matrix.value[e] = (J[e] + J[entries + e] + J[2 * entries + e]) / S;
    return sens_firk_matrix_factor(&system->matrix, system->h);
}

sens_status firk_system_at(struct firk_system *system, sens_real h, const struct sens_at *at,
                           const struct sens_shifted *const *near)
{
    system->h = h;
    system->factored = false;
    system->contracts = near;
    sens_coupled_at(&system->coupled, at);
    if (near) {
        sens_firk_matrix_borrow(&system->matrix, near);
        return SENS_OK;
    }
    if (!system->iterates) return factor(system);
    const sens_status status = factor_mean(system);
    system->contracts = status == SENS_OK;
    return status == SENS_NO_MEMORY ? status : SENS_OK; /* M may have factors where P has none */
}

/* D = P^-1 R or P^-T R; R is lost. */
static void precondition(struct firk_system *system, bool transposed, size_t size, size_t L)
{
    sens_real C[S][S], T[S][S];
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            C[i][j] = transposed ? system->C[j][i] : system->C[i][j];
            T[i][j] = transposed ? system->formula.T[j][i] : system->formula.T[i][j];
        }
    sens_firk_multiply(transposed ? T : C, size, system->R, system->D);
    sens_firk_matrix_solve(&system->matrix, transposed, L, system->D);
    memcpy(system->R, system->D, S * size * sizeof *system->R);
    sens_firk_multiply(transposed ? C : T, size, system->R, system->D);
}

static struct sens_coupled_solution solution(const struct firk_system *system, bool transposed, size_t L,
                                             const sens_real *X)
{
    return (struct sens_coupled_solution){system->h, system->formula.A[0], transposed, L, system->B, X};
}

/* Each lane as if it were alone. Are all done? */
static bool iterate(struct firk_system *system, bool transposed, size_t L, sens_real *X)
{
    const size_t size = system->coupled.n * L;
    const struct sens_coupled_solution of = solution(system, transposed, L, X);
    corrections_start(&system->iterations, L, X);
    memcpy(system->R, system->B, S * size * sizeof *X); /* the residual of X = 0 */
    precondition(system, transposed, size, L);
    while (corrections_add(&system->iterations, L, system->D, X)) {
        sens_coupled_residual(&system->coupled, &of, system->D, system->R);
        precondition(system, transposed, size, L);
    }
    return !corrections_failed(&system->iterations, L);
}

/* X, of which sens_coupled_off has just found an equation that is off and left its residuals in R. Corrections fall
 * until nothing is off. Where they fall no more and are below what WORTHLESS says, rounding of M itself does as much to
 * X; above it, factors say nothing. */
static sens_status correct(struct firk_system *system, const struct sens_coupled_solution *of, sens_real *X)
{
    const size_t L = of->L;
    sens_real *const first = system->terms;
    memcpy(first, X, S * system->coupled.n * L * sizeof *X);
    corrections_start(&system->corrections, L, X);
    bool going = corrections_add(&system->corrections, L, first, X);
    while (going) {
        sens_coupled_solve(&system->coupled, of->transposed, L, system->R);
        going = corrections_add(&system->corrections, L, system->R, X) &&
                sens_coupled_off(&system->coupled, of, system->D, system->terms, system->R);
    }
    return corrections_left(&system->corrections, L) <= WORTHLESS ? SENS_OK : SENS_SINGULAR;
}

/* With the factors of M itself. Where rows or columns of M are of very different size, these leave entries of X with
 * the rounding of other ones, and corrections take it away (Skeel, Math. Comp. 35 (1980) 817-832): mostly none is
 * due. */
static sens_status solve_exactly(struct firk_system *system, bool transposed, size_t L, sens_real *X)
{
    const struct sens_coupled_solution of = solution(system, transposed, L, X);
    const sens_status status = factor(system);
    if (status != SENS_OK) return status;
    memcpy(X, system->B, S * system->coupled.n * L * sizeof *X);
    sens_coupled_solve(&system->coupled, transposed, L, X);
    const bool off = sens_coupled_off(&system->coupled, &of, system->D, system->terms, system->R);
    return off ? correct(system, &of, X) : SENS_OK;
}

sens_status firk_system_solve(struct firk_system *system, bool transposed, size_t L, sens_real *X)
{
    memcpy(system->B, X, S * system->coupled.n * L * sizeof *X);
    if (!system->contracts) return solve_exactly(system, transposed, L, X);
    if (iterate(system, transposed, L, X)) return SENS_OK;
    const sens_status status = solve_exactly(system, transposed, L, system->exact);
    if (status == SENS_OK) corrections_replace(&system->iterations, L, system->exact, X);
    return status;
}

void firk_system_count(struct firk_system *system, struct sens_work *work)
{
    sens_shifted_count(system->coupled.system, work);
    if (system->has_matrix) sens_firk_matrix_count(&system->matrix, work);
}
