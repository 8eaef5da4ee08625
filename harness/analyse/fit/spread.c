/* Singular values of a Jacobian by GSL, see spread.h. */
#include "spread.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

enum { KNOWN_FROM = 100 }; /* times rtol: the error of a column of J is some rtol of its length */

struct work {
    size_t rows, cols;
    double *U, *V, *s, *scratch, *length; /* [rows][cols], [cols][cols], [cols] each */
};

static bool allocate(struct sens_ctx *ctx, struct work *work)
{
    work->U = SENS_NEW(ctx, double, work->rows * work->cols);
    work->V = SENS_NEW(ctx, double, work->cols * work->cols);
    work->s = SENS_NEW(ctx, double, work->cols);
    work->scratch = SENS_NEW(ctx, double, work->cols);
    work->length = SENS_NEW(ctx, double, work->cols);
    return work->U && work->V && work->s && work->scratch && work->length;
}

/* J D^-1; a column without any effect stays 0. */
static void fill(const struct fit_model *model, size_t fixed, struct work *work)
{
    for (size_t c = 0; c < work->cols; c++) {
        const size_t k = c + (c >= fixed);
        double squares = 0;
        for (size_t e = 0; e < work->rows; e++) {
            const double slope = e < model->measurements ? fit_model_slope(model, e, k) : 0;
            work->U[e * work->cols + c] = slope;
            squares += slope * slope;
        }
        const bool silent = fit_model_silent(model, k);
        work->length[c] = squares > 0 ? sqrt(squares) : 1;
        for (size_t e = 0; e < work->rows; e++)
            work->U[e * work->cols + c] = silent ? 0 : work->U[e * work->cols + c] / work->length[c];
    }
}

static double projected(const struct fit_model *model, const struct work *work, size_t rank)
{
    double sum = 0;
    for (size_t c = 0; c < rank; c++) {
        double along = 0;
        for (size_t e = 0; e < model->measurements; e++)
            along += work->U[e * work->cols + c] * (double)model->r[e];
        sum += along * along;
    }
    return sum;
}

/* A parameter with a part in a direction that is not known has no variance. A null vector is known to the errors of J
 * over the gap of the singular values: parts below 1e-3 are none. */
static bool determined(const struct work *work, size_t k, size_t rank)
{
    for (size_t c = rank; c < work->cols; c++)
        if (fabs(work->V[k * work->cols + c]) > 1e-3) return false;
    return true;
}

static void covariance(const struct work *work, struct spread *made)
{
    const size_t cols = work->cols;
    for (size_t k = 0; k < cols; k++) {
        for (size_t l = 0; l < cols; l++) {
            double sum = 0;
            for (size_t c = 0; c < made->rank; c++)
                sum += work->V[k * cols + c] * work->V[l * cols + c] / (work->s[c] * work->s[c]);
            made->C[k * cols + l] = sum / (work->length[k] * work->length[l]);
        }
        made->variance[k] = determined(work, k, made->rank) ? made->C[k * cols + k] : INFINITY;
    }
}

sens_status spread_make(struct sens_ctx *ctx, const struct fit_model *model, size_t fixed,
                        struct spread *spread)
{
    const size_t cols = model->count - (fixed < model->count), m = model->measurements;
    struct work work = {.rows = m > cols ? m : cols, .cols = cols};
    struct spread made = {
        .cols = cols, .variance = SENS_NEW(ctx, double, cols), .C = SENS_NEW(ctx, double, cols *cols)};
    if (!allocate(ctx, &work) || !made.variance || !made.C) return SENS_NO_MEMORY;
    fill(model, fixed, &work);
    gsl_matrix_view U = gsl_matrix_view_array(work.U, work.rows, cols);
    gsl_matrix_view V = gsl_matrix_view_array(work.V, cols, cols);
    gsl_vector_view s = gsl_vector_view_array(work.s, cols);
    gsl_vector_view scratch = gsl_vector_view_array(work.scratch, cols);
    if (gsl_linalg_SV_decomp(&U.matrix, &V.matrix, &s.vector, &scratch.vector) != 0)
        return sens_fail(ctx, SENS_NOT_CONVERGED, "the singular values of the Jacobian do not converge");
    const double bound = KNOWN_FROM * (double)model->cell->task.rtol * work.s[0];
    while (made.rank < cols && work.s[made.rank] > bound) made.rank++;
    made.decrement = projected(model, &work, made.rank);
    covariance(&work, &made);
    *spread = made;
    return SENS_OK;
}
