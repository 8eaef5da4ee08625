/* sens/cost.h - the m cost functionals G of a task.
 *
 *     G_c(p) = sum_{j < n_obs} phi_c(j, x(t_j), p) + int_{t0}^{t1} g_c(t, x, p) dt
 *
 * Observation times t_j lie in [t0, t1], strictly increasing; the integrator lands on each of them. Lane l of
 * a block carries cost c0 + l; lanes with c0 + l >= m are zero. */
#ifndef SENS_COST_H
#define SENS_COST_H

#include "sens/problem.h"

struct sens_cost_type;

struct sens_cost { /* an instance; immutable; memory belongs to the ctx it was created with */
    const struct sens_cost_type *type;
    size_t m;     /* number of functionals */
    size_t n, np; /* of the problem it belongs to */
    size_t n_obs;
    const sens_real *t_obs; /* [n_obs] */
    const void *data;
    const struct sens_value *option; /* [options of type] what it was created with */
    const struct sens_cost *inner;   /* of a decorator (sens/decorate.h); else NULL */
    bool as_inner;                   /* beside it: the same phi and g */
};

struct sens_cost_type {
    const char *name, *summary;
    const struct sens_option *options;
    sens_status (*create)(struct sens_ctx *ctx, const struct sens_value *option,
                          const struct sens_problem *pb, struct sens_cost *cost);

    /* All gradients may be NULL, phi_dx, phi_dp, g_dx and g_dp: they come from phi and g, whose source is compiled a
     * second time, to be recorded (sens/recorded.h). Who has one of them writes them all:
     *
     * Observations; all NULL when n_obs is 0 for every instance. phi_dp NULL: no dependence on p. */
    void (*phi)(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,
                sens_real *G /*[m], +=*/);
    void (*phi_dx)(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT /*[n][L], +=*/);
    void (*phi_dp)(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *MU /*[np][L], +=*/);

    /* Running cost; all NULL when there is none. g_dp NULL: no dependence on p. The weight w scales the
     * result. */
    void (*g)(const struct sens_cost *cost, const struct sens_at *at, sens_real w,
              sens_real *G /*[m], += w g*/);
    void (*g_dx)(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *OUT /*[n][L], += w dg/dx*/);
    void (*g_dp)(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0, size_t L,
                 sens_real *MU /*[np][L], += w dg/dp*/);

    /* create makes data of pb->x0 that stay as they are while x0 moves: dG/dx0 does not see them */
    bool data_of_x0;
};

/* Do its gradients have to be derived (sens/provider.h) before anybody calls them? */
static inline bool sens_gradients_lack(const struct sens_cost_type *type)
{
    return !type->phi_dx && !type->phi_dp && !type->g_dx && !type->g_dp;
}

/* phi and g have their gradients, or these all lack; there is one of the two at least. */
static inline bool sens_gradients_whole(const struct sens_cost_type *type)
{
    if (!type->phi && !type->g) return false;
    if (sens_gradients_lack(type)) return true;
    return !type->phi == !type->phi_dx && !type->g == !type->g_dx && (type->phi || !type->phi_dp) &&
           (type->g || !type->g_dp);
}

/* Calls type->create and checks what it filled (m > 0, observation times in range and increasing). */
sens_status sens_cost_create(struct sens_ctx *ctx, const struct sens_cost_type *type,
                             const struct sens_value *option, const struct sens_problem *pb,
                             struct sens_cost *cost);

#define SENS_COST(id) const struct sens_cost_type sens_cost_##id SENS_LINK_NAME(sens_cost_##id)

#endif
