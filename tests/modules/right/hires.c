/* HIRES, a stiff model of plant physiology (Schaefer 1975; Hairer & Wanner, Solving Ordinary Differential
 * Equations II, IV.10): eight states, the twelve rate constants as parameters, 0 <= t <= 321.8122.
 * y(T) = (7.371312573325668e-4, 1.442485726316185e-4, 5.888729740967575e-5, 1.175651343283149e-3,
 *         2.386356198831331e-3, 6.238968252742796e-3, 2.849998395185769e-3, 2.850001604814231e-3).
 * verify: --quick --problem hires_c --method cfsa --require pair.exact */
#include <string.h>

#include "sens/plugin.h"

enum { N = 8, NP = 12 };

/* One term: the rate k_r y_a (y_b) enters y_i with a sign; a or b NONE: a factor of 1. */
enum { NONE = N };
struct term {
    int to, sign, rate, a, b;
};
static const struct term terms[] = {
    {0, -1, 0, 0, NONE}, {0, 1, 1, 1, NONE},   {0, 1, 2, 2, NONE},  {0, 1, 3, NONE, NONE},
    {1, 1, 0, 0, NONE},  {1, -1, 4, 1, NONE},  {2, -1, 5, 2, NONE}, {2, 1, 1, 3, NONE},
    {2, 1, 6, 4, NONE},  {3, 1, 2, 1, NONE},   {3, 1, 0, 2, NONE},  {3, -1, 7, 3, NONE},
    {4, -1, 8, 4, NONE}, {4, 1, 1, 5, NONE},   {4, 1, 1, 6, NONE},  {5, -1, 9, 5, 7},
    {5, 1, 10, 3, NONE}, {5, 1, 0, 4, NONE},   {5, -1, 1, 5, NONE}, {5, 1, 10, 6, NONE},
    {6, 1, 9, 5, 7},     {6, -1, 11, 6, NONE}, {7, -1, 9, 5, 7},    {7, 1, 11, 6, NONE},
};
enum { TERMS = sizeof terms / sizeof *terms };

static double factor(const double *x, int i)
{
    return i == NONE ? 1 : x[i];
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    memset(dx, 0, N * sizeof *dx);
    for (int k = 0; k < TERMS; k++) {
        const struct term *s = &terms[k];
        dx[s->to] += s->sign * at->p[s->rate] * factor(at->x, s->a) * factor(at->x, s->b);
    }
    return SENS_OK;
}

static void jacobian(const struct sens_at *at, double J[N][N + 1])
{
    memset(J, 0, N * sizeof *J);
    for (int k = 0; k < TERMS; k++) {
        const struct term *s = &terms[k];
        const double rate = s->sign * at->p[s->rate];
        J[s->to][s->a] += rate * factor(at->x, s->b); /* column NONE is not read */
        J[s->to][s->b] += rate * factor(at->x, s->a);
    }
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    (void)pb;
    double J[N][N + 1];
    jacobian(at, J);
    memset(OUT, 0, N * L * sizeof *OUT);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t l = 0; l < L; l++) OUT[i * L + l] += J[i][j] * V[j * L + l];
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    (void)pb;
    double J[N][N + 1];
    jacobian(at, J);
    memset(OUT, 0, N * L * sizeof *OUT);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t l = 0; l < L; l++) OUT[j * L + l] += J[i][j] * W[i * L + l];
}

static void jacobian_p(const double *x, double F[N][NP])
{
    memset(F, 0, N * sizeof *F);
    for (int k = 0; k < TERMS; k++) {
        const struct term *s = &terms[k];
        F[s->to][s->rate] += s->sign * factor(x, s->a) * factor(x, s->b);
    }
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    (void)pb;
    double F[N][NP];
    jacobian_p(at->x, F);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < L; l++) OUT[i * L + l] += F[i][k0 + l];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    (void)pb, (void)t, (void)p;
    for (size_t k = 0; k < K; k++) {
        double F[N][NP];
        jacobian_p(X + k * N, F);
        for (size_t i = 0; i < N; i++)
            for (size_t q = 0; q < NP; q++)
                for (size_t l = 0; l < L; l++) MU[q * L + l] += F[i][q] * W[(k * N + i) * L + l];
    }
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const double rates[NP] = {1.71,  0.43, 8.32,  0.0007, 8.75, 10.03,
                                     0.035, 1.12, 1.745, 280,    0.69, 1.81};
    double *const x0 = SENS_NEW(ctx, double, N), *const p = SENS_NEW(ctx, double, NP);
    (void)option;
    if (!x0 || !p) return SENS_NO_MEMORY;
    memcpy(p, rates, sizeof rates);
    x0[0] = 1;
    x0[7] = 0.0057;
    *pb = (struct sens_problem){.n = N, .np = NP, .t0 = 0, .t1 = 321.8122, .x0 = x0, .p = p};
    return SENS_OK;
}

static const struct sens_problem_type hires = {.name = "hires_c",
                                               .summary = "eight stiff reactions",
                                               .create = create,
                                               .rhs = rhs,
                                               .vjp = vjp,
                                               .jvp = jvp,
                                               .jvp_p_cols = jvp_p_cols,
                                               .vjp_p_batch = vjp_p_batch};
static const struct sens_problem_type *const problems[] = {&hires, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "hires", .problems = problems};
