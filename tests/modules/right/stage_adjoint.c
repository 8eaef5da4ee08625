/* The discrete adjoint of a Runge-Kutta pair with any controller: states and stages of all steps are stored, outputs
 * travel back in blocks of lanes.
 *
 *     kbar_i = h b_i lambda + h sum_{l>i} a_li ybar_l,   ybar_i = J_i^T kbar_i + h b_i g_x,
 *     lambda += sum_i ybar_i,   mu += F_i^T kbar_i + h b_i g_p
 *
 * verify: --quick --method stage_adjoint */
#include <string.h>
#include <tgmath.h>

#include "sens/lanes.h"
#include "sens/plugin.h"

enum { LANES = 8 };

struct node { /* an accepted step */
    sens_real t, h;
    long seen; /* the observation at its end; -1: none */
};

struct state {
    const struct sens_task *task;
    size_t n, np, m, s, lanes;
    long room, count, rejects;
    bool storing;
    struct node *node;
    sens_real *X, *Y;          /* [room + 1][n], [room][s][n] */
    sens_real *x, *x1, *y, *k; /* [n], [n], [s][n], [s][n] */
    sens_real *e, *e3, *G;     /* [n], [n], [m] */
    sens_real *lambda, *mu;    /* [n][L], [np][L] */
    sens_real *kbar, *ybar;    /* [s][n][L] */
    sens_real h;               /* the next trial; 0: none yet */
    struct sens_controller_memory memory;
};

static bool finite(size_t count, const sens_real *v)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

/* ---- forwards ------------------------------------------------------------------------------------------ */

/* Stages and the candidate of the step h from (t, x). */
static sens_status try_step(struct state *st, sens_real t, sens_real h)
{
    const struct sens_tableau *tb = st->task->tableau;
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n;
    memcpy(st->x1, st->x, n * sizeof *st->x1);
    for (size_t i = 0; i < st->s; i++) {
        sens_real *const Y = st->y + i * n;
        memcpy(Y, st->x, n * sizeof *Y);
        for (size_t j = 0; j < i; j++)
            sens_lanes_axpy(n, 1, h * sens_tableau_a(tb, (int)i, (int)j), st->k + j * n, Y);
        const sens_status status =
            pb->type->rhs(pb, &(struct sens_at){t + tb->c[i] * h, Y, pb->p}, st->k + i * n);
        if (status != SENS_OK) return status;
        sens_lanes_axpy(n, 1, h * tb->b[i], st->k + i * n, st->x1);
    }
    return finite(n, st->x1) ? SENS_OK : SENS_NONFINITE;
}

static sens_real scaled_error(struct state *st, sens_real h)
{
    const struct sens_tableau *tb = st->task->tableau;
    const struct sens_controller *control = st->task->controller;
    const struct sens_ode_part part = {st->n, st->task->rtol, st->task->atol, true};
    struct sens_error_norm norm = {.tested = 0};
    memset(st->e, 0, st->n * sizeof *st->e);
    memset(st->e3, 0, st->n * sizeof *st->e3);
    for (size_t i = 0; i < st->s; i++) {
        sens_lanes_axpy(st->n, 1, h * tb->e[i], st->k + i * st->n, st->e);
        if (tb->e3) sens_lanes_axpy(st->n, 1, h * tb->e3[i], st->k + i * st->n, st->e3);
    }
    const bool third = control->uses_e3 && tb->e3;
    const struct sens_trial trial = {h, st->x, st->k, st->x1, st->e, third ? st->e3 : NULL};
    control->add(&part, &trial, &norm);
    return control->norm(&norm);
}

/* The integral, the listener, the store; then the state moves on. */
static void accept(struct state *st, sens_real t, sens_real h, sens_real t1)
{
    const struct sens_tableau *tb = st->task->tableau;
    const struct sens_cost *cost = st->task->cost;
    const struct sens_listener *listener = &st->task->listener;
    const size_t n = st->n, at = (size_t)st->count;
    for (size_t i = 0; cost->type->g && i < st->s; i++)
        cost->type->g(cost, &(struct sens_at){t + tb->c[i] * h, st->y + i * n, st->task->problem->p},
                      h * tb->b[i], st->G);
    if (st->storing && listener->step) listener->step(listener->self, t, h, t1);
    if (st->storing && st->count < st->room) {
        st->node[at] = (struct node){t, h, -1};
        memcpy(st->X + at * n, st->x, n * sizeof *st->x);
        memcpy(st->Y + at * st->s * n, st->y, st->s * n * sizeof *st->y);
    }
    memcpy(st->x, st->x1, n * sizeof *st->x);
    st->count++;
}

