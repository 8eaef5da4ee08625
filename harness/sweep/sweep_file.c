/* A sweep: its settings, the check of every cell, and where sweep files are found. */
#include "sweep_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "names.h"

/* ---- settings ------------------------------------------------------------------------------------------ */

enum setting {
    SET_BUDGET,
    SET_SAMPLES,
    SET_WARMUPS,
    SET_SAMPLE_BUDGET,
    SET_TIMEOUT,
    SET_MEMORY,
    SET_SEED,
    SET_COUNT
};

static const struct {
    const char *key;
    double fallback, max;
    bool whole;
} settings[SET_COUNT] = {
    [SET_BUDGET] = {"budget", 0, 1e7, false},     [SET_SAMPLES] = {"samples", 11, 10000, true},
    [SET_WARMUPS] = {"warmups", 1, 10000, true},  [SET_SAMPLE_BUDGET] = {"sample_budget", 1, 1e6, false},
    [SET_TIMEOUT] = {"timeout", 300, 1e6, false}, [SET_MEMORY] = {"memory", 4294967296.0, 1e15, true},
    [SET_SEED] = {"seed", 1, 4294967295.0, true},
};

static const char *const words[] = {"name", "title", "figure", "pin"};
enum { WORDS = sizeof words / sizeof words[0] };

static bool is_setting(const char *key)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        if (strcmp(settings[i].key, key) == 0) return true;
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(words[i], key) == 0) return true;
    return false;
}

static bool refuse_setting(const struct sweep_entry *entry, struct bench_error *error)
{
    const char *candidate[SET_COUNT + WORDS];
    for (size_t i = 0; i < SET_COUNT; i++) candidate[i] = settings[i].key;
    for (size_t i = 0; i < WORDS; i++) candidate[SET_COUNT + i] = words[i];
    const char *near = nearest_name(entry->key, candidate, SET_COUNT + WORDS);
    return bench_refuse(error, "%s: unknown key '%s' in [sweep]%s%s", entry->origin, entry->key,
                        near ? "; did you mean " : "", near ? near : "");
}

/* A number with an optional K, M or G (powers of 1024). */
static bool read_size(const char *text, double *number)
{
    char digits[64];
    const char *const units = "KMG";
    const size_t length = strlen(text);
    if (length == 0 || length >= sizeof digits) return false;
    strcpy(digits, text);
    const char *unit = strchr(units, digits[length - 1]);
    if (unit) digits[length - 1] = '\0';
    if (!read_number(digits, number)) return false;
    if (unit) *number = ldexp(*number, 10 * (int)(unit - units + 1));
    return true;
}

static bool read_settings(const struct sweep_section *section, bool quick, double value[SET_COUNT],
                          struct bench_error *error)
{
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct sweep_entry *entry = sweep_entry_find(section, settings[i].key, quick);
        value[i] = settings[i].fallback;
        if (!entry) continue;
        const bool read =
            i == SET_MEMORY ? read_size(entry->value, &value[i]) : read_number(entry->value, &value[i]);
        if (!read || value[i] < 0 || value[i] > settings[i].max ||
            (settings[i].whole && value[i] != floor(value[i])))
            return bench_refuse(error, "%s: %s: '%s' is not a%s number from 0 to %.10g", entry->origin,
                                entry->key, entry->value, settings[i].whole ? " whole" : "", settings[i].max);
    }
    return true;
}

static bool read_word(const struct sweep_section *section, const char *key, bool quick, char *text,
                      size_t size, struct bench_error *error)
{
    const struct sweep_entry *entry = sweep_entry_find(section, key, quick);
    if (!entry) return true;
    if (strlen(entry->value) >= size)
        return bench_refuse(error, "%s: %s: longer than %zu characters", entry->origin, key, size - 1);
    strcpy(text, entry->value);
    return true;
}

static bool read_pin(const struct sweep_section *section, bool quick, bool *pin, struct bench_error *error)
{
    const struct sweep_entry *entry = sweep_entry_find(section, "pin", quick);
    *pin = !entry || strcmp(entry->value, "yes") == 0;
    return *pin || strcmp(entry->value, "no") == 0 ||
           bench_refuse(error, "%s: pin: '%s' is neither yes nor no", entry->origin, entry->value);
}

/* The name becomes a folder: letters, digits and _ - . only, no leading dot. */
static bool check_name(const char *path, const struct sweep *sweep, struct bench_error *error)
{
    bool good = isalnum((unsigned char)sweep->name[0]);
    for (const char *c = sweep->name; *c; c++)
        good = good && (isalnum((unsigned char)*c) || strchr("_-.", *c));
    return good || bench_refuse(error, "%s: the sweep's name '%s' is not made of letters, digits, _ - and .",
                                path, sweep->name);
}

/* Names of plots: small letters and _, apart by blanks. */
static bool check_figure(const char *path, const struct sweep *sweep, struct bench_error *error)
{
    const bool good = strspn(sweep->figure, "abcdefghijklmnopqrstuvwxyz_ ") == strlen(sweep->figure);
    return good || bench_refuse(error, "%s: figure: '%s' is no list of plots (small letters and _)", path,
                                sweep->figure);
}

/* The file's name without folder and ending. */
static void stem(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    snprintf(name, size, "%.*s", (int)length, base);
}

