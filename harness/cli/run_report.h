/* harness/cli/run_report.h - the results of one cell, for people and as a dump. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include <jansson.h>

#include "cell.h"
#include "closer.h"
#include "labels.h"
#include "record.h"

/* A short readable report on stdout; states and parameters are listed where they have names of their own. closer: an
 * estimate of the errors; NULL: there is none. */
void report_print(const struct cell *cell, const struct labels *labels, const struct sens_out *out,
                  const struct record *rec, const struct closer *closer);

/* The parts of the result that were computed, by their names, with the names of states and parameters; {} where labels
 * is NULL, as nothing was computed. The caller's. */
json_t *report_json(const struct cell *cell, const struct labels *labels, const struct sens_out *out);

/* TSV `quantity row col value name`: the parts of the result that were computed. The name is that of the state of x,
 * and of the parameter or initial state by which a derivative is; of G there is none. */
bool report_dump(const char *path, const struct cell *cell, const struct labels *labels,
                 const struct sens_out *out, struct bench_error *error);

#endif
