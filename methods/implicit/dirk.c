/* Diagonally implicit Runge-Kutta pairs with one number gamma on the diagonal (SDIRK, ESDIRK),
 *
 *     Y_1 = y,   Y_i = y + h sum_{j<i} a_ij K_j + h gamma K_i,   K_i = f(t + c_i h, Y_i),
 *     y1 = y + h sum_i b_i K_i,      (I - h gamma J) e = h sum_i (b_i - bhat_i) K_i
 *
 * (Hairer & Wanner, Solving ODEs II, IV.6 and IV.8). The matrix of the stages filters the estimate, which
 * else is of no use for components that decay within the step. J = df/dx at the step's start serves all
 * stages, and the trials of a step that is rejected; its factors all stages. They are not taken over to the next
 * step: a step depends on its start and on h alone, and restaging it gives the bits of the solve.
 *
 * The filter hides what grows, too: where J has a real eigenvalue lambda > 1 / (h gamma), the step is beyond the pole
 * of R(z), on whose other side R(z) is small. det M < 0 tells of an odd number of them. A step that may choose its
 * length is refused where this is so at its start and at its end: there the growth was jumped over. Where it is so at
 * the start alone, an error below the tolerance has led off a stable solution (Robertson's, with a concentration below
 * 0), and the step leads back. With a mass matrix M, which stands in the place of I (dirk_mass.c), it is the sign of
 * det(M - h gamma J) against the one for h gamma -> 0.
 *
 * Additive pairs, of a split f = f_E + f_I, are these with f_I for f, and what f_E adds (dirk_additive.c). */
#include <tgmath.h>

#include "dirk.h"
#include "rules.h"

/* Of so many, counting f(y), Newton's method takes eight iterations or more with one matrix. */
enum { MANY_STAGES = 4 };

/* ---- creation ------------------------------------------------------------------------------------------ */

/* a_11 = 0, all others the same; else 0. */
static sens_real find_gamma(const struct sens_tableau *tb)
{
    const sens_real gamma = tb->stages > 1 ? sens_tableau_a(tb, 1, 1) : 0;
    if (tb->extra_stages > 0 || sens_tableau_a(tb, 0, 0) != 0 || !(gamma > 0)) return 0;
    for (int i = 2; i < tb->stages; i++)
        if (sens_tableau_a(tb, i, i) != gamma) return 0;
    return gamma;
}

static sens_status create_vectors(struct sens_ctx *ctx, struct sens_dirk *dirk)
{
    const size_t n = dirk->head.scheme.with.ode->n;
    dirk->K = SENS_NEW(ctx, sens_real, dirk->head.scheme.stage_size);
    dirk->head.scheme.K = dirk->head.f = dirk->K;
    dirk->head.own_Y = dirk->head.scheme.Y = SENS_NEW(ctx, sens_real, dirk->head.scheme.stage_size);
    dirk->base = SENS_NEW(ctx, sens_real, n);
    dirk->d = SENS_NEW(ctx, sens_real, n);
    dirk->y1 = SENS_NEW(ctx, sens_real, n);
    return dirk->K && dirk->head.own_Y && dirk->base && dirk->d && dirk->y1 ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_scheme_setup *setup,
                          struct sens_scheme **scheme)
{
    const struct sens_tableau *tb = setup->tableau;
    const struct sens_problem *pb = setup->ode->problem;
    const sens_real gamma = find_gamma(tb);
    if (gamma == 0)
        return sens_fail(ctx, SENS_UNSUPPORTED, "tableau %s: its diagonal is not 0, gamma, gamma, ...",
                         tb->name);
    if (!pb)
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "tableau %s is implicit: it solves for a problem's own state, not for a system made of it",
            tb->name);
    struct sens_dirk *dirk = SENS_NEW(ctx, struct sens_dirk, 1);
    if (!dirk) return SENS_NO_MEMORY;
    *dirk =
        (struct sens_dirk){.head = {.scheme = {.type = &sens_scheme_dirk, .with = *setup}}, .gamma = gamma};
    dirk->head.scheme.stage_size = (size_t)tb->stages * pb->n;
    dirk->head.scheme.bytes = 2 * dirk->head.scheme.stage_size * sizeof(sens_real);
    sens_status status = create_vectors(ctx, dirk);
    if (status == SENS_OK && tb->a_explicit) status = sens_dirk_additive_create(ctx, dirk);
    if (status == SENS_OK)
        status = sens_stage_matrix_create(ctx, dirk->part ? dirk->part : pb, SENS_JVP, &dirk->matrix);
    if (status == SENS_OK && pb->mass) status = sens_dirk_mass_create(ctx, dirk);
    if (status == SENS_OK && tb->stages >= MANY_STAGES) sens_shifted_expect_many(dirk->matrix.system);
    if (status == SENS_OK) *scheme = &dirk->head.scheme;
    return status;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

