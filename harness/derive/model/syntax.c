/* A model file as a whole: the line `model NAME "summary"`, then statements, a line each. */
#include <locale.h>
#include <stdio.h> /* snprintf */
#include <string.h>

#include "statement_kinds.h"

/* ---- what the parser is made of ------------------------------------------------------------------------ */

void *parser_memory(struct parser *parser, size_t count, size_t size)
{
    void *made = sens_arena_alloc(&parser->syntax->arena, count, size);
    if (!made)
        lexer_refuse(&parser->lexer, &parser->lexer.token, "no memory for more than is above this line");
    return made;
}

const char *parser_text(struct parser *parser, const struct token *token)
{
    char *copy = parser_memory(parser, token->length + 1, 1);
    if (copy && token->length) memcpy(copy, token->text, token->length);
    return copy;
}

bool parser_mark(struct parser *parser, const char *mark)
{
    if (!token_is(&parser->lexer.token, mark)) return false;
    lexer_next(&parser->lexer);
    return true;
}

bool parser_expect(struct parser *parser, const char *mark)
{
    char quoted[16] = "'";
    if (parser_mark(parser, mark)) return true;
    return lexer_expected(&parser->lexer, strcat(strncat(quoted, mark, 12), "'"));
}

struct symbol *parser_find(const struct parser *parser, const struct token *name)
{
    struct symbol *symbol = parser->symbols;
    while (symbol && !token_is(name, symbol->name)) symbol = symbol->next;
    return symbol;
}

struct symbol *parser_declare(struct parser *parser, enum symbol_kind kind, const char *what)
{
    const struct token name = parser->lexer.token;
    if (name.kind != TOKEN_NAME) return lexer_expected(&parser->lexer, what), NULL;
    const struct symbol *earlier = parser_find(parser, &name);
    const int shown = (int)name.length;
    if (parser_is_taken(&name))
        return lexer_refuse(&parser->lexer, &name, "'%.*s' is a word of the language and cannot be %s", shown,
                            name.text, what),
               NULL;
    if (earlier && earlier->declaration)
        return lexer_refuse(&parser->lexer, &name, "'%.*s' is declared already, in line %zu", shown,
                            name.text, earlier->declaration->place.line),
               NULL;
    if (earlier)
        return lexer_refuse(&parser->lexer, &name, "'%.*s' is declared already, as %s", shown, name.text,
                            earlier->kind == SYMBOL_OPTION ? "the end of the interval"
                                                           : "an index or argument"),
               NULL;
    struct symbol *made = PARSER_NEW(parser, struct symbol);
    const char *text = made ? parser_text(parser, &name) : NULL;
    if (!text) return NULL;
    *made = (struct symbol){.kind = kind, .name = text, .next = parser->symbols};
    if (kind == SYMBOL_LOCAL) made->slot = parser->syntax->locals++;
    parser->symbols = made;
    lexer_next(&parser->lexer);
    return made;
}

bool parser_number(struct parser *parser, double *number)
{
    const bool minus = parser_mark(parser, "-");
    if (parser->lexer.token.kind != TOKEN_NUMBER) return lexer_expected(&parser->lexer, "a number");
    *number = minus ? -parser->lexer.token.number : parser->lexer.token.number;
    lexer_next(&parser->lexer);
    return true;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* From the start of the file to the model's name. */
static bool go_to_name(struct lexer *lexer)
{
    if (lexer->token.kind == TOKEN_LINE) lexer_next(lexer);
    if (!token_is(&lexer->token, "model"))
        return lexer_expected(lexer, "model NAME \"what it is\" as the first statement");
    lexer_next(lexer);
    return lexer->token.kind == TOKEN_NAME || lexer_expected(lexer, "the name of the model");
}

static bool heading(struct parser *parser)
{
    struct syntax *syntax = parser->syntax;
    struct lexer *lexer = &parser->lexer;
    if (!go_to_name(lexer) || !(syntax->name = parser_text(parser, &lexer->token))) return false;
    lexer_next(lexer);
    if (lexer->token.kind != TOKEN_STRING || !lexer->token.length)
        return lexer_expected(lexer, "one line in \"\" that says what the model is");
    if (!(syntax->summary = parser_text(parser, &lexer->token))) return false;
    lexer_next(lexer);
    return true;
}

/* source "text" "more": joined by blanks. */
static bool source(struct parser *parser)
{
    struct syntax *syntax = parser->syntax;
    struct lexer *lexer = &parser->lexer;
    if (lexer->token.kind != TOKEN_STRING)
        return lexer_expected(lexer, "where the equations are from, in \"\"");
    while (lexer->token.kind == TOKEN_STRING) {
        const size_t before = strlen(syntax->source), gap = before > 0;
        char *both = parser_memory(parser, before + gap + lexer->token.length + 1, 1);
        if (!both) return false;
        memcpy(both, syntax->source, before);
        if (gap) both[before] = ' ';
        if (lexer->token.length) memcpy(both + before + gap, lexer->token.text, lexer->token.length);
        syntax->source = both;
        lexer_next(lexer);
    }
    return true;
}

/* `mass`, `implicit` begin a statement where a name follows; else they are names like others. Takes it if it does. */
static bool begins(struct parser *parser, const char *word)
{
    const struct lexer ahead = parser->lexer;
    if (!parser_mark(parser, word)) return false;
    if (parser->lexer.token.kind == TOKEN_NAME) return true;
    parser->lexer = ahead;
    return false;
}

static bool statement(struct parser *parser)
{
    static const struct {
        const char *word;
        bool (*read)(struct parser *parser);
    } kinds[] = {
        {"source", source},         {"option", statement_option},     {"parameter", statement_parameter},
        {"state", statement_state}, {"interval", statement_interval}, {"cost", statement_cost},
        {"known", statement_known}};
    struct lexer *lexer = &parser->lexer;
    if (lexer->token.kind != TOKEN_NAME) return lexer_expected(lexer, "a statement");
    if (begins(parser, "mass")) return statement_mass(parser);
    if (begins(parser, "implicit")) return statement_implicit(parser);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (parser_mark(parser, kinds[k].word)) return kinds[k].read(parser);
    if (parser_is_taken(&lexer->token)) return lexer_expected(lexer, "a statement");
    return statement_by_name(parser);
}

static bool end_of_line(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer->failed) return false;
    if (lexer->token.kind == TOKEN_END) return true;
    if (lexer->token.kind != TOKEN_LINE) return lexer_expected(lexer, "the end of the line");
    lexer_next(lexer);
    return !lexer->failed;
}

