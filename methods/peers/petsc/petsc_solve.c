/* A solve by PETSc: its objects, and prepare, run, release of both methods.
 *
 * prepare makes every object and solves forward once, without a trajectory, to learn the number of steps:
 * PETSc's stack of checkpoints takes its size from TSSetMaxSteps, forgets it when it has grown, and so must
 * never have to. After a failure the objects are made anew, for PETSc leaves them as they stood.
 *
 * Implicit schemes solve their stages by Newton's method and a direct factorisation (KSPPREONLY, PCLU) of an
 * explicit Jacobian, whether or not the problem declares one: matrix-free they would need an iterative solver
 * and a preconditioner. Newton's tolerances are PETSc's; the adjoint is that of stages solved exactly. */
#include <string.h>

#include "petsc.h"

/* ---- objects ------------------------------------------------------------------------------------------- */

static PetscErrorCode rhs(TS ts, PetscReal t, Vec x, Vec f, void *self)
{
    struct petsc_peer *peer = self;
    const struct sens_problem *pb = peer->task->problem;
    const PetscScalar *state;
    PetscScalar *slope;
    (void)ts;
    PetscCall(VecGetArrayRead(x, &state));
    PetscCall(VecGetArrayWrite(f, &slope));
    const sens_status status = pb->type->rhs(pb, PETSC_AT(pb, t, state), slope);
    PetscCall(VecRestoreArrayWrite(f, &slope));
    PetscCall(VecRestoreArrayRead(x, &state));
    if (status == SENS_OK) return 0;
    peer->status = status;
    return PETSC_ERR_USER;
}

static PetscErrorCode create_rows(size_t count, size_t length, Vec *row)
{
    for (size_t c = 0; c < count; c++)
        PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, (PetscInt)length, NULL, &row[c]));
    return 0;
}

static PetscErrorCode factorise_directly(struct petsc_peer *peer)
{
    SNES snes;
    KSP ksp;
    PC pc;
    PetscCall(TSGetSNES(peer->ts, &snes));
    PetscCall(SNESGetKSP(snes, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    return PCSetType(pc, PCLU);
}

static PetscErrorCode set_scheme(struct petsc_peer *peer)
{
    const struct petsc_settings *settings = &peer->settings;
    const struct sens_task *task = peer->task;
    TSAdapt adapt;
    PetscCall(TSSetType(peer->ts, settings->ts_type));
    if (settings->rk_type) PetscCall(TSRKSetType(peer->ts, settings->rk_type));
    PetscCall(TSGetAdapt(peer->ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, settings->adapt == PETSC_ADAPT_NONE ? TSADAPTNONE : TSADAPTBASIC));
    PetscCall(TSSetTolerances(peer->ts, task->atol, NULL, task->rtol, NULL));
    PetscCall(TSSetErrorIfStepFails(peer->ts, PETSC_FALSE));
    if (settings->implicit) PetscCall(factorise_directly(peer));
    return 0;
}

static PetscErrorCode set_problem(struct petsc_peer *peer)
{
    TS ts = peer->ts;
    PetscCall(TSSetRHSFunction(ts, NULL, rhs, peer));
    PetscCall(petsc_matrix_create(&peer->jacobian));
    PetscCall(
        TSSetRHSJacobian(ts, peer->jacobian.mat, peer->jacobian.mat, petsc_matrix_fill, &peer->jacobian));
    if (!peer->wants_p) return 0;
    PetscCall(petsc_matrix_create(&peer->jacobian_p));
    return TSSetRHSJacobianP(ts, peer->jacobian_p.mat, petsc_matrix_p_fill, &peer->jacobian_p);
}

static PetscErrorCode create(struct petsc_peer *peer)
{
    peer->built = true; /* in parts, if this fails */
    PetscCall(TSCreate(PETSC_COMM_SELF, &peer->ts));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)peer->n, &peer->x));
    PetscCall(TSSetSolution(peer->ts, peer->x));
    PetscCall(create_rows(peer->m, peer->n, peer->lambda));
    if (peer->wants_p) PetscCall(create_rows(peer->m, peer->np, peer->mu));
    PetscCall(TSSetCostGradients(peer->ts, (PetscInt)peer->m, peer->lambda, peer->wants_p ? peer->mu : NULL));
    PetscCall(set_problem(peer));
    PetscCall(set_scheme(peer));
    if (peer->task->cost->type->g) PetscCall(petsc_quadrature_create(peer));
    return petsc_steps_attach(peer);
}

