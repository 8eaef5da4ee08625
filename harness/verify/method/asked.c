/* What a method asks of the problem and the cost: nothing that the contract excludes.
 *
 * The probe and its cost look at every call (decorate_watch.h). Its sizes are such that a block of lanes, a
 * batch or a list of observations is not full at its end, or empty. */
#include <stdio.h>
#include <string.h>

#include "declared.h"
#include "decorate_watch.h"
#include "trial.h"

static const double LOOSE = 1e-5;

static const struct variation {
    size_t n, np, m; /* n = 0: as in other checks */
    int lanes, batch, threads;
    long every; /* k-th state kept; 0: all stages */
    bool fixed, x0_depends, declared;
    unsigned less; /* parts of the cost that are left out */
} variations[] = {
    {.x0_depends = true},
    {.fixed = true, .declared = true},
    {.n = 3, .np = 7, .m = 6, .lanes = 4, .batch = 3, .fixed = true, .x0_depends = true},
    {.n = 1, .np = 1, .m = 1, .lanes = 2, .fixed = true, .less = PROBE_RUNNING | PROBE_AT_T0},
    {.n = 5, .np = 0, .m = 2, .lanes = 8, .x0_depends = true, .less = PROBE_AT_T1},
    {.n = 9, .np = 21, .m = 19, .lanes = 8, .threads = 2, .every = 3, .x0_depends = true},
};
enum { VARIATIONS = sizeof variations / sizeof *variations };

struct asked {
    struct worst worst;
    struct verify_result result;
};

static void set_task(const struct variation *as, struct bed *bed)
{
    const unsigned caps = bed->method->caps;
    struct sens_task *task = &bed->task;
    if (caps & SENS_CAP_LANES) task->lanes = as->lanes;
    if (caps & SENS_CAP_BATCH) task->batch = as->batch;
    if (caps & SENS_CAP_THREADS) task->threads = as->threads;
    if (caps & SENS_CAP_CKPT) task->ckpt = bed_every(bed->v, as->every);
}

/* The same numbers, bit for bit? */
static void compare_inputs(struct asked *asked, const char *name, size_t count, const double *now,
                           const double *before)
{
    const bool same = count == 0 || memcmp(now, before, count * sizeof *now) == 0;
    worst_note(&asked->worst, same ? 0 : 1, 0, "%s of the task is overwritten", name);
    if (!same) verify_blame(&asked->result, CAUSE_input_changed, 1);
}

/* Solves with the calls looked at, and notes the first that breaks the contract. */
static void solve_watched(struct verify *v, const struct scene *scene, const struct variation *as,
                          struct asked *asked)
{
    const struct sens_problem *const pb = &scene->bed.problem;
    struct watch *watch = verify_memory(v, 1, sizeof *watch);
    double *const p = verify_copy(v, pb->np, pb->p), *const x0 = verify_copy(v, pb->n, pb->x0);
    struct sens_problem declared = *pb, problem;
    struct sens_cost cost;
    struct bed bed;
    if (as->declared) declared_by_products(v, pb, DECLARED_DENSE, &declared);
    decorate_watch(v, &declared, watch, &problem);
    decorate_watch_cost(v, &scene->bed.cost, pb->t0, pb->t1, watch, &cost);
    trial_decorated(scene, &problem, &cost, &bed);
    bed.problem.p = p, bed.problem.x0 = x0;
    set_task(as, &bed);
    bed_solve(&bed);
    const int broken = atomic_load(&watch->broken);
    worst_note(&asked->worst, broken, 0, "n = %zu, np = %zu, m = %zu: %s (%d calls)", pb->n, pb->np,
               bed.cost.m, watch->first, broken);
    if (broken) verify_blame(&asked->result, CAUSE_contract_broken, 1);
    compare_inputs(asked, "p", pb->np, p, pb->p);
    compare_inputs(asked, "x0", pb->n, x0, pb->x0);
    bed_free(&bed);
}

static void vary(struct verify *v, const struct variation *as, struct asked *asked)
{
    struct scene_settings settings = as->fixed ? trial_fixed_settings(v, 3) : trial_settings(v, 3);
    struct scene scene;
    if (as->n) settings.n = as->n, settings.np = as->np, settings.m = as->m;
    settings.x0_depends = as->x0_depends;
    settings.parts &= ~as->less;
    settings.tol = LOOSE;
    if (as->fixed && !(v->method->caps & SENS_CAP_CONTROLLER)) settings.controller = NULL;
    if (scene_create(v, &settings, &scene)) solve_watched(v, &scene, as, asked);
    scene_free(&scene);
}

static void run(struct verify *v)
{
    struct asked asked = {.worst = {.count = 0}};
    asked.result = verify_open("calls.contract", v->module, "probe, every call looked at");
    for (int k = 0; k < VARIATIONS; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        vary(v, &variations[k], &asked);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    verify_judge(&asked.result, &asked.worst);
    verify_close(v, &asked.result);
}

static const struct verify_check checks[] = {
    {.id = "calls.contract",
     .summary = "the method asks callbacks for nothing that the contract excludes",
     .bound = "0 calls that break it",
     .explanation =
         "A problem and a cost look at every call, for sizes that leave blocks of lanes and batches partly "
         "empty, without parameters, with an initial state that is held, with declared structure, and on "
         "several threads. Columns k0 + L must end at np, observations be among the n_obs, times lie in "
         "[t0, t1] but for a few roundings, inputs be there and aligned, outputs share no memory with "
         "inputs, and x0 and its derivatives be asked for only where the state depends on p. p and x0 of "
         "the task must be as they were. A problem need not survive what is excluded: it reads outside its "
         "arrays, and the numbers or the crash look like a fault of its own. The first such call is named."},
    {.id = NULL}};

const struct verify_group verify_asked = {
    .name = "asked", .kind = VERIFY_METHOD, .checks = checks, .run = run};
