/* fit and profile as tables, see fits.h. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "fits.h"
#include "profile.h"

struct best { /* the fit */
    double *start, *q;
    struct minimum minimum;
    struct spread spread;
    double variance; /* that chi2 counts in */
    double freedom;  /* degrees of */
};

static sens_status refuse(struct sens_ctx *ctx, const char *question, sens_status status,
                          struct bench_error *error)
{
    if (status != SENS_OK)
        bench_refuse(error, "%s: %s: %s", question, sens_status_name(status),
                     ctx->message[0] ? ctx->message : sens_status_message(status));
    return status;
}

static sens_status find_best(struct sens_ctx *ctx, struct fit_model *model, struct best *best)
{
    best->start = SENS_NEW(ctx, double, model->count);
    best->q = SENS_NEW(ctx, double, model->count);
    if (!best->start || !best->q) return SENS_NO_MEMORY;
    fit_model_start(model, best->start);
    memcpy(best->q, best->start, model->count * sizeof *best->q);
    sens_status status = minimise(ctx, model, model->count, best->q, &best->minimum);
    if (status == SENS_OK) status = spread_make(ctx, model, model->count, &best->spread);
    if (status != SENS_OK) return status;
    best->variance = fit_model_variance(model, best->minimum.chi2, best->spread.rank);
    best->freedom = fit_model_freedom(model, best->spread.rank);
    return SENS_OK;
}

/* Standard deviations to either side of the interval at the level asked for: of the normal distribution, or Student's
 * where the errors of the data are estimated. */
static double deviations(const struct fit_model *model, const struct best *best)
{
    const double upper = (1 + model->level) / 2;
    return model->sigma_known ? gsl_cdf_ugaussian_Pinv(upper) : gsl_cdf_tdist_Pinv(upper, best->freedom);
}

/* ---- fit ----------------------------------------------------------------------------------------------- */

static void write_fit(const struct fit_model *model, const struct best *best, struct tables *tables)
{
    static const char *const columns[] = {"measurements", "parameters", "determined", "chi2",
                                          "chi2_per_dof", "p_value",    "sigma",      "iterations",
                                          "solves",       "failed",     "decrement",  NULL};
    const double dof = best->freedom, chi2 = best->minimum.chi2;
    const bool known = model->sigma_known;
    table_begin(tables, "fit",
                "chi2 = sum w ((x - z) / sigma)^2 at its minimum; p_value: so large or larger by chance",
                columns);
    table_count(tables, model->measurements);
    table_count(tables, model->count);
    table_count(tables, best->spread.rank);
    table_number(tables, chi2);
    table_number(tables, dof > 0 ? chi2 / dof : NAN);
    table_number(tables, known && dof > 0 ? gsl_cdf_chisq_Q(chi2, dof) : NAN);
    known ? table_text(tables, "given") : table_number(tables, sqrt(best->variance));
    table_count(tables, best->minimum.iterations);
    table_count(tables, model->solves);
    table_count(tables, model->failures);
    table_number(tables, best->minimum.decrement);
    table_row_end(tables);
    table_end(tables);
}

/* Of the parameter, not of its logarithm. */
static double deviation(const struct fit_model *model, const struct best *best, size_t k)
{
    const double sd = sqrt(best->spread.variance[k] * best->variance);
    return model->log ? sd * exp(best->q[k]) : sd;
}

static void write_parameters(const struct fit_model *model, const struct best *best, struct tables *tables)
{
    static const char *const columns[] = {"parameter", "start", "value", "sd", "lower", "upper", NULL};
    const double wide = deviations(model, best);
    table_begin(tables, "parameters",
                "fitted values, standard deviations, intervals of the level asked for by the covariance",
                columns);
    for (size_t k = 0; k < model->count; k++) {
        const double q = best->q[k], half = wide * sqrt(best->spread.variance[k] * best->variance);
        table_text(tables, fit_model_name(model, k));
        table_number(tables, fit_model_parameter(model, best->start[k]));
        table_number(tables, fit_model_parameter(model, q));
        table_number(tables, deviation(model, best, k));
        table_number(tables, fit_model_parameter(model, q - half));
        table_number(tables, fit_model_parameter(model, q + half));
        table_row_end(tables);
    }
    table_end(tables);
}

