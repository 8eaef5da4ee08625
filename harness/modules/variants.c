/* The compiled instruction sets, which of them this CPU runs, and look-up by name. */
#include "variants.h"

#include <string.h>

#include "modules.h"
#include "names.h"

typedef const struct sens_registry *registry_function(void);

static registry_function *const compiled[VARIANTS] = {
    sens_registry_baseline,
#ifdef SENS_HAVE_AVX2
    sens_registry_avx2,
#endif
#ifdef SENS_HAVE_AVX512
    sens_registry_avx512,
#endif
};

/* The program's only state outside a context: what has been loaded belongs to the process, as with dlopen. */
static struct sens_registry registry[VARIANTS];
static const struct sens_registry *all[VARIANTS + 1];

struct sens_registry *variant_tables(void)
{
    for (int i = 0; i < VARIANTS && !all[i]; i++) {
        registry[i] = *compiled[i]();
        all[i] = &registry[i];
    }
    return registry;
}

const struct sens_registry *const *variant_all(void)
{
    variant_tables();
    return all;
}

size_t variant_table_length(const void *const *table)
{
    size_t count = 0;
    while (table && table[count]) count++;
    return count;
}

/* What has been loaded belongs to the process: its tables live as long. */
static struct sens_arena arena;

const void **variant_joined(const void *const *first, const void *const *second)
{
    const size_t n = variant_table_length(first), m = variant_table_length(second);
    const void **table = sens_arena_alloc(&arena, n + m + 1, sizeof *table);
    if (table && n) memcpy(table, first, n * sizeof *table);
    if (table && m) memcpy(table + n, second, m * sizeof *table);
    return table;
}

bool variant_add_problem(struct sens_registry *reg, const struct sens_problem_type *type)
{
    const void *const one[] = {type, NULL};
    const void *table = variant_joined((const void *const *)reg->problems, one);
    if (table) reg->problems = table;
    return table != NULL;
}

bool variant_add_cost(struct sens_registry *reg, const struct sens_cost_type *type)
{
    const void *const one[] = {type, NULL};
    const void *table = variant_joined((const void *const *)reg->costs, one);
    if (table) reg->costs = table;
    return table != NULL;
}

