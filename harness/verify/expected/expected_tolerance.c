/* What a tolerance allows, and tasks on which that is little enough to tell right from wrong. */
#include "expected.h"
#include "probe.h"

enum { MAX_STEPS = 5000, HALVINGS = 5, OUTPUTS = 2 };
static const double WEAK = 1e-2;

/* ---- local errors -------------------------------------------------------------------------------------- */

/* Norms differ in what they hold an error against: |x|, |x| + |h f|, the mean of many components; and what no
 * test sees (quadrature, interpolant) follows the steps they lead to. */
static const double NORMS_DIFFER = 8;

struct local_error expected_local_error(const struct bed *bed)
{
    return (struct local_error){NORMS_DIFFER * bed->task.rtol, NORMS_DIFFER * bed->task.atol};
}

/* The interpolant of a pair may have a lower order than its error estimate, so that with local errors
 * tol = C h^(q+1) the state between the steps is only good to h^(d+1) = tol^((d+1)/(q+1)), of its unit. */
struct local_error expected_interpolant_error(const struct bed *bed)
{
    const struct sens_tableau *tableau = bed->task.tableau;
    const double order = fmin((tableau->dense_order + 1.0) / (tableau->order_hat + 1.0), 1);
    return (struct local_error){pow(bed->task.rtol, order),
                                bed->unit * pow(bed->task.atol / bed->unit, order)};
}

sens_status expected_allow_errors(const struct bed *bed, const struct grid *grid, struct local_error error,
                                  struct expected *expected)
{
    struct oracle oracle;
    struct sens_out allowed = bed_shape(bed);
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    const sens_status status = oracle_tolerance(&oracle, error.rtol, error.atol, NULL, &allowed);
    if (status == SENS_OK) out_add(bed, &expected->bound, 1, &allowed);
    return status;
}

sens_status expected_stiff(const struct bed *bed, struct expected *expected)
{
    struct sens_out allowed;
    *expected = (struct expected){.why = "exact"};
    sens_status status = oracle_stiff_truth(bed, &expected->value, &expected->bound);
    if (status == SENS_OK)
        status = oracle_stiff_tolerance(bed, expected_local_error(bed).rtol, bed->work.steps, &allowed);
    if (status == SENS_OK) out_add(bed, &expected->bound, 1, &allowed);
    return status;
}

/* ---- the horizon --------------------------------------------------------------------------------------- */

/* The tangent over steps of the task's tolerance, and what errors of that size do to it. */
static sens_status at_tolerance(const struct bed *bed, struct expected *expected)
{
    struct oracle oracle;
    struct grid grid = {.steps = 0};
    const struct local_error error = expected_interpolant_error(bed);
    *expected = expected_zero(bed);
    sens_status status = expected_grid(bed, &grid) ? SENS_OK : SENS_STEP_LIMIT;
    oracle_create(bed, bed->task.tableau, &grid, &oracle);
    if (status == SENS_OK) status = oracle_tangent(&oracle, &expected->value);
    if (status == SENS_OK)
        status = oracle_tolerance(&oracle, error.rtol, error.atol, &expected->value, &expected->bound);
    grid_free(&grid);
    return status;
}

/* The exact value in place of the tangent's. */
static sens_status settle(const struct bed *bed, struct expected *exact, struct expected *expected)
{
    const sens_status status = expected_exact(bed, exact);
    if (status != SENS_OK) return status;
    expected->value = exact->value;
    expected->why = exact->why;
    out_add(bed, &expected->bound, 1, &exact->bound);
    return SENS_OK;
}

/* The closed form can be used where the cost sees the final state alone. */
static sens_status create_cost(struct verify *v, const struct horizon *want,
                               const struct sens_problem *problem, struct sens_cost *cost)
{
    if (want->cost) return sens_cost_create(&v->ctx, want->cost, NULL, problem, cost);
    const unsigned final = want->parts & (PROBE_AT_T1 | PROBE_EXPLICIT);
    /* behind a crowd nothing but its error test makes a method take steps, and a running cost may be outside of that */
    if (want->crowded && want->parts & PROBE_BETWEEN)
        probe_cost_crowded(v, problem, OUTPUTS, want->parts & ~(unsigned)PROBE_RUNNING, cost);
    else
        probe_cost(v, problem, OUTPUTS, expected_has_form(v, problem) ? final : want->parts, cost);
    return SENS_OK;
}

/* The task on [t0, t0 + fraction (t1 - t0)]. */
static sens_status create_bed(struct verify *v, const struct horizon *want, double fraction, struct bed *bed)
{
    struct sens_problem problem = *want->problem;
    struct sens_cost cost;
    if (fraction < 1) problem.t1 = problem.t0 + fraction * (problem.t1 - problem.t0);
    const sens_status status = create_cost(v, want, &problem, &cost);
    if (status != SENS_OK) return status;
    bed_create(v, &problem, &cost, want->method, bed);
    bed_tolerance(bed, want->tol);
    bed->task.max_steps = MAX_STEPS;
    return SENS_OK;
}

sens_status expected_horizon(struct verify *v, const struct horizon *want, struct bed *bed,
                             struct expected *exact, struct expected *expected)
{
    double fraction = 1;
    sens_status status = SENS_OK;
    *bed = (struct bed){.v = v, .problem = *want->problem, .method = want->method};
    for (int k = 0; k <= HALVINGS; k++, fraction /= 2) {
        status = create_bed(v, want, fraction, bed);
        if (status != SENS_OK) return status;
        status = at_tolerance(bed, expected);
        if (status == SENS_OK && expected_weakness(bed, expected) < WEAK) break;
    }
    return status == SENS_OK ? settle(bed, exact, expected) : status;
}
