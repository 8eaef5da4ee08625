/* What rounding and local errors can do to a task: the same computation with perturbed numbers, several
 * times, and the largest deviation of each entry (the heading of oracle.h). */
#include <float.h>
#include <string.h>

#include "oracle_run.h"

/* Rounding: draws, and what the largest of their deviations is multiplied by. */
enum { ROUNDING_DRAWS = 3, QUICK_DRAWS = 2, ORACLE_SAFETY = 32 };
/* Behind all draws of the tangent. */
enum { OTHER_DRAWS = 16 };
/* Every entry is the sum of numbers as large as its row's largest: their rounding, in eps. */
enum { FLOOR_EPS = 4 };
/* Local errors: the signs of the draws differ, and so does their sum over the steps. */
enum { TOLERANCE_DRAWS = 2, TOLERANCE_SAFETY = 16, TRUNCATION_STEPS = 100000 };

/* ---- arrays of an output ------------------------------------------------------------------------------- */

static struct sens_part_shape shape_of(const struct oracle *oracle, enum sens_part part)
{
    return sens_part_shape(part, oracle->problem->n, oracle->problem->np, oracle->cost->m);
}

static size_t count_of(const struct oracle *oracle, enum sens_part part)
{
    const struct sens_part_shape shape = shape_of(oracle, part);
    return shape.rows * shape.cols;
}

static void clear(const struct oracle *oracle, const struct sens_out *out)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        for (size_t q = 0; out->part[k] && q < count_of(oracle, k); q++) out->part[k][q] = 0;
}

/* bound = max(bound, |a - b|); what is not a number becomes infinity. */
static void widen(const struct oracle *oracle, const struct sens_out *a, const struct sens_out *b,
                  const struct sens_out *bound)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const double *const u = a->part[k], *const v = b->part[k];
        double *const limit = bound->part[k];
        for (size_t q = 0; u && v && limit && q < count_of(oracle, k); q++) {
            const double d = fabs(u[q] - v[q]);
            limit[q] = isnan(d) ? INFINITY : fmax(limit[q], d);
        }
    }
}

/* safety d, and a few eps of the row's largest entry; none where the entry is zero in structure. Few draws may
 * leave an entry where it was by chance: d is not less than the entry's own rounding. Below the least normal number
 * digits are lost for good. A bound as large as the row's largest was measured where the deviations are not
 * proportional to the noise: it bounds nothing. */
static double limit_of(double v, double d, double largest, double safety)
{
    if (v == 0 && d == 0) return 0;
    const double bound =
        safety * fmax(d, DBL_EPSILON * fabs(v)) + FLOOR_EPS * DBL_EPSILON * largest + DBL_MIN;
    return bound < largest || largest == 0 ? bound : INFINITY;
}

/* Row by row; what is no derivative is one row. */
static void finish(const struct oracle *oracle, const struct sens_out *right, double safety,
                   const struct sens_out *bound)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const size_t count = count_of(oracle, k), cols = sens_part_wrt(k) ? shape_of(oracle, k).cols : count;
        for (size_t first = 0; right->part[k] && bound->part[k] && first < count; first += cols) {
            const double *const v = right->part[k] + first;
            double *const b = bound->part[k] + first, largest = 0;
            for (size_t q = 0; q < cols; q++) largest = fmax(largest, fabs(v[q]));
            for (size_t q = 0; q < cols; q++) b[q] = limit_of(v[q], b[q], largest, safety);
        }
    }
}

/* ---- perturbed runs ------------------------------------------------------------------------------------ */

/* run_tangent or reverse. */
typedef sens_status run_derivative(struct run *run, struct sens_out *out);

static sens_status reverse(struct run *run, struct sens_out *out)
{
    return run_adjoint(run, 0, NULL, out);
}

static sens_status perturbed_run(const struct oracle *oracle, run_derivative *compute,
                                 const struct noise *noise, struct sens_out *out)
{
    struct run run;
    run_create(oracle, scheme_create(oracle), &run);
    run.noise = *noise;
    return compute(&run, out);
}

/* One run of the tangent takes a time as the number of directions, of the adjoint as that of outputs. */
static size_t work_of(const struct oracle *oracle, run_derivative *compute, const struct sens_out *out)
{
    const size_t p = out->dGdp ? oracle->problem->np : 0, x0 = out->dGdx0 ? oracle->problem->n : 0;
    return compute == run_tangent ? p + x0 : oracle->cost->m;
}

static bool is_dear(const struct oracle *oracle, run_derivative *compute, const struct sens_out *out)
{
    run_derivative *const other = compute == run_tangent ? reverse : run_tangent;
    return work_of(oracle, compute, out) > 4 * work_of(oracle, other, out);
}

/* Largest deviations over draws from the same computation without noise: one that is wrong must not widen
 * the bound. Tangent and adjoint draw other numbers, so that x, which is in both, is not small twice by one
 * accident. known: that computation's result, NULL: it is made. Either way *right is it, in the arena or the
 * caller's. */
