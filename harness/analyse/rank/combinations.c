/* Null directions: found, made whole, tried. See combinations.h. */
#include "combinations.h"

#include <math.h>
#include <string.h>

#include "scaled.h"
#include "whole.h"

/* Of the parameter that is moved most. An entry of a null vector is 0 for no less than the first bound, the ratio of
 * noise to the smallest singular value above it, or at most the second. */
enum { LARGEST_POWER = 12 };
static const double move = 0.2, zero_least = 1e-8, zero_most = 0.01, whole_least = 1e-6;

const char *const combination_kind_name[] = {"product", "sum", "local"};

/* ---- a basis with few entries -------------------------------------------------------------------------- */

/* The largest entry of the vectors that have no column of their own yet. */
static void find_pivot(size_t count, size_t cols, const double *V, const bool *taken, const bool *owned,
                       size_t *row, size_t *col)
{
    double largest = -1;
    for (size_t v = 0; v < count; v++)
        for (size_t k = 0; k < cols && !taken[v]; k++)
            if (!owned[k] && fabs(V[v * cols + k]) > largest)
                largest = fabs(V[v * cols + k]), *row = v, *col = k;
}

/* Gauss-Jordan with complete pivoting: each vector gets a column in which all others are 0. */
static void reduce(size_t count, size_t cols, double *V, bool *taken, bool *owned)
{
    for (size_t step = 0; step < count; step++) {
        size_t row = 0, col = 0;
        find_pivot(count, cols, V, taken, owned, &row, &col);
        taken[row] = owned[col] = true;
        for (size_t v = 0; v < count; v++) {
            const double factor = V[v * cols + col] / V[row * cols + col];
            for (size_t k = 0; k < cols && v != row; k++) V[v * cols + k] -= factor * V[row * cols + k];
        }
    }
}

/* ---- a direction --------------------------------------------------------------------------------------- */

struct direction {
    const struct analysis *analysis;
    const struct stacked *stacked;
    double bound;         /* relative, of an entry that is not known from 0 */
    const sens_real *x;   /* [times][n] at the parameters given */
    sens_real *p, *moved; /* [np], [times][n] */
    sens_real *beside;    /* [times][n] at parameters beside those */
    double *unit;         /* [times][n] */
};

/* From M, whose columns have length 1, to logarithms; small entries are 0. */
static void to_logarithms(const struct direction *direction, const double *v, double *w)
{
    double largest = 0;
    for (size_t k = 0; k < direction->stacked->cols; k++) largest = fmax(largest, fabs(v[k]));
    for (size_t k = 0; k < direction->stacked->cols; k++)
        w[k] = fabs(v[k]) <= direction->bound * largest ? 0 : v[k] / direction->stacked->length[k];
}

static double parameter(const struct direction *direction, size_t k)
{
    return (double)direction->analysis->p[direction->stacked->parameter[k]];
}

static sens_status solve_at(struct sens_ctx *ctx, const struct direction *direction, sens_real *x)
{
    struct bench_error error;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    const sens_status status = analysis_states_at(ctx, direction->analysis, direction->p, x, &error);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}

/* The parameters of w, each by another factor of its own from exp(-0.2) to exp(0.2): birth = death may change together
 * as a quotient and as a difference, and only beside these values the states tell which. */
static void displace(const struct direction *direction, const double *w)
{
    static const double GOLDEN = 0.6180339887498949;
    for (size_t k = 0; k < direction->stacked->cols; k++) {
        const double turn = GOLDEN * (double)(k + 1);
        if (w[k] != 0)
            direction->p[direction->stacked->parameter[k]] *= exp(move * (2 * (turn - floor(turn)) - 1));
    }
}

static void go_along(const struct direction *direction, const double *w, bool sum)
{
    double largest = 0;
    for (size_t k = 0; k < direction->stacked->cols; k++)
        largest = fmax(largest, fabs(sum ? w[k] / parameter(direction, k) : w[k]));
    for (size_t k = 0; k < direction->stacked->cols; k++) {
        sens_real *const p = &direction->p[direction->stacked->parameter[k]];
        const double step = move * w[k] / largest;
        *p = sum ? *p + step : *p * exp(step);
    }
}

/* How far the states are apart, of their units. */
static double apart(const struct direction *direction, const sens_real *x, const sens_real *y)
{
    const struct analysis *const analysis = direction->analysis;
    double change = 0;
    for (size_t j = 0; j < analysis->grid.times; j++)
        for (size_t a = 0; a < analysis->states.count; a++) {
            const size_t at = j * analysis->n + analysis->states.index[a];
            if (!isnan(direction->unit[at]))
                change = fmax(change, fabs((double)(x[at] - y[at])) / direction->unit[at]);
        }
    return change;
}

