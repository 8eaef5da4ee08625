/* What must not change the result of a method: a second run, where the state was kept, and how the work is
 * cut into lanes, batches and parts. (Threads: threads.c; shifted times and scaled parameters: transforms.c.)
 *
 * Where nothing but the order of independent work differs, the bits are the same. Where sums are formed by
 * other instructions, the results differ by rounding; where steps are chosen anew, by the tolerance. */
#include <stdio.h>
#include <string.h>

#include "trial.h"

/* ---- the second run ------------------------------------------------------------------------------------ */

static void blame_second_run(const struct pattern *early, const struct pattern *late,
                             struct verify_result *result)
{
    if (early->any) {
        verify_blame(result, CAUSE_dirty_buffer, early->doubled ? 1 : 0.5);
        verify_blame(result, CAUSE_stale_workspace, early->doubled ? 0.5 : 0.7);
        if (early->doubled) verify_say(result, "what differs is twice the first result");
    } else if (late->any) {
        verify_say(result, "only after another task was solved in between");
        verify_blame(result, CAUSE_stale_workspace, 0.8);
        verify_blame(result, CAUSE_dirty_buffer, late->doubled ? 0.9 : 0.3);
    }
    verify_blame(result, CAUSE_data_race, 0.1);
}

/* Another task of the same method, larger, and one of another method: both leave their traces in whatever is
 * shared by mistake. */
static void solve_something_else(struct verify *v)
{
    struct scene_settings settings = trial_settings(v, 9);
    struct scene scene;
    settings.n += 2;
    settings.np += 3;
    if (scene_create(v, &settings, &scene)) bed_solve(&scene.bed);
    for (size_t k = 0; k < 2 && v->reg->methods[k]; k++) {
        scene.bed.method = v->reg->methods[k];
        scene.bed.option =
            verify_memory(v, sens_option_count(scene.bed.method->options), sizeof *scene.bed.option);
        sens_option_defaults(scene.bed.method->options, scene.bed.option);
        scene.bed.task.option = scene.bed.option;
        bed_solve(&scene.bed);
    }
    scene_free(&scene);
}

struct repeats {
    struct worst difference, allocations;
    struct pattern early, late; /* of the second run; of one after another task */
};

/* Runs number 2 to 4 of a state that has run once. */
static void run_again(struct verify *v, struct bed *bed, struct bed_state *state, struct repeats *found)
{
    const struct sens_out first = bed_keep(bed), nothing = trial_nothing(bed);
    for (int run = 2; run <= 4; run++) {
        char what[32];
        if (run == 4) solve_something_else(v);
        const size_t before = state->ctx.arena.allocations;
        bed_run(bed, state);
        snprintf(what, sizeof what, "run %d:", run);
        trial_compare(&found->difference, bed, &first, &nothing, what);
        const struct pattern pattern = trial_pattern(bed, &bed->out, &first, &nothing);
        if (run == 2) found->early = pattern;
        if (run == 4) found->late = pattern;
        const size_t taken = state->ctx.arena.allocations - before;
        worst_note(&found->allocations, (double)taken, 0, "run %d: %zu requests to the arena", run, taken);
    }
}

static void report_repeats(struct verify *v, const struct scene *scene, const struct repeats *found)
{
    struct verify_result same = verify_open("again.same", scene->module, scene->subject);
    verify_judge(&same, &found->difference);
    blame_second_run(&found->early, &found->late, &same);
    verify_close(v, &same);
    struct verify_result allocates = verify_open("again.allocates", scene->module, scene->subject);
    verify_judge(&allocates, &found->allocations);
    verify_blame(&allocates, CAUSE_allocates_in_run, 1);
    verify_close(v, &allocates);
}