static PetscErrorCode create_trajectory(struct petsc_peer *peer)
{
    TS ts = peer->ts;
    PetscCall(TSSetSaveTrajectory(ts));
    PetscCall(TSGetTrajectory(ts, &peer->trajectory));
    PetscCall(TSTrajectorySetType(peer->trajectory, ts, TSTRAJECTORYMEMORY));
    PetscCall(TSTrajectorySetUseHistory(peer->trajectory, PETSC_FALSE));
    PetscCall(TSTrajectorySetSolutionOnly(peer->trajectory,
                                          sens_ckpt_stages(&peer->task->ckpt) ? PETSC_FALSE : PETSC_TRUE));
    return 0;
}

static void destroy(struct petsc_peer *peer)
{
    if (!peer->built) return;
    peer->built = false;
    TSDestroy(&peer->ts); /* with its quadrature and its trajectory */
    peer->quadrature = NULL;
    peer->trajectory = NULL;
    MatDestroy(&peer->jacobian.mat);
    MatDestroy(&peer->jacobian_p.mat);
    MatDestroy(&peer->drdu);
    MatDestroy(&peer->drdp);
    VecDestroy(&peer->x);
    for (size_t c = 0; c < peer->m; c++) {
        VecDestroy(&peer->lambda[c]);
        if (peer->mu) VecDestroy(&peer->mu[c]);
    }
}

static PetscErrorCode create_all(struct petsc_peer *peer)
{
    PetscCall(create(peer));
    return create_trajectory(peer);
}

/* ---- prepare ------------------------------------------------------------------------------------------- */

static sens_status check_task(struct sens_ctx *ctx, const struct sens_task *task)
{
    const double rtol = task->rtol, atol = task->atol;
    const size_t largest = INT_MAX / 2;
    if (!(rtol >= 0 && atol >= 0 && rtol + atol > 0))
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "rtol = %.3g and atol = %.3g: one must be positive, none negative", rtol, atol);
    if (!sens_ckpt_stages(&task->ckpt) &&
        (strcmp(task->ckpt.policy->name, "every") != 0 || task->ckpt.number != 1))
        return sens_fail(ctx, SENS_UNSUPPORTED, "PETSc stores every step: ckpt=stages or ckpt=states");
    if (task->problem->n > largest || task->problem->np > largest || task->cost->m > largest)
        return sens_fail(ctx, SENS_UNSUPPORTED, "more than PETSc's 32-bit indices can count");
    return SENS_OK;
}

/* The error estimate of theta schemes takes the step before: a step computed again may be another. */
static sens_status check_recomputation(struct sens_ctx *ctx, const struct petsc_peer *peer)
{
    if (!peer->settings.implicit || sens_ckpt_stages(&peer->task->ckpt) ||
        peer->settings.adapt == PETSC_ADAPT_NONE)
        return SENS_OK;
    return sens_fail(ctx, SENS_UNSUPPORTED,
                     "PETSc cannot compute the adapted steps of a theta scheme again: take ckpt=stages");
}

static bool choose_shell(const struct petsc_settings *settings, bool declared)
{
    if (settings->implicit || settings->jacobian == PETSC_JACOBIAN_EXPLICIT) return false;
    return settings->jacobian == PETSC_JACOBIAN_MATRIX_FREE || !declared;
}

static sens_status prepare_matrices(struct sens_ctx *ctx, struct petsc_peer *peer)
{
    const struct sens_problem *pb = peer->task->problem;
    const struct sens_structure *declared = sens_structure_of(pb);
    const bool declared_p = declared->jacobian && (declared->outer || declared->jacobian_p);
    const struct petsc_settings *settings = &peer->settings;
    const sens_status status = petsc_matrix_prepare(ctx, pb, choose_shell(settings, declared->jacobian),
                                                    settings->implicit, &peer->jacobian);
    if (status != SENS_OK || !peer->wants_p) return status;
    return petsc_matrix_p_prepare(ctx, pb, choose_shell(settings, declared_p), &peer->jacobian_p);
}

