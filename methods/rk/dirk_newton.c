/* One implicit stage by simplified Newton, for the increment z = h gamma K_i:
 *
 *     (I - h gamma J) d = h gamma f(t_i, base + z) - z,      z += d
 *
 * (Hairer & Wanner, Solving ODEs II, IV.8.) With theta the ratio of two corrections, what is left after one is
 * at most theta / (1 - theta) times as large as it: their stopping rule. The bound is rounding, not a part of
 * the tolerance: derivatives of the map are those of converged stages, and with J from the step's start the
 * iterations that this takes more are few. J is that of the step's start, and is renewed at the iterate where
 * theta says that it is too far away: all of it depends on the step's start and on h alone, so that a step can
 * be had again, bit for bit. */
#include <tgmath.h>

#include "dirk.h"
#include "rules.h"

enum { MOST_ITERATIONS = 16, MOST_RENEWALS = 8, MOST_GROWTHS = 3 };
static const sens_real SLOW = SENS_C(0.1); /* a theta: two more iterations for a digit or so */

struct iteration {
    sens_real own;     /* the largest correction relative to its component */
    sens_real size;    /* relative to its component or to atol / rtol, whichever is larger */
    sens_real near;    /* the same, or to the largest component where all are below atol / rtol */
    sens_real largest; /* relative to the largest component */
    sens_real theta;
    int count, renewals, growths; /* of corrections */
};

sens_status sens_dirk_renew(struct sens_dirk *dirk, sens_real h, sens_real t, const sens_real *y)
{
    const struct sens_at at = {t, y, dirk->scheme.with.ode->p};
    sens_stage_matrix_at(&dirk->matrix, &at);
    dirk->scheme.did.factorisations++;
    return sens_stage_matrix_factor(&dirk->matrix, h * dirk->gamma);
}

/* Below which size a component does not matter to the error test. */
static sens_real least_size(const struct sens_dirk *dirk, sens_real top)
{
    const struct sens_ode_part *part = dirk->scheme.with.ode->part;
    return part->rtol > 0 ? part->atol / part->rtol : SENS_C(1e-3) * top;
}

static void measure(const struct sens_dirk *dirk, const sens_real *Y, struct iteration *it)
{
    const size_t n = dirk->scheme.with.ode->n;
    const sens_real before = it->size;
    sens_real top = 0, most = 0;
    for (size_t q = 0; q < n; q++) top = sens_larger(fabs(Y[q]), top);
    const sens_real least = least_size(dirk, top);
    it->own = it->near = it->size = 0;
    for (size_t q = 0; q < n; q++) {
        const sens_real d = fabs(dirk->d[q]), y = fabs(Y[q]);
        if (d == 0) continue;
        most = sens_larger(d, most);
        it->own = sens_larger(d / y, it->own); /* infinite: Newton goes on, as far as it is of use */
        it->near = sens_larger(d / sens_larger(y, fmin(least, top)), it->near);
        it->size = sens_larger(d / sens_larger(y, least), it->size);
    }
    it->largest = top > 0 ? most / top : most;
    it->theta = it->count > 1 && before > 0 ? it->size / before : SENS_C(0.5);
    it->growths += it->theta > 1;
}

/* What is left, as a multiple of the last correction. */
static sens_real left_of(const struct iteration *it)
{
    return it->theta < 0.5 ? it->theta / (1 - it->theta) : 1;
}

/* Rounding: of each component, or of what matters where the corrections get no smaller. What is below the tolerances
 * altogether is converged like everything else: derivatives are of the map, whatever the scale of the states. */
static bool is_done(const struct iteration *it)
{
    const sens_real unit = SENS_EPSILON;
    return left_of(it) * it->own <= unit || (it->theta > SLOW && it->near <= 64 * unit);
}

/* Far below the tolerance, where the iteration is at its end. */
static bool will_do(const struct sens_dirk *dirk, const struct iteration *it)
{
    const sens_real rtol = dirk->scheme.with.ode->part->rtol, most = SENS_C(1e-9);
    const sens_real bound = rtol > 0 && rtol * SENS_C(1e-3) < most ? rtol * SENS_C(1e-3) : most;
    return it->theta < 1 && left_of(it) * it->size <= bound;
}

/* d and z, with Y = base + z of the iterate before. */
static sens_status correct(struct sens_dirk *dirk, sens_real h, sens_real t, const sens_real *Y, sens_real *z)
{
    const struct sens_ode *ode = dirk->scheme.with.ode;
    const sens_real h_gamma = h * dirk->gamma;
    dirk->scheme.did.slopes++, dirk->scheme.did.newton++;
    const sens_status status = ode->f(ode->self, t, Y, dirk->d);
    if (status != SENS_OK) return status;
    for (size_t q = 0; q < ode->n; q++) dirk->d[q] = h_gamma * dirk->d[q] - z[q];
    dirk->scheme.did.solves++;
    sens_shifted_solve(dirk->matrix.system, false, 1, dirk->d);
    if (!sens_finite(ode->n, dirk->d)) return SENS_NONFINITE;
    for (size_t q = 0; q < ode->n; q++) z[q] += dirk->d[q];
    return SENS_OK;
}

static void add(size_t n, const sens_real *base, const sens_real *z, sens_real *Y)
{
    for (size_t q = 0; q < n; q++) Y[q] = base[q] + z[q];
}

/* Where Newton begins: with the slope of the stage before, unless that is the step's start, whose slope may
 * have a part that decays within a fraction of the step. */
static void predict(const struct sens_dirk *dirk, sens_real h, int i, sens_real *z)
{
    const size_t n = dirk->scheme.with.ode->n;
    for (size_t q = 0; q < n; q++) z[q] = i > 1 ? h * dirk->gamma * z[q - n] : 0;
}

sens_status sens_dirk_newton(struct sens_dirk *dirk, sens_real h, int i)
{
    const size_t n = dirk->scheme.with.ode->n;
    const sens_real t = sens_stage_time(dirk->scheme.with.tableau, dirk->scheme.t, h, i);
    sens_real *Y = dirk->scheme.Y + (size_t)i * n, *z = dirk->K + (size_t)i * n;
    struct iteration it = {.size = 0};
    predict(dirk, h, i, z);
    add(n, dirk->base, z, Y);
    for (;;) {
        it.count++;
        sens_status status = correct(dirk, h, t, Y, z);
        if (status != SENS_OK) return status;
        add(n, dirk->base, z, Y);
        measure(dirk, Y, &it);
        if (is_done(&it)) break;
        const bool last = it.count == MOST_ITERATIONS || it.growths == MOST_GROWTHS;
        if (last && !will_do(dirk, &it)) return SENS_NOT_CONVERGED;
        if (last) break;
        if (it.count == 1 || it.theta <= SLOW || it.renewals++ >= MOST_RENEWALS) continue;
        dirk->J_known = false;
        status = sens_dirk_renew(dirk, h, t, Y);
        if (status != SENS_OK) return status;
    }
    for (size_t q = 0; q < n; q++) z[q] /= h * dirk->gamma; /* K_i */
    dirk->left = fmax(dirk->left, (double)(left_of(&it) * it.largest));
    return SENS_OK;
}
