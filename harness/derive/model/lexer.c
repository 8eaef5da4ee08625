/* The words of a model file: see lexer.h. */
#include "lexer.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LENGTH = 64, NAME_MAX_LENGTH = MODEL_NAME - 1 };

/* ---- characters, whatever the locale ------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Characters of UTF-8 between two places of a line. */
static size_t characters(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++) count += ((unsigned char)*from & 0xC0) != 0x80;
    return count;
}

/* The line with this number; empty where there is none. */
static const char *find_line(const char *text, size_t length, size_t number, size_t *of_line)
{
    const char *const end = text + length;
    while (number > 1 && text < end) {
        const char *const stop = memchr(text, '\n', (size_t)(end - text));
        text = stop ? stop + 1 : end;
        number--;
    }
    const char *const stop = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    *of_line = (size_t)((stop ? stop : end) - text);
    return text;
}

void model_refuse_at(struct bench_error *error, const char *path, const char *text, size_t length,
                     struct text_place place, const char *message)
{
    size_t of_line;
    const char *const line = find_line(text, length, place.line, &of_line);
    bench_refuse(error, "%s:%zu:%zu: %s", path, place.line, place.column, message);
    bench_point(error, line, of_line, place.column);
}

bool lexer_refuse(struct lexer *lexer, const struct token *where, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!lexer->failed)
        model_refuse_at(lexer->error, lexer->path, lexer->text, (size_t)(lexer->end - lexer->text),
                        (struct text_place){where->line, where->column}, message);
    lexer->failed = true;
    lexer->token.kind = TOKEN_END;
    return false;
}

bool lexer_expected(struct lexer *lexer, const char *what)
{
    const struct token *const found = &lexer->token;
    const int shown = found->length < 40 ? (int)found->length : 40;
    struct token last = lexer->before; /* behind which something is missing */
    last.column += last.length;
    if (found->kind == TOKEN_END)
        return lexer_refuse(lexer, last.kind == TOKEN_LINE ? found : &last,
                            "expected %s, found the end of the file", what);
    if (found->kind == TOKEN_LINE)
        return lexer_refuse(lexer, found, "expected %s, found the end of the line", what);
    if (found->kind == TOKEN_STRING)
        return lexer_refuse(lexer, found, "expected %s, found the text \"%.*s\"", what, shown, found->text);
    return lexer_refuse(lexer, found, "expected %s, found '%.*s'", what, shown, found->text);
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

static void begin(struct lexer *lexer, enum token_kind kind)
{
    lexer->characters += characters(lexer->counted, lexer->at);
    lexer->counted = lexer->at;
    lexer->token =
        (struct token){.kind = kind, .text = lexer->at, .line = lexer->line, .column = lexer->characters + 1};
}

static void begin_line(struct lexer *lexer, const char *at)
{
    lexer->line++;
    lexer->counted = at;
    lexer->characters = 0;
}

/* Takes the characters up to `to`. */
static void finish(struct lexer *lexer, const char *to)
{
    lexer->token.length = (size_t)(to - lexer->token.text);
    lexer->at = to;
}

static char peek(const struct lexer *lexer, const char *at)
{
    return at < lexer->end ? *at : '\0';
}

static const char *digits(const struct lexer *lexer, const char *at)
{
    while (is_digit(peek(lexer, at))) at++;
    return at;
}

/* The end of a number: a point belongs to it unless another point follows, as in 1..n. */
static const char *number_end(const struct lexer *lexer)
{
    const char *at = digits(lexer, lexer->at);
    if (peek(lexer, at) == '.' && peek(lexer, at + 1) != '.') at = digits(lexer, at + 1);
    if (peek(lexer, at) != 'e' && peek(lexer, at) != 'E') return at;
    const char sign = peek(lexer, at + 1);
    const char *const power = at + (sign == '+' || sign == '-' ? 2 : 1);
    return is_digit(peek(lexer, power)) ? digits(lexer, power) : at;
}

static void take_number(struct lexer *lexer)
{
    char copy[NUMBER_LENGTH];
    const char *const end = number_end(lexer);
    begin(lexer, TOKEN_NUMBER);
    finish(lexer, end);
    struct token *const token = &lexer->token;
    if (token->length >= sizeof copy) {
        lexer_refuse(lexer, token, "a number has fewer than %d characters", NUMBER_LENGTH);
        return;
    }
    memcpy(copy, token->text, token->length);
    copy[token->length] = '\0';
    token->number = strtod(copy, NULL);
    token->wide = strtold(copy, NULL);
    if (!isfinite(token->number))
        lexer_refuse(lexer, token, "%s is larger than the largest number, 1.8e308", copy);
    else if (is_letter(peek(lexer, end)))
        lexer_refuse(lexer, token, "a number ends where a letter begins: a product is written %s*%c...", copy,
                     *end);
}

static void take_name(struct lexer *lexer)
{
    const char *at = lexer->at;
    while (is_letter(peek(lexer, at)) || is_digit(peek(lexer, at)) || peek(lexer, at) == '_') at++;
    begin(lexer, TOKEN_NAME);
    finish(lexer, at);
    if (lexer->token.length > NAME_MAX_LENGTH)
        lexer_refuse(lexer, &lexer->token, "a name has at most %d characters", NAME_MAX_LENGTH);
}

static void take_string(struct lexer *lexer)
{
    begin(lexer, TOKEN_STRING);
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '"' && !is_control(*at)) at++;
    if (at == lexer->end || *at == '\n' || *at == '\r') {
        lexer_refuse(lexer, &lexer->token, "the text that begins here has no closing \" on its line");
        return;
    }
    if (*at != '"') {
        lexer_refuse(lexer, &lexer->token, "a text holds no control characters");
        return;
    }
    lexer->token.text++;
    finish(lexer, at);
    lexer->at = at + 1;
}

