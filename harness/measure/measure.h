/* harness/measure/measure.h - the parts of a measurement. */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "cell.h"
#include "fpstate.h"
#include "operations.h"
#include "record.h"

struct measure_options {
    int warmups;          /* untimed runs first */
    int samples;          /* timed runs at most; 0 = none: errors and counts only */
    double sample_budget; /* seconds for the timed runs of one cell; at least one is taken */
    double timeout;       /* seconds for the whole cell; 0 = none */
    double memory_limit;  /* bytes of address space for the cell; 0 = none */
    bool pin;             /* bind to one core, or each thread to one of its own */
    bool bare; /* results, work and counts alone: no error is looked for, the rest of the above is 0 */
};
/* Runs the cell in this process; fills the record, a failure included. *out (may be NULL) receives the
 * results, in ctx's arena. */
sens_status measure_cell(struct sens_ctx *ctx, const struct cell *cell, const struct measure_options *options,
                         struct record *rec, struct sens_out *out);

/* Resolves and measures in a child process; a crash, a hang or exhausted memory is a status in the record.
 * Returns false only when bad input was found (message in *error). */
bool isolate_cell(const struct spec *spec, const struct measure_options *options, struct record *rec,
                  struct bench_error *error);

/* One call of the cell's product with its lanes (auto: 8), in turns with a right-hand side, at (t0, x0, p), for so
 * many samples; fills the columns of products. SENS_UNSUPPORTED: there is no such product; SENS_NONFINITE: it is
 * no number there. Messages in ctx. */
sens_status measure_product(struct sens_ctx *ctx, const struct cell *cell,
                            const struct measure_options *options, struct record *rec);

/* Whether the cell may run on more than one thread. */
bool measure_has_threads(const struct cell *cell);
/* A cell on one thread: this process to one core. Else the calling thread to its core, as worker 0: more
 * threads would share the core of the process. */
void measure_place(const struct cell *cell);

/* Fills the columns that say what the cell is: known before anything is run. */
void measure_describe(const struct cell *cell, struct record *rec);
/* What compiled steps took beside the runs, and who took the steps; nothing without engine=compiled. */
void measure_engine(const struct cell *cell, struct record *rec);

/* SENS_FP_STATE, with a message, when the floating-point environment is no longer what it was before the
 * method was called; it is restored. */
sens_status measure_check_fp(struct sens_ctx *ctx, const struct fp_state *before);

/* Relative Frobenius difference of *out from the frozen-grid discrete derivative of the same task, over
 * all its columns when there are at most 64, else over 64 drawn with the cell's seed. NaN where there is
 * no such derivative to compare with, or where it would take longer than about `limit` seconds, estimated
 * from the counts and the seconds of one run. */
double frozen_difference(struct sens_ctx *ctx, const struct cell *cell, const struct operation_counts *counts,
                         double seconds, double limit, const struct sens_out *out);

/* Is the cell's state at rest, or so small against its tolerances, that steps which it alone chooses are far
 * too long for its derivative? Two solves more, of dopri5 where the tableau is an implicit one. Then the sentence that
 * says so is in message. false also where the steps are not ours, and where dopri5 takes more than 20000. */
bool frozen_at_rest(struct sens_ctx *ctx, const struct cell *cell, char *message, size_t size);

/* Does df/dx, which the cell's implicit steps take, disagree with differences of the right-hand side near the start?
 * Four evaluations. Then the sentence that says so is in message. false also where differences are no judge. */
bool declared_jacobian_is_wrong(struct sens_ctx *ctx, const struct cell *cell, char *message, size_t size);

#endif
