/* Which parameter matters most: over all times, for each state and for all together, and at each time. */
#include <math.h>
#include <stdlib.h>

#include "importance.h"
#include "questions.h"
#include "scaled.h"

/* ---- what the order depends on ------------------------------------------------------------------------- */

struct interval {
    double value, error;
};

/* Of number r of a list that falls; NaN stands last: it is not defined. */
typedef struct interval interval_of(const void *ranked, size_t r);

/* Is number r apart from all others, whatever the errors? A large one may reach beyond the neighbours. */
static bool settled(size_t count, const void *ranked, interval_of *of, size_t r)
{
    for (size_t q = 0; q < count; q++) {
        const struct interval first = of(ranked, q < r ? q : r), last = of(ranked, q < r ? r : q);
        if (q == r || isnan(last.value)) continue;
        if (!(first.value - first.error > last.value + last.error)) return false;
    }
    return true;
}

/* ---- over all times ------------------------------------------------------------------------------------ */

static struct interval interval_of_rank(const void *ranked, size_t r)
{
    const struct importance *const one = (const struct importance *)ranked + r;
    return (struct interval){one->value[MSQR], one->error[MSQR]};
}

static void write_rank(const struct analysis *analysis, const char *state, const struct importance *rank,
                       size_t r, struct tables *tables)
{
    const struct importance *const one = &rank[r];
    const bool defined = one->values > 0;
    table_text(tables, state);
    if (defined)
        table_count(tables, r + 1);
    else
        table_number(tables, NAN);
    table_text(tables, analysis->labels.parameter[one->parameter]);
    for (size_t m = 0; m < IMPORTANCES; m++) {
        table_number(tables, one->value[m]);
        table_number(tables, one->error[m]);
    }
    table_count(tables, one->values);
    table_text(tables, !defined                                                         ? "undefined"
                       : settled(analysis->parameters.count, rank, interval_of_rank, r) ? "yes"
                                                                                        : "no");
    table_row_end(tables);
}

static sens_status over_times(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables)
{
    static const char *const columns[] = {"state",    "rank",       "parameter", "msqr",     "msqr_error",
                                          "mabs",     "mabs_error", "L1",        "L1_error", "L2",
                                          "L2_error", "values",     "settled",   NULL};
    const size_t states = analysis->states.count, parameters = analysis->parameters.count;
    struct importance *const rank = SENS_NEW(ctx, struct importance, parameters);
    if (!rank) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    table_begin(tables, "ranking",
                "over all times, of p S / unit; settled: the order does not depend on the errors", columns);
    for (size_t a = 0; a <= states && status == SENS_OK; a++) { /* all, then each */
        status = importance_rank(ctx, analysis, a ? a - 1 : 0, a ? 1 : states, rank);
        const char *const name = a ? analysis->labels.state[analysis->states.index[a - 1]] : "(all)";
        for (size_t r = 0; status == SENS_OK && r < parameters; r++)
            write_rank(analysis, name, rank, r, tables);
    }
    table_end(tables);
    return status;
}

/* ---- at each time -------------------------------------------------------------------------------------- */

struct place {
    size_t parameter;
    double half, error;
};

static int compare(const void *left, const void *right)
{
    const struct place *const a = left, *const b = right;
    const double x = isnan(a->half) ? -1 : fabs(a->half), y = isnan(b->half) ? -1 : fabs(b->half);
    if (x != y) return x > y ? -1 : 1;
    return (a->parameter > b->parameter) - (a->parameter < b->parameter);
}

static struct interval interval_of_place(const void *ranked, size_t r)
{
    const struct place *const one = (const struct place *)ranked + r;
    return (struct interval){fabs(one->half), one->error};
}

/* Of one state at one time all parameters have the same divisor: half gives the order, where full has no value too. */
static void one_time(const struct analysis *analysis, size_t j, size_t i, struct place *place,
                     struct tables *tables)
{
    const size_t count = analysis->parameters.count;
    for (size_t b = 0; b < count; b++) {
        const size_t k = analysis->parameters.index[b];
        const double half = scaled_half(analysis, &analysis->at_tol, j, i, k);
        place[b] = (struct place){k, half, fabs(half - scaled_half(analysis, &analysis->closer, j, i, k))};
    }
    qsort(place, count, sizeof *place, compare);
    for (size_t r = 0; r < count; r++) {
        const bool defined = !isnan(place[r].half);
        table_number(tables, analysis->grid.t[j]);
        table_text(tables, analysis->labels.state[i]);
        if (defined)
            table_count(tables, r + 1);
        else
            table_number(tables, NAN);
        table_text(tables, analysis->labels.parameter[place[r].parameter]);
        table_number(tables, place[r].half);
        table_number(tables, place[r].error);
        table_number(tables, scaled_full(analysis, &analysis->at_tol, j, i, place[r].parameter));
        table_text(tables, !defined                                      ? "undefined"
                           : settled(count, place, interval_of_place, r) ? "yes"
                                                                         : "no");
        table_row_end(tables);
    }
}

static sens_status at_times(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables)
{
    static const char *const columns[] = {"t",          "state", "rank",    "parameter", "half",
                                          "half_error", "full",  "settled", NULL};
    struct place *const place = SENS_NEW(ctx, struct place, analysis->parameters.count);
    if (!place) return SENS_NO_MEMORY;
    table_begin(tables, "ranking_at", "at each time, of p S", columns);
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t a = 0; a < analysis->states.count; a++)
            one_time(analysis, j, analysis->states.index[a], place, tables);
    table_end(tables);
    return SENS_OK;
}

sens_status question_ranking(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                             struct bench_error *error)
{
    sens_status status = over_times(ctx, analysis, tables);
    if (status == SENS_OK) status = at_times(ctx, analysis, tables);
    if (status != SENS_OK) bench_refuse(error, "ranking: %s", sens_status_message(status));
    return status;
}
