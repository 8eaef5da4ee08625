/* The names of states and parameters of a model: of a scalar its own, of an element of an array c[2,1]. They stand in
 * the order of the file, elements with the last index running fastest, as in x and p (equations.h). */
#include <stdio.h>
#include <string.h>

#include "append.h"
#include "model.h"
#include "writer.h"

enum { ELEMENT_NAME = MODEL_NAME + MODEL_INDICES * 24 };

/* Element number k of an array of this shape. */
static void element_name(const char *name, const struct shape *shape, size_t k, char text[ELEMENT_NAME])
{
    long index[MODEL_INDICES];
    for (size_t i = shape->indices; i-- > 0;) {
        const size_t length = (size_t)(shape->last[i] - shape->first[i] + 1);
        index[i] = shape->first[i] + (long)(k % length);
        k /= length;
    }
    text[0] = '\0';
    append(text, ELEMENT_NAME, "%s", name);
    for (size_t i = 0; i < shape->indices; i++) append(text, ELEMENT_NAME, "%s%ld", i ? "," : "[", index[i]);
    if (shape->indices) append(text, ELEMENT_NAME, "]");
}

static const char *kept(struct sens_ctx *ctx, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const copy = SENS_NEW(ctx, char, size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* The names of all elements of a kind. NULL: no memory. */
static const char **names_of(struct sens_ctx *ctx, const struct syntax *syntax,
                             const struct equations *equations, enum declaration_kind kind, size_t count)
{
    const char **const name = SENS_NEW(ctx, const char *, count);
    char text[ELEMENT_NAME];
    size_t at = 0;
    for (const struct declaration *d = syntax->declarations; name && d; d = d->next) {
        if (d->kind != kind) continue;
        const struct shape *const shape = &equations->array[d->number].shape;
        for (size_t k = 0; k < shape->count; k++) {
            element_name(d->name, shape, k, text);
            name[at] = kept(ctx, text);
            if (!name[at++]) return NULL;
        }
    }
    return name;
}

sens_status model_names(struct sens_ctx *ctx, const struct sens_model *head, const struct sens_value *option,
                        struct program_names *names)
{
    const struct syntax *const syntax = &((const struct model *)head)->syntax;
    struct bench_error error;
    struct equations equations;
    if (!equations_write(syntax, option, &equations_usual, &equations, &error))
        return sens_fail(ctx, SENS_BAD_INPUT, "%s", error.text);
    const char **const state = names_of(ctx, syntax, &equations, DECLARE_STATE, equations.n);
    const char **const parameter = names_of(ctx, syntax, &equations, DECLARE_PARAMETER, equations.np);
    const size_t quantities = equations_quantities(&equations, syntax);
    const char **const quantity = names_of(ctx, syntax, &equations, DECLARE_QUANTITY, quantities);
    equations_destroy(&equations);
    if (!state || !parameter || !quantity) return SENS_NO_MEMORY;
    *names = (struct program_names){state, parameter, quantities, quantity};
    return SENS_OK;
}
