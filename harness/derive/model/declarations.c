/* The statements of a model file: see docs/models.md for the language. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parser.h"
#include "statement_kinds.h"

/* ---- what declarations have in common ------------------------------------------------------------------ */

static struct declaration *declaration(struct parser *parser, enum declaration_kind kind,
                                       const struct token *where)
{
    struct declaration *made = PARSER_NEW(parser, struct declaration);
    if (!made) return NULL;
    made->kind = kind;
    made->place = (struct text_place){where->line, where->column};
    made->name = parser_text(parser, where);
    made->option = -1;
    return made->name ? made : NULL;
}

static void append(struct parser *parser, struct declaration *made)
{
    *parser->end = made;
    parser->end = &made->next;
}

/* A new name with the declaration that it stands for. */
static struct declaration *named(struct parser *parser, enum declaration_kind kind, enum symbol_kind symbol,
                                 const char *what)
{
    const struct token name = parser->lexer.token;
    struct symbol *declared = parser_declare(parser, symbol, what);
    struct declaration *made = declared ? declaration(parser, kind, &name) : NULL;
    if (!made) return NULL;
    made->symbol = declared;
    declared->declaration = made;
    return made;
}

/* "text" if it is there; fallback if not. */
static const char *optional_text(struct parser *parser, const char *fallback)
{
    if (parser->lexer.token.kind != TOKEN_STRING) return fallback;
    const char *text = parser_text(parser, &parser->lexer.token);
    lexer_next(&parser->lexer);
    return text;
}

/* ---- options ------------------------------------------------------------------------------------------- */

static struct sens_option *new_option(struct parser *parser, const char *name, const struct token *where)
{
    struct syntax *syntax = parser->syntax;
    if (syntax->n_options == PARSER_OPTIONS) {
        lexer_refuse(&parser->lexer, where,
                     "a model has at most %d options, scalar parameters and scalar states", PARSER_OPTIONS);
        return NULL;
    }
    struct sens_option *option = &syntax->options[syntax->n_options++];
    *option = (struct sens_option){
        .name = name, .kind = SENS_OPT_REAL, .min = -STATEMENT_LARGE, .max = STATEMENT_LARGE};
    return option;
}

/* in LOWEST .. HIGHEST "help", both optional; the default lies inside. */
static bool limits(struct parser *parser, struct sens_option *option, const struct token *where,
                   const char *fallback)
{
    if (parser_mark(parser, "in")) {
        if (!parser_number(parser, &option->min) || !parser_expect(parser, "..") ||
            !parser_number(parser, &option->max))
            return false;
    }
    if (!(option->min <= option->fallback && option->fallback <= option->max))
        return lexer_refuse(&parser->lexer, where, "the default %g of '%s' is not in %g .. %g",
                            option->fallback, option->name, option->min, option->max);
    option->help = optional_text(parser, fallback);
    return option->help != NULL;
}

static bool whole(struct parser *parser, const struct sens_option *option, const struct token *where)
{
    const double number[] = {option->fallback, option->min, option->max};
    for (int k = 0; k < 3; k++)
        if (number[k] != floor(number[k]) || fabs(number[k]) > STATEMENT_WHOLE)
            return lexer_refuse(&parser->lexer, where,
                                "the option '%s' is a whole number below %d, %g is not one", option->name,
                                STATEMENT_WHOLE, number[k]);
    return true;
}

bool statement_option(struct parser *parser)
{
    const bool integer = parser_mark(parser, "integer");
    if (!integer && !parser_mark(parser, "real"))
        return lexer_expected(&parser->lexer, "integer or real behind option");
    const struct token name = parser->lexer.token;
    struct declaration *made = named(parser, DECLARE_OPTION, SYMBOL_OPTION, "the name of an option");
    struct sens_option *option = made ? new_option(parser, made->name, &name) : NULL;
    if (!option || !parser_expect(parser, "=") || !parser_number(parser, &option->fallback)) return false;
    made->symbol->slot = parser->syntax->n_options - 1;
    if (integer) option->kind = SENS_OPT_INT, option->min = -STATEMENT_WHOLE, option->max = STATEMENT_WHOLE;
    append(parser, made);
    return limits(parser, option, &name, integer ? "whole number" : "number") &&
           (!integer || whole(parser, option, &name));
}

