/* The accepted steps of the problem's own solve, kept for a reverse or a tangent sweep.
 *
 * ckpt = 0 keeps all stage states of every step: the solver writes them straight into their place. ckpt = k
 * keeps every k-th state; the steps of one interval between kept states are recomputed together, with the
 * solver's own functions and therefore bit for bit, into a window of k steps. t, h and the stop of each step
 * are always kept. */
#include <stdint.h>
#include <string.h>

#include "workspace.h"

struct recording { /* shared by all readers; constant between two solves */
    const struct sens_task *task;
    const struct sens_stops *stops;
    struct sens_problem_ode system;
    struct sens_ode ode;
    struct sens_erk_settings settings;
    struct sens_erk *erk;
    const struct sens_traj_followers *followers; /* NULL: none */
    struct sens_cost_sum cost;
    sens_real *p;          /* [np] of the recorded solve */
    sens_real *x1;         /* [n] */
    long n_steps, every;   /* every: ckpt */
    sens_real *t, *h;      /* [n_steps + 1], [n_steps] */
    long *stop;            /* [n_steps] */
    sens_real *Y;          /* every = 0: [n_steps][stages][n], else [kept][n] */
    size_t bytes;          /* of what was recorded and of the readers' windows */
    unsigned long version; /* counts solves; what a reader's window must match */
    bool complete;
};

struct sens_traj {
    struct recording *rec;
    /* The window: steps first ... first + count - 1, recomputed. Unused with ckpt = 0. */
    long first, count;
    unsigned long version;
    sens_real *Y; /* [min(every, n_steps)][stages][n] */
    sens_real *K; /* [stages][n] */
};

static size_t step_size(const struct recording *rec)
{
    return (size_t)rec->task->tableau->stages * rec->ode.n;
}

