/* A cell as a contender: measured once for its results, counts and errors; then prepared again and kept, and
 * run whenever a sample is wanted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"
#include "measure.h"
#include "peak.h"

/* Shorter runs are repeated to fill a sample: 1000 clock ticks of 1 us. */
static const double sample_seconds = 1e-3;
/* While it waited, others have used the caches. A run shorter than this is made once before the clock starts;
 * in a longer one the megabytes to be fetched again are lost in a percent. */
static const double cold_seconds = 0.2;
enum { REPEAT_MAX = 1 << 20 };

struct compare_cell {
    const struct spec *spec;
    double memory_limit;
    struct sens_ctx ctx;
    struct cell cell;
    struct sens_out first, out; /* results of the first run, of the last */
    void *state;                /* of the method */
    int repeat, threads;
    double run_seconds;
};

/* ---- runs ---------------------------------------------------------------------------------------------- */

static bool same(const sens_real *a, const sens_real *b, size_t count)
{
    return !a || !b || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_results(const struct compare_cell *me)
{
    const size_t m = me->cell.cost.m, n = me->cell.problem.n, np = me->cell.problem.np;
    const struct sens_out *a = &me->first, *b = &me->out;
    return same(a->G, b->G, m) && same(a->x, b->x, n) && same(a->dGdp, b->dGdp, m * np) &&
           same(a->dGdx0, b->dGdx0, m * n);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `repeat` runs; the sample is of one of them. */
static sens_status batch(struct compare_cell *me, int repeat, struct compare_sample *sample)
{
    struct sens_work work = {0};
    *sample = (struct compare_sample){.peak = NAN};
    const double start = machine_now(), cpu_start = processor_seconds();
    for (int r = 0; r < repeat; r++) {
        const sens_status status = me->cell.method->run(&me->ctx, me->state, &me->out, &work);
        if (status != SENS_OK) return status;
        sample->forward += work.t_forward / repeat;
        sample->reverse += work.t_reverse / repeat;
    }
    sample->total = (machine_now() - start) / repeat;
    sample->cpu = (processor_seconds() - cpu_start) / (sample->total * repeat);
    me->threads = work.threads;
    if (same_results(me)) return SENS_OK;
    return sens_fail(&me->ctx, SENS_NOT_REPEATABLE,
                     "a later run gave other results than the first, bit for bit");
}

/* Doubles the runs of a sample until it is long enough to be timed. */
static sens_status warm_up(struct compare_cell *me)
{
    struct compare_sample sample;
    for (me->repeat = 1;; me->repeat *= 2) {
        const sens_status status = batch(me, me->repeat, &sample);
        if (status != SENS_OK) return status;
        me->run_seconds = sample.total;
        if (sample.total * me->repeat >= sample_seconds || me->repeat >= REPEAT_MAX) return SENS_OK;
    }
}

static sens_status tell(const struct compare_cell *me, sens_status status, char message[COMPARE_TEXT])
{
    if (status != SENS_OK) snprintf(message, COMPARE_TEXT, "%s", me->ctx.message);
    return status;
}

/* ---- the subject --------------------------------------------------------------------------------------- */

static sens_status describe(void *self, struct record *rec, char message[COMPARE_TEXT])
{
    struct compare_cell *me = self;
    struct bench_error error = {""};
    machine_prepare(&me->ctx, true);
    if (me->memory_limit > 0) me->ctx.arena.limit = (size_t)me->memory_limit;
    const sens_status status = cell_resolve(&me->ctx, me->spec, &me->cell, &error);
    if (status != SENS_OK) {
        snprintf(message, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, error.text);
        return status;
    }
    measure_describe(&me->cell, rec);
    machine_place(&me->cell);
    return SENS_OK;
}

/* Results, counts, errors, and a first idea of the times, from which the rates are carried over. The tiny
 * time limit leaves out the frozen-grid derivative, which no one asks for here and which may take long. */
static const struct measure_options once = {
    .warmups = 1, .samples = 3, .sample_budget = 0.05, .timeout = 1e-9};

static sens_status prepare(void *self, struct record *rec, int *repeat, char message[COMPARE_TEXT])
{
    struct compare_cell *me = self;
    sens_status status = measure_cell(&me->ctx, &me->cell, &once, rec, &me->first);
    if (status != SENS_OK) {
        snprintf(message, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, rec->text[COL_message]);
        return status;
    }
    status = cell_out_create(&me->ctx, &me->cell, &me->out);
    if (status == SENS_OK) status = me->cell.method->prepare(&me->ctx, &me->cell.task, &me->state);
    if (status == SENS_OK) status = warm_up(me);
    *repeat = me->repeat;
    return tell(me, status, message);
}

static sens_status take_sample(void *self, struct compare_sample *sample, char message[COMPARE_TEXT])
{
    struct compare_cell *me = self;
    sens_status status = SENS_OK;
    if (me->run_seconds < cold_seconds) status = batch(me, 1, sample);
    if (status == SENS_OK) status = batch(me, me->repeat, sample);
    if (status == SENS_OK) sample->peak = peak_fma(me->cell.variant, me->threads, me->ctx.bind);
    return tell(me, status, message);
}

static void release(void *self)
{
    struct compare_cell *me = self;
    if (me->state && me->cell.method->release) me->cell.method->release(me->state);
    sens_arena_release(&me->ctx.arena);
}

bool compare_cell_create(const struct spec *spec, double memory_limit, struct compare_subject *subject)
{
    struct compare_cell *me = calloc(1, sizeof *me);
    if (!me) return false;
    me->spec = spec;
    me->memory_limit = memory_limit;
    *subject = (struct compare_subject){describe, prepare, take_sample, release, me};
    return true;
}

void compare_cell_free(struct compare_subject *subject)
{
    free(subject->self);
    subject->self = NULL;
}
