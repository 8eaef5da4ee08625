/* An identity of a problem (sens/problem.h), whose residual is 0 at right derivatives: how far it may be off at numbers
 * that are off by their bounds. */
#include <float.h>

#include "check.h"
#include "expected.h"

struct residual {
    size_t rows;
    double *value, *size;
};

static struct residual residual_of(const struct bed *bed, const struct sens_identity *identity,
                                   const struct sens_out *out)
{
    const size_t rows = identity->rows(&bed->problem);
    struct residual r = {rows, verify_array(bed->v, rows), verify_array(bed->v, rows)};
    identity->residual(&bed->problem, out->x, out->dGdp, out->dGdx0, r.value, r.size);
    return r;
}

/* bound[r] += |residual(.., z_i + by_i, ..) - residual|, added up over i. */
static void respond(const struct bed *bed, const struct sens_identity *identity, const struct sens_out *at,
                    const struct residual *base, size_t count, double *z, const double *by, double *bound)
{
    for (size_t i = 0; z && i < count; i++) {
        const struct sens_arena_mark mark = sens_arena_mark(&bed->v->ctx.arena);
        const double kept = z[i];
        z[i] += by[i];
        const struct residual moved = residual_of(bed, identity, at);
        z[i] = kept;
        for (size_t r = 0; r < base->rows; r++) {
            const double change = fabs(moved.value[r] - base->value[r]);
            bound[r] += isfinite(change) ? change : INFINITY;
        }
        sens_arena_rewind(&bed->v->ctx.arena, mark);
    }
}

void expected_note_identity(struct worst *worst, const struct bed *bed, const struct sens_identity *identity,
                            const struct expected *expected, const struct sens_out *got, double roundings)
{
    const size_t n = bed->problem.n, np = bed->problem.np;
    const struct sens_out *at = &expected->value, *by = &expected->bound;
    const struct residual right = residual_of(bed, identity, at),
                          made = got ? residual_of(bed, identity, got) : right;
    double *const bound = verify_array(bed->v, right.rows);
    respond(bed, identity, at, &right, n, at->x, by->x, bound);
    respond(bed, identity, at, &right, n * np, at->dGdp, by->dGdp, bound);
    respond(bed, identity, at, &right, n * n, at->dGdx0, by->dGdx0, bound);
    for (size_t r = 0; r < right.rows; r++)
        worst_note(worst, fabs(made.value[r]),
                   bound[r] + roundings * DBL_EPSILON * right.size[r] + (got ? fabs(right.value[r]) : 0),
                   "residual %zu of '%s', of terms that add up to %.3g", r, identity->name, right.size[r]);
}
