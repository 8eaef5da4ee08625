/* Deferred parameter gradients, see batch.h. */
#include "batch.h"

#include <string.h>

#include "sens/lanes.h"

struct sens_batch {
    const struct sens_problem *pb;
    size_t K, L; /* capacity; lanes of a whole block */
    size_t points;
    bool outer;
    size_t width;       /* phi of all outer blocks */
    sens_real *t;       /* [K] */
    sens_real *Y;       /* [K][n] where the problem's own product or its sparse values are used */
    sens_real *value_p; /* of pb->sparsity_p at one point; NULL: not declared, or outer products are */
    sens_real *s, *phi; /* outer: [K][n] and [K][width] */
    sens_real *u;       /* outer: [K][L], s_i kappa_i of one i */
    sens_real **row;    /* outer: [width], the rows of mu of one i */
    sens_real *kappa;   /* [blocks][K][n][L] */
    size_t vectors;     /* multiplied through structure */
};

static sens_status allocate(struct sens_ctx *ctx, struct sens_batch *batch, size_t blocks)
{
    const struct sens_problem *pb = batch->pb;
    const size_t K = batch->K;
    const bool outer = batch->outer, sparse = !outer && pb->type->jacobian_p;
    batch->t = SENS_NEW(ctx, sens_real, K);
    batch->Y = outer ? NULL : SENS_NEW(ctx, sens_real, K * pb->n);
    batch->value_p = sparse ? SENS_NEW(ctx, sens_real, pb->sparsity_p->start[pb->np]) : NULL;
    batch->s = outer ? SENS_NEW(ctx, sens_real, K * pb->n) : NULL;
    batch->phi = outer ? SENS_NEW(ctx, sens_real, K * batch->width) : NULL;
    batch->u = outer ? SENS_NEW(ctx, sens_real, K * batch->L) : NULL;
    batch->row = outer ? SENS_NEW(ctx, sens_real *, batch->width) : NULL;
    batch->kappa = SENS_NEW(ctx, sens_real, blocks * K * pb->n * batch->L);
    const bool complete = batch->t && batch->kappa && (outer || batch->Y) && (!sparse || batch->value_p) &&
                          (!outer || (batch->s && batch->phi && batch->u && batch->row));
    return complete ? SENS_OK : SENS_NO_MEMORY;
}

sens_status sens_batch_create(struct sens_ctx *ctx, const struct sens_problem *pb, size_t K, size_t blocks,
                              size_t L, struct sens_batch **batch)
{
    struct sens_batch *made = SENS_NEW(ctx, struct sens_batch, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct sens_batch){.pb = pb, .K = K, .L = L, .outer = pb->type->outer != NULL};
    for (size_t o = 0; o < pb->n_outer; o++) made->width += pb->outer[o].cols;
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
        for (size_t k = 0; k < count; k++, s += n, phi += batch->width) pb->type->outer(pb, &at[k], s, phi);
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

sens_real *sens_batch_slot(struct sens_batch *batch, size_t k, size_t b, size_t L)
{
    return block_of(batch, b) + k * batch->pb->n * L;
}

/* ---- the products -------------------------------------------------------------------------------------- */

/* u_k = s_i kappa_i at every point, side by side; and the sums of single columns, mu += sum_k phi_k u_k, for
 * which a product of one row would wait for its own sum. */
static void gather(const struct sens_batch *batch, size_t L, size_t i, const sens_real *kappa, sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    const size_t n = pb->n;
    const sens_real *phi = batch->phi;
    struct sens_gather g = {.depth = batch->points,
                            .v = kappa + i * L,
                            .v_step = n * L,
                            .s = batch->s + i,
                            .s_step = n,
                            .w_step = batch->width};
    sens_real *sum = NULL;
    for (size_t o = 0; o < pb->n_outer; phi += pb->outer[o++].cols)
        if (pb->outer[o].cols == 1) {
            if (sum) sens_lanes_gather(&g, L, batch->u, sum); /* a second single column: once more */
            g.w = phi;
            sum = MU + (pb->outer[o].first + i) * L;
        }
    sens_lanes_gather(&g, L, batch->u, sum);
}

/* All columns of one i in a pass over its kappa, where they are few; false: nothing is done. */
static bool add_few_columns(const struct sens_batch *batch, size_t L, size_t i, const sens_real *kappa,
                            bool fresh, sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    const struct sens_gather g = {
        .depth = batch->points, .v = kappa + i * L, .v_step = pb->n * L, .s = batch->s + i, .s_step = pb->n};
    sens_real **row = batch->row;
    for (size_t o = 0; o < pb->n_outer; o++)
        for (size_t j = 0; j < pb->outer[o].cols; j++)
            *row++ = MU + (pb->outer[o].first + i * pb->outer[o].cols + j) * L;
    return sens_lanes_add_gathered(&g, L, batch->width, batch->phi, !fresh, batch->row);
}

static void add_outer(const struct sens_batch *batch, const sens_real *kappa, size_t L, bool fresh,
                      sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    for (size_t i = 0; i < pb->n; i++) {
        const sens_real *phi = batch->phi;
        if (batch->width <= SENS_FEW_COLUMNS && add_few_columns(batch, L, i, kappa, fresh, MU)) continue;
        gather(batch, L, i, kappa, MU);
        for (size_t o = 0; o < pb->n_outer; phi += pb->outer[o++].cols) {
            const size_t cols = pb->outer[o].cols;
            if (cols == 1) continue;
            const struct sens_packed factors = sens_packed_view(cols, batch->points, phi, batch->width);
            sens_real *mu = MU + (pb->outer[o].first + i * cols) * L;
            (fresh ? sens_packed_multiply : sens_packed_add_product)(&factors, L, batch->u, mu);
        }
    }
}

static void add_sparse(const struct sens_batch *batch, const sens_real *p, const sens_real *kappa, size_t L,
                       sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    const struct sens_pattern *pattern = pb->sparsity_p;
    for (size_t k = 0; k < batch->points; k++) {
        const struct sens_at at = {batch->t[k], batch->Y + k * pb->n, p};
        pb->type->jacobian_p(pb, &at, batch->value_p);
        const struct sens_csr F = {pattern->rows, pattern->cols, pattern->start, pattern->col,
                                   batch->value_p};
        sens_lanes_add_csr(F, L, kappa + k * pb->n * L, MU);
    }
}

/* What a fresh MU needs to hold before it is added to: all but what add_outer overwrites. */
static void prepare(const struct sens_batch *batch, size_t L, sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    if (!batch->outer || batch->points == 0) memset(MU, 0, pb->np * L * sizeof *MU);
    for (size_t o = 0; batch->outer && o < pb->n_outer; o++)
        if (pb->outer[o].cols == 1) memset(MU + pb->outer[o].first * L, 0, pb->n * L * sizeof *MU);
}

void sens_batch_add(struct sens_batch *batch, const sens_real *p, size_t b, size_t L, bool fresh,
                    sens_real *MU)
{
    const struct sens_problem *pb = batch->pb;
    const sens_real *kappa = block_of(batch, b);
    if (fresh) prepare(batch, L, MU);
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
