/* Operators of a model file. From loosest to tightest:
 *
 *     if C then A else B     or     and     not     < <= > >= == !=     + -     * /     -A     A^B
 *
 * Sums and products are lists, so that a long one is no deep tree. */
#include "parser.h"

static struct expression *alternative(struct parser *parser);

/* ---- nodes --------------------------------------------------------------------------------------------- */

struct expression *parser_node(struct parser *parser, enum expression_kind kind, const struct token *where)
{
    if (parser->nodes++ == PARSER_NODES) {
        lexer_refuse(&parser->lexer, where, "the expressions of a file have at most %d parts", PARSER_NODES);
        return NULL;
    }
    struct expression *made = PARSER_NEW(parser, struct expression);
    if (!made) return NULL;
    made->kind = kind;
    made->place = (struct text_place){where->line, where->column};
    return made;
}

struct expression *parser_parent(struct parser *parser, enum expression_kind kind, const struct token *where,
                                 struct expression *children)
{
    struct expression *made = children ? parser_node(parser, kind, where) : NULL;
    if (made) made->children = children;
    return made;
}

static bool want(struct parser *parser, const struct expression *expression, bool condition,
                 const struct token *where)
{
    if (!expression) return false;
    if (expression->condition == condition) return true;
    return lexer_refuse(&parser->lexer, where, "%s",
                        condition
                            ? "expected a condition such as x < 1, found a number"
                            : "expected a number, found a condition; if C then A else B makes one of it");
}

/* ---- operators, the tightest first --------------------------------------------------------------------- */

static struct expression *primary(struct parser *parser)
{
    const struct token first = parser->lexer.token;
    if (first.kind == TOKEN_NAME) return parser_name(parser);
    if (first.kind == TOKEN_NUMBER) {
        struct expression *made = parser_node(parser, EXPRESSION_NUMBER, &first);
        if (made) made->number = first.number, made->wide = first.wide;
        lexer_next(&parser->lexer);
        return made;
    }
    if (!parser_mark(parser, "(")) {
        lexer_expected(&parser->lexer, "a number, a name or '('");
        return NULL;
    }
    struct expression *inside = alternative(parser);
    return inside && parser_expect(parser, ")") ? inside : NULL;
}

/* One more level of brackets, signs, powers or branches; false: too deep. */
static bool descend(struct parser *parser)
{
    return ++parser->depth <= PARSER_DEPTH ||
           lexer_refuse(&parser->lexer, &parser->lexer.token, "expressions are nested more than %d deep",
                        PARSER_DEPTH);
}

static struct expression *negative(struct parser *parser);

/* A^B, from the right; the exponent may have a sign. */
static struct expression *power(struct parser *parser)
{
    const struct token first = parser->lexer.token;
    struct expression *base = primary(parser);
    const struct token mark = parser->lexer.token;
    if (!base || !parser_mark(parser, "^")) return base;
    if (!want(parser, base, false, &first)) return NULL;
    const struct token second = parser->lexer.token;
    base->next = negative(parser);
    return want(parser, base->next, false, &second) ? parser_parent(parser, EXPRESSION_POWER, &mark, base)
                                                    : NULL;
}

static struct expression *negative(struct parser *parser)
{
    const struct token mark = parser->lexer.token;
    if (!descend(parser)) return NULL;
    struct expression *made;
    if (parser_mark(parser, "-")) {
        const struct token where = parser->lexer.token;
        struct expression *operand = negative(parser);
        made = want(parser, operand, false, &where)
                   ? parser_parent(parser, EXPRESSION_NEGATIVE, &mark, operand)
                   : NULL;
    } else {
        made = power(parser);
    }
    parser->depth--;
    return made;
}

