/* harness/measure/explain.h - why a run came to numbers that are not finite. */
#ifndef MEASURE_EXPLAIN_H
#define MEASURE_EXPLAIN_H

#include "cell.h"
#include "refuse.h"

/* Of a run that ended with this status and the message of ctx: *reason is the message, and where the cost was not
 * finite at a finite state, or the products because an operation of f has no finite derivative, that, with t and the
 * output, or the operation as a provider explains it (sens/provider.h). It runs the cell once more, which is left out
 * where that took more `seconds` than somebody waits for a better sentence. Nothing is done for another status, or
 * where there is a reason. */
void measure_explain(struct sens_ctx *ctx, const struct cell *cell, sens_status status, double seconds,
                     struct bench_error *reason);

#endif
