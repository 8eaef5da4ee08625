/* harness/base/append.h - text that grows in a place of fixed size. */
#ifndef BASE_APPEND_H
#define BASE_APPEND_H

#include <stdbool.h>
#include <stddef.h>

/* Writes behind the text in text[size]; false when it did not fit, and is cut. */
__attribute__((format(printf, 3, 4))) bool append(char *text, size_t size, const char *format, ...);

/* The same with a word of a shell's command, in quotes where a shell would read it otherwise. */
bool append_word(char *text, size_t size, const char *word);

#endif
