/* methods/implicit/firk_matrix.h - the two matrices of a fully implicit step, gamma I - h J and
 * (alpha + i beta) I - h J (firk_transform.h), with J = df/dx at one point: together they solve
 *
 *     (A^-1 (x) I - h I (x) J) Z = R,        Z = T W,   ((T^-1 A^-1 T) (x) I - h I (x) J) W = T^-1 R.
 *
 * Of a problem with a mass matrix M, that stands in the place of I: A^-1 (x) M, and so on. */
#ifndef SENS_FIRK_MATRIX_H
#define SENS_FIRK_MATRIX_H

#include "firk_transform.h"
#include "jacobian.h"
#include "shifted.h"

struct sens_firk_matrix { /* one a thread */
    struct sens_firk_transform transform;
    struct sens_jacobian *J;
    sens_real *value; /* [entries] of J at the last point */
    struct sens_shifted *real, *pair;
    sens_real *both; /* [n][2][L] */
};

/* For vectors in at most L lanes. Memory from the arena, which gives back what a library holds when it is released.
 * SENS_NO_MEMORY; SENS_UNSUPPORTED: the tableau is none of its family, or too large. */
sens_status sens_firk_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                    const struct sens_tableau *tableau, enum sens_product by, size_t L,
                                    struct sens_firk_matrix *matrix);

/* J at a point; the factors stay as they are. */
void sens_firk_matrix_at(struct sens_firk_matrix *matrix, const struct sens_at *at);

/* The factors of both. SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY: there are none then. */
sens_status sens_firk_matrix_factor(struct sens_firk_matrix *matrix, sens_real h);

/* Until it factorises again it solves with the factors of another such matrix, real and complex (shifted.h). */
void sens_firk_matrix_borrow(struct sens_firk_matrix *matrix, const struct sens_shifted *const *factors);

/* W [3][n][L] becomes the solution of the transformed system, or of its transpose, with W to its right. */
void sens_firk_matrix_solve(struct sens_firk_matrix *matrix, bool transposed, size_t L, sens_real *W);

/* Adds the factorisations, those that were borrowed in their place, and the vectors solved for, since the last call to
 * *work, and forgets them. A complex one counts as one. */
void sens_firk_matrix_count(struct sens_firk_matrix *matrix, struct sens_work *work);

/* x [n][L] becomes (I - h / gamma J)^-1 x, or with M in the place of I, which filters an error estimate. */
void sens_firk_matrix_filter(struct sens_firk_matrix *matrix, size_t L, sens_real *x);

#endif
