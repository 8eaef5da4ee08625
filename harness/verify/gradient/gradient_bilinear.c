/* lambda(t)^T delta x(t) is the same at every t: with lambda from the method, restarted at t_k from x(t_k),
 * and delta x from the oracle,
 *
 *     dG/dx0 = (dG/dx(t_k)) (dx(t_k)/dx0),     dG/dp = (dG/dp)|_(from t_k) + (dG/dx(t_k)) (dx(t_k)/dp).  */
#include "gradient_case.h"

/* The case's bed with another cost, its arrays its own. */
static struct bed bed_with_cost(const struct bed *bed, const struct sens_cost *cost)
{
    struct bed copy = *bed;
    copy.cost = *cost;
    copy.grid = (struct grid){.steps = 0};
    copy.out = bed_outputs(&copy);
    return copy;
}

/* x(t), dx(t)/dp and dx(t)/dx0, from the exact solution. */
static bool exact_state(const struct bed *bed, double t, struct sens_out *state)
{
    struct bed part = *bed;
    struct sens_cost cost;
    part.problem.t1 = t;
    scene_state_cost(bed->v, &part.problem, &cost);
    part = bed_with_cost(&part, &cost);
    struct sens_out uncertainty = bed_shape(&part);
    *state = bed_shape(&part);
    return oracle_truth(&part, state, &uncertainty) == SENS_OK;
}

/* The same of the map over the first k steps. */
static bool mapped_state(const struct bed *bed, const struct grid *grid, long k, struct sens_out *state)
{
    struct bed part = *bed;
    struct grid first = *grid;
    struct sens_cost cost;
    struct oracle oracle;
    first.steps = k;
    part.problem.t1 = grid->t1[k - 1];
    scene_state_cost(bed->v, &part.problem, &cost);
    part = bed_with_cost(&part, &cost);
    *state = bed_shape(&part);
    oracle_create(&part, bed->task.tableau, &first, &oracle);
    return oracle_tangent(&oracle, state) == SENS_OK;
}

/* The method's gradient at t for the initial state x(t). */
static bool restart(const struct bed *bed, double t, const double *x, struct sens_out *out)
{
    struct bed late = *bed;
    late.grid = (struct grid){.steps = 0};
    late.problem.t0 = t;
    late.problem.x0 = x;
    late.problem.x0_fixed = true;
    late.out = bed_outputs(&late);
    const bool solved = bed_solve(&late) == SENS_OK;
    *out = late.out;
    bed_free(&late);
    return solved;
}

/* whole = late + lambda delta x */
static void contract(const struct bed *bed, const struct sens_out *late, const struct sens_out *state,
                     struct sens_out *whole)
{
    const size_t n = bed->problem.n, np = bed->problem.np;
    for (size_t c = 0; c < bed->cost.m; c++) {
        const double *lambda = late->dGdx0 + c * n;
        for (size_t k = 0; whole->dGdp && k < np; k++) {
            double sum = late->dGdp[c * np + k];
            for (size_t i = 0; i < n; i++) sum += lambda[i] * state->dGdp[i * np + k];
            whole->dGdp[c * np + k] = sum;
        }
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += lambda[i] * state->dGdx0[i * n + j];
            whole->dGdx0[c * n + j] = sum;
        }
    }
}

/* Four computations take part, each with its own rounding or its own local errors: the method from t0 and
 * from t_k, the oracle's state, and its derivative. */
static const double PIECES = 4;

static void note_at(const struct bed *bed, double t, const struct sens_out *state,
                    const struct sens_out *bound, struct worst *worst)
{
    struct sens_out late, whole = bed_shape(bed), limit = bed_shape(bed);
    char what[64];
    if (!restart(bed, t, state->x, &late)) return;
    contract(bed, &late, state, &whole);
    out_add(bed, &limit, PIECES, bound);
    whole.x = whole.G = NULL;
    snprintf(what, sizeof what, "lambda^T delta x at t = %.4g:", t);
    out_compare(worst, bed, &bed->out, &whole, &limit, what);
}

static bool judge_discrete(struct bed *bed, struct verify_result *result)
{
    struct worst worst = {0};
    struct expected expected;
    struct oracle oracle;
    struct grid grid;
    const long steps = lround((bed->problem.t1 - bed->problem.t0) / bed->task.dt);
    const bool made =
        expected_equal_steps(bed, steps, &grid) && expected_map(bed, &grid, &expected) == SENS_OK;
    oracle_create(bed, bed->task.tableau, &grid, &oracle);
    for (long part = 1; part < 4 && made; part++) {
        struct sens_out state;
        const long k = steps * part / 4;
        if (mapped_state(bed, &grid, k, &state))
            note_at(bed, grid.t1[k - 1], &state, &expected.bound, &worst);
    }
    if (made) verify_judge(result, &worst);
    if (result->verdict == VERIFY_FAIL) scene_blame(&oracle, &bed->out, &expected, result);
    grid_free(&grid);
    return made;
}

static bool judge_continuous(struct gradient_case *given, struct bed *bed, struct verify_result *result)
{
    struct worst worst = {0};
    struct expected allowed = expected_zero(bed);
    struct sens_out state;
    const double middle = (bed->problem.t0 + bed->problem.t1) / 2;
    if (!exact_state(bed, middle, &state)) return false;
    if (expected_allow_errors(bed, &given->grid, expected_local_error(bed), &allowed) != SENS_OK)
        return false;
    note_at(bed, middle, &state, &allowed.bound, &worst);
    verify_judge(result, &worst);
    return true;
}

static void judge(struct gradient_case *given, struct verify_result *result)
{
    struct bed *whole = &given->scene.bed;
    const bool discrete = whole->method->derivative == SENS_DERIVATIVE_DISCRETE;
    struct sens_cost cost;
    probe_cost(whole->v, &whole->problem, whole->cost.m,
               (PROBE_AT_T1 | PROBE_EXPLICIT) & probe_parts_for(whole->method), &cost);
    struct bed bed = bed_with_cost(whole, &cost);
    bool made = bed_solve(&bed) == SENS_OK;
    made = made && (discrete ? judge_discrete(&bed, result) : judge_continuous(given, &bed, result));
    if (!made) verify_skip(result, "the method or the oracle cannot solve the terminal task");
    bed_free(&bed);
    verify_blame(result, CAUSE_dropped_stage, 0.2);
    verify_blame(result, CAUSE_jacobian_not_transposed, 0.2);
    verify_blame(result, CAUSE_stage_time, 0.15);
    verify_blame(result, CAUSE_absolute_time, 0.2);
    verify_blame(result, CAUSE_missing_initial_term, 0.1);
}

void gradient_check_bilinear(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    const enum sens_derivative kind = bed->method->derivative;
    struct verify_result result = verify_open("gradient.bilinear", given->scene.module, given->scene.subject);
    if (kind == SENS_DERIVATIVE_DIFFERENCE)
        verify_skip(&result, "a difference quotient conserves nothing");
    else if (!bed->out.dGdx0)
        verify_skip(&result, "no derivative by the initial state");
    else if (kind == SENS_DERIVATIVE_DISCRETE &&
             !(bed_is_fixed(&given->scene.bed) && expected_rebuilds(&given->scene.bed)))
        verify_skip(&result, "restarted with the fixed step only, where the steps are the same");
    else if (kind == SENS_DERIVATIVE_CONTINUOUS && bed_is_fixed(&given->scene.bed))
        verify_skip(&result, "a fixed step has no tolerance");
    else
        judge(given, &result);
    verify_close(bed->v, &result);
}
