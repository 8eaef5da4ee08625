/* Fully implicit Runge-Kutta pairs of three implicit stages (Radau IIA and IA, Lobatto IIIC, Gauss),
 *
 *     Y_i = y + h sum_j a_ij K_j,   K_i = f(t + c_i h, Y_i),   y1 = y + h sum_i b_i K_i,
 *     (I - h gamma0 J)^filters e = h (e_0 f(t, y) + sum_i e_i K_i)
 *
 * (Hairer & Wanner, Solving ODEs II, IV.8), with Z_i = Y_i - y as the unknowns: h K = A^-1 Z, so that slopes of stiff
 * parts are not differences of large numbers. gamma0 is the real eigenvalue of A.
 *
 * As z = h lambda goes to infinity the unfiltered estimate of y' = lambda y grows like z. Divided by 1 - gamma0 z once
 * it stays bounded, which is enough where the step damps what is stiff, and ends in it (Radau IIA, Lobatto IIIC);
 * twice where it damps it, but ends in a sum of stages (Radau IA); three times where it keeps it (Gauss): as in
 * FATODE (Zhang & Sandu, SIAM J. Sci. Comput. 36 (2014) C504-C523).
 *
 * J = df/dx at the step's start serves all iterations, and the trials of a step that is rejected (firk_newton.c).
 * Nothing is taken over to the next step: a step depends on its start and on h alone, and restaging it gives the
 * bits of the solve.
 *
 * With a mass matrix M, M K_i = f(t + c_i h, Y_i), the equations are those of M Z_i, the estimate has M K_i in the
 * place of K_i, M in that of I, and M before each filter but the first. Z itself needs no M^-1, nor does the end. Where
 * M is singular, algebraic equations hold at the stages, and at the end if that is one of them (Hairer & Wanner, VI.1).
 * */
#include "firk.h"

#include <string.h>
#include <tgmath.h>

#include "rules.h"

enum { S = SENS_FIRK_STAGES };

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_vectors(struct sens_ctx *ctx, struct sens_firk *firk)
{
    const size_t n = firk->head.scheme.with.ode->n;
    firk->head.scheme.K = firk->head.f = firk->K = SENS_NEW(ctx, sens_real, (S + 1) * n);
    firk->head.own_Y = firk->head.scheme.Y = SENS_NEW(ctx, sens_real, (S + 1) * n);
    firk->Z = SENS_NEW(ctx, sens_real, S * n);
    firk->W = SENS_NEW(ctx, sens_real, S * n);
    firk->d = SENS_NEW(ctx, sens_real, S * n);
    firk->F = SENS_NEW(ctx, sens_real, S * n);
    firk->y1 = SENS_NEW(ctx, sens_real, n);
    firk->Me = firk->MW = firk->head.M ? SENS_NEW(ctx, sens_real, S * n) : NULL;
    if (firk->head.M && !firk->MW) return SENS_NO_MEMORY;
    return firk->K && firk->head.own_Y && firk->Z && firk->W && firk->d && firk->F && firk->y1
               ? SENS_OK
               : SENS_NO_MEMORY;
}

/* R(infinity) = 1 - b^T A^-1 (1, 1, 1): 0 where what is stiff is damped. */
static int count_filters(const struct sens_tableau *tb, const struct sens_firk_transform *tr)
{
    if (tb->fsal) return 1;
    return fabs(tr->rest) < SENS_C(0.5) ? 2 : 3;
}

