/* The lines `cpuN user nice system idle iowait irq softirq steal ...` of /proc/stat (proc_stat(5)), in ticks. A
 * processor that waits for a disk alone is idle. */
#include "processors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS_MAX = 1 << 16, FIELDS = 8, IDLE = 3, IOWAIT = 4, STEAL = 7 };

static bool make_room(struct processor_times *times, size_t count)
{
    if (count > times->room) {
        struct processor_time *more = realloc(times->of, 2 * count * sizeof *more);
        if (!more) return false;
        times->of = more;
        times->room = 2 * count;
    }
    while (times->count < count)
        times->of[times->count++] = (struct processor_time){(double)NAN, (double)NAN};
    return true;
}

/* The line without its "cpu"; one that is cut short, or no such line, changes nothing. false: no memory. */
static bool take_line(const char *line, double tick, struct processor_times *times)
{
    char *end;
    const unsigned long number = strtoul(line, &end, 10);
    double ticks[FIELDS];
    if (end == line || number >= PROCESSORS_MAX) return true;
    for (int i = 0; i < FIELDS; i++) {
        const char *const field = end;
        ticks[i] = (double)strtoull(field, &end, 10);
        if (end == field) return true;
    }
    if (!make_room(times, number + 1)) return false;
    times->of[number] = (struct processor_time){tick * (ticks[IDLE] + ticks[IOWAIT]), tick * ticks[STEAL]};
    return true;
}

bool processor_times_read(const char *proc, struct processor_times *times)
{
    const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    char path[4096], *line = NULL;
    size_t room = 0;
    bool ok = true;
    times->count = 0;
    snprintf(path, sizeof path, "%s/stat", proc);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    while (ok && getline(&line, &room, file) > 0 && strncmp(line, "cpu", 3) == 0)
        if (line[3] != ' ') ok = take_line(line + 3, tick, times);
    free(line);
    fclose(file);
    if (!ok) times->count = 0;
    return times->count > 0;
}

void processor_times_free(struct processor_times *times)
{
    free(times->of);
    *times = (struct processor_times){.count = 0};
}

/* Two ticks in ten: an idle core may show one tick less than another that is as idle. */
static const double distinct = 0.2;

static double level(double busy, double least)
{
    return isnan(busy) ? (double)INFINITY : floor((busy - least) / distinct);
}

void processors_rank(size_t count, const double *busy, int *order)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) least = fmin(least, busy[i]);
    for (size_t placed = 0; placed < count;
         placed++) { /* from the last on, each behind those that are not busier */
        const size_t core = count - 1 - placed;
        size_t at = placed;
        for (; at > 0 && level(busy[order[at - 1]], least) > level(busy[core], least); at--)
            order[at] = order[at - 1];
        order[at] = (int)core;
    }
}
