/* methods/continuous/casa_common.h - the continuous adjoint system of a task, solved backwards after a
 * forward solve.
 *
 * With s = -t the backward system runs forwards and needs no change of sign,
 *
 *     dlambda/ds = (df/dx)^T lambda + g_x,   dmu/ds = (df/dp)^T lambda + g_p,
 *     lambda += phi_x and mu += phi_p at the observations t_j,
 *
 * from lambda(t1) = mu(t1) = 0; then dG/dx0 = lambda(t0), dG/dp = mu(t0) + (dx0/dp)^T lambda(t0). All m
 * outputs are one system, so that they share their steps and no result depends on the number of lanes. x, where it is
 * integrated back, leads; blocks of lanes, each [lambda (n) | mu (np)][width] of its true width, follow it
 * (rk/followers.h): what depends on x alone is found once a stage for all blocks, and a block does all its stages while
 * it is in cache. Where the steps are given, no block depends on another: groups of them are solved for one after the
 * other, as many as stay in the cache. The variants differ only in where x(t) comes from.
 *
 * Nothing depends on mu. Outside the error test it is therefore no part of the system that is solved: by each
 * accepted step s -> s + h,
 *
 *     mu += h sum_i b_i ((df/dp)^T lambda_i + g_p)    at its stages,
 *
 * the sum that the pair would have made of it, up to rounding. Rejected steps, stages with b_i = 0 and the sums for
 * stage states ask for no product, and the products are deferred over many points (batch.h): where a batch has no room
 * for a step, mu is solved for all the same. */
#ifndef CASA_COMMON_H
#define CASA_COMMON_H

#include "batch.h"
#include "cost_sum.h"
#include "error_test.h"
#include "followers.h"
#include "grid_step.h"
#include "products.h"
#include "solver.h"

struct casa {
    const struct sens_task *task;
    size_t n, m, L, blocks;
    size_t group;        /* blocks that are solved for together: all, or fewer */
    size_t first, taken; /* number of the first block of the group at hand, and how many it has */
    size_t np;           /* 0 unless the gradient by parameters is asked for */
    struct sens_stops stops;
    sens_real *x0, *x1; /* [n] ends of the forward solve */
    sens_real *x_back;  /* [n] x where the backward solve is, if it is carried */
    sens_real *G;       /* [m] */
    struct sens_cost_sum cost;
    struct sens_ode_part whole;
    struct sens_ode forward_ode;
    struct sens_solver_settings forward_settings, backward_settings;
    struct sens_solver *forward, *backward;
    struct sens_solver_stats forward_stats, backward_stats;

    /* The points of a backward step, by stage. */
    size_t stages;
    struct sens_at *at;              /* [stages] */
    sens_real *x;                    /* [stages][n] their x; NULL where it is carried */
    sens_real *d;                    /* [stages][n] of a coupled df/dx; else NULL */
    bool one;                        /* products are one for all points; else each has its own */
    struct sens_products **products; /* [stages] */
    struct sens_batch **batch;       /* [stages] of one point each, where mu is solved for; else NULL */
    sens_real *kappa, *room;         /* [n][L] each */

    /* Steps that are given, on a grid with one df/dx: a step of all stages at once, without mu; else NULL. */
    struct grid_step *grid;
    sens_real *W; /* [np][n] of the step at hand */

    /* mu outside of the system; else NULL and 0. */
    struct sens_batch *deferred;
    size_t points; /* it has room for */
    size_t kept;   /* in it, of accepted steps; then come those of the trial, one for each b_i other than 0 */
    sens_real h;   /* of that trial */
    struct sens_terms b; /* the stages that mu is a sum over */
    sens_real *mu;       /* in blocks [np][width], one after another */

    /* Set by the variant between casa_create_forward and casa_create_backward. */
    bool carried; /* x is integrated back */
    /* Writes x(t) [n]. NULL where x is carried. */
    void (*state)(void *self, sens_real t, sens_real *x);
    void *self;

    struct sens_ode backward_ode; /* the leader, of n components or none */
    struct sens_ode_part part;
    struct sens_ode rows; /* the tolerances of a block */
    struct sens_ode_part row_part[2];
    struct sens_followers followers; /* the blocks of the group at hand */
    size_t *offset, *count;
    sens_real *result; /* [lambda | mu] of all blocks in the end */
};

/* ---- what the files of the continuous adjoints share ---------------------------------------------------- */

/* Blocks are counted within the group at hand. */
static inline size_t casa_first_output(const struct casa *casa, size_t b)
{
    return (casa->first + b) * casa->L;
}

static inline size_t casa_block_width(const struct casa *casa, size_t b)
{
    const size_t left = casa->m - casa_first_output(casa, b);
    return left < casa->L ? left : casa->L;
}

/* The current state of block b: [n][width], and [np][width]. */
static inline sens_real *casa_lambda(const struct casa *casa, size_t b)
{
    return sens_solver_followers(casa->backward) + casa->offset[b];
}

static inline sens_real *casa_mu(const struct casa *casa, size_t b)
{
    return casa->mu ? casa->mu + casa->np * casa_first_output(casa, b)
                    : casa_lambda(casa, b) + casa->n * casa_block_width(casa, b);
}

/* at[i] is the point at s = -t, where x is carried with that x. */
void casa_set_point(const struct casa *casa, int i, sens_real s, const sens_real *x);

/* Room for mu and its products: outside of the system where it is not `tested` and a batch has room for the points of
 * a step, else batches of single points. SENS_NO_MEMORY. */
sens_status casa_create_quadrature(struct sens_ctx *ctx, struct casa *casa, bool tested);

/* mu outside: hooks of the followers and of the solver, for trials, the stages of their blocks, and accepted steps;
 * and the end of a group, when all points that were kept reach mu. */
void casa_deferred_begin(void *self, sens_real s, sens_real h, const sens_real *Y);
void casa_deferred_look(void *self, int i, size_t b, const sens_real *lambda);
sens_status casa_deferred_accept(void *self, const struct sens_step *step);
void casa_deferred_end(struct casa *casa);

/* ---- options -------------------------------------------------------------------------------------------- */

/* mu in the error test or not. Outside costs less, and is what CVODES does unless it is told otherwise
 * (CVodeSetQuadErrConB); but where lambda is smooth and the integrand of mu is not, as where f jumps in time, nothing
 * then holds dG/dp to the tolerance. */
#define CASA_QUAD_TEST_OPTION                                                                                \
    {                                                                                                        \
        .name = "quad_test", .kind = SENS_OPT_CHOICE, .fallback = TEST_INSIDE,                               \
        .choices = error_test_choices, .help = "mu inside or outside the error test of the backward solve"   \
    }

/* ---- for the variants ----------------------------------------------------------------------------------- */

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
