/* methods/linear/stage_matrix.h - the matrix of an implicit stage, I - h gamma df/dx at a point, with its
 * factors: J as numbers (jacobian.h) and a shifted system with it (shifted.h) in one.
 *
 * Of a problem with a mass matrix, M x' = f, that stands in the place of I everywhere here: M - h gamma df/dx. */
#ifndef SENS_STAGE_MATRIX_H
#define SENS_STAGE_MATRIX_H

#include "jacobian.h"
#include "shifted.h"

struct sens_stage_matrix { /* one a thread */
    struct sens_jacobian *J;
    struct sens_shifted *system;
    sens_real *value; /* [entries] of J at the last point */
    sens_real *sum;   /* [4][n][L] of slopes and residuals, with a mass matrix 6; NULL: none are asked for */
    sens_real *unit;  /* [n] of the equations, where residuals are asked for; NULL: there is no mass matrix */
};

/* Memory from the arena, which gives back what a library holds when it is released. `by`: which product J may
 * be made of; SENS_VJP: transposed systems will be solved in lanes, else those themselves. SENS_NO_MEMORY;
 * SENS_UNSUPPORTED: too large. */
sens_status sens_stage_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     enum sens_product by, struct sens_stage_matrix *matrix);

/* J at a point; the factors stay as they are. */
void sens_stage_matrix_at(struct sens_stage_matrix *matrix, const struct sens_at *at);

/* The factors of I - h_gamma J. SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY: there are none then. */
sens_status sens_stage_matrix_factor(struct sens_stage_matrix *matrix, sens_real h_gamma);

/* Room for slopes and residuals in at most L lanes. SENS_NO_MEMORY. */
sens_status sens_stage_matrix_room(struct sens_ctx *ctx, size_t L, struct sens_stage_matrix *matrix);

/* R = B - (I - h_gamma J) X, or with J^T, all [n][L]; but 0 in the lanes in which every equation is right to rounding
 * of its own terms (Oettli & Prager, Numer. Math. 6 (1964) 405-409). false: that is all of them. */
bool sens_stage_matrix_residual(const struct sens_stage_matrix *matrix, bool transposed, sens_real h_gamma,
                                size_t L, const sens_real *B, const sens_real *X, sens_real *R);

struct
    sens_stage_slope { /* of M x = c + h_gamma k, M = I or the mass matrix, with k = J x + f; or transposed */
    size_t L;
    sens_real h_gamma;
    const sens_real *f; /* [n][L] */
    sens_real *x;       /* [n][L] the solution */
    sens_real *c;       /* [n][L] becomes k */
};

/* k. The sum has the rounding of its terms, the difference (M x - c) / h_gamma that of M x / h_gamma: of each entry the
 * better one is taken. Where steps are short against the entry's own rate that is the sum, where a stiff part has terms
 * that cancel the difference.
 *
 * Factors with exchanged rows give an entry of x the rounding of another row's, which h_gamma may make a million times
 * as large in k. With `refine`, where an equation is off by more than the rounding of its own terms, the lane's x gets
 * one correction with the matrix's factors: then none is (Skeel, Math. Comp. 35 (1980) 817-832). Without, x has been
 * corrected by other factors. */
void sens_stage_matrix_slope(const struct sens_stage_matrix *matrix, bool transposed, bool refine,
                             const struct sens_stage_slope *of);

#endif
