/* Ralston's third-order formula with the midpoint rule embedded, and a step controller that is none of the
 * program's: a maximum norm by |y1| alone, h <- h min(4, max(1/4, 0.8 err^(-1/3))). A module defines A32,
 * which is 3/4, and RALSTON_ALONE to offer something else. */
#include <math.h>

#include "sens/plugin.h"

static const sens_real ralston_a[3 * 3] = {[1 * 3] = 0.5, [2 * 3] = 0.75 - A32, A32};
static const sens_real ralston_b[3] = {SENS_Q(2, 9), SENS_Q(1, 3), SENS_Q(4, 9)};
static const sens_real ralston_e[3] = {SENS_Q(2, 9), SENS_Q(-2, 3), SENS_Q(4, 9)};
static const sens_real ralston_c[3] = {0, 0.5, 0.75};

static const struct sens_tableau ralston = {
    .name = "ralston",
    .summary = "Ralston 3(2)",
    .source = "Ralston, Math. Comput. 16 (1962) 431-437",
    .stages = 3,
    .order = 3,
    .order_hat = 2,
    .a = ralston_a,
    .b = ralston_b,
    .e = ralston_e,
    .c = ralston_c,
    .dense_order = 3,
};

static void largest(const struct sens_ode_part *piece, const struct sens_trial *trial,
                    struct sens_error_norm *norm)
{
    for (size_t i = 0; i < piece->count; i++) {
        const sens_real scale = piece->atol + piece->rtol * fabs(trial->y1[i]);
        norm->top = fmax(norm->top, trial->e[i] == 0 ? 0 : fabs(trial->e[i]) / scale);
    }
    norm->tested += piece->count;
}

static sens_real read_off(const struct sens_error_norm *norm)
{
    return norm->top;
}

static sens_real factor(struct sens_controller_memory *memory, sens_real h, sens_real err,
                        const struct sens_tableau *tableau)
{
    (void)h;
    memory->rejected = err > 1;
    return fmin(4, fmax(0.25, 0.8 * pow(err, -1 / (sens_real)tableau->order)));
}

static const struct sens_controller plain = {
    .name = "plain",
    .summary = "maximum norm by the new state, h by the error alone",
    .adaptive = true,
    .add = largest,
    .norm = read_off,
    .factor = factor,
};

#ifndef RALSTON_ALONE
static const struct sens_tableau *const tableaux[] = {&ralston, NULL};
static const struct sens_controller *const controllers[] = {&plain, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "ralston", .tableaux = tableaux, .controllers = controllers};
#endif
