/* derive/provider/step_agree.c - generated steps and plain loops, at points that are drawn. */
#include "step_agree.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 6, REPEATS = 3 };
static const double shift = 0x1p-36; /* of the inputs, relative */
static const double allowance = 64;  /* three repeats do not show the largest change */

struct inputs {
    double t, h;
    double *y, *p, *lambda; /* [n], [np], [n][L] */
};
struct trial {
    const struct sens_problem *pb;
    const struct sens_step_engine *engine;
    sens_step_reverse *reverse; /* NULL: the forward step is looked at */
    size_t n, np, L, results;
    bool with_mu;
    int compared; /* draws at which the step is one to be compared at */
    struct inputs at, near;
    double *got, *wanted, *moved, *change; /* [results] */
    double *Y, *K, *kappa, *theta;         /* [stages][n], and so many lanes */
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

/* ---- plain loops --------------------------------------------------------------------------------------- */

static struct sens_at stage_at(const struct trial *trial, const struct inputs *in, int i)
{
    return (struct sens_at){in->t + trial->engine->tableau->c[i] * in->h, trial->Y + (size_t)i * trial->n,
                            in->p};
}

static bool plain_stages(struct trial *trial, const struct inputs *in)
{
    const struct sens_tableau *tb = trial->engine->tableau;
    const size_t n = trial->n;
    for (int i = 0; i < tb->stages; i++) {
        double *Y = trial->Y + (size_t)i * n;
        for (size_t q = 0; q < n; q++) {
            Y[q] = in->y[q];
            for (int j = 0; j < i; j++)
                Y[q] += in->h * sens_tableau_a(tb, i, j) * trial->K[(size_t)j * n + q];
        }
        const struct sens_at at = stage_at(trial, in, i);
        if (trial->pb->type->rhs(trial->pb, &at, trial->K + (size_t)i * n) != SENS_OK) return false;
    }
    return true;
}

/* Stages, slopes, where the step ends, and the estimate. */
static bool plain_forward(struct trial *trial, const struct inputs *in, double *out)
{
    const struct sens_tableau *tb = trial->engine->tableau;
    const size_t n = trial->n, size = (size_t)tb->stages * n;
    if (!plain_stages(trial, in)) return false;
    memcpy(out, trial->Y, size * sizeof *out);
    memcpy(out + size, trial->K, size * sizeof *out);
    for (size_t q = 0; q < n; q++) {
        double end = in->y[q], e = 0;
        for (int i = 0; i < tb->stages; i++) {
            end += in->h * tb->b[i] * trial->K[(size_t)i * n + q];
            e += tb->e ? in->h * tb->e[i] * trial->K[(size_t)i * n + q] : 0;
        }
        out[2 * size + q] = end;
        out[2 * size + n + q] = e;
    }
    return true;
}

/* lambda, and mu. */
static bool plain_reverse(struct trial *trial, const struct inputs *in, double *out)
{
    const struct sens_tableau *tb = trial->engine->tableau;
    const struct sens_problem_type *type = trial->pb->type;
    const size_t n = trial->n, L = trial->L, size = n * L;
    if (!plain_stages(trial, in)) return false;
    memset(out, 0, trial->results * sizeof *out);
    memcpy(out, in->lambda, size * sizeof *out);
    for (int i = tb->stages - 1; i >= 0; i--) {
        const struct sens_at at = stage_at(trial, in, i);
        double *const theta = trial->theta + (size_t)i * size;
        for (size_t q = 0; q < size; q++) {
            trial->kappa[q] = in->h * tb->b[i] * in->lambda[q];
            for (int j = i + 1; j < tb->stages; j++)
                trial->kappa[q] += in->h * sens_tableau_a(tb, j, i) * trial->theta[(size_t)j * size + q];
        }
        type->vjp(trial->pb, &at, L, trial->kappa, theta);
        for (size_t q = 0; q < size; q++) out[q] += theta[q];
        if (trial->with_mu) type->vjp_p_batch(trial->pb, 1, &at.t, at.x, at.p, L, trial->kappa, out + size);
    }
    return true;
}

static bool plain(struct trial *trial, const struct inputs *in, double *out)
{
    return trial->reverse ? plain_reverse(trial, in, out) : plain_forward(trial, in, out);
}

/* ---- the engine ---------------------------------------------------------------------------------------- */

/* From the stages of the plain step, which `plain` has left. A pair that is FSAL does not write where it ends. */
static bool run_engine(struct trial *trial, double *out)
{
    const struct sens_step_engine *engine = trial->engine;
    const struct sens_tableau *tb = engine->tableau;
    const struct inputs *in = &trial->at;
    const size_t n = trial->n, size = (size_t)tb->stages * n, lanes = n * trial->L;
    if (engine->holds && !engine->holds(engine, in->t, in->h, in->p, trial->Y)) return false;
    memset(out, 0, trial->results * sizeof *out);
    if (trial->reverse) {
        memcpy(out, in->lambda, lanes * sizeof *out);
        trial->reverse(in->t, in->h, in->p, trial->Y, out, trial->with_mu ? out + lanes : NULL);
        return true;
    }
    memcpy(out, in->y, n * sizeof *out);
    engine->forward(in->t, in->h, in->p, out, out + size, out + 2 * size, out + 2 * size + n);
    if (tb->fsal) memcpy(out + 2 * size, out + size - n, n * sizeof *out);
    return true;
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

static void draw_around(struct trial *trial, double spread, size_t count, const double *number, double *drawn)
{
    for (size_t q = 0; q < count; q++)
        drawn[q] = number[q] + spread * draw(trial) * (number[q] != 0 ? fabs(number[q]) : 0.1);
}

static void draw_inputs(struct trial *trial, int k)
{
    const struct sens_problem *pb = trial->pb;
    const double spread = k * 0.1 / DRAWS, span = (pb->t1 - pb->t0) * 0x1p-10;
    trial->at.t = pb->t0 + k * span;
    trial->at.h = span * (1 + 0.5 * draw(trial)) / (1 << 2 * k);
    draw_around(trial, spread, trial->n, pb->x0, trial->at.y);
    draw_around(trial, spread, trial->np, pb->p, trial->at.p);
    for (size_t q = 0; q < trial->n * trial->L; q++) trial->at.lambda[q] = draw(trial);
}

static void shift_all(struct trial *trial, size_t count, const double *from, double *to)
{
    for (size_t q = 0; q < count; q++) to[q] = from[q] * (1 + shift * draw(trial));
}

static void draw_near(struct trial *trial)
{
    shift_all(trial, 1, &trial->at.t, &trial->near.t);
    shift_all(trial, 1, &trial->at.h, &trial->near.h);
    shift_all(trial, trial->n, trial->at.y, trial->near.y);
    shift_all(trial, trial->np, trial->at.p, trial->near.p);
    shift_all(trial, trial->n * trial->L, trial->at.lambda, trial->near.lambda);
}

/* What each number changes by; false: the step is none to be compared at. */
static bool find_changes(struct trial *trial)
{
    memset(trial->change, 0, trial->results * sizeof *trial->change);
    for (int k = 0; k < REPEATS; k++) {
        draw_near(trial);
        if (!plain(trial, &trial->near, trial->moved)) return false;
        for (size_t q = 0; q < trial->results; q++)
            trial->change[q] = fmax(trial->change[q], fabs(trial->moved[q] - trial->wanted[q]));
    }
    for (size_t q = 0; q < trial->results; q++)
        if (!isfinite(trial->wanted[q])) return false;
    return true;
}

/* Of the terms of a number, for rounding. The terms of an estimate cancel, and change together. */
static double term_size(const struct trial *trial, size_t q)
{
    const struct sens_tableau *tb = trial->engine->tableau;
    const size_t n = trial->n, before = (2 * (size_t)tb->stages + 1) * n;
    double size = 0;
    if (trial->reverse || q < before || !tb->e) return fabs(trial->wanted[q]);
    for (int i = 0; i < tb->stages; i++)
        size += fabs(trial->at.h * tb->e[i] * trial->K[(size_t)i * n + q - before]);
    return size;
}

static bool compare(struct trial *trial, struct bench_error *error)
{
    if (!plain(trial, &trial->at, trial->wanted) || !find_changes(trial)) return true;
    if (!plain_stages(trial, &trial->at) || !run_engine(trial, trial->got)) return true;
    trial->compared++;
    for (size_t q = 0; q < trial->results; q++) {
        const double far = fabs(trial->got[q] - trial->wanted[q]);
        if (far <= allowance * trial->change[q] + 0x1p-40 * term_size(trial, q)) continue;
        return bench_refuse(error, "number %zu of a generated step is %.17g, and %.17g by the problem's own",
                            q, trial->got[q], trial->wanted[q]);
    }
    return true;
}

static double *take(double **rest, size_t count)
{
    double *const taken = *rest;
    *rest += count;
    return taken;
}

static bool place_numbers(struct trial *trial)
{
    const size_t n = trial->n, np = trial->np, lanes = n * trial->L,
                 stages = (size_t)trial->engine->tableau->stages;
    const size_t inputs = n + np + lanes, steps = 2 * stages * n + (1 + stages) * lanes;
    trial->memory = calloc(2 * inputs + 4 * trial->results + steps + 1, sizeof *trial->memory);
    if (!trial->memory) return false;
    double *rest = trial->memory;
    for (int k = 0; k < 2; k++) {
        struct inputs *const in = k ? &trial->near : &trial->at;
        in->y = take(&rest, n), in->p = take(&rest, np), in->lambda = take(&rest, lanes);
    }
    trial->got = take(&rest, trial->results), trial->wanted = take(&rest, trial->results);
    trial->moved = take(&rest, trial->results), trial->change = take(&rest, trial->results);
    trial->Y = take(&rest, stages * n), trial->K = take(&rest, stages * n);
    trial->kappa = take(&rest, lanes), trial->theta = take(&rest, stages * lanes);
    return true;
}

static bool agrees(struct trial *trial, struct bench_error *error)
{
    if (!place_numbers(trial)) return bench_refuse(error, "no memory to compare a generated step");
    bool right = true;
    for (int k = 0; k < DRAWS && right; k++) {
        draw_inputs(trial, k);
        right = compare(trial, error);
    }
    free(trial->memory);
    if (right && trial->compared == 0)
        return bench_refuse(error, "a generated step could be compared at none of %d points", DRAWS);
    return right;
}

bool step_forward_agrees(const struct sens_problem *pb, const struct sens_step_engine *engine,
                         struct bench_error *error)
{
    const size_t rows = 2 * (size_t)engine->tableau->stages + 2;
    struct trial trial = {
        .pb = pb, .engine = engine, .n = pb->n, .np = pb->np, .results = rows * pb->n, .random = 1};
    return agrees(&trial, error);
}

bool step_reverse_agrees(const struct sens_problem *pb, const struct sens_step_engine *engine,
                         sens_step_reverse *reverse, size_t L, bool with_mu, struct bench_error *error)
{
    struct trial trial = {.pb = pb,
                          .engine = engine,
                          .reverse = reverse,
                          .n = pb->n,
                          .np = pb->np,
                          .L = L,
                          .results = (pb->n + (with_mu ? pb->np : 0)) * L,
                          .with_mu = with_mu,
                          .random = 2};
    return agrees(&trial, error);
}