bool variant_supported(const struct sens_registry *variant)
{
#if defined(__x86_64__) || defined(__i386__)
    if (strcmp(variant->isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(variant->isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return strcmp(variant->isa, "baseline") == 0;
}

static const char *const isas[] = {"auto", "baseline", "avx2", "avx512"};
enum { ISAS = sizeof isas / sizeof isas[0] };

bool variant_known(const char *isa)
{
    for (int i = 0; i < ISAS; i++)
        if (strcmp(isas[i], isa) == 0) return true;
    return false;
}

static const struct sens_registry *best_supported(void)
{
    const struct sens_registry *best = NULL;
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++)
        if (variant_supported(*variant)) best = *variant;
    return best;
}

const struct sens_registry *variant_find(const char *isa, struct bench_error *error)
{
    if (strcmp(isa, "auto") == 0) return best_supported();
    for (const struct sens_registry *const *variant = variant_all(); *variant; variant++) {
        if (strcmp((*variant)->isa, isa) != 0) continue;
        if (variant_supported(*variant)) return *variant;
        bench_refuse(error, "isa=%s: this CPU cannot run it; see sensbench list variants", isa);
        return NULL;
    }
    const char *near = nearest_name(isa, isas, ISAS);
    if (variant_known(isa))
        bench_refuse(error, "isa=%s: this program was built without it", isa);
    else
        bench_refuse(error, "isa=%s: no such variant%s%s; allowed: auto, baseline, avx2, avx512", isa,
                     near ? "; did you mean " : "", near ? near : "");
    return NULL;
}

const struct sens_problem_type *find_problem(const struct sens_registry *reg, const char *name)
{
    for (size_t i = 0; reg->problems[i]; i++)
        if (strcmp(reg->problems[i]->name, name) == 0) return reg->problems[i];
    return NULL;
}

const struct sens_cost_type *find_cost(const struct sens_registry *reg, const char *name)
{
    for (size_t i = 0; reg->costs[i]; i++)
        if (strcmp(reg->costs[i]->name, name) == 0) return reg->costs[i];
    return NULL;
}

const struct sens_method_type *find_method(const struct sens_registry *reg, const char *name)
{
    for (size_t i = 0; reg->methods[i]; i++)
        if (strcmp(reg->methods[i]->name, name) == 0) return reg->methods[i];
    return NULL;
}

const struct sens_tableau *find_tableau(const struct sens_registry *reg, const char *name)
{
    for (size_t i = 0; reg->tableaux[i]; i++)
        if (strcmp(reg->tableaux[i]->name, name) == 0) return reg->tableaux[i];
    for (size_t i = 0; reg->implicit_tableaux[i]; i++)
        if (strcmp(reg->implicit_tableaux[i]->name, name) == 0) return reg->implicit_tableaux[i];
    return NULL;
}

const struct sens_controller *find_controller(const struct sens_registry *reg, const char *name)
{
    for (size_t i = 0; reg->controllers[i]; i++)
        if (strcmp(reg->controllers[i]->name, name) == 0) return reg->controllers[i];
    return NULL;
}

const struct sens_ckpt_policy *find_policy(const struct sens_registry *reg, const char *name)
{
    for (size_t i = 0; reg->ckpt_policies[i]; i++)
        if (strcmp(reg->ckpt_policies[i]->name, name) == 0) return reg->ckpt_policies[i];
    return NULL;
}

static void add_name(struct variant_names *names, const char *name)
{
    if (names->count < NAMES_MAX) names->name[names->count++] = name;
}

static void add_problem_names(struct variant_names *names, const struct sens_registry *reg)
{
    for (size_t i = 0; reg->problems[i]; i++) add_name(names, reg->problems[i]->name);
    for (const struct waiting_problem *waiting = waiting_problems(); waiting; waiting = waiting->next)
        if (waiting->state != PROBLEM_READ) add_name(names, waiting->name);
}

static void add_tableaux(const struct sens_registry *reg, struct variant_names *names)
{
    for (size_t i = 0; reg->tableaux[i]; i++) add_name(names, reg->tableaux[i]->name);
    for (size_t i = 0; reg->implicit_tableaux[i]; i++) add_name(names, reg->implicit_tableaux[i]->name);
}

/* Those that take no number, and what is short for one that does (set_ckpt). */
static void add_policies(const struct sens_registry *reg, struct variant_names *names)
{
    for (size_t i = 0; reg->ckpt_policies[i]; i++)
        if (!reg->ckpt_policies[i]->numbered) add_name(names, reg->ckpt_policies[i]->name);
    add_name(names, "states");
}

void variant_names(const struct sens_registry *reg, const char *key, struct variant_names *names)
{
    names->count = 0;
    if (strcmp(key, "problem") == 0) add_problem_names(names, reg);
    if (strcmp(key, "cost") == 0)
        for (size_t i = 0; reg->costs[i]; i++) add_name(names, reg->costs[i]->name);
    if (strcmp(key, "method") == 0)
        for (size_t i = 0; reg->methods[i]; i++) add_name(names, reg->methods[i]->name);
    if (strcmp(key, "provider") == 0)
        for (size_t i = 0; reg->providers && reg->providers[i]; i++) add_name(names, reg->providers[i]->name);
    if (strcmp(key, "tableau") == 0) add_tableaux(reg, names);
    if (strcmp(key, "ckpt") == 0) add_policies(reg, names);
    if (strcmp(key, "controller") == 0)
        for (size_t i = 0; reg->controllers[i]; i++) add_name(names, reg->controllers[i]->name);
}
