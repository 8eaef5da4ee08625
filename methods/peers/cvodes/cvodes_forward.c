/* Forward sensitivities by SUNDIALS CVODES: the variational equations
 *
 *     S_k' = (df/dx) S_k + df/dq_k,   S_k(t0) = dx0/dq_k,   q_k a parameter or a component of x0,
 *     dG/dq_k = sum_j (phi_x S_k + phi_q)(t_j) + int (g_x S_k + g_q) dt
 *
 * with one vector a direction (Feehery, Tolsma & Barton 1997 for the staggered corrector; Maly & Petzold 1996
 * for the simultaneous one; Serban & Hindmarsh 2005).
 *
 * What the manual (CVODES 6.4, "Using CVODES for forward sensitivity analysis") says of each option:
 *
 *     corrector   simultaneous: state and sensitivities are corrected as one system; staggered: the
 *                 sensitivities after the state has converged; staggered1: one of them after the other. No
 *                 default, the caller has to choose.
 *     errcon      CVodeSetSensErrCon: sensitivities in the error test. Its default is not to test them:
 *                 outside is CVODES as shipped, whose sensitivities have the accuracy that the state's steps
 *                 happen to give. (With the simultaneous corrector they always take part in the convergence
 *                 test.)
 *     rhs         analytic: df/dx S + df/dq from the problem's products; difference: CVODES' own centred
 *                 quotient along (S_k, e_k) in one.
 *     scale       pbar: tolerances atol / pbar_k for S_k, as CVodeSensEEtolerances estimates them from the
 *                 sizes pbar_k = |q_k| (1 where that is 0) that the manual asks for; none: CVODES' default
 *                 pbar_k = 1, the tolerances of the state. The difference quotient's increments follow pbar
 *                 too.
 *     quad        CVodeSetQuadErrCon, CVodeSetQuadSensErrCon: running cost in the error test; default: not.
 *
 * An initial state's direction does not enter f: for the difference quotient it is a parameter that f does
 * not look at. Where the problem declares its Jacobian it is formed once for all directions at a point, and
 * multiplied with each.
 *
 * A running cost and its derivatives are CVODES' quadratures with lmm = bdf. With lmm = adams they would be
 * wrong: CVODES 6.4 neither clears nor adjusts the history of quadrature sensitivities when the Adams order
 * changes (it does those of state, sensitivities and quadratures), so that memory never written to enters the
 * result, which is another one in every run. They are then components of the state, which is what the
 * manual's quadratures abbreviate, with error weights that count as CVODES' do: none with quad = outside,
 * else
 *
 *     |e|^2 = RMS^2 of the state + RMS^2 of the running costs.
 *
 * CVode is called step by step and lands on each stop (CVodeSetStopTime). */
#include <math.h>
#include <string.h>

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "cvodes_forward.h"

enum { OPT_LMM, OPT_VECTORS, OPT_CORRECTOR, OPT_ERRCON, OPT_SENS_RHS, OPT_SCALE, OPT_QUAD, OPT_MATRIX };
enum { SIMULTANEOUS, STAGGERED, STAGGERED1 };
enum { RHS_ANALYTIC, RHS_DIFFERENCE };
enum { SCALE_PBAR, SCALE_NONE };
static const char *const corrector_choices[] = {"simultaneous", "staggered", "staggered1", NULL};
static const char *const rhs_choices[] = {"analytic", "difference", NULL};
static const char *const scale_choices[] = {"pbar", "none", NULL};
static const struct sens_option options[] = {
    [OPT_LMM] = CVODES_OPTION_LMM,
    [OPT_VECTORS] = CVODES_OPTION_VECTORS,
    [OPT_CORRECTOR] = {.name = "corrector",
                       .kind = SENS_OPT_CHOICE,
                       .fallback = SIMULTANEOUS,
                       .choices = corrector_choices,
                       .help = "sensitivities solved with the state, after it, or one after the other"},
    [OPT_ERRCON] = {.name = "errcon",
                    .kind = SENS_OPT_CHOICE,
                    .fallback = ERRCON_OUTSIDE,
                    .choices = cvodes_errcon_choices,
                    .help = "sensitivities inside or outside the error test; outside: as shipped"},
    [OPT_SENS_RHS] =
        {.name = "sens_rhs",
         .kind = SENS_OPT_CHOICE,
         .fallback = RHS_ANALYTIC,
         .choices = rhs_choices,
         .help = "variational equations from the problem's products, or CVODES' difference quotient"},
    [OPT_SCALE] = {.name = "scale",
                   .kind = SENS_OPT_CHOICE,
                   .fallback = SCALE_PBAR,
                   .choices = scale_choices,
                   .help =
                       "tolerances of sensitivities: the state's over the parameter's size, or the state's"},
    [OPT_QUAD] = {.name = "quad",
                  .kind = SENS_OPT_CHOICE,
                  .fallback = ERRCON_OUTSIDE,
                  .choices = cvodes_errcon_choices,
                  .help = "running cost inside or outside the error test; outside: as shipped"},
    [OPT_MATRIX] = CVODES_OPTION_MATRIX,
    SENS_OPTIONS_END,
};

