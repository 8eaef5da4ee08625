/* From sections to cells: the product of the axes of every [cells] section, less what its skip rules take
 * away. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

#include "array.h"
#include "sweep_file.h"

enum { CONDITIONS_MAX = 8, COMBINATIONS_MAX = 20 * SWEEP_CELLS_MAX /* skipped ones among them */ };

struct axis {
    const struct sweep_entry *entry;
    struct sweep_values values;
    size_t at; /* the odometer */
};

struct condition {
    const char *key, *value;
    char relation; /* '=', '<' (at most), '>' (at least) */
};

struct rule {
    struct rule *next;
    size_t count;
    struct condition condition[CONDITIONS_MAX];
};

struct expansion {
    struct sens_ctx *ctx;
    struct sweep *sweep;
    const struct sweep_section *defaults, *section;
    struct axis axis[SPEC_MAX];
    size_t axes;
    struct rule *rules;
    size_t capacity; /* of sweep->cell */
    struct bench_error *error;
};

static bool is_reserved(const char *key)
{
    return strcmp(key, "skip") == 0 || strcmp(key, "profile") == 0;
}

static struct axis *find_axis(struct expansion *ex, const char *key)
{
    for (size_t a = 0; a < ex->axes; a++)
        if (strcmp(ex->axis[a].entry->key, key) == 0) return &ex->axis[a];
    return NULL;
}

/* ---- axes ---------------------------------------------------------------------------------------------- */

/* The keys of one section that have no axis yet. */
static bool collect_axes(struct expansion *ex, const struct sweep_section *section)
{
    if (!section) return true;
    for (const struct sweep_entry *entry = section->first; entry; entry = entry->next) {
        if (is_reserved(entry->key) || find_axis(ex, entry->key)) continue;
        const struct sweep_entry *chosen = sweep_entry_find(section, entry->key, ex->sweep->quick);
        if (!chosen) continue; /* only the other profile has it */
        if (ex->axes == SPEC_MAX)
            return bench_refuse(ex->error, "%s: more than %d keys", entry->origin, SPEC_MAX);
        struct axis *axis = &ex->axis[ex->axes++];
        *axis = (struct axis){.entry = chosen};
        if (!sweep_values(ex->ctx, chosen, &axis->values, ex->error)) return false;
    }
    return true;
}

/* The next combination, last axis fastest; false after the last. */
static bool advance(struct expansion *ex)
{
    for (size_t a = ex->axes; a-- > 0;) {
        if (++ex->axis[a].at < ex->axis[a].values.count) return true;
        ex->axis[a].at = 0;
    }
    return false;
}

/* ---- skip rules ---------------------------------------------------------------------------------------- */

/* "key=value", "key<=value" or "key>=value", cut in place. */
static bool read_condition(char *text, struct condition *condition)
{
    char *const sign = strpbrk(text, "<>=");
    if (!sign || sign == text) return false;
    condition->key = text;
    condition->relation = *sign;
    char *value = sign + 1;
    if (*sign != '=' && *value++ != '=') return false;
    *sign = '\0';
    condition->value = value;
    double number;
    return *value && (condition->relation == '=' || read_number(value, &number));
}

/* A rule may only speak of keys that the section has; those of [defaults] stay silent where it has not. */
static bool read_rule(struct expansion *ex, const struct sweep_entry *entry, bool own)
{
    struct rule *rule = SENS_NEW(ex->ctx, struct rule, 1);
    char *text = SENS_NEW(ex->ctx, char, strlen(entry->value) + 1), *rest = NULL;
    if (!rule || !text) return bench_refuse(ex->error, "%s: no memory for the rule", entry->origin);
    strcpy(text, entry->value);
    for (char *item = strtok_r(text, " \t,", &rest); item; item = strtok_r(NULL, " \t,", &rest)) {
        char shown[SWEEP_TEXT];
        snprintf(shown, sizeof shown, "%s", item);
        if (rule->count == CONDITIONS_MAX)
            return bench_refuse(ex->error, "%s: skip: more than %d conditions", entry->origin,
                                CONDITIONS_MAX);
        struct condition *condition = &rule->condition[rule->count++];
        if (!read_condition(item, condition))
            return bench_refuse(ex->error, "%s: skip: '%s' is not key=value, key<=number or key>=number",
                                entry->origin, shown);
        if (find_axis(ex, condition->key)) continue;
        if (own)
            return bench_refuse(ex->error, "%s: skip: this section has no key '%s'", entry->origin,
                                condition->key);
        return true;
    }
    if (rule->count == 0) return bench_refuse(ex->error, "%s: skip: there is no condition", entry->origin);
    rule->next = ex->rules;
    ex->rules = rule;
    return true;
}

