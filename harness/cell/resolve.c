/* From the names in a spec to the modules they stand for, and from its other keys to the options of these. */
#include "resolve.h"

#include <stdio.h>
#include <string.h>

#include "modules.h"
#include "names.h"
#include "peers.h"
#include "variants.h"

static const char *const owner_name[OWNERS] = {
    [OWNER_PROBLEM] = "problem", [OWNER_COST] = "cost", [OWNER_METHOD] = "method"};

const struct spec_pair *resolve_given(const struct resolution *re, const char *key)
{
    for (size_t i = 0; i < re->spec->count; i++)
        if (strcmp(re->spec->pair[i].key, key) == 0) return &re->spec->pair[i];
    return NULL;
}

bool resolve_value(const struct resolution *re, const char *name, struct key_value *value)
{
    const struct bench_key *key = bench_key_find(name);
    const struct spec_pair *given = resolve_given(re, name);
    char text[64], origin[] = "default";
    snprintf(text, sizeof text, "%s", key->fallback);
    const struct spec_pair fallback = {.key = text, .value = text, .origin = origin};
    return key_value(key, given ? given : &fallback, value, re->error);
}

/* ---- modules ------------------------------------------------------------------------------------------- */

static sens_status find_variant(struct resolution *re)
{
    struct key_value isa;
    struct bench_error reason;
    const struct spec_pair *given = resolve_given(re, "isa");
    if (!resolve_value(re, "isa", &isa)) return SENS_BAD_INPUT;
    re->cell->variant = variant_find(given ? given->value : "auto", &reason);
    if (re->cell->variant) return SENS_OK;
    bench_refuse(re->error, "%s: %s", given ? given->origin : "default", reason.text);
    return SENS_UNAVAILABLE;
}

/* What to do about a name that there is not: of a model, which has costs of its own, or in the list. */
static const char *where_to_look(const struct resolution *re, const char *key)
{
    const struct spec_pair *given = resolve_given(re, "problem");
    const struct sens_problem_type *problem = given ? find_problem(re->cell->variant, given->value) : NULL;
    if (strcmp(key, "cost") == 0 && problem && problem->model)
        return "the costs that a model declares are together in cost=own; see sensbench list";
    return "see sensbench list";
}

/* The name given for a key, or its fallback; refused when the registry has no such name. */
static const char *find_name(struct resolution *re, const char *key)
{
    const struct spec_pair *given = resolve_given(re, key);
    const char *name = given ? given->value : bench_key_find(key)->fallback;
    struct variant_names names;
    if (strcmp(key, "problem") == 0 && !problem_read(name, re->error)) return NULL;
    variant_names(re->cell->variant, key, &names);
    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.name[i], name) == 0) return names.name[i];
    if (strcmp(key, "method") == 0)
        names.count += peer_names(PEER_METHOD, names.name + names.count, NAMES_MAX - names.count);
    const char *near = nearest_name(name, names.name, names.count);
    if (!given)
        bench_refuse(re->error, "no %s given", key);
    else
        refuse_pair(re->error, given, "no %s of this name%s%s; %s", key, near ? "; did you mean " : "",
                    near ? near : "", where_to_look(re, key));
    return NULL;
}

/* A method of another library comes with its module. */
static sens_status load_peer(struct resolution *re)
{
    const struct spec_pair *given = resolve_given(re, "method");
    struct bench_error reason;
    const sens_status status = given ? peer_load(PEER_METHOD, given->value, &reason) : SENS_OK;
    if (status != SENS_OK) refuse_pair(re->error, given, "%s", reason.text);
    return status;
}

static bool check_family(const struct resolution *re)
{
    const struct sens_tableau *tableau = re->cell->task.tableau;
    const unsigned caps = re->method->caps;
    if (tableau->family == SENS_FAMILY_EXPLICIT || !(caps & SENS_CAP_TABLEAU) || caps & SENS_CAP_IMPLICIT)
        return true;
    return refuse_pair(re->error, resolve_given(re, "tableau"),
                       "it is implicit: method %s takes explicit ones only", re->method->name);
}

/* "theta:0.6", whose number is `text`. */
static sens_status make_theta(struct resolution *re, const struct spec_pair *given, char *text)
{
    static const struct bench_key key = {.name = "theta", .kind = KEY_REAL, .min = 1e-30, .max = 1};
    char number[NUMBER_TEXT], name[NUMBER_TEXT + 8];
    char option[] = "theta";
    const struct spec_pair pair = {.key = option, .value = text, .origin = given->origin};
    struct key_value theta;
    if (!key_value(&key, &pair, &theta, re->error)) return SENS_BAD_INPUT;
    snprintf(name, sizeof name, "theta:%s", number_text(theta.number, number));
    const sens_status status =
        re->cell->variant->theta_tableau(re->ctx, theta.number, name, &re->cell->task.tableau);
    if (status != SENS_OK) refuse_pair(re->error, given, "no memory for its coefficients");
    return status;
}