static int choice(const struct cvodes_forward *fw, int option)
{
    return (int)fw->cv.task->option[option].number;
}

/* ---- prepare ------------------------------------------------------------------------------------------ */

static sens_real size_of(sens_real q)
{
    return q != 0 ? fabs(q) : 1;
}

static sens_status create_arrays(struct sens_ctx *ctx, struct cvodes_forward *fw)
{
    struct cvodes *cv = &fw->cv;
    const struct sens_problem *pb = cv->problem;
    const bool pbar = choice(fw, OPT_SCALE) == SCALE_PBAR;
    fw->S = SENS_NEW(ctx, N_Vector, fw->ns + 1);
    fw->g_S = SENS_NEW(ctx, N_Vector, fw->ns + 1);
    fw->dG = SENS_NEW(ctx, sens_real, fw->ns * cv->m + 1);
    fw->G = SENS_NEW(ctx, sens_real, cv->m);
    fw->pbar = SENS_NEW(ctx, sens_real, fw->ns + 1);
    fw->plist = SENS_NEW(ctx, int, fw->ns + 1);
    if (!fw->S || !fw->g_S || !fw->dG || !fw->G || !fw->pbar || !fw->plist) return SENS_NO_MEMORY;
    for (size_t k = 0; k < fw->ns; k++) {
        fw->pbar[k] = pbar ? size_of(k < fw->np ? pb->p[k] : pb->x0[k - fw->np]) : 1;
        fw->plist[k] = (int)(k < fw->np ? k : cv->np);
        fw->S[k] = cvodes_vector(ctx, cv, cv->n + cv->extra);
        if (!fw->S[k]) return SENS_NO_MEMORY;
    }
    if (fw->quadratures && !(fw->g = cvodes_vector(ctx, cv, cv->m))) return SENS_NO_MEMORY;
    for (size_t k = 0; fw->quadratures && k < fw->ns; k++)
        if (!(fw->g_S[k] = cvodes_vector(ctx, cv, cv->m))) return SENS_NO_MEMORY;
    return sens_gradient_create(ctx, cv->task, fw->np > 0, &fw->gradient);
}

static int corrector(const struct cvodes_forward *fw)
{
    static const int ism[] = {CV_SIMULTANEOUS, CV_STAGGERED, CV_STAGGERED1};
    return ism[choice(fw, OPT_CORRECTOR)];
}

/* The iteration that solves for the sensitivities, of state and all of them where they are one system. */
static int attach_nonlinear(struct cvodes_forward *fw)
{
    struct cvodes *cv = &fw->cv;
    const int ns = (int)fw->ns, count = corrector(fw) == CV_SIMULTANEOUS ? ns + 1 : ns;
    const bool one = corrector(fw) == CV_STAGGERED1;
    struct cvodes_solver *solver = cvodes_solver_new(cv);
    if (!solver) return CV_MEM_FAIL;
    if (cv->lmm == LMM_ADAMS)
        solver->nonlinear = one ? SUNNonlinSol_FixedPoint(cv->x, 0, cv->context)
                                : SUNNonlinSol_FixedPointSens(count, cv->x, 0, cv->context);
    else
        solver->nonlinear = one ? SUNNonlinSol_Newton(cv->x, cv->context)
                                : SUNNonlinSol_NewtonSens(count, cv->x, cv->context);
    if (!solver->nonlinear) return CV_MEM_FAIL;
    if (one) return CVodeSetNonlinearSolverSensStg1(cv->mem, solver->nonlinear);
    return corrector(fw) == CV_STAGGERED ? CVodeSetNonlinearSolverSensStg(cv->mem, solver->nonlinear)
                                         : CVodeSetNonlinearSolverSensSim(cv->mem, solver->nonlinear);
}

