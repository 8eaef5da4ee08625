/* derive/generate/text.h - text that grows. The first failure stays: text_take tells it. */
#ifndef DERIVE_TEXT_H
#define DERIVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *at;
    size_t length, room;
    bool failed;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The nearest double of a constant as C: 17 digits, or NAN, INFINITY. */
void text_add_number(struct text *text, long double value);

/* What was written, for the caller to free; NULL: no memory. The text is empty afterwards. */
char *text_take(struct text *text);

#endif
