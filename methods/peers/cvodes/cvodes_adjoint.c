/* The continuous adjoint by SUNDIALS CVODES: for each functional G_c the backward problem
 *
 *     l' = -(df/dx)^T l - g_x,          l(t1+) = 0,   l(t_j-) = l(t_j+) + phi_x(x(t_j))
 *     q' =  (df/dp)^T l + g_p,          q(t1) = 0
 *     dG/dx0 = l(t0),   dG/dp = -q(t0) + sum_j phi_p + (dx0/dp)^T l(t0)
 *
 * along a forward solution that CVODES interpolates between checkpoints (Serban & Hindmarsh 2005; Cao, Li,
 * Petzold & Serban 2003). q stands in CVODES' backward quadrature, whose sign is that of going backwards.
 *
 * A backward problem carries the functionals c ... c + L - 1 side by side, l as a lane block [n][L] and q as
 * [np][L]: CVODES takes any vector, and then interpolates the state and calls the products once for all. L is
 * lanes; lanes = 1 is a problem for each functional, as in the manual's examples; auto is all m, or what the
 * cache holds (choose_lanes). CVODES' norm is the root mean square over the whole vector, so that it averages
 * over its functionals: what the error of one may be depends on which others share its problem.
 *
 * The problems (CVodeCreateB) are integrated by the one CVodeB that the manual asks for, which takes one
 * after the other between two checkpoints, each with steps of its own: max_steps bounds each, and the counts
 * told are those of the one with the most. An observation is reached by CVodeB, l gets its jump, and the
 * problem begins anew (CVodeReInitB, CVodeQuadReInitB), at order 1.
 *
 * With interval = 0 there is one checkpoint, at t0: prepare solves the forward problem to learn the number of
 * its steps, for all of which CVODES allocates memory beforehand. Where it is less, the problem is solved a
 * second time; CVODES then knows only the last of the times set by CVodeSetStopTime, and would take other
 * steps than those it has room for. So t1 alone is a stop of the forward solve, and observations before it
 * are read from CVODES' interpolant of the order of its formula (CVodeF to that time), as its manual does:
 * steps do not end there.
 *
 * What the manual (CVODES 6.4, "Using CVODES for adjoint sensitivity analysis") says of each option:
 *
 *     interpolation  hermite: cubic, x and x' are kept at every step; polynomial: of the order of the step,
 *                    x alone is kept, dearer to evaluate. The cubic's error is not controlled: with Adams
 *                    formulas, whose steps are long, it can exceed the tolerance.
 *     interval       steps between checkpoints, no default; 150 stands in the manual's example. 0 is ours.
 *     quad           CVodeSetQuadErrConB: q in the error test of the backward problem, and the running
 *                    cost in that of the forward one. Its default: not, and then an l that is easy to
 *                    integrate leaves dG/dp with whatever error its long steps of order 1 give.
 *     tol_backward   the backward problem has tolerances of its own, which the caller has to choose: a
 *                    factor to the task's.
 *     tol_quad       likewise those of the quadratures, which only quad = inside looks at. */
#include <string.h>

#include "cvodes_adjoint.h"

enum {
    OPT_LMM,
    OPT_VECTORS,
    OPT_INTERPOLATION,
    OPT_INTERVAL,
    OPT_QUAD,
    OPT_TOL_BACKWARD,
    OPT_TOL_QUAD,
    OPT_MATRIX
};
enum { MOST_LANES = 64, WHOLE_LANES = 8, CACHE = 1 << 20 };
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
                      .fallback = 0,
                      .min = 0,
                      .max = 1e6,
                      .help = "steps between checkpoints; 0: as many as there are"},
    [OPT_QUAD] = {.name = "quad",
                  .kind = SENS_OPT_CHOICE,
                  .fallback = ERRCON_OUTSIDE,
                  .choices = cvodes_errcon_choices,
                  .help = "parameter quadratures inside or outside the error test; outside: as shipped"},
    [OPT_TOL_BACKWARD] =
        FACTOR("tol_backward", "tolerances of the backward problems, as a factor to the task's"),
    [OPT_TOL_QUAD] = FACTOR("tol_quad", "tolerances of the quadratures, as a factor to the task's"),
    [OPT_MATRIX] = CVODES_OPTION_MATRIX,
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

