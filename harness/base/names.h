/* harness/base/names.h - what may be a name, and which name was meant. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-"
/* A name of a problem, cost, method, provider, choice or sweep: letters, digits and _ . + -, a letter or
 * digit first, at most 63. Not NULL. */
bool is_name(const char *text);
/* A key or the name of an option: letters, digits, _ and ., a letter first, at most 63. */
bool is_key(const char *text);
/* A text of a list: no control characters, a line end among them, which would make up a line of its own. */
bool is_line(const char *text);

/* The candidate nearest to word by edit distance, for "did you mean"; NULL when none is near. */
const char *nearest_name(const char *word, const char *const *candidate, size_t count);

#endif
