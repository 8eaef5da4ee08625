/* Numbers and texts of any kind as JSON, see json.h. */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_of_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_of_text(const char *text)
{
    json_t *value = json_string(text);
    char *plain = value ? NULL : strdup(text);
    for (char *c = plain; c && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    if (plain) value = json_string(plain);
    free(plain);
    return value;
}
