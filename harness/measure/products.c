/* The time of a derivative product by that of a right-hand side.
 *
 *     by_rhs = (time of a call with L vectors / L) / (time of f),  f and the product in turns, at (t0, x0, p)
 *
 * Both are repeated to fill a sample. A sample is a pair, of which the quotient is kept: what else the machine does
 * then touches both. */
#include <math.h>

#include "machine.h"
#include "measure.h"
#include "samples.h"
#include "seconds.h"

enum { LANES_AUTO = 8, CALLS_MAX = 1 << 24 };
enum { RHS, PRODUCT, QUOTIENT };        /* values of a sample */
static const double half_sample = 1e-4; /* seconds of each half of a pair: short beside what interrupts it */
/* Before anything is timed. A recording is looked at often during the first 512 calls (derive/record/watch.h), and
 * a look costs as much as hundreds of them. */
enum { WARM_CALLS = 520 };
static const double warm_seconds = 2;

struct product_bench {
    const struct sens_problem *pb;
    struct sens_at at;
    enum bench_product product;
    size_t L;
    sens_real *dx, *W, *V, *OUT, *MU; /* [n], [n][L], [n][L], [n][L], [np][L] */
};

static bool call_rhs(struct product_bench *bench)
{
    return bench->pb->type->rhs(bench->pb, &bench->at, bench->dx) == SENS_OK;
}

static bool call_product(struct product_bench *bench)
{
    const struct sens_problem *pb = bench->pb;
    const struct sens_direction along = {.x = bench->V};
    switch (bench->product) {
    case TIMED_VJP:
        pb->type->vjp(pb, &bench->at, bench->L, bench->W, bench->OUT);
        break;
    case TIMED_VJP_P:
        pb->type->vjp_p_batch(pb, 1, &bench->at.t, bench->at.x, bench->at.p, bench->L, bench->W, bench->MU);
        break;
    case TIMED_JVP:
        pb->type->jvp(pb, &bench->at, bench->L, bench->V, bench->OUT);
        break;
    default:
        pb->type->hvp(pb, &bench->at, bench->L, &along, bench->W, bench->OUT, NULL);
    }
    return true;
}

/* Seconds of one of so many calls; NaN: one failed. */
static double time_calls(struct product_bench *bench, bool (*call)(struct product_bench *), long calls)
{
    const double start = seconds_now();
    for (long k = 0; k < calls; k++)
        if (!call(bench)) return (double)NAN;
    return (seconds_now() - start) / (double)calls;
}

/* Doubled until a half is filled; by the shortest of three, so that an interruption does not fill it. */
static long calls_of(struct product_bench *bench, bool (*call)(struct product_bench *))
{
    long calls = 1;
    for (; calls < CALLS_MAX; calls *= 2) {
        double least = INFINITY;
        for (int k = 0; k < 3; k++) least = fmin(least, time_calls(bench, call, calls));
        if (least * (double)calls >= half_sample) break;
    }
    return calls;
}

/* In [-1, 1), from a fixed sequence. */
static sens_real uniform(unsigned long *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (sens_real)(double)(*state >> 11) * 0x1p-52 - 1;
}

static sens_status prepare(struct sens_ctx *ctx, const struct cell *cell, struct product_bench *bench)
{
    const struct sens_problem *pb = &cell->problem;
    const size_t L = cell->task.lanes > 0 ? (size_t)cell->task.lanes : LANES_AUTO, n = pb->n;
    unsigned long state = cell->seed;
    *bench =
        (struct product_bench){.pb = pb, .at = {pb->t0, pb->x0, pb->p}, .product = cell->product, .L = L};
    if (cell->product == TIMED_HVP && !pb->type->hvp)
        return sens_fail(ctx, SENS_UNSUPPORTED, "product=hvp: second derivatives are not offered here");
    bench->dx = SENS_NEW(ctx, sens_real, n);
    bench->W = SENS_NEW(ctx, sens_real, n * L);
    bench->V = SENS_NEW(ctx, sens_real, n * L);
    bench->OUT = SENS_NEW(ctx, sens_real, n * L);
    bench->MU = SENS_NEW(ctx, sens_real, pb->np * L + 1);
    if (!bench->dx || !bench->W || !bench->V || !bench->OUT || !bench->MU) return SENS_NO_MEMORY;
    for (size_t i = 0; i < n * L; i++) bench->W[i] = uniform(&state), bench->V[i] = uniform(&state);
    return SENS_OK;
}

