/* Declarations become equations: see equations.h. */
#include "equations.h"

#include <math.h>
#include <string.h>

#include "writer.h"

enum { ARENA_LIMIT = 1 << 30 }; /* bytes, beside the graph */

const struct equation_limits equations_usual = {30000000, 4000000, 8000000};

void *making_memory(struct making *making, size_t count, size_t size)
{
    void *made = sens_arena_alloc(making->writer.arena, count ? count : 1, size);
    if (!made && !making->writer.failed)
        making->writer.failed =
            !bench_refuse(making->writer.error, "%s: no memory for the model", making->writer.syntax->path);
    return made;
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

static bool measure(struct making *making, const struct declaration *declaration, struct shape *shape)
{
    struct writer *writer = &making->writer;
    shape->count = 1;
    for (const struct range *range = declaration->ranges; range; range = range->next) {
        const size_t k = shape->indices++;
        if (!writer_whole(writer, range->first, "the begin of a range", &shape->first[k]) ||
            !writer_whole(writer, range->last, "the end of a range", &shape->last[k]))
            return false;
        if (shape->last[k] < shape->first[k])
            return writer_refuse(writer, range->place, "the range %ld .. %ld of '%s' is empty",
                                 shape->first[k], shape->last[k], declaration->name);
        shape->count *= (size_t)(shape->last[k] - shape->first[k] + 1);
        if (shape->count > writer->limits->elements) break;
    }
    writer->elements += shape->count;
    return writer->elements <= writer->limits->elements ||
           writer_refuse(writer, declaration->place, "the arrays down to '%s' have more than %zu elements",
                         declaration->name, writer->limits->elements);
}

static size_t list_length(const struct expression *values)
{
    size_t count = 0;
    for (; values; values = values->next) count++;
    return count;
}

/* The value of the next element goes where it belongs. */
static bool set_element(void *self, const long *index)
{
    struct making *making = self;
    struct writer *writer = &making->writer;
    const struct declaration *declaration = making->declaration;
    const size_t k = making->element++;
    long double number;
    (void)index;
    const struct expression *value = making->value;
    if (making->listed) making->value = value->next;
    if (declaration->kind == DECLARE_PARAMETER) {
        if (declaration->option < 0 &&
            !writer_number(writer, value, "the nominal value of a parameter", &number))
            return false;
        if (declaration->option < 0 && !isfinite((double)number))
            return writer_refuse(writer, value->place,
                                 "the nominal value %Lg of a parameter is no number in double", number);
        making->made->p[making->parameters++] =
            declaration->option < 0 ? (double)number : writer->option[declaration->option].number;
        return true;
    }
    const graph_node node = declaration->option < 0
                                ? writer_write(writer, value)
                                : graph_constant(writer->graph, writer->option[declaration->option].number);
    if (declaration->kind == DECLARE_STATE)
        making->made->initial[making->states++] = node;
    else
        writer->array[declaration->number].element[k] = node;
    return !writer->failed;
}

static bool set_elements(struct making *making, const struct declaration *declaration)
{
    const struct array *array = &making->writer.array[declaration->number];
    const size_t given = list_length(declaration->values);
    making->declaration = declaration;
    making->value = declaration->values;
    making->listed = given > 1;
    making->element = 0;
    if (given > 1 && given != array->shape.count)
        return writer_refuse(&making->writer, declaration->place,
                             "'%s' has %zu elements, %zu values are given", declaration->name,
                             array->shape.count, given);
    return writer_each(&making->writer, declaration->ranges, set_element, making);
}

/* Room for so many more in an array that doubles. */
static bool grow(struct making *making, void **array, size_t size, size_t count, size_t more, size_t *room)
{
    if (count + more <= *room) return true;
    const size_t wanted = count + more > 2 * *room ? count + more : 2 * *room;
    void *larger = making_memory(making, wanted, size);
    if (!larger) return false;
    if (count) memcpy(larger, *array, count * size);
    *array = larger;
    *room = wanted;
    return true;
}

static bool grow_variables(struct making *making, bool state, size_t more)
{
    struct equations *made = making->made;
    void *array = state ? (void *)made->initial : (void *)made->p;
    const size_t size = state ? sizeof *made->initial : sizeof *made->p;
    if (!grow(making, &array, size, state ? made->n : made->np, more,
              state ? &making->state_room : &making->p_room))
        return false;
    if (state)
        made->initial = array;
    else
        made->p = array;
    return true;
}

/* Shape and leaves of a parameter, a state, a quantity; then its values. */
static bool make_array(struct making *making, const struct declaration *declaration)
{
    struct equations *made = making->made;
    struct array *array = &making->writer.array[declaration->number];
    struct graph *graph = making->writer.graph;
    const bool state = declaration->kind == DECLARE_STATE, parameter = declaration->kind == DECLARE_PARAMETER;
    if (!measure(making, declaration, &array->shape)) return false;
    const size_t count = array->shape.count;
    array->element = making_memory(making, count, sizeof *array->element);
    if (!array->element || ((state || parameter) && !grow_variables(making, state, count))) return false;
    if (!set_elements(making, declaration)) return false;
    for (size_t k = 0; k < count && (state || parameter); k++)
        array->element[k] = graph_leaf(graph, state ? GRAPH_X : GRAPH_P, (state ? made->n : made->np) + k);
    made->n += state ? count : 0;
    made->np += parameter ? count : 0;
    return true;
}

/* ---- equations ----------------------------------------------------------------------------------------- */

bool making_state(struct making *making, const struct declaration *about, const long *index, size_t *state)
{
    struct writer *writer = &making->writer;
    const struct array *array = &writer->array[about->symbol->declaration->number];
    const struct shape *shape = &array->shape;
    size_t element = 0;
    for (size_t k = 0; k < shape->indices; k++) {
        if (index[k] < shape->first[k] || index[k] > shape->last[k])
            return writer_refuse(writer, about->place, "'%s' has no element %ld: its index %zu is %ld .. %ld",
                                 about->name, index[k], k + 1, shape->first[k], shape->last[k]);
        element =
            element * (size_t)(shape->last[k] - shape->first[k] + 1) + (size_t)(index[k] - shape->first[k]);
    }
    *state = writer->graph->node[array->element[element]].a;
    return true;
}

static bool set_slope(void *self, const long *index)
{
    struct making *making = self;
    struct writer *writer = &making->writer;
    const struct declaration *equation = making->declaration;
    const struct shape *shape = &writer->array[equation->symbol->declaration->number].shape;
    size_t state = 0;
    if (!making_state(making, equation, index, &state)) return false;
    if (making->defined[state] && shape->indices)
        return writer_refuse(writer, equation->place,
                             "the element of '%s' with index %ld%s has two equations", equation->name,
                             index[0], shape->indices > 1 ? ", ..." : "");
    if (making->defined[state])
        return writer_refuse(writer, equation->place, "the state '%s' has two equations", equation->name);
    making->defined[state] = true;
    making->made->f[state] = writer_write(writer, equation->values);
    return !writer->failed;
}

static bool set_implicit(void *self, const long *index)
{
    struct making *making = self;
    struct writer *writer = &making->writer;
    size_t state = 0;
    if (!making_state(making, making->declaration, index, &state)) return false;
    if (making->implicit[state])
        return writer_refuse(writer, making->declaration->place,
                             "the implicit part of this element of '%s' is given twice",
                             making->declaration->name);
    making->implicit[state] = true;
    making->made->f_implicit[state] = writer_write(writer, making->declaration->values);
    return !writer->failed;
}

/* f_I, if a statement says something of it. */
static bool make_implicit(struct making *making)
{
    struct equations *const made = making->made;
    for (const struct declaration *d = making->writer.syntax->declarations; d; d = d->next) {
        if (d->kind != DECLARE_IMPLICIT) continue;
        if (!made->f_implicit) { /* zeroed: GRAPH_ZERO */
            made->f_implicit = making_memory(making, made->n, sizeof *made->f_implicit);
            making->implicit = making_memory(making, made->n, sizeof *making->implicit);
        }
        making->declaration = d;
        if (!made->f_implicit || !making->implicit ||
            !writer_each(&making->writer, d->ranges, set_implicit, making))
            return false;
    }
    return true;
}

static bool make_equation(struct making *making, const struct declaration *equation)
{
    making->declaration = equation;
    return writer_each(&making->writer, equation->ranges, set_slope, making);
}

static bool all_defined(struct making *making)
{
    size_t state = 0;
    for (const struct declaration *d = making->writer.syntax->declarations; d; d = d->next) {
        const size_t count = d->kind == DECLARE_STATE ? making->writer.array[d->number].shape.count : 0;
        for (size_t k = 0; k < count; k++, state++)
            if (!making->defined[state])
                return writer_refuse(&making->writer, d->place,
                                     count == 1
                                         ? "the state '%s' has no equation %s' = ..."
                                         : "the state '%s' has elements without an equation %s'[...] = ...",
                                     d->name, d->name);
    }
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static bool make_all(struct making *making)
{
    const struct declaration *const all = making->writer.syntax->declarations;
    for (const struct declaration *d = all; d; d = d->next) {
        const bool array =
            d->kind == DECLARE_PARAMETER || d->kind == DECLARE_STATE || d->kind == DECLARE_QUANTITY;
        if (array && !make_array(making, d)) return false;
    }
    making->made->f = making_memory(making, making->made->n, sizeof *making->made->f);
    making->defined = making_memory(making, making->made->n, sizeof *making->defined);
    if (!making->made->f || !making->defined) return false;
    for (const struct declaration *d = all; d; d = d->next)
        if (d->kind == DECLARE_EQUATION && !make_equation(making, d)) return false;
    return all_defined(making) && make_implicit(making) && making_masses(making) && making_interval(making) &&
           making_costs(making) && making_initial(making);
}

static bool graph_whole(struct making *making)
{
    return graph_status(making->writer.graph) == SENS_OK ||
           bench_refuse(making->writer.error, "%s: no memory for the model", making->writer.syntax->path);
}

bool equations_write(const struct syntax *syntax, const struct sens_value *option,
                     const struct equation_limits *limits, struct equations *equations,
                     struct bench_error *error)
{
    *equations = (struct equations){.graph = graph_create()};
    struct making making = {.made = equations,
                            .writer = {.syntax = syntax,
                                       .option = option,
                                       .limits = limits,
                                       .graph = equations->graph,
                                       .arena = &equations->arena,
                                       .error = error}};
    equations->arena.limit = ARENA_LIMIT;
    equations->array = making.writer.array = making_memory(&making, syntax->arrays, sizeof *equations->array);
    equations->local = making.writer.local = making_memory(&making, syntax->locals, sizeof *equations->local);
    if (!equations->graph) bench_refuse(error, "%s: no memory for the model", syntax->path);
    const bool written = equations->graph && making.writer.array && making.writer.local &&
                         make_all(&making) && graph_whole(&making);
    if (!written) equations_destroy(equations);
    return written;
}

void equations_destroy(struct equations *equations)
{
    graph_destroy(equations->graph);
    sens_arena_release(&equations->arena);
    *equations = (struct equations){.graph = NULL};
}

size_t equations_quantities(const struct equations *equations, const struct syntax *syntax)
{
    size_t count = 0;
    for (const struct declaration *d = syntax->declarations; d; d = d->next)
        if (d->kind == DECLARE_QUANTITY) count += equations->array[d->number].shape.count;
    return count;
}

graph_node equations_quantity(const struct equations *equations, const struct syntax *syntax, size_t number)
{
    const struct declaration *d = syntax->declarations;
    for (;; d = d->next) {
        if (d->kind != DECLARE_QUANTITY) continue;
        const struct array *const array = &equations->array[d->number];
        if (number < array->shape.count) return array->element[number];
        number -= array->shape.count;
    }
}

bool equations_known(struct equations *equations, const struct syntax *syntax,
                     const struct sens_value *option, const struct known_value *known, size_t *state,
                     struct bench_error *error)
{
    struct writer writer = {.syntax = syntax,
                            .option = option,
                            .limits = &equations_usual,
                            .graph = equations->graph,
                            .array = equations->array,
                            .local = equations->local,
                            .arena = &equations->arena,
                            .error = error};
    const struct array *array = &equations->array[known->state->number];
    size_t element;
    if (!writer_element(&writer, known->state->symbol, &array->shape, known->indices, known->place, &element))
        return false;
    *state = equations->graph->node[array->element[element]].a;
    return true;
}
