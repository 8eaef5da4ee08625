/* harness/bench/bench.h - what the parts of the program share: a cell, from keys to a measured record.
 *
 *     spec (validated key = value pairs)  ->  cell (problem, cost, task, method)  ->  record (one row)
 *
 * Only this folder prints, reads files, tells the time or forks. Functions that can be refused input return
 * false or a status and leave one message, with file, line and value, in struct bench_error. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "counted.h"
#include "sens/provider.h"
#include "sens/registry.h"
#include "streams.h"

/* Exit codes of the program. */
enum {
    EXIT_OK = 0,
    EXIT_CHECK = 1,
    EXIT_USAGE = 2,
    EXIT_MISSING = 3,
    EXIT_SOLVER = 4,
    EXIT_INTERRUPTED = 130
};

struct bench_error {
    char text[1024];
};
/* Stores a printf-formatted message; returns false. */
bool bench_refuse(struct bench_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- variants.c: the compiled instruction sets and out-of-tree modules --------------------------------- */

/* NULL-terminated, best last. */
const struct sens_registry *const *variant_all(void);
bool variant_supported(const struct sens_registry *variant); /* by this CPU */
/* "auto" = the best supported. NULL and a message when unknown, not built or unsupported. */
const struct sens_registry *variant_find(const char *isa, struct bench_error *error);
/* "auto" or a name that some build has: it is refused only as not available here. */
bool variant_known(const char *isa);

/* Loads an out-of-tree module (sens/plugin.h) and adds what it offers to every variant, until the program
 * ends. To be called before any registry is looked at. false: not loadable, not such a module, or a name that
 * is taken. */
bool plugin_load(const char *path, struct bench_error *error);
/* NULL: none of this name has been loaded. */
const struct sens_provider *find_provider(const char *name);

const struct sens_problem_type *find_problem(const struct sens_registry *reg, const char *name);
const struct sens_cost_type *find_cost(const struct sens_registry *reg, const char *name);
const struct sens_method_type *find_method(const struct sens_registry *reg, const char *name);
const struct sens_tableau *find_tableau(const struct sens_registry *reg, const char *name);
const struct sens_controller *find_controller(const struct sens_registry *reg, const char *name);

/* ---- names.c ------------------------------------------------------------------------------------------- */

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-"
/* A name of a problem, cost, method, provider, choice or sweep: letters, digits and _ . + -, a letter or
 * digit first, at most 63. Not NULL. */
bool is_name(const char *text);
/* A key or the name of an option: letters, digits, _ and ., a letter first, at most 63. */
bool is_key(const char *text);

/* ---- spec.c: keys and their values --------------------------------------------------------------------- */

/* A key that every cell has, beside the options of its problem, cost and method. One table (spec.c) serves
 * the command line, sweep files, help, the man page and the completion. */
enum bench_key_kind { KEY_NAME, KEY_WORD, KEY_INT, KEY_REAL, KEY_FILE };
struct bench_key {
    const char *name, *fallback, *unit, *help;
    enum bench_key_kind kind;
    double min, max;          /* KEY_INT, KEY_REAL */
    const char *const *words; /* taken besides a number; all values of KEY_WORD; NULL-terminated, or NULL */
    unsigned caps;            /* SENS_CAP_* a method needs to take notice of it; 0: none */
};
const struct bench_key *bench_keys(void); /* ends with name == NULL */

enum { SPEC_MAX = 48 };
struct spec_pair {
    char *key, *value;
    char *origin; /* "command line" or "fig2.sweep:12", for messages */
};
struct spec { /* pairs in the order given; a later value of a key replaces the earlier */
    struct spec_pair pair[SPEC_MAX];
    size_t count;
};
bool spec_set(struct spec *spec, const char *key, const char *value, const char *origin,
              struct bench_error *error);
const char *spec_get(const struct spec *spec, const char *key); /* NULL when not set */
bool spec_copy(struct spec *to, const struct spec *from);
void spec_free(struct spec *spec);
/* "key=value key=value ..." sorted by key: the identity of a cell, for --resume. malloc'ed; NULL without
 * memory. */
char *spec_identity(const struct spec *spec);

/* The candidate nearest to word by edit distance, for "did you mean"; NULL when none is near. */
const char *nearest_name(const char *word, const char *const *candidate, size_t count);

/* ---- cell.c: a resolved cell --------------------------------------------------------------------------- */

enum bench_truth { TRUTH_AUTO, TRUTH_PDE, TRUTH_ODE, TRUTH_DISCRETE, TRUTH_REFERENCE, TRUTH_NONE };

struct cell {
    const struct sens_registry *variant;
    const struct sens_method_type *method;
    struct sens_problem problem;          /* with structure=none: one that declares nothing */
    struct sens_operations operations;    /* of the problem as it is, whatever it declares to the method */
    const struct sens_provider *provider; /* of its derivative products; NULL: the problem's own */
    bool controlled;                      /* track */
    struct sens_cost cost;
    struct sens_task task;
    struct sens_value *problem_value, *cost_value, *method_value; /* in the order of the option tables */
    char params_file[256], x0_file[256];
    unsigned long seed; /* of the harness: sampled columns, shuffle; a problem's own seed is its option */
    enum bench_truth truth;
    char reference_key[256]; /* canonical "glv n=5 seed=1 ..." of problem + cost + t1; names the stored
                                reference.
                                         "" when params or x0 come from a file */
    char text[512];          /* problem=... method=... for people */
    char series[256]; /* which curve of its method: "dopri5,explicit", "cash_karp,vjp=adolc,controlled"; see
                         name_series */
};

/* Resolves every key, or refuses with the nearest valid name. Allocates from ctx->arena. Statuses other than
 * SENS_OK come with a message in *error; SENS_BAD_INPUT means exit 2, SENS_UNAVAILABLE exit 3. */
sens_status cell_resolve(struct sens_ctx *ctx, const struct spec *spec, struct cell *cell,
                         struct bench_error *error);

/* The whole of text as one finite decimal number; false when it is none. */
bool read_number(const char *text, double *number);

/* Reads numbers separated by white space or commas ('#' starts a comment). malloc'ed array; false with file,
 * line and value on a bad number or on a count other than `expect` (0 = any). */
bool read_numbers(const char *path, size_t expect, double **number, size_t *count, struct bench_error *error);

/* Makes every folder that path passes through (its last part is left to the caller). */
bool make_folders(char *path, struct bench_error *error);

/* Caller-owned results of a cell, allocated from the arena; the parts not asked for are NULL. */
sens_status cell_out_create(struct sens_ctx *ctx, const struct cell *cell, struct sens_out *out);

/* ---- truth.c: what the derivative should be ------------------------------------------------------------ */

struct truth {
    const char *kind; /* "pde", "ode", "discrete", "reference", "none" */
    bool has_x, has_p, has_x0;
    size_t rows;       /* outputs known: rows == m, or a sample of them */
    const size_t *row; /* [rows] output indices */
    double *x;         /* [n] */
    double *G;         /* [rows] */
    double *dGdp;      /* [rows][np] */
    double *dGdx0;     /* [rows][n] */
};
/* The truth of a cell at one level, from the arena. SENS_NO_TRUTH when there is none. */
sens_status truth_find(struct sens_ctx *ctx, const struct cell *cell, enum bench_truth level,
                       struct truth *truth, struct bench_error *error);

struct truth_error {
    double err_x;        /* relative, 2-norm, of the state */
    double err_grad;     /* relative, Frobenius, of [dGdp | dGdx0] as far as asked for */
    double err_grad_max; /* largest absolute entry */
};
void truth_compare(const struct cell *cell, const struct truth *truth, const struct sens_out *out,
                   struct truth_error *error);

/* ---- record.c: one row --------------------------------------------------------------------------------- */

enum column_kind { COLUMN_TEXT, COLUMN_INT, COLUMN_REAL };

/*  X(name, kind, unit, meaning). Columns are only ever appended. The same names in TSV, JSON and FORMAT.md.
 */
#define RECORD_COLUMNS(X)                                                                                    \
    X(status, TEXT, "-", "ok, or the name of what went wrong (then every result is NaN)")                    \
    X(problem, TEXT, "-", "problem")                                                                         \
    X(n, INT, "-", "states")                                                                                 \
    X(np, INT, "-", "parameters")                                                                            \
    X(cost, TEXT, "-", "cost functional")                                                                    \
    X(m, INT, "-", "outputs")                                                                                \
    X(method, TEXT, "-", "method")                                                                           \
    X(tableau, TEXT, "-", "Runge-Kutta pair")                                                                \
    X(controller, TEXT, "-", "step-size controller")                                                         \
    X(rtol, REAL, "-", "relative tolerance")                                                                 \
    X(atol, REAL, "-", "absolute tolerance")                                                                 \
    X(dt, REAL, "time", "fixed step, or first trial step")                                                   \
    X(ckpt, TEXT, "-", "trajectory: stages, or every k-th state")                                            \
    X(vjp, TEXT, "-", "provider of the derivative products")                                                 \
    X(lanes, INT, "-", "lanes used")                                                                         \
    X(threads, INT, "-", "threads used")                                                                     \
    X(isa, TEXT, "-", "instruction set of the variant used")                                                 \
    X(batch, INT, "-", "points in a batch of parameter products")                                            \
    X(seed, INT, "-", "seed of the harness (sampled columns)")                                               \
    X(steps, INT, "-", "accepted steps of the forward solve")                                                \
    X(rejects, INT, "-", "rejected steps of the forward solve")                                              \
    X(n_rhs, INT, "-", "right-hand sides evaluated")                                                         \
    X(n_vjp, INT, "vectors", "vectors multiplied by the transposed Jacobian")                                \
    X(n_jvp, INT, "vectors", "vectors multiplied by the Jacobian")                                           \
    X(n_vjp_p, INT, "vectors", "vectors multiplied by the transposed parameter Jacobian")                    \
    X(t_total_s, REAL, "s", "one run, median")                                                               \
    X(t_forward_s, REAL, "s", "its forward part, median")                                                    \
    X(t_reverse_s, REAL, "s", "its reverse part, median")                                                    \
    X(t_min_s, REAL, "s", "one run, fastest")                                                                \
    X(t_lo_s, REAL, "s", "lower end of the 95 % confidence interval of the median")                          \
    X(t_hi_s, REAL, "s", "upper end")                                                                        \
    X(samples, INT, "-", "timed runs")                                                                       \
    X(err_x, REAL, "-", "error of x(t1) against truth, relative 2-norm")                                     \
    X(err_grad, REAL, "-", "error of the gradient against truth, relative Frobenius norm")                   \
    X(err_grad_max, REAL, "-", "largest absolute error of a gradient entry against truth")                   \
    X(err_frozen, REAL, "-", "difference from the frozen-grid discrete derivative, relative")                \
    X(bytes_traj, INT, "byte", "stored trajectory")                                                          \
    X(rss_bytes, INT, "byte", "peak resident memory of the cell's process")                                  \
    X(machine, TEXT, "-", "short name of the machine")                                                       \
    X(git, TEXT, "-", "commit of the sources")                                                               \
    X(sweep, TEXT, "-", "sweep this row belongs to")                                                         \
    X(sequence, INT, "-", "position in the shuffled order")                                                  \
    X(truth, TEXT, "-", "what err_* compare with: pde, ode, discrete, reference, none")                      \
    X(options, TEXT, "-", "options of problem, cost and method, key=value")                                  \
    X(cell, TEXT, "-", "identity of the cell, for --resume")                                                 \
    X(t1, REAL, "time", "final time")                                                                        \
    X(wrt, TEXT, "-", "derivatives computed: p, x0, both")                                                   \
    X(steps_reverse, INT, "-", "accepted steps of a separate backward solve")                                \
    X(rejects_reverse, INT, "-", "rejected steps of a separate backward solve")                              \
    X(err_x_ode, REAL, "-", "error of x(t1) against the exact solution of the ODE")                          \
    X(err_grad_ode, REAL, "-", "error of the gradient against the exact solution of the ODE")                \
    X(err_x_discrete, REAL, "-", "error of x(t1) against the exact discrete map")                            \
    X(err_grad_discrete, REAL, "-", "error of the gradient against the exact discrete map")                  \
    X(err_x_max, REAL, "-", "largest absolute error of a component of x(t1) against truth")                  \
    X(n_jvp_p, INT, "vectors", "columns of the parameter Jacobian formed")                                   \
    X(message, TEXT, "-", "what went wrong, in words")                                                       \
    X(structure, TEXT, "-", "what the problem declares: structure of df/dx + of df/dp, none")                \
    X(n_jacobian, INT, "-", "Jacobians formed, or coupling matrices instead")                                \
    X(flops, REAL, "flop", "operations of right-hand sides and derivative products in one run")              \
    X(bytes, REAL, "byte", "numbers that these must read and write in one run")                              \
    X(gflops, REAL, "GFLOP/s", "flops by t_total_s")                                                         \
    X(gflops_reverse, REAL, "GFLOP/s", "flops of the transposed products by t_reverse_s")                    \
    X(gbytes, REAL, "GB/s", "bytes by t_total_s")                                                            \
    X(peak_gflops, REAL, "GFLOP/s", "FMA peak of this instruction set and as many threads")                  \
    X(share, REAL, "-", "gflops by peak_gflops")                                                             \
    X(share_reverse, REAL, "-", "gflops_reverse by peak_gflops")                                             \
    X(library, TEXT, "-", "of a method that another library computes: its version and build")                \
    X(track, TEXT, "-", "controlled: every method calls the problem's own products; natural: as each would") \
    X(series, TEXT, "-", "which curve of its method: tableau, options given, track")                         \
    X(t_lo_wide_s, REAL, "s", "lower end of the 97.5 % interval of the median: quotients of two cover 95 %") \
    X(t_hi_wide_s, REAL, "s", "upper end")

enum record_column {
#define RECORD_ENUM(name, kind, unit, meaning) COL_##name,
    RECORD_COLUMNS(RECORD_ENUM)
#undef RECORD_ENUM
        COLUMN_COUNT
};
struct column_info {
    const char *name, *unit, *meaning;
    enum column_kind kind;
};
extern const struct column_info record_column_info[COLUMN_COUNT];

enum { RECORD_TEXT = 1024 };
struct record {
    double number[COLUMN_COUNT]; /* INT and REAL columns; NaN = not known */
    char *text[COLUMN_COUNT];    /* TEXT columns; "" = not known */
};
/* A record to be filled: each text has room for RECORD_TEXT characters, all are NaN and "". To be given to
 * free(); NULL without memory. The rows of a table share their texts, and are only read. */
struct record *record_create(void);
void record_clear(struct record *rec); /* of record_create: NaN and "" everywhere */

/* A record as plain data, to cross from the process that filled it. */
struct record_image {
    double number[COLUMN_COUNT];
    char text[COLUMN_COUNT][RECORD_TEXT];
};
void record_pack(const struct record *rec, struct record_image *image); /* sets every byte */
/* Takes nothing on trust: false, and rec as it was, when a text does not end, the status is none, or a count
 * is no whole number. An empty status is taken: nothing has been found out yet. */
bool record_unpack(const struct record_image *image, struct record *rec);
/* Names stand in paths, titles and commands, so that they are as those of modules are. A series is a list of
 * settings: names and numbers, with commas and equal signs between them. Other texts may be anything. */
bool record_text_fits(int column, const char *text);
void record_set_status(struct record *rec, sens_status status, const char *message);
void record_write_header(FILE *out);
void record_write_row(FILE *out, const struct record *rec);  /* flushes */
void record_write_json(FILE *out, const struct record *rec); /* one object, one line */

/* A result file read back. */
struct table {
    char *path;
    size_t rows;
    struct record *row;
    struct sens_arena arena; /* of the texts, which rows share */
};
bool table_read(const char *path, struct table *table, struct bench_error *error);
void table_free(struct table *table);

/* ---- measure.c, isolate.c: from a spec to a record ----------------------------------------------------- */

struct measure_options {
    int warmups;          /* untimed runs first */
    int samples;          /* timed runs at most; 0 = none: errors and counts only */
    double sample_budget; /* seconds for the timed runs of one cell; at least one is taken */
    double timeout;       /* seconds for the whole cell; 0 = none */
    double memory_limit;  /* bytes of address space for the cell; 0 = none */
    bool pin;             /* bind to one core, or each thread to one of its own */
};
/* Runs the cell in this process; fills the record, a failure included. *out (may be NULL) receives the
 * results, in ctx's arena. */
sens_status measure_cell(struct sens_ctx *ctx, const struct cell *cell, const struct measure_options *options,
                         struct record *rec, struct sens_out *out);

/* Resolves and measures in a child process; a crash, a hang or exhausted memory is a status in the record.
 * Returns false only when bad input was found (message in *error). */
bool isolate_cell(const struct spec *spec, const struct measure_options *options, struct record *rec,
                  struct bench_error *error);

/* ---- locate.c ------------------------------------------------------------------------------------------ */

enum { DATA_PLACES = 2, DATA_PATH = 4096 };
/* The folder of the running program; "." where the system does not say. */
void program_folder(char path[DATA_PATH]);
/* A folder of the program's own data, best place first: 0 = installed, wherever the tree was moved to; 1 =
 * the source tree it was built from. false: not there. */
bool data_folder(int place, const char *installed, const char *in_source, char path[DATA_PATH]);

/* ---- machine.c ----------------------------------------------------------------------------------------- */

/* Writes the `#!` prelude of a result file: schema, machine from hwloc, compiler and flags, libraries, git.
 */
void machine_write_prelude(FILE *out, const char *sweep);
const char *machine_name(void); /* short, fit for a file name */
const char *machine_git(void);
unsigned long machine_program(void);    /* CRC-32 of the running program's file; 0 when it cannot be read */
double machine_now(void);               /* monotonic seconds */
double machine_processor_time(int pid); /* seconds of all threads of a process; 0 where it has ended */

/* cores.c: the cores that this process was given, numbered from the last. Thread-safe and cheap after the
 * first call, which has to come before anything is bound. */
int machine_cores(void); /* at least 1 */
struct sens_caches machine_caches(void);
bool machine_pin(void); /* binds this process to core 0; false when refused */
/* A cell on one thread: this process to one core. Else the calling thread to its core, as worker 0: more
 * threads would share the core of the process. */
void machine_place(const struct cell *cell);
void machine_bind(int worker); /* binds the calling thread to core `worker`, modulo their number */
/* Tells a method of the machine: clock, cores, caches and, when asked for, how to bind its threads. */
void machine_prepare(struct sens_ctx *ctx, bool bind);

/* ---- commands: argv[0] is the command's name; each returns an exit code -------------------------------- */

int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_truth(int argc, char **argv);
int cmd_summary(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_peak(int argc, char **argv);

#endif
