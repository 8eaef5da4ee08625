/* kernels/small_kernel.h - the stages of small.c for blocks of LANES lanes: included once for each number of
 * them.
 *
 * The including file defines, and this one undefines, STAGE and STAGES (the names), LANES, WIDTH, TYPE and
 * TYPE_IN_MEMORY. n is a constant after inlining; the lanes are those of one vector, from l on. */

/* total += theta */
ALWAYS_INLINE void STAGE(const size_t n, const struct sens_stage *stage, sens_real scale, const sens_real *J,
                         size_t l, sens_real *kappa, TYPE total[SENS_FEW_STATES])
{
    TYPE sum[SENS_FEW_STATES], product[SENS_FEW_STATES];
    const sens_real *from = stage->v[0] + l, first = scale * stage->w[0];
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) sum[r] = first * *(const TYPE_IN_MEMORY *)&from[r * LANES];
    for (int j = 1; j < stage->terms; j++) {
        const sens_real weight = scale * stage->w[j];
        from = stage->v[j] + l;
#pragma GCC unroll 8
        for (size_t r = 0; r < n; r++) sum[r] += weight * *(const TYPE_IN_MEMORY *)&from[r * LANES];
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) *(TYPE_IN_MEMORY *)&kappa[r * LANES + l] = sum[r];
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) product[r] = (TYPE){0};
#pragma GCC unroll 8
    for (size_t k = 0; k < n; k++)
#pragma GCC unroll 8
        for (size_t r = 0; r < n; r++) product[r] += J[k * n + r] * sum[k];
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) {
        *(TYPE_IN_MEMORY *)&stage->theta[r * LANES + l] = product[r];
        total[r] += product[r];
    }
}

ALWAYS_INLINE void STAGES(const size_t n, size_t count, const struct sens_stage *stage, sens_real scale,
                          const sens_real *J, sens_real *kappa, sens_real *lambda)
{
    for (size_t l = 0; l < LANES; l += WIDTH) {
        TYPE total[SENS_FEW_STATES];
#pragma GCC unroll 8
        for (size_t r = 0; r < n; r++) {
            total[r] = (TYPE){0};
            if (lambda) total[r] = *(const TYPE_IN_MEMORY *)&lambda[r * LANES + l];
        }
        for (size_t s = 0; s < count; s++)
            STAGE(n, &stage[s], scale, J + s * n * n, l, kappa + s * n * LANES, total);
        if (lambda)
#pragma GCC unroll 8
            for (size_t r = 0; r < n; r++) *(TYPE_IN_MEMORY *)&lambda[r * LANES + l] = total[r];
    }
}

#undef STAGE
#undef STAGES
#undef LANES
#undef WIDTH
#undef TYPE
#undef TYPE_IN_MEMORY
