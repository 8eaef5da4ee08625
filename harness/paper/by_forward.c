/* How long an adjoint takes by the forward solve: what two papers contradict each other on, with our rows beside them.
 *
 *   shallow    Table 5.1 of H. Zhang and A. Sandu, FATODE, SIAM J. Sci. Comput. 36 (2014) C504-C523: the shallow water
 *              equations on 40 x 40 nodes, rtol = atol = 1e-6, five tau.
 *   tsadjoint  Table 4 of H. Zhang, E. M. Constantinescu and B. F. Smith, PETSc TSAdjoint: Gray-Scott on 100 x 100
 *              points, ten steps of 0.5.
 *
 * The first counts the whole computation, which makes the forward solve too, the second the reverse sweep alone:
 *
 *     t_total / t_forward,     t_reverse / t_forward.
 */
#include <math.h>
#include <string.h>

#include "paper.h"

static const struct {
    const char *code, *setting;
    double seconds;
} published_times[] = {
#include "published_shallow.def"
};
static const struct {
    const char *code, *setting;
    double ratio;
} published_ratios[] = {
#include "published_ratios.def"
};
enum {
    TIMES = sizeof published_times / sizeof published_times[0],
    RATIOS = sizeof published_ratios / sizeof published_ratios[0],
    ROWS_MAX = 256
};

static double seconds_of(const char *family, const char *what, const char *library)
{
    char code[64];
    snprintf(code, sizeof code, "FATODE %s%s", family, what);
    for (size_t i = 0; i < TIMES; i++)
        if (strcmp(published_times[i].code, code) == 0 && strstr(published_times[i].setting, library))
            return published_times[i].seconds;
    return NAN;
}

static void print_fatode(FILE *out)
{
    static const char *const family[] = {"ROS", "RK", "SDIRK"}, *const library[] = {"LAPACK", "UMFPACK",
                                                                                    "SuperLU"};
    fputs("\n| FATODE, as published | library | forward [s] | adjoint [s] | adjoint by forward | sweep by "
          "forward |\n"
          "|---|---|--:|--:|--:|--:|\n",
          out);
    for (size_t f = 0; f < 3; f++)
        for (size_t k = 0; k < 3; k++) {
            const double forward = seconds_of(family[f], "", library[k]),
                         adjoint = seconds_of(family[f], "_ADJ", library[k]);
            fprintf(out, "| %s | %s | %.4g | %.4g | %.3g | %.3g |\n", family[f], library[k], forward, adjoint,
                    adjoint / forward, adjoint / forward - 1);
        }
}

static void print_tsadjoint(FILE *out)
{
    fputs("\n| PETSc TSAdjoint, as published | df/dx | sweep by forward |\n|---|---|--:|\n", out);
    for (size_t i = 0; i < RATIOS; i++)
        fprintf(out, "| %s | %s | %.2f |\n", published_ratios[i].code, published_ratios[i].setting,
                published_ratios[i].ratio);
}

/* By method, series, then by outputs. */
static bool comes_after(const struct record *a, const struct record *b)
{
    const int method = strcmp(a->text[COL_method], b->text[COL_method]),
              series = strcmp(a->text[COL_series], b->text[COL_series]);
    if (method != 0) return method > 0;
    if (series != 0) return series > 0;
    return a->number[COL_m] > b->number[COL_m];
}

/* In order: a sweep writes its rows in one that is drawn. */
static size_t find_rows(const struct summary *summary, const char *sweep, double n,
                        const struct record *row[ROWS_MAX])
{
    const struct row_query query = {.sweep = sweep, .n = n};
    size_t count = 0, cursor = 0;
    for (const struct record *next; count < ROWS_MAX && (next = summary_next(summary, &query, &cursor));
         count++) {
        size_t at = count;
        for (; at > 0 && comes_after(row[at - 1], next); at--) row[at] = row[at - 1];
        row[at] = next;
    }
    return count;
}

static void print_row(const struct record *row, FILE *out)
{
    const double forward = row->number[COL_t_forward_s], total = row->number[COL_t_total_s],
                 reverse = row->number[COL_t_reverse_s];
    fprintf(out, "| %s: %s | %.0f | ", row->text[COL_method], row->text[COL_series], row->number[COL_m]);
    if (!row_ok(row))
        fprintf(out, "%s | | | | | | |\n", row->text[COL_status]);
    else
        fprintf(out, "%.4g | %.4g | %.3g | %.3g | %.0f | %.0f | %.0f |\n", forward, total, total / forward,
                reverse / forward, row->number[COL_steps], row->number[COL_n_factor],
                row->number[COL_n_solve]);
}

static void print_rows(const struct record *const *row, size_t count, FILE *out)
{
    fprintf(
        out,
        "\nMeasured: %s, one thread, commit %s. adjoint: the forward solve and the sweep; outputs: how many "
        "lambda it carries.\n\n"
        "| method | outputs | forward [s] | adjoint [s] | adjoint by forward | sweep by forward | steps | "
        "factorisations | solves |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        row[0]->text[COL_machine], row[0]->text[COL_git]);
    for (size_t i = 0; i < count; i++) print_row(row[i], out);
}

void paper_print_by_forward(const struct summary *summary, FILE *out)
{
    const struct record *row[ROWS_MAX];
    size_t count = find_rows(summary, "shallow", 4800, row);
    if (count > 0) {
        fprintf(
            out,
            "\n## Shallow water, 4,800 states, five tau, tolerance %g (Table 5.1 of FATODE's paper)\n\n"
            "The published times are those of an 8-core Xeon of 1.86 GHz; its ROS rows may mix methods.\n",
            row[0]->number[COL_rtol]);
        print_fatode(out);
        print_rows(row, count, out);
    }
    count = find_rows(summary, "tsadjoint", 20000, row);
    if (count > 0) {
        fputs(
            "\n## Gray-Scott, 20,000 states, ten steps of 0.5 (Table 4 of PETSc TSAdjoint's paper)\n\n"
            "The published multiples are of a whole optimisation, about 200 gradients, on another machine.\n",
            out);
        print_tsadjoint(out);
        print_rows(row, count, out);
    }
}