static int init_sensitivities(struct cvodes_forward *fw)
{
    void *mem = fw->cv.mem;
    const bool analytic = choice(fw, OPT_SENS_RHS) == RHS_ANALYTIC;
    const int ns = (int)fw->ns, ism = corrector(fw);
    int flag = ism == CV_STAGGERED1 ? CVodeSensInit1(mem, ns, ism, analytic ? cvodes_one_slope : NULL, fw->S)
                                    : CVodeSensInit(mem, ns, ism, analytic ? cvodes_all_slopes : NULL, fw->S);
    if (flag == CV_SUCCESS) flag = CVodeSetSensParams(mem, fw->cv.p, fw->pbar, fw->plist);
    if (flag == CV_SUCCESS) flag = CVodeSensEEtolerances(mem);
    if (flag == CV_SUCCESS) flag = CVodeSetSensErrCon(mem, choice(fw, OPT_ERRCON) == ERRCON_INSIDE);
    fw->parts |= CVODES_SENS | (ism == CV_SIMULTANEOUS ? 0 : CVODES_STAGGERED);
    return flag == CV_SUCCESS ? attach_nonlinear(fw) : flag;
}

/* The derivatives of a running cost are the cost's own, whatever rhs is: CVODES' difference quotient of them
 * (6.4.1) reads memory that it was not given. */
static int init_quadratures(struct cvodes_forward *fw)
{
    void *mem = fw->cv.mem;
    const struct sens_task *task = fw->cv.task;
    int flag = CVodeQuadInit(mem, cvodes_running_cost, fw->g);
    if (flag == CV_SUCCESS) flag = CVodeSetQuadErrCon(mem, fw->quad_inside);
    if (flag == CV_SUCCESS) flag = CVodeQuadSStolerances(mem, task->rtol, task->atol);
    fw->parts |= CVODES_QUAD;
    if (flag != CV_SUCCESS || fw->ns == 0) return flag;
    flag = CVodeQuadSensInit(mem, cvodes_cost_slopes, fw->g_S);
    if (flag == CV_SUCCESS) flag = CVodeSetQuadSensErrCon(mem, fw->quad_inside);
    if (flag == CV_SUCCESS) flag = CVodeQuadSensEEtolerances(mem);
    fw->parts |= CVODES_QUAD_SENS;
    return flag;
}

static void release(void *state)
{
    struct cvodes_forward *fw = state;
    cvodes_free(&fw->cv);
}

static sens_status build(struct sens_ctx *ctx, const struct sens_task *task, struct cvodes_forward *fw)
{
    const size_t nx = task->parts & SENS_IN_DGDX0 ? task->problem->n : 0;
    fw->np = task->parts & SENS_IN_DGDP ? task->problem->np : 0;
    fw->ns = fw->np + nx;
    const bool running = task->cost->type->g;
    const int lmm = (int)task->option[OPT_LMM].number;
    fw->quad_inside = (int)task->option[OPT_QUAD].number == ERRCON_INSIDE;
    fw->quadratures = running && lmm == LMM_BDF;
    const struct cvodes_settings settings = {.lmm = lmm,
                                             .vectors = (int)task->option[OPT_VECTORS].number,
                                             .matrix = (int)task->option[OPT_MATRIX].number,
                                             .solvers = 1,
                                             .extra = running && lmm == LMM_ADAMS ? task->cost->m : 0,
                                             .room = (fw->ns + 1) * (fw->quadratures ? 2 : 1)};
    sens_status status = cvodes_create(ctx, task, &settings, &fw->cv);
    if (status == SENS_OK) status = create_arrays(ctx, fw);
    if (status == SENS_OK) status = cvodes_init(ctx, &fw->cv);
    if (status != SENS_OK) return status;
    int flag = settings.extra > 0 ? CVodeWFtolerances(fw->cv.mem, cvodes_weights) : CV_SUCCESS;
    if (flag == CV_SUCCESS && fw->ns > 0) flag = init_sensitivities(fw);
    if (flag == CV_SUCCESS && fw->quadratures) flag = init_quadratures(fw);
    return cvodes_check(ctx, &fw->cv, flag);
}

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    struct cvodes_forward *fw = SENS_NEW(ctx, struct cvodes_forward, 1);
    if (!fw) return SENS_NO_MEMORY;
    const sens_status status = build(ctx, task, fw);
    if (status != SENS_OK) release(fw);
    if (status == SENS_OK) *state = fw;
    return status;
}

/* ---- run ---------------------------------------------------------------------------------------------- */

