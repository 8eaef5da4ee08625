/* Out-of-tree modules: loading, checking, and adding their tables to those of every variant. */
#include "sens/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "fpstate.h"
#include "modules.h"
#include "names.h"
#include "options.h"
#include "variants.h"

/* ---- is it one of ours --------------------------------------------------------------------------------- */

static bool check_version(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    if (plugin->size != sizeof *plugin)
        return bench_refuse(error,
                            "plugin %s: its struct sens_plugin has %zu bytes, this program's has %zu; build "
                            "it with the headers of this program",
                            path, plugin->size, sizeof *plugin);
    if (plugin->abi != SENS_PLUGIN_ABI)
        return bench_refuse(error,
                            "plugin %s: built for ABI %u, this program has %d; build it with the headers of "
                            "this program",
                            path, plugin->abi, SENS_PLUGIN_ABI);
    return (plugin->name && (plugin->problems || plugin->costs || plugin->methods || plugin->providers ||
                             plugin->tableaux || plugin->controllers)) ||
           bench_refuse(error, "plugin %s: no name, or nothing in it", path);
}

static bool refuse_module(const char *path, const char *kind, const char *name, const char *why,
                          struct bench_error *error)
{
    return bench_refuse(error, "plugin %s: %s '%s' %s", path, kind, name ? name : "", why);
}

static const char taken[] = "has a name that is taken",
                  incomplete[] = "lacks a name, a summary or a function",
                  in_part[] =
                      "has some of vjp, jvp, jvp_p_cols and vjp_p_batch, and with an x0 of x0_vjp and "
                      "x0_jvp_cols, not all: all or none, which are then derived",
                  untested[] = "declares SENS_DERIVATIVE_CONTINUOUS, which is computed to a tolerance, and "
                               "takes none (SENS_CAP_TOLERANCE)";

static const char unfit[] =
    "is no name: letters, digits and _ . + - only, a letter or digit first, at most 63";

/* A name is typed, stands in files and headings, and is handed to other programs. */
static bool check_name(const char *path, const char *kind, const char *name, struct bench_error *error)
{
    return is_name(name) || refuse_module(path, kind, name, unfit, error);
}

static bool check_text(const char *path, const char *kind, const char *name, const char *text,
                       struct bench_error *error)
{
    return is_line(text) || refuse_module(path, kind, name, "has a control character in its text", error);
}

static bool check_options(const char *path, const char *kind, const char *name,
                          const struct sens_option *table, struct bench_error *error)
{
    char owner[512];
    snprintf(owner, sizeof owner, "plugin %s: %s '%s'", path, kind, name);
    return options_check(owner, table, error);
}

/* All products, or none: then those of the initial state are derived, too. */
static bool has_products(const struct sens_problem_type *type)
{
    const bool initial = type->x0 && (type->vjp || type->x0_vjp || type->x0_jvp_cols);
    return !type->vjp == !type->jvp && !type->vjp == !type->jvp_p_cols && !type->vjp == !type->vjp_p_batch &&
           !type->x0_vjp == !initial && !type->x0_jvp_cols == !initial;
}

static bool check_problems(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    for (size_t i = 0; plugin->problems && plugin->problems[i]; i++) {
        const struct sens_problem_type *type = plugin->problems[i];
        if (!type->name || !type->summary || !type->create || !type->rhs)
            return refuse_module(path, "problem", type->name, incomplete, error);
        if (!has_products(type)) return refuse_module(path, "problem", type->name, in_part, error);
        if (!check_name(path, "problem", type->name, error) ||
            !check_text(path, "problem", type->name, type->summary, error) ||
            !check_options(path, "problem", type->name, type->options, error))
            return false;
        if (problem_known(type->name)) return refuse_module(path, "problem", type->name, taken, error);
    }
    return true;
}

static bool check_costs(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    for (size_t i = 0; plugin->costs && plugin->costs[i]; i++) {
        const struct sens_cost_type *type = plugin->costs[i];
        if (!type->name || !type->summary || !type->create || !sens_gradients_whole(type))
            return refuse_module(path, "cost", type->name, incomplete, error);
        if (!check_name(path, "cost", type->name, error) ||
            !check_text(path, "cost", type->name, type->summary, error) ||
            !check_options(path, "cost", type->name, type->options, error))
            return false;
        if (find_cost(variant_tables(), type->name))
            return refuse_module(path, "cost", type->name, taken, error);
    }
    return true;
}

static bool check_methods(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    for (size_t i = 0; plugin->methods && plugin->methods[i]; i++) {
        const struct sens_method_type *type = plugin->methods[i];
        if (!type->name || !type->summary || !type->prepare || !type->run)
            return refuse_module(path, "method", type->name, incomplete, error);
        if (!check_name(path, "method", type->name, error) ||
            !check_text(path, "method", type->name, type->summary, error) ||
            !check_options(path, "method", type->name, type->options, error))
            return false;
        if (find_method(variant_tables(), type->name))
            return refuse_module(path, "method", type->name, taken, error);
        if (type->derivative == SENS_DERIVATIVE_CONTINUOUS && !(type->caps & SENS_CAP_TOLERANCE))
            return refuse_module(path, "method", type->name, untested, error);
    }
    return true;
}