static sens_status allocate(struct sens_ctx *ctx, struct petsc_peer *peer)
{
    const size_t n = peer->n, m = peer->m;
    const sens_status status = sens_stops_create(ctx, peer->task, &peer->stops);
    if (status != SENS_OK) return status;
    peer->lambda = SENS_NEW(ctx, Vec, m);
    peer->mu = SENS_NEW(ctx, Vec, m);
    peer->lambda_own = peer->wants_x0 ? NULL : SENS_NEW(ctx, double, m *n);
    peer->x0 = SENS_NEW(ctx, double, n);
    peer->scratch = SENS_NEW(ctx, double, 3 * n);
    peer->x_stop = SENS_NEW(ctx, double, peer->stops.n *n);
    peer->step = SENS_NEW(ctx, PetscInt, peer->stops.n);
    peer->x_step = peer->settings.restores ? SENS_NEW(ctx, double, n) : NULL;
    if (peer->settings.restores && !peer->x_step) return SENS_NO_MEMORY;
    return peer->lambda && peer->mu && (peer->wants_x0 || peer->lambda_own) && peer->x0 && peer->scratch &&
                   peer->x_stop && peer->step
               ? prepare_matrices(ctx, peer)
               : SENS_NO_MEMORY;
}

/* What the scheme is like; refuses an adaptive solve by one without an error estimate. */
static PetscErrorCode inspect_scheme(struct petsc_peer *peer, bool *estimates)
{
    const PetscReal *embedded = NULL, *b = NULL;
    PetscInt order = 2, stages = 0;
    PetscBool fsal = PETSC_FALSE;
    *estimates = true;
    if (peer->settings.rk_type) {
        PetscCall(TSRKGetOrder(peer->ts, &order));
        PetscCall(TSRKGetTableau(peer->ts, &stages, NULL, &b, NULL, &embedded, NULL, NULL, &fsal));
        *estimates = embedded;
        peer->forgets = b[stages - 1] == 0 && !fsal;
    }
    peer->order = order;
    return 0;
}

/* Forward once, without a trajectory. */
static sens_status rehearse(struct sens_ctx *ctx, struct petsc_peer *peer)
{
    const PetscInt most = (PetscInt)(peer->task->max_steps < INT_MAX ? peer->task->max_steps : INT_MAX - 1);
    struct sens_work work = {.steps = 0};
    bool estimates;
    PetscErrorCode code = create(peer);
    if (code == 0) code = inspect_scheme(peer, &estimates);
    if (code != 0) return petsc_explain(ctx, peer, code);
    if (peer->settings.adapt == PETSC_ADAPT_NONE) {
        const sens_status status = petsc_fit_steps(ctx, peer);
        if (status != SENS_OK) return status;
    } else if (!estimates) {
        return sens_fail(ctx, SENS_UNSUPPORTED,
                         "this type of scheme has no error estimate: take adapt=none and a dt");
    }
    code = petsc_forward(peer, most, &work);
    if (code != 0) return petsc_explain(ctx, peer, code);
    const sens_status status = petsc_forward_status(ctx, peer, most, &work);
    if (status != SENS_OK) return status;
    if (peer->expected > 0 && work.steps != peer->expected)
        return sens_fail(ctx, SENS_DT_MISFIT, "PETSc takes %ld steps of dt where %ld fit", work.steps,
                         peer->expected);
    peer->capacity = 2 * work.steps + 64;
    if (peer->capacity > most) peer->capacity = most;
    code = TSGetStages(peer->ts, &peer->stages, NULL) || create_trajectory(peer);
    return code == 0 ? SENS_OK : petsc_explain(ctx, peer, code);
}

sens_status petsc_prepare(struct sens_ctx *ctx, const struct sens_task *task,
                          const struct petsc_settings *settings, void **state)
{
    const struct sens_problem *pb = task->problem;
    struct petsc_peer *peer = SENS_NEW(ctx, struct petsc_peer, 1);
    if (!peer) return SENS_NO_MEMORY;
    *peer = (struct petsc_peer){.task = task,
                                .settings = *settings,
                                .n = pb->n,
                                .np = pb->np,
                                .m = task->cost->m,
                                .wants_p = task->parts & SENS_IN_DGDP && pb->np > 0,
                                .wants_x0 = task->parts & SENS_IN_DGDX0};
    sens_status status = check_task(ctx, task);
    if (status == SENS_OK) status = check_recomputation(ctx, peer);
    if (status == SENS_OK) status = petsc_start(ctx);
    if (status == SENS_OK) status = allocate(ctx, peer);
    if (status != SENS_OK) return status;
    sens_problem_x0(pb, pb->p, peer->x0);
    status = petsc_listen(ctx, peer);
    if (status != SENS_OK) return status;
    status = rehearse(ctx, peer);
    petsc_unlisten();
    if (status != SENS_OK)
        destroy(peer);
    else
        *state = peer;
    return status;
}

