/* Some outputs of a cost. */
#include "decorate.h"

/* Outputs first, first + 1, ... of the inner cost, each computed with one lane, so that an output has the
 * same bits whatever others there are. */
struct selection {
    const struct sens_cost *inner;
    size_t first;
};

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
    const struct selection *s = cost->data;
    for (size_t c = 0; c < cost->m; c++) G[c] += all[s->first + c];
}

static void select_phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    const struct selection *s = cost->data;
    double all[DECORATE_SELECT_MOST] = {0};
    s->inner->type->phi(s->inner, j, x, p, all);
    add_selected(cost, all, G);
}

static void select_phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                          size_t L, double *OUT)
{
    const struct selection *s = cost->data;
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        s->inner->type->phi_dx(s->inner, j, x, p, s->first + c0 + l, 1, column);
        add_column(cost->n, L, l, column, OUT);
    }
}

static void select_phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                          size_t L, double *MU)
{
    const struct selection *s = cost->data;
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        s->inner->type->phi_dp(s->inner, j, x, p, s->first + c0 + l, 1, column);
        add_column(cost->np, L, l, column, MU);
    }
}

static void select_g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    const struct selection *s = cost->data;
    double all[DECORATE_SELECT_MOST] = {0};
    s->inner->type->g(s->inner, at, w, all);
    add_selected(cost, all, G);
}

static void select_g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                        double *OUT)
{
    const struct selection *s = cost->data;
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        s->inner->type->g_dx(s->inner, at, w, s->first + c0 + l, 1, column);
        add_column(cost->n, L, l, column, OUT);
    }
}

static void select_g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                        double *MU)
{
    const struct selection *s = cost->data;
    for (size_t l = 0; l < lanes_of(cost, c0, L); l++) {
        double column[DECORATE_SELECT_MOST] = {0};
        s->inner->type->g_dp(s->inner, at, w, s->first + c0 + l, 1, column);
        add_column(cost->np, L, l, column, MU);
    }
}

struct sens_cost decorate_select(struct verify *v, const struct sens_cost *inner, size_t first, size_t count)
{
    const struct sens_cost_type *from = inner->type;
    struct sens_cost_type *type = verify_memory(v, 1, sizeof *type);
    struct selection *selection = verify_memory(v, 1, sizeof *selection);
    struct sens_cost cost = *inner;
    *selection = (struct selection){inner, first};
    *type = (struct sens_cost_type){.name = from->name,
                                    .phi = from->phi ? select_phi : NULL,
                                    .phi_dx = from->phi_dx ? select_phi_dx : NULL,
                                    .phi_dp = from->phi_dp ? select_phi_dp : NULL,
                                    .g = from->g ? select_g : NULL,
                                    .g_dx = from->g_dx ? select_g_dx : NULL,
                                    .g_dp = from->g_dp ? select_g_dp : NULL};
    cost.type = type;
    cost.m = count;
    cost.data = selection;
    return cost;
}
