/* A summary of one made-up table: empty at the start of a test, filled a row at a time. */
#ifndef TESTS_BENCH_SUMMARY_SUPPORT_H
#define TESTS_BENCH_SUMMARY_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"
#include "statements.h"
#include "testing.h"

/* Never reallocated, so that a test may keep a pointer to a row while it adds others. */
enum { ROWS_MAX = 128 };

static inline int make_summary(void **state)
{
    struct summary *summary = calloc(1, sizeof *summary);
    if (!summary) return -1;
    summary->table = calloc(1, sizeof *summary->table);
    if (!summary->table) return -1;
    summary->tables = 1;
    summary->together = paper_compares;
    summary->table[0].row = calloc(ROWS_MAX, sizeof(struct record));
    *state = summary;
    return summary->table[0].row ? 0 : -1;
}

static inline int drop_summary(void **state)
{
    summary_free(*state);
    free(*state);
    return 0;
}

/* A row of a cell that went well, without a time or an error yet. */
static inline struct record *add_row(struct summary *summary, const char *sweep, const char *method, double n)
{
    assert_true(summary->table[0].rows < ROWS_MAX);
    struct record *row = &summary->table[0].row[summary->table[0].rows++];
    char *texts = sens_arena_alloc(&summary->table[0].arena, COLUMN_COUNT, RECORD_TEXT);
    assert_non_null(texts);
    for (int c = 0; c < COLUMN_COUNT; c++) row->text[c] = texts + (size_t)c * RECORD_TEXT;
    record_clear(row);
    strcpy(row->text[COL_status], "ok");
    strcpy(row->text[COL_sweep], sweep);
    strcpy(row->text[COL_method], method);
    row->number[COL_n] = n;
    return row;
}

/* Equal within rounding: a handful of logarithms and a power. */
static inline void assert_near(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-13)) fail_msg("%.17g is not %.17g", found, expected);
}

#endif
