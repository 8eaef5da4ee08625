/* The catalogue, second part: terms that are missing or have a wrong factor, points and stages that are lost,
 * observations. */
#include "hypotheses.h"

#include <string.h>

/* ---- terms --------------------------------------------------------------------------------------------- */

static bool no_initial_term(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)variant;
    scheme->factor[TERM_INITIAL] = 0;
    return sens_problem_x0_depends(suspect->oracle->problem);
}

/* kappa without h gamma theta, in the parameter product of diagonally implicit stages. */
static bool unsolved_in_mu(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct sens_tableau *const tb = suspect->oracle->tableau;
    (void)variant;
    scheme->unsolved_in_mu = true;
    return tb->family == SENS_FAMILY_DIRK && !tb->a_explicit;
}

/* phi_p and g_p, phi_p, g_p. */
static bool no_explicit_cost(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct sens_cost_type *type = suspect->oracle->cost->type;
    if (variant != 2) scheme->factor[TERM_PHI_P] = 0;
    if (variant != 1) scheme->factor[TERM_G_P] = 0;
    return type->phi_dp || type->g_dp;
}

static bool no_running_cost(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    scheme->factor[TERM_G] = scheme->factor[TERM_G_X] = 0;
    if (variant == 1) scheme->factor[TERM_G_P] = 0;
    return suspect->oracle->cost->type->g != NULL;
}

static bool no_parameter_term(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect, (void)variant;
    scheme->factor[TERM_PARAMETERS] = 0;
    return true;
}

/* One term is subtracted; a_ij or b_i is. */
static bool negate(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect;
    if (variant < TERMS) scheme->factor[variant] = -1;
    for (long k = 0; k < scheme->steps; k++) {
        if (variant == TERMS) scheme->ha[k] *= -1;
        if (variant == TERMS + 1) scheme->h[k] *= -1;
    }
    return true;
}

/* One term enters twice, or half; so do a_ij, b_i, or b_i and the weights of the quadrature. */
static bool multiply(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const double factor = variant % 2 ? 0.5 : 2;
    (void)suspect;
    if (variant / 2 < TERMS) scheme->factor[variant / 2] = factor;
    for (long k = 0; k < scheme->steps; k++) {
        if (variant / 2 == TERMS) scheme->ha[k] *= factor;
        if (variant / 2 > TERMS) scheme->h[k] *= factor;
        if (variant / 2 == TERMS + 2) scheme->hq[k] *= factor;
    }
    return true;
}

static bool not_transposed(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)variant;
    scheme->not_transposed = true;
    return suspect->oracle->problem->n > 1;
}

/* ---- Rosenbrock steps ---------------------------------------------------------------------------------- */

static bool is_rosenbrock(const struct suspect *suspect)
{
    return suspect->oracle->tableau->family == SENS_FAMILY_ROSENBROCK;
}

static bool no_second(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)variant;
    scheme->factor[TERM_SECOND] = 0;
    return is_rosenbrock(suspect);
}

static bool no_slope_t(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)variant;
    scheme->factor[TERM_SLOPE_T] = 0;
    return is_rosenbrock(suspect) && !suspect->oracle->problem->type->autonomous;
}

/* Of the step before, of the next: J and the h before it; J alone. */
static bool other_matrix(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    scheme->J_from = variant % 2 ? 1 : -1;
    scheme->h_gamma_from = variant < 2 ? scheme->J_from : 0;
    return is_rosenbrock(suspect) && scheme->steps > 1;
}

static bool other_h_gamma(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    scheme->h_gamma_from = variant ? 1 : -1;
    return is_rosenbrock(suspect) && scheme->steps > 1;
}

static bool matrix_not_transposed(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)variant;
    scheme->matrix_not_transposed = true;
    return is_rosenbrock(suspect) && suspect->oracle->problem->n > 1;
}

/* ---- additive steps ------------------------------------------------------------------------------------ */

static bool explicit_not_transposed(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)variant;
    scheme->explicit_not_transposed = true;
    return suspect->oracle->tableau->a_explicit && suspect->oracle->problem->n > 1;
}

