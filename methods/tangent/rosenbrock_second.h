/* methods/tangent/rosenbrock_second.h - the second derivatives that the tangent of a Rosenbrock step takes, once a
 * step for all its directions:
 *
 *     H_i = D_i df/dx,   P_i = D_i df/dp,   D_i: the derivative at the step's start along (h gamma_i, u_i, 0)
 *
 * H_i comes from hvp with unit vectors, or with as few sums of them as the declared pattern has colours. So does
 *
 *     column k of P_i = (d/dp_k df/dx) u_i + h gamma_i d/dp_k df/dt:
 *
 * d/dp_k df/dx has the same pattern, and serves all stages; df/dt, which mostly does not depend on p, takes n unit
 * vectors a step where it does. Where all that is more than n unit vectors a stage, P_i comes from these. */
#ifndef ROSENBROCK_SECOND_H
#define ROSENBROCK_SECOND_H

#include "jacobian.h"
#include "rosenbrock.h"
#include "tangent_family.h"

/* D df/dx along a direction, as the df/dx of a problem whose vjp is hvp: what jacobian.h forms. */
struct rosenbrock_along {
    struct sens_problem_type type;
    struct sens_problem problem;
    struct sens_structure structure; /* the pattern alone */
    const struct sens_problem *of;
    sens_real tau, *u, *p; /* the direction: number, [n], [np] */
    sens_real *lanes;      /* [1 + n + np][UNITS] the same in many lanes */
    size_t width;          /* of them, as they are; 0: of another direction */
    bool of_state;         /* p is 0; else tau and u are */
    struct sens_jacobian *H;
};

struct rosenbrock_second { /* one a thread */
    const struct sens_problem *pb;
    const struct sens_rosenbrock *formula;
    struct rosenbrock_along along;
    size_t stages;
    sens_real *H;               /* [stages][entries] */
    const sens_real *weight;    /* [np]: P is one column, that of sum_k weight_k p_k; NULL: all */
    size_t columns;             /* of P */
    sens_real *P;               /* [stages][n][columns] */
    bool P_known;               /* of the step at hand */
    sens_real *P_t;             /* [n][columns] d/dt df/dp */
    sens_real *J_p;             /* [entries] d/dp_k df/dx */
    sens_real *unit, *OUT, *MU; /* [n][UNITS], [n][UNITS], [np][UNITS] */
};

/* The formula has to stay, and the weight of the blocks' last lanes, [np]; NULL: these are directions like others.
 * Memory from the arena; SENS_NO_MEMORY. */
sens_status rosenbrock_second_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     const struct sens_rosenbrock *formula, const sens_real *weight,
                                     struct rosenbrock_second *second);

/* H_i of a step, for all i. */
void rosenbrock_second_at(struct rosenbrock_second *second, const struct sens_step *step);

/* P_i of the same step, unless they are known. */
void rosenbrock_second_find_columns(struct rosenbrock_second *second, const struct sens_step *step);

/* OUT [n][L] += H_i S, S [n][L]. */
void rosenbrock_second_add(const struct rosenbrock_second *second, size_t i, size_t L, const sens_real *S,
                           sens_real *OUT);

/* OUT [n][L] += P_i in the lanes of the block's parameters. */
void rosenbrock_second_add_columns(const struct rosenbrock_second *second, size_t i,
                                   const struct tangent_block *block, sens_real *OUT);

#endif
