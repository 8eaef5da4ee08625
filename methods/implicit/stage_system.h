/* methods/implicit/stage_system.h - the system of a diagonally implicit stage, as the sweeps solve it:
 *
 *     M X = B   or   M^T X = B,      M = I - h gamma J,
 *
 * with J = df/dx at the stage itself. Either M is factorised, or there are factors of a P near M, and X is corrected
 * with them to rounding (corrections.h):
 *
 *     X += P^-1 (B - M X)
 *
 * P is what the forward solve found the stages of the step with, or the matrix of one stage of the step, which then
 * serves them all.
 *
 * A lane is done where the residual of each of its equations is rounding of the equation's own terms, before a
 * correction is made for it. A lane that does not get there is solved for with factors of M. No tolerance of the
 * forward solve enters. */
#ifndef STAGE_SYSTEM_H
#define STAGE_SYSTEM_H

#include "corrections.h"
#include "stage_matrix.h"

struct stage_system { /* one a thread */
    struct sens_stage_matrix matrix;
    sens_real h_gamma;
    bool factored;             /* M is, for the stage at hand */
    bool iterates;             /* with a P of its own, where none comes with the stage */
    bool corrects;             /* there are factors of P, for the stage at hand */
    sens_real *B, *R;          /* [n][L]; NULL: there never are */
    struct sens_shifted *near; /* P: its factors are its own, or borrowed */
    struct corrections corrections;
};

/* For vectors in at most L lanes; `by` as in stage_matrix.h. Memory from the arena. SENS_NO_MEMORY;
 * SENS_UNSUPPORTED: too large. */
sens_status stage_system_create(struct sens_ctx *ctx, const struct sens_problem *pb, enum sens_product by,
                                size_t L, struct stage_system *system);

/* From now on there may be factors of a P; the same `by` and L. iterates: where a stage comes without, P is M of the
 * first stage of its step. What P keeps them in is that of `other`, a system for another stage of the same steps that
 * has one already, and stays as long; NULL: its own. SENS_NO_MEMORY. */
sens_status stage_system_correct(struct sens_ctx *ctx, enum sens_product by, size_t L, bool iterates,
                                 const struct stage_system *other, struct stage_system *system);

struct stage_near {                  /* what there is for P */
    const struct sens_shifted *kept; /* factors of the forward solve; NULL: none */
    bool first;                      /* this is the first stage with gamma != 0 of a step that comes up */
};

/* A stage at a point. SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY. */
sens_status stage_system_at(struct stage_system *system, const struct sens_at *at, sens_real h_gamma,
                            struct stage_near near);

/* X [n][L] = M^-1 X or M^-T X. SENS_NONFINITE, SENS_SINGULAR, SENS_NO_MEMORY: X is lost. */
sens_status stage_system_solve(struct stage_system *system, bool transposed, size_t L, sens_real *X);

/* Of the solution X = C + h gamma K, K = J X + F or J^T X + F: K, where C was; X is refined where that needs it
 * (stage_matrix.h). All [n][L]. */
void stage_system_slope(struct stage_system *system, bool transposed, size_t L, const sens_real *F,
                        sens_real *X, sens_real *K);

/* As sens_shifted_count. */
void stage_system_count(struct stage_system *system, struct sens_work *work);

#endif
