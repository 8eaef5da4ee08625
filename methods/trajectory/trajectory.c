/* The accepted steps of the problem's own solve, see trajectory.h. t, h and the stop of each step are always
 * kept; the stages are the store's. */
#include "trajectory.h"

#include <string.h>

#include "kept_factors.h"
#include "store.h"

struct recording { /* shared by all readers; constant between two solves */
    const struct sens_task *task;
    const struct sens_stops *stops;
    struct sens_ode_part whole;
    struct sens_ode ode;
    struct sens_solver_settings settings;
    struct sens_solver *solver;
    const struct sens_traj_followers *followers; /* NULL: none */
    struct sens_cost_sum cost;
    sens_real *p;  /* [np] of the recorded solve */
    sens_real *x1; /* [n] */
    struct sens_grid grid;
    struct sens_store *store;
    struct sens_kept *kept; /* NULL: no factors are */
    bool complete;
};

struct sens_traj {
    struct recording *rec;
    struct sens_store_reader *reader;
};

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_recording(struct sens_ctx *ctx, const struct sens_task *task,
                                    const struct sens_stops *stops,
                                    const struct sens_traj_followers *followers, struct recording *rec)
{
    const struct sens_problem *pb = task->problem;
    *rec = (struct recording){.task = task, .stops = stops, .followers = followers};
    rec->p = SENS_NEW(ctx, sens_real, pb->np);
    rec->x1 = SENS_NEW(ctx, sens_real, pb->n);
    rec->cost.G = SENS_NEW(ctx, sens_real, task->cost->m);
    if (!rec->p || !rec->x1 || !rec->cost.G) return SENS_NO_MEMORY;
    rec->cost.cost = task->cost;
    rec->cost.tableau = task->tableau;
    rec->cost.stops = stops;
    rec->cost.p = rec->p;
    rec->cost.n_state = pb->n;
    rec->settings = sens_solver_settings(task);
    sens_problem_ode(task, rec->p, &rec->whole, &rec->ode);
    sens_status status = sens_cost_sum_prepare(ctx, &rec->cost);
    if (status == SENS_OK) status = sens_solver_create(ctx, &rec->ode, &rec->settings, &rec->solver);
    return status == SENS_OK && followers ? sens_solver_follow(ctx, rec->solver, followers->who) : status;
}

/* Before every solve. */
static void start_followers(const struct recording *rec)
{
    const struct sens_traj_followers *followers = rec->followers;
    if (!followers) return;
    const size_t size = followers->who->offset[followers->who->blocks];
    memcpy(sens_solver_followers(rec->solver), followers->start, size * sizeof *followers->start);
}

/* The number of steps at the nominal parameters. */
static sens_status pilot_solve(struct sens_ctx *ctx, struct recording *rec, long *steps)
{
    const struct sens_problem *pb = rec->task->problem;
    memcpy(rec->p, pb->p, pb->np * sizeof *rec->p);
    sens_problem_x0(pb, rec->p, rec->x1);
    start_followers(rec);
    return sens_solver_count(ctx, rec->solver, pb->t0, rec->x1, rec->stops, rec->x1, steps);
}

static sens_status create_store(struct sens_ctx *ctx, struct recording *rec)
{
    const struct sens_store_setup setup = {
        .scheme = {.ode = &rec->ode, .tableau = rec->task->tableau},
        .stage_size = sens_solver_scheme(rec->solver)->stage_size,
        .grid = &rec->grid,
    };
    const sens_status status = sens_store_create(ctx, &rec->task->ckpt, &setup, &rec->store);
    if (status == SENS_OK) sens_solver_place(rec->solver, rec->store->type->place, rec->store);
    return status;
}

static sens_status create_reader(struct sens_ctx *ctx, struct recording *rec, struct sens_traj **reader)
{
    struct sens_traj *made = SENS_NEW(ctx, struct sens_traj, 1);
    if (!made) return SENS_NO_MEMORY;
    made->rec = rec;
    const sens_status status = rec->store->type->reader(ctx, rec->store, &made->reader);
    if (status == SENS_OK) *reader = made;
    return status;
}

sens_status sens_traj_create(struct sens_ctx *ctx, const struct sens_task *task,
                             const struct sens_stops *stops, const struct sens_traj_followers *followers,
                             enum sens_traj_keep keep, struct sens_traj **traj)
{
    long steps = 0;
    struct recording *rec = SENS_NEW(ctx, struct recording, 1);
    if (!rec) return SENS_NO_MEMORY;
    sens_status status = create_recording(ctx, task, stops, followers, rec);
    struct sens_scheme *const scheme = status == SENS_OK ? sens_solver_scheme(rec->solver) : NULL;
    const bool keeps = keep != SENS_TRAJ_NO_FACTORS && sens_ckpt_stages(&task->ckpt);
    /* Before the steps are counted: factors of the transpose round otherwise, and with them the steps. */
    if (status == SENS_OK && keeps && keep == SENS_TRAJ_FACTORS_TURNED) status = sens_kept_turn(ctx, scheme);
    if (status == SENS_OK) status = pilot_solve(ctx, rec, &steps);
    if (status == SENS_OK) status = sens_grid_create(ctx, steps, true, &rec->grid);
    if (status == SENS_OK) status = sens_grid_parts(ctx, task->tableau, &rec->grid);
    if (status == SENS_OK) status = create_store(ctx, rec);
    if (status == SENS_OK && keeps) status = sens_kept_create(ctx, scheme, steps, &rec->kept);
    return status == SENS_OK ? create_reader(ctx, rec, traj) : status;
}