static void check_repeats(struct verify *v)
{
    const struct scene_settings settings = trial_settings(v, 5);
    struct scene scene;
    struct repeats found = {.difference = {.count = 0}};
    struct bed_state state = {.ready = false};
    if (scene_create(v, &settings, &scene) && bed_prepare(&scene.bed, &state) == SENS_OK) {
        const size_t before = state.ctx.arena.allocations;
        if (bed_run(&scene.bed, &state) == SENS_OK) {
            const size_t taken = state.ctx.arena.allocations - before;
            worst_note(&found.allocations, (double)taken, 0, "run 1: %zu requests to the arena", taken);
            run_again(v, &scene.bed, &state, &found);
        }
    }
    report_repeats(v, &scene, &found);
    bed_release(&scene.bed, &state);
    scene_free(&scene);
}

/* ---- checkpoints --------------------------------------------------------------------------------------- */

struct checkpoints {
    struct worst worst;
    struct pattern fsal, other; /* tableaux whose last slope is the next step's first, and others */
    bool right;                 /* with all stages kept */
};

/* One policy, which the task names, against the stored stages. */
static void try_policy(struct bed *bed, const struct sens_out *stored, struct checkpoints *found)
{
    const struct sens_ckpt *ckpt = &bed->task.ckpt;
    const struct sens_tableau *tableau = bed->task.tableau;
    const struct sens_out nothing = trial_nothing(bed);
    char what[96];
    if (bed_solve(bed) == SENS_UNSUPPORTED) return; /* the method keeps fewer policies */
    snprintf(what, sizeof what, "%s, ckpt = %.20s:%ld:", tableau->name, ckpt->policy->name, ckpt->number);
    trial_compare(&found->worst, bed, stored, &nothing, what);
    const struct pattern pattern = trial_pattern(bed, &bed->out, stored, &nothing);
    trial_merge(tableau->fsal ? &found->fsal : &found->other, &pattern);
}

/* All policies. A first trial step of half the interval is sure to be rejected. */
static void vary_checkpoints(struct scene *scene, struct checkpoints *found)
{
    static const long number[] = {1, 2, 3, 7, 1000};
    struct bed *bed = &scene->bed;
    const struct sens_ckpt_policy *const *policy = bed->v->reg->ckpt_policies;
    if (!bed_is_fixed(bed)) bed->task.dt = (bed->problem.t1 - bed->problem.t0) / 2;
    if (bed_solve(bed) != SENS_OK) return;
    const struct sens_out stored = bed_keep(bed);
    for (; *policy; policy++) {
        const size_t numbers = (*policy)->numbered ? sizeof number / sizeof number[0] : 1;
        for (size_t k = 0; k < numbers && !(*policy)->stages; k++) {
            bed->task.ckpt = (struct sens_ckpt){*policy, number[k]};
            try_policy(bed, &stored, found);
        }
    }
    bed->task.ckpt = (struct sens_ckpt){.policy = NULL};
    if (!worst_passes(&found->worst) && found->right) found->right = trial_right(scene);
}

static void blame_checkpoints(const struct checkpoints *found, struct verify_result *result)
{
    const double rounding = 1e-9; /* a difference of more is no rounding, of this task */
    const double relative = fmax(found->fsal.relative, found->other.relative);
    const bool fsal_alone = found->fsal.any && !found->other.any, small = relative < rounding;
    const double trust = found->right ? 1 : 0.5;
    verify_say(result, "the difference is %s, %s", small ? "of the size of rounding" : "larger than rounding",
               fsal_alone ? "with a tableau whose last slope is the next step's first only"
                          : "whether or not slopes are carried over");
    if (small) result->parts = SENS_IN_DIGITS;
    if (!found->right) verify_say(result, "without checkpoints the result is wrong, too");
    verify_blame(result, CAUSE_stale_slope, trust * (fsal_alone ? 0.9 : 0.3));
    verify_blame(result, CAUSE_step_from_times, trust * (!small ? 0.2 : fsal_alone ? 0.5 : 0.9));
    verify_blame(result, CAUSE_checkpoint, trust * (small ? 0.4 : fsal_alone ? 0.6 : 0.9));
    verify_blame(result, CAUSE_stale_workspace, 0.2 * trust);
}

