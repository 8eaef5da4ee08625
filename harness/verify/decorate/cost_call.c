/* From the six functions of a cost to one, and back. */
#include "cost_call.h"

struct answering { /* a decoration's data */
    cost_answer *answer;
    const void *own;
};

void cost_call(const struct sens_cost *cost, const struct cost_call *call)
{
    const struct sens_cost_type *type = cost->type;
    const struct sens_at *at = call->at;
    const size_t j = call->j, c0 = call->c0, L = call->L;
    switch (call->slot) {
    case COST_PHI:
        type->phi(cost, j, at->x, at->p, call->out);
        return;
    case COST_PHI_DX:
        type->phi_dx(cost, j, at->x, at->p, c0, L, call->out);
        return;
    case COST_PHI_DP:
        type->phi_dp(cost, j, at->x, at->p, c0, L, call->out);
        return;
    case COST_G:
        type->g(cost, at, call->w, call->out);
        return;
    case COST_G_DX:
        type->g_dx(cost, at, call->w, c0, L, call->out);
        return;
    case COST_G_DP:
        type->g_dp(cost, at, call->w, c0, L, call->out);
        return;
    }
}

bool cost_call_is_value(const struct cost_call *call)
{
    return call->slot == COST_PHI || call->slot == COST_G;
}

bool cost_call_is_by_p(const struct cost_call *call)
{
    return call->slot == COST_PHI_DP || call->slot == COST_G_DP;
}

bool cost_call_is_observed(const struct cost_call *call)
{
    return call->slot < COST_G;
}

size_t cost_call_rows(const struct sens_cost *cost, const struct cost_call *call)
{
    return cost_call_is_value(call) ? cost->m : cost_call_is_by_p(call) ? cost->np : cost->n;
}

/* ---- the six ------------------------------------------------------------------------------------------- */

static void ask(const struct sens_cost *cost, struct cost_call call)
{
    ((const struct answering *)cost->data)->answer(cost, &call);
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    ask(cost, (struct cost_call){COST_PHI, j, &(struct sens_at){(double)NAN, x, p}, 0, 0, 1, G});
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    ask(cost, (struct cost_call){COST_PHI_DX, j, &(struct sens_at){(double)NAN, x, p}, 0, c0, L, OUT});
}

static void phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *MU)
{
    ask(cost, (struct cost_call){COST_PHI_DP, j, &(struct sens_at){(double)NAN, x, p}, 0, c0, L, MU});
}

static void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    ask(cost, (struct cost_call){COST_G, 0, at, w, 0, 1, G});
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *OUT)
{
    ask(cost, (struct cost_call){COST_G_DX, 0, at, w, c0, L, OUT});
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *MU)
{
    ask(cost, (struct cost_call){COST_G_DP, 0, at, w, c0, L, MU});
}

void decorate_wrap_cost(struct verify *v, const struct sens_cost *inner, cost_answer *answer, const void *own,
                        struct sens_cost *cost)
{
    static const struct sens_cost_type six = {
        .phi = phi, .phi_dx = phi_dx, .phi_dp = phi_dp, .g = g, .g_dx = g_dx, .g_dp = g_dp};
    struct answering *data = verify_memory(v, 1, sizeof *data);
    *data = (struct answering){answer, own};
    sens_cost_decorate(inner, &six, data, verify_memory(v, 1, sizeof(struct sens_decorated_cost)), cost);
}

const void *decorate_own(const struct sens_cost *cost)
{
    return ((const struct answering *)cost->data)->own;
}
