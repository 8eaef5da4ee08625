/* harness/machine/disturbance.h - what the kernel says of this process between two moments, and whether others
 * disturbed it in between. */
#ifndef MACHINE_DISTURBANCE_H
#define MACHINE_DISTURBANCE_H

#include <stdbool.h>

struct disturbance {
    double elapsed;   /* seconds */
    double processor; /* seconds of processor time, of all threads together */
    double switches;  /* involuntary context switches: by the number of threads */
    double sleeps;    /* voluntary ones, of all threads */
    double
        waited; /* seconds in which a thread could have run and was not let: of the one that waited longest */
    double
        stolen; /* seconds that the host of a virtual machine took from a processor that a thread was on: the most */
    int threads; /* 0: not known */
};               /* NaN: not told */

/* Seconds of the elapsed ones that were lost to others, at most (disturbance.c says how they are counted); NaN where
 * that is not known: several threads, or one that sleeps, on a kernel that does not tell how long they wait. */
double disturbance_lost(const struct disturbance *found);
/* Whether these are more than 2 % of the elapsed ones. Not where it is not known. */
bool is_disturbed(const struct disturbance *found);

struct disturbance_meter;
/* `proc` is /proc, or a folder like it. NULL: no memory. To be freed. */
struct disturbance_meter *disturbance_create(const char *proc);
void disturbance_free(struct disturbance_meter *meter);
/* What happens between the two calls is counted: files are read before the first clock and after the second. */
void disturbance_begin(struct disturbance_meter *meter);
void disturbance_end(struct disturbance_meter *meter, struct disturbance *found);

#endif
