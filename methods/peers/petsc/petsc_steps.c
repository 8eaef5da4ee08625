/* The forward solve: where it starts, where it lands, whom it tells.
 *
 * PETSc lands on the final time in its own way (TS_EXACTFINALTIME_MATCHSTEP): a step that would leave less
 * than its own length is replaced by half of what is left, one that leaves less than a hundredth is
 * stretched. With landing=cut the last step is cut as in our own engine, so that the steps can be compared.
 * On the times of observations it lands by TSPreStep, as our engine does: PETSc 3.18 cannot go on with a
 * trajectory in memory over several calls of TSSolve (the last step of each is not stored), and its
 * TSSetTimeSpan reads past the end of its array when a step is computed again.
 *
 * PETSc chooses no first step. Where the task gives none it is that of our engine (rules/rules.h). */
#include <math.h>
#include <string.h>

#include "petsc.h"

/* ---- the first step ------------------------------------------------------------------------------------ */

/* sqrt(mean(((v - minus) / (atol + rtol |y|))^2)). */
static double scaled_norm(const struct petsc_peer *peer, const double *y, const double *v,
                          const double *minus)
{
    double sum = 0;
    for (size_t i = 0; i < peer->n; i++) {
        const double value = minus ? v[i] - minus[i] : v[i];
        const double ratio = value / (peer->task->atol + peer->task->rtol * fabs(y[i]));
        if (value != 0) sum += ratio * ratio;
    }
    return sqrt(sum / (double)peer->n);
}

static double choose_first_step(struct petsc_peer *peer)
{
    const struct sens_problem *pb = peer->task->problem;
    const double *y = peer->x0, length = pb->t1 - pb->t0;
    double *f = peer->scratch, *euler = f + peer->n, *f_euler = euler + peer->n;
    if (peer->first_step > 0) return peer->first_step;
    if (peer->task->dt > 0) return peer->task->dt;
    peer->status = pb->type->rhs(pb, PETSC_AT(pb, pb->t0, y), f);
    if (peer->status != SENS_OK) return 0;
    const double d0 = scaled_norm(peer, y, y, NULL), d1 = scaled_norm(peer, y, f, NULL);
    const double h0 = sens_first_trial(d0, d1, length);
    for (size_t i = 0; i < peer->n; i++) euler[i] = y[i] + h0 * f[i];
    const sens_status status = pb->type->rhs(pb, PETSC_AT(pb, pb->t0 + h0, euler), f_euler);
    if (sens_fatal(status)) peer->status = status;
    if (status != SENS_OK) return h0;
    return sens_first_step(h0, d1, scaled_norm(peer, y, f_euler, f) / h0, peer->order);
}

/* ---- fixed steps --------------------------------------------------------------------------------------- */

sens_status petsc_fit_steps(struct sens_ctx *ctx, struct petsc_peer *peer)
{
    const double dt = peer->task->dt;
    double from = peer->task->problem->t0;
    if (!(dt > 0)) return sens_fail(ctx, SENS_BAD_INPUT, "the fixed step needs dt > 0");
    for (size_t j = 0; j < peer->stops.n; from = peer->stops.t[j++]) {
        const double length = peer->stops.t[j] - from;
        const long steps = sens_whole_steps(dt, length);
        if (steps == 0)
            return sens_fail(ctx, SENS_DT_MISFIT,
                             "dt = %.10g does not divide the interval from %.10g to %.10g", dt, from,
                             peer->stops.t[j]);
        if (j == 0) peer->first_step = length / (double)steps;
        peer->expected += steps;
    }
    return SENS_OK;
}

/* ---- landing ------------------------------------------------------------------------------------------- */

static double slack(const struct petsc_peer *peer, double t, double stop, double h)
{
    const double rounding = 4 * DBL_EPSILON * fmax(fabs(t), fabs(stop));
    return peer->settings.adapt == PETSC_ADAPT_NONE ? fmax(rounding, 0.01 * h) : rounding;
}

/* Cuts a step that reaches the next stop; after a stop goes on with the step that was cut for it. */
static PetscErrorCode cut_step(struct petsc_peer *peer, TS ts)
{
    PetscReal t, h;
    PetscCall(TSGetTime(ts, &t));
    PetscCall(TSGetTimeStep(ts, &h));
    if (peer->after > h) h = peer->after;
    peer->after = peer->proposed = 0;
    const double stop = peer->stops.t[peer->next];
    if (stop - (t + h) <= slack(peer, t, stop, h)) {
        peer->proposed = h;
        h = stop - t;
    }
    return TSSetTimeStep(ts, h);
}

static PetscErrorCode before_step(TS ts)
{
    struct petsc_peer *peer;
    const PetscScalar *x;
    PetscCall(TSGetApplicationContext(ts, &peer));
    if (peer->x_step) {
        PetscCall(VecGetArrayRead(peer->x, &x));
        memcpy(peer->x_step, x, peer->n * sizeof *x);
        PetscCall(VecRestoreArrayRead(peer->x, &x));
        peer->tried = false;
    }
    return peer->cuts && peer->next < peer->stops.n ? cut_step(peer, ts) : 0;
}

/* PETSc undoes a rejected step by taking h sum_i b_i K_i from the state again (TSRollBack_RK), which leaves
 * the rounding errors of what it added: after a first step that is far too long nothing of the state may be
 * left, and the solve goes on from there. */
