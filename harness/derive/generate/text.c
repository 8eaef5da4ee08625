/* derive/generate/text.c - text that grows. */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Room for so many characters more, and the final NUL. */
static bool ensure(struct text *text, size_t more)
{
    text->failed = text->failed || !array_grow(&text->at, text->length + more + 1, &text->room, 1);
    return !text->failed;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0) text->failed = true;
    if (length >= 0 && ensure(text, (size_t)length))
        text->length += (size_t)vsnprintf(text->at + text->length, (size_t)length + 1, format, again);
    va_end(again);
}

/* C has a point in its numbers, whatever the locale of the thread has there. */
static void set_point(char *number)
{
    static const char digits[] = "0123456789";
    char *const first = number + (*number == '-'), *const at = first + strspn(first, digits);
    const size_t mark = strcspn(at, "0123456789e");
    if (mark == 0) return;
    *at = '.';
    memmove(at + 1, at + mark, strlen(at + mark) + 1);
}

void text_add_number(struct text *text, long double value)
{
    const double number = (double)value;
    char shown[40];
    if (isnan(number))
        text_add(text, "NAN");
    else if (isinf(number))
        text_add(text, number < 0 ? "(-INFINITY)" : "INFINITY");
    else {
        const bool whole = number == floor(number) && fabs(number) < 1e15;
        snprintf(shown, sizeof shown, whole ? "%.1f" : "%.17g", number);
        set_point(shown);
        text_add(text, number < 0 ? "(%s)" : "%s", shown);
    }
}

char *text_take(struct text *text)
{
    char *taken = text->failed || !ensure(text, 1) ? NULL : text->at;
    if (taken)
        taken[text->length] = '\0';
    else
        free(text->at);
    *text = (struct text){.at = NULL};
    return taken;
}
