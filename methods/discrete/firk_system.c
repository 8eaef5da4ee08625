/* The coupled system of a fully implicit step, see firk_system.h. */
#include "firk_system.h"

#include <string.h>
#include <tgmath.h>

#include "rules.h"

enum { S = SENS_FIRK_STAGES, MOST_ITERATIONS = 20 };

static const sens_real WORTHLESS = SENS_C(0.5); /* a ratio of two corrections: factors of M cost less */

struct firk_lane {
    enum { GOES_ON, DONE, FAILED } end;
    sens_real most; /* the largest entry of its last correction */
    bool rounding;  /* that is rounding of the largest entry of X */
};

/* ---- creation ------------------------------------------------------------------------------------------ */

sens_status firk_system_create(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                               struct firk_system *system)
{
    *system = (struct firk_system){.h = 0};
    if (!sens_firk_transform(task->tableau, &system->formula))
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: not three implicit stages", task->tableau->name);
    return sens_coupled_create(ctx, task->problem, by, S, &system->coupled);
}

sens_status firk_system_iterate(struct sens_ctx *ctx, const struct sens_task *task, enum sens_product by,
                                size_t L, struct firk_system *system)
{
    const size_t size = S * task->problem->n * L;
    struct sens_firk_transform *tr = &system->formula;
    system->iterates = true;
    system->B = SENS_NEW(ctx, sens_real, size);
    system->R = SENS_NEW(ctx, sens_real, size);
    system->D = SENS_NEW(ctx, sens_real, size);
    system->lane = SENS_NEW(ctx, struct firk_lane, L);
    system->last = SENS_NEW(ctx, sens_real, size);
    if (!system->last || !system->B || !system->R || !system->D || !system->lane) return SENS_NO_MEMORY;
    sens_firk_multiply(tr->T_inverse, S, tr->A_inverse[0], system->C[0]);
    return sens_firk_matrix_create(ctx, task->problem, task->tableau, by, L, &system->matrix);
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

sens_status firk_system_at(struct firk_system *system, sens_real h, const struct sens_at *at)
{
    system->h = h;
    system->factored = system->contracts = false;
    sens_coupled_at(&system->coupled, at);
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

/* An entry with a correction d is settled where that is its rounding, or was no smaller than half of the one before,
 * once: the noise that is left falls and rises. *last: of the one before; 0: the entry is settled. */
static bool settle(sens_real d, sens_real x, sens_real *last)
{
    const bool settled = d <= SENS_EPSILON * x || d >= *last / 2;
    *last = settled ? 0 : d;
    return settled;
}

/* X += D in a lane that goes on, and what becomes of it: done where the largest correction is rounding of the largest
 * entry, and from then on each entry has settled. */
static void correct_lane(struct firk_system *system, size_t rows, size_t L, size_t l, int count, sens_real *X)
{
    struct firk_lane *const lane = &system->lane[l];
    const sens_real before = lane->most;
    const bool was_rounding = lane->rounding;
    sens_real most = 0, top = 0;
    bool settled = true;
    for (size_t r = 0; r < rows; r++) {
        sens_real *const last = &system->last[r * L + l];
        const sens_real d = fabs(system->D[r * L + l]), x = fabs(X[r * L + l] += system->D[r * L + l]);
        if (!(d <= most)) most = d;
        top = sens_larger(x, top);
        if (!was_rounding)
            *last = d;
        else if (!settle(d, x, last))
            settled = false;
    }
    lane->most = most;
    lane->rounding = most <= 64 * SENS_EPSILON * top;
    const bool there = most == 0 || (was_rounding && settled && lane->rounding);
    const bool stuck =
        count == MOST_ITERATIONS || (count > 1 && most > WORTHLESS * before && !lane->rounding);
    if (isfinite(most) && there)
        lane->end = DONE;
    else if (!isfinite(most) || stuck)
        lane->end = FAILED;
}

/* Each lane as if it were alone. Are all done? */
static bool iterate(struct firk_system *system, bool transposed, size_t L, sens_real *X)
{
    const size_t size = system->coupled.n * L;
    bool going = true, failed = false;
    memset(X, 0, S * size * sizeof *X);
    for (size_t l = 0; l < L; l++) system->lane[l] = (struct firk_lane){.end = GOES_ON};
    for (int count = 1; going; count++) {
        sens_coupled_residual(&system->coupled, system->h, system->formula.A[0], transposed, L, system->B, X,
                              system->D, system->R);
        precondition(system, transposed, size, L);
        going = failed = false;
        for (size_t l = 0; l < L; l++) {
            if (system->lane[l].end == GOES_ON) correct_lane(system, S * system->coupled.n, L, l, count, X);
            going = going || system->lane[l].end == GOES_ON;
            failed = failed || system->lane[l].end == FAILED;
        }
    }
    return !failed;
}

sens_status firk_system_solve(struct firk_system *system, bool transposed, size_t L, sens_real *X)
{
    const size_t rows = S * system->coupled.n;
    if (system->contracts) {
        memcpy(system->B, X, rows * L * sizeof *X);
        if (iterate(system, transposed, L, X)) return SENS_OK;
    }
    const sens_status status = factor(system);
    if (status != SENS_OK) return status;
    sens_real *const all = system->contracts ? system->B : X;
    sens_coupled_solve(&system->coupled, transposed, L, all);
    for (size_t q = 0; all != X && q < rows * L; q++)
        if (system->lane[q % L].end == FAILED) X[q] = all[q];
    return SENS_OK;
}

void firk_system_count(struct firk_system *system, struct sens_work *work)
{
    sens_shifted_count(system->coupled.system, work);
    if (system->iterates) sens_firk_matrix_count(&system->matrix, work);
}
