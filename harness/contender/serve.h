/* contender/serve.h - values of the functions of a task, for a contender that asks for them. */
#ifndef CONTENDER_SERVE_H
#define CONTENDER_SERVE_H

#include <jansson.h>

#include "refuse.h"
#include "sens/method.h"

struct serve { /* memory for questions about one task */
    const struct sens_task *task;
    sens_real *x, *p; /* the point */
    sens_real *unit;  /* [n][n] */
    sens_real *value; /* [max(n, m)][max(n, np)], and its transpose behind it */
};

/* SENS_NO_MEMORY. */
sens_status serve_create(struct sens_ctx *ctx, const struct sens_task *task, struct serve *serve);

/* Answers a question, {"ask": "f", "t": ..., "x": [...]}, with its value under the same name, {"f": [...]}, or with
 * {"status": "nonfinite"} where the right-hand side says so. What can be asked is the table in serve.c. *answer is the
 * caller's. SENS_IO_ERROR with a message: it is no question; SENS_NO_MEMORY. */
sens_status serve_answer(struct serve *serve, const json_t *question, json_t **answer,
                         struct bench_error *error);

#endif
