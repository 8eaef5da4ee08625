/* Models wait until they are asked for, and join the tables of the variants: see model.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "locate.h"
#include "model.h"
#include "modules.h"
#include "variants.h"

static const char suffix[] = ".ode";

struct waiting_model {
    struct waiting_problem head; /* first: what waiting_problems() gives */
    bool check; /* with the defaults of its options: our own files are checked by the tests */
    char name[MODEL_NAME], path[DATA_PATH];
};

/* ---- one file, when it is asked for --------------------------------------------------------------------- */

/* A type for each variant, with the functions of that variant, in its table. */
static bool join(const struct model *model, struct bench_error *error)
{
    struct sens_registry *reg = variant_tables();
    for (int v = 0; v < VARIANTS; v++) {
        struct sens_problem_type *type = calloc(1, sizeof *type);
        if (type) model_type(model, reg[v].written, type);
        if (!type || !variant_add_problem(&reg[v], type))
            return bench_refuse(error, "%s: no memory", model->syntax.path);
    }
    return true;
}

static bool read_waiting(struct waiting_problem *problem, struct bench_error *error)
{
    const struct waiting_model *const waiting = (const struct waiting_model *)problem;
    struct input from = {.path = waiting->path};
    char now[INPUT_SUM];
    input_sum(waiting->path, from.sum);
    struct model *model = model_read(waiting->path, error);
    if (!model) return false;
    input_sum(waiting->path, now);
    if (strcmp(model->syntax.name, waiting->name) != 0 || strcmp(now, from.sum) != 0)
        bench_refuse(error, "%s: the file changes while the program runs", waiting->path);
    else if ((!waiting->check || model_check(model, error)) &&
             input_note(&from, "problem", waiting->name, error) && join(model, error))
        return true; /* it lives as long as the process */
    model_destroy(model);
    return false;
}

/* ---- one file, at the start ------------------------------------------------------------------------------ */

/* cost=own is there with the first model. */
static bool add_own_cost(struct bench_error *error)
{
    struct sens_registry *reg = variant_tables();
    for (int v = 0; v < VARIANTS; v++)
        if (!find_cost(&reg[v], reg[v].own->name) && !variant_add_cost(&reg[v], reg[v].own))
            return bench_refuse(error, "no memory for the costs of models");
    return true;
}

/* The name of the file, without its ending. */
static void name_of_file(const char *path, char name[MODEL_NAME])
{
    const char *const slash = strrchr(path, '/'), *const base = slash ? slash + 1 : path;
    const size_t length = strlen(base), end = sizeof suffix - 1;
    const bool ends = length > end && strcmp(base + length - end, suffix) == 0;
    snprintf(name, MODEL_NAME, "%.*s", (int)(ends ? length - end : length), base);
}

enum origin { OWN, FROM_PATH, GIVEN }; /* ours, of SENSBENCH_MODELS, of --models */

/* NULL and a message: its name is taken, or there is no memory. */
static struct waiting_model *let_wait(const char *path, enum origin origin, struct bench_error *error)
{
    struct waiting_model *waiting = calloc(1, sizeof *waiting);
    struct bench_error later; /* said when it is asked for */
    if (!waiting || !add_own_cost(error)) {
        free(waiting);
        return bench_refuse(error, "%s: no memory", path), NULL;
    }
    waiting->head.name = waiting->name;
    waiting->head.read = read_waiting;
    waiting->check = origin != OWN;
    snprintf(waiting->path, sizeof waiting->path, "%s", path);
    waiting->head.given = origin == GIVEN ? waiting->path : NULL;
    if (!model_name(path, waiting->name, &later)) {
        name_of_file(path, waiting->name);
    } else if (problem_known(waiting->name)) {
        bench_refuse(error, "%s: there is a problem '%s' already", path, waiting->name);
        free(waiting);
        return NULL;
    }
    problem_wait(&waiting->head);
    return waiting;
}

/* ---- a folder ------------------------------------------------------------------------------------------ */

static bool take_model(void *origin, const char *path, struct bench_error *error)
{
    return let_wait(path, *(enum origin *)origin, error) != NULL;
}

static bool load_folder(const char *path, enum origin origin, struct bench_error *error)
{
    return each_file(path, suffix, take_model, &origin, error);
}

bool models_load(const char *path, struct bench_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) return bench_refuse(error, "%s: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode)) return load_folder(path, GIVEN, error);
    if (strlen(path) >= DATA_PATH) return bench_refuse(error, "%.200s...: the path is too long", path);
    struct waiting_model *waiting = let_wait(path, GIVEN, error);
    return waiting && waiting_read(&waiting->head, error);
}

/* ---- the path ------------------------------------------------------------------------------------------ */

static bool load_own(struct bench_error *error)
{
    char folder[DATA_PATH];
    for (int place = 0; place < DATA_PLACES; place++)
        if (data_folder(place, "models", "problems/models", folder)) return load_folder(folder, OWN, error);
    return true;
}

bool models_load_path(struct bench_error *error)
{
    enum origin origin = FROM_PATH;
    return load_own(error) && each_place("SENSBENCH_MODELS", suffix, take_model, &origin, error);
}
