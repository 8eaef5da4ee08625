/* Rosenbrock pairs (Hairer & Wanner, Solving ODEs II, IV.7): the formulas of rosenbrock.h, in which each stage is one
 * linear system, and all have the same matrix,
 *
 *     (I - h gamma J) u_i = h gamma f(t_i, Y_i) + sum_{j<i} c_ij u_j + h^2 gamma gamma_i df/dt,
 *
 * with J = df/dx and df/dt at the start of the step: one factorisation a step, and no iteration. J is part of the
 * formula: its order rests on it. J and df/dt serve the trials of a step that is rejected too. A step depends on its
 * start and on h alone, and restaging it gives the bits of the solve. */
#include "rosenbrock.h"

#include <string.h>
#include <tgmath.h>

#include "implicit.h"
#include "rules.h"
#include "stage_matrix.h"

struct rosenbrock {
    struct sens_implicit head; /* J_known: df/dt, too */
    struct sens_rosenbrock formula;
    struct sens_stage_matrix matrix; /* I - h gamma J */
    bool its;                        /* with J at the start of the trial at hand, not at its end */
    bool moves;                      /* df/dt is not 0 */
    sens_real *f_t;                  /* [n] df/dt at the current state */
    sens_real *g;                    /* [n] f at the stage at hand; the estimate of a step */
    sens_real *y1;                   /* [n] candidate */
};

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status check(struct sens_ctx *ctx, const struct sens_tableau *tb, const struct sens_problem *pb)
{
    if (!pb)
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "tableau %s takes df/dx: it solves for a problem's own state, not for a system made of it",
            tb->name);
    if (pb->type->autonomous || pb->type->rhs_t) return SENS_OK;
    return sens_fail(
        ctx, SENS_UNSUPPORTED,
        "tableau %s takes df/dt: problem %s has no rhs_t, and is not declared autonomous (vjp=compiled "
        "or vjp=tape find it)",
        tb->name, pb->type->name);
}

