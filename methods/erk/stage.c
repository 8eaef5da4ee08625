/* The stages of one explicit Runge-Kutta step,
 *
 *     Y_i = y + h sum_{j<i} a_ij K_j,   K_i = f(t + c_i h, Y_i),
 *
 * and the weighted sum of slopes on which everything in this folder is built. Stages run in order; the sum
 * over j is innermost and in registers, one pass over the components. */
#include <string.h>

#include "workspace.h"

/* The sum with a number of terms known to the compiler, which unrolls it and vectorises over q. */
static inline __attribute__((always_inline)) void
sum_known(const int terms, size_t count, size_t stride, sens_real h, const sens_real *restrict base,
          const sens_real *restrict w, const sens_real *restrict K, sens_real *restrict out)
{
    for (size_t q = 0; q < count; q++) {
        sens_real sum = w[0] * K[q];
#pragma GCC unroll 8
        for (int j = 1; j < terms; j++) sum += w[j] * K[(size_t)j * stride + q];
        out[q] = base ? base[q] + h * sum : h * sum;
    }
}

/* Any number of terms, in tiles of components that stay in registers. */
static void sum_any(int terms, size_t count, size_t stride, sens_real h, const sens_real *restrict base,
                    const sens_real *restrict w, const sens_real *restrict K, sens_real *restrict out)
{
    enum { TILE = 8 };
    size_t q = 0;
    for (; q + TILE <= count; q += TILE) {
        sens_real sum[TILE];
        for (size_t l = 0; l < TILE; l++) sum[l] = w[0] * K[q + l];
        for (int j = 1; j < terms; j++)
            for (size_t l = 0; l < TILE; l++) sum[l] += w[j] * K[(size_t)j * stride + q + l];
        for (size_t l = 0; l < TILE; l++) out[q + l] = base ? base[q + l] + h * sum[l] : h * sum[l];
    }
    for (; q < count; q++) {
        sens_real sum = w[0] * K[q];
        for (int j = 1; j < terms; j++) sum += w[j] * K[(size_t)j * stride + q];
        out[q] = base ? base[q] + h * sum : h * sum;
    }
}

static inline __attribute__((always_inline)) void sum_dispatch(size_t count, size_t stride, int terms,
                                                               sens_real h, const sens_real *base,
                                                               const sens_real *w, const sens_real *K,
                                                               sens_real *out)
{
    switch (terms) {
    case 1:
        sum_known(1, count, stride, h, base, w, K, out);
        break;
    case 2:
        sum_known(2, count, stride, h, base, w, K, out);
        break;
    case 3:
        sum_known(3, count, stride, h, base, w, K, out);
        break;
    case 4:
        sum_known(4, count, stride, h, base, w, K, out);
        break;
    case 5:
        sum_known(5, count, stride, h, base, w, K, out);
        break;
    case 6:
        sum_known(6, count, stride, h, base, w, K, out);
        break;
    case 7:
        sum_known(7, count, stride, h, base, w, K, out);
        break;
    default:
        sum_any(terms, count, stride, h, base, w, K, out);
    }
}

void sens_erk_sum(size_t count, size_t stride, int terms, sens_real h, const sens_real *base,
                  const sens_real *w, const sens_real *K, sens_real *out)
{
    if (base)
        sum_dispatch(count, stride, terms, h, base, w, K, out);
    else
        sum_dispatch(count, stride, terms, h, NULL, w, K, out);
}

sens_status sens_erk_later_stages(const struct sens_tableau *tableau, const struct sens_ode *ode, sens_real t,
                                  sens_real h, int slopes, sens_real *Y, sens_real *K)
{
    const size_t n = ode->n;
    const int row = tableau->stages + tableau->extra_stages;
    for (int i = 1; i < tableau->stages; i++) {
        sens_real *Y_i = Y + (size_t)i * n;
        sens_erk_sum(n, n, i, h, Y, tableau->a + i * row, K, Y_i);
        if (i >= slopes) continue;
        const sens_status status =
            ode->f(ode->self, sens_stage_time(tableau, t, h, i), Y_i, K + (size_t)i * n);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

sens_status sens_erk_stages(const struct sens_tableau *tableau, const struct sens_ode *ode, sens_real t,
                            sens_real h, const sens_real *y, bool k1_known, sens_real *Y, sens_real *K,
                            sens_real *y1)
{
    const size_t n = ode->n;
    const int stages = tableau->stages;
    memcpy(Y, y, n * sizeof *Y);
    sens_status status = k1_known ? SENS_OK : ode->f(ode->self, t, Y, K);
    if (status == SENS_OK) status = sens_erk_later_stages(tableau, ode, t, h, stages, Y, K);
    if (status != SENS_OK || !y1) return status;
    if (tableau->fsal)
        memcpy(y1, Y + (size_t)(stages - 1) * n, n * sizeof *y1);
    else
        sens_erk_sum(n, n, stages, h, y, tableau->b, K, y1);
    return SENS_OK;
}
