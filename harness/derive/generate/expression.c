/* derive/generate/expression.c - from tokens to C. Runs become loops before the statement that uses their sums; the
 * rows and vectors that are done together (copies) share these loops, and what they read alike. */
#include "expression.h"

#include <stdlib.h>

#include "along.h"
#include "frame.h"

struct writer {
    const struct plan *plan;
    const struct expression_style *style;
    const long double *constant;
    struct text *before; /* statements that come before the one being written */
    unsigned copies, copy;
    enum { NOT_YET, NUMBER, VECTOR } * run; /* [n_tokens]: what the sum of a run that was written is */
    unsigned runs;                          /* around the place */
    bool along_terms;                       /* the innermost of them goes by vectors */
    bool failed;
};

/* ---- indices ------------------------------------------------------------------------------------------- */

static unsigned row_of(const struct writer *w)
{
    return w->copy / w->style->vectors;
}

/* " + number variable" */
static void add_product(struct text *text, struct plan_number number, const char *variable, unsigned which)
{
    if (plan_is(number, 0)) return;
    if (number.column < 0 && number.value < 0)
        text_add(text, " - %d * %s%u", -(int)number.value, variable, which);
    else {
        text_add(text, " + ");
        plan_write_number(text, number);
        text_add(text, " * %s%u", variable, which);
    }
}

/* How far a base is from its column. */
static void add_distance(struct text *text, struct plan_number base)
{
    if (base.column >= 0 && base.value != 0)
        text_add(text, base.value < 0 ? " - %lld" : " + %lld", llabs((long long)base.value));
}

/* Integer e of the expression at this turn of the loops: the distance last, so that what is before it is shared. */
static void add_integer(const struct writer *w, struct text *text, size_t e)
{
    const struct plan *plan = w->plan;
    plan_write_number(text, plan->base[e]);
    for (size_t l = 0; l < plan->depth; l++) add_product(text, plan->step[l][e], "i", (unsigned)l);
    const unsigned unit = w->style->axis == EXPRESSION_OUTPUTS ? w->style->width : 1;
    if (row_of(w) > 0 && plan->depth > 0 && !plan_is(plan->step[0][e], 0)) {
        text_add(text, " + %u * ", row_of(w) * unit);
        plan_write_number(text, plan->step[0][e]);
    }
    add_distance(text, plan->base[e]);
}

/* The quantity at e: its start, and steps by the turns of the runs around it, k_1 the innermost. */
static void add_quantity(const struct writer *w, struct text *text, size_t e, unsigned runs)
{
    text_add(text, "(");
    add_integer(w, text, e);
    for (unsigned k = 1; k <= runs; k++) {
        if (along_is_zero(w->plan, e + k)) continue;
        text_add(text, " + (");
        add_integer(w, text, e + k);
        text_add(text, ") * k%u", runs - k + 1);
    }
    text_add(text, ")");
}

/* ---- leaves: each function tells whether it wrote a vector ----------------------------------------------- */

/* Does a leaf advance with the vector? */
static bool advances(const struct writer *w, size_t e)
{
    if (w->style->axis == EXPRESSION_OUTPUTS) return plan_is(w->plan->step[0][e], 1);
    return w->style->axis == EXPRESSION_TERMS && w->along_terms && plan_is(w->plan->base[e + 1], 1);
}

static void open_array(const struct writer *w, struct text *text, const char *array, bool vector)
{
    if (vector)
        text_add(text, "GET%u(%s + ", w->style->width, array);
    else
        text_add(text, "%s[", array);
}

static bool constant_leaf(const struct writer *w, struct text *text, size_t e)
{
    const bool vector = advances(w, e);
    if (along_literal(w->plan, e, w->runs)) {
        text_add_number(text, w->constant[w->plan->base[e].value]);
        return false;
    }
    open_array(w, text, "C", vector);
    add_quantity(w, text, e, w->runs);
    text_add(text, vector ? ")" : "]");
    return vector;
}