/* Both parts by the implicit coefficients, or, below the diagonal, by the explicit ones. */
static bool one_coefficients(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const long s = scheme->stages;
    if (!suspect->oracle->tableau->a_explicit) return false;
    for (long i = 0; i < s; i++)
        for (long j = 0; j < i; j++)
            if (variant)
                scheme->a[i * s + j] = scheme->ae[i * s + j];
            else
                scheme->ae[i * s + j] = scheme->a[i * s + j];
    return true;
}

/* ---- steps that switch --------------------------------------------------------------------------------- */

/* All by the explicit part, all by the implicit one; that of the step before, of the next. */
static bool other_part(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const struct oracle *oracle = suspect->oracle;
    if (oracle->tableau->family != SENS_FAMILY_SWITCHED || !oracle->grid->part) return false;
    if (variant < 2) scheme->one_part = oracle->tableau->part[variant];
    if (variant >= 2) scheme->part_from = variant == 2 ? -1 : 1;
    return true;
}

/* ---- what enters lambda and mu ------------------------------------------------------------------------- */

/* theta_i = 0: in lambda alone, or in the other stages too. */
static void drop_stage(struct scheme *scheme, long i, bool everywhere)
{
    const long s = scheme->stages;
    for (long k = 0; k < scheme->steps; k++) scheme->in_lambda[k * s + i] = 0;
    for (long j = 0; everywhere && j < i; j++) scheme->a[i * s + j] = 0;
}

static bool drop_from_lambda(const struct suspect *suspect, struct scheme *scheme, long i)
{
    (void)suspect;
    drop_stage(scheme, i, false);
    return true;
}

static bool drop_from_stages(const struct suspect *suspect, struct scheme *scheme, long i)
{
    (void)suspect;
    drop_stage(scheme, i, true);
    return true;
}

static bool drop_from_mu(const struct suspect *suspect, struct scheme *scheme, long i)
{
    (void)suspect;
    for (long k = 0; k < scheme->steps; k++) scheme->in_mu[k * scheme->stages + i] = 0;
    return true;
}

static bool drop_everywhere(const struct suspect *suspect, struct scheme *scheme, long i)
{
    scheme->bq[i] = 0;
    return drop_from_stages(suspect, scheme, i) && drop_from_mu(suspect, scheme, i);
}

static bool skip_zero_weights(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    bool any = false;
    (void)variant;
    for (int i = 0; i < scheme->stages; i++)
        if (suspect->oracle->tableau->b[i] == 0) any = drop_from_mu(suspect, scheme, i);
    return any;
}

/* Points in the order of the reverse sweep, in batches of at most K: of whole steps, or of exactly K. */
struct batch {
    long K;
    bool whole_steps;
};

/* The number of the batch that each live point of [steps][s] is in; -1 for the others. The number of the last
 * one. */
static long number_points(const struct suspect *suspect, const struct scheme *scheme,
                          const struct batch *batch, long *number)
{
    const bool *const live = live_stages(suspect->oracle, scheme);
    const long s = scheme->stages;
    long points = 0, current = 0, of_step = 0;
    for (long i = 0; i < s; i++) of_step += live[i];
    for (long k = scheme->steps - 1; k >= 0; k--) {
        if (batch->whole_steps && points + of_step > batch->K) current++, points = 0;
        for (long i = s - 1; i >= 0; i--) {
            number[k * s + i] = -1;
            if (!live[i]) continue;
            if (!batch->whole_steps && points == batch->K) current++, points = 0;
            number[k * s + i] = current;
            points++;
        }
    }
    return current;
}

/* The size that is reported, or a common one; 0: none is reported. */
static struct batch batch_of(const struct suspect *suspect, const struct scheme *scheme, long variant)
{
    static const long sizes[] = {0, 8, 16, 24, 32, 64};
    const long size = variant / 2 ? sizes[variant / 2] : suspect->batch;
    const long K = size <= 0 ? 0 : size > scheme->stages ? size : scheme->stages;
    return (struct batch){.K = K, .whole_steps = variant % 2 == 0};
}

