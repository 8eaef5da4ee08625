/* What surrounds a solve and is no part of the task: what is known of the machine, whether anybody listens, the
 * memory that is left behind, and what a method says of its own work. */
#include <stdio.h>
#if defined(__linux__)
#include <malloc.h>
#endif

#include "seconds.h"
#include "trial.h"
#include "trials.h"

/* ---- machine.same -------------------------------------------------------------------------------------- */

/* Data caches and vectors of a small core, of a usual one, of a large one; cores that `threads = auto` may use. */
static const struct machine {
    struct sens_caches cache;
    size_t vector;
    int cores;
} machines[] = {
    {{8192, 65536, 0}, 16, 1}, {{32768, 1 << 20, 1 << 25}, 32, 2}, {{1 << 18, 1 << 23, 1 << 28}, 64, 3}};
enum { MACHINES = sizeof machines / sizeof *machines };

static void solve_on(struct bed *bed, const struct machine *machine)
{
    struct bed_state state = {.ready = false};
    state.ctx.cores = machine->cores;
    bed->cache = machine->cache;
    bed->vector = machine->vector;
    if (bed_prepare(bed, &state) == SENS_OK) bed_run(bed, &state);
    bed_release(bed, &state);
}

static void check_machines(struct verify *v)
{
    struct scene_settings settings = trial_open_settings(v, 11);
    struct worst worst = {.count = 0};
    struct scene scene;
    settings.n = 9, settings.np = 19;
    const bool created = scene_create(v, &settings, &scene);
    struct verify_result result = verify_open("machine.same", scene.module, scene.subject);
    struct sens_out apart;
    if (created && bed_solve(&scene.bed) == SENS_OK && trial_same(&scene, &apart) == SENS_OK) {
        const struct sens_out first = bed_keep(&scene.bed);
        for (int k = 0; k < MACHINES; k++) {
            char what[64];
            snprintf(what, sizeof what,
                     "L1 = %zu, L2 = %zu, vectors of %zu bytes, %d cores:", machines[k].cache.l1,
                     machines[k].cache.l2, machines[k].vector, machines[k].cores);
            solve_on(&scene.bed, &machines[k]);
            trial_compare(&worst, &scene.bed, &first, &apart, what);
        }
        verify_judge(&result, &worst);
    } else {
        trial_skip(&scene.bed, &result);
    }
    verify_blame(&result, CAUSE_machine_path, 0.95);
    verify_close(v, &result);
    scene_free(&scene);
}

/* ---- machine.memory ------------------------------------------------------------------------------------ */

/* Bytes that are taken from the heap and not given back; 0 where that cannot be asked. */
static double heap(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 now = mallinfo2();
    return (double)now.uordblks + (double)now.hblkhd;
#else
    return 0;
#endif
}

/* Of what a first solve sets up for good, as a library may, nothing is said: the same must not be lost again and
 * again. */
static void check_memory(struct verify *v)
{
    /* What a library notes of a solve: PETSc 30 to 140 bytes, now more and now less; SUNDIALS and GSL nothing. */
    enum { ROUNDS = 3, SOLVES = 32, NOTED = 128 };
    const double bookkeeping = v->method->library ? NOTED * SOLVES : 0;
    struct scene_settings settings = trial_settings(v, 3);
    struct worst worst = {.count = 0};
    struct scene scene;
    settings.tol = 1e-4;
    const bool created = scene_create(v, &settings, &scene);
    struct verify_result result = verify_open("machine.memory", scene.module, scene.subject);
    double taken[ROUNDS] = {0}, least = INFINITY;
    for (int k = 0; created && k < ROUNDS; k++) {
        for (int solve = 0; solve < SOLVES; solve++) bed_solve(&scene.bed);
        taken[k] = heap();
    }
    for (int k = 1; k < ROUNDS; k++) least = fmin(least, taken[k] - taken[k - 1]);
    if (!created || taken[0] == 0)
        verify_skip(&result, "what is taken from the heap is not known here");
    else
        worst_note(&worst, fmax(least, 0), bookkeeping, "bytes that %d solves take and do not give back",
                   SOLVES);
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_memory_lost, 1);
    verify_close(v, &result);
    scene_free(&scene);
}