static sens_status start(struct sens_ctx *ctx, struct cvodes_forward *fw)
{
    struct cvodes *cv = &fw->cv;
    const struct sens_problem *pb = cv->problem;
    fw->declared = 0;
    memset(fw->G, 0, cv->m * sizeof *fw->G);
    memset(fw->dG, 0, fw->ns * cv->m * sizeof *fw->dG);
    for (size_t k = 0; k < fw->ns; k++) {
        sens_real *S = NV_DATA_S(fw->S[k]);
        memset(S, 0, (cv->n + cv->extra) * sizeof *S);
        if (k >= fw->np)
            S[k - fw->np] = 1;
        else if (sens_problem_x0_depends(pb))
            pb->type->x0_jvp_cols(pb, pb->p, k, 1, S);
        if (fw->quadratures) N_VConst(0, fw->g_S[k]);
    }
    if (fw->quadratures) N_VConst(0, fw->g);
    const sens_status status = cvodes_start(ctx, cv);
    if (status != SENS_OK) return status;
    if (corrector(fw) != CV_SIMULTANEOUS) cvodes_distrust(cv, 0, SENS_DIVERGED);
    int flag = CV_SUCCESS;
    if (fw->ns > 0) flag = CVodeSensReInit(cv->mem, corrector(fw), fw->S);
    if (flag == CV_SUCCESS && fw->quadratures) flag = CVodeQuadReInit(cv->mem, fw->g);
    if (flag == CV_SUCCESS && fw->quadratures && fw->ns > 0) flag = CVodeQuadSensReInit(cv->mem, fw->g_S);
    return cvodes_check(ctx, cv, flag);
}

static void observe(struct cvodes_forward *fw, size_t j)
{
    const struct cvodes *cv = &fw->cv;
    const sens_real *x = NV_DATA_S(cv->x);
    cv->cost->type->phi(cv->cost, j, x, cv->p, fw->G);
    sens_gradient_observed(&fw->gradient, j, x, cv->p);
    for (size_t k = 0; k < fw->ns; k++) cvodes_add_gradient(fw, k, fw->S[k], fw->dG + k * cv->m);
}

static sens_status tell_step(struct sens_ctx *ctx, const struct cvodes *cv, realtype from, realtype to)
{
    realtype h;
    const struct sens_listener *listener = &cv->task->listener;
    if (!listener->step) return SENS_OK;
    const sens_status status = cvodes_check(ctx, cv, CVodeGetLastStep(cv->mem, &h));
    if (status == SENS_OK) listener->step(listener->self, from, h, to);
    return status;
}

/* From t to the stop, step by step; max_steps bounds all trials of the run. */
static sens_status advance(struct sens_ctx *ctx, struct cvodes_forward *fw, realtype t, realtype stop,
                           struct cvodes_count *count)
{
    struct cvodes *cv = &fw->cv;
    int flag = CVodeSetStopTime(cv->mem, stop);
    sens_status status = cvodes_check(ctx, cv, flag);
    for (realtype to; status == SENS_OK && flag != CV_TSTOP_RETURN; t = to) {
        if (count->steps + count->rejects >= cv->task->max_steps) return cvodes_step_limit(ctx, cv);
        to = t;
        flag = CVode(cv->mem, stop, cv->x, &to, CV_ONE_STEP);
        status = cvodes_check(ctx, cv, flag);
        if (status == SENS_OK) status = cvodes_count_trials(ctx, cv, cv->mem, fw->parts, count);
        if (status == SENS_OK) status = tell_step(ctx, cv, t, to);
    }
    return status;
}

/* The parts of G and dG that are integrals. */
static sens_status add_integrals(struct sens_ctx *ctx, struct cvodes_forward *fw)
{
    const struct cvodes *cv = &fw->cv;
    const size_t at = cv->extra > 0 ? cv->n : 0;
    N_Vector g = fw->quadratures ? fw->g : cv->x, *g_S = fw->quadratures ? fw->g_S : fw->S;
    realtype t;
    int flag = CV_SUCCESS;
    if (fw->quadratures) flag = CVodeGetQuad(cv->mem, &t, fw->g);
    if (flag == CV_SUCCESS && fw->quadratures && fw->ns > 0) flag = CVodeGetQuadSens(cv->mem, &t, fw->g_S);
    for (size_t c = 0; flag == CV_SUCCESS && c < cv->m; c++) {
        fw->G[c] += NV_DATA_S(g)[at + c];
        for (size_t k = 0; k < fw->ns; k++) fw->dG[k * cv->m + c] += NV_DATA_S(g_S[k])[at + c];
    }
    return cvodes_check(ctx, cv, flag);
}

