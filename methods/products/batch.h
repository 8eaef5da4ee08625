/* methods/products/batch.h - the parameter gradient of a reverse sweep, deferred over many points:
 *
 *     mu += sum_k (df/dp)(t_k, Y_k)^T kappa_k,    k < K
 *
 * An update of the [np][L] numbers of mu at every stage would be bound by memory: 16 bytes for 2 operations.
 * Collected, K points share one pass over mu. Where the problem declares outer products, df_i/dp = s_i phi_j,
 * it is, for every i, one product of inner length K of the phi, which serve all i and all blocks, with the
 * s_i kappa_i. These come ready-made where that pays, and the phi are laid out once. */
#ifndef SENS_BATCH_H
#define SENS_BATCH_H

#include "products.h"
#include "sens/method.h"

struct sens_batch { /* one a thread; batch.c's own, in sight so that a slot is no call */
    const struct sens_problem *pb;
    size_t K, L; /* capacity; lanes of a whole block */
    size_t points;
    bool outer;
    bool scaled;        /* slots hold s kappa */
    size_t width;       /* phi of all outer blocks */
    sens_real *t;       /* [K] */
    sens_real *Y;       /* [K][n] where the problem's own product or its sparse values are used */
    sens_real *value_p; /* of jacobian_p at one point; NULL: not declared, or outer products are */
    sens_real *s, *phi; /* outer: [K][n] and [K][width] */
    sens_real *packed;  /* scaled: the phi, laid out for products of more than one lane: [width][points] */
    sens_real **row;    /* outer: [width], the rows of mu of one i */
    sens_real *kappa;   /* [blocks][K][n][L] */
    size_t vectors;     /* multiplied through structure */
};

/* More points than this gain nothing (docs/performance.md). */
enum { SENS_BATCH_MOST = 72 };

/* Bytes of the second-level cache; a usual number where the machine's is not known. */
static inline size_t sens_second_level(const struct sens_ctx *ctx)
{
    return ctx->cache.l2 ? ctx->cache.l2 : (size_t)1 << 20;
}

/* Bytes of a core's part of the third-level cache, at most 16 MiB, which it is taken for where it is not known: a
 * virtual machine may be told the cache of its whole host, of which its cores have a small part; 500 MiB a core have
 * been seen, where reads slowed down from 24 MiB on. */
static inline size_t sens_third_level(const struct sens_ctx *ctx)
{
    const size_t third = (size_t)1 << 24;
    return ctx->cache.l3 > 0 && ctx->cache.l3 < third ? ctx->cache.l3 : third;
}

/* For `blocks` blocks of at most L lanes and K >= 1 points. Memory from the arena; SENS_NO_MEMORY. */
sens_status sens_batch_create(struct sens_ctx *ctx, const struct sens_problem *pb, size_t K, size_t blocks,
                              size_t L, struct sens_batch **batch);

/* Is there no room for `points` more? */
bool sens_batch_full(const struct sens_batch *batch, size_t points);

/* Takes the next points; the number of the first within the batch is returned. Their x are copied. */
size_t sens_batch_points(struct sens_batch *batch, size_t count, const struct sens_at *at);

/* Where the cotangent of block b at point k is to be written, [n][L] numbers, and after it those of the
 * points that follow; its room is left alone. */
static inline void sens_batch_slot(const struct sens_batch *batch, size_t k, size_t b, size_t L,
                                   struct sens_slot *slot)
{
    const size_t n = batch->pb->n;
    slot->kappa = batch->kappa + b * batch->K * n * batch->L + k * n * L;
    slot->s = batch->scaled ? batch->s + k * n : NULL;
}

/* After the last point, before the blocks are added. */
void sens_batch_close(struct sens_batch *batch);

/* MU [np][L] of block b += the sum over the points kept, or = where `fresh`; all points have the same p. */
void sens_batch_add(struct sens_batch *batch, const sens_real *p, size_t b, size_t L, bool fresh,
                    sens_real *MU);

/* Forgets the points, when every block has been added. */
void sens_batch_clear(struct sens_batch *batch);

/* Forgets all points but the first ones, in number order. */
static inline void sens_batch_truncate(struct sens_batch *batch, size_t points)
{
    if (points < batch->points) batch->points = points;
}

/* Adds the vectors multiplied through structure since the last call to *work, and forgets them. */
void sens_batch_count(struct sens_batch *batch, struct sens_work *work);

#endif
