/* methods/products.h - the derivative products of a problem at one point, for many blocks of lanes.
 *
 * Where the problem declares its Jacobian, J = df/dx is formed once at the point and multiplied with every
 * block by the kernels of sens/lanes.h; else, or where so few vectors follow that forming J does not pay,
 * the problem's own products are called. Either way a lane's result depends on nothing but its vector. */
#ifndef SENS_PRODUCTS_H
#define SENS_PRODUCTS_H

#include "sens/lanes.h"
#include "sens/method.h"

/* Which of the two products will be asked for: what J is laid out for. */
enum sens_product { SENS_VJP, SENS_JVP };

struct sens_products; /* one a thread */

/* `vectors` are to be multiplied at each point. Memory from the arena; SENS_NO_MEMORY. */
sens_status sens_products_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 enum sens_product product, size_t vectors, struct sens_products **products);

/* Moves to a point, whose x and p must stay until the next one. */
void sens_products_at(struct sens_products *products, struct sens_at at);

/* OUT = J^T W for SENS_VJP, OUT = J W for SENS_JVP; W, OUT [n][L], L >= 0. */
void sens_products_multiply(struct sens_products *products, size_t L, const sens_real *W, sens_real *OUT);

/* OUT[:,l] += df/dp_(k0+l), l < L, k0 + L <= np. */
void sens_products_add_columns(struct sens_products *products, size_t k0, size_t L, sens_real *OUT);

/* Adds the vectors multiplied through structure since the last call to *work, and forgets them. */
void sens_products_count(struct sens_products *products, struct sens_work *work);

#endif
