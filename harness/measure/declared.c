/* df/dx against central differences near the start, along one direction v:
 *
 *     D_k = (f(t0, x + e_k v) - f(t0, x - e_k v)) / (2 e_k),     e_k = e_0 / 8^k,     D_k = (df/dx) v + O(e_k^2).
 *
 * A row is judged where all D_k agree that the rounding of f leaves of use: elsewhere a kink or a short scale is in
 * the way. x is beside the initial state, where a comparison with it would be a tie, and within the scale of each
 * component; v is of the size of the state, so that components that start small are seen. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"

enum { LEVELS = 18, ROUNDINGS = 3 };
static const double STEP = 1e-4;   /* e_0, of the size of the state */
static const double STEADY = 1e-4; /* differences that agree so well, relative, are believed ... */
static const double WRONG = 1e-2;  /* ... and are a hundred times as good as what they refute */

struct differences {
    const struct sens_problem *pb;
    sens_real *x, *v;         /* [n] */
    sens_real *moved, *plus;  /* [n] */
    sens_real *minus, *noise; /* [n] the latter: of f */
    sens_real *first, *Jv;    /* [n] D_0, what is declared */
    bool *steady;             /* [n] so far */
};

static bool create(struct sens_ctx *ctx, const struct sens_problem *pb, struct differences *d)
{
    sens_real **const vector[] = {&d->x, &d->v, &d->moved, &d->plus, &d->minus, &d->noise, &d->first, &d->Jv};
    *d = (struct differences){.pb = pb, .steady = SENS_NEW(ctx, bool, pb->n)};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        if (!(*vector[k] = SENS_NEW(ctx, sens_real, pb->n))) return false;
    return d->steady;
}

static double largest_of(const struct sens_problem *pb)
{
    double largest = 0;
    for (size_t i = 0; i < pb->n; i++) largest = fmax(largest, fabs(pb->x0[i]));
    return largest > 0 ? largest : 1;
}

/* With signs and shares that do not repeat. */
static void place(const struct differences *d)
{
    const double golden = 0.6180339887498949, small = 1e-3 * largest_of(d->pb);
    for (size_t i = 0; i < d->pb->n; i++) {
        const double share = 0.5 + fmod((double)(i + 1) * golden, 1), own = fabs(d->pb->x0[i]);
        d->x[i] = d->pb->x0[i] + 1e-2 * share * (own > 0 ? own : small);
        d->v[i] = (i % 2 ? -share : share) * fmax(own, small);
    }
}

static bool slope(const struct differences *d, double by, sens_real *f)
{
    const struct sens_problem *pb = d->pb;
    for (size_t i = 0; i < pb->n; i++) d->moved[i] = d->x[i] + by * d->v[i];
    const struct sens_at at = {pb->t0, d->moved, pb->p};
    return pb->type->rhs(pb, &at, f) == SENS_OK;
}

/* What f is moved by where x is moved by a few roundings, which is no less than f's own rounding. */
static bool find_noise(const struct differences *d)
{
    const struct sens_problem *pb = d->pb;
    if (!slope(d, 0, d->minus)) return false;
    for (size_t i = 0; i < pb->n; i++) d->noise[i] = 4 * DBL_EPSILON * fabs(d->minus[i]);
    for (int k = 1; k <= ROUNDINGS; k++) {
        for (size_t i = 0; i < pb->n; i++)
            d->moved[i] = d->x[i] * (1 + ((i + (size_t)k) % 3 ? k : -k) * 2 * DBL_EPSILON);
        const struct sens_at at = {pb->t0, d->moved, pb->p};
        if (pb->type->rhs(pb, &at, d->plus) != SENS_OK) return false;
        for (size_t i = 0; i < pb->n; i++)
            d->noise[i] = fmax(d->noise[i], 4 * fabs(d->plus[i] - d->minus[i]));
    }
    return true;
}

/* D_k of row i, and by how much rounding moves it. */
static double quotient(const struct differences *d, double e, size_t i, double *noise)
{
    *noise = (d->noise[i] + 2 * DBL_EPSILON * (fabs(d->plus[i]) + fabs(d->minus[i]))) / (2 * e);
    return (d->plus[i] - d->minus[i]) / (2 * e);
}

/* D_0, and where all that are of use agree with it: until rounding is larger than every one of them. */
static bool find_differences(const struct differences *d)
{
    double e = STEP;
    bool of_use = true;
    for (int k = 0; k < LEVELS && of_use; k++, e /= 8) {
        of_use = false;
        if (!slope(d, e, d->plus) || !slope(d, -e, d->minus)) return false;
        for (size_t i = 0; i < d->pb->n; i++) {
            double noise;
            const double D = quotient(d, e, i, &noise), size = fmax(fabs(D), fabs(d->Jv[i]));
            if (k == 0) d->first[i] = D, d->steady[i] = isfinite(D) && noise <= STEADY * size;
            if (fabs(D - d->first[i]) > STEADY * size + noise) d->steady[i] = false;
            of_use = of_use || noise < size;
        }
    }
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

static bool refuted(const struct differences *d, size_t i)
{
    const double size = fmax(fabs(d->Jv[i]), fabs(d->first[i]));
    return isfinite(size) && d->steady[i] && fabs(d->Jv[i] - d->first[i]) > WRONG * size;
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
        const bool known = multiply(ctx, &d) && find_noise(&d) && find_differences(&d);
        for (size_t i = 0; known && !wrong && i < pb->n; i++) {
            wrong = refuted(&d, i);
            if (wrong)
                snprintf(
                    message, size,
                    "df/dx of problem %s is wrong near the start: along one direction row %zu gives %.6g, "
                    "differences of the right-hand side %.6g; the gradient rests on it (sensbench verify "
                    "--problem %s)",
                    pb->type->name, i, (double)d.Jv[i], (double)d.first[i], pb->type->name);
        }
    }
    sens_arena_rewind(&ctx->arena, mark);
    return wrong;
}