/* ---- run ----------------------------------------------------------------------------------------------- */

static sens_status write_out(struct sens_ctx *ctx, const struct petsc_peer *peer, const struct sens_out *out)
{
    memcpy(out->x, peer->x_stop + (peer->stops.n - 1) * peer->n, peer->n * sizeof *out->x);
    if (sens_finite(peer->m, out->G) && (!peer->wants_p || sens_finite(peer->m * peer->np, out->dGdp)) &&
        (!peer->wants_x0 || sens_finite(peer->m * peer->n, out->dGdx0)))
        return SENS_OK;
    return sens_fail(ctx, SENS_DIVERGED, "the gradient is not finite");
}

/* Newton's iterations since the solve or the sweep began, added; systems solved since PETSc's objects were
 * made. */
static PetscErrorCode count_systems(const struct petsc_peer *peer, long *newton, long *solves)
{
    SNES snes;
    KSP ksp;
    PetscInt iterations, total;
    if (!peer->settings.implicit) return 0;
    PetscCall(TSGetSNESIterations(peer->ts, &iterations));
    PetscCall(TSGetSNES(peer->ts, &snes));
    PetscCall(SNESGetKSP(snes, &ksp));
    PetscCall(KSPGetTotalIterations(ksp, &total));
    *newton += iterations;
    *solves = total;
    return 0;
}

/* PETSc does not count factorisations: there is one in each iteration of Newton's, which solves one system,
 * and one in each step of the adjoint, which solves m. */
static void write_counts(const struct petsc_peer *peer, long newton, long solves, struct sens_work *work)
{
    work->newton = newton;
    work->solves = solves;
    work->factorisations = newton + (solves - newton) / (long)peer->m;
}

static sens_status solve(struct sens_ctx *ctx, struct petsc_peer *peer, const struct sens_out *out,
                         struct sens_work *work)
{
    const PetscInt most = (PetscInt)peer->capacity;
    const double begin = sens_now(ctx);
    peer->listens = peer->task->listener.step;
    long newton = 0, before = 0, solves = 0;
    PetscErrorCode code = count_systems(peer, &newton, &before);
    newton = 0;
    if (code == 0) code = petsc_forward(peer, most, work);
    if (code != 0) return petsc_explain(ctx, peer, code);
    const sens_status status = petsc_forward_status(ctx, peer, most, work);
    if (status != SENS_OK) return status;
    work->t_forward = sens_now(ctx) - begin;
    code = count_systems(peer, &newton, &solves);
    const double middle = sens_now(ctx);
    if (code == 0) code = petsc_backward(peer, out);
    work->t_reverse = sens_now(ctx) - middle;
    if (code == 0) code = count_systems(peer, &newton, &solves);
    write_counts(peer, newton, solves - before, work);
    return code == 0 ? write_out(ctx, peer, out) : petsc_explain(ctx, peer, code);
}

sens_status petsc_run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct petsc_peer *peer = state;
    struct sens_work done = {.lanes = 1, .threads = 1};
    sens_status status = petsc_listen(ctx, peer);
    if (status != SENS_OK) return status;
    if (peer->broken) {
        destroy(peer);
        const PetscErrorCode code = create_all(peer);
        if (code != 0) status = petsc_explain(ctx, peer, code);
    }
    if (status == SENS_OK) status = solve(ctx, peer, out, &done);
    petsc_unlisten();
    peer->broken = status != SENS_OK;
    if (status != SENS_OK) return status;
    const size_t vectors = sens_ckpt_stages(&peer->task->ckpt) ? (size_t)peer->stages : 1;
    done.bytes_traj = (size_t)done.steps * vectors * peer->n * sizeof(double);
    *work = done;
    return SENS_OK;
}

void petsc_release(void *state)
{
    struct petsc_peer *peer = state;
    destroy(peer);
}
