/* The cost of the probe. With, of each output c,
 *
 *     Q_sc(x, p) = sum_i alpha_sci (x_i + x_i^2 / 2) + P_c(p) (1 + x_1),   P_c = sum_q zeta_cq p_q^2 / 2,
 *     phi_c(j, x, p) = Q_(j+1)c(x, p),
 *     g_c(t, x, p) = (1 + sin(0.325 + 2.6 (t - t0) / (t1 - t0)) / 2) Q_0c(x, p)
 *
 * (P only where the cost depends on p explicitly), the derivatives are
 *
 *     dQ/dx_i = alpha_sci (1 + x_i) + P_c [i = 1],   dQ/dp_q = zeta_cq p_q (1 + x_1). */
#include <string.h>

#include "probe.h"
#include "probe_series.h"

/* alpha_sci and zeta_scq are terms of one series each, which begins elsewhere for each s and c. */
enum { ALPHA_BY_S = 97, ZETA_BY_S = 61, BY_FUNCTIONAL = 31 };

struct weights {
    double t0, rate; /* of the clock: as fast as the interval is short */
    unsigned parts;
    double *alpha, *zeta; /* the series */
};

static const double *alpha_of(const struct sens_cost *cost, size_t s, size_t c)
{
    const struct weights *weights = cost->data;
    return weights->alpha + ALPHA_BY_S * s + BY_FUNCTIONAL * c; /* [n] */
}

static const double *zeta_of(const struct sens_cost *cost, size_t s, size_t c)
{
    const struct weights *weights = cost->data;
    return weights->zeta + ZETA_BY_S * s + BY_FUNCTIONAL * c; /* [np] */
}

static double explicit_part(const struct sens_cost *cost, size_t s, size_t c, const double *p)
{
    const struct weights *weights = cost->data;
    const bool depends = weights->parts & (s == 0 ? PROBE_EXPLICIT_G : PROBE_EXPLICIT_PHI);
    const double *const zeta = zeta_of(cost, s, c);
    double P = 0;
    for (size_t q = 0; depends && q < cost->np; q++) P += zeta[q] * p[q] * p[q] / 2;
    return P;
}

static void add_value(const struct sens_cost *cost, size_t s, const double *x, const double *p, double scale,
                      double *G)
{
    for (size_t c = 0; c < cost->m; c++) {
        const double *const alpha = alpha_of(cost, s, c);
        double Q = explicit_part(cost, s, c, p) * (1 + x[0]);
        for (size_t i = 0; i < cost->n; i++) Q += alpha[i] * (x[i] + x[i] * x[i] / 2);
        G[c] += scale * Q;
    }
}

static void add_dx(const struct sens_cost *cost, size_t s, const double *x, const double *p, double scale,
                   size_t c0, size_t L, double *OUT)
{
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) {
        const double *const alpha = alpha_of(cost, s, c0 + l);
        for (size_t i = 0; i < cost->n; i++) OUT[i * L + l] += scale * alpha[i] * (1 + x[i]);
        OUT[l] += scale * explicit_part(cost, s, c0 + l, p);
    }
}

static void add_dp(const struct sens_cost *cost, size_t s, const double *x, const double *p, double scale,
                   size_t c0, size_t L, double *MU)
{
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) {
        const double *const zeta = zeta_of(cost, s, c0 + l);
        for (size_t q = 0; q < cost->np; q++) MU[q * L + l] += scale * zeta[q] * p[q] * (1 + x[0]);
    }
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    add_value(cost, j + 1, x, p, 1, G);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    add_dx(cost, j + 1, x, p, 1, c0, L, OUT);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *MU)
{
    add_dp(cost, j + 1, x, p, 1, c0, L, MU);
}

static double clock_factor(const struct sens_cost *cost, double t)
{
    const struct weights *weights = cost->data;
    return 1 + sin(0.325 + weights->rate * (t - weights->t0)) / 2;
}

static void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    add_value(cost, 0, at->x, at->p, w * clock_factor(cost, at->t), G);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *OUT)
{
    add_dx(cost, 0, at->x, at->p, w * clock_factor(cost, at->t), c0, L, OUT);
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *MU)
{
    add_dp(cost, 0, at->x, at->p, w * clock_factor(cost, at->t), c0, L, MU);
}

static sens_status create_cost(struct sens_ctx *ctx, const struct sens_value *option,
                               const struct sens_problem *pb, struct sens_cost *cost)
{
    (void)option, (void)pb, (void)cost;
    return sens_fail(ctx, SENS_UNSUPPORTED, "the probe is made by the checks");
}

