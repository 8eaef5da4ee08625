/* harness/base/json.h - numbers and texts of any kind as JSON. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

/* What is not finite is null: JSON has no word for it. */
json_t *json_of_number(double number);

/* An array, and an array of rows. NULL: no memory. */
json_t *json_of_vector(size_t count, const double *number);
json_t *json_of_matrix(size_t rows, size_t cols, const double *number);

/* Text of any bytes: where it is not UTF-8, bytes beyond ASCII are question marks. */
json_t *json_of_text(const char *text);

#endif
