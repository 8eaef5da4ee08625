/* What a problem and a cost are, in numbers: see fingerprint.h. */
#include "fingerprint.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sens/problem.h"

static const double relative_bound = 1e-12, cancelled_bound = 4e-16;

const char *const fingerprint_part_name[FINGERPRINT_PARTS] = {"t", "p", "x0", "f", "phi", "g"};

/* ---- fixed numbers that look random -------------------------------------------------------------------- */

enum { FOR_X = 1, FOR_P, FOR_FOLD, FOR_OBSERVATION, STREAMS = 16 }; /* a stream of numbers each */

/* In [-1, 1), the same everywhere: splitmix64 of (stream, i), whole numbers until the last, exact step. */
static double uniform(uint64_t stream, uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + stream * UINT64_C(0xd1b54a32d192ed03);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* ---- vectors folded into numbers ----------------------------------------------------------------------- */

/* Appends v, of which size holds the sums over absolute values (NULL: of one term each), and says that the
 * numbers of a probe are so many. */
static void put(struct fingerprint_numbers *to, size_t count, const double *v, const double *size)
{
    const bool whole = count <= FINGERPRINT_FOLD;
    to->width = whole ? count : FINGERPRINT_FOLD;
    for (size_t b = 0; b < to->width; b++) to->value[to->count + b] = to->size[to->count + b] = 0;
    for (size_t i = 0; i < count; i++) {
        const double weight = whole ? 1 : 1.5 + uniform(FOR_FOLD, i) / 2; /* no two entries count alike */
        to->value[to->count + i % to->width] += weight * v[i];
        to->size[to->count + i % to->width] += weight * fabs(size ? size[i] : v[i]);
    }
    to->count += to->width;
}

/* ---- the probes ---------------------------------------------------------------------------------------- */

struct probe {
    double t, *x, *p; /* [n], [np] */
    double *v, *one;  /* [max(n, m)] scratch: a result, one term of it */
    double *size;     /* [max(n, m)] sum of absolute terms */
};

static double largest(size_t count, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(v[i]));
    return most > 0 ? most : 1;
}

/* A quarter up or down; zero becomes up to a quarter of the largest. */
static void move(size_t count, const double *from, uint64_t stream, double *to)
{
    const double most = largest(count, from);
    for (size_t i = 0; i < count; i++) {
        const double u = uniform(stream, i);
        to[i] = from[i] != 0 ? from[i] * (1 + u / 4) : most * (1 + u) / 8;
    }
}

static void place(const struct sens_problem *pb, size_t number, struct probe *probe)
{
    probe->t = pb->t0 + (pb->t1 - pb->t0) * (double)number / FINGERPRINT_PROBES;
    memcpy(probe->x, pb->x0, pb->n * sizeof *probe->x);
    if (pb->np) memcpy(probe->p, pb->p, pb->np * sizeof *probe->p);
    if (number == 0) return;
    move(pb->n, pb->x0, STREAMS * number + FOR_X, probe->x);
    move(pb->np, pb->p, STREAMS * number + FOR_P, probe->p);
}

static void put_rhs(const struct sens_problem *pb, const struct probe *probe, struct fingerprint *print)
{
    const struct sens_at at = {probe->t, probe->x, probe->p};
    if (pb->type->rhs(pb, &at, probe->v) != SENS_OK)
        for (size_t i = 0; i < pb->n; i++) probe->v[i] = NAN;
    put(&print->part[PRINT_F], pb->n, probe->v, NULL);
}

static void put_initial(const struct sens_problem *pb, const struct probe *probe, struct fingerprint *print)
{
    sens_problem_x0(pb, probe->p, probe->v);
    put(&print->part[PRINT_X0], pb->n, probe->v, NULL);
}

