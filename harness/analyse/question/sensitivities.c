/* S(t) on the grid, entry by entry, each with its error. */
#include <math.h>

#include "questions.h"
#include "scaled.h"

static void entry(const struct analysis *analysis, size_t j, size_t i, size_t k, struct tables *tables)
{
    const struct solution *const at = &analysis->at_tol, *const closer = &analysis->closer;
    const double S = solution_slope(analysis, at, j, i, k), full = scaled_full(analysis, at, j, i, k);
    table_number(tables, analysis->grid.t[j]);
    table_text(tables, analysis->labels.state[i]);
    table_text(tables, analysis->labels.parameter[k]);
    table_number(tables, solution_state(analysis, at, j, i));
    table_number(tables, S);
    table_number(tables, fabs(S - solution_slope(analysis, closer, j, i, k)));
    table_number(tables, scaled_half(analysis, at, j, i, k));
    table_number(tables, full);
    table_number(tables, fabs(full - scaled_full(analysis, closer, j, i, k)));
    table_row_end(tables);
}

sens_status question_sensitivities(struct sens_ctx *ctx, const struct analysis *analysis,
                                   struct tables *tables, struct bench_error *error)
{
    static const char *const columns[] = {"t",       "state", "parameter", "x",          "S",
                                          "S_error", "half",  "full",      "full_error", NULL};
    (void)ctx, (void)error;
    table_begin(tables, "sensitivities", "S = dx/dp; half = p S; full = p S / x; error: distance to tol/100",
                columns);
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t a = 0; a < analysis->states.count; a++)
            for (size_t b = 0; b < analysis->parameters.count; b++)
                entry(analysis, j, analysis->states.index[a], analysis->parameters.index[b], tables);
    table_end(tables);
    return SENS_OK;
}