/* From t to the stop in equal steps dt. */
static sens_status fixed_steps(struct state *st, sens_real t, sens_real stop)
{
    const sens_real dt = st->task->dt, from = t;
    const long count = (long)((stop - t) / dt + SENS_C(0.5));
    if (count < 1 || fabs((sens_real)count * dt - (stop - t)) > SENS_C(1e-9) * (stop - t))
        return SENS_DT_MISFIT;
    const sens_real h = (stop - t) / (sens_real)count;
    for (long k = 0; k < count; k++) {
        const sens_real t1 = k + 1 == count ? stop : from + (sens_real)(k + 1) * h;
        if (st->count == st->task->max_steps) return SENS_STEP_LIMIT;
        const sens_status status = try_step(st, t, h);
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
        accept(st, t, h, t1);
        t = t1;
    }
    return SENS_OK;
}

/* The trial that is made of the proposal h. */
static sens_real trial_step(sens_real t, sens_real h, sens_real stop)
{
    return t + h >= stop ? stop - t : h;
}

/* The proposal behind an accepted step, of which `before` was the proposal. */
static sens_real next_step(sens_real before, sens_real h, sens_real factor)
{
    return h < before ? fmax(before, h * factor) : h * factor;
}

/* From t to the stop by the controller. */
static sens_status adaptive_steps(struct state *st, sens_real t, sens_real stop)
{
    const struct sens_controller *control = st->task->controller;
    if (st->h == 0) st->h = st->task->dt > 0 ? st->task->dt : SENS_C(1e-4) * (stop - t);
    for (bool failed = false; t < stop;) {
        const sens_real h = trial_step(t, st->h, stop), t1 = h >= stop - t ? stop : t + h;
        if (st->count + st->rejects >= st->task->max_steps) return SENS_STEP_LIMIT;
        if (t1 <= t) return failed ? SENS_DIVERGED : SENS_STEP_UNDERFLOW;
        const sens_status status = try_step(st, t, h);
        if (sens_fatal(status)) return status;
        failed = status != SENS_OK;
        const sens_real error = failed ? 2 : scaled_error(st, h);
        const sens_real factor =
            failed ? SENS_C(0.125) : control->factor(&st->memory, h, error, st->task->tableau);
        if (error <= 1) {
            accept(st, t, h, t1);
            st->h = next_step(st->h, h, factor);
            t = t1;
        } else {
            st->h = h * factor;
            st->rejects++;
        }
    }
    return SENS_OK;
}

static sens_status forwards(struct state *st)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    size_t j = 0;
    st->count = st->rejects = 0;
    st->h = 0;
    st->memory = (struct sens_controller_memory){.rejected = false};
    memset(st->G, 0, st->m * sizeof *st->G);
    sens_problem_x0(pb, pb->p, st->x);
    if (cost->n_obs && cost->t_obs[0] == pb->t0) cost->type->phi(cost, j++, st->x, pb->p, st->G);
    for (sens_real t = pb->t0, stop; t < pb->t1; t = stop) {
        const bool observed = j < cost->n_obs;
        stop = observed ? cost->t_obs[j] : pb->t1;
        const sens_status status =
            st->task->controller->adaptive ? adaptive_steps(st, t, stop) : fixed_steps(st, t, stop);
        if (status != SENS_OK) return status;
        if (observed) cost->type->phi(cost, j, st->x, pb->p, st->G);
        if (observed && st->storing && st->count <= st->room) st->node[st->count - 1].seen = (long)j;
        if (observed) j++;
    }
    if (st->storing && st->count <= st->room)
        memcpy(st->X + (size_t)st->count * st->n, st->x, st->n * sizeof *st->x);
    return finite(st->m, st->G) ? SENS_OK : SENS_DIVERGED;
}

/* ---- backwards ----------------------------------------------------------------------------------------- */

/* lambda += phi_x, mu += phi_p of observation j. */
static void jump(struct state *st, size_t j, const sens_real *x, size_t c0, size_t L, bool of_p)
{
    const struct sens_cost *cost = st->task->cost;
    const sens_real *p = st->task->problem->p;
    cost->type->phi_dx(cost, j, x, p, c0, L, st->lambda);
    if (of_p && cost->type->phi_dp) cost->type->phi_dp(cost, j, x, p, c0, L, st->mu);
}

/* Stage i of step k. */
static void reverse_stage(struct state *st, long k, size_t i, size_t c0, size_t L, bool of_p)
{
    const struct sens_tableau *tb = st->task->tableau;
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n, s = st->s;
    const sens_real h = st->node[k].h, w = h * tb->b[i];
    sens_real *const kbar = st->kbar + i * n * L, *const ybar = st->ybar + i * n * L;
    const struct sens_at at = {st->node[k].t + tb->c[i] * h, st->Y + ((size_t)k * s + i) * n, pb->p};
    memset(kbar, 0, n * L * sizeof *kbar);
    sens_lanes_axpy(n, L, w, st->lambda, kbar);
    for (size_t l = i + 1; l < s; l++)
        sens_lanes_axpy(n, L, h * sens_tableau_a(tb, (int)l, (int)i), st->ybar + l * n * L, kbar);
    pb->type->vjp(pb, &at, L, kbar, ybar);
    if (cost->type->g) cost->type->g_dx(cost, &at, w, c0, L, ybar);
    if (of_p && cost->type->g_dp) cost->type->g_dp(cost, &at, w, c0, L, st->mu);
    if (of_p) pb->type->vjp_p_batch(pb, 1, &at.t, at.x, pb->p, L, kbar, st->mu);
}

