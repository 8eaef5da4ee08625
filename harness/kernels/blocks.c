/* Sums of lane blocks, and blocks turned into rows, see kernels.h. */
#include <string.h>

#include "kernels.h"
#include "vectors.h"

enum { KNOWN_TERMS = 8 };

/* out = scale sum_j w_j v_j with a known number of terms, and base + that if `onto`; out may be any of the vectors.
 * Weights and pointers are copied: a store to out might change them, for all that the compiler knows. */
ALWAYS_INLINE void combine_known(const int terms, const bool onto, size_t size, sens_real scale,
                                 const sens_real *weight, const sens_real *const *vectors,
                                 const sens_real *base, sens_real *out)
{
    sens_real w[KNOWN_TERMS];
    const sens_real *v[KNOWN_TERMS];
#pragma GCC unroll 8
    for (int j = 0; j < terms; j++) w[j] = scale * weight[j], v[j] = vectors[j];
    size_t q = 0;
    for (; q + VECTOR <= size; q += VECTOR) {
        vector sum = w[0] * *(const vector_in_memory *)&v[0][q];
        if (onto) sum = *(const vector_in_memory *)&base[q] + w[0] * *(const vector_in_memory *)&v[0][q];
#pragma GCC unroll 8
        for (int j = 1; j < terms; j++) sum += w[j] * *(const vector_in_memory *)&v[j][q];
        *(vector_in_memory *)&out[q] = sum;
    }
    for (; q < size; q++) {
        sens_real sum = onto ? base[q] + w[0] * v[0][q] : w[0] * v[0][q];
#pragma GCC unroll 8
        for (int j = 1; j < terms; j++) sum += w[j] * v[j][q];
        out[q] = sum;
    }
}

/* Any number of terms; base NULL: without it. */
static void combine_any(int terms, size_t size, sens_real scale, const sens_real *w,
                        const sens_real *const *v, const sens_real *base, sens_real *out)
{
    for (size_t q = 0; q < size; q++) {
        sens_real sum = base ? base[q] + scale * w[0] * v[0][q] : scale * w[0] * v[0][q];
        for (int j = 1; j < terms; j++) sum += scale * w[j] * v[j][q];
        out[q] = sum;
    }
}

void sens_lanes_combine(size_t size, int terms, sens_real scale, const sens_real *w,
                        const sens_real *const *v, sens_real *out)
{
    switch (terms) {
        CASES_1_TO_8(combine_known, false, size, scale, w, v, NULL, out)
    default:
        combine_any(terms, size, scale, w, v, NULL, out);
        break;
    }
}

void sens_lanes_combine_onto(size_t size, int terms, sens_real scale, const sens_real *w,
                             const sens_real *const *v, const sens_real *base, sens_real *out)
{
    switch (terms) {
        CASES_1_TO_8(combine_known, true, size, scale, w, v, base, out)
    case 0:
        if (out != base) memcpy(out, base, size * sizeof *out);
        break;
    default:
        combine_any(terms, size, scale, w, v, base, out);
        break;
    }
}

/* ---- scaled sums --------------------------------------------------------------------------------------- */

struct scaled { /* u = s kappa, and other = d kappa, or kappa where d is NULL */
    const sens_real *s, *d;
    sens_real *u, *other;
};

#define KERNEL         scaled_vector
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "scaled_kernel.h"

#define KERNEL         scaled_half
#define TYPE           half
#define TYPE_IN_MEMORY half_in_memory
#include "scaled_kernel.h"

#define KERNEL         scaled_number
#define TYPE           sens_real
#define TYPE_IN_MEMORY sens_real
#include "scaled_kernel.h"

/* Row by row of L lanes. */
ALWAYS_INLINE void scaled_rows(const int terms, const bool diagonal, size_t n, const size_t L,
                               sens_real scale, const sens_real *weight, const sens_real *const *v,
                               const struct scaled *to)
{
    sens_real w[KNOWN_TERMS];
    const struct scaled at = *to;
#pragma GCC unroll 8
    for (int j = 0; j < terms; j++) w[j] = scale * weight[j];
    if (L == 1) {
        size_t i = 0;
        for (; i + VECTOR <= n; i += VECTOR) scaled_vector(terms, diagonal, true, w, v, &at, i, i);
        for (; i < n; i++) scaled_number(terms, diagonal, true, w, v, &at, i, i);
        return;
    }
    for (size_t i = 0, q = 0; i < n; i++) {
        const size_t end = q + L;
        for (; q + VECTOR <= end; q += VECTOR) scaled_vector(terms, diagonal, false, w, v, &at, i, q);
        for (; q + HALF <= end; q += HALF) scaled_half(terms, diagonal, false, w, v, &at, i, q);
        for (; q < end; q++) scaled_number(terms, diagonal, false, w, v, &at, i, q);
    }
}

