/* kernels/row_kernel.h - one row times the lanes of one vector: included once for each width.
 *
 *     out_l += (s_0 + s_2) + (s_1 + s_3),   s_q = sum over k = q mod 4 of a_k V(k, l)
 *
 * Four sums, since one would wait for each of its additions; the same ones for every width, so that all give
 * the same bits without contraction. The including file defines, and this one undefines, KERNEL (a name), TYPE and
 * TYPE_IN_MEMORY. */
ALWAYS_INLINE void KERNEL(size_t count, size_t L, const sens_real *a, const sens_real *V, sens_real *out)
{
    enum { SUMS = 4 };
    TYPE sum[SUMS];
#pragma GCC unroll 4
    for (size_t q = 0; q < SUMS; q++) sum[q] = (TYPE){0};
    size_t k = 0;
    for (; k + SUMS <= count; k += SUMS) {
#pragma GCC unroll 4
        for (size_t q = 0; q < SUMS; q++) sum[q] += a[k + q] * *(const TYPE_IN_MEMORY *)&V[(k + q) * L];
    }
#pragma GCC unroll 3
    for (size_t q = 0; q < SUMS - 1; q++)
        if (k + q < count) sum[q] += a[k + q] * *(const TYPE_IN_MEMORY *)&V[(k + q) * L];
    *(TYPE_IN_MEMORY *)out += (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#undef KERNEL
#undef TYPE
#undef TYPE_IN_MEMORY