static void check_checkpoints(struct verify *v)
{
    static const char *const tableau[] = {"cash_karp", "dopri5"}, *const controller[] = {"odeint", "fixed"};
    struct checkpoints found = {.worst = {.count = 0}, .right = true};
    struct scene scene;
    struct verify_result result =
        verify_open("ckpt.same", v->module, "probe, cash_karp and dopri5, adaptive and fixed steps");
    if (!(v->method->caps & SENS_CAP_CKPT)) {
        verify_skip(&result, "the method keeps no checkpoints");
        verify_close(v, &result);
        return;
    }
    for (int q = 0; q < 4; q++) {
        struct scene_settings settings = trial_settings(v, 3);
        settings.tableau = tableau[q % 2];
        settings.controller = controller[q / 2];
        if (scene_create(v, &settings, &scene)) vary_checkpoints(&scene, &found);
        scene_free(&scene);
    }
    verify_judge(&result, &found.worst);
    if (result.verdict == VERIFY_FAIL) blame_checkpoints(&found, &result);
    verify_close(v, &result);
}

/* ---- lanes, batches, parts ----------------------------------------------------------------------------- */

struct study { /* a solve and how far another one may be from it */
    struct scene scene;
    struct sens_out first, apart;
    struct grid steps; /* empty, where the method tells none */
    long count;        /* of steps */
    bool solved, made; /* there is a first one; and apart is set */
};

/* length: of the interval; 0: the usual one */
static void study_create(struct verify *v, double length, struct study *study)
{
    struct scene_settings settings = trial_open_settings(v, 11);
    settings.length = length;
    struct bed *const bed = &study->scene.bed;
    study->steps = (struct grid){.steps = 0};
    study->solved = scene_create(v, &settings, &study->scene);
    bed->task.lanes = v->method->caps & SENS_CAP_LANES ? 1 : 0;
    bed->task.batch = v->method->caps & SENS_CAP_BATCH ? 1 : 0;
    study->solved = study->solved && bed_solve(bed) == SENS_OK;
    study->made = false;
    if (!study->solved) return;
    study->first = bed_keep(bed);
    study->count = bed->work.steps;
    if (bed->grid.steps > 0 || expected_rebuilds(bed)) study->solved = expected_grid(bed, &study->steps);
    study->made = study->solved && trial_same(&study->scene, &study->apart) == SENS_OK;
}

/* Where each output was a block of its own, as all begin at the first, rows that begin a block stay as they are. */
static void blame_lanes(const struct study *study, int one, size_t L, struct verify_result *result)
{
    const struct bed *bed = &study->scene.bed;
    trial_blame_rows(bed, &bed->out, &study->first, &study->apart, L, result);
    if (one == 1 && trial_first_alone(bed, &bed->out, &study->first, &study->apart, L))
        verify_blame(result, CAUSE_lane_offset, 0.6);
}

static void check_lanes(struct verify *v, struct study *study)
{
    static const int lanes[] = {2, 3, 4, 5, 7, 8, 16, 33};
    struct bed *bed = &study->scene.bed;
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("lanes.same", study->scene.module, study->scene.subject);
    const int kept = bed->task.lanes;
    if (!(v->method->caps & SENS_CAP_LANES)) verify_skip(&result, "the method has no lanes");
    for (size_t k = 0; result.verdict == VERIFY_PASS && study->made && k < sizeof lanes / sizeof lanes[0];
         k++) {
        const bool fine = worst_passes(&worst);
        char what[32];
        bed->task.lanes = lanes[k];
        bed_solve(bed);
        snprintf(what, sizeof what, "%d lanes:", lanes[k]);
        trial_compare(&worst, bed, &study->first, &study->apart, what);
        if (fine && !worst_passes(&worst) && bed->status == SENS_OK)
            blame_lanes(study, kept, (size_t)lanes[k], &result);
    }
    bed->task.lanes = kept;
    if (result.verdict == VERIFY_PASS) verify_judge(&result, &worst);
    verify_close(v, &result);
}