/* The batch under way at the end (the first steps in time), or the first. */
static bool lose_batch(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const long count = scheme->steps * scheme->stages;
    const struct batch batch = batch_of(suspect, scheme, variant / 2);
    long *number = verify_memory(suspect->oracle->v, (size_t)count, sizeof *number);
    if (batch.K == 0) return true;
    const long last = number_points(suspect, scheme, &batch, number);
    for (long q = 0; q < count; q++)
        if (number[q] == (variant % 2 == 0 ? last : 0)) scheme->in_mu[q] = 0;
    return true;
}

/* The last point of every batch. */
static bool lose_last_points(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const long count = scheme->steps * scheme->stages, s = scheme->stages;
    const struct batch batch = batch_of(suspect, scheme, variant);
    long *number = verify_memory(suspect->oracle->v, (size_t)count, sizeof *number), before = -1;
    if (batch.K == 0) return true;
    number_points(suspect, scheme, &batch, number);
    for (long k = 0; k < scheme->steps; k++) /* in time: a batch is entered at its last point */
        for (long i = 0; i < s; i++) {
            const long here = number[k * s + i];
            if (here < 0 || here == before) continue;
            scheme->in_mu[k * s + i] = 0;
            before = here;
        }
    return true;
}

/* ---- observations -------------------------------------------------------------------------------------- */

static bool skip_observation(struct scheme *scheme, long from, long to)
{
    bool any = false;
    for (long k = from; k <= to; k++) {
        any = any || scheme->observation[k] >= 0;
        scheme->observation[k] = -1;
    }
    return any;
}

static bool skip_at_t0(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect, (void)variant;
    return skip_observation(scheme, 0, 0);
}

static bool skip_at_t1(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect, (void)variant;
    return skip_observation(scheme, scheme->steps, scheme->steps);
}

/* All of them, the first alone, the last alone. */
static bool skip_between(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    long first = 1, last = scheme->steps - 1;
    (void)suspect;
    while (first < last && scheme->observation[first] < 0) first++;
    while (first < last && scheme->observation[last] < 0) last--;
    return skip_observation(scheme, variant == 2 ? last : first, variant == 1 ? first : last);
}

/* Those after t0 enter a step earlier or later, with the state of their own or of that step. */
static bool misplace(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const long steps = scheme->steps, shift = variant % 2 ? 1 : -1;
    long *right = verify_memory(suspect->oracle->v, (size_t)steps + 1, sizeof *right);
    memcpy(right, scheme->observation, ((size_t)steps + 1) * sizeof *right);
    for (long k = 1; k <= steps; k++) scheme->observation[k] = -1;
    for (long k = 1; k <= steps; k++) {
        const long to = k + shift < 0 ? 0 : k + shift > steps ? steps : k + shift;
        if (right[k] < 0) continue;
        scheme->observation[to] = right[k];
        scheme->observed[to] = variant < 2 ? k : to;
    }
    return steps > 1;
}

/* In place, but taken at the state a step before or after. */
static bool observe_other_state(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    (void)suspect;
    for (long k = 0; k <= scheme->steps; k++) {
        const long seen = k + (variant ? 1 : -1);
        if (seen >= 0 && seen <= scheme->steps) scheme->observed[k] = seen;
    }
    return true;
}

/* ---- outputs ------------------------------------------------------------------------------------------- */

/* Another output's phi and g, or phi alone, or g alone. */
static void set_rows(struct scheme *scheme, long choice, size_t c, size_t other)
{
    if (choice != 2) scheme->phi_row[c] = other;
    if (choice != 1) scheme->g_row[c] = other;
}

/* Those of the next output, of the one before. */
static bool shift_outputs(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const size_t m = suspect->oracle->cost->m;
    for (size_t c = 0; c < m; c++)
        set_rows(scheme, variant / 2, c, variant % 2 == 0 ? c + 1 : c > 0 ? c - 1 : m);
    return true;
}

