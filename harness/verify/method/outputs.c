/* What a method makes of the cost: any number of outputs, each part of the functional
 *
 *     G_c(p) = sum_j phi_c(j, x(t_j), p) + int g_c(t, x, p) dt
 *
 * by itself, and outputs that are zero. */
#include <stdio.h>
#include <string.h>

#include "decorate.h"
#include "trial.h"

enum { MOST_OUTPUTS = 17 };
static const double LOOSEST = 1e-3, LOOSER = 10;

/* ---- the number of outputs ----------------------------------------------------------------------------- */

struct outputs { /* the rows of MOST_OUTPUTS outputs, each computed alone */
    struct scene scene;
    struct sens_out alone, apart;
    struct grid steps;
    struct expected right; /* for the blame: the rows alone may be wrong themselves */
    bool made, expects;
};

static void solve_outputs(const struct outputs *o, size_t first, size_t count, int lanes, struct bed *bed)
{
    const struct sens_cost cost = decorate_select(o->scene.bed.v, &o->scene.bed.cost, first, count);
    trial_decorated(&o->scene, &o->scene.bed.problem, &cost, bed);
    bed->task.lanes = lanes;
    bed_solve(bed);
}

static bool solve_alone(struct outputs *o)
{
    const size_t n = o->scene.bed.problem.n, np = o->scene.bed.problem.np;
    bool solved = true;
    for (size_t c = 0; c < MOST_OUTPUTS && solved; c++) {
        struct bed bed;
        solve_outputs(o, c, 1, 0, &bed);
        solved = bed.status == SENS_OK;
        memcpy(o->alone.x, bed.out.x, n * sizeof *bed.out.x);
        o->alone.G[c] = bed.out.G[0];
        memcpy(o->alone.dGdp + c * np, bed.out.dGdp, np * sizeof *bed.out.dGdp);
        memcpy(o->alone.dGdx0 + c * n, bed.out.dGdx0, n * sizeof *bed.out.dGdx0);
        bed_free(&bed);
    }
    return solved;
}

/* more: states beyond the usual number. */
static void outputs_create(struct verify *v, size_t more, struct outputs *o)
{
    struct scene_settings settings = trial_settings(v, MOST_OUTPUTS);
    settings.n += more;
    *o = (struct outputs){.made = false};
    o->made = scene_create(v, &settings, &o->scene) && bed_solve(&o->scene.bed) == SENS_OK &&
              trial_apart(&o->scene, &o->apart) == SENS_OK && expected_grid(&o->scene.bed, &o->steps);
    o->alone = bed_shape(&o->scene.bed);
    o->made = o->made && solve_alone(o);
}

/* Are rows wrong that were asked for alone? Of the first ones, which bed has, too. */
static bool is_alone_wrong(const struct outputs *o, const struct bed *bed)
{
    struct worst worst = {.count = 0};
    out_compare(&worst, bed, &o->alone, &o->right.value, &o->right.bound, "");
    return !worst_passes(&worst);
}

/* The rows as they have to be, where they are not; found when first asked for. */
static void blame_outputs(struct outputs *o, const struct bed *bed, size_t L, struct verify_result *result)
{
    if (!o->expects)
        o->expects =
            bed_solve(&o->scene.bed) == SENS_OK && expected_declared(&o->scene.bed, &o->right) == SENS_OK;
    if (o->expects) trial_blame_rows(bed, &bed->out, &o->right.value, &o->right.bound, L, result);
    if (o->expects && bed->cost.m > 1 && result->blames == 0 && is_alone_wrong(o, bed)) {
        verify_say(result, "right for %zu outputs at once, wrong for one", bed->cost.m);
        verify_blame(result, CAUSE_too_few, 0.97);
    }
    if (result->blames == 0) trial_blame_rows(bed, &bed->out, &o->alone, &o->apart, L, result);
}

static void outputs_free(struct outputs *o)
{
    grid_free(&o->steps);
    scene_free(&o->scene);
}

