/* What a method makes of declared structure: the same gradient as without it.
 *
 * The probe declares a Jacobian, dense and then sparse, and a sparse df/dp, all formed by its own products
 * (declared.h), so that they are right by construction; the state is the same, bit for bit. Registered
 * problems with structure of their own: structured_pair.c.
 *
 * Vectors multiplied through structure are counted by the method. They are as many as are given to the problem's
 * products where nothing is declared, which are counted here. */
#include <stdio.h>

#include "declared.h"
#include "trial.h"

enum { OUTPUTS = 23, STATES = 5, PARAMETERS = 19 }; /* several blocks of lanes, of either kind */

static const struct verify_check checks[] = {
    {.id = "structure.method",
     .summary = "the gradient is the same where the problem declares structure and where it does not",
     .bound = "discrete: twice the measured effect of rounding; continuous: twice that of the tolerance",
     .explanation =
         "The probe, whose Jacobian depends on time, state and parameters and is not symmetric, is solved "
         "for more outputs than it has states, with and without declared structure: df/dx dense and in a "
         "sparse pattern, df/dp sparse. The numbers are formed by the probe's own products. A method that "
         "forms J once at a point may differ by rounding and no more. A difference in dG/dx0 points to J: "
         "the wrong point, or J for J^T. One in dG/dp alone points to what is done with df/dp."},
    {.id = "structure.work",
     .summary =
         "vectors multiplied through structure are as many as the problem's products are given without",
     .bound = "none: equal counts, less those that fill up lanes",
     .explanation =
         "The probe is solved over the same fixed steps without structure, where the vectors given to "
         "its products are counted, and with it, where the method counts them (vjp, jvp, vjp_p, jvp_p "
         "of its work). A method may count none, where it makes no use of it. Rates and tables are made "
         "from these numbers."},
    {.id = NULL}};

struct study {
    struct scene scene;
    struct sens_out first, apart; /* without structure, and how far another result may be from it */
    struct worst worst;
    struct pattern pattern;
};

/* The faults of a sweep, on the method's own steps; then what the parts that differ have in common. */
static void blame(struct study *study, const struct sens_out *got, struct verify_result *result)
{
    struct bed *bed = &study->scene.bed;
    struct grid grid;
    struct oracle oracle;
    const bool discrete = bed->method->derivative == SENS_DERIVATIVE_DISCRETE;
    verify_blame(result, CAUSE_structure_misused, study->pattern.states ? 0.5 : 0.8);
    verify_blame(result, CAUSE_stale_jacobian, study->pattern.states ? 0.6 : 0.1);
    if (!discrete || !expected_rebuilds(&study->scene.bed) || !expected_grid(&study->scene.bed, &grid))
        return;
    oracle_create(bed, bed->task.tableau, &grid, &oracle);
    oracle_blame_gradient(&oracle, got, &study->first, &bed->work, result);
    grid_free(&grid);
}

static void compare(struct verify *v, struct study *study, enum declared_pattern pattern,
                    struct verify_result *result)
{
    static const char *const words[] = {
        "dense df/dx, sparse df/dp:", "df/dx in a pattern of all, sparse df/dp:",
        "sparse df/dx, sparse df/dp:"};
    struct bed *plain = &study->scene.bed, bed;
    struct sens_problem declared;
    const bool fine = worst_passes(&study->worst);
    const char *const what = words[pattern];
    declared_by_products(v, &plain->problem, pattern, &declared);
    trial_decorated(&study->scene, &declared, &plain->cost, &bed);
    bed_solve(&bed);
    trial_compare(&study->worst, &bed, &study->first, &study->apart, what);
    study->pattern = trial_pattern(&bed, &bed.out, &study->first, &study->apart);
    if (fine && !worst_passes(&study->worst) && bed.status == SENS_OK) blame(study, &bed.out, result);
    bed_free(&bed);
}

/* ---- the work ------------------------------------------------------------------------------------------ */

