/* harness/page/page.h - results as one page that a browser opens without a network.
 *
 * The page is a folder of parts (web/) in which C fills five gaps: its style, its scripts, the library D3 that these
 * draw with, a policy that lets the browser run no others, and the data, as JSON that is no script. What stored rows
 * say (verdicts, times to an accuracy, changes) is worked out here, by the functions that `sensbench summary` prints
 * with; the scripts choose, draw and sort. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "summary.h"

struct page_request {
    const struct summary *results; /* what the page is of */
    const struct summary *before;  /* results that these are held against; NULL: none */
    double noise;                  /* part by which a time may differ between two runs without a word */
    const char *library;           /* path of d3.min.js */
};

/* Writes the page. false with a message: a part or the library cannot be read or is not what it should be, no
 * memory. Errors of `out` are left to its owner (ferror). */
bool page_write(const struct page_request *request, FILE *out, struct bench_error *error);

/* ---- between the parts --------------------------------------------------------------------------------- */

/* page_text.c: the whole of a regular file of at most 8 MiB, without NUL bytes; malloc'ed. NULL with a message. */
char *page_read(const char *path, struct bench_error *error);
/* A file NAME of the parts, or of plots/. NULL with a message. */
enum page_folder { PAGE_PARTS, PAGE_PLOTS };
bool page_folder(enum page_folder which, char *path, size_t size, struct bench_error *error);
/* "sha256-..." of a text, as a content security policy names it. */
enum { PAGE_DIGEST = 64 };
void page_digest(const char *text, char digest[PAGE_DIGEST]);

/* page_rows.c: lines of preludes, each once: files of one run say the same of machine, compiler and libraries. */
struct page_said {
    json_t *lines; /* [[key, value], ...] */
    json_t *known; /* "key: value" -> the number of the line */
};

/* page_rows.c: a result file as columns: {path, prelude: [i, ...], rows, lines: [[first, count], ...], columns: {...}};
 * what a column is as JSON says the file. The lines of its prelude are those of page_said with these numbers. brief:
 * only what a comparison needs. NULL: no memory. */
json_t *page_table(const struct table *table, bool brief, struct page_said *said);
/* Name, kind, unit and meaning of all columns. */
json_t *page_columns(void);

/* page_styles.c: labels, colours and markers of the methods, and what the figures' axes are, as plots/ has them. NULL
 * with a message. */
json_t *page_styles(struct bench_error *error);

/* page_changes.c: what became of each cell that both have. NULL: no memory. */
json_t *page_changes(const struct summary *results, const struct summary *before, double noise);
/* Takes from the tables before, where settings stand in words, those of every row that has a pair, as the pair's are.
 * Both may be NULL. */
void page_leave_cells(json_t *tables, const json_t *changes);

#endif