/* Are the first m rows, asked for together, those asked for alone? */
static bool is_right_together(struct outputs *o, size_t m)
{
    struct worst worst = {.count = 0};
    struct bed bed;
    if (!o->made) return false;
    solve_outputs(o, 0, m, 0, &bed);
    trial_compare_anew(&worst, &bed, &o->steps, &o->alone, &o->apart, "");
    bed_free(&bed);
    return worst_passes(&worst);
}

/* As many outputs as states are wrong: is it the number of outputs? With one more state so many are right,
 * and as many as states wrong again, where the sizes are taken for one another. */
static void blame_equal(struct verify *v, size_t m, struct verify_result *result)
{
    struct outputs larger;
    outputs_create(v, 1, &larger);
    if (m + 1 == larger.scene.bed.problem.n && is_right_together(&larger, m) &&
        !is_right_together(&larger, m + 1)) {
        verify_say(result, "it shows where m = n, whatever n is, and not where they differ by one");
        verify_blame(result, CAUSE_equal_sizes, 0.99);
    }
    outputs_free(&larger);
}

/* m around the number of lanes and its double. */
static void vary_count(struct outputs *o, int lanes, struct worst *worst, struct verify_result *result)
{
    const size_t L = (size_t)(lanes > 0 ? lanes : o->scene.bed.work.lanes > 0 ? o->scene.bed.work.lanes : 8);
    const size_t m[] = {1, 2, L - 1, L, L + 1, 2 * L, 2 * L + 1};
    for (size_t k = 0; k < sizeof m / sizeof m[0]; k++) {
        const bool fine = worst_passes(worst);
        struct bed bed;
        char what[64];
        if (m[k] < 1 || m[k] > MOST_OUTPUTS) continue;
        solve_outputs(o, 0, m[k], lanes, &bed);
        snprintf(what, sizeof what, "%zu outputs in %zu lanes:", m[k], L);
        trial_compare_anew(worst, &bed, &o->steps, &o->alone, &o->apart, what);
        if (fine && !worst_passes(worst) && bed.status == SENS_OK) {
            blame_outputs(o, &bed, L, result);
            if (m[k] == bed.problem.n) blame_equal(o->scene.bed.v, m[k], result);
        }
        bed_free(&bed);
    }
}

static void check_count(struct verify *v, struct outputs *o)
{
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("outputs.count", o->scene.module, o->scene.subject);
    if (o->made) {
        vary_count(o, 0, &worst, &result);
        if (v->method->caps & SENS_CAP_LANES) vary_count(o, 4, &worst, &result);
        if (v->method->caps & SENS_CAP_LANES) vary_count(o, 8, &worst, &result);
    }
    verify_judge(&result, &worst);
    verify_close(v, &result);
}

/* ---- outputs that are zero ----------------------------------------------------------------------------- */

static void check_padded(struct verify *v, const struct outputs *o)
{
    enum { KEPT = 5, EXTRA = 4 };
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("outputs.padded", o->scene.module, o->scene.subject);
    if (o->made) {
        const struct sens_cost some = decorate_select(v, &o->scene.bed.cost, 0, KEPT);
        struct sens_cost padded;
        struct bed bed;
        decorate_pad_cost(v, &some, EXTRA, &padded);
        trial_decorated(&o->scene, &o->scene.bed.problem, &padded, &bed);
        struct sens_out right = bed_shape(&bed), bound = bed_shape(&bed);
        bed.cost.m = KEPT; /* for the sums alone: rows past it stay zero */
        out_add(&bed, &right, 1, &o->alone);
        out_add(&bed, &bound, 1, &o->apart);
        bed.cost.m = KEPT + EXTRA;
        bed_solve(&bed);
        trial_compare_anew(&worst, &bed, &o->steps, &right, &bound, "with zero outputs:");
        if (!worst_passes(&worst) && bed.status == SENS_OK)
            trial_blame_rows(&bed, &bed.out, &right, &bound, (size_t)bed.work.lanes, &result);
        if (bed.work.steps != o->scene.bed.work.steps) verify_blame(&result, CAUSE_diluted_test, 0.5);
        bed_free(&bed);
    }
    verify_judge(&result, &worst);
    verify_close(v, &result);
}

