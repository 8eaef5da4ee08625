/* Samples that others disturbed are taken again as long as there is time, and are left out where enough others are
 * there. What decides is what the kernel says, never how long a sample took: leaving out slow ones would make a method
 * that is slow now and then look fast. */
#include "samples.h"

#include <math.h>

enum { ENOUGH = 6 };

sens_status samples_create(struct sens_ctx *ctx, size_t wanted, struct samples *samples)
{
    *samples = (struct samples){.wanted = wanted, .known = true};
    samples->of = SENS_NEW(ctx, struct sample, wanted);
    samples->scratch = SENS_NEW(ctx, double, wanted);
    samples->meter = disturbance_create("/proc");
    if (samples->of && samples->scratch && samples->meter) return SENS_OK;
    samples_release(samples);
    return SENS_NO_MEMORY;
}

void samples_release(struct samples *samples)
{
    disturbance_free(samples->meter);
    samples->meter = NULL;
}

void samples_begin(struct samples *samples)
{
    disturbance_begin(samples->meter);
}

bool samples_end(struct samples *samples, bool elsewhere)
{
    struct disturbance found;
    disturbance_end(samples->meter, &found);
    if (elsewhere || isnan(disturbance_lost(&found))) samples->known = false;
    return !elsewhere && is_disturbed(&found);
}

void samples_keep(struct samples *samples, const struct sample *sample)
{
    const size_t undisturbed = samples->count - samples->disturbed;
    const bool full = samples->count == samples->wanted;
    if (full && (sample->disturbed || samples->disturbed == 0)) return;
    if (!full) samples->of[samples->count++] = samples->of[undisturbed];
    samples->of[sample->disturbed ? samples->count - 1 : undisturbed] = *sample;
    if (full)
        samples->disturbed--;
    else
        samples->disturbed += sample->disturbed;
}

bool samples_complete(const struct samples *samples)
{
    return samples->count - samples->disturbed == samples->wanted;
}

void samples_settle(struct samples *samples)
{
    const size_t undisturbed = samples->count - samples->disturbed;
    const size_t enough = samples->wanted < ENOUGH ? samples->wanted : ENOUGH;
    if (undisturbed < enough) return;
    samples->count = undisturbed;
    samples->disturbed = 0;
}

void samples_summarise(const struct samples *samples, int value, struct stats *stats)
{
    for (size_t i = 0; i < samples->count; i++) samples->scratch[i] = samples->of[i].value[value];
    stats_summarise(samples->scratch, samples->count, stats);
}

void samples_record(const struct samples *samples, struct record *rec)
{
    const bool told = samples->known && samples->count > 0;
    rec->number[COL_samples_disturbed] = told ? (double)samples->disturbed : (double)NAN;
}
