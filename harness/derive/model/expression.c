/* Names in expressions of a model file: with indices, with arguments, and the ranges of indices. */
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "parser.h"

/* ---- what stands between brackets ---------------------------------------------------------------------- */

/* A, B, ... up to the closing mark; *count of them. */
static struct expression *list(struct parser *parser, const char *close, size_t *count)
{
    struct expression *first = NULL, **end = &first;
    *count = 0;
    do {
        *end = parser_expression(parser);
        if (!*end) return NULL;
        end = &(*end)->next;
        ++*count;
    } while (parser_mark(parser, ","));
    return parser_expect(parser, close) ? first : NULL;
}

static size_t expected_count(const struct symbol *symbol)
{
    return symbol->declaration ? symbol->declaration->indices : 0;
}

const char *parser_count_indices(size_t count, char text[INDEX_TEXT])
{
    if (count == 0)
        snprintf(text, INDEX_TEXT, "no index");
    else
        snprintf(text, INDEX_TEXT, "%zu %s", count, count == 1 ? "index" : "indices");
    return text;
}

struct expression *parser_indices(struct parser *parser, const struct symbol *of, const struct token *where)
{
    size_t count;
    if (!parser_expect(parser, "[")) return NULL;
    struct expression *indices = list(parser, "]", &count);
    if (indices && count != expected_count(of)) {
        char needed[INDEX_TEXT];
        lexer_refuse(&parser->lexer, where, "'%s' takes %s, found %zu", of->name,
                     parser_count_indices(expected_count(of), needed), count);
        return NULL;
    }
    return indices;
}

static void make_known(struct parser *parser, struct symbol *index)
{
    index->next = parser->symbols;
    parser->symbols = index;
}

/* FIRST .. LAST, or INDEX in FIRST .. LAST, whose index is not known in it, nor yet behind it; single: also one
 * expression alone */
static struct range *take_range(struct parser *parser, bool single)
{
    struct symbol *const outside = parser->symbols;
    struct range *range = PARSER_NEW(parser, struct range);
    const struct lexer ahead = parser->lexer;
    if (!range) return NULL;
    range->place = (struct text_place){parser->lexer.token.line, parser->lexer.token.column};
    if (parser->lexer.token.kind == TOKEN_NAME) { /* an index has "in" behind it */
        lexer_next(&parser->lexer);
        const bool named = token_is(&parser->lexer.token, "in");
        parser->lexer = ahead;
        if (named) {
            range->index = parser_declare(parser, SYMBOL_LOCAL, "an index");
            parser->symbols = outside;
            if (!range->index) return NULL;
            lexer_next(&parser->lexer);
        }
    }
    range->first = parser_expression(parser);
    if (!range->first) return NULL;
    if (single && !range->index && !token_is(&parser->lexer.token, "..")) {
        range->last = range->first;
        return range;
    }
    range->last = parser_expect(parser, "..") ? parser_expression(parser) : NULL;
    return range->last ? range : NULL;
}

/* The indices become known behind the ranges: none of these may name one. */
static bool declare_indices(struct parser *parser, struct range *ranges)
{
    for (struct range *range = ranges; range; range = range->next) {
        if (!range->index) continue;
        for (const struct range *other = ranges; other != range; other = other->next)
            if (other->index && strcmp(other->index->name, range->index->name) == 0)
                return lexer_refuse(&parser->lexer, &parser->lexer.token, "the index '%s' is there twice",
                                    range->index->name);
        make_known(parser, range->index);
    }
    return true;
}

struct range *parser_ranges(struct parser *parser, bool single, size_t *count)
{
    struct range *first = NULL, **end = &first;
    *count = 0;
    if (!parser_mark(parser, "[")) return NULL;
    do {
        if (*count == MODEL_INDICES) {
            lexer_refuse(&parser->lexer, &parser->lexer.token, "an array has at most %d indices",
                         MODEL_INDICES);
            return NULL;
        }
        *end = take_range(parser, single);
        if (!*end) return NULL;
        end = &(*end)->next;
        ++*count;
    } while (parser_mark(parser, ","));
    return declare_indices(parser, first) && parser_expect(parser, "]") ? first : NULL;
}

/* sum(i in 1 .. n, j in 1 .. n, A); the indices are known in A and in the ranges behind theirs. */
static struct expression *over_range(struct parser *parser, enum graph_op op, const struct token *where)
{
    struct symbol *const outside = parser->symbols;
    struct expression *made = parser_node(parser, EXPRESSION_OVER_RANGE, where);
    if (!made || !parser_expect(parser, "(")) return NULL;
    struct range **end = &made->ranges;
    made->op = (int)op;
    for (;;) {
        const struct lexer ahead = parser->lexer;
        lexer_next(&parser->lexer);
        const bool ranges = ahead.token.kind == TOKEN_NAME && token_is(&parser->lexer.token, "in");
        parser->lexer = ahead;
        if (!ranges) break;
        *end = take_range(parser, false);
        if (!*end || !parser_expect(parser, ",")) return NULL;
        if ((*end)->index) make_known(parser, (*end)->index);
        end = &(*end)->next;
    }
    if (!made->ranges) {
        lexer_expected(&parser->lexer, "an index and its range, such as i in 1 .. n");
        return NULL;
    }
    made->children = parser_expression(parser);
    parser->symbols = outside;
    return made->children && parser_expect(parser, ")") ? made : NULL;
}