static sens_status deviate(const struct oracle *oracle, run_derivative *compute, struct noise noise,
                           int draws, const struct sens_out *known, struct sens_out *right,
                           struct sens_out *bound)
{
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct noise silent = {.relative = 0};
    struct sens_out perturbed = bed_shape(oracle->shape);
    sens_status status = SENS_OK;
    *right = known ? *known : bed_shape(oracle->shape);
    if (!known) status = perturbed_run(oracle, compute, &silent, right);
    if (draws > 1 && is_dear(oracle, compute, bound)) draws--;
    for (int draw = 1; draw <= draws && status == SENS_OK; draw++) {
        const struct sens_arena_mark mark = sens_arena_mark(arena);
        noise.draw = (uint64_t)draw;
        noise.bias = (enum noise_bias)(draw % 3);
        noise.state = 0x2545F4914F6CDD1DULL * (noise.draw + (compute == reverse ? OTHER_DRAWS : 0));
        status = perturbed_run(oracle, compute, &noise, &perturbed);
        if (status == SENS_OK) widen(oracle, &perturbed, right, bound);
        sens_arena_rewind(arena, mark);
    }
    return status;
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* By the tangent and the adjoint, for neither feels the noise as the other does. */
sens_status oracle_rounding(const struct oracle *oracle, const struct sens_out *tangent,
                            struct sens_out *bound)
{
    const struct noise noise = {.relative = 4 * DBL_EPSILON};
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct sens_out right;
    const bool dear = run_too_dear(oracle, bound); /* oracle_tangent is in reverse then, too */
    clear(oracle, bound);
    sens_status status = SENS_OK;
    const int draws = oracle->v->quick ? QUICK_DRAWS : ROUNDING_DRAWS;
    if (!dear) status = deviate(oracle, run_tangent, noise, draws, tangent, &right, bound);
    if (status == SENS_OK)
        status = deviate(oracle, reverse, noise, draws, dear ? tangent : NULL, &right, bound);
    if (status == SENS_OK) finish(oracle, &right, ORACLE_SAFETY, bound);
    sens_arena_rewind(arena, mark);
    return status;
}

sens_status oracle_rounding_cheaply(const struct oracle *oracle, const struct sens_out *tangent,
                                    const struct sens_out *adjoint, int draws, struct sens_out *bound)
{
    const struct noise noise = {.relative = 4 * DBL_EPSILON};
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct sens_out right;
    const bool forward = work_of(oracle, run_tangent, bound) < work_of(oracle, reverse, bound);
    clear(oracle, bound);
    const sens_status status = deviate(oracle, forward ? run_tangent : reverse, noise, draws,
                                       forward ? tangent : adjoint, &right, bound);
    if (status == SENS_OK) finish(oracle, &right, ORACLE_SAFETY, bound);
    sens_arena_rewind(arena, mark);
    return status;
}

/* The derivative on steps at the tolerance that test the state alone: what truncation does, to the quadrature
 * too, which no test sees. */
static sens_status widen_by_tangent(const struct oracle *at_tol, const struct sens_out *right,
                                    struct sens_out *bound)
{
    struct sens_out coarse = bed_shape(at_tol->shape);
    const sens_status status = oracle_tangent(at_tol, &coarse);
    if (status == SENS_OK) widen(at_tol, &coarse, right, bound);
    return status;
}

/* The adjoint along the state that is interpolated between those steps: what an interpolant does, which no
 * test sees either. */
static sens_status widen_by_interpolant(const struct oracle *oracle, const struct oracle *at_tol,
                                        const struct sens_out *right, struct sens_out *bound)
{
    struct sens_out along = bed_shape(oracle->shape);
    const sens_status status = oracle_adjoint_along(at_tol, oracle, &along);
    if (status == SENS_OK) widen(oracle, &along, right, bound);
    return status;
}

/* Both, on the oracle's own steps. A solve that fails at this tolerance adds nothing. */
static void widen_by_truncation(const struct oracle *oracle, double rtol, double atol,
                                const struct sens_out *tangent, const struct sens_out *adjoint,
                                struct sens_out *bound)
{
    const struct sens_tableau *tb = bed_pair(oracle->shape);
    struct grid grid = {.steps = 0};
    struct oracle at_tol;
    if (!tb) return;
    oracle_create(oracle->shape, tb, &grid, &at_tol);
    sens_status status = oracle_steps_within(oracle->v, oracle->problem, oracle->cost, tb, rtol, atol,
                                             TRUNCATION_STEPS, &grid);
    if (status == SENS_OK) status = widen_by_tangent(&at_tol, tangent, bound);
    if (status == SENS_OK) widen_by_interpolant(oracle, &at_tol, adjoint, bound);
    grid_free(&grid);
}

sens_status oracle_tolerance(const struct oracle *oracle, double rtol, double atol,
                             const struct sens_out *tangent, struct sens_out *bound)
{
    const struct noise noise = {.rtol = rtol, .atol = atol};
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct sens_out forward, adjoint;
    sens_status status = SENS_OK;
    const bool dear = run_too_dear(oracle, bound); /* oracle_tangent is in reverse then, too */
    clear(oracle, bound);
    if (!dear) status = deviate(oracle, run_tangent, noise, TOLERANCE_DRAWS, tangent, &forward, bound);
    if (status == SENS_OK)
        status = deviate(oracle, reverse, noise, TOLERANCE_DRAWS, dear ? tangent : NULL, &adjoint, bound);
    if (dear) forward = adjoint;
    if (status == SENS_OK) widen_by_truncation(oracle, rtol, atol, &forward, &adjoint, bound);
    if (status == SENS_OK) finish(oracle, &forward, TOLERANCE_SAFETY, bound);
    sens_arena_rewind(arena, mark);
    return status;
}
