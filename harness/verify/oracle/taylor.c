/* The slope of a Taylor remainder over its lowest clean stretch. */
#include "taylor.h"

#include "oracle.h"

/* A remainder this many times its noise has a slope over a decade that noise moves by less than 0.03; slopes
 * that differ by more than SPREAD belong to different powers of eps, as do those further from a
 * whole number. */
static const double CLEAN = 30, SPREAD = 0.3, DECADE = 9.99;
/* Half way from 2 to the slope 1 of a wrong derivative, whose line is long: it begins at the noise and ends
 * where curvature takes over. One of a decade is also seen where stiff modes saturate, and
 * decides nothing. */
static const double DEFICIT = 0.5, LONG = 99;
/* Of the sum of the remainders on both sides, in the remainder: far above what curvature does to it. */
static const double ASYMMETRY = 0.5;
/* Of the perturbations relative to p and x0. */
static const double LARGEST = 0.03;
/* Points above the noise that may be passed over, where the noise is larger than it was thought to be. */
enum { PASSED_OVER = 2 };

void taylor_scales(double largest, double eps[TAYLOR_POINTS])
{
    for (int k = 0; k < TAYLOR_POINTS; k++) eps[k] = largest * pow(10, -0.5 * k);
}

/* ---- the slope ----------------------------------------------------------------------------------------- */

static double slope_between(const double *eps, const double *r, int first, int last)
{
    return log(r[first] / r[last]) / log(eps[first] / eps[last]);
}

/* Are all local slopes from first to last the mean slope, and that a whole number? */
static bool straight(const double *eps, const double *r, int first, int last)
{
    const double mean = slope_between(eps, r, first, last);
    if (!(fabs(mean - round(mean)) <= SPREAD)) return false;
    for (int k = first; k < last; k++)
        if (!(fabs(slope_between(eps, r, k, k + 1) - mean) <= SPREAD)) return false;
    return true;
}

static bool clean(const double *r, const double *noise, int k)
{
    return isfinite(r[k]) && r[k] > CLEAN * noise[k];
}

/* The first point of the longest clean stretch that ends at `last`; `last` itself where there is none of a
 * decade. */
static int stretch(const double *eps, const double *r, const double *noise, int last)
{
    int best = last;
    for (int first = last; first >= 0 && clean(r, noise, first); first--)
        if (eps[first] >= DECADE * eps[last] && straight(eps, r, first, last)) best = first;
    return best;
}

bool taylor_slope(int count, const double *eps, const double *r, const double *noise, struct taylor *fit)
{
    int lowest = count - 1;
    while (lowest > 0 && !clean(r, noise, lowest)) lowest--;
    for (int last = lowest; last > 0 && last >= lowest - PASSED_OVER; last--) {
        const int first = stretch(eps, r, noise, last);
        if (first == last) continue;
        *fit = (struct taylor){slope_between(eps, r, first, last), eps[last], eps[first]};
        return true;
    }
    return false;
}

bool taylor_breaks_off(int count, const double *eps, const double *r, const double *noise, double low)
{
    int lowest = 0;
    while (lowest + 1 < count && eps[lowest] > low) lowest++;
    for (int k = lowest + 1; k < count; k++) {
        const double expected = r[lowest] * eps[k] / eps[lowest];
        if (r[k] + noise[k] < expected / 2) return true;
    }
    return false;
}

/* ---- remainders of a task ------------------------------------------------------------------------------ */

struct ray { /* q + eps d, q = p or x0 */
    const char *name;
    bool parameters;
    size_t count;
    const double *from, *d;
    const double *gradient, *uncertainty; /* [m][count] */
};

/* A random direction, relative to q; the mean size where an entry is 0. */
static const double *direction(struct verify *v, size_t count, const double *q)
{
    double *const d = verify_perturbed(v, count, q, 1);
    for (size_t i = 0; i < count; i++) d[i] -= q[i];
    return d;
}

/* G [m] at q + eps d; NaN where the map fails. */
static void map_along(const struct oracle *oracle, const struct ray *ray, double eps, double *q, double *G)
{
    double *const x1 = verify_array(oracle->v, oracle->problem->n);
    for (size_t i = 0; i < ray->count; i++) q[i] = ray->from[i] + eps * ray->d[i];
    const sens_status status = ray->parameters ? oracle_map(oracle, q, NULL, x1, G)
                                               : oracle_map(oracle, oracle->problem->p, q, x1, G);
    for (size_t c = 0; status != SENS_OK && c < oracle->cost->m; c++) G[c] = NAN;
}

/* Where G itself does not grow in proportion to eps, it is no longer near its tangent: nothing can be learned
 * from its remainder there. */
static bool near_tangent(const double *eps, const double *rise, const double *noise, int k)
{
    if (k + 1 == TAYLOR_POINTS || !(rise[k + 1] > CLEAN * noise[k + 1])) return true;
    return slope_between(eps, rise, k, k + 1) > 1 - SPREAD;
}

/* Does the tangent lead further than G is large, and than it goes? What grows by e^260 is near its tangent for no eps
 * that there is. */
static bool passes_size(double size, double tangent)
{
    return size > 0 && fabs(tangent) > size;
}

