/* methods/grid/grid_step.h - steps of explicit Runge-Kutta formulas for cotangents, back over a grid whose df/dx is
 * one sparse matrix J for all t and x. All stages are polynomials of h J^T, so that a step takes lambda to
 *
 *     R(h J^T) lambda,   R(z) = 1 + sum_k r_k z^k,   r_k = b^T A^(k-1) 1
 *
 * (R is the stability polynomial: Hairer & Wanner II, IV.2), in one front over the grid (kernels/wave.h); and mu, whose
 * products of the stages are linear in lambda, by a matrix W [np][n] of the step,
 *
 *     mu += W lambda,
 *
 * which is found once for all outputs. It is worth while where these are many and the parameters few. */
#ifndef SENS_GRID_STEP_H
#define SENS_GRID_STEP_H

#include "wave_matrix.h"

struct grid_step { /* one thread's */
    const struct sens_task *task;
    struct wave_matrix matrix;
    size_t n, np, stages; /* np: 0 where dG/dp is not asked for */
    size_t degree;        /* of R */
    /* The same in every step, so that its rounding would grow with their number. */
    long double r[SENS_WAVE_DEGREE + 1];
    sens_real q[SENS_WAVE_DEGREE + 1], h; /* as a polynomial of A, for a step h; NaN: for none */
    sens_real *value;                     /* of jacobian_p */
    sens_real *K, *V;                     /* [stages][np][n], [n] */
    sens_real *room;                      /* of the front */
    size_t vectors, lanes, columns;       /* multiplied by J^T, by W, and by J, since the last count */
};

/* Are the backward steps of the task such ones? */
bool grid_step_suits(const struct sens_task *task);

/* Lanes that suit such steps; 0: any. */
size_t grid_step_lanes(const struct sens_ctx *ctx, const struct sens_task *task);

/* For a task that suits, with at most L lanes. Memory from the arena; SENS_NO_MEMORY. */
sens_status grid_step_create(struct sens_ctx *ctx, const struct sens_task *task, size_t L,
                             struct grid_step *step);

/* The matrix of parameters p [np]. */
void grid_step_begin(struct grid_step *step, const sens_real *p);

/* W [np][n] of the discrete adjoint of a step h of the state with its stages at the points at [stages]: the end of the
 * tangent that starts from 0,
 *
 *     K_i = (df/dp)_i + h J sum_{j<i} a_ij K_j,      W^T = h sum_i b_i K_i. */
void grid_step_discrete(struct grid_step *step, sens_real h, const struct sens_at *at, sens_real *W);

/* W [np][n] of a step of the continuous adjoint itself, lambda' = J^T lambda and mu' = (df/dp)^T lambda, by h, with its
 * stages at the points at [stages]:
 *
 *     K_i = b_i (df/dp)_i + h J sum_{j>i} a_ji K_j,      W^T = h sum_i K_i. */
void grid_step_continuous(struct grid_step *step, sens_real h, const struct sens_at *at, sens_real *W);

/* A step h of lambda to out, [n][L], the same or apart, and mu [np][L] with it. */
void grid_step_sweep(struct grid_step *step, sens_real h, const sens_real *W, size_t L,
                     const sens_real *lambda, sens_real *out, sens_real *mu);

/* Adds what was multiplied, and forgets it: of `lanes` all lanes, `idle` are. */
void grid_step_count(struct grid_step *step, size_t idle, size_t lanes, struct sens_work *work);

#endif
