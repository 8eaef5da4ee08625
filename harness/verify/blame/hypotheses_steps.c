/* The catalogue, first part: coefficients, times, steps, and where products and the quadrature are taken.
 * What each fault changes in the formulas of oracle_run.h; a new one is a function and a row of the
 * table. */
#include "hypotheses.h"

#include <string.h>

/* ---- times and coefficients ---------------------------------------------------------------------------- */

enum { SLOPES = 1u << RULES }; /* beside the bits 1u << rule: every slope */

/* Which products, in the order of likelihood: all and the slopes; all; one kind; two kinds. */
static unsigned products(long variant)
{
    static const unsigned masks[] = {2 * SLOPES - 1, 1, 2, 4, 5, 3, 6};
    return masks[variant];
}

/* The last slope of an FSAL pair, at its altered time, is the next step's first. */
static void set_times(const struct suspect *suspect, struct scheme *scheme, const double *c, unsigned which)
{
    const size_t size = (size_t)scheme->stages * sizeof *c;
    if (which & SLOPES) {
        memcpy(scheme->c, c, size);
        scheme->slope_from = suspect->oracle->tableau->fsal;
    }
    for (unsigned r = 0; r < RULES; r++)
        if (which & 1u << r) memcpy(scheme->rule[r].c, c, size);
}

static bool no_times(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const double *none = verify_array(suspect->oracle->v, (size_t)scheme->stages);
    set_times(suspect, scheme, none, products(variant));
    return true;
}

/* Those of the next stage, of the stage before. */
static bool shift_times(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const int s = scheme->stages, shift = variant % 2 ? -1 : 1;
    double *c = verify_array(suspect->oracle->v, (size_t)s);
    for (int i = 0; i < s; i++) {
        const int other = i + shift;
        c[i] = other < 0 ? 0 : other < s ? scheme->c[other] : 1;
    }
    set_times(suspect, scheme, c, products(variant / 2));
    return true;
}

/* t - t0 for t. */
static bool relative_time(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const double t0 = suspect->oracle->problem->t0;
    (void)variant;
    for (long k = 0; k < scheme->steps; k++) scheme->t[k] -= t0;
    return t0 != 0;
}

/* t0 for t: as where it is kept because the problem says that nothing depends on it. */
static bool held_time(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    double *const none = verify_array(suspect->oracle->v, (size_t)scheme->stages);
    double *const first = verify_array(suspect->oracle->v, (size_t)scheme->steps);
    const unsigned which = products(variant);
    set_times(suspect, scheme, none, which);
    for (long k = 0; k < scheme->steps; k++) first[k] = suspect->oracle->problem->t0;
    for (unsigned r = 0; r < RULES; r++)
        if (which & 1u << r) scheme->rule[r].t = first;
    if (which & SLOPES) memcpy(scheme->t, first, (size_t)scheme->steps * sizeof *first);
    return true;
}

/* a_ji where a_ij is due: the triangle that is used is empty. */
static bool transpose(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const size_t s = (size_t)scheme->stages;
    (void)suspect, (void)variant;
    for (size_t q = 0; q < s * s; q++) scheme->a[q] = 0;
    return s > 1;
}

bool *live_stages(const struct oracle *oracle, const struct scheme *scheme)
{
    const size_t s = (size_t)scheme->stages;
    bool *live = verify_memory(oracle->v, s, sizeof *live);
    for (size_t i = s; i-- > 0;) {
        live[i] = scheme->b[i] != 0;
        for (size_t j = i + 1; j < s; j++) live[i] = live[i] || (scheme->a[j * s + i] != 0 && live[j]);
    }
    return live;
}

/* As weights of the step, where bit 0 of the choice is not set of the quadrature too, and where bit 1 is set
 * only of stages that the right weights reach. */
static void set_weights(const struct suspect *suspect, struct scheme *scheme, double *b, long choice)
{
    const bool *const live = live_stages(suspect->oracle, scheme);
    for (int i = 0; i < scheme->stages; i++) {
        scheme->b[i] = choice & 2 && !live[i] ? 0 : b[i];
        if (!(choice & 1)) scheme->bq[i] = scheme->b[i];
    }
}

/* bhat; those of the next stage, of the stage before, in a circle or not; in the opposite order. */
static bool other_weights(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct sens_tableau *tb = suspect->oracle->tableau;
    const int s = scheme->stages, kind = (int)variant / 4;
    double *b = verify_array(suspect->oracle->v, (size_t)s);
    for (int i = 0; i < s; i++) {
        const int from[] = {i, (i + 1) % s, (i + s - 1) % s, i + 1, i - 1, s - 1 - i};
        const bool is = from[kind] >= 0 && from[kind] < s;
        b[i] = (is ? tb->b[from[kind]] : 0) - (kind == 0 && tb->e ? tb->e[i] : 0);
    }
    set_weights(suspect, scheme, b, variant % 4);
    return true;
}

