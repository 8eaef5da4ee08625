/* A group of contenders: all get ready, one after the other; then round after round each gives one sample, in
 * an order that is shuffled anew; the others wait meanwhile. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine.h"

#include "compare.h"
#include "seconds.h"

/* Where the parts of a program lie in memory is drawn anew for each process, and moves short runs by a
 * percent or two, the same way as long as the process lives. So a third of the rounds is of one process,
 * unless getting ready takes more than this part of the time for the rounds: then runs are too long for that
 * to matter. */
enum { PROCESSES = 3 };
static const double ready_part = 0.05;

/* A few rounds are made even if they take longer than was given, but not this many times longer. */
static const double overtime = 4;

bool compare_group_create(struct compare_group *group, size_t contenders, size_t rounds)
{
    *group = (struct compare_group){.contenders = contenders, .keys = "", .target = NAN};
    group->contender = calloc(contenders, sizeof *group->contender);
    bool ok = group->contender != NULL;
    for (size_t i = 0; ok && i < contenders; i++) {
        struct contender *contender = &group->contender[i];
        contender->changes = "";
        contender->found = (struct calibration){.rung = -1, .error = NAN, .best = NAN, .best_rung = -1};
        contender->rec = record_create();
        contender->sample = malloc(rounds * sizeof *contender->sample);
        ok = contender->rec && contender->sample;
        for (size_t r = 0; ok && r < rounds; r++)
            contender->sample[r] = (struct compare_sample){NAN, NAN, NAN, NAN, NAN, NAN};
    }
    if (!ok) compare_group_free(group);
    return ok;
}

void compare_group_free(struct compare_group *group)
{
    for (size_t i = 0; group->contender && i < group->contenders; i++) {
        free(group->contender[i].rec);
        free(group->contender[i].sample);
    }
    free(group->contender);
    *group = (struct compare_group){.contender = NULL};
}

static const char *label(const struct compare_group *group, size_t index, char text[COMPARE_TEXT])
{
    const char *changes = group->contender[index].changes;
    snprintf(text, COMPARE_TEXT, "%s%s%s", group->keys, group->keys[0] ? ": " : "",
             index == 0 ? "base" : changes);
    return text;
}

static sens_status get_ready(struct compare_group *group, const struct compare_options *options, int signals,
                             struct progress *progress)
{
    char text[COMPARE_TEXT];
    for (size_t i = 0; i < group->contenders; i++) {
        progress_step(progress, label(group, i, text));
        const sens_status status = compare_start(&group->contender[i], options, signals);
        if (status == SENS_INTERRUPTED) return status;
    }
    return SENS_OK;
}

/* All that are still there, in new processes. */
static sens_status start_again(struct compare_group *group, const struct compare_options *options,
                               int signals)
{
    for (size_t i = 0; i < group->contenders; i++) {
        struct contender *contender = &group->contender[i];
        if (contender->process.pid == 0) continue;
        compare_stop(contender, false);
        const sens_status status = compare_start(contender, options, signals);
        if (status == SENS_INTERRUPTED) return status;
    }
    return SENS_OK;
}

static bool is_time_for_others(const struct compare_group *group, const struct compare_options *options,
                               double ready_seconds)
{
    const size_t share = (options->rounds + PROCESSES - 1) / PROCESSES;
    return group->rounds > 0 && group->rounds % share == 0 && ready_seconds <= ready_part * options->seconds;
}

/* One sample of each contender that is still there. */
static sens_status play_round(struct compare_group *group, const struct compare_options *options, int signals,
                              const size_t *order)
{
    for (size_t k = 0; k < group->contenders; k++) {
        struct contender *contender = &group->contender[order[k]];
        if (contender->process.pid == 0) continue;
        struct compare_sample *sample = &contender->sample[group->rounds];
        const sens_status status = compare_ask(contender, options, signals, sample);
        if (status == SENS_INTERRUPTED) return status;
    }
    return SENS_OK;
}

static bool anyone_left(const struct compare_group *group)
{
    for (size_t i = 0; i < group->contenders; i++)
        if (group->contender[i].process.pid > 0) return true;
    return false;
}

bool compare_is_enough(const struct compare_options *options, size_t rounds, double elapsed)
{
    if (rounds == options->rounds) return true;
    return rounds > 0 && (elapsed >= overtime * options->seconds ||
                          (elapsed >= options->seconds && rounds >= COMPARE_ROUNDS_LEAST));
}

static sens_status play(struct compare_group *group, const struct compare_options *options, int signals,
                        double ready_seconds, struct progress *progress, gsl_rng *rng, size_t *order)
{
    sens_status status = SENS_OK;
    char text[COMPARE_TEXT];
    const double start = seconds_now();
    for (size_t i = 0; i < group->contenders; i++) order[i] = i;
    while (status == SENS_OK && anyone_left(group) &&
           !compare_is_enough(options, group->rounds, seconds_now() - start)) {
        snprintf(text, sizeof text, "%s%sround %zu", group->keys, group->keys[0] ? ": " : "",
                 group->rounds + 1);
        progress_step(progress, text);
        if (is_time_for_others(group, options, ready_seconds)) status = start_again(group, options, signals);
        if (status != SENS_OK) break;
        gsl_ran_shuffle(rng, order, group->contenders, sizeof *order);
        status = play_round(group, options, signals, order);
        if (status == SENS_OK) group->rounds++;
    }
    progress->total -= options->rounds - group->rounds; /* those that will not be made */
    return status;
}

static void not_without_memory(struct compare_group *group)
{
    for (size_t i = 0; i < group->contenders; i++)
        compare_fail(&group->contender[i], SENS_NO_MEMORY, "no memory for the order of the rounds");
}

sens_status compare_group_run(struct compare_group *group, const struct compare_options *options,
                              struct progress *progress)
{
    const int signals = process_signals();
    struct process_kin kin;
    process_kin(&kin);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    size_t *order = calloc(group->contenders, sizeof *order);
    sens_status status = SENS_OK;
    if (rng && order && signals >= 0) {
        gsl_rng_set(rng, options->seed + group->index);
        machine_seek_quiet(); /* one core for all of the group */
        const double start = seconds_now();
        status = get_ready(group, options, signals, progress);
        double ready = seconds_now() - start; /* of the next time, which looks for no tolerance */
        for (size_t i = 0; i < group->contenders; i++) ready -= group->contender[i].calibrating;
        if (status == SENS_OK) status = play(group, options, signals, ready, progress, rng, order);
    } else {
        not_without_memory(group);
    }
    for (size_t i = 0; i < group->contenders; i++)
        compare_stop(&group->contender[i], status == SENS_INTERRUPTED);
    process_end_orphans(&kin, 0, NULL);
    compare_summarise(group);
    if (rng) gsl_rng_free(rng);
    free(order);
    if (signals >= 0) close(signals);
    return status;
}
