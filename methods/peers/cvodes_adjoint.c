/* The continuous adjoint by SUNDIALS CVODES: for each functional G_c the backward problem
 *
 *     l' = -(df/dx)^T l - g_x,          l(t1+) = 0,   l(t_j-) = l(t_j+) + phi_x(x(t_j))
 *     q' =  (df/dp)^T l + g_p,          q(t1) = 0
 *     dG/dx0 = l(t0),   dG/dp = -q(t0) + sum_j phi_p + (dx0/dp)^T l(t0)
 *
 * along a forward solution that CVODES interpolates between checkpoints (Serban & Hindmarsh 2005; Cao, Li,
 * Petzold & Serban 2003). q stands in CVODES' backward quadrature, whose sign is that of going backwards.
 *
 * CVODES knows one functional a backward problem: there are m of them (CVodeCreateB), integrated by the one
 * CVodeB that the manual asks for, which takes one after the other between two checkpoints, each with steps
 * of its own: max_steps bounds each, and the counts told are those of the one with the most. An observation
 * is reached by CVodeB, l gets its jump, and the problem begins anew (CVodeReInitB, CVodeQuadReInitB), at
 * order 1.
 *
 * Between checkpoints, `interval` steps apart, the forward problem is solved a second time; CVODES then knows
 * only the last of the times set by CVodeSetStopTime, and would take other steps than those it has room for.
 * So t1 alone is a stop of the forward solve, and observations before it are read from CVODES' interpolant of
 * the order of its formula (CVodeF to that time), as its manual does: steps do not end there.
 *
 * What the manual (CVODES 6.4, "Using CVODES for adjoint sensitivity analysis") says of each option:
 *     interpolation  hermite: cubic, x and x' are kept at every step; polynomial: of the order of the step, x
 *                    alone is kept, dearer to evaluate. The cubic's error is not controlled: with Adams
 *                    formulas, whose steps are long, it can exceed the tolerance
 *     interval       steps between checkpoints, no default; 150 stands in the manual's example
 *     quad           CVodeSetQuadErrConB: q in the error test of the backward problem, and the running cost
 * in that of the forward one. Its default: not, and then an l that is easy to integrate leaves dG/dp with
 * whatever error its long steps of order 1 give tol_backward   the backward problem has tolerances of its
 * own, which the caller has to choose: a factor tol_quad       to the task's, and likewise those of the
 * quadratures, which only quad = inside looks at
 */
#include <string.h>

#include <sunmatrix/sunmatrix_dense.h>

#include "cvodes_adjoint.h"

enum { OPT_LMM, OPT_VECTORS, OPT_INTERPOLATION, OPT_INTERVAL, OPT_QUAD, OPT_TOL_BACKWARD, OPT_TOL_QUAD };
enum { HERMITE, POLYNOMIAL };
static const char *const interpolation_choices[] = {"hermite", "polynomial", NULL};
#define FACTOR(option, text)                                                                                 \
    {                                                                                                        \
        .name = (option), .kind = SENS_OPT_REAL, .fallback = 1, .min = 1e-12, .max = 1e12, .help = (text)    \
    }
static const struct sens_option options[] = {
    [OPT_LMM] = CVODES_OPTION_LMM,
    [OPT_VECTORS] = CVODES_OPTION_VECTORS,
    [OPT_INTERPOLATION] = {.name = "interpolation",
                           .kind = SENS_OPT_CHOICE,
                           .fallback = HERMITE,
                           .choices = interpolation_choices,
                           .help = "of the forward solution: cubic, or of the order of the step"},
    [OPT_INTERVAL] = {.name = "interval",
                      .kind = SENS_OPT_INT,
                      .fallback = 150,
                      .min = 1,
                      .max = 1e6,
                      .help = "steps between checkpoints"},
    [OPT_QUAD] = {.name = "quad",
                  .kind = SENS_OPT_CHOICE,
                  .fallback = ERRCON_OUTSIDE,
                  .choices = cvodes_errcon_choices,
                  .help = "parameter quadratures inside or outside the error test; outside: as shipped"},
    [OPT_TOL_BACKWARD] =
        FACTOR("tol_backward", "tolerances of the backward problems, as a factor to the task's"),
    [OPT_TOL_QUAD] = FACTOR("tol_quad", "tolerances of the quadratures, as a factor to the task's"),
    SENS_OPTIONS_END,
};

