/* tests/problem/steps.h - an instance by name, and explicit Runge-Kutta steps of fixed size with their
 * tangent, written from the definition and independent of the engine:
 *
 *     Y_i = x + h sum_j a_ij K_j,   K_i = f(Y_i),   dK_i = J(Y_i) dY_i + [0 | f_p(Y_i)] */
#ifndef STEPS_H
#define STEPS_H

#include <stdlib.h>
#include <string.h>

#include "sens/registry.h"
#include "testing.h"

enum { STEPS_OPTIONS = 16, STEPS_STAGES = 16 };

struct setting { /* option = number */
    const char *option;
    double number;
};

static inline const struct sens_problem_type *problem_named(const char *name)
{
    const struct sens_problem_type *const *type = sens_registry_baseline()->problems;
    while (*type && strcmp((*type)->name, name) != 0) type++;
    assert_non_null(*type);
    return *type;
}

static inline const struct sens_tableau *tableau_named(const char *name)
{
    const struct sens_tableau *const *tableau = sens_registry_baseline()->tableaux;
    while (*tableau && strcmp((*tableau)->name, name) != 0) tableau++;
    assert_non_null(*tableau);
    return *tableau;
}

/* settings ends with option == NULL. */
static inline sens_status try_problem(struct sens_ctx *ctx, const char *name, const struct setting *settings,
                                      struct sens_problem *pb)
{
    const struct sens_problem_type *type = problem_named(name);
    struct sens_value value[STEPS_OPTIONS];
    sens_option_defaults(type->options, value);
    for (; settings->option; settings++) {
        const int index = sens_option_find(type->options, settings->option);
        assert_true(index >= 0);
        value[index].number = settings->number;
    }
    return sens_problem_create(ctx, type, value, pb);
}

static inline struct sens_problem make_problem(struct sens_ctx *ctx, const char *name,
                                               const struct setting *settings)
{
    struct sens_problem pb;
    assert_int_equal(try_problem(ctx, name, settings, &pb), SENS_OK);
    return pb;
}

/* out = v + h sum_j a_ij K_j over rows of length count. */
static inline void stage_sum(size_t count, const double *v, double h, size_t terms, const double *weight,
                             const double *K, double *out)
{
    memcpy(out, v, count * sizeof *out);
    for (size_t j = 0; j < terms; j++)
        for (size_t q = 0; q < count; q++) out[q] += h * weight[j] * K[j * count + q];
}

/* From the nominal x0 to t1 in `steps` steps, autonomous problems: x [n], T [n][np + n] = dx/d(p, x0). */
static inline void step_with_tangent(const struct sens_problem *pb, const struct sens_tableau *tb,
                                     size_t steps, double *x, double *T)
{
    const size_t n = pb->n, L = pb->np + n, stages = (size_t)tb->stages;
    const double h = (pb->t1 - pb->t0) / (double)steps;
    double *memory = calloc((stages + 1) * (n + n * L) + n * pb->np, sizeof *memory);
    assert_non_null(memory);
    double *K = memory, *dK = K + stages * n, *Y = dK + stages * n * L, *dY = Y + n, *F = dY + n * L;
    memcpy(x, pb->x0, n * sizeof *x);
    memset(T, 0, n * L * sizeof *T);
    for (size_t i = 0; i < n; i++) T[i * L + pb->np + i] = 1;
    for (size_t k = 0; k < steps; k++) {
        for (size_t i = 0; i < stages; i++) {
            stage_sum(n, x, h, i, tb->a + i * (stages + (size_t)tb->extra_stages), K, Y);
            stage_sum(n * L, T, h, i, tb->a + i * (stages + (size_t)tb->extra_stages), dK, dY);
            const struct sens_at at = {pb->t0, Y, pb->p};
            assert_int_equal(pb->type->rhs(pb, &at, K + i * n), SENS_OK);
            pb->type->jvp(pb, &at, L, dY, dK + i * n * L);
            memset(F, 0, n * pb->np * sizeof *F);
            pb->type->jvp_p_cols(pb, &at, 0, pb->np, F);
            for (size_t r = 0; r < n; r++)
                for (size_t c = 0; c < pb->np; c++) dK[i * n * L + r * L + c] += F[r * pb->np + c];
        }
        stage_sum(n, x, h, stages, tb->b, K, Y);
        stage_sum(n * L, T, h, stages, tb->b, dK, dY);
        memcpy(x, Y, n * sizeof *x);
        memcpy(T, dY, n * L * sizeof *T);
    }
    free(memory);
}

#endif
