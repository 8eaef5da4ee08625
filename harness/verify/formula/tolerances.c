/* Whose tolerance is whose. Where all is at rest but one component, or one of state, adjoint and quadrature, and so has
 * an estimated error of exactly 0, the tolerances of the rest cannot matter: the steps have the same bits whatever
 * they are.
 *
 *     tolerance.components   x_k' = -p x_k, the others 0: component k has the tolerances, others have other ones
 *     tolerance.parts        lambda alone: x' = -p x, x = 0       mu alone: x' = p v cos(v t), p = 0
 *                            by the options rtol_b, atol_b, rtol_q and atol_q of a continuous adjoint */
#include <stdio.h>

#include "diagonal.h"
#include "probe.h"
#include "trial.h"

/* ---- equations ----------------------------------------------------------------------------------------- */

struct moving {
    size_t which; /* component that moves */
    double swing; /* v; 0: a decay */
};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct moving *const moving = pb->data;
    const double v = moving->swing;
    for (size_t i = 0; i < pb->n; i++) dx[i] = 0;
    dx[moving->which] = v > 0 ? at->p[0] * v * cos(v * at->t) : -at->p[0] * at->x[moving->which];
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const struct moving *const moving = pb->data;
    const double v = moving->swing;
    if (i != moving->which) return (struct diagonal_slopes){0, 0};
    return v > 0 ? (struct diagonal_slopes){0, v * cos(v * at->t)}
                 : (struct diagonal_slopes){-at->p[0], -at->x[i]};
}

struct equation {
    size_t n;
    struct moving moving;
    double x0, p; /* of the component that moves; the others begin at 0 */
};

static const double LENGTH = 2, FIRST = 1e-3;

static void create(struct verify *v, const struct equation *equation, struct bed *bed)
{
    struct moving *const moving = verify_memory(v, 1, sizeof *moving);
    double *const x0 = verify_array(v, equation->n);
    *moving = equation->moving;
    x0[moving->which] = equation->x0;
    const struct sens_problem problem = {.type = diagonal_type(v, "all but one at rest", rhs, slopes),
                                         .n = equation->n,
                                         .np = 1,
                                         .t1 = LENGTH,
                                         .x0 = x0,
                                         .p = verify_copy(v, 1, &equation->p),
                                         .x0_fixed = true,
                                         .data = moving};
    struct sens_cost cost;
    const unsigned parts = probe_parts_for(v->method);
    probe_cost(v, &problem, 1, parts & PROBE_AT_T1 ? PROBE_AT_T1 : parts, &cost);
    bed_create(v, &problem, &cost, v->method, bed);
    bed->task.dt = FIRST;
}

/* What may be inside or outside the error test is. */
static void place(struct bed *bed, const char *where)
{
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++) {
        const long choice = bed_error_test(bed, i, where);
        if (choice >= 0) bed->option[i].number = (double)choice;
    }
}

/* ---- tolerance.components ------------------------------------------------------------------------------ */

enum { N = 3 };
static const double RTOL = 1e-6, ATOL = 1e-7;

/* Component k has RTOL and ATOL, the others `factor` and half of that times as much; `together`: components 0 and 1
 * have one tolerance, of which k is one. The task has the least of all. */
static void give_others(struct bed *bed, size_t k, double factor, bool together)
{
    const struct sens_ode_part own = {1, RTOL, ATOL, true},
                               other = {1, factor * RTOL, factor / 2 * ATOL, true};
    struct sens_ode_part *const part = verify_memory(bed->v, N, sizeof *part);
    for (size_t i = 0; i < N; i++) part[i] = i == k ? own : other;
    if (together) part[0] = own, part[0].count = N - 1, part[1] = other;
    bed->task.rtol = fmin(RTOL, factor * RTOL);
    bed->task.atol = fmin(ATOL, factor / 2 * ATOL);
    bed->task.n_tolerances = together ? 2 : N;
    bed->task.tolerance = part;
}

static bool may_be(struct verify *v, const char *where)
{
    struct bed bed = {.v = v, .method = v->method};
    for (size_t i = 0; i < sens_option_count(v->method->options); i++)
        if (bed_error_test(&bed, i, where) >= 0) return true;
    return false;
}

/* Solves with one tolerance for all, and what the others may differ in. */
struct alike {
    struct bed bed;
    struct sens_out all, alone, nothing; /* alone: where the state alone is asked for */
    struct sens_out apart;               /* two solves to the tolerance; NULL where that is not known */
    struct grid steps;                   /* of all */
    bool solved;
};

