/* What is expected of a method by the kind of derivative that it declares, and the derivative of its map. */
#include "expected.h"

#include <stdio.h>

/* ---- arrays -------------------------------------------------------------------------------------------- */

struct expected expected_zero(const struct bed *bed)
{
    return (struct expected){bed_shape(bed), bed_shape(bed), ""};
}

void expected_compare(struct worst *worst, const struct bed *bed, const struct sens_out *got,
                      const struct expected *expected)
{
    char what[VERIFY_SUBJECT];
    snprintf(what, sizeof what, "%s:", expected->why);
    out_compare(worst, bed, got, &expected->value, &expected->bound, what);
}

struct expected expected_state(const struct expected *expected)
{
    struct expected state = *expected;
    state.bound = out_only(&expected->bound, SENS_IN_STATE);
    return state;
}

struct expected expected_gradient(const struct expected *expected)
{
    struct expected gradient = *expected;
    gradient.bound = out_only(&expected->bound, ~(unsigned)SENS_IN_STATE);
    return gradient;
}

double expected_weakness(const struct bed *bed, const struct expected *expected)
{
    double above = 0, below = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const double *const value = expected->value.part[k], *const bound = expected->bound.part[k];
        for (size_t q = 0; sens_part_wrt(k) && value && bound && q < bed_count(bed, k); q++) {
            above += bound[q] * bound[q];
            below += value[q] * value[q];
        }
    }
    return below > 0 ? sqrt(above / below) : above > 0 ? INFINITY : 0;
}

/* ---- the map ------------------------------------------------------------------------------------------- */

sens_status expected_map(const struct bed *bed, const struct grid *grid, struct expected *expected)
{
    struct oracle oracle;
    *expected = expected_zero(bed);
    expected->why = "on the same steps";
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    const sens_status status = oracle_tangent(&oracle, &expected->value);
    return status == SENS_OK ? oracle_rounding(&oracle, &expected->value, &expected->bound) : status;
}

/* Perturbed runs behind a bound that one direction alone measures. */
enum { REVERSE_DRAWS = 2 };

sens_status expected_map_in_reverse(const struct bed *bed, const struct grid *grid, struct expected *expected)
{
    struct oracle oracle;
    *expected = expected_zero(bed);
    expected->why = "on the same steps";
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    sens_status status = oracle_adjoint(&oracle, &expected->value);
    if (status == SENS_OK)
        status = oracle_rounding_cheaply(&oracle, NULL, &expected->value, REVERSE_DRAWS, &expected->bound);
    if (status == SENS_OK) out_add(bed, &expected->bound, 1, &expected->bound);
    return status;
}

/* What iterations left of the state, as told. Where a solution settles, noise of earlier steps is gone, and that of the
 * last ones is not. No more than solvers stop at. */
static void allow_residual(const struct bed *bed, const struct expected *expected)
{
    static const double STEP_ROUNDINGS = 64;
    const double most = STEP_ROUNDINGS * DBL_EPSILON * (double)bed->grid.steps;
    const double left = fmin(bed->work.residual, most);
    double largest = 0;
    for (size_t q = 0; q < bed->problem.n; q++) largest = fmax(largest, fabs(expected->value.x[q]));
    for (size_t q = 0; left > 0 && q < bed->problem.n; q++) expected->bound.x[q] += left * largest;
}

sens_status expected_reported_map(const struct bed *bed, struct expected *expected)
{
    if (bed->grid.steps == 0 || !(bed->method->caps & SENS_CAP_TABLEAU)) return SENS_UNSUPPORTED;
    const sens_status status = expected_map(bed, &bed->grid, expected);
    if (status == SENS_OK) allow_residual(bed, expected);
    return status;
}

/* ---- by kind ------------------------------------------------------------------------------------------- */

/* A fixed step heeds no tolerance; what is not continuous is held to its map. */
static bool known(const struct bed *bed)
{
    return bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS ? !bed_is_fixed(bed)
                                                                 : expected_rebuilds(bed);
}

static sens_status declared_on(const struct bed *bed, const struct grid *grid, struct expected *expected)
{
    const enum sens_derivative kind = bed->method->derivative;
    if (kind == SENS_DERIVATIVE_CONTINUOUS)
        return expected_allow_errors(bed, grid, expected_local_error(bed), expected);
    const sens_status status = expected_map(bed, grid, expected);
    return status == SENS_OK && kind == SENS_DERIVATIVE_DIFFERENCE
               ? expected_allow_quotient(bed, grid, expected)
               : status;
}

/* Adds to what *expected begins with, or replaces it by the map's. */
static sens_status declared(const struct bed *bed, struct expected *expected)
{
    struct grid grid;
    if (!expected_grid(bed, &grid)) return SENS_NO_MEMORY;
    const sens_status status = declared_on(bed, &grid, expected);
    grid_free(&grid);
    return status;
}

sens_status expected_declared(const struct bed *bed, struct expected *expected)
{
    *expected = expected_zero(bed);
    if (!known(bed)) return SENS_UNSUPPORTED;
    const sens_status status =
        bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS ? expected_exact(bed, expected) : SENS_OK;
    return status == SENS_OK ? declared(bed, expected) : status;
}

sens_status expected_allowed(const struct bed *bed, struct sens_out *bound)
{
    struct expected expected = expected_zero(bed);
    const sens_status status = known(bed) ? declared(bed, &expected) : SENS_UNSUPPORTED;
    *bound = expected.bound;
    return status;
}
