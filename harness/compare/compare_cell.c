/* A cell as a contender: measured once for its results, counts and errors; then prepared again and kept, and
 * run whenever a sample is wanted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "disturbance.h"
#include "machine.h"
#include "measure.h"
#include "peak.h"
#include "seconds.h"

/* Shorter runs are repeated to fill a sample: 1000 clock ticks of 1 us. */
static const double sample_seconds = 1e-3;
/* While it waited, others have used the caches. A run shorter than this is made once before the clock starts;
 * in a longer one the megabytes to be fetched again are lost in a percent. */
static const double cold_seconds = 0.2;
enum { REPEAT_MAX = 1 << 20 };

struct compare_cell {
    const struct spec *spec;
    double memory_limit, target, timeout;
    int rung;          /* of the ladder of tolerances; -1: not found yet, or not to be */
    bool stopped;      /* the search for it, for want of time */
    struct spec tuned; /* the spec with the tolerance of a rung */
    struct sens_ctx ctx;
    struct cell cell;
    struct sens_out first, out; /* results of the first run, of the last */
    void *state;                /* of the method */
    struct fp_state clean;      /* before the method was first called */
    struct disturbance_meter *meter;
    int repeat, threads;
    double run_seconds;
};

/* ---- runs ---------------------------------------------------------------------------------------------- */

static bool same_results(const struct compare_cell *me)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const sens_real *const a = me->first.part[k], *const b = me->out.part[k];
        const struct sens_part_shape shape = cell_part(&me->cell, k);
        if (a && b && memcmp(a, b, shape.rows * shape.cols * sizeof *a) != 0) return false;
    }
    return true;
}

/* What the kernel says of the sample; of another program's it says nothing here. */
static void ask_kernel(struct compare_cell *me, bool elsewhere, struct compare_sample *sample)
{
    struct disturbance found;
    disturbance_end(me->meter, &found);
    const bool told = !elsewhere && !isnan(disturbance_lost(&found));
    sample->cpu = elsewhere ? NAN : found.processor / found.elapsed;
    sample->disturbed = told ? (double)is_disturbed(&found) : NAN;
}

/* `repeat` runs; the sample is of one of them. */
static sens_status take_runs(struct compare_cell *me, int repeat, struct compare_sample *sample)
{
    struct sens_work work = {0};
    *sample = (struct compare_sample){.peak = NAN};
    disturbance_begin(me->meter);
    const double start = seconds_now();
    double elsewhere = 0;
    for (int r = 0; r < repeat; r++) {
        const sens_status status = me->cell.method->run(&me->ctx, me->state, &me->out, &work);
        if (status != SENS_OK) return status;
        sample->forward += work.t_forward / repeat;
        sample->reverse += work.t_reverse / repeat;
        elsewhere += work.t_elsewhere / repeat;
    }
    const double here = (seconds_now() - start) / repeat;
    sample->total = elsewhere > 0 ? elsewhere : here;
    ask_kernel(me, elsewhere > 0, sample);
    me->threads = work.threads;
    const sens_status clean = measure_check_fp(&me->ctx, &me->clean);
    if (clean != SENS_OK) return clean;
    if (same_results(me)) return SENS_OK;
    return sens_fail(&me->ctx, SENS_NOT_REPEATABLE,
                     "a later run gave other results than the first, bit for bit");
}

/* Doubles the runs of a sample until it is long enough to be timed. */
static sens_status warm_up(struct compare_cell *me)
{
    struct compare_sample sample;
    for (me->repeat = 1;; me->repeat *= 2) {
        const sens_status status = take_runs(me, me->repeat, &sample);
        if (status != SENS_OK) return status;
        me->run_seconds = sample.total;
        const bool elsewhere = isnan(sample.cpu); /* by the clock of another program */
        if (elsewhere || sample.total * me->repeat >= sample_seconds || me->repeat >= REPEAT_MAX)
            return SENS_OK;
    }
}

static sens_status tell(const struct compare_cell *me, sens_status status, char message[COMPARE_TEXT])
{
    if (status != SENS_OK) snprintf(message, COMPARE_TEXT, "%s", me->ctx.message);
    return status;
}

/* ---- the subject --------------------------------------------------------------------------------------- */

/* Part of the time for getting ready that the search may take: the rest is for getting ready. */
static const double search_part = 0.8;

static sens_status resolve_run(struct compare_cell *me, const struct spec *spec, struct bench_error *error)
{
    const sens_status status = cell_resolve(&me->ctx, spec, &me->cell, error);
    if (status != SENS_OK || me->cell.product == TIMED_RUN) return status;
    bench_refuse(error, "product: compare times whole runs; products are timed by run and by sweeps");
    return SENS_BAD_INPUT;
}

/* The cell, at a rung where there is one to be found. The arena grows by it. */
static sens_status resolve(struct compare_cell *me, int rung, struct bench_error *error)
{
    if (rung < 0) return resolve_run(me, me->spec, error);
    char tol[COMPARE_TOLERANCE];
    compare_rung_text(rung, tol);
    spec_free(&me->tuned);
    if (!spec_copy(&me->tuned, me->spec)) return SENS_NO_MEMORY;
    if (!spec_set(&me->tuned, "tol", tol, "--error", error)) return SENS_BAD_INPUT;
    return resolve_run(me, &me->tuned, error);
}

static sens_status describe(void *self, struct record *rec, char message[COMPARE_TEXT])
{
    struct compare_cell *me = self;
    struct bench_error error = {.text = ""};
    machine_prepare(&me->ctx, true);
    me->clean = fp_state_read();
    if (me->memory_limit > 0) me->ctx.arena.limit = (size_t)me->memory_limit;
    const sens_status status = resolve(me, me->rung, &error);
    if (status != SENS_OK) {
        snprintf(message, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, error.text);
        return status;
    }
    measure_describe(&me->cell, rec);
    if (!isnan(me->target) && me->rung < 0) rec->number[COL_rtol] = rec->number[COL_atol] = NAN;
    measure_place(&me->cell);
    return SENS_OK;
}

