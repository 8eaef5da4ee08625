/* Diagonally implicit steps of a problem with a mass matrix, M x' = f. The slopes F_i = f(t_i, Y_i) are what is summed,
 *
 *     M (Y_i - y) = r + h gamma F_i,   r = h sum_{j<i} a_ij F_j,   y1 = Y_s,
 *     (M - h gamma J) e = h sum_i (b_i - bhat_i) F_i
 *
 * (Hairer & Wanner, Solving ODEs II, VI.1), so that no step takes M^-1. With z = Y_i - y and w = h gamma F_i = M z - r
 * Newton's corrections are
 *
 *     (M - h gamma J) d = h gamma f(t_i, y + z) - w,   z += d,   w += M d.
 *
 * In an algebraic row w = 0, and the stage satisfies 0 = f_i(t_i, Y_i) by itself; so does the end, which is a stage.
 * A first stage that enters is explicit: it would take df/dx of the algebraic variables where they are given, and not
 * where their equations are solved, and is refused where there are any. */
#include "dirk.h"

static sens_status refuse_open_end(struct sens_ctx *ctx, const struct sens_tableau *tb)
{
    return sens_fail(
        ctx, SENS_UNSUPPORTED,
        "tableau %s does not end in its last stage: with a mass matrix take one that does, as sdirk4a",
        tb->name);
}

/* Does anything depend on the first stage? */
static bool first_matters(const struct sens_tableau *tb)
{
    bool matters = tb->b[0] != 0 || (tb->e && tb->e[0] != 0);
    for (int i = 1; i < tb->stages; i++) matters = matters || sens_tableau_a(tb, i, 0) != 0;
    return matters;
}

sens_status sens_dirk_mass_create(struct sens_ctx *ctx, struct sens_dirk *dirk)
{
    const struct sens_scheme_setup *const with = &dirk->head.scheme.with;
    const struct sens_problem *const pb = with->ode->problem;
    if (!with->tableau->fsal) return refuse_open_end(ctx, with->tableau);
    dirk->z = SENS_NEW(ctx, sens_real, pb->n);
    dirk->Md = SENS_NEW(ctx, sens_real, pb->n);
    if (!dirk->z || !dirk->Md) return SENS_NO_MEMORY;
    const sens_status status = sens_implicit_create_mass(ctx, &dirk->head);
    if (status != SENS_OK) return status;
    if (dirk->head.mass.algebraic && first_matters(with->tableau))
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "tableau %s has an explicit first stage, and the problem has algebraic equations: take "
            "one without, as sdirk4a",
            with->tableau->name);
    return SENS_OK;
}

void sens_dirk_mass_predict(struct sens_dirk *dirk, int i, sens_real *w)
{
    const struct sens_scheme *const scheme = &dirk->head.scheme;
    const size_t n = scheme->with.ode->n;
    const sens_real *const before = scheme->Y + (size_t)(i - 1) * n;
    for (size_t q = 0; q < n; q++) dirk->z[q] = before[q] - scheme->Y[q];
    sens_mass_multiply(dirk->head.M, false, 1, dirk->z, w);
    for (size_t q = 0; q < n; q++) w[q] -= dirk->base[q];
}

void sens_dirk_mass_move(struct sens_dirk *dirk, sens_real *w)
{
    const size_t n = dirk->head.scheme.with.ode->n;
    sens_mass_multiply(dirk->head.M, false, 1, dirk->d, dirk->Md);
    for (size_t q = 0; q < n; q++) {
        dirk->z[q] += dirk->d[q];
        w[q] += dirk->Md[q];
    }
}