/* A kind of vectors: `told` through structure, of which so many idle; `given` to products without structure. */
static void note_kind(const char *kind, size_t told, size_t idle, size_t given, size_t given_idle,
                      struct worst *worst)
{
    const double useful = (double)told - (double)idle, right = (double)given - (double)given_idle;
    if (told == 0) return;
    worst_note(worst, fabs(useful - right), 0, "%s: %.0f vectors are told through structure, %.0f without it",
               kind, useful, right);
}

static void note_work(struct bed *plain, const struct injection *counter, enum declared_pattern pattern,
                      struct worst *worst)
{
    struct verify *const v = plain->v;
    const unsigned long *const given = counter->vectors;
    const struct sens_work without = plain->work;
    struct sens_problem declared;
    struct bed bed;
    declared_by_products(v, &plain->problem, pattern, &declared);
    bed_create(v, &declared, &plain->cost, v->method, &bed);
    bed.task = plain->task;
    if (bed_solve(&bed) == SENS_OK) {
        const struct sens_work *const with = &bed.work;
        note_kind("vjp", with->vjp, with->idle_vjp, given[INJECT_VJP], without.idle_vjp, worst);
        note_kind("jvp", with->jvp, with->idle_jvp, given[INJECT_JVP], without.idle_jvp, worst);
        note_kind("vjp_p", with->vjp_p, with->idle_vjp_p, given[INJECT_VJP_P], without.idle_vjp_p, worst);
        note_kind("jvp_p", with->jvp_p, 0, given[INJECT_JVP_P], 0, worst);
    }
    bed_free(&bed);
}

static void check_work(struct verify *v)
{
    const struct scene_settings settings = trial_fixed_settings(v, OUTPUTS);
    struct injection counter = {.at = 0}, kept;
    struct worst worst = {.count = 0};
    struct sens_problem counted;
    struct scene scene;
    struct bed bed;
    if (!scene_create(v, &settings, &scene)) {
        verify_skip_check(v, "structure.work", v->module, "probe",
                          "the method takes no tableau or controller of the probe's");
        return;
    }
    struct verify_result result = verify_open("structure.work", v->module, scene.subject);
    decorate_inject(v, &scene.bed.problem, &counter, &counted);
    trial_decorated(&scene, &counted, &scene.bed.cost, &bed);
    bed.task.threads = v->method->caps & SENS_CAP_THREADS ? 1 : 0;
    if (bed_solve(&bed) == SENS_OK) {
        kept = counter;
        for (int pattern = 0; pattern < DECLARED_PATTERNS; pattern++)
            note_work(&bed, &kept, (enum declared_pattern)pattern, &worst);
    }
    if (worst.count > 0)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "the method multiplies no vectors through structure, or counts none");
    verify_blame(&result, CAUSE_work_miscounted, 0.96);
    verify_close(v, &result);
    bed_free(&bed);
    scene_free(&scene);
}

static void run(struct verify *v)
{
    struct scene_settings settings = trial_open_settings(v, OUTPUTS);
    check_work(v);
    struct study study = {.worst = {.count = 0}};
    if (v->seed == 0) settings.n = STATES, settings.np = PARAMETERS;
    if (!scene_create(v, &settings, &study.scene)) {
        verify_skip_check(v, "structure.method", v->module, "probe",
                          "the method takes no tableau or controller of the probe's");
        return;
    }
    struct verify_result result = verify_open("structure.method", v->module, study.scene.subject);
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE)
        verify_skip(&result, "a difference quotient takes no products");
    else if (bed_solve(&study.scene.bed) != SENS_OK || trial_same(&study.scene, &study.apart) != SENS_OK)
        trial_skip(&study.scene.bed, &result);
    else {
        study.first = bed_keep(&study.scene.bed);
        for (int pattern = 0; pattern < DECLARED_PATTERNS; pattern++)
            compare(v, &study, (enum declared_pattern)pattern, &result);
        verify_judge(&result, &study.worst);
    }
    verify_close(v, &result);
    scene_free(&study.scene);
}

const struct verify_group verify_structured = {
    .name = "structured", .kind = VERIFY_METHOD, .checks = checks, .run = run};
