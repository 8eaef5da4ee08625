/* Additive steps of a problem that splits f = f_E + f_I, by two tableaux with the same b and c,
 *
 *     Y_i = y + h sum_{j<i} aE_ij N_j + h sum_{j<=i} a_ij K_j,   N_i = f_E(t_i, Y_i),   K_i = f_I(t_i, Y_i),
 *     y1 = y + h sum_i b_i (N_i + K_i),   e = h (|sum_i (b_i - bhat_i) N_i| + |sum_i (b_i - bhat_i) K_i|)
 *
 * (Kennedy & Carpenter, Appl. Numer. Math. 44 (2003) 139-181). N_i is f - f_I at the stage. K_i is what
 * Newton's method found, and not f_I evaluated, in which its last correction is as many times as large as the part is
 * stiff. For the same reason y1 comes from the last stage: the last row of a is b, the rest of the sum is not stiff.
 *
 * The estimate e is that of the two parts alone, which is of the same order as their sum's: the conditions on bhat hold
 * for each. Where f_I is far stiffer than f, and f_E takes it back, all stages come to Y_i = y: the step becomes
 * Euler's, and the estimate of the sum 0. The parts keep theirs. It is not filtered as that of other implicit steps
 * (dirk.c), which would hide just this: it falls with the time scale of f_I. */
#include <tgmath.h>

#include "dirk.h"

sens_status sens_dirk_additive_create(struct sens_ctx *ctx, struct sens_dirk *dirk)
{
    struct sens_scheme *const scheme = &dirk->head.scheme;
    const struct sens_problem *const pb = scheme->with.ode->problem;
    if (pb->mass)
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "tableau %s takes no mass matrix: take one that does, as sdirk4a",
                         scheme->with.tableau->name);
    dirk->part = pb->implicit;
    dirk->N = SENS_NEW(ctx, sens_real, scheme->stage_size);
    dirk->head.f = SENS_NEW(ctx, sens_real, scheme->stage_size);
    scheme->K = dirk->head.f;
    scheme->bytes += 2 * scheme->stage_size * sizeof(sens_real);
    return dirk->N && dirk->head.f ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_dirk_additive_f(const struct sens_dirk *dirk, sens_real t, const sens_real *Y, sens_real *f)
{
    const struct sens_at at = {t, Y, dirk->head.scheme.with.ode->p};
    return dirk->part->type->rhs(dirk->part, &at, f);
}

sens_status sens_dirk_additive_slopes(struct sens_dirk *dirk, sens_real h, int i)
{
    struct sens_scheme *const scheme = &dirk->head.scheme;
    const struct sens_ode *const ode = scheme->with.ode;
    const size_t n = ode->n, row = (size_t)i * n;
    const sens_real t = sens_stage_time(scheme->with.tableau, scheme->t, h, i), *const Y = scheme->Y + row;
    sens_real *const f = dirk->head.f + row, *const N = dirk->N + row, *const K = dirk->K + row;
    sens_status status = SENS_OK;
    if (i > 0) scheme->did.slopes++, status = sens_slope(ode, t, Y, f);
    if (status == SENS_OK) status = sens_dirk_additive_f(dirk, t, Y, i > 0 ? dirk->d : K);
    if (status != SENS_OK) return status;
    for (size_t q = 0; q < n; q++) N[q] = f[q] - (i > 0 ? dirk->d[q] : K[q]);
    for (size_t q = 0; i > 0 && q < n; q++) f[q] = N[q] + K[q];
    return SENS_OK;
}

void sens_dirk_additive_add(struct sens_dirk *dirk, sens_real h, int i)
{
    const struct sens_tableau *const tb = dirk->head.scheme.with.tableau;
    const size_t n = dirk->head.scheme.with.ode->n;
    for (int j = 0; j < i; j++)
        for (size_t q = 0; q < n; q++)
            dirk->base[q] += h * tb->a_explicit[i * tb->stages + j] * dirk->N[(size_t)j * n + q];
}

void sens_dirk_additive_end(const struct sens_dirk *dirk, sens_real h, sens_real *y1)
{
    const struct sens_tableau *const tb = dirk->head.scheme.with.tableau;
    const size_t n = dirk->head.scheme.with.ode->n;
    const int last = tb->stages - 1;
    memcpy(y1, dirk->head.scheme.Y + (size_t)last * n, n * sizeof *y1);
    for (int j = 0; j <= last; j++)
        for (size_t q = 0; q < n; q++)
            y1[q] += h * (tb->b[j] - tb->a_explicit[last * tb->stages + j]) * dirk->N[(size_t)j * n + q];
}

void sens_dirk_additive_error(const struct sens_dirk *dirk, sens_real h, sens_real *e)
{
    const struct sens_tableau *const tb = dirk->head.scheme.with.tableau;
    const size_t n = dirk->head.scheme.with.ode->n;
    for (size_t q = 0; q < n; q++) {
        sens_real of_N = 0, of_K = 0;
        for (int j = 0; j < tb->stages; j++) {
            of_N += tb->e[j] * dirk->N[(size_t)j * n + q];
            of_K += tb->e[j] * dirk->K[(size_t)j * n + q];
        }
        e[q] = h * (fabs(of_N) + fabs(of_K));
    }
}
