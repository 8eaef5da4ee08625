/* The probe problem and cost. With U_i = sum_q u_iq p_q and, for the cost,
 *
 *     Q_sc(x, p) = sum_i alpha_sci (x_i + x_i^2 / 2) + P_c(p) (1 + x_1),   P_c = sum_q zeta_cq p_q^2 / 2,
 *     phi_c(j, x, p) = Q_(j+1)c(x, p),
 *     g_c(t, x, p) = (1 + sin(0.325 + 2.6 (t - t0) / (t1 - t0)) / 2) Q_0c(x, p)
 *
 * (P only where the cost depends on p explicitly), the derivatives are
 *
 *     df_i/dx_i = -d_i,  df_i/dx_(i+1) = v_i + U_i x_(i+2),  df_i/dx_(i+2) = U_i x_(i+1)   (added up mod n),
 *     df_i/dp_q = c_iq sin(w_(q mod 8) t) + u_iq x_(i+1) x_(i+2),   dx0_i/dp_q = 2 e_iq p_q,
 *     dQ/dx_i = alpha_sci (1 + x_i) + P_c [i = 1],   dQ/dp_q = zeta_cq p_q (1 + x_1). */
#include "probe.h"

#include <string.h>

/* ---- coefficients -------------------------------------------------------------------------------------- */

/* In [-1, 1): the fractional part of a multiple of an irrational number, another for each kind. */
static double fraction(double irrational, size_t index)
{
    const double multiple = irrational * (double)(index + 1);
    return 2 * (multiple - floor(multiple)) - 1;
}

struct coefficients {
    double *d, *v, *y; /* [n] */
    double *c, *u, *e; /* [n][np] */
    double *w;         /* [FREQUENCIES] */
    double *still;     /* [FREQUENCIES], the forcing of all times; NULL: it moves */
};

/* Of the forcing. Parameters beyond them share one: with hundreds, sines would take most of the time of a solve. */
enum { FREQUENCIES = 8 };

static double *series(struct verify *v, size_t count, double irrational, double middle, double range)
{
    double *made = verify_array(v, count);
    for (size_t i = 0; i < count; i++) made[i] = middle + range * fraction(irrational, i);
    return made;
}

/* This many parameters do not yet add up to much. */
enum { CROWD = 8 };

static void multiply(size_t count, double factor, double *of)
{
    for (size_t i = 0; i < count; i++) of[i] *= factor;
}

/* sine[i] = sin(w[i] t) */
static double *sines(const double *w, double t, size_t count, double *sine)
{
    for (size_t i = 0; i < count; i++) sine[i] = sin(w[i] * t);
    return sine;
}

static const struct coefficients *make_coefficients(struct verify *v, const struct probe_settings *s)
{
    const double share = 1 / sqrt((double)s->np + 1), scale = s->scale > 0 ? s->scale : 1;
    const double each = s->np > CROWD ? CROWD / (double)s->np : 1; /* so that the sum of all stays mild */
    struct coefficients *made = verify_memory(v, 1, sizeof *made);
    *made = (struct coefficients){
        .d = series(v, s->n, sqrt(2), 1, 0.4),
        .v = series(v, s->n, sqrt(3), 0.1, 0.45),
        .y = series(v, s->n, sqrt(5), 0.9, 0.4),
        .c = series(v, s->n * s->np, sqrt(7), each * 0.05, share),
        .u = series(v, s->n * s->np, sqrt(11), each * 0.03, 0.4 * share * share),
        .e = series(v, s->n * s->np, sqrt(13), each * 0.02, 0.2 * share),
        .w = series(v, FREQUENCIES, sqrt(17), 2, 1),
    };
    if (s->autonomous) made->still = sines(made->w, 1, FREQUENCIES, verify_array(v, FREQUENCIES));
    multiply(s->n, scale, made->y);
    multiply(s->n * s->np, scale, made->c);
    multiply(s->n * s->np, scale, made->e);
    multiply(s->n * s->np, 1 / scale, made->u); /* of the products of two states */
    return made;
}