/* ---- what one solve takes -------------------------------------------------------------------------------- */

enum { KEPT = 65536 }; /* bytes that a library may have had from the heap before */

struct taken { /* by one solve */
    long steps;
    double told, factors,
        memory; /* bytes of the trajectory and of factors as told; taken from arena and heap */
};

static bool measure(struct bed *bed, struct taken *taken)
{
    struct bed_state state = {.ready = false};
    const double before = heap();
    const bool solved = bed_prepare(bed, &state) == SENS_OK && bed_run(bed, &state) == SENS_OK;
    /* What a library took in prepare and run is still there; what stands in the arena is of the heap as well. */
    const double of_heap = heap() - before, of_arena = (double)state.ctx.arena.peak;
    *taken = (struct taken){.steps = bed->work.steps,
                            .told = (double)bed->work.bytes_traj,
                            .factors = (double)bed->work.bytes_factors,
                            .memory = fmax(of_heap, of_arena)};
    bed_release(bed, &state);
    return solved;
}

/* ---- work.told ----------------------------------------------------------------------------------------- */

static void note_counts(struct worst *worst, const struct sens_work *work)
{
    const struct {
        const char *name;
        long count;
    } told[] = {{"steps", work->steps},
                {"rejects", work->rejects},
                {"steps_reverse", work->steps_reverse},
                {"rejects_reverse", work->rejects_reverse},
                {"steps_implicit", work->steps_implicit},
                {"factorisations", work->factorisations},
                {"solves", work->solves},
                {"newton", work->newton},
                {"kept", work->kept},
                {"lanes", work->lanes},
                {"threads", work->threads},
                {"batch", work->batch}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        worst_note(worst, told[i].count >= 0 ? 0 : 1, 0, "a negative number is told: %s = %ld", told[i].name,
                   told[i].count);
}

/* Formulas of its own may; additive pairs are of the diagonally implicit family. */
static bool iterates(const struct bed *bed)
{
    if (!(bed->method->caps & SENS_CAP_TABLEAU)) return true;
    const enum sens_family family = bed->task.tableau->family;
    return family != SENS_FAMILY_EXPLICIT && family != SENS_FAMILY_ROSENBROCK;
}

static void note_work(struct worst *worst, const struct bed *bed)
{
    const unsigned caps = bed->method->caps;
    const struct sens_work *work = &bed->work;
    const int threads = caps & SENS_CAP_THREADS ? bed->task.threads : 1;
    const long reported = caps & SENS_CAP_STEPS ? bed->grid.steps : work->steps;
    worst_note(worst, fabs((double)(work->steps - reported)), 0, "%ld steps are told, and %ld were reported",
               work->steps, reported);
    worst_note(worst, work->threads >= 0 && work->threads <= threads ? 0 : 1, 0,
               "%d threads are told, and %d may be used", work->threads, threads);
    note_counts(worst, work);
    if (!iterates(bed))
        worst_note(worst, work->residual, 0,
                   "iterations are told to leave so much, and the formula has none");
    const double least = fmin(fmin(work->t_forward, work->t_reverse), work->residual),
                 sum = work->t_forward + work->t_reverse + work->residual;
    worst_note(worst, isfinite(sum) && least >= 0 ? 0 : 1, 0,
               "times or residual are no numbers, or negative: %g, %g, %g", work->t_forward, work->t_reverse,
               work->residual);
    const double elsewhere = work->t_elsewhere;
    worst_note(worst,
               elsewhere == 0 || (bed->method->library && isfinite(elsewhere) && elsewhere > 0) ? 0 : 1, 0,
               "%g s by another program's clock, and the method names no such program (library)", elsewhere);
    worst_note(worst, elsewhere == 0 || elsewhere >= work->t_forward + work->t_reverse ? 0 : 1, 0,
               "%g s in all by another program's clock, and %g s of its two parts", elsewhere,
               work->t_forward + work->t_reverse);
}

/* Where the heap cannot be asked, what a library takes of it is not known. */
static void note_bytes(struct worst *worst, const struct bed *bed, const struct taken *taken)
{
    const bool known = heap() > 0 || !bed->method->library;
    worst_note(worst, taken->told + taken->factors, known ? taken->memory + KEPT : INFINITY,
               "%ld steps: bytes told of the trajectory (%.0f) and of factors (%.0f)", taken->steps,
               taken->told, taken->factors);
}

static void check_work(struct verify *v)
{
    const struct scene_settings settings = trial_settings(v, 7);
    struct worst worst = {.count = 0};
    struct scene scene;
    const bool created = scene_create(v, &settings, &scene);
    struct verify_result result = verify_open("work.told", scene.module, scene.subject);
    scene.bed.now = seconds_now;
    for (int threads = 1; created && threads <= 2; threads++) {
        scene.bed.task.threads = v->method->caps & SENS_CAP_THREADS ? threads : 0;
        struct taken taken;
        if (!measure(&scene.bed, &taken)) continue;
        note_work(&worst, &scene.bed);
        note_bytes(&worst, &scene.bed, &taken);
    }
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_work_miscounted, 0.96);
    verify_close(v, &result);
    scene_free(&scene);
}

