/* methods/products/gradient.h - the gradient of all functionals of a cost at one point, and its product with
 * blocks of directions S = dx/dq: what a tangent needs of
 *
 *     dG/dq += w (g_x S + g_q)   and   dG/dq += phi_x S + phi_q.
 *
 * It is evaluated once a point and multiplied with every block. */
#ifndef SENS_GRADIENT_H
#define SENS_GRADIENT_H

#include "sens/method.h"

struct sens_gradient {
    const struct sens_cost *cost;
    size_t n, np;  /* of the problem */
    size_t groups; /* of functionals, in lanes */
    sens_real *dx; /* [groups][n][lanes] */
    size_t *rows;  /* [groups][2]: components outside rows [0] ... [1] - 1 have no weight */
    sens_real *dp; /* [groups][np][lanes]; NULL where the cost does not depend on p */
};

/* `explicit_p`: with room for the dependence on p, where the cost has one. SENS_NO_MEMORY. */
sens_status sens_gradient_create(struct sens_ctx *ctx, const struct sens_task *task, bool explicit_p,
                                 struct sens_gradient *gradient);

/* w g_x and w g_p at a point. The cost has a running part. */
void sens_gradient_running(struct sens_gradient *gradient, const struct sens_at *at, sens_real w);

/* phi_x and phi_p of observation j. */
void sens_gradient_observed(struct sens_gradient *gradient, size_t j, const sens_real *x, const sens_real *p);

/* dG [m][L] += gradient S, S [n][L]. */
void sens_gradient_multiply(const struct sens_gradient *gradient, size_t L, const sens_real *S,
                            sens_real *dG);

/* The derivative of functional c with respect to p_k as it enters explicitly; dp is not NULL. */
sens_real sens_gradient_explicit(const struct sens_gradient *gradient, size_t c, size_t k);

#endif
