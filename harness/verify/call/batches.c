/* vjp_p_batch against the sum of its points, and ranges of columns against single ones. */
#include "calls.h"

#include <string.h>

enum { ATTEMPTS = 8 };

struct batch batch_create(const struct subject *subject, size_t K)
{
    const size_t n = subject->pb->n;
    const struct sens_at first = subject_point(subject, 1);
    struct batch made = {K, verify_array(subject->v, K), verify_array(subject->v, K * n), first.p};
    for (size_t k = 0; k < K; k++) {
        struct sens_at at = subject_point(subject, 1);
        at.p = first.p; /* which need not go with that state */
        for (int tries = 0; tries < ATTEMPTS && !subject_usable(subject, &at); tries++)
            at.x = subject_point(subject, 1).x;
        if (!subject_usable(subject, &at)) at = first;
        /* Stages of a step may have one time: every third point has that of the one before, where rhs allows it. */
        const struct sens_at again = {k % 3 == 2 ? made.t[k - 1] : at.t, at.x, at.p};
        made.t[k] = subject_usable(subject, &again) ? again.t : at.t;
        memcpy(made.X + k * n, at.x, n * sizeof *at.x);
    }
    return made;
}

/* ---- batches ------------------------------------------------------------------------------------------- */

/* MU = sum over the points of the batch that come before `last`, one call each, at the times and states of
 * point 0 if so wanted. */
struct variant {
    size_t last;
    bool one_time, one_state;
};

static void by_points(const struct subject *subject, const struct batch *b, const struct variant *as,
                      size_t L, const double *W, double *MU)
{
    const struct sens_problem *pb = subject->pb;
    for (size_t k = 0; k < as->last; k++)
        pb->type->vjp_p_batch(pb, 1, b->t + (as->one_time ? 0 : k), b->X + (as->one_state ? 0 : k) * pb->n,
                              b->p, L, W + k * pb->n * L, MU);
}

struct batch_record { /* what remains possible over all counts that failed */
    bool failed, last_lost, one_point, overwritten;
};

static bool same_within(size_t rows, size_t L, const double *a, const double *b, const double *bound)
{
    for (size_t q = 0; q < rows * L; q++)
        if (!(fabs(a[q] - b[q]) <= bound[q / L])) return false;
    return true;
}

static bool explained(const struct subject *subject, const struct batch *b, struct variant as, size_t L,
                      const double *W, const double *got, const double *bound)
{
    double *MU = verify_array(subject->v, subject->pb->np * L);
    by_points(subject, b, &as, L, W, MU);
    return same_within(subject->pb->np, L, got, MU, bound);
}

static void narrow(struct batch_record *record, const struct subject *subject, const struct batch *b,
                   size_t L, const double *W, const double *got, const double *bound)
{
    const size_t K = b->K;
    record->failed = true;
    record->last_lost =
        record->last_lost && explained(subject, b, (struct variant){.last = K - 1}, L, W, got, bound);
    record->one_point =
        record->one_point && (explained(subject, b, (struct variant){K, true, false}, L, W, got, bound) ||
                              explained(subject, b, (struct variant){K, false, true}, L, W, got, bound) ||
                              explained(subject, b, (struct variant){K, true, true}, L, W, got, bound));
}

static void note_batch(struct worst *worst, const struct subject *subject, size_t K, size_t L,
                       struct batch_record *record)
{
    struct verify *v = subject->v;
    const size_t np = subject->pb->np, n = subject->pb->n;
    const struct batch b = batch_create(subject, K);
    const struct linear map = linear_batch(subject, K, b.t, b.X, b.p);
    double *W = verify_random(v, K * n * L), *want = verify_array(v, np * L), *got = verify_array(v, np * L);
    double *most = verify_array(v, K * n);
    for (size_t q = 0; q < K * n * L; q++) most[q / L] = fmax(most[q / L], fabs(W[q]));
    linear_apply(&map, L, W, got);
    by_points(subject, &b, &(struct variant){.last = K}, L, W, want);
    const double *bound = linear_rounding(&map, most);
    for (size_t q = 0; q < np * L; q++)
        worst_note(worst, fabs(got[q] - want[q]), bound[q / L], "K = %zu, L = %zu, parameter %zu, lane %zu",
                   K, L, q / L, q % L);
    if (!same_within(np, L, got, want, bound)) narrow(record, subject, &b, L, W, got, bound);
}

void batch_note(struct worst *worst, const struct subject *subject, size_t K, size_t L)
{
    struct batch_record record = {.failed = false};
    note_batch(worst, subject, K, L, &record);
}

