/* Expressions become operations. Whatever is known by now, options and indices, is folded on the way: in a
 * branch that such a condition does not take nothing is written, so that its indices may be out of range. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "writer.h"

enum { DEPTH = 1000, LARGEST_WHOLE = 1000000000, MULTIPLIED = 64 };

bool writer_refuse(struct writer *writer, struct text_place place, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct syntax *syntax = writer->syntax;
    if (!writer->failed)
        model_refuse_at(writer->error, syntax->path, syntax->text, syntax->length, place, message);
    writer->failed = true;
    return false;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

/* An operation; one on known numbers that is not finite is refused. */
static graph_node apply(struct writer *writer, enum graph_op op, graph_node a, graph_node b, graph_node c,
                        struct text_place place)
{
    long double value;
    if (writer->failed) return GRAPH_ZERO;
    const graph_node made = graph_apply(writer->graph, op, a, b, c);
    if (writer->graph->n_nodes > writer->limits->nodes || graph_status(writer->graph) != SENS_OK)
        writer_refuse(writer, place, "here the model has more than %zu operations, or the memory is used up",
                      writer->limits->nodes);
    else if (graph_is_constant(writer->graph, made, &value) && !isfinite(value))
        writer_refuse(writer, place, "this is known before the run, and it is not finite");
    return writer->failed ? GRAPH_ZERO : made;
}

static graph_node whole_power(struct writer *writer, graph_node base, unsigned exponent,
                              struct text_place place)
{
    graph_node made = graph_constant(writer->graph, 1);
    for (graph_node square = base; exponent && !writer->failed; exponent >>= 1) {
        if (exponent & 1) made = apply(writer, GRAPH_MUL, made, square, 0, place);
        if (exponent > 1) square = apply(writer, GRAPH_MUL, square, square, 0, place);
    }
    return made;
}

/* a^2 is a*a: whole exponents up to 64 are products, so that negative bases have them. */
static graph_node power(struct writer *writer, const struct expression *expression)
{
    const graph_node base = writer_write(writer, expression->children),
                     exponent = writer_write(writer, expression->children->next);
    long double value;
    if (writer->failed) return GRAPH_ZERO;
    if (!graph_is_constant(writer->graph, exponent, &value) || value != floorl(value) ||
        fabsl(value) > MULTIPLIED)
        return apply(writer, GRAPH_POW, base, exponent, 0, expression->place);
    const graph_node made = whole_power(writer, base, (unsigned)fabsl(value), expression->place);
    if (value >= 0) return made;
    return apply(writer, GRAPH_DIV, graph_constant(writer->graph, 1), made, 0, expression->place);
}

