/* kernels/row_kernel.h - one row times the lanes of one vector: included once for each width.
 *
 *     out_l += (s_0 + s_1) + (s_2 + s_3),   s_q = sum of a_k V(k, l) over the q-th quarter of the k
 *
 * where the last takes the rest as well. Four sums, since one would wait for each of its additions; the same ones
 * for every width, so that all give the same bits without contraction. Quarters and not every fourth: where
 * neighbours alternate in sign, as waves on a grid do, sums of every fourth are large and cancel. The including file
 * defines, and this one undefines, KERNEL (a name), TYPE and TYPE_IN_MEMORY. */
ALWAYS_INLINE void KERNEL(size_t count, size_t L, const sens_real *a, const sens_real *V, sens_real *out)
{
    enum { SUMS = 4 };
    const size_t quarter = count / SUMS;
    TYPE sum[SUMS];
#pragma GCC unroll 4
    for (size_t q = 0; q < SUMS; q++) sum[q] = (TYPE){0};
    for (size_t k = 0; k < quarter; k++) {
#pragma GCC unroll 4
        for (size_t q = 0; q < SUMS; q++)
            sum[q] += a[q * quarter + k] * *(const TYPE_IN_MEMORY *)&V[(q * quarter + k) * L];
    }
    for (size_t k = SUMS * quarter; k < count; k++)
        sum[SUMS - 1] += a[k] * *(const TYPE_IN_MEMORY *)&V[k * L];
    *(TYPE_IN_MEMORY *)out += (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#undef KERNEL
#undef TYPE
#undef TYPE_IN_MEMORY
