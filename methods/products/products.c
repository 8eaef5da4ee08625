/* Derivative products at one point, see products.h. A dense J serves J^T W where it stands, row-major; for
 * J V, which many vectors share, it is laid out anew. Columns of df/dp are s_i phi_j, sparse, or the
 * problem's own. */
#include "products.h"

#include <string.h>

/* Fewer vectors do not pay for the n^2 numbers of J, unless these are few. */
enum { FEW_VECTORS = 4 };

static sens_status allocate(struct sens_ctx *ctx, size_t points, struct sens_products *pr)
{
    const struct sens_problem *pb = pr->pb;
    const struct sens_structure *declared = sens_structure_of(pb);
    const bool columns = pr->product == SENS_JVP, dense = pr->formed && !declared->sparsity;
    const size_t entries = pr->entries;
    const size_t width = sens_structure_factors(declared);
    const bool outer = (columns || pr->coupled) && declared->outer;
    const bool sparse_p = columns && !outer && declared->jacobian_p;
    pr->J = pr->formed ? SENS_NEW(ctx, sens_real, (pr->coupled ? 1 : points) * entries) : NULL;
    pr->own_d = pr->coupled ? SENS_NEW(ctx, sens_real, points * pb->n) : NULL;
    pr->memory = dense && columns ? SENS_NEW(ctx, sens_real, entries) : NULL;
    pr->s = outer ? SENS_NEW(ctx, sens_real, pb->n) : NULL;
    pr->phi = outer ? SENS_NEW(ctx, sens_real, width) : NULL;
    pr->value_p = sparse_p ? SENS_NEW(ctx, sens_real, declared->sparsity_p->start[pb->np]) : NULL;
    const bool failed = (pr->formed && !pr->J) || (pr->coupled && !pr->own_d) ||
                        (dense && columns && !pr->memory) || (outer && (!pr->s || !pr->phi)) ||
                        (sparse_p && !pr->value_p);
    return failed ? SENS_NO_MEMORY : SENS_OK;
}

bool sens_products_scaled(const struct sens_problem *pb)
{
    return sens_structure_of(pb)->outer && pb->n > SENS_FEW_STATES;
}

bool sens_products_formed(const struct sens_problem *pb, size_t vectors)
{
    const struct sens_structure *declared = sens_structure_of(pb);
    return declared->jacobian && !declared->jacobian_costs_more &&
           (vectors >= FEW_VECTORS || pb->n <= SENS_FEW_STATES);
}

bool sens_products_coupled(const struct sens_problem *pb, size_t vectors)
{
    return sens_structure_of(pb)->coupling && sens_products_formed(pb, vectors) && sens_products_scaled(pb);
}

bool sens_products_together(const struct sens_problem *pb, size_t vectors)
{
    return pb->n <= SENS_FEW_STATES && !sens_structure_of(pb)->sparsity && sens_products_formed(pb, vectors);
}

sens_status sens_products_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 enum sens_product product, size_t points, size_t vectors,
                                 struct sens_products **products)
{
    const struct sens_pattern *sparsity = sens_structure_of(pb)->sparsity;
    struct sens_products *made = SENS_NEW(ctx, struct sens_products, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct sens_products){.pb = pb, .product = product};
    made->formed = sens_products_formed(pb, vectors);
    made->entries = sparsity ? sparsity->start[pb->n] : pb->n * pb->n;
    made->coupled = product == SENS_VJP && sens_products_coupled(pb, vectors);
    *products = made;
    const sens_status status = allocate(ctx, points, made);
    if (made->J && !sparsity)
        made->dense = sens_packed_view(pb->n, pb->n, made->J, pb->n); /* of J^T, where it stands */
    return status;
}

void sens_products_begin(struct sens_products *pr, const sens_real *p)
{
    if (pr->coupled) pr->pb->structure->coupling(pr->pb, p, pr->J);
}

static struct sens_csr sparse(const struct sens_pattern *pattern, const sens_real *value)
{
    return (struct sens_csr){pattern->rows, pattern->cols, pattern->start, pattern->col, value};
}

