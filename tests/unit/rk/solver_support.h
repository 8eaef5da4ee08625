/* A closed-form system for the tests of the Runge-Kutta engine: non-autonomous, nonlinear and coupled,
 *
 *     y0' = cos(t) y0 + ((1 + t^2) y1 - 1) y2      y0 = e^(sin t)
 *     y1' = -2 t y1^2                              y1 = 1 / (1 + t^2)
 *     y2' = t - y2 + (y0 e^(-sin t) - 1)           y2 = t - 1 + 2 e^(-t)
 *
 * (the brackets vanish on the solution, not beside it), and calls of f that fail on demand; a solver
 * over it; a log of its steps. */
#ifndef SOLVER_SUPPORT_H
#define SOLVER_SUPPORT_H

#include <math.h>
#include <string.h>

#include "controllers.h"
#include "sens/registry.h"
#include "solver.h"
#include "testing.h"

enum { SYSTEM_N = 3 };

struct system {
    long calls;
    long fail_from, fail_to; /* calls (1-based) that fail, both ends included; 0: none */
    sens_status fail_with;   /* SENS_OK: succeed, but write NaN */
};

static inline void system_exact(double t, double y[SYSTEM_N])
{
    y[0] = exp(sin(t));
    y[1] = 1 / (1 + t * t);
    y[2] = t - 1 + 2 * exp(-t);
}

static inline sens_status system_f(void *self, double t, const double *y, double *dy)
{
    struct system *system = self;
    system->calls++;
    dy[0] = cos(t) * y[0] + ((1 + t * t) * y[1] - 1) * y[2];
    dy[1] = -2 * t * y[1] * y[1];
    dy[2] = t - y[2] + (y[0] * exp(-sin(t)) - 1);
    if (system->fail_from == 0 || system->calls < system->fail_from || system->calls > system->fail_to)
        return SENS_OK;
    if (system->fail_with == SENS_OK) dy[1] = NAN;
    return system->fail_with;
}

/* The system with one tolerance; part and ode belong to the caller. */
static inline void system_ode(struct system *system, double tol, struct sens_ode_part *part,
                              struct sens_ode *ode)
{
    *part = (struct sens_ode_part){.count = SYSTEM_N, .rtol = tol, .atol = tol, .tested = true};
    *ode = (struct sens_ode){.n = SYSTEM_N, .f = system_f, .self = system, .n_parts = 1, .part = part};
}

static inline const struct sens_controller *controller_named(const char *name)
{
    for (size_t i = 0; sens_controllers[i]; i++)
        if (strcmp(sens_controllers[i]->name, name) == 0) return sens_controllers[i];
    return NULL;
}

static inline const struct sens_tableau *tableau_named(const char *name)
{
    const struct sens_tableau *const *tableaux = sens_registry_baseline()->tableaux;
    for (size_t i = 0; tableaux[i]; i++)
        if (strcmp(tableaux[i]->name, name) == 0) return tableaux[i];
    return NULL;
}

/* Every step of a solve, for comparison. */
enum { LOG_STEPS = 20000 };
struct step_log {
    long steps;
    double t[LOG_STEPS], h[LOG_STEPS], t1[LOG_STEPS];
    long stop[LOG_STEPS];
    double y[LOG_STEPS][SYSTEM_N], y1[LOG_STEPS][SYSTEM_N];
};

static inline sens_status log_step(void *self, const struct sens_step *step)
{
    struct step_log *log = self;
    const long k = step->k;
    if (k >= LOG_STEPS || k != log->steps) return SENS_BAD_INPUT;
    log->steps++;
    log->t[k] = step->t;
    log->h[k] = step->h;
    log->t1[k] = step->t1;
    log->stop[k] = step->stop;
    memcpy(log->y[k], step->y, sizeof log->y[k]);
    memcpy(log->y1[k], step->y1, sizeof log->y1[k]);
    return SENS_OK;
}

/* One solver and its surroundings. */
struct bench {
    struct sens_ctx ctx;
    struct system system;
    struct sens_ode_part part;
    struct sens_ode ode;
    struct sens_solver_settings settings;
    struct sens_solver *solver;
    struct sens_solver_stats stats;
    double y[SYSTEM_N]; /* end state */
};

static inline void bench_open(struct bench *bench, const struct sens_tableau *tableau, const char *controller,
                              double tol, double dt)
{
    *bench = (struct bench){
        .settings = {
            .tableau = tableau, .controller = controller_named(controller), .dt = dt, .max_steps = 1000000}};
    system_ode(&bench->system, tol, &bench->part, &bench->ode);
    assert_int_equal(sens_solver_create(&bench->ctx, &bench->ode, &bench->settings, &bench->solver), SENS_OK);
}

/* From the exact state at t0; log may be NULL. */
static inline sens_status bench_solve(struct bench *bench, double t0, size_t n_stops, const double *stops,
                                      struct step_log *log)
{
    const struct sens_step_watcher watcher = {log_step, log};
    double y0[SYSTEM_N];
    system_exact(t0, y0);
    if (log) log->steps = 0;
    return sens_solver_solve(&bench->ctx, bench->solver, t0, y0, n_stops, stops, log ? &watcher : NULL,
                             bench->y, &bench->stats);
}

static inline void bench_close(struct bench *bench)
{
    sens_arena_release(&bench->ctx.arena);
}

static inline double error_at(const double *y, double t)
{
    double exact[SYSTEM_N], worst = 0;
    system_exact(t, exact);
    for (int i = 0; i < SYSTEM_N; i++) worst = fmax(worst, fabs(y[i] - exact[i]));
    return worst;
}

#endif
