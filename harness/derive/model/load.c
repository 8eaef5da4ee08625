/* Models join the tables of the variants: see model.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "locate.h"
#include "model.h"
#include "modules.h"
#include "names.h"
#include "variants.h"

static const char suffix[] = ".ode";

/* ---- one file ------------------------------------------------------------------------------------------ */

static bool refuse_taken(const struct model *model, struct bench_error *error)
{
    return bench_refuse(error, "%s: there is a problem '%s' already", model->syntax.path, model->syntax.name);
}

/* A type for each variant, with the functions of that variant, in its table. */
static bool join(const struct model *model, struct bench_error *error)
{
    struct sens_registry *reg = variant_tables();
    for (int v = 0; v < VARIANTS; v++) {
        struct sens_problem_type *type = calloc(1, sizeof *type);
        if (type) model_type(model, reg[v].written, type);
        if (!type || !variant_add_problem(&reg[v], type) ||
            (model->syntax.costs && !find_cost(&reg[v], reg[v].own->name) &&
             !variant_add_cost(&reg[v], reg[v].own)))
            return bench_refuse(error, "%s: no memory", model->syntax.path);
    }
    return true;
}

static bool load_file(const char *path, bool check, struct bench_error *error)
{
    struct model *model = model_read(path, error);
    if (!model) return false;
    if (find_problem(variant_tables(), model->syntax.name) ? refuse_taken(model, error)
                                                           : (!check || model_check(model, error)))
        if (join(model, error)) return true; /* it lives as long as the process */
    model_destroy(model);
    return false;
}

/* ---- a folder ------------------------------------------------------------------------------------------ */

static int is_model(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), end = sizeof suffix - 1;
    return entry->d_name[0] != '.' && length > end && strcmp(entry->d_name + length - end, suffix) == 0;
}

static bool load_folder(const char *path, bool check, struct bench_error *error)
{
    struct dirent **entry;
    const int count = scandir(path, &entry, is_model, alphasort);
    bool loaded = count >= 0 || bench_refuse(error, "%s: %s", path, strerror(errno));
    for (int k = 0; k < count; k++) {
        char file[DATA_PATH];
        const int length = snprintf(file, sizeof file, "%s/%s", path, entry[k]->d_name);
        if (loaded)
            loaded = (length < (int)sizeof file || bench_refuse(error, "%s: the path is too long", path)) &&
                     load_file(file, check, error);
        free(entry[k]);
    }
    if (count >= 0) free(entry);
    return loaded;
}

static bool load(const char *path, bool check, struct bench_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) return bench_refuse(error, "%s: %s", path, strerror(errno));
    return S_ISDIR(about.st_mode) ? load_folder(path, check, error) : load_file(path, check, error);
}

bool models_load(const char *path, struct bench_error *error)
{
    return load(path, true, error);
}

/* ---- the path ------------------------------------------------------------------------------------------ */

/* Our own files are checked by the tests, and not at each start. */
static bool load_own(struct bench_error *error)
{
    char folder[DATA_PATH];
    for (int place = 0; place < DATA_PLACES; place++)
        if (data_folder(place, "models", "problems/models", folder)) return load(folder, false, error);
    return true;
}

bool models_load_path(struct bench_error *error)
{
    const char *rest = getenv("SENSBENCH_MODELS");
    if (!load_own(error)) return false;
    while (rest && *rest) {
        char path[DATA_PATH];
        const size_t length = strcspn(rest, ":");
        if (length >= sizeof path) return bench_refuse(error, "SENSBENCH_MODELS: a path is too long");
        memcpy(path, rest, length);
        path[length] = '\0';
        rest += length + (rest[length] == ':');
        if (path[0] && !load(path, true, error)) return false;
    }
    return true;
}
