/* The solver: steps of an explicit Runge-Kutta pair from t0 over the stops,
 *
 *     adaptive   a trial is accepted when its scaled error is at most 1, else repeated with a smaller step
 *     fixed      h = (stop - t0) / M exactly M times
 *     replay     the steps of a given grid
 *
 * A step that would pass a stop is cut to end there, and t is then set to the stop itself: the step taken is
 * h, never a difference of times. The current state lives in row 0 of Y and its slope in row 0 of K. */
#include <float.h>
#include <limits.h>
#include <string.h>
#include <tgmath.h>

#include "workspace.h"

/* The part of a solve that does not change from step to step. */
struct solve {
    struct sens_ctx *ctx;
    struct sens_erk *erk;
    const struct sens_erk_observer *observer; /* may be NULL */
    struct sens_erk_stats stats;
};

static size_t count_estimated(const struct sens_ode *ode)
{
    size_t end = 0, estimated = 0;
    for (size_t k = 0; k < ode->n_parts; k++) {
        end += ode->part[k].count;
        if (ode->part[k].tested) estimated = end;
    }
    return estimated;
}

sens_status sens_erk_create(struct sens_ctx *ctx, const struct sens_ode *ode,
                            const struct sens_erk_settings *settings, struct sens_erk **erk)
{
    const struct sens_tableau *tb = settings->tableau;
    const size_t n = ode->n, stages = (size_t)tb->stages;
    const bool needs_e3 = settings->controller->uses_e3 && tb->e3;
    struct sens_erk *made = SENS_NEW(ctx, struct sens_erk, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct sens_erk){
        .ode = ode,
        .settings = settings,
        .n_estimated = count_estimated(ode),
        .own_Y = SENS_NEW(ctx, sens_real, stages * n),
        .K = SENS_NEW(ctx, sens_real, stages * n),
        .y1 = SENS_NEW(ctx, sens_real, n),
        .e = tb->e ? SENS_NEW(ctx, sens_real, n) : NULL,
        .e3 = needs_e3 ? SENS_NEW(ctx, sens_real, n) : NULL,
    };
    if (!made->own_Y || !made->K || !made->y1 || (tb->e && !made->e) || (needs_e3 && !made->e3))
        return SENS_NO_MEMORY;
    made->Y = made->own_Y;
    *erk = made;
    return SENS_OK;
}

static void start(struct sens_erk *erk, sens_real t0, const sens_real *y0)
{
    memcpy(erk->Y, y0, erk->ode->n * sizeof *y0);
    erk->t = t0;
    erk->k = 0;
    erk->k1_known = false;
    erk->memory = (struct sens_controller_memory){0};
    if (erk->follow) sens_follow_start(erk->follow);
}

static sens_status first_slope(struct sens_erk *erk)
{
    if (erk->k1_known) return SENS_OK;
    const sens_status status = erk->ode->f(erk->ode->self, erk->t, erk->Y, erk->K);
    erk->k1_known = status == SENS_OK;
    return status;
}

static const sens_real *candidate(const struct sens_erk *erk)
{
    const struct sens_tableau *tb = erk->settings->tableau;
    return tb->fsal ? erk->Y + (size_t)(tb->stages - 1) * erk->ode->n : erk->y1;
}

/* Stages and candidate of a step h from the current state. SENS_NONFINITE when the candidate is not finite.
 * The sums skip no zero weight: a slope that is not finite shows in the candidate or in the estimate. */
static inline __attribute__((always_inline)) sens_status try_step(struct sens_erk *erk, sens_real h)
{
    const struct sens_tableau *tb = erk->settings->tableau;
    const size_t n = erk->ode->n;
    sens_status status = first_slope(erk);
    if (status == SENS_OK)
        status = sens_erk_later_stages(tb, erk->ode, erk->t, h, tb->stages, erk->Y, erk->K);
    if (status != SENS_OK) return status;
    if (!tb->fsal) sens_erk_sum(n, n, tb->stages, h, erk->Y, tb->b, erk->K, erk->y1);
    if (!sens_erk_finite(n, candidate(erk))) return SENS_NONFINITE;
    if (!erk->follow) return SENS_OK;
    erk->norm = (struct sens_error_norm){0};
    return sens_follow_try(erk->follow, erk->t, h, n, erk->Y, &erk->norm);
}

/* Shows the step to the observer and makes the candidate the current state. An observer that moved erk->Y has
 * its stage states left where they are. */
