/* Table 5.1 of H. Zhang and A. Sandu, FATODE, SIAM J. Sci. Comput. 36 (2014) C504-C523: the shallow water equations on
 * 40 x 40 nodes, rtol = atol = 1e-6, five tau, with our rows of the sweep shallow beside it.
 *
 * "Adjoint by forward" is told in two ways: of the whole computation, which makes the forward solve too and is what
 * that table has, and of the reverse sweep alone, which is what PETSc TSAdjoint's Table 4 has:
 *
 *     t_total / t_forward,     t_reverse / t_forward.
 */
#include <math.h>
#include <string.h>

#include "paper.h"

static const double states = 4800;
static const struct {
    const char *code, *setting;
    double seconds;
} published[] = {
#include "published_shallow.def"
};
enum { PUBLISHED = sizeof published / sizeof published[0], ROWS_MAX = 256 };

static double seconds_of(const char *family, const char *what, const char *library)
{
    char code[64];
    snprintf(code, sizeof code, "FATODE %s%s", family, what);
    for (size_t i = 0; i < PUBLISHED; i++)
        if (strcmp(published[i].code, code) == 0 && strstr(published[i].setting, library))
            return published[i].seconds;
    return NAN;
}

static void print_published(FILE *out)
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

/* By series, then by outputs. */
static bool comes_after(const struct record *a, const struct record *b)
{
    const int order = strcmp(a->text[COL_series], b->text[COL_series]);
    return order > 0 || (order == 0 && a->number[COL_m] > b->number[COL_m]);
}

/* In order: a sweep writes its rows in one that is drawn. */
static size_t find_rows(const struct summary *summary, const struct record *row[ROWS_MAX])
{
    const struct row_query query = {.sweep = "shallow", .n = states};
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
    fprintf(out, "| %s | %.0f | ", row->text[COL_series], row->number[COL_m]);
    if (!row_ok(row))
        fprintf(out, "%s | | | | | | |\n", row->text[COL_status]);
    else
        fprintf(out, "%.4g | %.4g | %.3g | %.3g | %.0f | %.0f | %.0f |\n", forward, total, total / forward,
                reverse / forward, row->number[COL_steps], row->number[COL_n_factor],
                row->number[COL_n_solve]);
}

void paper_print_shallow(const struct summary *summary, FILE *out)
{
    const struct record *row[ROWS_MAX];
    const size_t count = find_rows(summary, row);
    if (count == 0) return;
    fprintf(out,
            "\n## Shallow water, 4,800 states, five tau, tolerance %g (Table 5.1 of FATODE's paper)\n\n"
            "The published times are those of an 8-core Xeon of 1.86 GHz; its ROS rows may mix methods. "
            "Ours: %s,\n"
            "one thread, commit %s. adjoint: the forward solve and the sweep; outputs: how many lambda it "
            "carries.\n",
            row[0]->number[COL_rtol], row[0]->text[COL_machine], row[0]->text[COL_git]);
    print_published(out);
    fputs("\n| ours | outputs | forward [s] | adjoint [s] | adjoint by forward | sweep by "
          "forward | steps |"
          " factorisations | solves |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          out);
    for (size_t i = 0; i < count; i++) print_row(row[i], out);
}
