/* derive/engine/agree.c - one product by two engines, at points and with vectors that are drawn. */
#include "agree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "products.h"

enum { POINTS = 6, REPEATS = 3 };
static const double shift = 0x1p-36;    /* of the inputs, relative */
static const double allowance = 64;     /* three repeats do not show the largest change */
static const double fluctuates = 0.125; /* of itself, with such a shift: a number that is made of rounding */

struct inputs {
    double t, *x, *p, *v, *d[3]; /* d: dt [L], dx [n][L], dp [np][L] */
};
struct trial {
    enum product_kind kind;
    unsigned serves; /* what calls may need (enum generate_call) */
    const struct function_shape *shape;
    size_t lanes, n_v, n_out, n_sum; /* numbers in v, out and sum */
    struct inputs at, near;
    double *got, *wanted, *moved, *change; /* [n_out + n_sum] */
    double *own;                           /* [n_out + n_sum] what `got` changes by */
    double *memory;
    uint64_t random;
};

/* In [-1, 1): splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static double draw(struct trial *trial)
{
    uint64_t z = trial->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

static void count_numbers(struct trial *trial, size_t entries)
{
    const size_t L = trial->lanes, n = trial->shape->n * L, np = trial->shape->np * L;
    const size_t m = trial->shape->outputs * L;
    trial->n_v = trial->kind == PRODUCT_JVP ? n : trial->kind == PRODUCT_JVP_P ? np : m;
    trial->n_out = product_is_entries(trial->kind)                              ? entries
                   : trial->kind == PRODUCT_VJP_P                               ? 0
                   : trial->kind == PRODUCT_RHS_T || trial->kind == PRODUCT_RHS ? trial->shape->outputs
                   : trial->kind == PRODUCT_VJP || trial->kind == PRODUCT_HVP   ? n
                                                                                : m;
    const bool sum = trial->kind == PRODUCT_HVP ? trial->serves & GENERATE_MU : trial->kind == PRODUCT_VJP_P;
    trial->n_sum = sum ? np : 0;
}

static double *take(double **rest, size_t count)
{
    double *const taken = *rest;
    *rest += count;
    return taken;
}

static void place_inputs(struct trial *trial, struct inputs *inputs, double **rest)
{
    const struct function_shape *shape = trial->shape;
    inputs->x = take(rest, shape->n);
    inputs->p = take(rest, shape->np);
    inputs->v = take(rest, trial->n_v);
    inputs->d[0] = take(rest, trial->lanes);
    inputs->d[1] = take(rest, shape->n * trial->lanes);
    inputs->d[2] = take(rest, shape->np * trial->lanes);
}

static bool place_numbers(struct trial *trial)
{
    const size_t of_point = trial->shape->n + trial->shape->np, results = trial->n_out + trial->n_sum;
    const size_t inputs = of_point + trial->n_v + (1 + of_point) * trial->lanes;
    double *rest = trial->memory = malloc((2 * inputs + 5 * results + 1) * sizeof *rest);
    if (!rest) return false;
    place_inputs(trial, &trial->at, &rest);
    place_inputs(trial, &trial->near, &rest);
    trial->got = take(&rest, results);
    trial->wanted = take(&rest, results);
    trial->moved = take(&rest, results);
    trial->change = take(&rest, results);
    trial->own = take(&rest, results);
    return true;
}

/* ---- points ------------------------------------------------------------------------------------------------ */

static double mean_size(const double *number, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += fabs(number[k]);
    return sum > 0 ? sum / (double)count : 1;
}

/* Around the recorded numbers, at most so far away by their size; what is 0 there is so no longer. */
static void draw_around(struct trial *trial, double spread, const double *number, size_t count, double *drawn)
{
    const double zero = 0.1 * mean_size(number, count);
    for (size_t k = 0; k < count; k++)
        drawn[k] = number[k] + spread * draw(trial) * (number[k] != 0 ? fabs(number[k]) : zero);
}

static void draw_all(struct trial *trial, size_t count, double *drawn)
{
    for (size_t k = 0; k < count; k++) drawn[k] = draw(trial);
}

static void draw_inputs(struct trial *trial, double spread, const struct sens_at *at)
{
    const struct function_shape *shape = trial->shape;
    trial->at.t = at->t + spread * draw(trial) * (1 + fabs(at->t));
    draw_around(trial, spread, at->x, shape->n, trial->at.x);
    draw_around(trial, spread, at->p, shape->np, trial->at.p);
    draw_all(trial, trial->n_v, trial->at.v);
    draw_all(trial, trial->lanes, trial->at.d[0]);
    draw_all(trial, shape->n * trial->lanes, trial->at.d[1]);
    draw_all(trial, shape->np * trial->lanes, trial->at.d[2]);
}

static void shift_all(struct trial *trial, const double *from, size_t count, double *to)
{
    for (size_t k = 0; k < count; k++) to[k] = from[k] * (1 + shift * draw(trial));
}

static void draw_near(struct trial *trial)
{
    const struct function_shape *shape = trial->shape;
    shift_all(trial, &trial->at.t, 1, &trial->near.t);
    shift_all(trial, trial->at.x, shape->n, trial->near.x);
    shift_all(trial, trial->at.p, shape->np, trial->near.p);
    shift_all(trial, trial->at.v, trial->n_v, trial->near.v);
    shift_all(trial, trial->at.d[0], trial->lanes, trial->near.d[0]);
    shift_all(trial, trial->at.d[1], shape->n * trial->lanes, trial->near.d[1]);
    shift_all(trial, trial->at.d[2], shape->np * trial->lanes, trial->near.d[2]);
}

