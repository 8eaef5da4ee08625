/* The statements on Tables 1-3: equal to the closed forms, within discretisation error,
 * unstable backwards. */
#include <math.h>
#include <string.h>

#include "statements.h"

static const char *const sweeps[] = {"table1", "table2", "table3"};
enum { SWEEPS = sizeof sweeps / sizeof sweeps[0] };

/* The closed forms are printed with five digits in facts and tables; half a unit of the fifth is 5e-5 of the
 * value. */
static const double same_digits = 5e-5;
/* A result ten times outside of the discretisation error is no rounding of "unstable". */
static const double unstable_factor = 10;

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

/* What the rows of some methods are measured by: deviation from the prediction, or share of the bound. */
static double deviation(const struct record *row, const struct heat_prediction *predicted)
{
    return fabs(row->number[COL_err_grad] / predicted->sensitivity[0] - 1);
}

static double share(const struct record *row, const struct heat_prediction *predicted)
{
    return row->number[COL_err_grad] / predicted->bound;
}

struct worst {
    double value;
    const struct record *row;
    size_t rows;
};

/* The row where `measure` is largest; a failed row or a NaN is infinitely bad. */
static struct worst find_worst(const struct summary *summary, const char *const *methods,
                               double (*measure)(const struct record *, const struct heat_prediction *))
{
    struct worst worst = {-1, NULL, 0};
    for (int t = 0; t < SWEEPS; t++) {
        const struct row_query query = {.sweep = sweeps[t]};
        size_t cursor = 0;
        for (const struct record *row; (row = summary_next(summary, &query, &cursor));) {
            struct heat_prediction predicted;
            if (!is_one_of(row->text[COL_method], methods)) continue;
            double value = INFINITY;
            if (row_ok(row) && heat_predict(row, &predicted)) value = measure(row, &predicted);
            if (isnan(value)) value = INFINITY;
            worst.rows++;
            if (value > worst.value) worst.value = value, worst.row = row;
        }
    }
    return worst;
}

static void note_worst(struct statement *statement, const struct worst *worst, const char *what)
{
    if (!worst->row) {
        statement_note(statement, "no rows in table1, table2, table3");
        return;
    }
    statement_note(statement, "%zu cells; largest %s %.3g (%s, %s, N = %.0f, %s)", worst->rows, what,
                   worst->value, worst->row->text[COL_method], worst->row->text[COL_sweep],
                   sqrt(worst->row->number[COL_n]) + 1, worst->row->text[COL_status]);
}

/* How far some methods are from the prediction. */
static struct statement *judge_equal(struct paper *paper, const char *const *methods, const char *text)
{
    struct statement *statement = paper_state(paper, "Tables 1-3", text);
    const struct worst worst = find_worst(paper->rows, methods, deviation);
    note_worst(statement, &worst, "relative deviation");
    if (worst.row) statement_judge(statement, worst.value <= same_digits);
    return statement;
}

static void judge_bound(struct paper *paper)
{
    static const char *const methods[] = {"discrete_adjoint",  "discrete_tangent", "cfsa",
                                          "finite_difference", "casa_dense",       NULL};
    struct statement *statement = paper_state(
        paper, "Tables 1-3", "every method but CASA in reverse is within the discretisation error");
    const struct worst worst = find_worst(paper->rows, methods, share);
    note_worst(statement, &worst, "share of the bound (space + time error)");
    if (worst.row) statement_judge(statement, worst.value <= 1);
}

/* Notes one cell of casa_reverse; whether it is unstable. */
static bool unstable(struct statement *statement, const struct record *row)
{
    struct heat_prediction predicted;
    statement_note(statement, "%s%s N = %.0f ", statement->number[0] ? "; " : "", row->text[COL_sweep],
                   sqrt(row->number[COL_n]) + 1);
    if (!row_ok(row)) {
        statement_note(statement, "%s", row->text[COL_status]);
        return true;
    }
    const double error = row->number[COL_err_grad];
    statement_note(statement, "%.3g %%", 100 * error);
    return heat_predict(row, &predicted) && !(error <= unstable_factor * predicted.bound);
}

static void judge_unstable(struct paper *paper)
{
    struct statement *statement =
        paper_state(paper, "Tables 1-3", "CASA with backward re-integration is unstable for N = 30 and 50");
    size_t seen = 0, bad = 0;
    for (int t = 0; t < SWEEPS; t++)
        for (int N = 30; N <= 50; N += 20) {
            const struct record *row = summary_find(
                paper->rows,
                &(struct row_query){.sweep = sweeps[t], .method = "casa_reverse", .n = (N - 1) * (N - 1)});
            if (!row) continue;
            seen++;
            bad += unstable(statement, row);
        }
    if (seen) statement_judge(statement, bad == seen);
    if (!seen) statement_note(statement, "no rows of casa_reverse at these sizes");
}

void paper_judge_heat(struct paper *paper)
{
    static const char *const discrete[] = {"discrete_adjoint", "discrete_tangent", "cfsa", NULL};
    static const char *const difference[] = {"finite_difference", NULL};
    static const char *const continuous[] = {"casa_dense", NULL};
    judge_equal(paper, discrete,
                "adjoint, tangent and CFSA: the sensitivity error equals the closed form to the digits given")
        ->required = true;
    judge_equal(paper, difference, "finite differences: the same, to the digits given");
    judge_equal(paper, continuous, "CASA with dense output: the same, to the digits given");
    judge_bound(paper);
    judge_unstable(paper);
}
