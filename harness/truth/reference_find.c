/* The reference of a cell: where it is looked for, whether it is of this very problem, and the command that
 * makes one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "modules.h"
#include "reference.h"
#include "resolve.h"

static const char proposed_folder[] = "references";

/* ---- folders ------------------------------------------------------------------------------------------- */

struct search {
    const char *given; /* folders separated by colons; NULL: none */
    int place;         /* of the program's own data */
};

/* The next folder that may hold references; false after the last. */
static bool next_folder(struct search *search, char dir[DATA_PATH])
{
    while (search->given && *search->given) {
        const char *at = search->given;
        const size_t length = strcspn(at, ":");
        search->given += length + (at[length] == ':');
        snprintf(dir, DATA_PATH, "%.*s", (int)length, at);
        if (length > 0 && length < DATA_PATH) return true;
    }
    while (search->place < DATA_PLACES)
        if (data_folder(search->place++, "reference", "results/reference", dir)) {
            search->place = DATA_PLACES; /* one: the installed data, or else the source tree */
            return true;
        }
    return false;
}

bool reference_folder(char dir[DATA_PATH])
{
    return next_folder(&(struct search){getenv("SENSBENCH_REFERENCE"), DATA_PLACES}, dir);
}

/* ---- the command that makes one ------------------------------------------------------------------------ */

static bool is_builtin(const struct cell *cell)
{
    const struct sens_problem_type *const *problem = sens_registry_baseline()->problems;
    const struct sens_cost_type *const *cost = sens_registry_baseline()->costs;
    while (*problem && strcmp((*problem)->name, cell->problem.type->name) != 0) problem++;
    while (*cost && strcmp((*cost)->name, cell->cost.type->name) != 0) cost++;
    const bool own = strcmp(cell->cost.type->name, sens_registry_baseline()->own->name) == 0;
    return (*problem || cell->problem.type->model) && (*cost || own);
}

static void append_key(char text[REFERENCE_COMMAND], const char *key, const char *value)
{
    append(text, REFERENCE_COMMAND, " %s=%s", key, value);
}

/* value NULL: without it */
static void append_flag(const char *flag, const char *value, char text[REFERENCE_COMMAND])
{
    if (!value) return;
    append(text, REFERENCE_COMMAND, "%s", flag);
    append_word(text, REFERENCE_COMMAND, value);
}

/* With the owner's name where the key alone means another one: of the program, or of the table before. */
static void append_options(const char *owner, const struct sens_option *option,
                           const struct sens_value *value, const struct sens_option *before,
                           const char *without, char *text)
{
    char shown[RANGE_TEXT], key[128];
    for (size_t i = 0; i < sens_option_count(option); i++) {
        const char *name = option[i].name;
        const bool taken = bench_key_find(name) || sens_option_find(before, name) >= 0;
        if (option[i].kind == SENS_OPT_DATA || strcmp(name, without) == 0) continue;
        snprintf(key, sizeof key, "%s%s", taken ? owner : "", name);
        append_key(text, key, option_text(&option[i], value[i].number, shown));
    }
}

static bool takes_data(const struct cell *cell)
{
    for (size_t i = 0; i < sens_option_count(cell->cost_option); i++)
        if (cell->cost_value[i].count > 0) return true;
    return false;
}

/* Why no command makes one; NULL: one does. */
static const char *why_none(const struct cell *cell)
{
    if (!cell->reference_key[0] && (cell->params_file[0] || cell->x0_file[0] || takes_data(cell)))
        return "references are stored for options, and not for parameters, initial states or data of a file";
    if (cell->problem.mass) return "references are of systems without a mass matrix";
    if (!cell->reference_key[0])
        return "its options are too long for the name that a reference is stored under";
    if (is_builtin(cell)) return NULL;
    return "sensbench truth makes references for the problems and costs of the program itself and for "
           "models; a "
           "plug-in has its function exact for this";
}

