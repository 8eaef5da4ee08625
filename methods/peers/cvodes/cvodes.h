/* methods/peers/cvodes/cvodes.h - what cvodes_forward and cvodes_adjoint share: SUNDIALS CVODES as a peer.
 *
 * CVODES (Serban & Hindmarsh 2005; user documentation of version 6.4) solves
 *
 *     x' = f(t, x, p)
 *
 * with variable-order, variable-step linear multistep formulas: lmm = adams (Adams-Moulton, orders 1 to 12,
 * which the manual recommends for nonstiff problems, with fixed-point iteration) or lmm = bdf (backward
 * differentiation formulas, orders 1 to 5, for stiff ones, with Newton's iteration and the LU of SUNDIALS
 * itself, dense or banded (cvodes_matrix.c); no BLAS). Errors are weighted root mean squares with weights
 * 1/(rtol |x_i| + atol). The first step is the task's dt where one is given, and CVODES' own estimate for dt
 * = auto. What has no option is CVODES' default.
 *
 * With vectors = optimised the operations on its vectors are compiled with -O3 for the baseline instruction
 * set, as all of this module is (the problem's products are those of the isa chosen); with shipped they are
 * those of the installed library, which Debian builds without optimisation: two to five times slower as a
 * whole (cvodes_vector.c). The rest of CVODES, its LU among it, is the installed library's in both cases.
 *
 * An N_Vector holds a state, or the [n][L] adjoints of L functionals (cvodes_adjoint); the forward
 * sensitivities, which CVODES keeps in one vector each, are multiplied with one lane. The vectors handed to
 * CVODES stand on arena memory, those it works with are clones that it allocates itself, all but those of
 * checkpoints and interpolation in prepare. A number that is not finite is answered by CVODES' recoverable
 * failure, as a positive status is. */
#ifndef SENS_PEERS_CVODES_H
#define SENS_PEERS_CVODES_H

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "jacobian.h"
#include "rules.h"
#include "sens/method.h"
#include "stops.h"

#define CVODES_REFERENCE                                                                                     \
    "Serban & Hindmarsh, CVODES: the sensitivity-enabled ODE solver in SUNDIALS, IDETC 2005; "               \
    "user documentation of CVODES 6.4"

enum { LMM_ADAMS, LMM_BDF };
extern const char *const cvodes_lmm_choices[];
#define CVODES_OPTION_LMM                                                                                    \
    {                                                                                                        \
        .name = "lmm", .kind = SENS_OPT_CHOICE, .fallback = LMM_ADAMS, .choices = cvodes_lmm_choices,        \
        .help = "multistep formulas: Adams with fixed-point iteration, or BDF with Newton's"                 \
    }

enum { VECTORS_OPTIMISED, VECTORS_SHIPPED };
extern const char *const cvodes_vectors_choices[];
#define CVODES_OPTION_VECTORS                                                                                \
    {                                                                                                        \
        .name = "vectors", .kind = SENS_OPT_CHOICE, .fallback = VECTORS_OPTIMISED,                           \
        .choices = cvodes_vectors_choices,                                                                   \
        .help = "vector operations compiled with our flags, or as the installed library has them"            \
    }

enum { MATRIX_AUTO, MATRIX_DENSE, MATRIX_BAND };
extern const char *const cvodes_matrix_choices[];
#define CVODES_OPTION_MATRIX                                                                                 \
    {                                                                                                        \
        .name = "matrix", .kind = SENS_OPT_CHOICE, .fallback = MATRIX_AUTO,                                  \
        .choices = cvodes_matrix_choices,                                                                    \
        .help = "of Newton's iteration; auto: band where the half-bandwidth is below n / 4"                  \
    }

enum { ERRCON_OUTSIDE, ERRCON_INSIDE };
extern const char *const cvodes_errcon_choices[];

/* The objects that solve the implicit equations of a step: of a fixed-point iteration only `nonlinear`. */
struct cvodes_solver {
    SUNNonlinearSolver nonlinear;
    SUNMatrix matrix;
    SUNLinearSolver block;  /* of SUNDIALS, for n equations */
    SUNLinearSolver shared; /* for lanes of them; NULL: there is one */
};

/* The one that CVODES is given. */
static inline SUNLinearSolver cvodes_linear(const struct cvodes_solver *solver)
{
    return solver->shared ? solver->shared : solver->block;
}

struct cvodes {
    const struct sens_task *task;
    const struct sens_problem *problem;
    const struct sens_cost *cost;
    size_t n, np, m;
    size_t extra; /* components of CVODES' state after the n: the running cost of cvodes_forward, 0 or m */
    sens_real *p; /* [np + 1] that callbacks see, CVODES' difference quotients move; and one without effect */
    int lmm;      /* LMM_ */
    int vector_kind; /* VECTORS_ */
    struct sens_stops stops;
    SUNContext context;
    void *mem; /* the forward problem */
    N_Vector x;
    struct cvodes_solver *solver; /* [solver_room] all that were made, to be freed after mem */
    size_t solvers, solver_room;
    struct sens_jacobian *jacobian[2]; /* for the states, for the adjoint; NULL: none declared, none needed */
    sens_real *value;                  /* of either */
    bool banded;
    size_t band;          /* half-bandwidth of the matrix */
    sens_real **diagonal; /* [n] into the matrix being filled */
    N_Vector *vector;     /* [room] all that were made, to be freed */
    size_t vectors, room;
    sens_status failed; /* fatal, of a callback */
    long failures;      /* of f, recoverable */
    long most_failures; /* that CVODES can be trusted with, see cvodes_distrust; then `distrust` is it */
    sens_status distrust;
    char message[160]; /* the first of CVODES since the run began */
};

