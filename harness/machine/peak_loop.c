/* One loop of known work on several threads at once, timed.
 *
 *     rate = threads x passes x work of a pass / (last end - first start)
 *
 * Passes are doubled, and the samples taken anew, whenever one is too short: the first rounds, which warm
 * caches and clock up, and those after a round that something else held up. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#include "peak.h"
#include "seconds.h"

enum { STACK = 1 << 18, ALIGNMENT = 64, UNIT = 512 /* bytes: a multiple of every block of numbers */ };

struct worker {
    struct team *team;
    int number;
    pthread_t thread;
    double *array; /* of arrays x count numbers; NULL for fma */
    double start, end, result;
};

struct team {
    const struct peak_loop *loop;
    size_t count, passes;
    int done;             /* samples */
    double *rate;         /* [samples] */
    pthread_mutex_t gate; /* held until all threads are there, or fewer than wanted */
    pthread_barrier_t barrier;
    bool leaving;
    struct worker *worker; /* [threads] */
};

static size_t arrays_of(enum peak_kind kind)
{
    static const size_t arrays[PEAK_KINDS] = {
        [PEAK_READ] = 1, [PEAK_WRITE] = 1, [PEAK_COPY] = 2, [PEAK_TRIAD] = 3};
    return arrays[kind];
}

static size_t count_of(const struct peak_loop *loop)
{
    const size_t arrays = arrays_of(loop->kind);
    if (arrays == 0) return 0;
    const size_t units = loop->bytes / arrays / UNIT;
    return (units > 0 ? units : 1) * (UNIT / sizeof(double));
}

double peak_loop_work(const struct peak_loop *loop)
{
    if (loop->kind == PEAK_FMA) return loop->loops->flops;
    return (double)(arrays_of(loop->kind) * count_of(loop) * sizeof(double));
}

static void run_passes(struct worker *worker)
{
    const struct team *team = worker->team;
    const struct sens_peak *loops = team->loop->loops;
    const size_t passes = team->passes, count = team->count;
    double *a = worker->array;
    switch (team->loop->kind) {
    case PEAK_FMA:
        worker->result += loops->fma(passes, 1, 1); /* no overflow, nothing subnormal */
        break;
    case PEAK_READ:
        worker->result += loops->read(passes, count, a);
        break;
    case PEAK_WRITE:
        loops->write(passes, count, a, worker->number);
        break;
    case PEAK_COPY:
        loops->copy(passes, count, a, a + count);
        break;
    case PEAK_TRIAD:
        loops->triad(passes, count, a, a + count, a + 2 * count, 0.5);
        break;
    case PEAK_KINDS:
        break;
    }
}

/* After a round: one sample more, or all of them anew in longer rounds. */
static void advance(struct team *team)
{
    const struct peak_loop *loop = team->loop;
    double start = INFINITY, end = -INFINITY;
    for (int w = 0; w < loop->threads; w++) {
        start = fmin(start, team->worker[w].start);
        end = fmax(end, team->worker[w].end);
    }
    if (end - start < loop->seconds && team->passes < (size_t)1 << 40) {
        team->passes *= 2;
        team->done = 0;
        return;
    }
    team->rate[team->done++] =
        (double)team->passes * loop->threads * peak_loop_work(loop) / (end - start) / 1e9;
    team->leaving = team->done == loop->samples;
}

static void serve(struct worker *worker)
{
    struct team *team = worker->team;
    if (worker->array) memset(worker->array, 0, arrays_of(team->loop->kind) * team->count * sizeof(double));
    for (;;) {
        pthread_barrier_wait(&team->barrier);
        if (team->leaving) return;
        worker->start = seconds_now();
        run_passes(worker);
        worker->end = seconds_now();
        pthread_barrier_wait(&team->barrier);
        if (worker->number == 0) advance(team);
    }
}

static void *started(void *argument)
{
    struct worker *worker = argument;
    struct team *team = worker->team;
    pthread_mutex_lock(&team->gate);
    const bool leaving = team->leaving;
    pthread_mutex_unlock(&team->gate);
    if (leaving) return NULL;
    if (team->loop->bind) team->loop->bind(worker->number);
    serve(worker);
    return NULL;
}

/* Starts the others and works with them. */
static bool work(struct team *team)
{
    pthread_attr_t attributes;
    int there = 1;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_mutex_lock(&team->gate);
    while (there < team->loop->threads &&
           pthread_create(&team->worker[there].thread, &attributes, started, &team->worker[there]) == 0)
        there++;
    const bool all = there == team->loop->threads;
    team->leaving = !all;
    pthread_mutex_unlock(&team->gate);
    pthread_attr_destroy(&attributes);
    if (all) serve(&team->worker[0]);
    for (int w = 1; w < there; w++) pthread_join(team->worker[w].thread, NULL);
    return all;
}

static bool create_workers(struct team *team)
{
    const size_t arrays = arrays_of(team->loop->kind);
    bool ok = true;
    for (int w = 0; w < team->loop->threads; w++) {
        struct worker *worker = &team->worker[w];
        *worker = (struct worker){.team = team, .number = w};
        if (arrays) worker->array = aligned_alloc(ALIGNMENT, arrays * team->count * sizeof(double));
        ok = ok && (worker->array || !arrays);
    }
    return ok;
}

bool peak_loop_run(const struct peak_loop *loop, double *rate, size_t *passes)
{
    struct team team = {.loop = loop, .count = count_of(loop), .passes = 1, .rate = rate};
    team.worker = malloc((size_t)loop->threads * sizeof *team.worker);
    if (!team.worker) return false;
    const bool created = create_workers(&team);
    bool ok = created && pthread_barrier_init(&team.barrier, NULL, (unsigned)loop->threads) == 0;
    if (ok) {
        pthread_mutex_init(&team.gate, NULL);
        ok = work(&team);
        pthread_mutex_destroy(&team.gate);
        pthread_barrier_destroy(&team.barrier);
    }
    for (int w = 0; w < loop->threads; w++) free(team.worker[w].array);
    free(team.worker);
    if (passes) *passes = team.passes;
    return ok;
}