static sens_status refuse_open_end(struct sens_ctx *ctx, const struct sens_tableau *tb)
{
    return sens_fail(
        ctx, SENS_UNSUPPORTED,
        "tableau %s does not end in its last stage, and the problem has algebraic equations: take one "
        "that does, as radau_iia5",
        tb->name);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                          struct sens_scheme **scheme)
{
    const struct sens_tableau *tb = setup->tableau;
    const struct sens_problem *pb = setup->ode->problem;
    if (!pb)
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "tableau %s is implicit: it solves for a problem's own state, not for a system made of it",
            tb->name);
    struct sens_firk *firk = SENS_NEW(ctx, struct sens_firk, 1);
    if (!firk) return SENS_NO_MEMORY;
    *firk = (struct sens_firk){.head = {.scheme = {.type = &sens_scheme_firk, .with = *setup}}};
    sens_status status = sens_implicit_create_mass(ctx, &firk->head);
    if (status == SENS_OK && firk->head.mass.algebraic && !tb->fsal) return refuse_open_end(ctx, tb);
    if (status == SENS_OK) status = sens_firk_matrix_create(ctx, pb, tb, SENS_JVP, 1, &firk->matrix);
    if (status == SENS_OK) status = sens_coupled_create(ctx, pb, SENS_JVP, S, &firk->coupled);
    if (status == SENS_OK) status = create_vectors(ctx, firk);
    if (status != SENS_OK) return status;
    firk->filters = count_filters(tb, &firk->matrix.transform);
    firk->head.scheme.stage_size = (S + 1) * pb->n;
    firk->head.scheme.bytes = (2 * (S + 1) + 4 * S + 1) * pb->n * sizeof(sens_real);
    *scheme = &firk->head.scheme;
    return SENS_OK;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

/* The factors for h at the current state, unless they are at hand. */
static sens_status linearise(struct sens_firk *firk, sens_real h)
{
    struct sens_scheme *scheme = &firk->head.scheme;
    const struct sens_at at = {scheme->t, scheme->Y, scheme->with.ode->p};
    if (firk->head.J_known && firk->factored == h) return SENS_OK;
    if (!firk->head.J_known) sens_firk_matrix_at(&firk->matrix, &at);
    firk->head.J_known = true;
    firk->factored = 0;
    scheme->did.factorisations += 2;
    const sens_status status = sens_firk_matrix_factor(&firk->matrix, h);
    if (status == SENS_OK) firk->factored = h;
    return status;
}

/* Y and Z of a step, and its end. */
static sens_status stages(struct sens_firk *firk, sens_real h)
{
    const struct sens_firk_transform *tr = &firk->matrix.transform;
    struct sens_scheme *scheme = &firk->head.scheme;
    const size_t n = scheme->with.ode->n;
    const sens_real *const y = scheme->Y, *const Z = firk->Z;
    sens_status status = linearise(firk, h);
    if (status == SENS_OK) status = sens_firk_newton(firk, h);
    if (status != SENS_OK) return status;
    scheme->y1 = scheme->with.tableau->fsal ? scheme->Y + S * n : firk->y1;
    for (size_t q = 0; !scheme->with.tableau->fsal && q < n; q++)
        firk->y1[q] = y[q] + (tr->end[0] * Z[q] + tr->end[1] * Z[n + q] + tr->end[2] * Z[2 * n + q]);
    return sens_finite(n, scheme->y1) ? SENS_OK : SENS_NONFINITE;
}

/* e [n][L] filtered, as often as the formula wants. */
static void filter(struct sens_scheme *scheme, size_t L, sens_real *e)
{
    struct sens_firk *const firk = (struct sens_firk *)scheme;
    const size_t size = scheme->with.ode->n * L;
    scheme->did.solves += (long)L * firk->filters;
    for (int k = 0; k < firk->filters; k++) {
        if (k > 0 && firk->head.M) sens_mass_multiply(firk->head.M, false, L, e, firk->Me);
        if (k > 0 && firk->head.M) memcpy(e, firk->Me, size * sizeof *e);
        sens_firk_matrix_filter(&firk->matrix, L, e);
    }
}

static sens_real scaled_error(struct sens_firk *firk, sens_real h)
{
    const struct sens_scheme_setup *with = &firk->head.scheme.with;
    const size_t n = with->ode->n;
    const sens_real *const e = with->tableau->e;
    sens_real *const error = firk->d;
    struct sens_error_norm norm = sens_along_norm(firk->head.along);
    for (size_t q = 0; q < n; q++) {
        sens_real sum = 0;
        for (size_t i = 0; i <= S; i++) sum += e[i] * firk->K[i * n + q];
        error[q] = h * sum;
    }
    filter(&firk->head.scheme, 1, error);
    if (!sens_finite(n, error)) return (sens_real)NAN;
    const struct sens_trial trial = {.h = h,
                                     .y = firk->head.scheme.Y,
                                     .f = sens_implicit_rate(&firk->head, h),
                                     .y1 = firk->head.scheme.y1,
                                     .e = error};
    sens_error_norm_add(with->controller, with->ode, &trial, &norm);
    return with->controller->norm(&norm);
}