/* Whether an expression is a number alone, with its sign. */
static bool plain_number(const struct expression *expression, double *number)
{
    const bool minus = expression->kind == EXPRESSION_NEGATIVE;
    const struct expression *inner = minus ? expression->children : expression;
    if (inner->kind != EXPRESSION_NUMBER) return false;
    *number = minus ? -inner->number : inner->number;
    return true;
}

/* A scalar that is given as a number is an option of the same name. */
static bool scalar_option(struct parser *parser, struct declaration *made, const struct token *name,
                          const char *help)
{
    double number;
    const bool scalar = !made->ranges && plain_number(made->values, &number);
    if (!scalar && token_is(&parser->lexer.token, "in"))
        return lexer_refuse(&parser->lexer, &parser->lexer.token,
                            "a range is given to a single number alone, which is an option then");
    if (!scalar) return optional_text(parser, "") != NULL;
    struct sens_option *option = new_option(parser, made->name, name);
    if (!option) return false;
    option->fallback = number;
    made->option = (int)parser->syntax->n_options - 1;
    return limits(parser, option, name, help);
}

/* ---- parameters, states, quantities -------------------------------------------------------------------- */

static bool values(struct parser *parser, struct declaration *made)
{
    struct expression **end = &made->values;
    do {
        *end = parser_expression(parser);
        if (!*end) return false;
        end = &(*end)->next;
    } while (made->ranges && parser_mark(parser, ","));
    return true;
}

/* [RANGES] = VALUE, VALUE, ... The indices are known in the values alone. */
static bool array_of_values(struct parser *parser, struct declaration *made)
{
    struct symbol *const outside = parser->symbols;
    const bool array = token_is(&parser->lexer.token, "[");
    if (array) made->ranges = parser_ranges(parser, false, &made->indices);
    if ((array && !made->ranges) || !parser_expect(parser, "=")) return false;
    made->number = parser->syntax->arrays++;
    const bool read = values(parser, made);
    parser->symbols = outside;
    return read;
}

static bool variable(struct parser *parser, enum declaration_kind kind, enum symbol_kind symbol,
                     const char *what, const char *help)
{
    const struct token name = parser->lexer.token;
    struct symbol *const outside = parser->symbols; /* a value does not name what it defines */
    struct declaration *made = named(parser, kind, symbol, what);
    parser->symbols = outside;
    if (!made || !array_of_values(parser, made)) return false;
    parser->symbols = made->symbol;
    append(parser, made);
    return kind == DECLARE_QUANTITY || scalar_option(parser, made, &name, help);
}

bool statement_parameter(struct parser *parser)
{
    return variable(parser, DECLARE_PARAMETER, SYMBOL_PARAMETER, "the name of a parameter", "parameter");
}

bool statement_state(struct parser *parser)
{
    return variable(parser, DECLARE_STATE, SYMBOL_STATE, "the name of a state", "initial value");
}

static bool quantity(struct parser *parser)
{
    return variable(parser, DECLARE_QUANTITY, SYMBOL_QUANTITY, "a name", "");
}

/* NAME(A, B, ...) = EXPRESSION */
static bool function(struct parser *parser)
{
    struct symbol *const outside = parser->symbols;
    struct declaration *made = named(parser, DECLARE_FUNCTION, SYMBOL_FUNCTION, "the name of a function");
    parser->symbols = outside;
    if (!made || !parser_expect(parser, "(")) return false;
    do {
        if (made->indices == MODEL_ARGUMENTS)
            return lexer_refuse(&parser->lexer, &parser->lexer.token, "a function has at most %d arguments",
                                MODEL_ARGUMENTS);
        struct symbol *argument = parser_declare(parser, SYMBOL_LOCAL, "the name of an argument");
        if (!argument) return false;
        made->argument[made->indices++] = argument;
    } while (parser_mark(parser, ","));
    if (!parser_expect(parser, ")") || !parser_expect(parser, "=")) return false;
    made->values = parser_expression(parser);
    parser->symbols = made->symbol;
    append(parser, made);
    return made->values != NULL;
}

