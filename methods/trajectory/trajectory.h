/* methods/trajectory/trajectory.h - the accepted steps of the problem's own solve, kept for a reverse or a tangent
 * sweep. How they are kept is the secret of its store (store.h). */
#ifndef SENS_TRAJECTORY_H
#define SENS_TRAJECTORY_H

#include "cost_sum.h"
#include "followers.h"
#include "solver.h"

struct sens_traj;

/* What goes along with the state to choose the steps (followers.h), and where it starts: as many numbers as
 * its blocks have. */
struct sens_traj_followers {
    const struct sens_followers *who;
    const sens_real *start;
};

/* Which factors each step is loaded with (sens_step.factors): none, or those that it was taken with, where the scheme
 * has some and they are those of the step itself; for systems as they are, or for M^T X = B in lanes, to which end the
 * solve, too, goes by the transposed matrix (shifted.h, turned). None where the stages are not kept either: what
 * computes these again would have factors of its own. */
enum sens_traj_keep { SENS_TRAJ_NO_FACTORS, SENS_TRAJ_FACTORS, SENS_TRAJ_FACTORS_TURNED };

/* Solves the problem once at its nominal parameters to learn the number of steps, and allocates for that
 * many. Nothing goes along where followers is NULL; else it must outlive the trajectory. Any status of a
 * solve; SENS_NO_MEMORY: where factors are to be kept, with a message of what it would take. */
sens_status sens_traj_create(struct sens_ctx *ctx, const struct sens_task *task,
                             const struct sens_stops *stops, const struct sens_traj_followers *followers,
                             enum sens_traj_keep keep, struct sens_traj **traj);

/* Solves for parameters p from x0 and records. G [m] receives the cost: observations and quadrature
 * sum h b_i g(t_i, Y_i). SENS_NOT_REPEATABLE if the number of steps is not the one of sens_traj_create. */
sens_status sens_traj_solve(struct sens_ctx *ctx, struct sens_traj *traj, const sens_real *x0,
                            const sens_real *p, sens_real *x1 /*[n]*/, sens_real *G /*[m]*/,
                            struct sens_solver_stats *stats);

/* Step k, with t, h, t1, y, Y and stop set. Fast when k runs downwards or upwards by one. SENS_BAD_INPUT when
 * there is no such step or no completed solve. */
sens_status sens_traj_load(struct sens_traj *traj, long k, struct sens_step *step);

/* A second reader of the same trajectory with its own recomputation buffers (one a thread). */
sens_status sens_traj_reader(struct sens_ctx *ctx, const struct sens_traj *traj, struct sens_traj **reader);

long sens_traj_steps(const struct sens_traj *traj);
size_t sens_traj_bytes(const struct sens_traj *traj); /* all its readers included, and the factors not */
/* Sets the bytes of the factors that are kept. */
void sens_traj_count_factors(const struct sens_traj *traj, struct sens_work *work);
/* Adds what implicit stages took, of the recorded solve and of this reader since the last call: sens_scheme_count. */
void sens_traj_count_solve(const struct sens_traj *traj, struct sens_work *work);
void sens_traj_count(struct sens_traj *traj, struct sens_work *work);
/* What a sweep ends with that could not differentiate the step of h from t: the status, with a message where it is one
 * of linear systems; else none. */
sens_status sens_traj_refuse(struct sens_ctx *ctx, sens_status status, sens_real t, sens_real h);
/* Tells the task's listener, where there is one, of every recorded step. */
void sens_traj_report(const struct sens_traj *traj);
/* The grid of the recorded solve, for replay; owned by the trajectory. */
struct sens_grid sens_traj_grid(const struct sens_traj *traj);

#endif
