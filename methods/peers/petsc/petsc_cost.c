/* The cost functionals: the quadrature of g, and the reverse sweep from stop to stop.
 *
 * The quadrature of a Runge-Kutta solve is evaluated in the reverse sweep (`fwd` of TSCreateQuadratureTS
 * false): in the forward one PETSc 3.18 takes from the integral, at every rejected step, what that step would
 * have added but has not (TSRollBack_RK), and G is wrong. That of a theta scheme is evaluated in the forward
 * solve, for in the reverse sweep PETSc evaluates backward Euler's at a stage that it has not restored.
 *
 * Gradients live in the caller's rows: lambda_c = (dG_c/dx)^T, mu_c = (dG_c/dp)^T. */
#include <string.h>

#include "petsc.h"

/* ---- running cost -------------------------------------------------------------------------------------- */

static PetscErrorCode integrand(TS ts, PetscReal t, Vec x, Vec g, void *self)
{
    const struct petsc_peer *peer = self;
    const struct sens_cost *cost = peer->task->cost;
    const PetscScalar *state;
    PetscScalar *value;
    (void)ts;
    PetscCall(VecGetArrayRead(x, &state));
    PetscCall(VecGetArrayWrite(g, &value));
    memset(value, 0, peer->m * sizeof *value);
    cost->type->g(cost, PETSC_AT(peer->task->problem, t, state), 1, value);
    PetscCall(VecRestoreArrayWrite(g, &value));
    PetscCall(VecRestoreArrayRead(x, &state));
    return 0;
}

typedef void gradient_function(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0,
                               size_t L, sens_real *OUT);

/* Column c of the matrix [rows][m] is the gradient of functional c. */
static PetscErrorCode fill_columns(const struct petsc_peer *peer, double t, Vec x, size_t rows, Mat mat,
                                   gradient_function *gradient)
{
    const PetscScalar *state;
    PetscScalar *value;
    PetscCall(VecGetArrayRead(x, &state));
    PetscCall(MatDenseGetArrayWrite(mat, &value));
    memset(value, 0, rows * peer->m * sizeof *value);
    for (size_t c = 0; gradient && c < peer->m; c++)
        gradient(peer->task->cost, PETSC_AT(peer->task->problem, t, state), 1, c, 1, value + c * rows);
    PetscCall(MatDenseRestoreArrayWrite(mat, &value));
    PetscCall(VecRestoreArrayRead(x, &state));
    return 0;
}

static PetscErrorCode integrand_dx(TS ts, PetscReal t, Vec x, Mat mat, Mat preconditioner, void *self)
{
    const struct petsc_peer *peer = self;
    (void)ts, (void)preconditioner;
    return fill_columns(peer, t, x, peer->n, mat, peer->task->cost->type->g_dx);
}

static PetscErrorCode integrand_dp(TS ts, PetscReal t, Vec x, Mat mat, void *self)
{
    const struct petsc_peer *peer = self;
    (void)ts;
    return fill_columns(peer, t, x, peer->np, mat, peer->task->cost->type->g_dp);
}

PetscErrorCode petsc_quadrature_create(struct petsc_peer *peer)
{
    const PetscInt n = (PetscInt)peer->n, np = (PetscInt)peer->np, m = (PetscInt)peer->m;
    const PetscBool in_forward = peer->settings.implicit ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(TSCreateQuadratureTS(peer->ts, in_forward, &peer->quadrature));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, m, NULL, &peer->drdu));
    PetscCall(TSSetRHSFunction(peer->quadrature, NULL, integrand, peer));
    PetscCall(TSSetRHSJacobian(peer->quadrature, peer->drdu, peer->drdu, integrand_dx, peer));
    if (!peer->wants_p) return 0;
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, np, m, NULL, &peer->drdp));
    return TSSetRHSJacobianP(peer->quadrature, peer->drdp, integrand_dp, peer);
}

/* ---- the reverse sweep --------------------------------------------------------------------------------- */

static double *lambda_row(const struct petsc_peer *peer, const struct sens_out *out, size_t c)
{
    return (peer->wants_x0 ? out->dGdx0 : peer->lambda_own) + c * peer->n;
}

