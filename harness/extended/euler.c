/* Extrapolation of the implicit Euler rule, for stiff problems: a step H in n_j = 1, 2, 3, 4, 6, 8, 12, 16
 * substeps
 *
 *     d = h f(t + h, x + d),                     Newton's method to rounding, full, dense,
 *     (I - h J) e = h (J V + f_p),  J at x + d,  e = dV: the derivative of d,
 *
 * extrapolated in H / n_j: order 8. Deuflhard, Hairer, Zugck, Numer. Math. 51 (1987) 501-516; Hairer, Wanner:
 * Solving Ordinary Differential Equations II, IV.9 and VI.5. Of radau.c it has nothing but the dense solver.
 * Increments are extrapolated, not states, and n_j doubles: rounding grows by the weights of the last row,
 * which add up to 135; of n_j = 1, 2, ..., 8 they add up to 3,400.
 *
 * With 113 bits n_j = 8, 9, ..., 23: order 16. What a substep leaves of a mode with H lambda >> 1 is a part
 * (1 + H lambda / n_1)^-n_1, which no extrapolation takes away. With n_1 = 1 a derivative by the stiffness keeps an
 * error of 1e-5 / lambda however long the step is, and a tolerance below that holds H to 1 / lambda. Rounding
 * grows by weights that add up to 7e10, which 113 bits can spare. */
#include <string.h>
#include <tgmath.h>

#include "march.h"
#include "shifted.h"

enum { MOST_STATES = 80, MOST_ITERATIONS = 20 };
#ifdef SENS_QUAD
enum { TABLE = 16 };
static const int parts_of[TABLE] = {8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
#else
enum { TABLE = 8 };
static const int parts_of[TABLE] = {1, 2, 3, 4, 6, 8, 12, 16};
#endif

struct euler {
    struct sens_shifted *system;
    sens_real *unit, *J;      /* [n][n] */
    sens_real *d, *delta;     /* [n] */
    sens_real *sum;           /* [size] the increments of the substeps so far */
    sens_real *stage, *slope; /* [size] */
    sens_real *table[TABLE];  /* the current row of increments */
};

/* The factors of I - h J at the state in stage. */
static sens_status factor(const struct sens_march *march, sens_real t, sens_real h)
{
    const struct euler *euler = march->own;
    const struct sens_problem *pb = march->system->pb;
    pb->type->jvp(pb, &(struct sens_at){t, euler->stage, pb->p}, pb->n, euler->unit, euler->J);
    return sens_shifted_factor(euler->system, (struct sens_shift){.identity = 1, .jacobian = h}, euler->J);
}

/* The state: y and the substeps so far, and d on top. */
static void place_state(const struct sens_march *march)
{
    const struct euler *euler = march->own;
    for (size_t k = 0; k < march->system->n; k++)
        euler->stage[k] = march->y[k] + (march->carry[k] + (euler->sum[k] + euler->d[k]));
}

/* d += delta; the largest correction, relative. */
static sens_real correct(const struct sens_march *march)
{
    const struct euler *euler = march->own;
    const size_t n = march->system->n;
    sens_real worst = 0, largest = 0;
    for (size_t k = 0; k < n; k++) largest = fmax(largest, march->largest[k]);
    for (size_t k = 0; k < n; k++) {
        euler->d[k] += euler->delta[k];
        const sens_real value = fabs(euler->stage[k] + euler->delta[k]);
        const sens_real size = fmax(fmax(value, march->largest[k]), largest * march->rule->share_x);
        const sens_real part = euler->delta[k] == 0 ? 0 : fabs(euler->delta[k]) / size;
        if (!isfinite(part)) return INFINITY;
        worst = fmax(worst, part);
    }
    return worst;
}

/* d of a substep that ends at t, from the guess in d; ends with its state in stage and the factors there. */
static sens_status solve_substep(const struct sens_march *march, sens_real t, sens_real h)
{
    const struct euler *euler = march->own;
    const struct sens_problem *pb = march->system->pb;
    sens_real before = INFINITY;
    bool converged = false;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        place_state(march);
        sens_status status = factor(march, t, h);
        if (status != SENS_OK || converged) return status;
        status = pb->type->rhs(pb, &(struct sens_at){t, euler->stage, pb->p}, euler->slope);
        if (status != SENS_OK) return status;
        for (size_t i = 0; i < pb->n; i++) euler->delta[i] = h * euler->slope[i] - euler->d[i];
        sens_shifted_solve(euler->system, false, 1, euler->delta);
        const sens_real now = correct(march);
        if (!isfinite(now)) return SENS_NONFINITE;
        if (k > 2 && now > 2 * before && before > SENS_C(1e-12)) return SENS_NOT_CONVERGED;
        converged = now <= SENS_C(1e-19) * SENS_MARCH_FINER || (before <= SENS_C(1e-12) && now > before / 2);
        before = now;
    }
    return SENS_NOT_CONVERGED;
}