/* K = 0 leaves the output as it is, bit for bit. */
static void note_empty_batch(struct worst *worst, const struct subject *subject, struct batch_record *record)
{
    const struct sens_problem *pb = subject->pb;
    const size_t count = pb->np * 3;
    const struct batch b = batch_create(subject, 1);
    double *MU = verify_random(subject->v, count);
    const double *before = verify_copy(subject->v, count, MU), *W = verify_random(subject->v, pb->n * 3);
    pb->type->vjp_p_batch(pb, 0, b.t, b.X, b.p, 3, W, MU);
    for (size_t q = 0; q < count; q++) {
        worst_note(worst, fabs(MU[q] - before[q]), 0, "K = 0, parameter %zu", q / 3);
        if (MU[q] != before[q]) record->overwritten = true;
    }
}

void batch_check(const struct subject *subject, const char *check)
{
    static const size_t counts[] = {1, 2, 3, 8, 13, 33, 64, 130}, lanes[] = {1, 3, 8};
    struct worst worst = {.count = 0};
    struct batch_record record = {.last_lost = true, .one_point = true};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t d = 0; d < sizeof lanes / sizeof *lanes; d++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            note_batch(&worst, subject, counts[c], lanes[d], &record);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    note_empty_batch(&worst, subject, &record);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    if (record.failed) {
        verify_blame(&result, CAUSE_batch_last_point, record.last_lost ? 1 : 0.2);
        verify_blame(&result, CAUSE_batch_one_point, record.one_point ? 1 : 0.2);
    }
    if (record.overwritten) verify_blame(&result, CAUSE_output_overwritten, 0.9);
    verify_close(subject->v, &result);
}

/* ---- ranges of columns --------------------------------------------------------------------------------- */

typedef void columns_call(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                          double *OUT);

static void parameter_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    pb->type->jvp_p_cols(pb, at, k0, L, OUT);
}

static void initial_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                            double *OUT)
{
    pb->type->x0_jvp_cols(pb, at->p, k0, L, OUT);
}

struct range_record { /* what remains possible over all ranges that failed */
    bool failed, offset_ignored, last_lost;
};

/* Columns k0 ... k0 + L - 1 at once and one by one. */
static void note_range(struct worst *worst, const struct subject *subject, columns_call *call, size_t k0,
                       size_t L, const struct sens_at *at, struct range_record *record)
{
    const struct sens_problem *pb = subject->pb;
    double *block = verify_array(subject->v, pb->n * L);
    double *one = verify_array(subject->v, pb->n), *shifted = verify_array(subject->v, pb->n);
    call(pb, at, k0, L, block);
    for (size_t l = 0; l < L; l++) {
        memset(one, 0, pb->n * sizeof *one), memset(shifted, 0, pb->n * sizeof *shifted);
        call(pb, at, k0 + l, 1, one), call(pb, at, l, 1, shifted);
        for (size_t i = 0; i < pb->n; i++) {
            const double got = block[i * L + l], bound = 8 * DBL_EPSILON * fabs(one[i]);
            worst_note(worst, fabs(got - one[i]), bound, "k0 = %zu, L = %zu, column %zu, component %zu", k0,
                       L, k0 + l, i);
            if (fabs(got - one[i]) <= bound) continue;
            record->failed = true;
            record->offset_ignored = record->offset_ignored && got == shifted[i];
            record->last_lost = record->last_lost && l + 1 == L && L > 1;
        }
    }
}

/* All ranges of a few lengths, or as many at random where there are many; the first and the last are among
 * them. */
static void note_ranges(struct worst *worst, const struct subject *subject, columns_call *call,
                        struct range_record *record)
{
    static const size_t lengths[] = {1, 2, 3, 5, 8, 17};
    enum { RANGES = 12 };
    const size_t np = subject->pb->np;
    const struct sens_at at = subject_point(subject, 1);
    for (size_t c = 0; c < sizeof lengths / sizeof *lengths && lengths[c] <= np; c++) {
        const size_t L = lengths[c], last = np - L;
        for (size_t k = 0; k <= last && k < RANGES; k++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            const size_t drawn = (size_t)verify_integer(subject->v, 0, (long)last);
            const size_t k0 = last < RANGES ? k : k == 0 ? 0 : k == 1 ? last : drawn;
            note_range(worst, subject, call, k0, L, &at, record);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    }
    note_range(worst, subject, call, 0, np < 64 ? np : 64, &at, record);
}

void columns_check(const struct subject *subject, const char *check)
{
    struct worst worst = {.count = 0};
    struct range_record record = {.offset_ignored = true, .last_lost = true};
    note_ranges(&worst, subject, parameter_columns, &record);
    if (call_applies(subject, CALL_X0_JVP)) note_ranges(&worst, subject, initial_columns, &record);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    if (record.failed) {
        verify_blame(&result, CAUSE_lane_offset, record.offset_ignored ? 1 : 0.3);
        verify_blame(&result, CAUSE_lane_tail, record.last_lost ? 0.9 : 0.3);
        verify_blame(&result, CAUSE_lane_mixed, 0.2);
    }
    verify_close(subject->v, &result);
}