/* Vectors of CVODES' history: one more than its highest order. */
static long history_of(int lmm)
{
    return lmm == LMM_BDF ? 6 : 13;
}

static long history(const struct cvodes_adjoint *adj)
{
    return history_of(adj->cv.lmm);
}

static int quad_inside(const struct cvodes_adjoint *adj)
{
    return adj->cv.task->option[OPT_QUAD].number == ERRCON_INSIDE;
}

/* ---- callbacks ---------------------------------------------------------------------------------------- */

static int slope(realtype t, N_Vector x, N_Vector l, N_Vector dl, void *self)
{
    const struct cvodes_backward *backward = self;
    const struct cvodes *cv = &backward->adjoint->cv;
    const size_t L = backward->lanes;
    sens_real *to = NV_DATA_S(dl);
    cvodes_vjp(cv, t, x, L, NV_DATA_S(l), to);
    if (cv->cost->type->g_dx) cv->cost->type->g_dx(cv->cost, CVODES_AT(cv, t, x), 1, backward->c, L, to);
    for (size_t i = 0; i < cv->n * L; i++) to[i] = -to[i];
    return sens_finite(cv->n * L, to) ? 0 : 1;
}

/* What is not finite stays so in q, and write_results refuses it; an error test needs to hear of it. */
static int quadrature(realtype t, N_Vector x, N_Vector l, N_Vector dq, void *self)
{
    const struct cvodes_backward *backward = self;
    const struct cvodes *cv = &backward->adjoint->cv;
    const size_t L = backward->lanes;
    sens_real *to = NV_DATA_S(dq);
    memset(to, 0, cv->np * L * sizeof *to);
    cvodes_vjp_p(cv, t, x, L, NV_DATA_S(l), to);
    if (cv->cost->type->g_dp) cv->cost->type->g_dp(cv->cost, CVODES_AT(cv, t, x), 1, backward->c, L, to);
    return !quad_inside(backward->adjoint) || sens_finite(cv->np * L, to) ? 0 : 1;
}

static int fill_matrix(realtype t, N_Vector x, N_Vector l, N_Vector dl, SUNMatrix A, void *self,
                       N_Vector tmp1, N_Vector tmp2, N_Vector tmp3)
{
    const struct cvodes_backward *backward = self;
    (void)l, (void)dl, (void)tmp1, (void)tmp2, (void)tmp3;
    return cvodes_matrix(&backward->adjoint->cv, t, x, true, A);
}

/* ---- prepare ------------------------------------------------------------------------------------------ */

static sens_status create_arrays(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    struct cvodes *cv = &adj->cv;
    adj->backward = SENS_NEW(ctx, struct cvodes_backward, adj->problems);
    adj->stop_x = SENS_NEW(ctx, sens_real, cv->stops.n * cv->n);
    adj->x0 = SENS_NEW(ctx, sens_real, cv->n);
    adj->G = SENS_NEW(ctx, sens_real, cv->m);
    adj->dGdp = SENS_NEW(ctx, sens_real, cv->m * adj->np + 1);
    adj->dGdx0 = SENS_NEW(ctx, sens_real, cv->m * cv->n);
    adj->g = cvodes_vector(ctx, cv, cv->m);
    return adj->backward && adj->stop_x && adj->x0 && adj->G && adj->dGdp && adj->dGdx0 && adj->g
               ? SENS_OK
               : SENS_NO_MEMORY;
}

static int init_forward(struct cvodes_adjoint *adj)
{
    const struct sens_task *task = adj->cv.task;
    const sens_real scale = factor(adj, OPT_TOL_QUAD);
    void *mem = adj->cv.mem;
    int flag = adj->running ? CVodeQuadInit(mem, cvodes_running_cost, adj->g) : CV_SUCCESS;
    if (flag == CV_SUCCESS && adj->running) flag = CVodeSetQuadErrCon(mem, quad_inside(adj));
    if (flag == CV_SUCCESS && adj->running)
        flag = CVodeQuadSStolerances(mem, task->rtol * scale, task->atol * scale);
    return flag;
}

