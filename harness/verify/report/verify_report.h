/* harness/verify/report/verify_report.h - what a run of verify has found, and the formats in which it is told. */
#ifndef VERIFY_REPORT_H
#define VERIFY_REPORT_H

#include <stdio.h>

#include "verify_ranking.h"
#include "verify_runner.h"

enum { VERDICTS = VERIFY_LIMIT + 1 };

struct report_line { /* a check of a module, all its subjects together */
    const char *module, *check;
    enum verify_level level; /* of the check */
    size_t count[VERDICTS];
    size_t declared;                             /* of the limits: those that the method declares itself */
    const struct verify_result *first[VERDICTS]; /* NULL: there is none */
    double worst; /* largest value / bound of those that passed; NaN: no numbers */
    size_t place; /* twice the number of the module's first line, and 1 more for unit.completes: the order */
};

struct verify_report {
    const struct runner_task *task;
    const struct runner_unit *unit; /* [plan] */
    double seconds;
    bool interrupted;
    size_t results;
    const struct verify_result **result; /* those to be shown, in the plan's order */
    size_t lines;
    struct report_line *line; /* module after module, in the order of their first results */
    size_t count[VERDICTS];
    struct ranking ranking;
};

/* Fills results, lines, counts and ranking of a report whose other members are set; unit and task must live
 * as long. false without memory; else report_free. */
bool verify_report_create(const struct verify_choice *choice, struct verify_report *report);
void verify_report_free(struct verify_report *report);

/* A failure outweighs a known limit, which outweighs a pass, which outweighs a skip. */
enum verify_verdict report_line_verdict(const struct report_line *line);
const char *verdict_word(enum verify_verdict verdict); /* "pass", "fail", "skip", "limit" */
bool report_line_has(const struct report_line *line, const struct verify_result *result);
/* "3 cases, worst 0.02 of its bound; 1 skipped: ..." */
enum { REPORT_SUMMARY = 2 * VERIFY_TEXT };
void report_line_summary(const struct report_line *line, char summary[REPORT_SUMMARY]);
/* How closely a module was held to what is right. */
struct report_level {
    const char *module;
    bool failed; /* it has a failure: of nothing else is anything said */
    enum verify_level level;
    const char *check; /* that passed at this level; NULL: there is none */
    size_t declared;   /* failures that limits excuse which the module declares itself */
};
/* Is this the first line of its module? */
bool report_begins(const struct verify_report *report, size_t line);
struct report_level report_level_of(const struct verify_report *report, const char *module);
/* "failed", "to rounding", "to the tolerance", "not at all" */
const char *report_level_words(const struct report_level *level);
const char *
report_level_name(const struct report_level *level); /* "failed", "rounding", "tolerance", "none" */

/* The ranked causes of a module; NULL when it has no failure. */
const struct ranked_module *report_causes(const struct verify_report *report, const char *module);
size_t report_units_run(const struct verify_report *report);
/* Of these, those that stand behind what was named, and are not listed. */
size_t report_support_run(const struct verify_report *report);

void verify_write_text(FILE *out, const struct verify_report *report, bool verbose);
bool verify_write_json(FILE *out, const struct verify_report *report); /* false without memory */
void verify_write_tap(FILE *out, const struct verify_report *report);  /* version 14 */
void verify_write_junit(FILE *out, const struct verify_report *report);

/* --list and --explain: the checks of all groups. */
void verify_write_list(FILE *out, const char *check_glob);
void verify_write_check(FILE *out, const struct verify_check *check);
void verify_write_cause(FILE *out, const char *name);

#endif
