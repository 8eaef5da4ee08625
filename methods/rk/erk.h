/* methods/rk/erk.h - the explicit Runge-Kutta engine that every method of this folder shares.
 *
 *     Y_i = y + h sum_{j<i} a_ij K_j,   K_i = f(t + c_i h, Y_i),   y1 = y + h sum_i b_i K_i
 *
 * Three parts: a solver for any system y' = f(t, y) (adaptive, fixed, or replaying a given grid), the
 * trajectory of the problem's own solve with its checkpoints, and dense output. */
#ifndef SENS_ERK_H
#define SENS_ERK_H

#include "rules.h"
#include "sens/method.h"
#include "stops.h"

/* ---- controllers --------------------------------------------------------------------------------------- */

/* A part of the state with its own tolerances in the error test. */
struct sens_ode_part {
    size_t count;
    sens_real rtol, atol;
    bool tested; /* false: carried along, outside the error test */
};

struct sens_ode { /* any first-order system; integrated forward or backward in t */
    size_t n;
    sens_status (*f)(void *self, sens_real t, const sens_real *y /*[n]*/, sens_real *dy /*[n]*/);
    void *self;
    size_t n_parts; /* parts cover the state in order; counts sum to n */
    const struct sens_ode_part *part;
};

/* What the controller remembers from step to step; zeroed at the start of a solve. */
struct sens_controller_memory {
    sens_real err_old; /* error of the last accepted step (hairer-pi); 0: none yet */
    bool rejected;     /* the last trial was rejected */
};

/* A candidate step with its error estimates: all [n], as far as the last tested part of the state. */
struct sens_trial {
    sens_real h;
    const sens_real *y, *f; /* state and slope at the step's start */
    const sens_real *y1;    /* the candidate */
    const sens_real *e;     /* h sum (b_i - bhat_i) K_i */
    const sens_real *e3; /* the tableau's third-order estimate; NULL unless uses_e3 and the tableau has one */
};

/* What the error norm is made of, zeroed before the first piece of a state. */
struct sens_error_norm {
    size_t tested;       /* components */
    sens_real top;       /* the largest of their ratios */
    sens_real sum, sum3; /* of their squares, in the estimates e and e3 */
    bool has_e3;
};

struct sens_controller {
    const char *name, *summary;
    bool adaptive; /* false: the fixed step */
    bool uses_e3;
    /* The scaled error norm, <= 1 to accept, of a state seen in pieces: each is added, with the vectors of
     * the trial beginning where it does; then the whole is read off. */
    void (*add)(const struct sens_ode_part *piece, const struct sens_trial *trial,
                struct sens_error_norm *norm);
    sens_real (*norm)(const struct sens_error_norm *norm);
    /* The factor on h after a trial with this error norm. Updates the memory. */
    sens_real (*factor)(struct sens_controller_memory *memory, sens_real err,
                        const struct sens_tableau *tableau);
};

/* NULL-terminated: odeint hairer-pi petsc fixed */
extern const struct sens_controller *const sens_controllers[];

/* Adds the tested parts of a whole state. */
void sens_error_norm_add(const struct sens_controller *controller, const struct sens_ode *ode,
                         const struct sens_trial *trial, struct sens_error_norm *norm);

/* ---- solver -------------------------------------------------------------------------------------------- */

/* An accepted step; K and Y belong to the solver or the trajectory, valid until its next call. */
struct sens_step {
    long k;              /* 0, 1, ... */
    sens_real t, h, t1;  /* t1 is where the next step starts; the step taken is h, never t1 - t */
    const sens_real *y;  /* [n] at t */
    const sens_real *Y;  /* [stages][n] stage states; Y_0 = y */
    const sens_real *K;  /* [stages][n] slopes; NULL where a trajectory does not store them */
    const sens_real *y1; /* [n] at t1; NULL where a trajectory does not store it */
    long stop;           /* j when t1 is stops[j], else -1 */
};