static void check_batches(struct verify *v, struct study *study)
{
    static const int batch[] = {2, 3, 7, 24, 32, 1000};
    struct bed *bed = &study->scene.bed;
    struct worst worst = {.count = 0};
    struct pattern all = {.any = false};
    struct verify_result result = verify_open("batch.same", study->scene.module, study->scene.subject);
    const int kept = bed->task.batch;
    if (!(v->method->caps & SENS_CAP_BATCH)) verify_skip(&result, "the method has no batches");
    for (size_t k = 0; result.verdict == VERIFY_PASS && study->made && k < sizeof batch / sizeof batch[0];
         k++) {
        char what[32];
        bed->task.batch = batch[k];
        bed_solve(bed);
        snprintf(what, sizeof what, "batches of %d:", batch[k]);
        trial_compare(&worst, bed, &study->first, &study->apart, what);
        const struct pattern pattern = trial_pattern(bed, &bed->out, &study->first, &study->apart);
        trial_merge(&all, &pattern);
    }
    bed->task.batch = kept;
    if (result.verdict == VERIFY_PASS) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_last_batch, all.parameters && !all.states ? 0.9 : 0.4);
    verify_blame(&result, CAUSE_batch_one_point, 0.3);
    verify_blame(&result, CAUSE_stale_workspace, 0.3);
    verify_close(v, &result);
}

/* Where both together are wrong and each alone is right, the first leaves something to the second. */
static void blame_parts(struct study *study, struct verify_result *result)
{
    const bool known = expected_rebuilds(&study->scene.bed), right = known && trial_right(&study->scene);
    if (known && !right) verify_say(result, "both together are wrong");
    verify_blame(result, CAUSE_one_part_only, right ? 0.9 : known ? 0.5 : 0.8);
    verify_blame(result, CAUSE_stale_workspace, right ? 0.3 : 0.7);
}

static bool same_steps(const struct study *study)
{
    const struct bed *bed = &study->scene.bed;
    return bed->work.steps == study->count && (bed->grid.steps == 0 || grid_same(&bed->grid, &study->steps));
}

/* One gradient alone. Where its steps are others, the result with a tableau can be made again; that of a formula of its
 * own cannot, and is not compared. */
static void compare_part(struct study *study, const char *what, struct worst *worst)
{
    struct bed *bed = &study->scene.bed;
    struct sens_out same;
    if (bed->method->derivative == SENS_DERIVATIVE_DIFFERENCE && bed->status == SENS_OK) {
        trial_digits(bed, &study->first, &same);
        if (same_steps(study)) trial_compare(worst, bed, &study->first, &same, what);
    } else if (expected_rebuilds(bed) || bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS) {
        trial_compare_anew(worst, bed, &study->steps, &study->first, &study->apart, what);
    } else if (bed->status != SENS_OK || same_steps(study)) {
        trial_compare(worst, bed, &study->first, &study->apart, what);
    }
}

static void check_parts(struct verify *v, struct study *study)
{
    struct bed *bed = &study->scene.bed;
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("wrt.same", study->scene.module, study->scene.subject);
    const unsigned kept = bed->task.parts;
    const bool compared =
        study->made || (study->solved && bed->method->derivative == SENS_DERIVATIVE_DIFFERENCE);
    for (unsigned by = SENS_WRT_P; compared && by <= SENS_WRT_X0; by++) {
        bed->task.parts = sens_method_parts(bed->method, by);
        bed->out = bed_outputs(bed);
        bed_solve(bed);
        compare_part(study, by == SENS_WRT_P ? "dG/dp alone:" : "dG/dx0 alone:", &worst);
    }
    bed->task.parts = kept;
    bed->out = bed_outputs(bed);
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) blame_parts(study, &result);
    verify_close(v, &result);
}

static void study_free(struct study *study)
{
    grid_free(&study->steps);
    scene_free(&study->scene);
}

static const double LONG = 16;