ALWAYS_INLINE void scaled_known(const int terms, size_t n, size_t L, sens_real scale, const sens_real *w,
                                const sens_real *const *vectors, const struct scaled *to)
{
    const sens_real *v[KNOWN_TERMS];
#pragma GCC unroll 8
    for (int j = 0; j < terms; j++) v[j] = vectors[j];
    if (L == VECTOR && to->d)
        scaled_rows(terms, true, n, VECTOR, scale, w, v, to);
    else if (to->d)
        scaled_rows(terms, true, n, L, scale, w, v, to);
    else
        scaled_rows(terms, false, n, L, scale, w, v, to);
}

/* Any number of terms. */
static void scaled_any(int terms, size_t n, size_t L, sens_real scale, const sens_real *w,
                       const sens_real *const *v, const struct scaled *to)
{
    for (size_t i = 0, q = 0; i < n; i++)
        for (const size_t end = q + L; q < end; q++) {
            sens_real sum = scale * w[0] * v[0][q];
            for (int j = 1; j < terms; j++) sum += scale * w[j] * v[j][q];
            to->u[q] = to->s[i] * sum;
            to->other[q] = to->d ? to->d[i] * sum : sum;
        }
}

void sens_lanes_combine_scaled(size_t n, size_t L, int terms, sens_real scale, const sens_real *w,
                               const sens_real *const *v, const sens_real *s, sens_real *u,
                               const sens_real *d, sens_real *other)
{
    const struct scaled to = {.s = s, .d = d, .u = u, .other = other};
    switch (terms) {
        CASES_1_TO_8(scaled_known, n, L, scale, w, v, &to)
    default:
        scaled_any(terms, n, L, scale, w, v, &to);
        return;
    }
}

/* ---- blocks to rows ------------------------------------------------------------------------------------ */

#if !defined SENS_EXTENDED && defined __AVX__
/* Four rows of four numbers each, transposed; adds 0 v, which is 0 for a finite v, to *bad. */
ALWAYS_INLINE void transpose_tile(const sens_real *from, size_t from_step, sens_real *to, size_t to_step,
                                  quartet *bad)
{
    quartet rows[4], columns[4];
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
        rows[k] = *(const quartet_in_memory *)&from[k * from_step];
        *bad += 0 * rows[k];
    }
    transpose_four(rows, columns);
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) *(quartet_in_memory *)&to[k * to_step] = columns[k];
}

/* The rows and columns that whole tiles cover; sizes are those of the covered part. */
static sens_real tiles_to_rows(size_t n, size_t width, const sens_real *block, size_t L, sens_real *rows,
                               size_t step, size_t *covered_n, size_t *covered_width)
{
    quartet bad = {0};
    *covered_n = n - n % 4, *covered_width = width - width % 4;
    for (size_t i = 0; i < *covered_n; i += 4)
        for (size_t l = 0; l < *covered_width; l += 4)
            transpose_tile(block + i * L + l, L, rows + l * step + i, step, &bad);
    return (bad[0] + bad[1]) + (bad[2] + bad[3]);
}
#else
static sens_real tiles_to_rows(size_t n, size_t width, const sens_real *block, size_t L, sens_real *rows,
                               size_t step, size_t *covered_n, size_t *covered_width)
{
    (void)n, (void)width, (void)block, (void)L, (void)rows, (void)step;
    *covered_n = *covered_width = 0;
    return 0;
}
#endif

bool sens_lanes_to_rows(size_t n, size_t L, size_t width, const sens_real *block, sens_real *rows)
{
    size_t n4, width4;
    sens_real bad = tiles_to_rows(n, width, block, L, rows, n, &n4, &width4);
    for (size_t i = 0; i < n; i++)
        for (size_t l = i < n4 ? width4 : 0; l < width; l++) {
            const sens_real v = block[i * L + l];
            rows[l * n + i] = v;
            bad += 0 * v; /* NaN for a value that is infinite or NaN */
        }
    return bad == 0;
}
