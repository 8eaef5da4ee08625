/* harness/verify/extremes/extremes.h - the problem of the checks extremes.*, see extremes.c. */
#ifndef VERIFY_EXTREMES_H
#define VERIFY_EXTREMES_H

#include "bed.h"

struct extremes_shape { /* of e; both 0: e = 1 */
    double width;       /* w */
    double swing;       /* v */
};

static const double EXTREMES_LENGTH = 2, EXTREMES_START = 0.5, EXTREMES_SLOPE = 0.75;
static const double EXTREMES_NORMS = 16; /* the norms of error tests differ by some factor */

extern const struct sens_cost_type extremes_sum; /* G = sum_j sum_i x_i(t_j) */

/* A problem with one parameter, from t = 0 to the last of these times, at which the sum of its states is observed. A
 * method that takes no observations sees the last alone. Arrays are copied. */
struct extremes_task {
    const struct sens_problem_type *type; /* diagonal.h */
    const void *data;                     /* lives as long as the bed */
    size_t n;
    const double *x0; /* [n] */
    double p;
    size_t count;
    const double *times; /* [count] */
};
void extremes_bed(struct verify *v, const struct extremes_task *task, struct bed *bed);

/* Observed at these times, which end with t1; one that takes no observations at t1 alone. */
void extremes_create(struct verify *v, struct extremes_shape shape, double p, size_t observations,
                     const double *at /*[observations]*/, struct bed *bed);

/* Every option of the method that takes a part into the error test, or out of it, takes it in. */
void extremes_test_all(struct bed *bed);

/* I(t) */
double extremes_integral(const struct sens_problem *pb, double t);

/* One check each, extremes.cost and so on. */
void extremes_check_cost(struct verify *v);
void extremes_check_apart(struct verify *v);
void extremes_check_landing(struct verify *v);
void extremes_check_still(struct verify *v);

#endif
