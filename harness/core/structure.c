/* The structure that a problem declares: whether it is whole, what its products cost, and how to do without.
 */
#include <math.h>

#include "sens/problem.h"
#include "structure.h"

static bool pattern_valid(const struct sens_pattern *pattern, size_t rows, size_t cols)
{
    if (pattern->rows != rows || pattern->cols != cols || !pattern->start || pattern->start[0] != 0)
        return false;
    for (size_t r = 0; r < rows; r++) {
        if (pattern->start[r + 1] < pattern->start[r]) return false;
        if (pattern->start[r + 1] > pattern->start[r] && !pattern->col) return false;
        for (size_t e = pattern->start[r]; e < pattern->start[r + 1]; e++)
            if (pattern->col[e] >= cols || (e > pattern->start[r] && pattern->col[e] <= pattern->col[e - 1]))
                return false;
    }
    return true;
}

static bool outer_covers(const struct sens_problem *pb)
{
    size_t next = 0;
    if (pb->n_outer > 0 && !pb->outer) return false;
    for (size_t b = 0; b < pb->n_outer; b++) {
        const size_t cols = pb->outer[b].cols;
        if (pb->outer[b].first != next || cols == 0 || cols > (pb->np - next) / pb->n) return false;
        next += pb->n * cols;
    }
    return next == pb->np;
}

sens_status sens_structure_check(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    const struct sens_problem_type *type = pb->type;
    if (pb->sparsity && (!type->jacobian || !pattern_valid(pb->sparsity, pb->n, pb->n)))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: the sparsity of df/dx is no [n][n] pattern",
                         type->name);
    if ((type->coupling || type->diagonal) &&
        (!type->coupling || !type->diagonal || !type->outer || !type->jacobian || pb->sparsity))
        return sens_fail(
            ctx, SENS_BAD_INPUT,
            "problem %s: coupling and diagonal belong together, beside outer and a dense jacobian",
            type->name);
    if ((type->jacobian_p || pb->sparsity_p) &&
        (!type->jacobian_p || !pb->sparsity_p || !pattern_valid(pb->sparsity_p, pb->np, pb->n)))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: the sparsity of (df/dp)^T is no [np][n] pattern",
                         type->name);
    if ((type->outer || pb->n_outer > 0) && (!type->outer || !outer_covers(pb)))
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "problem %s: its outer products do not cover the parameters in order", type->name);
    return SENS_OK;
}

void sens_problem_operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const double n = (double)pb->n;
    *ops = (struct sens_operations){NAN, NAN, NAN, NAN, NAN, 0};
    if (pb->type->jacobian) {
        ops->jacobian = pb->sparsity ? (double)pb->sparsity->start[pb->n] : n * n;
        ops->vjp = ops->jvp = 2 * ops->jacobian;
    }
    if (pb->type->outer) ops->vjp_p = 2 * (double)pb->np, ops->jvp_p = 2;
    if (pb->type->jacobian_p) {
        const double entries = (double)pb->sparsity_p->start[pb->np];
        ops->vjp_p = 2 * entries, ops->jvp_p = pb->np ? entries / (double)pb->np : 0;
    }
    if (pb->type->operations) pb->type->operations(pb, ops);
}

void sens_problem_unstructured(const struct sens_problem *pb, struct sens_problem_type *type,
                               struct sens_problem *plain)
{
    *type = *pb->type;
    sens_problem_type_forget(type);
    *plain = *pb;
    plain->type = type;
    plain->sparsity = plain->sparsity_p = NULL;
    plain->n_outer = 0;
    plain->outer = NULL;
}
