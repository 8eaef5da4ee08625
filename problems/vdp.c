/* Van der Pol's oscillator in the two scalings found in publications, one parameter each:
 *
 *     x' = v,   v' = ((1 - x^2) v - x) / eps   p = eps   Martins and Lakshtanov, arXiv 2410.01911, 4.2
 *     x' = v,   v' = mu ((1 - x^2) v - x)      p = mu    PETSc, src/ts/tutorials/ex20adj.c
 *
 * on [0, 0.5], x(0) = 2, v(0) = -2/3 + 10/(81 mu) - 292/(2187 mu^2) with mu = 1/eps: the slow manifold to
 * second order. v(0) is that number, or (initial = dependent) that function of the parameter, whose
 * derivative is then included. The products by hand are what the figures of the paper compare, and an oracle
 * for those that are derived. */
#include "sens/problem.h"

enum form { FORM_EPS, FORM_MU };
enum { INITIAL_FIXED, INITIAL_DEPENDENT };

struct vdp {
    enum form form;
};

/* v' = rate(p) ((1 - x^2) v - x). */
static sens_real rate(const struct vdp *vdp, const sens_real *p)
{
    return vdp->form == FORM_EPS ? 1 / p[0] : p[0];
}

static sens_real rate_derivative(const struct vdp *vdp, const sens_real *p)
{
    return vdp->form == FORM_EPS ? -1 / (p[0] * p[0]) : 1;
}

/* v(0) as a function of eps; long double in every variant, so that the number rounded to double is the
 * same. */
static long double slow_manifold(long double eps)
{
    return -2 / 3.0L + eps * (10 / 81.0L - eps * (292 / 2187.0L));
}

/* dv(0)/dp */
static sens_real initial_derivative(const struct vdp *vdp, const sens_real *p)
{
    const sens_real eps = vdp->form == FORM_EPS ? p[0] : 1 / p[0];
    const sens_real deps_dp = vdp->form == FORM_EPS ? 1 : -eps * eps;
    return (SENS_Q(10, 81) - eps * SENS_Q(584, 2187)) * deps_dp;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const sens_real x = at->x[0], v = at->x[1];
    dx[0] = v;
    dx[1] = rate(pb->data, at->p) * ((1 - x * x) * v - x);
    return SENS_OK;
}

/* The second row of the Jacobian; the first is (0, 1). */
static void jacobian_row(const struct sens_problem *pb, const struct sens_at *at, sens_real row[2])
{
    const sens_real x = at->x[0], v = at->x[1], r = rate(pb->data, at->p);
    row[0] = r * (-2 * x * v - 1);
    row[1] = r * (1 - x * x);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *restrict OUT)
{
    sens_real J[2];
    jacobian_row(pb, at, J);
    for (size_t l = 0; l < L; l++) {
        OUT[l] = J[0] * W[L + l];
        OUT[L + l] = W[l] + J[1] * W[L + l];
    }
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *restrict OUT)
{
    sens_real J[2];
    jacobian_row(pb, at, J);
    for (size_t l = 0; l < L; l++) {
        OUT[l] = V[L + l];
        OUT[L + l] = J[0] * V[l] + J[1] * V[L + l];
    }
}

/* df_2/dp; df_1/dp = 0. */
static sens_real slope_derivative(const struct sens_problem *pb, const sens_real *x, const sens_real *p)
{
    return rate_derivative(pb->data, p) * ((1 - x[0] * x[0]) * x[1] - x[0]);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)k0; /* the only column is 0 */
    for (size_t l = 0; l < L; l++) OUT[L + l] += slope_derivative(pb, at->x, at->p);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *restrict MU)
{
    (void)t;
    for (size_t k = 0; k < K; k++) {
        const sens_real d = slope_derivative(pb, X + 2 * k, p);
        for (size_t l = 0; l < L; l++) MU[l] += d * W[(2 * k + 1) * L + l];
    }
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const struct vdp *vdp = pb->data;
    ops->rhs = vdp->form == FORM_EPS ? 6 : 5; /* with the division of its rate */
    ops->vjp = ops->jvp = 3;
    ops->vjp_p = 2;
    ops->jvp_p = 1;
    ops->jacobian = 2;
}

static void x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    const struct vdp *vdp = pb->data;
    const sens_real eps = vdp->form == FORM_EPS ? p[0] : 1 / p[0];
    x[0] = pb->x0[0];
    x[1] = (sens_real)slow_manifold((long double)eps);
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    const sens_real d = initial_derivative(pb->data, p);
    for (size_t l = 0; l < L; l++) MU[l] += d * W[L + l];
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    (void)k0; /* the only column is 0 */
    for (size_t l = 0; l < L; l++) OUT[L + l] += initial_derivative(pb->data, p);
}

enum { OPTION_FORM, OPTION_EPS, OPTION_INITIAL, OPTION_T };

static const char *const forms[] = {"eps", "mu", NULL};
static const char *const initials[] = {"fixed", "dependent", NULL};
static const struct sens_option options[] = {
    [OPTION_FORM] = {.name = "form",
                     .kind = SENS_OPT_CHOICE,
                     .fallback = FORM_EPS,
                     .choices = forms,
                     .help = "parameter: eps, or mu = 1/eps"},
    [OPTION_EPS] = {.name = "eps",
                    .kind = SENS_OPT_REAL,
                    .fallback = 1e-3,
                    .min = 1e-8,
                    .max = 10,
                    .help = "stiffness eps = 1/mu, in either form"},
    [OPTION_INITIAL] = {.name = "initial",
                        .kind = SENS_OPT_CHOICE,
                        .fallback = INITIAL_FIXED,
                        .choices = initials,
                        .help = "v(0): a number, or a function of the parameter"},
    [OPTION_T] =
        {.name = "T", .kind = SENS_OPT_REAL, .fallback = 0.5, .min = 1e-6, .max = 100, .help = "final time"},
    SENS_OPTIONS_END};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *problem)
{
    struct vdp *vdp = SENS_NEW(ctx, struct vdp, 1);
    sens_real *state = SENS_NEW(ctx, sens_real, 2);
    sens_real *parameter = SENS_NEW(ctx, sens_real, 1);
    if (!vdp || !state || !parameter) return SENS_NO_MEMORY;
    vdp->form = (enum form)option[OPTION_FORM].number;
    const double eps =
        option[OPTION_EPS].number; /* as given: 1/eps is then the same number in every precision */
    state[0] = 2;
    state[1] = (sens_real)slow_manifold(eps);
    parameter[0] = vdp->form == FORM_EPS ? eps : 1 / eps;
    problem->n = 2;
    problem->np = 1;
    problem->t1 = option[OPTION_T].number;
    problem->x0 = state;
    problem->p = parameter;
    problem->data = vdp;
    problem->x0_fixed = (int)option[OPTION_INITIAL].number == INITIAL_FIXED;
    return SENS_OK;
}

SENS_PROBLEM(vdp) = {
    .name = "vdp",
    .summary = "Van der Pol oscillator, stiff, one parameter",
    .reference =
        "Martins and Lakshtanov, Appl. Math. Comput. 510 (2025) 129699, section 4.2; PETSc ex20adj.c",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .operations = operations,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
};