const struct sens_provider *find_provider(const char *name)
{
    const struct sens_provider *const *const providers = variant_tables()->providers; /* all have the same */
    for (size_t i = 0; providers && providers[i]; i++)
        if (strcmp(providers[i]->name, name) == 0) return providers[i];
    return NULL;
}

static bool check_providers(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    for (size_t i = 0; plugin->providers && plugin->providers[i]; i++) {
        const struct sens_provider *provider = plugin->providers[i];
        if (!provider->name || !provider->summary || !provider->library || !provider->wrap)
            return refuse_module(path, "provider", provider->name, incomplete, error);
        if (!check_name(path, "provider", provider->name, error) ||
            !check_text(path, "provider", provider->name, provider->summary, error))
            return false;
        if (find_provider(provider->name))
            return refuse_module(path, "provider", provider->name, taken, error);
    }
    return true;
}

/* The arrays are as long as `stages` and `extra_stages` say, which nobody can see; all else that the numerical
 * code relies on is. What the coefficients are worth, verify's checks tableau.* tell. */
static const char *tableau_fault(const struct sens_tableau *tb)
{
    const int all = tb->stages + tb->extra_stages;
    if (!tb->name || !tb->summary || !tb->source || !tb->a || !tb->b || !tb->c)
        return "lacks a name, a summary, its source or coefficients";
    if ((int)tb->family < 0 || tb->family >= SENS_FAMILIES)
        return "is of a family that this program does not know";
    if (tb->stages < 1 || tb->extra_stages < 0 || tb->stages > SENS_MAX_STAGES || all > SENS_MAX_STAGES)
        return "has no stage, or more than SENS_MAX_STAGES";
    if (tb->order < 1 || !tb->e != !tb->order_hat) return "has no order, or one of e and order_hat alone";
    if (tb->dense_degree != 0 && (tb->dense_degree < 4 || !tb->dense))
        return "has dense output of a degree below 4, or without coefficients";
    for (int i = 0; i < all; i++)
        for (int j = i; j < all; j++)
            if (tb->a[i * all + j] != 0) return "is not explicit: a is not strictly lower";
    return NULL;
}

static bool check_tableaux(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    for (size_t i = 0; plugin->tableaux && plugin->tableaux[i]; i++) {
        const struct sens_tableau *tb = plugin->tableaux[i];
        const char *const fault = tableau_fault(tb);
        if (fault) return refuse_module(path, "tableau", tb->name, fault, error);
        if (!check_name(path, "tableau", tb->name, error) ||
            !check_text(path, "tableau", tb->name, tb->summary, error) ||
            !check_text(path, "tableau", tb->name, tb->source, error))
            return false;
        if (find_tableau(variant_tables(), tb->name))
            return refuse_module(path, "tableau", tb->name, taken, error);
    }
    return true;
}

static bool check_controllers(const char *path, const struct sens_plugin *plugin, struct bench_error *error)
{
    for (size_t i = 0; plugin->controllers && plugin->controllers[i]; i++) {
        const struct sens_controller *controller = plugin->controllers[i];
        if (!controller->name || !controller->summary || !controller->adaptive || !controller->add ||
            !controller->norm || !controller->factor)
            return refuse_module(path, "controller", controller->name,
                                 "lacks a name, a summary or a function, or is not adaptive", error);
        if (!check_name(path, "controller", controller->name, error) ||
            !check_text(path, "controller", controller->name, controller->summary, error))
            return false;
        if (find_controller(variant_tables(), controller->name))
            return refuse_module(path, "controller", controller->name, taken, error);
    }
    return true;
}

/* ---- joining the tables -------------------------------------------------------------------------------- */

/* Pointers to const objects of any kind have one representation; the tables are copied by it. */
static bool add_tables(struct sens_registry *reg, const struct sens_plugin *plugin)
{
    const void *problems =
        variant_joined((const void *const *)reg->problems, (const void *const *)plugin->problems);
    const void *costs = variant_joined((const void *const *)reg->costs, (const void *const *)plugin->costs);
    const void *methods =
        variant_joined((const void *const *)reg->methods, (const void *const *)plugin->methods);
    const void *providers =
        variant_joined((const void *const *)reg->providers, (const void *const *)plugin->providers);
    const void *tableaux =
        variant_joined((const void *const *)reg->tableaux, (const void *const *)plugin->tableaux);
    const void *controllers =
        variant_joined((const void *const *)reg->controllers, (const void *const *)plugin->controllers);
    if (!problems || !costs || !methods || !providers || !tableaux || !controllers) return false;
    reg->problems = problems;
    reg->costs = costs;
    reg->methods = methods;
    reg->providers = providers;
    reg->tableaux = tableaux;
    reg->controllers = controllers;
    return true;
}

