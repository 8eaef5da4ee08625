/* A one-step formula with equal steps that makes the same sums of S as of x: the two are one vector, x with S behind
 * it, of st->own.size numbers. The including file defines NAME, SUMMARY, STEPS (from t0 to t1, where the option does
 * not say), VECTORS (st->own.vector are so many of that size) and, where the formula treats a decay -r x exactly,
 * DECAYS: r is an option then. OPTION is one more, where there is one. With DOUBLES steps are doubled, from STEPS of
 * them, until the state settles. Its step stands behind this file. */
#ifndef DOUBLES
#define DOUBLES 0
#endif

#include <stdbool.h>
#include <stddef.h>

#include "sens/real.h"

struct own {
    size_t size;
    sens_real *vector[VECTORS], *before;
    sens_real t_before; /* of the step before, where a formula looks back at it */
    long steps;         /* from t0 to t1 */
    bool chosen;        /* they are, by doubling: those of a run are told */
};

#include "directions.h"

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h);

#include "doubled.h"

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st;
    sens_status status = create(ctx, task, &st);
    if (status != SENS_OK) return status;
    *made = st;
    st->own.size = st->n * (1 + st->q);
    for (size_t i = 0; i < VECTORS && status == SENS_OK; i++)
        status = allocate(ctx, 1, &(struct room){&st->own.vector[i], st->own.size});
    if (status == SENS_OK) status = allocate(ctx, 1, &(struct room){&st->own.before, st->n});
    st->own.steps = (long)task->option[0].number;
    if (status == SENS_OK && DOUBLES) status = choose_steps(ctx, st);
    st->own.chosen = DOUBLES;
    return status;
}

static const struct sens_option options[] = {
    {.name = "steps", .kind = SENS_OPT_INT, .fallback = STEPS, .min = 1, .max = 1e6, .help = "from t0 to t1"},
#ifdef DECAYS
    {.name = "rate",
     .kind = SENS_OPT_REAL,
     .fallback = 1,
     .min = 0,
     .max = 100,
     .help = "r, decay that is treated exactly, 1/time"},
#endif
#ifdef OPTION
    OPTION,
#endif
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = SUMMARY,
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS |
            (DOUBLES ? SENS_CAP_TOLERANCE | SENS_CAP_STEPS : 0),
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