/* out = base + h sum_{j<terms} w_j K_j; base NULL: without it. Weights of 0 are left out. */
static void sum(const struct sens_dirk *dirk, const sens_real *K, int terms, sens_real h,
                const sens_real *base, const sens_real *w, sens_real *out)
{
    const size_t n = dirk->head.scheme.with.ode->n;
    for (size_t q = 0; q < n; q++) out[q] = 0;
    for (int j = 0; j < terms; j++)
        for (size_t q = 0; w[j] != 0 && q < n; q++) out[q] += w[j] * K[(size_t)j * n + q];
    for (size_t q = 0; q < n; q++) out[q] = base ? base[q] + h * out[q] : h * out[q];
}

/* The factors for h at the current state, unless they are at hand. */
static sens_status linearise(struct sens_dirk *dirk, sens_real h)
{
    struct sens_scheme *scheme = &dirk->head.scheme;
    if (!dirk->head.J_known) {
        const struct sens_at at = {scheme->t, scheme->Y, scheme->with.ode->p};
        sens_stage_matrix_at(&dirk->matrix, &at);
    } else if (dirk->factored == h * dirk->gamma) {
        return SENS_OK;
    }
    dirk->head.J_known = true;
    dirk->factored = 0;
    scheme->did.factorisations++;
    const sens_status status = sens_stage_matrix_factor(&dirk->matrix, h * dirk->gamma);
    if (status == SENS_OK) dirk->factored = h * dirk->gamma;
    return status;
}

static sens_status stages(struct sens_dirk *dirk, sens_real h)
{
    const struct sens_scheme *scheme = &dirk->head.scheme;
    const struct sens_tableau *tb = scheme->with.tableau;
    const sens_real *f1;
    dirk->left = 0;
    sens_status status = sens_implicit_slope(&dirk->head.scheme, &f1);
    if (status == SENS_OK && dirk->part) status = sens_dirk_additive_slopes(dirk, h, 0);
    if (status == SENS_OK) status = linearise(dirk, h);
    for (int i = 1; i < tb->stages && status == SENS_OK; i++) {
        sum(dirk, dirk->K, i, h, dirk->head.M ? NULL : scheme->Y, tb->a + i * tb->stages, dirk->base);
        if (dirk->part) sens_dirk_additive_add(dirk, h, i);
        status = sens_dirk_newton(dirk, h, i);
        if (status == SENS_OK && dirk->part) status = sens_dirk_additive_slopes(dirk, h, i);
    }
    return status;
}

static const sens_real *end_state(const struct sens_dirk *dirk, sens_real h, sens_real *beside)
{
    const struct sens_tableau *tb = dirk->head.scheme.with.tableau;
    if (tb->fsal) return dirk->head.scheme.Y + (size_t)(tb->stages - 1) * dirk->head.scheme.with.ode->n;
    if (dirk->part)
        sens_dirk_additive_end(dirk, h, beside);
    else
        sum(dirk, dirk->K, tb->stages, h, dirk->head.scheme.Y, tb->b, beside);
    return beside;
}

/* e [n][L] becomes (I - h gamma J)^-1 e. */
static void filter(struct sens_scheme *scheme, size_t L, sens_real *e)
{
    scheme->did.solves += (long)L;
    sens_shifted_solve(((struct sens_dirk *)scheme)->matrix.system, false, L, e);
}