sens_status sens_traj_reader(struct sens_ctx *ctx, const struct sens_traj *traj, struct sens_traj **reader)
{
    return create_reader(ctx, traj->rec, reader);
}

/* ---- recording ----------------------------------------------------------------------------------------- */

static sens_status record_step(void *self, const struct sens_step *step)
{
    struct recording *rec = self;
    struct sens_store *store = rec->store;
    const sens_status status = sens_grid_keep(&rec->grid, step);
    if (status != SENS_OK) return status;
    if (store->type->keep) store->type->keep(store, step);
    if (rec->kept) sens_kept_take(rec->kept, step->k);
    return sens_cost_sum_adds(&rec->cost, step) ? sens_cost_sum_step(&rec->cost, step) : SENS_OK;
}

sens_status sens_traj_solve(struct sens_ctx *ctx, struct sens_traj *traj, const sens_real *x0,
                            const sens_real *p, sens_real *x1, sens_real *G, struct sens_solver_stats *stats)
{
    struct recording *rec = traj->rec;
    const struct sens_problem *pb = rec->task->problem;
    const struct sens_step_watcher watcher = {record_step, rec};
    struct sens_solver_stats done = {0, 0};
    struct sens_work before = {.steps = 0}; /* of the solve that counted the steps */
    rec->complete = false;
    rec->store->solves++;
    sens_scheme_count(sens_solver_scheme(rec->solver), &before);
    memmove(rec->p, p, pb->np * sizeof *p);
    start_followers(rec);
    sens_cost_sum_start(&rec->cost, x0);
    sens_status status = sens_solver_solve(ctx, rec->solver, pb->t0, x0, rec->stops->n, rec->stops->t,
                                           &watcher, rec->x1, &done);
    if (stats) *stats = done;
    status = sens_grid_check(ctx, &rec->grid, status, done.steps);
    if (status != SENS_OK) return status;
    rec->complete = true;
    memcpy(x1, rec->x1, pb->n * sizeof *x1);
    memcpy(G, rec->cost.G, rec->task->cost->m * sizeof *G);
    return SENS_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

sens_status sens_traj_load(struct sens_traj *traj, long k, struct sens_step *step)
{
    const struct recording *rec = traj->rec;
    const struct sens_grid *grid = &rec->grid;
    const sens_real *Y;
    if (!rec->complete || k < 0 || k >= grid->n_steps) return SENS_BAD_INPUT;
    const sens_status status = rec->store->type->load(traj->reader, k, &Y);
    if (status != SENS_OK) return status;
    *step = (struct sens_step){.k = k,
                               .t = grid->t[k],
                               .h = grid->h[k],
                               .t1 = grid->t[k + 1],
                               .y = Y,
                               .Y = Y,
                               .stop = grid->stop[k],
                               .factors = rec->kept ? sens_kept_at(rec->kept, k) : NULL,
                               .tableau = grid->part ? grid->part[k] : rec->task->tableau};
    return SENS_OK;
}

sens_status sens_traj_refuse(struct sens_ctx *ctx, sens_status status, sens_real t, sens_real h)
{
    if (status == SENS_SINGULAR)
        return sens_fail(
            ctx, status,
            "the step of %.3g from t = %.10g: its linear system has no solution that is right to a "
            "part of 1e-6",
            (double)h, (double)t);
    if (status == SENS_NONFINITE)
        return sens_fail(ctx, status, "the step of %.3g from t = %.10g: df/dx is not finite at it", (double)h,
                         (double)t);
    return status;
}

long sens_traj_steps(const struct sens_traj *traj)
{
    return traj->rec->grid.n_steps;
}

size_t sens_traj_bytes(const struct sens_traj *traj)
{
    const size_t steps = (size_t)traj->rec->grid.n_steps;
    const size_t part = traj->rec->grid.part ? sizeof(void *) : 0; /* a pointer for each step */
    return (2 * steps + 1) * sizeof(sens_real) + steps * (sizeof(long) + part) + traj->rec->store->bytes;
}

void sens_traj_count_factors(const struct sens_traj *traj, struct sens_work *work)
{
    if (traj->rec->kept) sens_kept_count(traj->rec->kept, work);
}

void sens_traj_count_solve(const struct sens_traj *traj, struct sens_work *work)
{
    sens_scheme_count(sens_solver_scheme(traj->rec->solver), work);
}

void sens_traj_count(struct sens_traj *traj, struct sens_work *work)
{
    struct sens_store_reader *reader = traj->reader;
    if (reader->store->type->count) reader->store->type->count(reader, work);
}

void sens_traj_report(const struct sens_traj *traj)
{
    const struct sens_grid *grid = &traj->rec->grid;
    const struct sens_listener *listener = &traj->rec->task->listener;
    for (long k = 0; listener->step && k < grid->n_steps; k++) {
        if (listener->part && grid->part) listener->part(listener->self, grid->part[k]);
        listener->step(listener->self, grid->t[k], grid->h[k], grid->t[k + 1]);
    }
}

struct sens_grid sens_traj_grid(const struct sens_traj *traj)
{
    return traj->rec->grid;
}
