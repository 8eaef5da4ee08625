/* The one message that a refused input leaves behind. */
#include <stdarg.h>
#include <stdio.h>

#include "refuse.h"

bool bench_refuse(struct bench_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}
