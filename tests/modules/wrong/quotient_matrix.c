/* The implicit midpoint rule, whose tangent is solved with a matrix of difference quotients of f, which have half of
 * the digits.
 *
 * verify: --quick --method quotient_matrix
 * cause: difference_quotient */
#define NAME             "quotient_matrix"
#define FACTORS_OF_START 0
#define DOUBLES          1
#define TANGENT_FACTORS  quotients
#include "implicit_midpoint.h"

static void quotients(struct state *st, const struct sens_at *at, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n;
    sens_real *const f = st->own.K, *const moved = st->own.unit;
    (void)pb->type->rhs(pb, at, f);
    for (size_t j = 0; j < n; j++) {
        const sens_real kept = st->own.Y[j], bump = SENS_C(1e-8) * fmax(fabs(kept), 1);
        st->own.Y[j] = kept + bump;
        (void)pb->type->rhs(pb, at, moved);
        for (size_t i = 0; i < n; i++) st->own.LU[i * n + j] = (i == j) - h / 2 * (moved[i] - f[i]) / bump;
        st->own.Y[j] = kept;
    }
    eliminate(st);
}
