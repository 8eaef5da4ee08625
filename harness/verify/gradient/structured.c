/* What a method makes of declared structure: the same gradient as without it.
 *
 * The probe declares a Jacobian, dense and then sparse, and a sparse df/dp, all formed by its own products
 * (declared.h), so that they are right by construction; the state is the same, bit for bit. Registered
 * problems with structure of their own: structured_pair.c. */
#include <stdio.h>

#include "declared.h"
#include "trial.h"

enum { OUTPUTS = 23, STATES = 5, PARAMETERS = 6 };

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

static void compare(struct verify *v, struct study *study, bool sparse, struct verify_result *result)
{
    struct bed *plain = &study->scene.bed, bed;
    struct sens_problem declared;
    const bool fine = worst_passes(&study->worst);
    const char *const what = sparse ? "sparse df/dx, sparse df/dp:" : "dense df/dx, sparse df/dp:";
    declared_by_products(v, &plain->problem, sparse, &declared);
    trial_decorated(&study->scene, &declared, &plain->cost, &bed);
    bed_solve(&bed);
    trial_compare(&study->worst, &bed, &study->first, &study->apart, what);
    study->pattern = trial_pattern(&bed, &bed.out, &study->first, &study->apart);
    if (fine && !worst_passes(&study->worst) && bed.status == SENS_OK) blame(study, &bed.out, result);
    bed_free(&bed);
}

static void run(struct verify *v)
{
    struct scene_settings settings = trial_settings(v, OUTPUTS);
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
    else if (bed_solve(&study.scene.bed) != SENS_OK || trial_apart(&study.scene, &study.apart) != SENS_OK)
        trial_skip(&study.scene.bed, &result);
    else {
        study.first = bed_keep(&study.scene.bed);
        compare(v, &study, false, &result);
        compare(v, &study, true, &result);
        verify_judge(&result, &study.worst);
    }
    verify_close(v, &result);
    scene_free(&study.scene);
}

const struct verify_group verify_structured = {
    .name = "structured", .kind = VERIFY_METHOD, .checks = checks, .run = run};
