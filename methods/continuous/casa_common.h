/* methods/continuous/casa_common.h - the continuous adjoint system of a task, solved backwards after a
 * forward solve.
 *
 * With s = -t the backward system runs forwards and needs no change of sign,
 *
 *     dlambda/ds = (df/dx)^T lambda + g_x,   dmu/ds = (df/dp)^T lambda + g_p,
 *     lambda += phi_x and mu += phi_p at the observations t_j,
 *
 * from lambda(t1) = mu(t1) = 0; then dG/dx0 = lambda(t0), dG/dp = mu(t0) + (dx0/dp)^T lambda(t0). All m
 * outputs are one system, so that they share their steps and no result depends on the number of lanes. Its
 * state is z = [carried x | lambda | mu], lambda in lane blocks [n][width] one after another, then mu in
 * blocks [np][width]; every block has its true width. The variants differ only in where x(t) comes from.
 *
 * Nothing depends on mu. Outside the error test it is therefore no part of the system that is solved: after each
 * accepted step s -> s + h,
 *
 *     mu += h sum_i b_i ((df/dp)^T lambda_i + g_p)    at its stages,
 *
 * the sum that the pair would have made of it, up to rounding. Rejected steps, stages with b_i = 0 and the sums for
 * stage states ask for no product, and the products are deferred over many points (batch.h). */
#ifndef CASA_COMMON_H
#define CASA_COMMON_H

#include "batch.h"
#include "cost_sum.h"
#include "error_test.h"
#include "products.h"
#include "solver.h"

struct casa {
    const struct sens_task *task;
    size_t n, m, L;
    size_t np; /* 0 unless the gradient by parameters is asked for */
    struct sens_stops stops;
    sens_real *x0, *x1; /* [n] ends of the forward solve */
    sens_real *G;       /* [m] */
    struct sens_cost_sum cost;
    struct sens_problem_ode problem_system;
    struct sens_ode forward_ode;
    struct sens_solver_settings forward_settings, backward_settings;
    struct sens_solver *forward, *backward;
    struct sens_solver_stats forward_stats, backward_stats;
    struct sens_products *products; /* at one point after the other, for all blocks of lambda */
    struct sens_batch *batch;       /* of that one point, or of `points`; NULL where np is 0 */
    size_t points;                  /* of a batch for mu outside the error test, else 0 */
    bool carries_mu;                /* mu is solved for with lambda */
    sens_real *kappa, *room;        /* [n][L] each */

    /* Set by the variant between casa_create_forward and casa_create_backward. */
    size_t carried; /* components of x in z: n where it is integrated back, else 0 */
    /* x(t) [n], valid until the next call; NULL where x is carried. */
    const sens_real *(*state)(void *self, sens_real t);
    void *self;

    struct sens_ode backward_ode;
    struct sens_ode_part part[3]; /* x, lambda, mu */
    size_t size;                  /* of z, whose first backward_ode.n numbers are solved for */
    sens_real *z;                 /* [size] */
};

/* mu in the error test or not. Outside costs less, and is what CVODES does unless it is told otherwise
 * (CVodeSetQuadErrConB); but where lambda is smooth and the integrand of mu is not, as where f jumps in time, nothing
 * then holds dG/dp to the tolerance. */
#define CASA_QUAD_TEST_OPTION                                                                                \
    {                                                                                                        \
        .name = "quad_test", .kind = SENS_OPT_CHOICE, .fallback = TEST_INSIDE,                               \
        .choices = error_test_choices, .help = "mu inside or outside the error test of the backward solve"   \
    }

/* Tolerances of lambda and mu; tested: takes part in the error test. */
struct casa_tolerances {
    sens_real rtol, atol;
    bool tested;
};

/* Fills *casa up to the forward solver; memory from the arena. SENS_NO_MEMORY. */
sens_status casa_create_forward(struct sens_ctx *ctx, const struct sens_task *task, struct casa *casa);

/* The backward solver. casa must not move any more. SENS_NO_MEMORY. */
sens_status casa_create_backward(struct sens_ctx *ctx, struct casa *casa, struct casa_tolerances lambda,
                                 struct casa_tolerances mu);

/* x1, and G when the watcher passes its steps to sens_cost_sum_step. Any status of a solve. */
sens_status casa_solve_forward(struct sens_ctx *ctx, struct casa *casa,
                               const struct sens_step_watcher *watcher);

/* lambda and mu, from t1 to t0. Any status of a solve. */
sens_status casa_solve_backward(struct sens_ctx *ctx, struct casa *casa);

/* The results of both solves; SENS_DIVERGED, and nothing written, where a gradient is not finite. */
sens_status casa_write(struct casa *casa, const struct sens_out *out);

/* Work of both solves; time: at the start, after the forward solve and at the end. */
struct sens_work casa_work(const struct casa *casa, const double time[3]);

#endif