void sens_products_find_diagonals(const struct sens_problem *pb, size_t count, const struct sens_at *at,
                                  sens_real *d)
{
    for (size_t k = 0; k < count; k++) pb->structure->diagonal(pb, &at[k], d + k * pb->n);
}

void sens_products_at_kept(struct sens_products *pr, const struct sens_at *at, const sens_real *d)
{
    pr->points = at;
    pr->d = d;
}

void sens_products_at_all(struct sens_products *pr, size_t count, const struct sens_at *at)
{
    const struct sens_problem *pb = pr->pb;
    pr->points = at;
    if (!pr->formed) return;
    if (pr->coupled) {
        sens_products_find_diagonals(pb, count, at, pr->own_d);
        pr->d = pr->own_d;
    } else {
        for (size_t k = 0; k < count; k++) pb->structure->jacobian(pb, &at[k], pr->J + k * pr->entries);
    }
}

static void multiply_formed(const struct sens_products *pr, size_t L, const sens_real *W, sens_real *OUT)
{
    const struct sens_problem *pb = pr->pb;
    const struct sens_pattern *sparsity = pb->structure->sparsity;
    if (!sparsity) {
        sens_packed_multiply(&pr->dense, L, W, OUT);
        return;
    }
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    if (pr->product == SENS_VJP)
        sens_lanes_add_csr_transposed(sparse(sparsity, pr->J), L, W, OUT);
    else
        sens_lanes_add_csr(sparse(sparsity, pr->J), L, W, OUT);
}

void sens_products_multiply(struct sens_products *pr, size_t L, const sens_real *W, sens_real *OUT)
{
    pr->all += L;
    if (pr->formed) {
        pr->vectors += L;
        multiply_formed(pr, L, W, OUT);
    } else {
        pr->pb->type->jvp(pr->pb, &pr->at, L, W, OUT);
    }
}

/* ---- reverse sweeps ------------------------------------------------------------------------------------ */

/* kappa of a stage, and where it is. */
static const sens_real *combine(size_t n, size_t L, const struct sens_stage *stage, sens_real scale,
                                const struct sens_slot *slot)
{
    if (slot->unkept && stage->terms == 1 && scale * stage->w[0] == 1) return stage->v[0];
    if (!slot->s) {
        sens_lanes_combine(n * L, stage->terms, scale, stage->w, stage->v, slot->kappa);
        return slot->kappa;
    }
    sens_lanes_combine_scaled(n, L, stage->terms, scale, stage->w, stage->v, slot->s, slot->kappa, NULL,
                              slot->room);
    return slot->room;
}

/* The s of the slot is that of the point; where no parameter product wants it, it is found here. */
static void coupled_stage(struct sens_products *pr, size_t point, size_t L, const struct sens_stage *stage,
                          sens_real scale, const struct sens_slot *slot)
{
    const size_t n = pr->pb->n;
    const sens_real *s = slot->s;
    if (!s) pr->pb->structure->outer(pr->pb, &pr->points[point], pr->s, pr->phi), s = pr->s;
    sens_lanes_combine_scaled(n, L, stage->terms, scale, stage->w, stage->v, s, slot->kappa,
                              pr->d + point * n, stage->theta);
    sens_packed_add_product(&pr->dense, L, slot->kappa, stage->theta);
}

void sens_products_reverse(struct sens_products *pr, size_t point, size_t L, size_t count,
                           const struct sens_stage *stage, sens_real scale, const struct sens_slot *slot,
                           sens_real *lambda)
{
    const struct sens_problem *pb = pr->pb;
    pr->all += count * L;
    if (!pr->formed) {
        const sens_real *kappa = combine(pb->n, L, stage, scale, slot);
        pb->type->vjp(pb, &pr->points[point], L, kappa, stage->theta);
        return;
    }
    pr->vectors += count * L;
    const sens_real *const J = pr->J + (pr->coupled ? 0 : point * pr->entries);
    if (pr->coupled)
        coupled_stage(pr, point, L, stage, scale, slot);
    else if (!slot->s && !pb->structure->sparsity)
        sens_lanes_stages(pb->n, L, count, stage, scale, J, slot->kappa, lambda);
    else
        multiply_formed(pr, L, combine(pb->n, L, stage, scale, slot), stage->theta);
}