/* ---- equations and costs ------------------------------------------------------------------------------- */

/* What is said of a state, from its indices or ranges on. NULL: refused. */
static struct declaration *of_state(struct parser *parser, enum declaration_kind kind,
                                    const struct token *name)
{
    struct symbol *const state = parser_find(parser, name);
    struct declaration *made = declaration(parser, kind, name);
    if (!made) return NULL;
    made->symbol = state;
    if (!state || state->kind != SYMBOL_STATE) {
        lexer_refuse(&parser->lexer, name, "'%s' is no state: nothing above declares it as one", made->name);
        return NULL;
    }
    if (token_is(&parser->lexer.token, "[")) made->ranges = parser_ranges(parser, true, &made->indices);
    if (parser->lexer.failed) return NULL;
    if (made->indices == state->declaration->indices) return made;
    char needed[INDEX_TEXT], found[INDEX_TEXT];
    lexer_refuse(&parser->lexer, name, "the state '%s' has %s, its %s has %s", made->name,
                 parser_count_indices(state->declaration->indices, needed),
                 kind == DECLARE_MASS       ? "mass"
                 : kind == DECLARE_IMPLICIT ? "implicit part"
                                            : "equation",
                 parser_count_indices(made->indices, found));
    return NULL;
}

/* STATE' = EXPRESSION, STATE'[INDICES OR RANGES] = EXPRESSION */
static bool equation(struct parser *parser, const struct token *name)
{
    struct symbol *const outside = parser->symbols;
    struct declaration *made = of_state(parser, DECLARE_EQUATION, name);
    if (!made || !parser_expect(parser, "=")) return false;
    made->values = parser_expression(parser);
    parser->symbols = outside;
    append(parser, made);
    return made->values != NULL;
}

/* mass STATE = NUMBER; mass STATE, STATE = NUMBER; with indices, or ranges behind the first, as equations have them */
bool statement_mass(struct parser *parser)
{
    struct symbol *const outside = parser->symbols;
    const struct token name = parser->lexer.token;
    lexer_next(&parser->lexer);
    struct declaration *made = of_state(parser, DECLARE_MASS, &name);
    if (!made) return false;
    if (parser_mark(parser, ",") && !(made->column = parser_expression(parser))) return false;
    if (!parser_expect(parser, "=")) return false;
    made->values = parser_expression(parser);
    parser->symbols = outside;
    append(parser, made);
    return made->values != NULL;
}

/* implicit STATE = EXPRESSION: the part of its equation's right-hand side that additive steps take implicitly */
bool statement_implicit(struct parser *parser)
{
    struct symbol *const outside = parser->symbols;
    const struct token name = parser->lexer.token;
    lexer_next(&parser->lexer);
    struct declaration *made = of_state(parser, DECLARE_IMPLICIT, &name);
    if (!made || !parser_expect(parser, "=")) return false;
    made->values = parser_expression(parser);
    parser->symbols = outside;
    append(parser, made);
    return made->values != NULL;
}

/* final(A), at(TIME, A), integral(A) */
static struct cost_term *term(struct parser *parser)
{
    static const char *const word[] = {
        [COST_FINAL] = "final", [COST_AT] = "at", [COST_INTEGRAL] = "integral"};
    struct cost_term *made = PARSER_NEW(parser, struct cost_term);
    int kind = 0;
    while (kind < 3 && !token_is(&parser->lexer.token, word[kind])) kind++;
    if (kind == 3) lexer_expected(&parser->lexer, "final(...), at(TIME, ...) or integral(...)");
    if (kind == 3 || !made) return NULL;
    made->kind = (enum cost_kind)kind;
    lexer_next(&parser->lexer);
    if (!parser_expect(parser, "(")) return NULL;
    if (made->kind == COST_AT) {
        made->time = parser_expression(parser);
        if (!made->time || !parser_expect(parser, ",")) return NULL;
    }
    made->value = parser_expression(parser);
    return made->value && parser_expect(parser, ")") ? made : NULL;
}