/* Its state and quadratures at t0, to begin (anew). */
static sens_status begin(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    struct cvodes *cv = &adj->cv;
    const sens_status status = cvodes_start(ctx, cv);
    if (status != SENS_OK) return status;
    N_VConst(0, adj->g);
    int flag = adj->running ? CVodeQuadReInit(cv->mem, adj->g) : CV_SUCCESS;
    if (flag == CV_SUCCESS) flag = CVodeSetStopTime(cv->mem, cv->problem->t1);
    return cvodes_check(ctx, cv, flag);
}

/* The steps of the forward problem: CVodeF takes the same ones. */
static sens_status count_steps(struct sens_ctx *ctx, struct cvodes_adjoint *adj, struct cvodes_count *count)
{
    struct cvodes *cv = &adj->cv;
    realtype t;
    sens_status status = begin(ctx, adj);
    if (status == SENS_OK)
        status = cvodes_check(ctx, cv, CVode(cv->mem, cv->problem->t1, cv->x, &t, CV_NORMAL));
    return status == SENS_OK ? cvodes_count_trials(ctx, cv, cv->mem, 0, count) : status;
}

/* CVODES sets a checkpoint after every `interval` steps: with one more than there are it sets none. */
static sens_status init_checkpoints(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    struct cvodes_count count = {.steps = 0};
    adj->interval = (long)adj->cv.task->option[OPT_INTERVAL].number;
    const bool automatic = adj->interval == 0;
    const sens_status status = automatic ? count_steps(ctx, adj, &count) : SENS_OK;
    if (status != SENS_OK) return status;
    if (automatic) adj->interval = count.steps + 1 > history(adj) ? count.steps + 1 : history(adj);
    if (interpolation(adj) == POLYNOMIAL && adj->interval < history(adj))
        return sens_fail(ctx, SENS_BAD_INPUT, "the polynomial may need %ld points: interval is less",
                         history(adj));
    const int kind = interpolation(adj) == HERMITE ? CV_HERMITE : CV_POLYNOMIAL;
    return cvodes_check(ctx, &adj->cv, CVodeAdjInit(adj->cv.mem, adj->interval, kind));
}

static int init_quadrature(struct cvodes_adjoint *adj, const struct cvodes_backward *backward)
{
    const struct sens_task *task = adj->cv.task;
    const sens_real scale = factor(adj, OPT_TOL_QUAD);
    const int which = backward->which;
    void *mem = adj->cv.mem;
    int flag = CVodeQuadInitB(mem, which, quadrature, backward->q);
    if (flag == CV_SUCCESS) flag = CVodeSetQuadErrConB(mem, which, quad_inside(adj));
    if (flag == CV_SUCCESS) flag = CVodeQuadSStolerancesB(mem, which, task->rtol * scale, task->atol * scale);
    return flag;
}

/* The settings of one backward problem; its error handler is that of the forward one. */
static int init_backward(struct cvodes_adjoint *adj, struct cvodes_backward *backward)
{
    const struct sens_task *task = adj->cv.task;
    const struct cvodes_solver *solver = backward->solver;
    const sens_real scale = factor(adj, OPT_TOL_BACKWARD);
    void *mem = adj->cv.mem;
    int which, flag = CVodeCreateB(mem, adj->cv.lmm == LMM_BDF ? CV_BDF : CV_ADAMS, &which);
    if (flag != CV_SUCCESS) return flag;
    backward->which = which;
    flag = CVodeInitB(mem, which, slope, task->problem->t1, backward->l);
    if (flag == CV_SUCCESS) flag = CVodeSetUserDataB(mem, which, backward);
    if (flag == CV_SUCCESS) flag = CVodeSStolerancesB(mem, which, task->rtol * scale, task->atol * scale);
    if (flag == CV_SUCCESS) flag = CVodeSetMaxNumStepsB(mem, which, task->max_steps);
    if (flag == CV_SUCCESS) flag = CVodeSetNonlinearSolverB(mem, which, solver->nonlinear);
    if (flag == CV_SUCCESS && solver->matrix)
        flag = CVodeSetLinearSolverB(mem, which, cvodes_linear(solver), solver->matrix);
    if (flag == CV_SUCCESS && solver->matrix) flag = CVodeSetJacFnB(mem, which, fill_matrix);
    return flag == CV_SUCCESS && adj->np > 0 ? init_quadrature(adj, backward) : flag;
}

