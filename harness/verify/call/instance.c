/* Instances and points of a problem: the defaults and each choice, or draws. */
#include <stdio.h>
#include <string.h>

#include "made_files.h"

enum { STANDARD_N = 8, RANDOM_N = 12, DRAWS = 2 };

static void name_option(struct instance *instance, const struct sens_option *option, double number)
{
    const size_t used = strlen(instance->label);
    char *const end = instance->label + used;
    const size_t room = sizeof instance->label - used;
    if (option->kind == SENS_OPT_CHOICE)
        snprintf(end, room, " %s=%s", option->name, option->choices[(size_t)number]);
    else
        snprintf(end, room, " %s=%g", option->name, number);
}

static bool is_size(const struct sens_option *option)
{
    return option->kind == SENS_OPT_INT && strcmp(option->name, "n") == 0;
}

/* The size that a standard run uses: the default, or STANDARD_N where that is more. */
static void cap_size(struct verify *v, struct instance *instance, const struct sens_option *option,
                     struct sens_value *value)
{
    if (!is_size(option) || verify_held(v, option) || value->number <= STANDARD_N || option->min > STANDARD_N)
        return;
    value->number = STANDARD_N;
    name_option(instance, option, value->number);
}

static void draw_option(struct verify *v, struct instance *instance, const struct sens_option *option,
                        struct sens_value *value)
{
    if (verify_held(v, option)) return;
    if (option->kind == SENS_OPT_CHOICE)
        value->number = (double)verify_integer(v, 0, sens_option_choices(option) - 1);
    else if (is_size(option) && option->min <= RANDOM_N)
        value->number = (double)verify_integer(v, (long)option->min, RANDOM_N);
    else if (option->kind == SENS_OPT_INT && strcmp(option->name, "seed") == 0)
        value->number = (double)verify_integer(v, (long)fmax(option->min, 1), 1000000);
    else
        return;
    name_option(instance, option, value->number);
}

/* Number 0 sets nothing; number k sets the k-th choice that is no default. false: there are fewer. */
static bool set_variation(struct verify *v, struct instance *instance, const struct sens_option *table,
                          struct sens_value *value, int number)
{
    for (size_t i = 0; number > 0 && i < sens_option_count(table); i++) {
        if (table[i].kind != SENS_OPT_CHOICE || verify_held(v, &table[i])) continue;
        for (long c = 0; c < sens_option_choices(&table[i]); c++) {
            if (c == (long)table[i].fallback || --number > 0) continue;
            value[i].number = (double)c;
            name_option(instance, &table[i], value[i].number);
            return true;
        }
    }
    return number == 0;
}

static double *scaled(struct verify *v, size_t count, const double *from)
{
    double *made = verify_array(v, count);
    for (size_t i = 0; i < count; i++) made[i] = from[i] * verify_uniform(v, 0.95, 1.05);
    return made;
}

/* Zeros stay, so that what is to stay positive does. A closed form holds for its own initial state alone, and algebraic
 * equations may. */
static void perturb(struct verify *v, struct instance *instance)
{
    struct sens_problem *pb = &instance->problem;
    const size_t used = strlen(instance->label);
    double *const p = scaled(v, pb->np, pb->p), *const x0 = verify_copy(v, pb->n, pb->x0);
    pb->p = p;
    if (sens_problem_x0_depends(pb))
        sens_problem_x0(pb, p, x0);
    else if (!pb->type->exact && !pb->mass)
        pb->x0 = scaled(v, pb->n, x0);
    if (sens_problem_x0_depends(pb)) pb->x0 = x0;
    snprintf(instance->label + used, sizeof instance->label - used, " p*(1+-5%%)");
}

/* A problem without products of its own gets those of the tape. */
static bool create(struct verify *v, const struct sens_problem_type *type, const struct sens_value *value,
                   struct instance *instance)
{
    const struct sens_provider *deriver = verify_deriver(v);
    const struct sens_provider_request request = {&instance->problem, v->reg, 1};
    if (sens_problem_create(&v->ctx, type, value, &instance->problem) != SENS_OK) return false;
    return type->vjp || (deriver && deriver->wrap(&v->ctx, &request, &instance->problem) == SENS_OK);
}

