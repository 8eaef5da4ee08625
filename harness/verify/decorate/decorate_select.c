/* Some outputs of a cost. */
#include "decorate.h"

/* Outputs first, first + 1, ... of the inner cost, each computed with one lane, so that an output has the
 * same bits whatever others there are. */
static void add_column(size_t size, size_t L, size_t l, const double *column, double *OUT)
{
    for (size_t i = 0; i < size; i++) OUT[i * L + l] += column[i];
}

static void selected(const struct sens_cost *cost, const struct cost_call *call)
{
    const size_t first = *(const size_t *)decorate_own(cost);
    struct cost_call inner = *call;
    if (cost_call_is_value(call)) {
        double all[DECORATE_SELECT_MOST] = {0};
        inner.out = all;
        cost_call(cost->inner, &inner);
        for (size_t c = 0; c < cost->m; c++) call->out[c] += all[first + c];
        return;
    }
    for (size_t l = 0; l < call->L && call->c0 + l < cost->m; l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        inner.c0 = first + call->c0 + l, inner.L = 1;
        inner.out = column;
        cost_call(cost->inner, &inner);
        add_column(cost_call_rows(cost, call), call->L, l, column, call->out);
    }
}

struct sens_cost decorate_select(struct verify *v, const struct sens_cost *inner, size_t first, size_t count)
{
    size_t *kept = verify_memory(v, 1, sizeof *kept);
    struct sens_cost cost;
    *kept = first;
    decorate_wrap_cost(v, inner, selected, kept, &cost);
    cost.m = count;
    return cost;
}
