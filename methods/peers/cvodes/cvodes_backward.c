/* The way back of cvodes_adjoint: from stop to stop, all functionals at once, see cvodes_adjoint.c. */
#include "cvodes_adjoint.h"

sens_status cvodes_limit_trials(struct sens_ctx *ctx, const struct cvodes_adjoint *adj,
                                const struct cvodes_count *count)
{
    return count->steps + count->rejects > adj->cv.task->max_steps ? cvodes_step_limit(ctx, &adj->cv)
                                                                   : SENS_OK;
}

/* l and q where CVodeB has left them. */
static int reached(const struct cvodes_adjoint *adj, const struct cvodes_backward *backward)
{
    realtype t;
    const int flag = CVodeGetB(adj->cv.mem, backward->which, &t, backward->l);
    if (flag != CV_SUCCESS || adj->np == 0) return flag;
    return CVodeGetQuadB(adj->cv.mem, backward->which, &t, backward->q);
}

/* l and q as they were reached, with the jump of stop j, begin anew from there. */
static int restart(struct cvodes_adjoint *adj, const struct cvodes_backward *backward, size_t j, bool first)
{
    const struct cvodes *cv = &adj->cv;
    const long obs = cv->stops.obs[j];
    int flag = CV_SUCCESS;
    N_VConst(0, backward->l);
    N_VConst(0, backward->q);
    if (!first) flag = reached(adj, backward);
    if (obs >= 0)
        cv->cost->type->phi_dx(cv->cost, (size_t)obs, adj->stop_x + j * cv->n, cv->p, backward->c,
                               backward->lanes, NV_DATA_S(backward->l));
    if (flag == CV_SUCCESS) flag = CVodeReInitB(cv->mem, backward->which, cv->stops.t[j], backward->l);
    if (flag == CV_SUCCESS && adj->np > 0) flag = CVodeQuadReInitB(cv->mem, backward->which, backward->q);
    return flag;
}

/* CVODES' counts begin anew with each piece between stops, and are added. */
static sens_status add_counts(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    const struct cvodes *cv = &adj->cv;
    sens_status status = SENS_OK;
    for (size_t c = 0; c < adj->problems && status == SENS_OK; c++) {
        struct cvodes_backward *backward = &adj->backward[c];
        struct cvodes_count piece = {.steps = 0};
        void *mem = CVodeGetAdjCVodeBmem(cv->mem, backward->which);
        status = cvodes_count_trials(ctx, cv, mem, adj->np > 0 ? CVODES_QUAD : 0, &piece);
        backward->count.steps += piece.steps;
        backward->count.rejects += piece.rejects;
        backward->count.newton += piece.newton;
        backward->count.factorisations += piece.factorisations;
        if (status == SENS_OK) status = cvodes_limit_trials(ctx, adj, &backward->count);
    }
    return status;
}

struct cvodes_count cvodes_most_trials(const struct cvodes_adjoint *adj)
{
    struct cvodes_count most = {.steps = 0};
    for (size_t c = 0; c < adj->problems; c++) {
        const struct cvodes_count *count = &adj->backward[c].count;
        if (count->steps + count->rejects > most.steps + most.rejects) most = *count;
    }
    return most;
}

void cvodes_add_newton(const struct cvodes_adjoint *adj, struct sens_work *work)
{
    for (size_t c = 0; c < adj->problems; c++) {
        const struct cvodes_backward *backward = &adj->backward[c];
        work->factorisations += backward->count.factorisations;
        work->newton += backward->count.newton;
        work->solves += backward->count.newton * (long)backward->lanes;
    }
}

/* What a backward problem gives at t0: lanes become rows. */
static int finish(struct cvodes_adjoint *adj, const struct cvodes_backward *backward)
{
    const struct cvodes *cv = &adj->cv;
    const struct sens_problem *pb = cv->problem;
    const size_t c = backward->c, L = backward->lanes;
    sens_real *l = NV_DATA_S(backward->l), *q = NV_DATA_S(backward->q);
    const int flag = reached(adj, backward);
    if (cv->stops.obs_at_t0 >= 0)
        cv->cost->type->phi_dx(cv->cost, (size_t)cv->stops.obs_at_t0, adj->x0, cv->p, c, L, l);
    for (size_t k = 0; k < adj->np * L; k++) q[k] = -q[k];
    if (adj->np > 0 && sens_problem_x0_depends(pb)) pb->type->x0_vjp(pb, cv->p, L, l, q);
    for (size_t lane = 0; lane < L; lane++) {
        sens_real *dGdp = adj->dGdp + (c + lane) * adj->np, *dGdx0 = adj->dGdx0 + (c + lane) * cv->n;
        for (size_t k = 0; k < adj->np; k++) dGdp[k] += q[k * L + lane];
        for (size_t i = 0; i < cv->n; i++) dGdx0[i] = l[i * L + lane];
    }
    return flag;
}

sens_status cvodes_solve_backward(struct sens_ctx *ctx, struct cvodes_adjoint *adj)
{
    const struct cvodes *cv = &adj->cv;
    const size_t stops = cv->stops.n;
    sens_status status = SENS_OK;
    for (size_t c = 0; c < adj->problems; c++) adj->backward[c].count = (struct cvodes_count){.steps = 0};
    for (size_t j = stops; j-- > 0 && status == SENS_OK;) {
        const realtype to = j > 0 ? cv->stops.t[j - 1] : cv->problem->t0;
        for (size_t c = 0; c < adj->problems && status == SENS_OK; c++)
            status = cvodes_check(ctx, cv, restart(adj, &adj->backward[c], j, j + 1 == stops));
        if (status == SENS_OK) status = cvodes_check(ctx, cv, CVodeB(cv->mem, to, CV_NORMAL));
        if (status == SENS_OK) status = add_counts(ctx, adj);
    }
    for (size_t c = 0; c < adj->problems && status == SENS_OK; c++)
        status = cvodes_check(ctx, cv, finish(adj, &adj->backward[c]));
    return status;
}