/* The defaults of the options, to be changed; the label begins with the name and the options that are held. */
static struct sens_value *begin(struct verify *v, const struct sens_problem_type *type,
                                struct instance *instance)
{
    struct sens_value *value = verify_memory(v, sens_option_count(type->options), sizeof *value);
    sens_option_defaults(type->options, value);
    snprintf(instance->label, sizeof instance->label, "%s", type->name);
    verify_name_held(v, type->options, " ", sizeof instance->label, instance->label);
    return value;
}

bool instance_create(struct verify *v, const struct sens_problem_type *type, int number,
                     struct instance *instance)
{
    const size_t count = sens_option_count(type->options);
    struct sens_value *value = begin(v, type, instance);
    if (v->seed) {
        if (number >= DRAWS) return false;
        for (size_t i = 0; i < count; i++) draw_option(v, instance, &type->options[i], &value[i]);
    } else {
        if (!set_variation(v, instance, type->options, value, number)) return false;
        for (size_t i = 0; i < count; i++) cap_size(v, instance, &type->options[i], &value[i]);
    }
    if (!create(v, type, value, instance)) return false;
    if (v->seed) perturb(v, instance);
    return true;
}

bool instance_sized(struct verify *v, const struct sens_problem_type *type, size_t n,
                    struct instance *instance)
{
    const int size = sens_option_find(type->options, "n");
    if (size < 0 || !is_size(&type->options[size]) || verify_held(v, &type->options[size]) ||
        (double)n < type->options[size].min || (double)n > type->options[size].max)
        return false;
    struct sens_value *value = begin(v, type, instance);
    value[size].number = (double)n;
    name_option(instance, &type->options[size], value[size].number);
    return create(v, type, value, instance);
}

static bool has_states(struct verify *v, const struct sens_problem_type *type, size_t n, size_t states)
{
    struct instance instance;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const bool has = instance_sized(v, type, n, &instance) && instance.problem.n >= states;
    sens_arena_rewind(&v->ctx.arena, mark);
    return has;
}

bool instance_of_states(struct verify *v, const struct sens_problem_type *type, size_t states,
                        struct instance *instance)
{
    size_t few = 0, enough = states; /* n is taken to be no more than the states, or one more */
    if (!has_states(v, type, enough, states) && !has_states(v, type, ++enough, states))
        return instance_sized(v, type, states, instance);
    while (enough - few > 1) {
        const size_t middle = few + (enough - few) / 2;
        if (has_states(v, type, middle, states))
            enough = middle;
        else
            few = middle;
    }
    return instance_sized(v, type, enough, instance);
}

bool instance_with(struct verify *v, const struct sens_problem_type *type, const double *set,
                   struct instance *instance)
{
    const size_t count = sens_option_count(type->options);
    struct sens_value *value = begin(v, type, instance);
    for (size_t i = 0; i < count; i++) {
        cap_size(v, instance, &type->options[i], &value[i]);
        if (isnan(set[i]) || verify_held(v, &type->options[i])) continue;
        value[i].number = set[i];
        name_option(instance, &type->options[i], set[i]);
    }
    return create(v, type, value, instance);
}

bool instance_with_file(struct verify *v, const struct sens_problem_type *type, size_t option,
                        const struct made_file *file, struct instance *instance)
{
    struct sens_value *value = begin(v, type, instance);
    const size_t used = strlen(instance->label);
    for (size_t i = 0; i < sens_option_count(type->options); i++)
        cap_size(v, instance, &type->options[i], &value[i]);
    value[option] = (struct sens_value){.data = file->number, .count = file->count};
    snprintf(instance->label + used, sizeof instance->label - used, " %s=%s", type->options[option].name,
             file->words);
    return create(v, type, value, instance);
}

struct sens_at instance_point(struct verify *v, const struct sens_problem *pb, int which)
{
    const double amount = which == 0 ? 0 : 0.1, fraction = which == 0 ? 0.5 : verify_uniform(v, 0.05, 0.95);
    return (struct sens_at){.t = pb->t0 + (pb->t1 - pb->t0) * fraction,
                            .x = verify_perturbed(v, pb->n, pb->x0, amount),
                            .p = verify_perturbed(v, pb->np, pb->p, amount)};
}
