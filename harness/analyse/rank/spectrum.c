/* Rank, spectrum, order and shares of variance, see spectrum.h. */
#include "spectrum.h"

#include <math.h>
#include <string.h>

#include "dense.h"

static sens_status allocate(struct sens_ctx *ctx, size_t cols, struct spectrum *made)
{
    *made = (struct spectrum){.cols = cols,
                              .order = SENS_NEW(ctx, size_t, cols),
                              .pivot = SENS_NEW(ctx, double, cols),
                              .R = SENS_NEW(ctx, double, cols *cols),
                              .sigma = SENS_NEW(ctx, double, cols),
                              .V = SENS_NEW(ctx, double, cols *cols),
                              .condition = SENS_NEW(ctx, double, cols),
                              .proportion = SENS_NEW(ctx, double, cols *cols)};
    return made->order && made->pivot && made->R && made->sigma && made->V && made->condition &&
                   made->proportion
               ? SENS_OK
               : SENS_NO_MEMORY;
}

/* R of M D, its diagonal kept, becomes that of M: column c of it belongs to column order[c] of M. */
static sens_status factorise(struct sens_ctx *ctx, const struct stacked *stacked, struct spectrum *made)
{
    const size_t rows = stacked->rows, cols = stacked->cols;
    double *const A = SENS_NEW(ctx, double, rows *cols);
    if (!A) return SENS_NO_MEMORY;
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < rows; r++) A[c * rows + r] = stacked->M[c * rows + r] * stacked->length[c];
    const sens_status status = dense_pivoted_qr(ctx, rows, cols, A, made->order, made->R);
    if (status != SENS_OK) return status;
    for (size_t c = 0; c < cols; c++) {
        made->pivot[c] = fabs(made->R[c * cols + c]);
        for (size_t r = 0; r <= c; r++) made->R[r * cols + c] /= stacked->length[made->order[c]];
    }
    return SENS_OK;
}

/* The vectors belong to the columns of R; in V they belong to those of M. */
static sens_status decompose(struct sens_ctx *ctx, struct spectrum *made)
{
    const size_t cols = made->cols;
    double *const A = SENS_NEW(ctx, double, cols *cols), *const pivoted = SENS_NEW(ctx, double, cols *cols);
    if (!A || !pivoted) return SENS_NO_MEMORY;
    memcpy(A, made->R, cols * cols * sizeof *A);
    const sens_status status = dense_svd(ctx, cols, A, made->sigma, pivoted);
    for (size_t j = 0; status == SENS_OK && j < cols; j++)
        for (size_t c = 0; c < cols; c++) made->V[j * cols + made->order[c]] = pivoted[j * cols + c];
    return status;
}

static void share_variance(double noise, struct spectrum *made)
{
    const size_t cols = made->cols;
    for (size_t j = 0; j < cols; j++) made->condition[j] = made->sigma[0] / fmax(made->sigma[j], noise);
    for (size_t k = 0; k < cols; k++) {
        double sum = 0;
        for (size_t j = 0; j < cols; j++) {
            const double part = made->V[j * cols + k] / fmax(made->sigma[j], noise);
            made->proportion[j * cols + k] = part * part;
            sum += part * part;
        }
        for (size_t j = 0; j < cols; j++) made->proportion[j * cols + k] /= sum;
    }
}

sens_status spectrum_make(struct sens_ctx *ctx, const struct stacked *stacked, struct spectrum *spectrum)
{
    sens_status status = allocate(ctx, stacked->cols, spectrum);
    if (status == SENS_OK) status = factorise(ctx, stacked, spectrum);
    if (status == SENS_OK) status = decompose(ctx, spectrum);
    if (status != SENS_OK) return status;
    share_variance(stacked->noise, spectrum);
    while (spectrum->rank < spectrum->cols && spectrum->sigma[spectrum->rank] > stacked->noise)
        spectrum->rank++;
    return SENS_OK;
}
