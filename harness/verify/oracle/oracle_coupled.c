/* Fully implicit stages of the oracle: all of them in one dense system, with J from products with unit vectors,
 * solved by GSL.
 *
 *     K_i = f(t_i, x + h sum_j a_ij K_j):      d_i - h J_i sum_j a_ij d_j = f(t_i, Y_i) - K_i,   K += d
 *
 * or with a mass matrix M, M K_i = f, M d_i and M K_i; by Newton's method with J at every stage, as in
 * oracle_implicit.c: until corrections are rounding, and once more with noise. The first stage is the state itself, of
 * no weight. */
#include <string.h>

#include "oracle_run.h"

void run_coupled_create(struct run *run)
{
    struct verify *v = run->oracle->v;
    const size_t n = run->n, all = (size_t)(run->forward->stages - 1) * n;
    run->coupled = run->oracle->tableau->family == SENS_FAMILY_FIRK;
    if (!run->coupled) return;
    run->M = verify_array(v, all * all);
    run->d = verify_array(v, all);
    run->order = verify_memory(v, all, sizeof *run->order);
    run->unknowns = all;
    run_mass_create(run);
}

/* Block (i, j) of the matrix is the identity, or M, for i = j, less h a_ij J_i; transposed, block (j, i) less h a_ij
 * J_i^T. */
void run_coupled_block(struct run *run, const struct scheme *scheme, double h, int i,
                       const struct sens_at *at, enum run_side side)
{
    const struct sens_problem *pb = run->oracle->problem;
    const size_t n = run->n, all = run->unknowns, s = (size_t)scheme->stages, own = (size_t)i - 1;
    (side == SIDE_TRANSPOSED ? pb->type->vjp : pb->type->jvp)(pb, at, n, run->unit, run->J);
    run_move_entries(run, i, run->J);
    for (size_t j = 0; j + 1 < s; j++) {
        const double a = h * scheme->a[(size_t)i * s + j + 1];
        const size_t row = side == SIDE_PLAIN ? own : j, col = side == SIDE_PLAIN ? j : own;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++)
                run->M[(row * n + r) * all + col * n + c] =
                    (own == j ? run_mass_entry(run, side != SIDE_PLAIN, r, c) : 0) - a * run->J[r * n + c];
    }
}

/* ---- the stages ---------------------------------------------------------------------------------------- */

static void place_stages(struct run *run, const struct scheme *scheme, long k, const double *x)
{
    const size_t n = run->n, s = (size_t)scheme->stages;
    for (size_t i = 0; i < s; i++)
        run_combine(n, x, scheme->ha[k], scheme->stages, scheme->a + i * s, run->K, run->Y + i * n);
}

/* d = f - K, and if it is `anew` the matrix, of stage i. */
static sens_status take_stage(struct run *run, const struct scheme *scheme, long k, int i, bool anew)
{
    const struct sens_problem *pb = run->oracle->problem;
    const size_t n = run->n;
    const double *const K = run->K + (size_t)i * n;
    double *const d = run->d + (size_t)(i - 1) * n;
    const struct sens_at at = run_input(run, scheme, scheme->t[k] + scheme->c[i] * scheme->ha[k],
                                        scheme->ha[k], run->Y + (size_t)i * n);
    const sens_status status = pb->type->rhs(pb, &at, d);
    if (status != SENS_OK) return status;
    noise_touch(&run->noise, n, d);
    for (size_t q = 0; q < n; q++) d[q] -= run_mass_times(run, q, K);
    if (anew) run_coupled_block(run, scheme, scheme->ha[k], i, &at, SIDE_PLAIN);
    return SENS_OK;
}

/* K += d; *size: the largest correction relative to its component. */
static sens_status correct(struct run *run, const struct scheme *scheme, long k, bool anew, double *size)
{
    double *const K = run->K + run->n;
    for (int i = 1; i < scheme->stages; i++) {
        const sens_status status = take_stage(run, scheme, k, i, anew);
        if (status != SENS_OK) return status;
    }
    if (anew) run_factor(run);
    if (!run_solve(run, run->d)) return SENS_SINGULAR;
    *size = 0;
    for (size_t q = 0; q < run->unknowns; q++) {
        K[q] += run->d[q];
        if (run->d[q] != 0) *size = fmax(*size, fabs(run->d[q]) / fabs(K[q]));
    }
    return SENS_OK;
}

/* Without noise. */
static sens_status iterate(struct run *run, const struct scheme *scheme, long k, const double *x)
{
    const struct noise noise = run->noise;
    struct iteration it = {.count = 0};
    sens_status status = SENS_OK;
    run->noise = (struct noise){.relative = 0};
    while (status == SENS_OK && run_iterates(&it)) {
        status = correct(run, scheme, k, it.anew, &it.size);
        place_stages(run, scheme, k, x);
    }
    run->noise = noise;
    return status;
}

/* K_1 = f(t, x), which an embedded formula weighs and none of the pairs themselves. */
static sens_status start_slope(struct run *run, const struct scheme *scheme, long k, const double *x)
{
    if (scheme->b[0] == 0) return SENS_OK;
    const struct sens_at at = run_input(run, scheme, scheme->t[k], scheme->h[k], x);
    return run->oracle->problem->type->rhs(run->oracle->problem, &at, run->K);
}

sens_status run_coupled_stages(struct run *run, const struct scheme *scheme, long k, const double *x)
{
    const size_t n = run->n, s = (size_t)scheme->stages;
    double size;
    memset(run->K, 0, s * n * sizeof *run->K);
    place_stages(run, scheme, k, x);
    sens_status status = iterate(run, scheme, k, x);
    if (status == SENS_OK) status = start_slope(run, scheme, k, x);
    if (status != SENS_OK || run->noise.relative == 0) return status;
    status = correct(run, scheme, k, true, &size);
    noise_touch(&run->noise, (s - 1) * n, run->K + n);
    place_stages(run, scheme, k, x);
    noise_touch(&run->noise, (s - 1) * n, run->Y + n);
    return status;
}
