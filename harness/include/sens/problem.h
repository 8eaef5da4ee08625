/* sens/problem.h - an initial value problem x' = f(t, x, p), x(t0) = x0(p), with its derivative products; or one
 * with a constant matrix in front, M x' = f(t, x, p).
 *
 * Shapes are row-major with the lane index last and contiguous: W [n][L] holds L vectors of length n.
 * Nothing aliases. Methods ask for t in [t0, t1], but for a few roundings. f is pure: the same (t, x, p) gives
 * the same bits. The products cannot fail: at a point where rhs would (an interpolated state may be one) they
 * write whatever they compute, and the methods reject results that are not finite. L and K are any counts
 * >= 0. */
#ifndef SENS_PROBLEM_H
#define SENS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "sens/context.h"
#include "sens/engine.h"
#include "sens/option.h"
#include "sens/real.h"
#include "sens/tableau.h"

struct sens_at { /* a point (t, x, p) */
    sens_real t;
    const sens_real *x; /* [n] */
    const sens_real *p; /* [np] */
};

struct sens_problem;
struct sens_problem_type;
struct sens_model; /* equations given as text or as operations; a module has none */

/* Where a sparse matrix may be nonzero, by rows: entries start[r] <= e < start[r + 1] of row r, in columns
 * col[e], ascending. */
struct sens_pattern {
    size_t rows, cols;
    const size_t *start; /* [rows + 1] */
    const size_t *col;   /* [start[rows]] */
};

/* The mass matrix of M x' = f(t, x, p): constant, its entries by rows. All x may be differential, M then is
 * nonsingular; or rows of M are 0, and their equations, 0 = f_i(t, x, p), algebraic. These have to fix what the other
 * rows leave open (index 1): M with its rows of zeros replaced by those of df/dx is nonsingular. x0(p) satisfies them.
 * Given, it is given to the solver as it is: a problem that x' = f would do for has none. */
struct sens_mass {
    struct sens_pattern pattern; /* [n][n]; one that is full is a dense matrix */
    const sens_real *value;      /* [entries] in its order, finite */
};

/* A direction in (t, x, p) for each of L lanes; NULL: that part is 0. */
struct sens_direction {
    const sens_real *t; /* [L] */
    const sens_real *x; /* [n][L] */
    const sens_real *p; /* [np][L] */
};

/* A block of parameters that enter through an outer product: for i < n and j < cols,
 * df_i/dp_(first + i cols + j) = s_i phi_j, and no other component of f depends on it. */
struct sens_outer {
    size_t first, cols;
};

/* What a problem declares of its derivatives, each part optional: the same as the products give, as numbers
 * that a method may form once at a point and use for many vectors. A function that is NULL is not declared,
 * and the products are called. The functions overwrite their output.
 *     jacobian     df/dx: J [n][n], or the values in the order of sparsity
 *     jacobian_p   (df/dp)^T: the values in the order of sparsity_p
 *     outer        the factors s [n] and phi, cols numbers for each of the blocks after the other
 *     coupling, diagonal: beside outer and a dense jacobian, where df/dx = diag(d) + diag(s) M with the s of
 *         outer and one M for all points. coupling writes M [n][n], which depends on p alone and is formed
 *         once a solve; diagonal writes d [n] at a point. J^T W is then a product with M alone. */
struct sens_structure {
    void (*jacobian)(const struct sens_problem *pb, const struct sens_at *at, sens_real *J);
    void (*jacobian_p)(const struct sens_problem *pb, const struct sens_at *at, sens_real *value);
    void (*outer)(const struct sens_problem *pb, const struct sens_at *at, sens_real *s, sens_real *phi);
    void (*coupling)(const struct sens_problem *pb, const sens_real *p, sens_real *M);
    void (*diagonal)(const struct sens_problem *pb, const struct sens_at *at, sens_real *d);
    const struct sens_pattern *sparsity;   /* of df/dx [n][n]; NULL: jacobian is dense */
    const struct sens_pattern *sparsity_p; /* of (df/dp)^T [np][n]; beside jacobian_p */
    size_t n_blocks;                       /* of outer; they cover all np, in order */
    const struct sens_outer *blocks;       /* [n_blocks] */
    /* Vectors are multiplied by the products of the type for less than by jacobian; cotangents, than by jacobian_p.
     * Methods then form df/dx for linear systems alone, or where it is constant, and (df/dp)^T for columns. */
    bool jacobian_costs_more, jacobian_p_costs_more;
    bool jacobian_constant; /* jacobian depends on p alone: f is linear in x, whatever t and x */
};

/* What one derivative product costs: floating-point operations of rhs, and of each product a vector. An
 * addition or a multiplication is one, so are a subtraction, a division and a function such as sqrt; a change
 * of sign is none, and what the vectors of one call share (a Jacobian formed at the point) is not counted.
 * NaN: not known. */
