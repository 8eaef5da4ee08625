/* problems/program/evaluate.h - a list of operations on numbers, and its derivatives in lanes.
 *
 * With v_k the value of operation k and its operands a, b (Griewank and Walther, Evaluating Derivatives, 2nd
 * ed., SIAM 2008, chapter 3):
 *
 *     values    v_k = op(v_a, v_b)
 *     forward   dv_k = (dv_k/dv_a) dv_a + (dv_k/dv_b) dv_b                    from the inputs to the outputs
 *     reverse   w_a += w_k dv_k/dv_a,  w_b += w_k dv_k/dv_b                   from the outputs to the inputs
 *
 * The side of a select, fmin or fmax that is not taken adds nothing, be it finite or not; nor does an operand that
 * follows none of the inputs that move. */
#ifndef PROGRAM_EVALUATE_H
#define PROGRAM_EVALUATE_H

#include <stdatomic.h>

#include "program.h"

enum { EVALUATE_LANES = 8, EVALUATE_SCRATCH = 16 };

struct evaluation { /* a program in the working precision */
    const struct program *program;
    const sens_real *constant;
};

/* Numbers to work on, a set for each thread that may be at it; one more thread waits. */
struct evaluation_scratch {
    size_t sets, values; /* values: the longest program */
    atomic_flag busy[EVALUATE_SCRATCH];
    sens_real *memory; /* [sets][values][1 + EVALUATE_LANES] */
    bool *moves;       /* [sets][values] */
};

struct workspace {
    struct evaluation_scratch *from;
    size_t set;
    sens_real *value; /* [values] */
    sens_real *lane;  /* [values][EVALUATE_LANES] */
    bool *moves;      /* [values] of a forward sweep: does any lane's input move it? Else its lane is unset */
};

/* From the arena. SENS_NO_MEMORY. */
sens_status evaluation_create(struct sens_ctx *ctx, const struct program *program,
                              struct evaluation *evaluation);
struct evaluation_scratch *evaluation_scratch_create(struct sens_ctx *ctx,
                                                     size_t longest); /* NULL: no memory */

struct workspace workspace_take(struct evaluation_scratch *scratch);
void workspace_give(const struct workspace *work);

/* All values at a point, to work->value. */
void evaluation_values(const struct evaluation *evaluation, const struct sens_at *at,
                       const struct workspace *work);
/* OUT[c] += weight output c */
void evaluation_add(const struct evaluation *evaluation, const struct workspace *work, sens_real weight,
                    sens_real *OUT);

/* ---- sweep.c: after evaluation_values at the same point ------------------------------------------------ */

struct
    evaluation_seed { /* a direction: of V [n][L] if it is there, else of the parameters first + l, l < L */
    const sens_real *V;
    size_t L, first;
    bool t; /* along t, L = 1 */
};
/* OUT [outputs][L] += derivatives along the direction */
void evaluation_forward(const struct evaluation *evaluation, const struct workspace *work,
                        const struct evaluation_seed *seed, sens_real *OUT);

struct
    evaluation_pull { /* W [outputs][L]; NULL: weight times the outputs first + l, l < L, as far as there are */
    const sens_real *W;
    size_t L, first;
    sens_real weight;
};
/* X [n][L] += and P [np][L] += the transposed products; NULL: not wanted */
void evaluation_reverse(const struct evaluation *evaluation, const struct workspace *work,
                        const struct evaluation_pull *pull, sens_real *X, sens_real *P);

struct evaluation_one { /* weight times an output, in one of L lanes */
    size_t output, lane, L;
    sens_real weight;
};
/* The same of one output alone: X [n][L] and P [np][L] += in that lane. */
void evaluation_reverse_one(const struct evaluation *evaluation, const struct workspace *work,
                            const struct evaluation_one *one, sens_real *X, sens_real *P);

#endif