/* Trial steps of one integrator: a reject is a failure of any part's error test or iteration. And Newton's
 * iterations, those of sensitivities apart where they are (staggered), and factorisations. */
struct cvodes_count {
    long steps, rejects, newton, newton_sens, factorisations;
};
enum { CVODES_QUAD = 1, CVODES_SENS = 2, CVODES_STAGGERED = 4, CVODES_QUAD_SENS = 8 }; /* beside the state */

/* ---- callbacks' access to the problem ------------------------------------------------------------------ */

/* The point (t, x, p), for the length of a call. */
#define CVODES_AT(cv, t, x) (&(const struct sens_at){(t), NV_DATA_S(x), (cv)->p})

static inline void cvodes_jvp(const struct cvodes *cv, realtype t, N_Vector x, const sens_real *v,
                              sens_real *out)
{
    cv->problem->type->jvp(cv->problem, CVODES_AT(cv, t, x), 1, v, out);
}

static inline void cvodes_jvp_p(const struct cvodes *cv, realtype t, N_Vector x, size_t k, sens_real *out)
{
    cv->problem->type->jvp_p_cols(cv->problem, CVODES_AT(cv, t, x), k, 1, out);
}

/* OUT [n][L] = (df/dx)^T W */
static inline void cvodes_vjp(const struct cvodes *cv, realtype t, N_Vector x, size_t L, const sens_real *W,
                              sens_real *OUT)
{
    cv->problem->type->vjp(cv->problem, CVODES_AT(cv, t, x), L, W, OUT);
}

/* OUT [np][L] += (df/dp)^T W */
static inline void cvodes_vjp_p(const struct cvodes *cv, realtype t, N_Vector x, size_t L, const sens_real *W,
                                sens_real *OUT)
{
    cv->problem->type->vjp_p_batch(cv->problem, 1, &t, NV_DATA_S(x), cv->p, L, W, OUT);
}

/* Does the problem declare its Jacobian? Then cv->jacobian is there whatever the formulas. */
static inline bool cvodes_has_jacobian(const struct cvodes *cv)
{
    return cv->jacobian[false] && sens_jacobian_declared(cv->jacobian[false]);
}

/* ---- cvodes_vector.c ---------------------------------------------------------------------------------- */

/* v, and what is cloned from it, with the operations of this file. */
void cvodes_vector_optimise(N_Vector v);

/* ---- cvodes_matrix.c ---------------------------------------------------------------------------------- */

/* Decides on band or dense, choice = MATRIX_; memory for filling, and the Jacobian where none is declared. */
sens_status cvodes_matrix_create(struct sens_ctx *ctx, int choice, struct cvodes *cv);
/* A = df/dx at a point, or -(df/dx)^T. A return value of CVODES' callbacks. */
int cvodes_matrix(struct cvodes *cv, realtype t, N_Vector x, bool adjoint, SUNMatrix A);

/* A solver for vectors like this one, which holds `lanes` systems of n equations; NULL: no memory. */
struct cvodes_solver *cvodes_solver_create(struct sens_ctx *ctx, struct cvodes *cv, N_Vector like,
                                           size_t lanes);
/* An empty one, for the caller to fill; it is freed with the others. */
struct cvodes_solver *cvodes_solver_new(struct cvodes *cv);
void cvodes_solvers_free(struct cvodes *cv);

/* ---- cvodes.c ----------------------------------------------------------------------------------------- */

struct cvodes_settings {
    int lmm;        /* LMM_ */
    int vectors;    /* VECTORS_ */
    size_t extra;   /* as in struct cvodes */
    int matrix;     /* MATRIX_ */
    size_t room;    /* how many more vectors will be made */
    size_t solvers; /* how many more solvers */
};

/* All of *cv but the solver, for a task. Whatever the status, cvodes_free is due. */
sens_status cvodes_create(struct sens_ctx *ctx, const struct sens_task *task,
                          const struct cvodes_settings *settings, struct cvodes *cv);
void cvodes_free(struct cvodes *cv);

/* A vector on arena memory, zeroed; NULL without memory. */
N_Vector cvodes_vector(struct sens_ctx *ctx, struct cvodes *cv, size_t n);

/* The integrator of x' = f with the task's tolerances and CVODES' callbacks; x need not hold anything yet. */
sens_status cvodes_init(struct sens_ctx *ctx, struct cvodes *cv);
/* Its state and solver, to begin anew at t0. Of a rerun too: nothing is left of the run before. */
sens_status cvodes_start(struct sens_ctx *ctx, struct cvodes *cv);

/* After more trials than max_steps. */
sens_status cvodes_step_limit(struct sens_ctx *ctx, const struct cvodes *cv);

/* CVODES' callback for the quadrature of a running cost's values, g [m]. */
int cvodes_running_cost(realtype t, N_Vector x, N_Vector g, void *self);

/* After `most` recoverable failures of f the next one ends the run, with this status: CVODES 6.4 does not
 * survive it. (1) When f fails at the state that a staggered corrector has found, the step is repeated from a
 * history that was not restored, and the result is wrong. (2) When it fails in the second forward pass where
 * it did not in the first, the pass takes more steps than memory was reserved for, and writes beyond it.
 * Until the next cvodes_start. */
void cvodes_distrust(struct cvodes *cv, long most, sens_status status);

/* A return value of CVODES as a status, with its message. A callback's fatal failure is one whatever CVODES
 * made of it: 6.4 overlooks that of f in CVodeF, for the slope it keeps at t0. */
sens_status cvodes_check(struct sens_ctx *ctx, const struct cvodes *cv, int flag);

sens_status cvodes_count_trials(struct sens_ctx *ctx, const struct cvodes *cv, void *mem, unsigned parts,
                                struct cvodes_count *count);

/* Name, version, build. */
const char *cvodes_library(const struct sens_method_type *type);

#endif
