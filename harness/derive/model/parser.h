/* derive/model/parser.h - what the two halves of the parser share. */
#ifndef MODEL_PARSER_H
#define MODEL_PARSER_H

#include "syntax.h"

enum {
    PARSER_DEPTH = 100,    /* expressions within expressions */
    PARSER_NODES = 200000, /* parts of expressions in a file */
    PARSER_OPTIONS = 150,
    PARSER_BYTES = 1 << 20,   /* of a file */
    PARSER_MEMORY = 256 << 20 /* bytes that its declarations may take */
};

struct parser {
    struct lexer lexer;
    struct syntax *syntax;
    struct symbol *symbols; /* newest first */
    size_t depth, nodes;
    struct declaration **end; /* where the next one goes */
    struct known_set **known_end;
};

/* Of the arena; NULL: refused. */
#define PARSER_NEW(parser, type) ((type *)parser_memory((parser), 1, sizeof(type)))
void *parser_memory(struct parser *parser, size_t count, size_t size);
const char *parser_text(struct parser *parser, const struct token *token);

bool parser_mark(struct parser *parser, const char *mark);   /* takes it if it is there */
bool parser_expect(struct parser *parser, const char *mark); /* takes it or refuses */

struct symbol *parser_find(const struct parser *parser, const struct token *name);
/* Takes a name that is free. NULL: refused; what: "the name of a state". */
struct symbol *parser_declare(struct parser *parser, enum symbol_kind kind, const char *what);

/* [-] NUMBER */
bool parser_number(struct parser *parser, double *number);

bool parser_is_taken(const struct token *name); /* a word of the language or a function of the library */

/* operators.c. A node of an expression, at a token; with children: NULL where they are. NULL: refused. */
struct expression *parser_node(struct parser *parser, enum expression_kind kind, const struct token *where);
struct expression *parser_parent(struct parser *parser, enum expression_kind kind, const struct token *where,
                                 struct expression *children);

/* expression.c: a name with all that belongs to it. */
struct expression *parser_name(struct parser *parser);

/* NULL: refused. Of a number; a condition is refused. */
struct expression *parser_expression(struct parser *parser);
/* "[" ranges "]"; single: an expression alone is one, too. NULL: none are there, or refused. */
struct range *parser_ranges(struct parser *parser, bool single, size_t *count);
/* "no index", "1 index", "2 indices", in `text`, which is returned. */
enum { INDEX_TEXT = 40 };
const char *parser_count_indices(size_t count, char text[INDEX_TEXT]);
/* The expressions between brackets that name an element of `what`. */
struct expression *parser_indices(struct parser *parser, const struct symbol *of, const struct token *where);

#endif