static void solve_alone(struct bed *bed)
{
    const unsigned parts = bed->task.parts;
    bed->task.parts = SENS_IN_STATE;
    bed->out = bed_outputs(bed);
    bed_solve(bed);
    bed->task.parts = parts;
}

static void solve_all(struct bed *bed)
{
    bed->out = bed_outputs(bed);
    bed_solve(bed);
}

static void solve_alike(struct verify *v, size_t k, const char *where, struct alike *alike)
{
    const struct equation equation = {.n = N, .moving = {.which = k}, .x0 = 1, .p = 1};
    struct bed *const bed = &alike->bed;
    struct sens_out allowed;
    *alike = (struct alike){.solved = false};
    create(v, &equation, bed);
    place(bed, where);
    bed->task.rtol = RTOL, bed->task.atol = ATOL;
    alike->nothing = trial_nothing(bed);
    solve_alone(bed);
    alike->solved = bed->status == SENS_OK;
    alike->alone = out_only(&bed->out, SENS_IN_X);
    solve_all(bed);
    alike->solved = alike->solved && bed->status == SENS_OK;
    alike->all = bed->out;
    if (alike->solved && expected_allowed(bed, &allowed) == SENS_OK) {
        alike->apart = bed_shape(bed);
        out_add(bed, &alike->apart, 2, &allowed);
    }
    alike->steps = bed->grid;
    bed->grid = (struct grid){.steps = 0};
}

/* Others have tighter ones, and the task with them. The state alone has the steps of its own component. What else a
 * method tests may have the task's tolerance: the gradient follows from the steps where it is that of the map on them,
 * and else is right to its tolerance. */
static void compare_tighter(struct alike *alike, const char *words, struct worst *worst)
{
    struct bed *const bed = &alike->bed;
    solve_alone(bed);
    trial_compare(worst, bed, &alike->alone, &alike->nothing, words);
    solve_all(bed);
    const bool of_map = bed->method->derivative == SENS_DERIVATIVE_DISCRETE && bed->grid.steps > 0;
    const struct sens_out gradient = out_only(&alike->all, bed->task.parts & ~(unsigned)SENS_IN_STATE);
    if (of_map && grid_same(&bed->grid, &alike->steps))
        trial_compare(worst, bed, &alike->all, &alike->nothing, words);
    else
        trial_compare(worst, bed, &gradient, &alike->apart, words);
}

static void compare_component(struct verify *v, size_t k, const char *where, struct worst *worst)
{
    static const double factors[] = {64, 1.0 / 64};
    struct alike alike;
    solve_alike(v, k, where, &alike);
    for (size_t q = 0; alike.solved && q < sizeof factors / sizeof *factors; q++)
        for (int together = 0; together < (k + 1 == N ? 1 : 2); together++) {
            char words[VERIFY_NAME];
            snprintf(words, sizeof words, "x_%zu moves, %s %g times, %s:", k,
                     together ? "x_2 alone" : "others", factors[q], where);
            give_others(&alike.bed, k, factors[q], together);
            if (factors[q] < 1 && !may_be(v, "outside")) {
                compare_tighter(&alike, words, worst);
                continue;
            }
            solve_all(&alike.bed);
            trial_compare(worst, &alike.bed, &alike.all, &alike.nothing, words);
        }
    grid_free(&alike.steps);
    bed_free(&alike.bed);
}

static void check_components(struct verify *v)
{
    struct worst worst = {0};
    const unsigned needs = SENS_CAP_COMPONENTS | SENS_CAP_TOLERANCE;
    const bool takes =
        (v->method->caps & needs) == needs && v->method->derivative != SENS_DERIVATIVE_DIFFERENCE;
    struct verify_result result =
        verify_open("tolerance.components", v->module, "a decay beside states at rest");
    for (size_t k = 0; takes && k < N; k++) {
        compare_component(v, k, "inside", &worst);
        if (may_be(v, "outside")) compare_component(v, k, "outside", &worst);
    }
    if (takes)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "the method takes no tolerances of each component, or is one of quotients");
    verify_blame(&result, CAUSE_tolerance_of_other, 0.95);
    verify_blame(&result, CAUSE_controller_norm, 0.5);
    verify_blame(&result, CAUSE_tolerances_mixed, 0.4);
    verify_close(v, &result);
}

/* ---- tolerance.parts ----------------------------------------------------------------------------------- */

