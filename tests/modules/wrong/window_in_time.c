/* A mean over a part of the interval, at whose ends g jumps: no step of a method ends there, or none sees both sides.
 *
 * verify: --quick --cost window_in_time
 * module: cost window_in_time
 * cause: cost_jump
 * recorded: yes */
#include <tgmath.h>

#include "sens/plugin.h"

struct window {
    sens_real from, to;
};

static void g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    const struct window *window = cost->data;
    if (at->t < window->from || at->t > window->to) return;
    G[0] += w * at->x[0] * at->x[0] / (window->to - window->from);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option;
    struct window *window = SENS_NEW(ctx, struct window, 1);
    if (!window) return SENS_NO_MEMORY;
    const sens_real length = pb->t1 - pb->t0;
    *window = (struct window){pb->t0 + (sens_real)0.3 * length, pb->t0 + (sens_real)0.7 * length};
    cost->m = 1, cost->data = window;
    return SENS_OK;
}

SENS_COST(window_in_time) = {
    .name = "window_in_time", .summary = "mean square over a part of the interval", .create = create, .g = g};
static const struct sens_cost_type *const costs[] = {&sens_cost_window_in_time, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "window_in_time", .costs = costs};
