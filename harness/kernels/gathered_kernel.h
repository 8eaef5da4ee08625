/* kernels/gathered_kernel.h - the register block of gathered.c, for one width of vector: included once for
 * each.
 *
 *     out[r][l] (+)= sum_k phi[k * R + r] (s_k v[k * v_step + l]),   r < R, l < WIDTH
 *
 * The including file defines, and this one undefines, KERNEL (the name), WIDTH, TYPE and TYPE_IN_MEMORY. R
 * and add are constants after inlining; the sums stay in registers. */

ALWAYS_INLINE void KERNEL(const size_t R, const bool add, const struct sens_gather *g, size_t l,
                          const sens_real *phi, sens_real *const *out)
{
    const size_t v_step = g->v_step, s_step = g->s_step;
    const sens_real *v = g->v + l, *s = g->s;
    TYPE sum[SENS_FEW_COLUMNS];
#pragma GCC unroll 16
    for (size_t r = 0; r < R; r++) {
        sum[r] = (TYPE){0};
        if (add) sum[r] = *(const TYPE_IN_MEMORY *)&out[r][l];
    }
    for (size_t k = g->depth; k > 0; k--, v += v_step, s += s_step, phi += R) {
        const TYPE u = s[0] * *(const TYPE_IN_MEMORY *)v;
#pragma GCC unroll 16
        for (size_t r = 0; r < R; r++) sum[r] += phi[r] * u;
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < R; r++) *(TYPE_IN_MEMORY *)&out[r][l] = sum[r];
}

#undef KERNEL
#undef WIDTH
#undef TYPE
#undef TYPE_IN_MEMORY
