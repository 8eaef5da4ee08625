/* GSL's trust regions on the residuals of a model, see minimise.h. */
#include "minimise.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 200 };
static const double refused = FIT_RESIDUAL_MOST; /* larger than any: no trust region takes it */
static const double farthest = 10;               /* a step takes no parameter beyond so many times itself */

struct trial { /* what GSL's callbacks see */
    struct sens_ctx *ctx;
    struct fit_model *model;
    size_t fixed;
    double *q;    /* [count] the point looked at */
    double *from; /* [count] the one that the step began at */
};

/* A parameter that has as good as no effect where it stands would go to the end of the numbers in one step, for the
 * sake of the others; what the data say of it on the way there would never be seen. */
static bool too_far(const struct trial *trial)
{
    for (size_t k = 0; k < trial->model->count; k++) {
        const double from = trial->from[k], step = fabs(trial->q[k] - from);
        if (step > (trial->model->log ? log(farthest) : farthest * fmax(fabs(from), 1))) return true;
    }
    return false;
}

static void take(struct trial *trial, const gsl_vector *free)
{
    for (size_t c = 0; c < free->size; c++) trial->q[c + (c >= trial->fixed)] = gsl_vector_get(free, c);
}

static sens_status look(struct trial *trial, const gsl_vector *free)
{
    take(trial, free);
    return fit_model_at(trial->ctx, trial->model, trial->q);
}

static int residuals(const gsl_vector *free, void *self, gsl_vector *r)
{
    struct trial *const trial = self;
    gsl_vector_set_all(r, refused);
    take(trial, free);
    if (too_far(trial) || look(trial, free) != SENS_OK) return GSL_SUCCESS;
    for (size_t e = 0; e < r->size; e++) gsl_vector_set(r, e, (double)trial->model->r[e]);
    return GSL_SUCCESS;
}

/* Asked for where a step was taken, and never where the residuals were refused. */
static int jacobian(const gsl_vector *free, void *self, gsl_matrix *J)
{
    struct trial *const trial = self;
    if (look(trial, free) != SENS_OK) return GSL_EFAILED;
    for (size_t c = 0; c < J->size2; c++) {
        const size_t k = c + (c >= trial->fixed);
        const bool silent = fit_model_silent(trial->model, k);
        for (size_t e = 0; e < J->size1; e++)
            gsl_matrix_set(J, e, c, silent ? 0 : fit_model_slope(trial->model, e, k));
    }
    return GSL_SUCCESS;
}

/* r and J stand at the point. */
static sens_status judge(struct sens_ctx *ctx, const struct trial *trial, struct minimum *minimum,
                         bool *converged)
{
    struct spread spread;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const sens_status status = spread_make(ctx, trial->model, trial->fixed, &spread);
    sens_arena_rewind(&ctx->arena, mark);
    if (status != SENS_OK) return status;
    minimum->chi2 = fit_model_chi2(trial->model);
    minimum->decrement = spread.decrement;
    *converged = spread.decrement <=
                 FIT_NOTHING * fit_model_variance(trial->model, minimum->chi2, trial->model->count) +
                     fit_model_noise(trial->model);
    return SENS_OK;
}

static sens_status iterate(struct sens_ctx *ctx, struct trial *trial, gsl_multifit_nlinear_workspace *work,
                           struct minimum *minimum)
{
    for (bool stuck = false;; minimum->iterations++) {
        bool converged = false;
        sens_status status =
            look(trial, gsl_multifit_nlinear_position(work)); /* a trial may have stood last */
        memcpy(trial->from, trial->q, trial->model->count * sizeof *trial->from);
        if (status == SENS_OK) status = judge(ctx, trial, minimum, &converged);
        if (status != SENS_OK || converged) return status;
        if (stuck || minimum->iterations == ITERATIONS)
            return sens_fail(ctx, SENS_NOT_CONVERGED,
                             "the fit stays at chi2 = %g after %zu iterations, where a step should lower it "
                             "by %.2g; start elsewhere: params=FILE",
                             minimum->chi2, minimum->iterations, minimum->decrement);
        stuck = gsl_multifit_nlinear_iterate(work) != GSL_SUCCESS;
    }
}

static sens_status fit(struct sens_ctx *ctx, struct trial *trial, size_t cols, struct minimum *minimum)
{
    const gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {
        .f = residuals, .df = jacobian, .n = trial->model->measurements, .p = cols, .params = trial};
    gsl_multifit_nlinear_workspace *const work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, system.n, cols);
    double *const first = SENS_NEW(ctx, double, cols);
    sens_status status = SENS_NO_MEMORY;
    if (work && first) {
        for (size_t c = 0; c < cols; c++) first[c] = trial->q[c + (c >= trial->fixed)];
        const gsl_vector_view start = gsl_vector_view_array(first, cols);
        status = gsl_multifit_nlinear_init(&start.vector, &system, work) == GSL_SUCCESS
                     ? iterate(ctx, trial, work, minimum)
                     : SENS_NOT_CONVERGED;
    }
    gsl_multifit_nlinear_free(work);
    return status;
}

sens_status minimise(struct sens_ctx *ctx, struct fit_model *model, size_t fixed, double *q,
                     struct minimum *minimum)
{
    const size_t cols = model->count - (fixed < model->count);
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct trial trial = {ctx, model, fixed, q, SENS_NEW(ctx, double, model->count)};
    *minimum = (struct minimum){.iterations = 0};
    if (!trial.from) return SENS_NO_MEMORY;
    memcpy(trial.from, q, model->count * sizeof *q);
    sens_status status = fit_model_at(ctx, model, q);
    minimum->chi2 = fit_model_chi2(model);
    if (status == SENS_OK && cols > 0) status = fit(ctx, &trial, cols, minimum);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}
