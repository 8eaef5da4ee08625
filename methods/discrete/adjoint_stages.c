/* The live stages of a tableau, see adjoint_stages.h. */
#include "adjoint_stages.h"

/* lambda comes first. */
size_t adjoint_theta(const struct adjoint_stages *stages, int i)
{
    return (size_t)(1 + i) * stages->vector;
}

static void add_term(struct adjoint_sum *sum, sens_real weight, size_t offset)
{
    sum->weight[sum->terms] = weight;
    sum->offset[sum->terms++] = offset;
}

sens_status adjoint_find_stages(struct sens_ctx *ctx, const struct sens_tableau *tb, size_t vector,
                                struct adjoint_stages *all)
{
    *all = (struct adjoint_stages){.vector = vector, .all = (size_t)tb->stages};
    if (tb->stages > SENS_MAX_STAGES)
        return sens_fail(ctx, SENS_UNSUPPORTED, "more than %d stages", SENS_MAX_STAGES);
    all->stage = SENS_NEW(ctx, struct adjoint_stage, (size_t)tb->stages);
    if (!all->stage) return SENS_NO_MEMORY;
    add_term(&all->lambda, 1, 0);
    for (int i = tb->stages - 1; i >= 0; i--) {
        struct adjoint_stage *stage = &all->stage[all->live];
        *stage = (struct adjoint_stage){.i = i};
        if (tb->b[i] != 0) add_term(&stage->kappa, tb->b[i], 0);
        for (int s = 0; s < all->live; s++) {
            const int j = all->stage[s].i;
            if (sens_tableau_a(tb, j, i) != 0)
                add_term(&stage->kappa, sens_tableau_a(tb, j, i), adjoint_theta(all, j));
        }
        if (stage->kappa.terms == 0) continue;
        add_term(&all->lambda, 1, adjoint_theta(all, i));
        all->live++;
    }
    return SENS_OK;
}