/* ---- the work of a number of outputs ------------------------------------------------------------------- */

enum { WORK_LANES = 4 };

struct effort {
    double reverse, forward; /* vectors that were multiplied by J^T and f_p^T; by J and f_p */
};

/* m outputs by np parameters, fixed steps, one thread. false: not solved. */
static bool count_work(struct verify *v, size_t m, size_t np, struct effort *effort)
{
    struct scene_settings settings = trial_fixed_settings(v, m);
    struct scene scene;
    struct bed bed;
    struct sens_problem problem;
    struct injection counter = {.at = 0};
    settings.np = np;
    if (!scene_create(v, &settings, &scene)) return false;
    decorate_inject(v, &scene.bed.problem, &counter, &problem);
    trial_decorated(&scene, &problem, &scene.bed.cost, &bed);
    bed.task.parts = SENS_IN_DGDP;
    bed.out = bed_outputs(&bed);
    bed.task.lanes = WORK_LANES;
    bed.task.threads = v->method->caps & SENS_CAP_THREADS ? 1 : 0;
    const bool solved = bed_solve(&bed) == SENS_OK;
    effort->reverse = (double)(counter.vectors[INJECT_VJP] + counter.vectors[INJECT_VJP_P]);
    effort->forward = (double)(counter.vectors[INJECT_JVP] + counter.vectors[INJECT_JVP_P]);
    bed_free(&bed);
    scene_free(&scene);
    return solved;
}

/* What L - 1 vectors cost, per vector, L may; and L + 1 and 2 L no more than two blocks of L. */
static void judge_work(const char *what, const double work[4], struct worst *worst)
{
    const double L = WORK_LANES;
    if (work[0] == 0) return;
    worst_note(worst, work[1], work[0] * L / (L - 1), "%s: %g products for %d, %g for %d", what, work[1],
               WORK_LANES, work[0], WORK_LANES - 1);
    worst_note(worst, work[2], 2 * work[1], "%s: %g products for %d, %g for %d", what, work[2],
               WORK_LANES + 1, work[1], WORK_LANES);
    worst_note(worst, work[3], 2 * work[1], "%s: %g products for %d, %g for %d", what, work[3],
               2 * WORK_LANES, work[1], WORK_LANES);
}

static void check_work(struct verify *v, const struct outputs *o)
{
    static const size_t count[] = {WORK_LANES - 1, WORK_LANES, WORK_LANES + 1, 2 * WORK_LANES};
    struct worst worst = {.count = 0};
    double reverse[4], forward[4];
    bool solved = true;
    struct verify_result result = verify_open("outputs.work", o->scene.module, o->scene.subject);
    for (int k = 0; k < 4 && (v->method->caps & SENS_CAP_LANES); k++) {
        struct effort outputs = {0, 0}, parameters = {0, 0};
        solved = solved && count_work(v, count[k], 3, &outputs) && count_work(v, 2, count[k], &parameters);
        reverse[k] = outputs.reverse;
        forward[k] = parameters.forward;
    }
    if (!(v->method->caps & SENS_CAP_LANES) || !solved)
        verify_skip(&result, "the method has no lanes, or takes no fixed step");
    else {
        judge_work("outputs", reverse, &worst);
        judge_work("parameters", forward, &worst);
        verify_judge(&result, &worst);
    }
    verify_blame(&result, CAUSE_extra_sweep, 0.95);
    verify_blame(&result, CAUSE_lane_tail, 0.1);
    verify_close(v, &result);
}

/* ---- the parts of a functional ------------------------------------------------------------------------- */

static const struct cost_part {
    unsigned flag;
    const char *name;
    enum cause lost;
} cost_parts[] = {{PROBE_AT_T0, "observation at t0", CAUSE_observation_t0},
                  {PROBE_BETWEEN, "observations inside", CAUSE_observation_between},
                  {PROBE_AT_T1, "observation at t1", CAUSE_observation_t1},
                  {PROBE_RUNNING, "integral", CAUSE_missing_running_cost}};

