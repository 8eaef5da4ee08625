/* Sums over times and states, see importance.h. */
#include "importance.h"

#include <math.h>
#include <stdlib.h>

#include "scaled.h"

const char *const importance_name[IMPORTANCES] = {"msqr", "mabs", "L1", "L2"};

/* One parameter in one solution. */
static void sum_up(const struct analysis *analysis, const struct solution *solution, const double *unit,
                   size_t first, size_t count, size_t k, size_t *values, double value[IMPORTANCES])
{
    double sum = 0, squares = 0;
    *values = 0;
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t a = first; a < first + count; a++) {
            const size_t i = analysis->states.index[a];
            const double s = scaled_half(analysis, solution, j, i, k) / unit[j * analysis->n + i];
            if (isnan(s)) continue;
            sum += fabs(s), squares += s * s, ++*values;
        }
    const double N = (double)*values;
    value[MSQR] = sqrt(squares / N), value[MABS] = sum / N;
    value[L1] = N > 0 ? sum : NAN, value[L2] = N > 0 ? sqrt(squares) : NAN;
}

/* The largest first, NaN last, else as they came. */
static int compare(const void *left, const void *right)
{
    const struct importance *const a = left, *const b = right;
    const double x = isnan(a->value[MSQR]) ? -1 : a->value[MSQR],
                 y = isnan(b->value[MSQR]) ? -1 : b->value[MSQR];
    if (x != y) return x > y ? -1 : 1;
    return (a->parameter > b->parameter) - (a->parameter < b->parameter);
}

sens_status importance_rank(struct sens_ctx *ctx, const struct analysis *analysis, size_t first, size_t count,
                            struct importance *importance)
{
    const enum scale scale = analysis->scale == SCALE_USUAL ? SCALE_VALUE : analysis->scale;
    double *unit, *closer_unit, closer[IMPORTANCES];
    size_t closer_values;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    sens_status status = scaled_units(ctx, analysis, &analysis->at_tol, scale, &unit);
    if (status == SENS_OK) status = scaled_units(ctx, analysis, &analysis->closer, scale, &closer_unit);
    for (size_t b = 0; status == SENS_OK && b < analysis->parameters.count; b++) {
        struct importance *const one = &importance[b];
        one->parameter = analysis->parameters.index[b];
        sum_up(analysis, &analysis->at_tol, unit, first, count, one->parameter, &one->values, one->value);
        sum_up(analysis, &analysis->closer, closer_unit, first, count, one->parameter, &closer_values,
               closer);
        for (size_t m = 0; m < IMPORTANCES; m++) one->error[m] = fabs(one->value[m] - closer[m]);
    }
    sens_arena_rewind(&ctx->arena, mark);
    if (status == SENS_OK) qsort(importance, analysis->parameters.count, sizeof *importance, compare);
    return status;
}
