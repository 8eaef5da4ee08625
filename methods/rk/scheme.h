/* methods/rk/scheme.h - who takes a step: all that a solver must not know of a family of formulas.
 *
 * The driver (solver.h) chooses h, lands on stops, counts, and shows what was accepted. A scheme holds the
 * current state and makes a trial step of it: its stages, a candidate for the state at the end, and the
 * scaled norm of the candidate's error. A family of tableaux is one file that ends in a sens_scheme_type, and
 * one line in scheme.c.
 *
 * How much may differ from an explicit formula:
 *   - the stages of a step may be anything that its reverse sweep needs (states, slopes, increments), as long
 *     as they begin with the state at the step's start;
 *   - what is carried from step to step (a slope, a Jacobian, its factors) is the scheme's own. Restaging
 * must give the bits of the solve all the same: what cannot be had again from the state alone belongs into
 * the stages, behind it;
 *   - a trial may fail, recoverably, for reasons of its own (a matrix that is singular, an iteration that
 * does not converge): the driver then tries a smaller step, as where f fails;
 *   - the error estimate is made inside the trial, where a system may be solved to filter it. */
#ifndef SENS_SCHEME_H
#define SENS_SCHEME_H

#include "step.h"
#include "system.h"

struct sens_followers; /* followers.h */
struct sens_shifted;   /* shifted.h */

/* What a scheme works on. Copied; what it points to must outlive the scheme. */
struct sens_scheme_setup {
    const struct sens_ode *ode;
    const struct sens_tableau *tableau;
    const struct sens_controller *controller; /* its norm; NULL: no trial will be made, only restaging */
};

/* Operations since the scheme was created, those of trials that failed among them. */
struct sens_scheme_work {
    long slopes;                         /* evaluations of f */
    long factorisations, solves, newton; /* as in sens_work */
    double residual;                     /* likewise, over the accepted steps */
    long steps_implicit;                 /* likewise */
};

/* What the stages of a trial were solved with: one system, or a real and a complex one (firk_matrix.h). After an
 * accepted trial each may be exchanged for another like it, whose factors do not count. */
enum { SENS_SCHEME_SYSTEMS = 2 };
struct sens_scheme_systems {
    size_t count;
    struct sens_shifted **at[SENS_SCHEME_SYSTEMS]; /* [count] where the scheme has them */
    bool its; /* the factors are those of the trial itself, at its start or at one of its stages */
};

struct sens_scheme { /* the head of each scheme's own struct */
    const struct sens_scheme_type *type;
    struct sens_scheme_setup with;
    const struct sens_tableau *part; /* of the trial at hand: the tableau, or its part where that switches */
    size_t stage_size;               /* numbers of a step's stages */
    size_t bytes;                    /* of its vectors */
    sens_real t;                     /* of the current state */
    sens_real *Y;       /* [stage_size] stages of the trial at hand; they begin with the current state, [n] */
    const sens_real *K; /* [stages][n] slopes at them; NULL where the scheme has none */
    const sens_real *y1; /* [n] candidate of the last trial */
    sens_real *z;        /* the followers' current state, set by their owner before a solve; NULL: none */
    const sens_real *z1; /* their candidate */
    sens_real *f1;       /* [n] slope at the end of a step, for the cubic below; NULL: not asked for */
    struct sens_scheme_work did;
};

/* Dense output: the numbers of one interpolant; the interpolant of an accepted step as it is shown to an
 * watcher, any status of f; and y(t + theta h), theta in [0, 1]. */
struct sens_scheme_dense {
    sens_status (*create)(struct sens_ctx *ctx, struct sens_scheme *scheme, size_t *size);
    sens_status (*build)(struct sens_scheme *scheme, const struct sens_step *step, sens_real *coef);
    void (*eval)(const struct sens_scheme *scheme, const sens_real *coef, sens_real theta, sens_real *y);
};

/* `place`, everywhere: where the next step's stages are to be written, [stage_size]; NULL: where the scheme
 * likes. Nothing but create, follow and dense->create allocates. */
struct sens_scheme_type {
    /* Memory from the arena. SENS_NO_MEMORY. */
    sens_status (*create)(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                          struct sens_scheme **scheme);

    /* From now on these go along with the state, by the same formula. NULL: the scheme takes none. */
    sens_status (*follow)(struct sens_ctx *ctx, struct sens_scheme *scheme,
                          const struct sens_followers *followers);

    /* y [n] at t becomes the current state, and nothing else is known. */
    void (*start)(struct sens_scheme *scheme, sens_real t, const sens_real *y, sens_real *place);

    /* *f = f(t, y) at the current state, [n], valid until the next call. Any status of f. */
    sens_status (*slope)(struct sens_scheme *scheme, const sens_real **f);

    /* A trial step of h: sets Y, K, y1 and z1. *err, unless err is NULL: the controller's norm of its error;
     * NaN when an estimate is not finite. Recoverable: SENS_NONFINITE when a candidate is not finite, a
     * status of f or of the scheme's own; the current state is as before. A fatal one ends the solve. */
    sens_status (*try)(struct sens_scheme *scheme, sens_real h, sens_real *err);

    /* The candidates become the current state, at t1, which is t + h or differs from it by rounding. */
    void (*accept)(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *place);

    /* From the current state, the stages of the step h, which was accepted once: bit for bit those of the
     * trial. Then, unless `next` is NULL, its end becomes the current state, at t1, with its place there.
     * Makes no estimate, and nothing that no further step needs. Any status of f. */
    sens_status (*restage)(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *next);

    /* The systems that the trial at hand was solved with. NULL: the scheme has none. */
    struct sens_scheme_systems (*systems)(struct sens_scheme *scheme);

    /* The next step is one by this part of the tableau, whatever the scheme itself would choose: for restaging and
     * replays, before each step. NULL: there is nothing to choose. */
    void (*take)(struct sens_scheme *scheme, const struct sens_tableau *part);

    const struct sens_scheme_dense *dense;
};

extern const struct sens_scheme_type sens_scheme_explicit;
extern const struct sens_scheme_type sens_scheme_dirk;
extern const struct sens_scheme_type sens_scheme_firk;
extern const struct sens_scheme_type sens_scheme_rosenbrock;
extern const struct sens_scheme_type sens_scheme_switched;

/* By the cubic Hermite polynomial, for a scheme whose K begins with the slope at the step's start. */
extern const struct sens_scheme_dense sens_scheme_cubic;

/* Adds what the scheme did for implicit stages since the last call to *work, and forgets it. */
void sens_scheme_count(struct sens_scheme *scheme, struct sens_work *work);

/* Before step k of a given grid. */
static inline void sens_scheme_take(struct sens_scheme *scheme, const struct sens_grid *grid, long k)
{
    if (scheme->type->take) scheme->type->take(scheme, grid->part[k]);
}

/* The scheme of the tableau's family. SENS_NO_MEMORY; SENS_UNSUPPORTED where there is none. */
sens_status sens_scheme_create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                               struct sens_scheme **scheme);

#endif
