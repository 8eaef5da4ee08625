/* methods/linear/stage_matrix.h - the matrix of an implicit stage, I - h gamma df/dx at a point, with its
 * factors: J as numbers (jacobian.h) and a shifted system with it (shifted.h) in one. */
#ifndef SENS_STAGE_MATRIX_H
#define SENS_STAGE_MATRIX_H

#include "jacobian.h"
#include "shifted.h"

struct sens_stage_matrix { /* one a thread */
    struct sens_jacobian *J;
    struct sens_shifted *system;
    sens_real *value; /* [entries] of J at the last point */
};

/* Memory from the arena, which gives back what a library holds when it is released. `by`: which product J may
 * be made of. SENS_NO_MEMORY; SENS_UNSUPPORTED: too large. */
sens_status sens_stage_matrix_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     enum sens_product by, struct sens_stage_matrix *matrix);

/* J at a point; the factors stay as they are. */
void sens_stage_matrix_at(struct sens_stage_matrix *matrix, const struct sens_at *at);

/* The factors of I - h_gamma J. SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY: there are none then. */
sens_status sens_stage_matrix_factor(struct sens_stage_matrix *matrix, sens_real h_gamma);

#endif
