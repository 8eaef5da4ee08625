/* harness/sweep/sweep_file.h - sweep files: which cells to measure, as text.
 *
 *     # from '#' to the end of the line: a comment
 *     [sweep]                        what the sweep is and how its cells are measured
 *     title  = Time against error
 *     figure = work_precision calibration    what draws its rows: scripts of plots/, the first under the sweep's name
 *     budget = 600                   seconds for the whole sweep; 0 = no limit
 *     quick.budget = 60              KEY in the quick profile
 *     include = common.sweep         the lines of another file, which then returns to this section
 *
 *     [defaults]                     keys of every [cells] section that does not set them itself
 *     problem = glv
 *
 *     [cells adjoint]                a cell for every combination of the values below; the name is free
 *     method = discrete_* !discrete_tangent      patterns over the registry; '!' takes names away
 *     n      = 5 10 20, 50                       a list is an axis
 *     tol    = log(1e-3, 1e-13, 11)              a geometric progression; lin(2, 10, 5): arithmetic
 *     quick.tol = 1e-3 1e-8
 *     skip   = method=discrete_adjoint n>=20     cells for which all of this holds (= <= >=); repeatable
 *     profile = full                             this section only in one profile: quick or full
 *
 * Keys of [sweep]: name title figure budget samples warmups sample_budget timeout memory pin seed. Every
 * other key of [cells] and [defaults] is one of `sensbench run`. */
#ifndef SWEEP_SWEEP_FILE_H
#define SWEEP_SWEEP_FILE_H

#include <sys/stat.h>

#include "measure.h"

enum { SWEEP_NAME = 64, SWEEP_TEXT = 256, SWEEP_CELLS_MAX = 50000 };

struct sweep {
    char name[SWEEP_NAME]; /* fit for a folder name; the file's name where [sweep] gives none */
    char title[SWEEP_TEXT], figure[SWEEP_NAME];
    bool quick;
    double budget;      /* seconds; 0 = none */
    unsigned long seed; /* of the shuffle */
    struct measure_options measure;
    struct spec *cell; /* [count] */
    size_t count;
};

/* Reads a sweep file in one profile and expands its cells. Every cell is resolved once, so that bad input
 * is refused, with file and line, before anything is run. */
bool sweep_read(const char *path, bool quick, struct sweep *sweep, struct bench_error *error);
void sweep_free(struct sweep *sweep);

/* What a sweep is given beside the program, see sweep_inputs.c. Texts are those of its cells, and live as long. */
struct sweep_input {
    const char *key, *value; /* "params", "rate.txt": the pair of a cell that stands for it */
    char sum[9], now[9]; /* of its content, at the beginning of the sweep and when it was last looked at */
    const char *file;    /* for messages */
    const char *path;    /* where it is looked at; NULL: what was loaded stays what it was */
    bool seen;           /* `about` is that of then */
    struct stat about;
};
struct sweep_inputs {
    struct sweep_input *input;
    size_t count;
};
/* false: no memory, nothing to free. */
bool sweep_inputs_find(const struct sweep *sweep, struct sweep_inputs *inputs);
void sweep_inputs_free(struct sweep_inputs *inputs);
struct sweep_input *sweep_input_find(const struct sweep_inputs *inputs, const char *key,
                                     const char *value); /* NULL: none */

/* One of the cell's that is not what it was at the beginning; NULL: none. */
const struct sweep_input *sweep_inputs_changed(const struct sweep_inputs *inputs, const struct spec *spec);
/* Those of a cell, as its row has them. false: there is no room. */
bool sweep_inputs_write(const struct sweep_inputs *inputs, const struct spec *spec, char *text, size_t size);
/* One of the sweep that a row with this text had with another content; NULL: none. */
const struct sweep_input *sweep_inputs_differ(const struct sweep_inputs *inputs, const char *text);

/* The file of a sweep: word itself when it names a file (it has a '/' or ends in .sweep), else word.sweep
 * in the source tree or the installed data folder. */
bool sweep_locate(const char *word, char *path, size_t size, struct bench_error *error);

/* Names of the sweeps that sweep_locate finds, sorted; each once. malloc'ed array of malloc'ed strings. */
char **sweep_names(size_t *count);

/* ---- between the parts of the reader ------------------------------------------------------------------- */

enum { SWEEP_ORIGIN = 320 };

struct sweep_entry { /* a line `key = value`; in the arena */
    struct sweep_entry *next;
    const char *key, *value; /* key without "quick." */
    const char *origin;      /* file:line */
    int file;                /* number of the file it stands in */
    bool quick;              /* it had "quick." */
};

struct sweep_section {
    struct sweep_section *next;
    const char *kind, *name, *origin;
    struct sweep_entry *first, **last;
};

/* sweep_parse.c: lines into sections, in the order of the file; entries of an included file take their
 * places. */
bool sweep_parse(struct sens_ctx *ctx, const char *path, struct sweep_section **first,
                 struct bench_error *error);

/* The entry that counts in this profile: the last quick one if any and wanted, else the last plain one;
 * NULL. */
const struct sweep_entry *sweep_entry_find(const struct sweep_section *section, const char *key, bool quick);

/* sweep_values.c: the values that the text of an entry stands for. */
struct sweep_values {
    size_t count;
    const char **value; /* in the arena */
};
bool sweep_values(struct sens_ctx *ctx, const struct sweep_entry *entry, struct sweep_values *values,
                  struct bench_error *error);

/* sweep_cells.c: the cells of all [cells] sections, into sweep->cell. */
bool sweep_cells(struct sens_ctx *ctx, const struct sweep_section *first, struct sweep *sweep,
                 struct bench_error *error);

#endif
