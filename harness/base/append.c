/* Text that grows, see append.h. */
#include "append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    return length >= 0 && (size_t)length < size - used;
}

bool append_word(char *text, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:+-/=";
    if (*word && !word[strspn(word, plain)]) return append(text, size, "%s", word);
    bool fits = append(text, size, "'");
    for (const char *c = word; *c; c++) /* no quotes hold a quote: they end before it, and begin again */
        fits = (*c == '\'' ? append(text, size, "'\\''") : append(text, size, "%c", *c)) && fits;
    return append(text, size, "'") && fits;
}
