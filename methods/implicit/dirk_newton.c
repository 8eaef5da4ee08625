/* One implicit stage by simplified Newton, for the increment z = h gamma K_i:
 *
 *     (I - h gamma J) d = h gamma f(t_i, base + z) - z,      z += d
 *
 * (Hairer & Wanner, Solving ODEs II, IV.8), to rounding (newton.h); with a mass matrix as in dirk_mass.c. J is that of
 * the step's start, and is renewed at the iterate where theta says that it is too far away. */
#include <tgmath.h>

#include "dirk.h"
#include "newton.h"
#include "rules.h"

sens_status sens_dirk_renew(struct sens_dirk *dirk, sens_real h, sens_real t, const sens_real *y)
{
    const struct sens_at at = {t, y, dirk->head.scheme.with.ode->p};
    sens_stage_matrix_at(&dirk->matrix, &at);
    dirk->head.scheme.did.factorisations++;
    return sens_stage_matrix_factor(&dirk->matrix, h * dirk->gamma);
}

/* d and z, with Y = base + z of the iterate before. */
static sens_status correct(struct sens_dirk *dirk, sens_real h, sens_real t, const sens_real *Y, sens_real *z)
{
    const struct sens_ode *ode = dirk->head.scheme.with.ode;
    const sens_real h_gamma = h * dirk->gamma;
    dirk->head.scheme.did.slopes += !dirk->part, dirk->head.scheme.did.newton++;
    const sens_status status =
        dirk->part ? sens_dirk_additive_f(dirk, t, Y, dirk->d) : sens_slope(ode, t, Y, dirk->d);
    if (status != SENS_OK) return status;
    for (size_t q = 0; q < ode->n; q++) dirk->d[q] = h_gamma * dirk->d[q] - z[q];
    dirk->head.scheme.did.solves++;
    sens_shifted_solve(dirk->matrix.system, false, 1, dirk->d);
    if (!sens_finite(ode->n, dirk->d)) return SENS_NONFINITE;
    if (dirk->head.M)
        sens_dirk_mass_move(dirk, z);
    else
        for (size_t q = 0; q < ode->n; q++) z[q] += dirk->d[q];
    return SENS_OK;
}

static void add(const struct sens_dirk *dirk, const sens_real *z, sens_real *Y)
{
    const size_t n = dirk->head.scheme.with.ode->n;
    const sens_real *const base = dirk->head.M ? dirk->head.scheme.Y : dirk->base, *const from = dirk->head.M
                                                                                                     ? dirk->z
                                                                                                     : z;
    for (size_t q = 0; q < n; q++) Y[q] = base[q] + from[q];
}

/* Where Newton begins: with the slope of the stage before, unless that is the step's start, whose slope may
 * have a part that decays within a fraction of the step. */
static void predict(struct sens_dirk *dirk, sens_real h, int i, sens_real *z)
{
    const size_t n = dirk->head.scheme.with.ode->n;
    if (dirk->head.M)
        sens_dirk_mass_predict(dirk, i, z);
    else
        for (size_t q = 0; q < n; q++) z[q] = i > 1 ? h * dirk->gamma * z[q - n] : 0;
}

sens_status sens_dirk_newton(struct sens_dirk *dirk, sens_real h, int i)
{
    const struct sens_ode *ode = dirk->head.scheme.with.ode;
    const size_t n = ode->n;
    const sens_real t = sens_stage_time(dirk->head.scheme.with.tableau, dirk->head.scheme.t, h, i);
    sens_real *Y = dirk->head.scheme.Y + (size_t)i * n, *z = dirk->K + (size_t)i * n;
    struct sens_newton it = {.size = 0};
    enum sens_newton_next next = SENS_NEWTON_GO_ON;
    predict(dirk, h, i, z);
    add(dirk, z, Y);
    while (next != SENS_NEWTON_DONE) {
        sens_status status = correct(dirk, h, t, Y, z);
        if (status != SENS_OK) return status;
        add(dirk, z, Y);
        next = sens_newton_judge(ode, n, dirk->d, Y, &it);
        if (next == SENS_NEWTON_FAILED) return SENS_NOT_CONVERGED;
        if (next != SENS_NEWTON_RENEW) continue;
        dirk->head.J_known = false;
        status = sens_dirk_renew(dirk, h, t, Y);
        if (status != SENS_OK) return status;
    }
    for (size_t q = 0; q < n; q++) z[q] /= h * dirk->gamma; /* K_i */
    dirk->left = fmax(dirk->left, sens_newton_left(&it));
    return SENS_OK;
}
