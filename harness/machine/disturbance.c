/* How much of some elapsed time T others took from a process:
 *
 *     lost = max(absent, waited + stolen) + switches * 20 us,   disturbed: lost > 2 % of T
 *
 * absent = T less the processor time, to the nanosecond, where there is one thread and it never slept. waited is
 * the time in the queue of a processor, /proc/self/task/N/schedstat (sched-stats.rst), of the thread that waited
 * longest: the others wait for that one. Of each of its turns 200 us are its own affair, since a core that sleeps takes
 * that long to wake for it (up to 0.17 ms in intel_idle.c, for servers); a competitor keeps a core for milliseconds.
 * stolen is a tick of /proc/stat or more, and may belong to the 10 ms before.
 *
 * 2 %: where a process has its code and data moves its times by a percent or two (results/FORMAT.md, of comparisons),
 * so that less could not be told from it. 20 us: what another puts into the core's own caches has to be fetched again,
 * some 1 MiB at some 50 GB/s (sensbench peak). So a preemption of a few microseconds counts in a sample of 1 ms and
 * not in one of 10 ms. */
#include "disturbance.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "first_line.h"
#include "processors.h"
#include "seconds.h"

static const double refill_seconds = 20e-6, wake_seconds = 200e-6, tolerated_share = 0.02;

double disturbance_lost(const struct disturbance *found)
{
    const double stolen = isnan(found->stolen) ? 0 : found->stolen;
    const bool awake = found->threads == 1 && found->sleeps == 0;
    const double absent = awake ? fmax(0, found->elapsed - found->processor) : (double)NAN;
    return fmax(absent, found->waited + stolen) + refill_seconds * found->switches;
}

bool is_disturbed(const struct disturbance *found)
{
    return disturbance_lost(found) > tolerated_share * found->elapsed;
}

/* ---- a moment ------------------------------------------------------------------------------------------ */

struct thread_moment {
    long id;
    long on; /* the processor that it ran on last; -1: not told */
    double waited,
        turns; /* seconds, and times that it got a processor, since it was started; NaN: not told */
};

struct moment {
    double elapsed, processor, switches, sleeps; /* since some time before */
    size_t threads, room;
    struct thread_moment *thread; /* [threads] */
    struct processor_times times;
};

struct disturbance_meter {
    char proc[256];
    struct moment begin, end;
};

/* In the folder of a thread, schedstat: nanoseconds on a processor, nanoseconds in its queue, turns. */
static void read_waited(const char *thread, struct thread_moment *moment)
{
    char line[1024];
    unsigned long long ran, waited, turns;
    first_line(thread, "schedstat", sizeof line, line);
    const bool told = sscanf(line, "%19llu %19llu %19llu", &ran, &waited, &turns) == 3;
    moment->waited = told ? 1e-9 * (double)waited : (double)NAN;
    moment->turns = told ? (double)turns : (double)NAN;
}

/* stat: field 39, counted from behind the name of the program, field 2, which may hold blanks and brackets. */
static long read_processor(const char *thread)
{
    char line[1024];
    first_line(thread, "stat", sizeof line, line);
    const char *at = strrchr(line, ')');
    for (int field = 3; at && field <= 39; field++) at = strchr(at + 1, ' ');
    char *end;
    const long processor = at ? strtol(at, &end, 10) : -1;
    return at && end > at + 1 ? processor : -1;
}

static void read_threads(const char *proc, struct moment *moment)
{
    char folder[512], thread_folder[1024];
    moment->threads = 0;
    snprintf(folder, sizeof folder, "%s/self/task", proc);
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        const long id = strtol(entry->d_name, NULL, 10);
        if (id <= 0) continue;
        if (moment->threads == moment->room) {
            const size_t room = 2 * moment->room + 4;
            struct thread_moment *more = realloc(moment->thread, room * sizeof *more);
            if (!more) break;
            moment->thread = more;
            moment->room = room;
        }
        struct thread_moment *thread = &moment->thread[moment->threads++];
        snprintf(thread_folder, sizeof thread_folder, "%s/%ld", folder, id);
        *thread = (struct thread_moment){.id = id, .on = read_processor(thread_folder)};
        read_waited(thread_folder, thread);
    }
    if (all) closedir(all);
}

static void read_clocks(struct moment *moment)
{
    struct rusage usage;
    struct timespec used;
    const bool told = getrusage(RUSAGE_SELF, &usage) == 0;
    moment->switches = told ? (double)usage.ru_nivcsw : (double)NAN;
    moment->sleeps = told ? (double)usage.ru_nvcsw : (double)NAN;
    moment->processor = (double)NAN;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
        moment->processor = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
    moment->elapsed = seconds_now();
}

/* ---- between two --------------------------------------------------------------------------------------- */

struct disturbance_meter *disturbance_create(const char *proc)
{
    struct disturbance_meter *meter = calloc(1, sizeof *meter);
    if (meter) snprintf(meter->proc, sizeof meter->proc, "%s", proc);
    return meter;
}

void disturbance_free(struct disturbance_meter *meter)
{
    if (!meter) return;
    free(meter->begin.thread);
    free(meter->end.thread);
    processor_times_free(&meter->begin.times);
    processor_times_free(&meter->end.times);
    free(meter);
}

void disturbance_begin(struct disturbance_meter *meter)
{
    processor_times_read(meter->proc, &meter->begin.times);
    read_threads(meter->proc, &meter->begin);
    read_clocks(&meter->begin);
}

/* Of a thread that is there at the end; one that is new since the begin waited from 0 on. */
static double waited_by(const struct moment *begin, const struct thread_moment *thread)
{
    struct thread_moment before = {.waited = 0, .turns = 0};
    for (size_t i = 0; i < begin->threads; i++)
        if (begin->thread[i].id == thread->id) before = begin->thread[i];
    const double waited = thread->waited - before.waited - wake_seconds * (thread->turns - before.turns);
    return waited < 0 ? 0 : waited;
}

static double stolen_from(const struct disturbance_meter *meter, long processor)
{
    const struct processor_times *before = &meter->begin.times, *after = &meter->end.times;
    if (processor < 0 || (size_t)processor >= before->count || (size_t)processor >= after->count)
        return (double)NAN;
    return after->of[processor].stolen - before->of[processor].stolen;
}

void disturbance_end(struct disturbance_meter *meter, struct disturbance *found)
{
    const struct moment *begin = &meter->begin, *end = &meter->end;
    read_clocks(&meter->end);
    read_threads(meter->proc, &meter->end);
    processor_times_read(meter->proc, &meter->end.times);
    *found = (struct disturbance){.elapsed = end->elapsed - begin->elapsed,
                                  .processor = end->processor - begin->processor,
                                  .switches = end->switches - begin->switches,
                                  .sleeps = end->sleeps - begin->sleeps,
                                  .waited = (double)NAN,
                                  .stolen = (double)NAN,
                                  .threads = (int)end->threads};
    for (size_t i = 0; i < end->threads; i++) {
        const struct thread_moment *thread = &end->thread[i];
        found->waited = fmax(found->waited, waited_by(begin, thread));
        found->stolen = fmax(found->stolen, stolen_from(meter, thread->on));
    }
    if (found->threads > 1) found->switches /= found->threads;
}