bool providers_add(const struct sens_provider *const *table)
{
    const struct sens_plugin own = {.providers = table};
    struct sens_registry *reg = variant_tables();
    for (int i = 0; i < VARIANTS; i++)
        if (!add_tables(&reg[i], &own)) return false;
    return true;
}

/* Every result of this process would be computed in another arithmetic, and differ from its records. */
static bool check_arithmetic(const char *path, const struct fp_state *before, struct bench_error *error)
{
    char changed[160];
    const struct fp_state after = fp_state_read();
    fp_state_difference(before, &after, changed);
    return !changed[0] ||
           bench_refuse(error,
                        "plugin %s: loading it changes the floating-point state: %s; build it without "
                        "-ffast-math and -Ofast, when linking too",
                        path, changed);
}

/* ---- the part that can be recorded --------------------------------------------------------------------- */

static const void **recorded; /* of struct sens_plugin; ends with NULL; NULL: none */

size_t recorded_parts(void)
{
    return variant_table_length((const void *const *)recorded);
}

const struct sens_plugin *recorded_part(size_t part)
{
    return recorded[part];
}

/* Its types have the layout of those in double. What it lacks is said when it is asked for. */
static bool add_recorded(const char *path, void *handle, struct bench_error *error)
{
    const void *const part[] = {dlsym(handle, "recorded_sens_plugin"), NULL};
    if (!part[0]) return true;
    const void **table = variant_joined((const void *const *)recorded, part);
    if (!table) return bench_refuse(error, "plugin %s: no memory", path);
    recorded = table;
    return true;
}

/* Types of any kind begin with their name. */
static bool note_names(const struct input *from, const char *key, const void *const *table,
                       struct bench_error *error)
{
    for (size_t i = 0; table && table[i]; i++)
        if (!input_note(from, key, *(const char *const *)table[i], error)) return false;
    return true;
}

static bool note_all(const struct input *from, const struct sens_plugin *plugin, struct bench_error *error)
{
    return note_names(from, "problem", (const void *const *)plugin->problems, error) &&
           note_names(from, "cost", (const void *const *)plugin->costs, error) &&
           note_names(from, "method", (const void *const *)plugin->methods, error) &&
           note_names(from, "vjp", (const void *const *)plugin->providers, error) &&
           note_names(from, "tableau", (const void *const *)plugin->tableaux, error) &&
           note_names(from, "controller", (const void *const *)plugin->controllers, error);
}

bool plugin_add(const char *path, const struct sens_plugin *plugin, const struct input *from,
                struct bench_error *error)
{
    if (!check_version(path, plugin, error) || !check_name(path, "module", plugin->name, error) ||
        !check_problems(path, plugin, error) || !check_costs(path, plugin, error) ||
        !check_methods(path, plugin, error) || !check_providers(path, plugin, error) ||
        !check_tableaux(path, plugin, error) || !check_controllers(path, plugin, error) ||
        !note_all(from, plugin, error))
        return false;
    struct sens_registry *reg = variant_tables();
    for (int i = 0; i < VARIANTS; i++)
        if (!add_tables(&reg[i], plugin)) return bench_refuse(error, "plugin %s: no memory", path);
    return true;
}

/* `from` holds the sum of before it was loaded. */
static bool accept(const char *path, void *handle, const struct input *from, struct bench_error *error)
{
    char now[INPUT_SUM];
    input_sum(from->path, now);
    if (strcmp(now, from->sum) != 0)
        return bench_refuse(error, "plugin %s: the file changes while it is loaded", path);
    const struct sens_plugin *plugin = dlsym(handle, "sens_plugin"),
                             *second = dlsym(handle, "recorded_sens_plugin");
    if (!plugin) return bench_refuse(error, "plugin %s: it has no symbol sens_plugin", path);
    if (second && !check_version(path, second, error)) return false; /* before anything is in a table */
    return plugin_add(path, plugin, from, error) && add_recorded(path, handle, error);
}

bool plugin_load(const char *path, struct bench_error *error)
{
    char here[4096]; /* a name without '/' would be looked up in the system's folders */
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    const struct fp_state before = fp_state_read();
    struct input from = {.path = here};
    input_sum(here, from.sum);
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    const bool accepted = handle
                              ? check_arithmetic(path, &before, error) && accept(path, handle, &from, error)
                              : bench_refuse(error, "plugin %s: %s", path, dlerror());
    if (accepted) return true;
    if (handle) dlclose(handle);
    fp_state_restore(&before);
    return false;
}

static bool take_plugin(void *self, const char *path, struct bench_error *error)
{
    (void)self;
    return plugin_load(path, error);
}

bool plugin_load_path(struct bench_error *error)
{
    return each_place("SENSBENCH_PLUGIN", ".so", take_plugin, NULL, error);
}
