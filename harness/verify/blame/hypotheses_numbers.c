/* The catalogue, third part: numbers that lose their digits or their sign, and what is taken once for the
 * whole solve. */
#include "hypotheses.h"

#include <string.h>

/* ---- single precision ---------------------------------------------------------------------------------- */

/* Everything, and what an author may have left out. */
static bool round_inputs(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    static const unsigned masks[] = {SINGLE_TIME,
                                     SINGLE_STATE,
                                     SINGLE_PARAMETERS,
                                     SINGLE_KEPT,
                                     SINGLE_ADJOINT,
                                     SINGLE_KEPT | SINGLE_ADJOINT,
                                     SINGLE_TIME | SINGLE_STATE | SINGLE_PARAMETERS,
                                     SINGLE_ALL};
    (void)suspect;
    scheme->single = masks[variant];
    return true;
}

/* All coefficients of the tableau; a_ij, b_i, c_i alone. */
static bool round_tableau(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const size_t s = (size_t)scheme->stages;
    (void)suspect;
    if (variant < 2) run_round(s * s, scheme->a, scheme->a);
    if (variant % 2 == 0) run_round(s, scheme->b, scheme->b), run_round(s, scheme->bq, scheme->bq);
    if (variant != 0 && variant != 3) return true;
    run_round(s, scheme->c, scheme->c);
    for (int r = 0; r < RULES; r++) run_round(s, scheme->rule[r].c, scheme->rule[r].c);
    return true;
}

static bool round_steps(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const size_t steps = (size_t)scheme->steps;
    (void)suspect;
    run_round(steps, scheme->h, scheme->h);
    run_round(steps, scheme->hq, scheme->hq);
    if (variant == 0) run_round(steps, scheme->ha, scheme->ha);
    return true;
}

/* ---- signs --------------------------------------------------------------------------------------------- */

/* A stage with b_i < 0: left out of the quadrature, of the step and the quadrature, of the parameter product;
 * or |b_i| there. */
static bool take_for_none(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const double *const b = suspect->oracle->tableau->b;
    const double factor = variant < 3 ? 0 : -1;
    const long s = scheme->stages;
    bool any = false;
    for (int i = 0; i < scheme->stages; i++) {
        if (b[i] >= 0) continue;
        any = true;
        if (variant % 3 < 2) scheme->bq[i] *= factor;
        if (variant % 3 == 1) scheme->b[i] *= factor;
        for (long k = 0; variant % 3 == 2 && k < scheme->steps; k++) scheme->in_mu[k * s + i] = factor;
    }
    return any;
}

/* ---- once for the whole solve -------------------------------------------------------------------------- */

/* At one time in all steps. */
static void hold_time(const struct suspect *suspect, const struct scheme *scheme, double t, struct rule *rule)
{
    double *times = verify_array(suspect->oracle->v, (size_t)scheme->steps);
    for (long k = 0; k < scheme->steps; k++) times[k] = t;
    for (int i = 0; i < scheme->stages; i++) rule->c[i] = 0;
    rule->t = times;
}

/* J, J and df/dp, df/dp; at t0 and x0, at x0, at t0. */
static bool hold_products(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const unsigned which = 1u + (unsigned)variant / 3;
    (void)suspect;
    for (unsigned r = 0; r < 2; r++) {
        if (!((r == RULE_JACOBIAN && which < 3) || (r == RULE_PARAMETER && which > 1))) continue;
        if (variant % 3 != 1) hold_time(suspect, scheme, scheme->t[0], &scheme->rule[r]);
        scheme->rule[r].first_state = variant % 3 != 2;
    }
    return scheme->steps > 0;
}

/* The same for each step: that of its beginning. */
static bool hold_for_step(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const unsigned which = 1u + (unsigned)variant;
    (void)suspect;
    for (unsigned r = 0; r < 2; r++)
        for (int i = 0; i < scheme->stages; i++) {
            if (!((r == RULE_JACOBIAN && which < 3) || (r == RULE_PARAMETER && which > 1))) continue;
            scheme->rule[r].c[i] = 0;
            scheme->rule[r].state[i] = 0;
        }
    return scheme->stages > 1;
}

static bool add_initial(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct sens_problem *pb = suspect->oracle->problem;
    (void)variant;
    scheme->x0_always = true;
    return !sens_problem_x0_depends(pb) && pb->type->x0_vjp;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

enum { ANYWHERE = FAULT_SWEEP | FAULT_SOLVE | FAULT_BOTH };

const struct hypothesis hypotheses_of_numbers[] = {
    {CAUSE_single_precision, "of what is given to callbacks, or kept", ANYWHERE | FAULT_REPLAY, round_inputs,
     8, 1},
    {CAUSE_single_precision, "of the tableau", ANYWHERE | FAULT_REPLAY, round_tableau, 4, 1},
    {CAUSE_single_precision, "of the step", ANYWHERE, round_steps, 2, 1},
    {CAUSE_negative_weight, "", FAULT_SWEEP | FAULT_SOLVE | FAULT_BOTH, take_for_none, 6, 1},
    {CAUSE_jacobian_held, "", FAULT_SWEEP, hold_products, 9, 0.99},
    {CAUSE_stale_jacobian, "that of the step's beginning", FAULT_SWEEP, hold_for_step, 3, 0.97},
    {CAUSE_initial_term_added, "", FAULT_SWEEP, add_initial, 1, 1},
    {.alter = NULL},
};
