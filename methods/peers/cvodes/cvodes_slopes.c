/* The callbacks of cvodes_forward, see cvodes_forward.h. */
#include "cvodes_forward.h"

#include <math.h>
#include <string.h>

#include "sens/lanes.h"

void cvodes_add_gradient(const struct cvodes_forward *fw, size_t k, N_Vector S, sens_real *to)
{
    sens_gradient_multiply(&fw->gradient, 1, NV_DATA_S(S), to);
    for (size_t c = 0; fw->gradient.dp && k < fw->np && c < fw->cv.m; c++)
        to[c] += sens_gradient_explicit(&fw->gradient, c, k);
}

/* What follows df/dx S in dS; the gradient of the running cost is that at the point. */
static int finish_slope(const struct cvodes_forward *fw, realtype t, N_Vector x, size_t k, N_Vector S,
                        N_Vector dS)
{
    const size_t n = fw->cv.n, extra = fw->cv.extra;
    sens_real *to = NV_DATA_S(dS);
    if (k < fw->np) cvodes_jvp_p(&fw->cv, t, x, k, to);
    memset(to + n, 0, extra * sizeof *to);
    if (extra > 0) cvodes_add_gradient(fw, k, S, to + n);
    return sens_finite(n + extra, to) ? 0 : 1;
}

static void at_point(struct cvodes_forward *fw, realtype t, N_Vector x)
{
    if (fw->cv.extra > 0) sens_gradient_running(&fw->gradient, CVODES_AT(&fw->cv, t, x), 1);
}

int cvodes_one_slope(int ns, realtype t, N_Vector x, N_Vector dx, int k, N_Vector S, N_Vector dS, void *self,
                     N_Vector tmp1, N_Vector tmp2)
{
    struct cvodes_forward *fw = self;
    (void)ns, (void)dx, (void)tmp1, (void)tmp2;
    at_point(fw, t, x);
    cvodes_jvp(&fw->cv, t, x, NV_DATA_S(S), NV_DATA_S(dS));
    return finish_slope(fw, t, x, (size_t)k, S, dS);
}

/* dS = J S with the declared Jacobian at hand. */
static void multiply_declared(struct cvodes_forward *fw, const sens_real *S, sens_real *dS)
{
    const struct sens_pattern *sparsity = fw->cv.jacobian[false]->pattern;
    const size_t n = fw->cv.n;
    memset(dS, 0, n * sizeof *dS);
    if (sparsity) {
        const struct sens_csr J = {n, n, sparsity->start, sparsity->col, fw->cv.value};
        sens_lanes_add_csr(J, 1, S, dS);
    } else {
        sens_matvec(n, n, fw->cv.value, S, dS);
    }
    fw->declared++;
}

int cvodes_all_slopes(int ns, realtype t, N_Vector x, N_Vector dx, N_Vector *S, N_Vector *dS, void *self,
                      N_Vector tmp1, N_Vector tmp2)
{
    struct cvodes_forward *fw = self;
    const bool declared = cvodes_has_jacobian(&fw->cv) && ns > 1;
    (void)dx, (void)tmp1, (void)tmp2;
    at_point(fw, t, x);
    if (declared) sens_jacobian_at(fw->cv.jacobian[false], CVODES_AT(&fw->cv, t, x), fw->cv.value);
    for (int k = 0; k < ns; k++) {
        if (declared)
            multiply_declared(fw, NV_DATA_S(S[k]), NV_DATA_S(dS[k]));
        else
            cvodes_jvp(&fw->cv, t, x, NV_DATA_S(S[k]), NV_DATA_S(dS[k]));
        if (finish_slope(fw, t, x, (size_t)k, S[k], dS[k]) != 0) return 1;
    }
    return 0;
}

int cvodes_weights(N_Vector x, N_Vector weight, void *self)
{
    const struct cvodes_forward *fw = self;
    const size_t n = fw->cv.n, m = fw->cv.extra;
    const sens_real *v = NV_DATA_S(x);
    const sens_real of_x = sqrt((sens_real)(n + m) / (sens_real)n),
                    of_g = sqrt((sens_real)(n + m) / (sens_real)m);
    for (size_t i = 0; i < n + m; i++) {
        const sens_real tolerance = fw->cv.task->rtol * fabs(v[i]) + fw->cv.task->atol;
        if (tolerance <= 0) return -1;
        NV_DATA_S(weight)[i] = (i < n ? of_x : fw->quad_inside ? of_g : 0) / tolerance;
    }
    return 0;
}

int cvodes_cost_slopes(int ns, realtype t, N_Vector x, N_Vector *S, N_Vector dg, N_Vector *dg_S, void *self,
                       N_Vector tmp1, N_Vector tmp2)
{
    struct cvodes_forward *fw = self;
    const size_t m = fw->cv.m;
    (void)dg, (void)tmp1, (void)tmp2;
    sens_gradient_running(&fw->gradient, CVODES_AT(&fw->cv, t, x), 1);
    for (int k = 0; k < ns; k++) {
        sens_real *to = NV_DATA_S(dg_S[k]);
        memset(to, 0, m * sizeof *to);
        cvodes_add_gradient(fw, (size_t)k, S[k], to);
        if (!sens_finite(m, to)) return 1;
    }
    return 0;
}
