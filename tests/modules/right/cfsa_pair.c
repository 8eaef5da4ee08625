/* Continuous forward sensitivities by the explicit pair that is asked for, all in one error test:
 *
 *     x' = f,     S' = df/dx S + df/dq,     G' = g,     dG' = g_x S + g_q,     S = dx/dq, dG = dG/dq,
 *
 * the error of a step the largest |e|/(atol + rtol max(|y|, |y1|)) of all components, h by 0.9 err^(-1/(k + 1)) between
 * 1/5 and 5 times itself, k the lower order. Steps end at the observations, which G and dG take up. One solve is for
 * q = the parameters, one for the initial states.
 *
 * verify: --quick --method cfsa_pair */
#include <stddef.h>

#include "sens/real.h"

struct own {
    size_t size;               /* of x, S, G, dG, one behind the other */
    sens_real *Y, *y1, *e, *K; /* [size] three times, [stages][size] */
    sens_real h;
};

#include "directions.h"

static sens_status slope(const struct state *st, sens_real t, const sens_real *y, sens_real *K)
{
    const size_t n = st->n, m = st->m, q = st->q;
    struct state to = *st;
    to.G = K + n * (1 + q), to.dG = to.G + m;
    memset(to.G, 0, m * (1 + q) * sizeof *K);
    const sens_status status = slopes(st, t, y, y + n, K, K + n);
    if (status == SENS_OK) integrate(&to, &(struct sens_at){t, y, st->task->problem->p}, 1, y + n);
    return status;
}

/* y1 and e by the tableau */
static sens_status trial(const struct state *st, sens_real t, sens_real h)
{
    const struct sens_tableau *tb = st->task->tableau;
    const size_t size = st->own.size;
    memcpy(st->own.y1, st->x, size * sizeof *st->x);
    memset(st->own.e, 0, size * sizeof *st->x);
    for (int i = 0; i < tb->stages; i++) {
        sens_real *const K = st->own.K + (size_t)i * size;
        memcpy(st->own.Y, st->x, size * sizeof *st->x);
        for (int j = 0; j < i; j++)
            sens_lanes_axpy(size, 1, h * sens_tableau_a(tb, i, j), st->own.K + (size_t)j * size, st->own.Y);
        const sens_status status = slope(st, t + tb->c[i] * h, st->own.Y, K);
        if (status != SENS_OK) return status;
        sens_lanes_axpy(size, 1, h * tb->b[i], K, st->own.y1);
        sens_lanes_axpy(size, 1, h * tb->e[i], K, st->own.e);
    }
    return SENS_OK;
}

static sens_real error(const struct state *st)
{
    const struct sens_task *task = st->task;
    sens_real top = 0;
    for (size_t i = 0; i < st->own.size; i++) {
        const size_t k = i; /* whose size counts */
        const sens_real scale = task->atol + task->rtol * fmax(fabs(st->x[k]), fabs(st->own.y1[k]));
        const sens_real ratio = st->own.e[i] == 0 ? 0 : fabs(st->own.e[i]) / scale;
        if (!(ratio <= top)) top = ratio;
    }
    return top;
}

static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    (void)ctx;
    const struct sens_problem *pb = st->task->problem;
    const struct sens_tableau *tb = st->task->tableau;
    const int low = tb->order < tb->order_hat ? tb->order : tb->order_hat;
    if (t == pb->t0) st->own.h = (pb->t1 - pb->t0) / 1000;
    while (t < stop) {
        if (work->steps + work->rejects == st->task->max_steps) return SENS_STEP_LIMIT;
        const bool last = st->own.h >= (stop - t) * SENS_C(0.999);
        const sens_real h = last ? stop - t : st->own.h, to = last ? stop : t + h;
        if (to <= t) return SENS_STEP_UNDERFLOW;
        const sens_status status = trial(st, t, h);
        if (sens_fatal(status)) return status;
        const sens_real err = status == SENS_OK ? error(st) : INFINITY;
        const sens_real next =
            h * fmin(5, fmax(SENS_C(0.2), SENS_C(0.9) * pow(err, -1 / (sens_real)(low + 1))));
        if (err <= 1) {
            work->steps++;
            memcpy(st->x, st->own.y1, st->own.size * sizeof *st->x);
            st->own.h = last ? fmax(next, st->own.h) : next;
            t = to;
        } else {
            work->rejects++;
            st->own.h = next;
        }
    }
    return SENS_OK;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st;
    if (!task->tableau->e)
        return sens_fail(ctx, SENS_UNSUPPORTED, "%s: no error estimate", task->tableau->name);
    const sens_status status = create(ctx, task, &st);
    if (status != SENS_OK) return status;
    const size_t size = (st->n + st->m) * (1 + st->q);
    const struct room room[] = {{&st->own.Y, size},
                                {&st->own.y1, size},
                                {&st->own.e, size},
                                {&st->own.K, (size_t)task->tableau->stages * size}};
    *made = st;
    return allocate(ctx, sizeof room / sizeof *room, room);
}

static sens_status run_part(struct sens_ctx *ctx, struct state *st, const struct sens_out *out,
                            struct sens_work *work)
{
    choose(st, out->dGdp, out->dGdx0);
    st->own.size = (st->n + st->m) * (1 + st->q);
    return run(ctx, st, out, work);
}

static sens_status run_parts(struct sens_ctx *ctx, void *state, const struct sens_out *out,
                             struct sens_work *work)
{
    const struct sens_out of_p = {.x = out->x, .G = out->G, .dGdp = out->dGdp};
    const struct sens_out of_x0 = {.x = out->x, .G = out->G, .dGdx0 = out->dGdx0};
    const sens_status status = run_part(ctx, state, &of_p, work);
    return status == SENS_OK && out->dGdx0 ? run_part(ctx, state, &of_x0, work) : status;
}

static SENS_METHOD(cfsa_pair) = {
    .name = "cfsa_pair",
    .summary = "continuous forward sensitivities, all in the error test",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .prepare = prepare,
    .run = run_parts,
};
static const struct sens_method_type *const methods[] = {&sens_method_cfsa_pair, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "cfsa_pair", .methods = methods};
