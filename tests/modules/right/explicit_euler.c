/* Explicit Euler with few equal steps, x1 = x + h f(t, x): its errors are a large part of the derivatives, and right.
 *
 * verify: --quick --seed 8 --method explicit_euler */
#define NAME    "explicit_euler"
#define SUMMARY "explicit Euler with 16 steps"
#define STEPS   16
#define STAGES  1
#include "runge_kutta.h"

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    static const struct formula euler = {.a = {{0}}, .b = {1}};
    (void)ctx;
    return runge_kutta(st, &euler, t, h);
}
