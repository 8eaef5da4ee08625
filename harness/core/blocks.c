/* Sums of lane blocks, and blocks turned into rows, see sens/lanes.h. */
#include "vectors.h"

#include "sens/lanes.h"

enum { KNOWN_TERMS = 8 };

/* out = scale sum_j w_j v_j with a known number of terms; out may be one of the v. Weights and pointers are
 * copied: a store to out might change them, for all that the compiler knows. */
ALWAYS_INLINE void combine_known(const int terms, size_t size, sens_real scale, const sens_real *weight,
                                 const sens_real *const *vectors, sens_real *out)
{
    sens_real w[KNOWN_TERMS];
    const sens_real *v[KNOWN_TERMS];
#pragma GCC unroll 8
    for (int j = 0; j < terms; j++) w[j] = scale * weight[j], v[j] = vectors[j];
    size_t q = 0;
    for (; q + VECTOR <= size; q += VECTOR) {
        vector sum = w[0] * *(const vector_in_memory *)&v[0][q];
#pragma GCC unroll 8
        for (int j = 1; j < terms; j++) sum += w[j] * *(const vector_in_memory *)&v[j][q];
        *(vector_in_memory *)&out[q] = sum;
    }
    for (; q < size; q++) {
        sens_real sum = w[0] * v[0][q];
#pragma GCC unroll 8
        for (int j = 1; j < terms; j++) sum += w[j] * v[j][q];
        out[q] = sum;
    }
}

/* Any number of terms. */
static void combine_any(int terms, size_t size, sens_real scale, const sens_real *w,
                        const sens_real *const *v, sens_real *out)
{
    for (size_t q = 0; q < size; q++) {
        sens_real sum = scale * w[0] * v[0][q];
        for (int j = 1; j < terms; j++) sum += scale * w[j] * v[j][q];
        out[q] = sum;
    }
}

void sens_lanes_combine(size_t size, int terms, sens_real scale, const sens_real *w,
                        const sens_real *const *v, sens_real *out)
{
    switch (terms) {
    case 1:
        combine_known(1, size, scale, w, v, out);
        break;
    case 2:
        combine_known(2, size, scale, w, v, out);
        break;
    case 3:
        combine_known(3, size, scale, w, v, out);
        break;
    case 4:
        combine_known(4, size, scale, w, v, out);
        break;
    case 5:
        combine_known(5, size, scale, w, v, out);
        break;
    case 6:
        combine_known(6, size, scale, w, v, out);
        break;
    case 7:
        combine_known(7, size, scale, w, v, out);
        break;
    case 8:
        combine_known(8, size, scale, w, v, out);
        break;
    default:
        combine_any(terms, size, scale, w, v, out);
        break;
    }
}

/* A constant number of lanes, from the first of g on. The line after each row is asked for: it is what will
 * be gathered next. The sum runs along, so that its latency hides behind the copies. */
ALWAYS_INLINE void gather_lanes(const struct sens_gather *g, const size_t lanes, const bool summed, size_t L,
                                sens_real *restrict u, sens_real *restrict sum)
{
    const size_t depth = g->depth, v_step = g->v_step, s_step = g->s_step, w_step = g->w_step;
    const sens_real *v = g->v, *s = g->s, *w = g->w;
    sens_real total[VECTOR] = {0};
    for (size_t l = 0; summed && l < lanes; l++) total[l] = sum[l];
    for (size_t k = 0; k < depth; k++, v += v_step) {
        const sens_real s_k = s[k * s_step], w_k = summed ? w[k * w_step] : 0;
        prefetch_numbers(v, L, false);
        for (size_t l = 0; l < lanes; l++) {
            const sens_real scaled = s_k * v[l];
            u[k * L + l] = scaled;
            if (summed) total[l] += w_k * scaled;
        }
    }
    for (size_t l = 0; summed && l < lanes; l++) sum[l] = total[l];
}

ALWAYS_INLINE void gather_width(const struct sens_gather *g, const size_t lanes, size_t L, sens_real *u,
                                sens_real *sum)
{
    if (sum)
        gather_lanes(g, lanes, true, L, u, sum);
    else
        gather_lanes(g, lanes, false, L, u, NULL);
}

void sens_lanes_gather(const struct sens_gather *g, size_t L, sens_real *u, sens_real *sum)
{
    struct sens_gather part = *g;
    for (size_t l = 0, w; l < L; l += w, part.v += w) {
        sens_real *to = sum ? sum + l : NULL;
        w = L - l >= VECTOR ? VECTOR : L - l >= HALF ? HALF : 1;
        if (w == VECTOR)
            gather_width(&part, VECTOR, L, u + l, to);
        else if (w == HALF)
            gather_width(&part, HALF, L, u + l, to);
        else
            gather_width(&part, 1, L, u + l, to);
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
