/* From a resolved cell to a measured record, in this order: one run on the counted problem (results,
 * operation counts), warm-ups and timed runs on the plain problem, peak memory, errors against the truth,
 * and the difference from the frozen-grid derivative. */
#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include "explain.h"
#include "machine.h"
#include "peak.h"
#include "samples.h"
#include "seconds.h"
#include "sens/decorate.h"
#include "truth.h"

static const double sample_seconds =
    1e-3; /* shorter runs are repeated to fill a sample: 1000 clock ticks of 1 us */
static const double frozen_seconds = 30; /* for the frozen-grid derivative where the cell has no time limit */
static const double frozen_share = 0.2;  /* of the time limit */
enum { REPEAT_MAX = 1 << 20 };

enum { TOTAL, FORWARD, REVERSE }; /* values of a sample */

struct measurement {
    struct sens_ctx *ctx;
    const struct cell *cell;
    const struct measure_options *options;
    struct sens_out out;
    struct sens_work work;
    struct sens_work counted; /* that of the first run */
    struct sens_counts counts;
    struct samples samples;
    uint64_t digest;           /* of the first run's results */
    double peak;               /* GFLOP/s, of this instruction set and number of threads */
    struct fp_state clean;     /* the floating-point environment before the method was first called */
    struct bench_error reason; /* for there being no truth: longer than the context's message */
};

/* ---- results: finite, and the same every time ---------------------------------------------------------- */

/* A method may not call a NaN a success. */
static sens_status check_finite(const struct measurement *me)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(me->cell, k);
        const sens_real *const v = me->out.part[k];
        for (size_t i = 0; v && i < shape.rows * shape.cols; i++)
            if (!isfinite(v[i]))
                return sens_fail(me->ctx, SENS_NONFINITE, "the method reported success, but %s[%zu] is %g",
                                 shape.name, i, v[i]);
    }
    return SENS_OK;
}

/* Depends on every bit: each step h -> (h ^ bits) * odd number is a bijection, so that no single change is
 * lost. */
static uint64_t out_digest(const struct measurement *me)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(me->cell, k);
        for (size_t i = 0; me->out.part[k] && i < shape.rows * shape.cols; i++) {
            uint64_t bits;
            memcpy(&bits, &me->out.part[k][i], sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3u;
        }
    }
    return hash;
}

sens_status measure_check_fp(struct sens_ctx *ctx, const struct fp_state *before)
{
    char what[160];
    const struct fp_state after = fp_state_read();
    fp_state_difference(before, &after, what);
    if (!what[0]) return SENS_OK;
    fp_state_restore(before);
    return sens_fail(ctx, SENS_FP_STATE, "the method changed %s, and left it so", what);
}

