/* harness/measure/samples.h - the timed samples of a cell: undisturbed ones before those that others disturbed. */
#ifndef MEASURE_SAMPLES_H
#define MEASURE_SAMPLES_H

#include "disturbance.h"
#include "record.h"
#include "sens/context.h"
#include "stats.h"

enum { SAMPLE_VALUES = 3 };

struct sample {
    double value[SAMPLE_VALUES]; /* seconds of a run: of all, forward, reverse; or whatever was timed */
    bool disturbed;              /* disturbance.h */
};

struct samples {
    size_t wanted, count, disturbed; /* of them; the undisturbed ones stand first */
    struct sample *of;               /* [wanted] */
    double *scratch;                 /* [wanted] */
    struct disturbance_meter *meter;
    bool known; /* whether it was told of every sample if it was disturbed */
};

/* In ctx's arena; the meter is to be released. SENS_NO_MEMORY. */
sens_status samples_create(struct sens_ctx *ctx, size_t wanted, struct samples *samples);
void samples_release(struct samples *samples);

/* Around what is timed. */
void samples_begin(struct samples *samples);
/* Whether it was disturbed. `elsewhere`: by the clock of another program, of which nothing is known here. */
bool samples_end(struct samples *samples, bool elsewhere);

/* Where all places are taken, an undisturbed sample takes that of a disturbed one, and a disturbed one is dropped. */
void samples_keep(struct samples *samples, const struct sample *sample);
/* As many undisturbed ones as were wanted. */
bool samples_complete(const struct samples *samples);
/* After the last: the disturbed ones are dropped where enough others are there, six or all that were wanted: with fewer
 * there is no interval of 95 % (stats.h). */
void samples_settle(struct samples *samples);

/* Of one of the values. */
void samples_summarise(const struct samples *samples, int value, struct stats *stats);
/* samples_disturbed. */
void samples_record(const struct samples *samples, struct record *rec);

#endif
