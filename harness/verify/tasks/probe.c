/* The probe problem. With U_i = sum_q u_iq p_q the derivatives are
 *
 *     df_i/dx_i = -d_i,  df_i/dx_(i+1) = v_i + U_i x_(i+2),  df_i/dx_(i+2) = U_i x_(i+1)   (added up mod n),
 *     df_i/dp_q = c_iq sin(w_(q mod 8) t) + u_iq x_(i+1) x_(i+2),   dx0_i/dp_q = 2 e_iq p_q. */
#include "probe.h"

#include "offers.h"

#include "probe_series.h"

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

double *probe_series(struct verify *v, size_t count, double irrational, double middle, double range)
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
        .d = probe_series(v, s->n, sqrt(2), 1, 0.4),
        .v = probe_series(v, s->n, sqrt(3), 0.1, 0.45),
        .y = probe_series(v, s->n, sqrt(5), 0.9, 0.4),
        .c = probe_series(v, s->n * s->np, sqrt(7), each * 0.05, share),
        .u = probe_series(v, s->n * s->np, sqrt(11), each * 0.03, 0.4 * share * share),
        .e = probe_series(v, s->n * s->np, sqrt(13), each * 0.02, 0.2 * share),
        .w = probe_series(v, FREQUENCIES, sqrt(17), 2, 1),
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
    const double *const diagonal = probe_series(v, n, sqrt(19), 1, 0.3), *const beside = probe_series(
                                                                             v, n, sqrt(23), 0.4, 0.2);
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

/* ---- what a problem may offer -------------------------------------------------------------------------- */

/* d/dt of the forcing; room[FREQUENCIES]. */
static const double *forcing_slopes(const struct sens_problem *pb, double t, double *room)
{
    const struct coefficients *k = pb->data;
    for (size_t q = 0; q < FREQUENCIES; q++)
        room[q] = k->still || q >= pb->np ? 0 : k->w[q] * cos(k->w[q] * t);
    return room;
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, double *OUT)
{
    const struct coefficients *k = pb->data;
    double room[FREQUENCIES];
    const double *const slope = forcing_slopes(pb, at->t, room);
    for (size_t i = 0; i < pb->n; i++) {
        OUT[i] = 0;
        for (size_t q = 0; q < pb->np; q++)
            OUT[i] += k->c[i * pb->np + q] * at->p[q] * slope[q % FREQUENCIES];
    }
}

/* Of row i of J and of df/dp, times W_i. U: its coupling; slope: of the forcing. */
static void add_second(const struct sens_problem *pb, const struct sens_at *at, size_t i, double U,
                       const double *slope, size_t L, const struct sens_direction *v, const double *W,
                       double *OUT, double *MU)
{
    const struct coefficients *k = pb->data;
    const size_t np = pb->np, next = (i + 1) % pb->n, after = (i + 2) % pb->n;
    const double *const c = k->c + i * np, *const u = k->u + i * np;
    for (size_t l = 0; l < L; l++) {
        const double w = W[i * L + l], dt = v->t ? v->t[l] : 0;
        const double d_next = v->x ? v->x[next * L + l] : 0, d_after = v->x ? v->x[after * L + l] : 0;
        const double d_product = d_next * at->x[after] + at->x[next] * d_after;
        double dU = 0;
        for (size_t q = 0; v->p && q < np; q++) dU += u[q] * v->p[q * L + l];
        OUT[next * L + l] += w * (dU * at->x[after] + U * d_after);
        OUT[after * L + l] += w * (dU * at->x[next] + U * d_next);
        for (size_t q = 0; MU && q < np; q++)
            MU[q * L + l] += w * (c[q] * slope[q % FREQUENCIES] * dt + u[q] * d_product);
    }
}

static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const double *W, double *OUT, double *MU)
{
    double room[FREQUENCIES] = {0};
    const double *const slope = v->t ? forcing_slopes(pb, at->t, room) : room;
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    for (size_t i = 0; i < pb->n; i++) add_second(pb, at, i, coupling(pb, i, at->p), slope, L, v, W, OUT, MU);
}

/* ---- the initial state --------------------------------------------------------------------------------- */

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

void probe_problem_with(struct verify *v, const struct probe_settings *settings, unsigned offers,
                        struct sens_problem *problem)
{
    const struct coefficients *k = make_coefficients(v, settings);
    double *const x = verify_copy(v, settings->n, k->y);
    struct sens_problem_type *const type = verify_memory(v, 1, sizeof *type);
    *type = probe_type;
    type->autonomous = settings->autonomous;
    if (offers & VERIFY_RHS_T) type->rhs_t = rhs_t;
    if (offers & VERIFY_HVP) type->hvp = hvp;
    *problem = (struct sens_problem){.type = type,
                                     .n = settings->n,
                                     .np = settings->np,
                                     .t0 = settings->t0,
                                     .t1 = settings->t1,
                                     .x0 = x,
                                     .p = probe_series(v, settings->np, sqrt(19), 1, 0.3),
                                     .data = k,
                                     .x0_fixed = !settings->x0_depends};
    if (settings->x0_depends) x0(problem, problem->p, x);
}

void probe_problem(struct verify *v, const struct probe_settings *settings, struct sens_problem *problem)
{
    probe_problem_with(v, settings, offers_wanted(v), problem);
}
