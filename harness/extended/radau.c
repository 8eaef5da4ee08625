/* Radau IIA with s = 7 stages, order 13, for stiff problems: the collocation polynomial u of degree s,
 *
 *     u(t) = y,   u'(t + c_i h) = f(t + c_i h, u(t + c_i h)),   c_i the zeros of P_s - P_(s-1) on [0, 1].
 *
 * Hairer, Wanner: Solving Ordinary Differential Equations II, IV.5. With Z_i = u(t + c_i h) - y:
 *
 *     Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),                 Newton's method to rounding, dense;
 *     W_i = h sum_j a_ij (J_j (V + W_j) + f_p(t + c_j h, Y_j)), linear, J_j at the converged stages:
 *
 * W is the derivative of what Newton has solved. a_ij is the integral of the j-th Lagrange polynomial to c_i,
 * by Gauss's rule, which is exact for it. The error estimate is the defect of u at t, times h / 9, multiplied
 * by (I - h/9 J)^-1 so that what is stiff does not count (IV.8): it behaves as h^(s + 1), the error itself as
 * h^(2 s) where the problem is not stiff. */
#include <string.h>
#include <tgmath.h>

#include "march.h"
#include "shifted.h"

enum { STAGES = 7, MOST_STATES = 80, MOST_ITERATIONS = 30 };

struct radau {
    sens_real c[STAGES], a[STAGES][STAGES];
    sens_real at_start[STAGES];           /* the Lagrange polynomials at 0 */
    struct sens_shifted *stages, *filter; /* of size n STAGES, and n */
    sens_real *unit, *J, *J0;             /* [n][n] */
    sens_real *matrix;                    /* [n STAGES][n STAGES] */
    sens_real *Z, *delta;                 /* [STAGES][n] */
    sens_real *W;                         /* [STAGES][n][L] */
    sens_real *stage, *slope0;            /* [size] */
    sens_real *slope[STAGES];             /* [size] */
};

/* ---- coefficients -------------------------------------------------------------------------------------- */

/* P_k(x) of Legendre; *before = P_(k-1)(x). */
static sens_real legendre(int k, sens_real x, sens_real *before)
{
    sens_real p = 1, old = 0;
    for (int j = 1; j <= k; j++) {
        const sens_real next = ((2 * j - 1) * x * p - (j - 1) * old) / j;
        old = p, p = next;
    }
    *before = old;
    return p;
}

/* P_s(x) - right P_(s-1)(x) on [-1, 1], and its derivative from (x^2 - 1) P_k' = k (x P_k - P_(k-1)). */
static sens_real node_polynomial(int s, bool right, sens_real x, sens_real *slope)
{
    sens_real below, lowest;
    const sens_real top = legendre(s, x, &below);
    (void)legendre(s - 1, x, &lowest);
    *slope = s * (x * top - below) / (x * x - 1);
    if (!right) return top;
    *slope -= (s - 1) * (x * below - lowest) / (x * x - 1);
    return top - below;
}

/* Its zeros in [0, 1], increasing: Gauss's nodes, or (right) Radau's, whose last is 1. Newton's method from
 * guesses between the extrema of Chebyshev polynomials. */
static void nodes(int s, bool right, sens_real *c)
{
    for (int i = 0; i < s; i++) {
        sens_real x = -cos(acos(SENS_C(-1.0)) * (i + (right ? SENS_C(0.5) : SENS_C(0.75))) /
                           (s + (right ? 0 : SENS_C(0.5)))),
                  slope;
        for (int k = 0; k < 20 && !(right && i == s - 1); k++) {
            const sens_real value = node_polynomial(s, right, x, &slope);
            x -= value / slope;
        }
        c[i] = right && i == s - 1 ? 1 : (1 + x) / 2;
    }
}

static sens_real lagrange(const sens_real *c, int j, sens_real at)
{
    sens_real value = 1;
    for (int k = 0; k < STAGES; k++)
        if (k != j) value *= (at - c[k]) / (c[j] - c[k]);
    return value;
}

