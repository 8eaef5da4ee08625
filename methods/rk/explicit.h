/* methods/rk/explicit.h - what the files of the explicit scheme share: the sums over stages, and the
 * workspace. */
#ifndef SENS_EXPLICIT_H
#define SENS_EXPLICIT_H

#include <string.h>

#include "followers.h"
#include "rules.h"
#include "scheme.h"

struct sens_follow; /* explicit_followers.c */

struct sens_explicit {
    struct sens_scheme scheme;
    size_t n_estimated; /* components up to the last tested one */
    sens_real *own_Y;   /* [stages][n] where the stages are unless they are given a place; or NULL */
    sens_real *K;       /* [stages][n]; row 0 is the current state's, where it is known */
    sens_real *y1;      /* [n] candidate; unused by an FSAL pair, whose last stage state is the candidate */
    sens_real *e, *e3;  /* [n]; NULL where there is no estimate */
    bool k1_known;      /* K row 0 is f at the current state */
    bool by_engine;     /* the trial at hand is the engine's, candidate and estimate too */
    struct sens_follow *follow;  /* NULL: none */
    struct sens_trial trial;     /* as the error test sees it */
    struct sens_error_norm norm; /* of the trial: the followers' part first */
    sens_real *dense;            /* [stages + extra_stages + 1][n] slopes and a stage state; or NULL */
};

/* ---- sums ---------------------------------------------------------------------------------------------- */

/* Copies n components in the pieces in which sens_explicit_sum writes them. */
static inline void sens_explicit_copy(size_t n, const sens_real *from, sens_real *to)
{
    size_t q = 0;
    for (; q + 8 <= n; q += 8) memcpy(to + q, from + q, 8 * sizeof *to);
    if (n & 4) memcpy(to + q, from + q, 4 * sizeof *to), q += 4;
    if (n & 2) memcpy(to + q, from + q, 2 * sizeof *to), q += 2;
    if (n & 1) to[q] = from[q];
}

/* out[q] = base[q] + h sum_{j < terms} w_j K[j][q], q < count, rows of K `stride` apart. base NULL: without
 * it. Every such sum of the scheme is this one function, so that equal inputs give equal bits. */
void sens_explicit_sum(size_t count, size_t stride, int terms, sens_real h, const sens_real *base,
                       const sens_real *w, const sens_real *K, sens_real *out);

/* ---- followers ----------------------------------------------------------------------------------------- */

sens_status sens_follow_create(struct sens_ctx *ctx, struct sens_explicit *ex,
                               const struct sens_followers *followers);

/* A solve begins: no slope is known. */
void sens_follow_start(struct sens_follow *follow);

/* The followers' share of a trial step, whose leader's stages are known; adds to its norm. SENS_NONFINITE
 * when a candidate or an estimate is not finite. */
sens_status sens_follow_try(struct sens_explicit *ex, sens_real h);

/* The candidates become the state; k1_known: the last slope of an FSAL pair belongs to it. */
void sens_follow_accept(struct sens_explicit *ex, bool k1_known);

/* ---- dense output, as in scheme.h ---------------------------------------------------------------------- */

extern const struct sens_scheme_dense sens_explicit_dense;
/* The cubic of any scheme whose K_1 is the slope at the start: its 4 n numbers from that at the end, f1 [n]. */
void sens_explicit_cubic(size_t n, const struct sens_step *step, const sens_real *f1, sens_real *coef);
void sens_explicit_dense_eval(const struct sens_scheme *scheme, const sens_real *coef, sens_real theta,
                              sens_real *y);

#endif
