/* Which parameters can be told apart from the chosen states at the chosen times. */
#include <math.h>
#include <string.h>

#include "append.h"
#include "combinations.h"
#include "questions.h"
#include "scaled.h"
#include "subsets.h"

/* Rules of thumb: Belsley, Kuh and Welsch, 1980, section 3.4; Brun et al., 2001, section 2.3. */
static const double high_condition = 30, high_gamma = 20;

struct study {
    const struct analysis *analysis;
    struct stacked stacked;
    struct spectrum spectrum;
    struct tables *tables;
};

static sens_status study_make(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                              struct study *study)
{
    *study = (struct study){.analysis = analysis, .tables = tables};
    const enum scale scale = analysis->scale == SCALE_USUAL ? SCALE_LARGEST : analysis->scale;
    double *unit;
    sens_status status = scaled_units(ctx, analysis, &analysis->closer, scale, &unit);
    if (status == SENS_OK)
        status = stacked_make(ctx, analysis, &analysis->at_tol, STACKED_LOGARITHMS, unit, &study->stacked);
    return status == SENS_OK ? spectrum_make(ctx, &study->stacked, &study->spectrum) : status;
}

static const char *column_name(const struct study *study, size_t column)
{
    return study->analysis->labels.parameter[study->stacked.parameter[column]];
}

/* ---- parameters and their order ------------------------------------------------------------------------ */

static void write_order(const struct study *study)
{
    static const char *const columns[] = {"parameter", "value", "effect", "order", "new", "fate", NULL};
    const struct analysis *const analysis = study->analysis;
    const struct stacked *const stacked = &study->stacked;
    const double rows = sqrt((double)stacked->rows);
    table_begin(study->tables, "parameters",
                "effect: root mean square of p S / unit; order: pivoted QR, each adds most that is new",
                columns);
    for (size_t r = 0; r < stacked->cols; r++) {
        const size_t column = study->spectrum.order[r], k = stacked->parameter[column];
        table_text(study->tables, analysis->labels.parameter[k]);
        table_number(study->tables, (double)analysis->p[k]);
        table_number(study->tables, stacked->length[column] / rows);
        table_count(study->tables, r + 1);
        table_number(study->tables, study->spectrum.pivot[r] / rows);
        table_text(study->tables, fate_name[FATE_KEPT]);
        table_row_end(study->tables);
    }
    for (size_t b = 0; b < analysis->parameters.count; b++) {
        if (stacked->fate[b] == FATE_KEPT) continue;
        table_text(study->tables, analysis->labels.parameter[analysis->parameters.index[b]]);
        table_number(study->tables, (double)analysis->p[analysis->parameters.index[b]]);
        table_number(study->tables, stacked->fate[b] == FATE_ZERO ? NAN : 0);
        table_number(study->tables, NAN);
        table_number(study->tables, NAN);
        table_text(study->tables, fate_name[stacked->fate[b]]);
        table_row_end(study->tables);
    }
    table_end(study->tables);
}

/* ---- singular values and shares of variance ------------------------------------------------------------ */

static sens_status write_spectrum(struct sens_ctx *ctx, const struct study *study)
{
    static const char *const first[] = {"number", "sigma", "condition", "known"};
    enum { FIRST = sizeof first / sizeof first[0] };
    const size_t cols = study->spectrum.cols;
    const char **const columns = SENS_NEW(ctx, const char *, FIRST + cols + 1);
    if (!columns) return SENS_NO_MEMORY;
    memcpy(columns, first, sizeof first);
    for (size_t k = 0; k < cols; k++) columns[FIRST + k] = column_name(study, k);
    table_begin(
        study->tables, "spectrum",
        "singular values, condition indices, and the part of each parameter's variance that comes from each",
        columns);
    for (size_t j = 0; j < cols; j++) {
        table_count(study->tables, j + 1);
        table_number(study->tables, study->spectrum.sigma[j]);
        table_number(study->tables, study->spectrum.condition[j]);
        table_text(study->tables, j < study->spectrum.rank ? "yes" : "no");
        for (size_t k = 0; k < cols; k++)
            table_number(study->tables, study->spectrum.proportion[j * cols + k]);
        table_row_end(study->tables);
    }
    table_end(study->tables);
    return SENS_OK;
}

/* ---- combinations -------------------------------------------------------------------------------------- */

static sens_status write_combinations(struct sens_ctx *ctx, const struct study *study)
{
    static const char *const columns[] = {"combination", "kind", "change", "verdict", NULL};
    struct combinations found;
    const sens_status status =
        combinations_find(ctx, study->analysis, &study->stacked, &study->spectrum, &found);
    if (status != SENS_OK) return status;
    table_begin(study->tables, "combinations",
                "parameters that only count together; change: of a state, when they are moved by a fifth",
                columns);
    for (size_t v = 0; v < found.count; v++) {
        const struct combination *const one = &found.combination[v];
        table_text(study->tables, one->text);
        table_text(study->tables, combination_kind_name[one->kind]);
        table_number(study->tables, one->change);
        table_text(study->tables, one->kind != COMBINATION_LOCAL ? "confirmed" : "near these values");
        table_row_end(study->tables);
    }
    table_end(study->tables);
    return SENS_OK;
}

/* ---- subsets ------------------------------------------------------------------------------------------- */

enum { SET_TEXT = 512 };

