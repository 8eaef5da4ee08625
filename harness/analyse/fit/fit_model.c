/* A model beside its data, see fit_model.h. */
#include "fit_model.h"

#include <math.h>
#include <string.h>

#include "analysis.h"
#include "files.h"

/* ---- what is fitted ------------------------------------------------------------------------------------ */

static sens_status check_log(const struct fit_model *model, struct bench_error *error)
{
    for (size_t k = 0; model->log && k < model->count; k++) {
        const double p = (double)model->cell->problem.p[model->index[k]];
        if (p > 0) continue;
        bench_refuse(error, "--log: %s = %g has no logarithm; choose the others: --parameters",
                     fit_model_name(model, k), p);
        return SENS_BAD_INPUT;
    }
    return SENS_OK;
}

static bool read_level(const char *text, double *level, struct bench_error *error)
{
    *level = 0.95;
    return !text || (read_number(text, level) && *level > 0 && *level < 1) ||
           bench_refuse(error, "--level %s: not a number between 0 and 1", text);
}

static bool read_range(const char *text, double *range, struct bench_error *error)
{
    *range = 1000;
    return !text || (read_number(text, range) && *range > 1 && *range <= 1e12) ||
           bench_refuse(error, "--range %s: not a number above 1, at most 1e12", text);
}

/* Enough to fit, and where the errors of the data are not known, one more to tell them. */
static sens_status check_count(const struct fit_model *model, struct bench_error *error)
{
    const size_t needed = model->count + !model->data.sigma_known;
    if (model->data.count >= needed) return SENS_OK;
    bench_refuse(error, "data: %zu measurements are too few for %zu parameters%s", model->data.count,
                 model->count,
                 model->data.sigma_known ? "" : " and the standard deviation of the data, which none has");
    return SENS_BAD_INPUT;
}

static sens_status find_data(struct sens_ctx *ctx, struct fit_model *model, struct bench_error *error)
{
    const struct sens_cost *const cost = &model->cell->cost;
    const int place = sens_option_find(cost->type->options, "data");
    if (place >= 0 && cost->option[place].count)
        return measurements_read(ctx, &cost->option[place], model->cell->problem.n, &model->data, error);
    bench_refuse(error, "data: what was measured? data=FILE, a table with a header line t,STATE,...");
    return SENS_BAD_INPUT;
}

static sens_status make_room(struct sens_ctx *ctx, struct fit_model *model, struct bench_error *error)
{
    const size_t n = model->cell->problem.n, np = model->cell->problem.np, m = model->data.count;
    model->at = SENS_NEW(ctx, double, model->count);
    model->p = SENS_NEW(ctx, sens_real, np);
    model->r = SENS_NEW(ctx, sens_real, m);
    model->drdp = SENS_NEW(ctx, sens_real, m * np);
    model->x0 = SENS_NEW(ctx, sens_real, n);
    model->x = SENS_NEW(ctx, sens_real, n);
    if (model->at && model->p && model->r && model->drdp && model->x0 && model->x) {
        model->at[0] = NAN;
        memcpy(model->p, model->cell->problem.p, np * sizeof *model->p);
        return SENS_OK;
    }
    bench_refuse(error, "no_memory: %zu measurements of %zu parameters need more than --memory allows", m,
                 np);
    return SENS_NO_MEMORY;
}

static sens_status set_cost(struct sens_ctx *ctx, struct fit_model *model, struct bench_error *error)
{
    struct cell *const cell = model->cell;
    const sens_real last = model->data.t[model->data.times - 1];
    if (!(last > cell->problem.t0)) {
        bench_refuse(error, "data: nothing was measured after t0 = %g", (double)cell->problem.t0);
        return SENS_BAD_INPUT;
    }
    cell->problem.t1 = last;
    cell->task.parts = SENS_IN_STATE | SENS_IN_DGDP;
    const sens_status status = measurements_cost(ctx, &model->data, &cell->problem, &cell->cost);
    if (status != SENS_OK) bench_refuse(error, "data: %s", ctx->message);
    return status;
}

