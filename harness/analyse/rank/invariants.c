/* Linear invariants, see invariants.h. */
#include "invariants.h"

#include <float.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "append.h"
#include "dense.h"
#include "whole.h"

enum { POINTS_BASE = 40, DRAWS = 20, LARGEST_WHOLE = 1000, SHORTENED_MOST = 64 };
/* Columns are of length 1, and rows are divided by their largest entry: what is left of a sum that
 * vanishes is rounding. */
static const double rank_bound = 1e-12, residual_bound = 1e-11, whole_bound = 1e-7,
                    part_of_parameter =
                        1.0 / 1024; /* far above residual_bound, and no model notices it else */

struct points { /* f [count][n] at drawn points, each row by its largest entry */
    size_t count;
    double *f;
};

/* Every entry anew, over six decades below the largest of its state or, where that is small, of all states: each term
 * of f is then the largest one at some points, and none is lost beside the others. Near: the solution at a drawn time,
 * every entry moved by up to half of it, for an f that has no values elsewhere. */
static void draw_point(gsl_rng *rng, const struct analysis *analysis, const double *largest, bool near,
                       double *t, sens_real *x)
{
    const size_t n = analysis->n, j = gsl_rng_uniform_int(rng, analysis->grid.times);
    *t = analysis->grid.t[j];
    for (size_t i = 0; i < n; i++) {
        const double u = gsl_rng_uniform(rng), value = solution_state(analysis, &analysis->closer, j, i);
        const double small = 1e-3 * largest[n], size = fmax(largest[i], small);
        const double moved = value * (0.5 + u) + (fabs(value) < small ? small * gsl_rng_uniform(rng) : 0);
        x[i] = near ? moved : (value < 0 ? -size : size) * pow(10, -6 * u);
    }
}

/* Of each state over all times, then of all; 1 where all are 0. largest [n + 1] */
static void find_largest(const struct analysis *analysis, double *largest)
{
    const size_t n = analysis->n;
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t i = 0; i < n; i++)
            largest[i] = fmax(largest[i], fabs(solution_state(analysis, &analysis->closer, j, i)));
    for (size_t i = 0; i < n; i++) largest[n] = fmax(largest[n], largest[i]);
    if (!(largest[n] > 0)) largest[n] = 1;
}

static bool take_row(const struct analysis *analysis, const struct sens_at *at, double *row)
{
    const struct sens_problem *const pb = &analysis->cell->problem;
    double largest = 0;
    if (pb->type->rhs(pb, at, row) != SENS_OK) return false;
    for (size_t i = 0; i < analysis->n; i++) {
        if (!isfinite(row[i])) return false;
        largest = fmax(largest, fabs(row[i]));
    }
    for (size_t i = 0; i < analysis->n && largest > 0; i++) row[i] /= largest;
    return true;
}

static sens_status draw(struct sens_ctx *ctx, const struct analysis *analysis, const sens_real *p,
                        unsigned long seed, size_t count, struct points *points)
{
    const size_t n = analysis->n;
    double *const largest = SENS_NEW(ctx, double, n + 1);
    sens_real *const x = SENS_NEW(ctx, sens_real, n);
    *points = (struct points){0, SENS_NEW(ctx, double, count *n)};
    gsl_rng *const rng = largest && x && points->f ? gsl_rng_alloc(gsl_rng_mt19937) : NULL;
    if (!rng) return SENS_NO_MEMORY;
    gsl_rng_set(rng, seed);
    find_largest(analysis, largest);
    for (size_t tries = 0; tries < DRAWS * count && points->count < count; tries++) {
        double t;
        draw_point(rng, analysis, largest, tries >= 2 * count, &t, x);
        const struct sens_at at = {t, x, p};
        points->count += take_row(analysis, &at, points->f + points->count * n);
    }
    gsl_rng_free(rng);
    if (points->count == count) return SENS_OK;
    return sens_fail(ctx, SENS_RHS_FAILED, "the right-hand side has no values around the solution");
}

/* ---- the null space ------------------------------------------------------------------------------------ */