static inline __attribute__((always_inline)) sens_status accept(struct solve *solve, sens_real h,
                                                                sens_real t1, long stop)
{
    struct sens_erk *erk = solve->erk;
    const struct sens_tableau *tb = erk->settings->tableau;
    const size_t n = erk->ode->n;
    const sens_real *y1 = candidate(erk);
    const bool k1_known = tb->fsal && t1 == erk->t + h; /* the last slope belongs to t + h, bit for bit */
    solve->stats.steps++;
    if (erk->follow) sens_follow_accept(erk->follow, k1_known);
    if (solve->observer) {
        const struct sens_step step = {.k = erk->k,
                                       .t = erk->t,
                                       .h = h,
                                       .t1 = t1,
                                       .y = erk->Y,
                                       .Y = erk->Y,
                                       .K = erk->K,
                                       .y1 = y1,
                                       .stop = stop};
        const sens_status status = solve->observer->step(solve->observer->self, &step);
        if (status != SENS_OK) return status;
    }
    sens_erk_copy(n, y1, erk->Y);
    erk->k1_known = k1_known;
    if (k1_known) sens_erk_copy(n, erk->K + (size_t)(tb->stages - 1) * n, erk->K);
    erk->t = t1;
    erk->k++;
    return SENS_OK;
}

/* ---- adaptive ------------------------------------------------------------------------------------------ */

/* The scaled error norm of the trial in the workspace; NaN when its estimate is not finite. */
static sens_real scaled_error(struct sens_erk *erk, sens_real h)
{
    const struct sens_tableau *tb = erk->settings->tableau;
    const size_t n = erk->ode->n, count = erk->n_estimated;
    sens_erk_sum(count, n, tb->stages, h, NULL, tb->e, erk->K, erk->e);
    if (erk->e3) sens_erk_sum(count, n, tb->stages, h, NULL, tb->e3, erk->K, erk->e3);
    if (!sens_erk_finite(count, erk->e)) return (sens_real)NAN;
    const struct sens_trial trial = {
        .h = h, .y = erk->Y, .f = erk->K, .y1 = candidate(erk), .e = erk->e, .e3 = erk->e3};
    struct sens_error_norm norm = {0};
    if (erk->follow) norm = erk->norm;
    sens_error_norm_add(erk->settings->controller, erk->ode, &trial, &norm);
    return erk->settings->controller->norm(&norm);
}

/* A step that ends past the stop, or short of it by no more than rounding (which would leave a sliver). */
static bool reaches(sens_real t, sens_real h, sens_real stop)
{
    const sens_real gap = stop > t ? stop - (t + h) : (t + h) - stop;
    return gap <= 4 * SENS_EPSILON * sens_larger(fabs(t), fabs(stop));
}

static sens_status check_trial(const struct solve *solve, sens_real h, bool nonfinite)
{
    const struct sens_erk *erk = solve->erk;
    if (solve->stats.steps + solve->stats.rejects >= erk->settings->max_steps)
        return sens_fail(solve->ctx, SENS_STEP_LIMIT, "max_steps = %ld was reached at t = %.10g",
                         erk->settings->max_steps, (double)erk->t);
    if (erk->t + h != erk->t) return SENS_OK;
    return sens_fail(solve->ctx, nonfinite ? SENS_DIVERGED : SENS_STEP_UNDERFLOW,
                     "step size %.3g at t = %.17g, %s", (double)h, (double)erk->t,
                     nonfinite ? "and still no finite candidate" : "and the error test still fails");
}

/* Integrates to one stop. *next: the next trial step, in and out. */
static sens_status reach_stop(struct solve *solve, long j, sens_real stop, sens_real *next)
{
    struct sens_erk *erk = solve->erk;
    const struct sens_controller *controller = erk->settings->controller;
    sens_real h = *next;
    bool nonfinite = false;
    for (;;) {
        const sens_real proposed = h;
        const bool lands = reaches(erk->t, proposed, stop);
        const sens_real step = lands ? stop - erk->t : proposed;
        sens_status status = check_trial(solve, step, nonfinite);
        if (status != SENS_OK) return status;
        status = try_step(erk, step);
        if (status < SENS_OK) return status;
        const sens_real err = status == SENS_OK ? scaled_error(erk, step) : (sens_real)NAN;
        nonfinite = isnan(err); /* an infinite one is a failed test: a component without tolerance */
        if (nonfinite) {
            h = step / 5;
            erk->memory.rejected = true;
            solve->stats.rejects++;
            continue;
        }
        h = step * controller->factor(&erk->memory, err, erk->settings->tableau);
        if (err > 1) {
            solve->stats.rejects++;
            continue;
        }
        status = accept(solve, step, lands ? stop : erk->t + step, lands ? j : -1);
        if (status != SENS_OK) return status;
        if (!lands) continue;
        *next = fabs(proposed) > fabs(h) ? proposed : h; /* cut only because of the stop */
        return SENS_OK;
    }
}