static bool array_leaf(const struct writer *w, struct text *text, roll_token token, size_t e)
{
    const bool stored = roll_kind(token) == ROLL_STORED, lane = along_is_lane(token);
    const char *array = !stored ? frame_array((enum graph_op)roll_detail(token)) : lane ? "SL" : "S";
    const bool in_lanes = lane && w->style->axis == EXPRESSION_LANES;
    const bool vector = in_lanes || advances(w, e);
    open_array(w, text, array, vector);
    add_quantity(w, text, e, w->runs);
    if (in_lanes) {
        const unsigned first = w->copy % w->style->vectors * w->style->width;
        if (stored)
            text_add(text, " * %u + %u", w->style->vectors * w->style->width, first);
        else
            text_add(text, " * LL + l + %u", first);
    }
    text_add(text, vector ? ")" : "]");
    return vector;
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static bool expression(struct writer *w, struct text *text, struct along_cursor *at);

static const char *taken(struct writer *w, struct text *text)
{
    char *string = text_take(text);
    if (!string) w->failed = true;
    return string;
}

static bool sum(struct writer *w, struct text *text, struct along_cursor *at, size_t operands)
{
    bool vector = false;
    text_add(text, "(");
    for (size_t k = 0; k < operands; k++) {
        const bool minus = roll_kind(w->plan->operator->token[at->token]) == ROLL_NEG;
        if (minus) at->token++;
        text_add(text, k == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        vector = expression(w, text, at) || vector;
    }
    text_add(text, ")");
    return vector;
}

/* Numbers first, so that they are multiplied before the vectors are; and what is the same for all lanes before a lane,
 * also where that is but a number: the compiler does it once then. */
static bool product(struct writer *w, struct text *text, struct along_cursor *at, size_t operands)
{
    struct text early = {.at = NULL}, late = {.at = NULL};
    bool any_early = false, any_late = false, any_vector = false;
    for (size_t k = 0; k < operands; k++) {
        struct text one = {.at = NULL};
        const bool lane = along_is_lane(w->plan->operator->token[at->token]);
        const bool vector = expression(w, &one, at), last = vector || lane;
        const char *string = taken(w, &one);
        if (string) text_add(last ? &late : &early, (last ? any_late : any_early) ? " * %s" : "%s", string);
        any_late = any_late || last;
        any_early = any_early || !last;
        any_vector = any_vector || vector;
        free((void *)string);
    }
    const char *first = taken(w, &early), *second = taken(w, &late);
    if (first && second) text_add(text, any_early && any_late ? "(%s * %s)" : "(%s%s)", first, second);
    free((void *)first);
    free((void *)second);
    return any_vector;
}

static void widen(const struct writer *w, struct text *text, bool vector, const char *string)
{
    text_add(text, vector ? "(lanes%u)%s" : "((lanes%u){0} + %s)", w->style->width, string);
}

/* The condition is a number, a side may be a vector. */
static bool selection(struct writer *w, struct text *text, struct along_cursor *at)
{
    struct text part[3] = {{.at = NULL}, {.at = NULL}, {.at = NULL}};
    const char *string[3];
    bool vector[3];
    for (size_t k = 0; k < 3; k++) vector[k] = expression(w, &part[k], at), string[k] = taken(w, &part[k]);
    if (!w->failed) {
        text_add(text, "(%s != 0 ? ", string[0]);
        for (size_t k = 1; k < 3; k++) {
            if (vector[1] || vector[2])
                widen(w, text, vector[k], string[k]);
            else
                text_add(text, "%s", string[k]);
            text_add(text, k == 1 ? " : " : ")");
        }
    }
    for (size_t k = 0; k < 3; k++) free((void *)string[k]);
    return vector[1] || vector[2];
}

static bool operation(struct writer *w, struct text *text, struct along_cursor *at, enum graph_op op)
{
    struct text part[2] = {{.at = NULL}, {.at = NULL}};
    const char *string[2] = {NULL, NULL};
    const long double *exponent = NULL;
    bool vector = false;
    if (op == GRAPH_SELECT) return selection(w, text, at);
    for (unsigned k = 0; k < graph_operands(op); k++) {
        if (k == 1 && roll_kind(w->plan->operator->token[at->token]) == ROLL_CONSTANT)
            exponent = along_literal(w->plan, at->integer, w->runs)
                           ? &w->constant[w->plan->base[at->integer].value]
                           : NULL;
        vector = expression(w, &part[k], at) || vector;
        string[k] = taken(w, &part[k]);
    }
    if (!w->failed) frame_operation(text, op, string[0], string[1] ? string[1] : "", "", exponent);
    free((void *)string[0]);
    free((void *)string[1]);
    return vector;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* The terms of all copies, in a block of their own; the sums are `name`<token>_<copy>. */
static bool write_terms(struct writer *w, struct text *text, size_t token, struct along_cursor body,
                        const char *name)
{
    struct text inner = {.at = NULL}, add = {.at = NULL}, *const before = w->before;
    const unsigned copy = w->copy;
    bool vector = false;
    w->before = &inner;
    for (size_t k = token + 1; k < body.token + roll_length(w->plan->operator->token + body.token); k++)
        w->run[k] = NOT_YET;
    for (w->copy = 0; w->copy < w->copies; w->copy++) {
        struct along_cursor at = body;
        text_add(&add, "%s%zu_%u += ", name, token, w->copy);
        vector = expression(w, &add, &at);
        text_add(&add, ";\n");
    }
    w->copy = copy;
    w->before = before;
    const char *first = taken(w, &inner), *second = taken(w, &add);
    if (first && second) text_add(text, " {\n%s%s}\n", first, second);
    free((void *)first);
    free((void *)second);
    return vector;
}

/* The sums of all copies, of vectors or, where width = 0, of numbers. */
static void declare(const struct writer *w, unsigned width, const char *name, size_t token)
{
    for (unsigned c = 0; c < w->copies; c++)
        if (width > 0)
            text_add(w->before, "lanes%u %s%zu_%u = {0};\n", width, name, token, c);
        else
            text_add(w->before, "double %s%zu_%u = 0;\n", name, token, c);
}

/* So many terms at a time, in vectors of at most the widest, as far as that goes, from where the last ones ended. */
static void write_turns_of_run(struct writer *w, size_t token, struct along_cursor body, const char *count,
                               unsigned terms, char name)
{
    const struct expression_style *const whole = w->style;
    struct expression_style style = *whole;
    const unsigned k = w->runs;
    if (terms < style.width) style.width = terms;
    w->style = &style;
    w->along_terms = terms > 1;
    text_add(w->before, "for (; k%u_%zu + %u <= %s; k%u_%zu += %u) {\n", k, token, terms, count, k, token,
             terms);
    for (unsigned part = 0; part < terms / style.width; part++) {
        const char of_part[] = {name, terms > 1 ? (char)('a' + part) : '\0', '\0'};
        text_add(w->before, "{\nconst ptrdiff_t k%u = k%u_%zu + %u;\n", k, k, token, part * style.width);
        write_terms(w, w->before, token, body, of_part);
        text_add(w->before, "}\n");
    }
    text_add(w->before, "}\n");
    w->along_terms = false;
    w->style = whole;
}

/* By eight terms, their halves and four more, and what is left over; whole: nothing is. */
static void write_run_of_vectors(struct writer *w, size_t token, struct along_cursor body, const char *count,
                                 bool whole)
{
    const unsigned widest = w->style->width;
    for (unsigned part = 0; part < 8 / widest; part++)
        declare(w, widest, (const char[]){'v', (char)('a' + part), '\0'}, token);
    text_add(w->before, "ptrdiff_t k%u_%zu = 0;\n", w->runs, token);
    write_turns_of_run(w, token, body, count, 8, 'v');
    frame_halve(w->before, token, w->copies, widest);
    if (!whole) write_turns_of_run(w, token, body, count, 4, 'f');
    frame_add_parts(w->before, token, w->copies, widest);
    if (!whole) write_turns_of_run(w, token, body, count, 1, 's');
    w->run[token] = NUMBER;
}

static void write_run_of_numbers(struct writer *w, size_t token, struct along_cursor body, const char *count)
{
    struct text terms = {.at = NULL};
    const bool vector = write_terms(w, &terms, token, body, "s");
    const char *string = taken(w, &terms);
    declare(w, vector ? w->style->width : 0, "s", token);
    text_add(w->before, "for (ptrdiff_t k%u = 0; k%u < %s; k%u++)%s", w->runs, w->runs, count, w->runs,
             string ? string : "");
    free((void *)string);
    w->run[token] = vector ? VECTOR : NUMBER;
}

static bool run(struct writer *w, struct text *text, struct along_cursor *at, size_t token, size_t e)
{
    if (w->run[token] == NOT_YET) {
        struct text bound = {.at = NULL};
        add_quantity(w, &bound, e, w->runs);
        const char *count = taken(w, &bound);
        w->runs++;
        if (w->style->axis == EXPRESSION_TERMS && along_terms(w->plan, *at, w->runs))
            write_run_of_vectors(w, token, *at, count ? count : "",
                                 along_is_whole(w->plan, e, w->runs - 1, 8));
        else
            write_run_of_numbers(w, token, *at, count ? count : "");
        w->runs--;
        free((void *)count);
    }
    along_skip(w->plan->operator->token, at, w->runs + 1);
    text_add(text, "s%zu_%u", token, w->copy);
    return w->run[token] == VECTOR;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/* Writes the expression at the cursor and moves it behind. true: it is a vector. */
static bool expression(struct writer *w, struct text *text, struct along_cursor *at)
{
    const size_t token = at->token++, e = at->integer;
    const roll_token here = w->plan->operator->token[token];
    if (roll_has_quantity(here)) at->integer += 1 + w->runs;
    switch (roll_kind(here)) {
    case ROLL_LEAF:
        if (roll_detail(here) != GRAPH_T) return array_leaf(w, text, here, e);
        text_add(text, "t");
        return false;
    case ROLL_STORED:
        return array_leaf(w, text, here, e);
    case ROLL_CONSTANT:
        return constant_leaf(w, text, e);
    case ROLL_SUM:
        return sum(w, text, at, roll_detail(here));
    case ROLL_PRODUCT:
        return product(w, text, at, roll_detail(here));
    case ROLL_OP:
        return operation(w, text, at, (enum graph_op)roll_detail(here));
    case ROLL_RUN:
        return run(w, text, at, token, e);
    default: {
        text_add(text, "(-");
        const bool vector = expression(w, text, at);
        text_add(text, ")");
        return vector;
    }
    }
}

/* Where the value of this copy goes. Wide targets take vectors. */
static bool write_target(const struct writer *w, struct text *text)
{
    const struct roll_operator *o = w->plan->operator;
    const struct expression_style *style = w->style;
    const char *array = o->target == ROLL_OUTPUT ? "OUT" : o->target == ROLL_SLOT ? "S" : "SL";
    const bool lanes = style->axis == EXPRESSION_LANES, wide = lanes || style->axis == EXPRESSION_OUTPUTS;
    if (wide)
        text_add(text, "PUT%u(%s + (", style->width, array);
    else
        text_add(text, "%s[(", array);
    add_integer(w, text, 0);
    text_add(text, ")");
    const unsigned first = lanes ? w->copy % style->vectors * style->width : 0;
    if (lanes && o->target == ROLL_OUTPUT) text_add(text, " * LL + l + %u", first);
    if (lanes && o->target == ROLL_SLOT_LANES)
        text_add(text, " * %u + %u", style->vectors * style->width, first);
    text_add(text, wide ? ")" : "]");
    return wide;
}

void expression_write(struct text *text, const struct plan *plan, const struct expression_style *style,
                      const long double *constant, bool adds)
{
    const struct roll_operator *o = plan->operator;
    struct writer w = {.plan = plan,
                       .style = style,
                       .constant = constant,
                       .before = text,
                       .copies = style->rows * style->vectors};
    w.run = calloc(o->n_tokens, sizeof *w.run);
    if (!w.run) text->failed = true;
    for (w.copy = 0; w.run && w.copy < w.copies; w.copy++) {
        struct text one = {.at = NULL};
        struct along_cursor at = {0, 1};
        const bool vector = expression(&w, &one, &at);
        const char *string = taken(&w, &one);
        const bool wide = write_target(&w, text);
        text_add(text, adds && o->target == ROLL_OUTPUT ? " += " : " = ");
        if (wide && !vector)
            text_add(text, "(lanes%u){0} + %s;\n", style->width, string ? string : "");
        else
            text_add(text, "%s;\n", string ? string : "");
        free((void *)string);
    }
    free(w.run);
    if (w.failed) text->failed = true;
}