const struct sens_mass *probe_mass(struct verify *v, size_t n, bool turned)
{
    const double *const diagonal = series(v, n, sqrt(19), 1, 0.3), *const beside =
                                                                       series(v, n, sqrt(23), 0.4, 0.2);
    struct sens_mass *const made = verify_memory(v, 1, sizeof *made);
    size_t *const start = verify_memory(v, n + 1, sizeof *start), *const col =
                                                                      verify_memory(v, 2 * n, sizeof *col);
    double *const value = verify_array(v, 2 * n);
    for (size_t row = 0, e = 0; row < n; start[++row] = e) {
        const size_t i = turned ? (row + 1) % n : row;
        col[e] = i, value[e++] = diagonal[i];
        if (i + 1 < n) col[e] = i + 1, value[e++] = beside[i];
    }
    *made = (struct sens_mass){.pattern = {.rows = n, .cols = n, .start = start, .col = col}, .value = value};
    return made;
}

/* ---- the equations ------------------------------------------------------------------------------------- */

/* Of as many parameters as there are, or as there are frequencies; room[FREQUENCIES] is for it. */
static const double *forcing(const struct sens_problem *pb, double t, double *room)
{
    const struct coefficients *k = pb->data;
    return k->still ? k->still : sines(k->w, t, pb->np < FREQUENCIES ? pb->np : FREQUENCIES, room);
}

static double coupling(const struct sens_problem *pb, size_t i, const double *p)
{
    const struct coefficients *k = pb->data;
    double U = 0;
    for (size_t q = 0; q < pb->np; q++) U += k->u[i * pb->np + q] * p[q];
    return U;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct coefficients *k = pb->data;
    const size_t n = pb->n, np = pb->np;
    for (size_t i = 0; i < n; i++) {
        const double next = at->x[(i + 1) % n], after = at->x[(i + 2) % n];
        dx[i] = -k->d[i] * at->x[i] + k->v[i] * next + coupling(pb, i, at->p) * next * after;
    }
    double room[FREQUENCIES];
    const double *const force = forcing(pb, at->t, room);
    for (size_t q = 0; q < np; q++)
        for (size_t i = 0; i < n; i++) dx[i] += k->c[i * np + q] * at->p[q] * force[q % FREQUENCIES];
    return SENS_OK;
}

/* The three entries of row i of the Jacobian, in columns i, i + 1, i + 2 mod n. */
static void jacobian_row(const struct sens_problem *pb, const struct sens_at *at, size_t i, double entry[3])
{
    const struct coefficients *k = pb->data;
    const double U = coupling(pb, i, at->p);
    entry[0] = -k->d[i];
    entry[1] = k->v[i] + U * at->x[(i + 2) % pb->n];
    entry[2] = U * at->x[(i + 1) % pb->n];
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    for (size_t i = 0; i < pb->n; i++) {
        double entry[3];
        jacobian_row(pb, at, i, entry);
        for (size_t l = 0; l < L; l++) {
            OUT[i * L + l] = 0;
            for (size_t s = 0; s < 3; s++) OUT[i * L + l] += entry[s] * V[(i + s) % pb->n * L + l];
        }
    }
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    for (size_t q = 0; q < pb->n * L; q++) OUT[q] = 0;
    for (size_t i = 0; i < pb->n; i++) {
        double entry[3];
        jacobian_row(pb, at, i, entry);
        for (size_t s = 0; s < 3; s++)
            for (size_t l = 0; l < L; l++) OUT[(i + s) % pb->n * L + l] += entry[s] * W[i * L + l];
    }
}

/* force: forcing of q. */
static double parameter_entry(const struct sens_problem *pb, double force, const double *x, size_t i,
                              size_t q)
{
    const struct coefficients *k = pb->data;
    const size_t at = i * pb->np + q;
    return k->c[at] * force + k->u[at] * x[(i + 1) % pb->n] * x[(i + 2) % pb->n];
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    double room[FREQUENCIES];
    const double *const force = forcing(pb, at->t, room);
    for (size_t l = 0; l < L; l++)
        for (size_t i = 0; i < pb->n; i++)
            OUT[i * L + l] += parameter_entry(pb, force[(k0 + l) % FREQUENCIES], at->x, i, k0 + l);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    const size_t n = pb->n;
    (void)p;
    for (size_t k = 0; k < K; k++) {
        double room[FREQUENCIES];
        const double *const force = forcing(pb, t[k], room);
        for (size_t q = 0; q < pb->np; q++)
            for (size_t i = 0; i < n; i++) {
                const double entry = parameter_entry(pb, force[q % FREQUENCIES], X + k * n, i, q);
                for (size_t l = 0; l < L; l++) MU[q * L + l] += entry * W[(k * n + i) * L + l];
            }
    }
}

