/* derive/generate/generate.h - from the graph of a right-hand side to C for it and for its derivative products.
 *
 * The text includes <math.h> and <stddef.h> alone, is in gcc's C (vector types; clang has them too), holds no
 * state that a caller sees, and defines, all of them for double, with n = the outputs of f and lanes contiguous
 * as in sens/problem.h:
 *
 *     void sens_generated_rhs(double t, const double *x, const double *p, double *dx);
 *     void sens_generated_rhs_t(double t, const double *x, const double *p, double *OUT);
 *     void sens_generated_vjp(double t, const double *x, const double *p, size_t L, const double *W, double *OUT);
 *     void sens_generated_vjp_p(double t, const double *x, const double *p, size_t L, const double *W, double *MU);
 *     void sens_generated_jvp(double t, const double *x, const double *p, size_t L, const double *V, double *OUT);
 *     void sens_generated_jvp_p(double t, const double *x, const double *p, size_t L, const double *V, double *OUT);
 *     void sens_generated_hvp(double t, const double *x, const double *p, size_t L, const struct direction *v,
 *                             const double *W, double *OUT, double *MU);
 *     void sens_generated_jacobian(double t, const double *x, const double *p, double *J);
 *     void sens_generated_jacobian_p(double t, const double *x, const double *p, double *value);
 *
 * vjp_p and the MU of hvp are added to, all else is overwritten; jvp_p takes V [np][L]. Of hvp, what v points to (a
 * struct sens_direction) and MU may be NULL, as in sens/problem.h. jacobian writes df/dx, jacobian_p (df/dp)^T: the
 * values in the order of found->sparsity and sparsity_p, or [n][n] and [np][n] where these are not given. Guards are
 * not looked at: where they do not hold what is written is not f.
 *
 * Vectors have as many numbers as the instruction set holds in one (`widest`: 8, 4 or 2). A wider one compiles, too,
 * but gcc 12 keeps it in memory: products with AVX2 then took ten to fifty times as long.
 *
 * Of lanes, only what is wanted is written (enum generate_call): each block of lanes is code of its own, most of which
 * no run ever calls, and the compiler's time is what all of it takes.
 *
 * Where there is such structure, as struct sens_structure has it (structure.h), also
 *     void sens_generated_s(double t, const double *x, const double *p, double *s);
 * and likewise sens_generated_phi, sens_generated_coupling (of p alone) and sens_generated_diagonal.
 *
 * To be compiled with -O2 -ffp-contract=fast -fno-math-errno -fno-trapping-math and the instruction set (-O3 takes
 * longer and gains little, of a long text nothing). Nothing is allocated; nothing but the functions of <math.h> is
 * called. Safe for any number of threads. */
#ifndef DERIVE_GENERATE_H
#define DERIVE_GENERATE_H

#include "graph.h"
#include "sens/problem.h"

enum generate_product {
    GENERATE_RHS,
    GENERATE_RHS_T,
    GENERATE_VJP,
    GENERATE_VJP_P,
    GENERATE_JVP,
    GENERATE_JVP_P,
    GENERATE_HVP, /* both parts, along x, t and p */
    GENERATE_JACOBIAN,
    GENERATE_JACOBIAN_P,
    GENERATE_S, /* these four: nothing is written where there is no such structure */
    GENERATE_PHI,
    GENERATE_COUPLING,
    GENERATE_DIAGONAL,
    GENERATE_PRODUCTS
};
enum { GENERATE_ALL = (1 << GENERATE_PRODUCTS) - 1 };

/* What calls of a product in lanes need: blocks of 16, 8, 4, 2 and 1 lanes, which are the bits of their number; the
 * function of calls with one lane; of hvp, also the parts of the direction, dt, dx and dp, and MU. */
enum generate_call {
    GENERATE_BLOCKS = 16 + 8 + 4 + 2 + 1,
    GENERATE_ONE_LANE = 32,
    GENERATE_ALONG = 64, /* times DERIVE_T, DERIVE_X or DERIVE_P (products.h) */
    GENERATE_MU = 512,
    GENERATE_ALL_CALLS = 1023
};

/* Calls that are compiled together, by their number of lanes. Which these are must depend on the number alone: the
 * compiler may contract a sum in one way in this text and in another in that, and a call has to give the same bits
 * whatever was called before. */
enum { GENERATE_CLASSES = 7 };
static inline unsigned generate_class_of(size_t L)
{
    static const unsigned char few[] = {4, 0, 1, 6, 2, 6, 6, 6, 3}; /* of 0 ... 8 lanes */
    if (L < sizeof few) return few[L];
    return L % 16 == 0 ? 4 : L % 4 == 0 ? 5 : 6;
}
static inline unsigned generate_call_of(size_t L)
{
    static const unsigned char needs[GENERATE_CLASSES] = {GENERATE_ONE_LANE, 2, 4, 8, 16, 16 + 8 + 4,
                                                          8 + 4 + 2 + 1};
    return needs[generate_class_of(L)];
}

/* The functions of the text: of numbers (rhs, rhs_t, the Jacobians and what is found), of lanes, and hvp. */
typedef void generated_numbers(double t, const double *x, const double *p, double *out);
typedef void generated_lanes(double t, const double *x, const double *p, size_t L, const double *v,
                             double *out);
typedef void generated_hvp(double t, const double *x, const double *p, size_t L,
                           const struct sens_direction *v, const double *W, double *OUT, double *MU);

struct generate_count {
    size_t operations; /* of the graph that the outputs need, leaves and constants not counted */
    size_t operators;  /* loops that are written in their place; straight-line code: its operations */
    double seconds;    /* to differentiate, roll and write */
};

/* What was found on the way; generate_found_release gives the memory back. */
struct generate_found {
    struct generate_count count[GENERATE_PRODUCTS];
    struct sens_pattern *sparsity, *sparsity_p; /* NULL: more than half are entries, all are written */
    bool constant_jacobian;                     /* df/dx depends on neither t nor x */
    size_t
        n_blocks; /* outer products, as struct sens_structure has them, where one of their parts was wanted */
    struct sens_outer *blocks;
    bool coupling; /* df/dx = diag(d) + diag(s) M, s that of the outer blocks */
};

/* *source: the text, the caller frees it. f is a function of x [n] and p [np] with n outputs; of its products those
 * that are wanted, 1 << GENERATE_VJP and so on, for calls that need no more than `calls`, in vectors of at most
 * `widest` numbers (8, 4, 2). SENS_NO_MEMORY;
 * SENS_UNSUPPORTED: a leaf beyond n or np, or one of a product, in f. Nothing is written then. */
sens_status generate_source(const struct graph *f, size_t n, size_t np, unsigned wanted, unsigned calls,
                            unsigned widest, char **source, struct generate_found *found);

/* The text of one of the functions of numbers whose graph is there already: all its outputs. SENS_NO_MEMORY. */
sens_status generate_numbers(const struct graph *graph, enum generate_product which, unsigned widest,
                             char **source, struct generate_count *count);
void generate_found_release(struct generate_found *found); /* all zero: nothing is done */

/* The name of the function that computes a product: "sens_generated_rhs", ... */
const char *generate_function_name(enum generate_product product);

#endif
