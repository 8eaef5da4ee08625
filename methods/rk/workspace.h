/* methods/rk/workspace.h - what the files of the engine share among themselves: the sums over stages and the
 * solver's workspace. Users of the engine include erk.h. */
#ifndef SENS_ERK_WORKSPACE_H
#define SENS_ERK_WORKSPACE_H

#include <string.h>

#include "erk.h"
#include "followers.h"

struct sens_follow; /* followers.c */

struct sens_erk {
    const struct sens_ode *ode;
    const struct sens_erk_settings *settings;
    size_t n_estimated; /* components up to the last tested one */
    /* [stages][n]; row 0 is the current state. Starts as own_Y; may be pointed elsewhere before a solve or by
     * an observer, to have the next step's stage states written in their final place. */
    sens_real *Y;
    sens_real *own_Y, *K; /* [stages][n] */
    sens_real *y1;        /* [n] candidate; unused by an FSAL pair, whose last stage state is the candidate */
    sens_real *e, *e3;    /* [n]; NULL where there is no estimate */
    sens_real t;          /* of the current state */
    bool k1_known;        /* K row 0 is f at the current state */
    long k;               /* accepted steps */
    struct sens_controller_memory memory;
    struct sens_follow *follow;  /* NULL: none */
    struct sens_error_norm norm; /* the followers' part of the trial's */
};

/* fmax where b is a number; one instruction, where fmax is a call. */
static inline sens_real sens_larger(sens_real a, sens_real b)
{
    return a > b ? a : b;
}

/* Copies n components in the pieces in which sens_erk_sum writes them. */
static inline void sens_erk_copy(size_t n, const sens_real *from, sens_real *to)
{
    size_t q = 0;
    for (; q + 8 <= n; q += 8) memcpy(to + q, from + q, 8 * sizeof *to);
    if (n & 4) memcpy(to + q, from + q, 4 * sizeof *to), q += 4;
    if (n & 2) memcpy(to + q, from + q, 2 * sizeof *to), q += 2;
    if (n & 1) to[q] = from[q];
}

/* out[q] = base[q] + h sum_{j < terms} w_j K[j][q], q < count, rows of K `stride` apart. base NULL: without
 * it. Every such sum of the engine is this one function, so that equal inputs give equal bits. */
void sens_erk_sum(size_t count, size_t stride, int terms, sens_real h, const sens_real *base,
                  const sens_real *w, const sens_real *K, sens_real *out);

/* Stage states 1 ... stages - 1 and the slopes 1 ... slopes - 1, from Y row 0 and K row 0. */
sens_status sens_erk_later_stages(const struct sens_tableau *tableau, const struct sens_ode *ode, sens_real t,
                                  sens_real h, int slopes, sens_real *Y, sens_real *K);

/* First trial step, signed, found without evaluating f past t_end; needs K row 0. Writes row 1 of Y and K.
 * Fails with a fatal status of f only. */
sens_status sens_erk_first_step(const struct sens_erk *erk, sens_real t, sens_real t_end, sens_real *step);

/* Sums of squares over the tested components: of y0 / sc and f0 / sc, sc = atol + rtol |y0|. */
struct sens_first_sizes {
    size_t tested;
    sens_real d0, d1;
};

/* The sum of ((v - minus) / sc)^2 over one part; minus may be NULL. */
sens_real sens_erk_scaled_squares(const struct sens_ode_part *part, const sens_real *y, const sens_real *v,
                                  const sens_real *minus);

/* ---- followers ----------------------------------------------------------------------------------------- */

/* A solve begins: no slope is known. */
void sens_follow_start(struct sens_follow *follow);

/* The followers' share of a trial step, whose leader's stage states are Y [stages][n]; adds to the norm.
 * SENS_NONFINITE when a candidate or an estimate is not finite. */
sens_status sens_follow_try(struct sens_follow *follow, sens_real t, sens_real h, size_t n,
                            const sens_real *Y, struct sens_error_norm *norm);

/* The candidates become the state; k1_known: the last slope of an FSAL pair belongs to it. */
void sens_follow_accept(struct sens_follow *follow, bool k1_known);

/* For the first step: adds the followers to the sizes at (t, y); then, at the end of an Euler step from
 * there, the sum of squares of the slope's change. */
void sens_follow_sizes(const struct sens_follow *follow, sens_real t, const sens_real *y,
                       struct sens_first_sizes *sizes);
sens_real sens_follow_bend(const struct sens_follow *follow, sens_real t, sens_real h,
                           const sens_real *y_euler);

#endif
