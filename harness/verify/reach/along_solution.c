/* The derivative of the whole solution, S = dx(t1)/dp u, against differences of whole solutions; see along.c.
 *
 *     x' = f(t, x, p),   s' = (df/dx) s + (df/dp) u,   s(t0) = (dx0/dp) u,   d(h) = (x(p + h u) - x(p - h u)) / (2 h)
 *
 * Where f jumps at a time or a state that moves with p, the solution's derivative has a term of its own there, and s
 * does not have it, although df/dx and df/dp are right everywhere else. */
#include <string.h>

#include "along.h"
#include "oracle.h"
#include "scene.h"

enum { MOST_STEPS = 2000, BUMPS = 3 };
/* What the errors of a solve do to a difference is measured: by solves at LOOSE. */
static const double TOL = 1e-10, LOOSE = 1e-8, BUMP = 0.04, ALIKE = 1e-4;

struct pair { /* x and s as one state of 2n */
    const struct sens_problem *pb;
    const double *u;
    double *F; /* [n][np] */
};

static sens_status pair_rhs(const struct sens_problem *both, const struct sens_at *at, double *dx)
{
    const struct pair *pair = both->data;
    const struct sens_problem *pb = pair->pb;
    const size_t n = pb->n, np = pb->np;
    const struct sens_at here = {at->t, at->x, pb->p};
    const sens_status status = pb->type->rhs(pb, &here, dx);
    if (status != SENS_OK) return status;
    pb->type->jvp(pb, &here, 1, at->x + n, dx + n);
    memset(pair->F, 0, n * np * sizeof *pair->F);
    pb->type->jvp_p_cols(pb, &here, 0, np, pair->F);
    for (size_t i = 0; i < n; i++) dx[n + i] += products_dot(np, pair->F + i * np, pair->u);
    return SENS_OK;
}

static const struct sens_problem_type pair_type = {.name = "pair", .rhs = pair_rhs};

/* x(t1) [n]. */
static sens_status solve(struct verify *v, const struct sens_problem *pb, double tol, double *x)
{
    const struct sens_tableau *tb = verify_formula(v, "dop853");
    const struct sens_cost none = {.n_obs = 0};
    struct grid grid = {.steps = 0};
    if (!tb) return SENS_UNAVAILABLE;
    struct rk_step step = rk_step_create(v, tb, pb->n);
    sens_status status = oracle_steps(v, pb, &none, tb, tol, MOST_STEPS, &grid);
    sens_problem_x0(pb, pb->p, x);
    for (long k = 0; k < grid.steps && status == SENS_OK; k++) {
        status = rk_step(pb, tb, grid.t[k], grid.h[k], x, &step);
        memcpy(x, step.x1, pb->n * sizeof *x);
    }
    grid_free(&grid);
    return status;
}

/* x(t1) and s(t1), one behind the other [2n], by the problem's products. */
static sens_status solve_pair(const struct subject *subject, const double *u, double tol, double *end)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    const size_t n = pb->n, np = pb->np;
    struct pair pair = {pb, u, verify_array(v, n * np)};
    double *const start = verify_array(v, 2 * n);
    sens_problem_x0(pb, pb->p, start);
    if (sens_problem_x0_depends(pb)) {
        pb->type->x0_jvp_cols(pb, pb->p, 0, np, pair.F);
        for (size_t i = 0; i < n; i++) start[n + i] = products_dot(np, pair.F + i * np, u);
    }
    const struct sens_problem both = {
        .type = &pair_type, .n = 2 * n, .t0 = pb->t0, .t1 = pb->t1, .x0 = start, .p = pb->p, .data = &pair};
    return solve(v, &both, tol, end);
}

/* d [n] over the bump h. */
static sens_status difference(const struct subject *subject, const double *u, double h, double *d)
{
    struct verify *v = subject->v;
    struct sens_problem there = *subject->pb;
    double *const p = verify_array(v, there.np), *const minus = verify_array(v, there.n);
    sens_status status = SENS_OK;
    there.p = p;
    for (int side = 0; side < 2 && status == SENS_OK; side++) {
        for (size_t k = 0; k < there.np; k++) p[k] = subject->pb->p[k] + (side ? h : -h) * u[k];
        status = solve(v, &there, TOL, side ? d : minus);
    }
    for (size_t i = 0; i < there.n; i++) d[i] = (d[i] - minus[i]) / (2 * h);
    return status;
}

/* A tenth of each parameter, up or down: none is left out by a small number drawn. */
static double *direction(const struct subject *subject)
{
    const size_t np = subject->pb->np;
    const double *const p = subject->pb->p;
    double *const u = verify_array(subject->v, np);
    for (size_t k = 0; k < np; k++)
        u[k] = (verify_uniform(subject->v, -1, 1) < 0 ? -0.1 : 0.1) * (p[k] != 0 ? fabs(p[k]) : 1);
    return u;
}

static sens_status compare(const struct subject *subject, struct worst *worst)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    double *const fine = verify_array(v, 2 * n), *const loose = verify_array(v, 2 * n), *d[BUMPS];
    const double *const u = direction(subject), *const s = fine + n, least = ldexp(BUMP, 1 - BUMPS);
    sens_status status = solve_pair(subject, u, TOL, fine);
    if (status == SENS_OK) status = solve_pair(subject, u, LOOSE, loose);
    for (int k = 0; k < BUMPS && status == SENS_OK; k++) {
        d[k] = verify_array(v, n);
        status = difference(subject, u, ldexp(BUMP, -k), d[k]);
    }
    for (size_t i = 0; i < n && status == SENS_OK; i++) {
        const double apart = fabs(d[0][i] - d[1][i]) + fabs(d[1][i] - d[2][i]);
        const double last = 64 * DBL_EPSILON * fabs(fine[i]) + TOL;
        const double noise = fabs(s[i] - loose[n + i]) + (fabs(fine[i] - loose[i]) + last) / least;
        if (apart > fabs(d[2][i]) / 10 + noise) continue; /* not one slope: nothing to compare with */
        worst_note(worst, fabs(d[2][i] - s[i]), 4 * (apart + noise) + ALIKE * (fabs(s[i]) + fabs(d[2][i])),
                   "x_%zu(t1) along a direction of p: %.6g by the products, %.6g, %.6g, %.6g by differences",
                   i, s[i], d[0][i], d[1][i], d[2][i]);
    }
    return status;
}

void along_check_solution(const struct subject *subject)
{
    struct verify_result result = subject_open(subject, "along.solution");
    struct worst worst = {.count = 0};
    if (subject->pb->np == 0)
        verify_skip(&result, "no parameters");
    else if (compare(subject, &worst) != SENS_OK)
        verify_skip(&result, "not solved by %d explicit steps", MOST_STEPS);
    else
        verify_judge_or(&result, &worst, "differences of whole solutions do not agree with one another");
    verify_blame(&result, CAUSE_jump_moves, 0.7);
    verify_close(subject->v, &result);
}