/* How far the states move along w, from the parameters given or from beside them; NaN where they cannot be solved
 * for. */
static double try_move(struct sens_ctx *ctx, const struct direction *direction, const double *w, bool sum,
                       bool beside)
{
    const struct analysis *const analysis = direction->analysis;
    const sens_real *from = direction->x;
    memcpy(direction->p, analysis->p, analysis->np * sizeof *direction->p);
    if (beside) {
        displace(direction, w);
        if (solve_at(ctx, direction, direction->beside) != SENS_OK) return NAN;
        from = direction->beside;
    }
    go_along(direction, w, sum);
    if (solve_at(ctx, direction, direction->moved) != SENS_OK) return NAN;
    return apart(direction, direction->moved, from);
}

/* From both places; *change: from the parameters given. */
static bool stays(struct sens_ctx *ctx, const struct direction *direction, const double *w, bool sum,
                  double *change)
{
    const double still = 10 * (double)direction->analysis->cell->task.rtol;
    *change = try_move(ctx, direction, w, sum, false);
    return *change <= still && try_move(ctx, direction, w, sum, true) <= still;
}

/* Whole numbers are tried as a product, then as a sum; what moves the states is neither. */
static void name_direction(struct sens_ctx *ctx, const struct direction *direction, const double *v,
                           double *sum, struct combination *made)
{
    const size_t cols = direction->stacked->cols;
    const double bound = fmax(whole_least, direction->bound);
    double change;
    to_logarithms(direction, v, made->w);
    for (size_t k = 0; k < cols; k++) sum[k] = made->w[k] * parameter(direction, k);
    const bool product = whole_ratios(cols, made->w, LARGEST_POWER, bound);
    const bool still = stays(ctx, direction, made->w, false, &made->change);
    made->kind = product && still ? COMBINATION_PRODUCT : COMBINATION_LOCAL;
    if (made->kind == COMBINATION_PRODUCT || !whole_ratios(cols, sum, LARGEST_POWER, bound)) return;
    if (!stays(ctx, direction, sum, true, &change)) return;
    memcpy(made->w, sum, cols * sizeof *sum);
    made->kind = COMBINATION_SUM;
    made->change = change;
}

static sens_status prepare(struct sens_ctx *ctx, const struct analysis *analysis,
                           const struct stacked *stacked, const struct spectrum *spectrum,
                           struct direction *direction)
{
    const double gap =
        spectrum->rank > 0 ? 10 * stacked->noise / spectrum->sigma[spectrum->rank - 1] : zero_most;
    *direction = (struct direction){.analysis = analysis,
                                    .stacked = stacked,
                                    .bound = fmin(zero_most, fmax(zero_least, gap)),
                                    .x = analysis->closer.x,
                                    .p = SENS_NEW(ctx, sens_real, analysis->np),
                                    .moved = SENS_NEW(ctx, sens_real, analysis->grid.times * analysis->n),
                                    .beside = SENS_NEW(ctx, sens_real, analysis->grid.times * analysis->n)};
    if (!direction->p || !direction->moved || !direction->beside) return SENS_NO_MEMORY;
    return scaled_units(ctx, analysis, &analysis->closer, SCALE_LARGEST, &direction->unit);
}

sens_status combinations_find(struct sens_ctx *ctx, const struct analysis *analysis,
                              const struct stacked *stacked, const struct spectrum *spectrum,
                              struct combinations *combinations)
{
    const size_t cols = stacked->cols, count = cols - spectrum->rank;
    struct combination *const made = SENS_NEW(ctx, struct combination, count);
    double *const V = SENS_NEW(ctx, double, count *cols), *const w =
                                                              SENS_NEW(ctx, double, (count + 1) * cols);
    bool *const taken = SENS_NEW(ctx, bool, count), *const owned = SENS_NEW(ctx, bool, cols);
    const char **const name = SENS_NEW(ctx, const char *, cols);
    struct direction direction;
    if (!made || !V || !w || !taken || !owned || !name) return SENS_NO_MEMORY;
    const sens_status status = prepare(ctx, analysis, stacked, spectrum, &direction);
    if (status != SENS_OK) return status;
    for (size_t k = 0; k < cols; k++) name[k] = analysis->labels.parameter[stacked->parameter[k]];
    memcpy(V, spectrum->V + spectrum->rank * cols, count * cols * sizeof *V);
    reduce(count, cols, V, taken, owned);
    for (size_t v = 0; v < count; v++) {
        made[v].w = w + v * cols;
        name_direction(ctx, &direction, V + v * cols, w + count * cols, &made[v]);
        combination_words(cols, made[v].w, name, made[v].kind, made[v].text);
    }
    *combinations = (struct combinations){count, made};
    return SENS_OK;
}
