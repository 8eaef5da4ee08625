/* harness/machine/machine.h - the machine that this runs on: what it is, its cores, its clocks. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "processors.h"
#include "sens/context.h"

/* Writes the `#!` prelude of a result file: schema, machine from hwloc, compiler and flags,
 * libraries, git. */
void machine_write_prelude(FILE *out, const char *sweep);
const char *machine_name(void); /* short, fit for a file name */
const char *machine_git(void);
unsigned long machine_program(void);    /* CRC-32 of the running program's file; 0 when it cannot be read */
double machine_processor_time(int pid); /* seconds of all threads of a process; 0 where it has ended */

/* cores.c: the cores that this process was given, in the order of the last machine_seek_quiet; before it from the last
 * on. Thread-safe and cheap after the first call, which has to come before anything is bound. */
int machine_cores(
    void); /* workers: as many as these cores and the quotas of control groups allow; at least 1 */
struct sens_caches machine_caches(void);
/* Looks for 0.1 s at what the cores do, and puts them in order from the least busy on (processors.h), for this process
 * and those it starts from then on. Not while a thread may call one of the others. */
void machine_seek_quiet(void);
/* The same from what was read before and after so many seconds. */
void machine_rank(const struct processor_times *before, const struct processor_times *after, double elapsed);
bool machine_pin(void);        /* binds this process to the first of them; false when refused */
void machine_bind(int worker); /* binds the calling thread to core `worker` of them, modulo their number */
/* Tells a method of the machine: clock, cores, caches and, when asked for, how to bind its threads. */
void machine_prepare(struct sens_ctx *ctx, bool bind);

#endif