static sens_real factor(const struct cvodes_adjoint *adj, int option)
{
    return (sens_real)adj->cv.task->option[option].number;
}

static int interpolation(const struct cvodes_adjoint *adj)
{
    return (int)adj->cv.task->option[OPT_INTERPOLATION].number;
}

static long interval(const struct cvodes_adjoint *adj)
{
    return (long)adj->cv.task->option[OPT_INTERVAL].number;
}

/* Vectors of CVODES' history: one more than its highest order. */
static long history(const struct cvodes_adjoint *adj)
{
    return adj->cv.lmm == LMM_BDF ? 6 : 13;
}

static int quad_inside(const struct cvodes_adjoint *adj)
{
    return adj->cv.task->option[OPT_QUAD].number == ERRCON_INSIDE;
}

/* ---- callbacks -------------------------------------------------------------------------------------------
 */

static int slope(realtype t, N_Vector x, N_Vector l, N_Vector dl, void *self)
{
    const struct cvodes_backward *backward = self;
    const struct cvodes *cv = &backward->adjoint->cv;
    sens_real *to = NV_DATA_S(dl);
    cvodes_vjp(cv, t, x, NV_DATA_S(l), to);
    if (cv->cost->type->g_dx) cv->cost->type->g_dx(cv->cost, CVODES_AT(cv, t, x), 1, backward->c, 1, to);
    for (size_t i = 0; i < cv->n; i++) to[i] = -to[i];
    return cvodes_finite(cv->n, to) ? 0 : 1;
}

static int quadrature(realtype t, N_Vector x, N_Vector l, N_Vector dq, void *self)
{
    const struct cvodes_backward *backward = self;
    const struct cvodes *cv = &backward->adjoint->cv;
    sens_real *to = NV_DATA_S(dq);
    memset(to, 0, cv->np * sizeof *to);
    cvodes_vjp_p(cv, t, x, NV_DATA_S(l), to);
    if (cv->cost->type->g_dp) cv->cost->type->g_dp(cv->cost, CVODES_AT(cv, t, x), 1, backward->c, 1, to);
    return cvodes_finite(cv->np, to) ? 0 : 1;
}

static int fill_matrix(realtype t, N_Vector x, N_Vector l, N_Vector dl, SUNMatrix A, void *self,
                       N_Vector tmp1, N_Vector tmp2, N_Vector tmp3)
{
    const struct cvodes_backward *backward = self;
    struct cvodes *cv = &backward->adjoint->cv;
    (void)l, (void)dl, (void)tmp1, (void)tmp2, (void)tmp3;
    cvodes_matrix(cv, t, x, true, A);
    return cvodes_finite(cv->n * cv->n, SUNDenseMatrix_Data(A)) ? 0 : 1;
}

/* ---- prepare ---------------------------------------------------------------------------------------------
 */

static sens_status create_arrays(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    struct cvodes *cv = &adj->cv;
    adj->backward = SENS_NEW(ctx, struct cvodes_backward, cv->m);
    adj->stop_x = SENS_NEW(ctx, sens_real, cv->stops.n * cv->n);
    adj->x0 = SENS_NEW(ctx, sens_real, cv->n);
    adj->G = SENS_NEW(ctx, sens_real, cv->m);
    adj->dGdp = SENS_NEW(ctx, sens_real, cv->m * adj->np + 1);
    adj->dGdx0 = SENS_NEW(ctx, sens_real, cv->m * cv->n);
    adj->l = cvodes_vector(ctx, cv, cv->n);
    adj->q = cvodes_vector(ctx, cv, adj->np);
    adj->g = cvodes_vector(ctx, cv, cv->m);
    return adj->backward && adj->stop_x && adj->x0 && adj->G && adj->dGdp && adj->dGdx0 && adj->l && adj->q &&
                   adj->g
               ? SENS_OK
               : SENS_NO_MEMORY;
}