/* ---- work.memory --------------------------------------------------------------------------------------- */

/* Of two solves that differ in their steps alone. Memory that is doubled when it is full, and never given back, is 2
 * to 4 times what is used: of steps that became r times as many it grows by (4 r - 2) / (r - 1) times as much at
 * most, 5 for r = 3. What is kept of a step beside states and stages (t, h, an order, pointers) is BESIDE. */
static void note_memory(struct worst *worst, const struct taken *few, const struct taken *many)
{
    enum { GROWN = 5, BESIDE = 64 };
    const double steps = (double)(many->steps - few->steps), told = many->told - few->told;
    worst_note(worst, many->told, many->memory + KEPT, "%ld steps: bytes told of the trajectory",
               many->steps);
    worst_note(worst, fmax(many->memory - few->memory, 0), GROWN * fmax(told, 0) + BESIDE * steps,
               "from %ld to %ld steps the bytes told grow by %.0f; bytes taken grow by", few->steps,
               many->steps, told);
}

static void check_memory_told(struct verify *v)
{
    enum { FEW = 64, MANY = 512, LEAST_RATIO = 3 };
    static const double tolerance[] = {1e-4, 1e-10};
    struct scene_settings settings = trial_settings(v, 1);
    struct worst worst = {.count = 0};
    struct taken taken[2];
    bool solved = true;
    struct verify_result result = verify_open("work.memory", v->module, "probe, n = 20, few steps and many");
    settings.n = 20, settings.np = 1;
    if (v->method->caps & SENS_CAP_CONTROLLER) settings.controller = "fixed";
    for (int k = 0; k < 2 && solved; k++) {
        struct scene scene;
        settings.steps = k ? MANY : FEW;
        settings.tol = tolerance[k];
        solved = scene_create(v, &settings, &scene);
        scene.bed.task.parts = SENS_IN_STATE | SENS_IN_DGDP;
        if (solved) scene.bed.out = bed_outputs(&scene.bed);
        solved = solved && measure(&scene.bed, &taken[k]);
        scene_free(&scene);
    }
    if (!solved)
        verify_skip(&result, "the method does not solve the probe with few steps and with many");
    else if (taken[1].steps < LEAST_RATIO * taken[0].steps)
        verify_skip(&result, "%ld steps cannot be made many: %ld", taken[0].steps, taken[1].steps);
    else
        note_memory(&worst, &taken[0], &taken[1]);
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_work_miscounted, 0.97);
    verify_close(v, &result);
}

/* ---- machine.unheard ----------------------------------------------------------------------------------- */