static void coefficients(struct radau *radau)
{
    sens_real node[STAGES], slope;
    nodes(STAGES, true, radau->c);
    nodes(STAGES, false, node);
    memset(radau->a, 0, sizeof radau->a);
    for (int q = 0; q < STAGES; q++) {
        const sens_real x = 2 * node[q] - 1;
        (void)node_polynomial(STAGES, false, x, &slope);
        const sens_real weight = 1 / ((1 - x * x) * slope * slope);
        for (int i = 0; i < STAGES; i++)
            for (int j = 0; j < STAGES; j++)
                radau->a[i][j] += weight * radau->c[i] * lagrange(radau->c, j, radau->c[i] * node[q]);
    }
    for (int j = 0; j < STAGES; j++) radau->at_start[j] = lagrange(radau->c, j, 0);
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static sens_real stage_time(const struct sens_march *march, int j)
{
    const struct radau *radau = march->own;
    return march->t + radau->c[j] * march->H;
}

/* The state of stage j: y + Z_j. */
static void stage_state(const struct sens_march *march, int j)
{
    const struct radau *radau = march->own;
    const size_t n = march->system->n;
    for (size_t k = 0; k < n; k++)
        radau->stage[k] = march->y[k] + (march->carry[k] + radau->Z[(size_t)j * n + k]);
}

/* The factors of I - h a_ij J_j with J_j at the stages as they are now. */
static sens_status factor_stages(const struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_problem *pb = march->system->pb;
    const size_t n = pb->n, width = n * STAGES;
    for (int j = 0; j < STAGES; j++) {
        stage_state(march, j);
        const struct sens_at at = {stage_time(march, j), radau->stage, pb->p};
        pb->type->jvp(pb, &at, n, radau->unit, radau->J);
        for (size_t i = 0; i < STAGES; i++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    radau->matrix[(i * n + k) * width + (size_t)j * n + l] =
                        radau->a[i][j] * radau->J[k * n + l];
    }
    return sens_shifted_factor(radau->stages, (struct sens_shift){.identity = 1, .jacobian = march->H},
                               radau->matrix);
}

/* delta = what the equations of the stages lack: h sum_j a_ij f_j - Z_i. */
static sens_status residual(const struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_problem *pb = march->system->pb;
    const size_t n = pb->n;
    for (size_t k = 0; k < n * STAGES; k++) radau->delta[k] = -radau->Z[k];
    for (int j = 0; j < STAGES; j++) {
        stage_state(march, j);
        const struct sens_at at = {stage_time(march, j), radau->stage, pb->p};
        const sens_status status = pb->type->rhs(pb, &at, radau->slope[j]);
        if (status != SENS_OK) return status;
        for (size_t i = 0; i < STAGES; i++)
            for (size_t k = 0; k < n; k++)
                radau->delta[i * n + k] += march->H * radau->a[i][j] * radau->slope[j][k];
    }
    return SENS_OK;
}

/* Z += delta; the largest correction, relative. */
static sens_real correct(const struct sens_march *march)
{
    const struct radau *radau = march->own;
    const size_t n = march->system->n;
    sens_real worst = 0, largest = 0;
    for (size_t k = 0; k < n; k++) largest = fmax(largest, march->largest[k]);
    for (size_t k = 0; k < n * STAGES; k++) {
        const sens_real value = fabs(march->y[k % n] + (radau->Z[k] += radau->delta[k]));
        const sens_real size = fmax(fmax(value, march->largest[k % n]), largest * march->rule->share_x);
        const sens_real part = radau->delta[k] == 0 ? 0 : fabs(radau->delta[k]) / size;
        if (!isfinite(part)) return INFINITY;
        worst = fmax(worst, part);
    }
    return worst;
}

/* Newton's method until corrections are rounding: below 1e-17, or no longer halved once below 1e-12. The matrix
 * is formed anew where a correction is not a tenth of the one before. */
static sens_status solve_stages(const struct sens_march *march)
{
    const struct radau *radau = march->own;
    sens_real before = INFINITY;
    bool slow = true;
    memset(radau->Z, 0, march->system->n * STAGES * sizeof *radau->Z);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        sens_status status = slow ? factor_stages(march) : SENS_OK;
        if (status == SENS_OK) status = residual(march);
        if (status != SENS_OK) return status;
        sens_shifted_solve(radau->stages, false, 1, radau->delta);
        const sens_real now = correct(march);
        if (!isfinite(now)) return SENS_NONFINITE;
        if (now <= SENS_C(1e-17) * SENS_MARCH_FINER || (before <= SENS_C(1e-12) && now > before / 2))
            return SENS_OK;
        if (k > 2 && now > 2 * before) return SENS_NOT_CONVERGED;
        slow = now > before / 10;
        before = now;
    }
    return SENS_NOT_CONVERGED;
}

/* slope[j] at the stages, with V + W_j in the place of V; W may be 0. */
static sens_status stage_slopes(const struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_variation *va = march->system;
    const size_t V = sens_variation_V(va), columns = va->n * va->L;
    for (int j = 0; j < STAGES; j++) {
        memcpy(radau->stage, march->y, march->size * sizeof *radau->stage);
        stage_state(march, j);
        for (size_t k = 0; k < columns; k++)
            radau->stage[V + k] += march->carry[V + k] + radau->W[(size_t)j * columns + k];
        const sens_status status =
            sens_variation_slope(va, stage_time(march, j), radau->stage, radau->slope[j]);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* W, the derivative of Z along the columns. */
static sens_status solve_columns(const struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_variation *va = march->system;
    const size_t V = sens_variation_V(va), columns = va->n * va->L;
    memset(radau->W, 0, columns * STAGES * sizeof *radau->W);
    sens_status status = factor_stages(march);
    if (status == SENS_OK) status = stage_slopes(march);
    if (status != SENS_OK) return status;
    for (size_t i = 0; i < STAGES; i++)
        for (size_t j = 0; j < STAGES; j++)
            for (size_t k = 0; k < columns; k++)
                radau->W[i * columns + k] += march->H * radau->a[i][j] * radau->slope[j][V + k];
    if (va->L) sens_shifted_solve(radau->stages, false, va->L, radau->W);
    return stage_slopes(march);
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static sens_status begin(struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_problem *pb = march->system->pb;
    const sens_status status = sens_variation_slope(march->system, march->t, march->y, radau->slope0);
    if (status != SENS_OK) return status;
    pb->type->jvp(pb, &(struct sens_at){march->t, march->y, pb->p}, pb->n, radau->unit, radau->J0);
    return SENS_OK;
}

/* The last stage is the end of the step. */
static void set_increment(struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_variation *va = march->system;
    const size_t last = STAGES - 1, columns = va->n * va->L, V = sens_variation_V(va);
    memset(march->increment, 0, march->size * sizeof *march->increment);
    for (size_t j = 0; j < STAGES && va->m_q; j++)
        for (size_t k = 0; k < march->size; k++)
            march->increment[k] += march->H * radau->a[last][j] * radau->slope[j][k];
    memcpy(march->increment, radau->Z + last * va->n, va->n * sizeof *radau->Z);
    memcpy(march->increment + V, radau->W + last * columns, columns * sizeof *radau->W);
}

static sens_status set_estimate(struct sens_march *march)
{
    const struct radau *radau = march->own;
    const struct sens_variation *va = march->system;
    const sens_real h = march->H / 9;
    for (size_t k = 0; k < march->size; k++) {
        sens_real defect = radau->slope0[k];
        for (int j = 0; j < STAGES; j++) defect -= radau->at_start[j] * radau->slope[j][k];
        march->estimate[k] = h * defect;
    }
    const sens_status status =
        sens_shifted_factor(radau->filter, (struct sens_shift){.identity = 1, .jacobian = h}, radau->J0);
    if (status != SENS_OK) return status;
    sens_shifted_solve(radau->filter, false, 1, march->estimate);
    if (va->L) sens_shifted_solve(radau->filter, false, va->L, march->estimate + sens_variation_V(va));
    return SENS_OK;
}

static sens_status trial(struct sens_march *march)
{
    sens_status status = solve_stages(march);
    if (status == SENS_OK) status = solve_columns(march);
    if (status != SENS_OK) return status;
    set_increment(march);
    return set_estimate(march);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static sens_status create(struct sens_ctx *ctx, struct sens_march *march)
{
    const size_t n = march->system->n, size = sens_variation_size(march->system);
    struct radau *radau = march->own = SENS_NEW(ctx, struct radau, 1);
    if (!radau) return SENS_NO_MEMORY;
    coefficients(radau);
    radau->unit = SENS_NEW(ctx, sens_real, n * n);
    radau->J = SENS_NEW(ctx, sens_real, n * n);
    radau->J0 = SENS_NEW(ctx, sens_real, n * n);
    radau->matrix = SENS_NEW(ctx, sens_real, n * STAGES * n * STAGES);
    radau->Z = SENS_NEW(ctx, sens_real, n * STAGES);
    radau->delta = SENS_NEW(ctx, sens_real, n * STAGES);
    radau->W = SENS_NEW(ctx, sens_real, n * STAGES * march->system->L);
    radau->stage = SENS_NEW(ctx, sens_real, size);
    radau->slope0 = SENS_NEW(ctx, sens_real, size);
    bool enough = radau->unit && radau->J && radau->J0 && radau->matrix && radau->Z && radau->delta &&
                  radau->W && radau->stage && radau->slope0;
    for (int j = 0; j < STAGES; j++) enough = (radau->slope[j] = SENS_NEW(ctx, sens_real, size)) && enough;
    if (!enough) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) radau->unit[i * n + i] = 1;
    const sens_status status = sens_shifted_create(ctx, n * STAGES, NULL, SENS_KERNEL_OWN, &radau->stages);
    return status == SENS_OK ? sens_shifted_create(ctx, n, NULL, SENS_KERNEL_OWN, &radau->filter) : status;
}

static void release(struct sens_march *march)
{
    const struct radau *radau = march->own;
    if (radau->stages) sens_shifted_release(radau->stages);
    if (radau->filter) sens_shifted_release(radau->filter);
}

const struct sens_march_rule sens_march_radau = {
    .name = "Radau IIA",
    .order = STAGES + 1,
    .block = 256,
    .most = MOST_STATES,
    .memory = SENS_C(0.5),
    .share = SENS_C(0x1p-12),
    .share_x = SENS_C(0x1p-30),
    .scaled = true,
    .create = create,
    .release = release,
    .begin = begin,
    .trial = trial,
};