static sens_status write_correlation(struct sens_ctx *ctx, const struct fit_model *model,
                                     const struct best *best, struct tables *tables)
{
    const char **const columns = SENS_NEW(ctx, const char *, model->count + 2);
    const size_t cols = model->count;
    if (!columns) return SENS_NO_MEMORY;
    columns[0] = "parameter";
    for (size_t k = 0; k < cols; k++) columns[k + 1] = fit_model_name(model, k);
    table_begin(tables, "correlation", "of the fitted parameters, of their logarithms with --log", columns);
    for (size_t k = 0; k < cols; k++) {
        table_text(tables, columns[k + 1]);
        for (size_t l = 0; l < cols; l++)
            table_number(tables, isfinite(best->spread.variance[k]) && isfinite(best->spread.variance[l])
                                     ? best->spread.C[k * cols + l] /
                                           sqrt(best->spread.variance[k] * best->spread.variance[l])
                                     : NAN);
        table_row_end(tables);
    }
    table_end(tables);
    return SENS_OK;
}

/* r and J stand at the fit. The number of the experiment is told where there are several. */
static void write_residuals(const struct fit_model *model, struct tables *tables)
{
    static const char *const columns[] = {"experiment", "t",     "name",     "measured",
                                          "model",      "sigma", "residual", NULL};
    const bool several = model->parts > 1;
    table_begin(tables, "residuals", "residual = sqrt(w) (model - measured) / sigma", columns + !several);
    for (size_t e = 0; e < model->measurements; e++) {
        const struct fit_part *part;
        const struct measured *const me = fit_model_measurement(model, e, &part);
        const double r = (double)model->r[e];
        if (several) table_number(tables, part->number);
        table_number(tables, me->t);
        table_text(tables, fit_model_measured(model, me->of));
        table_number(tables, me->z);
        table_number(tables, me->z + r * me->sigma / me->root_weight);
        table_number(tables, model->sigma_known ? me->sigma : NAN);
        table_number(tables, r);
        table_row_end(tables);
    }
    table_end(tables);
}

static sens_status answer_fit(struct sens_ctx *ctx, struct fit_model *model, struct tables *tables,
                              struct bench_error *error)
{
    struct best best;
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    sens_status status = find_best(ctx, model, &best);
    if (status == SENS_OK) {
        write_fit(model, &best, tables);
        write_parameters(model, &best, tables);
        status = write_correlation(ctx, model, &best, tables);
        write_residuals(model, tables);
    }
    gsl_set_error_handler(handler);
    return refuse(ctx, "fit", status, error);
}

/* ---- profile ------------------------------------------------------------------------------------------- */

struct profile {
    struct profile_side below, above;
};

static const char *verdict(const struct profile *profile)
{
    const enum profile_end below = profile->below.end, above = profile->above.end;
    if (below == PROFILE_FAILED || above == PROFILE_FAILED) return "unknown";
    if (below == PROFILE_CROSSED && above == PROFILE_CROSSED) return "bounded";
    return below == PROFILE_OPEN && above == PROFILE_OPEN ? "flat" : "one-sided";
}

/* The bound of the interval, or why there is none. */
static void write_bound(const struct fit_model *model, const struct profile_side *side, struct tables *tables)
{
    switch (side->end) {
    case PROFILE_CROSSED:
        table_number(tables, fit_model_parameter(model, side->bound));
        break;
    case PROFILE_OPEN:
        table_text(tables, "open");
        break;
    case PROFILE_FAILED:
        table_text(tables, sens_status_name(side->status));
        break;
    }
}

