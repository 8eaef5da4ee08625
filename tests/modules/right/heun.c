/* Heun's formula of order 2 with few equal steps: x1 = x + h/2 (f(t, x) + f(t + h, x + h f(t, x))).
 *
 * verify: --quick --seed 5 --method heun */
#define NAME    "heun"
#define SUMMARY "Heun's formula with 16 steps"
#define STEPS   16
#define STAGES  2
#include "runge_kutta.h"

static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    static const struct formula heun = {.a = {{0}, {1}}, .b = {0.5, 0.5}};
    (void)ctx;
    return runge_kutta(st, &heun, t, h);
}