/* Names of costs are among themselves: one may be that of a state. */
static bool is_new_cost(struct parser *parser, const struct token *name)
{
    for (const struct declaration *d = parser->syntax->declarations; d; d = d->next)
        if (d->kind == DECLARE_COST && token_is(name, d->name))
            return lexer_refuse(&parser->lexer, name, "there is a cost '%s' already, in line %zu", d->name,
                                d->place.line);
    return true;
}

bool statement_cost(struct parser *parser)
{
    const struct token name = parser->lexer.token;
    if (name.kind != TOKEN_NAME) return lexer_expected(&parser->lexer, "the name of a cost");
    if (!is_new_cost(parser, &name)) return false;
    struct declaration *made = declaration(parser, DECLARE_COST, &name);
    lexer_next(&parser->lexer);
    if (!made || !parser_expect(parser, "=")) return false;
    struct cost_term **end = &made->terms;
    bool minus = parser_mark(parser, "-");
    for (;;) {
        *end = term(parser);
        if (!*end) return false;
        (*end)->minus = minus;
        end = &(*end)->next;
        minus = token_is(&parser->lexer.token, "-");
        if (!parser_mark(parser, "+") && !parser_mark(parser, "-")) break;
    }
    made->number = parser->syntax->costs++;
    append(parser, made);
    return optional_text(parser, "") != NULL;
}

/* ---- the interval -------------------------------------------------------------------------------------- */

/* The end as a number alone is the option T, unless that name means something else. */
static bool final_time(struct parser *parser, const struct token *where)
{
    struct syntax *syntax = parser->syntax;
    const struct token T = {.kind = TOKEN_NAME, .text = "T", .length = 1};
    double end, start;
    if (parser_find(parser, &T) || !plain_number(syntax->t1, &end)) return true;
    struct symbol *symbol = PARSER_NEW(parser, struct symbol);
    struct sens_option *option = new_option(parser, "T", where);
    if (!symbol || !option) return false;
    *symbol = (struct symbol){
        .kind = SYMBOL_OPTION, .name = "T", .slot = syntax->n_options - 1, .next = parser->symbols};
    parser->symbols = symbol;
    option->fallback = end;
    option->help = "final time";
    if (plain_number(syntax->t0, &start) && start < end) option->min = start + 1e-9 * (end - start);
    syntax->final_time = (int)syntax->n_options - 1;
    return true;
}

bool statement_interval(struct parser *parser)
{
    struct syntax *syntax = parser->syntax;
    const struct token where = parser->lexer.token;
    if (syntax->t0) return lexer_refuse(&parser->lexer, &where, "the interval is given twice");
    syntax->interval_place = (struct text_place){where.line, where.column};
    syntax->t0 = parser_expression(parser);
    if (!syntax->t0 || !parser_expect(parser, "..")) return false;
    syntax->t1 = parser_expression(parser);
    return syntax->t1 && final_time(parser, &where);
}

bool statement_by_name(struct parser *parser)
{
    const struct token name = parser->lexer.token;
    const struct lexer ahead = parser->lexer;
    lexer_next(&parser->lexer);
    if (parser_mark(parser, "'")) return equation(parser, &name);
    const bool call = token_is(&parser->lexer.token, "(");
    if (!call && !token_is(&parser->lexer.token, "=") && !token_is(&parser->lexer.token, "["))
        return lexer_expected(&parser->lexer, "= (a quantity), ( (a function) or ' (an equation)");
    parser->lexer = ahead;
    return call ? function(parser) : quantity(parser);
}
