/* Every formula of the registry, where other groups take one or two of a family.
 *
 *     formulas.right   the map of each, over a few steps of equations that depend on t (curved.h), and of implicit ones
 *                      where their systems need rows exchanged (oscillators.h)
 *     formulas.again   a second run, with one of each family, that ends in the middle of whatever it counts
 *     formulas.lanes   the linear systems of implicit ones, for more right-hand sides than go together */
#include <stdio.h>

#include "curved.h"
#include "declared.h"
#include "oscillators.h"
#include "probe.h"
#include "trial.h"

/* ---- formulas.right ------------------------------------------------------------------------------------ */

enum { STATES = 2, STEPS = 3 };

static void blame_formula(const struct bed *bed, const struct expected *expected,
                          struct verify_result *result)
{
    struct oracle oracle;
    struct worst state = {0};
    const struct expected of_state = expected_state(expected);
    expected_compare(&state, bed, &bed->out, &of_state);
    oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
    if (!worst_passes(&state)) oracle_blame_state(&oracle, &bed->out, &expected->value, result);
    oracle_blame_gradient(&oracle, &bed->out, &expected->value, &bed->work, result);
    verify_blame(result, CAUSE_tableau_coefficient, worst_passes(&state) ? 0.1 : 0.9);
}

/* A few equal steps; where they are the method's own, as few as a loose tolerance takes. */
static bool choose_steps(struct bed *bed, const char *tableau)
{
    static const double LOOSE = 1e-2;
    if (bed->method->caps & SENS_CAP_CONTROLLER) return bed_fixed(bed, tableau, STEPS);
    bed_tolerance(bed, LOOSE);
    return bed_tableau(bed, tableau);
}

/* Of one formula: a result where it fails, else it is noted for the one of all. */
static void try_formula(struct bed *bed, const struct sens_tableau *tb, struct worst *all,
                        struct verify_result *result)
{
    struct expected expected;
    struct worst worst = {0};
    if (!choose_steps(bed, tb->name) || bed_solve(bed) == SENS_UNSUPPORTED) return;
    if (bed->status != SENS_OK)
        worst_note(all, INFINITY, 0, "%s: %s: %s", tb->name, sens_status_name(bed->status), bed->message);
    if (bed->status != SENS_OK) return;
    if (expected_reported_map(bed, &expected) != SENS_OK) {
        verify_say(result, "%s: its map cannot be made again", tb->name);
        return;
    }
    expected_compare(&worst, bed, &bed->out, &expected);
    all->unbounded += worst.unbounded;
    if (worst.count == 0) return;
    const bool first = worst_passes(all) && !worst_passes(&worst);
    worst_note(all, worst.value, worst.bound, "%s: %s", tb->name, worst.where);
    if (first) blame_formula(bed, &expected, result);
}

static const char *why_no_map(const struct verify *v)
{
    const unsigned needs = SENS_CAP_TABLEAU | SENS_CAP_STEPS;
    if (v->method->derivative != SENS_DERIVATIVE_DISCRETE) return "its derivative is not that of a map";
    return (v->method->caps & needs) != needs ? "its tableau is its own, or its steps are not told" : NULL;
}

static void create_bed(struct verify *v, const struct sens_problem *problem, struct bed *bed)
{
    struct sens_cost cost;
    probe_cost(v, problem, 1, (PROBE_AT_T1 | PROBE_RUNNING) & probe_parts_for(v->method), &cost);
    bed_create(v, problem, &cost, v->method, bed);
}

