/* Which sums of states stay as they are, and whether the solution and its sensitivities keep them. */
#include <math.h>

#include "append.h"
#include "invariants.h"
#include "questions.h"

/* A Runge-Kutta map keeps linear invariants to rounding; where its stages are solved for by an iteration, that leaves
 * at most a tenth of rtol (sens_work.residual). Difference quotients know S to some sqrt(eps) of x over the change. */
static bool holds(const struct analysis *analysis, const struct invariant_check *check)
{
    static const double QUOTIENT = 64 * 1.5e-8; /* sqrt(eps), as entries of S of unequal size are summed */
    const double bound = (double)analysis->cell->task.rtol;
    const bool differs = analysis->cell->task.method->derivative == SENS_DERIVATIVE_DIFFERENCE;
    return check->drift_x <= bound && check->drift_S <= (differs ? fmax(bound, QUOTIENT) : bound);
}

/* The parameters without whose values it is none, with blanks between; cut where they are too many. */
static void depends_text(const struct analysis *analysis, const bool *depends, char text[INVARIANT_TEXT])
{
    text[0] = '\0';
    for (size_t k = 0; k < analysis->np; k++)
        if (depends[k])
            append(text, INVARIANT_TEXT, "%s%s", text[0] ? " " : "", analysis->labels.parameter[k]);
}

static sens_status write_invariants(struct sens_ctx *ctx, const struct analysis *analysis,
                                    const struct invariants *found, struct tables *tables)
{
    static const char *const columns[] = {"invariant", "value",      "drift_x", "drift_S",
                                          "verdict",   "depends_on", NULL};
    sens_status status = SENS_OK;
    table_begin(tables, "invariants", "sums of states that no right-hand side changes; drift is relative",
                columns);
    for (size_t v = 0; v < found->count && status == SENS_OK; v++) {
        const double *const c = found->c + v * analysis->n;
        const bool *const depends = found->depends + v * analysis->np;
        struct invariant_check check;
        char text[INVARIANT_TEXT];
        status = invariant_follow(ctx, analysis, &analysis->at_tol, c, depends, &check);
        if (status != SENS_OK) break;
        invariant_text(analysis, c, text);
        table_text(tables, text);
        table_number(tables, check.value);
        table_number(tables, check.drift_x);
        table_number(tables, check.drift_S);
        table_text(tables, holds(analysis, &check) ? "holds" : "violated");
        depends_text(analysis, depends, text);
        table_text(tables, text);
        table_row_end(tables);
    }
    table_end(tables);
    return status;
}

sens_status question_invariants(struct sens_ctx *ctx, const struct analysis *analysis, struct tables *tables,
                                struct bench_error *error)
{
    struct invariants found;
    ctx->message[0] = '\0';
    sens_status status = invariants_find(ctx, analysis, &found);
    if (status == SENS_OK) status = write_invariants(ctx, analysis, &found, tables);
    if (status != SENS_OK)
        bench_refuse(error, "invariants: %s", ctx->message[0] ? ctx->message : sens_status_message(status));
    return status;
}