/* Those of the first block of lanes, whatever c0 is. */
static bool ignore_offset(const struct suspect *suspect, struct scheme *scheme, long variant)
{
    const size_t m = suspect->oracle->cost->m, lanes = (size_t)suspect->lanes;
    if (suspect->lanes <= 0 || lanes >= m) return false;
    for (size_t c = 0; c < m; c++) set_rows(scheme, variant, c, c % lanes);
    return true;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

const struct hypothesis hypotheses_of_terms[] = {
    {CAUSE_last_batch, "", FAULT_SWEEP, lose_batch, 24, 0.97},
    {CAUSE_batch_last_point, "", FAULT_SWEEP, lose_last_points, 12, 0.97},
    {CAUSE_zero_weight_stages, "", FAULT_SWEEP, skip_zero_weights, 1, 1},
    {CAUSE_missing_initial_term, "", FAULT_SWEEP, no_initial_term, 1, 1},
    {CAUSE_missing_parameter_term, "", FAULT_SWEEP, no_parameter_term, 1, 1},
    {CAUSE_missing_parameter_term, "that of h gamma theta, of implicit stages", FAULT_SWEEP, unsolved_in_mu,
     1, 1},
    {CAUSE_missing_explicit_cost, "", FAULT_SWEEP, no_explicit_cost, 3, 1},
    {CAUSE_missing_running_cost, "", FAULT_SWEEP | FAULT_SOLVE, no_running_cost, 2, 1},
    {CAUSE_observation_t0, "", FAULT_SWEEP | FAULT_SOLVE, skip_at_t0, 1, 1},
    {CAUSE_observation_t1, "", FAULT_SWEEP | FAULT_SOLVE, skip_at_t1, 1, 1},
    {CAUSE_observation_between, "skipped", FAULT_SWEEP | FAULT_SOLVE, skip_between, 3, 0.99},
    {CAUSE_observation_between, "at another step", FAULT_SWEEP | FAULT_SOLVE, misplace, 4, 0.98},
    {CAUSE_observation_between, "of another state", FAULT_SWEEP | FAULT_SOLVE, observe_other_state, 2, 0.98},
    {CAUSE_dropped_stage, "", FAULT_SWEEP, drop_from_lambda, 0, 0.97},
    {CAUSE_dropped_stage, "", FAULT_SWEEP, drop_from_stages, 0, 0.97},
    {CAUSE_dropped_stage, "from the parameter product", FAULT_SWEEP, drop_from_mu, 0, 0.97},
    {CAUSE_dropped_stage, "", FAULT_SWEEP, drop_everywhere, 0, 0.96},
    {CAUSE_jacobian_not_transposed, "", FAULT_SWEEP, not_transposed, 1, 1},
    {CAUSE_jacobian_not_transposed, "in the systems alone", FAULT_SWEEP, matrix_not_transposed, 1, 1},
    {CAUSE_jacobian_not_transposed, "in the explicit part alone", FAULT_SWEEP, explicit_not_transposed, 1, 1},
    {CAUSE_coefficients_of_other_part, "", FAULT_SWEEP | FAULT_SOLVE | FAULT_BOTH, one_coefficients, 2, 1},
    {CAUSE_second_left_out, "", FAULT_SWEEP, no_second, 1, 1},
    {CAUSE_slope_t_left_out, "", FAULT_SWEEP | FAULT_SOLVE | FAULT_BOTH, no_slope_t, 1, 1},
    {CAUSE_matrix_of_other_step, "", FAULT_SWEEP, other_matrix, 4, 0.99},
    {CAUSE_h_gamma_of_other_step, "", FAULT_SWEEP, other_h_gamma, 2, 1},
    {CAUSE_part_of_other_step, "", FAULT_SWEEP, other_part, 4, 1},
    {CAUSE_lanes_shifted, "in the cost's derivatives", FAULT_SWEEP, shift_outputs, 6, 0.98},
    {CAUSE_lane_offset, "", FAULT_SWEEP, ignore_offset, 3, 0.98},
    {CAUSE_gradient_sign, "that of one term", FAULT_SWEEP, negate, TERMS + 2, 0.95},
    {CAUSE_gradient_factor, "that of one term", FAULT_SWEEP, multiply, 2 * (TERMS + 3), 0.95},
    {.alter = NULL},
};
