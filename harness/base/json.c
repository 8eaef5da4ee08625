/* Numbers and texts of any kind as JSON, see json.h. */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_of_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *json_of_vector(size_t count, const double *number)
{
    json_t *const array = json_array();
    for (size_t i = 0; array && i < count; i++) json_array_append_new(array, json_of_number(number[i]));
    return array;
}

json_t *json_of_matrix(size_t rows, size_t cols, const double *number)
{
    json_t *const array = json_array();
    for (size_t r = 0; array && r < rows; r++)
        json_array_append_new(array, json_of_vector(cols, number + r * cols));
    return array;
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
