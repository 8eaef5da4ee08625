/* methods/rk/step.h - an accepted step, and the sequence of them that a solve leaves behind. */
#ifndef SENS_STEP_H
#define SENS_STEP_H

#include "sens/method.h"

struct sens_shifted; /* shifted.h */

/* Its vectors belong to the solver or the trajectory, valid until its next call. */
struct sens_step {
    long k;              /* 0, 1, ... */
    sens_real t, h, t1;  /* t1 is where the next step starts; the step taken is h, never t1 - t */
    const sens_real *y;  /* [n] at t */
    const sens_real *Y;  /* its stages, as the scheme keeps them (scheme.h); they begin with y */
    const sens_real *K;  /* [stages][n] slopes; NULL where a trajectory does not store them */
    const sens_real *y1; /* [n] at t1; NULL where a trajectory does not store it */
    const sens_real *z1; /* followers at t1; NULL: there are none, or a trajectory does not store them */
    long stop;           /* j when t1 is stops[j], else -1 */
    const struct sens_shifted *const
        *factors; /* those that it was taken with, as scheme.h says; NULL: a trajectory has not kept them */
    const struct sens_tableau *tableau; /* that took it: the solve's, or its part where that switches */
};

/* Step k goes from t[k] with h[k] to t[k + 1]. */
struct sens_grid {
    long n_steps;
    sens_real *t;                     /* [n_steps + 1] */
    sens_real *h;                     /* [n_steps] */
    long *stop;                       /* [n_steps] as in sens_step; NULL: not kept */
    const struct sens_tableau **part; /* [n_steps] of a tableau that switches, else NULL */
};

/* Times of a solve whose number of steps is known; memory from the arena. SENS_NO_MEMORY. */
sens_status sens_grid_create(struct sens_ctx *ctx, long n_steps, bool stops, struct sens_grid *grid);

/* Room for the parts of the steps, where the tableau switches. SENS_NO_MEMORY. */
sens_status sens_grid_parts(struct sens_ctx *ctx, const struct sens_tableau *tableau, struct sens_grid *grid);

/* Adds a step. SENS_NOT_REPEATABLE when there is no room for it. */
static inline sens_status sens_grid_keep(struct sens_grid *grid, const struct sens_step *step)
{
    const long k = step->k;
    if (k >= grid->n_steps) return SENS_NOT_REPEATABLE;
    grid->t[k] = step->t;
    grid->h[k] = step->h;
    grid->t[k + 1] = step->t1;
    if (grid->stop) grid->stop[k] = step->stop;
    if (grid->part) grid->part[k] = step->tableau;
    return SENS_OK;
}

/* What a solve of `steps` steps ended with, of which each was kept: SENS_NOT_REPEATABLE, with a message, when
 * they are not those that the grid was made for. */
sens_status sens_grid_check(struct sens_ctx *ctx, const struct sens_grid *grid, sens_status status,
                            long steps);

/* Time of stage i, the same expression wherever it is needed. */
static inline sens_real sens_stage_time(const struct sens_tableau *tableau, sens_real t, sens_real h, int i)
{
    return t + tableau->c[i] * h;
}

/* The nonzero ones among `count` weights of a sum over stages: weight[k] is that of stage[k], k < terms. */
struct sens_terms {
    int terms;
    int *stage;
    sens_real *weight;
};

/* Fills *terms; memory from the arena. SENS_NO_MEMORY. */
sens_status sens_terms_create(struct sens_ctx *ctx, int count, const sens_real *weight,
                              struct sens_terms *terms);

#endif
