/* What takes the place of parameters and initial values: numbers of a file (params, x0) or in memory; and before those
 * of a file, what is given of one of them by its name. */
#include "override.h"

#include <string.h>

#include "labels.h"

static sens_status refuse_memory(struct resolution *re)
{
    bench_refuse(re->error, "no memory for the numbers of problem %s", re->problem->name);
    return SENS_NO_MEMORY;
}

/* The `count` numbers of the file that a key names; *number and file stay when the key is not given. */
static sens_status read_file(struct resolution *re, const char *key, size_t count, const sens_real **number,
                             char *file, size_t size)
{
    const struct spec_pair *given = resolve_given(re, key);
    if (!given) return SENS_OK;
    if (strlen(given->value) < size && count > 0) {
        strcpy(file, given->value);
        return pair_numbers(re->ctx, given, numbers_any(count), number, &count, re->error);
    }
    if (count == 0)
        refuse_pair(re->error, given, "problem %s has no parameters", re->problem->name);
    else
        refuse_pair(re->error, given, "a path of %zu characters or more", size);
    return SENS_BAD_INPUT;
}

/* Numbers in memory: copied, so that the cell does not depend on them. `file` says that there are some. */
static sens_status take_numbers(struct resolution *re, const char *key, const struct spec_numbers *given,
                                size_t count, const sens_real **number, char *file)
{
    if (!given->owned) return SENS_OK;
    if (given->count != count) {
        bench_refuse(re->error, "setting: %s has %zu numbers, problem %s takes %zu", key, given->count,
                     re->problem->name, count);
        return SENS_BAD_INPUT;
    }
    sens_real *const copy = SENS_NEW(re->ctx, sens_real, count);
    if (!copy) return refuse_memory(re);
    for (size_t k = 0; k < count; k++) copy[k] = given->owned[k];
    *number = copy;
    strcpy(file, "(numbers)");
    return SENS_OK;
}

/* Of those that bear the names of options that are given: their values, in a copy. */
static sens_status take_named(struct resolution *re, size_t count, const char *const *name,
                              const sens_real **number)
{
    const struct resolve_table *const table = &re->table[OWNER_PROBLEM];
    sens_real *const copy = SENS_NEW(re->ctx, sens_real, count);
    if (!copy) return refuse_memory(re);
    for (size_t k = 0; k < count; k++) {
        const int o = sens_option_find(table->options, name[k]);
        copy[k] = o >= 0 && table->given[o] ? table->value[o].number : (*number)[k];
    }
    *number = copy;
    return SENS_OK;
}

static sens_status read_files(struct resolution *re, const struct labels *labels)
{
    struct cell *const cell = re->cell;
    struct sens_problem *const pb = &cell->problem;
    sens_status status = read_file(re, "params", pb->np, &pb->p, cell->params_file, sizeof cell->params_file);
    if (status == SENS_OK) status = read_file(re, "x0", pb->n, &pb->x0, cell->x0_file, sizeof cell->x0_file);
    if (status == SENS_OK && cell->params_file[0]) status = take_named(re, pb->np, labels->parameter, &pb->p);
    if (status == SENS_OK && cell->x0_file[0]) status = take_named(re, pb->n, labels->state, &pb->x0);
    return status;
}

/* Of an option that bears the name of one of the numbers: that number, whatever was given for the option. */
static void note_used(const struct resolution *re, size_t count, const char *const *name,
                      const sens_real *number)
{
    for (size_t k = 0; k < count; k++) {
        const int o = sens_option_find(re->problem->options, name[k]);
        if (o >= 0) re->cell->problem_used[o].number = (double)number[k];
    }
}

/* The initial state of other parameters, where it depends on them. */
static sens_status move_x0(struct resolution *re)
{
    struct sens_problem *const pb = &re->cell->problem;
    if (!sens_problem_x0_depends(pb)) return SENS_OK;
    sens_real *const moved = SENS_NEW(re->ctx, sens_real, pb->n);
    if (!moved) return refuse_memory(re);
    sens_problem_x0(pb, pb->p, moved);
    pb->x0 = moved;
    return SENS_OK;
}

sens_status override_numbers(struct resolution *re)
{
    struct cell *cell = re->cell;
    struct sens_problem *pb = &cell->problem;
    const struct spec_pair *x0 = resolve_given(re, "x0");
    if ((x0 || re->spec->x0.owned) && sens_problem_x0_depends(pb)) {
        bench_refuse(re->error, "%s: x0=%s: the initial state of problem %s depends on its parameters",
                     x0 ? x0->origin : "setting", x0 ? x0->value : "(numbers)", re->problem->name);
        return SENS_BAD_INPUT;
    }
    if (!x0 && !resolve_given(re, "params") && !re->spec->p.owned && !re->spec->x0.owned) return SENS_OK;
    struct labels labels;
    if (labels_find(re->ctx, pb, &labels) != SENS_OK) return refuse_memory(re);
    sens_status status = read_files(re, &labels);
    if (status == SENS_OK) status = take_numbers(re, "p", &re->spec->p, pb->np, &pb->p, cell->params_file);
    if (status == SENS_OK) status = take_numbers(re, "x0", &re->spec->x0, pb->n, &pb->x0, cell->x0_file);
    if (status == SENS_OK && cell->params_file[0]) status = move_x0(re);
    if (status != SENS_OK) return status;
    note_used(re, pb->np, labels.parameter, pb->p);
    note_used(re, pb->n, labels.state, pb->x0);
    return SENS_OK;
}