static PetscErrorCode before_stage(TS ts, PetscReal stage)
{
    struct petsc_peer *peer;
    PetscScalar *x;
    PetscReal t;
    PetscCall(TSGetApplicationContext(ts, &peer));
    PetscCall(TSGetTime(ts, &t));
    if (stage != t || !peer->forward) return 0;
    if (peer->tried) {
        PetscCall(VecGetArrayWrite(peer->x, &x));
        memcpy(x, peer->x_step, peer->n * sizeof *x);
        PetscCall(VecRestoreArrayWrite(peer->x, &x));
    }
    peer->tried = true;
    return 0;
}

static PetscErrorCode note_stop(struct petsc_peer *peer, TS ts)
{
    const PetscScalar *x;
    PetscCall(TSGetStepNumber(ts, &peer->step[peer->next]));
    PetscCall(VecGetArrayRead(peer->x, &x));
    memcpy(peer->x_stop + peer->next * peer->n, x, peer->n * sizeof *x);
    PetscCall(VecRestoreArrayRead(peer->x, &x));
    peer->after = peer->proposed;
    peer->next++;
    return 0;
}

static PetscErrorCode after_step(TS ts)
{
    struct petsc_peer *peer;
    PetscReal t, before;
    PetscCall(TSGetApplicationContext(ts, &peer));
    if (!peer->forward) return 0;
    PetscCall(TSGetTime(ts, &t));
    if (peer->listens) {
        PetscCall(TSGetPrevTime(ts, &before));
        peer->task->listener.step(peer->task->listener.self, before, t - before, t);
    }
    if (peer->next + 1 < peer->stops.n && peer->stops.t[peer->next] - t <= slack(peer, t, t, 0))
        PetscCall(note_stop(peer, ts));
    return 0;
}

PetscErrorCode petsc_steps_attach(struct petsc_peer *peer)
{
    peer->cuts = peer->settings.landing == PETSC_LANDING_CUT || peer->stops.n > 1;
    PetscCall(TSSetApplicationContext(peer->ts, peer));
    if (peer->cuts || peer->x_step) PetscCall(TSSetPreStep(peer->ts, before_step));
    if (peer->x_step) PetscCall(TSSetPreStage(peer->ts, before_stage));
    if (peer->stops.n > 1 || peer->task->listener.step) PetscCall(TSSetPostStep(peer->ts, after_step));
    return TSSetExactFinalTime(peer->ts, peer->settings.landing == PETSC_LANDING_CUT
                                             ? TS_EXACTFINALTIME_STEPOVER
                                             : TS_EXACTFINALTIME_MATCHSTEP);
}

/* ---- the solve ----------------------------------------------------------------------------------------- */

static double end_of(const struct petsc_peer *peer)
{
    const struct sens_problem *pb = peer->task->problem;
    const double rounding = 4 * DBL_EPSILON * fmax(fabs(pb->t0), fabs(pb->t1));
    return peer->settings.landing == PETSC_LANDING_CUT ? pb->t1 - rounding : pb->t1;
}

PetscErrorCode petsc_forward(struct petsc_peer *peer, PetscInt max_steps, struct sens_work *work)
{
    TS ts = peer->ts;
    PetscScalar *x;
    PetscInt steps, rejects;
    const double first = choose_first_step(peer);
    if (peer->status != SENS_OK) return PETSC_ERR_USER;
    peer->next = 0;
    peer->proposed = peer->after = 0;
    PetscCall(VecGetArrayWrite(peer->x, &x));
    memcpy(x, peer->x0, peer->n * sizeof *x);
    PetscCall(VecRestoreArrayWrite(peer->x, &x));
    PetscCall(petsc_quadrature_clear(peer));
    PetscCall(TSSetTime(ts, peer->task->problem->t0));
    PetscCall(TSSetStepNumber(ts, 0));
    PetscCall(TSSetTimeStep(ts, first));
    PetscCall(TSSetMaxTime(ts, end_of(peer)));
    PetscCall(TSSetMaxSteps(ts, max_steps));
    peer->forward = true;
    PetscCall(TSSolve(ts, NULL));
    peer->forward = false;
    PetscCall(TSGetStepNumber(ts, &steps));
    PetscCall(TSGetStepRejections(ts, &rejects)); /* the adjoint sets it to 0 */
    work->steps = steps;
    work->rejects = rejects;
    peer->next = peer->stops.n - 1;
    PetscCall(note_stop(peer, ts));
    return 0;
}

sens_status petsc_forward_status(struct sens_ctx *ctx, const struct petsc_peer *peer, PetscInt max_steps,
                                 const struct sens_work *work)
{
    TSConvergedReason reason;
    PetscReal t;
    const long limit = peer->task->max_steps;
    if (TSGetConvergedReason(peer->ts, &reason) || TSGetTime(peer->ts, &t))
        return petsc_explain(ctx, peer, PETSC_ERR_LIB);
    if (reason == TS_DIVERGED_STEP_REJECTED)
        return sens_fail(ctx, SENS_STEP_UNDERFLOW, "PETSc gave up at t = %.10g: too many rejections in a row",
                         t);
    if (reason < 0)
        return sens_fail(ctx, SENS_DIVERGED, "PETSc, at t = %.10g: %s", t, TSConvergedReasons[reason]);
    const bool there = t >= end_of(peer);
    if (work->steps + work->rejects > limit || (!there && max_steps >= limit))
        return sens_fail(ctx, SENS_STEP_LIMIT, "max_steps = %ld was reached at t = %.10g", limit, t);
    if (!there)
        return sens_fail(ctx, SENS_NOT_REPEATABLE, "more steps than in the solve before: %d at t = %.10g",
                         (int)max_steps, t);
    const double *x = peer->x_stop + (peer->stops.n - 1) * peer->n;
    if (sens_finite(peer->n, x)) return SENS_OK;
    return sens_fail(ctx, SENS_DIVERGED, "PETSc accepted a state that is not finite");
}
