/* methods/products/products.h - the derivative products of a problem at one point, for many blocks of lanes.
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

/* One a thread. Shown here for sens_products_at, which a small problem calls as often as its right-hand side.
 */
struct sens_products {
    const struct sens_problem *pb;
    enum sens_product product;
    struct sens_at at;
    bool formed;              /* J is formed at each point */
    bool coupled;             /* instead of that: J = diag(d) + diag(s) M, with M formed once a solve */
    size_t entries;           /* of J: n^2, or those of the pattern */
    sens_real *J, *memory;    /* [points][entries], or M; a second layout of it for SENS_JVP */
    struct sens_packed dense; /* of J^T or M^T, or for SENS_JVP of J, where the problem has no pattern */
    sens_real *s, *phi;       /* outer factors at the point; NULL: none, or not asked for */
    sens_real *value_p;       /* values of jacobian_p; NULL likewise */
    size_t vectors, columns;  /* multiplied through structure */
    size_t all;               /* vectors multiplied either way */
};

/* `vectors` are to be multiplied at each point, of which so many are taken together: 1, or more for SENS_VJP
 * where sens_products_together says so. Memory from the arena; SENS_NO_MEMORY. */
sens_status sens_products_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 enum sens_product product, size_t points, size_t vectors,
                                 struct sens_products **products);

/* Before the first point of a solve with parameters p [np]: what depends on them alone. */
void sens_products_begin(struct sens_products *products, const sens_real *p);

/* Is J formed for so many vectors? Then a lane's bits are the same whatever the number of lanes. */
bool sens_products_formed(const struct sens_problem *pb, size_t vectors);

/* So few states that several points are best taken together? */
bool sens_products_together(const struct sens_problem *pb, size_t vectors);

/* Are cotangents kept as diag(s) kappa? Where the problem declares outer products, and more states than are
 * taken together. */
bool sens_products_scaled(const struct sens_problem *pb);

/* Moves to a point, whose x and p must stay until the next one. */
static inline void sens_products_at(struct sens_products *products, const struct sens_at *at);

/* Is df/dx taken as diag(d) + diag(s) M where J^T is multiplied with so many vectors? */
bool sens_products_form_coupled(const struct sens_problem *pb, size_t vectors);

/* Is it here? Then stages are coupled ones, and no others. */
static inline bool sens_products_coupled(const struct sens_products *products);

/* A stage at a point whose d [n] is given, and s [n] unless it is NULL: u [n][L] = diag(s) kappa. */
void sens_products_coupled_stage(struct sens_products *products, size_t L, const struct sens_stage *stage,
                                 sens_real scale, const struct sens_at *at, const sens_real *d,
                                 const sens_real *s, sens_real *u);

/* Moves to so many points, which are taken together. */
void sens_products_at_all(struct sens_products *products, size_t count, const struct sens_at *at);

/* OUT = J^T W for SENS_VJP, OUT = J W for SENS_JVP; W, OUT [n][L], L >= 0. */
void sens_products_multiply(struct sens_products *products, size_t L, const sens_real *W, sens_real *OUT);

/* A stage at each of the points as in sens_lanes_stages, kappa [count][n][L]; SENS_VJP only. lambda is NULL
 * unless sens_products_together. */
void sens_products_stages(struct sens_products *products, size_t L, size_t count,
                          const struct sens_stage *stage, sens_real scale, sens_real *kappa,
                          sens_real *lambda);

/* A stage at the one point whose outer factor s [n] is given: u [n][L] = diag(s) kappa. kappa [n][L] is room.
 */
void sens_products_scaled_stage(struct sens_products *products, size_t L, const struct sens_stage *stage,
                                sens_real scale, const sens_real *s, sens_real *u, sens_real *kappa);

/* OUT[:,l] += df/dp_(k0+l), l < L, k0 + L <= np. */
void sens_products_add_columns(struct sens_products *products, size_t k0, size_t L, sens_real *OUT);

/* Adds the vectors multiplied since the last call to *work, and forgets them: those through structure, and
 * those that were idle, `idle` of every `lanes`. */
void sens_products_count(struct sens_products *products, size_t idle, size_t lanes, struct sens_work *work);

static inline bool sens_products_coupled(const struct sens_products *pr)
{
    return pr->coupled;
}

static inline void sens_products_at(struct sens_products *pr, const struct sens_at *at)
{
    const struct sens_problem *pb = pr->pb;
    pr->at = *at;
    if (pr->formed) {
        pb->structure->jacobian(pb, at, pr->J);
        if (pr->memory) pr->dense = sens_pack(sens_dense(pb->n, pb->n, pr->J), pr->memory);
    }
    if (pr->s) pb->structure->outer(pb, at, pr->s, pr->phi);
    if (pr->value_p) pb->structure->jacobian_p(pb, at, pr->value_p);
}

#endif