/* Column k = first + i cols + j has the one entry s_i phi_j, in row i. */
static void add_outer_columns(const struct sens_products *pr, size_t k0, size_t L, sens_real *OUT)
{
    const struct sens_problem *pb = pr->pb;
    const struct sens_outer *block = pb->structure->blocks;
    const sens_real *phi = pr->phi;
    while (k0 >= block->first + pb->n * block->cols) phi += block->cols, block++;
    size_t i = (k0 - block->first) / block->cols, j = (k0 - block->first) % block->cols;
    for (size_t l = 0; l < L; l++) {
        OUT[i * L + l] += pr->s[i] * phi[j];
        if (++j < block->cols) continue;
        j = 0;
        if (++i < pb->n) continue;
        i = 0, phi += block->cols, block++;
    }
}

static void add_sparse_columns(const struct sens_products *pr, size_t k0, size_t L, sens_real *OUT)
{
    const struct sens_pattern *pattern = pr->pb->structure->sparsity_p;
    for (size_t l = 0; l < L; l++)
        for (size_t e = pattern->start[k0 + l]; e < pattern->start[k0 + l + 1]; e++)
            OUT[pattern->col[e] * L + l] += pr->value_p[e];
}

void sens_products_add_columns(struct sens_products *pr, size_t k0, size_t L, sens_real *OUT)
{
    if (!pr->s && !pr->value_p) {
        pr->pb->type->jvp_p_cols(pr->pb, &pr->at, k0, L, OUT);
        return;
    }
    if (L == 0) return;
    pr->columns += L;
    if (pr->s)
        add_outer_columns(pr, k0, L, OUT);
    else
        add_sparse_columns(pr, k0, L, OUT);
}

static void add_outer_weighted(const struct sens_products *pr, const sens_real *weight, size_t step,
                               sens_real *OUT)
{
    const struct sens_structure *const declared = pr->pb->structure;
    const sens_real *phi = pr->phi;
    for (size_t o = 0; o < declared->n_blocks; o++) {
        const size_t cols = declared->blocks[o].cols;
        const sens_real *w = weight + declared->blocks[o].first;
        for (size_t i = 0; i < pr->pb->n; i++, w += cols) {
            sens_real sum = 0;
            sens_matvec(1, cols, w, phi, &sum);
            OUT[i * step] += pr->s[i] * sum;
        }
        phi += cols;
    }
}

static void add_sparse_weighted(const struct sens_products *pr, const sens_real *weight, size_t step,
                                sens_real *OUT)
{
    const struct sens_pattern *pattern = pr->pb->structure->sparsity_p;
    for (size_t k = 0; k < pr->pb->np; k++)
        for (size_t e = pattern->start[k]; e < pattern->start[k + 1]; e++)
            OUT[pattern->col[e] * step] += pr->value_p[e] * weight[k];
}

bool sens_products_add_weighted(struct sens_products *pr, const sens_real *weight, size_t step,
                                sens_real *OUT)
{
    if (!pr->s && !pr->value_p) return false;
    pr->columns += pr->pb->np;
    if (pr->s)
        add_outer_weighted(pr, weight, step, OUT);
    else
        add_sparse_weighted(pr, weight, step, OUT);
    return true;
}

void sens_products_count(struct sens_products *pr, size_t idle, size_t lanes, struct sens_work *work)
{
    const bool vjp = pr->product == SENS_VJP;
    *(vjp ? &work->vjp : &work->jvp) += pr->vectors;
    if (lanes > 0) *(vjp ? &work->idle_vjp : &work->idle_jvp) += pr->all / lanes * idle;
    work->jvp_p += pr->columns;
    pr->vectors = pr->all = pr->columns = 0;
}