static bool statements(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    if (!heading(parser) || !end_of_line(parser)) return false;
    while (lexer->token.kind != TOKEN_END)
        if (!statement(parser) || !end_of_line(parser)) return false;
    return !lexer->failed;
}

/* What a model cannot do without. */
static bool complete(struct parser *parser)
{
    const struct token first = {.line = 1, .column = 1};
    const struct declaration *state = parser->syntax->declarations;
    while (state && state->kind != DECLARE_STATE) state = state->next;
    if (!state) return lexer_refuse(&parser->lexer, &first, "the model has no state");
    return parser->syntax->t0 != NULL ||
           lexer_refuse(&parser->lexer, &first,
                        "the model has no interval; add a line such as interval 0 .. 10");
}

static bool known_names(struct parser *parser)
{
    static const struct symbol always[] = {{.kind = SYMBOL_TIME, .name = "t"},
                                           {.kind = SYMBOL_PI, .name = "pi"}};
    for (size_t k = 0; k < 2; k++) {
        struct symbol *made = PARSER_NEW(parser, struct symbol);
        if (!made) return false;
        *made = always[k];
        made->next = parser->symbols;
        parser->symbols = made;
    }
    parser->syntax->options = parser_memory(parser, PARSER_OPTIONS + 1, sizeof *parser->syntax->options);
    return parser->syntax->options != NULL;
}

static bool keep(struct syntax *syntax, const char *path, const char *text, size_t length)
{
    char *own_path = sens_arena_alloc(&syntax->arena, strlen(path) + 1, 1),
         *own_text = sens_arena_alloc(&syntax->arena, length + 1, 1);
    if (!own_path || !own_text) return false;
    strcpy(own_path, path);
    if (length) memcpy(own_text, text, length);
    syntax->path = own_path;
    syntax->text = own_text;
    syntax->length = length;
    return true;
}

static bool read_all(struct syntax *syntax, struct bench_error *error)
{
    struct parser parser = {.syntax = syntax, .end = &syntax->declarations, .known_end = &syntax->known};
    lexer_open(&parser.lexer, syntax->path, syntax->text, syntax->length, error);
    return known_names(&parser) && statements(&parser) && complete(&parser);
}

bool syntax_read(const char *path, const char *text, size_t length, struct syntax *syntax,
                 struct bench_error *error)
{
    const locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* numbers have a point */
    const locale_t before = point ? uselocale(point) : (locale_t)0;
    *syntax = (struct syntax){.source = "", .final_time = -1, .arena.limit = PARSER_MEMORY};
    bool read = false;
    if (length > PARSER_BYTES)
        bench_refuse(error, "%s: a model has at most %d bytes, the file has %zu", path, PARSER_BYTES, length);
    else if (!point || !keep(syntax, path, text, length))
        bench_refuse(error, "%s: no memory", path);
    else
        read = read_all(syntax, error);
    if (point) uselocale(before), freelocale(point);
    if (!read) syntax_destroy(syntax);
    return read;
}

bool syntax_name(const char *path, const char *text, size_t length, char name[MODEL_NAME],
                 struct bench_error *error)
{
    struct lexer lexer;
    lexer_open(&lexer, path, text, length, error);
    if (!go_to_name(&lexer)) return false;
    snprintf(name, MODEL_NAME, "%.*s", (int)lexer.token.length, lexer.token.text);
    return true;
}

void syntax_destroy(struct syntax *syntax)
{
    sens_arena_release(&syntax->arena);
}
