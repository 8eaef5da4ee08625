/* Costs around an inner one: in another unit, or with outputs that are zero. */
#include "decorate.h"

/* ---- in another unit ----------------------------------------------------------------------------------- */

/* What is added to is taken into the inner unit and back, which rounds nothing. */
static void turn(size_t count, int exponent, double *v)
{
    for (size_t q = 0; q < count; q++) v[q] = ldexp(v[q], exponent);
}

static void in_unit(const struct sens_cost *cost, const struct cost_call *call)
{
    const int exponent = *(const int *)decorate_own(cost);
    const size_t count = cost_call_rows(cost, call) * call->L;
    struct cost_call inner = *call;
    if (!cost_call_is_observed(call)) {
        inner.w = ldexp(call->w, exponent);
        cost_call(cost->inner, &inner);
        return;
    }
    turn(count, -exponent, call->out);
    cost_call(cost->inner, &inner);
    turn(count, exponent, call->out);
}

void decorate_multiply_cost(struct verify *v, const struct sens_cost *inner, int exponent,
                            struct sens_cost *cost)
{
    int *const kept = verify_memory(v, 1, sizeof *kept);
    *kept = exponent;
    decorate_wrap_cost(v, inner, in_unit, kept, cost);
}

static void hand_on(const struct sens_cost *cost, const struct cost_call *call)
{
    cost_call(cost->inner, call);
}

/* Lanes past the inner m are left alone by every function of the contract: more outputs need nothing else. */
void decorate_pad_cost(struct verify *v, const struct sens_cost *inner, size_t extra, struct sens_cost *cost)
{
    decorate_wrap_cost(v, inner, hand_on, NULL, cost);
    cost->m += extra;
}
