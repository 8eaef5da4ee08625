/* What the rounds say: medians and their intervals (stats.c), of the times and of the quotients of times that
 * were taken in the same round. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "stats.h"

void compare_ratio(size_t rounds, const struct compare_sample *sample, const struct compare_sample *base,
                   double *scratch, struct compare_ratio *ratio)
{
    size_t count = 0;
    struct stats stats;
    for (size_t r = 0; r < rounds; r++) {
        const double quotient = sample[r].total / base[r].total;
        if (isfinite(quotient)) scratch[count++] = quotient;
    }
    stats_summarise(scratch, count, &stats); /* sorts */
    *ratio = (struct compare_ratio){count,    stats.median, stats.lo,
                                    stats.hi, stats.min,    count ? scratch[count - 1] : NAN};
}

/* One field of the samples, as far as there are any. */
static struct stats summarise_field(const struct contender *contender, size_t rounds, size_t offset,
                                    double *scratch)
{
    size_t count = 0;
    struct stats stats;
    for (size_t r = 0; r < rounds; r++) {
        double value;
        memcpy(&value, (const char *)&contender->sample[r] + offset, sizeof value);
        if (isfinite(value)) scratch[count++] = value;
    }
    stats_summarise(scratch, count, &stats);
    return stats;
}

/* Rounds that others disturbed: all count, for each quotient is of one round. */
static double count_disturbed(const struct contender *contender, size_t rounds)
{
    double count = 0;
    for (size_t r = 0; r < rounds; r++)
        if (isfinite(contender->sample[r].total)) count += contender->sample[r].disturbed;
    return count;
}

/* The times of the record become those of the rounds, and the rates go with them. */
static void put_times(struct contender *contender, size_t rounds, double *scratch)
{
    struct record *rec = contender->rec;
    const struct stats total =
        summarise_field(contender, rounds, offsetof(struct compare_sample, total), scratch);
    const struct stats forward =
        summarise_field(contender, rounds, offsetof(struct compare_sample, forward), scratch);
    const struct stats reverse =
        summarise_field(contender, rounds, offsetof(struct compare_sample, reverse), scratch);
    const struct stats peak =
        summarise_field(contender, rounds, offsetof(struct compare_sample, peak), scratch);
    contender->cpu = summarise_field(contender, rounds, offsetof(struct compare_sample, cpu), scratch).median;
    rec->number[COL_samples_disturbed] = count_disturbed(contender, rounds);
    rec->number[COL_gflops] *= rec->number[COL_t_total_s] / total.median; /* rates go with the times */
    rec->number[COL_gbytes] *= rec->number[COL_t_total_s] / total.median;
    rec->number[COL_gflops_reverse] *= rec->number[COL_t_reverse_s] / reverse.median;
    if (peak.count > 0) rec->number[COL_peak_gflops] = peak.median;
    rec->number[COL_share] = rec->number[COL_gflops] / rec->number[COL_peak_gflops];
    rec->number[COL_share_reverse] = rec->number[COL_gflops_reverse] / rec->number[COL_peak_gflops];
    record_set_times(rec, &total, &forward, &reverse);
}

void compare_summarise(struct compare_group *group)
{
    double *scratch = calloc(group->rounds + 1, sizeof *scratch);
    const struct contender *base = &group->contender[0];
    for (size_t i = 0; i < group->contenders; i++) {
        struct contender *contender = &group->contender[i];
        contender->ratio = (struct compare_ratio){0, NAN, NAN, NAN, NAN, NAN};
        contender->cpu = NAN;
        if (contender->status != SENS_OK) continue;
        if (!scratch) {
            compare_fail(contender, SENS_NO_MEMORY, "no memory for the summary");
            continue;
        }
        put_times(contender, group->rounds, scratch);
        if (base->status == SENS_OK)
            compare_ratio(group->rounds, contender->sample, base->sample, scratch, &contender->ratio);
    }
    free(scratch);
}
