/* kernels/register_kernel.h - the kernel of register_block.h, for one width of vector: included once for
 * each.
 *
 *     out[r * out_step + l] (+)= sum_k a[k * a_step + r * row_step] b[k * b_step + l],   r < R, l < NV *
 * WIDTH,
 *
 * but row 0 of out is `first`. The including file defines, and this one undefines, KERNEL (the name), WIDTH,
 * TYPE and TYPE_IN_MEMORY. R, NV, add and layout are constants after inlining; the sums stay in registers. */

ALWAYS_INLINE void KERNEL(const size_t R, const size_t NV, const bool add, const enum layout layout,
                          const struct panel *q, const sens_real *b, sens_real *out)
{
    const size_t row_step = layout == CONTIGUOUS ? 1 : q->row_step;
    const size_t a_step = q->a_step, b_step = q->b_step, step = q->out_step;
    sens_real *const first = q->first;
    TYPE sum[PANEL][2];
#pragma GCC unroll 16
    for (size_t r = 0; r < R; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < NV; v++) {
            sum[r][v] = (TYPE){0};
            if (add) sum[r][v] = *(const TYPE_IN_MEMORY *)&(r ? out + r * step : first)[v * WIDTH];
        }
    if (add && q->ahead)
#pragma GCC unroll 16
        for (size_t r = 0; r < R; r++)
#pragma GCC unroll 2
            for (size_t v = 0; v < NV; v++) prefetch_numbers(out, (q->ahead + r) * step + v * WIDTH, true);
    const sens_real *a = q->a;
    for (size_t k = q->depth; k > 0; k--, a += a_step, b += b_step) {
        TYPE lanes[2];
#pragma GCC unroll 2
        for (size_t v = 0; v < NV; v++) lanes[v] = *(const TYPE_IN_MEMORY *)&b[v * WIDTH];
#pragma GCC unroll 16
        for (size_t r = 0; r < R; r++)
#pragma GCC unroll 2
            for (size_t v = 0; v < NV; v++) sum[r][v] += a[r * row_step] * lanes[v];
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < R; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < NV; v++)
            *(TYPE_IN_MEMORY *)&(r ? out + r * step : first)[v * WIDTH] = sum[r][v];
}

#undef KERNEL
#undef WIDTH
#undef TYPE
#undef TYPE_IN_MEMORY