sens_status fit_model_create(struct sens_ctx *ctx, struct cell *cell, const struct fit_request *request,
                             struct fit_model *model, struct bench_error *error)
{
    struct selection chosen;
    *model = (struct fit_model){.cell = cell, .log = request->log};
    if (!read_level(request->level, &model->level, error) ||
        !read_range(request->range, &model->range, error))
        return SENS_BAD_INPUT;
    sens_status status = analysis_check(cell, error);
    if (status == SENS_OK) status = find_data(ctx, model, error);
    if (status != SENS_OK) return status;
    bench_refuse(error, "names: %s", sens_status_message(SENS_NO_MEMORY));
    status = labels_find(ctx, &cell->problem, &model->labels);
    if (status == SENS_OK)
        status = labels_select(ctx, "--parameters", request->parameters, cell->problem.np,
                               model->labels.parameter, &chosen, error);
    if (status != SENS_OK) return status;
    model->count = chosen.count;
    model->index = chosen.index;
    ctx->arena.limit = request->memory;
    status = check_log(model, error);
    if (status == SENS_OK) status = check_count(model, error);
    if (status == SENS_OK) status = set_cost(ctx, model, error);
    return status == SENS_OK ? make_room(ctx, model, error) : status;
}

/* ---- residuals ----------------------------------------------------------------------------------------- */

void fit_model_start(const struct fit_model *model, double *q)
{
    for (size_t k = 0; k < model->count; k++) {
        const double p = (double)model->cell->problem.p[model->index[k]];
        q[k] = model->log ? log(p) : p;
    }
}

double fit_model_parameter(const struct fit_model *model, double q)
{
    return model->log ? exp(q) : q;
}

double fit_model_slope(const struct fit_model *model, size_t e, size_t k)
{
    const double dr = (double)model->drdp[e * model->cell->problem.np + model->index[k]];
    return model->log ? dr * (double)model->p[model->index[k]] : dr;
}

double fit_model_chi2(const struct fit_model *model)
{
    double sum = 0;
    for (size_t e = 0; e < model->data.count; e++) sum += (double)model->r[e] * (double)model->r[e];
    return sum;
}

double fit_model_variance(const struct fit_model *model, double chi2)
{
    return model->data.sigma_known ? 1 : chi2 / (double)(model->data.count - model->count);
}

static sens_status solve(struct sens_ctx *ctx, struct fit_model *model)
{
    struct sens_task task = model->cell->task;
    struct sens_problem moved = *task.problem;
    struct sens_work work = {.steps = 0};
    const struct sens_out out = {.x = model->x, .G = model->r, .dGdp = model->drdp};
    for (size_t k = 0; k < model->count; k++)
        if (!isfinite(model->p[model->index[k]]))
            return sens_fail(ctx, SENS_NONFINITE, "a parameter overflows");
    moved.p = model->p;
    sens_problem_x0(&moved, model->p, model->x0);
    moved.x0 = model->x0;
    task.problem = &moved;
    model->solves++;
    const sens_status status = analysis_run(ctx, &task, &out, &work);
    if (status != SENS_OK) return status;
    const size_t m = model->data.count, np = model->cell->problem.np;
    return analysis_all_finite(m, model->r) && analysis_all_finite(m * np, model->drdp) ? SENS_OK
                                                                                        : SENS_NONFINITE;
}

sens_status fit_model_at(struct sens_ctx *ctx, struct fit_model *model, const double *q)
{
    if (memcmp(model->at, q, model->count * sizeof *q) == 0) return SENS_OK;
    for (size_t k = 0; k < model->count; k++) model->p[model->index[k]] = fit_model_parameter(model, q[k]);
    const sens_status status = solve(ctx, model);
    if (status == SENS_OK)
        memcpy(model->at, q, model->count * sizeof *q);
    else
        model->at[0] = NAN, model->failures++;
    return status;
}