/* 1, or 1/s. */
static bool no_weights(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    double *b = verify_array(suspect->oracle->v, (size_t)scheme->stages);
    for (int i = 0; i < scheme->stages; i++) b[i] = variant < 4 ? 1 : 1.0 / scheme->stages;
    set_weights(suspect, scheme, b, variant % 4);
    return true;
}

/* One weight alone: b_i = 0. */
static bool drop_weight(const struct suspect *suspect, struct scheme *scheme, long i)
{
    (void)suspect;
    scheme->b[i] = 0;
    return true;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* h of the step before (variant 1), of the next (2); 1 (0). */
static void set_steps(const struct suspect *suspect, long variant, double *h)
{
    const struct grid *grid = suspect->oracle->grid;
    const long last = grid->steps - 1;
    for (long k = 0; k <= last; k++) {
        const long from = variant == 1 ? (k > 0 ? k - 1 : k) : (k < last ? k + 1 : k);
        h[k] = variant == 0 ? 1 : grid->h[from];
    }
}

/* In the stages, in the step, in the quadrature, and in two or all of them. */
static bool other_step(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    static const unsigned masks[] = {7, 3, 6, 2, 1, 5};
    const unsigned mask = masks[variant / 3];
    double *const to[] = {scheme->ha, scheme->h, scheme->hq};
    double *h = verify_array(suspect->oracle->v, (size_t)scheme->steps);
    set_steps(suspect, variant % 3, h);
    for (unsigned q = 0; q < 3; q++)
        if (mask & 1u << q) memcpy(to[q], h, (size_t)scheme->steps * sizeof *h);
    return true;
}

/* In the parameter product alone. */
static bool other_step_in_product(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const long s = scheme->stages;
    double *h = verify_array(suspect->oracle->v, (size_t)scheme->steps);
    set_steps(suspect, variant, h);
    for (long q = 0; q < scheme->steps * s; q++) scheme->in_mu[q] = h[q / s] / scheme->h[q / s];
    return true;
}

static bool step_of_times(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct grid *grid = suspect->oracle->grid;
    (void)variant;
    for (long k = 0; k < scheme->steps; k++)
        scheme->ha[k] = scheme->h[k] = scheme->hq[k] = grid->t1[k] - grid->t[k];
    return true;
}

static bool skip_first(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect, (void)variant;
    if (scheme->steps > 0) scheme->taken[0] = false;
    return scheme->steps > 0;
}

static bool skip_last(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect;
    if (scheme->steps > 0) scheme->taken[scheme->steps - 1] = false;
    if (variant > 0) scheme->observation[scheme->steps] = -1;
    return scheme->steps > 0;
}

/* The last slope of the step before, of two before, of the one after. */
static bool stale_slope(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    static const int from[] = {1, 2, -1};
    (void)suspect;
    scheme->slope_from = from[variant];
    return true;
}

/* ---- where products are taken -------------------------------------------------------------------------- */

/* At the step's start, at the stage before. */
static bool stale_stage(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const unsigned which = products(variant / 2);
    (void)suspect;
    for (unsigned r = 0; r < RULES; r++)
        for (int i = 0; which & 1u << r && i < scheme->stages; i++)
            scheme->rule[r].state[i] = variant % 2 == 0 || i == 0 ? 0 : i - 1;
    return true;
}

/* g at the step's start, at the stage before, at Y + Z. */
static bool quadrature_state(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    struct rule *rule = &scheme->rule[RULE_COST];
    if (!suspect->oracle->cost->type->g) return false;
    for (int i = 0; variant < 2 && i < scheme->stages; i++)
        rule->state[i] = variant == 0 || i == 0 ? 0 : i - 1;
    if (variant == 2) rule->stretch = 2;
    return true;
}

/* h: none, of the step before, of the next; without b_i; bhat_i. */
static bool quadrature_weights(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct sens_tableau *tb = suspect->oracle->tableau;
    if (!suspect->oracle->cost->type->g) return false;
    if (variant < 3) set_steps(suspect, variant, scheme->hq);
    for (int i = 0; variant >= 3 && i < scheme->stages; i++) {
        const double weight[] = {1, scheme->bq[i] != 0, tb->b[i] - (tb->e ? tb->e[i] : 0)};
        scheme->bq[i] = weight[variant - 3];
    }
    return true;
}

/* ---- where explicit derivatives of the cost are taken --------------------------------------------------- */

/* Of each step: the times of the step before, of the next, of the whole interval's beginning, of its end,
 * since t0. */
static const double *other_times(const struct suspect *suspect, const struct scheme *scheme, long variant)
{
    const double t0 = suspect->oracle->problem->t0, t1 = suspect->oracle->problem->t1;
    const long last = scheme->steps - 1;
    double *times = verify_array(suspect->oracle->v, (size_t)scheme->steps);
    for (long k = 0; k <= last; k++) {
        const double other[] = {scheme->t[k > 0 ? k - 1 : 0], scheme->t[k < last ? k + 1 : last], t0, t1,
                                scheme->t[k] - t0};
        times[k] = other[variant];
    }
    return times;
}

/* In stage i of s: of the step's beginning, of its end, of the stage before, of the next, of the step's middle. */
static double other_node(const struct scheme *scheme, long variant, int i)
{
    const int last = scheme->stages - 1;
    const double other[] = {0, 1, i > 0 ? scheme->c[i - 1] : 0, i < last ? scheme->c[i + 1] : 1, 0.5};
    return other[variant];
}

/* g_p at another time: of the step, then of the interval; at another state: of the step's beginning, of the
 * stage before, of t0; at the step's beginning. */
static bool g_p_elsewhere(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    enum { NODES = 5, TIMES = NODES + 5, STATES = TIMES + 3 };
    struct verify *v = suspect->oracle->v;
    const size_t s = (size_t)scheme->stages;
    const struct rule *const right = &scheme->rule[RULE_COST];
    struct rule *rule = verify_memory(v, 1, sizeof *rule);
    if (!suspect->oracle->cost->type->g_dp) return false;
    *rule = (struct rule){verify_copy(v, s, right->c), verify_memory(v, s, sizeof(int)), 1, NULL, false};
    for (int i = 0; i < scheme->stages; i++) {
        rule->state[i] = variant < TIMES ? i : variant == TIMES + 1 && i > 0 ? i - 1 : 0;
        if (variant < NODES) rule->c[i] = other_node(scheme, variant, i);
        if (variant == NODES + 2 || variant == NODES + 3 || variant == STATES) rule->c[i] = 0;
    }
    if (variant >= NODES && variant < TIMES) rule->t = other_times(suspect, scheme, variant - NODES);
    rule->first_state = variant == TIMES + 2;
    scheme->g_p = rule;
    return true;
}

/* phi_p of the observation before, of the next, of the first, of the last; at the state a step before, a step
 * after, of t0, of t1. */
static bool phi_p_elsewhere(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct sens_cost *cost = suspect->oracle->cost;
    const long count = (long)cost->n_obs, steps = scheme->steps;
    long *of = verify_memory(suspect->oracle->v, (size_t)steps + 1, sizeof *of);
    if (!cost->type->phi_dp) return false;
    for (long k = 0; k <= steps; k++) {
        const long j = scheme->observation[k];
        const long other[] = {j > 0 ? j - 1 : 0, j + 1 < count ? j + 1 : count - 1, 0, count - 1,
                              k > 0 ? k - 1 : 0, k < steps ? k + 1 : steps,         0, steps};
        of[k] = other[variant];
    }
    if (variant < 4) scheme->phi_p = of;
    if (variant >= 4) scheme->phi_p_at = of;
    return true;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

enum { ANYWHERE = FAULT_SWEEP | FAULT_SOLVE | FAULT_BOTH };

const struct hypothesis hypotheses_of_steps[] = {
    {CAUSE_stage_time, "", ANYWHERE | FAULT_REPLAY, no_times, 7, 1},
    {CAUSE_stage_time_shifted, "", ANYWHERE | FAULT_REPLAY, shift_times, 14, 0.99},
    {CAUSE_absolute_time, "", FAULT_SWEEP | FAULT_BOTH, relative_time, 1, 1},
    {CAUSE_held_time, "", ANYWHERE | FAULT_REPLAY, held_time, 7, 1},
    {CAUSE_tableau_transposed, "", ANYWHERE | FAULT_REPLAY, transpose, 1, 1},
    {CAUSE_wrong_weights, "", ANYWHERE, other_weights, 24, 0.99},
    {CAUSE_wrong_weights, "one b_i is 0", ANYWHERE, drop_weight, 0, 0.96},
    {CAUSE_missing_weight, "", ANYWHERE, no_weights, 8, 1},
    {CAUSE_missing_step, "", ANYWHERE, other_step, 18, 0.99},
    {CAUSE_missing_step, "in the parameter product", FAULT_SWEEP, other_step_in_product, 3, 0.98},
    {CAUSE_step_from_times, "", ANYWHERE | FAULT_REPLAY, step_of_times, 1, 0.9},
    {CAUSE_first_step_lost, "", ANYWHERE, skip_first, 1, 1},
    {CAUSE_stops_early, "the last step is left out", ANYWHERE, skip_last, 2, 1},
    {CAUSE_stale_slope, "", FAULT_SOLVE | FAULT_BOTH, stale_slope, 2, 1},
    {CAUSE_stale_slope, "where stages are recomputed", FAULT_REPLAY, stale_slope, 3, 1},
    {CAUSE_stale_stage, "", FAULT_SWEEP, stale_stage, 14, 0.98},
    {CAUSE_quadrature_weights, "", FAULT_SWEEP | FAULT_SOLVE, quadrature_weights, 6, 1},
    {CAUSE_quadrature_state, "", FAULT_SWEEP | FAULT_SOLVE, quadrature_state, 3, 1},
    {CAUSE_explicit_elsewhere, "g_p", FAULT_SWEEP, g_p_elsewhere, 14, 1},
    {CAUSE_explicit_elsewhere, "phi_p", FAULT_SWEEP, phi_p_elsewhere, 8, 1},
    {.alter = NULL},
};
