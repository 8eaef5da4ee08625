/* The work of a run and the rates that follow from it, see operations.h. */
#include "operations.h"

#include <math.h>

void operations_count(const struct sens_counts *counts, const struct sens_work *work,
                      struct operation_counts *sum)
{
    *sum = (struct operation_counts){
        .rhs = (double)counts->rhs,
        .jacobian = (double)counts->jacobian,
        .vjp = (double)counts->vjp + (double)work->vjp,
        .jvp = (double)counts->jvp + (double)work->jvp,
        .vjp_p = (double)counts->vjp_p + (double)work->vjp_p,
        .jvp_p = (double)counts->jvp_p + (double)work->jvp_p,
        .idle_vjp = (double)work->idle_vjp,
        .idle_jvp = (double)work->idle_jvp,
        .idle_vjp_p = (double)work->idle_vjp_p,
    };
}

/* What was not used costs nothing, known or not. */
static double cost(double count, double each)
{
    return count > 0 ? count * each : 0;
}

void operations_sum(const struct cell *cell, const struct operation_counts *counts, int lanes, int batch,
                    struct operation_sum *sum)
{
    const struct sens_operations *ops = &cell->operations;
    const double n = (double)cell->problem.n, np = (double)cell->problem.np;
    const double shared = lanes > 1 ? lanes : 1, points = batch > 1 ? batch : 1;
    const double column = ops->jvp_p < n ? ops->jvp_p : n; /* an entry of a column is an addition at least */
    sum->flops_reverse =
        cost(counts->vjp - counts->idle_vjp, ops->vjp) + cost(counts->vjp_p - counts->idle_vjp_p, ops->vjp_p);
    sum->flops = sum->flops_reverse + cost(counts->rhs, ops->rhs) +
                 cost(counts->jvp - counts->idle_jvp, ops->jvp) + cost(counts->jvp_p, ops->jvp_p);
    sum->bytes =
        8 * (counts->rhs * (2 * n + np) + (counts->vjp + counts->jvp) * (2 * n + ops->jacobian / shared) +
             counts->vjp_p * (n + 2 * np / points) + counts->jvp_p * 2 * column);
}

const char *operations_structure(const struct sens_problem *pb)
{
    static const char *const text[5][4] = {
        {"none", "none+outer", "none+sparse", "none+sparse.columns"},
        {"dense", "dense+outer", "dense+sparse", "dense+sparse.columns"},
        {"sparse", "sparse+outer", "sparse+sparse", "sparse+sparse.columns"},
        {"dense.systems", "dense.systems+outer", "dense.systems+sparse", "dense.systems+sparse.columns"},
        {"sparse.systems", "sparse.systems+outer", "sparse.systems+sparse", "sparse.systems+sparse.columns"}};
    const struct sens_structure *declared = sens_structure_of(pb);
    const int of_x = declared->sparsity ? 2 : 1, systems = declared->jacobian_costs_more ? 2 : 0;
    const int state = declared->jacobian ? of_x + systems : 0;
    const int of_p = declared->jacobian_p_costs_more ? 3 : 2;
    return text[state][declared->outer ? 1 : declared->jacobian_p ? of_p : 0];
}

/* NaN where there is no time to divide by. */
static double rate(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds / 1e9 : NAN;
}

void operations_unknown(struct record *rec)
{
    static const int counted[] = {COL_n_rhs,         COL_n_vjp,          COL_n_jvp,  COL_n_vjp_p,
                                  COL_n_jvp_p,       COL_n_jacobian,     COL_flops,  COL_bytes,
                                  COL_gflops,        COL_gflops_reverse, COL_gbytes, COL_share,
                                  COL_share_reverse, COL_rss_bytes};
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) rec->number[counted[i]] = NAN;
}

void operations_record(const struct cell *cell, const struct operation_counts *counts, double peak,
                       struct record *rec)
{
    double *number = rec->number;
    struct operation_sum sum;
    operations_sum(cell, counts, (int)number[COL_lanes], (int)number[COL_batch], &sum);
    number[COL_n_rhs] = counts->rhs;
    number[COL_n_vjp] = counts->vjp;
    number[COL_n_jvp] = counts->jvp;
    number[COL_n_vjp_p] = counts->vjp_p;
    number[COL_n_jvp_p] = counts->jvp_p;
    number[COL_n_jacobian] = counts->jacobian;
    number[COL_flops] = sum.flops;
    number[COL_bytes] = sum.bytes;
    number[COL_gflops] = rate(sum.flops, number[COL_t_total_s]);
    number[COL_gflops_reverse] = rate(sum.flops_reverse, number[COL_t_reverse_s]);
    number[COL_gbytes] = rate(sum.bytes, number[COL_t_total_s]);
    number[COL_peak_gflops] = peak;
    number[COL_share] = number[COL_gflops] / peak;
    number[COL_share_reverse] = number[COL_gflops_reverse] / peak;
}