/* What options say of the part that moves, and of the other one. */
struct given {
    const char *words, *rtol, *atol, *other_rtol, *other_atol;
    struct equation equation;
};
static const struct given parts[] = {
    {"lambda alone moves:",
     "rtol_b",
     "atol_b",
     "rtol_q",
     "atol_q",
     {.n = 1, .moving = {.swing = 0}, .x0 = 0, .p = 1.5}},
    {"mu alone moves:",
     "rtol_q",
     "atol_q",
     "rtol_b",
     "atol_b",
     {.n = 1, .moving = {.swing = 9}, .x0 = 0, .p = 0}},
};
static const double LOOSE = 1e-3, TIGHT = 1e-11;

static bool give_option(struct bed *bed, const char *name, double value)
{
    const int option = sens_option_find(bed->method->options, name);
    if (option < 0 || verify_held(bed->v, &bed->method->options[option])) return false;
    bed->option[option].number = value;
    return true;
}

/* Twice: what the task has for all, and what the options have for the part that moves. */
static bool compare_part(struct verify *v, const struct given *given, struct worst *worst)
{
    struct bed bed;
    create(v, &given->equation, &bed);
    place(&bed, "inside");
    bed.task.rtol = RTOL, bed.task.atol = ATOL;
    bool solved = bed_solve(&bed) == SENS_OK;
    const struct sens_out first = bed_keep(&bed), nothing = trial_nothing(&bed);
    const struct sens_work work = bed.work;
    bed.task.rtol = LOOSE, bed.task.atol = LOOSE;
    const bool known = give_option(&bed, given->rtol, RTOL) && give_option(&bed, given->atol, ATOL);
    give_option(&bed, given->other_rtol, TIGHT);
    give_option(&bed, given->other_atol, TIGHT / 2);
    solved = solved && known && bed_solve(&bed) == SENS_OK;
    if (solved) {
        trial_compare(worst, &bed, &first, &nothing, given->words);
        worst_note(worst, fabs((double)(bed.work.steps_reverse - work.steps_reverse)), 0,
                   "%s %ld steps back, not %ld", given->words, bed.work.steps_reverse, work.steps_reverse);
    }
    bed_free(&bed);
    return known;
}

static void check_parts(struct verify *v)
{
    struct worst worst = {0};
    struct verify_result result = verify_open("tolerance.parts", v->module, "state, lambda or mu at rest");
    bool known = false;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) known |= compare_part(v, &parts[k], &worst);
    if (known)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "the method has no options rtol_b and atol_b, nor rtol_q and atol_q");
    verify_blame(&result, CAUSE_tolerance_of_other, 0.95);
    verify_blame(&result, CAUSE_tolerances_mixed, 0.6);
    verify_blame(&result, CAUSE_option_value, 0.5);
    verify_close(v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void run(struct verify *v)
{
    check_components(v);
    check_parts(v);
}

static const struct verify_check checks[] = {
    {.id = "tolerance.components",
     .summary =
         "tolerances of each component are held against that component, in the state and in sensitivities",
     .bound =
         "0: what is at rest has no error, whatever its tolerance; twice what the task's tolerance allows "
         "for a gradient that may be held to it",
     .explanation =
         "x_k' = -p x_k beside two states at rest is solved with one tolerance for all, then with the "
         "same for x_k and looser or tighter ones for the states at rest; for each k, and with "
         "sensitivities inside and outside the error test. The estimated errors of states at rest are 0. "
         "Looser ones change nothing: the task's tolerance, the least of all, is still that of x_k, and "
         "all steps and results keep their bits. Tighter ones make the task's tolerance tighter, too, and "
         "a method without a choice of what is inside the error test may hold sensitivities to it and "
         "take other steps. Of such a method the state keeps its bits where it alone is asked for; the "
         "gradient keeps them where it is the derivative of the map and the reported steps are the same, "
         "and else is right to the tolerance. A method with that choice keeps all bits here, too. A "
         "failure: a component is held to the tolerance of another one (the first, the least, or the one "
         "behind), or sensitivities are held to those of other states."},
    {.id = "tolerance.parts",
     .summary = "rtol_b and atol_b are those of lambda, rtol_q and atol_q those of mu",
     .bound = "0: what is at rest has no error, whatever its tolerance",
     .explanation =
         "For continuous adjoints that have options of these names. Equations in which lambda alone "
         "moves, and such in which mu alone does, are solved once with the task's tolerances, and once "
         "with a looser task and the same numbers by the options of the part that moves; those of the "
         "other part are far tighter. Steps and results have the same bits. Else an option is ignored, "
         "exchanged with another, or taken for another part."},
    {.id = NULL}};

const struct verify_group verify_tolerances = {
    .name = "tolerances", .kind = VERIFY_METHOD, .checks = checks, .run = run};
