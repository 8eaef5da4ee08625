/* The rows that a summary is made of: files found, read and looked up. */
#include "summary.h"
#include "text_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_LENGTH = 4096 };

/* ---- files --------------------------------------------------------------------------------------------- */

static bool add_table(struct table **list, size_t *count, const char *path,
                      bool (*read)(const char *path, struct table *table, struct bench_error *error),
                      struct bench_error *error)
{
    struct table *const table = realloc(*list, (*count + 1) * sizeof *table);
    if (!table) return bench_refuse(error, "%s: no memory", path);
    *list = table;
    if (!read(path, &table[*count], error)) return false;
    ++*count;
    return true;
}

static bool add_file(struct summary *summary, const char *path, struct bench_error *error)
{
    if (summary->with_comparisons && table_is_comparison(path))
        return add_table(&summary->comparison, &summary->comparisons, path, table_read_comparison, error);
    return add_table(&summary->table, &summary->tables, path, table_read, error);
}

static bool is_named_as_rows(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".tsv") == 0;
}

static bool later(const struct stat *left, const struct stat *right)
{
    if (left->st_mtim.tv_sec != right->st_mtim.tv_sec) return left->st_mtim.tv_sec > right->st_mtim.tv_sec;
    return left->st_mtim.tv_nsec > right->st_mtim.tv_nsec;
}

/* The newest result file of a folder, "" when it has none; of equally old ones the last by name. How many there
 * are. */
static size_t newest(const char *folder, char found[PATH_LENGTH])
{
    size_t files = 0;
    struct dirent **entry;
    struct stat best = {0};
    found[0] = '\0';
    const int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_LENGTH];
        struct stat about;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (length < PATH_LENGTH && is_named_as_rows(path) && table_is_result(path) &&
            stat(path, &about) == 0) {
            if (files++ == 0 || !later(&best, &about)) {
                best = about;
                strcpy(found, path);
            }
        }
        free(entry[i]);
    }
    if (count >= 0) free(entry);
    return files;
}

static bool add_newest(struct summary *summary, const char *folder, struct bench_error *error)
{
    char path[PATH_LENGTH];
    const size_t files = newest(folder, path);
    summary->passed_over += files > 0 ? files - 1 : 0;
    return !path[0] || add_file(summary, path, error);
}

/* All of them: each is of another set of contenders. */
static bool add_comparisons(struct summary *summary, const char *folder, struct bench_error *error)
{
    struct dirent **entry;
    bool ok = true;
    const int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_LENGTH];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (ok && length < PATH_LENGTH && is_named_as_rows(path) && table_is_comparison(path))
            ok = add_file(summary, path, error);
        free(entry[i]);
    }
    if (count >= 0) free(entry);
    return ok;
}

static bool add_files(struct summary *summary, const char *folder, struct bench_error *error)
{
    return add_newest(summary, folder, error) &&
           (!summary->with_comparisons || add_comparisons(summary, folder, error));
}

/* Why a folder has nothing to say: it may hold comparisons, which are not asked for. */
static bool refuse_empty(const struct summary *summary, const char *folder, struct bench_error *error)
{
    struct summary other = {.with_comparisons = true};
    struct bench_error none;
    if (!summary->with_comparisons) summary_load(&other, folder, &none);
    const size_t comparisons = other.comparisons;
    summary_free(&other);
    if (comparisons == 0) return bench_refuse(error, "%s: no result file in it", folder);
    return bench_refuse(
        error, "%s: no result file of a sweep in it, but comparisons (%zu); to see them: sensbench report %s",
        folder, comparisons, folder);
}

static bool add_folder(struct summary *summary, const char *folder, struct bench_error *error)
{
    struct dirent **entry;
    const size_t before = summary->tables + summary->comparisons;
    bool ok = add_files(summary, folder, error);
    const int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_LENGTH];
        struct stat about;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (ok && entry[i]->d_name[0] != '.' && length < PATH_LENGTH && stat(path, &about) == 0 &&
            S_ISDIR(about.st_mode))
            ok = add_files(summary, path, error);
        free(entry[i]);
    }
    if (count >= 0) free(entry);
    if (ok && summary->tables + summary->comparisons == before) return refuse_empty(summary, folder, error);
    return ok;
}

bool summary_load(struct summary *summary, const char *path, struct bench_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) return bench_refuse(error, "%s: %s", path, strerror(errno));
    return S_ISDIR(about.st_mode) ? add_folder(summary, path, error) : add_file(summary, path, error);
}

void summary_free(struct summary *summary)
{
    for (size_t i = 0; i < summary->tables; i++) table_free(&summary->table[i]);
    for (size_t i = 0; i < summary->comparisons; i++) table_free(&summary->comparison[i]);
    free(summary->table);
    free(summary->comparison);
    summary->table = summary->comparison = NULL;
    summary->tables = summary->comparisons = 0;
}

/* ---- look-up ------------------------------------------------------------------------------------------- */

static bool same_text(const char *wanted, const char *found)
{
    return !wanted || strcmp(wanted, found) == 0;
}

/* Tolerances come from a progression that was printed with 12 digits. */
static bool same_number(double wanted, double found)
{
    return wanted == 0 || fabs(found / wanted - 1) < 1e-6;
}

static bool matches(const struct record *row, const struct row_query *query)
{
    return same_text(query->sweep, row->text[COL_sweep]) && same_text(query->method, row->text[COL_method]) &&
           same_text(query->tableau, row->text[COL_tableau]) && same_number(query->n, row->number[COL_n]) &&
           same_number(query->rtol, row->number[COL_rtol]);
}

const struct record *summary_next(const struct summary *summary, const struct row_query *query,
                                  size_t *cursor)
{
    size_t first = 0; /* number of the table's first row, over all tables */
    for (size_t t = 0; t < summary->tables; first += summary->table[t++].rows)
        while (*cursor < first + summary->table[t].rows) {
            const struct record *row = &summary->table[t].row[*cursor - first];
            ++*cursor;
            if (matches(row, query)) return row;
        }
    return NULL;
}

const struct record *summary_find(const struct summary *summary, const struct row_query *query)
{
    size_t cursor = 0;
    return summary_next(summary, query, &cursor);
}

bool row_ok(const struct record *row)
{
    return row && strcmp(row->text[COL_status], "ok") == 0;
}

size_t summary_values(const struct summary *summary, const struct row_query *query, enum record_column column,
                      size_t max, double value[])
{
    size_t count = 0, cursor = 0;
    for (const struct record *row; (row = summary_next(summary, query, &cursor));) {
        const double number = row->number[column];
        size_t at = 0;
        while (at < count && value[at] < number && !same_number(value[at], number)) at++;
        if (isnan(number) || count == max || (at < count && same_number(value[at], number))) continue;
        memmove(value + at + 1, value + at, (count - at) * sizeof *value);
        value[at] = number;
        count++;
    }
    return count;
}