static void put_cost(const struct sens_cost *cost, const struct probe *probe, struct fingerprint *print)
{
    const size_t bytes = cost->m * sizeof *probe->v;
    memset(probe->v, 0, bytes);
    memset(probe->size, 0, bytes);
    for (size_t j = 0; j < cost->n_obs; j++) {
        const double weight = 1.5 + uniform(FOR_OBSERVATION, j) / 2;
        memset(probe->one, 0, bytes);
        cost->type->phi(cost, j, probe->x, probe->p, probe->one);
        for (size_t c = 0; c < cost->m; c++) {
            probe->v[c] += weight * probe->one[c];
            probe->size[c] += weight * fabs(probe->one[c]);
        }
    }
    if (cost->n_obs) put(&print->part[PRINT_PHI], cost->m, probe->v, probe->size);
    if (!cost->type->g) return;
    memset(probe->v, 0, bytes);
    cost->type->g(cost, &(struct sens_at){probe->t, probe->x, probe->p}, 1, probe->v);
    put(&print->part[PRINT_G], cost->m, probe->v, NULL);
}

sens_status fingerprint_make(struct sens_ctx *ctx, const struct cell *cell, struct fingerprint *print)
{
    const struct sens_problem *pb = &cell->problem;
    const struct sens_cost *cost = &cell->cost;
    const size_t longest = pb->n > cost->m ? pb->n : cost->m;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct probe probe = {.x = SENS_NEW(ctx, double, pb->n),
                          .p = SENS_NEW(ctx, double, (pb->np + 1)),
                          .v = SENS_NEW(ctx, double, longest),
                          .one = SENS_NEW(ctx, double, longest),
                          .size = SENS_NEW(ctx, double, longest)};
    const bool room = probe.x && probe.p && probe.v && probe.one && probe.size;
    *print = (struct fingerprint){0};
    struct fingerprint_numbers *t = &print->part[PRINT_T];
    if (room) {
        put(t, cost->n_obs, cost->t_obs, NULL);
        t->value[t->count++] = pb->t0;
        t->value[t->count++] = pb->t1;
        for (size_t k = 0; k < t->count; k++) t->size[k] = fabs(pb->t0) + fabs(pb->t1);
        t->width = t->count;
        put(&print->part[PRINT_P], pb->np, pb->p, NULL);
    }
    for (size_t q = 0; room && q < FINGERPRINT_PROBES; q++) {
        place(pb, q, &probe);
        put_rhs(pb, &probe, print);
        if (q == 0 || sens_problem_x0_depends(pb)) put_initial(pb, &probe, print);
        put_cost(cost, &probe, print);
    }
    sens_arena_rewind(&ctx->arena, mark);
    return room ? SENS_OK : SENS_NO_MEMORY;
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

/* How far the number k may be off; a NaN among its kind, as where the right-hand side fails, is left out. A
 * component of f that is zero but for rounding has no size of its own. */
static double bound(const struct fingerprint_numbers *now, bool is_f, size_t k)
{
    double kind = 0, all = 0;
    for (size_t i = 0; i < now->count; i++) {
        all = fmax(all, now->size[i]);
        if (i % now->width == k % now->width) kind = fmax(kind, now->size[i]);
    }
    return relative_bound * kind + (is_f ? cancelled_bound * all : 0);
}

static bool equal(const struct fingerprint_numbers *now, bool is_f, size_t k, double stored)
{
    const double value = now->value[k];
    if (isnan(value) || isnan(stored)) return isnan(value) && isnan(stored);
    return value == stored || fabs(value - stored) <= bound(now, is_f, k);
}

bool fingerprint_same(const struct fingerprint *now, const struct fingerprint *stored,
                      struct bench_error *difference)
{
    for (enum fingerprint_part part = 0; part < FINGERPRINT_PARTS; part++) {
        const struct fingerprint_numbers *ours = &now->part[part], *theirs = &stored->part[part];
        const char *name = fingerprint_part_name[part];
        if (ours->count != theirs->count)
            return bench_refuse(difference, "%s is %zu numbers, stored are %zu", name, ours->count,
                                theirs->count);
        for (size_t k = 0; k < ours->count; k++)
            if (!equal(ours, part == PRINT_F, k, theirs->value[k]))
                return bench_refuse(difference, "number %zu of %s is %.12g, stored is %.12g", k, name,
                                    ours->value[k], theirs->value[k]);
    }
    return true;
}