/* A grid to be replayed: step k goes from t[k] with h[k] to t[k + 1]. */
struct sens_grid {
    long n_steps;
    const sens_real *t; /* [n_steps + 1] */
    const sens_real *h; /* [n_steps] */
    const long *stop;   /* [n_steps] as in sens_step */
};

struct sens_erk_settings {
    const struct sens_tableau *tableau;
    const struct sens_controller *controller;
    sens_real dt; /* fixed: the step; adaptive: first trial step, 0 = chosen (Hairer-Norsett-Wanner II.4) */
    long max_steps;
};

struct sens_erk_stats {
    long steps, rejects;
};

/* Called after every accepted step; a status other than SENS_OK ends the solve with it. */
struct sens_erk_observer {
    sens_status (*step)(void *self, const struct sens_step *step);
    void *self;
};

struct sens_erk; /* workspace for one system and tableau, in the arena */

/* ode, its parts and settings are copied by pointer and must outlive the solver. */
sens_status sens_erk_create(struct sens_ctx *ctx, const struct sens_ode *ode,
                            const struct sens_erk_settings *settings, struct sens_erk **erk);

/* Integrates from (t0, y0) over stops[0], stops[1], ... to the last stop, landing on each exactly. Stops are
 * monotone, in the direction of integration, all different from t0. Allocates nothing. y_end [n] and *stats
 * are written only on SENS_OK (stats also on failure, for the report). observer may be NULL.
 * Failures: SENS_DIVERGED, SENS_STEP_UNDERFLOW, SENS_STEP_LIMIT, SENS_DT_MISFIT, SENS_RHS_FAILED,
 * SENS_UNSUPPORTED (adaptive controller, tableau without estimate), SENS_BAD_INPUT (stops, fixed dt), a fatal
 * status of f, or the observer's. A recoverable status of f, or a candidate that is not finite, is answered
 * by a smaller step where the controller is adaptive, and is SENS_DIVERGED where the step is fixed or
 * replayed, or where none is small enough. */
sens_status sens_erk_solve(struct sens_ctx *ctx, struct sens_erk *erk, sens_real t0, const sens_real *y0,
                           size_t n_stops, const sens_real *stops, const struct sens_erk_observer *observer,
                           sens_real *y_end, struct sens_erk_stats *stats);

/* The same over a given grid, with no error control. */
sens_status sens_erk_replay(struct sens_ctx *ctx, struct sens_erk *erk, const sens_real *y0,
                            const struct sens_grid *grid, const struct sens_erk_observer *observer,
                            sens_real *y_end);

/* The stage states of one step (for recomputation), bit for bit those of the solve. K [stages][n], Y
 * [stages][n], y1 [n] (may be NULL). k1_known: K[0] already holds f(t, y) (FSAL). */
sens_status sens_erk_stages(const struct sens_tableau *tableau, const struct sens_ode *ode, sens_real t,
                            sens_real h, const sens_real *y, bool k1_known, sens_real *Y, sens_real *K,
                            sens_real *y1);

/* The nonzero ones among `count` weights of a sum over stages: weight[k] is that of stage[k], k < terms. */
struct sens_terms {
    int terms;
    int *stage;
    sens_real *weight;
};

/* Fills *terms; memory from the arena. SENS_NO_MEMORY. */
sens_status sens_terms_create(struct sens_ctx *ctx, int count, const sens_real *weight,
                              struct sens_terms *terms);

/* Time of stage i, the same expression wherever it is needed. */
static inline sens_real sens_stage_time(const struct sens_tableau *tableau, sens_real t, sens_real h, int i)
{
    return t + tableau->c[i] * h;
}

/* ---- dense output -------------------------------------------------------------------------------------- */

/* Numbers needed per step by the interpolant of this tableau, for n components. */
size_t sens_dense_size(const struct sens_tableau *tableau, size_t n);

/* Builds the interpolant of an accepted step with K and y1 set (evaluates f for extra stages and, for Hermite
 * without FSAL, at t1). coef [sens_dense_size]; work [(stages + extra_stages + 1) * n]. */
sens_status sens_dense_build(const struct sens_tableau *tableau, const struct sens_ode *ode,
                             const struct sens_step *step, sens_real *work, sens_real *coef);

