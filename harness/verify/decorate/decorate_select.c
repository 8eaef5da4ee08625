/* Some outputs of a cost. */
#include "decorate.h"

/* Outputs first, first + 1, ... of the inner cost, each computed with one lane, so that an output has the
 * same bits whatever others there are. */
static size_t first_of(const struct sens_cost *cost)
{
    return *(const size_t *)cost->data;
}

static void add_column(size_t size, size_t L, size_t l, const double *column, double *OUT)
{
    for (size_t i = 0; i < size; i++) OUT[i * L + l] += column[i];
}

static size_t lanes_of(const struct sens_cost *cost, size_t c0, size_t L)
{
    const size_t left = c0 < cost->m ? cost->m - c0 : 0;
    return left < L ? left : L;
}

static void add_selected(const struct sens_cost *cost, const double *all, double *G)
{
    for (size_t c = 0; c < cost->m; c++) G[c] += all[first_of(cost) + c];
}

static void select_phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    double all[DECORATE_SELECT_MOST] = {0};
    cost->inner->type->phi(cost->inner, j, x, p, all);
    add_selected(cost, all, G);
}

static void select_phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                          size_t L, double *OUT)
{
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        cost->inner->type->phi_dx(cost->inner, j, x, p, first_of(cost) + c0 + l, 1, column);
        add_column(cost->n, L, l, column, OUT);
    }
}

static void select_phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                          size_t L, double *MU)
{
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        cost->inner->type->phi_dp(cost->inner, j, x, p, first_of(cost) + c0 + l, 1, column);
        add_column(cost->np, L, l, column, MU);
    }
}

static void select_g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    double all[DECORATE_SELECT_MOST] = {0};
    cost->inner->type->g(cost->inner, at, w, all);
    add_selected(cost, all, G);
}

static void select_g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                        double *OUT)
{
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        cost->inner->type->g_dx(cost->inner, at, w, first_of(cost) + c0 + l, 1, column);
        add_column(cost->n, L, l, column, OUT);
    }
}

static void select_g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                        double *MU)
{
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        cost->inner->type->g_dp(cost->inner, at, w, first_of(cost) + c0 + l, 1, column);
        add_column(cost->np, L, l, column, MU);
    }
}

struct sens_cost decorate_select(struct verify *v, const struct sens_cost *inner, size_t first, size_t count)
{
    static const struct sens_cost_type with = {.phi = select_phi,
                                               .phi_dx = select_phi_dx,
                                               .phi_dp = select_phi_dp,
                                               .g = select_g,
                                               .g_dx = select_g_dx,
                                               .g_dp = select_g_dp};
    size_t *kept = verify_memory(v, 1, sizeof *kept);
    struct sens_cost cost;
    *kept = first;
    decorate_wrap_cost(v, inner, &with, kept, &cost);
    cost.m = count;
    return cost;
}
