/* derive/generate/along.c - walks over an operator: what of it can be written along which axis. */
#include "along.h"

#include "expression.h"
#include "frame.h"

void along_skip(const roll_token *token, struct along_cursor *at, unsigned runs)
{
    const roll_token here = token[at->token++];
    if (roll_has_quantity(here)) at->integer += 1 + runs;
    if (roll_kind(here) == ROLL_RUN) runs++;
    for (size_t left = roll_operands(here); left > 0; left--) along_skip(token, at, runs);
}

bool along_is_lane(roll_token token)
{
    return roll_kind(token) == ROLL_STORED
               ? roll_detail(token) != 0
               : roll_kind(token) == ROLL_LEAF && frame_in_lanes((enum graph_op)roll_detail(token));
}

bool along_is_zero(const struct plan *plan, size_t e)
{
    bool zero = plan_is(plan->base[e], 0);
    for (size_t l = 0; l < plan->depth; l++) zero = zero && plan_is(plan->step[l][e], 0);
    return zero;
}

bool along_literal(const struct plan *plan, size_t e, unsigned runs)
{
    bool is = plan->base[e].column < 0;
    for (size_t l = 0; l < plan->depth; l++) is = is && plan_is(plan->step[l][e], 0);
    for (unsigned k = 1; k <= runs; k++) is = is && along_is_zero(plan, e + k);
    return is;
}

bool along_is_whole(const struct plan *plan, size_t e, unsigned runs, unsigned width)
{
    return along_literal(plan, e, runs) && plan->base[e].value % (int32_t)width == 0;
}

bool along_terms(const struct plan *plan, struct along_cursor at, unsigned runs)
{
    const roll_token *token = plan->operator->token;
    const size_t end = at.token + roll_length(token + at.token);
    bool any = false;
    for (; at.token < end; at.token++) {
        const roll_token here = token[at.token];
        if (roll_kind(here) == ROLL_RUN) return false;
        if (roll_kind(here) == ROLL_OP && roll_detail(here) != GRAPH_DIV) return false;
        if (!roll_has_quantity(here)) continue;
        const bool one = plan_is(plan->base[at.integer + 1], 1);
        for (size_t l = 0; l < plan->depth; l++)
            if (!plan_is(plan->step[l][at.integer + 1], 0)) return false;
        if (!one && !plan_is(plan->base[at.integer + 1], 0)) return false;
        any = any || one;
        at.integer += 1 + runs;
    }
    return any;
}

/* ---- what can be done ---------------------------------------------------------------------------------- */

/* Along the outputs: nothing but + - * /, all that is read and written stands still or advances by 1. */
static bool can_go_along_outputs(const struct plan *plan)
{
    const struct roll_operator *o = plan->operator;
    if (plan->depth == 0 || o->sequential || !plan_is(plan->step[0][0], 1)) return false;
    for (size_t k = 0; k < o->n_tokens; k++)
        if (roll_kind(o->token[k]) == ROLL_OP && roll_detail(o->token[k]) != GRAPH_DIV) return false;
    for (size_t e = 1; e < plan->width; e++)
        if (!plan_is(plan->step[0][e], 0) && !plan_is(plan->step[0][e], 1)) return false;
    return true;
}

/* The integers that are not the start of a leaf: counts of runs and steps. */
static bool runs_stand_still(const struct plan *plan, struct along_cursor *at, unsigned runs)
{
    const roll_token here = plan->operator->token[at->token++];
    bool still = true;
    if (roll_has_quantity(here)) {
        for (unsigned k = roll_kind(here) == ROLL_RUN ? 0 : 1; plan->depth > 0 && k <= runs; k++)
            still = still && plan_is(plan->step[0][at->integer + k], 0);
        at->integer += 1 + runs;
    }
    if (roll_kind(here) == ROLL_RUN) runs++;
    for (size_t left = roll_operands(here); left > 0; left--)
        still = runs_stand_still(plan, at, runs) && still;
    return still;
}

/* Has it a run whose terms can be taken by vectors? */
static bool can_go_along_terms(const struct plan *plan, struct along_cursor *at, unsigned runs)
{
    const roll_token here = plan->operator->token[at->token++];
    bool can = false;
    if (roll_has_quantity(here)) at->integer += 1 + runs;
    if (roll_kind(here) == ROLL_RUN) can = along_terms(plan, *at, ++runs);
    for (size_t left = roll_operands(here); left > 0; left--) can = can_go_along_terms(plan, at, runs) || can;
    return can;
}

bool expression_can(const struct plan *plan, enum expression_axis axis)
{
    struct along_cursor at = {0, 1};
    if (axis == EXPRESSION_OUTPUTS) return can_go_along_outputs(plan) && runs_stand_still(plan, &at, 0);
    if (axis == EXPRESSION_TERMS) return can_go_along_terms(plan, &at, 0);
    return true;
}

static bool reads_table(const struct plan *plan, struct along_cursor *at, unsigned runs)
{
    const roll_token here = plan->operator->token[at->token++];
    bool reads = roll_kind(here) == ROLL_CONSTANT && !along_literal(plan, at->integer, runs);
    if (roll_has_quantity(here)) at->integer += 1 + runs;
    if (roll_kind(here) == ROLL_RUN) runs++;
    for (size_t left = roll_operands(here); left > 0; left--) reads = reads_table(plan, at, runs) || reads;
    return reads;
}

bool expression_reads_table(const struct plan *plan)
{
    struct along_cursor at = {0, 1};
    return reads_table(plan, &at, 0);
}

bool expression_has_run(const struct plan *plan)
{
    struct along_cursor at = {0, 1};
    bool any = false;
    for (size_t k = 0; k < plan->operator->n_tokens; k++)
        any = any || roll_kind(plan->operator->token[k]) == ROLL_RUN;
    return any && !plan->operator->sequential && runs_stand_still(plan, &at, 0);
}
