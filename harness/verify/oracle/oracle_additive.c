/* What additive steps have beside diagonally implicit ones with f_I for f: the explicit part f_E = f - f_I,
 *
 *     N_i = f_E(t_i, Y_i),   Y_i = x + h sum_{j<i} aE_ij N_j + h sum_{j<=i} a_ij K_j,
 *     x+ = x + h sum_i b_i (N_i + K_i)
 *
 * each product of f_E as the difference of two, and rounded as such. */
#include <string.h>

#include "oracle_run.h"

void run_additive_create(struct run *run)
{
    const struct sens_problem *const pb = run->oracle->problem;
    run->system = pb;
    if (!run->forward->ae || !pb->implicit) return;
    run->system = pb->implicit;
    run->N = verify_array(run->oracle->v, (size_t)run->forward->stages * run->n);
    run->other = verify_array(run->oracle->v, run->n);
    run->other_in = verify_array(run->oracle->v, run->n);
}

/* out -= run->other, of which both are rounded. */
static void subtract(struct run *run, double *out)
{
    noise_touch(&run->noise, run->n, out);
    noise_touch(&run->noise, run->n, run->other);
    for (size_t q = 0; q < run->n; q++) out[q] -= run->other[q];
    noise_touch(&run->noise, run->n, out);
}

sens_status run_additive_slope(struct run *run, const struct sens_at *at, int i)
{
    const struct sens_problem *const pb = run->oracle->problem;
    double *const N = run->N + (size_t)i * run->n;
    sens_status status = pb->type->rhs(pb, at, N);
    if (status == SENS_OK) status = run->system->type->rhs(run->system, at, run->other);
    if (status == SENS_OK) subtract(run, N);
    return status;
}

void run_additive_jvp(struct run *run, const struct sens_at *at, const double *v, long parameter, double *out)
{
    const struct sens_problem *const pb = run->oracle->problem, *const part = run->system;
    const double *const in = noise_input(&run->noise, run->n, v, run->other_in);
    pb->type->jvp(pb, at, 1, in, out);
    part->type->jvp(part, at, 1, in, run->other);
    if (parameter >= 0) {
        pb->type->jvp_p_cols(pb, at, (size_t)parameter, 1, out);
        part->type->jvp_p_cols(part, at, (size_t)parameter, 1, run->other);
    }
    subtract(run, out);
}

void run_additive_vjp(struct run *run, const struct sens_at *at, bool not_transposed, const double *v,
                      double *out)
{
    const struct sens_problem *const pb = run->oracle->problem, *const part = run->system;
    const double *const in = noise_input(&run->noise, run->n, v, run->other_in);
    if (not_transposed) {
        pb->type->jvp(pb, at, 1, in, out);
        part->type->jvp(part, at, 1, in, run->other);
    } else {
        pb->type->vjp(pb, at, 1, in, out);
        part->type->vjp(part, at, 1, in, run->other);
    }
    subtract(run, out);
}

void run_additive_parameters(struct run *run, const struct sens_at *at, double factor, const double *nu,
                             const double *kappa, double *mu)
{
    const struct sens_problem *const pb = run->oracle->problem, *const part = run->system;
    for (size_t q = 0; q < run->n; q++) run->other_in[q] = factor * nu[q];
    noise_touch(&run->noise, run->n, run->other_in);
    pb->type->vjp_p_batch(pb, 1, &at->t, at->x, at->p, 1, run->other_in, mu);
    noise_touch(&run->noise, run->np, mu);
    for (size_t q = 0; q < run->n; q++) run->other[q] = factor * (kappa[q] - nu[q]);
    noise_touch(&run->noise, run->n, run->other);
    part->type->vjp_p_batch(part, 1, &at->t, at->x, at->p, 1, run->other, mu);
    noise_touch(&run->noise, run->np, mu);
}
