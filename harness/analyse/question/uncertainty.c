/* How exactly data would determine the parameters, and the bands of the states that follow. */
#include <math.h>

#include "covariance.h"
#include "questions.h"

struct pair { /* by each of the two solves: the value, and the distance is its error */
    const struct analysis *analysis;
    struct covariance at_tol, closer;
};

static void write_value(struct tables *tables, double value, double closer)
{
    table_number(tables, value);
    table_number(tables, fabs(value - closer));
}

static void write_parameters(const struct pair *pair, struct tables *tables)
{
    static const char *const columns[] = {"parameter", "value", "sd", "sd_error", "relative", NULL};
    table_begin(tables, "parameters", "standard deviations of the chosen parameters, all unknown together",
                columns);
    for (size_t k = 0; k < pair->at_tol.cols; k++) {
        const size_t parameter = pair->at_tol.stacked.parameter[k];
        const double p = (double)pair->analysis->p[parameter],
                     sd = sqrt(covariance_entry(&pair->at_tol, k, k));
        table_text(tables, pair->analysis->labels.parameter[parameter]);
        table_number(tables, p);
        write_value(tables, sd, sqrt(covariance_entry(&pair->closer, k, k)));
        table_number(tables, p == 0 ? NAN : sd / fabs(p));
        table_row_end(tables);
    }
    table_end(tables);
}

static double correlation(const struct covariance *made, size_t k, size_t l)
{
    if (k == l) return 1;
    return covariance_entry(made, k, l) / sqrt(covariance_entry(made, k, k) * covariance_entry(made, l, l));
}

/* A square table, an entry for each two parameters. */
static sens_status write_matrix(struct sens_ctx *ctx, const struct pair *pair, const char *name,
                                const char *about,
                                double (*entry)(const struct covariance *made, size_t k, size_t l),
                                struct tables *tables)
{
    const size_t cols = pair->at_tol.cols;
    const char **const columns = SENS_NEW(ctx, const char *, cols + 2);
    if (!columns) return SENS_NO_MEMORY;
    columns[0] = "parameter";
    for (size_t k = 0; k < cols; k++)
        columns[k + 1] = pair->analysis->labels.parameter[pair->at_tol.stacked.parameter[k]];
    table_begin(tables, name, about, columns);
    for (size_t k = 0; k < cols; k++) {
        table_text(tables, columns[k + 1]);
        for (size_t l = 0; l < cols; l++) table_number(tables, entry(&pair->at_tol, k, l));
        table_row_end(tables);
    }
    table_end(tables);
    return SENS_OK;
}

static void write_bands(const struct pair *pair, struct tables *tables)
{
    static const char *const columns[] = {"t", "state", "x", "sd", "sd_error", NULL};
    const struct analysis *const analysis = pair->analysis;
    table_begin(tables, "bands",
                "standard deviation of every state, measured or not, from that of the parameters", columns);
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t i = 0; i < analysis->n; i++) {
            table_number(tables, analysis->grid.t[j]);
            table_text(tables, analysis->labels.state[i]);
            table_number(tables, solution_state(analysis, &analysis->at_tol, j, i));
            write_value(tables, covariance_band(&pair->at_tol, j, i), covariance_band(&pair->closer, j, i));
            table_row_end(tables);
        }
    table_end(tables);
}

sens_status question_uncertainty(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                                 struct bench_error *error)
{
    struct pair pair = {.analysis = analysis};
    ctx->message[0] = '\0';
    sens_status status = covariance_make(ctx, analysis, &analysis->at_tol, &pair.at_tol);
    if (status == SENS_OK) status = covariance_make(ctx, analysis, &analysis->closer, &pair.closer);
    if (status == SENS_OK) {
        write_parameters(&pair, tables);
        status =
            write_matrix(ctx, &pair, "covariance", "C = (sum S^T S / sigma^2)^-1", covariance_entry, tables);
    }
    if (status == SENS_OK)
        status = write_matrix(ctx, &pair, "correlation", "C_kl / sqrt(C_kk C_ll)", correlation, tables);
    if (status == SENS_OK) write_bands(&pair, tables);
    if (status != SENS_OK)
        bench_refuse(error, "uncertainty: %s: %s", sens_status_name(status),
                     ctx->message[0] ? ctx->message : sens_status_message(status));
    return status;
}