/* Nobody listens to the steps. Last: a method that calls who is not there ends the process. */
static void check_unheard(struct verify *v)
{
    const struct scene_settings settings = trial_settings(v, 3);
    struct worst worst = {.count = 0};
    struct scene scene;
    struct bed_state state = {.ready = false};
    const bool created = scene_create(v, &settings, &scene);
    struct verify_result result = verify_open("machine.unheard", scene.module, scene.subject);
    if (created && bed_solve(&scene.bed) == SENS_OK) {
        const struct sens_out first = bed_keep(&scene.bed), nothing = trial_nothing(&scene.bed);
        if (bed_prepare(&scene.bed, &state) == SENS_OK) {
            scene.bed.task.listener = (struct sens_listener){.step = NULL};
            bed_run(&scene.bed, &state);
            trial_compare(&worst, &scene.bed, &first, &nothing, "where nobody listens:");
        }
        bed_release(&scene.bed, &state);
    }
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_stale_workspace, 0.3);
    verify_close(v, &result);
    scene_free(&scene);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void run(struct verify *v)
{
    check_machines(v);
    check_memory(v);
    check_work(v);
    trials_check(v);
    check_memory_told(v);
    check_unheard(v);
}

static const struct verify_check checks[] = {
    {.id = "machine.same",
     .summary = "what is known of the machine changes no number",
     .bound = "discrete: twice the measured effect of rounding; continuous: twice that of the tolerance",
     .explanation =
         "The method is told of three machines in its context: sizes of the caches, bytes of vectors that "
         "are multiplied whole, and cores for `threads = auto`. It may choose lanes, batches and threads by "
         "them, and its results may differ by rounding. A failure is a path that only another machine takes: "
         "blocks of another width, or a buffer that was sized for this one's."},
    {.id = "machine.memory",
     .summary = "a solve gives back the memory that it takes",
     .bound =
         "none: no byte of the heap in one of two spans of 32 solves; 128 a solve where a library computes",
     .explanation =
         "32 solves, as many again and again: prepare, run, release. What is in use of the heap after each "
         "32 must not grow each time; a library may note a little of each solve. Memory from the arena is "
         "given back by the harness; what malloc or a library gave is the method's, in release."},
    {.id = "work.told",
     .summary = "what the method says of its work is what it did",
     .bound = "none: equal counts; of bytes, 64 KiB more than is taken",
     .explanation =
         "work->steps is the number of accepted steps that were reported, threads are at most those that "
         "were asked for (one of a method that takes none), no count is negative, and no time is negative "
         "or infinite. work->bytes_traj and work->bytes_factors together are at most 64 KiB more than the "
         "solve takes from the arena and the heap; of a library this is left out where the heap cannot be "
         "asked. A time by another program's clock stands in place of the harness's own, and is told by "
         "no method but one that names that program; it is not less than that of its parts. Tables and "
         "rates are made from these numbers."},
    {.id = "work.trials",
     .summary = "the accepted and rejected steps that the method tells of are those that max_steps allows",
     .bound = "none: equal counts",
     .explanation =
         "max_steps bounds accepted and rejected trials together, of the solve forward and of a solve "
         "back apart. The larger of the sums that are told must be enough, and one less must not. Of x' "
         "= cos(8 t) + p most trials are made forward, of x' = -4 p (x - 1) from x = 1 most are made "
         "back; the first is the whole interval, so that some are rejected. With the fixed step the "
         "numbers are known, too. Look at what is counted at a rejection, at an observation, and once "
         "for several blocks of outputs. Methods with steps of their own may make several of a trial, "
         "and are not looked at."},
    {.id = "work.memory",
     .summary = "the bytes that a method tells of its trajectory are those that it takes",
     .bound = "not more than is taken; of what more steps take, at least a fifth, but for 64 bytes a step",
     .explanation =
         "The probe with 20 states is solved with few steps and with eight times as many (or at two "
         "tolerances), and what is taken from the arena and the heap is counted. work->bytes_traj is no more "
         "than that; and what many steps take beyond few is told, but for what arrays that double waste (a "
         "factor of 5 at most) and 64 bytes a step. Look for numbers that are counted in place of bytes, "
         "stages that are not counted, or memory that is not the trajectory's and grows with the steps."},
    {.id = "machine.unheard",
     .summary = "a solve to which nobody listens is the same",
     .bound = "none: equal bits",
     .explanation =
         "task->listener.step is NULL, as it is in a sweep. A crash here is a call of it that does not ask."},
    {.id = NULL}};

const struct verify_group verify_surroundings = {
    .name = "surroundings", .kind = VERIFY_METHOD, .checks = checks, .run = run};
