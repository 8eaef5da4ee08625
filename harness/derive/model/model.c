/* A model file as a type of problem: see model.h. */
#include "model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "parser.h"
#include "text_file.h"

/* ---- equations of an instance -------------------------------------------------------------------------- */

static const double *copied(struct sens_ctx *ctx, size_t count, const double *from)
{
    double *copy = SENS_NEW(ctx, double, count);
    if (copy && count) memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static sens_status lower_costs(struct sens_ctx *ctx, const struct equations *from,
                               struct program_equations *to)
{
    struct program *phi = SENS_NEW(ctx, struct program, from->n_obs);
    sens_status status = phi ? SENS_OK : SENS_NO_MEMORY;
    for (size_t j = 0; j < from->n_obs && status == SENS_OK; j++)
        status = model_lower(ctx, from->graph, from->m, from->phi + j * from->m, &phi[j]);
    if (status == SENS_OK && from->g) status = model_lower(ctx, from->graph, from->m, from->g, &to->g);
    to->phi = phi;
    return status;
}

static sens_status lower_mass(struct sens_ctx *ctx, const struct equations *from,
                              struct program_equations *to)
{
    size_t *const start = SENS_NEW(ctx, size_t, from->n + 1), *const col =
                                                                  SENS_NEW(ctx, size_t, from->masses);
    double *const value = SENS_NEW(ctx, double, from->masses);
    if (!start || !col || !value) return SENS_NO_MEMORY;
    for (size_t e = 0; e < from->masses; e++) {
        start[from->mass[e].row + 1]++;
        col[e] = from->mass[e].col;
        value[e] = from->mass[e].value;
    }
    for (size_t i = 0; i < from->n; i++) start[i + 1] += start[i];
    to->mass_start = start, to->mass_col = col, to->mass = value;
    return SENS_OK;
}

static sens_status lower(struct sens_ctx *ctx, const struct equations *from, struct program_equations *to)
{
    *to = (struct program_equations){.n = from->n,
                                     .np = from->np,
                                     .t0 = from->t0,
                                     .t1 = from->t1,
                                     .p = copied(ctx, from->np, from->p),
                                     .x0 = copied(ctx, from->n, from->x0),
                                     .x0_depends = from->x0_depends,
                                     .m = from->m,
                                     .n_obs = from->n_obs,
                                     .t_obs = copied(ctx, from->n_obs, from->t_obs),
                                     .at_end = from->at_end,
                                     .split = from->f_implicit};
    if (!to->p || !to->x0 || !to->t_obs) return SENS_NO_MEMORY;
    sens_status status = model_lower(ctx, from->graph, from->n, from->f, &to->f);
    if (status == SENS_OK) status = model_lower(ctx, from->graph, from->n, from->initial, &to->initial);
    if (status == SENS_OK && from->has_mass) status = lower_mass(ctx, from, to);
    return status == SENS_OK ? lower_costs(ctx, from, to) : status;
}

static sens_status write_part(struct sens_ctx *ctx, const struct model *model, bool implicit,
                              const struct sens_value *option, struct program_equations *equations)
{
    struct bench_error error;
    struct equations written;
    if (!equations_write(&model->syntax, option, &equations_usual, &written, &error))
        return sens_fail(ctx, SENS_BAD_INPUT, "%s", error.text);
    if (implicit) written.f = written.f_implicit, written.f_implicit = NULL, written.has_mass = false;
    const sens_status status = lower(ctx, &written, equations);
    equations_destroy(&written);
    return status;
}

static sens_status write_equations(struct sens_ctx *ctx, const struct sens_model *head,
                                   const struct sens_value *option, struct program_equations *equations)
{
    return write_part(ctx, (const struct model *)head, false, option, equations);
}

static sens_status write_implicit(struct sens_ctx *ctx, const struct sens_model *implicit,
                                  const struct sens_value *option, struct program_equations *equations)
{
    const char *const head = (const char *)implicit - offsetof(struct model, implicit);
    return write_part(ctx, (const struct model *)(const void *)head, true, option, equations);
}

static sens_status find_observed(struct sens_ctx *ctx, const struct sens_model *head,
                                 const struct sens_value *option, size_t count, const size_t *quantity,
                                 struct program *h)
{
    const struct syntax *const syntax = &((const struct model *)head)->syntax;
    struct bench_error error;
    struct equations written;
    graph_node *const output = SENS_NEW(ctx, graph_node, count);
    if (!output) return SENS_NO_MEMORY;
    if (!equations_write(syntax, option, &equations_usual, &written, &error))
        return sens_fail(ctx, SENS_BAD_INPUT, "%s", error.text);
    const size_t known = equations_quantities(&written, syntax);
    sens_status status = SENS_OK;
    for (size_t k = 0; k < count && status == SENS_OK; k++) {
        if (quantity[k] < known)
            output[k] = equations_quantity(&written, syntax, quantity[k]);
        else
            status = sens_fail(ctx, SENS_BAD_INPUT, "quantity %zu of %zu", quantity[k], known);
    }
    if (status == SENS_OK) status = model_lower(ctx, written.graph, count, output, h);
    equations_destroy(&written);
    return status;
}

/* ---- published values ---------------------------------------------------------------------------------- */

static sens_status place_known(struct sens_ctx *ctx, const struct model *model, const struct known_set *set,
                               const struct sens_value *option, struct equations *equations,
                               struct program_known *known)
{
    struct bench_error error;
    known->value = SENS_NEW(ctx, double, equations->n);
    known->unit = SENS_NEW(ctx, double, equations->n);
    if (!known->value || !known->unit) return SENS_NO_MEMORY;
    for (const struct known_value *value = set->values; value; value = value->next) {
        size_t state;
        if (!equations_known(equations, &model->syntax, option, value, &state, &error))
            return sens_fail(ctx, SENS_BAD_INPUT, "%s", error.text);
        known->value[state] = value->value;
        known->unit[state] = value->unit;
    }
    return SENS_OK;
}

static sens_status find_known(struct sens_ctx *ctx, const struct sens_model *head, size_t number,
                              struct sens_value *option, struct program_known *known)
{
    const struct model *model = (const struct model *)head;
    const struct known_set *set = model->syntax.known;
    struct bench_error error;
    struct equations equations;
    while (set && number-- > 0) set = set->next;
    if (!set) return SENS_UNSUPPORTED;
    for (size_t k = 0; k < set->settings; k++) option[set->setting[k].option].number = set->setting[k].value;
    if (!equations_write(&model->syntax, option, &equations_usual, &equations, &error))
        return sens_fail(ctx, SENS_BAD_INPUT, "%s", error.text);
    const sens_status status = place_known(ctx, model, set, option, &equations, known);
    equations_destroy(&equations);
    return status;
}

bool model_check(const struct model *model, struct bench_error *error)
{
    struct sens_value value[PARSER_OPTIONS + 1];
    struct equations written;
    sens_option_defaults(model->syntax.options, value);
    if (!equations_write(&model->syntax, value, &equations_usual, &written, error)) return false;
    equations_destroy(&written);
    return true;
}

void model_type(const struct model *model, const struct sens_problem_type *written,
                struct sens_problem_type *type)
{
    *type = *written;
    type->name = model->syntax.name;
    type->summary = model->syntax.summary;
    type->reference = model->syntax.source[0] ? model->syntax.source : NULL;
    type->options = model->syntax.options;
    type->model = &model->head;
}

/* ---- files --------------------------------------------------------------------------------------------- */

struct model *model_parse(const char *path, const char *text, size_t length, struct bench_error *error)
{
    struct model *model = calloc(1, sizeof *model);
    if (!model) {
        bench_refuse(error, "%s: no memory", path);
        return NULL;
    }
    model->implicit = (struct sens_model){.write = write_implicit};
    model->head = (struct sens_model){.implicit = &model->implicit,
                                      .write = write_equations,
                                      .known = find_known,
                                      .observed = find_observed,
                                      .names = model_names};
    if (syntax_read(path, text, length, &model->syntax, error)) return model;
    free(model);
    return NULL;
}

/* All of a file, or one byte more than a model has; to be freed. NULL and a message: it cannot be read. */
static char *read_text(const char *path, size_t *length, struct bench_error *error)
{
    FILE *file = regular_open(path, error);
    if (!file) return NULL;
    char *text = malloc(PARSER_BYTES + 1);
    *length = text ? fread(text, 1, PARSER_BYTES + 1, file) : 0;
    const bool failed = !text || ferror(file);
    if (failed) bench_refuse(error, "%s: %s", path, text ? "it cannot be read" : "no memory");
    if (failed) free(text);
    fclose(file);
    return failed ? NULL : text;
}

struct model *model_read(const char *path, struct bench_error *error)
{
    size_t length;
    char *text = read_text(path, &length, error);
    struct model *model = text ? model_parse(path, text, length, error) : NULL;
    free(text);
    return model;
}

bool model_name(const char *path, char name[MODEL_NAME], struct bench_error *error)
{
    size_t length;
    char *text = read_text(path, &length, error);
    const bool found = text && syntax_name(path, text, length, name, error);
    free(text);
    return found;
}

void model_destroy(struct model *model)
{
    if (!model) return;
    syntax_destroy(&model->syntax);
    free(model);
}
