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