static sens_status create_backward(struct sens_ctx *ctx, struct cvodes_adjoint *adj, size_t k)
{
    struct cvodes *cv = &adj->cv;
    struct cvodes_backward *backward = &adj->backward[k];
    const size_t c = k * adj->lanes, lanes = adj->lanes < cv->m - c ? adj->lanes : cv->m - c;
    *backward = (struct cvodes_backward){.adjoint = adj, .c = c, .lanes = lanes};
    backward->l = cvodes_vector(ctx, cv, cv->n * lanes);
    backward->q = cvodes_vector(ctx, cv, adj->np * lanes);
    if (!backward->l || !backward->q) return SENS_NO_MEMORY;
    backward->solver = cvodes_solver_create(ctx, cv, backward->l, lanes);
    return backward->solver ? cvodes_check(ctx, cv, init_backward(adj, backward)) : SENS_NO_MEMORY;
}

static void release(void *state)
{
    struct cvodes_adjoint *adj = state;
    cvodes_free(&adj->cv);
}

/* As many as have their history, all of which each step goes over several times, in a cache; where that holds
 * for less than what the products take at once, one. */
static size_t choose_lanes(const struct sens_task *task, size_t vectors, size_t np)
{
    const size_t m = task->cost->m, one = vectors * (task->problem->n + np) * sizeof(sens_real);
    const size_t fit = CACHE / one < MOST_LANES ? CACHE / one : MOST_LANES;
    if (task->lanes > 0) return (size_t)task->lanes < m ? (size_t)task->lanes : m;
    if (fit >= m) return m;
    return fit >= WHOLE_LANES ? fit - fit % WHOLE_LANES : 1;
}

static sens_status build(struct sens_ctx *ctx, const struct sens_task *task, struct cvodes_adjoint *adj)
{
    adj->np = task->parts & SENS_IN_DGDP ? task->problem->np : 0;
    adj->running = task->cost->type->g;
    const int lmm = (int)task->option[OPT_LMM].number;
    const size_t m = task->cost->m;
    adj->lanes = choose_lanes(task, (size_t)history_of(lmm), adj->np);
    adj->problems = (m + adj->lanes - 1) / adj->lanes;
    const struct cvodes_settings settings = {.lmm = lmm,
                                             .vectors = (int)task->option[OPT_VECTORS].number,
                                             .matrix = (int)task->option[OPT_MATRIX].number,
                                             .solvers = adj->problems,
                                             .room = 1 + 2 * adj->problems};
    sens_status status = cvodes_create(ctx, task, &settings, &adj->cv);
    if (status == SENS_OK) status = create_arrays(ctx, adj);
    if (status == SENS_OK) status = cvodes_init(ctx, &adj->cv);
    if (status == SENS_OK) status = cvodes_check(ctx, &adj->cv, init_forward(adj));
    if (status == SENS_OK) status = init_checkpoints(ctx, adj);
    for (size_t k = 0; k < adj->problems && status == SENS_OK; k++) status = create_backward(ctx, adj, k);
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

/* ---- forward ------------------------------------------------------------------------------------------ */

static sens_status start(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    struct cvodes *cv = &adj->cv;
    memset(adj->G, 0, cv->m * sizeof *adj->G);
    memset(adj->dGdp, 0, cv->m * adj->np * sizeof *adj->dGdp);
    const sens_status status = begin(ctx, adj);
    if (status != SENS_OK) return status;
    memcpy(adj->x0, NV_DATA_S(cv->x), cv->n * sizeof *adj->x0);
    return cvodes_check(ctx, cv, CVodeAdjReInit(cv->mem));
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
    for (size_t j = 0; j < cv->stops.n && status == SENS_OK; j++) {
        status = cvodes_check(ctx, cv, CVodeF(cv->mem, cv->stops.t[j], cv->x, &t, CV_NORMAL, checkpoints));
        if (status == SENS_OK)
            status = cvodes_count_trials(ctx, cv, cv->mem, adj->running ? CVODES_QUAD : 0, count);
        if (status == SENS_OK) status = cvodes_limit_trials(ctx, adj, count);
        if (status != SENS_OK) return status;
        memcpy(adj->stop_x + j * cv->n, NV_DATA_S(cv->x), cv->n * sizeof *adj->stop_x);
        if (cv->stops.obs[j] >= 0) observe(adj, (size_t)cv->stops.obs[j], NV_DATA_S(cv->x));
    }
    /* Not CVodeGetQuad: its time is that of an earlier stop where CVodeF was past this one already. */
    if (status == SENS_OK && adj->running)
        status = cvodes_check(ctx, cv, CVodeGetQuadDky(cv->mem, cv->problem->t1, 0, adj->g));
    for (size_t c = 0; adj->running && c < cv->m; c++) adj->G[c] += NV_DATA_S(adj->g)[c];
    return status;
}

/* ---- run ---------------------------------------------------------------------------------------------- */

static sens_status write_results(struct sens_ctx *ctx, const struct cvodes_adjoint *adj,
                                 const struct sens_out *out)
{
    const struct cvodes *cv = &adj->cv;
    const size_t n = cv->n, m = cv->m, np = adj->np;
    const sens_real *x1 = adj->stop_x + (cv->stops.n - 1) * n;
    if (!sens_finite(n, x1) || !sens_finite(m, adj->G) || !sens_finite(m * np, adj->dGdp) ||
        !sens_finite(m * n, adj->dGdx0))
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
    const long points = (steps < adj->interval ? steps : adj->interval) + 1;
    const long each = interpolation(adj) == HERMITE ? 2 : 1;
    return (size_t)(points * each + checkpoints * history(adj) + 2) * adj->cv.n * sizeof(sens_real);
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct cvodes_adjoint *adj = state;
    struct cvodes_count forward = {.steps = 0};
    int checkpoints = 0;
    const double start_time = sens_now(ctx);
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
                               .t_forward = middle - start_time,
                               .t_reverse = sens_now(ctx) - middle,
                               .bytes_traj = trajectory_bytes(adj, forward.steps, checkpoints),
                               .lanes = (int)adj->lanes,
                               .threads = 1,
                               .factorisations = forward.factorisations,
                               .solves = forward.newton,
                               .newton = forward.newton};
    cvodes_add_newton(adj, work);
    return SENS_OK;
}