static sens_status solve_adaptive(struct solve *solve, size_t n_stops, const sens_real *stops)
{
    struct sens_erk *erk = solve->erk;
    if (!erk->settings->tableau->e)
        return sens_fail(solve->ctx, SENS_UNSUPPORTED,
                         "tableau %s has no error estimate: controller %s needs one",
                         erk->settings->tableau->name, erk->settings->controller->name);
    sens_real h = copysign(erk->settings->dt, stops[n_stops - 1] - erk->t);
    if (h == 0) {
        sens_status status = first_slope(erk);
        if (status > SENS_OK)
            return sens_fail(solve->ctx, SENS_DIVERGED, "no slope at the start, t = %.10g", (double)erk->t);
        if (status == SENS_OK) status = sens_erk_first_step(erk, erk->t, stops[n_stops - 1], &h);
        if (status != SENS_OK) return status;
    }
    for (size_t j = 0; j < n_stops; j++) {
        const sens_status status = reach_stop(solve, (long)j, stops[j], &h);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* ---- fixed and replayed -------------------------------------------------------------------------------- */

static sens_status given_step(struct solve *solve, sens_real h, sens_real t1, long stop)
{
    const struct sens_erk *erk = solve->erk;
    const sens_status status = try_step(solve->erk, h);
    if (status > SENS_OK)
        return sens_fail(solve->ctx, SENS_DIVERGED, "no finite step from t = %.10g with the given step %.3g",
                         (double)erk->t, (double)h);
    return status == SENS_OK ? accept(solve, h, t1, stop) : status;
}

static sens_status refuse_dt(const struct solve *solve, sens_real from, sens_real to)
{
    const sens_real dt = solve->erk->settings->dt, length = fabs(to - from);
    if (length / dt > (sens_real)LONG_MAX / 2)
        return sens_fail(solve->ctx, SENS_DT_MISFIT, "dt = %.10g would need %.3g steps", (double)dt,
                         (double)(length / dt));
    return sens_fail(
        solve->ctx, SENS_DT_MISFIT,
        "dt = %.10g does not divide the interval from %.10g to %.10g; the nearest that does is %.10g",
        (double)dt, (double)from, (double)to, (double)(length / fmax(1, round(length / dt))));
}

static sens_status fixed_segment(struct solve *solve, long j, sens_real stop)
{
    const sens_real t0 = solve->erk->t;
    const long steps = sens_whole_steps(solve->erk->settings->dt, fabs(stop - t0));
    const sens_real h = (stop - t0) / (sens_real)steps;
    for (long k = 1; k <= steps; k++) {
        sens_status status = check_trial(solve, h, false);
        if (status != SENS_OK) return status;
        status = given_step(solve, h, k == steps ? stop : t0 + (sens_real)k * h, k == steps ? j : -1);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

static sens_status solve_fixed(struct solve *solve, size_t n_stops, const sens_real *stops)
{
    const sens_real dt = solve->erk->settings->dt;
    if (!(dt > 0)) return sens_fail(solve->ctx, SENS_BAD_INPUT, "the fixed step needs dt > 0");
    for (size_t j = 0; j < n_stops; j++) { /* before any work */
        const sens_real from = j ? stops[j - 1] : solve->erk->t;
        if (!sens_whole_steps(dt, fabs(stops[j] - from))) return refuse_dt(solve, from, stops[j]);
    }
    for (size_t j = 0; j < n_stops; j++) {
        const sens_status status = fixed_segment(solve, (long)j, stops[j]);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* ---- public -------------------------------------------------------------------------------------------- */

static bool monotone(sens_real t0, size_t n_stops, const sens_real *stops)
{
    if (n_stops == 0) return false;
    const bool forward = stops[0] > t0;
    for (size_t j = 0; j < n_stops; j++) {
        const sens_real from = j ? stops[j - 1] : t0;
        if (!isfinite(stops[j]) || stops[j] == from || (stops[j] > from) != forward) return false;
    }
    return true;
}

sens_status sens_erk_solve(struct sens_ctx *ctx, struct sens_erk *erk, sens_real t0, const sens_real *y0,
                           size_t n_stops, const sens_real *stops, const struct sens_erk_observer *observer,
                           sens_real *y_end, struct sens_erk_stats *stats)
{
    struct solve solve = {.ctx = ctx, .erk = erk, .observer = observer};
    if (!monotone(t0, n_stops, stops))
        return sens_fail(ctx, SENS_BAD_INPUT, "stops are not in order after t0");
    start(erk, t0, y0);
    const sens_status status = erk->settings->controller->adaptive ? solve_adaptive(&solve, n_stops, stops)
                                                                   : solve_fixed(&solve, n_stops, stops);
    if (stats) *stats = solve.stats;
    if (status == SENS_OK) memcpy(y_end, erk->Y, erk->ode->n * sizeof *y_end);
    return status;
}

sens_status sens_erk_replay(struct sens_ctx *ctx, struct sens_erk *erk, const sens_real *y0,
                            const struct sens_grid *grid, const struct sens_erk_observer *observer,
                            sens_real *y_end)
{
    struct solve solve = {.ctx = ctx, .erk = erk, .observer = observer};
    start(erk, grid->t[0], y0);
    for (long k = 0; k < grid->n_steps; k++) {
        const sens_status status = given_step(&solve, grid->h[k], grid->t[k + 1], grid->stop[k]);
        if (status != SENS_OK) return status;
    }
    memcpy(y_end, erk->Y, erk->ode->n * sizeof *y_end);
    return SENS_OK;
}