static bool apply_settings(const char *path, const struct sweep_section *section, struct sweep *sweep,
                           struct bench_error *error)
{
    double value[SET_COUNT];
    for (const struct sweep_entry *entry = section ? section->first : NULL; entry; entry = entry->next)
        if (!is_setting(entry->key)) return refuse_setting(entry, error);
    stem(path, sweep->name, sizeof sweep->name);
    if (!read_settings(section, sweep->quick, value, error) ||
        !read_pin(section, sweep->quick, &sweep->measure.pin, error) ||
        !read_word(section, "name", sweep->quick, sweep->name, sizeof sweep->name, error) ||
        !read_word(section, "title", sweep->quick, sweep->title, sizeof sweep->title, error) ||
        !read_word(section, "figure", sweep->quick, sweep->figure, sizeof sweep->figure, error))
        return false;
    sweep->budget = value[SET_BUDGET];
    sweep->seed = (unsigned long)value[SET_SEED];
    sweep->measure.samples = (int)value[SET_SAMPLES];
    sweep->measure.warmups = (int)value[SET_WARMUPS];
    sweep->measure.sample_budget = value[SET_SAMPLE_BUDGET];
    sweep->measure.timeout = value[SET_TIMEOUT];
    sweep->measure.memory_limit = value[SET_MEMORY];
    return check_name(path, sweep, error) && check_figure(path, sweep, error);
}

/* ---- checks of the cells ------------------------------------------------------------------------------- */

struct identity {
    char *text;
    const char *origin;
};

static int compare_identities(const void *left, const void *right)
{
    return strcmp(((const struct identity *)left)->text, ((const struct identity *)right)->text);
}

/* --resume knows a cell by its identity, so that it has to fit a record and may not appear twice. */
static bool check_identities(const struct sweep *sweep, struct bench_error *error)
{
    struct identity *identity = calloc(sweep->count, sizeof *identity);
    bool ok = true;
    if (!identity) return bench_refuse(error, "sweep %s: no memory for %zu cells", sweep->name, sweep->count);
    for (size_t i = 0; ok && i < sweep->count; i++) {
        identity[i] = (struct identity){spec_identity(&sweep->cell[i]), sweep->cell[i].pair[0].origin};
        if (!identity[i].text || strlen(identity[i].text) >= RECORD_TEXT)
            ok = bench_refuse(error, "%s: the keys of a cell take more than %d characters",
                              identity[i].origin, RECORD_TEXT - 1);
    }
    if (ok) qsort(identity, sweep->count, sizeof *identity, compare_identities);
    for (size_t i = 1; ok && i < sweep->count; i++)
        if (strcmp(identity[i - 1].text, identity[i].text) == 0)
            ok = bench_refuse(error, "%s: the same cell as at %s: %s", identity[i].origin,
                              identity[i - 1].origin, identity[i].text);
    for (size_t i = 0; i < sweep->count; i++) free(identity[i].text);
    free(identity);
    return ok;
}

/* Whether a message says already where in a file the trouble is. */
static bool names_origin(const char *text, const struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++)
        if (strstr(text, spec->pair[i].origin)) return true;
    return false;
}

/* Bad input ends the sweep before it starts. What this program lacks (a library, an instruction set) does
 * not: such cells become rows that say so. So does a cell that takes more memory than a check may: its own
 * process, and its own limit, will tell. */
enum { CHECK_MEMORY = 1 << 28 };

static bool check_cell(const struct spec *spec, struct bench_error *error)
{
    struct sens_ctx ctx = {.arena.limit = CHECK_MEMORY};
    struct bench_error reason = {.text = ""};
    const sens_status status = cell_check(&ctx, spec, &reason);
    sens_arena_release(&ctx.arena);
    if (status != SENS_BAD_INPUT) return true;
    if (names_origin(reason.text, spec)) return bench_refuse(error, "%s", reason.text);
    return bench_refuse(error, "%s: %s", spec->pair[0].origin, reason.text);
}

static bool check_cells(const char *path, const struct sweep *sweep, struct bench_error *error)
{
    if (sweep->count == 0)
        return bench_refuse(error, "%s: no cells in the %s profile", path, sweep->quick ? "quick" : "full");
    if (!check_identities(sweep, error)) return false;
    for (size_t i = 0; i < sweep->count; i++)
        if (!check_cell(&sweep->cell[i], error)) return false;
    return true;
}

bool sweep_read(const char *path, bool quick, struct sweep *sweep, struct bench_error *error)
{
    struct sens_ctx ctx = {.now = NULL}; /* for its arena: what is read lives until the cells are made */
    struct sweep_section *first = NULL;
    const struct sweep_section *settings_section = NULL;
    *sweep = (struct sweep){.quick = quick};
    bool ok = sweep_parse(&ctx, path, &first, error);
    for (const struct sweep_section *section = first; section; section = section->next)
        if (strcmp(section->kind, "sweep") == 0) settings_section = section;
    ok = ok && apply_settings(path, settings_section, sweep, error) &&
         sweep_cells(&ctx, first, sweep, error) && check_cells(path, sweep, error);
    sens_arena_release(&ctx.arena);
    if (!ok) sweep_free(sweep);
    return ok;
}

void sweep_free(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++) spec_free(&sweep->cell[i]);
    free(sweep->cell);
    *sweep = (struct sweep){.count = 0};
}