/* ---- names and calls ----------------------------------------------------------------------------------- */

static const struct library {
    const char *name;
    int op;
    size_t arguments;
} library[] = {
    {"sqrt", GRAPH_SQRT, 1},   {"cbrt", GRAPH_CBRT, 1},   {"exp", GRAPH_EXP, 1},
    {"expm1", GRAPH_EXPM1, 1}, {"log", GRAPH_LOG, 1},     {"log1p", GRAPH_LOG1P, 1},
    {"sin", GRAPH_SIN, 1},     {"cos", GRAPH_COS, 1},     {"tan", GRAPH_TAN, 1},
    {"asin", GRAPH_ASIN, 1},   {"acos", GRAPH_ACOS, 1},   {"atan", GRAPH_ATAN, 1},
    {"atan2", GRAPH_ATAN2, 2}, {"sinh", GRAPH_SINH, 1},   {"cosh", GRAPH_COSH, 1},
    {"tanh", GRAPH_TANH, 1},   {"hypot", GRAPH_HYPOT, 2}, {"abs", GRAPH_FABS, 1},
    {"min", GRAPH_FMIN, 2},    {"max", GRAPH_FMAX, 2},    {"floor", LIBRARY_FLOOR, 1},
    {"mod", LIBRARY_MOD, 2},
};
enum { LIBRARY = sizeof library / sizeof library[0] };

static const struct library *find_library(const struct token *name)
{
    for (size_t k = 0; k < LIBRARY; k++)
        if (token_is(name, library[k].name)) return &library[k];
    return NULL;
}

bool parser_is_taken(const struct token *name)
{
    static const char *const word[] = {"model", "source", "option",  "parameter", "state", "interval", "cost",
                                       "known", "in",     "if",      "then",      "else",  "and",      "or",
                                       "not",   "sum",    "product", "t",         "pi"};
    for (size_t k = 0; k < sizeof word / sizeof word[0]; k++)
        if (token_is(name, word[k])) return true;
    return find_library(name) != NULL;
}

static struct expression *call(struct parser *parser, const char *name, size_t arguments,
                               enum expression_kind kind, const struct token *where)
{
    size_t count;
    if (!parser_expect(parser, "(")) return NULL;
    struct expression *made = parser_parent(parser, kind, where, list(parser, ")", &count));
    if (made && count != arguments) {
        lexer_refuse(&parser->lexer, where, "'%s' takes %zu argument(s), found %zu", name, arguments, count);
        return NULL;
    }
    return made;
}

static const char *nearest_symbol(const struct parser *parser, const struct token *name, char word[64])
{
    const char *candidate[256];
    size_t count = 0;
    snprintf(word, 64, "%.*s", (int)name->length, name->text);
    for (const struct symbol *symbol = parser->symbols; symbol && count < 200; symbol = symbol->next)
        candidate[count++] = symbol->name;
    for (size_t k = 0; k < LIBRARY; k++) candidate[count++] = library[k].name;
    return name->length > 1 ? nearest_name(word, candidate, count) : NULL;
}

static struct expression *refuse_name(struct parser *parser, const struct token *name)
{
    char word[64];
    const char *near = nearest_symbol(parser, name, word);
    lexer_refuse(&parser->lexer, name, "nothing above declares '%s'%s%s%s", word,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

/* A declared name: with indices, with arguments, or alone. */
static struct expression *reference(struct parser *parser, struct symbol *symbol, const struct token *name)
{
    const bool function = symbol->kind == SYMBOL_FUNCTION;
    struct expression *made = NULL;
    if (function)
        made = call(parser, symbol->name, expected_count(symbol), EXPRESSION_CALL, name);
    else if (expected_count(symbol) > 0)
        made = parser_parent(parser, EXPRESSION_NAME, name, parser_indices(parser, symbol, name));
    else if (token_is(&parser->lexer.token, "["))
        lexer_refuse(&parser->lexer, &parser->lexer.token, "'%s' is one number and takes no index",
                     symbol->name);
    else if (token_is(&parser->lexer.token, "("))
        lexer_refuse(&parser->lexer, &parser->lexer.token,
                     "'%s' is no function; a product is written %s*(...)", symbol->name, symbol->name);
    else
        made = parser_node(parser, EXPRESSION_NAME, name);
    if (made) made->symbol = symbol;
    return made;
}

struct expression *parser_name(struct parser *parser)
{
    const struct token name = parser->lexer.token;
    const struct library *const known = find_library(&name);
    struct symbol *const symbol = parser_find(parser, &name);
    const bool sum = token_is(&name, "sum"), product = token_is(&name, "product");
    if (sum || product || symbol) {
        lexer_next(&parser->lexer);
        return sum || product ? over_range(parser, sum ? GRAPH_ADD : GRAPH_MUL, &name)
                              : reference(parser, symbol, &name);
    }
    if (!known)
        return parser_is_taken(&name) ? (lexer_expected(&parser->lexer, "a number, a name or '('"), NULL)
                                      : refuse_name(parser, &name);
    lexer_next(&parser->lexer);
    struct expression *made = call(parser, known->name, known->arguments, EXPRESSION_FUNCTION, &name);
    if (made) made->op = known->op;
    return made;
}