struct sens_operations {
    double rhs, vjp, jvp, vjp_p, jvp_p;
    double jacobian; /* numbers that stand for df/dx, read once for a block of vectors; 0: none are kept */
};

struct sens_problem { /* an instance; immutable after create; memory belongs to the ctx it was created with */
    const struct sens_problem_type *type;
    size_t n, np;
    sens_real t0, t1;
    const sens_real *x0; /* [n] nominal initial state: the value of type->x0 at p, where it depends on p */
    const sens_real *p;  /* [np] nominal parameters; callbacks read theirs at sens_at.p, never here */
    const void *data;
    const struct sens_value *option;  /* [options of type] what it was created with */
    const struct sens_problem *inner; /* of a decorator (sens/decorate.h); else NULL */
    bool as_inner;                    /* beside it: the same f and x0(p), whatever else is another */
    bool x0_fixed; /* the initial state does not depend on p, although the type has an x0 */
    const struct sens_structure *structure; /* NULL: none is declared */
    const struct sens_mass *mass;           /* NULL: the identity; methods with SENS_CAP_MASS take others */
    /* f_I of a split f = f_E + f_I, which additive pairs (sens/tableau.h) take implicitly: a problem with the same n
     * and np, of which rhs, the four products and the structure are used; f_E is f - f_I, with the rounding of f_I. It
     * changes nothing but these steps. NULL: there is none. */
    const struct sens_problem *implicit;
    /* Steps that were made for this problem; a decorated one has none. NULL: the library takes them. */
    const struct sens_step_engine *engine;
};

/* Which exact solution: of the problem the equations approximate (a PDE), of the ODE, or of the discrete map
 * defined by a tableau and a fixed step. */
enum sens_exact_level { SENS_EXACT_PDE, SENS_EXACT_ODE, SENS_EXACT_DISCRETE };

struct sens_exact_query {
    enum sens_exact_level level;
    sens_real t;
    const struct sens_tableau *tableau; /* SENS_EXACT_DISCRETE only */
    sens_real dt;                       /* SENS_EXACT_DISCRETE only; t - t0 is a whole number of dt */
};

/* A relation between x(t1), S = dx(t1)/dp (total) and S0 = dx(t1)/dx0 (p held) that every right derivative
 * satisfies and that needs no reference. */
struct sens_identity {
    const char *name, *summary;
    bool discrete; /* holds to rounding for every Runge-Kutta map on any steps; else for the exact solution */
    size_t (*rows)(const struct sens_problem *pb);
    /* residual[r] = 0, and size[r] the same sum over absolute values, r < rows */
    void (*residual)(const struct sens_problem *pb, const sens_real *x1 /*[n]*/,
                     const sens_real *S /*[n][np]*/, const sens_real *S0 /*[n][n]*/, sens_real *residual,
                     sens_real *size);
};

/* Quantities h_k(t, x, p), k < count, that are measured, and that costs are made of; immutable. */
struct sens_observer {
    size_t count;
    const void *data;
    sens_real (*value)(const struct sens_observer *observer, const struct sens_at *at, size_t k);
    /* X[:,lane] += w dh_k/dx, P[:,lane] += w dh_k/dp, of L lanes; NULL: not wanted */
    void (*pull)(const struct sens_observer *observer, const struct sens_at *at, size_t k, sens_real w,
                 size_t lane, size_t L, sens_real *X /*[n][L]*/, sens_real *P /*[np][L]*/);
};

struct sens_problem_type {
    const char *name, *summary, *reference;
    const struct sens_option *options; /* ends with SENS_OPTIONS_END; may be NULL */

    /* Fills n, np, t0, t1, x0, p, data, x0_fixed, structure, mass, implicit of *problem from the arena. The nominal x0
     * and p are numbers that double holds exactly, so that every precision solves the same problem. SENS_BAD_INPUT
     * or SENS_NO_MEMORY. */
    sens_status (*create)(struct sens_ctx *ctx, const struct sens_value *option,
                          struct sens_problem *problem);

    sens_status (*rhs)(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx /*[n]*/);

    /* The four products. All NULL: they come from rhs, as vjp=NAME says (sens/provider.h), and its source is
     * compiled a second time, to be recorded (sens/recorded.h); so do x0_vjp and x0_jvp_cols, NULL as well. */

    /* OUT = (df/dx)^T W */
    void (*vjp)(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const sens_real *W /*[n][L]*/, sens_real *OUT /*[n][L]*/);
    /* OUT = (df/dx) V */
    void (*jvp)(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const sens_real *V /*[n][L]*/, sens_real *OUT /*[n][L]*/);
    /* OUT[:,l] += df/dp_(k0+l), l < L, k0 + L <= np */
    void (*jvp_p_cols)(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT /*[n][L]*/);
    /* MU += sum_k (df/dp)(t_k, X_k)^T W_k */
    void (*vjp_p_batch)(const struct sens_problem *pb, size_t K, const sens_real *t /*[K]*/,
                        const sens_real *X /*[K][n]*/, const sens_real *p, size_t L,
                        const sens_real *W /*[K][n][L]*/, sens_real *MU /*[np][L]*/);

