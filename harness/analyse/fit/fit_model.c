/* A model beside its data, see fit_model.h. */
#include "fit_model.h"

#include <math.h>
#include <string.h>

#include "analysis.h"
#include "explain.h"
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
    const size_t needed = model->count + !model->sigma_known;
    if (model->measurements >= needed && (model->sigma_known || fit_model_freedom(model, model->count) > 0))
        return SENS_OK;
    bench_refuse(error, "data: %zu measurements are too few for %zu parameters%s", model->measurements,
                 model->count,
                 model->sigma_known ? "" : " and the standard deviation of the data, which none has");
    return SENS_BAD_INPUT;
}

static sens_status make_room(struct sens_ctx *ctx, struct fit_model *model, struct bench_error *error)
{
    const size_t n = model->cell->problem.n, np = model->cell->problem.np, m = model->measurements;
    model->at = SENS_NEW(ctx, double, model->count);
    model->p = SENS_NEW(ctx, sens_real, np);
    model->part_p = SENS_NEW(ctx, sens_real, np);
    model->r = SENS_NEW(ctx, sens_real, m);
    model->drdp = SENS_NEW(ctx, sens_real, m * np);
    model->x0 = SENS_NEW(ctx, sens_real, n);
    model->x = SENS_NEW(ctx, sens_real, n);
    if (model->at && model->p && model->part_p && model->r && model->drdp && model->x0 && model->x) {
        model->at[0] = NAN;
        memcpy(model->p, model->cell->problem.p, np * sizeof *model->p);
        return SENS_OK;
    }
    bench_refuse(error, "no_memory: %zu measurements of %zu parameters need more than --memory allows", m,
                 np);
    return SENS_NO_MEMORY;
}

/* ---- experiments --------------------------------------------------------------------------------------- */

static sens_status find_data(struct sens_ctx *ctx, struct fit_part *part, struct bench_error *error)
{
    const struct sens_cost *const cost = &part->cell->cost;
    const int place = sens_option_find(cost->type->options, "data");
    if (place >= 0 && cost->option[place].count)
        return measurements_read(ctx, &cost->option[place], part->cell->problem.n, &part->data, error);
    bench_refuse(error, "data: what was measured? data=FILE, a table with a header line t,STATE,...");
    return SENS_BAD_INPUT;
}

/* The cost of the cell again, with its residuals as outputs. */
static sens_status residuals_cost(struct sens_ctx *ctx, struct cell *cell, struct bench_error *error)
{
    const struct sens_cost_type *const type = cell->cost.type;
    const size_t count = sens_option_count(type->options);
    const int residuals = sens_option_find(type->options, "residuals");
    const int likelihood = sens_option_find(type->options, "likelihood");
    struct sens_value *const value = SENS_NEW(ctx, struct sens_value, count);
    if (!value) return SENS_NO_MEMORY;
    memcpy(value, cell->cost.option, count * sizeof *value);
    if (residuals >= 0) value[residuals].number = 1;
    if (likelihood >= 0) value[likelihood].number = 0;
    const sens_status status =
        residuals < 0 ? SENS_UNSUPPORTED : sens_cost_create(ctx, type, value, &cell->problem, &cell->cost);
    if (status != SENS_OK) bench_refuse(error, "data: %s", ctx->message);
    return status;
}

/* Its interval ends with its last measurement. */
static sens_status set_cost(struct sens_ctx *ctx, struct fit_part *part, struct bench_error *error)
{
    struct cell *const cell = part->cell;
    const sens_real last = part->data.all[part->data.count - 1].t;
    if (!(last > cell->problem.t0)) {
        bench_refuse(error, "data: nothing was measured after t0 = %g", (double)cell->problem.t0);
        return SENS_BAD_INPUT;
    }
    cell->problem.t1 = last;
    cell->task.parts = SENS_IN_STATE | SENS_IN_DGDP;
    return residuals_cost(ctx, cell, error);
}

