/* Derivatives by extrapolated central differences, with a bound on their error. */
#include "jacobian.h"

#include <stdint.h>
#include <string.h>

enum { LEVELS = 12, ORDERS = 6, NEAR = 8, FINEST = 4, DRAWS = 8 };
enum { ROUGH = LEVELS - 2, FINER = ROUGH + 4, SHORTER = 6 }; /* where roughness is measured */
/* Where a value is dear. */
enum { FEW_LEVELS = 7, FEW_SHAKEN = 3, FEW_DRAWS = 4 };
/* Roughness that falls by as much from ROUGH to FINER is curvature: by 4^8 it would if phi were a parabola. Noise stays
 * what it is, or is not met at all in steps shorter than its own: then it falls to 0. */
static const double CURVED = 64;
/* Roughness over FINER by that over the longest steps, and by the value itself: past these it is no rounding. */
static const double WILD = 0.05, COARSE = 1e-6;
/* Factors on the estimates of truncation and rounding: both are of the right size, neither is a bound. */
static const double TRUNCATION = 8, ROUNDING = 4;

/* ---- one component ------------------------------------------------------------------------------------- */

struct column { /* of differences, for one component */
    int levels;
    double D[LEVELS][ORDERS];
    double noise[LEVELS]; /* of D_k0 */
    double least[LEVELS]; /* the same, for certain not too large */
};

static void extrapolate(struct column *c)
{
    for (int k = 0; k < c->levels; k++) {
        double power = 1;
        for (int m = 1; m < ORDERS; m++) {
            power *= 16;
            c->D[k][m] = k < m ? NAN : c->D[k][m - 1] + (c->D[k][m - 1] - c->D[k - 1][m - 1]) / (power - 1);
        }
    }
}

/* How far differences with smaller steps contradict D_km, beyond their own uncertainty: a function may look
 * smooth until the steps come down to a feature of it. */
static double contradiction(const struct column *c, int k, int m)
{
    double most = 0;
    for (int j = k + 1; j < c->levels; j++) {
        const double own = TRUNCATION * fabs(c->D[j][1] - c->D[j][0]) + ROUNDING * c->least[j];
        const double excess = fabs(c->D[k][m] - c->D[j][1]) - own;
        if (excess > most) most = excess;
    }
    return most;
}

static double error_of(const struct column *c, int k, int m)
{
    const double lower = fabs(c->D[k][m] - c->D[k][m - 1]), coarser = fabs(c->D[k][m] - c->D[k - 1][m - 1]);
    return TRUNCATION * (lower + coarser) + ROUNDING * c->noise[k];
}

static void best_of(const struct column *c, double *d, double *bound)
{
    *d = NAN;
    *bound = INFINITY;
    for (int k = 1; k < c->levels; k++)
        for (int m = 1; m < ORDERS && m <= k; m++) {
            double error = error_of(c, k, m);
            if (!(error < *bound)) continue;
            error += 2 * contradiction(c, k, m);
            if (error < *bound) *d = c->D[k][m], *bound = error;
        }
}

/* ---- all components ------------------------------------------------------------------------------------ */

struct samples { /* [levels][n] */
    int levels;
    const double *centre; /* [n]: phi(0); NULL: it has no value */
    const double *lost;   /* of the curve */
    double *difference;
    double *shaken; /* how far values at shaken inputs lie apart */
    double *rough;  /* [n]: how far phi is from a straight line over the smallest steps */
    double *finer;  /* [n]: the same over steps still shorter; 0 where values are dear */
    double *bend;   /* [levels][n]: how far the one-sided slopes lie apart, beyond rounding */
    double *grid;   /* [n]: all values are multiples of it */
    double *apart;  /* [n]: the least by which one is not that of the centre, beyond its own last digits */
    bool *same;     /* [n]: a step to both sides changes nothing but these */
};

/* The largest power of two that x is a multiple of; 0 is one of any: infinite. */
static double grid_of(double x)
{
    int exponent;
    if (x == 0 || !isfinite(x)) return INFINITY;
    const uint64_t digits = (uint64_t)ldexp(fabs(frexp(x, &exponent)), DBL_MANT_DIG);
    return ldexp((double)(digits & (~digits + 1)), exponent - DBL_MANT_DIG);
}

/* shaken: NULL where it is not wanted. */
static bool evaluate(const struct curve *curve, double s, double *out, double *shaken)
{
    return curve->value(curve->self, s, false, out) &&
           (!shaken || curve->value(curve->self, s, true, shaken));
}

/* What rounding does to a value: its spread and its last digit. */
static double noise_of(double value, double shaken)
{
    return fabs(value - shaken) + DBL_EPSILON * fabs(value);
}