/* y(t + theta h), theta in [0, 1]. */
void sens_dense_eval(const struct sens_tableau *tableau, size_t n, const sens_real *coef, sens_real theta,
                     sens_real *y);

/* ---- the problem as a system, and its trajectory ------------------------------------------------------- */

/* The system x' = f(t, x, p) of a problem for parameters p (NULL: the nominal ones). Storage for both structs
 * is the caller's; ode->self points to *self. */
struct sens_problem_ode {
    const struct sens_problem *pb;
    const sens_real *p;
    struct sens_ode_part part;
};
void sens_problem_ode(const struct sens_task *task, const sens_real *p, struct sens_problem_ode *self,
                      struct sens_ode *ode);

/* A cost along a solve whose state begins with the problem's: phi at t0 and at the stops that are
 * observations, sum h b_i g(t_i, Y_i) over the stages of every step. G [m] belongs to the caller. */
struct sens_cost_sum {
    const struct sens_cost *cost;
    const struct sens_tableau *tableau;
    const struct sens_stops *stops;
    const sens_real *p;
    size_t n_state; /* components of the solve's state, >= cost->n */
    sens_real *G;
};
/* G = 0, plus the observation at t0 where there is one. */
void sens_cost_sum_start(const struct sens_cost_sum *sum, const sens_real *x0);
/* Whether a step adds anything: most do not where the cost is of the final state alone. */
static inline bool sens_cost_sum_adds(const struct sens_cost_sum *sum, const struct sens_step *step)
{
    return step->stop >= 0 || sum->cost->type->g;
}
/* Adds one step; the `step` of a struct sens_erk_observer, self a struct sens_cost_sum. Always SENS_OK. */
sens_status sens_cost_sum_step(void *self, const struct sens_step *step);

/* The accepted steps of the problem's own solve. How they are stored is the trajectory's secret: with
 * ckpt = 0 every stage state, with ckpt = k every k-th state, from which at most k steps at a time are
 * recomputed. */
struct sens_traj;

/* What goes along with the state to choose the steps (followers.h), and where it starts: as many numbers as
 * its blocks have. */
struct sens_followers;
struct sens_traj_followers {
    const struct sens_followers *who;
    const sens_real *start;
};

/* Solves the problem once at its nominal parameters to learn the number of steps, and allocates for that
 * many. Nothing goes along where followers is NULL; else it must outlive the trajectory. Any status of a
 * solve. */
sens_status sens_traj_create(struct sens_ctx *ctx, const struct sens_task *task,
                             const struct sens_stops *stops, const struct sens_traj_followers *followers,
                             struct sens_traj **traj);

/* Solves for parameters p from x0 and records. G [m] receives the cost: observations and quadrature
 * sum h b_i g(t_i, Y_i). SENS_NOT_REPEATABLE if the number of steps is not the one of sens_traj_create. */
sens_status sens_traj_solve(struct sens_ctx *ctx, struct sens_traj *traj, const sens_real *x0,
                            const sens_real *p, sens_real *x1 /*[n]*/, sens_real *G /*[m]*/,
                            struct sens_erk_stats *stats);

/* Step k, with t, h, t1, y, Y and stop set. Fast when k runs downwards or upwards by one. SENS_BAD_INPUT when
 * there is no such step or no completed solve. */
sens_status sens_traj_load(struct sens_traj *traj, long k, struct sens_step *step);

/* A second reader of the same trajectory with its own recomputation buffers (one a thread). */
sens_status sens_traj_reader(struct sens_ctx *ctx, const struct sens_traj *traj, struct sens_traj **reader);

long sens_traj_steps(const struct sens_traj *traj);
size_t sens_traj_bytes(const struct sens_traj *traj); /* all its readers included */
/* Tells the task's listener, where there is one, of every recorded step. */
void sens_traj_report(const struct sens_traj *traj);
/* The grid of the recorded solve, for replay; owned by the trajectory. */
struct sens_grid sens_traj_grid(const struct sens_traj *traj);

#endif
