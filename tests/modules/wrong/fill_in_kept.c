/* The implicit midpoint rule, whose tangent writes a declared Jacobian over the factors of Newton's iteration: what
 * these have beside the pattern stays. Right where none fills in.
 *
 * verify: --quick --method fill_in_kept
 * cause: matrix_entries */
#define NAME             "fill_in_kept"
#define FACTORS_OF_START 0
#define TANGENT_FACTORS  factors_over_others
#include "implicit_midpoint.h"

static void factors_over_others(struct state *st, const struct sens_at *at, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_structure *declared = sens_structure_of(pb);
    const struct sens_pattern *pattern = declared->sparsity;
    const size_t n = st->n;
    if (!declared->jacobian || !pattern) {
        factorise(st, at, h);
        return;
    }
    declared->jacobian(pb, at, st->own.unit);
    for (size_t i = 0; i < n; i++) {
        st->own.LU[i * n + i] = 1;
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            st->own.LU[i * n + pattern->col[e]] = (pattern->col[e] == i) - h / 2 * st->own.unit[e];
    }
    eliminate(st);
}