/* A [n][count] by columns, each of length 1; what it was divided by in length [n], 1 for a column of zeros. */
static void by_columns(const struct points *points, size_t n, double *A, double *length)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t r = 0; r < points->count; r++) sum += points->f[r * n + i] * points->f[r * n + i];
        length[i] = sum > 0 ? sqrt(sum) : 1;
        for (size_t r = 0; r < points->count; r++)
            A[i * points->count + r] = points->f[r * n + i] / length[i];
    }
}

/* With A P = Q (R1 R2; 0 0): one vector for each column past the rank, P (-R1^-1 r2; 1). */
static void null_vector(size_t n, size_t rank, size_t free_one, const size_t *order, const double *R,
                        const double *length, double *work, double *c)
{
    for (size_t r = 0; r < rank; r++) work[r] = -R[r * n + rank + free_one];
    dense_solve_triangle(rank, n, R, false, work);
    for (size_t i = 0; i < n; i++) c[i] = 0;
    for (size_t r = 0; r < rank; r++) c[order[r]] = work[r] / length[order[r]];
    c[order[rank + free_one]] = 1 / length[order[rank + free_one]];
}

/* Is c^T f zero at all of these points, to rounding? */
static bool vanishes(const struct points *points, size_t n, const double *c)
{
    for (size_t r = 0; r < points->count; r++) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < n; i++) {
            sum += c[i] * points->f[r * n + i];
            size += fabs(c[i] * points->f[r * n + i]);
        }
        if (fabs(sum) > residual_bound * size) return false;
    }
    return true;
}

static sens_status null_space(struct sens_ctx *ctx, size_t n, const struct points *points,
                              const struct points *others, struct invariants *found)
{
    size_t *const order = SENS_NEW(ctx, size_t, n), rank = 0;
    double *const A = SENS_NEW(ctx, double, n * points->count), *const R = SENS_NEW(ctx, double, n *n);
    double *const length = SENS_NEW(ctx, double, n), *const work = SENS_NEW(ctx, double, n);
    if (!order || !A || !R || !length || !work) return SENS_NO_MEMORY;
    by_columns(points, n, A, length);
    const sens_status status = dense_pivoted_qr(ctx, points->count, n, A, order, R);
    if (status != SENS_OK) return status;
    while (rank < n && fabs(R[rank * n + rank]) > rank_bound) rank++;
    for (size_t free_one = 0; free_one < n - rank; free_one++) {
        double *const c = found->c + found->count * n;
        null_vector(n, rank, free_one, order, R, length, work, c);
        whole_ratios(n, c, LARGEST_WHOLE, whole_bound);
        found->count += vanishes(others, n, c);
    }
    return SENS_OK;
}

/* ---- the shortest sums --------------------------------------------------------------------------------- */

struct length {
    size_t terms, minus;
};

static bool shorter(struct length a, struct length b)
{
    return a.terms < b.terms || (a.terms == b.terms && a.minus < b.minus);
}

static struct length length_of(size_t n, const double *c)
{
    struct length length = {0, 0};
    for (size_t i = 0; i < n; i++) length.terms += c[i] != 0, length.minus += c[i] < 0;
    return length;
}

/* c less so much of another invariant that one of its terms goes, if that is a shorter sum. made [n]: room */
static bool shorten_by(size_t n, const struct points *others, const double *other, double *c, double *made)
{
    for (size_t gone = 0; gone < n; gone++) {
        if (c[gone] == 0 || other[gone] == 0) continue;
        const double part = c[gone] / other[gone];
        for (size_t i = 0; i < n; i++) made[i] = i == gone ? 0 : c[i] - part * other[i];
        whole_ratios(n, made, LARGEST_WHOLE, whole_bound);
        if (!shorter(length_of(n, made), length_of(n, c)) || !vanishes(others, n, made)) continue;
        memcpy(c, made, n * sizeof *c);
        return true;
    }
    return false;
}

/* A null space has many bases: of few terms, and of sums rather than differences, is the one that people write down
 * ("E + ES" and not "S - E + P"). Every step makes one of them shorter, so that there is an end. */
