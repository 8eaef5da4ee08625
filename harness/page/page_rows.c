/* Rows as columns of JSON, without saying anything twice. A column is one of
 *
 *     {"all": value}                                   the same in every row
 *     {"of": [value, ...], "at": places}               row r has of[i], i the place r of places
 *     {"each": [value, ...]}                           numbers, a row each
 *     {"words": [text, ...], "at": [places, ...]}      row r has the words words[i] of its places, with blanks between
 *
 * Places are one text in which each is a number to the base 64 (digits 0-9 A-Z a-z - _), of as many digits as the
 * largest needs that the column may have. Lines of the file are runs of consecutive ones: [[first, how many], ...].
 * The settings of a row before that has a pair are left out (page_leave_cells): no words.
 * A column that no row has a value in is left out. null: not known. Numbers have five digits: the file, whose name
 * and line stand beside each row, has them all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

#include "array.h"

/* ---- one value ----------------------------------------------------------------------------------------- */

static bool is_text(int column)
{
    return record_column_info[column].kind == COLUMN_TEXT;
}

static json_t *value_of(const struct record *row, int column)
{
    static const double whole = 9007199254740992.0; /* 2^53: beyond it not every whole number is a double */
    if (is_text(column)) return json_of_text(row->text[column]);
    const double number = row->number[column];
    if (record_column_info[column].kind == COLUMN_INT && fabs(number) < whole)
        return json_integer((json_int_t)number);
    return json_of_number(number);
}

static bool same_value(const struct record *a, const struct record *b, int column)
{
    if (is_text(column)) return strcmp(a->text[column], b->text[column]) == 0;
    const double x = a->number[column], y = b->number[column];
    return x == y || (isnan(x) && isnan(y));
}

static bool has_value(const struct record *row, int column)
{
    return is_text(column) ? row->text[column][0] != '\0' : !isnan(row->number[column]);
}

/* ---- which rows have the same value -------------------------------------------------------------------- */

struct ranked {
    const struct record *row;
    size_t index;
    int column; /* the same in all */
};

static int compare_values(const struct record *a, const struct record *b, int column)
{
    if (is_text(column)) return strcmp(a->text[column], b->text[column]);
    const double x = a->number[column], y = b->number[column];
    if (isnan(x) || isnan(y)) return isnan(y) - isnan(x);
    return (x > y) - (x < y);
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *const a = left, *const b = right;
    const int order = compare_values(a->row, b->row, a->column);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* at[r]: the number of row r's value among the different ones, ascending; first[i]: a row that has value i.
 * How many there are; 0: no memory. */
static size_t number_values(const struct table *table, int column, size_t *at, size_t *first)
{
    struct ranked *const ranked = calloc(table->rows, sizeof *ranked);
    size_t count = 0;
    if (!ranked) return 0;
    for (size_t r = 0; r < table->rows; r++) ranked[r] = (struct ranked){&table->row[r], r, column};
    qsort(ranked, table->rows, sizeof *ranked, compare_ranked);
    for (size_t k = 0; k < table->rows; k++) {
        if (k == 0 || !same_value(ranked[k].row, ranked[k - 1].row, column)) first[count++] = ranked[k].index;
        at[ranked[k].index] = count - 1;
    }
    free(ranked);
    return count;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* Numbers below `count` as one text, see above. NULL: no memory. */
static json_t *places_text(const size_t *at, size_t length, size_t count)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    size_t width = 1;
    for (size_t range = 64; range < count; range *= 64) width++;
    char *const text = malloc(length * width + 1);
    if (!text) return NULL;
    for (size_t i = 0; i < length; i++)
        for (size_t d = 0, number = at[i]; d < width; d++, number /= 64)
            text[i * width + width - 1 - d] = digits[number % 64];
    json_t *const json = json_stringn(text, length * width);
    free(text);
    return json;
}

static json_t *listed(const struct table *table, int column, size_t count, const size_t *at,
                      const size_t *first)
{
    json_t *const of = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(of, value_of(&table->row[first[i]], column));
    return json_pack("{s:o,s:o}", "of", of, "at", places_text(at, table->rows, count));
}

static json_t *each(const struct table *table, int column)
{
    json_t *const object = json_object(), *const list = json_array();
    for (size_t r = 0; r < table->rows; r++) json_array_append_new(list, value_of(&table->row[r], column));
    json_object_set_new(object, "each", list);
    return object;
}

/* The number of a word; known: word -> number, words: in their order. */
static size_t word_number(json_t *known, json_t *words, const char *text, size_t length)
{
    char word[RECORD_TEXT];
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    json_t *const name = json_of_text(word);
    const char *const key = json_string_value(name);
    const json_t *const found = key ? json_object_get(known, key) : NULL;
    const size_t number = found ? (size_t)json_integer_value(found) : json_array_size(words);
    if (!found && key) json_object_set_new(known, key, json_integer((json_int_t)number));
    if (!found) json_array_append(words, name);
    json_decref(name);
    return number;
}

/* The numbers of a text's words; how many. */
static size_t words_of(const char *text, json_t *known, json_t *words, size_t numbers[RECORD_TEXT])
{
    for (size_t count = 0;; text++) {
        const size_t length = strcspn(text, " ");
        numbers[count++] = word_number(known, words, text, length);
        text += length;
        if (!*text) return count;
    }
}

/* Twice over the rows, as the width of a place follows from the number of different words. */
static json_t *in_words(const struct table *table, int column)
{
    json_t *const known = json_object(), *const words = json_array(), *const at = json_array();
    size_t numbers[RECORD_TEXT];
    for (size_t r = 0; r < table->rows; r++) words_of(table->row[r].text[column], known, words, numbers);
    for (size_t r = 0; r < table->rows; r++) {
        const size_t count = words_of(table->row[r].text[column], known, words, numbers);
        json_array_append_new(at, places_text(numbers, count, json_array_size(words)));
    }
    json_decref(known);
    return json_pack("{s:o,s:o}", "words", words, "at", at);
}

static json_t *column_of(const struct table *table, int column, size_t *at, size_t *first)
{
    const size_t count = number_values(table, column, at, first);
    if (count == 0) return NULL;
    if (count == 1) return json_pack("{s:o}", "all", value_of(&table->row[0], column));
    if (count <= table->rows / 4) return listed(table, column, count, at, first);
    return is_text(column) ? in_words(table, column) : each(table, column);
}

/* What is said of a row that another one is held against, and of one of a comparison; of the others all. */
static bool is_told(const struct table *table, int column, bool brief)
{
    static const int told[] = {COL_status, COL_problem, COL_n,       COL_np,       COL_method,  COL_tableau,
                               COL_rtol,   COL_dt,      COL_steps,   COL_rejects,  COL_t_lo_s,  COL_t_total_s,
                               COL_t_hi_s, COL_samples, COL_err_x,   COL_err_grad, COL_machine, COL_git,
                               COL_sweep,  COL_cell,    COL_message, COL_library,  COL_series};
    static const int compared[] = {COL_t1, COL_lanes, COL_threads, COL_isa, COL_share_reverse};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (told[i] == column) return true;
    for (size_t i = 0; table->compared && i < sizeof compared / sizeof compared[0]; i++)
        if (compared[i] == column) return true;
    return !brief;
}

static bool add_columns(const struct table *table, bool brief, json_t *columns)
{
    size_t *const at = calloc(table->rows + 1, sizeof *at), *const first =
                                                                calloc(table->rows + 1, sizeof *first);
    bool ok = at && first;
    for (int c = 0; ok && c < COLUMN_COUNT; c++) {
        bool any = false;
        for (size_t r = 0; r < table->rows && !any && is_told(table, c, brief); r++)
            any = has_value(&table->row[r], c);
        if (!any) continue;
        json_t *const column = column_of(table, c, at, first);
        ok = column && json_object_set_new(columns, record_column_info[c].name, column) == 0;
    }
    free(at);
    free(first);
    return ok;
}

/* What the page says of a contender, as {"each": [value, ...]}. */
static bool add_compared(const struct table *table, json_t *columns)
{
    static const int told[] = {COMPARED_group, COMPARED_contender, COMPARED_rounds,
                               COMPARED_ratio, COMPARED_ratio_lo,  COMPARED_ratio_hi,
                               COMPARED_error, COMPARED_keys,      COMPARED_changes};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        const int c = told[i];
        json_t *const list = json_array();
        for (size_t r = 0; r < table->rows; r++) {
            const struct compared *const row = &table->compared[r];
            json_array_append_new(list, c < COMPARED_NUMBERS ? json_of_number(row->number[c])
                                        : c == COMPARED_keys ? json_of_text(row->keys)
                                                             : json_of_text(row->changes));
        }
        if (json_array_size(list) != table->rows) return json_decref(list), false;
        if (json_object_set_new(columns, compared_name[c], json_pack("{s:o}", "each", list)) != 0)
            return false;
    }
    return true;
}