static graph_node list(struct writer *writer, const struct expression *expression)
{
    const struct expression *operand = expression->children;
    graph_node made = writer_write(writer, operand);
    while ((operand = operand->next) && !writer->failed) {
        const enum graph_op op = operand->mark == '+'   ? GRAPH_ADD
                                 : operand->mark == '-' ? GRAPH_SUB
                                 : operand->mark == '*' ? GRAPH_MUL
                                                        : GRAPH_DIV;
        const graph_node next = writer_write(writer, operand);
        made = apply(writer, op, made, next, 0, operand->place);
    }
    return made;
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

static graph_node compare(struct writer *writer, const struct expression *expression)
{
    const struct text_place place = expression->place;
    const graph_node a = writer_write(writer, expression->children),
                     b = writer_write(writer, expression->children->next);
    switch (expression->mark) {
    case '<':
        return apply(writer, GRAPH_LESS, a, b, 0, place);
    case '>':
        return apply(writer, GRAPH_LESS, b, a, 0, place);
    case 'l':
        return apply(writer, GRAPH_LESS_EQUAL, a, b, 0, place);
    case 'g':
        return apply(writer, GRAPH_LESS_EQUAL, b, a, 0, place);
    default:
        break;
    }
    const graph_node one = graph_constant(writer->graph, 1),
                     below = apply(writer, GRAPH_LESS_EQUAL, a, b, 0, place),
                     above = apply(writer, GRAPH_LESS_EQUAL, b, a, 0, place),
                     equal = apply(writer, GRAPH_SELECT, below, above, GRAPH_ZERO, place);
    return expression->mark == '=' ? equal : apply(writer, GRAPH_SELECT, equal, GRAPH_ZERO, one, place);
}

static graph_node logic(struct writer *writer, const struct expression *expression)
{
    const graph_node one = graph_constant(writer->graph, 1);
    const struct expression *operand = expression->children;
    graph_node made = writer_write(writer, operand);
    if (expression->kind == EXPRESSION_NOT)
        return apply(writer, GRAPH_SELECT, made, GRAPH_ZERO, one, expression->place);
    while ((operand = operand->next) && !writer->failed) {
        const graph_node next = writer_write(writer, operand);
        made = expression->kind == EXPRESSION_AND
                   ? apply(writer, GRAPH_SELECT, made, next, GRAPH_ZERO, operand->place)
                   : apply(writer, GRAPH_SELECT, made, one, next, operand->place);
    }
    return made;
}

static graph_node branches(struct writer *writer, const struct expression *expression)
{
    const struct expression *then = expression->children->next;
    const graph_node condition = writer_write(writer, expression->children);
    long double value;
    if (writer->failed) return GRAPH_ZERO;
    if (graph_is_constant(writer->graph, condition, &value))
        return writer_write(writer, value != 0 ? then : then->next);
    const graph_node yes = writer_write(writer, then), no = writer_write(writer, then->next);
    return apply(writer, GRAPH_SELECT, condition, yes, no, expression->place);
}

/* ---- numbers that are known ---------------------------------------------------------------------------- */

bool writer_number(struct writer *writer, const struct expression *expression, const char *what,
                   long double *number)
{
    const graph_node made = writer_write(writer, expression);
    if (writer->failed) return false;
    return graph_is_constant(writer->graph, made, number) ||
           writer_refuse(writer, expression->place,
                         "%s is made of numbers, options and indices alone, not of t, states or parameters",
                         what);
}

bool writer_whole(struct writer *writer, const struct expression *expression, const char *what, long *number)
{
    long double value;
    if (!writer_number(writer, expression, what, &value)) return false;
    if (value != floorl(value) || fabsl(value) > LARGEST_WHOLE)
        return writer_refuse(writer, expression->place, "%s is a whole number below %d, here it is %Lg", what,
                             LARGEST_WHOLE, value);
    *number = (long)value;
    return true;
}

/* floor(a), mod(a, b) = a - b floor(a / b) */
static graph_node whole_function(struct writer *writer, const struct expression *expression)
{
    const bool mod = expression->op == LIBRARY_MOD;
    long double a, b = 1;
    if (!writer_number(writer, expression->children, mod ? "what mod takes" : "what floor takes", &a) ||
        (mod && !writer_number(writer, expression->children->next, "what mod takes", &b)))
        return GRAPH_ZERO;
    const long double value = mod ? a - b * floorl(a / b) : floorl(a);
    if (!isfinite(value)) writer_refuse(writer, expression->place, "the second argument of mod is 0");
    return writer->failed ? GRAPH_ZERO : graph_constant(writer->graph, value);
}

/* ---- names --------------------------------------------------------------------------------------------- */

bool writer_element(struct writer *writer, const struct symbol *symbol, const struct shape *shape,
                    const struct expression *indices, struct text_place place, size_t *element)
{
    *element = 0;
    for (size_t k = 0; k < shape->indices; k++, indices = indices->next) {
        long index = 0;
        if (!writer_whole(writer, indices, "an index", &index)) return false;
        if (index < shape->first[k] || index > shape->last[k])
            return writer_refuse(writer, place, "'%s' has no element %ld: its index %zu is %ld .. %ld",
                                 symbol->name, index, k + 1, shape->first[k], shape->last[k]);
        *element =
            *element * (size_t)(shape->last[k] - shape->first[k] + 1) + (size_t)(index - shape->first[k]);
    }
    return true;
}

static graph_node name(struct writer *writer, const struct expression *expression)
{
    const struct symbol *symbol = expression->symbol;
    size_t element;
    switch (symbol->kind) {
    case SYMBOL_TIME:
        return graph_leaf(writer->graph, GRAPH_T, 0);
    case SYMBOL_PI:
        return graph_constant(writer->graph, 3.14159265358979323846264338327950288L);
    case SYMBOL_OPTION:
        return graph_constant(writer->graph, writer->option[symbol->slot].number);
    case SYMBOL_LOCAL:
        return writer->local[symbol->slot];
    default:
        break;
    }
    const struct array *array = &writer->array[symbol->declaration->number];
    if (!writer_element(writer, symbol, &array->shape, expression->children, expression->place, &element))
        return GRAPH_ZERO;
    return array->element[element];
}

/* Arguments first: a function may be among its own arguments. */
static graph_node call(struct writer *writer, const struct expression *expression)
{
    const struct declaration *function = expression->symbol->declaration;
    graph_node value[MODEL_ARGUMENTS];
    size_t count = 0;
    for (const struct expression *argument = expression->children; argument; argument = argument->next)
        value[count++] = writer_write(writer, argument);
    for (size_t k = 0; k < count; k++) writer->local[function->argument[k]->slot] = value[k];
    return writer_write(writer, function->values);
}

static graph_node library(struct writer *writer, const struct expression *expression)
{
    if (expression->op >= GRAPH_OPS) return whole_function(writer, expression);
    const struct expression *second = expression->children->next;
    const graph_node a = writer_write(writer, expression->children),
                     b = second ? writer_write(writer, second) : 0;
    return apply(writer, (enum graph_op)expression->op, a, b, 0, expression->place);
}

/* ---- ranges -------------------------------------------------------------------------------------------- */

bool writer_each(struct writer *writer, const struct range *ranges,
                 bool (*each)(void *self, const long *index), void *self)
{
    long first[MODEL_INDICES + 1] = {0}, last[MODEL_INDICES + 1] = {0}, index[MODEL_INDICES + 1] = {0};
    const struct range *range[MODEL_INDICES + 1];
    size_t depth = 0, count = 0;
    for (const struct range *one = ranges; one; one = one->next) {
        if (count == MODEL_INDICES)
            return writer_refuse(writer, one->place, "at most %d ranges", MODEL_INDICES);
        range[count++] = one;
    }
    if (count == 0) return each(self, index);
    for (bool enter = true;;) { /* as nested loops, of which `depth` is the one that goes on */
        if (enter && (!writer_whole(writer, range[depth]->first, "the begin of a range", &first[depth]) ||
                      !writer_whole(writer, range[depth]->last, "the end of a range", &last[depth])))
            return false;
        index[depth] = enter ? first[depth] : index[depth] + 1;
        if (index[depth] > last[depth]) {
            if (depth-- == 0) return true;
            enter = false;
            continue;
        }
        if (range[depth]->index)
            writer->local[range[depth]->index->slot] = graph_constant(writer->graph, index[depth]);
        enter = depth + 1 < count;
        if (enter)
            depth++;
        else if (writer->failed || !each(self, index))
            return false;
    }
}

struct total {
    struct writer *writer;
    const struct expression *expression;
    graph_node value;
};

static bool add(void *self, const long *index)
{
    struct total *total = self;
    (void)index;
    const graph_node next = writer_write(total->writer, total->expression->children);
    total->value = apply(total->writer, (enum graph_op)total->expression->op, total->value, next, 0,
                         total->expression->place);
    return !total->writer->failed;
}

static graph_node over_range(struct writer *writer, const struct expression *expression)
{
    struct total total = {writer, expression, graph_constant(writer->graph, expression->op == GRAPH_MUL)};
    return writer_each(writer, expression->ranges, add, &total) ? total.value : GRAPH_ZERO;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static graph_node write_one(struct writer *writer, const struct expression *expression)
{
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
        return graph_constant(writer->graph, expression->wide);
    case EXPRESSION_NAME:
        return name(writer, expression);
    case EXPRESSION_CALL:
        return call(writer, expression);
    case EXPRESSION_FUNCTION:
        return library(writer, expression);
    case EXPRESSION_SUM:
    case EXPRESSION_PRODUCT:
        return list(writer, expression);
    case EXPRESSION_NEGATIVE:
        return apply(writer, GRAPH_NEG, writer_write(writer, expression->children), 0, 0, expression->place);
    case EXPRESSION_POWER:
        return power(writer, expression);
    case EXPRESSION_IF:
        return branches(writer, expression);
    case EXPRESSION_COMPARE:
        return compare(writer, expression);
    case EXPRESSION_AND:
    case EXPRESSION_OR:
    case EXPRESSION_NOT:
        return logic(writer, expression);
    case EXPRESSION_OVER_RANGE:
        return over_range(writer, expression);
    }
    return GRAPH_ZERO;
}

graph_node writer_write(struct writer *writer, const struct expression *expression)
{
    if (writer->failed) return GRAPH_ZERO;
    if (++writer->steps > writer->limits->steps)
        return writer_refuse(writer, expression->place, "writing the model out takes more than %zu steps",
                             writer->limits->steps),
               GRAPH_ZERO;
    if (++writer->depth > DEPTH)
        return writer_refuse(writer, expression->place, "functions call each other too deeply"), GRAPH_ZERO;
    const graph_node made = write_one(writer, expression);
    writer->depth--;
    return made;
}
