/* harness/record/record.h - one row of results, and a file of them. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdio.h>

#include "json.h"
#include "refuse.h"
#include "sens/context.h"

enum column_kind { COLUMN_TEXT, COLUMN_INT, COLUMN_REAL };

/*  X(name, kind, unit, meaning). Columns are only ever appended. The same names in TSV, JSON and
 * FORMAT.md. */
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
    X(rtol, REAL, "-", "relative tolerance; of several the least")                                           \
    X(atol, REAL, "-", "absolute tolerance; of several the least")                                           \
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
    X(options, TEXT, "-", "options of problem, cost and method as used, key=value")                          \
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
    X(structure, TEXT, "-",                                                                                  \
      "what the problem declares: structure of df/dx + of df/dp, none; .systems, .columns: for these "       \
      "alone, since products cost less")                                                                     \
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
    X(t_hi_wide_s, REAL, "s", "upper end")                                                                   \
    X(n_factor, INT, "-", "matrices of linear systems factorised")                                           \
    X(n_solve, INT, "vectors", "vectors that factorised systems were solved for")                            \
    X(n_newton, INT, "-", "iterations of Newton's method")                                                   \
    X(n_recorded, INT, "-", "times the right-hand side, or a cost, was recorded for derived products")       \
    X(t_record_s, REAL, "s", "to record it, in all; part of no run but where a new branch was met")          \
    X(t_analyse_s, REAL, "s", "to make products of the recordings, likewise")                                \
    X(t_compile_s, REAL, "s", "to compile them, likewise")                                                   \
    X(t_generate_s, REAL, "s", "to write them as C, likewise")                                               \
    X(vjp_note, TEXT, "-", "why other products ran than were asked for, in words")                           \
    X(product, TEXT, "-", "the product that was timed in place of runs: vjp, vjp_p, jvp, hvp; none")         \
    X(t_product_s, REAL, "s", "one call of it, all lanes, median")                                           \
    X(t_rhs_s, REAL, "s", "one right-hand side at the same point, median; timed in turns with the product")  \
    X(by_rhs, REAL, "-", "time of a vector of the product by that of a right-hand side, median of pairs")    \
    X(by_rhs_lo, REAL, "-", "lower end of the 95 % confidence interval of the median")                       \
    X(by_rhs_hi, REAL, "-", "upper end")                                                                     \
    X(rhs, TEXT, "-", "right-hand side: the problem's own, or generated from it")                            \
    X(cost_vjp, TEXT, "-", "gradients of the cost: by hand, or derived from it by the tape")                 \
    X(n_kept, INT, "-", "matrices that a sweep did not factorise, for it took over factors of the solve")    \
    X(bytes_factors, INT, "byte", "factors that the solve left for a sweep")                                 \
    X(steps_implicit, INT, "-", "accepted steps by the implicit part of a tableau that switches")            \
    X(samples_disturbed, INT, "-",                                                                           \
      "of these timed runs, those during which others took a core away (docs/fairness.md)")                  \
    X(engine, TEXT, "-",                                                                                     \
      "who took the steps: library, compiled, or compiled+library where branches were others")               \
    X(given, TEXT, "-",                                                                                      \
      "what a cell of a sweep was given beside the program, for --resume: CRC-32 key=value, a tab, and so "  \
      "on")

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
struct stats;
/* Samples, median, extreme and intervals of the total; medians of its two parts. */
void record_set_times(struct record *rec, const struct stats *total, const struct stats *forward,
                      const struct stats *reverse);
void record_set_status(struct record *rec, sens_status status, const char *message);
void record_write_header(FILE *out);
void record_write_row(FILE *out, const struct record *rec); /* flushes */
/* Tabs, line ends and backslashes would break a row: they become \t \n \r and \\; a terminal would obey the other
 * control characters, which become \xNN. */
void record_write_text(FILE *out, const char *text);
json_t *record_json(const struct record *rec);               /* a member a column; the caller's */
void record_write_json(FILE *out, const struct record *rec); /* one object, one line */

/* What a row of a comparison (sens-compare/1) has before the columns of a record; FORMAT.md has the meanings. */
#define COMPARED_COLUMNS(X)                                                                                  \
    X(group)                                                                                                 \
    X(contender)                                                                                             \
    X(rounds)                                                                                                \
    X(repeat)                                                                                                \
    X(pairs)                                                                                                 \
    X(ratio)                                                                                                 \
    X(ratio_lo)                                                                                              \
    X(ratio_hi)                                                                                              \
    X(ratio_min)                                                                                             \
    X(ratio_max)                                                                                             \
    X(cpu)                                                                                                   \
    X(error)                                                                                                 \
    X(best_error)                                                                                            \
    X(tried)                                                                                                 \
    X(keys)                                                                                                  \
    X(changes)

enum compared_column {
#define COMPARED_ENUM(name) COMPARED_##name,
    COMPARED_COLUMNS(COMPARED_ENUM)
#undef COMPARED_ENUM
        COMPARED_COUNT,
    COMPARED_NUMBERS = COMPARED_keys /* the texts come last */
};
extern const char *const compared_name[COMPARED_COUNT];
struct compared {
    double number[COMPARED_NUMBERS]; /* NaN = not known */
    const char *keys, *changes;
};

/* A result file, or the file of a comparison, read back. */
struct prelude_line { /* "#! key: value"; keys may be repeated */
    const char *key, *value;
};
struct table {
    char *path;
    size_t rows;
    struct record *row;        /* [rows] */
    struct compared *compared; /* [rows] of a comparison; else NULL */
    int *line;                 /* [rows] of the file, from 1 */
    size_t preludes;
    struct prelude_line *prelude; /* [preludes] */
    struct sens_arena arena;      /* of the texts, which rows share */
};
/* false with a message where it is not there, malformed, or of the other kind. */
bool table_read(const char *path, struct table *table, struct bench_error *error);
bool table_read_comparison(const char *path, struct table *table, struct bench_error *error);
void table_free(struct table *table);
/* What the first line of a regular file says that it is, of whatever version. */
bool table_is_result(const char *path);
bool table_is_comparison(const char *path);

#endif
