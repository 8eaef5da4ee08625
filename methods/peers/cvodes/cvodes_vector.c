/* The operations of SUNDIALS' serial vectors that an integration spends its time in, compiled with -O3 for
 * the baseline instruction set.
 *
 * They do what N_VLinearSum and the others of the manual's chapter on vectors are defined to do, in the order
 * of their definition, and stand in the table of operations that each vector carries and its clones inherit;
 * CVODES allows vectors of the caller's own. Reason: Debian builds SUNDIALS 6.4.1 without optimisation (its
 * loops keep every index and pointer in memory), and a comparison should not be one of compiler flags. */
#include "cvodes.h"

#include <math.h>

static void linear_sum(realtype a, N_Vector X, realtype b, N_Vector Y, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X), *y = NV_DATA_S(Y);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
}

static void fill(realtype c, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(Z);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = c;
}

static void product(N_Vector X, N_Vector Y, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X), *y = NV_DATA_S(Y);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = x[i] * y[i];
}

static void scale(realtype c, N_Vector X, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = c * x[i];
}

static void absolute(N_Vector X, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = fabs(x[i]);
}

static void inverse(N_Vector X, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = 1 / x[i];
}

static void add_constant(N_Vector X, realtype b, N_Vector Z)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X);
    realtype *z = NV_DATA_S(Z);
    for (sunindextype i = 0; i < n; i++) z[i] = x[i] + b;
}

static realtype weighted_norm(N_Vector X, N_Vector W)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X), *w = NV_DATA_S(W);
    realtype sum = 0;
    for (sunindextype i = 0; i < n; i++) sum += (x[i] * w[i]) * (x[i] * w[i]);
    return sqrt(sum / (realtype)n);
}

static realtype smallest(N_Vector X)
{
    const sunindextype n = NV_LENGTH_S(X);
    const realtype *x = NV_DATA_S(X);
    realtype least = x[0];
    for (sunindextype i = 1; i < n; i++) least = x[i] < least ? x[i] : least;
    return least;
}

void cvodes_vector_optimise(N_Vector v)
{
    v->ops->nvlinearsum = linear_sum;
    v->ops->nvconst = fill;
    v->ops->nvprod = product;
    v->ops->nvscale = scale;
    v->ops->nvabs = absolute;
    v->ops->nvinv = inverse;
    v->ops->nvaddconst = add_constant;
    v->ops->nvwrmsnorm = weighted_norm;
    v->ops->nvmin = smallest;
}
