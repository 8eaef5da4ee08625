/* How fast: the discrete adjoint of the Lotka-Volterra problem at tolerance 1e-9, from the rows of the sweeps
 * scaling and lanes. With t the median time of a run (intervals: summary_ratio.c):
 *
 *     to the prototype    t / (prototype (peak of the prototype's machine / peak of this one))
 *     by lanes, threads   t before / t after
 *
 * The prototype is a specialised code for this one problem, measured on another machine; its seconds come
 * from measured_before.tsv, by way of prototype.def, with their provenance. */
#include <math.h>
#include <string.h>

#include "json.h"
#include "statements.h"

enum { SIZES_MAX = 32, CELL = 64, ISAS = 3 };
static const double prototype_peak = 45.2; /* GFLOP/s of one core */
static const struct {
    double n, seconds;
} prototype[] = {
#include "prototype.def"
};
/* Below, what does not grow with N still counts. */
static const double fit_from = 20;

struct size_rows { /* what there is of one N; NULL: missing */
    double n;
    const struct record *one, *automatic;      /* scaling: threads = 1, auto; structure = auto */
    const struct record *unstructured;         /* scaling: threads = 1, structure = none */
    const struct record *lane_one, *lane_auto; /* lanes: threads = 1, the best instruction set with both */
};

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Whether the cell asked for key=value, which is not what it used where that is auto. */
static bool asked(const struct record *row, const char *pair)
{
    const size_t length = strlen(pair);
    const char *text = row->text[COL_cell];
    for (const char *at = strstr(text, pair); at; at = strstr(at + 1, pair))
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

/* The row of a sweep that asked for both pairs (NULL: any); its instruction set, where isa is not NULL. */
static const struct record *find(const struct summary *summary, const struct row_query *query,
                                 const char *first, const char *second, const char *isa)
{
    size_t cursor = 0;
    for (const struct record *row; (row = summary_next(summary, query, &cursor));)
        if ((!first || asked(row, first)) && (!second || asked(row, second)) &&
            (!isa || strcmp(row->text[COL_isa], isa) == 0))
            return row;
    return NULL;
}

/* The row of scaling with these threads that did not ask for structure = none. */
static const struct record *structured(const struct summary *summary, const struct row_query *query,
                                       const char *threads)
{
    size_t cursor = 0;
    for (const struct record *row; (row = summary_next(summary, query, &cursor));)
        if (asked(row, threads) && !asked(row, "structure=none")) return row;
    return NULL;
}

/* The pair of lane rows of the best instruction set that has both. */
static void find_lanes(const struct summary *summary, struct size_rows *rows)
{
    static const char *const isa[ISAS] = {"avx512", "avx2", "baseline"};
    const struct row_query query = {.sweep = "lanes", .method = "discrete_adjoint", .n = rows->n};
    for (int i = 0; i < ISAS && !(row_ok(rows->lane_one) && row_ok(rows->lane_auto)); i++) {
        rows->lane_one = find(summary, &query, "lanes=1", "threads=1", isa[i]);
        rows->lane_auto = find(summary, &query, "lanes=auto", "threads=1", isa[i]);
    }
}

static void find_rows(const struct summary *summary, double n, struct size_rows *rows)
{
    const struct row_query query = {.sweep = "scaling", .method = "discrete_adjoint", .n = n};
    *rows = (struct size_rows){.n = n};
    rows->one = structured(summary, &query, "threads=1");
    rows->automatic = structured(summary, &query, "threads=auto");
    rows->unstructured = find(summary, &query, "threads=1", "structure=none", NULL);
    find_lanes(summary, rows);
}

static size_t find_sizes(const struct summary *summary, double n[SIZES_MAX])
{
    const struct row_query query = {.sweep = "scaling", .method = "discrete_adjoint"};
    return summary_values(summary, &query, COL_n, SIZES_MAX, n);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static struct ratio to_prototype(const struct record *row)
{
    for (size_t i = 0; row_ok(row) && i < sizeof prototype / sizeof prototype[0]; i++) {
        if (prototype[i].n != row->number[COL_n]) continue;
        const double scaled = prototype[i].seconds * prototype_peak / row->number[COL_peak_gflops];
        return summary_ratio_to(row, scaled);
    }
    return (struct ratio){NAN, NAN, NAN, NAN};
}

/* The exponent b of t = a N^b over the rows of a method from N = fit_from on; NaN when there are too few. */
static double exponent(const struct summary *summary, const char *method, const char *threads)
{
    const struct row_query query = {.sweep = "scaling", .method = method};
    double x[SIZES_MAX], y[SIZES_MAX], slope, correlation;
    size_t cursor = 0, count = 0;
    for (const struct record *row; (row = summary_next(summary, &query, &cursor));) {
        if (!row_ok(row) || !asked(row, threads) || asked(row, "structure=none") || count == SIZES_MAX ||
            row->number[COL_n] < fit_from || !(row->number[COL_t_total_s] > 0))
            continue;
        x[count] = row->number[COL_n];
        y[count++] = row->number[COL_t_total_s];
    }
    return fit_power(count, x, y, &slope, &correlation) ? slope : NAN;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* A missing row says so, a failed one its status, a column that was not measured a dash. */
static void put_number(FILE *out, int width, const struct record *row, const char *format, double number)
{
    char text[CELL];
    if (!row)
        snprintf(text, sizeof text, "missing");
    else if (!row_ok(row))
        snprintf(text, sizeof text, "%.31s", row->text[COL_status]);
    else if (!isfinite(number))
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, format, number);
    fprintf(out, " %*s |", width, text);
}

static double number_of(const struct record *row, enum record_column column, double factor)
{
    return row ? factor * row->number[column] : NAN;
}

static void put_ratio(FILE *out, int width, const struct record *row, struct ratio ratio)
{
    char text[RATIO_TEXT];
    if (!row || !row_ok(row) || !isfinite(ratio.value)) {
        put_number(out, width, row, "%g", NAN);
        return;
    }
    summary_ratio_text(ratio, 2, text);
    fprintf(out, " %*s |", width, text);
}

/* Of a pair of rows, the one that is missing or has failed: it is told. */
static const struct record *weaker(const struct record *one, const struct record *other)
{
    return row_ok(one) ? other : one;
}

static void print_size(const struct size_rows *rows, FILE *out)
{
    const struct record *one = rows->one, *many = rows->automatic;
    fprintf(out, "\n| %3.0f |", rows->n);
    put_number(out, 8, one, "%.3g", number_of(one, COL_t_total_s, 1));
    put_number(out, 8, many, "%.3g", number_of(many, COL_t_total_s, 1));
    put_number(out, 7, many, "%.0f", number_of(many, COL_threads, 1));
    put_number(out, 8, one, "%.1f", number_of(one, COL_gflops, 1));
    put_number(out, 7, one, "%.0f %%", number_of(one, COL_share, 100));
    put_number(out, 7, one, "%.0f %%", number_of(one, COL_share_reverse, 100));
    put_number(out, 7, many, "%.0f %%", number_of(many, COL_share_reverse, 100));
    put_ratio(out, 24, one, to_prototype(one));
    put_ratio(out, 24, weaker(rows->lane_one, rows->lane_auto),
              summary_ratio(rows->lane_one, rows->lane_auto));
    put_ratio(out, 24, weaker(one, many), summary_ratio(one, many));
    put_ratio(out, 24, weaker(rows->unstructured, one), summary_ratio(rows->unstructured, one));
}

static void print_sizes(const struct summary *summary, FILE *out)
{
    double n[SIZES_MAX];
    const size_t sizes = find_sizes(summary, n);
    fprintf(out, "\n| %3s | %8s | %8s | %7s | %8s | %7s | %7s | %7s | %24s | %24s | %24s | %24s |", "N",
            "1 thread", "auto", "threads", "GFLOP/s", "of peak", "reverse", "auto", "to the prototype",
            "by lanes", "by threads", "by structure");
    fputs("\n|----:|---------:|---------:|--------:|---------:|--------:|--------:|--------:|", out);
    for (int i = 0; i < 4; i++) fputs("-------------------------:|", out);
    for (size_t i = 0; i < sizes; i++) {
        struct size_rows rows;
        find_rows(summary, n[i], &rows);
        print_size(&rows, out);
    }
    fputc('\n', out);
}

static const struct {
    const char *name, *method, *threads;
} fits[] = {{"discrete adjoint, 1 thread", "discrete_adjoint", "threads=1"},
            {"threads = auto", "discrete_adjoint", "threads=auto"},
            {"discrete tangent", "discrete_tangent", "threads=1"},
            {"CFSA", "cfsa", "threads=1"}};
enum { FITS = sizeof fits / sizeof fits[0] };

static void print_fits(const struct summary *summary, FILE *out)
{
    fprintf(out, "\nExponents of time against N from N = %.0f on:", fit_from);
    for (int i = 0; i < FITS; i++) {
        const double slope = exponent(summary, fits[i].method, fits[i].threads);
        fprintf(out, "%s %s ", i > 0 ? ";" : "", fits[i].name);
        if (isfinite(slope))
            fprintf(out, "%.2f", slope);
        else
            fputs("missing (fewer than three rows)", out);
    }
    fputs(".\n", out);
}

static void print_forward(const struct summary *summary, FILE *out)
{
    const struct row_query query = {.sweep = "scaling", .method = "cfsa", .n = 50};
    const struct record *row = summary_find(summary, &query);
    if (row_ok(row))
        fprintf(out, "CFSA at N = 50: %.3g s, %.1f GFLOP/s, %.0f %% of peak.\n", row->number[COL_t_total_s],
                row->number[COL_gflops], 100 * row->number[COL_share]);
    else
        fprintf(out, "CFSA at N = 50: %s.\n", row ? row->text[COL_status] : "missing");
}

void paper_print_performance(const struct summary *summary, FILE *out)
{
    const struct row_query query = {.sweep = "scaling", .method = "discrete_adjoint"};
    fputs("\n## Performance\n\n", out);
    if (!summary_find(summary, &query)) {
        fputs("No rows of sweep scaling.\n", out);
        return;
    }
    fputs(
        "Lotka-Volterra, N species: the matrices dx(T)/dp, N x (N + N^2), and dx(T)/dx0 by discrete_adjoint "
        "at\n"
        "tolerance 1e-9, forward solve included. Seconds on one thread and with threads = auto, and how "
        "many\n"
        "that took; GFLOP/s and share of the measured peak on one thread; share of peak of the reverse "
        "sweep,\n"
        "one thread and auto. Then ratios of times: to the prototype (45.2 GFLOP/s a core, known to 25 %) "
        "scaled\n"
        "by peak, less is better; lanes = 1 to auto, one thread to auto, and structure = none to auto, more "
        "is\n"
        "better. Behind each the interval of the quotient of the two medians and the probability with which "
        "it\n"
        "covers that, at least: from the intervals of both, by the sum of what they miss (to the prototype: "
        "of\n"
        "our time alone). It knows of the scatter within each cell, not of a machine that was slower at one "
        "of\n"
        "the two; compare does. -: nothing to compare with, or not measured; missing: not in these "
        "results.\n",
        out);
    print_sizes(summary, out);
    print_fits(summary, out);
    print_forward(summary, out);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *ratio_json(struct ratio ratio)
{
    json_t *list = json_array();
    json_array_append_new(list, json_of_number(ratio.value));
    json_array_append_new(list, json_of_number(ratio.lo));
    json_array_append_new(list, json_of_number(ratio.hi));
    json_array_append_new(list, json_of_number(ratio.level));
    return list;
}

json_t *paper_performance_json(const struct summary *summary)
{
    json_t *list = json_array();
    double n[SIZES_MAX];
    const size_t sizes = find_sizes(summary, n);
    for (size_t i = 0; i < sizes; i++) {
        struct size_rows rows;
        find_rows(summary, n[i], &rows);
        const struct record *one = row_ok(rows.one) ? rows.one : NULL;
        const struct record *many = row_ok(rows.automatic) ? rows.automatic : NULL;
        json_t *item = json_object();
        json_object_set_new(item, "N", json_integer(lround(n[i])));
        json_object_set_new(item, "seconds", json_of_number(number_of(one, COL_t_total_s, 1)));
        json_object_set_new(item, "seconds_auto", json_of_number(number_of(many, COL_t_total_s, 1)));
        json_object_set_new(item, "threads_auto", json_of_number(number_of(many, COL_threads, 1)));
        json_object_set_new(item, "gflops", json_of_number(number_of(one, COL_gflops, 1)));
        json_object_set_new(item, "share", json_of_number(number_of(one, COL_share, 1)));
        json_object_set_new(item, "share_reverse", json_of_number(number_of(one, COL_share_reverse, 1)));
        json_object_set_new(item, "share_reverse_auto",
                            json_of_number(number_of(many, COL_share_reverse, 1)));
        json_object_set_new(item, "to_prototype", ratio_json(to_prototype(rows.one)));
        json_object_set_new(item, "by_lanes", ratio_json(summary_ratio(rows.lane_one, rows.lane_auto)));
        json_object_set_new(item, "by_threads", ratio_json(summary_ratio(rows.one, rows.automatic)));
        json_object_set_new(item, "by_structure", ratio_json(summary_ratio(rows.unstructured, rows.one)));
        json_array_append_new(list, item);
    }
    return list;
}
