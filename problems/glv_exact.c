/* What is known of generalised Lotka-Volterra systems in closed form, see glv_exact.h. */
#include "glv_exact.h"

#include <tgmath.h>

static const sens_real *interactions(const struct sens_problem *pb, const sens_real *p)
{
    return p + pb->n;
}

/* One species x' = x (r + A x) at elapsed time t, in terms of F = e^(-r t), which does not overflow as a
 * population settles, and D = r F - A x0 (1 - F); none where it blows up before t. */
struct species {
    sens_real x, dr, dA, dx0;
};

static bool single_species(sens_real r, sens_real A, sens_real x0, sens_real t, struct species *s)
{
    const sens_real F1 = -expm1(-r * t), F = 1 - F1, D = r * F - A * x0 * F1;
    if (r == 0 || !(D / r > 0)) return false;
    s->x = r * x0 / D;
    s->dA = x0 * x0 * r * F1 / (D * D);
    s->dx0 = r * r * F / (D * D);
    s->dr = x0 * (r * r * t * F + A * x0 * (r * t * F - F1)) / (D * D);
    return true;
}

/* Do the species live alone and alike? Then each has the closed form of one. */
static bool uncoupled(const struct sens_problem *pb, const sens_real *p)
{
    const size_t n = pb->n;
    const sens_real *A = interactions(pb, p);
    for (size_t i = 0; i < n; i++) {
        if (p[i] != p[0] || pb->x0[i] != pb->x0[0]) return false;
        for (size_t j = 0; j < n; j++)
            if (A[i * n + j] != (i == j ? A[0] : 0)) return false;
    }
    return true;
}

/* dx_k/dA_kj = dx_k/dA_kk for every j, because x_j = x_k; no species depends on another's r or A. */
bool glv_exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
               sens_real *x, sens_real *S, sens_real *S0)
{
    const size_t n = pb->n, np = pb->np;
    struct species s;
    if (q->level != SENS_EXACT_ODE || !uncoupled(pb, p)) return false;
    if (!single_species(p[0], p[n], pb->x0[0], q->t - pb->t0, &s)) return false;
    for (size_t k = 0; k < n; k++) {
        x[k] = s.x;
        for (size_t j = 0; S && j < np; j++) S[k * np + j] = 0;
        for (size_t j = 0; S && j < n; j++) S[k * np + n + k * n + j] = s.dA;
        if (S) S[k * np + k] = s.dr;
        for (size_t j = 0; S0 && j < n; j++) S0[k * n + j] = j == k ? s.dx0 : 0;
    }
    return true;
}

/* ---- identities ---------------------------------------------------------------------------------------- */

/* In units of species j: x_j -> c x_j and A_ij -> A_ij / c for all i solve the same system, whatever the
 * steps.
 *
 *     x_j(0) dx_k/dx_j(0) - sum_i A_ij dx_k/dA_ij - delta_kj x_j = 0 */
static void species_scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                            const sens_real *S0, sens_real *residual, sens_real *size)
{
    const size_t n = pb->n, np = pb->np;
    const sens_real *A = interactions(pb, pb->p);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++) {
            const sens_real own = pb->x0[j] * S0[k * n + j], state = k == j ? x1[j] : 0;
            sens_real sum = own - state, magnitude = fabs(own) + fabs(state);
            for (size_t i = 0; i < n; i++) {
                const sens_real term = A[i * n + j] * S[k * np + n + i * n + j];
                sum -= term, magnitude += fabs(term);
            }
            residual[k * n + j] = sum, size[k * n + j] = magnitude;
        }
}

static size_t species_scaling_rows(const struct sens_problem *pb)
{
    return pb->n * pb->n;
}

/* f is linear in p: scaling p is scaling time.   sum_q p_q dx/dp_q - T f(x(T)) = 0 */
static void time_scaling(const struct sens_problem *pb, const sens_real *x1, const sens_real *S,
                         const sens_real *S0, sens_real *residual, sens_real *size)
{
    const size_t n = pb->n, np = pb->np;
    const sens_real T = pb->t1 - pb->t0, *A = interactions(pb, pb->p);
    (void)S0;
    for (size_t i = 0; i < n; i++) {
        sens_real slope = pb->p[i], magnitude = fabs(pb->p[i]), sum = 0, terms = 0;
        for (size_t j = 0; j < n; j++) {
            const sens_real term = A[i * n + j] * x1[j];
            slope += term, magnitude += fabs(term);
        }
        for (size_t q = 0; q < np; q++) {
            const sens_real term = pb->p[q] * S[i * np + q];
            sum += term, terms += fabs(term);
        }
        residual[i] = sum - T * x1[i] * slope;
        size[i] = terms + T * fabs(x1[i]) * magnitude;
    }
}

static size_t time_scaling_rows(const struct sens_problem *pb)
{
    return pb->n;
}

const struct sens_identity glv_identities[] = {
    {.name = "species scaling",
     .summary = "x_j0 dx_k/dx_j0 - sum_i A_ij dx_k/dA_ij = delta_kj x_j",
     .discrete = true,
     .rows = species_scaling_rows,
     .residual = species_scaling},
    {.name = "time scaling",
     .summary = "sum_q p_q dx/dp_q = T f(x(T))",
     .rows = time_scaling_rows,
     .residual = time_scaling},
    {.name = NULL},
};