static int init_forward(struct cvodes_adjoint *adj)
{
    const struct sens_task *task = adj->cv.task;
    const sens_real scale = factor(adj, OPT_TOL_QUAD);
    void *mem = adj->cv.mem;
    const bool cubic = interpolation(adj) == HERMITE;
    int flag = adj->running ? CVodeQuadInit(mem, cvodes_running_cost, adj->g) : CV_SUCCESS;
    if (flag == CV_SUCCESS && adj->running) flag = CVodeSetQuadErrCon(mem, quad_inside(adj));
    if (flag == CV_SUCCESS && adj->running)
        flag = CVodeQuadSStolerances(mem, task->rtol * scale, task->atol * scale);
    if (flag != CV_SUCCESS) return flag;
    return CVodeAdjInit(mem, interval(adj), cubic ? CV_HERMITE : CV_POLYNOMIAL);
}

static int init_quadrature(struct cvodes_adjoint *adj, int which)
{
    const struct sens_task *task = adj->cv.task;
    const sens_real scale = factor(adj, OPT_TOL_QUAD);
    void *mem = adj->cv.mem;
    int flag = CVodeQuadInitB(mem, which, quadrature, adj->q);
    if (flag == CV_SUCCESS) flag = CVodeSetQuadErrConB(mem, which, quad_inside(adj));
    if (flag == CV_SUCCESS) flag = CVodeQuadSStolerancesB(mem, which, task->rtol * scale, task->atol * scale);
    return flag;
}

/* The settings of one backward problem; its error handler is that of the forward one. */
static int init_backward(struct cvodes_adjoint *adj, struct cvodes_backward *backward)
{
    const struct sens_task *task = adj->cv.task;
    const sens_real scale = factor(adj, OPT_TOL_BACKWARD);
    void *mem = adj->cv.mem;
    int which, flag = CVodeCreateB(mem, adj->cv.lmm == LMM_BDF ? CV_BDF : CV_ADAMS, &which);
    if (flag != CV_SUCCESS) return flag;
    backward->which = which;
    flag = CVodeInitB(mem, which, slope, task->problem->t1, adj->l);
    if (flag == CV_SUCCESS) flag = CVodeSetUserDataB(mem, which, backward);
    if (flag == CV_SUCCESS) flag = CVodeSStolerancesB(mem, which, task->rtol * scale, task->atol * scale);
    if (flag == CV_SUCCESS) flag = CVodeSetMaxNumStepsB(mem, which, task->max_steps);
    if (flag == CV_SUCCESS) flag = CVodeSetNonlinearSolverB(mem, which, backward->solver.nonlinear);
    if (flag == CV_SUCCESS && backward->solver.linear)
        flag = CVodeSetLinearSolverB(mem, which, backward->solver.linear, backward->solver.matrix);
    if (flag == CV_SUCCESS && backward->solver.linear) flag = CVodeSetJacFnB(mem, which, fill_matrix);
    return flag == CV_SUCCESS && adj->np > 0 ? init_quadrature(adj, which) : flag;
}

/* CVodeFree frees the backward problems too; their solvers have to outlive it. */
static void release(void *state)
{
    struct cvodes_adjoint *adj = state;
    if (adj->cv.mem) CVodeFree(&adj->cv.mem);
    for (size_t c = 0; adj->backward && c < adj->cv.m; c++) cvodes_solver_free(&adj->backward[c].solver);
    cvodes_free(&adj->cv);
}

