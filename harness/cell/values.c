/* Values: strict numbers in their ranges, words, and files of numbers. */
#include "values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "files.h"
#include "names.h"

bool refuse_pair(struct bench_error *error, const struct spec_pair *pair, const char *format, ...)
{
    char reason[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return bench_refuse(error, "%s: %s=%.200s: %s", pair->origin, pair->key, pair->value, reason);
}

const char *number_text(double number, char text[NUMBER_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    return text;
}

/* ---- what may be written ------------------------------------------------------------------------------- */

static void append_words(char text[RANGE_TEXT], const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        append(text, RANGE_TEXT, "%s%s", text[0] ? " | " : "", words[i]);
}

static void append_interval(char text[RANGE_TEXT], bool whole, double min, double max)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    append(text, RANGE_TEXT, "%s%snumber from %s to %s", text[0] ? " | " : "", whole ? "whole " : "",
           number_text(min, low), number_text(max, high));
}

const char *key_range(const struct bench_key *key, char text[RANGE_TEXT])
{
    text[0] = '\0';
    append_words(text, key->words);
    if (key->kind == KEY_INT || key->kind == KEY_REAL || key->kind == KEY_REALS)
        append_interval(text, key->kind == KEY_INT, key->min, key->max);
    if (key->kind == KEY_FILE) append(text, RANGE_TEXT, "FILE");
    if (key->kind == KEY_REALS) append(text, RANGE_TEXT, " | FILE");
    if (key->kind == KEY_NAME) append(text, RANGE_TEXT, "a name of sensbench list");
    return text;
}

const char *option_range(const struct sens_option *option, char text[RANGE_TEXT])
{
    text[0] = '\0';
    switch (option->kind) {
    case SENS_OPT_INT:
    case SENS_OPT_REAL:
        append_interval(text, option->kind == SENS_OPT_INT, option->min, option->max);
        break;
    case SENS_OPT_CHOICE:
        append_words(text, option->choices);
        break;
    case SENS_OPT_DATA:
        append(text, RANGE_TEXT, "FILE");
        break;
    }
    return text;
}

const char *option_text(const struct sens_option *option, double number, char text[RANGE_TEXT])
{
    text[0] = '\0';
    if (option->kind == SENS_OPT_CHOICE) append(text, RANGE_TEXT, "%s", option->choices[(size_t)number]);
    if (option->kind == SENS_OPT_INT || option->kind == SENS_OPT_REAL) number_text(number, text);
    return text;
}

/* ---- what it stands for -------------------------------------------------------------------------------- */

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words && words[count]) count++;
    return count;
}

static int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words && words[i]; i++)
        if (strcmp(words[i], text) == 0) return i;
    return -1;
}

static bool refuse_word(struct bench_error *error, const struct spec_pair *pair, const char *const *words,
                        const char *range)
{
    const char *near = nearest_name(pair->value, words, count_words(words));
    return refuse_pair(error, pair, "%s%s%sallowed: %s", near ? "did you mean " : "", near ? near : "",
                       near ? "? " : "", range);
}

/* A number in [min, max], whole where it has to be. */
static bool in_range(const struct spec_pair *pair, bool whole, double min, double max, const char *range,
                     double *number, struct bench_error *error)
{
    double value;
    if (!read_number(pair->value, &value))
        return refuse_pair(error, pair, "not a number; allowed: %s", range);
    if (whole && value != floor(value))
        return refuse_pair(error, pair, "not a whole number; allowed: %s", range);
    if (value < min || value > max) return refuse_pair(error, pair, "out of range; allowed: %s", range);
    *number = value;
    return true;
}

bool key_value(const struct bench_key *key, const struct spec_pair *pair, struct key_value *value,
               struct bench_error *error)
{
    char range[RANGE_TEXT];
    *value = (struct key_value){.word = find_word(key->words, pair->value)};
    if (value->word >= 0) return true;
    key_range(key, range);
    double number;
    const bool wordy = key->kind == KEY_WORD || (key->words && !read_number(pair->value, &number));
    if (wordy) return refuse_word(error, pair, key->words, range);
    return in_range(pair, key->kind == KEY_INT, key->min, key->max, range, &value->number, error);
}

sens_status pair_numbers(struct sens_ctx *ctx, const struct spec_pair *pair, struct numbers_wanted wanted,
                         const double **number, size_t *count, struct bench_error *error)
{
    struct bench_error reason;
    double *read;
    if (!read_numbers(pair->value, wanted, &read, count, &reason)) {
        refuse_pair(error, pair, "%s", reason.text);
        return SENS_BAD_INPUT;
    }
    double *kept = SENS_NEW(ctx, double, *count);
    if (kept) memcpy(kept, read, *count * sizeof *kept);
    free(read);
    *number = kept;
    if (!kept) refuse_pair(error, pair, "no memory for %zu numbers", *count);
    return kept ? SENS_OK : SENS_NO_MEMORY;
}

sens_status option_value(struct sens_ctx *ctx, const struct sens_option *option, const struct spec_pair *pair,
                         struct sens_value *value, struct bench_error *error)
{
    char range[RANGE_TEXT];
    bool good;
    option_range(option, range);
    if (option->kind == SENS_OPT_DATA)
        return pair_numbers(ctx, pair, numbers_any(0), &value->data, &value->count, error);
    if (option->kind == SENS_OPT_CHOICE) {
        const int index = find_word(option->choices, pair->value);
        good = index >= 0 || refuse_word(error, pair, option->choices, range);
        if (good) value->number = index;
    } else {
        good = in_range(pair, option->kind == SENS_OPT_INT, option->min, option->max, range, &value->number,
                        error);
    }
    return good ? SENS_OK : SENS_BAD_INPUT;
}