static void write_verdicts(const struct fit_model *model, const struct best *best,
                           const struct profile *profile, struct tables *tables)
{
    static const char *const columns[] = {"parameter", "value", "lower", "upper", "verdict", NULL};
    table_begin(tables, "verdict",
                "interval of the profile likelihood: where chi2 rises by no more than the limit", columns);
    for (size_t k = 0; k < model->count; k++) {
        table_text(tables, fit_model_name(model, k));
        table_number(tables, fit_model_parameter(model, best->q[k]));
        write_bound(model, &profile[k].below, tables);
        write_bound(model, &profile[k].above, tables);
        table_text(tables, verdict(&profile[k]));
        table_row_end(tables);
    }
    table_end(tables);
}

static void write_point(const struct fit_model *model, size_t k, const struct profile_point *point,
                        double limit, struct tables *tables)
{
    const double p = fit_model_parameter(model, point->q);
    table_text(tables, fit_model_name(model, k));
    table_number(tables, p);
    table_number(tables, point->rise);
    table_number(tables, model->log ? point->slope / p : point->slope);
    table_number(tables, limit);
    table_row_end(tables);
}

static void write_points(const struct fit_model *model, const struct best *best,
                         const struct profile *profile, struct tables *tables)
{
    static const char *const columns[] = {"parameter", "value", "rise", "slope", "limit", NULL};
    const double limit = profile_limit(model, best->minimum.chi2, best->spread.rank);
    table_begin(tables, "profile",
                "the least chi2 above that of the fit while the parameter is held, and its derivative",
                columns);
    for (size_t k = 0; k < model->count; k++) {
        const struct profile_side *const below = &profile[k].below, *const above = &profile[k].above;
        for (size_t i = below->count; i-- > 0;) write_point(model, k, &below->point[i], limit, tables);
        write_point(model, k, &(struct profile_point){.q = best->q[k]}, limit, tables);
        for (size_t i = 0; i < above->count; i++) write_point(model, k, &above->point[i], limit, tables);
    }
    table_end(tables);
}

static sens_status find_profiles(struct sens_ctx *ctx, struct fit_model *model, const struct best *best,
                                 struct profile *profile)
{
    sens_status status = SENS_OK;
    const double limit = profile_limit(model, best->minimum.chi2, best->spread.rank);
    if (!(limit > fit_model_noise(model)))
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "the model meets the data to rtol: their errors are not known from it; tell them, "
                         "as in x sigma=0.1");
    for (size_t k = 0; k < model->count && status == SENS_OK; k++) {
        const struct profile_start start = {best->q, best->start, best->minimum.chi2, limit,
                                            sqrt(best->spread.variance[k] * best->variance)};
        status = profile_walk(ctx, model, k, &start, -1, &profile[k].below);
        if (status == SENS_OK) status = profile_walk(ctx, model, k, &start, 1, &profile[k].above);
    }
    return status == SENS_OK ? fit_model_at(ctx, model, best->q) : status;
}

static sens_status answer_profile(struct sens_ctx *ctx, struct fit_model *model, struct tables *tables,
                                  struct bench_error *error)
{
    struct best best;
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    struct profile *const profile = SENS_NEW(ctx, struct profile, model->count);
    sens_status status = profile ? find_best(ctx, model, &best) : SENS_NO_MEMORY;
    if (status == SENS_OK) status = find_profiles(ctx, model, &best, profile);
    if (status == SENS_OK) {
        write_fit(model, &best, tables);
        write_parameters(model, &best, tables);
        write_verdicts(model, &best, profile, tables);
        write_points(model, &best, profile, tables);
    }
    gsl_set_error_handler(handler);
    return refuse(ctx, "profile", status, error);
}

static const struct fit_question all[] = {
    {"fit", "the parameters that meet data best, with intervals", NULL, answer_fit},
    {"profile", "profile likelihood: which parameters data bound, on which sides", "--range", answer_profile},
    {.name = NULL},
};

const struct fit_question *fit_questions(void)
{
    return all;
}
