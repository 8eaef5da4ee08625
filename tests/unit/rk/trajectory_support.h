/* A problem, a cost with every kind of term, and a trajectory over them, for the tests of the trajectory. */
#ifndef TRAJECTORY_SUPPORT_H
#define TRAJECTORY_SUPPORT_H

#include "solver_support.h"
#include "store.h"
#include "trajectory.h"

enum { N = 2, NP = 2, M = 2, N_OBS = 4 };
static const double x0[N] = {1, 0.5}, p0[NP] = {0.75, 0.25}, t_obs[N_OBS] = {0, 0.3, 1.1, 2};

/* x0' = p0 cos(t) x0 + p1 x1, x1' = t - x0 x1 */
static inline sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    long *calls_left = (long *)pb->data;
    if (calls_left && --*calls_left < 0) return SENS_RHS_FAILED;
    dx[0] = at->p[0] * cos(at->t) * at->x[0] + at->p[1] * at->x[1];
    dx[1] = at->t - at->x[0] * at->x[1];
    return SENS_OK;
}

static const struct sens_problem_type problem_type = {.name = "test", .rhs = rhs};

static inline void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    (void)cost;
    G[0] += (double)(j + 1) * x[0] * x[1];
    G[1] += p[0] * x[1] - (double)j;
}

static inline void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    (void)cost;
    G[0] += w * (at->x[0] * at->x[0] + at->t);
    G[1] += w * at->p[1] * at->x[1] * sin(at->t);
}

static const struct sens_cost_type cost_type = {.name = "test", .phi = phi, .g = g};

struct trajectory_bed {
    struct sens_ctx ctx;
    struct sens_problem problem;
    struct sens_cost cost;
    struct sens_task task;
    struct sens_stops stops;
    struct sens_traj *traj;
    double x1[N], G[M];
    struct sens_solver_stats stats;
};

static inline void bed_set(struct trajectory_bed *bed, const struct sens_tableau *tableau, bool fixed,
                           long ckpt)
{
    *bed = (struct trajectory_bed){
        .problem = {.type = &problem_type, .n = N, .np = NP, .t0 = 0, .t1 = 2, .x0 = x0, .p = p0},
        .cost = {.type = &cost_type, .m = M, .n = N, .np = NP, .n_obs = N_OBS, .t_obs = t_obs},
        .task = {.tableau = tableau, .rtol = 1e-6, .atol = 1e-6, .max_steps = 100000},
    };
    bed->task.controller = controller_named(fixed ? "fixed" : "odeint");
    bed->task.dt = fixed ? 0.025 : 0;
    bed->task.problem = &bed->problem;
    bed->task.cost = &bed->cost;
    if (ckpt) bed->task.ckpt = (struct sens_ckpt){&sens_store_every.policy, ckpt};
}

static inline sens_status bed_create(struct trajectory_bed *bed)
{
    bed->task.problem = &bed->problem; /* the bed may have been copied */
    bed->task.cost = &bed->cost;
    const sens_status status = sens_stops_create(&bed->ctx, &bed->task, &bed->stops);
    if (status != SENS_OK) return status;
    return sens_traj_create(&bed->ctx, &bed->task, &bed->stops, NULL, SENS_TRAJ_NO_FACTORS, &bed->traj);
}

static inline sens_status bed_solve(struct trajectory_bed *bed, const double *x, const double *p)
{
    return sens_traj_solve(&bed->ctx, bed->traj, x, p, bed->x1, bed->G, &bed->stats);
}

static inline void bed_open(struct trajectory_bed *bed, const struct sens_tableau *tableau, bool fixed,
                            long ckpt)
{
    bed_set(bed, tableau, fixed, ckpt);
    assert_int_equal(bed_create(bed), SENS_OK);
    assert_int_equal(bed_solve(bed, x0, p0), SENS_OK);
}

static inline void bed_close(struct trajectory_bed *bed)
{
    sens_arena_release(&bed->ctx.arena);
}

#endif
