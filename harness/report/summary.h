/* harness/report/summary.h - what stored rows say, of whatever sweep: times to an accuracy, performance profiles, and
 * the ratios of times. Nothing is run. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "json.h"
#include "record.h"

enum { SUMMARY_TEXT = 1024 };

struct summary {
    struct table *table;        /* [tables] */
    size_t tables, passed_over; /* files that are older than another one of their folder */
    bool with_comparisons;      /* set before anything is loaded: files of `compare` are loaded as well */
    struct table *comparison;   /* [comparisons] */
    size_t comparisons;
    /* Of rows of several sweeps that measure the same tasks: whether a row is among those that are taken
     * together. NULL: each sweep stands alone. */
    bool (*together)(const struct record *row);
};

/* ---- summary_rows.c ------------------------------------------------------------------------------------ */

/* Adds a result file, or of a folder the newest result file in it and in each folder below; with comparisons,
 * all of these that are there. False with a message when there is none or one is malformed. */
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

/* ---- summary_ratio.c ----------------------------------------------------------------------------------- */

enum { RATIO_TEXT = 96 };
struct ratio {
    double value, lo, hi; /* of two medians, and the interval of their quotient; NaN: not known */
    double level;         /* that the interval covers it with, at least; 0: no interval */
};
/* t(over) / t(under) by the median times of two rows; NaN where one is missing (NULL) or failed. */
struct ratio summary_ratio(const struct record *over, const struct record *under);
/* t(row) by a number that has no interval. */
struct ratio summary_ratio_to(const struct record *row, double seconds);
/* "2.11 [2.05, 2.16] 95 %", or "2.11 [no interval]". */
void summary_ratio_text(struct ratio ratio, int digits, char text[RATIO_TEXT]);

/* ---- summary_curves.c ---------------------------------------------------------------------------------- */

enum { GOALS = 4, ACCURACY_STATUSES = 32 };

/* The time at which the lower envelope of the points (error, seconds) comes to an error: of the points that
 * no other one beats in both, a line through the logarithms of the two around it; the time of the fastest
 * point where that is exact enough. *bound: every point is more exact, so that the time is a bound. NaN where
 * no point is exact enough, and where a number is not positive. The points are sorted. */
double accuracy_seconds(size_t count, double error[], double seconds[], double goal, bool *bound);

/* One implementation on one task: the rows of a method and series at all tolerances. */
struct accuracy_curve {
    const struct record *row; /* the first of them, failed or not: it says what the curve is */
    size_t rows, count;       /* of them all; points of those that are ok */
    double *error, *seconds;  /* [count] */
    size_t error_room, seconds_room;
    bool varied;           /* its cells differ, in their tolerance or step */
    double reached[GOALS]; /* seconds; NaN: not reached, or a bound */
    double at_most[GOALS]; /* where every point is more exact than the goal: the fastest; NaN elsewhere */
    struct {
        const char *name; /* of a status other than ok */
        size_t count;
    } failure[ACCURACY_STATUSES];
};
struct accuracy {
    const struct summary *summary;
    struct accuracy_curve *curve; /* [curves], those of a task one after the other */
    size_t curves;
};
/* All curves, or those of the rows that are taken together, without the rows that were refused before it was
 * known what they are of (accuracy_is_refused) and without tasks that no method solved at two tolerances or
 * steps. false: no memory. To be freed. */
bool accuracy_read(const struct summary *summary, bool only_together, struct accuracy *accuracy);
void accuracy_free(struct accuracy *accuracy);
/* Whether the cell was refused before it was resolved, as where a library is not built: the row has neither
 * size nor series. */
bool accuracy_is_refused(const struct record *row);
bool summary_is_together(const struct summary *summary, const struct record *row);
/* Whether both are of one task: problem and cost with their options, size, wrt, track, and the set of rows:
 * those that are taken together, or one other sweep. */
bool accuracy_same_task(const struct accuracy *accuracy, const struct record *a, const struct record *b);
/* The next pair key=value of a row's cell from *at on (its text at first) that says what is solved, or that
 * sets curves of one task apart. false after the last. */
enum accuracy_pairs { PAIRS_OF_TASK, PAIRS_OF_CURVE };
bool accuracy_next_pair(const struct record *row, enum accuracy_pairs which, const char **at,
                        char pair[SUMMARY_TEXT]);
const char *row_track(const struct record *row);                    /* "natural" in files that do not say */
void row_series(const struct record *row, char text[SUMMARY_TEXT]); /* the tableau in files that do not say */
/* The least time of the curves of a method with this task, for goal number g; NaN: none comes to it. */
double accuracy_best(const struct accuracy *accuracy, const struct record *task, const char *method, int g);

/* ---- summary_accuracy.c -------------------------------------------------------------------------------- */

void summary_print_accuracy(const struct summary *summary, FILE *out);
json_t *summary_accuracy_json(const struct summary *summary);

/* ---- summary_products.c -------------------------------------------------------------------------------- */

/* What products of the transposed Jacobian cost by right-hand sides, from rows of product=vjp; nothing where there
 * are none. */
void summary_print_products(const struct summary *summary, FILE *out);

/* ---- summary_disturbed.c ------------------------------------------------------------------------------- */

/* Which sweeps, and so which figures, have rows with disturbed samples; nothing where there are none. */
void summary_print_disturbed(const struct summary *summary, FILE *out);
/* [{"sweep", "rows", "disturbed"}]: those sweeps, their rows with times, and those of them with disturbed samples. */
json_t *summary_disturbed_json(const struct summary *summary);

/* ---- summary_profile.c --------------------------------------------------------------------------------- */

/* The performance profile of all rows, whatever their sweep, as tab-separated lines. false: no memory. */
bool summary_print_profile(const struct summary *summary, FILE *out);

#endif
