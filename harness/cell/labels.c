/* Names of states and parameters, see labels.h. */
#include "labels.h"

#include <stdio.h>
#include <string.h>

#include "names.h"
#include "program.h"
#include "sens/decorate.h"

enum { NUMBERED = 32, PROBED = 64 };

static sens_status of_model(struct sens_ctx *ctx, const struct sens_problem *pb, struct labels *labels)
{
    struct program_names names;
    const sens_status status = pb->type->model->names(ctx, pb->type->model, pb->option, &names);
    for (size_t i = 0; status == SENS_OK && i < pb->n; i++) labels->state[i] = names.state[i];
    for (size_t k = 0; status == SENS_OK && k < pb->np; k++) labels->parameter[k] = names.parameter[k];
    if (status != SENS_OK || !pb->type->observe) return status;
    labels->quantities = names.quantities;
    labels->quantity = names.quantity;
    return status;
}

/* ---- options that are parameters ----------------------------------------------------------------------- */

/* The one place where two vectors differ; count: none, or several. */
static size_t only_change(size_t count, const sens_real *before, const sens_real *after)
{
    size_t place = count;
    for (size_t i = 0; i < count; i++) {
        if (before[i] == after[i]) continue;
        if (place < count) return count;
        place = i;
    }
    return place;
}

static void take_name(const char *name, size_t count, const sens_real *before, const sens_real *after,
                      double value, const char **label)
{
    const size_t place = only_change(count, before, after);
    if (place < count && (double)after[place] == value) label[place] = name;
}

/* The problem again with another value of one option. */
static void probe(struct sens_ctx *ctx, const struct sens_problem *pb, size_t number,
                  struct sens_value *value, struct labels *labels)
{
    const struct sens_option *const option = &pb->type->options[number];
    const struct sens_value held = value[number];
    struct sens_problem moved;
    if (option->kind != SENS_OPT_REAL) return;
    value[number].number = held.number / 2 + option->max / 1024;
    if (value[number].number < option->min || value[number].number > option->max)
        value[number].number = option->min + (option->max - option->min) / 4;
    if (sens_problem_create(ctx, pb->type, value, &moved) == SENS_OK && moved.n == pb->n &&
        moved.np == pb->np) {
        take_name(option->name, pb->np, pb->p, moved.p, value[number].number, labels->parameter);
        if (!sens_problem_x0_depends(pb))
            take_name(option->name, pb->n, pb->x0, moved.x0, value[number].number, labels->state);
    }
    value[number] = held;
}

static sens_status of_options(struct sens_ctx *ctx, const struct sens_problem *pb, struct labels *labels)
{
    const size_t options = sens_option_count(pb->type->options);
    struct sens_value *const value = SENS_NEW(ctx, struct sens_value, options);
    if (!value) return SENS_NO_MEMORY;
    struct sens_problem nominal;
    for (size_t o = 0; o < options; o++) value[o] = pb->option[o];
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const bool same = sens_problem_create(ctx, pb->type, value, &nominal) == SENS_OK;
    for (size_t o = 0; same && o < options; o++) {
        const struct sens_arena_mark probed = sens_arena_mark(&ctx->arena);
        probe(ctx, &nominal, o, value, labels);
        sens_arena_rewind(&ctx->arena, probed);
    }
    sens_arena_rewind(&ctx->arena, mark);
    ctx->message[0] = '\0'; /* what a probe was refused for is of no account */
    return SENS_OK;
}

/* ---- what has no name ---------------------------------------------------------------------------------- */

static sens_status number_rest(struct sens_ctx *ctx, char letter, size_t count, const char **label)
{
    for (size_t i = 0; i < count; i++) {
        if (label[i]) continue;
        char *const text = SENS_NEW(ctx, char, NUMBERED);
        if (!text) return SENS_NO_MEMORY;
        snprintf(text, NUMBERED, "%c[%zu]", letter, i);
        label[i] = text;
    }
    return SENS_OK;
}

sens_status labels_find(struct sens_ctx *ctx, const struct sens_problem *outer, struct labels *labels)
{
    const struct sens_problem *const pb = sens_problem_innermost(outer);
    struct labels made = {.state = SENS_NEW(ctx, const char *, pb->n),
                          .parameter = SENS_NEW(ctx, const char *, pb->np)};
    if (!made.state || !made.parameter) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    if (pb->type->model)
        status = of_model(ctx, pb, &made);
    else if (pb->n <= PROBED && pb->np <= PROBED && pb->type->options)
        status = of_options(ctx, pb, &made);
    if (status == SENS_OK) status = number_rest(ctx, 'x', pb->n, made.state);
    if (status == SENS_OK) status = number_rest(ctx, 'p', pb->np, made.parameter);
    if (status == SENS_OK) *labels = made;
    return status;
}

/* ---- a choice ------------------------------------------------------------------------------------------ */

size_t labels_item(const char *text)
{
    size_t length = 0;
    for (bool inside = false; text[length] && (inside || text[length] != ','); length++)
        inside = text[length] == '[' || (inside && text[length] != ']');
    return length;
}

size_t labels_place(const char *flag, const char *text, size_t length, size_t count, const char *const *name,
                    struct bench_error *error)
{
    char word[128];
    for (size_t i = 0; i < count; i++)
        if (strlen(name[i]) == length && strncmp(name[i], text, length) == 0) return i;
    snprintf(word, sizeof word, "%.*s", (int)(length < 127 ? length : 127), text);
    const char *const near = nearest_name(word, name, count);
    bench_refuse(error, "%s: nothing is called '%s'%s%s; names: %s, ...", flag, word,
                 near ? "; did you mean " : "", near ? near : "", count ? name[0] : "none");
    return count;
}

sens_status labels_select(struct sens_ctx *ctx, const char *flag, const char *text, size_t count,
                          const char *const *name, struct selection *selection, struct bench_error *error)
{
    size_t *const index = SENS_NEW(ctx, size_t, count), chosen = 0;
    bool *const taken = SENS_NEW(ctx, bool, count);
    if (!index || !taken) return SENS_NO_MEMORY;
    for (size_t i = 0; !text && i < count; i++) index[chosen++] = i;
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        const size_t length = labels_item(at), place = labels_place(flag, at, length, count, name, error);
        if (place == count) return SENS_BAD_INPUT;
        if (taken[place]) {
            bench_refuse(error, "%s: %s is named twice", flag, name[place]);
            return SENS_BAD_INPUT;
        }
        taken[place] = true;
        index[chosen++] = place;
        at += length;
        if (!*at) break;
    }
    *selection = (struct selection){chosen, index};
    return SENS_OK;
}
