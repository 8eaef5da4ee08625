/* harness/record/compared.h - whether what a file says of a comparison can be. */
#ifndef RECORD_COMPARED_H
#define RECORD_COMPARED_H

#include "record.h"

/* A row that was just read from this line: counts are whole and not negative, ratios are above 0 and in order,
 *
 *     ratio_min <= ratio_lo <= ratio <= ratio_hi <= ratio_max,     1 for the base.
 *
 * What is not known (NaN) is in nobody's way. False with a message that names file, line and value. */
bool compared_check_row(const char *path, int line, const struct compared *row, struct bench_error *error);

/* All rows together: each contender of a group stands once, and each group has its base. */
bool compared_check_groups(const struct table *table, struct bench_error *error);

#endif