static sens_status check_repeated(const struct measurement *me)
{
    if (out_digest(me) == me->digest) return SENS_OK;
    return sens_fail(me->ctx, SENS_NOT_REPEATABLE,
                     "a later run gave other results than the first, bit for bit");
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* The first run, on the counted problem; its memory is given back before the timed runs take theirs. */
static sens_status counted_run(struct measurement *me)
{
    struct sens_ctx *ctx = me->ctx;
    const struct sens_method_type *method = me->cell->method;
    struct sens_problem counted;
    sens_status status = sens_counted_create(ctx, &me->cell->problem, &me->counts, &counted);
    if (status != SENS_OK) return status;
    struct sens_task task = me->cell->task;
    task.problem = &counted;
    void *state = NULL;
    status = method->prepare(ctx, &task, &state);
    if (status != SENS_OK) return status;
    me->counts = (struct sens_counts){0}; /* what prepare did is not part of a run */
    status = method->run(ctx, state, &me->out, &me->work);
    if (method->release) method->release(state);
    const sens_status clean = measure_check_fp(ctx, &me->clean);
    if (status == SENS_OK) status = clean;
    if (status != SENS_OK) return status;
    me->counted = me->work;
    me->digest = out_digest(me);
    return check_finite(me);
}

/* The counted problem goes by the library, whose operations stand for those of compiled steps; the results are theirs,
 * of a run like those that are timed. */
static sens_status engine_run(struct measurement *me)
{
    const struct sens_method_type *method = me->cell->method;
    void *state = NULL;
    if (!me->cell->problem.engine) return SENS_OK;
    sens_status status = method->prepare(me->ctx, &me->cell->task, &state);
    if (status != SENS_OK) return status;
    status = method->run(me->ctx, state, &me->out, &me->work);
    if (method->release) method->release(state);
    const sens_status clean = measure_check_fp(me->ctx, &me->clean);
    if (status == SENS_OK) status = clean;
    if (status != SENS_OK) return status;
    me->digest = out_digest(me);
    return check_finite(me);
}

struct timing {
    double seconds; /* of all runs together */
    bool elsewhere; /* by the clock of another program */
    struct sample sample;
};

static sens_status run_all(struct measurement *me, void *state, int repeat, struct sens_work *sum)
{
    *sum = (struct sens_work){0};
    for (int r = 0; r < repeat; r++) {
        const sens_status status = me->cell->method->run(me->ctx, state, &me->out, &me->work);
        if (status != SENS_OK) return status;
        sum->t_forward += me->work.t_forward;
        sum->t_reverse += me->work.t_reverse;
        sum->t_elsewhere += me->work.t_elsewhere;
    }
    return SENS_OK;
}

static sens_status take_runs(struct measurement *me, void *state, int repeat, struct timing *timing)
{
    struct sens_work sum;
    samples_begin(&me->samples);
    const double start = seconds_now();
    sens_status status = run_all(me, state, repeat, &sum);
    const double here = seconds_now() - start;
    timing->elsewhere = sum.t_elsewhere > 0;
    timing->seconds = timing->elsewhere ? sum.t_elsewhere : here;
    timing->sample =
        (struct sample){{timing->seconds / repeat, sum.t_forward / repeat, sum.t_reverse / repeat},
                        samples_end(&me->samples, timing->elsewhere)};
    if (status == SENS_OK) status = measure_check_fp(me->ctx, &me->clean);
    return status == SENS_OK ? check_repeated(me) : status;
}

/* Doubles the runs of a sample until it is long enough to be timed; the runs warm up as well. A single
 * run that is longer than the whole budget is kept as the only sample. */
static sens_status timed_runs(struct measurement *me, void *state)
{
    const struct measure_options *options = me->options;
    struct timing timing;
    int repeat = 1, done = 0;
    for (;; repeat *= 2) {
        const sens_status status = take_runs(me, state, repeat, &timing);
        if (status != SENS_OK) return status;
        done += repeat;
        /* what another program took, its own clock told: no need to fill a sample for ours */
        if (options->samples == 0 || timing.seconds >= sample_seconds || timing.elsewhere ||
            repeat >= REPEAT_MAX)
            break;
    }
    if (options->samples > 0 && timing.seconds >= options->sample_budget) {
        samples_keep(&me->samples, &timing.sample);
        return SENS_OK;
    }
    for (; done < options->warmups; done++) {
        const sens_status status = take_runs(me, state, 1, &timing);
        if (status != SENS_OK) return status;
    }
    const double deadline = seconds_now() + options->sample_budget;
    while (!samples_complete(&me->samples)) {
        const sens_status status = take_runs(me, state, repeat, &timing);
        if (status != SENS_OK) return status;
        samples_keep(&me->samples, &timing.sample);
        if (seconds_now() >= deadline) break;
    }
    samples_settle(&me->samples);
    return SENS_OK;
}

static sens_status plain_runs(struct measurement *me)
{
    const struct sens_method_type *method = me->cell->method;
    if (me->options->samples == 0 && me->options->warmups == 0) return SENS_OK;
    void *state = NULL;
    sens_status status = method->prepare(me->ctx, &me->cell->task, &state);
    if (status != SENS_OK) return status;
    status = timed_runs(me, state);
    if (method->release) method->release(state);
    return status;
}

/* Of the same moment as the runs: before and after them, the larger. */
static void measure_peak(struct measurement *me)
{
    if (me->options->samples == 0) return;
    me->peak = fmax(me->peak, peak_fma(me->cell->variant, me->work.threads, me->ctx->bind));
}

static sens_status all_runs(struct measurement *me)
{
    struct sens_ctx *ctx = me->ctx;
    const size_t samples = me->options->samples > 0 ? (size_t)me->options->samples : 0;
    const sens_status ready = samples_create(ctx, samples, &me->samples);
    if (ready != SENS_OK) return ready;
    const sens_status created = cell_out_create(ctx, me->cell, &me->out);
    if (created != SENS_OK) return created;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    sens_status status = counted_run(me);
    sens_arena_rewind(&ctx->arena, mark);
    if (status == SENS_OK) status = engine_run(me);
    sens_arena_rewind(&ctx->arena, mark);
    if (status == SENS_OK) measure_peak(me);
    if (status == SENS_OK) status = plain_runs(me);
    if (status == SENS_OK) measure_peak(me);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}

/* ---- what came out ------------------------------------------------------------------------------------- */

static void record_work(struct measurement *me, struct record *rec)
{
    const struct sens_work *work = &me->work;
    const struct {
        int column;
        double number;
    } result[] = {{COL_steps, (double)work->steps},
                  {COL_rejects, (double)work->rejects},
                  {COL_steps_reverse, (double)work->steps_reverse},
                  {COL_rejects_reverse, (double)work->rejects_reverse},
                  {COL_bytes_traj, (double)work->bytes_traj},
                  {COL_n_factor, (double)work->factorisations},
                  {COL_n_solve, (double)work->solves},
                  {COL_n_kept, (double)work->kept},
                  {COL_bytes_factors, (double)work->bytes_factors},
                  {COL_n_newton, (double)work->newton},
                  {COL_steps_implicit, (double)work->steps_implicit},
                  {COL_lanes, work->lanes},
                  {COL_threads, work->threads},
                  {COL_batch, work->batch}};
    for (size_t i = 0; i < sizeof result / sizeof result[0]; i++)
        rec->number[result[i].column] = result[i].number;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) rec->number[COL_rss_bytes] = (double)usage.ru_maxrss * 1024;
}

