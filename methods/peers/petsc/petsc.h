/* methods/peers/petsc/petsc.h - what the files of the PETSc module share.
 *
 * PETSc's own TS solves the state and TSAdjoint the gradients of all m outputs, as its manual shows:
 * TSSetCostGradients, a trajectory in memory, a quadrature TS for the running cost. Functions in this header
 * that return a PetscErrorCode leave their message with the error handler, see petsc_library.c. */
#ifndef PEERS_PETSC_H
#define PEERS_PETSC_H

#include <petscts.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "the arrays of a task are handed to PETSc as they are: it has to be built for real numbers in double"
#endif

#include "jacobian.h"
#include "rules.h"
#include "sens/method.h"
#include "stops.h"

/* A point, as the callbacks of problems and costs take it. */
#define PETSC_AT(problem, time, state) (&(const struct sens_at){(time), (state), (problem)->p})

enum petsc_jacobian { PETSC_JACOBIAN_AUTO, PETSC_JACOBIAN_MATRIX_FREE, PETSC_JACOBIAN_EXPLICIT };
enum petsc_adapt { PETSC_ADAPT_BASIC, PETSC_ADAPT_NONE };
enum petsc_landing { PETSC_LANDING_MATCHSTEP, PETSC_LANDING_CUT };

/* The scheme that a task asks for, and how. */
struct petsc_settings {
    const char *ts_type; /* TSRK, TSCN, ... */
    const char *rk_type; /* NULL unless ts_type is TSRK */
    bool implicit;       /* solves for its stages: needs the Jacobian as a matrix */
    enum petsc_jacobian jacobian;
    enum petsc_adapt adapt;
    enum petsc_landing landing;
    bool restores; /* the state exactly after a rejected step, which PETSc does not */
};

/* A matrix that PETSc asks for at a point: df/dx or df/dp. */
struct petsc_matrix {
    const struct sens_problem *pb;
    Mat mat;
    bool parameters; /* df/dp */
    bool shell;
    double t;                       /* the point of a shell */
    const double *x;                /* [n] */
    PetscInt *start;                /* rows of a sparse matrix; NULL: dense */
    PetscInt *col;                  /* [start[rows]] */
    size_t *place;                  /* where a declared value belongs; NULL: in the order of declaration */
    size_t declared;                /* values that the problem writes for a sparse matrix */
    double *value;                  /* [declared], or a dense matrix by rows */
    struct sens_jacobian *jacobian; /* of an explicit df/dx */
};

struct petsc_peer {
    const struct sens_task *task;
    struct petsc_settings settings;
    struct sens_stops stops;
    size_t n, np, m;
    bool wants_p, wants_x0;

    TS ts, quadrature;
    TSTrajectory trajectory;
    struct petsc_matrix jacobian, jacobian_p;
    Mat drdu, drdp; /* of the running cost: [n][m], [np][m] by columns */
    Vec x;
    Vec *lambda, *mu;   /* [m]; their arrays are the caller's, during a run */
    double *lambda_own; /* [m][n] where the caller takes no dG/dx0 */
    bool built, broken; /* the objects above are there; a run failed and they must be made anew */

    int order;         /* of the scheme */
    bool forgets;      /* a sweep starts with what the one before left, fault 1 of petsc_tableau.c */
    PetscInt stages;   /* that the trajectory stores a step */
    double first_step; /* of a fixed step: the one that fits; 0: by rule */
    long expected;     /* fixed steps in all; 0 where they are adapted */
    long capacity;     /* of the trajectory: steps */
    double *x0;        /* [n] */
    double *scratch;   /* [3][n], the first step */
    double *x_stop;    /* [stops.n][n] states at the stops */
    PetscInt *step;    /* [stops.n] number of steps to each stop */

    bool forward;    /* in the solve that carries the state forward, not where a step is recomputed */
    bool cuts;       /* steps, to land on stops */
    bool listens;    /* the listener is served */
    size_t next;     /* stop */
    double *x_step;  /* [n] state at the start of the step; NULL unless it is restored */
    bool tried;      /* the step at hand */
    double proposed; /* step before it was cut to land on a stop; 0 if it was not */
    double after;    /* step that follows a stop, 0: PETSc's */

    sens_status status; /* of a callback; SENS_OK */
    char message[192];  /* PETSc's first */
};

/* ---- petsc_library.c ---- */

/* Starts PETSc (and MPI) in this process unless it has been. Refuses another version than the headers'. */
sens_status petsc_start(struct sens_ctx *ctx);
const char *petsc_library(const struct sens_method_type *type);
/* Between these, PETSc's messages go to peer->message and nowhere else. Without success of the first there is
 * nothing to end. */
sens_status petsc_listen(struct sens_ctx *ctx, struct petsc_peer *peer);
void petsc_unlisten(void);
/* What an error code means, with the message kept. */
sens_status petsc_explain(struct sens_ctx *ctx, const struct petsc_peer *peer, PetscErrorCode code);

/* ---- petsc_tableau.c ---- */

enum { PETSC_NAME = 64 };
/* Registers the tableau under a name made of its own and its coefficients, unless it has been. */
PetscErrorCode petsc_register(struct sens_ctx *ctx, const struct sens_tableau *tableau,
                              char name[PETSC_NAME]);

/* ---- petsc_matrix.c ---- */

/* Memory from the arena. `diagonal`: a matrix to which PETSc adds a multiple of the unit matrix. */
sens_status petsc_matrix_prepare(struct sens_ctx *ctx, const struct sens_problem *pb, bool shell,
                                 bool diagonal, struct petsc_matrix *jacobian);
sens_status petsc_matrix_p_prepare(struct sens_ctx *ctx, const struct sens_problem *pb, bool shell,
                                   struct petsc_matrix *jacobian_p);
PetscErrorCode petsc_matrix_create(struct petsc_matrix *jacobian);
/* Callbacks, context: the matrix. */
PetscErrorCode petsc_matrix_fill(TS ts, PetscReal t, Vec x, Mat J, Mat preconditioner, void *matrix);
PetscErrorCode petsc_matrix_p_fill(TS ts, PetscReal t, Vec x, Mat J, void *matrix);

/* ---- petsc_steps.c ---- */

/* The step of a fixed-step solve that fits every segment, or SENS_DT_MISFIT. */
sens_status petsc_fit_steps(struct sens_ctx *ctx, struct petsc_peer *peer);
PetscErrorCode petsc_steps_attach(struct petsc_peer *peer);
/* From t0 to t1; fills x_stop, step. */
PetscErrorCode petsc_forward(struct petsc_peer *peer, PetscInt max_steps, struct sens_work *work);
/* Did the forward solve that returned without an error code get there? */
sens_status petsc_forward_status(struct sens_ctx *ctx, const struct petsc_peer *peer, PetscInt max_steps,
                                 const struct sens_work *work);

/* ---- petsc_cost.c ---- */

PetscErrorCode petsc_quadrature_create(struct petsc_peer *peer);
PetscErrorCode petsc_quadrature_clear(struct petsc_peer *peer);
PetscErrorCode petsc_backward(struct petsc_peer *peer, const struct sens_out *out);

/* ---- petsc_solve.c ---- */

sens_status petsc_prepare(struct sens_ctx *ctx, const struct sens_task *task,
                          const struct petsc_settings *settings, void **state);
sens_status petsc_run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work);
void petsc_release(void *state);

#endif