static void x0(const struct sens_problem *pb, const double *p, double *x)
{
    const struct coefficients *k = pb->data;
    for (size_t i = 0; i < pb->n; i++) {
        x[i] = k->y[i];
        for (size_t q = 0; q < pb->np; q++) x[i] += k->e[i * pb->np + q] * p[q] * p[q];
    }
}

static void x0_jvp_cols(const struct sens_problem *pb, const double *p, size_t k0, size_t L, double *OUT)
{
    const struct coefficients *k = pb->data;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += 2 * k->e[i * pb->np + k0 + l] * p[k0 + l];
}

static void x0_vjp(const struct sens_problem *pb, const double *p, size_t L, const double *W, double *MU)
{
    const struct coefficients *k = pb->data;
    for (size_t i = 0; i < pb->n; i++)
        for (size_t q = 0; q < pb->np; q++)
            for (size_t l = 0; l < L; l++) MU[q * L + l] += 2 * k->e[i * pb->np + q] * p[q] * W[i * L + l];
}

/* Instances come from probe_problem alone. */
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option, (void)pb;
    return sens_fail(ctx, SENS_UNSUPPORTED, "the probe is made by the checks");
}

static const struct sens_problem_type probe_type = {
    .name = "probe",
    .summary = "the harness's own problem: nothing in it is symmetric, zero or equal by accident",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
    .observe = probe_observe,
};

void probe_problem(struct verify *v, const struct probe_settings *settings, struct sens_problem *problem)
{
    const struct coefficients *k = make_coefficients(v, settings);
    double *const x = verify_copy(v, settings->n, k->y);
    *problem = (struct sens_problem){.type = &probe_type,
                                     .n = settings->n,
                                     .np = settings->np,
                                     .t0 = settings->t0,
                                     .t1 = settings->t1,
                                     .x0 = x,
                                     .p = series(v, settings->np, sqrt(19), 1, 0.3),
                                     .data = k,
                                     .x0_fixed = !settings->x0_depends};
    if (settings->x0_depends) x0(problem, problem->p, x);
}

/* ---- the cost ------------------------------------------------------------------------------------------ */

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
    weights->alpha = series(v, ALPHA_BY_S * n_obs + BY_FUNCTIONAL * m + problem->n, sqrt(23), 0.7, 0.6);
    weights->zeta = series(v, ZETA_BY_S * n_obs + BY_FUNCTIONAL * m + problem->np, sqrt(29), 0.4, 0.3);
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

void probe_cost(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                struct sens_cost *cost)
{
    const double t0 = problem->t0, length = problem->t1 - t0;
    double t_obs[4];
    size_t n_obs = 0;
    if (parts & PROBE_AT_T0) t_obs[n_obs++] = t0;
    if (parts & PROBE_BETWEEN) t_obs[n_obs++] = t0 + 0.375 * length;
    if (parts & PROBE_BETWEEN) t_obs[n_obs++] = t0 + 0.625 * length;
    if (parts & PROBE_AT_T1) t_obs[n_obs++] = problem->t1;
    make_cost(v, problem, m, parts, CLOCK / length, n_obs, t_obs, cost);
}

unsigned probe_parts_for(const struct sens_method_type *method)
{
    unsigned parts = PROBE_AT_T1 | PROBE_EXPLICIT;
    if (method->caps & SENS_CAP_OBSERVATIONS) parts |= PROBE_AT_T0 | PROBE_BETWEEN;
    if (method->caps & SENS_CAP_RUNNING_COST) parts |= PROBE_RUNNING;
    return parts;
}
