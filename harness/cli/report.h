/* harness/cli/report.h - the results of one cell, for people and as a dump. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>

#include "cell.h"
#include "record.h"

/* A short readable report on stdout. */
void report_print(const struct cell *cell, const struct sens_out *out, const struct record *rec);

/* The parts of the result that were computed, by their names; {} where none were. The caller's. */
json_t *report_json(const struct cell *cell, const struct sens_out *out);

/* TSV `quantity row col value`: the parts of the result that were computed, by their names. */
bool report_dump(const char *path, const struct cell *cell, const struct sens_out *out,
                 struct bench_error *error);

#endif
