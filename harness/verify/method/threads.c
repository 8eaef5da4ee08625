/* The number of threads must not change a bit of the result: outputs are independent, and each is computed by
 * one thread in one order. A race shows by chance; the chance is made large by many blocks of outputs,
 * several runs, and a problem whose callbacks give way to other threads. */
#include <stdio.h>

#include "trial.h"

struct race {
    struct worst worst;  /* of several threads */
    struct worst serial; /* of one */
    struct sens_out one; /* with one thread, the first time */
    long ckpt;
};

static void compare_race(void *self, struct bed *bed, int number)
{
    struct race *race = self;
    const bool serial = bed->task.threads == 1;
    const struct sens_out nothing = trial_nothing(bed);
    char what[96];
    if (serial && number == 0) race->one = bed_keep(bed);
    snprintf(what, sizeof what, "%d threads, ckpt = %ld, run %d:", bed->task.threads, race->ckpt, number + 1);
    trial_compare(serial ? &race->serial : &race->worst, bed, &race->one, &nothing, what);
}

static void vary_threads(struct verify *v, struct bed *bed, struct race *race)
{
    const int runs = v->quick ? 3 : 10;
    const int counts[] = {1, 2, 3, 4, (int)verify_integer(v, 5, 9)};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const int threads = counts[k];
        bed->task.threads = threads;
        bed_solve_repeatedly(bed, threads == 1 ? 2 : runs, compare_race, race);
        if (threads == 1 && bed->status != SENS_OK) return;
        if (bed->status != SENS_OK) trial_compare(&race->worst, bed, &race->one, &race->one, "threads:");
    }
}

/* Runs that differ with one thread too are no race. */
static void report_race(const struct race *race, struct verify_result *result)
{
    const bool serial = worst_passes(&race->serial);
    verify_judge(result, &race->worst);
    if (!serial) verify_say(result, "a second run with one thread differs as well");
    verify_blame(result, CAUSE_data_race, serial ? 0.9 : 0.2);
    verify_blame(result, CAUSE_stale_workspace, serial ? 0.4 : 0.7);
    verify_blame(result, CAUSE_dirty_buffer, serial ? 0.1 : 0.6);
}

static void run(struct verify *v)
{
    struct scene_settings settings = trial_settings(v, 40);
    struct scene scene;
    struct race race = {.worst = {.count = 0}};
    settings.tol = 1e-4; /* few steps: what counts is how often threads meet */
    const bool made = scene_create(v, &settings, &scene);
    struct verify_result result = verify_open("threads.same", scene.module, scene.subject);
    if (v->method->caps & SENS_CAP_THREADS) {
        scene.bed.problem = trial_yielding(v, &scene.bed.problem);
        scene.bed.task.lanes = (int)verify_integer(v, 1, 4); /* ten blocks and more */
        if (v->method->caps & SENS_CAP_BATCH) scene.bed.task.batch = (int)verify_integer(v, 0, 40);
        for (race.ckpt = 0; made && race.ckpt <= 3; race.ckpt += 3) {
            scene.bed.task.ckpt = bed_every(v, race.ckpt);
            vary_threads(v, &scene.bed, &race);
        }
        report_race(&race, &result);
    } else {
        verify_skip(&result, "the method has no threads");
    }
    verify_close(v, &result);
    scene_free(&scene);
}

static const struct verify_check checks[] = {
    {.id = "threads.same",
     .summary = "the gradient does not depend on the number of threads",
     .bound = "0: an output is computed by one thread, in the order of a single one",
     .explanation = "Forty outputs in blocks of one to four are computed by 1 to 4 threads and by 5 to 9, "
                    "several times, with stored and with recomputed steps; the problem's callbacks yield the "
                    "processor, so that threads meet in the middle of their work. Any difference is a race: "
                    "look for work space that belongs to the method and not to the thread (stage cotangents, "
                    "the window of recomputed steps, the buffer of a batch)."},
    {.id = NULL}};

const struct verify_group verify_threads = {
    .name = "threads", .kind = VERIFY_METHOD, .checks = checks, .run = run};
