/* The three stages of a fully implicit step by simplified Newton, for Z_i = Y_i - y = (T W)_i:
 *
 *     (L (x) I - h I (x) J) d = h (T^-1 (x) I) F(y + Z) - (L (x) I) W,     W += d,     L = T^-1 A^-1 T
 *
 * (Hairer & Wanner, Solving ODEs II, IV.8), to rounding (newton.h). It begins at W = 0: a polynomial through the step
 * before would be nearer, but then a step would depend on more than its start and h. J is that of the step's start.
 * Stages are up to a step apart, and no one J is near all of them where it changes much: where theta says so, each
 * takes its own, at the iterate, in one system of three times the size (coupled.h):
 *
 *     M d = h (A (x) I) F(y + Z) - Z,     W += (T^-1 (x) I) d.
 *
 * With a mass matrix, that stands in the place of I in L (x) I, and before Z. */
#include <string.h>
#include <tgmath.h>

#include "firk.h"
#include "newton.h"
#include "rules.h"

enum { S = SENS_FIRK_STAGES };

static sens_status renew(struct sens_firk *firk, sens_real h)
{
    const struct sens_scheme *scheme = &firk->head.scheme;
    struct sens_at at[S];
    for (int i = 0; i < S; i++)
        at[i] = (struct sens_at){sens_stage_time(scheme->with.tableau, scheme->t, h, i + 1),
                                 scheme->Y + (size_t)(i + 1) * scheme->with.ode->n, scheme->with.ode->p};
    firk->head.scheme.did.factorisations++;
    sens_coupled_at(&firk->coupled, at);
    return sens_coupled_factor(&firk->coupled, h, firk->matrix.transform.A[0]);
}

/* F at the iterates. */
static sens_status slopes(struct sens_firk *firk, sens_real h)
{
    const struct sens_scheme *scheme = &firk->head.scheme;
    const struct sens_ode *ode = scheme->with.ode;
    sens_status status = SENS_OK;
    for (int i = 0; i < S && status == SENS_OK; i++) {
        const sens_real t = sens_stage_time(scheme->with.tableau, scheme->t, h, i + 1);
        firk->head.scheme.did.slopes++;
        status = sens_slope(ode, t, scheme->Y + (size_t)(i + 1) * ode->n, firk->F + (size_t)i * ode->n);
    }
    return status;
}

/* X [3][n], or with a mass matrix that times X. */
static const sens_real *times_mass(struct sens_firk *firk, const sens_real *X)
{
    const size_t n = firk->head.scheme.with.ode->n;
    if (!firk->head.M) return X;
    for (size_t i = 0; i < S; i++) sens_mass_multiply(firk->head.M, false, 1, X + i * n, firk->MW + i * n);
    return firk->MW;
}

/* d = h T^-1 F - L W, and the correction of W with it. */
static void correct_transformed(struct sens_firk *firk, sens_real h)
{
    struct sens_firk_transform *tr = &firk->matrix.transform;
    const size_t n = firk->head.scheme.with.ode->n;
    const sens_real *const w0 = times_mass(firk, firk->W), *const w1 = w0 + n, *const w2 = w1 + n;
    sens_real *const d0 = firk->d, *const d1 = d0 + n, *const d2 = d1 + n;
    sens_firk_multiply(tr->T_inverse, n, firk->F, firk->d);
    for (size_t q = 0; q < n; q++) {
        d0[q] = h * d0[q] - tr->gamma * w0[q];
        d1[q] = h * d1[q] - (tr->alpha * w1[q] - tr->beta * w2[q]);
        d2[q] = h * d2[q] - (tr->beta * w1[q] + tr->alpha * w2[q]);
    }
    firk->head.scheme.did.solves += 2;
    sens_firk_matrix_solve(&firk->matrix, false, 1, firk->d);
}

/* d = h A F - Z, the correction of Z, then of W with it. */
static void correct_coupled(struct sens_firk *firk, sens_real h)
{
    struct sens_firk_transform *tr = &firk->matrix.transform;
    const size_t n = firk->head.scheme.with.ode->n;
    sens_real *const d = firk->d;
    sens_firk_multiply(tr->A, n, firk->F, d);
    const sens_real *const Z = times_mass(firk, firk->Z);
    for (size_t q = 0; q < S * n; q++) d[q] = h * d[q] - Z[q];
    firk->head.scheme.did.solves++;
    sens_coupled_solve(&firk->coupled, false, 1, d);
    memcpy(firk->F, d, S * n * sizeof *d);
    sens_firk_multiply(tr->T_inverse, n, firk->F, d);
}

/* Z = T W and Y = y + Z. */
static void place_stages(struct sens_firk *firk)
{
    const size_t n = firk->head.scheme.with.ode->n;
    const sens_real *const y = firk->head.scheme.Y;
    sens_firk_multiply(firk->matrix.transform.T, n, firk->W, firk->Z);
    for (size_t i = 0; i < S; i++)
        for (size_t q = 0; q < n; q++) firk->head.scheme.Y[(i + 1) * n + q] = y[q] + firk->Z[i * n + q];
}

/* W, Z and Y of the next iterate; F becomes the correction of Z. */
static sens_status correct(struct sens_firk *firk, sens_real h, bool coupled)
{
    const size_t size = S * firk->head.scheme.with.ode->n;
    firk->head.scheme.did.newton++;
    const sens_status status = slopes(firk, h);
    if (status != SENS_OK) return status;
    (coupled ? correct_coupled : correct_transformed)(firk, h);
    if (!sens_finite(size, firk->d)) return SENS_NONFINITE;
    for (size_t q = 0; q < size; q++) firk->W[q] += firk->d[q];
    sens_firk_multiply(firk->matrix.transform.T, size / S, firk->d, firk->F);
    place_stages(firk);
    return SENS_OK;
}

sens_status sens_firk_newton(struct sens_firk *firk, sens_real h)
{
    const struct sens_scheme *scheme = &firk->head.scheme;
    const struct sens_ode *ode = scheme->with.ode;
    struct sens_newton it = {.size = 0};
    enum sens_newton_next next = SENS_NEWTON_GO_ON;
    bool coupled = false;
    memset(firk->W, 0, S * ode->n * sizeof *firk->W);
    place_stages(firk);
    while (next != SENS_NEWTON_DONE) {
        sens_status status = correct(firk, h, coupled);
        if (status != SENS_OK) return status;
        next = sens_newton_judge(ode, S * ode->n, firk->F, scheme->Y + ode->n, &it);
        if (next == SENS_NEWTON_FAILED) return SENS_NOT_CONVERGED;
        if (next != SENS_NEWTON_RENEW) continue;
        coupled = true;
        status = renew(firk, h);
        if (status != SENS_OK) return status;
    }
    firk->left = sens_newton_left(&it);
    return SENS_OK;
}
