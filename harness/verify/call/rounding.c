/* What rounding can do to a problem's products, seen at inputs that differ by a few roundings, and beside. */
#include <float.h>
#include <string.h>

#include "callbacks.h"

enum { SIZE_LANES = 16, SHAKEN_LANES = 4, SHAKES = 3, PAIRS = 16 };
static const double BESIDE = 1e-9; /* its square is less than a rounding, and it is millions of them */

/* ---- inputs -------------------------------------------------------------------------------------------- */

double *verify_shaken(struct verify *v, size_t count, const double *from)
{
    double *made = verify_array(v, count);
    for (size_t i = 0; i < count; i++) made[i] = from[i] * (1 + verify_uniform(v, -4, 4) * DBL_EPSILON);
    return made;
}

void verify_beside(struct verify *v, size_t count, const double *from, const double *side[2])
{
    double *const more = verify_array(v, count), *const less = verify_array(v, count);
    for (size_t i = 0; i < count; i++) {
        const double d = verify_uniform(v, -BESIDE, BESIDE);
        more[i] = from[i] * (1 + d), less[i] = from[i] * (1 - d);
    }
    side[0] = more, side[1] = less;
}

/* Times that differ by a few roundings, of those in [t0, t1] within it: nothing is said of others. */
static double *shaken_times(const struct linear *map)
{
    const double t0 = map->pb->t0, t1 = map->pb->t1;
    double *made = verify_shaken(map->v, map->K, map->t);
    for (size_t k = 0; k < map->K; k++)
        if (map->t[k] >= t0 && map->t[k] <= t1) made[k] = fmin(fmax(made[k], t0), t1);
    return made;
}

/* The map at inputs that differ by a few roundings, all of them or all but t. */
static struct linear shaken_map(const struct linear *map, bool hold_time)
{
    struct linear shaken = *map;
    if (!hold_time) shaken.t = shaken_times(map);
    shaken.X = verify_shaken(map->v, map->K * map->pb->n, map->X);
    shaken.p = verify_shaken(map->v, map->pb->np, map->p);
    return shaken;
}

/* ---- jumps at a time ----------------------------------------------------------------------------------- */

/* Where a product jumps at a time and rhs does not, the jump is no rounding: a window that ends at t1, say. A
 * right product of a function that jumps follows it. */
static const double FAR = 1.5e-8; /* sqrt(eps), relative: more than rounding makes of a smooth function */

/* Does rhs, at a state and parameters of no special kind, move far when t is moved by a few roundings? */
static bool rhs_moves_far(const struct linear *map)
{
    enum { SIDES = 4 };
    static const double side[SIDES] = {-16, -4, 4, 16};
    const struct sens_problem *pb = map->pb;
    struct verify *v = map->v;
    const double *p = verify_perturbed(v, pb->np, map->p, 0.1);
    double *still = verify_array(v, pb->n), *moved = verify_array(v, pb->n);
    for (size_t k = 0; k < map->K; k++) {
        const double *x = verify_perturbed(v, pb->n, map->X + k * pb->n, 0.1);
        const struct sens_at at = {map->t[k], x, p};
        if (pb->type->rhs(pb, &at, still) != SENS_OK) return true; /* nothing is known */
        for (int s = 0; s < SIDES; s++) {
            const struct sens_at beside = {at.t * (1 + side[s] * DBL_EPSILON), x, p};
            if (pb->type->rhs(pb, &beside, moved) != SENS_OK) return true;
            for (size_t i = 0; i < pb->n; i++)
                if (!(fabs(moved[i] - still[i]) <= FAR * fabs(still[i]))) return true;
        }
    }
    return false;
}

/* Of rows by L numbers. */
static bool is_far(size_t rows, size_t L, const double *still, const double *spread)
{
    double size = 0, most = 0;
    for (size_t q = 0; q < rows * L; q++) size = fmax(size, fabs(still[q]));
    for (size_t i = 0; i < rows; i++) most = fmax(most, spread[i]);
    return most > FAR * size;
}

/* Is what the shaken map moves by a jump at its time, and no rounding? */
static bool jumps_alone(const struct linear *map, size_t rows, size_t L, const double *still,
                        const double *spread)
{
    const bool has_time = map->product != PRODUCT_X0_JVP && map->product != PRODUCT_X0_VJP;
    return has_time && is_far(rows, L, still, spread) && !rhs_moves_far(map);
}

/* ---- rounding ------------------------------------------------------------------------------------------ */

/* to[i] = max(to[i], largest |a - b| of the L lanes of row i). */
static void raise_to_distance(size_t rows, size_t L, const double *a, const double *b, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < L; l++) to[i] = fmax(to[i], fabs(a[i * L + l] - b[i * L + l]));
}

/* spread [out]: how far shaken inputs move the map of W [in][few] from `still`. */
static void measure_spread(const struct linear *map, bool hold_time, size_t few, const double *W,
                           const double *still, double *spread)
{
    double *moved = verify_array(map->v, map->out * few);
    memset(spread, 0, map->out * sizeof *spread);
    for (int k = 0; k < SHAKES; k++) {
        const struct linear shaken = shaken_map(map, hold_time);
        linear_apply(&shaken, few, W, moved);
        raise_to_distance(map->out, few, still, moved, spread);
    }
}

