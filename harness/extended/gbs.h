/* harness/extended/gbs.h - forward sensitivities by extrapolation, independent of the Runge-Kutta engine. */
#ifndef SENS_GBS_H
#define SENS_GBS_H

#include "sens/cost.h"
#include "sens/problem.h"

struct sens_gbs_task {
    const struct sens_problem *problem;
    const struct sens_cost *cost;
    sens_real tolerance; /* relative, of the last but one column of the extrapolation table */
    long max_steps;      /* accepted and rejected, for each block of columns */
    size_t cols;         /* columns of the derivative: col < np is p_col, np + i is x0_i */
    const size_t *col;
    size_t block; /* columns carried together, >= 1 */
};

struct sens_gbs_out {    /* caller-owned */
    sens_real *x;        /* [n] state at t1 */
    sens_real *G;        /* [m] */
    sens_real *D;        /* [m][cols] */
    long steps, rejects; /* of the block that took most */
};

/* SENS_STEP_LIMIT, SENS_STEP_UNDERFLOW, SENS_DIVERGED, SENS_RHS_FAILED, SENS_NO_MEMORY. Allocates from the
 * arena. On failure the contents of *out are unspecified (it is the caller's scratch). */
sens_status sens_gbs_solve(struct sens_ctx *ctx, const struct sens_gbs_task *task, struct sens_gbs_out *out);

#endif
