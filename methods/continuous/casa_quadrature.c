/* The quadrature mu of the continuous adjoint, in the system that is solved or outside of it, see casa_common.h:
 *
 *     mu += h sum_i b_i ((df/dp)^T lambda_i + g_p)    at the stages of an accepted step. */
#include "casa_common.h"
#include "kernels.h"

/* mu += what the points kept add to it. */
static void flush_points(struct casa *casa)
{
    sens_batch_close(casa->deferred);
    for (size_t b = 0; b < casa->taken; b++)
        sens_batch_add(casa->deferred, casa->task->problem->p, b, casa_block_width(casa, b), false,
                       casa_mu(casa, b));
    sens_batch_clear(casa->deferred);
    casa->kept = 0;
}

/* The points of a trial step take the place of those of the one before, if that was rejected. The first stage is a
 * point of its own even where its slope is known. */
void casa_deferred_begin(void *self, sens_real s, sens_real h, const sens_real *Y)
{
    struct casa *casa = self;
    const struct sens_terms *b = &casa->b;
    sens_batch_truncate(casa->deferred, casa->kept);
    if (sens_batch_full(casa->deferred, (size_t)b->terms)) flush_points(casa);
    casa_set_point(casa, 0, s, Y);
    for (int k = 0; k < b->terms; k++) sens_batch_points(casa->deferred, 1, &casa->at[b->stage[k]]);
    casa->h = h;
}

/* kappa = h b_i lambda_i of block b, for the product later. */
void casa_deferred_look(void *self, int i, size_t b, const sens_real *lambda)
{
    const struct casa *casa = self;
    const size_t w = casa_block_width(casa, b);
    struct sens_slot slot;
    int k = 0;
    while (k < casa->b.terms && casa->b.stage[k] != i) k++;
    if (k == casa->b.terms) return;
    const sens_real one = 1, weight = casa->h * casa->b.weight[k];
    sens_batch_slot(casa->deferred, casa->kept + (size_t)k, b, w, &slot);
    if (slot.s)
        sens_lanes_combine_scaled(casa->n, w, 1, weight, &one, &lambda, slot.s, slot.kappa, NULL, casa->room);
    else
        sens_lanes_combine(casa->n * w, 1, weight, &one, &lambda, slot.kappa);
}

/* The points of an accepted step stay; mu += h sum_i b_i g_p. */
sens_status casa_deferred_accept(void *self, const struct sens_step *step)
{
    struct casa *casa = self;
    const struct sens_cost *cost = casa->task->cost;
    casa->kept = casa->deferred->points;
    for (int k = 0; k < casa->b.terms && cost->type->g_dp; k++)
        for (size_t b = 0; b < casa->taken; b++)
            cost->type->g_dp(cost, &casa->at[casa->b.stage[k]], step->h * casa->b.weight[k],
                             casa_first_output(casa, b), casa_block_width(casa, b), casa_mu(casa, b));
    return SENS_OK;
}

void casa_deferred_end(struct casa *casa)
{
    sens_batch_truncate(casa->deferred, casa->kept);
    flush_points(casa);
}

/* Of a batch outside the error test. A point has n numbers of each output, a pass over mu has np: a batch that
 * leaves the cache may have as many points as make it as large as mu. */
static size_t batch_points(const struct sens_ctx *ctx, const struct casa *casa)
{
    const size_t outputs = casa->group * casa->L;
    const size_t cached = sens_second_level(ctx) / (casa->n * outputs * sizeof(sens_real));
    const size_t as_mu = casa->np / casa->n;
    const size_t points = cached > as_mu ? cached : as_mu;
    return points > SENS_BATCH_MOST ? SENS_BATCH_MOST : points;
}

sens_status casa_create_quadrature(struct sens_ctx *ctx, struct casa *casa, bool tested)
{
    const struct sens_problem *pb = casa->task->problem;
    const struct sens_tableau *tb = casa->task->tableau;
    const size_t points = batch_points(ctx, casa);
    if (casa->np == 0) return SENS_OK;
    if (casa->grid) {
        casa->mu = SENS_NEW(ctx, sens_real, casa->np * casa->m);
        return casa->mu ? SENS_OK : SENS_NO_MEMORY;
    }
    sens_status status = sens_terms_create(ctx, tb->stages, tb->b, &casa->b);
    if (status != SENS_OK) return status;
    if (!tested && points >= (size_t)casa->b.terms) {
        casa->points = points;
        casa->mu = SENS_NEW(ctx, sens_real, casa->np * casa->m);
        if (!casa->mu) return SENS_NO_MEMORY;
        return sens_batch_create(ctx, pb, points, casa->group, casa->L, &casa->deferred);
    }
    casa->batch = SENS_NEW(ctx, struct sens_batch *, casa->stages);
    if (!casa->batch) return SENS_NO_MEMORY;
    for (size_t i = 0; i < casa->stages && status == SENS_OK; i++)
        status = sens_batch_create(ctx, pb, 1, 1, casa->L, &casa->batch[i]);
    return status;
}
