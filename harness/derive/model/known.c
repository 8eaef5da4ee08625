/* known (OPTION = NUMBER, ...) STATE = NUMBER, STATE[INDEX] = NUMBER, ...
 *
 * The state at the end of the interval, as a publication prints it, with these options and defaults else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statement_kinds.h"

/* The unit of the last digit of a number as it is written: 0.0057 1e-4, 1.20e1 0.1. */
static double last_digit(const struct token *number)
{
    int behind_point = 0, power = 0;
    bool point = false;
    for (size_t k = 0; k < number->length; k++) {
        const char c = number->text[k];
        if (c == 'e' || c == 'E') {
            char copy[64];
            snprintf(copy, sizeof copy, "%.*s", (int)(number->length - k - 1), number->text + k + 1);
            power = (int)fmax(fmin(strtod(copy, NULL), 400), -400);
            break;
        }
        behind_point += point;
        point = point || c == '.';
    }
    return pow(10, power - behind_point);
}

static bool setting(struct parser *parser, struct known_set *set)
{
    const struct token name = parser->lexer.token;
    const struct syntax *syntax = parser->syntax;
    size_t option = 0;
    while (option < syntax->n_options && !token_is(&name, syntax->options[option].name)) option++;
    if (name.kind != TOKEN_NAME || option == syntax->n_options)
        return lexer_expected(&parser->lexer, "the name of an option declared above");
    if (set->settings == sizeof set->setting / sizeof set->setting[0])
        return lexer_refuse(&parser->lexer, &name, "at most 8 options are set for known values");
    lexer_next(&parser->lexer);
    set->setting[set->settings].option = (int)option;
    return parser_expect(parser, "=") && parser_number(parser, &set->setting[set->settings++].value);
}

static struct known_value *value(struct parser *parser)
{
    const struct token name = parser->lexer.token;
    const struct symbol *state = name.kind == TOKEN_NAME ? parser_find(parser, &name) : NULL;
    struct known_value *made = PARSER_NEW(parser, struct known_value);
    if (!state || state->kind != SYMBOL_STATE) lexer_expected(&parser->lexer, "the name of a state");
    if (!made || !state || state->kind != SYMBOL_STATE) return NULL;
    lexer_next(&parser->lexer);
    made->state = state->declaration;
    made->place = (struct text_place){name.line, name.column};
    if (made->state->indices && !(made->indices = parser_indices(parser, state, &name))) return NULL;
    if (!parser_expect(parser, "=")) return NULL;
    const bool minus = parser_mark(parser, "-");
    const struct token number = parser->lexer.token;
    if (!parser_number(parser, &made->value)) return NULL;
    if (minus) made->value = -made->value;
    made->unit = last_digit(&number);
    return made;
}

bool statement_known(struct parser *parser)
{
    struct known_set *set = PARSER_NEW(parser, struct known_set);
    if (!set) return false;
    if (parser_mark(parser, "(")) {
        do
            if (!setting(parser, set)) return false;
        while (parser_mark(parser, ","));
        if (!parser_expect(parser, ")")) return false;
    }
    struct known_value **end = &set->values;
    do {
        *end = value(parser);
        if (!*end) return false;
        end = &(*end)->next;
    } while (parser_mark(parser, ","));
    *parser->known_end = set;
    parser->known_end = &set->next;
    return true;
}
