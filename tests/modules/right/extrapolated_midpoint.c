/* Extrapolation of Gragg's modified midpoint rule (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
 * II.9), of order 2 ROWS = 10. Row j takes n_j = 2, 4, ..., 2 ROWS substeps of length d = h/n_j,
 *
 *     y_1 = x + d f(t, x),   y_(k+1) = y_(k-1) + 2 d f(t + k d, y_k),   k < n_j,
 *     x1 = sum_j w_j y_(n_j),   w_j = prod_(i != j) n_j^2 / (n_j^2 - n_i^2).
 *
 * The running cost in the same way, which leaves 2 d w_j g at the odd k.
 *
 * verify: --quick --method extrapolated_midpoint */
#define NAME    "extrapolated_midpoint"
#define SUMMARY "extrapolation of the modified midpoint rule, of order 10"
#define STEPS   16
#define VECTORS 4
#include "one_step.h"

enum { ROWS = 5 };

static sens_real weight(int j)
{
    const sens_real own = (sens_real)(j * j);
    sens_real w = 1;
    for (int i = 1; i <= ROWS; i++)
        if (i != j) w *= own / (own - (sens_real)(i * i));
    return w;
}

/* sum += w_j y_(n_j) */
static sens_status add_row(struct state *st, int j, sens_real t, sens_real h, sens_real *sum)
{
    const size_t n = st->n, size = st->own.size;
    const sens_real d = h / (sens_real)(2 * j);
    sens_real *before = st->own.vector[1], *y = st->own.vector[2], *const K = st->own.vector[3];
    memcpy(y, st->x, size * sizeof *y);
    for (int k = 0; k < 2 * j; k++) {
        const struct sens_at at = {t + (sens_real)k * d, y, st->task->problem->p};
        const sens_status status = slopes(st, at.t, y, y + n, K, K + n);
        if (status != SENS_OK) return status;
        if (k % 2 == 1) integrate(st, &at, 2 * d * weight(j), y + n);
        if (k == 0) memcpy(before, y, size * sizeof *y);
        sens_lanes_axpy(size, 1, k == 0 ? d : 2 * d, K, before);
        sens_real *const next = before;
        before = y, y = next;
    }
    sens_lanes_axpy(size, 1, weight(j), y, sum);
    return SENS_OK;
}

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    (void)ctx;
    sens_real *const sum = st->own.vector[0];
    memset(sum, 0, st->own.size * sizeof *sum);
    for (int j = 1; j <= ROWS; j++) {
        const sens_status status = add_row(st, j, t, h, sum);
        if (status != SENS_OK) return status;
    }
    memcpy(st->x, sum, st->own.size * sizeof *sum);
    return SENS_OK;
}
