/* Three modes whose rates are 5 orders apart, and whose vectors are far from orthogonal:
 *
 *     x' = -V diag(rate) V^-1 x
 *
 * as it is written here. The entries of df/dx go up to 1e7: their rounding moves the slow rate, 0.3, by 1e-8 of it. Who
 * takes df/dx as numbers, as implicit steps do, is off by that, and is right.
 *
 * verify: --quick --problem hidden_modes
 * recorded: yes */
#include "sens/plugin.h"

enum { N = 3 };
static const sens_real V[N][N] = {{1, 2, -3}, {3, 7, -4}, {-2, 0, 27}};
static const sens_real INVERSE[N][N] = {{189, -54, 13}, {-73, 21, -5}, {14, -4, 1}};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    for (size_t i = 0; i < N; i++) dx[i] = 0;
    for (size_t k = 0; k < N; k++) {
        sens_real part = 0;
        for (size_t j = 0; j < N; j++) part += INVERSE[k][j] * at->x[j];
        for (size_t i = 0; i < N; i++) dx[i] -= V[i][k] * at->p[k] * part;
    }
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[N] = {SENS_C(3.3), SENS_C(0.2), SENS_C(-0.35)};
    static const sens_real p[N] = {SENS_C(0.3), 30, 30000};
    (void)ctx;
    (void)option;
    pb->n = N, pb->np = N, pb->t0 = 0, pb->t1 = 2, pb->x0 = x0, pb->p = p;
    return SENS_OK;
}

static SENS_PROBLEM(hidden_modes) = {.name = "hidden_modes",
                                     .summary = "x' = -V diag(p) V^-1 x",
                                     .create = create,
                                     .rhs = rhs,
                                     .autonomous = true};
static const struct sens_problem_type *const problems[] = {&sens_problem_hidden_modes, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "hidden_modes", .problems = problems};