static void note_grid(const struct samples *to, size_t i, double up, double down)
{
    const double own = 16 * DBL_EPSILON * fabs(to->centre[i]), above = fabs(up - to->centre[i]),
                 below = fabs(down - to->centre[i]);
    to->grid[i] = fmin(fmin(grid_of(up), grid_of(down)), to->grid[i]);
    if (above > own) to->apart[i] = fmin(above, to->apart[i]);
    if (below > own) to->apart[i] = fmin(below, to->apart[i]);
    to->same[i] = to->same[i] || (above <= own && below <= own);
}

/* Level k of the samples. Where a value is dear, one side of the finest levels is shaken for all. */
static void take(const struct curve *curve, double h, int k, const struct samples *to)
{
    const size_t n = curve->n, row = (size_t)k * n;
    const struct sens_arena_mark mark = sens_arena_mark(&curve->v->ctx.arena);
    double *up = verify_array(curve->v, n), *up2 = verify_array(curve->v, n);
    double *down = verify_array(curve->v, n), *down2 = verify_array(curve->v, n);
    const bool shaken = !curve->dear || k >= FEW_LEVELS - FEW_SHAKEN;
    const bool ok = to->centre && evaluate(curve, h, up, shaken ? up2 : NULL) &&
                    evaluate(curve, -h, down, curve->dear ? NULL : down2);
    for (size_t i = 0; i < n; i++) {
        const double above = shaken ? noise_of(up[i], up2[i]) : 0;
        to->difference[row + i] = ok ? (up[i] - down[i]) / (2 * h) : NAN;
        to->shaken[row + i] = ok ? above + (curve->dear ? above : noise_of(down[i], down2[i])) : NAN;
        const double bend =
            ok ? fabs(up[i] - 2 * to->centre[i] + down[i]) - ROUNDING * to->shaken[row + i] : NAN;
        to->bend[row + i] = ok ? fmax(bend, 0) / h : NAN;
        if (ok) note_grid(to, i, up[i], down[i]);
    }
    sens_arena_rewind(&curve->v->ctx.arena, mark);
}

/* rough [n] = max |phi(s) - phi(0) - s/h (phi(h) - phi(0))| over random s in [-h, h]. */
static void measure_roughness(const struct curve *curve, double h, const double *centre, double *rough)
{
    const size_t n = curve->n;
    const struct sens_arena_mark mark = sens_arena_mark(&curve->v->ctx.arena);
    double *end = verify_array(curve->v, n), *inside = verify_array(curve->v, n);
    const bool ok = centre && curve->value(curve->self, h, false, end);
    for (int draw = 0; ok && draw < (curve->dear ? FEW_DRAWS : DRAWS); draw++) {
        const double s = verify_uniform(curve->v, -1, 1);
        if (!curve->value(curve->self, s * h, false, inside)) continue;
        for (size_t i = 0; i < n; i++)
            rough[i] = fmax(rough[i], fabs(inside[i] - centre[i] - s * (end[i] - centre[i])));
    }
    sens_arena_rewind(&curve->v->ctx.arena, mark);
}

/* Component i swings within the smallest steps: what looks like noise to longer ones is the function itself. */
static bool is_curved(const struct samples *s, size_t i)
{
    return s->finer[i] > 0 && CURVED * s->finer[i] < s->rough[i];
}

/* It swings as far within the smallest steps of all as over the longest, by far more than rounding: no step that can
 * be made tells its slope. */
static bool is_wild(const struct samples *s, size_t n, size_t i, double h0)
{
    double widest = 0;
    for (int k = 0; k < s->levels; k++)
        widest = fmax(widest, fabs(s->difference[(size_t)k * n + i]) * ldexp(h0, 1 - 2 * k));
    return s->centre && s->finer[i] > WILD * widest && s->finer[i] > COARSE * fabs(s->centre[i]);
}

/* The noise of component i near the point: what shaken inputs do to it, and how it fails to be straight over
 * the smallest steps, where nothing but rounding is left (that of constants much larger than the result,
 * say). Any one sample may be small by accident, so that the largest counts. */
static double least_noise(const struct samples *s, size_t n, size_t i)
{
    double noise = s->rough[i];
    for (int k = s->levels > NEAR ? s->levels - NEAR : 0; k < s->levels; k++)
        noise = fmax(noise, s->shaken[(size_t)k * n + i]);
    return noise;
}

/* A small difference of large terms is a multiple of their last digit, has few digits of its own, and may be the same
 * at every sample, so that nothing else shows how many. Multiplied by a factor it still is the same over short steps,
 * and then moves by that digit. The terms are no larger than a few of the inputs: numbers that are round by chance lie
 * on grids that are coarser. */
static double grid_noise(const struct samples *s, size_t i, double inputs)
{
    const double digit = s->same[i] ? fmax(s->apart[i], s->grid[i]) : s->grid[i];
    return fmin(digit, 4 * DBL_EPSILON * inputs);
}