static sens_status shorten(struct sens_ctx *ctx, size_t n, const struct points *others,
                           struct invariants *found)
{
    double *const made = SENS_NEW(ctx, double, n);
    if (!made) return SENS_NO_MEMORY;
    bool again = found->count <= SHORTENED_MOST;
    while (again) {
        again = false;
        for (size_t v = 0; v < found->count; v++)
            for (size_t w = 0; w < found->count; w++)
                if (v != w) again |= shorten_by(n, others, found->c + w * n, found->c + v * n, made);
    }
    return SENS_OK;
}

/* ---- on what they depend ------------------------------------------------------------------------------- */

/* c^T f is looked at with each parameter moved by a part of itself. Where f has no values then, nothing is known, and S
 * is held to the invariant as if it were one for all parameters. */
static sens_status find_dependence(struct sens_ctx *ctx, const struct analysis *analysis,
                                   struct invariants *invariants)
{
    const size_t n = analysis->n, np = analysis->np;
    sens_real *const p = SENS_NEW(ctx, sens_real, np);
    if (!p) return SENS_NO_MEMORY;
    for (size_t k = 0; k < np; k++) p[k] = analysis->p[k];
    for (size_t k = 0; k < np && invariants->count > 0; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
        struct points points;
        p[k] = p[k] != 0 ? p[k] * (1 + part_of_parameter) : part_of_parameter;
        const sens_status status = draw(ctx, analysis, p, 3, POINTS_BASE, &points);
        p[k] = analysis->p[k];
        for (size_t v = 0; v < invariants->count && status == SENS_OK; v++)
            invariants->depends[v * np + k] = !vanishes(&points, n, invariants->c + v * n);
        sens_arena_rewind(&ctx->arena, mark);
        if (status != SENS_OK && status != SENS_RHS_FAILED) return status;
    }
    ctx->message[0] = '\0';
    return SENS_OK;
}

/* c becomes M^T c. false: that is 0, and c^T f = 0 says nothing of sums of states. */
static bool weigh_by_mass(const struct sens_mass *mass, size_t n, double *c, double *made)
{
    bool any = false;
    memset(made, 0, n * sizeof *made);
    for (size_t i = 0; i < n; i++)
        for (size_t e = mass->pattern.start[i]; e < mass->pattern.start[i + 1]; e++)
            made[mass->pattern.col[e]] += (double)mass->value[e] * c[i];
    for (size_t i = 0; i < n; i++) any = any || made[i] != 0;
    if (any) whole_ratios(n, made, LARGEST_WHOLE, whole_bound);
    memcpy(c, made, n * sizeof *c);
    return any;
}

/* Of M x' = f, c^T f = 0 keeps (M^T c)^T x. */
static sens_status apply_mass(struct sens_ctx *ctx, const struct analysis *analysis, struct invariants *found)
{
    const struct sens_mass *const mass = analysis->cell->problem.mass;
    const size_t n = analysis->n, np = analysis->np, count = found->count;
    double *const made = mass ? SENS_NEW(ctx, double, n) : NULL;
    if (!mass) return SENS_OK;
    if (!made) return SENS_NO_MEMORY;
    found->count = 0;
    for (size_t v = 0; v < count; v++) {
        double *const c = found->c + found->count * n;
        memmove(c, found->c + v * n, n * sizeof *c);
        memmove(found->depends + found->count * np, found->depends + v * np, np * sizeof *found->depends);
        found->count += weigh_by_mass(mass, n, c, made);
    }
    return SENS_OK;
}

sens_status invariants_find(struct sens_ctx *ctx, const struct analysis *analysis,
                            struct invariants *invariants)
{
    const size_t n = analysis->n, count = 4 * n + POINTS_BASE;
    struct points points, others;
    *invariants = (struct invariants){.c = SENS_NEW(ctx, double, n *n),
                                      .depends = SENS_NEW(ctx, bool, n * analysis->np)};
    if (!invariants->c || !invariants->depends) return SENS_NO_MEMORY;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    sens_status status = draw(ctx, analysis, analysis->p, 1, count, &points);
    if (status == SENS_OK) status = draw(ctx, analysis, analysis->p, 2, count, &others);
    if (status == SENS_OK) status = null_space(ctx, n, &points, &others, invariants);
    if (status == SENS_OK) status = shorten(ctx, n, &others, invariants);
    if (status == SENS_OK) status = find_dependence(ctx, analysis, invariants);
    if (status == SENS_OK) status = apply_mass(ctx, analysis, invariants);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}