/* The number of a line of a prelude, as it stands for the first time or was found before; NULL: no memory. */
static json_t *said_number(struct page_said *said, const struct prelude_line *line)
{
    json_t *const key = json_of_text(line->key), *const value = json_of_text(line->value),
                  *const both = json_sprintf("%s: %s", json_string_value(key), json_string_value(value));
    const char *const name = json_string_value(both);
    json_t *number = name ? json_incref(json_object_get(said->known, name)) : NULL;
    if (name && !number) {
        number = json_integer((json_int_t)json_array_size(said->lines));
        json_object_set(said->known, name, number);
        json_array_append_new(said->lines, json_pack("[O,O]", key, value));
    }
    json_decref(key);
    json_decref(value);
    json_decref(both);
    return number;
}

/* [[first, how many], ...]. NULL: no memory. */
static json_t *lines_of(const struct table *table)
{
    json_t *const runs = json_array();
    for (size_t r = 0, next; r < table->rows; r = next) {
        for (next = r + 1; next < table->rows && table->line[next] == table->line[next - 1] + 1;) next++;
        if (json_array_append_new(
                runs, json_pack("[I,I]", (json_int_t)table->line[r], (json_int_t)(next - r))) != 0) {
            json_decref(runs);
            return NULL;
        }
    }
    return runs;
}

json_t *page_table(const struct table *table, bool brief, struct page_said *said)
{
    json_t *const object = json_object(), *const columns = json_object(), *const lines = lines_of(table),
                  *const prelude = json_array();
    for (size_t i = 0; i < table->preludes; i++)
        json_array_append_new(prelude, said_number(said, &table->prelude[i]));
    const bool ok = add_columns(table, brief, columns) && (!table->compared || add_compared(table, columns));
    json_object_set_new(object, "path", json_of_text(table->path));
    json_object_set_new(object, "prelude", prelude);
    json_object_set_new(object, "rows", json_integer((json_int_t)table->rows));
    json_object_set_new(object, "lines", lines);
    json_object_set_new(object, "columns", columns);
    if (ok && json_object_size(object) == 5) return object;
    json_decref(object);
    return NULL;
}

json_t *page_columns(void)
{
    static const char *const kind[] = {
        [COLUMN_TEXT] = "text", [COLUMN_INT] = "whole", [COLUMN_REAL] = "real"};
    json_t *const list = json_array();
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const struct column_info *const info = &record_column_info[c];
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:s}", "name", info->name, "kind", kind[info->kind],
                                        "unit", info->unit, "meaning", info->meaning));
    }
    return list;
}
