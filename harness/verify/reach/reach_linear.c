/* Products as linear maps of vectors of any size, width and content: blocks of many lanes, batches of many
 * points, vectors that hold zeros, very small and very large ones. */
#include <string.h>

#include "reach.h"

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* M (V c) beside (M V) c, for L lanes V and random c: a lane that is wrong shows in the sum. */
static void note_combined(struct worst *worst, const struct linear *map, size_t L)
{
    struct verify *v = map->v;
    const double *V = verify_random(v, map->in * L), *c = verify_random(v, L);
    double *OUT = verify_array(v, map->out * L), *sum = verify_array(v, map->in);
    double *most = verify_array(v, map->in), *image = verify_array(v, map->out);
    for (size_t q = 0; q < map->in * L; q++) {
        sum[q / L] += c[q % L] * V[q];
        most[q / L] += fabs(c[q % L] * V[q]);
    }
    linear_apply(map, L, V, OUT);
    linear_apply(map, 1, sum, image);
    const double *bound = linear_rounding(map, most);
    for (size_t i = 0; i < map->out; i++) {
        double combined = 0;
        for (size_t l = 0; l < L; l++) combined += c[l] * OUT[i * L + l];
        worst_note(worst, fabs(combined - image[i]), bound[i], "%s of %zu lanes, K = %zu, entry %zu",
                   linear_name(map->product), L, map->K, i);
    }
}

static void note_columns(struct worst *worst, const struct subject *subject, const struct sens_at *at,
                         size_t L)
{
    const struct sens_problem *pb = subject->pb;
    struct verify *v = subject->v;
    const size_t n = pb->n, width = L < pb->np ? L : pb->np;
    const size_t k0 = (size_t)verify_integer(v, 0, (long)(pb->np - width));
    double *block = verify_array(v, n * width), *one = verify_array(v, n);
    pb->type->jvp_p_cols(pb, at, k0, width, block);
    for (size_t l = 0; l < width; l++) {
        memset(one, 0, n * sizeof *one);
        pb->type->jvp_p_cols(pb, at, k0 + l, 1, one);
        for (size_t i = 0; i < n; i++)
            worst_note(worst, fabs(block[i * width + l] - one[i]), 8 * DBL_EPSILON * fabs(one[i]),
                       "column %zu of jvp_p_cols, k0 = %zu, L = %zu, component %zu", k0 + l, k0, width, i);
    }
}

/* A batch of K points beside the sum of the points. */
static void note_points(struct worst *worst, const struct linear *map)
{
    const struct sens_problem *pb = map->pb;
    struct verify *v = map->v;
    const double *W = verify_random(v, map->in);
    double *got = verify_array(v, pb->np), *want = verify_array(v, pb->np), *most = verify_array(v, map->in);
    for (size_t q = 0; q < map->in; q++) most[q] = fabs(W[q]);
    linear_apply(map, 1, W, got);
    for (size_t k = 0; k < map->K; k++)
        pb->type->vjp_p_batch(pb, 1, map->t + k, map->X + k * pb->n, map->p, 1, W + k * pb->n, want);
    const double *bound = linear_rounding(map, most);
    for (size_t q = 0; q < pb->np; q++)
        worst_note(worst, fabs(got[q] - want[q]), bound[q], "vjp_p_batch, K = %zu, parameter %zu", map->K, q);
}

void reach_note_blocks(struct worst *worst, const struct subject *subject, size_t L, size_t K)
{
    const struct sens_at at = subject_point(subject, 1);
    const struct linear forward = linear_at(subject, PRODUCT_JVP, &at),
                        reverse = linear_at(subject, PRODUCT_VJP, &at);
    note_combined(worst, &forward, L);
    note_combined(worst, &reverse, L);
    if (subject->pb->np == 0) return;
    const struct batch few = batch_create(subject, 2), many = batch_create(subject, K);
    const struct linear narrow = linear_batch(subject, few.K, few.t, few.X, few.p),
                        deep = linear_batch(subject, many.K, many.t, many.X, many.p);
    note_combined(worst, &narrow, L);
    note_points(worst, &deep);
    note_columns(worst, subject, &at, L);
}