static long window_steps(const struct recording *rec)
{
    return rec->every < rec->n_steps ? rec->every : rec->n_steps;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_recording(struct sens_ctx *ctx, const struct sens_task *task,
                                    const struct sens_stops *stops,
                                    const struct sens_traj_followers *followers, struct recording *rec)
{
    const struct sens_problem *pb = task->problem;
    *rec = (struct recording){.task = task, .stops = stops, .followers = followers, .every = task->ckpt};
    rec->p = SENS_NEW(ctx, sens_real, pb->np);
    rec->x1 = SENS_NEW(ctx, sens_real, pb->n);
    rec->cost.G = SENS_NEW(ctx, sens_real, task->cost->m);
    if (!rec->p || !rec->x1 || !rec->cost.G) return SENS_NO_MEMORY;
    rec->cost.cost = task->cost;
    rec->cost.tableau = task->tableau;
    rec->cost.stops = stops;
    rec->cost.p = rec->p;
    rec->cost.n_state = pb->n;
    rec->settings = (struct sens_erk_settings){.tableau = task->tableau,
                                               .controller = task->controller,
                                               .dt = task->dt,
                                               .max_steps = task->max_steps};
    sens_problem_ode(task, rec->p, &rec->system, &rec->ode);
    const sens_status status = sens_erk_create(ctx, &rec->ode, &rec->settings, &rec->erk);
    return status == SENS_OK && followers ? sens_erk_follow(ctx, rec->erk, followers->who) : status;
}

/* Before every solve. */
static void start_followers(const struct recording *rec)
{
    const struct sens_traj_followers *followers = rec->followers;
    if (!followers) return;
    const size_t size = followers->who->offset[followers->who->blocks];
    memcpy(sens_erk_followers(rec->erk), followers->start, size * sizeof *followers->start);
}

/* The number of steps at the nominal parameters. */
static sens_status pilot_solve(struct sens_ctx *ctx, struct recording *rec)
{
    const struct sens_problem *pb = rec->task->problem;
    struct sens_erk_stats stats;
    memcpy(rec->p, pb->p, pb->np * sizeof *rec->p);
    sens_problem_x0(pb, rec->p, rec->x1);
    rec->erk->Y = rec->erk->own_Y;
    start_followers(rec);
    const sens_status status =
        sens_erk_solve(ctx, rec->erk, pb->t0, rec->x1, rec->stops->n, rec->stops->t, NULL, rec->x1, &stats);
    if (status == SENS_OK) rec->n_steps = stats.steps;
    return status;
}

static sens_status allocate_steps(struct sens_ctx *ctx, struct recording *rec)
{
    const size_t steps = (size_t)rec->n_steps;
    const size_t every = (size_t)rec->every;
    const size_t kept = every ? (steps - 1) / every + 1 : steps;
    const size_t row = every ? rec->ode.n : step_size(rec);
    if (row && kept > SIZE_MAX / sizeof(sens_real) / row) return SENS_NO_MEMORY;
    rec->t = SENS_NEW(ctx, sens_real, steps + 1);
    rec->h = SENS_NEW(ctx, sens_real, steps);
    rec->stop = SENS_NEW(ctx, long, steps);
    rec->Y = SENS_NEW(ctx, sens_real, kept * row);
    if (!rec->t || !rec->h || !rec->stop || !rec->Y) return SENS_NO_MEMORY;
    rec->bytes = (2 * steps + 1 + kept * row) * sizeof(sens_real) + steps * sizeof(long);
    return SENS_OK;
}

static sens_status create_reader(struct sens_ctx *ctx, struct recording *rec, struct sens_traj **reader)
{
    struct sens_traj *made = SENS_NEW(ctx, struct sens_traj, 1);
    if (!made) return SENS_NO_MEMORY;
    made->rec = rec;
    if (rec->every) {
        made->Y = SENS_NEW(ctx, sens_real, (size_t)window_steps(rec) * step_size(rec));
        made->K = SENS_NEW(ctx, sens_real, step_size(rec));
        if (!made->Y || !made->K) return SENS_NO_MEMORY;
        rec->bytes += ((size_t)window_steps(rec) + 1) * step_size(rec) * sizeof(sens_real);
    }
    *reader = made;
    return SENS_OK;
}

sens_status sens_traj_create(struct sens_ctx *ctx, const struct sens_task *task,
                             const struct sens_stops *stops, const struct sens_traj_followers *followers,
                             struct sens_traj **traj)
{
    struct recording *rec = SENS_NEW(ctx, struct recording, 1);
    if (!rec) return SENS_NO_MEMORY;
    if (task->ckpt < 0) return sens_fail(ctx, SENS_BAD_INPUT, "ckpt = %ld is negative", task->ckpt);
    sens_status status = create_recording(ctx, task, stops, followers, rec);
    if (status == SENS_OK) status = pilot_solve(ctx, rec);
    if (status == SENS_OK) status = allocate_steps(ctx, rec);
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
    const long k = step->k;
    if (k >= rec->n_steps) return SENS_NOT_REPEATABLE;
    rec->t[k] = step->t;
    rec->h[k] = step->h;
    rec->t[k + 1] = step->t1;
    rec->stop[k] = step->stop;
    if (rec->every == 0)
        rec->erk->Y = k + 1 < rec->n_steps ? rec->Y + (size_t)(k + 1) * step_size(rec) : rec->erk->own_Y;
    else if (k % rec->every == 0)
        memcpy(rec->Y + (size_t)(k / rec->every) * rec->ode.n, step->y, rec->ode.n * sizeof *rec->Y);
    return sens_cost_sum_adds(&rec->cost, step) ? sens_cost_sum_step(&rec->cost, step) : SENS_OK;
}

sens_status sens_traj_solve(struct sens_ctx *ctx, struct sens_traj *traj, const sens_real *x0,
                            const sens_real *p, sens_real *x1, sens_real *G, struct sens_erk_stats *stats)
{
    struct recording *rec = traj->rec;
    const struct sens_problem *pb = rec->task->problem;
    const struct sens_erk_observer observer = {record_step, rec};
    struct sens_erk_stats done = {0, 0};
    rec->complete = false;
    rec->version++;
    memmove(rec->p, p, pb->np * sizeof *p);
    rec->erk->Y = rec->every ? rec->erk->own_Y : rec->Y;
    start_followers(rec);
    sens_cost_sum_start(&rec->cost, x0);
    sens_status status =
        sens_erk_solve(ctx, rec->erk, pb->t0, x0, rec->stops->n, rec->stops->t, &observer, rec->x1, &done);
    if (stats) *stats = done;
    if (status == SENS_OK && done.steps != rec->n_steps) status = SENS_NOT_REPEATABLE;
    if (status == SENS_NOT_REPEATABLE)
        return sens_fail(ctx, status, "the solve took other than the %ld steps it was prepared for",
                         rec->n_steps);
    if (status != SENS_OK) return status;
    rec->complete = true;
    memcpy(x1, rec->x1, pb->n * sizeof *x1);
    memcpy(G, rec->cost.G, rec->task->cost->m * sizeof *G);
    return SENS_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Stage states of step k into Y, whose row 0 is set; K row 0 is set when k1_known. The last step of a window
 * needs neither its end nor, therefore, its last slope. */
static sens_status recompute_step(const struct recording *rec, long k, bool k1_known, bool last, sens_real *Y,
                                  sens_real *K)
{
    const struct sens_tableau *tb = rec->task->tableau;
    const int slopes = last ? tb->stages - 1 : tb->stages;
    sens_status status = SENS_OK;
    if (!k1_known && slopes > 0) status = rec->ode.f(rec->ode.self, rec->t[k], Y, K);
    if (status == SENS_OK) status = sens_erk_later_stages(tb, &rec->ode, rec->t[k], rec->h[k], slopes, Y, K);
    return status;
}

/* The state at the end of a recomputed step into y1, and K row 0 made ready for the next; true when it is. */
static bool finish_step(const struct recording *rec, long k, const sens_real *Y, sens_real *K, sens_real *y1)
{
    const struct sens_tableau *tb = rec->task->tableau;
    const size_t n = rec->ode.n, last = (size_t)(tb->stages - 1) * n;
    if (!tb->fsal) {
        sens_erk_sum(n, n, tb->stages, rec->h[k], Y, tb->b, K, y1);
        return false;
    }
    memcpy(y1, Y + last, n * sizeof *y1);
    if (rec->t[k + 1] != rec->t[k] + rec->h[k]) return false;
    memcpy(K, K + last, n * sizeof *K);
    return true;
}

/* Recomputes the interval of steps that holds step k. */
static sens_status fill_window(struct sens_traj *traj, long k)
{
    const struct recording *rec = traj->rec;
    const long interval = k / rec->every, first = interval * rec->every;
    const long count = first + rec->every < rec->n_steps ? rec->every : rec->n_steps - first;
    bool k1_known = false;
    traj->count = 0;
    memcpy(traj->Y, rec->Y + (size_t)interval * rec->ode.n, rec->ode.n * sizeof *traj->Y);
    for (long j = 0; j < count; j++) {
        sens_real *Y = traj->Y + (size_t)j * step_size(rec);
        const bool last = j + 1 == count;
        const sens_status status = recompute_step(rec, first + j, k1_known, last, Y, traj->K);
        if (status != SENS_OK) return status;
        if (!last) k1_known = finish_step(rec, first + j, Y, traj->K, Y + step_size(rec));
    }
    traj->first = first;
    traj->count = count;
    traj->version = rec->version;
    return SENS_OK;
}

sens_status sens_traj_load(struct sens_traj *traj, long k, struct sens_step *step)
{
    const struct recording *rec = traj->rec;
    if (!rec->complete || k < 0 || k >= rec->n_steps) return SENS_BAD_INPUT;
    const sens_real *Y = rec->Y + (size_t)k * step_size(rec);
    if (rec->every) {
        if (traj->version != rec->version || k < traj->first || k >= traj->first + traj->count) {
            const sens_status status = fill_window(traj, k);
            if (status != SENS_OK) return status;
        }
        Y = traj->Y + (size_t)(k - traj->first) * step_size(rec);
    }
    *step = (struct sens_step){
        .k = k, .t = rec->t[k], .h = rec->h[k], .t1 = rec->t[k + 1], .y = Y, .Y = Y, .stop = rec->stop[k]};
    return SENS_OK;
}

long sens_traj_steps(const struct sens_traj *traj)
{
    return traj->rec->n_steps;
}

size_t sens_traj_bytes(const struct sens_traj *traj)
{
    return traj->rec->bytes;
}

void sens_traj_report(const struct sens_traj *traj)
{
    const struct recording *rec = traj->rec;
    const struct sens_listener *listener = &rec->task->listener;
    for (long k = 0; listener->step && k < rec->n_steps; k++)
        listener->step(listener->self, rec->t[k], rec->h[k], rec->t[k + 1]);
}

struct sens_grid sens_traj_grid(const struct sens_traj *traj)
{
    const struct recording *rec = traj->rec;
    return (struct sens_grid){.n_steps = rec->n_steps, .t = rec->t, .h = rec->h, .stop = rec->stop};
}