/* A step that began beyond the real pole must not end there (dirk.c): SENS_SINGULAR. */
static sens_status check_end(struct sens_firk *firk, sens_real h)
{
    struct sens_scheme *scheme = &firk->head.scheme;
    const struct sens_at at = {scheme->t + h, scheme->y1, scheme->with.ode->p};
    firk->head.J_known = false;
    sens_firk_matrix_at(&firk->matrix, &at);
    scheme->did.factorisations += 2;
    const sens_status status = sens_firk_matrix_factor(&firk->matrix, h);
    return status == SENS_OK && sens_implicit_beyond(&firk->head, firk->matrix.real) ? SENS_SINGULAR : status;
}

/* K_i = (A^-1 Z)_i / h, or with a mass matrix that times it. */
static void find_slopes(struct sens_firk *firk, sens_real h)
{
    const size_t n = firk->head.scheme.with.ode->n;
    sens_firk_multiply(firk->matrix.transform.A_inverse, n, firk->Z, firk->K + n);
    for (size_t i = 0; firk->head.M && i < S; i++)
        sens_mass_multiply(firk->head.M, false, 1, firk->K + (i + 1) * n, firk->MW + i * n);
    if (firk->head.M) memcpy(firk->K + n, firk->MW, S * n * sizeof *firk->K);
    for (size_t q = n; q < (S + 1) * n; q++) firk->K[q] /= h;
}

static sens_status try_along(struct sens_firk *firk, sens_real h, bool estimates)
{
    const struct sens_shifted *const factors[] = {firk->matrix.real, firk->matrix.pair};
    return sens_along_try(firk->head.along, &firk->head.scheme, h, estimates, factors, filter);
}

static sens_status follow(struct sens_ctx *ctx, struct sens_scheme *scheme,
                          const struct sens_followers *followers)
{
    struct sens_firk *const firk = (struct sens_firk *)scheme;
    size_t most = 1;
    for (size_t b = 0; b < followers->blocks; b++) {
        const size_t L = (followers->offset[b + 1] - followers->offset[b]) / scheme->with.ode->n;
        most = L > most ? L : most;
    }
    if (firk->head.M && !(firk->Me = SENS_NEW(ctx, sens_real, scheme->with.ode->n * most)))
        return SENS_NO_MEMORY;
    return sens_implicit_follow(ctx, scheme, followers);
}

static sens_status try_step(struct sens_scheme *scheme, sens_real h, sens_real *err)
{
    struct sens_firk *firk = (struct sens_firk *)scheme;
    const sens_real *f;
    sens_status status = sens_implicit_slope(scheme, &f);
    if (status == SENS_OK) status = linearise(firk, h);
    const bool beyond = status == SENS_OK && sens_implicit_beyond(&firk->head, firk->matrix.real);
    if (status == SENS_OK) status = stages(firk, h);
    if (status != SENS_OK) return status;
    find_slopes(firk, h);
    status = try_along(firk, h, err);
    if (status != SENS_OK) return status;
    if (err) *err = scaled_error(firk, h);
    return err && beyond ? check_end(firk, h) : SENS_OK;
}

static struct sens_scheme_systems systems_of(struct sens_scheme *scheme)
{
    struct sens_firk *firk = (struct sens_firk *)scheme;
    firk->factored = 0; /* they may go */
    return (struct sens_scheme_systems){
        .count = 2, .at = {&firk->matrix.real, &firk->matrix.pair}, .its = true};
}

static void accept(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *place)
{
    const struct sens_firk *firk = (struct sens_firk *)scheme;
    (void)h;
    scheme->did.residual += firk->left;
    sens_implicit_accept(scheme, t1, place);
}

static sens_status restage(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *next)
{
    const sens_status status = stages((struct sens_firk *)scheme, h);
    if (status == SENS_OK && next) sens_implicit_start(scheme, t1, scheme->y1, next);
    return status;
}

const struct sens_scheme_type sens_scheme_firk = {
    .create = create,
    .follow = follow,
    .start = sens_implicit_start,
    .slope = sens_implicit_derivative,
    .try = try_step,
    .accept = accept,
    .restage = restage,
    .systems = systems_of,
    .dense = &sens_scheme_cubic,
};
