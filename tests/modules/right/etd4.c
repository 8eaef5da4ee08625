/* Exponential time differencing by Runge-Kutta stages, of order 4 (Cox, Matthews, J. Comput. Phys. 176, 2002), with its
 * tangent: the decay -r x is treated exactly. With z = -r h, N = f + r x, q = h (e^(z/2) - 1)/z,
 *
 *     a = e^(z/2) x + q N(t, x),   b = e^(z/2) x + q N(t + h/2, a),   c = e^(z/2) a + q (2 N(t + h/2, b) - N(t, x)),
 *     x1 = e^z x + h (w1 N(t, x) + w2 (N(t + h/2, a) + N(t + h/2, b)) + w3 N(t + h, c)),
 *     w1 = (-4 - z + e^z (4 - 3 z + z^2))/z^3         = phi_1 - 3 phi_2 + 4 phi_3,
 *     w2 = 2 (2 + z + e^z (z - 2))/z^3                = 2 phi_2 - 4 phi_3,
 *     w3 = (-4 - 3 z - z^2 + e^z (4 - z))/z^3         = 4 phi_3 - phi_2,      phi_k = sum_j z^j/(j + k)!
 *
 * For r = 0 that is the classic Runge-Kutta formula, whose weights the running cost has.
 *
 * verify: --quick --method etd4 */
#define NAME    "etd4"
#define SUMMARY "exponential time differencing of order 4 with its tangent"
#define STEPS   100
#define VECTORS 7
#define DECAYS
#include "one_step.h"

static sens_real phi(int k, sens_real z)
{
    sens_real sum = 0, term = 1;
    for (int j = 1; j <= k; j++) term /= (sens_real)j;
    for (int j = k + 1; j < 24; j++) sum += term, term *= z / (sens_real)j;
    return sum;
}

/* w1, w2, w3; their formulas lose digits near 0 */
static void weights(sens_real z, sens_real w[3])
{
    const sens_real e = exp(z), cube = z * z * z;
    if (z < -1) {
        w[0] = (-4 - z + e * (4 - 3 * z + z * z)) / cube;
        w[1] = 2 * (2 + z + e * (z - 2)) / cube;
        w[2] = (-4 - 3 * z - z * z + e * (4 - z)) / cube;
    } else {
        w[0] = phi(1, z) - 3 * phi(2, z) + 4 * phi(3, z);
        w[1] = 2 * phi(2, z) - 4 * phi(3, z);
        w[2] = 4 * phi(3, z) - phi(2, z);
    }
}

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    (void)ctx;
    const size_t n = st->n, size = st->own.size;
    const sens_real r = st->task->option[1].number, z = -r * h, half = exp(z / 2);
    const sens_real q = r > 0 ? h * expm1(z / 2) / z : h / 2;
    sens_real *const *const N = st->own.vector + 3;
    sens_real *const y[] = {st->x, st->own.vector[0], st->own.vector[1], st->own.vector[2], st->x};
    sens_real w[3];
    weights(z, w);
    const struct { /* y = factor of + sum_j by_j N_j, at t + after */
        sens_real factor, *of, by[4], after, weight;
    } row[] = {{1, st->x, {0}, 0, h / 6},
               {half, st->x, {q}, h / 2, h / 3},
               {half, st->x, {0, q}, h / 2, h / 3},
               {half, y[1], {-q, 0, 2 * q}, h, h / 6},
               {exp(z), st->x, {h * w[0], h * w[1], h * w[1], h * w[2]}, h, 0}};
    for (size_t i = 0; i < 5; i++) {
        const struct sens_at at = {t + row[i].after, y[i], st->task->problem->p};
        for (size_t k = 0; k < size; k++) y[i][k] = row[i].factor * row[i].of[k];
        for (size_t j = 0; j < i; j++) sens_lanes_axpy(size, 1, row[i].by[j], N[j], y[i]);
        if (i == 4) break;
        const sens_status status = slopes(st, at.t, y[i], y[i] + n, N[i], N[i] + n);
        if (status != SENS_OK) return status;
        sens_lanes_axpy(size, 1, r, y[i], N[i]);
        integrate(st, &at, row[i].weight, y[i] + n);
    }
    return SENS_OK;
}
