/* The implicit midpoint rule and its tangent, for modules that differ in the matrix I - h/2 df/dx that is
 * factorised: the including file defines NAME and FACTORS_OF_START (that at the beginning of the step alone,
 * as of a simplified Newton iteration); DOUBLES, where steps are doubled, from 16 times it, until the state settles;
 * where Newton's iteration ends after fewer steps, MOST_TRIES and TAKES_ANY (it has the solution then); and, where
 * the tangent is solved by others than Newton's iteration, TANGENT_FACTORS, a function like factorise;
 * SETTLED(moved, size), when a correction is taken for rounding; EXCHANGED_FROM, the column (0, or k of the pivot)
 * from which rows are exchanged; TANGENT_EXCHANGES_BACK, where those of the tangent's right side are made in the order
 * of undoing them; PARAMETERS_OF_START, which takes df/dp at the beginning of the step; and HAS_ROW(M, i, of_S): it
 * takes problems M x' = f then, and row i of M enters what is multiplied by it, S where of_S. */
#ifndef PARAMETERS_OF_START
#define PARAMETERS_OF_START 0
#endif
#ifndef TANGENT_EXCHANGES_BACK
#define TANGENT_EXCHANGES_BACK false
#endif
#ifndef SETTLED
#define SETTLED(moved, size) ((moved) <= 16 * SENS_EPSILON * (size))
#endif
#ifdef HAS_ROW
#define TAKES_MASS SENS_CAP_MASS
#else
#define TAKES_MASS          0
#define HAS_ROW(M, i, of_S) true
#endif
#ifndef DOUBLES
#define DOUBLES 0
#endif
#ifndef EXCHANGED_FROM
#define EXCHANGED_FROM 0
#endif
#ifndef MOST_TRIES
#define MOST_TRIES 60
#define TAKES_ANY  0
#endif

#include <stdbool.h>

#include "sens/real.h"

struct own {
    long steps;  /* from t0 to t1 */
    bool chosen; /* they are: those of a run are told */
    sens_real *Y, *K, *sigma, *LU, *unit, *pivot, *before, *off;
};

#include "directions.h"

/* LU in its place, with its pivots */
static void eliminate(struct state *st)
{
    const size_t n = st->n;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(st->own.LU[i * n + k]) > fabs(st->own.LU[pivot * n + k])) pivot = i;
        st->own.pivot[k] = (sens_real)pivot;
        for (size_t j = EXCHANGED_FROM; j < n; j++) {
            const sens_real keep = st->own.LU[k * n + j];
            st->own.LU[k * n + j] = st->own.LU[pivot * n + j];
            st->own.LU[pivot * n + j] = keep;
        }
        for (size_t i = k + 1; i < n; i++) {
            const sens_real factor = st->own.LU[i * n + k] /= st->own.LU[k * n + k];
            for (size_t j = k + 1; j < n; j++) st->own.LU[i * n + j] -= factor * st->own.LU[k * n + j];
        }
    }
}

/* OUT += M V of M x' = f, I where there is none */
static void add_mass(const struct state *st, size_t L, const sens_real *V, sens_real *OUT)
{
    const struct sens_mass *const M = st->task->problem->mass;
    if (!M) sens_lanes_axpy(st->n, L, 1, V, OUT);
    for (size_t i = 0; M && i < st->n; i++)
        for (size_t e = M->pattern.start[i]; HAS_ROW(M, i, V == st->S) && e < M->pattern.start[i + 1]; e++)
            sens_lanes_axpy(1, L, M->value[e], V + M->pattern.col[e] * L, OUT + i * L);
}

/* LU = M - h/2 df/dx at the point */
static void factorise(struct state *st, const struct sens_at *at, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const size_t n = st->n;
    memset(st->own.unit, 0, n * n * sizeof *st->own.unit);
    for (size_t i = 0; i < n; i++) st->own.unit[i * n + i] = 1;
    pb->type->jvp(pb, at, n, st->own.unit, st->own.LU);
    for (size_t e = 0; e < n * n; e++) st->own.LU[e] *= -h / 2;
    add_mass(st, n, st->own.unit, st->own.LU);
    eliminate(st);
}

#ifdef TANGENT_FACTORS
static void TANGENT_FACTORS(struct state *st, const struct sens_at *at, sens_real h);
#else
#define TANGENT_FACTORS factorise
#endif

