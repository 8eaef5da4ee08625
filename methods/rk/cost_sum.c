/* A cost along a solve, see cost_sum.h. */
#include "cost_sum.h"

#include <string.h>

void sens_cost_sum_start(const struct sens_cost_sum *sum, const sens_real *x0)
{
    memset(sum->G, 0, sum->cost->m * sizeof *sum->G);
    if (sum->stops->obs_at_t0 >= 0)
        sum->cost->type->phi(sum->cost, (size_t)sum->stops->obs_at_t0, x0, sum->p, sum->G);
}

sens_status sens_cost_sum_prepare(struct sens_ctx *ctx, struct sens_cost_sum *sum)
{
    if (sum->tableau->family != SENS_FAMILY_ROSENBROCK) return SENS_OK;
    sum->rosenbrock = SENS_NEW(ctx, struct sens_rosenbrock, 1);
    sum->node = SENS_NEW(ctx, sens_real, sum->n_state);
    if (!sum->rosenbrock || !sum->node) return SENS_NO_MEMORY;
    return sens_rosenbrock_create(ctx, sum->tableau, sum->rosenbrock);
}

static void add_stages(const struct sens_cost_sum *sum, const struct sens_step *step)
{
    const struct sens_cost *cost = sum->cost;
    const struct sens_tableau *tb = step->tableau;
    for (int i = 0; i < tb->stages; i++) {
        if (tb->b[i] == 0) continue;
        const struct sens_at at = {sens_stage_time(tb, step->t, step->h, i),
                                   step->Y + (size_t)i * sum->n_state, sum->p};
        cost->type->g(cost, &at, step->h * tb->b[i], sum->G);
    }
}

static void add_nodes(const struct sens_cost_sum *sum, const struct sens_step *step)
{
    const struct sens_rosenbrock *formula = sum->rosenbrock;
    for (int q = 0; q < formula->nodes; q++) {
        const sens_real t = sens_rosenbrock_node(formula, sum->n_state, step, q, sum->node);
        const struct sens_at at = {t, sum->node, sum->p};
        sum->cost->type->g(sum->cost, &at, step->h * formula->weight[q], sum->G);
    }
}

sens_status sens_cost_sum_step(void *self, const struct sens_step *step)
{
    const struct sens_cost_sum *sum = self;
    const struct sens_cost *cost = sum->cost;
    if (cost->type->g) (sum->rosenbrock ? add_nodes : add_stages)(sum, step);
    if (step->stop >= 0 && sum->stops->obs[step->stop] >= 0)
        cost->type->phi(cost, (size_t)sum->stops->obs[step->stop], step->y1, sum->p, sum->G);
    return SENS_OK;
}