/* ---- along a solution ---------------------------------------------------------------------------------- */

struct sum {
    double value, size; /* sum c_i v_i, and over absolute values */
};

static struct sum weigh(size_t n, const double *c, const sens_real *v, size_t stride)
{
    struct sum sum = {0, 0};
    for (size_t i = 0; i < n; i++) {
        sum.value += c[i] * (double)v[i * stride];
        sum.size += fabs(c[i] * (double)v[i * stride]);
    }
    return sum;
}

/* sum |c_i| off_ik(t_j) of invariants.h. */
static double off_sum(const struct analysis *analysis, const double *c, size_t j, size_t k)
{
    const double p = fabs((double)analysis->p[k]);
    double sum = 0;
    for (size_t i = 0; i < analysis->n; i++) {
        const double error = solution_slope(analysis, &analysis->at_tol, j, i, k) -
                             solution_slope(analysis, &analysis->closer, j, i, k);
        const double last = p > 0 ? DBL_EPSILON * solution_state(analysis, &analysis->at_tol, j, i) / p : 0;
        sum += fabs(c[i]) * (fabs(error) + fabs(last));
    }
    return sum;
}

/* One column of S; one that is zero does not drift. */
static double drift_of_column(const struct analysis *analysis, const struct solution *solution,
                              const double *c, const sens_real *start, size_t k)
{
    const size_t n = analysis->n, np = analysis->np;
    const double rtol = (double)analysis->cell->task.rtol, expected = weigh(n, c, start + k, np).value;
    double drift = 0, size = weigh(n, c, start + k, np).size;
    for (size_t j = 0; j < analysis->grid.times; j++) {
        const struct sum sum = weigh(n, c, solution->S + j * n * np + k, np);
        drift = fmax(drift, fabs(sum.value - expected));
        size = fmax(size, sum.size + (rtol > 0 ? off_sum(analysis, c, j, k) / rtol : 0));
    }
    return size > 0 ? drift / size : 0;
}

sens_status invariant_follow(struct sens_ctx *ctx, const struct analysis *analysis,
                             const struct solution *solution, const double *c, const bool *depends,
                             struct invariant_check *check)
{
    const struct sens_problem *const pb = &analysis->cell->problem;
    const size_t n = analysis->n, np = analysis->np;
    sens_real *const x0 = SENS_NEW(ctx, sens_real, n), *const start = SENS_NEW(ctx, sens_real, n * np);
    if (!x0 || !start) return SENS_NO_MEMORY;
    sens_problem_x0(pb, analysis->p, x0);
    if (sens_problem_x0_depends(pb)) pb->type->x0_jvp_cols(pb, analysis->p, 0, np, start);
    *check = (struct invariant_check){.value = weigh(n, c, x0, 1).value};
    for (size_t j = 0; j < analysis->grid.times; j++) {
        const struct sum sum = weigh(n, c, solution->x + j * n, 1);
        if (sum.size > 0) check->drift_x = fmax(check->drift_x, fabs(sum.value - check->value) / sum.size);
    }
    for (size_t k = 0; k < np; k++) {
        if (depends[k]) continue;
        check->drift_S = fmax(check->drift_S, drift_of_column(analysis, solution, c, start, k));
    }
    return SENS_OK;
}

void invariant_text(const struct analysis *analysis, const double *c, char text[INVARIANT_TEXT])
{
    bool first = true;
    text[0] = '\0';
    for (size_t i = 0; i < analysis->n; i++) {
        if (c[i] == 0) continue;
        append(text, INVARIANT_TEXT, "%s", c[i] < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
        if (fabs(c[i]) != 1) append(text, INVARIANT_TEXT, "%.8g ", fabs(c[i]));
        append(text, INVARIANT_TEXT, "%s", analysis->labels.state[i]);
        first = false;
    }
}