/* Two maps at inputs on either side, at the same times: a function may jump there. */
static void maps_beside(const struct linear *map, struct linear beside[2])
{
    const double *X[2], *p[2];
    verify_beside(map->v, map->K * map->pb->n, map->X, X);
    verify_beside(map->v, map->pb->np, map->p, p);
    for (int side = 0; side < 2; side++) {
        beside[side] = *map;
        beside[side].X = X[side], beside[side].p = p[side];
    }
}

/* to[i] = max(to[i], largest |a + b - 2 c| / 2 of the L lanes of row i). */
static void raise_to_bend(size_t rows, size_t L, const double *a, const double *b, const double *c,
                          double *to)
{
    for (size_t q = 0; q < rows * L; q++) to[q / L] = fmax(to[q / L], fabs(a[q] + b[q] - 2 * c[q]) / 2);
}

/* spread [out] is raised to what inputs beside show. */
static void raise_spread(const struct linear *map, size_t few, const double *W, const double *still,
                         double *spread)
{
    for (int k = 0; k < PAIRS; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&map->v->ctx.arena);
        double *const more = verify_array(map->v, map->out * few), *const less =
                                                                       verify_array(map->v, map->out * few);
        struct linear beside[2];
        maps_beside(map, beside);
        linear_apply(&beside[0], few, W, more);
        linear_apply(&beside[1], few, W, less);
        raise_to_bend(map->out, few, more, less, still, spread);
        sens_arena_rewind(&map->v->ctx.arena, mark);
    }
}

double *linear_rounding(const struct linear *map, const double *most)
{
    const size_t in = map->in, out = map->out, L = SIZE_LANES, few = SHAKEN_LANES;
    double *bound = verify_array(map->v, out);
    const struct sens_arena_mark mark = sens_arena_mark(&map->v->ctx.arena);
    double *V = verify_random(map->v, in * L), *OUT = verify_array(map->v, out * L);
    double *W = verify_random(map->v, in * few), *still = verify_array(map->v, out * few);
    double *spread = verify_array(map->v, out);
    for (size_t q = 0; q < in * L; q++) V[q] *= most[q / L];
    for (size_t q = 0; q < in * few; q++) W[q] *= most[q / few];
    linear_apply(map, L, V, OUT);
    linear_apply(map, few, W, still);
    measure_spread(map, false, few, W, still, spread);
    if (jumps_alone(map, out, few, still, spread)) measure_spread(map, true, few, W, still, spread);
    if (map->patient) raise_spread(map, few, W, still, spread);
    for (size_t i = 0; i < out; i++) {
        double squares = 0;
        for (size_t l = 0; l < L; l++) squares += OUT[i * L + l] * OUT[i * L + l] / (double)L;
        const double size = sqrt((double)in * squares) + spread[i] / DBL_EPSILON;
        bound[i] = 4 * ((double)in + 8) * DBL_EPSILON * size + UNDERFLOW_LOSS;
    }
    sens_arena_rewind(&map->v->ctx.arena, mark);
    return bound;
}

/* ---- rounding of matrices ------------------------------------------------------------------------------ */

static void measure_matrix_spread(const struct linear *map, bool hold_time, const struct sample *s,
                                  const double *matrix, double *spread)
{
    const size_t count = s->rows * s->cols;
    memset(spread, 0, count * sizeof *spread);
    for (int k = 0; k < SHAKES; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&map->v->ctx.arena);
        const struct linear shaken = shaken_map(map, hold_time);
        raise_to_distance(count, 1, matrix, linear_matrix(&shaken, s), spread);
        sens_arena_rewind(&map->v->ctx.arena, mark);
    }
}

static void raise_matrix_spread(const struct linear *map, const struct sample *s, const double *matrix,
                                double *spread)
{
    for (int k = 0; k < PAIRS; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&map->v->ctx.arena);
        struct linear beside[2];
        maps_beside(map, beside);
        raise_to_bend(s->rows * s->cols, 1, linear_matrix(&beside[0], s), linear_matrix(&beside[1], s),
                      matrix, spread);
        sens_arena_rewind(&map->v->ctx.arena, mark);
    }
}

double *linear_matrix_rounding(const struct linear *map, const struct sample *s, const double *matrix)
{
    const size_t count = s->rows * s->cols;
    double *bound = verify_array(map->v, count);
    measure_matrix_spread(map, false, s, matrix, bound);
    if (jumps_alone(map, count, 1, matrix, bound)) measure_matrix_spread(map, true, s, matrix, bound);
    if (map->patient) raise_matrix_spread(map, s, matrix, bound);
    for (size_t q = 0; q < count; q++)
        bound[q] = 4 * bound[q] + 16 * DBL_EPSILON * fabs(matrix[q]) + UNDERFLOW_LOSS;
    return bound;
}