/* ---- the comparison ---------------------------------------------------------------------------------------- */

/* What is not written stays NaN; what is added to begins with a number. */
static sens_status run(struct engine *engine, const struct trial *trial, const struct inputs *in,
                       bool unguarded, double *to)
{
    struct product_call call = {.kind = trial->kind, .at_its_own = unguarded};
    for (size_t k = 0; k < trial->n_out; k++) to[k] = (double)NAN;
    for (size_t k = 0; k < trial->n_sum; k++) to[trial->n_out + k] = unguarded ? 0 : 0.5;
    call.parts =
        trial->kind == PRODUCT_HVP ? trial->serves / GENERATE_ALONG & (DERIVE_T | DERIVE_X | DERIVE_P) : 0;
    call.on = (struct sens_tape_call){.points = 1,
                                      .t = &in->t,
                                      .x = in->x,
                                      .x_step = trial->shape->n,
                                      .p = in->p,
                                      .lanes = trial->lanes,
                                      .v = in->v,
                                      .v_step = trial->n_v,
                                      .out = to,
                                      .sum = trial->n_sum > 0 ? to + trial->n_out : NULL};
    for (unsigned part = 0; part < 3; part++)
        if (call.parts >> part & 1) call.on.extra[part] = in->d[part];
    return engine->maker->run(engine, &call);
}

/* The largest changes of numbers [n_out + n_sum] of an engine. */
static bool find_change(struct trial *trial, struct engine *engine, bool unguarded, const double *number,
                        double *change)
{
    const size_t count = trial->n_out + trial->n_sum;
    memset(change, 0, count * sizeof *change);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        draw_near(trial);
        const sens_status status = run(engine, trial, &trial->near, unguarded, trial->moved);
        if (status == SENS_OUT_OF_DOMAIN) continue; /* a guard is as near as that */
        if (status != SENS_OK) return false;
        for (size_t k = 0; k < count; k++) change[k] = fmax(change[k], fabs(trial->moved[k] - number[k]));
    }
    return true;
}

/* Terms that cancel to 0 at all points leave their rounding where they are added in another order: another one at each
 * point, where a value that is made of anything else hardly changes. */
static bool is_rounding(const struct trial *trial, size_t k)
{
    return trial->wanted[k] == 0 && trial->change[k] == 0 &&
           trial->own[k] >= fluctuates * fabs(trial->got[k]);
}

static bool numbers_agree(struct trial *trial, struct engine *tested, bool unguarded,
                          struct bench_error *error)
{
    bool has_own = false;
    for (size_t k = 0; k < trial->n_out + trial->n_sum; k++) {
        const double got = trial->got[k], wanted = trial->wanted[k];
        const double bound = allowance * trial->change[k] + shift * fabs(wanted);
        if (!isfinite(wanted) || fabs(got - wanted) <= bound) continue;
        has_own = has_own || find_change(trial, tested, unguarded, trial->got, trial->own);
        if (!has_own || !is_rounding(trial, k))
            return bench_refuse(error, "number %zu of a product is %.17g in place of %.17g", k, got, wanted);
    }
    return true;
}

static bool agree_at(struct trial *trial, struct engine *tested, struct engine *right, bool recorded,
                     struct bench_error *error)
{
    const sens_status wanted = run(right, trial, &trial->at, recorded, trial->wanted);
    const sens_status got = run(tested, trial, &trial->at, recorded, trial->got);
    if (got != wanted)
        return bench_refuse(error, "a product ends with %s in place of %s", sens_status_name(got),
                            sens_status_name(wanted));
    if (wanted == SENS_OUT_OF_DOMAIN) return true;
    if (wanted != SENS_OK || !find_change(trial, right, recorded, trial->wanted, trial->change))
        return bench_refuse(error, "a product cannot be compared: %s", sens_status_name(wanted));
    return numbers_agree(trial, tested, recorded, error);
}

/* One, or in turn so many that each block takes some of them. */
static size_t lanes_of(unsigned serves, int point)
{
    const size_t all = serves & GENERATE_BLOCKS;
    if (all == 0) return 1;
    return serves & GENERATE_ONE_LANE && point % 2 == 0 ? 1 : all;
}

bool engines_agree(struct engine *tested, struct engine *right, enum product_kind kind, unsigned serves,
                   size_t entries, const struct function_shape *shape, const struct sens_at *at,
                   struct bench_error *error)
{
    static const double spread[POINTS] = {0, 0.1, 0.1, 0.1, 4, 4};
    bool agree = true;
    for (int k = 0; k < POINTS && agree; k++) {
        struct trial trial = {.kind = kind,
                              .serves = serves,
                              .shape = shape,
                              .lanes = lanes_of(serves, k),
                              .random = (uint64_t)k};
        count_numbers(&trial, entries);
        if (!place_numbers(&trial)) return bench_refuse(error, "no memory to compare a product");
        draw_inputs(&trial, spread[k], at);
        agree = agree_at(&trial, tested, right, k == 0, error);
        free(trial.memory);
    }
    return agree;
}
