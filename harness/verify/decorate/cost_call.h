/* harness/verify/decorate/cost_call.h - a request for one of the six functions of a cost (sens/cost.h) as a structure,
 * for costs around an inner one that do one thing to all of them. */
#ifndef VERIFY_COST_CALL_H
#define VERIFY_COST_CALL_H

#include "check.h"
#include "sens/decorate.h"

enum cost_slot { COST_PHI, COST_PHI_DX, COST_PHI_DP, COST_G, COST_G_DX, COST_G_DP };

struct cost_call {
    enum cost_slot slot;
    size_t j;                 /* phi and its derivatives: which observation */
    const struct sens_at *at; /* those of phi are told no time: t is NaN */
    double w;                 /* g and its derivatives */
    size_t c0, L;             /* derivatives; phi and g themselves: 0 and 1 */
    double *out;              /* [cost_call_rows][L], added to */
};

/* Asks the cost, whose slot must be there. */
void cost_call(const struct sens_cost *cost, const struct cost_call *call);

/* The values phi or g? Else derivatives. By p? Of an observation? Else of the running cost. */
bool cost_call_is_value(const struct cost_call *call);
bool cost_call_is_by_p(const struct cost_call *call);
bool cost_call_is_observed(const struct cost_call *call);

/* m, n or np. */
size_t cost_call_rows(const struct sens_cost *cost, const struct cost_call *call);

/* What a cost around cost->inner does when it is asked. */
typedef void cost_answer(const struct sens_cost *cost, const struct cost_call *call);

/* *cost is *inner (the two may be one), but `answer` is called for every function that *inner has. `own` is the
 * caller's. Memory from the unit's arena. */
void decorate_wrap_cost(struct verify *v, const struct sens_cost *inner, cost_answer *answer, const void *own,
                        struct sens_cost *cost);
const void *decorate_own(const struct sens_cost *cost);

#endif
