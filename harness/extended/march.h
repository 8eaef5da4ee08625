/* harness/extended/march.h - forward sensitivities by one-step rules with step control, in blocks of columns.
 *
 * A rule proposes the increment of y over [t, t + H] and an estimate of its error; what is common to all
 * rules is here: landing on observations, choosing H, and the sum y + carry, which is compensated. Each block
 * of columns chooses its own steps, so that the error of every column is controlled; the state is carried
 * along again. */
#ifndef SENS_MARCH_H
#define SENS_MARCH_H

#include "variation.h"

struct sens_march;

/* Rounding, by that of 64 bits, for which bounds are stated: 1, or 2^-49. */
#define SENS_MARCH_FINER (SENS_EPSILON / (sens_real)LDBL_EPSILON)

struct sens_march_rule {
    const char *name;
    int order;    /* the estimate behaves as H^order */
    size_t block; /* columns carried together, at most */
    size_t most;  /* states, at most; 0: any number */
    /* An error is relative to the largest value so far, which is forgotten by `memory` a step (1: never), but
     * not to less than a share of the largest of its column, or (share_x) of the state: it may begin at zero;
     * nor to less than rounding, 2^-64 (2^-113) of all there is, or (scaled) of the largest x over p_k or x0_i: a
     * column may be rounding alone. */
    sens_real memory, share, share_x;
    bool scaled;
    /* Memory from the arena, for columns as wide as march->system says. SENS_NO_MEMORY. */
    sens_status (*create)(struct sens_ctx *ctx, struct sens_march *march);
    void (*release)(struct sens_march *march);      /* NULL: nothing to release */
    sens_status (*begin)(struct sens_march *march); /* at a new point */
    /* increment and estimate of [t, t + H]. A recoverable status asks for a shorter H. */
    sens_status (*trial)(struct sens_march *march);
};

extern const struct sens_march_rule sens_march_gbs;   /* gbs.c */
extern const struct sens_march_rule sens_march_radau; /* radau.c */
extern const struct sens_march_rule sens_march_euler; /* euler.c */

struct sens_march {
    const struct sens_march_rule *rule;
    struct sens_variation *system;
    void *own; /* the rule's */
    size_t size;
    sens_real tolerance, t, H, H_first; /* H_first: of the first accepted step */
    sens_real *y, *carry;               /* the state is y + carry; carry is what rounding took from y */
    sens_real *largest;                 /* of |y| so far, a component */
    sens_real *increment, *estimate;
    long steps, rejects;
};

struct sens_march_task {
    const struct sens_march_rule *rule;
    const struct sens_problem *problem;
    const struct sens_cost *cost;
    sens_real tolerance; /* relative, of the estimate of a step */
    long max_steps;      /* accepted and rejected, for each block of columns */
    size_t cols;         /* columns of the derivative: col < np is p_col, np + i is x0_i */
    const size_t *col;
};

struct sens_march_out {  /* caller-owned */
    sens_real *x;        /* [n] state at t1 */
    sens_real *G;        /* [m] */
    sens_real *D;        /* [m][cols] */
    long steps, rejects; /* of the block that took most */
};

/* SENS_STEP_LIMIT, SENS_STEP_UNDERFLOW, SENS_DIVERGED, SENS_RHS_FAILED, SENS_NO_MEMORY; SENS_UNSUPPORTED: too
 * many states for the rule. Allocates from the arena. On failure the contents of *out are unspecified (it is
 * the caller's scratch). */
sens_status sens_march_solve(struct sens_ctx *ctx, const struct sens_march_task *task,
                             struct sens_march_out *out);

#endif