/* What observation j adds. A row is a lane block of one lane. */
static PetscErrorCode observe(struct petsc_peer *peer, const struct sens_out *out, long j, const double *x)
{
    const struct sens_cost *cost = peer->task->cost;
    const double *p = peer->task->problem->p;
    PetscScalar *row;
    if (j < 0) return 0;
    cost->type->phi(cost, (size_t)j, x, p, out->G);
    for (size_t c = 0; c < peer->m; c++) {
        PetscCall(VecGetArray(peer->lambda[c], &row));
        cost->type->phi_dx(cost, (size_t)j, x, p, c, 1, row);
        PetscCall(VecRestoreArray(peer->lambda[c], &row));
        if (!peer->wants_p || !cost->type->phi_dp) continue;
        PetscCall(VecGetArray(peer->mu[c], &row));
        cost->type->phi_dp(cost, (size_t)j, x, p, c, 1, row);
        PetscCall(VecRestoreArray(peer->mu[c], &row));
    }
    return 0;
}

static PetscErrorCode attach_rows(struct petsc_peer *peer, const struct sens_out *out)
{
    for (size_t c = 0; c < peer->m; c++) {
        memset(lambda_row(peer, out, c), 0, peer->n * sizeof(double));
        PetscCall(VecPlaceArray(peer->lambda[c], lambda_row(peer, out, c)));
        if (!peer->wants_p) continue;
        memset(out->dGdp + c * peer->np, 0, peer->np * sizeof(double));
        PetscCall(VecPlaceArray(peer->mu[c], out->dGdp + c * peer->np));
    }
    return 0;
}

static PetscErrorCode detach_rows(struct petsc_peer *peer)
{
    for (size_t c = 0; c < peer->m; c++) {
        PetscCall(VecResetArray(peer->lambda[c]));
        if (peer->wants_p) PetscCall(VecResetArray(peer->mu[c]));
    }
    return 0;
}

static PetscErrorCode read_integral(struct petsc_peer *peer, double *G)
{
    const PetscScalar *integral;
    Vec value;
    PetscCall(TSGetSolution(peer->quadrature, &value));
    PetscCall(VecGetArrayRead(value, &integral));
    for (size_t c = 0; c < peer->m; c++) G[c] += integral[c];
    return VecRestoreArrayRead(value, &integral);
}

PetscErrorCode petsc_quadrature_clear(struct petsc_peer *peer)
{
    Vec value;
    if (!peer->quadrature) return 0;
    PetscCall(TSGetSolution(peer->quadrature, &value));
    return VecZeroEntries(value);
}

/* Work vectors as a first sweep finds them. */
static PetscErrorCode start_afresh(struct petsc_peer *peer)
{
    PetscCall(TSAdjointReset(peer->ts));
    return TSSetCostGradients(peer->ts, (PetscInt)peer->m, peer->lambda, peer->wants_p ? peer->mu : NULL);
}

/* A sweep that ends early says so in its reason alone, for TSSetErrorIfStepFails is off. */
static PetscErrorCode sweep(struct petsc_peer *peer, PetscInt steps)
{
    TSConvergedReason reason;
    PetscCall(TSAdjointSetSteps(peer->ts, steps));
    PetscCall(TSAdjointSolve(peer->ts));
    PetscCall(TSGetConvergedReason(peer->ts, &reason));
    PetscCheck(reason >= 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "the adjoint ended with %s",
               TSConvergedReasons[reason]);
    return 0;
}

PetscErrorCode petsc_backward(struct petsc_peer *peer, const struct sens_out *out)
{
    const struct sens_stops *stops = &peer->stops;
    const struct sens_problem *pb = peer->task->problem;
    memset(out->G, 0, peer->m * sizeof *out->G);
    if (peer->forgets) PetscCall(start_afresh(peer));
    PetscCall(attach_rows(peer, out));
    for (size_t j = stops->n; j-- > 0;) {
        PetscCall(observe(peer, out, stops->obs[j], peer->x_stop + j * peer->n));
        PetscCall(sweep(peer, peer->step[j] - (j > 0 ? peer->step[j - 1] : 0)));
    }
    PetscCall(observe(peer, out, stops->obs_at_t0, peer->x0));
    if (peer->quadrature) PetscCall(read_integral(peer, out->G));
    if (peer->wants_p && sens_problem_x0_depends(pb))
        for (size_t c = 0; c < peer->m; c++)
            pb->type->x0_vjp(pb, pb->p, 1, lambda_row(peer, out, c), out->dGdp + c * peer->np);
    return detach_rows(peer);
}
