/* The driver, see solver.h:
 *
 *     adaptive   a trial is accepted when its scaled error is at most 1, else repeated with a smaller step
 *     fixed      h = (stop - t0) / M exactly M times
 *     replay     the steps of a given grid
 *
 * A step that would pass a stop is cut to end there, and t is then set to the stop itself: the step taken is
 * h, never a difference of times. */
#include "solver.h"

#include <limits.h>
#include <string.h>
#include <tgmath.h>

#include "first_step.h"
#include "rules.h"

struct sens_solver {
    const struct sens_ode *ode;
    const struct sens_solver_settings *settings;
    struct sens_scheme *scheme;
    struct sens_first_step first; /* of an adaptive solve */
    struct sens_controller_memory memory;
    sens_real *(*place)(void *self, long k); /* NULL: nowhere in particular */
    void *self;                              /* of place */
    long k;                                  /* accepted steps */
};

/* The part of a solve that does not change from step to step. */
struct solve {
    struct sens_ctx *ctx;
    struct sens_solver *solver;
    const struct sens_step_watcher *watcher; /* may be NULL */
    struct sens_solver_stats stats;
};

struct sens_solver_settings sens_solver_settings(const struct sens_task *task)
{
    return (struct sens_solver_settings){.tableau = task->tableau,
                                         .controller = task->controller,
                                         .dt = task->dt,
                                         .max_steps = task->max_steps};
}

sens_status sens_solver_create(struct sens_ctx *ctx, const struct sens_ode *ode,
                               const struct sens_solver_settings *settings, struct sens_solver **solver)
{
    struct sens_solver *made = SENS_NEW(ctx, struct sens_solver, 1);
    if (!made) return SENS_NO_MEMORY;
    *made = (struct sens_solver){.ode = ode, .settings = settings};
    const struct sens_scheme_setup setup = {ode, settings->tableau, settings->controller};
    sens_status status = sens_scheme_create(ctx, &setup, &made->scheme);
    if (status == SENS_OK && settings->controller->adaptive)
        status = sens_first_step_create(ctx, ode, &made->first);
    if (status == SENS_OK) *solver = made;
    return status;
}

sens_status sens_solver_follow(struct sens_ctx *ctx, struct sens_solver *solver,
                               const struct sens_followers *followers)
{
    struct sens_scheme *scheme = solver->scheme;
    if (!scheme->type->follow)
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s carries nothing along with the state",
                         scheme->with.tableau->name);
    const sens_status status = scheme->type->follow(ctx, scheme, followers);
    return status == SENS_OK && solver->settings->controller->adaptive
               ? sens_first_step_follow(ctx, followers, &solver->first)
               : status;
}

sens_real *sens_solver_followers(const struct sens_solver *solver)
{
    return solver->scheme->z;
}

struct sens_scheme *sens_solver_scheme(const struct sens_solver *solver)
{
    return solver->scheme;
}

void sens_solver_place(struct sens_solver *solver, sens_real *(*place)(void *self, long k), void *self)
{
    solver->place = place;
    solver->self = self;
}

/* ---- one step ------------------------------------------------------------------------------------------ */

static sens_real *next_place(const struct sens_solver *solver)
{
    return solver->place ? solver->place(solver->self, solver->k) : NULL;
}

static void start(struct sens_solver *solver, sens_real t0, const sens_real *y0)
{
    solver->k = 0;
    solver->memory = (struct sens_controller_memory){0};
    solver->scheme->type->start(solver->scheme, t0, y0, next_place(solver));
}

/* Shows the step to the watcher and makes the candidate the current state. */
static inline __attribute__((always_inline)) sens_status accept(struct solve *solve, sens_real h,
                                                                sens_real t1, long stop)
{
    struct sens_solver *solver = solve->solver;
    struct sens_scheme *scheme = solver->scheme;
    solve->stats.steps++;
    if (solve->watcher) {
        const struct sens_step step = {.k = solver->k,
                                       .t = scheme->t,
                                       .h = h,
                                       .t1 = t1,
                                       .y = scheme->Y,
                                       .Y = scheme->Y,
                                       .K = scheme->K,
                                       .y1 = scheme->y1,
                                       .z1 = scheme->z1,
                                       .stop = stop,
                                       .tableau = scheme->part};
        const sens_status status = solve->watcher->step(solve->watcher->self, &step);
        if (status != SENS_OK) return status;
    }
    solver->k++;
    scheme->type->accept(scheme, h, t1, next_place(solver));
    return SENS_OK;
}