static void take_mark(struct lexer *lexer)
{
    static const char *const mark[] = {"..", "<=", ">=", "==", "!=", "+", "-", "*", "/", "^",
                                       "(",  ")",  "[",  "]",  ",",  "=", "'", "<", ">"};
    const size_t left = (size_t)(lexer->end - lexer->at);
    begin(lexer, TOKEN_MARK);
    for (size_t k = 0; k < sizeof mark / sizeof mark[0]; k++) {
        const size_t length = strlen(mark[k]);
        if (length > left || memcmp(lexer->at, mark[k], length) != 0) continue;
        finish(lexer, lexer->at + length);
        lexer->brackets += mark[k][0] == '(' || mark[k][0] == '[';
        if ((mark[k][0] == ')' || mark[k][0] == ']') && lexer->brackets) lexer->brackets--;
        return;
    }
    const unsigned char c = (unsigned char)*lexer->at;
    if (c > 0x20 && c < 0x7f)
        lexer_refuse(lexer, &lexer->token, "'%c' means nothing here", c);
    else
        lexer_refuse(lexer, &lexer->token, "the character with code %u may stand in comments and texts alone",
                     c);
}

/* Does the line end, or does its last mark ask for more? */
static bool goes_on(const struct lexer *lexer)
{
    const struct token *const last = &lexer->before;
    if (lexer->brackets > 0) return true;
    return last->kind == TOKEN_MARK && !token_is(last, ")") && !token_is(last, "]") && !token_is(last, "'");
}

/* Past blanks, comments, and ends of lines that end no statement. */
static void skip(struct lexer *lexer)
{
    for (; lexer->at < lexer->end; lexer->at++) {
        const char c = *lexer->at;
        if (c == '#') {
            const char *const stop = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = (stop ? stop : lexer->end) - 1;
        } else if (c == '\n') {
            if (lexer->before.kind != TOKEN_LINE && !goes_on(lexer)) return;
            begin_line(lexer, lexer->at + 1);
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

void lexer_next(struct lexer *lexer)
{
    if (lexer->failed) return;
    lexer->before = lexer->token;
    skip(lexer);
    if (lexer->at >= lexer->end) {
        begin(lexer, TOKEN_END);
    } else if (*lexer->at == '\n') {
        begin(lexer, TOKEN_LINE);
        finish(lexer, lexer->at + 1);
        begin_line(lexer, lexer->at);
    } else if (is_digit(*lexer->at) || (*lexer->at == '.' && is_digit(peek(lexer, lexer->at + 1)))) {
        take_number(lexer);
    } else if (is_letter(*lexer->at)) {
        take_name(lexer);
    } else if (*lexer->at == '"') {
        take_string(lexer);
    } else {
        take_mark(lexer);
    }
}

void lexer_open(struct lexer *lexer, const char *path, const char *text, size_t length,
                struct bench_error *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* editors of Windows write it first */
    const bool marked = length >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0;
    if (marked) text += sizeof mark - 1, length -= sizeof mark - 1;
    *lexer = (struct lexer){.path = path,
                            .text = text,
                            .end = text + length,
                            .at = text,
                            .counted = text,
                            .line = 1,
                            .token = {.kind = TOKEN_LINE},
                            .error = error};
    lexer_next(lexer);
}

bool token_is(const struct token *token, const char *text)
{
    return (token->kind == TOKEN_MARK || token->kind == TOKEN_NAME) && strlen(text) == token->length &&
           memcmp(token->text, text, token->length) == 0;
}