/* Those of the list, which ends with NULL. */
static void try_all(struct verify *v, const struct sens_tableau *const *list,
                    const struct sens_problem *problem, struct worst *all, struct verify_result *result)
{
    for (; list && *list; list++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        struct bed bed;
        create_bed(v, problem, &bed);
        try_formula(&bed, *list, all, result);
        bed_free(&bed);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

static void check_curved(struct verify *v)
{
    static const struct curved mild = {
        .forcing = 1, .rate = {1, 1.7}, .start = {0.6, -0.4}, .p = 0.9, .n = STATES, .length = 1.2};
    const char *const why_not = why_no_map(v);
    struct sens_problem problem;
    struct worst all = {0};
    struct verify_result result =
        verify_open("formulas.right", v->module, "each formula, equations that depend on t");
    curved_problem(v, &mild, &problem);
    if (!why_not) try_all(v, v->reg->tableaux, &problem, &all, &result);
    if (!why_not) try_all(v, v->reg->implicit_tableaux, &problem, &all, &result);
    if (why_not)
        verify_skip(&result, "%s", why_not);
    else
        verify_judge(&result, &all);
    verify_close(v, &result);
}

/* With h k = 12: h gamma k is above 1 for every gamma of a formula in use. */
static void check_exchanged(struct verify *v)
{
    static const double k = 12 * STEPS;
    const char *const why_not = why_no_map(v);
    struct sens_problem problem;
    struct worst all = {0};
    struct verify_result result =
        verify_open("formulas.right", v->module, "each implicit formula, rows exchanged");
    oscillators_problem(v, &k, &problem);
    if (!why_not) try_all(v, v->reg->implicit_tableaux, &problem, &all, &result);
    if (why_not)
        verify_skip(&result, "%s", why_not);
    else
        verify_judge_or(&result, &all, "the method takes no implicit formula");
    verify_blame(&result, CAUSE_row_exchange, 0.95);
    verify_close(v, &result);
}

/* ---- formulas.again ------------------------------------------------------------------------------------ */

/* At the boundary of stability of explicit steps a step is about 3 / STIFF long: a solve of a few of them ends
 * while a scheme that switches still counts; one of many, behind its switch, or behind that back. */
static const double STIFF = 2000;

static void note_again(struct bed *bed, const char *words, struct worst *worst)
{
    struct bed_state state = {.ready = false};
    const struct sens_out nothing = trial_nothing(bed);
    if (bed_prepare(bed, &state) == SENS_OK && bed_run(bed, &state) == SENS_OK) {
        const struct sens_out first = bed_keep(bed);
        bed_run(bed, &state);
        trial_compare(worst, bed, &first, &nothing, words);
        bed_solve(bed);
        trial_compare(worst, bed, &first, &nothing, words);
    }
    bed_release(bed, &state);
}

static bool is_of(const struct sens_tableau *tb, enum sens_family family, bool additive)
{
    return tb->family == family && tb->e && (tb->a_explicit != NULL) == additive;
}

/* One of the family with an error estimate: the first, or another one by the seed. */
static const struct sens_tableau *one_of(const struct verify *v, enum sens_family family, bool additive)
{
    const struct sens_tableau *const *const lists[] = {v->reg->tableaux, v->reg->implicit_tableaux};
    const struct sens_tableau *found = NULL;
    size_t count = 0;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (size_t k = 0; lists[list] && lists[list][k]; k++)
            if (is_of(lists[list][k], family, additive) && (!found || (v->seed && v->seed % ++count == 0)))
                found = lists[list][k];
    return found;
}

static void repeat_family(struct verify *v, const struct sens_tableau *tb, struct worst *worst)
{
    static const double steps[] = {4, 8, 13, 20, 40, 3000};
    for (size_t k = 0; tb && k < sizeof steps / sizeof *steps; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const struct curved stiff = {.forcing = 1,
                                     .rate = {1, STIFF},
                                     .start = {0.5, 1 / STIFF},
                                     .p = 1,
                                     .n = STATES,
                                     .length = 3 * steps[k] / STIFF};
        struct sens_problem problem;
        char words[VERIFY_NAME];
        struct bed bed;
        curved_problem(v, &stiff, &problem);
        create_bed(v, &problem, &bed);
        snprintf(words, sizeof words, "%s to t = %g:", tb->name, stiff.length);
        bed_tolerance(&bed, 1e-5);
        bed.task.dt = 2 / STIFF;
        if (bed_tableau(&bed, tb->name)) note_again(&bed, words, worst);
        bed_free(&bed);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

static void check_again(struct verify *v)
{
    struct worst worst = {0};
    struct verify_result result =
        verify_open("formulas.again", v->module, "one formula of each family, stiff equations");
    const unsigned needs = SENS_CAP_TABLEAU | SENS_CAP_TOLERANCE;
    const bool takes = (v->method->caps & needs) == needs;
    for (enum sens_family family = 0; takes && family < SENS_FAMILIES; family++)
        repeat_family(v, one_of(v, family, false), &worst);
    if (takes) repeat_family(v, one_of(v, SENS_FAMILY_DIRK, true), &worst);
    if (takes)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "the method does not take both a tolerance and a tableau");
    verify_blame(&result, CAUSE_stale_workspace, 0.9);
    verify_blame(&result, CAUSE_kept_between_solves, 0.7);
    verify_blame(&result, CAUSE_dirty_buffer, 0.5);
    verify_close(v, &result);
}

/* ---- formulas.lanes ------------------------------------------------------------------------------------ */

enum { MANY = 45, SPARSE_STATES = 5, LANE_STEPS = 8 };

struct systems {
    struct scene scene;
    struct sens_problem sparse;
    struct sens_out first, apart;
    struct worst worst;
};

static void try_lanes(struct systems *systems, int lanes, const char *choice)
{
    struct bed bed;
    char words[VERIFY_NAME];
    trial_decorated(&systems->scene, &systems->sparse, &systems->scene.bed.cost, &bed);
    bed.task.lanes = lanes;
    snprintf(words, sizeof words, "%s, linear=%s, %d lanes:", bed.task.tableau->name, choice, lanes);
    if (bed_solve(&bed) != SENS_UNAVAILABLE && bed.status != SENS_UNSUPPORTED)
        trial_compare(&systems->worst, &bed, &systems->first, &systems->apart, words);
    bed_free(&bed);
}

/* Each choice of what solves the systems, where the method has that option. */
static void try_choices(struct systems *systems)
{
    static const int lanes[] = {MANY, 17, 13};
    struct bed *const bed = &systems->scene.bed;
    const struct sens_option *const table = bed->method->options;
    const int linear = sens_option_find(table, "linear");
    const bool choose =
        linear >= 0 && table[linear].kind == SENS_OPT_CHOICE && !verify_held(bed->v, &table[linear]);
    const double usual = choose ? bed->option[linear].number : 0;
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        for (long c = 0; choose && table[linear].choices[c]; c++) {
            bed->option[linear].number = (double)c;
            try_lanes(systems, lanes[k], table[linear].choices[c]);
        }
        if (!choose) try_lanes(systems, lanes[k], "its own");
        if (choose) bed->option[linear].number = usual;
    }
}

static void check_formula_lanes(struct verify *v, const char *tableau, struct worst *worst)
{
    struct scene_settings settings = trial_fixed_settings(v, MANY);
    struct systems systems = {.worst = {.count = 0}};
    settings.tableau = tableau;
    settings.n = SPARSE_STATES, settings.np = MANY;
    settings.steps = LANE_STEPS;
    if (scene_create(v, &settings, &systems.scene)) {
        systems.scene.bed.task.lanes = 1;
        if (bed_solve(&systems.scene.bed) == SENS_OK &&
            trial_apart(&systems.scene, &systems.apart) == SENS_OK) {
            systems.first = bed_keep(&systems.scene.bed);
            declared_by_products(v, &systems.scene.bed.problem, DECLARED_NONZERO, &systems.sparse);
            try_choices(&systems);
        }
    }
    if (systems.worst.count)
        worst_note(worst, systems.worst.value, systems.worst.bound, "%s", systems.worst.where);
    scene_free(&systems.scene);
}

static void check_lanes(struct verify *v)
{
    static const char *const tableaux[] = {"sdirk3a", "radau_iia5"};
    struct worst worst = {0};
    struct verify_result result =
        verify_open("formulas.lanes", v->module, "probe, sparse df/dx, 45 outputs and parameters");
    const unsigned needs = SENS_CAP_IMPLICIT | SENS_CAP_LANES | SENS_CAP_CONTROLLER;
    const bool takes =
        (v->method->caps & needs) == needs && v->method->derivative == SENS_DERIVATIVE_DISCRETE;
    for (size_t k = 0; takes && k < sizeof tableaux / sizeof *tableaux; k++)
        check_formula_lanes(v, tableaux[k], &worst);
    if (takes)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "the method has no lanes, no fixed steps, or takes no implicit formulas");
    verify_blame(&result, CAUSE_many_lanes, 0.9);
    verify_blame(&result, CAUSE_lanes_lost, 0.8);
    verify_blame(&result, CAUSE_option_value, 0.5);
    verify_close(v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void run(struct verify *v)
{
    check_curved(v);
    check_exchanged(v);
    check_again(v);
    check_lanes(v);
}

static const struct verify_check checks[] = {
    {.id = "formulas.right",
     .summary = "with each formula of the registry, the derivative of the map is right where f depends on t",
     .bound = "rounding, measured",
     .explanation =
         "Nonlinear equations that depend on t are solved in three equal steps, or in as many of the "
         "method's own as a loose tolerance takes, by every tableau that the method takes, explicit, "
         "additive, implicit and Rosenbrock, and compared with the same map, and its tangent, by plain "
         "loops. Other checks take one or two of a family; a node c_i or alpha_i, a gamma_i or a digit of "
         "one formula alone is seen here. The text names the formula. Implicit ones solve a linear "
         "oscillation in steps that are long for it, too, where the matrix of a step is far from its "
         "diagonal: elimination has to exchange rows, those of its factors among them.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "formulas.again",
     .summary = "a second run gives the same bits with a formula of each family, also of one that switches",
     .bound = "0: the same instructions work on the same numbers",
     .explanation =
         "Stiff equations are solved twice with one prepared state, and by another state, to several "
         "times: a scheme that switches between explicit and implicit steps then ends before its "
         "switch, in the middle of counting, or behind it. The bits must agree. Look for what the start "
         "of a solve does not reset: counters of a detector, factors, a matrix that is held to be known."},
    {.id = "formulas.lanes",
     .summary = "with implicit formulas the gradient does not depend on lanes, whatever solves the systems",
     .bound = "twice the measured effect of rounding",
     .explanation =
         "The probe, with a sparse df/dx formed by its own products, is solved by a diagonally and by a "
         "fully implicit formula for 45 outputs by 45 parameters, with 13, 17 and 45 lanes and every "
         "choice of the option `linear`, and compared with one lane without structure. Solvers take "
         "some right-hand sides at a time: look at what is left when their number is more than that, or "
         "no multiple of it."},
    {.id = NULL}};

const struct verify_group verify_formulas = {
    .name = "formulas", .kind = VERIFY_METHOD, .checks = checks, .run = run};