/* What those tell that made the products, and the gradients of the cost; zeros: nothing. A generated right-hand side
 * stands around its problem. */
static struct sens_provider_account ask_providers(const struct cell *cell)
{
    struct sens_provider_account account = {.broken = NULL}, of_cost = account;
    const struct sens_problem *wrapped = cell->generated_rhs ? cell->problem.inner : &cell->problem;
    if (cell->provider && cell->provider->account) cell->provider->account(wrapped, &account);
    if (cell->deriver) cell->deriver->account_cost(&cell->cost, &of_cost);
    account.n_recorded += of_cost.n_recorded;
    account.t_record += of_cost.t_record;
    account.t_analyse += of_cost.t_analyse;
    if (!account.broken) account.broken = of_cost.broken;
    return account;
}

/* Derived products that were found to be none during the runs: what came out is no result. */
static sens_status judge_products(struct measurement *me, sens_status status)
{
    const struct cell *cell = me->cell;
    const struct sens_provider_account account = ask_providers(cell);
    if (!account.broken) return status;
    const bool has_own = sens_problem_innermost(&me->cell->problem)->type->vjp;
    bench_refuse(&me->reason, "%s%s", account.broken,
                 has_own ? " (vjp=hand takes the problem's own products)" : "");
    return SENS_UNSUPPORTED;
}

/* What derived products took beside the runs. */
static void record_account(const struct cell *cell, struct record *rec)
{
    const struct sens_provider_account account = ask_providers(cell);
    if (!cell->deriver && !(cell->provider && cell->provider->account)) return;
    rec->number[COL_n_recorded] = account.n_recorded;
    rec->number[COL_t_record_s] = account.t_record;
    rec->number[COL_t_analyse_s] = account.t_analyse;
    rec->number[COL_t_compile_s] = account.t_compile;
    rec->number[COL_t_generate_s] = account.t_generate;
    if (account.ran) snprintf(rec->text[COL_vjp], RECORD_TEXT, "%s", account.ran);
    if (account.why) snprintf(rec->text[COL_vjp_note], RECORD_TEXT, "%s", account.why);
}

static void record_times(struct measurement *me, struct record *rec)
{
    struct stats total, forward, reverse;
    samples_summarise(&me->samples, TOTAL, &total);
    samples_summarise(&me->samples, FORWARD, &forward);
    samples_summarise(&me->samples, REVERSE, &reverse);
    record_set_times(rec, &total, &forward, &reverse);
    samples_record(&me->samples, rec);
}

static double largest_difference(size_t count, const sens_real *found, const double *expected)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double off = fabs(found[i] - expected[i]);
        if (!(off <= largest)) largest = off; /* a NaN stays */
    }
    return largest;
}

