/* harness/paper/statements.h - between the parts of this room: statements, and what judges them. */
#ifndef PAPER_STATEMENTS_H
#define PAPER_STATEMENTS_H

#include "summary.h"

enum verdict { VERDICT_REPRODUCED, VERDICT_NOT_REPRODUCED, VERDICT_NOT_TESTABLE };
const char *verdict_name(enum verdict verdict);

enum { STATEMENTS_MAX = 48 };
struct statement {
    const char *section;       /* of the paper: "Tables 1-3", "Figure 2", ... */
    const char *text;          /* what is claimed */
    enum verdict verdict;      /* what the rows say about it */
    char number[SUMMARY_TEXT]; /* the numbers behind the verdict, or why it cannot be tested */
    bool required; /* a closed form: where it does not hold the program is wrong, and summary exits with 1 */
};

struct paper {
    const struct summary *rows;
    struct statement statement[STATEMENTS_MAX];
    size_t statements;
};

/* A new statement, not testable until something else is said. */
struct statement *paper_state(struct paper *paper, const char *section, const char *text);
/* Appends to the numbers behind it. */
void statement_note(struct statement *statement, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void statement_judge(struct statement *statement, bool reproduced);

void paper_judge_heat(struct paper *paper);
void paper_judge_vdp(struct paper *paper);
void paper_judge_glv(struct paper *paper);
void paper_judge_peers(struct paper *paper);

/* Least squares line through (log x, log y): slope and correlation. False with fewer than three points. */
bool fit_power(size_t count, const double x[], const double y[], double *slope, double *correlation);

/* ---- tables.c ------------------------------------------------------------------------------------------ */

/* Relative errors of the discrete solution of the heat problem and of its sensitivity, by the closed forms of
 * heat.c, for mode (1, 1) and alpha = 1: against the PDE, the semi-discrete system and the discrete map. */
struct heat_prediction {
    double forward[3], sensitivity[3];
    double bound; /* space and time error together, of the state or of the sensitivity: the larger */
};
bool heat_predict(const struct record *row, struct heat_prediction *prediction);

void paper_print_tables(const struct summary *summary, FILE *out);
json_t *paper_tables_json(const struct summary *summary);

/* ---- performance.c ------------------------------------------------------------------------------------- */

/* Times, rates, shares of peak and speed-ups of the discrete adjoint, from the sweeps scaling and lanes. */
void paper_print_performance(const struct summary *summary, FILE *out);
json_t *paper_performance_json(const struct summary *summary);

#endif