static sens_status build(struct sens_ctx *ctx, const struct sens_task *task, struct cvodes_adjoint *adj)
{
    adj->np = task->wrt & SENS_WRT_P ? task->problem->np : 0;
    adj->running = task->cost->type->g;
    const struct cvodes_settings settings = {.lmm = (int)task->option[OPT_LMM].number,
                                             .vectors = (int)task->option[OPT_VECTORS].number,
                                             .room = 3};
    sens_status status = cvodes_create(ctx, task, &settings, &adj->cv);
    if (status == SENS_OK && interpolation(adj) == POLYNOMIAL && interval(adj) < history(adj))
        return sens_fail(ctx, SENS_BAD_INPUT, "the polynomial may need %ld points: interval is less",
                         history(adj));
    if (status == SENS_OK) status = create_arrays(ctx, adj);
    if (status == SENS_OK) status = cvodes_init(ctx, &adj->cv);
    if (status == SENS_OK) status = cvodes_check(ctx, &adj->cv, init_forward(adj));
    for (size_t c = 0; c < task->cost->m && status == SENS_OK; c++) {
        struct cvodes_backward *backward = &adj->backward[c];
        *backward = (struct cvodes_backward){.adjoint = adj, .c = c};
        status = cvodes_solver_create(ctx, &adj->cv, &backward->solver);
        if (status == SENS_OK) status = cvodes_check(ctx, &adj->cv, init_backward(adj, backward));
    }
    return status;
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct cvodes_adjoint *adj = SENS_NEW(ctx, struct cvodes_adjoint, 1);
    if (!adj) return SENS_NO_MEMORY;
    const sens_status status = build(ctx, task, adj);
    if (status != SENS_OK) release(adj);
    *state = status == SENS_OK ? adj : NULL;
    return status;
}

/* ---- forward ---------------------------------------------------------------------------------------------
 */

static sens_status start(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    struct cvodes *cv = &adj->cv;
    memset(adj->G, 0, cv->m * sizeof *adj->G);
    memset(adj->dGdp, 0, cv->m * adj->np * sizeof *adj->dGdp);
    const sens_status status = cvodes_start(ctx, cv);
    if (status != SENS_OK) return status;
    memcpy(adj->x0, NV_DATA_S(cv->x), cv->n * sizeof *adj->x0);
    int flag = CVodeAdjReInit(cv->mem);
    N_VConst(0, adj->g);
    if (flag == CV_SUCCESS && adj->running) flag = CVodeQuadReInit(cv->mem, adj->g);
    return cvodes_check(ctx, cv, flag);
}

/* G and what of dG/dp does not need l. */
static void observe(struct cvodes_adjoint *adj, size_t j, const sens_real *x)
{
    const struct cvodes *cv = &adj->cv;
    const struct sens_cost_type *type = cv->cost->type;
    type->phi(cv->cost, j, x, cv->p, adj->G);
    for (size_t c = 0; type->phi_dp && adj->np > 0 && c < cv->m; c++)
        type->phi_dp(cv->cost, j, x, cv->p, c, 1, adj->dGdp + c * adj->np);
}

static sens_status solve_forward(struct sens_ctx *ctx, struct cvodes_adjoint *adj, struct cvodes_count *count,
                                 int *checkpoints)
{
    struct cvodes *cv = &adj->cv;
    realtype t;
    sens_status status = start(ctx, adj);
    if (status == SENS_OK && cv->stops.obs_at_t0 >= 0) observe(adj, (size_t)cv->stops.obs_at_t0, adj->x0);
    if (status == SENS_OK) status = cvodes_check(ctx, cv, CVodeSetStopTime(cv->mem, cv->problem->t1));
    for (size_t j = 0; j < cv->stops.n && status == SENS_OK; j++) {
        status = cvodes_check(ctx, cv, CVodeF(cv->mem, cv->stops.t[j], cv->x, &t, CV_NORMAL, checkpoints));
        if (status == SENS_OK)
            status = cvodes_count_trials(ctx, cv, cv->mem, adj->running ? CVODES_QUAD : 0, count);
        if (status == SENS_OK) status = cvodes_limit_trials(adj, count);
        if (status != SENS_OK) return status;
        memcpy(adj->stop_x + j * cv->n, NV_DATA_S(cv->x), cv->n * sizeof *adj->stop_x);
        if (cv->stops.obs[j] >= 0) observe(adj, (size_t)cv->stops.obs[j], NV_DATA_S(cv->x));
    }
    if (status == SENS_OK && adj->running) status = cvodes_check(ctx, cv, CVodeGetQuad(cv->mem, &t, adj->g));
    for (size_t c = 0; adj->running && c < cv->m; c++) adj->G[c] += NV_DATA_S(adj->g)[c];
    return status;
}