/* ---- zeros --------------------------------------------------------------------------------------------- */

/* Which entries of a block are zero: all; all but one lane; whole rows; single entries. */
enum zeros { ZERO_ALL, ZERO_BUT_ONE_LANE, ZERO_ROWS, ZERO_ENTRIES, ZERO_KINDS, ZERO_NONE };

static bool is_zeroed(struct verify *v, enum zeros kind, size_t l, size_t kept, bool row)
{
    if (kind == ZERO_BUT_ONE_LANE) return l != kept;
    if (kind == ZERO_ROWS || kind == ZERO_NONE) return kind == ZERO_ROWS && row;
    return kind == ZERO_ALL || verify_integer(v, 0, 1) == 0;
}

/* rest (if wanted) gets what is taken out of W, so that both add up to what W was; for ZERO_NONE a part of
 * each number. */
static void put_zeros(struct verify *v, enum zeros kind, size_t rows, size_t L, double *W, double *rest)
{
    const size_t kept = (size_t)verify_integer(v, 0, (long)L - 1);
    for (size_t q = 0; kind == ZERO_NONE && rest && q < rows * L; q++) {
        rest[q] = W[q] * verify_uniform(v, -1, 1);
        W[q] -= rest[q];
    }
    for (size_t i = 0; i < rows; i++) {
        const bool row = verify_integer(v, 0, 1) == 0;
        for (size_t l = 0; l < L; l++) {
            if (!is_zeroed(v, kind, l, kept, row)) continue;
            if (rest) rest[i * L + l] = W[i * L + l];
            W[i * L + l] = 0;
        }
    }
}

/* vjp and jvp overwrite their output, whatever is multiplied. */
static void note_dirty(struct worst *worst, const struct subject *subject, enum callback c, enum zeros kind,
                       size_t L)
{
    struct verify *v = subject->v;
    const struct inputs in = inputs_create(subject, 1, L);
    const size_t count = call_size(subject, c, &in);
    double *clean = verify_array(v, count), *dirty = verify_random(v, count);
    put_zeros(v, kind, subject->pb->n, L, in.W, NULL);
    call_make(subject, c, &in, clean);
    call_make(subject, c, &in, dirty);
    for (size_t q = 0; q < count; q++) {
        const bool is_same = same_numbers(1, &clean[q], &dirty[q]);
        worst_note(worst, is_same ? 0 : 1, 0,
                   "%s, L = %zu, of vectors that hold zeros keeps what its output held, entry %zu, lane %zu",
                   call_name(c), L, q / L, q % L);
    }
}

/* A batch of zeros adds nothing. */
static void note_untouched(struct worst *worst, const struct subject *subject, size_t L)
{
    struct verify *v = subject->v;
    const struct inputs in = inputs_create(subject, 3, L);
    const size_t count = call_size(subject, CALL_VJP_P, &in);
    double *MU = verify_random(v, count);
    const double *before = verify_copy(v, count, MU);
    memset(in.W, 0, in.K * subject->pb->n * L * sizeof *in.W);
    call_make(subject, CALL_VJP_P, &in, MU);
    for (size_t q = 0; q < count; q++)
        worst_note(worst, fabs(MU[q] - before[q]), 0,
                   "vjp_p_batch of zeros changes its output, parameter %zu, lane %zu", q / L, q % L);
}

/* M A + M B beside M (A + B), where an entry is zero in one of A and B. */
static void note_halves(struct worst *worst, const struct linear *map, enum zeros kind, size_t L)
{
    struct verify *v = map->v;
    double *W = verify_random(v, map->in * L), *rest = verify_array(v, map->in * L);
    double *all = verify_array(v, map->out * L), *some = verify_array(v, map->out * L);
    double *others = verify_array(v, map->out * L), *most = verify_array(v, map->in);
    for (size_t q = 0; q < map->in * L; q++) most[q / L] = fmax(most[q / L], fabs(W[q]));
    linear_apply(map, L, W, all);
    put_zeros(v, kind, map->in, L, W, rest);
    linear_apply(map, L, W, some);
    linear_apply(map, L, rest, others);
    const double *bound = linear_rounding(map, most);
    for (size_t q = 0; q < map->out * L; q++)
        worst_note(
            worst, fabs(some[q] + others[q] - all[q]), (kind == ZERO_NONE ? 8 : 2) * bound[q / L],
            "%s, L = %zu: the products of two vectors, each zero where the other is not, do not add up "
            "to that of the sum, entry %zu, lane %zu",
            linear_name(map->product), L, q / L, q % L);
}