static sens_status create_vectors(struct sens_ctx *ctx, struct rosenbrock *ros)
{
    const size_t n = ros->head.scheme.with.ode->n;
    ros->head.own_Y = ros->head.scheme.Y = SENS_NEW(ctx, sens_real, ros->head.scheme.stage_size);
    ros->head.f = SENS_NEW(ctx, sens_real, n);
    ros->f_t = SENS_NEW(ctx, sens_real, n);
    ros->g = SENS_NEW(ctx, sens_real, n);
    ros->y1 = SENS_NEW(ctx, sens_real, n);
    return ros->head.own_Y && ros->head.f && ros->f_t && ros->g && ros->y1 ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                          struct sens_scheme **scheme)
{
    const struct sens_problem *pb = setup->ode->problem;
    struct rosenbrock *ros = SENS_NEW(ctx, struct rosenbrock, 1);
    if (!ros) return SENS_NO_MEMORY;
    *ros = (struct rosenbrock){.head = {.scheme = {.type = &sens_scheme_rosenbrock, .with = *setup}}};
    sens_status status = check(ctx, setup->tableau, pb);
    if (status == SENS_OK) status = sens_rosenbrock_create(ctx, setup->tableau, &ros->formula);
    if (status != SENS_OK) return status;
    ros->head.scheme.stage_size = 2 * (size_t)setup->tableau->stages * pb->n;
    ros->head.scheme.bytes = ros->head.scheme.stage_size * sizeof(sens_real);
    status = create_vectors(ctx, ros);
    if (status == SENS_OK) status = sens_stage_matrix_create(ctx, pb, SENS_JVP, &ros->matrix);
    if (status == SENS_OK) *scheme = &ros->head.scheme;
    return status;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

/* J and df/dt at the current state, unless they are at hand, and the factors for h. */
static sens_status linearise(struct rosenbrock *ros, sens_real h)
{
    struct sens_scheme *scheme = &ros->head.scheme;
    if (!ros->head.J_known) {
        const struct sens_at at = {scheme->t, scheme->Y, scheme->with.ode->p};
        sens_stage_matrix_at(&ros->matrix, &at);
        ros->moves = sens_rosenbrock_slope_t(scheme->with.ode->problem, &at, ros->f_t);
        ros->head.J_known = true;
    }
    ros->its = true;
    scheme->did.factorisations++;
    return sens_stage_matrix_factor(&ros->matrix, h * ros->formula.gamma);
}

/* out = base + sum_{j<terms} w_j u_j; base NULL: without it. Weights of 0 are left out. */
static void sum(const struct rosenbrock *ros, int terms, const sens_real *base, const sens_real *w,
                sens_real *out)
{
    const size_t n = ros->head.scheme.with.ode->n;
    const sens_real *u = sens_rosenbrock_increments(&ros->formula, n, ros->head.scheme.Y);
    for (size_t q = 0; q < n; q++) out[q] = base ? base[q] : 0;
    for (int j = 0; j < terms; j++, u += n)
        for (size_t q = 0; w[j] != 0 && q < n; q++) out[q] += w[j] * u[q];
}

/* *f = f(t_i, Y_i), where Y_i has been written. */
static sens_status stage_slope(struct rosenbrock *ros, sens_real h, int i, const sens_real **f)
{
    struct sens_scheme *scheme = &ros->head.scheme;
    const struct sens_ode *ode = scheme->with.ode;
    if (i == 0) return sens_implicit_slope(scheme, f);
    if (ros->formula.same_point[i]) return SENS_OK; /* *f is that of the stage before */
    *f = ros->g;
    scheme->did.slopes++;
    return sens_slope(ode, scheme->t + ros->formula.alpha_i[i] * h, scheme->Y + (size_t)i * ode->n, ros->g);
}

static sens_status stages(struct rosenbrock *ros, sens_real h)
{
    struct sens_scheme *scheme = &ros->head.scheme;
    const struct sens_rosenbrock *formula = &ros->formula;
    const size_t n = scheme->with.ode->n;
    const sens_real h_gamma = h * formula->gamma, *f = ros->head.f;
    sens_real *u = scheme->Y + (size_t)formula->stages * n;
    sens_status status = sens_implicit_slope(scheme, &f);
    if (status == SENS_OK) status = linearise(ros, h);
    for (int i = 0; i < formula->stages && status == SENS_OK; i++, u += n) {
        if (i > 0) sum(ros, i, scheme->Y, formula->a[i], scheme->Y + (size_t)i * n);
        status = stage_slope(ros, h, i, &f);
        if (status != SENS_OK) return status;
        sum(ros, i, NULL, formula->c[i], u);
        for (size_t q = 0; q < n; q++) u[q] += h_gamma * f[q];
        for (size_t q = 0; ros->moves && q < n; q++) u[q] += h * h_gamma * formula->gamma_i[i] * ros->f_t[q];
        scheme->did.solves++;
        sens_shifted_solve(ros->matrix.system, false, 1, u);
    }
    return status;
}

static sens_real scaled_error(const struct rosenbrock *ros, sens_real h)
{
    const struct sens_scheme *scheme = &ros->head.scheme;
    const struct sens_scheme_setup *with = &scheme->with;
    struct sens_error_norm norm = sens_along_norm(ros->head.along);
    sum(ros, ros->formula.stages, NULL, ros->formula.e, ros->g);
    const struct sens_trial trial = {.h = h, .y = scheme->Y, .f = ros->head.f, .y1 = scheme->y1, .e = ros->g};
    sens_error_norm_add(with->controller, with->ode, &trial, &norm);
    return with->controller->norm(&norm);
}

/* A step that began beyond the pole must not end there (dirk.c): SENS_SINGULAR. */
static sens_status check_end(struct rosenbrock *ros, sens_real h)
{
    struct sens_scheme *scheme = &ros->head.scheme;
    const struct sens_at at = {scheme->t + h, scheme->y1, scheme->with.ode->p};
    ros->head.J_known = ros->its = false;
    sens_stage_matrix_at(&ros->matrix, &at);
    scheme->did.factorisations++;
    const sens_status status = sens_stage_matrix_factor(&ros->matrix, h * ros->formula.gamma);
    return status == SENS_OK && sens_shifted_negative(ros->matrix.system) ? SENS_SINGULAR : status;
}

/* Its estimates are bounded without a filter, as the state's. */
static sens_status try_along(struct rosenbrock *ros, sens_real h, bool estimates)
{
    const struct sens_shifted *const factors[] = {ros->matrix.system};
    return sens_along_try(ros->head.along, &ros->head.scheme, h, estimates, factors, NULL);
}

static sens_status try_step(struct sens_scheme *scheme, sens_real h, sens_real *err)
{
    struct rosenbrock *ros = (struct rosenbrock *)scheme;
    sens_status status = stages(ros, h);
    if (status != SENS_OK) return status;
    sum(ros, ros->formula.stages, scheme->Y, ros->formula.m, ros->y1);
    scheme->y1 = ros->y1;
    if (!sens_finite(scheme->with.ode->n, ros->y1)) return SENS_NONFINITE;
    status = try_along(ros, h, err);
    if (status != SENS_OK) return status;
    if (err) *err = scaled_error(ros, h);
    return err && sens_shifted_negative(ros->matrix.system) ? check_end(ros, h) : SENS_OK;
}

static struct sens_scheme_systems systems_of(struct sens_scheme *scheme)
{
    struct rosenbrock *ros = (struct rosenbrock *)scheme;
    return (struct sens_scheme_systems){.count = 1, .at = {&ros->matrix.system}, .its = ros->its};
}

static void accept(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *place)
{
    (void)h;
    sens_implicit_accept(scheme, t1, place);
}

static sens_status restage(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *next)
{
    struct rosenbrock *ros = (struct rosenbrock *)scheme;
    const sens_status status = stages(ros, h);
    if (status != SENS_OK || !next) return status;
    sum(ros, ros->formula.stages, scheme->Y, ros->formula.m, ros->y1);
    sens_implicit_start(scheme, t1, ros->y1, next);
    return SENS_OK;
}

/* ---- dense output: y + sum_i (sum_d B_id theta^d) k_i as a polynomial in theta ------------------------- */

static sens_status dense_create(struct sens_ctx *ctx, struct sens_scheme *scheme, size_t *size)
{
    (void)ctx;
    *size = (size_t)(scheme->with.tableau->dense_degree + 1) * scheme->with.ode->n;
    return SENS_OK;
}

/* The k_i of the formula: Gamma k = u. */
static sens_status dense_build(struct sens_scheme *scheme, const struct sens_step *step, sens_real *coef)
{
    const struct rosenbrock *ros = (const struct rosenbrock *)scheme;
    const struct sens_tableau *tb = scheme->with.tableau;
    const size_t n = scheme->with.ode->n, D = (size_t)tb->dense_degree;
    const int s = tb->stages;
    const sens_real *u = sens_rosenbrock_increments(&ros->formula, n, step->Y);
    memcpy(coef, step->y, n * sizeof *coef);
    memset(coef + n, 0, D * n * sizeof *coef);
    for (size_t q = 0; q < n; q++) {
        sens_real k[SENS_ROSENBROCK_STAGES];
        for (int i = 0; i < s; i++) {
            k[i] = u[(size_t)i * n + q];
            for (int j = 0; j < i; j++) k[i] -= tb->gamma[i * s + j] * k[j];
            k[i] /= ros->formula.gamma;
            for (size_t d = 0; d < D; d++) coef[(d + 1) * n + q] += tb->dense[(size_t)i * D + d] * k[i];
        }
    }
    return SENS_OK;
}

static void dense_eval(const struct sens_scheme *scheme, const sens_real *coef, sens_real theta, sens_real *y)
{
    const size_t n = scheme->with.ode->n, D = (size_t)scheme->with.tableau->dense_degree;
    memcpy(y, coef + D * n, n * sizeof *y);
    for (size_t d = D; d-- > 0;)
        for (size_t q = 0; q < n; q++) y[q] = y[q] * theta + coef[d * n + q];
}

static const struct sens_scheme_dense dense = {
    .create = dense_create, .build = dense_build, .eval = dense_eval};

const struct sens_scheme_type sens_scheme_rosenbrock = {
    .create = create,
    .follow = sens_implicit_follow,
    .start = sens_implicit_start,
    .slope = sens_implicit_slope,
    .try = try_step,
    .accept = accept,
    .restage = restage,
    .systems = systems_of,
    .dense = &dense,
};
