/* The structure that a problem declares: whether it is whole, and what its products cost. */
#include <math.h>

#include "sens/problem.h"
#include "structure_check.h"

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
    const struct sens_structure *declared = pb->structure;
    size_t next = 0;
    if (declared->n_blocks > 0 && !declared->blocks) return false;
    for (size_t b = 0; b < declared->n_blocks; b++) {
        const size_t cols = declared->blocks[b].cols;
        if (declared->blocks[b].first != next || cols == 0 || cols > (pb->np - next) / pb->n) return false;
        next += pb->n * cols;
    }
    return next == pb->np;
}

static bool mass_valid(const struct sens_problem *pb)
{
    const struct sens_mass *const mass = pb->mass;
    if (!pattern_valid(&mass->pattern, pb->n, pb->n)) return false;
    for (size_t e = 0; e < mass->pattern.start[pb->n]; e++)
        if (!mass->value || !isfinite(mass->value[e])) return false;
    return true;
}

static bool split_valid(const struct sens_problem *pb)
{
    const struct sens_problem *const part = pb->implicit;
    const struct sens_problem_type *const type = part->type;
    return part->n == pb->n && part->np == pb->np && !part->mass && type && type->rhs && type->vjp &&
           type->jvp && type->jvp_p_cols && type->vjp_p_batch;
}

sens_status sens_structure_check(struct sens_ctx *ctx, const struct sens_problem *pb)
{
    const struct sens_structure *declared = sens_structure_of(pb);
    const char *name = pb->type->name;
    if (declared->sparsity && !declared->jacobian)
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "problem %s: a sparsity of df/dx is declared, but no jacobian that fills it", name);
    if (declared->sparsity && !pattern_valid(declared->sparsity, pb->n, pb->n))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: the sparsity of df/dx is no [n][n] pattern", name);
    if (pb->mass && !mass_valid(pb))
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "problem %s: its mass matrix is no [n][n] one of finite numbers", name);
    if (pb->implicit && !split_valid(pb))
        return sens_fail(
            ctx, SENS_BAD_INPUT,
            "problem %s: the implicit part of its split has another n or np, a mass matrix, or lacks "
            "rhs or a product",
            name);
    if ((declared->coupling || declared->diagonal) &&
        (!declared->coupling || !declared->diagonal || !declared->outer || !declared->jacobian ||
         declared->sparsity))
        return sens_fail(
            ctx, SENS_BAD_INPUT,
            "problem %s: coupling and diagonal belong together, beside outer and a dense jacobian", name);
    if (declared->jacobian_constant && !declared->jacobian)
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: a constant df/dx is declared without jacobian",
                         name);
    if ((declared->jacobian_p || declared->sparsity_p) &&
        (!declared->jacobian_p || !declared->sparsity_p ||
         !pattern_valid(declared->sparsity_p, pb->np, pb->n)))
        return sens_fail(ctx, SENS_BAD_INPUT, "problem %s: the sparsity of (df/dp)^T is no [np][n] pattern",
                         name);
    if ((declared->outer || declared->n_blocks > 0) && (!declared->outer || !outer_covers(pb)))
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "problem %s: its outer products do not cover the parameters in order", name);
    return SENS_OK;
}

void sens_problem_operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const struct sens_structure *declared = sens_structure_of(pb);
    const double n = (double)pb->n;
    *ops = (struct sens_operations){NAN, NAN, NAN, NAN, NAN, 0};
    if (declared->jacobian && !declared->jacobian_costs_more) {
        ops->jacobian = declared->sparsity ? (double)declared->sparsity->start[pb->n] : n * n;
        ops->vjp = ops->jvp = 2 * ops->jacobian;
    }
    if (declared->outer) ops->vjp_p = 2 * (double)pb->np, ops->jvp_p = 2;
    if (declared->jacobian_p) {
        const double entries = (double)declared->sparsity_p->start[pb->np];
        if (!declared->jacobian_p_costs_more) ops->vjp_p = 2 * entries;
        ops->jvp_p = pb->np ? entries / (double)pb->np : 0;
    }
    if (pb->type->operations) pb->type->operations(pb, ops);
}
