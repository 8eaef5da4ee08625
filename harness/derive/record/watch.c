/* derive/record/watch.c - a recording beside the function in double. */
#include "watch.h"

#include <math.h>
#include <stdlib.h>

#include "agreement.h"

enum {
    OFTEN = 512
}; /* points that are looked at often: all of a short run, or the first runs of a measurement */

/* Threads that count at the same time may lose a call: nothing depends on that. */
static bool is_due(struct watch *watch)
{
    const size_t asked = atomic_load_explicit(&watch->asked, memory_order_relaxed);
    atomic_store_explicit(&watch->asked, asked + 1, memory_order_relaxed);
    if (asked < atomic_load_explicit(&watch->next, memory_order_relaxed)) return false;
    const size_t rest = asked < OFTEN ? asked / 8 : asked;
    atomic_store_explicit(&watch->next, asked + rest + 1, memory_order_relaxed);
    return true;
}

static void tell(struct watch *watch, const struct sens_at *at, const struct disagreement *found)
{
    if (atomic_exchange(&watch->claimed, true)) return;
    const struct watched *function = watch->function;
    bench_refuse(&watch->why,
                 "%s %s: at t = %.9g %s[%zu] is %.9g, and %.9g by its recording; does its source depend on "
                 "anything but t, x and p, on earlier calls, or on the bits of a number?",
                 function->kind, function->name, at->t, function->function, found->output, found->computed,
                 found->recorded);
    atomic_store(&watch->failed, true);
}

static bool all_finite(size_t count, const double *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* Nothing is said where f is not defined, or stands on the edge between two branches. */
static sens_status look(struct watch *watch, const struct graph *graph, const struct sens_at *at)
{
    const struct watched *function = watch->function;
    struct disagreement found = {.output = 0};
    double *out = calloc(function->outputs + 1, sizeof *out);
    if (!out) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    if (function->value(function->of, at, out) == SENS_OK && all_finite(function->outputs, out))
        status = graph_agrees(graph, &(struct agreement_point){function->n, function->np, *at}, out, &found);
    free(out);
    if (status != SENS_UNSUPPORTED || found.on_edge) return status == SENS_UNSUPPORTED ? SENS_OK : status;
    tell(watch, at, &found);
    return SENS_UNSUPPORTED;
}

sens_status watch_point(struct watch *watch, const struct graph *graph, const struct sens_at *at)
{
    if (!watch->function || !at->x) return SENS_OK;
    if (atomic_load_explicit(&watch->failed, memory_order_relaxed)) return SENS_UNSUPPORTED;
    return is_due(watch) ? look(watch, graph, at) : SENS_OK;
}

const char *watch_reason(const struct watch *watch)
{
    return atomic_load(&watch->failed) ? watch->why.text : NULL;
}