/* Does output c have a kink along the ray, near eps? The error a of a derivative adds a eps to the remainder,
 * and -a eps to that at -eps: in the lowest decade of a long line curvature changes the sum of both by less
 * than a tenth. Behind a kink, or at one, the two sides have slopes of their own. So they have where the map fails on
 * one of them: near that, the other side is not near its tangent. */
static bool sides_differ(const struct oracle *oracle, const struct ray *ray, double low, size_t c, double G,
                         double slope)
{
    double *const G_at = verify_array(oracle->v, oracle->cost->m), *const q =
                                                                       verify_array(oracle->v, ray->count);
    for (double eps = low; eps <= 1.001 * 10 * low; eps *= sqrt(10)) {
        double remainder[2];
        for (int side = 0; side < 2; side++) {
            map_along(oracle, ray, side ? -eps : eps, q, G_at);
            remainder[side] = G_at[c] - G - (side ? -eps : eps) * slope;
        }
        if (!(fabs(remainder[0] + remainder[1]) <= ASYMMETRY * fabs(remainder[0]))) return true;
    }
    return false;
}

/* Notes 2 - slope against 1/2, or, where r never leaves the noise (G is linear along d), r against the noise.
 * Notes nothing where neither can be decided. `slope`: of output c by the derivative. */
static void note_slope(struct worst *worst, const struct oracle *oracle, const struct ray *ray,
                       const double *eps, const double *r, const double *noise, size_t c, double G,
                       double slope)
{
    struct taylor fit;
    if (taylor_slope(TAYLOR_POINTS, eps, r, noise, &fit)) {
        const double deficit = fmax(2 - fit.slope, 0);
        const bool wrong = deficit > DEFICIT, line = fabs(fit.slope - 1) < 0.5;
        if (wrong && fit.high < LONG * fit.low) return;
        if (wrong && line && taylor_breaks_off(TAYLOR_POINTS, eps, r, noise, fit.low)) return;
        if (wrong && line && sides_differ(oracle, ray, fit.low, c, G, slope)) return;
        worst_note(worst, deficit, DEFICIT,
                   "%s: the Taylor remainder falls as eps^%.2f for eps = %.1g ... %.1g; 2 - slope", ray->name,
                   fit.slope, fit.high, fit.low);
        return;
    }
    for (int k = 0; k < TAYLOR_POINTS; k++)
        if (!(r[k] <= CLEAN * noise[k])) return;
    worst_note(worst, r[0], CLEAN * noise[0], "%s: Taylor remainder within the noise", ray->name);
}

/* One output: remainder and noise at each eps, from G_at [TAYLOR_POINTS][m]. */
static void note_output(struct worst *worst, const struct oracle *oracle, const struct ray *ray,
                        const double *eps, size_t c, const double *G_at, const struct sens_out *right,
                        const struct sens_out *bound)
{
    const size_t m = oracle->cost->m;
    double r[TAYLOR_POINTS], rise[TAYLOR_POINTS], noise[TAYLOR_POINTS], slope = 0, spread = 0;
    for (size_t i = 0; i < ray->count; i++) {
        slope += ray->gradient[c * ray->count + i] * ray->d[i];
        spread += ray->uncertainty[c * ray->count + i] * fabs(ray->d[i]);
    }
    for (int k = 0; k < TAYLOR_POINTS; k++) {
        const double change = G_at[(size_t)k * m + c] - right->G[c];
        rise[k] = fabs(change);
        r[k] = fabs(change - eps[k] * slope);
        noise[k] = 2 * bound->G[c] + eps[k] * spread;
    }
    for (int k = 0; k < TAYLOR_POINTS; k++)
        if (!near_tangent(eps, rise, noise, k) || passes_size(fabs(right->G[c]) + rise[k], eps[k] * slope))
            r[k] = NAN;
    note_slope(worst, oracle, ray, eps, r, noise, c, right->G[c], slope);
}

static void note_ray(struct worst *worst, const struct bed *bed, const struct ray *ray,
                     const struct sens_out *right, const struct sens_out *bound)
{
    struct verify *v = bed->v;
    const size_t m = bed->cost.m;
    double eps[TAYLOR_POINTS], *const G_at = verify_array(v, TAYLOR_POINTS * m);
    double *const q = verify_array(v, ray->count);
    struct oracle oracle;
    oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
    taylor_scales(LARGEST, eps);
    for (int k = 0; k < TAYLOR_POINTS; k++) map_along(&oracle, ray, eps[k], q, G_at + (size_t)k * m);
    for (size_t c = 0; c < m; c++) note_output(worst, &oracle, ray, eps, c, G_at, right, bound);
}

void taylor_remainders(struct worst *worst, const struct bed *bed, const struct sens_out *got,
                       const struct sens_out *right, const struct sens_out *bound)
{
    const struct sens_problem *pb = &bed->problem;
    if (got->dGdp) {
        const struct ray ray = {"along p", true,       pb->np, pb->p, direction(bed->v, pb->np, pb->p),
                                got->dGdp, bound->dGdp};
        note_ray(worst, bed, &ray, right, bound);
    }
    if (got->dGdx0) {
        const struct ray ray = {"along x0", false,       pb->n, pb->x0, direction(bed->v, pb->n, pb->x0),
                                got->dGdx0, bound->dGdx0};
        note_ray(worst, bed, &ray, right, bound);
    }
}