static void write_set(const struct study *study, const struct subset *subset, char text[SET_TEXT])
{
    text[0] = '\0';
    for (size_t c = 0; c < subset->size; c++)
        append(text, SET_TEXT, "%s%s", c ? "," : "", column_name(study, subset->column[c]));
}

struct of_size { /* the best and the worst of a size */
    size_t count, poor;
    double least, most, rho;
    char least_set[SET_TEXT], most_set[SET_TEXT], rho_set[SET_TEXT];
};

struct collector {
    const struct study *study;
    struct of_size *size; /* [largest + 1] */
};

static void collect(void *self, const struct subset *subset)
{
    struct collector *const me = self;
    struct of_size *const size = &me->size[subset->size];
    const bool first = size->count++ == 0;
    size->poor += subset->gamma > high_gamma;
    if (first || subset->gamma < size->least) {
        size->least = subset->gamma;
        write_set(me->study, subset, size->least_set);
    }
    if (first || subset->gamma > size->most) {
        size->most = subset->gamma;
        write_set(me->study, subset, size->most_set);
    }
    if (first || subset->rho > size->rho) {
        size->rho = subset->rho;
        write_set(me->study, subset, size->rho_set);
    }
}

static void write_size(const struct study *study, size_t size, const struct of_size *found)
{
    table_count(study->tables, size);
    table_count(study->tables, found->count);
    table_count(study->tables, found->poor);
    table_number(study->tables, found->least);
    table_text(study->tables, found->least_set);
    table_number(study->tables, found->most);
    table_text(study->tables, found->most_set);
    table_number(study->tables, found->rho);
    table_text(study->tables, found->rho_set);
    table_row_end(study->tables);
}

static sens_status write_sizes(struct sens_ctx *ctx, const struct study *study)
{
    static const char *const columns[] = {"size",       "subsets", "above_20",      "least_gamma", "least",
                                          "most_gamma", "most",    "d_optimal_rho", "d_optimal",   NULL};
    const size_t largest = subsets_size(study->stacked.cols, study->analysis->subsets);
    struct collector collector = {study, SENS_NEW(ctx, struct of_size, largest + 1)};
    if (!collector.size) return SENS_NO_MEMORY;
    const sens_status status =
        subsets_visit(ctx, &study->stacked, &study->spectrum, largest, collect, &collector);
    if (status != SENS_OK) return status;
    table_begin(study->tables, "sizes", "collinearity gamma and information rho of all subsets of a size",
                columns);
    for (size_t size = 2; size <= largest; size++) write_size(study, size, &collector.size[size]);
    table_end(study->tables);
    return SENS_OK;
}

static void write_subset(void *self, const struct subset *subset)
{
    const struct study *const study = self;
    char text[SET_TEXT];
    write_set(study, subset, text);
    table_count(study->tables, subset->size);
    table_text(study->tables, text);
    table_number(study->tables, subset->gamma);
    table_number(study->tables, subset->rho);
    table_row_end(study->tables);
}

/* ---- the answers --------------------------------------------------------------------------------------- */

static void write_verdict(const struct study *study)
{
    static const char *const columns[] = {"rows",      "parameters", "rank", "noise",
                                          "condition", "verdict",    NULL};
    const size_t cols = study->stacked.cols, chosen = study->analysis->parameters.count;
    const double condition = study->spectrum.condition[cols - 1];
    const char *verdict = condition > high_condition ? "poorly identifiable" : "identifiable";
    if (study->spectrum.rank < chosen) verdict = "not identifiable";
    table_begin(study->tables, "verdict",
                "all chosen parameters from the chosen states at these times, near these values", columns);
    table_count(study->tables, study->stacked.rows);
    table_count(study->tables, chosen);
    table_count(study->tables, study->spectrum.rank);
    table_number(study->tables, study->stacked.noise);
    table_number(study->tables, condition);
    table_text(study->tables, verdict);
    table_row_end(study->tables);
    table_end(study->tables);
}

static sens_status refuse(struct sens_ctx *ctx, const char *question, sens_status status,
                          struct bench_error *error)
{
    if (status != SENS_OK)
        bench_refuse(error, "%s: %s", question, ctx->message[0] ? ctx->message : sens_status_message(status));
    return status;
}

sens_status question_identifiability(struct sens_ctx *ctx, const struct analysis *analysis,
                                     struct tables *tables, struct bench_error *error)
{
    struct study study;
    ctx->message[0] = '\0';
    sens_status status = study_make(ctx, analysis, tables, &study);
    if (status != SENS_OK) return refuse(ctx, "identifiability", status, error);
    write_verdict(&study);
    status = write_combinations(ctx, &study);
    if (status == SENS_OK) write_order(&study);
    if (status == SENS_OK) status = write_spectrum(ctx, &study);
    if (status == SENS_OK) status = write_sizes(ctx, &study);
    return refuse(ctx, "identifiability", status, error);
}

sens_status question_subsets(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                             struct bench_error *error)
{
    static const char *const columns[] = {"size", "parameters", "gamma", "rho", NULL};
    struct study study;
    ctx->message[0] = '\0';
    sens_status status = study_make(ctx, analysis, tables, &study);
    if (status != SENS_OK) return refuse(ctx, "subsets", status, error);
    table_begin(tables, "subsets", "collinearity gamma and information rho of each subset of parameters",
                columns);
    status = subsets_visit(ctx, &study.stacked, &study.spectrum,
                           subsets_size(study.stacked.cols, analysis->subsets), write_subset, &study);
    table_end(tables);
    return refuse(ctx, "subsets", status, error);
}
