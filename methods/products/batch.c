/* Deferred parameter gradients, see batch.h. */
#include "batch.h"

#include <string.h>

static sens_status allocate(struct sens_ctx *ctx, struct sens_batch *batch, size_t blocks)
{
    const struct sens_problem *pb = batch->pb;
    const struct sens_structure *declared = sens_structure_of(pb);
    const size_t K = batch->K;
    const bool outer = batch->outer;
    const bool sparse = !outer && declared->jacobian_p && !declared->jacobian_p_costs_more;
    batch->t = SENS_NEW(ctx, sens_real, K);
    batch->Y = outer ? NULL : SENS_NEW(ctx, sens_real, K * pb->n);
    batch->value_p = sparse ? SENS_NEW(ctx, sens_real, declared->sparsity_p->start[pb->np]) : NULL;
    batch->s = outer ? SENS_NEW(ctx, sens_real, K * pb->n) : NULL;
    batch->phi = outer ? SENS_NEW(ctx, sens_real, K * batch->width) : NULL;
    batch->packed = batch->scaled ? SENS_NEW(ctx, sens_real, K * batch->width) : NULL;
    batch->row = outer ? SENS_NEW(ctx, sens_real *, batch->width) : NULL;
    batch->kappa = SENS_NEW(ctx, sens_real, blocks * K * pb->n * batch->L);
    const bool complete =
        batch->t && batch->kappa && (outer || batch->Y) && (!sparse || batch->value_p) &&
        (!outer || (batch->s && batch->phi && (!batch->scaled || batch->packed) && batch->row));
    return complete ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_batch_create(struct sens_ctx *ctx, const struct sens_problem *pb, size_t K, size_t blocks,
                              size_t L, struct sens_batch **batch)
{
    struct sens_batch *made = SENS_NEW(ctx, struct sens_batch, 1);
    if (!made) return SENS_NO_MEMORY;
    const struct sens_structure *declared = sens_structure_of(pb);
    *made = (struct sens_batch){.pb = pb, .K = K, .L = L, .outer = declared->outer != NULL};
    made->width = sens_structure_factors(declared);
    made->scaled = sens_products_scaled(pb);
    *batch = made;
    return allocate(ctx, made, blocks);
}

bool sens_batch_full(const struct sens_batch *batch, size_t points)
{
    return batch->points + points > batch->K;
}

size_t sens_batch_points(struct sens_batch *batch, size_t count, const struct sens_at *at)
{
    const struct sens_problem *pb = batch->pb;
    const size_t first = batch->points, n = pb->n;
    batch->points += count;
    if (batch->outer) {
        sens_real *s = batch->s + first * n, *phi = batch->phi + first * batch->width;
        for (size_t k = 0; k < count; k++, s += n, phi += batch->width)
            pb->structure->outer(pb, &at[k], s, phi);
        return first;
    }
    for (size_t k = 0; k < count; k++) {
        batch->t[first + k] = at[k].t;
        memcpy(batch->Y + (first + k) * n, at[k].x, n * sizeof *at->x);
    }
    return first;
}

static sens_real *block_of(const struct sens_batch *batch, size_t b)
{
    return batch->kappa + b * batch->K * batch->pb->n * batch->L;
}

/* ---- the products -------------------------------------------------------------------------------------- */

/* All columns of each i in a pass over its kappa, where they are few; false: nothing is done. */
static bool add_few_columns(const struct sens_batch *batch, size_t L, const sens_real *kappa, bool fresh,
                            sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    const struct sens_structure *declared = pb->structure;
    struct sens_gather g = {
        .depth = batch->points, .v = kappa, .v_step = pb->n * L, .s = batch->s, .s_step = pb->n};
    for (size_t i = 0; i < pb->n; i++, g.v += L, g.s++) {
        sens_real **row = batch->row;
        for (size_t o = 0; o < declared->n_blocks; o++)
            for (size_t j = 0; j < declared->blocks[o].cols; j++)
                *row++ = MU + (declared->blocks[o].first + i * declared->blocks[o].cols + j) * L;
        if (!sens_lanes_add_gathered(&g, L, batch->width, batch->phi, !fresh, batch->row)) return false;
    }
    return true;
}

/* The blocks of outer products that are multiplied in one: a single column goes with the columns after it, as
 * a product of one row would wait for its own sum. */
static size_t blocks_in_one(const struct sens_structure *declared, size_t o)
{
    return declared->blocks[o].cols == 1 && o + 1 < declared->n_blocks ? 2 : 1;
}

void sens_batch_close(struct sens_batch *batch)
{
    const struct sens_structure *declared = batch->pb->structure;
    for (size_t o = 0, column = 0, cols; batch->scaled && o < declared->n_blocks; column += cols) {
        const size_t blocks = blocks_in_one(declared, o);
        cols = 0;
        for (size_t end = o + blocks; o < end; o++) cols += declared->blocks[o].cols;
        const struct sens_matrix phi = {.rows = cols,
                                        .cols = batch->points,
                                        .a = batch->phi + column,
                                        .row_step = 1,
                                        .col_step = batch->width};
        sens_pack(phi, batch->packed + column * batch->points);
    }
}

/* The phi of `cols` columns: where they stand for a single lane, which runs along them, or for few. */
static struct sens_packed factors(const struct sens_batch *batch, size_t column, size_t cols, size_t L)
{
    const size_t points = batch->points;
    if (L == 1 || !batch->scaled) return sens_packed_view(cols, points, batch->phi + column, batch->width);
    return (struct sens_packed){.rows = cols, .cols = points, .a = batch->packed + column * points};
}

/* ROWS of i at a time: each panel of the phi serves them all. */
static void add_products(const struct sens_batch *batch, size_t L, const sens_real *u, bool fresh,
                         sens_real *MU)
{
    enum { ROWS = 4 };
    const struct sens_problem *pb = batch->pb;
    const struct sens_structure *declared = pb->structure;
    const struct sens_outer *outer = declared->blocks;
    for (size_t i = 0, rows; i < pb->n; i += rows) {
        rows = pb->n - i < ROWS ? pb->n - i : ROWS;
        struct sens_many many = {.count = rows, .v = u + i * L, .v_step = pb->n * L};
        if (i + rows < pb->n) many.next = many.v + rows * L;
        for (size_t o = 0, column = 0; o < declared->n_blocks;) {
            const struct sens_outer *last = &outer[o + blocks_in_one(declared, o) - 1];
            const bool single = last != &outer[o];
            const struct sens_packed phi = factors(batch, column, single + last->cols, L);
            many.first = single ? MU + (outer[o].first + i) * L : NULL;
            many.first_step = L;
            many.out = MU + (last->first + i * last->cols) * L;
            many.out_step = last->cols * L;
            sens_packed_many(&phi, L, !fresh, &many);
            column += phi.rows, o += 1 + single;
        }
    }
}

/* Slots that hold kappa are scaled first. */
static void scale_slots(const struct sens_batch *batch, size_t L, sens_real *kappa)
{
    for (size_t q = 0; q < batch->points * batch->pb->n; q++)
        for (size_t l = 0; l < L; l++) kappa[q * L + l] *= batch->s[q];
}

static void add_outer(const struct sens_batch *batch, sens_real *kappa, size_t L, bool fresh, sens_real *MU)
{
    if (!batch->scaled) {
        if (add_few_columns(batch, L, kappa, fresh, MU)) return;
        scale_slots(batch, L, kappa);
    }
    add_products(batch, L, kappa, fresh, MU);
}

static void add_sparse(const struct sens_batch *batch, const sens_real *p, const sens_real *kappa, size_t L,
                       sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    const struct sens_pattern *pattern = pb->structure->sparsity_p;
    for (size_t k = 0; k < batch->points; k++) {
        const struct sens_at at = {batch->t[k], batch->Y + k * pb->n, p};
        pb->structure->jacobian_p(pb, &at, batch->value_p);
        const struct sens_csr F = {pattern->rows, pattern->cols, pattern->start, pattern->col,
                                   batch->value_p};
        sens_lanes_add_csr(F, L, kappa + k * pb->n * L, MU);
    }
}

void sens_batch_add(struct sens_batch *batch, const sens_real *p, size_t b, size_t L, bool fresh,
                    sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    sens_real *kappa = block_of(batch, b);
    /* add_outer overwrites what is fresh. */
    if (fresh && (!batch->outer || batch->points == 0)) memset(MU, 0, pb->np * L * sizeof *MU);
    if (batch->points == 0) return;
    if (!batch->outer && !batch->value_p) {
        pb->type->vjp_p_batch(pb, batch->points, batch->t, batch->Y, p, L, kappa, MU);
        return;
    }
    batch->vectors += batch->points * L;
    if (batch->outer)
        add_outer(batch, kappa, L, fresh, MU);
    else
        add_sparse(batch, p, kappa, L, MU);
}

void sens_batch_clear(struct sens_batch *batch)
{
    batch->points = 0;
}

void sens_batch_count(struct sens_batch *batch, struct sens_work *work)
{
    work->vjp_p += batch->vectors;
    batch->vectors = 0;
}
