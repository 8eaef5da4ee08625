/* products/tape_kernel.h - blocks of a tape on WIDTH lanes, COUNT vectors of TYPE; included once for each width.
 * KERNEL(name) gives the functions their names. */

/* The lanes of one row. */
ALWAYS_INLINE void KERNEL(add)(const sens_real *v, sens_real s, TYPE *sum)
{
#pragma GCC unroll 16
    for (size_t c = 0; c < COUNT; c++) sum[c] += s * *(const TYPE_IN_MEMORY *)(v + c * (WIDTH / COUNT));
}

ALWAYS_INLINE void KERNEL(subtract)(const sens_real *v, sens_real s, TYPE *sum)
{
#pragma GCC unroll 16
    for (size_t c = 0; c < COUNT; c++) sum[c] -= s * *(const TYPE_IN_MEMORY *)(v + c * (WIDTH / COUNT));
}

ALWAYS_INLINE void KERNEL(store)(enum sens_tape_goal goal, const TYPE *sum, sens_real *to)
{
#pragma GCC unroll 16
    for (size_t c = 0; c < COUNT; c++) {
        TYPE_IN_MEMORY *at = (TYPE_IN_MEMORY *)(to + c * (WIDTH / COUNT));
        if (goal == SENS_TAPE_ADDED)
            *at += sum[c];
        else
            *at = sum[c];
    }
}

/* By vectors: a call that sets memory takes longer than a short row. */
static void KERNEL(clear)(sens_real *v)
{
    const TYPE zero = {0};
#pragma GCC unroll 16
    for (size_t c = 0; c < COUNT; c++) *(TYPE_IN_MEMORY *)(v + c * (WIDTH / COUNT)) = zero;
}

/* Pairs of a value and a row, `count` of them, from `pair` on. Where they end is the only thing that a loop needs. */
ALWAYS_INLINE const uint32_t *KERNEL(add_rows)(const uint32_t *pair, uint32_t count, const sens_real *value,
                                               const sens_real *rows, size_t step, TYPE *sum)
{
    for (const uint32_t *end = pair + 2 * (size_t)count; pair != end; pair += 2)
        KERNEL(add)(rows + pair[1] * step, value[pair[0]], sum);
    return pair;
}

ALWAYS_INLINE const uint32_t *KERNEL(subtract_rows)(const uint32_t *pair, uint32_t count,
                                                    const sens_real *value, const sens_real *rows,
                                                    size_t step, TYPE *sum)
{
    for (const uint32_t *end = pair + 2 * (size_t)count; pair != end; pair += 2)
        KERNEL(subtract)(rows + pair[1] * step, value[pair[0]], sum);
    return pair;
}

ALWAYS_INLINE void KERNEL(sum_block)(const struct lane_frame *f, const struct sens_tape_block *block,
                                     const enum sens_tape_goal goal, const uint32_t *index)
{
    const uint32_t n0 = block->part[0], n1 = block->part[1], n2 = block->part[2], n3 = block->part[3];
    const struct lane_rows to = f->goal[goal];
    const sens_real *const value = f->value, *const v = f->v, *const kept = f->kept;
    const size_t v_step = f->v_step;
    for (uint32_t row = block->rows; row > 0; row--) {
        TYPE sum[COUNT] = {0};
        sens_real *out = to.at + *index++ * to.step;
        index = KERNEL(add_rows)(index, n0, value, v, v_step, sum);
        index = KERNEL(subtract_rows)(index, n1, value, v, v_step, sum);
        index = KERNEL(add_rows)(index, n2, value, kept, WIDTH, sum);
        index = KERNEL(subtract_rows)(index, n3, value, kept, WIDTH, sum);
        KERNEL(store)(goal, sum, out);
    }
}

ALWAYS_INLINE const sens_real *KERNEL(operand)(const struct lane_frame *f, uint32_t of_v, uint32_t index)
{
    return of_v ? f->v + index * f->v_step : f->kept + (size_t)index * WIDTH;
}

static void KERNEL(product_block)(const struct lane_frame *f, const struct sens_tape_block *block,
                                  const uint32_t *index)
{
    for (uint32_t row = 0; row < block->rows; row++, index += 3) {
        const sens_real *a = KERNEL(operand)(f, block->part[0], index[1]);
        const sens_real *b = KERNEL(operand)(f, block->part[1], index[2]);
        TYPE product[COUNT];
#pragma GCC unroll 16
        for (size_t c = 0; c < COUNT; c++)
            product[c] = *(const TYPE_IN_MEMORY *)(a + c * (WIDTH / COUNT)) *
                         *(const TYPE_IN_MEMORY *)(b + c * (WIDTH / COUNT));
        KERNEL(store)(SENS_TAPE_KEPT, product, f->kept + (size_t)index[0] * WIDTH);
    }
}

static void KERNEL(select_block)(const struct lane_frame *f, const struct sens_tape_block *block,
                                 const uint32_t *index)
{
    for (uint32_t row = 0; row < block->rows; row++, index += 4) {
        const unsigned which = f->value[index[1]] != 0 ? 0 : 1;
        const sens_real *from = KERNEL(operand)(f, block->part[which], index[2 + which]);
        memcpy(f->kept + (size_t)index[0] * WIDTH, from, WIDTH * sizeof *from);
    }
}

static void KERNEL(load_block)(const struct lane_frame *f, const struct sens_tape_block *block,
                               const uint32_t *index)
{
    const sens_real *from = f->extra[block->part[0]];
    for (uint32_t row = 0; row < block->rows; row++, index += 2)
        memcpy(f->kept + (size_t)index[0] * WIDTH, from + index[1] * f->v_step, WIDTH * sizeof *from);
}

/* Not inlined: among the other widths its loops would have fewer registers. */
static __attribute__((noinline)) void KERNEL(blocks)(const struct lane_frame *f, const struct sens_tape *tape,
                                                     size_t first, size_t end)
{
    for (const struct sens_tape_block *block = tape->block + first; block < tape->block + end; block++) {
        const uint32_t *index = tape->index + block->index;
        if (block->op == SENS_TAPE_LANE_PRODUCT)
            KERNEL(product_block)(f, block, index);
        else if (block->op == SENS_TAPE_LANE_SELECT)
            KERNEL(select_block)(f, block, index);
        else if (block->op == SENS_TAPE_LANE_LOAD)
            KERNEL(load_block)(f, block, index);
        else if (block->goal == SENS_TAPE_KEPT)
            KERNEL(sum_block)(f, block, SENS_TAPE_KEPT, index);
        else if (block->goal == SENS_TAPE_WRITTEN)
            KERNEL(sum_block)(f, block, SENS_TAPE_WRITTEN, index);
        else
            KERNEL(sum_block)(f, block, SENS_TAPE_ADDED, index);
    }
}

#undef KERNEL
#undef WIDTH
#undef COUNT
#undef TYPE
#undef TYPE_IN_MEMORY