/* A list of operands joined by one of two marks. */
static struct expression *joined(struct parser *parser, enum expression_kind kind, const char *one,
                                 const char *other, struct expression *(*operand)(struct parser *parser))
{
    const struct token first = parser->lexer.token;
    struct expression *children = operand(parser), *last = children;
    if (!children || (!token_is(&parser->lexer.token, one) && !token_is(&parser->lexer.token, other)))
        return children;
    children->mark = *one;
    if (!want(parser, children, false, &first)) return NULL;
    while (token_is(&parser->lexer.token, one) || token_is(&parser->lexer.token, other)) {
        const char mark = *parser->lexer.token.text;
        lexer_next(&parser->lexer);
        const struct token where = parser->lexer.token;
        last->next = operand(parser);
        last = last->next;
        if (!want(parser, last, false, &where)) return NULL;
        last->mark = mark;
    }
    return parser_parent(parser, kind, &first, children);
}

static struct expression *product(struct parser *parser)
{
    return joined(parser, EXPRESSION_PRODUCT, "*", "/", negative);
}

static struct expression *sum(struct parser *parser)
{
    return joined(parser, EXPRESSION_SUM, "+", "-", product);
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

static struct expression *comparison(struct parser *parser)
{
    static const struct {
        const char *text;
        char mark;
    } comparisons[] = {{"<", '<'}, {"<=", 'l'}, {">", '>'}, {">=", 'g'}, {"==", '='}, {"!=", '!'}};
    const struct token first = parser->lexer.token;
    struct expression *left = sum(parser);
    for (size_t k = 0; left && k < sizeof comparisons / sizeof comparisons[0]; k++) {
        const struct token mark = parser->lexer.token;
        if (!parser_mark(parser, comparisons[k].text)) continue;
        const struct token second = parser->lexer.token;
        left->next = want(parser, left, false, &first) ? sum(parser) : NULL;
        if (!want(parser, left->next, false, &second)) return NULL;
        struct expression *made = parser_parent(parser, EXPRESSION_COMPARE, &mark, left);
        if (made) made->mark = comparisons[k].mark, made->condition = true;
        return made;
    }
    return left;
}

static struct expression *negation(struct parser *parser)
{
    const struct token mark = parser->lexer.token;
    if (!parser_mark(parser, "not")) return comparison(parser);
    const struct token where = parser->lexer.token;
    if (!descend(parser)) return NULL;
    struct expression *operand = negation(parser);
    parser->depth--;
    struct expression *made =
        want(parser, operand, true, &where) ? parser_parent(parser, EXPRESSION_NOT, &mark, operand) : NULL;
    if (made) made->condition = true;
    return made;
}

static struct expression *conditions(struct parser *parser, enum expression_kind kind, const char *word,
                                     struct expression *(*operand)(struct parser *parser))
{
    const struct token first = parser->lexer.token;
    struct expression *children = operand(parser), *last = children;
    if (!children || !token_is(&parser->lexer.token, word)) return children;
    if (!want(parser, children, true, &first)) return NULL;
    while (parser_mark(parser, word)) {
        const struct token where = parser->lexer.token;
        last->next = operand(parser);
        last = last->next;
        if (!want(parser, last, true, &where)) return NULL;
    }
    struct expression *made = parser_parent(parser, kind, &first, children);
    if (made) made->condition = true;
    return made;
}

static struct expression *conjunction(struct parser *parser)
{
    return conditions(parser, EXPRESSION_AND, "and", negation);
}

static struct expression *disjunction(struct parser *parser)
{
    return conditions(parser, EXPRESSION_OR, "or", conjunction);
}

static struct expression *branches(struct parser *parser, const struct token *where)
{
    const struct token first = parser->lexer.token;
    struct expression *condition = disjunction(parser);
    if (!want(parser, condition, true, &first) || !parser_expect(parser, "then")) return NULL;
    condition->next = parser_expression(parser);
    if (!condition->next || !parser_expect(parser, "else")) return NULL;
    condition->next->next = parser_expression(parser);
    return condition->next->next ? parser_parent(parser, EXPRESSION_IF, where, condition) : NULL;
}

static struct expression *alternative(struct parser *parser)
{
    const struct token first = parser->lexer.token;
    if (!descend(parser)) return NULL;
    struct expression *made = parser_mark(parser, "if") ? branches(parser, &first) : disjunction(parser);
    parser->depth--;
    return made;
}

struct expression *parser_expression(struct parser *parser)
{
    const struct token first = parser->lexer.token;
    struct expression *made = alternative(parser);
    return want(parser, made, false, &first) ? made : NULL;
}