/* The other parts of y over the substep, all linear: V by a solve, then q and Q at its end. */
static sens_status follow(const struct sens_march *march, sens_real t, sens_real h)
{
    const struct euler *euler = march->own;
    const struct sens_variation *va = march->system;
    const size_t V = sens_variation_V(va), Q = sens_variation_Q(va);
    for (size_t k = va->n; k < march->size; k++)
        euler->stage[k] = march->y[k] + (march->carry[k] + euler->sum[k]);
    sens_status status = sens_variation_slope(va, t, euler->stage, euler->slope);
    if (status != SENS_OK) return status;
    for (size_t k = V; k < Q; k++) euler->slope[k] *= h;
    if (va->L) sens_shifted_solve(euler->system, false, va->L, euler->slope + V);
    for (size_t k = V; k < Q; k++) {
        euler->sum[k] += euler->slope[k];
        euler->stage[k] += euler->slope[k];
    }
    if (!va->m_q) return SENS_OK;
    status = sens_variation_slope(va, t, euler->stage, euler->slope);
    for (size_t k = va->n; k < V; k++) euler->sum[k] += h * euler->slope[k];
    for (size_t k = Q; k < march->size; k++) euler->sum[k] += h * euler->slope[k];
    return status;
}

/* The increment over [t, t + H] in `parts` substeps. */
static sens_status substeps(const struct sens_march *march, int parts, sens_real *increment)
{
    const struct euler *euler = march->own;
    const size_t n = march->system->n;
    const sens_real h = march->H / parts;
    memset(euler->sum, 0, march->size * sizeof *euler->sum);
    memset(euler->d, 0, n * sizeof *euler->d);
    for (int part = 1; part <= parts; part++) {
        const sens_real t = march->t + part * h;
        sens_status status = solve_substep(march, t, h);
        if (status == SENS_OK) status = follow(march, t, h);
        if (status != SENS_OK) return status;
        for (size_t k = 0; k < n; k++) euler->sum[k] += euler->d[k];
    }
    memcpy(increment, euler->sum, march->size * sizeof *increment);
    return SENS_OK;
}

/* Aitken-Neville in H / n_j. */
static void extrapolate(const struct euler *euler, size_t size, int j)
{
    for (int k = 1; k <= j; k++) {
        const sens_real factor = 1 / ((sens_real)parts_of[j] / (sens_real)parts_of[j - k] - 1);
        sens_real *above = euler->table[k - 1], *entry = euler->table[j];
        for (size_t i = 0; i < size; i++) {
            const sens_real left = entry[i];
            entry[i] = left + (left - above[i]) * factor;
            above[i] = left;
        }
    }
}

static sens_status begin(struct sens_march *march)
{
    (void)march;
    return SENS_OK;
}

static sens_status trial(struct sens_march *march)
{
    const struct euler *euler = march->own;
    for (int j = 0; j < TABLE; j++) {
        const sens_status status = substeps(march, parts_of[j], euler->table[j]);
        if (status != SENS_OK) return status;
        extrapolate(euler, march->size, j);
    }
    const sens_real *last = euler->table[TABLE - 1], *before = euler->table[TABLE - 2];
    memcpy(march->increment, last, march->size * sizeof *last);
    for (size_t i = 0; i < march->size; i++) march->estimate[i] = last[i] - before[i];
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, struct sens_march *march)
{
    const size_t n = march->system->n, size = sens_variation_size(march->system);
    struct euler *euler = march->own = SENS_NEW(ctx, struct euler, 1);
    if (!euler) return SENS_NO_MEMORY;
    euler->unit = SENS_NEW(ctx, sens_real, n * n);
    euler->J = SENS_NEW(ctx, sens_real, n * n);
    euler->d = SENS_NEW(ctx, sens_real, n);
    euler->delta = SENS_NEW(ctx, sens_real, n);
    euler->sum = SENS_NEW(ctx, sens_real, size);
    euler->stage = SENS_NEW(ctx, sens_real, size);
    euler->slope = SENS_NEW(ctx, sens_real, size);
    bool enough =
        euler->unit && euler->J && euler->d && euler->delta && euler->sum && euler->stage && euler->slope;
    for (int j = 0; j < TABLE; j++) enough = (euler->table[j] = SENS_NEW(ctx, sens_real, size)) && enough;
    if (!enough) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) euler->unit[i * n + i] = 1;
    return sens_shifted_create(ctx, n, NULL, SENS_KERNEL_OWN, &euler->system);
}

static void release(struct sens_march *march)
{
    const struct euler *euler = march->own;
    if (euler->system) sens_shifted_release(euler->system);
}

const struct sens_march_rule sens_march_euler = {
    .name = "extrapolation of the implicit Euler rule",
    .order = TABLE,
    .block = 256,
    .most = MOST_STATES,
    .memory = SENS_C(0.5),
    .share = SENS_C(0x1p-8),
    .share_x = SENS_C(0x1p-30),
    .scaled = true,
    .create = create,
    .release = release,
    .begin = begin,
    .trial = trial,
};
