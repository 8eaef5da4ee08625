/* What rounding of f, and of x0 itself, moves each state of an initial one by, see initial.h. */
#include "initial.h"

static const double ROUNDINGS = 64; /* of the terms of an equation */
static const double BESIDE = 1e-5; /* of x and p, where rounding of f is looked for: cubes are less than it */
static const double FAR = 1e-3;    /* of p, that of x0: squares are far less than what a held one lacks */

/* rest [rows]: f - (f + J dx + F dp) at `at`, near the place. */
static bool find_rest(const struct start *start, const struct place *place, const double *F,
                      const struct sens_at *at, double *rest)
{
    const struct sens_problem *const pb = start->subject->pb;
    double *const f = verify_array(start->subject->v, pb->n);
    if (pb->type->rhs(pb, at, f) != SENS_OK) return false;
    for (size_t r = 0; r < start->rows; r++) {
        rest[r] = f[start->row[r]] - place->f[start->row[r]];
        for (size_t j = 0; j < pb->n; j++) rest[r] -= place->J[r * pb->n + j] * (at->x[j] - place->x[j]);
        for (size_t k = 0; k < pb->np; k++) rest[r] -= F[r * pb->np + k] * (at->p[k] - place->p[k]);
    }
    return true;
}

/* What is 0 stays: it has no size. */
static double *beside(struct verify *v, size_t count, const double *from, double part)
{
    double *const made = verify_array(v, count);
    for (size_t i = 0; i < count; i++) made[i] = from[i] * (1 + part * verify_uniform(v, -1, 1));
    return made;
}

static double *halfway(struct verify *v, size_t count, const double *from, const double *to)
{
    double *const half = verify_array(v, count);
    for (size_t i = 0; i < count; i++) half[i] = from[i] + (to[i] - from[i]) / 2;
    return half;
}

/* e [rows]. Near the place f is f + J dx + F dp and a square, four times what it is halfway. The rest is rounding of
 * terms that neither J nor F shows, as of (300 + z)^4 with a small z: dx is large enough for 300 + z to change. What f
 * is before t0 does not count. */
static void shake(const struct start *start, const struct place *place, const double *F, double *e)
{
    const struct sens_problem *const pb = start->subject->pb;
    struct verify *const v = start->subject->v;
    const double t = fmax(*verify_shaken(v, 1, &pb->t0), pb->t0);
    const double *const x = beside(v, pb->n, place->x, BESIDE);
    const double *const p = beside(v, pb->np, place->p, BESIDE);
    const struct sens_at whole = {t, x, p};
    const struct sens_at half = {t, halfway(v, pb->n, place->x, x), halfway(v, pb->np, place->p, p)};
    double *const rest[] = {verify_array(v, start->rows), verify_array(v, start->rows)};
    if (!find_rest(start, place, F, &whole, rest[0]) || !find_rest(start, place, F, &half, rest[1])) return;
    for (size_t r = 0; r < start->rows; r++) {
        const double found = fabs(rest[0][r] - 4 * rest[1][r]);
        if (isfinite(found)) e[r] = fmax(e[r], found);
    }
}

/* moved [n]: how far x0 halfway to another p is from the mean of both, as one that is rounded before a subtraction, or
 * by an iteration that ends early. A held one is not. */
static void note_spread(const struct start *start, const struct place *place, double *moved)
{
    enum { SHAKES = 16 }; /* all three may be rounded alike */
    const struct sens_problem *const pb = start->subject->pb;
    struct verify *const v = start->subject->v;
    double *const whole = verify_array(v, pb->n), *const half = verify_array(v, pb->n);
    for (int k = 0; k < SHAKES && sens_problem_x0_depends(pb); k++) {
        const double *const p = beside(v, pb->np, place->p, FAR);
        sens_problem_x0(pb, p, whole);
        sens_problem_x0(pb, halfway(v, pb->np, place->p, p), half);
        for (size_t i = 0; i < pb->n; i++) {
            const double spread = fabs(whole[i] - half[i] - (half[i] - place->x[i]));
            if (isfinite(spread)) moved[i] = fmax(moved[i], 4 * spread);
        }
    }
}

/* [n]: four times the root mean square of A^-1 e with e of random signs and sizes, beside what x0 itself has. */
double *initial_rounding(const struct start *start, const struct place *place)
{
    enum { SHAKES = 8, DRAWS = 16 };
    const struct sens_problem *const pb = start->subject->pb;
    struct verify *const v = start->subject->v;
    const double *const F = initial_slopes(start, place, PRODUCT_JVP_P, pb->np);
    double *const e = verify_array(v, start->rows), *const moved = verify_array(v, pb->n);
    double *const squares = verify_array(v, pb->n);
    for (size_t r = 0; r < start->rows; r++) e[r] = ROUNDINGS * DBL_EPSILON * initial_terms(start, place, r);
    for (int k = 0; k < SHAKES; k++) shake(start, place, F, e);
    for (int k = 0; k < DRAWS; k++) {
        double *const d = verify_array(v, pb->n);
        for (size_t r = 0; r < start->rows; r++) d[start->row[r]] = e[r] * verify_uniform(v, -1, 1);
        initial_solve(start, place, d);
        for (size_t i = 0; i < pb->n; i++) squares[i] += 3 * d[i] * d[i] / DRAWS;
    }
    note_spread(start, place, moved);
    for (size_t i = 0; i < pb->n; i++) moved[i] += 4 * sqrt(squares[i]);
    return moved;
}
