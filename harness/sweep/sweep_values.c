/* The values of an axis: a list separated by blanks or commas, whose items are plain words, patterns over
 * the registry (and '!' patterns that take names away), or the progressions log(first, last, count) and
 * lin(first, last, count):
 *     log: first (last/first)^(i/(count-1)),   lin: first + (last - first) i/(count-1),   0 <= i < count. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "files.h"
#include "modules.h"
#include "sweep_file.h"
#include "variants.h"

enum { VALUES_MAX = 4096, ITEM_LENGTH = 512 };

struct builder {
    struct sens_ctx *ctx;
    const struct sweep_entry *entry;
    struct sweep_values *values;
    struct bench_error *error;
};

static bool refuse(const struct builder *builder, const char *what, const char *word)
{
    return bench_refuse(builder->error, "%s: %s: %s '%s'", builder->entry->origin, builder->entry->key, what,
                        word);
}

/* Index of a value, or count. */
static size_t find_value(const struct sweep_values *values, const char *value)
{
    size_t i = 0;
    while (i < values->count && strcmp(values->value[i], value) != 0) i++;
    return i;
}

static bool add_value(struct builder *builder, const char *value)
{
    struct sweep_values *values = builder->values;
    if (values->count == VALUES_MAX) return refuse(builder, "too many values at", value);
    char *copy = SENS_NEW(builder->ctx, char, strlen(value) + 1);
    if (!copy) return refuse(builder, "no memory for the value", value);
    values->value[values->count++] = strcpy(copy, value);
    return true;
}

static bool add_word(struct builder *builder, const char *word)
{
    if (find_value(builder->values, word) < builder->values->count)
        return refuse(builder, "given twice:", word);
    return add_value(builder, word);
}

/* ---- progressions -------------------------------------------------------------------------------------- */

/* "log(a,b,c)" into its three numbers. */
static bool read_progression(const char *item, double number[3])
{
    char text[ITEM_LENGTH];
    snprintf(text, sizeof text, "%s", strchr(item, '(') + 1);
    char *rest = text;
    for (int i = 0; i < 3; i++) {
        const size_t length = strcspn(rest, i < 2 ? "," : ")");
        if (rest[length] == '\0') return false;
        rest[length] = '\0';
        if (!read_number(rest, &number[i])) return false;
        rest += length + 1;
    }
    return *rest == '\0';
}

static bool add_progression(struct builder *builder, const char *item)
{
    const bool geometric = strncmp(item, "log(", 4) == 0;
    double number[3];
    if (!geometric && strncmp(item, "lin(", 4) != 0)
        return refuse(builder, "a progression is log(first, last, count) or lin(first, last, count), not",
                      item);
    if (!read_progression(item, number)) return refuse(builder, "not three numbers:", item);
    const double first = number[0], last = number[1], count = number[2];
    if (geometric && !(first > 0 && last > 0)) return refuse(builder, "both ends must be positive:", item);
    if (!(count >= 2 && count <= VALUES_MAX && count == floor(count)))
        return refuse(builder, "the count must be a whole number from 2:", item);
    for (int i = 0; i < (int)count; i++) {
        const double s = i / (count - 1);
        const double value = geometric ? first * pow(last / first, s) : first + (last - first) * s;
        char text[64];
        snprintf(text, sizeof text, "%.12g", value);
        if (!add_word(builder, text)) return false;
    }
    return true;
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

/* All names that a key can take; none for a key without a registry. */
static void names_of(const char *key, const struct sens_registry *reg, struct variant_names *names)
{
    variant_names(reg, key, names);
    if (strcmp(key, "isa") != 0) return;
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++)
        if (variant_supported(*variant)) names->name[names->count++] = (*variant)->isa;
}

static bool add_matches(struct builder *builder, const char *pattern)
{
    const struct sens_registry *reg = variant_find("auto", builder->error);
    if (!reg) return false;
    struct variant_names names;
    names_of(builder->entry->key, reg, &names);
    if (names.count == 0) return refuse(builder, "this key has no names to match the pattern", pattern);
    bool matched = false;
    for (size_t i = 0; i < names.count; i++) {
        if (fnmatch(pattern, names.name[i], 0) != 0) continue;
        matched = true;
        if (find_value(builder->values, names.name[i]) < builder->values->count) continue;
        if (!add_value(builder, names.name[i])) return false;
    }
    return matched || refuse(builder, "nothing matches the pattern", pattern);
}

static bool remove_matches(struct builder *builder, const char *pattern)
{
    struct sweep_values *values = builder->values;
    size_t kept = 0;
    for (size_t i = 0; i < values->count; i++)
        if (fnmatch(pattern, values->value[i], 0) != 0) values->value[kept++] = values->value[i];
    if (kept == values->count) return refuse(builder, "nothing before it to take away by", pattern);
    values->count = kept;
    return true;
}

/* ---- items --------------------------------------------------------------------------------------------- */

static bool add_item(struct builder *builder, const char *item)
{
    if (strchr(item, '(')) return add_progression(builder, item);
    if (item[0] == '!') return remove_matches(builder, item + 1);
    if (strpbrk(item, "*?[")) return add_matches(builder, item);
    return add_word(builder, item);
}

/* Copies the next item of *text, blanks left out, up to a blank or comma outside parentheses. False with a
 * message when it is too long or a parenthesis stays open; an empty item ends the list. */
static bool next_item(const struct builder *builder, const char **text, char item[ITEM_LENGTH])
{
    static const char gap[] = " \t,";
    const char *c = *text + strspn(*text, gap);
    size_t used = 0;
    int depth = 0;
    for (; *c && (depth > 0 || !strchr(gap, *c)); c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth < 0 || used + 1 == ITEM_LENGTH) break;
        if (!strchr(" \t", *c)) item[used++] = *c;
    }
    item[used] = '\0';
    *text = c;
    if (used + 1 == ITEM_LENGTH) return refuse(builder, "too long a value:", item);
    return depth == 0 || refuse(builder, "parentheses do not match in", builder->entry->value);
}

bool sweep_values(struct sens_ctx *ctx, const struct sweep_entry *entry, struct sweep_values *values,
                  struct bench_error *error)
{
    *values = (struct sweep_values){0, SENS_NEW(ctx, const char *, VALUES_MAX)};
    struct builder builder = {ctx, entry, values, error};
    if (!values->value) return refuse(&builder, "no memory for the values", entry->value);
    const char *text = entry->value;
    for (char item[ITEM_LENGTH];;) {
        if (!next_item(&builder, &text, item)) return false;
        if (!item[0]) break;
        if (!add_item(&builder, item)) return false;
    }
    return values->count > 0 || refuse(&builder, "no value is left of", entry->value);
}
