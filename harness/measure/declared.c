/* df/dx against central differences near the start, along one direction v:
 *
 *     D(eps) = (f(t0, x + eps v) - f(t0, x - eps v)) / (2 eps),      D(eps) = (df/dx) v + O(eps^2).
 *
 * A row is judged where D(eps) and D(eps / 8) agree: elsewhere rounding, a kink or a short scale is in the way. x is
 * beside the initial state, where a comparison with it would be a tie. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"

static const double STEP = 1e-4;   /* eps, of the size of each component */
static const double STEADY = 1e-4; /* differences that agree so well, relative, are believed ... */
static const double WRONG = 1e-2;  /* ... and are a hundred times as good as what they refute */

struct differences {
    const struct sens_problem *pb;
    sens_real *x, *v;              /* [n] */
    sens_real *moved, *plus;       /* [n] */
    sens_real *coarse, *fine, *Jv; /* [n] D(eps), D(eps / 8), what is declared */
};

static bool create(struct sens_ctx *ctx, const struct sens_problem *pb, struct differences *d)
{
    sens_real **const vector[] = {&d->x, &d->v, &d->moved, &d->plus, &d->coarse, &d->fine, &d->Jv};
    d->pb = pb;
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        if (!(*vector[k] = SENS_NEW(ctx, sens_real, pb->n))) return false;
    return true;
}

/* Of components that are 0: a thousandth of the largest, and no more than the least, which their scale may be. */
static double size_of_zero(const struct sens_problem *pb)
{
    double largest = 0, least = INFINITY;
    for (size_t i = 0; i < pb->n; i++) {
        const double own = fabs(pb->x0[i]);
        largest = fmax(largest, own);
        if (own > 0) least = fmin(least, own);
    }
    return largest > 0 ? fmin(1e-3 * largest, least) : 1e-3;
}

/* x, and v of the size of each component, with signs and shares that do not repeat. */
static void place(const struct differences *d)
{
    const double golden = 0.6180339887498949, small = size_of_zero(d->pb);
    for (size_t i = 0; i < d->pb->n; i++) {
        const double share = 0.5 + fmod((double)(i + 1) * golden, 1), own = fabs(d->pb->x0[i]);
        const double size = own > 0 ? own : small;
        d->x[i] = d->pb->x0[i] + 1e-2 * share * size;
        d->v[i] = (i % 2 ? -share : share) * size;
    }
}

static bool slope(const struct differences *d, double by, sens_real *f)
{
    const struct sens_problem *pb = d->pb;
    for (size_t i = 0; i < pb->n; i++) d->moved[i] = d->x[i] + by * d->v[i];
    const struct sens_at at = {pb->t0, d->moved, pb->p};
    return pb->type->rhs(pb, &at, f) == SENS_OK;
}

static bool difference(const struct differences *d, double eps, sens_real *D)
{
    if (!slope(d, eps, d->plus) || !slope(d, -eps, D)) return false;
    for (size_t i = 0; i < d->pb->n; i++) D[i] = (d->plus[i] - D[i]) / (2 * eps);
    return true;
}

/* (df/dx) v by what implicit steps take: the numbers that are declared, else the product. */
static bool multiply(struct sens_ctx *ctx, const struct differences *d)
{
    const struct sens_problem *pb = d->pb;
    const struct sens_at at = {pb->t0, d->x, pb->p};
    const struct sens_structure *declared = pb->structure;
    if (!declared || !declared->jacobian) {
        pb->type->jvp(pb, &at, 1, d->v, d->Jv);
        return true;
    }
    const struct sens_pattern *pattern = declared->sparsity;
    sens_real *J = SENS_NEW(ctx, sens_real, pattern ? pattern->start[pb->n] : pb->n * pb->n);
    if (!J) return false;
    declared->jacobian(pb, &at, J);
    for (size_t i = 0; i < pb->n; i++) {
        const size_t first = pattern ? pattern->start[i] : i * pb->n;
        const size_t end = pattern ? pattern->start[i + 1] : first + pb->n;
        d->Jv[i] = 0;
        for (size_t e = first; e < end; e++) d->Jv[i] += J[e] * d->v[pattern ? pattern->col[e] : e - first];
    }
    return true;
}

static bool refuted(double declared, double coarse, double fine)
{
    const double size = fmax(fabs(declared), fabs(fine));
    return isfinite(size) && fabs(coarse - fine) <= STEADY * size && fabs(declared - fine) > WRONG * size;
}

bool declared_jacobian_is_wrong(struct sens_ctx *ctx, const struct cell *cell, char *message, size_t size)
{
    const struct sens_problem *pb = &cell->problem;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct differences d;
    bool wrong = false;
    const bool has = (pb->structure && pb->structure->jacobian) || pb->type->jvp;
    if (!(cell->method->caps & SENS_CAP_TABLEAU) || cell->task.tableau->family == SENS_FAMILY_EXPLICIT ||
        !has)
        return false;
    if (create(ctx, pb, &d)) {
        place(&d);
        const bool known =
            difference(&d, STEP, d.coarse) && difference(&d, STEP / 8, d.fine) && multiply(ctx, &d);
        for (size_t i = 0; known && !wrong && i < pb->n; i++) {
            wrong = refuted(d.Jv[i], d.coarse[i], d.fine[i]);
            if (wrong)
                snprintf(
                    message, size,
                    "df/dx of problem %s is wrong near the start: along one direction row %zu gives %.6g, "
                    "differences of the right-hand side %.6g; the gradient rests on it (sensbench verify "
                    "--problem %s)",
                    pb->type->name, i, (double)d.Jv[i], (double)d.fine[i], pb->type->name);
        }
    }
    sens_arena_rewind(&ctx->arena, mark);
    return wrong;
}
