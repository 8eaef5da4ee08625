/* methods/implicit/implicit.h - the current state of an implicit scheme, and what is known at it: the head of each
 * one's own struct, in the place of struct sens_scheme, with which it begins. */
#ifndef SENS_IMPLICIT_H
#define SENS_IMPLICIT_H

#include "along.h"
#include "mass.h"
#include "scheme.h"

struct sens_implicit {
    struct sens_scheme scheme;
    sens_real *own_Y; /* [stage_size] where the stages are unless they are given a place */
    sens_real *f;     /* [n] the slope at the current state, if f_known */
    bool f_known;
    bool J_known;                 /* the scheme's matrix holds df/dx at the current state */
    const struct sens_mass *M;    /* the problem's mass matrix; NULL: I, and the two below are not there */
    struct sens_mass_matrix mass; /* of it */
    sens_real *rate;              /* [n] x' */
    struct sens_along *along;     /* NULL: nothing goes along */
};

/* For a sens_scheme_type: `start`, and `slope`, which evaluates f once a state. */
void sens_implicit_start(struct sens_scheme *scheme, sens_real t, const sens_real *y, sens_real *place);
/* The candidate of the last trial becomes the current state, and what goes along with it. */
void sens_implicit_accept(struct sens_scheme *scheme, sens_real t1, sens_real *place);
sens_status sens_implicit_slope(struct sens_scheme *scheme, const sens_real **f);

/* For a sens_scheme_type: `follow`. */
sens_status sens_implicit_follow(struct sens_ctx *ctx, struct sens_scheme *scheme,
                                 const struct sens_followers *followers);

/* For a sens_scheme_type, `slope` with or without a mass matrix: x' at the current state. */
sens_status sens_implicit_derivative(struct sens_scheme *scheme, const sens_real **f);

/* What a mass matrix takes, if the problem has one. As sens_mass_matrix_create. */
sens_status sens_implicit_create_mass(struct sens_ctx *ctx, struct sens_implicit *head);

/* What a controller takes for x' in a trial step of h, [n]: f at its start, with a mass matrix (y1 - y) / h. */
const sens_real *sens_implicit_rate(struct sens_implicit *head, sens_real h);

/* Is an odd number of real eigenvalues beyond the pole of the matrix M - h gamma J with these factors (dirk.c)? The
 * sign of its determinant is held against the one for h gamma -> 0. */
static inline bool sens_implicit_beyond(const struct sens_implicit *head, const struct sens_shifted *factors)
{
    return sens_shifted_negative(factors) != head->mass.negative;
}

#endif