/* The errors against one level of truth. A level that was asked for by name has to be there. */
static sens_status record_truth(struct measurement *me, enum bench_truth level, bool wanted,
                                struct record *rec)
{
    struct sens_ctx *ctx = me->ctx;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct truth truth;
    struct bench_error error = {.text = ""};
    struct truth_error off = {NAN, NAN, NAN};
    const sens_status status = truth_find(ctx, me->cell, level, &truth, &error);
    if (status == SENS_OK) truth_compare(me->cell, &truth, &me->out, &off);
    switch (level) {
    case TRUTH_ODE:
        rec->number[COL_err_x_ode] = off.err_x;
        rec->number[COL_err_grad_ode] = off.err_grad;
        break;
    case TRUTH_DISCRETE:
        rec->number[COL_err_x_discrete] = off.err_x;
        rec->number[COL_err_grad_discrete] = off.err_grad;
        break;
    default:
        break;
    }
    if (wanted && status == SENS_OK) {
        snprintf(rec->text[COL_truth], RECORD_TEXT, "%s", truth.kind);
        rec->number[COL_err_x] = off.err_x;
        rec->number[COL_err_grad] = off.err_grad;
        rec->number[COL_err_grad_max] = off.err_grad_max;
        if (truth.x) rec->number[COL_err_x_max] = largest_difference(me->cell->problem.n, me->out.x, truth.x);
    }
    sens_arena_rewind(&ctx->arena, mark);
    if (status == SENS_OK || (status == SENS_NO_TRUTH && !(wanted && level != TRUTH_AUTO))) return SENS_OK;
    me->reason = error;
    return sens_fail(ctx, status, "%s", error.text);
}

static sens_status record_errors(struct measurement *me, struct record *rec)
{
    const enum bench_truth asked = me->cell->truth;
    const enum bench_truth level[] = {TRUTH_ODE, TRUTH_DISCRETE};
    if (asked == TRUTH_NONE) return SENS_OK;
    for (size_t i = 0; i < sizeof level / sizeof level[0]; i++) {
        const sens_status status = record_truth(me, level[i], level[i] == asked, rec);
        if (status != SENS_OK) return status;
    }
    if (asked == TRUTH_ODE || asked == TRUTH_DISCRETE) return SENS_OK;
    return record_truth(me, asked, true, rec);
}

/* Nothing is run: what the methods would compute is not known. */
static sens_status product_cell(struct sens_ctx *ctx, const struct cell *cell,
                                const struct measure_options *options, struct record *rec)
{
    ctx->message[0] = '\0';
    measure_describe(cell, rec);
    const sens_status status = measure_product(ctx, cell, options, rec);
    if (status == SENS_OK) record_account(cell, rec);
    record_set_status(rec, status,
                      status == SENS_OK ? ""
                      : *ctx->message   ? ctx->message
                                        : sens_status_message(status));
    return status;
}

sens_status measure_cell(struct sens_ctx *ctx, const struct cell *cell, const struct measure_options *options,
                         struct record *rec, struct sens_out *out)
{
    if (cell->product != TIMED_RUN) return product_cell(ctx, cell, options, rec);
    struct measurement me = {
        .ctx = ctx, .cell = cell, .options = options, .peak = NAN, .clean = fp_state_read()};
    struct operation_counts counts = {0};
    ctx->message[0] = '\0';
    measure_describe(cell, rec);
    const double begin = sens_now(ctx);
    sens_status status = judge_products(&me, all_runs(&me));
    samples_release(&me.samples);
    measure_explain(ctx, cell, status, sens_now(ctx) - begin, &me.reason);
    if (status == SENS_OK) {
        record_work(&me, rec);
        record_account(cell, rec);
        measure_engine(cell, rec);
        record_times(&me, rec);
        operations_count(&me.counts, &me.counted, &counts);
        operations_record(cell, &counts, me.peak, rec);
        if (me.work.t_elsewhere > 0) operations_unknown(rec);
        if (!options->bare) status = record_errors(&me, rec);
    }
    if (status == SENS_OK && !options->bare) {
        const double limit = options->timeout > 0 ? frozen_share * options->timeout : frozen_seconds;
        const double seconds =
            me.samples.count ? rec->number[COL_t_min_s] : me.work.t_forward + me.work.t_reverse;
        rec->number[COL_err_frozen] = frozen_difference(ctx, cell, &counts, seconds, limit, &me.out);
    }
    const char *message = me.reason.text[0] ? me.reason.text
                          : ctx->message[0] ? ctx->message
                                            : sens_status_message(status);
    record_set_status(rec, status, status == SENS_OK ? "" : message);
    if (status == SENS_OK && out) *out = me.out;
    return status;
}

bool measure_has_threads(const struct cell *cell)
{
    return (cell->method->caps & SENS_CAP_THREADS) && cell->task.threads != 1;
}

void measure_place(const struct cell *cell)
{
    if (measure_has_threads(cell))
        machine_bind(0);
    else
        machine_pin();
}
