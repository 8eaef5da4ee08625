/* kernels/scaled_kernel.h - one place of a scaled sum in blocks.c, for one width of vector: included once for
 * each.
 *
 *     kappa = sum_j w_j v_j[q ...],   u[q ...] = s_i kappa,   other[q ...] = d_i kappa, or kappa
 *
 * in row i; or in the rows i ... of a single lane, `along` them. The including file defines, and this one
 * undefines, KERNEL (the name), TYPE and TYPE_IN_MEMORY. terms, diagonal and along are constants after
 * inlining. */

ALWAYS_INLINE void KERNEL(const int terms, const bool diagonal, const bool along, const sens_real *w,
                          const sens_real *const *v, const struct scaled *at, size_t i, size_t q)
{
    TYPE sum = w[0] * *(const TYPE_IN_MEMORY *)&v[0][q];
#pragma GCC unroll 8
    for (int j = 1; j < terms; j++) sum += w[j] * *(const TYPE_IN_MEMORY *)&v[j][q];
    TYPE scaled = at->s[i] * sum, other = sum;
    if (along) scaled = *(const TYPE_IN_MEMORY *)&at->s[i] * sum;
    if (diagonal) other = at->d[i] * sum;
    if (diagonal && along) other = *(const TYPE_IN_MEMORY *)&at->d[i] * sum;
    *(TYPE_IN_MEMORY *)&at->u[q] = scaled;
    *(TYPE_IN_MEMORY *)&at->other[q] = other;
}

#undef KERNEL
#undef TYPE
#undef TYPE_IN_MEMORY
