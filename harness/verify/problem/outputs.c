/* What a call does with what its output held: overwrite it, or add to it. */
#include "calls.h"

static const size_t lane_counts[] = {1, 5, 8};
enum { LANE_COUNTS = sizeof lane_counts / sizeof *lane_counts, SHAKES = 3, BATCH = 2 };

/* What remains possible over all calls that failed. */
struct record {
    struct worst worst;
    bool other; /* one is not explained by the output having been added to, or overwritten */
};

static double *made_on(const struct subject *subject, enum callback callback, const struct inputs *in,
                       const double *before)
{
    double *out = verify_copy(subject->v, call_size(subject, callback, in), before);
    call_make(subject, callback, in, out);
    return out;
}

/* ---- overwritten --------------------------------------------------------------------------------------- */

/* Is `dirty` the clean result plus what was there before? */
static bool is_sum(size_t count, size_t terms, const double *dirty, const double *clean, const double *before)
{
    for (size_t q = 0; q < count; q++) {
        const double bound = 16 * ((double)terms + 8) * DBL_EPSILON * (fabs(clean[q]) + fabs(before[q]));
        if (dirty[q] != clean[q] && !(fabs(dirty[q] - clean[q] - before[q]) <= bound)) return false;
    }
    return true;
}

static void try_overwrite(const struct subject *subject, enum callback c, size_t L, struct record *record)
{
    struct verify *v = subject->v;
    const struct inputs in = inputs_create(subject, 1, L);
    const size_t count = call_size(subject, c, &in);
    const double *noise = verify_random(v, count), *zero = verify_array(v, count);
    double *nan = verify_array(v, count);
    for (size_t q = 0; q < count; q++) nan[q] = NAN;
    const double *clean = made_on(subject, c, &in, zero), *dirty = made_on(subject, c, &in, noise);
    const double *unset = made_on(subject, c, &in, nan);
    const bool same = same_numbers(count, clean, dirty) && same_numbers(count, clean, unset);
    worst_note(&record->worst, same ? 0 : 1, 0, "the result of %s, L = %zu, depends on what its output held",
               call_name(c), L);
    record->other = record->other || !is_sum(count, subject->pb->n, dirty, clean, noise);
}

/* ---- added to ------------------------------------------------------------------------------------------ */

/* The rounding of results at the same input: their spread at shaken inputs, over N terms. */
static double *spread_of(const struct subject *subject, enum callback c, const struct inputs *in,
                         const double *clean)
{
    const size_t count = call_size(subject, c, in);
    const double *zero = verify_array(subject->v, count);
    double *spread = verify_array(subject->v, count);
    for (int k = 0; k < SHAKES; k++) {
        const struct inputs shaken = inputs_shaken(subject, in);
        const double *moved = made_on(subject, c, &shaken, zero);
        for (size_t q = 0; q < count; q++) spread[q] = fmax(spread[q], fabs(moved[q] - clean[q]));
    }
    return spread;
}

static void try_accumulate(const struct subject *subject, enum callback c, size_t L, struct record *record)
{
    struct verify *v = subject->v;
    const struct inputs in = inputs_create(subject, BATCH, L);
    const size_t count = call_size(subject, c, &in);
    const double terms = 4 * ((double)(BATCH * subject->pb->n) + 8);
    const double *noise = verify_random(v, count), *zero = verify_array(v, count);
    const double *clean = made_on(subject, c, &in, zero), *sum = made_on(subject, c, &in, noise);
    const double *spread = spread_of(subject, c, &in, clean);
    for (size_t q = 0; q < count; q++) {
        const double size = fabs(noise[q]) + fabs(clean[q]);
        const double bound = terms * (spread[q] + DBL_EPSILON * size);
        const double error = fabs(sum[q] - (noise[q] + clean[q]));
        worst_note(&record->worst, error, bound, "%s, L = %zu, row %zu, on an output of %.4g", call_name(c),
                   L, q / (count / call_rows(subject, c)), noise[q]);
        if (error <= bound) continue;
        record->other = record->other || !(fabs(sum[q] - clean[q]) <= bound);
    }
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static void check(const struct subject *subject, const char *id, bool adds, enum cause cause,
                  void (*try)(const struct subject *subject, enum callback c, size_t L,
                              struct record *record))
{
    struct record record = {.other = false};
    for (int c = 0; c < CALLS; c++)
        for (size_t d = 0; d < LANE_COUNTS; d++) {
            const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
            if (call_applies(subject, (enum callback)c) && call_adds((enum callback)c) == adds)
                try(subject, (enum callback)c, lane_counts[d], &record);
            sens_arena_rewind(&subject->v->ctx.arena, mark);
        }
    struct verify_result result = subject_open(subject, id);
    verify_judge(&result, &record.worst);
    verify_blame(&result, cause, record.other ? 0.5 : 1);
    verify_close(subject->v, &result);
}

void outputs_check_overwrite(const struct subject *subject, const char *id)
{
    check(subject, id, false, CAUSE_output_accumulated, try_overwrite);
}

void outputs_check_accumulate(const struct subject *subject, const char *id)
{
    check(subject, id, true, CAUSE_output_overwritten, try_accumulate);
}
