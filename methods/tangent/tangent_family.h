/* methods/tangent/tangent_family.h - what differs in the discrete tangent from one family of schemes to
 * another: how a step carries s = dx/dq and dG/dq from its start to its end.
 *
 * The same for all families (discrete_tangent.c): directions and their lanes, initial values, observations,
 * results. A step is linearised once, and then every block of directions goes through it. */
#ifndef TANGENT_FAMILY_H
#define TANGENT_FAMILY_H

#include "gradient.h"
#include "products.h"
#include "step.h"

struct tangent_block { /* `count` directions in L lanes; the lanes after them stay 0 */
    const struct sens_problem *pb;
    const size_t *col; /* [count] directions: col < np is p_col, np + i is x0_i */
    size_t count, L;
    sens_real *s;  /* [n][L] */
    sens_real *dG; /* [m][L]; NULL where the cost has no running part */
    sens_real *
        column; /* [n][max(L, TANGENT_COLUMNS)] columns of df/dp before they are put into their lanes; shared */
    const sens_real
        *weight; /* [np] the last lane, behind the count, is sum_k weight_k p_k; NULL: there is none such */
};

enum { TANGENT_COLUMNS = 16 };

struct tangent_family {
    /* For n_cols directions in blocks of at most L lanes; weight: of all blocks that have one. Memory from the arena;
     * SENS_NO_MEMORY. */
    sens_status (*create)(struct sens_ctx *ctx, const struct sens_task *task, size_t L, size_t n_cols,
                          const sens_real *weight, void **own);

    /* From now on systems of implicit stages are iterated. NULL: none ever is. SENS_NO_MEMORY. */
    sens_status (*iterate)(struct sens_ctx *ctx, void *own);

    /* From now on steps may come with factors of the forward solve. NULL: nothing has to be made ready.
     * SENS_NO_MEMORY. */
    sens_status (*keep)(struct sens_ctx *ctx, void *own);

    /* A step, which stays until all blocks have gone through it. Any status of a solve. */
    sens_status (*linearise)(void *own, const struct sens_step *step);
    sens_status (*advance)(void *own, const struct sens_step *step, const struct tangent_block *block);

    /* Of a block that has just gone through a step, e [n][L] = h sum_i (b_i - bhat_i) k_i by the tableau's weights of
     * its estimate, for additive pairs the sum of the sizes of both parts; s: where it came from, f: df/dx s + df/dq
     * there, [n][L]. NULL: explicit steps alone. */
    void (*estimate)(void *own, const struct sens_step *step, const struct tangent_block *block,
                     const sens_real *s, const sens_real *f, sens_real *e);

    /* Adds the vectors multiplied, and forgets them: sens_products_count. */
    void (*count)(void *own, size_t idle, size_t lanes, struct sens_work *work);
};

extern const struct tangent_family tangent_runge_kutta; /* explicit and diagonally implicit */
extern const struct tangent_family tangent_firk;        /* fully implicit */
extern const struct tangent_family tangent_rosenbrock;
extern const struct tangent_family tangent_switched; /* the first, step by step */

/* ---- for families -------------------------------------------------------------------------------------- */

/* OUT [n][L] += df/dp of the block's parameters, where the products stand; products NULL: dx0/dp of them. */
void tangent_add_columns(const struct tangent_block *block, struct sens_products *products, sens_real *OUT);

/* dG += gradient S, S [n][L], and the explicit dependence on the block's parameters. */
void tangent_add_cost(const struct tangent_block *block, const struct sens_gradient *gradient,
                      const sens_real *S);

#endif
