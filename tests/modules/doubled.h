/* Equal steps, st->own.steps of them from t0 to t1, each by step(ctx, st, t, h), and their doubling until the state at
 * t1 settles. st->own.before has room for a state; where st->own.chosen, steps are told. */
static sens_status advance(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real stop,
                           struct sens_work *work)
{
    sens_real h;
    const long count = equal_steps(st, (double)st->own.steps, t, stop, &h);
    if (work->steps + count > st->task->max_steps) return SENS_STEP_LIMIT;
    const struct sens_listener *listener = &st->task->listener;
    for (long k = 0; k < count; k++) {
        const sens_real from = t + (sens_real)k * h, to = k + 1 < count ? t + (sens_real)(k + 1) * h : stop;
        const sens_status status = step(ctx, st, from, h);
        if (status != SENS_OK) return status;
        if (st->own.chosen && listener->step) listener->step(listener->self, from, h, to);
    }
    work->steps += count;
    return SENS_OK;
}

static bool state_settled(const struct state *st)
{
    for (size_t i = 0; i < st->n; i++)
        if (fabs(st->x[i] - st->own.before[i]) > st->task->atol + st->task->rtol * fabs(st->x[i]))
            return false;
    return true;
}

/* Twice as many until the state at t1 has settled. A solve that diverges may do so for want of steps; between many
 * observations twice as many may be as many as before. */
static sens_status choose_steps(struct sens_ctx *ctx, struct state *st)
{
    struct sens_work work;
    long taken = 0; /* `before` is the state at t1 of the solve before, with so many; 0: there is none */
    for (; st->own.steps <= st->task->max_steps; st->own.steps *= 2) {
        const sens_status status = carry(ctx, st, &work);
        if (status != SENS_OK && status != SENS_DIVERGED) return status;
        if (status == SENS_OK && taken > 0 && work.steps > taken && state_settled(st)) return SENS_OK;
        taken = status == SENS_OK ? work.steps : 0;
        memcpy(st->own.before, st->x, st->n * sizeof *st->own.before);
    }
    return sens_fail(ctx, SENS_UNSUPPORTED, "max_steps equal steps do not reach the tolerance");
}
