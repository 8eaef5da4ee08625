/* Explicit Runge-Kutta pairs,
 *
 *     Y_i = y + h sum_{j<i} a_ij K_j,   K_i = f(t + c_i h, Y_i),   y1 = y + h sum_i b_i K_i,
 *     e = h sum_i (b_i - bhat_i) K_i.
 *
 * The current state lives in row 0 of Y and its slope in row 0 of K. The last slope of an FSAL pair is the
 * first one of the next step, where that starts at t + h, bit for bit. Stages run in order; the sum over j is
 * innermost and in registers, one pass over the components. */
#include "explicit.h"

#include <tgmath.h>

/* ---- sums ---------------------------------------------------------------------------------------------- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A product that is rounded before it is added to. Contraction may fuse either product of a b + c d; with
 * this it can only fuse the other, in every copy that the compiler makes of a sum. */
#if defined __has_builtin
#if __has_builtin(__builtin_assoc_barrier)
#define ROUNDED(product) __builtin_assoc_barrier(product)
#endif
#endif
#ifndef ROUNDED
#define ROUNDED(product) (product)
#endif

/* The sum of a number of terms and of components known to the compiler, which makes one vector of it where
 * the components fill one. */
ALWAYS_INLINE void sum_piece(int terms, size_t count, size_t stride, sens_real h,
                             const sens_real *restrict base, const sens_real *restrict w,
                             const sens_real *restrict K, sens_real *restrict out)
{
#pragma GCC unroll 1 /* unrolled first, it would not become one vector */
    for (size_t q = 0; q < count; q++) {
        sens_real sum = w[0] * K[q];
        if (terms > 1) sum += ROUNDED(w[1] * K[stride + q]);
#pragma GCC unroll 8
        for (int j = 2; j < terms; j++) sum += w[j] * K[(size_t)j * stride + q];
        out[q] = base ? base[q] + h * sum : h * sum;
    }
}

/* Any number of components, in pieces of 8, 4, 2 and 1. A piece is stored in one go, as the next sum, the
 * copy and most right-hand sides load it: a load that gathers several recent stores waits until they have
 * reached the cache. */
ALWAYS_INLINE void sum_known(int terms, size_t count, size_t stride, sens_real h, const sens_real *base,
                             const sens_real *w, const sens_real *K, sens_real *out)
{
    size_t q = 0;
    for (; q + 8 <= count; q += 8) sum_piece(terms, 8, stride, h, base ? base + q : NULL, w, K + q, out + q);
    if (count & 4) sum_piece(terms, 4, stride, h, base ? base + q : NULL, w, K + q, out + q), q += 4;
    if (count & 2) sum_piece(terms, 2, stride, h, base ? base + q : NULL, w, K + q, out + q), q += 2;
    if (count & 1) sum_piece(terms, 1, stride, h, base ? base + q : NULL, w, K + q, out + q);
}

/* Any number of terms, in tiles of components that stay in registers. */
static __attribute__((noinline)) void sum_any(int terms, size_t count, size_t stride, sens_real h,
                                              const sens_real *restrict base, const sens_real *restrict w,
                                              const sens_real *restrict K, sens_real *restrict out)
{
    enum { TILE = 8 };
    size_t q = 0;
    for (; q + TILE <= count; q += TILE) {
        sens_real sum[TILE];
        for (size_t l = 0; l < TILE; l++) sum[l] = w[0] * K[q + l];
        for (int j = 1; j < terms; j++)
            for (size_t l = 0; l < TILE; l++) sum[l] += w[j] * K[(size_t)j * stride + q + l];
        for (size_t l = 0; l < TILE; l++) out[q + l] = base ? base[q + l] + h * sum[l] : h * sum[l];
    }
    for (; q < count; q++) {
        sens_real sum = w[0] * K[q];
        for (int j = 1; j < terms; j++) sum += w[j] * K[(size_t)j * stride + q];
        out[q] = base ? base[q] + h * sum : h * sum;
    }
}

/* A function for each number of terms: in one, all would pay for the registers of the largest. Of few components, in
 * rows as long as they are many, each number has functions of its own: a solve of few states is as long as they are. */
typedef void sum_function(size_t count, size_t stride, sens_real h, const sens_real *base, const sens_real *w,
                          const sens_real *K, sens_real *out);

