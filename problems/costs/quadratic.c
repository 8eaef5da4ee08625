/* Q_c(x, p) = 1/2 sum_i w_ci x_i^2 + 1/2 rho |p|^2 with its derivatives by lanes:
 *
 *     dQ_c/dx_i = w_ci x_i,   dQ_c/dp_k = rho p_k. */
#include "quadratic.h"

sens_status quadratic_create(struct sens_ctx *ctx, size_t n, size_t m, sens_real rho, struct quadratic *form)
{
    sens_real *w = SENS_NEW(ctx, sens_real, n * m);
    if (!w) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m; c++) w[i * m + c] = 1 + (sens_real)(c * (i + 1) % 61) / 64;
    *form = (struct quadratic){rho, w};
    return SENS_OK;
}

void quadratic_add(const struct sens_cost *cost, const struct quadratic *form, const sens_real *x,
                   const sens_real *p, sens_real scale, sens_real *G)
{
    sens_real p_squared = 0;
    for (size_t k = 0; form->rho > 0 && k < cost->np; k++) p_squared += p[k] * p[k];
    for (size_t c = 0; c < cost->m; c++) {
        sens_real sum = form->rho * p_squared;
        for (size_t i = 0; i < cost->n; i++) sum += form->w[i * cost->m + c] * x[i] * x[i];
        G[c] += scale * sum / 2;
    }
}

/* Lanes of a block that carry a cost. */
static size_t used(const struct sens_cost *cost, size_t c0, size_t L)
{
    const size_t left = c0 < cost->m ? cost->m - c0 : 0;
    return left < L ? left : L;
}

void quadratic_add_dx(const struct sens_cost *cost, const struct quadratic *form, const sens_real *x,
                      sens_real scale, size_t c0, size_t L, sens_real *OUT)
{
    const size_t lanes = used(cost, c0, L);
    for (size_t i = 0; lanes > 0 && i < cost->n; i++) {
        const sens_real *w = form->w + i * cost->m + c0, scaled = scale * x[i];
        for (size_t l = 0; l < lanes; l++) OUT[i * L + l] += w[l] * scaled;
    }
}

void quadratic_add_dp(const struct sens_cost *cost, const struct quadratic *form, const sens_real *p,
                      sens_real scale, size_t c0, size_t L, sens_real *MU)
{
    const size_t lanes = used(cost, c0, L);
    for (size_t k = 0; form->rho > 0 && k < cost->np; k++)
        for (size_t l = 0; l < lanes; l++) MU[k * L + l] += scale * form->rho * p[k];
}