/* Whether no tolerance can help. What is tighter needs more memory, nothing less than the loosest. */
static bool is_hopeless(sens_status status, int rung)
{
    return (status == SENS_NO_MEMORY && rung == RUNG_LOOSEST) || status == SENS_BAD_INPUT ||
           status == SENS_UNSUPPORTED || status == SENS_UNAVAILABLE || status == SENS_NO_TRUTH ||
           status == SENS_NOT_REPEATABLE || status == SENS_IO_ERROR;
}

/* One run, on the counted problem, and its error; the arena is as before. */
static sens_status achieve(void *self, int rung, double *error)
{
    static const struct measure_options untimed = {.timeout = 1e-9}; /* see `once` below */
    struct compare_cell *me = self;
    struct bench_error message = {.text = ""};
    const struct sens_arena_mark mark = sens_arena_mark(&me->ctx.arena);
    struct record *rec = record_create();
    sens_status status = rec ? resolve(me, rung, &message) : SENS_NO_MEMORY;
    if (status != SENS_OK && message.text[0]) sens_fail(&me->ctx, status, "%s", message.text);
    if (status == SENS_OK) status = measure_cell(&me->ctx, &me->cell, &untimed, rec, NULL);
    if (status == SENS_OK && strcmp(rec->text[COL_truth], "none") == 0)
        status = sens_fail(&me->ctx, SENS_NO_TRUTH, "no truth to measure an error against");
    *error = status == SENS_OK ? rec->number[COL_err_grad] : NAN;
    free(rec);
    sens_arena_rewind(&me->ctx.arena, mark);
    return is_hopeless(status, rung) ? status : SENS_OK;
}

static void learn(void *self, const struct calibration *found)
{
    struct compare_cell *me = self;
    me->rung = found->rung;
    me->stopped = found->stopped;
}

/* Leaves the cell as it is at the rung found. */
static sens_status calibrate(void *self, struct calibration *found, char message[COMPARE_TEXT])
{
    struct compare_cell *me = self;
    struct bench_error error = {.text = ""};
    *found = (struct calibration){.rung = me->rung, .error = NAN, .best = NAN, .best_rung = -1};
    if (me->rung >= 0) return SENS_OK; /* by an earlier process */
    const struct calibration_subject subject = {achieve, me, search_part * me->timeout};
    sens_status status = compare_calibrate(&subject, me->target, found);
    if (status != SENS_OK) {
        snprintf(message, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, me->ctx.message);
        return status;
    }
    const char *why = found->stopped ? " (no time for tighter ones)" : "";
    if (found->rung < 0 && found->best_rung < 0)
        snprintf(message, COMPARE_TEXT, "no result with any tolerance%s: %.150s", why, me->ctx.message);
    else if (found->rung < 0)
        snprintf(message, COMPARE_TEXT, "error %.1e; least %.2e, at tol %.3g%s%s", me->target, found->best,
                 compare_rung_tolerance(found->best_rung),
                 found->best <= me->target ? ", by luck: above it with the next" : "", why);
    if (found->rung < 0) return SENS_NOT_REACHED;
    learn(me, found);
    status = resolve(me, me->rung, &error);
    if (status != SENS_OK) snprintf(message, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, error.text);
    return status;
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
    if (me->stopped)
        snprintf(rec->text[COL_message], RECORD_TEXT,
                 "no time to search on: tol may be tighter than needed, or within the error by luck");
    status = cell_out_create(&me->ctx, &me->cell, &me->out);
    if (status == SENS_OK) status = me->cell.method->prepare(&me->ctx, &me->cell.task, &me->state);
    if (status == SENS_OK && !(me->meter = disturbance_create("/proc"))) status = SENS_NO_MEMORY;
    if (status == SENS_OK) status = warm_up(me);
    *repeat = me->repeat;
    return tell(me, status, message);
}

static sens_status take_sample(void *self, struct compare_sample *sample, char message[COMPARE_TEXT])
{
    struct compare_cell *me = self;
    sens_status status = SENS_OK;
    if (me->run_seconds < cold_seconds) status = take_runs(me, 1, sample);
    if (status == SENS_OK) status = take_runs(me, me->repeat, sample);
    if (status == SENS_OK) sample->peak = peak_fma(me->cell.variant, me->threads, me->ctx.bind);
    return tell(me, status, message);
}

static void release(void *self)
{
    struct compare_cell *me = self;
    if (me->state && me->cell.method->release) me->cell.method->release(me->state);
    disturbance_free(me->meter);
    sens_arena_release(&me->ctx.arena);
    spec_free(&me->tuned);
}

bool compare_cell_create(const struct spec *spec, const struct compare_options *options, double target,
                         struct compare_subject *subject)
{
    struct compare_cell *me = calloc(1, sizeof *me);
    if (!me) return false;
    me->spec = spec;
    me->memory_limit = options->memory_limit;
    me->timeout = options->timeout;
    me->target = target;
    me->rung = -1;
    *subject = (struct compare_subject){.describe = describe,
                                        .calibrate = isnan(target) ? NULL : calibrate,
                                        .learn = learn,
                                        .prepare = prepare,
                                        .sample = take_sample,
                                        .release = release,
                                        .self = me};
    return true;
}

void compare_cell_free(struct compare_subject *subject)
{
    free(subject->self);
    subject->self = NULL;
}
