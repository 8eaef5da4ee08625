/* Creation of problem and cost instances, with the checks that every module is entitled to rely on.
 * Compiled once per variant, because it works on numbers of the working precision. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sens/cost.h"
#include "sens/problem.h"
#include "structure_check.h"

void sens_problem_x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    if (sens_problem_x0_depends(pb))
        pb->type->x0(pb, p, x);
    else
        memcpy(x, pb->x0, pb->n * sizeof *x);
}

/* A copy of v rounded to double, so that every precision solves the same problem; NULL without memory. */
static const sens_real *rounded_copy(struct sens_ctx *ctx, size_t count, const sens_real *v)
{
    sens_real *copy = SENS_NEW(ctx, sens_real, count);
    for (size_t i = 0; copy && i < count; i++) copy[i] = (double)v[i];
    return copy;
}

/* What an instance was created with: another of it is made from that. */
static const struct sens_value *option_copy(struct sens_ctx *ctx, const struct sens_option *table,
                                            const struct sens_value *option)
{
    const size_t count = sens_option_count(table);
    struct sens_value *copy = SENS_NEW(ctx, struct sens_value, count);
    if (copy && count) memcpy(copy, option, count * sizeof *copy);
    return copy;
}

static bool all_finite(size_t count, const sens_real *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* The four products are there, or none is. */
static bool products_whole(const struct sens_problem_type *type)
{
    return !type->vjp == !type->jvp && !type->vjp == !type->jvp_p_cols && !type->vjp == !type->vjp_p_batch;
}

/* Steps, observations and stops lie between t0 and t1, as numbers of double in every precision: where the interval has
 * few of these, distinct times coincide. */
static sens_status interval_check(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    const double t0 = (double)pb->t0, t1 = (double)pb->t1, least = sens_interval_least(t0, t1);
    if (t1 - t0 >= least) return SENS_OK;
    return sens_fail(
        ctx, SENS_BAD_INPUT,
        "problem %s: the interval from t0 = %.17g to t1 = %.17g is too short: beside times of this "
        "size it has to be at least %.3g long, for steps and observations inside",
        pb->type->name, t0, t1, least);
}

sens_status sens_problem_create(struct sens_ctx *ctx, const struct sens_problem_type *type,
                                const struct sens_value *option, struct sens_problem *problem)
{
    struct sens_problem pb = {.type = type};
    if (!products_whole(type))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: it has some of the four products and lacks others",
                         type->name);
    const sens_status status = type->create(ctx, option, &pb);
    if (status != SENS_OK) return status;
    pb.type = type; /* a create that assigns the whole instance has unset it */
    if (pb.n == 0 || !pb.x0 || (pb.np > 0 && !pb.p) || !(pb.t1 > pb.t0))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: create left n, x0, p or t1 > t0 unset",
                         type->name);
    pb.x0 = rounded_copy(ctx, pb.n, pb.x0);
    pb.p = rounded_copy(ctx, pb.np, pb.p);
    pb.option = option_copy(ctx, type->options, option);
    if (!pb.x0 || !pb.p || !pb.option) return SENS_NO_MEMORY;
    if (!all_finite(pb.n, pb.x0) || !all_finite(pb.np, pb.p) || !isfinite(pb.t0) || !isfinite(pb.t1))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: x0, p, t0 or t1 is not finite", type->name);
    sens_status checked = interval_check(ctx, &pb);
    if (checked == SENS_OK) checked = sens_structure_check(ctx, &pb);
    if (checked == SENS_OK) *problem = pb;
    return checked;
}

sens_status sens_cost_create(struct sens_ctx *ctx, const struct sens_cost_type *type,
                             const struct sens_value *option, const struct sens_problem *pb,
                             struct sens_cost *cost)
{
    struct sens_cost made = {.type = type, .n = pb->n, .np = pb->np};
    if (!sens_gradients_whole(type))
        return sens_fail(ctx, SENS_BAD_INPUT, "cost %s: it has some of its gradients and lacks others",
                         type->name);
    const sens_status status = type->create(ctx, option, pb, &made);
    if (status != SENS_OK) return status;
    if (made.m == 0) return sens_fail(ctx, SENS_BAD_INPUT, "cost %s: no output", type->name);
    if (made.n_obs > 0 && !made.t_obs)
        return sens_fail(ctx, SENS_BAD_INPUT, "cost %s: observations without times", type->name);
    for (size_t j = 0; j < made.n_obs; j++) /* a NaN is in no order */
        if (!(made.t_obs[j] >= pb->t0 && made.t_obs[j] <= pb->t1) ||
            (j && !(made.t_obs[j] > made.t_obs[j - 1])))
            return sens_fail(ctx, SENS_BAD_INPUT,
                             "cost %s: observation %zu is not inside [t0, t1] and increasing", type->name, j);
    made.option = option_copy(ctx, type->options, option);
    if (!made.option) return SENS_NO_MEMORY;
    *cost = made;
    return SENS_OK;
}
