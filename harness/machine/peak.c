/* Which rates are measured, on arrays of which size, and how they are told. */
#include "peak.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "modules.h"
#include "stats.h"

enum { SAMPLES_MAX = 41, CELL_SAMPLES = 4 };
static const double cell_seconds = 1e-3; /* of a sample: a thousand ticks of the clock */

static const char *const kind_name[PEAK_KINDS] = {"fma", "read", "write", "copy", "triad"};

double peak_fma(const struct sens_registry *variant, int threads, void (*bind)(int worker))
{
    double rate[CELL_SAMPLES];
    const struct peak_loop loop = {.loops = variant->peak,
                                   .kind = PEAK_FMA,
                                   .threads = threads > 1 ? threads : 1,
                                   .bind = bind,
                                   .samples = CELL_SAMPLES,
                                   .seconds = cell_seconds};
    if (!peak_loop_run(&loop, rate, NULL)) return NAN;
    double best = 0;
    for (int i = 0; i < CELL_SAMPLES; i++) best = fmax(best, rate[i]);
    return best;
}

/* ---- all rates ----------------------------------------------------------------------------------------- */

enum { LEVELS = 4 };
static const char *const level_name[LEVELS] = {"L1", "L2", "L3", "DRAM"};

struct survey { /* of one call; done by a thread of its own, so that the caller is not bound */
    bool quick, ok;
    struct peak *peak;
};

static bool add_rate(struct survey *survey, const struct sens_registry *variant, const char *level,
                     struct peak_loop loop)
{
    double rate[SAMPLES_MAX];
    struct stats stats;
    struct peak *peak = survey->peak;
    loop.loops = variant->peak;
    loop.bind = machine_bind;
    loop.samples = survey->quick ? 9 : SAMPLES_MAX;
    loop.seconds = 5e-4; /* short, so that some fit between what else the machine does */
    if (peak->count == PEAK_RATES || !peak_loop_run(&loop, rate, NULL)) return false;
    struct peak_rate *added = &peak->rate[peak->count++];
    stats_summarise(rate, (size_t)loop.samples, &stats);
    *added = (struct peak_rate){.threads = loop.threads,
                                .bytes = loop.bytes,
                                .samples = loop.samples,
                                .median = stats.median,
                                .min = stats.min,
                                .max = rate[loop.samples - 1]}; /* sorted */
    snprintf(added->what, sizeof added->what, "%s", kind_name[loop.kind]);
    snprintf(added->isa, sizeof added->isa, "%s", variant->isa);
    snprintf(added->level, sizeof added->level, "%s", level);
    return true;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A quick survey stands at the start of every sweep: what it touches is bounded, whatever the cache. Servers have
 * last caches of hundreds of MiB; a survey of all of that, and of four times as much, takes a minute. */
static const size_t quick_cache = (size_t)32 << 20, quick_memory = (size_t)256 << 20;

/* Arrays of one thread that fit into the cache of a level and not into the one below: half of it, or twice
 * the one below. In memory: four times all of the last cache, at most an eighth of the memory, over all
 * threads. 0: there is no such level, or it is too large for a quick survey. */
static size_t level_bytes(int level, int threads, bool quick)
{
    const struct sens_caches cache = machine_caches();
    const size_t size[] = {0, cache.l1, cache.l2, cache.l3};
    if (level < 3) {
        const size_t half = quick ? smaller(size[level + 1] / 2, quick_cache) : size[level + 1] / 2;
        const size_t bytes = larger(half, 2 * size[level]);
        return bytes <= size[level + 1] ? bytes : 0;
    }
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const double memory = pages > 0 && page > 0 ? (double)pages * (double)page : 1e9;
    const size_t last = larger(larger(cache.l3, cache.l2) * (size_t)machine_cores(), (size_t)16 << 20);
    const double bytes = fmin(4.0 * (double)last, memory / 8);
    return quick && bytes > (double)quick_memory ? 0 : (size_t)bytes / (size_t)threads;
}

static bool add_team(struct survey *survey, int threads)
{
    const struct sens_registry *const *all = variant_all();
    const struct sens_registry *best = NULL;
    bool ok = true;
    for (size_t i = 0; ok && all[i]; i++) {
        if (!variant_supported(all[i])) continue;
        best = all[i];
        ok = add_rate(survey, best, "-", (struct peak_loop){.kind = PEAK_FMA, .threads = threads});
    }
    for (int level = 0; level < LEVELS; level++)
        for (int kind = PEAK_READ; ok && best && kind < PEAK_KINDS; kind++) {
            const size_t bytes = level_bytes(level, threads, survey->quick);
            const struct peak_loop loop = {.kind = (enum peak_kind)kind, .threads = threads, .bytes = bytes};
            if (bytes > 0) ok = add_rate(survey, best, level_name[level], loop);
        }
    return ok;
}

static void *measure_all(void *argument)
{
    struct survey *survey = argument;
    machine_bind(0);
    survey->ok = add_team(survey, 1) && (machine_cores() == 1 || add_team(survey, machine_cores()));
    return NULL;
}

bool peak_measure(bool quick, struct peak *peak, struct bench_error *error)
{
    struct survey survey = {.quick = quick, .peak = peak};
    pthread_t thread;
    *peak = (struct peak){.count = 0};
    machine_cores(); /* before anything is bound */
    if (pthread_create(&thread, NULL, measure_all, &survey) == 0) pthread_join(thread, NULL);
    return survey.ok || bench_refuse(error, "peak: no memory, or not as many threads as cores");
}

/* ---- told ---------------------------------------------------------------------------------------------- */

void peak_write(FILE *out, const struct peak_rate *rate)
{
    fprintf(out, "what=%s isa=%s level=%s threads=%d bytes=%zu samples=%d median=%.5g min=%.5g max=%.5g",
            rate->what, rate->isa, rate->level, rate->threads, rate->bytes, rate->samples, rate->median,
            rate->min, rate->max);
}

void peak_write_prelude(FILE *out, struct peak *peak)
{
    struct bench_error error;
    if (peak->count == 0 && !peak_measure(true, peak, &error)) {
        peak->count = 0;
        fprintf(out, "# %s\n", error.text);
        return;
    }
    for (size_t i = 0; i < peak->count; i++) {
        fputs("#! peak: ", out);
        peak_write(out, &peak->rate[i]);
        fputc('\n', out);
    }
}