/* e = (I - h gamma J)^-1 h sum_i (b_i - bhat_i) K_i. */
static void filtered_error(struct sens_dirk *dirk, sens_real h, sens_real *e)
{
    const struct sens_tableau *const tb = dirk->head.scheme.with.tableau;
    sum(dirk, dirk->head.scheme.K, tb->stages, h, NULL, tb->e, e);
    filter(&dirk->head.scheme, 1, e);
}

/* What goes along; an additive step's estimate is not filtered. */
static sens_status try_along(struct sens_dirk *dirk, sens_real h, bool estimates)
{
    const struct sens_shifted *const factors[] = {dirk->matrix.system};
    return sens_along_try(dirk->head.along, &dirk->head.scheme, h, estimates, factors,
                          dirk->part ? NULL : filter);
}

static sens_real scaled_error(struct sens_dirk *dirk, sens_real h)
{
    const struct sens_scheme_setup *with = &dirk->head.scheme.with;
    struct sens_error_norm norm = sens_along_norm(dirk->head.along);
    if (dirk->part)
        sens_dirk_additive_error(dirk, h, dirk->d);
    else
        filtered_error(dirk, h, dirk->d);
    const sens_real *const rate = sens_implicit_rate(&dirk->head, h); /* which no stage may have used */
    if (!sens_finite(with->ode->n, dirk->d) || !sens_finite(with->ode->n, rate)) return (sens_real)NAN;
    const struct sens_trial trial = {
        .h = h, .y = dirk->head.scheme.Y, .f = rate, .y1 = dirk->head.scheme.y1, .e = dirk->d};
    sens_error_norm_add(with->controller, with->ode, &trial, &norm);
    return with->controller->norm(&norm);
}

/* A step that began beyond the pole must not end there: SENS_SINGULAR. */
static sens_status check_end(struct sens_dirk *dirk, sens_real h)
{
    const struct sens_scheme *scheme = &dirk->head.scheme;
    dirk->head.J_known = false;
    const sens_status status = sens_dirk_renew(dirk, h, scheme->t + h, scheme->y1);
    return status == SENS_OK && sens_implicit_beyond(&dirk->head, dirk->matrix.system) ? SENS_SINGULAR
                                                                                       : status;
}

static sens_status try_step(struct sens_scheme *scheme, sens_real h, sens_real *err)
{
    struct sens_dirk *dirk = (struct sens_dirk *)scheme;
    sens_status status = linearise(dirk, h);
    const bool beyond = status == SENS_OK && sens_implicit_beyond(&dirk->head, dirk->matrix.system);
    if (status == SENS_OK) status = stages(dirk, h);
    if (status != SENS_OK) return status;
    scheme->y1 = end_state(dirk, h, dirk->y1);
    if (!sens_finite(scheme->with.ode->n, scheme->y1)) return SENS_NONFINITE;
    status = try_along(dirk, h, err);
    if (status != SENS_OK) return status;
    if (err) *err = scaled_error(dirk, h);
    return err && beyond ? check_end(dirk, h) : SENS_OK;
}

static struct sens_scheme_systems systems_of(struct sens_scheme *scheme)
{
    struct sens_dirk *dirk = (struct sens_dirk *)scheme;
    dirk->factored = 0; /* they may go */
    return (struct sens_scheme_systems){.count = 1, .at = {&dirk->matrix.system}, .its = true};
}

static void accept(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *place)
{
    struct sens_dirk *dirk = (struct sens_dirk *)scheme;
    (void)h;
    scheme->did.residual += dirk->left;
    sens_implicit_accept(scheme, t1, place);
}

static sens_status restage(struct sens_scheme *scheme, sens_real h, sens_real t1, sens_real *next)
{
    struct sens_dirk *dirk = (struct sens_dirk *)scheme;
    const sens_status status = stages(dirk, h);
    if (status == SENS_OK && next) sens_implicit_start(scheme, t1, end_state(dirk, h, dirk->y1), next);
    return status;
}

const struct sens_scheme_type sens_scheme_dirk = {
    .create = create,
    .follow = sens_implicit_follow,
    .start = sens_implicit_start,
    .slope = sens_implicit_derivative,
    .try = try_step,
    .accept = accept,
    .restage = restage,
    .systems = systems_of,
    .dense = &sens_scheme_cubic,
};
