/* derive/model/lexer.h - the words of a model file.
 *
 *     number   12  .5  1e-3  0.35E+2      decimal, with a point in every locale
 *     name     a letter, then letters, digits and _
 *     string   "on one line"
 *     marks    + - * / ^ ( ) [ ] , = ' .. < <= > >= == !=
 *
 * # begins a comment. A statement ends with its line; a line goes on in the next where a bracket is open or
 * its last mark asks for more (an operator, a comma, =). */
#ifndef MODEL_LEXER_H
#define MODEL_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "refuse.h"

enum token_kind {
    TOKEN_END,  /* of the file */
    TOKEN_LINE, /* end of a statement */
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_STRING,
    TOKEN_MARK
};

enum { MODEL_NAME = 64 }; /* characters of a name, and a NUL */

struct token {
    enum token_kind kind;
    const char *text; /* in the file; of a string, what is between the quotes; not ended by a NUL */
    size_t length;
    size_t line, column; /* of its first character, from 1; columns in characters */
    double number;       /* nearest to what is written */
    long double wide;    /* likewise */
};

struct lexer {
    const char *path; /* for messages; not owned */
    const char *text, *end, *at;
    size_t line;
    const char *counted; /* of whose line there are so many characters before it */
    size_t characters;
    struct token token; /* the one to be looked at */
    struct token before;
    size_t brackets; /* open */
    struct bench_error *error;
    bool failed;
};

/* Stands on the first token then. text need not end with a NUL. */
void lexer_open(struct lexer *lexer, const char *path, const char *text, size_t length,
                struct bench_error *error);
/* Goes to the next token; after a failure it is TOKEN_END. */
void lexer_next(struct lexer *lexer);

bool token_is(const struct token *token, const char *text); /* a mark or a name */

/* "path:line:column: message", with the line and a caret below. The first failure stays; false. */
bool lexer_refuse(struct lexer *lexer, const struct token *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found ..." at the present token; false. */
bool lexer_expected(struct lexer *lexer, const char *what);

/* The same message for anything that has a place in a text. */
struct text_place {
    size_t line, column;
};
void model_refuse_at(struct bench_error *error, const char *path, const char *text, size_t length,
                     struct text_place place, const char *message);

#endif