/* ---- adaptive ------------------------------------------------------------------------------------------ */

/* A step that ends past the stop, or short of it by no more than rounding (which would leave a sliver). */
static bool reaches(sens_real t, sens_real h, sens_real stop)
{
    const sens_real gap = stop > t ? stop - (t + h) : (t + h) - stop;
    return gap <= 4 * SENS_EPSILON * sens_larger(fabs(t), fabs(stop));
}

/* No step helps where f itself is not finite. */
static sens_status fail_nonfinite(const struct solve *solve, sens_real h)
{
    struct sens_scheme *const scheme = solve->solver->scheme;
    const double t = (double)scheme->t;
    const sens_real *f;
    const bool known = scheme->type->slope(scheme, &f) == SENS_OK;
    for (size_t q = 0; known && q < solve->solver->ode->n; q++)
        if (!isfinite(f[q]))
            return sens_fail(solve->ctx, SENS_DIVERGED, "f[%zu] is not finite at t = %.17g", q, t);
    return sens_fail(solve->ctx, SENS_DIVERGED, "step size %.3g at t = %.17g, and still no finite candidate",
                     (double)h, t);
}

static sens_status check_trial(const struct solve *solve, sens_real h, bool nonfinite)
{
    const long max_steps = solve->solver->settings->max_steps;
    const sens_real t = solve->solver->scheme->t;
    if (solve->stats.steps + solve->stats.rejects >= max_steps)
        return sens_fail(solve->ctx, SENS_STEP_LIMIT, "max_steps = %ld was reached at t = %.10g", max_steps,
                         (double)t);
    if (t + h != t) return SENS_OK;
    if (nonfinite) return fail_nonfinite(solve, h);
    return sens_fail(solve->ctx, SENS_STEP_UNDERFLOW,
                     "step size %.3g at t = %.17g, and the error test still fails", (double)h, (double)t);
}

/* Integrates to one stop. *next: the next trial step, in and out. */
static sens_status reach_stop(struct solve *solve, long j, sens_real stop, sens_real *next)
{
    struct sens_solver *solver = solve->solver;
    struct sens_scheme *scheme = solver->scheme;
    const struct sens_controller *controller = solver->settings->controller;
    sens_real h = *next;
    bool nonfinite = false;
    for (;;) {
        const sens_real proposed = h;
        const bool lands = reaches(scheme->t, proposed, stop);
        const sens_real step = lands ? stop - scheme->t : proposed;
        sens_real err = (sens_real)NAN;
        sens_status status = check_trial(solve, step, nonfinite);
        if (status != SENS_OK) return status;
        status = scheme->type->try(scheme, step, &err);
        if (sens_fatal(status)) return status;
        nonfinite = status != SENS_OK ||
                    isnan(err); /* an infinite one is a failed test: a component without tolerance */
        if (nonfinite) {
            h = step / 5;
            solver->memory.rejected = true;
            solve->stats.rejects++;
            continue;
        }
        h = step * controller->factor(&solver->memory, step, err, solver->settings->tableau);
        if (err > 1) { /* rejected */
            solve->stats.rejects++;
            continue;
        }
        status = accept(solve, step, lands ? stop : scheme->t + step, lands ? j : -1);
        if (status != SENS_OK) return status;
        if (!lands) continue;
        *next = fabs(proposed) > fabs(h) ? proposed : h; /* cut only because of the stop */
        return SENS_OK;
    }
}

static sens_status first_step(const struct solve *solve, sens_real t_end, sens_real *h)
{
    struct sens_scheme *scheme = solve->solver->scheme;
    const sens_real *f;
    const sens_status status = scheme->type->slope(scheme, &f);
    if (sens_recoverable(status))
        return sens_fail(solve->ctx, SENS_DIVERGED, "no slope at the start, t = %.10g", (double)scheme->t);
    return status == SENS_OK ? sens_first_step_find(&solve->solver->first, scheme, f, t_end, h) : status;
}