static void note_zeros(struct worst *worst, const struct subject *subject, enum zeros kind, size_t L)
{
    const struct batch b = batch_create(subject, 3);
    const struct sens_at at = {b.t[0], b.X, b.p};
    const struct linear forward = linear_at(subject, PRODUCT_JVP, &at),
                        reverse = linear_at(subject, PRODUCT_VJP, &at),
                        batch = linear_batch(subject, b.K, b.t, b.X, b.p);
    note_dirty(worst, subject, CALL_JVP, kind, L);
    note_dirty(worst, subject, CALL_VJP, kind, L);
    note_halves(worst, &forward, kind, L);
    note_halves(worst, &reverse, kind, L);
    if (subject->pb->np == 0) return;
    note_halves(worst, &batch, kind, L);
    if (kind == ZERO_ALL) note_untouched(worst, subject, L);
}

void reach_check_zeros(const struct subject *subject)
{
    static const size_t lanes[] = {1, 3, 8};
    struct worst worst = {.count = 0};
    for (int kind = 0; kind < ZERO_KINDS; kind++)
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            note_zeros(&worst, subject, (enum zeros)kind, lanes[k]);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    struct worst usual = {.count = 0};
    note_zeros(&usual, subject, ZERO_NONE, 3);
    struct verify_result result = subject_open(subject, "reach.zeros");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_zero_cotangent_skipped, worst_passes(&usual) ? 0.95 : 0.1);
    verify_close(subject->v, &result);
}

/* ---- scales -------------------------------------------------------------------------------------------- */

/* Each number on the way may be off by the least one that there is, which the scale makes larger. */
static double underflow(const struct linear *map, int power)
{
    enum { ON_THE_WAY = 64 }; /* for each entry of the vector */
    return ldexp(DBL_TRUE_MIN, -power) * ON_THE_WAY * (double)map->in * (double)map->K;
}

static void note_scale(struct worst *worst, const struct linear *map, int power)
{
    struct verify *v = map->v;
    double *V = verify_random(v, map->in), *most = verify_array(v, map->in);
    double *image = verify_array(v, map->out), *scaled = verify_array(v, map->out);
    for (size_t q = 0; q < map->in; q++) most[q] = fabs(V[q]);
    linear_apply(map, 1, V, image);
    const double *bound = linear_rounding(map, most);
    for (size_t q = 0; q < map->in; q++) V[q] = ldexp(V[q], power);
    linear_apply(map, 1, V, scaled);
    for (size_t i = 0; i < map->out; i++)
        worst_note(worst, fabs(ldexp(scaled[i], -power) - image[i]), bound[i] + underflow(map, power),
                   "%s of 2^%d times a vector, entry %zu", linear_name(map->product), power, i);
}

void reach_check_scale(const struct subject *subject)
{
    static const int powers[] = {-200, -60, -30, 30, 200};
    const struct batch b = batch_create(subject, 3);
    const struct sens_at at = {b.t[0], b.X, b.p};
    const struct linear map[] = {linear_at(subject, PRODUCT_JVP, &at), linear_at(subject, PRODUCT_VJP, &at),
                                 linear_batch(subject, b.K, b.t, b.X, b.p)};
    struct worst worst = {.count = 0};
    for (int m = 0; m < (subject->pb->np > 0 ? 3 : 2); m++)
        for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            note_scale(&worst, &map[m], powers[k]);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    struct verify_result result = subject_open(subject, "reach.scale");
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_scale_threshold, 0.95);
    verify_close(subject->v, &result);
}