    /* Optional: OUT = df/dt. A Rosenbrock step takes it beside J, unless the problem is autonomous. */
    void (*rhs_t)(const struct sens_problem *pb, const struct sens_at *at, sens_real *OUT /*[n]*/);

    /* Optional, second derivatives: for each lane l, with D the derivative along v[:,l],
     *     OUT[:,l] = D (df/dx)^T W[:,l],   MU[:,l] += D (df/dp)^T W[:,l]        MU NULL: not wanted
     * The adjoint of a Rosenbrock stage, which has J u + tau df/dt in it, takes v = (tau, u, 0); an adjoint
     * of second order takes v = (0, S, I) with S = dx/dp; W of unit vectors gives dJ/dv transposed, for
     * tangents. */
    void (*hvp)(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const sens_real *W /*[n][L]*/, sens_real *OUT /*[n][L]*/,
                sens_real *MU /*[np][L]*/);

    /* The cost of the products, for rates; NULL: as the structure says (sens_problem_operations). *ops holds
     * that already. */
    void (*operations)(const struct sens_problem *pb, struct sens_operations *ops);

    /* Where the initial state depends on p; all three NULL where it does for no instance, and not called for
     * one that is x0_fixed. */
    void (*x0)(const struct sens_problem *pb, const sens_real *p, sens_real *x /*[n]*/);
    void (*x0_vjp)(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W /*[n][L]*/,
                   sens_real *MU /*[np][L], += (dx0/dp)^T W*/);
    void (*x0_jvp_cols)(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT /*[n][L], OUT[:,l] += dx0/dp_(k0+l)*/);

    /* Optional closed form at q->t for parameters p and the nominal initial state (or x0(p)): x [n];
     * S [n][np] = dx/dp, total; S0 [n][n] = dx/dx0, p held. S and S0 may be NULL. false: none at this level
     * (nothing written). */
    bool (*exact)(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0);

    /* Optional: makes an observer of the quantities of these numbers, from the arena. SENS_BAD_INPUT,
     * SENS_NO_MEMORY. */
    sens_status (*observe)(struct sens_ctx *ctx, const struct sens_problem *pb, size_t count,
                           const size_t *quantity /*[count]*/, struct sens_observer *observer);

    const struct sens_identity *identities; /* ends with name == NULL; may be NULL */

    const struct sens_model *model; /* NULL, but of the functions that work from one */

    /* true: the problem has no bound on dG/dx0 worth storing (many states); wrt = p is then the default. */
    bool many_states;

    /* true: f does not depend on t. df/dt is then 0, with or without rhs_t. */
    bool autonomous;
};

/* Does the initial state of this instance depend on p? */
static inline bool sens_problem_x0_depends(const struct sens_problem *pb)
{
    return pb->type->x0 && !pb->x0_fixed;
}

/* x = x0(p): type->x0 where the initial state depends on p, the nominal x0 otherwise. */
void sens_problem_x0(const struct sens_problem *pb, const sens_real *p, sens_real *x /*[n]*/);

/* The cost of each product: what follows from its structure, with what the type says in its place; else
 * NaN. */
void sens_problem_operations(const struct sens_problem *pb, struct sens_operations *ops);

/* What the problem declares, never NULL. To do without: problem.structure = NULL. */
static inline const struct sens_structure *sens_structure_of(const struct sens_problem *pb)
{
    static const struct sens_structure none = {.jacobian = NULL};
    return pb->structure ? pb->structure : &none;
}

/* The engine of its steps by this tableau; NULL: there is none. */
static inline const struct sens_step_engine *sens_problem_engine(const struct sens_problem *pb,
                                                                 const struct sens_tableau *tableau)
{
    return pb->engine && pb->engine->tableau == tableau ? pb->engine : NULL;
}

/* Numbers in phi: the columns of all outer blocks. */
static inline size_t sens_structure_factors(const struct sens_structure *structure)
{
    size_t columns = 0;
    for (size_t b = 0; b < structure->n_blocks; b++) columns += structure->blocks[b].cols;
    return columns;
}

/* How long [t0, t1] has to be for steps, observations and stops inside to be different numbers of double: 1,024
 * roundings of the larger time. */
static inline double sens_interval_least(double t0, double t1)
{
    return 0x1p-42 * (t1 > -t0 ? t1 : -t0);
}

/* Calls type->create, checks what it filled (n > 0, t1 - t0 > 0 and at least sens_interval_least, pointers set,
 * finite), rounds x0 and p to double. */
sens_status sens_problem_create(struct sens_ctx *ctx, const struct sens_problem_type *type,
                                const struct sens_value *option, struct sens_problem *problem);

#define SENS_PROBLEM(id) const struct sens_problem_type sens_problem_##id SENS_LINK_NAME(sens_problem_##id)

#endif
