/* Covariance and bands, see covariance.h. */
#include "covariance.h"

#include <math.h>

#include "data_error.h"
#include "dense.h"

static sens_status check_rank(struct sens_ctx *ctx, const struct covariance *made)
{
    const struct analysis *const analysis = made->analysis;
    for (size_t b = 0; b < analysis->parameters.count; b++)
        if (made->stacked.fate[b] != FATE_KEPT)
            return sens_fail(
                ctx, SENS_SINGULAR,
                "%s has no effect on the chosen states: its variance is infinite; choose the others: "
                "--parameters",
                analysis->labels.parameter[analysis->parameters.index[b]]);
    if (made->spectrum.rank == made->cols) return SENS_OK;
    return sens_fail(
        ctx, SENS_SINGULAR,
        "the data determine %zu combinations of the %zu parameters; which of them only count together: "
        "sensbench analyse %s identifiability",
        made->spectrum.rank, made->cols, analysis->cell->problem.type->name);
}

/* R^-T of the vector v, whose entries stand in the order of the columns of M. */
static void solve(const struct covariance *made, const double *v, double *solved)
{
    for (size_t c = 0; c < made->cols; c++) solved[c] = v[made->spectrum.order[c]];
    dense_solve_triangle(made->cols, made->cols, made->spectrum.R, true, solved);
}

static sens_status fill(struct sens_ctx *ctx, struct covariance *made)
{
    const size_t cols = made->cols;
    made->root = SENS_NEW(ctx, double, cols *cols);
    made->work = SENS_NEW(ctx, double, 2 * cols);
    if (!made->root || !made->work) return SENS_NO_MEMORY;
    for (size_t k = 0; k < cols; k++) {
        made->work[k] = 1 / made->stacked.length[k];
        solve(made, made->work, made->root + k * cols);
        made->work[k] = 0;
    }
    return SENS_OK;
}

sens_status covariance_make(struct sens_ctx *ctx, const struct analysis *analysis,
                            const struct solution *solution, struct covariance *covariance)
{
    double *unit;
    *covariance = (struct covariance){.analysis = analysis, .solution = solution};
    sens_status status = data_error_units(ctx, analysis, solution, &unit);
    if (status == SENS_OK)
        status = stacked_make(ctx, analysis, solution, STACKED_PARAMETERS, unit, &covariance->stacked);
    if (status == SENS_OK) status = spectrum_make(ctx, &covariance->stacked, &covariance->spectrum);
    if (status != SENS_OK) return status;
    covariance->cols = covariance->stacked.cols;
    status = check_rank(ctx, covariance);
    return status == SENS_OK ? fill(ctx, covariance) : status;
}

double covariance_entry(const struct covariance *covariance, size_t k, size_t l)
{
    double sum = 0;
    for (size_t c = 0; c < covariance->cols; c++)
        sum += covariance->root[k * covariance->cols + c] * covariance->root[l * covariance->cols + c];
    return sum;
}

double covariance_band(const struct covariance *covariance, size_t j, size_t i)
{
    const struct stacked *const stacked = &covariance->stacked;
    double *const v = covariance->work, *const solved = v + covariance->cols, squares = 0;
    for (size_t k = 0; k < covariance->cols; k++)
        v[k] = solution_slope(covariance->analysis, covariance->solution, j, i, stacked->parameter[k]) /
               stacked->length[k];
    solve(covariance, v, solved);
    for (size_t c = 0; c < covariance->cols; c++) squares += solved[c] * solved[c];
    return sqrt(squares);
}