static sens_status solve_adaptive(struct solve *solve, size_t n_stops, const sens_real *stops)
{
    const struct sens_solver_settings *settings = solve->solver->settings;
    if (!settings->tableau->e)
        return sens_fail(solve->ctx, SENS_UNSUPPORTED,
                         "tableau %s has no error estimate: controller %s needs one", settings->tableau->name,
                         settings->controller->name);
    sens_real h = copysign(settings->dt, stops[n_stops - 1] - solve->solver->scheme->t);
    sens_status status = h == 0 ? first_step(solve, stops[n_stops - 1], &h) : SENS_OK;
    for (size_t j = 0; j < n_stops && status == SENS_OK; j++)
        status = reach_stop(solve, (long)j, stops[j], &h);
    return status;
}

/* ---- fixed and replayed -------------------------------------------------------------------------------- */

static const char *reason(sens_status status)
{
    if (status == SENS_NOT_CONVERGED) return "the iteration for a stage does not converge";
    if (status == SENS_SINGULAR) return "the matrix of a stage is singular";
    return "it is not finite";
}

static sens_status given_step(struct solve *solve, sens_real h, sens_real t1, long stop)
{
    struct sens_scheme *scheme = solve->solver->scheme;
    const sens_status status = scheme->type->try(scheme, h, NULL);
    if (sens_recoverable(status))
        return sens_fail(solve->ctx, SENS_DIVERGED, "no step from t = %.10g with the given step %.3g: %s",
                         (double)scheme->t, (double)h, reason(status));
    return status == SENS_OK ? accept(solve, h, t1, stop) : status;
}

static sens_status refuse_dt(const struct solve *solve, sens_real from, sens_real to)
{
    const sens_real dt = solve->solver->settings->dt, length = fabs(to - from);
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
    const sens_real t0 = solve->solver->scheme->t;
    const long steps = sens_whole_steps(solve->solver->settings->dt, fabs(stop - t0));
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
    const sens_real dt = solve->solver->settings->dt;
    if (!(dt > 0)) return sens_fail(solve->ctx, SENS_BAD_INPUT, "the fixed step needs dt > 0");
    for (size_t j = 0; j < n_stops; j++) { /* before any work */
        const sens_real from = j ? stops[j - 1] : solve->solver->scheme->t;
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

sens_status sens_solver_solve(struct sens_ctx *ctx, struct sens_solver *solver, sens_real t0,
                              const sens_real *y0, size_t n_stops, const sens_real *stops,
                              const struct sens_step_watcher *watcher, sens_real *y_end,
                              struct sens_solver_stats *stats)
{
    struct solve solve = {.ctx = ctx, .solver = solver, .watcher = watcher};
    if (!monotone(t0, n_stops, stops))
        return sens_fail(ctx, SENS_BAD_INPUT, "stops are not in order after t0");
    start(solver, t0, y0);
    const sens_status status = solver->settings->controller->adaptive ? solve_adaptive(&solve, n_stops, stops)
                                                                      : solve_fixed(&solve, n_stops, stops);
    if (stats) *stats = solve.stats;
    if (status == SENS_OK) memcpy(y_end, solver->scheme->Y, solver->ode->n * sizeof *y_end);
    return status;
}

sens_status sens_solver_count(struct sens_ctx *ctx, struct sens_solver *solver, sens_real t0,
                              const sens_real *y0, const struct sens_stops *stops, sens_real *y_end,
                              long *steps)
{
    struct sens_solver_stats stats = {.steps = 0};
    const sens_status status =
        sens_solver_solve(ctx, solver, t0, y0, stops->n, stops->t, NULL, y_end, &stats);
    if (status == SENS_OK) *steps = stats.steps;
    return status;
}

sens_status sens_solver_replay(struct sens_ctx *ctx, struct sens_solver *solver, const sens_real *y0,
                               const struct sens_grid *grid, const struct sens_step_watcher *watcher,
                               sens_real *y_end)
{
    struct solve solve = {.ctx = ctx, .solver = solver, .watcher = watcher};
    start(solver, grid->t[0], y0);
    for (long k = 0; k < grid->n_steps; k++) {
        sens_scheme_take(solver->scheme, grid, k);
        const sens_status status = given_step(&solve, grid->h[k], grid->t[k + 1], grid->stop[k]);
        if (status != SENS_OK) return status;
    }
    memcpy(y_end, solver->scheme->Y, solver->ode->n * sizeof *y_end);
    return SENS_OK;
}