/* ---- run -------------------------------------------------------------------------------------------------
 */

static sens_status write_results(struct sens_ctx *ctx, const struct cvodes_adjoint *adj,
                                 const struct sens_out *out)
{
    const struct cvodes *cv = &adj->cv;
    const size_t n = cv->n, m = cv->m, np = adj->np;
    const sens_real *x1 = adj->stop_x + (cv->stops.n - 1) * n;
    if (!cvodes_finite(n, x1) || !cvodes_finite(m, adj->G) || !cvodes_finite(m * np, adj->dGdp) ||
        !cvodes_finite(m * n, adj->dGdx0))
        return sens_fail(ctx, SENS_DIVERGED, "CVODES returned numbers that are not finite");
    memcpy(out->x, x1, n * sizeof *x1);
    memcpy(out->G, adj->G, m * sizeof *adj->G);
    if (out->dGdp) memcpy(out->dGdp, adj->dGdp, m * np * sizeof *adj->dGdp);
    if (out->dGdx0) memcpy(out->dGdx0, adj->dGdx0, m * n * sizeof *adj->dGdx0);
    return SENS_OK;
}

/* Vectors that the interpolation keeps, and those of checkpoints, which CVODES does not tell: at most. */
static size_t trajectory_bytes(const struct cvodes_adjoint *adj, long steps, int checkpoints)
{
    const struct sens_value *option = adj->cv.task->option;
    const long interval = (long)option[OPT_INTERVAL].number,
               points = (steps < interval ? steps : interval) + 1;
    const long each = interpolation(adj) == HERMITE ? 2 : 1;
    return (size_t)(points * each + checkpoints * history(adj) + 2) * adj->cv.n * sizeof(sens_real);
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct cvodes_adjoint *adj = state;
    struct cvodes_count forward = {0, 0};
    int checkpoints = 0;
    const double begin = sens_now(ctx);
    sens_status status = solve_forward(ctx, adj, &forward, &checkpoints);
    const double middle = sens_now(ctx);
    if (status == SENS_OK && checkpoints > 0 && adj->cv.failures > 0)
        status = sens_fail(ctx, SENS_UNSUPPORTED,
                           "f failed recoverably, so that CVODES cannot be trusted with "
                           "a second pass: interval > %ld avoids it",
                           forward.steps);
    cvodes_distrust(&adj->cv, 0, SENS_NOT_REPEATABLE);
    if (status == SENS_OK) status = cvodes_solve_backward(ctx, adj);
    if (status == SENS_OK) status = write_results(ctx, adj, out);
    if (status != SENS_OK) return status;
    const struct cvodes_count backward = cvodes_most_trials(adj);
    *work = (struct sens_work){.steps = forward.steps,
                               .rejects = forward.rejects,
                               .steps_reverse = backward.steps,
                               .rejects_reverse = backward.rejects,
                               .t_forward = middle - begin,
                               .t_reverse = sens_now(ctx) - middle,
                               .bytes_traj = trajectory_bytes(adj, forward.steps, checkpoints),
                               .lanes = 1,
                               .threads = 1};
    return SENS_OK;
}

SENS_METHOD(cvodes_adjoint) = {
    .name = "cvodes_adjoint",
    .summary = "continuous adjoint by SUNDIALS CVODES, Adams or BDF, one backward problem a functional",
    .reference = "Serban & Hindmarsh, CVODES: the sensitivity-enabled ODE solver in SUNDIALS, IDETC 2005; "
                 "user documentation of CVODES 6.4",
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .release = release,
    .library = cvodes_library,
};
