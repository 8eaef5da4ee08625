/* What a vector of (df/dx)^T w costs by a right-hand side, from the rows of product=vjp: for each number of lanes the
 * geometric mean over problems and sizes,
 *
 *     exp(mean of log by_rhs),
 *
 * by the problems' own right-hand sides for each provider, over what all of them took; and for compiled products by
 * the faster of the own and the generated right-hand side, that is by the larger of the two quotients. */
#include <math.h>
#include <string.h>

#include "summary.h"

enum { LANES_MAX = 32, PROVIDERS_MAX = 16 };
static const char *const first_ones[] = {"hand", "compiled", "tape", "fd", "sacado", "tmbad", "adolc"};

struct providers { /* the columns: those above, then others as the rows have them */
    int count;
    const char *name[PROVIDERS_MAX];
};

struct mean {
    size_t count;
    double logarithms, largest;
    const struct record *row; /* of the largest */
};

static void mean_add(struct mean *mean, double value, const struct record *row)
{
    mean->logarithms += log(value);
    if (mean->count++ == 0 || value > mean->largest) mean->largest = value, mean->row = row;
}

static double mean_of(const struct mean *mean)
{
    return exp(mean->logarithms / (double)mean->count);
}

static bool is(const struct record *row, enum record_column column, const char *text)
{
    return strcmp(row->text[column], text) == 0;
}

/* The next row of a product with so many lanes, by this provider and right-hand side; NULL after the last. */
static const struct record *next_product(const struct summary *summary, double lanes, const char *provider,
                                         const char *rhs, size_t *cursor)
{
    static const struct row_query any = {.sweep = NULL};
    for (const struct record *row; (row = summary_next(summary, &any, cursor));)
        if (row_ok(row) && is(row, COL_product, "vjp") && row->number[COL_lanes] == lanes &&
            row->number[COL_by_rhs] > 0 && is(row, COL_vjp, provider) && is(row, COL_rhs, rhs))
            return row;
    return NULL;
}

/* The same product at the same place, of another provider or right-hand side; NULL: there is none. */
static const struct record *beside(const struct summary *summary, const struct record *row,
                                   const char *provider, const char *rhs)
{
    size_t cursor = 0;
    for (const struct record *other;
         (other = next_product(summary, row->number[COL_lanes], provider, rhs, &cursor));)
        if (is(other, COL_problem, row->text[COL_problem]) && is(other, COL_isa, row->text[COL_isa]) &&
            is(other, COL_machine, row->text[COL_machine]) && other->number[COL_n] == row->number[COL_n])
            return other;
    return NULL;
}

static bool knows(const struct providers *providers, const char *name)
{
    for (int k = 0; k < providers->count; k++)
        if (strcmp(providers->name[k], name) == 0) return true;
    return false;
}

static struct providers find_providers(const struct summary *summary)
{
    static const struct row_query any = {.sweep = NULL};
    struct providers found = {.count = 0};
    size_t cursor = 0;
    for (size_t k = 0; k < sizeof first_ones / sizeof *first_ones; k++)
        found.name[found.count++] = first_ones[k];
    for (const struct record *row; (row = summary_next(summary, &any, &cursor));)
        if (row_ok(row) && is(row, COL_product, "vjp") && found.count < PROVIDERS_MAX &&
            !knows(&found, row->text[COL_vjp]))
            found.name[found.count++] = row->text[COL_vjp];
    return found;
}

/* ---- by the problem's own right-hand side -------------------------------------------------------------- */

static bool has_any(const struct summary *summary, double lanes, const char *provider)
{
    size_t cursor = 0;
    return next_product(summary, lanes, provider, "own", &cursor) != NULL;
}

/* The means over what every provider of these lanes took. */
static size_t means_of_all(const struct summary *summary, const struct providers *providers, double lanes,
                           struct mean mean[PROVIDERS_MAX])
{
    size_t cursor = 0;
    int first = 0;
    bool asked[PROVIDERS_MAX];
    for (int k = providers->count; k-- > 0;)
        if ((asked[k] = has_any(summary, lanes, providers->name[k]))) first = k;
    for (const struct record *row;
         (row = next_product(summary, lanes, providers->name[first], "own", &cursor));) {
        const struct record *found[PROVIDERS_MAX] = {NULL};
        bool all = true;
        for (int k = 0; k < providers->count; k++)
            if (asked[k] && !(found[k] = beside(summary, row, providers->name[k], "own"))) all = false;
        for (int k = 0; all && k < providers->count; k++)
            if (found[k]) mean_add(&mean[k], found[k]->number[COL_by_rhs], row);
    }
    return mean[first].count;
}

static void print_providers(const struct summary *summary, const struct providers *providers, size_t count,
                            const double lanes[], FILE *out)
{
    fputs("\nBy the problem's own right-hand side, over what every provider took:\n\n| lanes | cases |", out);
    for (int k = 0; k < providers->count; k++) fprintf(out, " %s |", providers->name[k]);
    fputs("\n|--:|--:|", out);
    for (int k = 0; k < providers->count; k++) fputs("--:|", out);
    fputc('\n', out);
    for (size_t i = 0; i < count; i++) {
        struct mean mean[PROVIDERS_MAX] = {{.count = 0}};
        const size_t cases = means_of_all(summary, providers, lanes[i], mean);
        if (cases == 0) continue;
        fprintf(out, "| %.0f | %zu |", lanes[i], cases);
        for (int k = 0; k < providers->count; k++)
            if (mean[k].count)
                fprintf(out, " %.3g |", mean_of(&mean[k]));
            else
                fputs(" - |", out);
        fputc('\n', out);
    }
}

/* ---- by the faster right-hand side --------------------------------------------------------------------- */

static void print_faster(const struct summary *summary, size_t count, const double lanes[], FILE *out)
{
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        struct mean mean = {.count = 0};
        size_t cursor = 0;
        for (const struct record *row; (row = next_product(summary, lanes[i], "compiled", "own", &cursor));) {
            const struct record *const other = beside(summary, row, "compiled", "generated");
            if (other) mean_add(&mean, fmax(row->number[COL_by_rhs], other->number[COL_by_rhs]), row);
        }
        if (mean.count == 0) continue;
        if (!begun)
            fputs("\nCompiled, by the faster of the own and the generated right-hand side:\n\n"
                  "| lanes | cases | mean | largest | of |\n|--:|--:|--:|--:|---|\n",
                  out);
        begun = true;
        fprintf(out, "| %.0f | %zu | %.3g | %.3g | %s, n = %.0f |\n", lanes[i], mean.count, mean_of(&mean),
                mean.largest, mean.row->text[COL_problem], mean.row->number[COL_n]);
    }
}

void summary_print_products(const struct summary *summary, FILE *out)
{
    const struct row_query any = {.sweep = NULL};
    double lanes[LANES_MAX];
    const size_t count = summary_values(summary, &any, COL_lanes, LANES_MAX, lanes);
    const struct providers providers = find_providers(summary);
    size_t seen = 0;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < providers.count; k++) seen += has_any(summary, lanes[i], providers.name[k]);
    if (seen == 0) return;
    fputs(
        "\n## Products\n\nTime of a vector of (df/dx)^T w by that of a right-hand side, geometric means over "
        "problems and sizes.\n",
        out);
    print_providers(summary, &providers, count, lanes, out);
    print_faster(summary, count, lanes, out);
}
