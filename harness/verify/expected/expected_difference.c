/* What a difference quotient may be off the derivative of the map by: its truncation, and the noise of two
 * values over the bump. */
#include <float.h>

#include "expected.h"

enum { MAX_STEPS = 5000, DOUBLINGS = 4 };
static const double LARGER_BUMP = 64, WEAK = 1e-2, LINEAR = 0.1;
/* Components times columns times steps of the quotients that a difference is bounded by. */
static const double MOST_WORK = 2e7;

/* The bump of a forward difference of the best size, as in methods/difference/finite_difference.c: sqrt(eps)
 * |q|. A two-sided one is no worse. */
static double bump(double q)
{
    return sqrt(DBL_EPSILON) * (q != 0 ? fabs(q) : 1);
}

struct quotient { /* of the map over the grid, and where it is taken */
    struct oracle oracle;
    struct sens_out tangent;
    const double *noise;     /* [m] of a value of G */
    double *p, *x0, *x1, *G; /* [np], [n], [n], [m] */
};

/* Adds to column k of a bound [m][cols]: q is the variable, an entry of p or x0. */
static sens_status allow_column(struct quotient *quotient, bool by_x0, double *q, size_t k, size_t cols,
                                const double *gradient, double *bound)
{
    const double at = *q, h = LARGER_BUMP * bump(at);
    *q = at + h;
    const sens_status status =
        oracle_map(&quotient->oracle, quotient->p, by_x0 ? quotient->x0 : NULL, quotient->x1, quotient->G);
    *q = at;
    for (size_t c = 0; c < quotient->oracle.cost->m && status == SENS_OK; c++) {
        const double slope = (quotient->G[c] - quotient->tangent.G[c]) / h;
        const double truncation = fabs(slope - gradient[c * cols + k]);
        const double sum = truncation + 2 * quotient->noise[c] / bump(at);
        bound[c * cols + k] += isfinite(sum) ? sum : INFINITY;
    }
    return status;
}

sens_status expected_allow_quotient(const struct bed *bed, const struct grid *grid, struct expected *expected)
{
    struct verify *v = bed->v;
    const struct sens_problem *pb = &bed->problem;
    const size_t n = pb->n, np = pb->np, m = bed->cost.m;
    struct sens_out *const bound = &expected->bound;
    struct quotient quotient = {.tangent = bed_shape(bed),
                                .noise = verify_copy(v, m, bound->G),
                                .p = verify_copy(v, np, pb->p),
                                .x0 = verify_array(v, n),
                                .x1 = verify_array(v, n),
                                .G = verify_array(v, m)};
    sens_problem_x0(pb, pb->p, quotient.x0);
    oracle_create(bed, bed->task.tableau, grid, &quotient.oracle);
    sens_status status = oracle_tangent(&quotient.oracle, &quotient.tangent);
    for (size_t k = 0; bound->dGdp && k < np && status == SENS_OK; k++)
        status = allow_column(&quotient, false, &quotient.p[k], k, np, quotient.tangent.dGdp, bound->dGdp);
    for (size_t k = 0; bound->dGdx0 && k < n && status == SENS_OK; k++)
        status = allow_column(&quotient, true, &quotient.x0[k], k, n, quotient.tangent.dGdx0, bound->dGdx0);
    return status;
}

static sens_status difference_on(const struct bed *bed, const struct grid *grid, struct expected *expected)
{
    const sens_status status = expected_map_in_reverse(bed, grid, expected);
    return status == SENS_OK ? expected_allow_quotient(bed, grid, expected) : status;
}

/* Where the truncation of the larger bump is not small against the derivative, G is not near a straight line
 * over it, and nothing follows for the smaller one. */
long expected_difference(const struct bed *bed, struct expected *expected)
{
    const double share = (double)bed->problem.n * (double)(bed->problem.n + bed->problem.np);
    const long most = (long)fmin(MAX_STEPS, MOST_WORK / share);
    long steps = expected_fixed_steps(bed);
    const char *const why_not = steps == 0 ? "the harness's own solve fails at a tolerance of 1e-7"
                                : steps > most
                                    ? "quotients of so many columns over so many steps are too much work"
                                    : "no number of steps makes the quotient's truncation small: the map "
                                      "fails, jumps or bends within a bump's reach";
    for (int k = 1; steps > 0 && steps <= most && k <= DOUBLINGS; k++, steps *= 2) {
        struct grid grid;
        const bool usable =
            expected_equal_steps(bed, steps, &grid) && difference_on(bed, &grid, expected) == SENS_OK;
        grid_free(&grid);
        if (usable && expected_weakness(bed, expected) < (k < DOUBLINGS ? WEAK : LINEAR)) return steps;
    }
    *expected = (struct expected){.why = why_not};
    return 0;
}