/* After the first call: a product that cannot be had is NaN. */
static sens_status check(struct sens_ctx *ctx, struct product_bench *bench)
{
    bool finite = call_rhs(bench) && call_product(bench);
    for (size_t i = 0; i < bench->pb->n * bench->L; i++) finite = finite && isfinite(bench->OUT[i]);
    for (size_t i = 0; i < bench->pb->np * bench->L; i++) finite = finite && isfinite(bench->MU[i]);
    if (finite) return SENS_OK;
    return sens_fail(ctx, SENS_NONFINITE,
                     "the product, or the right-hand side, is not finite at the nominal point");
}

static void warm_up(struct product_bench *bench)
{
    const double deadline = seconds_now() + warm_seconds;
    for (int k = 0; k < WARM_CALLS && seconds_now() < deadline; k++) call_product(bench);
}

static void put_times(struct record *rec, const struct product_bench *bench, const struct samples *samples)
{
    struct stats rhs, product, quotient;
    samples_summarise(samples, RHS, &rhs);
    samples_summarise(samples, PRODUCT, &product);
    samples_summarise(samples, QUOTIENT, &quotient);
    rec->number[COL_samples] = (double)samples->count;
    rec->number[COL_lanes] = (double)bench->L;
    rec->number[COL_t_rhs_s] = rhs.median;
    rec->number[COL_t_product_s] = product.median;
    rec->number[COL_by_rhs] = quotient.median;
    rec->number[COL_by_rhs_lo] = quotient.lo;
    rec->number[COL_by_rhs_hi] = quotient.hi;
    samples_record(samples, rec);
}

/* The calls before the pair fill the caches again, after what the kernel was asked. */
static void take_pair(struct product_bench *bench, long rhs_calls, long product_calls,
                      struct samples *samples)
{
    struct sample sample;
    samples_begin(samples);
    call_product(bench);
    call_rhs(bench);
    sample.value[RHS] = time_calls(bench, call_rhs, rhs_calls);
    sample.value[PRODUCT] = time_calls(bench, call_product, product_calls);
    sample.value[QUOTIENT] = sample.value[PRODUCT] / (double)bench->L / sample.value[RHS];
    sample.disturbed = samples_end(samples, false);
    samples_keep(samples, &sample);
}

static sens_status time_pairs(struct sens_ctx *ctx, struct product_bench *bench,
                              const struct measure_options *options, struct record *rec)
{
    struct samples samples;
    const sens_status status = samples_create(ctx, (size_t)options->samples, &samples);
    if (status != SENS_OK) return status;
    warm_up(bench);
    const long rhs_calls = calls_of(bench, call_rhs), product_calls = calls_of(bench, call_product);
    const double deadline = seconds_now() + options->sample_budget;
    do take_pair(bench, rhs_calls, product_calls, &samples);
    while (!samples_complete(&samples) && seconds_now() < deadline);
    samples_settle(&samples);
    put_times(rec, bench, &samples);
    samples_release(&samples);
    return SENS_OK;
}

sens_status measure_product(struct sens_ctx *ctx, const struct cell *cell,
                            const struct measure_options *options, struct record *rec)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct product_bench bench;
    sens_status status = prepare(ctx, cell, &bench);
    if (status == SENS_OK) status = check(ctx, &bench);
    if (status == SENS_OK && options->samples > 0) status = time_pairs(ctx, &bench, options, rec);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}
