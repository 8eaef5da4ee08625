/* harness/extended/extended.h - reference solutions in extended precision, with a significand of 64 or 113 bits.
 *
 * The problems, costs and the ERK engine are compiled once more with sens_real = long double and sealed; this
 * function is the only way in. Its interface is therefore free of sens_real. With SENS_HAVE_QUAD they are there a
 * third time, with sens_real = _Float128, for what 64 bits are too few for; each operation is then a call of a
 * function. Two ways to a gradient are for problems that are not stiff. They share no more than the problem's own
 * primitives, and not all of those:
 *
 *     SENS_EXTENDED_ADJOINT   reverse: discrete adjoint of an explicit Runge-Kutta pair
 *                             (vjp, vjp_p_batch, x0_vjp)
 *     SENS_EXTENDED_GBS       forward: Gragg-Bulirsch-Stoer extrapolation of the variational equations
 *                             (jvp, jvp_p_cols, x0_jvp_cols), gbs.c
 *
 * Two are for stiff ones. Both are forward, by the same products; each has formulas of its own, and what they
 * share is the choice of steps (march.c) and the dense solver:
 *
 *     SENS_EXTENDED_RADAU     collocation of order 13, radau.c
 *     SENS_EXTENDED_EULER     extrapolation of the implicit Euler rule, euler.c */
#ifndef SENS_EXTENDED_H
#define SENS_EXTENDED_H

#include <stddef.h>

#include "sens/context.h"
#include "sens/option.h"
#include "sens/result.h"
#include "sens/status.h"

enum sens_extended_method {
    SENS_EXTENDED_ADJOINT,
    SENS_EXTENDED_GBS,
    SENS_EXTENDED_RADAU,
    SENS_EXTENDED_EULER
};

struct sens_model;

struct sens_extended_request {
    const char *problem, *cost;     /* names */
    const struct sens_model *model; /* where the equations of the problem are from; NULL: it is one of ours */
    const struct sens_option *model_options;             /* beside it, the table that problem_value goes by */
    const struct sens_value *problem_value, *cost_value; /* in the order of their option tables */
    const double *p;  /* [np] instead of the nominal parameters; NULL: nominal */
    const double *x0; /* [n] instead of the nominal initial state; NULL: nominal, or x0(p) */
    double t1;        /* final time */
    size_t rows;      /* outputs wanted; 0: all of them */
    const size_t *row;
    size_t cols; /* of the forward ways: columns wanted, k < np is p_k, np + i is x0_i; 0: all of `parts` */
    const size_t *col;
    unsigned parts; /* of the gradient: SENS_IN_DGDP, SENS_IN_DGDX0 */
    enum sens_extended_method method;
    const char *tableau; /* SENS_EXTENDED_ADJOINT: name of the pair */
    double tolerance;    /* relative; SENS_EXTENDED_ADJOINT: also absolute */
};

/* Caller-owned. With `rows` given, m below is `rows`. Entries of columns not asked for are left as they
 * are. */
struct sens_extended_result {
    SENS_RESULT_ARRAYS(long double); /* x, G and those of `parts`; others are not written */
    long steps, rejects;
};

/* SENS_UNAVAILABLE when the problem, the cost or the pair is not among the extended sources; SENS_UNSUPPORTED
 * for more states than an implicit way takes; otherwise any
 * status of a solve. Works in ctx's arena and gives all of it back. */
typedef sens_status sens_extended_function(struct sens_ctx *ctx, const struct sens_extended_request *request,
                                           struct sens_extended_result *result);
sens_extended_function sens_extended_solve; /* with 64 bits */
#if defined SENS_HAVE_QUAD || defined SENS_QUAD
sens_extended_function sens_quad_solve; /* with 113 bits, of which the result keeps 64 */
#endif

#endif