static sens_status add_part(struct sens_ctx *ctx, struct fit_model *model, const struct experiments *from,
                            struct bench_error *error)
{
    struct fit_part *const part = &model->part[model->parts];
    *part = (struct fit_part){.cell = &from->cell[model->parts],
                              .number = from->number[model->parts],
                              .first = model->measurements};
    if (part->cell->problem.np != model->cell->problem.np ||
        part->cell->problem.n != model->cell->problem.n) {
        bench_refuse(error,
                     "experiment %.0f: the model has other parameters or states than in experiment %.0f",
                     part->number, from->number[0]);
        return SENS_BAD_INPUT;
    }
    sens_status status = analysis_check(part->cell, error);
    if (status == SENS_OK) status = find_data(ctx, part, error);
    if (status == SENS_OK) status = set_cost(ctx, part, error);
    if (status != SENS_OK) return status;
    if (model->parts > 0 && part->data.sigma_known != model->sigma_known) {
        bench_refuse(error,
                     "data: some experiments have standard deviations; a fit needs those of all or of none");
        return SENS_BAD_INPUT;
    }
    model->sigma_known = part->data.sigma_known;
    model->measurements += part->data.count;
    model->parts++;
    return SENS_OK;
}

static sens_status add_parts(struct sens_ctx *ctx, struct fit_model *model, const struct experiments *from,
                             struct bench_error *error)
{
    sens_status status = SENS_OK;
    model->part = SENS_NEW(ctx, struct fit_part, from->count);
    if (!model->part) {
        bench_refuse(error, "no_memory: %zu experiments need more than --memory allows", from->count);
        return SENS_NO_MEMORY;
    }
    while (status == SENS_OK && model->parts < from->count) status = add_part(ctx, model, from, error);
    return status;
}

/* A parameter that is another number in each experiment is none to be found. */
static sens_status check_parameters(const struct fit_model *model, struct bench_error *error)
{
    for (size_t k = 0; k < model->count; k++)
        for (size_t q = 1; q < model->parts; q++) {
            const size_t at = model->index[k];
            if (model->part[q].cell->problem.p[at] == model->cell->problem.p[at]) continue;
            bench_refuse(error, "--parameters: the experiments set %s; choose the others",
                         fit_model_name(model, k));
            return SENS_BAD_INPUT;
        }
    return SENS_OK;
}

const struct measured *fit_model_measurement(const struct fit_model *model, size_t e,
                                             const struct fit_part **part)
{
    const struct fit_part *in = model->part;
    while (e >= in->first + in->data.count) in++;
    if (part) *part = in;
    return &in->data.all[e - in->first];
}

