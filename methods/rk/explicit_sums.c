/* The stages of one explicit Runge-Kutta step,
 *
 *     Y_i = y + h sum_{j<i} a_ij K_j,   K_i = f(t + c_i h, Y_i),
 *
 * and the weighted sum of slopes on which everything in this folder is built. Stages run in order; the sum
 * over j is innermost and in registers, one pass over the components. */
#include "explicit.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A product that is rounded before it is added to. Contraction may fuse either product of a b + c d; with
 * this it can only fuse the other, in every copy that the compiler makes of a sum. */
#if defined __has_builtin
#if __has_builtin(__builtin_assoc_barrier)
#define ROUNDED(product) __builtin_assoc_barrier(product)
#endif
#endif
#ifndef ROUNDED
#define ROUNDED(product) (product)
#endif

/* The sum of a number of terms and of components known to the compiler, which makes one vector of it where
 * the components fill one. */
ALWAYS_INLINE void sum_piece(int terms, size_t count, size_t stride, sens_real h,
                             const sens_real *restrict base, const sens_real *restrict w,
                             const sens_real *restrict K, sens_real *restrict out)
{
#pragma GCC unroll 1 /* unrolled first, it would not become one vector */
    for (size_t q = 0; q < count; q++) {
        sens_real sum = w[0] * K[q];
        if (terms > 1) sum += ROUNDED(w[1] * K[stride + q]);
#pragma GCC unroll 8
        for (int j = 2; j < terms; j++) sum += w[j] * K[(size_t)j * stride + q];
        out[q] = base ? base[q] + h * sum : h * sum;
    }
}

/* Any number of components, in pieces of 8, 4, 2 and 1. A piece is stored in one go, as the next sum, the
 * copy and most right-hand sides load it: a load that gathers several recent stores waits until they have
 * reached the cache. */
ALWAYS_INLINE void sum_known(int terms, size_t count, size_t stride, sens_real h, const sens_real *base,
                             const sens_real *w, const sens_real *K, sens_real *out)
{
    size_t q = 0;
    for (; q + 8 <= count; q += 8) sum_piece(terms, 8, stride, h, base ? base + q : NULL, w, K + q, out + q);
    if (count & 4) sum_piece(terms, 4, stride, h, base ? base + q : NULL, w, K + q, out + q), q += 4;
    if (count & 2) sum_piece(terms, 2, stride, h, base ? base + q : NULL, w, K + q, out + q), q += 2;
    if (count & 1) sum_piece(terms, 1, stride, h, base ? base + q : NULL, w, K + q, out + q);
}

/* Any number of terms, in tiles of components that stay in registers. */
static __attribute__((noinline)) void sum_any(int terms, size_t count, size_t stride, sens_real h,
                                              const sens_real *restrict base, const sens_real *restrict w,
                                              const sens_real *restrict K, sens_real *restrict out)
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

/* A function for each number of terms: in one, all would pay for the registers of the largest. */
typedef void sum_function(size_t count, size_t stride, sens_real h, const sens_real *base, const sens_real *w,
                          const sens_real *K, sens_real *out);

#define SUM_OF(terms)                                                                                        \
    static void sum_of_##terms(size_t count, size_t stride, sens_real h, const sens_real *base,              \
                               const sens_real *w, const sens_real *K, sens_real *out)                       \
    {                                                                                                        \
        if (base)                                                                                            \
            sum_known(terms, count, stride, h, base, w, K, out);                                             \
        else                                                                                                 \
            sum_known(terms, count, stride, h, NULL, w, K, out);                                             \
    }
SUM_OF(1)
SUM_OF(2)
SUM_OF(3)
SUM_OF(4)
SUM_OF(5)
SUM_OF(6)
SUM_OF(7)

enum { KNOWN = 8 };
static sum_function *const sum_of[KNOWN] = {NULL,     sum_of_1, sum_of_2, sum_of_3,
                                            sum_of_4, sum_of_5, sum_of_6, sum_of_7};

void sens_explicit_sum(size_t count, size_t stride, int terms, sens_real h, const sens_real *base,
                       const sens_real *w, const sens_real *K, sens_real *out)
{
    if (terms < KNOWN)
        sum_of[terms](count, stride, h, base, w, K, out);
    else
        sum_any(terms, count, stride, h, base, w, K, out);
}

sens_status sens_explicit_stages(struct sens_explicit *ex, sens_real h, int slopes)
{
    const struct sens_ode *ode = ex->scheme.with.ode;
    const struct sens_tableau *tableau = ex->scheme.with.tableau;
    const size_t n = ode->n, row = (size_t)tableau->stages + (size_t)tableau->extra_stages;
    const sens_real t = ex->scheme.t, *a = tableau->a;
    sens_real *Y = ex->scheme.Y, *K = ex->K, *Y_i = Y, *K_i = K;
    for (int i = 1; i < tableau->stages; i++) {
        a += row, Y_i += n, K_i += n;
        if (i < KNOWN)
            sum_of[i](n, n, h, Y, a, K, Y_i);
        else
            sum_any(i, n, n, h, Y, a, K, Y_i);
        if (i >= slopes) continue;
        const sens_status status = ode->f(ode->self, sens_stage_time(tableau, t, h, i), Y_i, K_i);
        if (status == SENS_OK) continue;
        ex->scheme.did.slopes += i;
        return status;
    }
    if (slopes > 1) ex->scheme.did.slopes += slopes - 1;
    return SENS_OK;
}