/* V [n][L] = (M - h/2 J)^-1 V */
static void solve(const struct state *st, size_t L, bool back, sens_real *V)
{
    const size_t n = st->n;
    for (size_t c = 0, k = back ? n - 1 : 0; c < n; c++, k += back ? (size_t)-1 : 1)
        for (size_t l = 0, pivot = (size_t)st->own.pivot[k]; l < L; l++) {
            const sens_real keep = V[k * L + l];
            V[k * L + l] = V[pivot * L + l];
            V[pivot * L + l] = keep;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) sens_lanes_axpy(1, L, -st->own.LU[i * n + j], V + j * L, V + i * L);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            sens_lanes_axpy(1, L, -st->own.LU[i * n + j], V + j * L, V + i * L);
        for (size_t l = 0; l < L; l++) V[i * L + l] /= st->own.LU[i * n + i];
    }
}

/* M Y = M x + h/2 f(t + h/2, Y) by Newton's iteration, then x = 2 Y - x, and its tangent. */
static sens_status step(struct sens_ctx *ctx, struct state *st, sens_real t, sens_real h)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t + h / 2, st->own.Y, pb->p};
    const size_t n = st->n, q = st->q;
    memcpy(st->own.Y, st->x, n * sizeof *st->own.Y);
    if (FACTORS_OF_START) factorise(st, &(struct sens_at){t, st->x, pb->p}, h);
    for (int tries = 0, small = 0; small < 2 && (tries < MOST_TRIES || !TAKES_ANY); tries++) {
        if (tries == MOST_TRIES)
            return sens_fail(ctx, SENS_DIVERGED, "no solution of the step at t = %g", (double)t);
        const sens_status status = pb->type->rhs(pb, &at, st->own.K);
        if (status != SENS_OK) return sens_recoverable(status) ? SENS_DIVERGED : status;
        if (!FACTORS_OF_START) factorise(st, &at, h);
        sens_real size = 0, moved = 0;
        for (size_t i = 0; i < n; i++) st->own.K[i] *= h / 2, st->own.off[i] = st->x[i] - st->own.Y[i];
        add_mass(st, 1, st->own.off, st->own.K);
        solve(st, 1, false, st->own.K);
        for (size_t i = 0; i < n; i++) {
            st->own.Y[i] += st->own.K[i];
            moved = fmax(moved, fabs(st->own.K[i])), size = fmax(size, fabs(st->own.Y[i]));
            if (!isfinite(st->own.Y[i]))
                return sens_fail(ctx, SENS_DIVERGED, "not finite at t = %g", (double)t);
        }
        small = SETTLED(moved, size) ? small + 1 : 0; /* and once more */
    }
    if (!FACTORS_OF_START) TANGENT_FACTORS(st, &at, h);
    memset(st->own.sigma, 0, n * q * sizeof *st->own.sigma);
    add_p(st, PARAMETERS_OF_START ? &(struct sens_at){t, st->x, pb->p} : &at, st->own.sigma);
    for (size_t e = 0; e < n * q; e++) st->own.sigma[e] *= h / 2;
    add_mass(st, q, st->S, st->own.sigma);
    solve(st, q, TANGENT_EXCHANGES_BACK, st->own.sigma);
    integrate(st, &at, h, st->own.sigma);
    for (size_t i = 0; i < n; i++) st->x[i] = 2 * st->own.Y[i] - st->x[i];
    for (size_t e = 0; e < n * q; e++) st->S[e] = 2 * st->own.sigma[e] - st->S[e];
    return SENS_OK;
}

#include "doubled.h"

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **made)
{
    struct state *st;
    sens_status status = create(ctx, task, &st);
    if (status != SENS_OK) return status;
    const size_t n = st->n, q = st->q;
    const struct room room[] = {{&st->own.Y, n},      {&st->own.K, n},        {&st->own.sigma, n * q},
                                {&st->own.LU, n * n}, {&st->own.unit, n * n}, {&st->own.pivot, n},
                                {&st->own.before, n}, {&st->own.off, n}};
    *made = st;
    st->own.steps = (long)task->option[0].number;
    status = allocate(ctx, sizeof room / sizeof *room, room);
    if (status == SENS_OK && DOUBLES) status = choose_steps(ctx, st);
    st->own.chosen = true;
    return status;
}

static const struct sens_option options[] = {
    {.name = "steps",
     .kind = SENS_OPT_INT,
     .fallback = DOUBLES ? 16 * DOUBLES : 400,
     .min = 1,
     .max = 1e6,
     .help = "from t0 to t1"},
    SENS_OPTIONS_END,
};

static SENS_METHOD(own) = {
    .name = NAME,
    .summary = "implicit midpoint rule with its tangent",
    .derivative = SENS_DERIVATIVE_DISCRETE,
    .caps = SENS_CAP_RUNNING_COST | SENS_CAP_OBSERVATIONS | SENS_CAP_STEPS |
            (DOUBLES ? SENS_CAP_TOLERANCE : 0) | TAKES_MASS,
    .options = options,
    .prepare = prepare,
    .run = run,
};
static const struct sens_method_type *const methods[] = {&sens_method_own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = NAME, .methods = methods};