/* Differences with small steps that disagree: noise, or a feature of that size. A few levels have no steps
 * that small: what they have in common is not noise. */
static double disagreement(const struct samples *s, size_t n, size_t i, double h0)
{
    double noise = 0;
    for (int k = LEVELS - FINEST; k < s->levels; k++) {
        const size_t q = (size_t)k * n + i;
        noise = fmax(noise, fabs(s->difference[q] - s->difference[q - n]) * ldexp(h0, -2 * k));
    }
    return noise;
}

static void component(const struct samples *s, size_t n, size_t i, double h0, double inputs, double *d,
                      double *bound)
{
    struct column column = {.levels = s->levels};
    const double apart = disagreement(s, n, i, h0), lost = s->lost ? s->lost[i] : 0;
    /* lost is a bound, and may be a thousand times the noise: with it differences with steps that end this side of a
     * kink would not contradict those that reach beyond it. */
    double least = fmax(least_noise(s, n, i), grid_noise(s, i, inputs));
    bool zero = true;
    for (int k = s->levels - 1; k >= 0; k--) {
        const double h = ldexp(h0, -2 * k);
        least = fmax(least, s->shaken[(size_t)k * n + i]);
        column.least[k] = least / h;
        column.noise[k] = fmax(fmax(least, lost), apart) / h;
        column.D[k][0] = s->difference[(size_t)k * n + i];
        zero = zero && column.D[k][0] == 0;
    }
    if (zero) {
        *d = 0;
        *bound = ROUNDING * column.noise[0];
        return;
    }
    extrapolate(&column);
    best_of(&column, d, bound);
}

/* How far the one-sided derivatives at the point lie apart: the limit of the bends as h falls, by one
 * extrapolation, so that curvature, which is in proportion to h, drops out. 0 where phi is smooth. */
static double kink_of(const struct samples *s, size_t n, size_t i)
{
    double kink = INFINITY;
    for (int k = 1; k < s->levels; k++) {
        const double fine = s->bend[(size_t)k * n + i], coarse = s->bend[(size_t)(k - 1) * n + i];
        if (isfinite(fine) && isfinite(coarse)) kink = fmin(kink, fmax((4 * fine - coarse) / 3, 0));
    }
    return isfinite(kink) ? kink : 0;
}

static struct samples sample(const struct curve *curve, double h0)
{
    struct verify *v = curve->v;
    const size_t n = curve->n;
    double *const centre = verify_array(v, n);
    const struct samples s = {.levels = curve->dear ? FEW_LEVELS : LEVELS,
                              .lost = curve->lost,
                              .centre = curve->value(curve->self, 0, false, centre) ? centre : NULL,
                              .difference = verify_array(v, LEVELS * n),
                              .shaken = verify_array(v, LEVELS * n),
                              .rough = verify_array(v, n),
                              .finer = verify_array(v, n),
                              .bend = verify_array(v, LEVELS * n),
                              .grid = verify_array(v, n),
                              .apart = verify_array(v, n),
                              .same = verify_memory(v, n, sizeof *s.same)};
    for (size_t i = 0; i < n; i++) s.grid[i] = s.apart[i] = INFINITY;
    for (int k = 0; k < s.levels; k++) take(curve, ldexp(h0, -2 * k), k, &s);
    measure_roughness(curve, ldexp(h0, -2 * ROUGH), s.centre, s.rough);
    if (!curve->dear) measure_roughness(curve, ldexp(h0, -2 * FINER), s.centre, s.finer);
    return s;
}

/* Steps that are shorter by 4^SHORTER for the components that swing within the shortest of these, `times` times. */
static void slope(const struct curve *curve, double h0, int times, double *d, double *bound)
{
    const size_t n = curve->n;
    const struct sens_arena_mark mark = sens_arena_mark(&curve->v->ctx.arena);
    const struct samples s = sample(curve, h0);
    double *const nearer = verify_array(curve->v, n), *const its_bound = verify_array(curve->v, n);
    bool *const swings = verify_memory(curve->v, n, sizeof *swings), any = false;
    for (size_t i = 0; i < n; i++) {
        component(&s, n, i, h0, curve->inputs, d + i, bound + i);
        bound[i] += kink_of(&s, n, i) + UNDERFLOW_LOSS;
        swings[i] = is_curved(&s, i) || is_wild(&s, n, i, h0);
        any = any || swings[i];
    }
    if (any && times > 0) slope(curve, ldexp(h0, -2 * SHORTER), times - 1, nearer, its_bound);
    for (size_t i = 0; i < n; i++)
        if (swings[i]) d[i] = times > 0 ? nearer[i] : NAN, bound[i] = times > 0 ? its_bound[i] : INFINITY;
    sens_arena_rewind(&curve->v->ctx.arena, mark);
}

