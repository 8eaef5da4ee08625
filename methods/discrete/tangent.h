/* methods/discrete/tangent.h - selected columns of the discrete tangent, for tests and for the frozen-grid
 * error. */
#ifndef SENS_TANGENT_H
#define SENS_TANGENT_H

#include "sens/method.h"

/* Columns of the derivative of the discrete map on the frozen grid of the task's own solve, whose steps the
 * state chooses, or (tested) the state and the tangent (tangent_test.h): col k < np is dG/dp_k, np + i is
 * dG/dx0_i. The task's options are not read. OUT [m][n_cols]. Allocates from the arena; any status of a
 * solve, after which OUT may be partly overwritten. */
sens_status sens_tangent_columns(struct sens_ctx *ctx, const struct sens_task *task, bool tested,
                                 size_t n_cols, const size_t *col, sens_real *OUT);

/* The steps that the task's own solve takes with the state alone in the error test, and with the tangent in
 * it: where the second are many more, the state says nothing of its derivative. Any status of a solve. */
sens_status sens_tangent_steps(struct sens_ctx *ctx, const struct sens_task *task, long *state, long *tested);

#endif
