/* harness/machine/processors.h - what the kernel says of each processor (hardware thread), and which are least busy. */
#ifndef MACHINE_PROCESSORS_H
#define MACHINE_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

struct processor_time { /* seconds since the system was started, in ticks of 10 ms; NaN: not told */
    double idle;
    double stolen; /* in which the host of a virtual machine let something else run */
};
struct processor_times {
    size_t count, room;
    struct processor_time *of; /* [count], by the number of the processor */
};

/* Reads `proc`/stat, where `proc` is /proc or a folder like it; memory of *times is used again. false: there is no
 * such file, it says nothing of processors, or there is no memory; *times is empty then. */
bool processor_times_read(const char *proc, struct processor_times *times);
void processor_times_free(struct processor_times *times);

/* order[count] = the cores from the least busy on; busy[count] in processors (1: one of them all the time). Cores that
 * differ by less than a fifth of a processor are equal: then the last comes first, since the first one serves most
 * interrupts. NaN (not told) is the busiest. */
void processors_rank(size_t count, const double *busy, int *order);

#endif