static void run(struct verify *v)
{
    struct study study;
    check_repeats(v);
    check_checkpoints(v);
    study_create(v, 0, &study);
    check_lanes(v, &study);
    check_batches(v, &study);
    check_parts(v, &study);
    study_free(&study);
    if (v->method->derivative != SENS_DERIVATIVE_CONTINUOUS) return;
    study_create(v, LONG,
                 &study); /* steps that one gradient chooses may do for the other on a short interval */
    if (study.solved && trial_right(&study.scene)) check_parts(v, &study);
    study_free(&study);
}

static const struct verify_check checks[] = {
    {.id = "again.same",
     .summary = "a second run of one prepared state gives the same bits",
     .bound = "0: the same instructions work on the same numbers",
     .explanation =
         "One state is prepared and run four times, the outputs filled with NaN before each run, and before "
         "the last one other tasks are solved. All four results must agree bit for bit. A second result that "
         "is twice the first was added to what the first run left: look for sums (mu, G, dG) that are "
         "cleared in prepare and not in run. A difference that appears only after another task was solved "
         "means that something is shared between states: a static variable or a global."},
    {.id = "again.allocates",
     .summary = "run allocates nothing",
     .bound = "0 requests to the arena of the context",
     .explanation = "Requests to the arena are counted before and after each run. The contract of "
                    "sens/method.h gives all memory to prepare, so that timings of run measure the method "
                    "and no run can fail for want of memory. Move what is allocated to prepare."},
    {.id = "ckpt.same",
     .summary = "the gradient does not depend on the checkpoint policy",
     .bound = "0: steps are recomputed by the functions that took them",
     .explanation =
         "The task is solved with all stages kept and with every other policy: every 1st, 2nd, 3rd, 7th and "
         "1000th state kept, where the method has the policy, over steps that were rejected, cut short by "
         "observations, and of fixed size, with a pair whose last slope is the next step's first and one "
         "without. The bits must agree. A difference in the last digits means that a recomputed step has "
         "another size (a difference of stored times in place of h) or starts from another slope; a larger "
         "one, that the wrong state is loaded."},
    {.id = "lanes.same",
     .summary = "the gradient does not depend on the number of lanes",
     .bound = "discrete: twice the measured effect of rounding; continuous: twice that of the tolerance; a "
              "formula of its own: 1e-9 of the gradient and what an iteration leaves",
     .explanation =
         "Eleven outputs are computed with 1, 2, 3, 4, 5, 7, 8, 16 and 33 lanes. Lanes are independent, and "
         "only contraction and, where lanes take part in the error test, the steps may change. The evidence "
         "says which rows are wrong: the last ones of a block that is not full, those of every block but the "
         "first, or rows that hold another output's gradient."},
    {.id = "batch.same",
     .summary = "the gradient does not depend on the size of a batch of parameter products",
     .bound = "twice the measured effect of rounding",
     .explanation =
         "Points at which the parameter product is due are collected and multiplied a batch at a time; the "
         "task is solved with batches of 1, 2, 3, 7, 24, 32 and 1000 points. An error in dG/dp alone that "
         "grows with the batch is a last batch that was never multiplied: look at what follows the loop over "
         "the steps."},
    {.id = "wrt.same",
     .summary = "dG/dp and dG/dx0 are the same together and alone",
     .bound = "discrete: twice the measured effect of rounding; continuous: twice that of the tolerance; "
              "difference, and a formula of its own: 1e-9 of the gradient and what an iteration leaves",
     .explanation =
         "The task is solved for both gradients, for dG/dp alone and for dG/dx0 alone. What is computed must "
         "not depend on what else is asked for; only a continuous method, whose error test sees fewer "
         "components, may take other steps; runs of a formula of its own whose steps differ are not "
         "compared. Look for code under a test of wrt that both parts need, and for what the first part "
         "leaves changed, as a number that was moved for a quotient."},
    {.id = NULL}};

const struct verify_group verify_invariance = {
    .name = "invariance", .kind = VERIFY_METHOD, .checks = checks, .run = run};