/* Outputs c0, ..., c0 + L - 1. */
static void backwards(struct state *st, size_t c0, size_t L, const struct sens_out *out)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_cost *cost = st->task->cost;
    const size_t n = st->n, np = st->np;
    const bool of_p = out->dGdp != NULL;
    memset(st->lambda, 0, n * L * sizeof *st->lambda);
    memset(st->mu, 0, np * L * sizeof *st->mu);
    for (long k = st->count - 1; k >= 0; k--) {
        const long seen = st->node[k].seen;
        if (seen >= 0) jump(st, (size_t)seen, st->X + (size_t)(k + 1) * n, c0, L, of_p);
        for (size_t i = st->s; i-- > 0;) reverse_stage(st, k, i, c0, L, of_p);
        for (size_t i = 0; i < st->s; i++) sens_lanes_axpy(n, L, 1, st->ybar + i * n * L, st->lambda);
    }
    if (cost->n_obs && cost->t_obs[0] == pb->t0) jump(st, 0, st->X, c0, L, of_p);
    if (of_p && sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, pb->p, L, st->lambda, st->mu);
    for (size_t l = 0; l < L; l++) {
        for (size_t q = 0; of_p && q < np; q++) out->dGdp[(c0 + l) * np + q] = st->mu[q * L + l];
        for (size_t i = 0; out->dGdx0 && i < n; i++) out->dGdx0[(c0 + l) * n + i] = st->lambda[i * L + l];
    }
}

/* ---- the method ---------------------------------------------------------------------------------------- */

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *const st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    if (task->controller->adaptive && !task->tableau->e)
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s has no error estimate", task->tableau->name);
    const size_t n = task->problem->n, np = task->problem->np, m = task->cost->m,
                 s = (size_t)task->tableau->stages;
    const size_t L = task->lanes > 0 ? (size_t)task->lanes : LANES;
    *st = (struct state){.task = task, .n = n, .np = np, .m = m, .s = s, .lanes = L};
    const struct {
        sens_real **array;
        size_t count;
    } of[] = {{&st->x, n},           {&st->x1, n},           {&st->y, s * n},       {&st->k, s * n},
              {&st->e, n},           {&st->e3, n},           {&st->G, m},           {&st->lambda, n * L},
              {&st->mu, np * L + 1}, {&st->kbar, s * n * L}, {&st->ybar, s * n * L}};
    for (size_t q = 0; q < sizeof of / sizeof *of; q++)
        if (!(*of[q].array = SENS_NEW(ctx, sens_real, of[q].count))) return SENS_NO_MEMORY;
    const sens_status status = forwards(st); /* how many steps? */
    if (status != SENS_OK) return status;
    st->room = st->count;
    st->node = SENS_NEW(ctx, struct node, (size_t)st->room);
    st->X = SENS_NEW(ctx, sens_real, (size_t)(st->room + 1) * n);
    st->Y = SENS_NEW(ctx, sens_real, (size_t)st->room * s * n);
    st->storing = true;
    *made = st;
    return st->node && st->X && st->Y ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct state *const st = state;
    const double begin = sens_now(ctx);
    const sens_status status = forwards(st);
    if (status != SENS_OK) return status;
    if (st->count != st->room) return SENS_NOT_REPEATABLE;
    const double middle = sens_now(ctx);
    memcpy(out->x, st->x, st->n * sizeof *out->x);
    memcpy(out->G, st->G, st->m * sizeof *out->G);
    for (size_t c0 = 0; (out->dGdp || out->dGdx0) && c0 < st->m; c0 += st->lanes)
        backwards(st, c0, st->m - c0 < st->lanes ? st->m - c0 : st->lanes, out);
    *work = (struct sens_work){.steps = st->count,
                               .rejects = st->rejects,
                               .t_forward = middle - begin,
                               .t_reverse = sens_now(ctx) - middle,
                               .lanes = (int)st->lanes,
                               .threads = 1,
                               .bytes_traj = (size_t)st->room * (st->s + 1) * st->n * sizeof(sens_real)};
    const bool fine = (!out->dGdp || finite(st->m * st->np, out->dGdp)) &&
                      (!out->dGdx0 || finite(st->m * st->n, out->dGdx0));
    return fine ? SENS_OK : SENS_DIVERGED;
}

static SENS_METHOD(stage_adjoint) = {
    .name = "stage_adjoint",
    .summary = "discrete adjoint, all stages stored",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_CONTROLLER | SENS_CAP_LANES |
            SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_stage_adjoint, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "stage_adjoint", .methods = methods};