/* CVODES as shipped: CVodeSetQuadErrConB is not called. On forced form=power the adjoint is constant, on
 * chain it is a polynomial of low degree, and its steps are as long as its error test likes. */
static const char FUNCTIONALS_TOGETHER[] = "CVODES' norm is a root mean square over all functionals of a "
                                           "backward problem: lanes=1 gives each its own";
static const char QUADRATURES_OUTSIDE[] =
    "the adjoint is a polynomial, and the parameter quadratures are outside the error test, CVODES' default: "
    "quad=inside mends it";
static const char COST_OUTSIDE[] =
    "the running cost's quadrature is outside the error test, CVODES' default: quad=inside mends it";
static const struct sens_limit limits[] = {
    {"test.dilution", "*", FUNCTIONALS_TOGETHER, .always = true},
    {"pair.exact", "forced form=power*quad=outside*", QUADRATURES_OUTSIDE, .only = SENS_IN_DGDP},
    {"pair.exact", "chain *quad=outside*", QUADRATURES_OUTSIDE, .only = SENS_IN_DGDP},
    {"pair.exact", "gray_scott*quad=outside*", COST_OUTSIDE, .only = SENS_IN_G},
    {"cross.continuous", "*on forced form=power*", QUADRATURES_OUTSIDE, .only = SENS_IN_DGDP},
    {"cross.difference", "*on forced form=power*", QUADRATURES_OUTSIDE, .only = SENS_IN_DGDP},
    {"cross.continuous", "*on chain *", QUADRATURES_OUTSIDE, .only = SENS_IN_DGDP},
    {"cross.difference", "*on chain *", QUADRATURES_OUTSIDE, .only = SENS_IN_DGDP},
    {.check = NULL},
};

SENS_METHOD(cvodes_adjoint) = {
    .name = "cvodes_adjoint",
    .summary = "continuous adjoint by SUNDIALS CVODES, Adams or BDF",
    .reference = CVODES_REFERENCE,
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_LANES,
    .options = options,
    .prepare = prepare,
    .run = run,
    .release = release,
    .library = cvodes_library,
    .limits = limits,
};