static sens_status solve(struct sens_ctx *ctx, struct cvodes_forward *fw, struct cvodes_count *count)
{
    struct cvodes *cv = &fw->cv;
    realtype t = cv->problem->t0;
    sens_status status = start(ctx, fw);
    if (status == SENS_OK && cv->stops.obs_at_t0 >= 0) observe(fw, (size_t)cv->stops.obs_at_t0);
    for (size_t j = 0; j < cv->stops.n && status == SENS_OK; j++) {
        status = advance(ctx, fw, t, cv->stops.t[j], count);
        if (status != SENS_OK) return status;
        t = cv->stops.t[j];
        realtype got;
        if (fw->ns > 0) status = cvodes_check(ctx, cv, CVodeGetSens(cv->mem, &got, fw->S));
        if (status == SENS_OK && cv->stops.obs[j] >= 0) observe(fw, (size_t)cv->stops.obs[j]);
    }
    return status == SENS_OK && cv->cost->type->g ? add_integrals(ctx, fw) : status;
}

static sens_status write_results(struct sens_ctx *ctx, const struct cvodes_forward *fw,
                                 const struct sens_out *out)
{
    const struct cvodes *cv = &fw->cv;
    const size_t n = cv->n, m = cv->m, np = fw->np;
    const sens_real *x = NV_DATA_S(cv->x);
    if (!sens_finite(n, x) || !sens_finite(m, fw->G) || !sens_finite(fw->ns * m, fw->dG))
        return sens_fail(ctx, SENS_DIVERGED, "CVODES returned numbers that are not finite");
    memcpy(out->x, x, n * sizeof *x);
    memcpy(out->G, fw->G, m * sizeof *fw->G);
    for (size_t c = 0; c < m; c++) {
        for (size_t k = 0; k < np; k++) out->dGdp[c * np + k] = fw->dG[k * m + c];
        for (size_t k = np; k < fw->ns; k++) out->dGdx0[c * n + k - np] = fw->dG[k * m + c];
    }
    return SENS_OK;
}

/* Vectors that Newton's iterations solved for: one of the state, and those of the sensitivities that the
 * corrector takes in one iteration. */
static long solved_vectors(const struct cvodes_forward *fw, const struct cvodes_count *count)
{
    const long ns = (long)fw->ns;
    if (corrector(fw) == CV_SIMULTANEOUS) return count->newton * (1 + ns);
    return count->newton + count->newton_sens * (corrector(fw) == CV_STAGGERED ? ns : 1);
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    struct cvodes_forward *fw = state;
    struct cvodes_count count = {.steps = 0};
    const double begin = sens_now(ctx);
    sens_status status = solve(ctx, fw, &count);
    if (status == SENS_OK) status = write_results(ctx, fw, out);
    if (status != SENS_OK) return status;
    *work = (struct sens_work){.steps = count.steps,
                               .rejects = count.rejects,
                               .t_forward = sens_now(ctx) - begin,
                               .lanes = 1,
                               .threads = 1,
                               .jvp = fw->declared,
                               .factorisations = count.factorisations,
                               .solves = solved_vectors(fw, &count),
                               .newton = count.newton + count.newton_sens};
    return SENS_OK;
}

/* CVODES as shipped: CVodeSetSensErrCon is not called. */
static const char SENSITIVITIES_OUTSIDE[] =
    "sensitivities are outside the error test, CVODES' default: errcon=inside mends it";
static const char SENSITIVITIES_SCALED[] =
    "tolerances of sensitivities are the state's over the parameter's size, as CVodeSensEEtolerances makes "
    "them, and the sizes are 1e-9 here: scale=none mends it";
static const struct sens_limit limits[] = {
    {"test.inside", "*errcon=outside*", SENSITIVITIES_OUTSIDE, .always = true},
    {"test.inside", "*", SENSITIVITIES_SCALED, .always = true},
    {.check = NULL},
};

SENS_METHOD(cvodes_forward) = {
    .name = "cvodes_forward",
    .summary = "forward sensitivities by SUNDIALS CVODES, Adams or BDF",
    .reference = CVODES_REFERENCE,
    .derivative = SENS_DERIVATIVE_CONTINUOUS,
    .caps = SENS_CAP_TOLERANCE | SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS,
    .options = options,
    .prepare = prepare,
    .run = run,
    .release = release,
    .library = cvodes_library,
    .limits = limits,
};
