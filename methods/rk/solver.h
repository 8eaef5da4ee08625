/* methods/rk/solver.h - the driver of a solve: steps of a scheme from t0 over given stops, their size chosen
 * by a controller, fixed, or replayed. What a step is, only the scheme knows (scheme.h). */
#ifndef SENS_SOLVER_H
#define SENS_SOLVER_H

#include "scheme.h"
#include "stops.h"

struct sens_solver_settings {
    const struct sens_tableau *tableau;
    const struct sens_controller *controller;
    sens_real dt; /* fixed: the step; adaptive: first trial step, 0 = chosen (Hairer-Norsett-Wanner II.4) */
    long max_steps;
};

/* Those of a task. */
struct sens_solver_settings sens_solver_settings(const struct sens_task *task);

struct sens_solver_stats {
    long steps, rejects;
};

/* Called after every accepted step; a status other than SENS_OK ends the solve with it. */
struct sens_step_watcher {
    sens_status (*step)(void *self, const struct sens_step *step);
    void *self;
};

struct sens_solver; /* workspace for one system and tableau, in the arena */

/* ode, its parts and settings are copied by pointer and must outlive the solver. */
sens_status sens_solver_create(struct sens_ctx *ctx, const struct sens_ode *ode,
                               const struct sens_solver_settings *settings, struct sens_solver **solver);

/* Puts followers behind the state; *followers must outlive the solver. SENS_NO_MEMORY; SENS_UNSUPPORTED where
 * the scheme takes none. */
sens_status sens_solver_follow(struct sens_ctx *ctx, struct sens_solver *solver,
                               const struct sens_followers *followers);

/* Their state: to be set before a solve, and at the end after it. */
sens_real *sens_solver_followers(const struct sens_solver *solver);

/* From now on the stages of step k are written to place(self, k), asked before the step; NULL: to a place of
 * the solver's own. place NULL: always there. */
void sens_solver_place(struct sens_solver *solver, sens_real *(*place)(void *self, long k), void *self);

/* Integrates from (t0, y0) over stops[0], stops[1], ... to the last stop, landing on each exactly. Stops are
 * monotone, in the direction of integration, all different from t0. Allocates nothing. y_end [n] and *stats
 * are written only on SENS_OK (stats also on failure, for the report). watcher may be NULL.
 * Failures: SENS_DIVERGED, SENS_STEP_UNDERFLOW, SENS_STEP_LIMIT, SENS_DT_MISFIT, SENS_RHS_FAILED,
 * SENS_UNSUPPORTED (adaptive controller, tableau without estimate), SENS_BAD_INPUT (stops, fixed dt), a fatal
 * status of f or of the scheme, or the watcher's. A recoverable one, or a candidate that is not finite, is
 * answered by a smaller step where the controller is adaptive, and is SENS_DIVERGED where the step is fixed
 * or replayed, or where none is small enough. */
sens_status sens_solver_solve(struct sens_ctx *ctx, struct sens_solver *solver, sens_real t0,
                              const sens_real *y0, size_t n_stops, const sens_real *stops,
                              const struct sens_step_watcher *watcher, sens_real *y_end,
                              struct sens_solver_stats *stats);

/* Solves over a task's stops to learn how many steps it takes: what is recorded of a solve has its memory
 * from `prepare`. *steps is written only on SENS_OK. */
sens_status sens_solver_count(struct sens_ctx *ctx, struct sens_solver *solver, sens_real t0,
                              const sens_real *y0, const struct sens_stops *stops, sens_real *y_end,
                              long *steps);

/* The same over a given grid, with no error control. */
sens_status sens_solver_replay(struct sens_ctx *ctx, struct sens_solver *solver, const sens_real *y0,
                               const struct sens_grid *grid, const struct sens_step_watcher *watcher,
                               sens_real *y_end);

/* The scheme at work: its operations so far, its dense output. */
struct sens_scheme *sens_solver_scheme(const struct sens_solver *solver);

#endif
