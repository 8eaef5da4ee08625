/* methods/products/products.h - the derivative products of a problem at one point, for many blocks of lanes.
 *
 * Where the problem declares its Jacobian, J = df/dx is formed once at the point and multiplied with every
 * block by the lane kernels (kernels.h); else, or where so few vectors follow that forming J does not pay,
 * the problem's own products are called. Either way a lane's result depends on nothing but its vector. */
#ifndef SENS_PRODUCTS_H
#define SENS_PRODUCTS_H

#include "kernels.h"
#include "sens/method.h"

/* Which of the two products will be asked for: what J is laid out for. */
enum sens_product { SENS_VJP, SENS_JVP };

/* One a thread. Shown here for sens_products_at, which a small problem calls as often as its right-hand
 * side. */
struct sens_products {
    const struct sens_problem *pb;
    enum sens_product product;
    struct sens_at at;            /* SENS_JVP: the point moved to */
    bool formed;                  /* J is formed at each point */
    bool coupled;                 /* instead of that: J = diag(d) + diag(s) M, with M formed once a solve */
    size_t entries;               /* of J: n^2, or those of the pattern */
    sens_real *J, *memory;        /* [points][entries], or M; a second layout of it for SENS_JVP */
    struct sens_packed dense;     /* of J^T or M^T, or for SENS_JVP of J, where the problem has no pattern */
    const struct sens_at *points; /* SENS_VJP: those moved to */
    const sens_real *d;           /* coupled: of these, [points][n] */
    sens_real *own_d;             /* room for them */
    sens_real *s, *phi;           /* outer factors at the point; NULL: none, or not asked for */
    sens_real *value_p;           /* values of jacobian_p; NULL likewise */
    size_t vectors, columns;      /* multiplied through structure */
    size_t all;                   /* vectors multiplied either way */
};

/* `vectors` are to be multiplied at each point, of which at most so many are taken together: 1, or more for
 * SENS_VJP where sens_products_together or sens_products_coupled says so. Memory from the arena;
 * SENS_NO_MEMORY. */
sens_status sens_products_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 enum sens_product product, size_t points, size_t vectors,
                                 struct sens_products **products);

/* Before the first point of a solve with parameters p [np]: what depends on them alone. */
void sens_products_begin(struct sens_products *products, const sens_real *p);

/* Is J formed for so many vectors? Not where the problem's own products cost less. Where it is, a lane's bits are
 * the same whatever the number of lanes. */
bool sens_products_formed(const struct sens_problem *pb, size_t vectors);

/* So few states that several points are best taken together? */
bool sens_products_together(const struct sens_problem *pb, size_t vectors);

/* Are cotangents kept as diag(s) kappa? Where the problem declares outer products, and more states than are
 * taken together. */
bool sens_products_scaled(const struct sens_problem *pb);

/* Is df/dx taken as diag(d) + diag(s) M where J^T is multiplied with so many vectors? At a point there are
 * then only the n numbers of d to be found: points are taken together, and their d may be kept. */
bool sens_products_coupled(const struct sens_problem *pb, size_t vectors);

/* ---- reverse sweeps: SENS_VJP -------------------------------------------------------------------------- */

/* Moves to so many points, which must stay until the next ones: more than one where they are taken together,
 * or where no J is formed. */
void sens_products_at_all(struct sens_products *products, size_t count, const struct sens_at *at);

/* The same where sens_products_find_diagonals has found their d [count][n] before. sens_products_coupled. */
void sens_products_at_kept(struct sens_products *products, const struct sens_at *at, const sens_real *d);
void sens_products_find_diagonals(const struct sens_problem *pb, size_t count, const struct sens_at *at,
                                  sens_real *d);

/* Where a cotangent kappa goes for the parameter product (batch.h). */
struct sens_slot {
    sens_real *kappa;   /* [n][L]: kappa, or diag(s) kappa */
    const sens_real *s; /* [n]: the outer factor of the point, by which it is to be scaled; NULL: it is not */
    sens_real *room;    /* [n][L] for kappa itself where it is scaled */
    bool unkept;        /* nobody asks for kappa: one that is a vector as it stands is not copied */
};

/* Stages of a reverse sweep, kappa = sum_j (scale w_j) v_j and theta = J^T kappa, at the points number
 * `point` and after of those that are taken together: one, or `count` of them where sens_products_together;
 * then their kappa follow each other in the slot, and lambda [n][L] += the sum of the theta unless it is
 * NULL. */
void sens_products_reverse(struct sens_products *products, size_t point, size_t L, size_t count,
                           const struct sens_stage *stage, sens_real scale, const struct sens_slot *slot,
                           sens_real *lambda);

/* ---- tangents: SENS_JVP -------------------------------------------------------------------------------- */

/* Moves to a point, whose x and p must stay until the next one. */
static inline void sens_products_at(struct sens_products *products, const struct sens_at *at);

/* OUT = J W; W, OUT [n][L], L >= 0. */
void sens_products_multiply(struct sens_products *products, size_t L, const sens_real *W, sens_real *OUT);

/* OUT[:,l] += df/dp_(k0+l), l < L, k0 + L <= np. */
void sens_products_add_columns(struct sens_products *products, size_t k0, size_t L, sens_real *OUT);

/* OUT[i * step] += sum_k df_i/dp_k weight_k, by what the problem declares; false: nothing, and nothing is done. */
bool sens_products_add_weighted(struct sens_products *products, const sens_real *weight, size_t step,
                                sens_real *OUT);

/* ---- counts -------------------------------------------------------------------------------------------- */

/* Adds the vectors multiplied since the last call to *work, and forgets them: those through structure, and
 * those that were idle, `idle` of every `lanes`. */
void sens_products_count(struct sens_products *products, size_t idle, size_t lanes, struct sens_work *work);

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
