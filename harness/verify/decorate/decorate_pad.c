/* Parameters and outputs that are there and do nothing: what a method must not notice. */
#include <string.h>

#include "decorate.h"

/* ---- parameters ---------------------------------------------------------------------------------------- */

/* data: a column [n], one at a time, so one thread at a time. The rows of the inner parameters come first in
 * MU: the inner vjp_p_batch and x0_vjp are right as they are. */
static double *column_of(const struct sens_problem *pb)
{
    return *(double *const *)pb->data;
}

static void pad_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                           double *OUT)
{
    double *const column = column_of(pb);
    const size_t n = pb->n;
    for (size_t l = 0; l < L && k0 + l < pb->inner->np; l++) {
        memset(column, 0, n * sizeof *column);
        pb->inner->type->jvp_p_cols(pb->inner, at, k0 + l, 1, column);
        for (size_t i = 0; i < n; i++) OUT[i * L + l] += column[i];
    }
}

static void pad_x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L, double *OUT)
{
    double *const column = column_of(pb);
    const size_t n = pb->n;
    for (size_t l = 0; l < L && k0 + l < pb->inner->np; l++) {
        memset(column, 0, n * sizeof *column);
        pb->inner->type->x0_jvp_cols(pb->inner, p, k0 + l, 1, column);
        for (size_t i = 0; i < n; i++) OUT[i * L + l] += column[i];
    }
}

void decorate_pad_parameters(struct verify *v, const struct sens_problem *inner, size_t extra,
                             struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {
        .type = {.jvp_p_cols = pad_jvp_p_cols, .x0_jvp_cols = pad_x0_jvp_cols}, .another = true};
    double **column = verify_memory(v, 1, sizeof *column);
    double *p = verify_array(v, inner->np + extra);
    *column = verify_array(v, inner->n);
    memcpy(p, inner->p, inner->np * sizeof *p);
    for (size_t k = 0; k < extra; k++) p[inner->np + k] = 1;
    decorate_wrap(v, inner, &with, column, problem);
    problem->np += extra;
    problem->p = p;
}