#define SUM_OF(name, terms, known_count, known_stride)                                                       \
    static void name(size_t count, size_t stride, sens_real h, const sens_real *base, const sens_real *w,    \
                     const sens_real *K, sens_real *out)                                                     \
    {                                                                                                        \
        (void)count, (void)stride;                                                                           \
        if (base)                                                                                            \
            sum_known(terms, known_count, known_stride, h, base, w, K, out);                                 \
        else                                                                                                 \
            sum_known(terms, known_count, known_stride, h, NULL, w, K, out);                                 \
    }

enum { KNOWN = 8 };
#define SUMS_OF(name, count, stride)                                                                         \
    SUM_OF(name##_1, 1, count, stride)                                                                       \
    SUM_OF(name##_2, 2, count, stride)                                                                       \
    SUM_OF(name##_3, 3, count, stride)                                                                       \
    SUM_OF(name##_4, 4, count, stride)                                                                       \
    SUM_OF(name##_5, 5, count, stride)                                                                       \
    SUM_OF(name##_6, 6, count, stride)                                                                       \
    SUM_OF(name##_7, 7, count, stride)                                                                       \
    static sum_function *const name[KNOWN] = {NULL,     name##_1, name##_2, name##_3,                        \
                                              name##_4, name##_5, name##_6, name##_7};
SUMS_OF(sums_of_any, count, stride)
SUMS_OF(sums_of_1, 1, 1)
SUMS_OF(sums_of_2, 2, 2)
SUMS_OF(sums_of_3, 3, 3)
SUMS_OF(sums_of_4, 4, 4)
SUMS_OF(sums_of_5, 5, 5)

enum { FEW = 6 };
static sum_function *const *const sums_of[FEW] = {sums_of_any, sums_of_1, sums_of_2,
                                                  sums_of_3,   sums_of_4, sums_of_5};

ALWAYS_INLINE void sum(size_t count, size_t stride, int terms, sens_real h, const sens_real *base,
                       const sens_real *w, const sens_real *K, sens_real *out)
{
    if (terms < KNOWN)
        sums_of[count < FEW && count == stride ? count : 0][terms](count, stride, h, base, w, K, out);
    else
        sum_any(terms, count, stride, h, base, w, K, out);
}

void sens_explicit_sum(size_t count, size_t stride, int terms, sens_real h, const sens_real *base,
                       const sens_real *w, const sens_real *K, sens_real *out)
{
    sum(count, stride, terms, h, base, w, K, out);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static size_t count_estimated(const struct sens_ode *ode)
{
    size_t end = 0, estimated = 0;
    for (size_t k = 0; k < ode->n_parts; k++) {
        end += ode->part[k].count;
        if (ode->part[k].tested) estimated = end;
    }
    return estimated;
}

/* For trials. */
static bool create_candidates(struct sens_ctx *ctx, struct sens_explicit *ex)
{
    const struct sens_scheme_setup *with = &ex->scheme.with;
    const struct sens_tableau *tb = with->tableau;
    const size_t n = with->ode->n;
    const bool needs_e3 = with->controller->uses_e3 && tb->e3;
    ex->own_Y = ex->scheme.Y = SENS_NEW(ctx, sens_real, ex->scheme.stage_size);
    ex->y1 = SENS_NEW(ctx, sens_real, n);
    ex->e = tb->e ? SENS_NEW(ctx, sens_real, n) : NULL;
    ex->e3 = needs_e3 ? SENS_NEW(ctx, sens_real, n) : NULL;
    ex->n_estimated = count_estimated(with->ode);
    ex->trial = (struct sens_trial){.f = ex->K, .e = ex->e, .e3 = ex->e3};
    return ex->own_Y && ex->y1 && (ex->e || !tb->e) && (ex->e3 || !needs_e3);
}

/* Restaging by an engine: it writes where the step ends, and an estimate, wanted or not. */
static bool create_engine_room(struct sens_ctx *ctx, struct sens_explicit *ex)
{
    ex->y1 = SENS_NEW(ctx, sens_real, ex->scheme.with.ode->n);
    ex->e = SENS_NEW(ctx, sens_real, ex->scheme.with.ode->n);
    return ex->y1 && ex->e;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                          struct sens_scheme **scheme)
{
    struct sens_explicit *ex = SENS_NEW(ctx, struct sens_explicit, 1);
    if (!ex) return SENS_NO_MEMORY;
    *ex = (struct sens_explicit){.scheme = {.type = &sens_scheme_explicit, .with = *setup}};
    ex->scheme.stage_size = (size_t)setup->tableau->stages * setup->ode->n;
    ex->scheme.K = ex->K = SENS_NEW(ctx, sens_real, ex->scheme.stage_size);
    ex->scheme.bytes = ex->scheme.stage_size * sizeof(sens_real);
    if (!ex->K || (setup->controller && !create_candidates(ctx, ex))) return SENS_NO_MEMORY;
    if (setup->ode->engine && !setup->controller && !create_engine_room(ctx, ex)) return SENS_NO_MEMORY;
    *scheme = &ex->scheme;
    return SENS_OK;
}

static sens_status follow(struct sens_ctx *ctx, struct sens_scheme *scheme,
                          const struct sens_followers *followers)
{
    return sens_follow_create(ctx, (struct sens_explicit *)scheme, followers);
}

/* ---- the current state --------------------------------------------------------------------------------- */

static void start(struct sens_scheme *scheme, sens_real t, const sens_real *y, sens_real *place)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    scheme->Y = place ? place : ex->own_Y;
    if (scheme->Y != y) memcpy(scheme->Y, y, scheme->with.ode->n * sizeof *y);
    scheme->t = t;
    ex->k1_known = false;
    if (ex->follow) sens_follow_start(ex->follow);
}

/* *made counts the evaluations of f of a trial in a register: a step of few states is short. */
ALWAYS_INLINE sens_status first_slope(struct sens_explicit *ex, long *made)
{
    const struct sens_ode *ode = ex->scheme.with.ode;
    if (ex->k1_known) return SENS_OK;
    ++*made;
    const sens_status status = sens_slope(ode, ex->scheme.t, ex->scheme.Y, ex->K);
    ex->k1_known = status == SENS_OK;
    return status;
}

static sens_status slope(struct sens_scheme *scheme, const sens_real **f)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    *f = ex->K;
    return first_slope(ex, &scheme->did.slopes);
}

/* The state y1 at the end of a step h becomes the current one. */
static inline void advance(struct sens_explicit *ex, sens_real h, sens_real t1, const sens_real *y1,
                           sens_real *place)
{
    struct sens_scheme *scheme = &ex->scheme;
    const struct sens_tableau *tb = scheme->with.tableau;
    const size_t n = scheme->with.ode->n;
    ex->k1_known = tb->fsal && t1 == scheme->t + h; /* the last slope belongs to t + h, bit for bit */
    if (y1 != place) sens_explicit_copy(n, y1, place);
    if (ex->k1_known) sens_explicit_copy(n, ex->K + (size_t)(tb->stages - 1) * n, ex->K);
    scheme->Y = place;
    scheme->t = t1;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

/* Stage states 1 ... stages - 1 and the slopes 1 ... slopes - 1, from row 0 of each; all slopes but the last. */
ALWAYS_INLINE sens_status later_stages(struct sens_explicit *ex, sens_real h, int slopes, long *made)
{
    const struct sens_ode *ode = ex->scheme.with.ode;
    const struct sens_tableau *tableau = ex->scheme.with.tableau;
    const size_t n = ode->n, row = (size_t)tableau->stages + (size_t)tableau->extra_stages;
    const sens_real t = ex->scheme.t, *a = tableau->a;
    sens_real *Y = ex->scheme.Y, *K = ex->K, *Y_i = Y, *K_i = K;
    for (int i = 1; i < tableau->stages; i++) {
        a += row, Y_i += n, K_i += n;
        sum(n, n, i, h, Y, a, K, Y_i);
        if (i == slopes) break;
        ++*made;
        const sens_status status = sens_slope(ode, sens_stage_time(tableau, t, h, i), Y_i, K_i);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* The scaled error norm of the trial at hand; NaN when its estimate is not finite. */
static sens_real scaled_error(struct sens_explicit *ex, sens_real h)
{
    const struct sens_scheme_setup *with = &ex->scheme.with;
    const struct sens_tableau *tb = with->tableau;
    const size_t n = with->ode->n, count = ex->n_estimated;
    if (!ex->by_engine) sum(count, n, tb->stages, h, NULL, tb->e, ex->K, ex->e);
    if (ex->e3) sum(count, n, tb->stages, h, NULL, tb->e3, ex->K, ex->e3);
    if (!sens_finite(count, ex->e)) return (sens_real)NAN;
    ex->trial.h = h, ex->trial.y = ex->scheme.Y, ex->trial.y1 = ex->scheme.y1;
    if (!ex->follow) ex->norm = (struct sens_error_norm){0};
    sens_error_norm_add(with->controller, with->ode, &ex->trial, &ex->norm);
    return with->controller->norm(&ex->norm);
}

/* Where the step ends, a candidate at `beside` unless it is the last stage state. The sums skip no zero
 * weight: a slope that is not finite shows in the candidate or in the estimate. */
static inline const sens_real *end_state(const struct sens_explicit *ex, sens_real h, sens_real *beside)
{
    const struct sens_tableau *tb = ex->scheme.with.tableau;
    const size_t n = ex->scheme.with.ode->n;
    if (tb->fsal) return ex->scheme.Y + (size_t)(tb->stages - 1) * n;
    if (!ex->by_engine) sum(n, n, tb->stages, h, ex->scheme.Y, tb->b, ex->K, beside);
    return beside;
}

/* The whole step by the engine of the problem, candidate at `y1` and estimate with it. It begins with the slope at the
 * current state, known or not: the bits of a step then depend on that state alone, as restaging needs it, however the
 * compiler rounds the same f in two places. false: the library has to take the step, likewise. */
static inline bool step_by_engine(struct sens_explicit *ex, sens_real h, sens_real *y1)
{
    const struct sens_ode *ode = ex->scheme.with.ode;
    const struct sens_step_engine *engine = ode->engine;
    ex->by_engine = false;
    if (!engine) return false;
    engine->forward(ex->scheme.t, h, ode->p, ex->scheme.Y, ex->K, y1, ex->e);
    ex->by_engine = !engine->holds || engine->holds(engine, ex->scheme.t, h, ode->p, ex->scheme.Y);
    ex->k1_known = ex->by_engine;
    if (ex->by_engine) ex->scheme.did.slopes += ex->scheme.with.tableau->stages;
    return ex->by_engine;
}

static sens_status stages_by_library(struct sens_explicit *ex, sens_real h, int slopes)
{
    long made = 0;
    sens_status status = slopes > 0 ? first_slope(ex, &made) : SENS_OK;
    if (status == SENS_OK) status = later_stages(ex, h, slopes, &made);
    ex->scheme.did.slopes += made;
    return status;
}

static sens_status try_step(struct sens_scheme *scheme, sens_real h, sens_real *err)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    const bool made = step_by_engine(ex, h, ex->y1) || (ex->follow && scheme->with.ode->n == 0);
    sens_status status = made ? SENS_OK : stages_by_library(ex, h, scheme->with.tableau->stages);
    if (status != SENS_OK) return status;
    scheme->y1 = end_state(ex, h, ex->y1);
    if (!sens_finite(scheme->with.ode->n, scheme->y1)) return SENS_NONFINITE;
    if (ex->follow) status = sens_follow_try(ex, h);
    if (status == SENS_OK && err) *err = scaled_error(ex, h);
    return status;
}

static void accept(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *place)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    advance(ex, h, t1, scheme->y1, place ? place : ex->own_Y);
    if (ex->follow) sens_follow_accept(ex, ex->k1_known);
}

/* The last step needs neither its end nor, therefore, its last slope. */
static sens_status restage(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *next)
{
    struct sens_explicit *ex = (struct sens_explicit *)scheme;
    const int stages = scheme->with.tableau->stages, slopes = next ? stages : stages - 1;
    const bool made = step_by_engine(ex, h, next ? next : ex->y1);
    const sens_status status = made ? SENS_OK : stages_by_library(ex, h, slopes);
    if (status == SENS_OK && next) advance(ex, h, t1, end_state(ex, h, next), next);
    return status;
}

const struct sens_scheme_type sens_scheme_explicit = {
    .create = create,
    .follow = follow,
    .start = start,
    .slope = slope,
    .try = try_step,
    .accept = accept,
    .restage = restage,
    .dense = &sens_explicit_dense,
};