/* The command itself. */
static void make_command(const struct cell *cell, const char *dir, size_t rows, char text[REFERENCE_COMMAND])
{
    static const char *const wrt[] = {"", "p", "x0", "both"};
    char folder[DATA_PATH], shown[NUMBER_TEXT];
    const struct sens_option *options = cell->problem.type->options;
    const int T = sens_option_find(options, "T");
    const double t1 = (double)cell->problem.t1;
    const bool by_T = T >= 0 && cell->problem_value[T].number == t1; /* T and t1 are not taken together */
    snprintf(text, REFERENCE_COMMAND, "to make one: sensbench truth %s", cell->problem.type->name);
    append_options("problem.", options, cell->problem_value, NULL, by_T ? "" : "T", text);
    if (!by_T) append_key(text, "t1", number_text(t1, shown));
    append_key(text, "cost", cell->cost.type->name);
    append_options("cost.", cell->cost_option, cell->cost_value, options, "", text);
    append_key(text, "wrt", wrt[sens_parts_wrt(cell->task.parts)]);
    const bool known = dir || reference_folder(folder);
    if (rows) append(text, REFERENCE_COMMAND, " --rows %zu", rows);
    append_flag(" --models ", problem_given(cell->problem.type->name), text);
    append_flag(" --out ", dir ? dir : known ? NULL : proposed_folder, text);
    if (!known) append(text, REFERENCE_COMMAND, "; then set SENSBENCH_REFERENCE=%s", proposed_folder);
}

void reference_advice(const struct cell *cell, const char *dir, size_t rows, char text[REFERENCE_COMMAND])
{
    const char *const why = why_none(cell);
    if (why)
        snprintf(text, REFERENCE_COMMAND, "%s", why);
    else
        make_command(cell, dir, rows, text);
}

/* ---- the reference ------------------------------------------------------------------------------------- */

/* Adds the command to what is wrong with a file. */
static sens_status refuse(const struct cell *cell, const char *dir, const struct reference *ref,
                          struct bench_error *error)
{
    char advice[REFERENCE_COMMAND];
    reference_advice(cell, dir, ref->rows < ref->m ? ref->rows : 0, advice);
    const struct bench_error why = *error;
    bench_refuse(error, "%.480s; %s", why.text, advice);
    return SENS_BAD_INPUT;
}

/* Whether a file that could be read is of this cell: its key, its shape, its fingerprint. */
static bool belongs(struct sens_ctx *ctx, const struct cell *cell, const char *path,
                    const struct reference *ref, struct bench_error *error)
{
    struct fingerprint print;
    struct bench_error difference;
    if (strcmp(ref->key, cell->reference_key) != 0)
        return bench_refuse(error, "%s is for '%s'", path, ref->key);
    if (ref->n != cell->problem.n || ref->np != cell->problem.np || ref->m != cell->cost.m)
        return bench_refuse(error, "%s: shape n=%zu np=%zu m=%zu is not the problem's", path, ref->n, ref->np,
                            ref->m);
    if (fingerprint_make(ctx, cell, &print) != SENS_OK) return bench_refuse(error, "%s: no memory", path);
    return fingerprint_same(&print, &ref->print, &difference) ||
           bench_refuse(error, "%s is a solution of other equations than %s has now: %s", path,
                        cell->problem.type->name, difference.text);
}

static sens_status missing(const struct cell *cell, const char *dir, struct bench_error *error)
{
    char advice[REFERENCE_COMMAND];
    reference_advice(cell, dir, 0, advice);
    bench_refuse(error, "no stored reference of %s%s; %s",
                 cell->reference_key[0] ? cell->reference_key : cell->problem.type->name,
                 cell->problem.type->exact ? ", and no closed form that fits" : "", advice);
    return SENS_NO_TRUTH;
}

sens_status reference_find(struct sens_ctx *ctx, const struct cell *cell, const char *dir,
                           char path[DATA_PATH], struct reference *ref, struct bench_error *error)
{
    struct search search = {dir ? dir : getenv("SENSBENCH_REFERENCE"), dir ? DATA_PLACES : 0};
    char folder[DATA_PATH];
    sens_status status = SENS_NO_TRUTH;
    const bool stored =
        cell->reference_key[0] && !cell->problem.mass; /* no fingerprint knows a mass matrix */
    while (status == SENS_NO_TRUTH && stored && next_folder(&search, folder)) {
        *ref = (struct reference){.n = 0};
        if (reference_path(folder, cell->problem.type->name, cell->reference_key, path, DATA_PATH))
            status = reference_read(ctx, path, ref, error);
    }
    if (status == SENS_NO_TRUTH) return missing(cell, dir, error);
    if (status == SENS_OK && belongs(ctx, cell, path, ref, error)) return SENS_OK;
    return status == SENS_NO_MEMORY ? status : refuse(cell, dir, ref, error);
}
