/* Products against the slope of rhs along a line through a place. */
#include <float.h>

#include "products.h"

double products_dot(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

double products_dot_sizes(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += fabs(a[i] * b[i]);
    return sum;
}

/* lost [n] is raised to how far f is from a straight line over steps of the last digits of the largest state. A state
 * that is smaller than these by itself is lost in a sum with that one, and is so whatever it does: inputs that are
 * shaken by parts of themselves do not tell. */
static void note_lost(const struct subject *subject, const struct sens_at *at, double *lost)
{
    enum { DRAWS = 16 };
    static const double DIGITS = 8 * DBL_EPSILON;
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    double *const w = verify_random(v, n), *const here = verify_array(v, n), *const end = verify_array(v, n);
    double *const inside = verify_array(v, n), largest = 0;
    struct line line;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(at->x[j]));
    for (size_t j = 0; j < n; j++) w[j] *= DIGITS * largest;
    line_create(subject, at, w, NULL, &line);
    if (!line_value(&line, 0, false, here) || !line_value(&line, 1, false, end)) return;
    for (int draw = 0; draw < DRAWS; draw++) {
        const double s = verify_uniform(v, -1, 1);
        if (!line_value(&line, s, false, inside)) continue;
        for (size_t i = 0; i < n; i++)
            lost[i] = fmax(lost[i], fabs(inside[i] - here[i] - s * (end[i] - here[i])));
    }
}

/* In the middle and at the two ends of the line along V (NULL: the states stay). */
static double *lost_along(const struct subject *subject, const double *V, const struct sens_at *at)
{
    const size_t n = subject->pb->n;
    double *const lost = verify_array(subject->v, n), *const x = verify_array(subject->v, n);
    const struct sens_at there = {at->t, x, at->p};
    for (int side = -1; side <= 1; side++) {
        for (size_t j = 0; j < n; j++) x[j] = at->x[j] + (V ? side * V[j] : 0);
        note_lost(subject, &there, lost);
    }
    return lost;
}

/* The slope of rhs along V; where the product `image` is not that, once more with what is lost of rhs. */
static void slope_along(const struct subject *subject, bool states, const double *V, const struct sens_at *at,
                        const double *image, const double *rounding, double *slope, double *bound)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    double *const again = verify_array(v, n), *const its = verify_array(v, n);
    bool all = true;
    struct line line;
    line_create(subject, at, states ? V : NULL, states ? NULL : V, &line);
    line_slope(&line, slope, bound);
    for (size_t i = 0; i < n; i++) all = all && fabs(image[i] - slope[i]) <= bound[i] + rounding[i];
    if (all) return;
    line.lost = lost_along(subject, states ? V : NULL, at);
    line_slope(&line, again, its);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(image[i] - slope[i]) <= bound[i] + rounding[i])) slope[i] = again[i], bound[i] = its[i];
}

/* The transposed product of a cotangent without the components that no difference resolves, against the others. */
static void note_transposed(struct worst *worst, const struct linear *transposed, double *W, const double *V,
                            const double *slope, const double *bound, const double *rounding)
{
    const size_t n = transposed->in, cols = transposed->out;
    double *const pulled = verify_array(transposed->v, cols);
    double expected = 0, unsure = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(bound[i])) {
            W[i] = 0;
            left_out++;
            continue;
        }
        expected += W[i] * slope[i];
        unsure += fabs(W[i]) * (bound[i] + rounding[i]);
    }
    linear_apply(transposed, 1, W, pulled);
    const double got = products_dot(cols, pulled, V);
    if (left_out == n || (left_out > 0 && !isfinite(got))) return;
    worst_note(worst, fabs(expected - got),
               products_dot_sizes(cols, V, linear_rounding(transposed, W)) + unsure, "%s at t = %.4g",
               linear_name(transposed->product), transposed->t[0]);
}

void products_note_along(struct worst *worst, const struct subject *subject, const enum product product[2],
                         const struct sens_at *at)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    const struct linear forward = linear_at(subject, product[0], at);
    const struct linear transposed = linear_at(subject, product[1], at);
    const bool states = product[0] == PRODUCT_JVP;
    const double *V = subject_direction(subject, forward.in, states ? at->x : at->p);
    double *const W = verify_random(v, n);
    double *slope = verify_array(v, n), *bound = verify_array(v, n), *image = verify_array(v, n);
    linear_apply(&forward, 1, V, image);
    const double *rounding = linear_rounding(&forward, V);
    slope_along(subject, states, V, at, image, rounding, slope, bound);
    for (size_t i = 0; i < n; i++)
        if (isfinite(bound[i]))
            worst_note(worst, fabs(image[i] - slope[i]), bound[i] + rounding[i],
                       "%s, component %zu at t = %.4g", linear_name(product[0]), i, at->t);
    note_transposed(worst, &transposed, W, V, slope, bound, rounding);
}