/* Is the result right for a cost whose derivatives by p are left out? */
static bool lacks_explicit_part(struct scene *scene)
{
    const struct sens_cost_type *kept = scene->bed.cost.type;
    struct sens_cost_type without = *kept;
    struct expected other;
    without.phi_dp = NULL;
    without.g_dp = NULL;
    scene->bed.cost.type = &without;
    const sens_status status = expected_declared(&scene->bed, &other);
    scene->bed.cost.type = kept;
    return status == SENS_OK && !trial_pattern(&scene->bed, &scene->bed.out, &other.value, &other.bound).any;
}

static void blame_part(struct scene *scene, const struct cost_part *part, const struct expected *expected,
                       bool explicit_p, struct verify_result *result)
{
    struct bed *bed = &scene->bed;
    struct oracle oracle;
    struct grid grid;
    const struct pattern pattern = trial_pattern(bed, &bed->out, &expected->value, &expected->bound);
    verify_blame(result, part->lost, pattern.unset ? 0.95 : 0.2);
    if (part->flag == PROBE_RUNNING && !pattern.unset) {
        verify_blame(result, CAUSE_quadrature_weights, 0.35);
        verify_blame(result, CAUSE_quadrature_state, 0.3);
    }
    if (explicit_p) verify_blame(result, CAUSE_missing_explicit_cost, lacks_explicit_part(scene) ? 1 : 0.3);
    if (expected_grid(&scene->bed, &grid)) {
        oracle_create(bed, bed->task.tableau, &grid, &oracle);
        oracle_blame_gradient(&oracle, &bed->out, &expected->value, &bed->work, result);
        if (pattern.results) oracle_blame_state(&oracle, &bed->out, &expected->value, result);
    }
    grid_free(&grid);
}

static bool is_refused(const struct bed *bed)
{
    return bed->status == SENS_UNSUPPORTED || bed->status == SENS_UNAVAILABLE;
}

/* Solves for the part alone. A tolerance that the method does not meet in so many steps is loosened: the part
 * is looked at, and not the tolerance. */
static void solve_loosened(struct bed *bed)
{
    const bool heeds = bed->method->caps & SENS_CAP_TOLERANCE;
    for (bed_solve(bed); is_refused(bed) && heeds && bed->task.rtol < LOOSEST; bed_solve(bed)) {
        bed->task.rtol *= LOOSER;
        bed->task.atol *= LOOSER;
    }
}

/* Does the method solve for all that it takes at the same tolerance? Then it refuses the part, and not the
 * task. */
static bool solves_all_parts(const struct bed *refused, struct scene_settings settings)
{
    struct scene scene;
    settings.parts = trial_settings(refused->v, 1).parts;
    bool solved = scene_create(refused->v, &settings, &scene);
    scene.bed.task.rtol = refused->task.rtol;
    scene.bed.task.atol = refused->task.atol;
    solved = solved && bed_solve(&scene.bed) == SENS_OK;
    scene_free(&scene);
    return solved;
}

static void solve_part(struct verify *v, const struct cost_part *part, bool explicit_p, struct worst *worst,
                       struct verify_result *result)
{
    struct scene_settings settings = trial_settings(v, 2);
    struct scene scene;
    struct expected expected;
    const char *const what = explicit_p ? "with explicit p:" : "without explicit p:";
    if (v->quick) settings.n = settings.np = 3;
    settings.parts = part->flag | (explicit_p ? (unsigned)PROBE_EXPLICIT : 0u);
    if (scene_create(v, &settings, &scene)) {
        const struct bed *bed = &scene.bed;
        const bool fine = worst_passes(worst);
        solve_loosened(&scene.bed);
        if (is_refused(bed) && !solves_all_parts(bed, settings)) {
            verify_say(result, "not made %s %s %s", what, sens_status_name(bed->status), bed->message);
        } else if (bed->status != SENS_OK) {
            trial_compare(worst, bed, &bed->out, &bed->out, part->name);
            verify_blame(result, CAUSE_refuses_declared, is_refused(bed) ? 0.9 : 0);
        } else if (expected_declared(bed, &expected) == SENS_OK) {
            trial_compare(worst, bed, &expected.value, &expected.bound, what);
            if (fine && !worst_passes(worst)) blame_part(&scene, part, &expected, explicit_p, result);
        }
    }
    scene_free(&scene);
}

