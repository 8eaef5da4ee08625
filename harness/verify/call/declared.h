/* harness/verify/call/declared.h - a problem whose products come from the structure that an inner one declares,
 * by plain loops: jvp and vjp from jacobian or from coupling and diagonal, jvp_p_cols and vjp_p_batch from
 * the outer products or from jacobian_p. Whatever is checked of a problem's products can be asked of its
 * structure in this way. */
#ifndef VERIFY_DECLARED_H
#define VERIFY_DECLARED_H

#include "decorate.h"

enum declared_by {                  /* df/dx and df/dp from */
                   DECLARED_OUTER,  /* jacobian and outer */
                   DECLARED_SPARSE, /* jacobian and jacobian_p */
                   DECLARED_COUPLED /* coupling, diagonal and outer */
};

/* What is not declared is the inner problem's own. Memory from the unit's arena in every call: one thread. */
void declared_problem(struct verify *v, const struct sens_problem *inner, enum declared_by by,
                      struct sens_problem *problem);

/* The inner problem with structure that is formed by its products: df/dx dense, with a pattern of all its entries, or
 * with one of those that are not 0 at some points (all, past 64 states), which elimination may fill in; and (df/dp)^T
 * in a pattern of all. For any problem, however unsuitable. */
enum declared_pattern { DECLARED_DENSE, DECLARED_ALL, DECLARED_NONZERO, DECLARED_PATTERNS };
void declared_by_products(struct verify *v, const struct sens_problem *inner, enum declared_pattern pattern,
                          struct sens_problem *problem);

/* J [n][n] at a point, from jacobian (in its pattern or dense) or, DECLARED_COUPLED, diag(d) + diag(s) M. */
void declared_jacobian(struct verify *v, const struct sens_problem *pb, enum declared_by by,
                       const struct sens_at *at, double *J);

/* diag(d) + diag(s) M, or that of M^T, at a point. */
void declared_coupling(struct verify *v, const struct sens_problem *pb, bool transposed,
                       const struct sens_at *at, double *J);

/* Does the pattern have the entry? */
bool declared_entry(const struct sens_pattern *pattern, size_t row, size_t col);

#endif