const struct sens_cost_type probe_cost_type = {
    .name = "probe",
    .summary = "the harness's own cost: observations, an integral, explicit dependence on the parameters",
    .create = create_cost,
    .phi = phi,
    .phi_dx = phi_dx,
    .phi_dp = phi_dp,
    .g = g,
    .g_dx = g_dx,
    .g_dp = g_dp,
};

/* How far the clock of the integral goes from t0 to t1. */
static const double CLOCK = 2.6;

/* The type with the functions that these parts need. */
static const struct sens_cost_type *make_type(struct verify *v, unsigned parts, size_t n_obs)
{
    struct sens_cost_type *type = verify_memory(v, 1, sizeof *type);
    memcpy(type, &probe_cost_type, sizeof *type);
    if (n_obs == 0) type->phi = NULL, type->phi_dx = NULL;
    if (!(parts & PROBE_RUNNING)) type->g = NULL, type->g_dx = NULL;
    if (!(parts & PROBE_EXPLICIT_PHI) || !type->phi) type->phi_dp = NULL;
    if (!(parts & PROBE_EXPLICIT_G) || !type->g) type->g_dp = NULL;
    return type;
}

static void make_cost(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                      double rate, size_t n_obs, const double *t_obs, struct sens_cost *cost)
{
    struct weights *weights = verify_memory(v, 1, sizeof *weights);
    weights->t0 = problem->t0;
    weights->rate = rate;
    weights->parts = parts;
    weights->alpha = probe_series(v, ALPHA_BY_S * n_obs + BY_FUNCTIONAL * m + problem->n, sqrt(23), 0.7, 0.6);
    weights->zeta = probe_series(v, ZETA_BY_S * n_obs + BY_FUNCTIONAL * m + problem->np, sqrt(29), 0.4, 0.3);
    *cost = (struct sens_cost){.type = make_type(v, parts, n_obs),
                               .m = m,
                               .n = problem->n,
                               .np = problem->np,
                               .n_obs = n_obs,
                               .t_obs = verify_copy(v, n_obs, t_obs),
                               .data = weights};
}

void probe_cost_at(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                   size_t n_obs, const double *t_obs, struct sens_cost *cost)
{
    const double rate = fmin(CLOCK / (problem->t1 - problem->t0), CLOCK / 2);
    make_cost(v, problem, m, parts, rate, n_obs, t_obs, cost);
}

/* Observed at these parts of the interval and at its ends, as far as there are such parts of the cost. */
static void cost_between(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                         size_t count, const double *between, struct sens_cost *cost)
{
    const double t0 = problem->t0, length = problem->t1 - t0;
    double *const t_obs = verify_array(v, count + 2);
    size_t n_obs = 0;
    if (parts & PROBE_AT_T0) t_obs[n_obs++] = t0;
    for (size_t j = 0; parts & PROBE_BETWEEN && j < count; j++) t_obs[n_obs++] = t0 + between[j] * length;
    if (parts & PROBE_AT_T1) t_obs[n_obs++] = problem->t1;
    make_cost(v, problem, m, parts, CLOCK / length, n_obs, t_obs, cost);
}

void probe_cost(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                struct sens_cost *cost)
{
    static const double eighths[] = {0.375, 0.625};
    cost_between(v, problem, m, parts, 2, eighths, cost);
}

void probe_cost_uneven(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                       struct sens_cost *cost)
{
    static const double uneven[] = {0.1371, 0.1493, 0.4117, 0.7083};
    cost_between(v, problem, m, parts, 4, uneven, cost);
}

void probe_cost_crowded(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                        struct sens_cost *cost)
{
    enum { READINGS = 24 };
    static const double PART = 5e-3;
    double between[READINGS];
    for (int j = 0; j < READINGS; j++) between[j] = PART * (j + 1) / READINGS;
    cost_between(v, problem, m, parts, READINGS, between, cost);
}

unsigned probe_parts_for(const struct sens_method_type *method)
{
    unsigned parts = PROBE_AT_T1 | PROBE_EXPLICIT;
    if (method->caps & SENS_CAP_OBSERVATIONS) parts |= PROBE_AT_T0 | PROBE_BETWEEN;
    if (method->caps & SENS_CAP_RUNNING_COST) parts |= PROBE_RUNNING;
    return parts;
}
