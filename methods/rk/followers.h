/* methods/rk/followers.h - components of a system that follow a leader: z' = F(t, y(t), z), where y is the
 * system that a solver integrates, and z falls into blocks that depend on y and on themselves only.
 *
 * The step of the whole system [y | z] is then done in parts: all stages of y first, then, for one block of z
 * after the other, all its stages, its candidate and its part of the error norm, while they are in cache. z
 * is read once a step and written once. The accepted steps are those of the whole system. A leader may have no
 * component: the blocks then depend on t alone, and on themselves. */
#ifndef SENS_FOLLOWERS_H
#define SENS_FOLLOWERS_H

#include "system.h"

struct sens_step; /* step.h */

struct sens_followers {
    size_t blocks;
    const size_t *offset;      /* [blocks + 1]: block b is z[q], offset[b] <= q < offset[b + 1] */
    const size_t *count;       /* [blocks]: as many of them are components; the others are 0 throughout */
    struct sens_ode_part part; /* z in the error test; its count is that of the blocks */
    /* Each block is [n of it][...], and a row has the tolerances of that component, in place of those of part. NULL:
     * part's, for all of z. */
    const struct sens_ode *rows;
    /* The leader at stage i is y at time t: where slope i will be asked for. y stays until the next trial. */
    void (*at)(void *self, int i, sens_real t, const sens_real *y);
    /* dz = F of block b at the point of stage i. */
    void (*slope)(void *self, int i, size_t b, const sens_real *z, sens_real *dz);
    /* For quadratures, both or neither: a trial step begins, whose leader's stage states are Y [stages][n],
     * and every stage state of every block in it. */
    void (*begin)(void *self, sens_real t, sens_real h, const sens_real *Y);
    void (*look)(void *self, int i, size_t b, const sens_real *z);
    /* By implicit formulas, whose stages are found together: all blocks, which are linear in z, over the trial of the
     * leader, whose stages are known. z1 [all], and where e [all] is not NULL h sum_i (b_i - bhat_i) k_i, before any
     * filter; f [all] is F at the start, where e is not NULL. Any status of a solve. NULL: explicit formulas alone. */
    sens_status (*step)(void *self, const struct sens_step *step, const sens_real *z, const sens_real *f,
                        sens_real *z1, sens_real *e);
    bool whole; /* explicit steps whose error is not tested are made by `step`, too */
    void *self;
};

/* Adds the estimates of block b, with the vectors of the trial beginning where it does, to the norm of a trial. */
void sens_followers_add(const struct sens_followers *who, const struct sens_controller *controller, size_t b,
                        const struct sens_trial *trial, struct sens_error_norm *norm);

#endif