static sens_status set_tableau(struct resolution *re)
{
    const struct spec_pair *given = resolve_given(re, "tableau");
    sens_status status = SENS_OK;
    if (given && strncmp(given->value, "theta:", 6) == 0) {
        status = make_theta(re, given, given->value + 6);
    } else {
        const char *name = find_name(re, "tableau");
        if (!name) return SENS_BAD_INPUT;
        re->cell->task.tableau = find_tableau(re->cell->variant, name);
    }
    if (status != SENS_OK) return status;
    return check_family(re) ? SENS_OK : SENS_BAD_INPUT;
}

static bool find_modules(struct resolution *re)
{
    const struct sens_registry *reg = re->cell->variant;
    const char *problem = find_name(re, "problem");
    const char *method = problem ? find_name(re, "method") : NULL;
    const char *cost = method ? find_name(re, "cost") : NULL;
    const char *controller = cost ? find_name(re, "controller") : NULL;
    if (!controller) return false;
    re->problem = find_problem(reg, problem);
    re->method = find_method(reg, method);
    re->cost = find_cost(reg, cost);
    re->cell->method = re->method;
    re->cell->task.controller = find_controller(reg, controller);
    return true;
}

/* ---- options ------------------------------------------------------------------------------------------- */

static sens_status create_tables(struct resolution *re)
{
    const char *const name[OWNERS] = {re->problem->name, re->cost->name, re->method->name};
    const struct sens_option *const options[OWNERS] = {re->problem->options, re->cost->options,
                                                       re->method->options};
    for (int k = 0; k < OWNERS; k++) {
        struct resolve_table *table = &re->table[k];
        const size_t count = sens_option_count(options[k]);
        *table = (struct resolve_table){.owner = owner_name[k], .name = name[k], .options = options[k]};
        table->value = SENS_NEW(re->ctx, struct sens_value, count);
        table->given = SENS_NEW(re->ctx, const struct spec_pair *, count);
        if (!table->value || !table->given) return SENS_NO_MEMORY;
        sens_option_defaults(table->options, table->value);
    }
    re->cell->problem_value = re->table[OWNER_PROBLEM].value;
    re->cell->cost_value = re->table[OWNER_COST].value;
    re->cell->method_value = re->table[OWNER_METHOD].value;
    return SENS_OK;
}

/* The nearest among the harness keys and all options. */
static const char *nearest_key(const struct resolution *re, const char *key)
{
    const char *candidate[NAMES_MAX];
    size_t count = 0;
    for (const struct bench_key *known = bench_keys(); known->name; known++) candidate[count++] = known->name;
    for (int k = 0; k < OWNERS; k++)
        for (size_t i = 0; i < sens_option_count(re->table[k].options) && count < NAMES_MAX; i++)
            candidate[count++] = re->table[k].options[i].name;
    return nearest_name(key, candidate, count);
}

static void refuse_key(const struct resolution *re, const struct spec_pair *pair, const char *plain)
{
    const char *near = nearest_key(re, plain);
    refuse_pair(re->error, pair, "unknown key '%s'%s%s; see sensbench show %s, show %s and help run",
                pair->key, near ? "; did you mean " : "", near ? near : "", re->problem->name,
                re->method->name);
}

static sens_status set_option(const struct resolution *re, const struct resolve_table *table, int index,
                              const struct spec_pair *pair)
{
    const struct spec_pair *earlier = table->given[index];
    table->given[index] = pair;
    if (!earlier && table == &re->table[OWNER_COST] && table->options[index].kind == SENS_OPT_DATA)
        return SENS_OK; /* read when the problem is there, whose states it names (cell.c) */
    if (!earlier) return option_value(re->ctx, &table->options[index], pair, &table->value[index], re->error);
    refuse_pair(re->error, pair, "the same option of %s %s as %s=%s (%s)", table->owner, table->name,
                earlier->key, earlier->value, earlier->origin);
    return SENS_BAD_INPUT;
}

/* Is "owner." what a qualified key begins with? */
static bool names_owner(const char *key, const char *owner)
{
    const size_t length = strlen(owner);
    return strncmp(key, owner, length) == 0 && key[length] == '.';
}

static sens_status assign(const struct resolution *re, const struct spec_pair *pair)
{
    const char *dot = strchr(pair->key, '.'), *plain = dot ? dot + 1 : pair->key;
    if (!dot && bench_key_find(plain)) return SENS_OK;
    for (int k = 0; k < OWNERS; k++) {
        const struct resolve_table *table = &re->table[k];
        if (dot && !names_owner(pair->key, table->owner)) continue;
        const int index = sens_option_find(table->options, plain);
        if (index >= 0) return set_option(re, table, index, pair);
    }
    refuse_key(re, pair, plain);
    return SENS_BAD_INPUT;
}

sens_status resolve_modules(struct resolution *re)
{
    sens_status status = find_variant(re);
    if (status == SENS_OK) status = load_peer(re);
    if (status != SENS_OK) return status;
    if (!find_modules(re)) return SENS_BAD_INPUT;
    status = set_tableau(re);
    if (status != SENS_OK) return status;
    status = create_tables(re);
    if (status != SENS_OK) {
        bench_refuse(re->error, "no memory for the options");
        return status;
    }
    for (size_t i = 0; i < re->spec->count && status == SENS_OK; i++) status = assign(re, &re->spec->pair[i]);
    return status;
}
