/* harness/bench/summary.h - what stored results say: Tables 1-3, performance, and a verdict on each published
 * statement.
 *
 * The rows are looked up by the sweep they belong to (table1 table2 table3 fig2 fig3 fig5 lanes
 * scaling) and by what they measured; nothing is run. Statements are those of Martins and Lakshtanov, Appl.
 * Math. Comput. 510 (2025) 129699, arXiv 2410.01911. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include <jansson.h>

#include "bench.h"

enum verdict { VERDICT_REPRODUCED, VERDICT_NOT_REPRODUCED, VERDICT_NOT_TESTABLE };
const char *verdict_name(enum verdict verdict);

enum { STATEMENTS_MAX = 32, SUMMARY_TEXT = 1024 };
struct statement {
    const char *section;       /* of the paper: "Tables 1-3", "Figure 2", ... */
    const char *text;          /* what is claimed */
    enum verdict verdict;      /* what the rows say about it */
    char number[SUMMARY_TEXT]; /* the numbers behind the verdict, or why it cannot be tested */
    bool required; /* a closed form: where it does not hold the program is wrong, and summary exits with 1 */
};

struct summary {
    struct table *table; /* [tables] */
    size_t tables;
    struct statement statement[STATEMENTS_MAX];
    size_t statements;
};

/* ---- summary_rows.c ------------------------------------------------------------------------------------ */

/* Adds a result file, or of a folder the newest result file in it and in each folder below. False with a
 * message when there is none or one is malformed. */
bool summary_load(struct summary *summary, const char *path, struct bench_error *error);
void summary_free(struct summary *summary);

struct row_query { /* NULL or 0: any */
    const char *sweep, *method, *tableau;
    double n, rtol;
};
/* The first matching row from *cursor (0 at first) on, failed ones included; NULL after the last. */
const struct record *summary_next(const struct summary *summary, const struct row_query *query,
                                  size_t *cursor);
const struct record *summary_find(const struct summary *summary, const struct row_query *query);
bool row_ok(const struct record *row); /* not NULL, and its status is ok */

/* The different values of a column (n, np, rtol) among the rows of a query, ascending; at most `max`. */
size_t summary_values(const struct summary *summary, const struct row_query *query, enum record_column column,
                      size_t max, double value[]);

/* ---- statements ---------------------------------------------------------------------------------------- */

/* A new statement, not testable until something else is said. */
struct statement *summary_state(struct summary *summary, const char *section, const char *text);
/* Appends to the numbers behind it. */
void statement_note(struct statement *statement, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void statement_judge(struct statement *statement, bool reproduced);

void summary_judge_heat(struct summary *summary);
void summary_judge_vdp(struct summary *summary);
void summary_judge_glv(struct summary *summary);

/* Least squares line through (log x, log y): slope and correlation. False with fewer than three points. */
bool fit_power(size_t count, const double x[], const double y[], double *slope, double *correlation);

/* ---- summary_tables.c ---------------------------------------------------------------------------------- */

/* Relative errors of the discrete solution of the heat problem and of its sensitivity, by the closed forms of
 * heat.c, for mode (1, 1) and alpha = 1: against the PDE, the semi-discrete system and the discrete map. */
struct heat_prediction {
    double forward[3], sensitivity[3];
    double bound; /* space and time error together, of the state or of the sensitivity: the larger */
};
bool heat_predict(const struct record *row, struct heat_prediction *prediction);

void summary_print_tables(const struct summary *summary, FILE *out);
json_t *summary_tables_json(const struct summary *summary);

/* ---- summary_performance.c ----------------------------------------------------------------------------- */

/* Times, rates, shares of peak and speed-ups of the discrete adjoint, from the sweeps scaling and lanes. */
void summary_print_performance(const struct summary *summary, FILE *out);
json_t *summary_performance_json(const struct summary *summary);

#endif