double curve_inputs(size_t n, const double *x, size_t np, const double *p)
{
    double most = 0;
    for (size_t i = 0; x && i < n; i++) most = fmax(most, fabs(x[i]));
    for (size_t k = 0; p && k < np; k++) most = fmax(most, fabs(p[k]));
    return most;
}

void curve_slope(const struct curve *curve, double h0, double *d, double *bound)
{
    slope(curve, h0, 1, d, bound);
}

/* ---- lines --------------------------------------------------------------------------------------------- */

void line_create(const struct subject *subject, const struct sens_at *at, const double *dx, const double *dp,
                 struct line *line)
{
    *line = (struct line){.subject = subject,
                          .at = *at,
                          .dx = dx,
                          .dp = dp,
                          .x = verify_array(subject->v, subject->pb->n),
                          .p = verify_array(subject->v, subject->pb->np)};
}

/* to = from + s direction, shaken if asked for. */
static void move(struct verify *v, size_t count, const double *from, const double *direction, double s,
                 bool shaken, double *to)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] + (direction ? s * direction[i] : 0);
        if (shaken && to[i] != 0) to[i] *= 1 + verify_uniform(v, -4, 4) * DBL_EPSILON;
    }
}

/* out = (df/dx)^T w, (df/dp)^T w; false where they are not finite. */
static bool pulled_back(const struct sens_problem *pb, const struct sens_at *at, const double *w, double *out)
{
    const size_t n = pb->n, np = pb->np;
    pb->type->vjp(pb, at, 1, w, out);
    memset(out + n, 0, np * sizeof *out);
    if (np > 0) pb->type->vjp_p_batch(pb, 1, &at->t, at->x, at->p, 1, w, out + n);
    for (size_t q = 0; q < n + np; q++)
        if (!isfinite(out[q])) return false;
    return true;
}

bool line_value(const void *self, double s, bool shaken, double *out)
{
    const struct line *line = self;
    const struct sens_problem *pb = line->subject->pb;
    struct sens_at at = {.x = line->x, .p = line->p};
    move(line->subject->v, 1, &line->at.t, &line->dt, s, shaken, &at.t);
    move(line->subject->v, pb->n, line->at.x, line->dx, s, shaken, line->x);
    move(line->subject->v, pb->np, line->at.p, line->dp, s, shaken, line->p);
    if (line->w) return pulled_back(pb, &at, line->w, out);
    if (line->initial) pb->type->x0(pb, line->p, out);
    return line->initial || pb->type->rhs(pb, &at, out) == SENS_OK;
}

void line_slope(struct line *line, double *d, double *bound)
{
    const struct sens_problem *pb = line->subject->pb;
    const size_t n = pb->n + (line->w ? pb->np : 0);
    const struct curve curve = {line->subject->v,
                                n,
                                line_value,
                                line,
                                false,
                                line->lost,
                                curve_inputs(pb->n, line->at.x, pb->np, line->at.p)};
    curve_slope(&curve, 1, d, bound);
}

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* A tenth of the entry, or of the mean magnitude of all where it is 0. */
static double first_step(size_t count, const double *at, size_t k)
{
    double mean = 0;
    if (at[k] != 0) return 0.1 * fabs(at[k]);
    for (size_t i = 0; i < count; i++) mean += fabs(at[i]) / (double)count;
    return mean > 0 ? 0.1 * mean : 0.1;
}

struct reference reference_create(const struct subject *subject, enum product product,
                                  const struct sens_at *at, const struct sample *sample)
{
    struct verify *v = subject->v;
    const size_t n = subject->pb->n, rows = sample->rows, cols = sample->cols;
    const bool states = product == PRODUCT_JVP || product == PRODUCT_VJP;
    const size_t in = states ? n : subject->pb->np;
    struct reference made = {*sample, verify_array(v, rows * cols), verify_array(v, rows * cols)};
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    double *unit = verify_array(v, in), *d = verify_array(v, n), *bound = verify_array(v, n);
    struct line line;
    line_create(subject, at, states ? unit : NULL, states ? NULL : unit, &line);
    line.initial = product == PRODUCT_X0_JVP || product == PRODUCT_X0_VJP;
    const struct curve curve = {
        v, n, line_value, &line, false, NULL, curve_inputs(n, at->x, subject->pb->np, at->p)};
    for (size_t c = 0; c < cols; c++) {
        const size_t k = sample->col[c];
        unit[k] = 1;
        curve_slope(&curve, first_step(in, states ? at->x : at->p, k), d, bound);
        unit[k] = 0;
        for (size_t r = 0; r < rows; r++) {
            made.d[r * cols + c] = d[sample->row[r]];
            made.bound[r * cols + c] = bound[sample->row[r]];
        }
    }
    sens_arena_rewind(&v->ctx.arena, mark);
    return made;
}