static bool collect_rules(struct expansion *ex, const struct sweep_section *section, bool own)
{
    if (!section) return true;
    for (const struct sweep_entry *entry = section->first; entry; entry = entry->next)
        if (strcmp(entry->key, "skip") == 0 && (!entry->quick || ex->sweep->quick) &&
            !read_rule(ex, entry, own))
            return false;
    return true;
}

static bool condition_holds(struct expansion *ex, const struct condition *condition)
{
    const struct axis *axis = find_axis(ex, condition->key);
    const char *text = axis->values.value[axis->at];
    double found, limit;
    const bool numbers = read_number(text, &found) && read_number(condition->value, &limit);
    if (condition->relation == '=')
        return fnmatch(condition->value, text, 0) == 0 || (numbers && found == limit);
    return numbers && (condition->relation == '<' ? found <= limit : found >= limit);
}

static bool is_skipped(struct expansion *ex)
{
    for (const struct rule *rule = ex->rules; rule; rule = rule->next) {
        size_t held = 0;
        while (held < rule->count && condition_holds(ex, &rule->condition[held])) held++;
        if (held == rule->count) return true;
    }
    return false;
}

/* ---- cells --------------------------------------------------------------------------------------------- */

static bool append_cell(struct expansion *ex)
{
    struct sweep *sweep = ex->sweep;
    if (sweep->count == SWEEP_CELLS_MAX)
        return bench_refuse(ex->error, "%s: more than %d cells", ex->section->origin, SWEEP_CELLS_MAX);
    if (!array_grow(&sweep->cell, sweep->count + 1, &ex->capacity, sizeof *sweep->cell))
        return bench_refuse(ex->error, "%s: no memory for %zu cells", ex->section->origin, sweep->count + 1);
    struct spec *spec = &sweep->cell[sweep->count++];
    *spec = (struct spec){.count = 0};
    for (size_t a = 0; a < ex->axes; a++) {
        const struct axis *axis = &ex->axis[a];
        if (!spec_set(spec, axis->entry->key, axis->values.value[axis->at], axis->entry->origin, ex->error))
            return false;
    }
    return true;
}

/* Before any is looked at: 4000 values of four keys would take years, even if all of them are skipped. */
static bool check_combinations(struct expansion *ex)
{
    double combinations = 1;
    for (size_t a = 0; a < ex->axes; a++) combinations *= (double)ex->axis[a].values.count;
    return combinations <= COMBINATIONS_MAX ||
           bench_refuse(ex->error, "%s: %.3g combinations of values, skipped ones among them; at most %d",
                        ex->section->origin, combinations, COMBINATIONS_MAX);
}

static bool expand_section(struct expansion *ex)
{
    ex->axes = 0;
    ex->rules = NULL;
    if (!collect_axes(ex, ex->section) || !collect_axes(ex, ex->defaults)) return false;
    if (!collect_rules(ex, ex->section, true) || !collect_rules(ex, ex->defaults, false)) return false;
    if (ex->axes == 0) return bench_refuse(ex->error, "%s: this section has no keys", ex->section->origin);
    if (!check_combinations(ex)) return false;
    do {
        if (!is_skipped(ex) && !append_cell(ex)) return false;
    } while (advance(ex));
    return true;
}

/* Whether the section belongs to the profile that is read. */
static bool section_applies(const struct expansion *ex, bool *applies)
{
    const struct sweep_entry *entry = sweep_entry_find(ex->section, "profile", false);
    if (!entry && ex->defaults) entry = sweep_entry_find(ex->defaults, "profile", false);
    const bool quick = entry && strcmp(entry->value, "quick") == 0;
    const bool full = entry && strcmp(entry->value, "full") == 0;
    *applies = !entry || (ex->sweep->quick ? quick : full);
    return !entry || quick || full ||
           bench_refuse(ex->error, "%s: profile: '%s' is neither quick nor full", entry->origin,
                        entry->value);
}

bool sweep_cells(struct sens_ctx *ctx, const struct sweep_section *first, struct sweep *sweep,
                 struct bench_error *error)
{
    struct expansion *ex = SENS_NEW(ctx, struct expansion, 1);
    if (!ex) return bench_refuse(error, "no memory to expand sweep %s", sweep->name);
    *ex = (struct expansion){.ctx = ctx, .sweep = sweep, .error = error};
    for (const struct sweep_section *section = first; section; section = section->next)
        if (strcmp(section->kind, "defaults") == 0) ex->defaults = section;
    for (ex->section = first; ex->section; ex->section = ex->section->next) {
        bool applies;
        if (strcmp(ex->section->kind, "cells") != 0) continue;
        if (!section_applies(ex, &applies) || (applies && !expand_section(ex))) return false;
    }
    return true;
}
