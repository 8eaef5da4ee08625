/* harness/library/handle.h - what is behind a handle of sens/sensbench.h. */
#ifndef LIBRARY_HANDLE_H
#define LIBRARY_HANDLE_H

#include "cell.h"
#include "labels.h"
#include "record.h"
#include "sens/sensbench.h"

enum stage { STAGE_SET, STAGE_PREPARED, STAGE_RUN };

struct sensbench {
    struct spec spec;
    struct spec_numbers numbers[2]; /* p and x0, malloc'ed */
    struct sens_ctx ctx;            /* holds the cell, the names and the results */
    struct cell cell;
    struct labels labels;
    struct sens_out out;
    struct record *rec;
    enum stage stage;                /* how much of that is there */
    struct sens_arena_mark prepared; /* behind it lie the results of a run */
    sens_status status;
    struct bench_error error;
};

/* Numbers of this thread have a point until number_locale_leave, whatever the caller's locale is. */
void *number_locale_enter(void);
void number_locale_leave(void *former);

/* One thread at a time loads, resolves, or runs what cannot run beside another. */
void process_lock(void);
void process_unlock(void);

/* What every process needs once: providers, models and modules that the environment names. Under the lock. */
sens_status process_begin(struct bench_error *error);

/* Must runs of this cell take turns? */
bool process_takes_turns(const struct cell *cell);

#endif
