/* kernels/row_kernel.h - the product of one row with the lanes of one vector: included once for each width.
 *
 *     out_l += (s_0 + s_2) + (s_1 + s_3),   s_q = sum over k = q mod 4 of a_k V(k, l)
 *
 * Four sums, since one would wait for each of its additions; the same ones for every width, so that all give
 * the same bits without contraction. The including file defines, and this one undefines, KERNEL and TERMS
 * (names), TYPE and TYPE_IN_MEMORY. */

/* sum[q] += a_k V(k, l), k = k0 + q, q < count <= 4 */
ALWAYS_INLINE void TERMS(const bool scaled, const size_t count, const struct sens_matrix *A,
                         const struct sens_lanes *V, size_t k0, size_t l, TYPE sum[4])
{
    const sens_real *a = A->a + k0 * A->col_step, *v = V->v + k0 * V->step + l;
#pragma GCC unroll 4
    for (size_t q = 0; q < count; q++) {
        TYPE lanes = *(const TYPE_IN_MEMORY *)&v[q * V->step];
        if (scaled) lanes *= V->scale[(k0 + q) * V->scale_step];
        sum[q] += a[q * A->col_step] * lanes;
    }
}

ALWAYS_INLINE void KERNEL(const bool scaled, const struct sens_matrix *A, const struct sens_lanes *V,
                          size_t l, sens_real *out)
{
    TYPE sum[4];
#pragma GCC unroll 4
    for (size_t q = 0; q < 4; q++) sum[q] = (TYPE){0};
    size_t k = 0;
    for (; k + 4 <= A->cols; k += 4) TERMS(scaled, 4, A, V, k, l, sum);
    if (A->cols - k == 3)
        TERMS(scaled, 3, A, V, k, l, sum);
    else if (A->cols - k == 2)
        TERMS(scaled, 2, A, V, k, l, sum);
    else if (A->cols - k == 1)
        TERMS(scaled, 1, A, V, k, l, sum);
    *(TYPE_IN_MEMORY *)out += (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#undef KERNEL
#undef TERMS
#undef TYPE
#undef TYPE_IN_MEMORY