static void check_part(struct verify *v, const struct cost_part *part)
{
    char subject[VERIFY_SUBJECT];
    struct worst worst = {.count = 0};
    snprintf(subject, sizeof subject, "probe, cost of the %s alone", part->name);
    struct verify_result result = verify_open("cost.parts", v->module, subject);
    if (part->flag & probe_parts_for(v->method)) {
        solve_part(v, part, false, &worst, &result);
        solve_part(v, part, true, &worst, &result);
        verify_judge(&result, &worst);
    } else {
        verify_skip(&result, "the method takes no such cost");
    }
    verify_close(v, &result);
}

static void run(struct verify *v)
{
    struct outputs outputs;
    outputs_create(v, 0, &outputs);
    check_count(v, &outputs);
    check_work(v, &outputs);
    check_padded(v, &outputs);
    for (size_t k = 0; k < sizeof cost_parts / sizeof cost_parts[0]; k++) check_part(v, &cost_parts[k]);
    outputs_free(&outputs);
}

static const struct verify_check checks[] = {
    {.id = "outputs.count",
     .summary = "an output's gradient does not depend on how many others there are",
     .bound = "discrete: twice the measured effect of rounding; continuous: twice that of the tolerance",
     .explanation =
         "Seventeen outputs are computed one at a time, and then the first m of them together, for m = 1, 2, "
         "L - 1, L, L + 1, 2 L and 2 L + 1 with L lanes (the method's own choice, 4 and 8). Every row must "
         "be that of the output alone. The evidence says from which row on it is not: rows that were never "
         "written, rows of another output, rows that contain those of the block before."},
    {.id = "outputs.work",
     .summary = "L outputs cost what L lanes cost",
     .bound = "the work of L - 1 outputs times L / (L - 1); twice that of L outputs for L + 1 and 2 L",
     .explanation =
         "The vectors that the problem's products are applied to are counted for L - 1, L, L + 1 and 2 L "
         "outputs (of methods with a reverse sweep) or parameters (of methods that go forward), L = 4, over "
         "the same fixed steps. A method may work with whole blocks or with their true widths; in either "
         "case a full block costs no more a vector than one that is not. More means a sweep with no output "
         "in it: look at how the number of blocks is rounded up."},
    {.id = "outputs.padded",
     .summary = "outputs that are zero change nothing",
     .bound = "0 for the gradients of zero; for the others as in outputs.count",
     .explanation =
         "Four outputs that are zero whatever x and p are appended to five others. Their gradients must be "
         "exactly zero, and the other rows must be those of the outputs alone. Something else in the zero "
         "rows was left there by another block or another output; a change of the others with other steps "
         "means that the error test averages over the outputs."},
    {.id = "cost.parts",
     .summary = "each part of a cost alone has the right gradient",
     .bound =
         "by kind: rounding on the method's own steps, its tolerance, or truncation and noise of quotients",
     .explanation =
         "The cost is an observation at t0, two observations between, one at t1, or an integral, and nothing "
         "else; each with and without explicit dependence on the parameters. x, G and the gradient are "
         "compared with the harness's own derivative. A part that is skipped gives a gradient of zero here, "
         "while among others its loss may look like an inaccuracy; a part that is right without explicit "
         "dependence and wrong with it lacks phi_p or g_p."},
    {.id = NULL}};

const struct verify_group verify_costs = {
    .name = "costs", .kind = VERIFY_METHOD, .checks = checks, .run = run};
