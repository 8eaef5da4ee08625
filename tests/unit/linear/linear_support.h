/* A problem whose J is sparse, not symmetric in its pattern, and depends on x and t: for the tests of
 * methods/linear. */
#ifndef LINEAR_SUPPORT_H
#define LINEAR_SUPPORT_H

#include "unit/kernels/lane_support.h"

#include "jacobian.h"
#include "pattern.h"

static inline bool failed(sens_status status)
{
    return status != SENS_OK;
}

enum { FAR = 5 }; /* f_i has x_(i-1), x_i and x_(i+FAR), where these are */

static inline sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const size_t n = pb->n;
    const double *x = at->x;
    for (size_t i = 0; i < n; i++) {
        dx[i] = -x[i] * x[i] * (double)(i + 1);
        if (i > 0) dx[i] += sin(x[i - 1]) * at->p[0];
        if (i + FAR < n) dx[i] += at->t * x[i] * x[i + FAR];
    }
    return SENS_OK;
}

/* J_ij, for any i and j */
static inline double entry(const struct sens_at *at, size_t n, size_t i, size_t j)
{
    const double *x = at->x;
    if (j == i) return -2 * x[i] * (double)(i + 1) + (i + FAR < n ? at->t * x[i + FAR] : 0);
    if (j + 1 == i) return cos(x[j]) * at->p[0];
    return j == i + FAR ? at->t * x[i] : 0;
}

static long multiplied; /* vectors, by either product */

static inline void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    multiplied += (long)L;
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t j = 0; j < pb->n; j++)
            for (size_t l = 0; l < L; l++) OUT[i * L + l] += entry(at, pb->n, i, j) * V[j * L + l];
}

static inline void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    multiplied += (long)L;
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t i = 0; i < pb->n; i++)
        for (size_t j = 0; j < pb->n; j++)
            for (size_t l = 0; l < L; l++) OUT[j * L + l] += entry(at, pb->n, i, j) * W[i * L + l];
}

static inline void jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const size_t n = pb->n;
    const struct sens_pattern *sparsity = pb->structure->sparsity;
    if (!sparsity)
        for (size_t i = 0; i < n * n; i++) J[i] = entry(at, n, i / n, i % n);
    else
        for (size_t i = 0; i < n; i++)
            for (size_t e = sparsity->start[i]; e < sparsity->start[i + 1]; e++)
                J[e] = entry(at, n, i, sparsity->col[e]);
}

/* Its pattern; without the diagonal of row 2, to see it added. */
static inline struct sens_pattern pattern_of(struct sens_ctx *ctx, size_t n, bool whole)
{
    size_t *start = SENS_NEW(ctx, size_t, n + 1), *col = SENS_NEW(ctx, size_t, 3 * n);
    assert_true(start && col);
    for (size_t i = 0; i < n; i++) {
        start[i + 1] = start[i];
        if (i > 0) col[start[i + 1]++] = i - 1;
        if (whole || i != 2) col[start[i + 1]++] = i;
        if (i + FAR < n) col[start[i + 1]++] = i + FAR;
    }
    return (struct sens_pattern){n, n, start, col};
}

struct linear_bed {
    struct sens_ctx ctx;
    struct sens_problem_type type;
    struct sens_pattern pattern;
    struct sens_structure structure;
    struct sens_problem pb;
    double x[200], p[1];
    struct sens_at at;
};

static inline struct linear_bed *bed_new(size_t n)
{
    struct linear_bed *bed = calloc(1, sizeof *bed);
    assert_non_null(bed);
    bed->type = (struct sens_problem_type){.name = "made", .rhs = rhs, .jvp = jvp, .vjp = vjp};
    bed->pattern = pattern_of(&bed->ctx, n, true);
    bed->p[0] = 0.75;
    for (size_t i = 0; i < n; i++) bed->x[i] = 0.3 + 0.2 * sin(3.0 * (double)i);
    bed->pb = (struct sens_problem){
        .type = &bed->type, .n = n, .np = 1, .x0 = bed->x, .p = bed->p, .structure = &bed->structure};
    bed->at = (struct sens_at){0.4, bed->x, bed->p};
    return bed;
}

static inline void bed_free(struct linear_bed *bed)
{
    sens_arena_release(&bed->ctx.arena);
    free(bed);
}

#endif