const char *fit_model_measured(const struct fit_model *model, size_t of)
{
    const size_t n = model->cell->problem.n;
    return of < n ? model->labels.state[of] : model->labels.quantity[of - n];
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

sens_status fit_model_create(struct sens_ctx *ctx, const struct experiments *experiments,
                             const struct fit_request *request, struct fit_model *model,
                             struct bench_error *error)
{
    struct selection chosen;
    *model = (struct fit_model){.cell = experiments->cell, .log = request->log};
    if (!read_level(request->level, &model->level, error) ||
        !read_range(request->range, &model->range, error))
        return SENS_BAD_INPUT;
    sens_status status = add_parts(ctx, model, experiments, error);
    if (status != SENS_OK) return status;
    bench_refuse(error, "names: %s", sens_status_message(SENS_NO_MEMORY));
    status = labels_find(ctx, &model->cell->problem, &model->labels);
    if (status == SENS_OK)
        status = labels_select(ctx, "--parameters", request->parameters, model->cell->problem.np,
                               model->labels.parameter, &chosen, error);
    if (status != SENS_OK) return status;
    model->count = chosen.count;
    model->index = chosen.index;
    ctx->arena.limit = request->memory;
    status = check_parameters(model, error);
    if (status == SENS_OK) status = check_log(model, error);
    if (status == SENS_OK) status = check_count(model, error);
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
    for (size_t e = 0; e < model->measurements; e++) sum += (double)model->r[e] * (double)model->r[e];
    return sum;
}

double fit_model_freedom(const struct fit_model *model, size_t determined)
{
    double measurements = 0;
    for (size_t e = 0; e < model->measurements; e++) {
        const double root = fit_model_measurement(model, e, NULL)->root_weight;
        measurements += root * root;
    }
    return measurements - (double)determined;
}

double fit_model_variance(const struct fit_model *model, double chi2, size_t determined)
{
    return model->sigma_known ? 1 : chi2 / fit_model_freedom(model, determined);
}

double fit_model_noise(const struct fit_model *model)
{
    double squares = 0;
    const double rtol = (double)model->cell->task.rtol;
    for (size_t e = 0; e < model->measurements; e++) {
        const struct measured *const me = fit_model_measurement(model, e, NULL);
        squares += pow(rtol * me->root_weight * me->z / me->sigma, 2);
    }
    return squares;
}

bool fit_model_silent(const struct fit_model *model, size_t k)
{
    const double chi2 = fit_model_chi2(model), variance = fit_model_variance(model, chi2, model->count);
    const double unit = model->log ? 1 : fmax(fabs((double)model->p[model->index[k]]), 1);
    double squares = 0;
    for (size_t e = 0; e < model->measurements; e++) squares += pow(unit * fit_model_slope(model, e, k), 2);
    const bool drowns = variance > 0 && sqrt(squares * fmax(chi2, variance)) <= FIT_NOTHING * variance;
    return drowns || squares <= fit_model_noise(model); /* where all residuals are 0, so is the variance */
}

/* The parameters of an experiment: its own, and the fitted ones. */
static const sens_real *parameters_of(const struct fit_model *model, const struct fit_part *part)
{
    if (part == model->part) return model->p;
    memcpy(model->part_p, part->cell->problem.p, part->cell->problem.np * sizeof *model->part_p);
    for (size_t k = 0; k < model->count; k++) model->part_p[model->index[k]] = model->p[model->index[k]];
    return model->part_p;
}

/* Where a fit begins nothing smaller can be tried: the message says why there is no number. */
static void explain_start(struct sens_ctx *ctx, const struct fit_part *part, const struct sens_problem *moved,
                          sens_status status)
{
    struct cell failed = *part->cell;
    struct bench_error reason = {.text = ""};
    failed.problem = *moved;
    failed.task.problem = &failed.problem;
    measure_explain(ctx, &failed, status, 0, &reason);
    if (reason.text[0]) sens_fail(ctx, status, "%s", reason.text);
}

static sens_status solve_part(struct sens_ctx *ctx, struct fit_model *model, const struct fit_part *part)
{
    const size_t m = part->data.count, np = part->cell->problem.np;
    struct sens_task task = part->cell->task;
    struct sens_problem moved = *task.problem;
    struct sens_work work = {.steps = 0};
    const struct sens_out out = {
        .x = model->x, .G = model->r + part->first, .dGdp = model->drdp + part->first * np};
    moved.p = parameters_of(model, part);
    sens_problem_x0(&moved, moved.p, model->x0);
    moved.x0 = model->x0;
    task.problem = &moved;
    model->solves++;
    const sens_status status = analysis_run(ctx, &task, &out, &work);
    if (status != SENS_OK && model->solves == 1) explain_start(ctx, part, &moved, status);
    if (status != SENS_OK) return status;
    return analysis_all_finite(m, out.G) && analysis_all_finite(m * np, out.dGdp) ? SENS_OK : SENS_NONFINITE;
}

static sens_status check_residuals(struct sens_ctx *ctx, const struct fit_model *model)
{
    for (size_t e = 0; e < model->measurements; e++) {
        const struct measured *const me = fit_model_measurement(model, e, NULL);
        if (fabs((double)model->r[e]) < FIT_RESIDUAL_MOST) continue;
        return sens_fail(ctx, SENS_NONFINITE, "%s at t = %g is %.3g standard deviations from the measured %g",
                         fit_model_measured(model, me->of), me->t, (double)model->r[e], me->z);
    }
    return SENS_OK;
}

static sens_status solve(struct sens_ctx *ctx, struct fit_model *model)
{
    sens_status status = SENS_OK;
    for (size_t k = 0; k < model->count; k++)
        if (!isfinite(model->p[model->index[k]]))
            return sens_fail(ctx, SENS_NONFINITE, "a parameter overflows");
    for (size_t q = 0; q < model->parts && status == SENS_OK; q++)
        status = solve_part(ctx, model, &model->part[q]);
    return status == SENS_OK ? check_residuals(ctx, model) : status;
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
