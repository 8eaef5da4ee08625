/* The stacked matrix, see stacked.h. */
#include "stacked.h"

#include <float.h>
#include <math.h>

static const double known =
    0.1; /* part of a column that its error may be: one that is less known blurs all others */
enum { ROUNDINGS = 1000 }; /* in an entry of S: some hundred steps of some roundings each */

const char *const fate_name[] = {"kept", "no effect known from 0", "undefined: its value is 0"};

struct rows { /* (j, i) with a unit, and that unit; which solution, and the other one */
    const struct solution *solution, *other;
    enum stacking stacking;
    size_t count, *time, *state;
    double *unit;
};

static sens_status find_rows(struct sens_ctx *ctx, const struct analysis *analysis, const double *unit,
                             struct rows *rows)
{
    const size_t most = analysis->grid.times * analysis->states.count;
    rows->time = SENS_NEW(ctx, size_t, most), rows->state = SENS_NEW(ctx, size_t, most);
    rows->unit = SENS_NEW(ctx, double, most);
    if (!rows->time || !rows->state || !rows->unit) return SENS_NO_MEMORY;
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t a = 0; a < analysis->states.count; a++) {
            const size_t i = analysis->states.index[a];
            if (isnan(unit[j * analysis->n + i])) continue;
            rows->time[rows->count] = j, rows->state[rows->count] = i;
            rows->unit[rows->count++] = unit[j * analysis->n + i];
        }
    return SENS_OK;
}

/* A column, and the length of its error. */
static double fill_column(const struct analysis *analysis, const struct rows *rows, size_t k, double *column,
                          double *length)
{
    const double factor = rows->stacking == STACKED_LOGARITHMS ? (double)analysis->p[k] : 1;
    double squares = 0, error = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const size_t j = rows->time[r], i = rows->state[r];
        const double entry = factor * solution_slope(analysis, rows->solution, j, i, k) / rows->unit[r];
        const double off = entry - factor * solution_slope(analysis, rows->other, j, i, k) / rows->unit[r];
        column[r] = entry;
        squares += entry * entry, error += off * off;
    }
    *length = sqrt(squares);
    return sqrt(error);
}

/* Kept columns get length 1. A relative change of the parameter by 1 has to change more than last digits. */
static enum fate take_column(const struct analysis *analysis, const struct rows *rows, size_t k,
                             struct stacked *stacked)
{
    double *const column = stacked->M + stacked->cols * rows->count, length;
    const double p = fabs((double)analysis->p[k]);
    if (p == 0 && rows->stacking == STACKED_LOGARITHMS) return FATE_ZERO;
    const double error = fill_column(analysis, rows, k, column, &length);
    const double by = rows->stacking == STACKED_LOGARITHMS || p == 0 ? 1 : p;
    if (error >= known * length || length * by <= DBL_EPSILON * sqrt((double)rows->count))
        return FATE_NO_EFFECT;
    for (size_t r = 0; r < rows->count; r++) column[r] /= length;
    stacked->noise = hypot(stacked->noise, error / length);
    stacked->parameter[stacked->cols] = k;
    stacked->length[stacked->cols++] = length;
    return FATE_KEPT;
}

sens_status stacked_make(struct sens_ctx *ctx, const struct analysis *analysis,
                         const struct solution *solution, enum stacking stacking, const double *unit,
                         struct stacked *stacked)
{
    const size_t chosen = analysis->parameters.count;
    struct rows rows = {.solution = solution,
                        .other = solution == &analysis->at_tol ? &analysis->closer : &analysis->at_tol,
                        .stacking = stacking};
    const sens_status status = find_rows(ctx, analysis, unit, &rows);
    if (status != SENS_OK) return status;
    if (rows.count == 0) return sens_fail(ctx, SENS_UNSUPPORTED, "all chosen states are 0 at all times");
    *stacked = (struct stacked){.rows = rows.count,
                                .parameter = SENS_NEW(ctx, size_t, chosen),
                                .M = SENS_NEW(ctx, double, rows.count *chosen),
                                .length = SENS_NEW(ctx, double, chosen),
                                .fate = SENS_NEW(ctx, enum fate, chosen)};
    if (!stacked->parameter || !stacked->M || !stacked->length || !stacked->fate) return SENS_NO_MEMORY;
    for (size_t b = 0; b < chosen; b++)
        stacked->fate[b] = take_column(analysis, &rows, analysis->parameters.index[b], stacked);
    stacked->noise = fmax(stacked->noise, DBL_EPSILON * (double)(ROUNDINGS + rows.count));
    if (stacked->cols > 0) return SENS_OK;
    return sens_fail(ctx, SENS_SINGULAR,
                     "no chosen parameter has an effect on the chosen states that their unit, --sigma or "
                     "their size, does not drown in rounding");
}
