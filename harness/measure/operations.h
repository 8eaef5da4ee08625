/* harness/measure/operations.h - the work of a run, from what was counted and what each product costs.
 *
 *     flops = rhs c_rhs + vjp c_vjp + jvp c_jvp + vjp_p c_vjp_p + jvp_p c_jvp_p   without idle vectors
 *     bytes = 8 (rhs (2 n + np) + (vjp + jvp) (2 n + J / lanes)
 *                + vjp_p (n + 2 np / batch) + jvp_p 2 min(n, c_jvp_p))
 *
 * c from sens_problem_operations, with and without structure=none; J: numbers that stand for the Jacobian,
 * read once for all lanes. What a method adds around the products (stages, steps, interpolation, forming the
 * Jacobian) is in neither. */
#ifndef MEASURE_OPERATIONS_H
#define MEASURE_OPERATIONS_H

#include "cell.h"
#include "counted.h"
#include "record.h"

struct operation_counts { /* of one run: calls of rhs and of jacobian or coupling, vectors of the products */
    double rhs, jacobian, vjp, jvp, vjp_p, jvp_p;
    double idle_vjp, idle_jvp, idle_vjp_p; /* of the vectors: those that only fill up a block */
};

struct operation_sum {
    double flops;         /* NaN: the cost of a product that was used is not known */
    double flops_reverse; /* of vjp and vjp_p */
    double bytes;         /* numbers that the products must read and write, 8 bytes each */
};

/* What the decorator saw of the problem's own products, and what the method multiplied through structure. */
void operations_count(const struct sens_counts *counts, const struct sens_work *work,
                      struct operation_counts *sum);

/* lanes, batch: as used; below 1 they count as 1. */
void operations_sum(const struct cell *cell, const struct operation_counts *counts, int lanes, int batch,
                    struct operation_sum *sum);

/* The structure that the problem declares: that of df/dx and, after a '+', of df/dp. */
const char *operations_structure(const struct sens_problem *pb);

/* Of a run that another program did: what operations_record counts is not known, and NaN. */
void operations_unknown(struct record *rec);

/* The columns of the record that follow from these counts and the times that it holds; peak: GFLOP/s. */
void operations_record(const struct cell *cell, const struct operation_counts *counts, double peak,
                       struct record *rec);

#endif
