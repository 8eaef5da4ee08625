/* methods/linear/jacobian.h - J = df/dx at a point as numbers, for who solves systems with it.
 *
 * From the first of these that the problem has:
 *     1. declared, dense: J [n][n] by rows
 *     2. declared, sparse: the values in the order of the problem's pattern
 *     3. a pattern without values: products of few vectors, each the sum of unit vectors whose columns have
 *        no row in common (pattern.h), taken apart by the pattern
 *     4. products of the n unit vectors: J [n][n] by rows
 * The products are jvp, or vjp where a method has use for that one alone; J is the same to rounding. */
#ifndef SENS_JACOBIAN_H
#define SENS_JACOBIAN_H

#include "products.h"

enum sens_route { SENS_ROUTE_DENSE, SENS_ROUTE_SPARSE, SENS_ROUTE_COLOURED, SENS_ROUTE_UNITS };

struct sens_jacobian { /* one a thread; memory of the arena */
    const struct sens_problem *pb;
    enum sens_product by;
    enum sens_route route;
    const struct sens_pattern *pattern; /* of the values; NULL: they are [n][n] by rows */
    size_t entries;                     /* values: those of the pattern, or n^2 */
    size_t colours, block;              /* vectors that the products take, at most so many at a time */
    const size_t *colour;               /* [n] the vector that component i is 1 in */
    sens_real *seed, *product;          /* [n][block] */
};

/* `found` is a pattern that the caller knows of, which holds all of J, for a problem that declares neither
 * values nor a pattern; it has to stay. NULL: none. SENS_NO_MEMORY. */
sens_status sens_jacobian_create(struct sens_ctx *ctx, const struct sens_problem *pb, enum sens_product by,
                                 const struct sens_pattern *found, struct sens_jacobian **made);

/* Are the problem's own numbers taken, and no products? */
static inline bool sens_jacobian_declared(const struct sens_jacobian *J)
{
    return J->route == SENS_ROUTE_DENSE || J->route == SENS_ROUTE_SPARSE;
}

/* The value [entries] at a point. They may not be finite where f is not. */
void sens_jacobian_at(struct sens_jacobian *J, const struct sens_at *at, sens_real *value);

#endif
