/* methods/peers/cvodes/cvodes_adjoint.h - the state of cvodes_adjoint, and its way back
 * (cvodes_backward.c). */
#ifndef SENS_PEERS_CVODES_ADJOINT_H
#define SENS_PEERS_CVODES_ADJOINT_H

#include "cvodes.h"

struct cvodes_adjoint;

struct cvodes_backward { /* of the functionals c ... c + lanes - 1 */
    struct cvodes_adjoint *adjoint;
    size_t c, lanes;
    N_Vector l, q; /* [n][lanes], [np][lanes] */
    int which;     /* CVODES' number of it */
    const struct cvodes_solver *solver;
    struct cvodes_count count; /* of this run */
};

struct cvodes_adjoint {
    struct cvodes cv; /* first: CVODES hands its address to the forward problem's callbacks */
    size_t np;        /* parameters to differentiate with respect to */
    bool running;
    long interval;                    /* steps between checkpoints */
    N_Vector g;                       /* [m] running cost */
    size_t lanes, problems;           /* functionals in a backward problem, but for the last; of these */
    struct cvodes_backward *backward; /* [problems] */
    sens_real *stop_x;                /* [stops][n] */
    sens_real *x0;                    /* [n] */
    sens_real *G;                     /* [m] */
    sens_real *dGdp, *dGdx0;          /* [m][np], [m][n] */
};

/* SENS_STEP_LIMIT where these are more trials than the task allows. */
sens_status cvodes_limit_trials(struct sens_ctx *ctx, const struct cvodes_adjoint *adj,
                                const struct cvodes_count *count);

/* After the forward solve: dGdp, which holds what does not depend on l, and dGdx0. */
sens_status cvodes_solve_backward(struct sens_ctx *ctx, struct cvodes_adjoint *adj);

/* Of the backward problem with the most. */
struct cvodes_count cvodes_most_trials(const struct cvodes_adjoint *adj);
/* Adds what Newton took in all backward problems. */
void cvodes_add_newton(const struct cvodes_adjoint *adj, struct sens_work *work);

#endif
