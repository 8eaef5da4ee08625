/* derive/products/products.h - the derivative products of a function as graphs of their own.
 *
 * f is a graph with outputs f_i(t, x, p), i < m; of an ODE m = n. Each function below makes a new graph, which
 * the caller destroys, with the guards of f and without nodes that nothing needs. The vector w of a transposed
 * product and the direction (dt, dx, dp) of a forward one are leaves, in which the product is linear:
 *
 *     vjp            (df/dx)^T w             n outputs
 *     vjp_p          (df/dp)^T w             np outputs
 *     along          (df/dt) dt + (df/dx) dx + (df/dp) dp, of the parts that are asked for      m outputs
 *     rhs_t          df/dt                   m outputs
 *     jacobian       df/dx                   an output an entry, in the order of the pattern [m][n]
 *     jacobian_p     (df/dp)^T               likewise, pattern [np][m]
 *     guards         no outputs
 *     hvp            D (df/dx)^T w, then D (df/dp)^T w, with D the derivative along the parts of (dt, dx, dp)
 *                    that are asked for     n + np outputs
 *
 * Reverse sweeps for the transposed ones, a forward sweep for those along a direction, forward over reverse for
 * hvp (Griewank and Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, chapters 3 and 5).
 *
 * What holds at edges, beside what graph.h says of ties: x^c is differentiated as c x^(c-1), so that it is right
 * for c = 1, 2, ... at 0 and for negative x; x^y is so in x, and in y at x = 0, y > 0 the derivative is 0. The
 * side of a select, fmin or fmax that is not taken adds nothing, be it finite or not, where up to some fifty of them
 * meet. Where there is no derivative (sqrt and cbrt at 0, asin at 1, hypot and atan2 at the origin) what comes out is
 * not finite.
 *
 * SENS_NO_MEMORY, or what graph_status tells of the new graph; the output is then NULL. */
#ifndef DERIVE_PRODUCTS_H
#define DERIVE_PRODUCTS_H

#include "graph.h"
#include "sens/problem.h"

/* w has m entries; n and np are given, because f need not depend on the last of them. */
sens_status derive_vjp(const struct graph *f, size_t n, struct graph **product);
sens_status derive_vjp_p(const struct graph *f, size_t np, struct graph **product);

enum { DERIVE_T = 1, DERIVE_X = 2, DERIVE_P = 4 }; /* parts of a direction */
sens_status derive_along(const struct graph *f, unsigned parts, struct graph **product);
sens_status derive_rhs_t(const struct graph *f, struct graph **product);
sens_status derive_guards(const struct graph *f, struct graph **product);

/* n + np outputs, of which np = 0 leaves the last away. A part that is 0 in all directions is not asked for: it
 * costs, and where its factor is infinite it gives NaN. */
sens_status derive_hvp(const struct graph *f, size_t n, size_t np, unsigned parts, struct graph **product);

struct derive_entries {
    struct sens_pattern pattern; /* of its own memory; where f may depend, whatever the value at a point */
    struct graph *graph;
};
sens_status derive_jacobian(const struct graph *f, size_t n, struct derive_entries *entries);
sens_status derive_jacobian_p(const struct graph *f, size_t np, struct derive_entries *entries);
/* Outputs [rows][cols]: the entries in their places, and zeros. */
sens_status derive_dense(const struct derive_entries *entries, struct graph **product);
/* Has df/dx (leaf GRAPH_X) or df/dp (GRAPH_P) at most so many entries? false as well: no memory to tell. */
bool derive_few_entries(const struct graph *f, enum graph_op leaf, size_t most);
/* Is f linear in x, with coefficients of p alone, by its operations? df/dx is then one matrix for all t and x. false as
 * well: it may be, or there are guards, or no memory to tell. */
bool derive_is_linear(const struct graph *f);
void derive_entries_destroy(struct derive_entries *entries); /* all zero: nothing is done */

#endif
