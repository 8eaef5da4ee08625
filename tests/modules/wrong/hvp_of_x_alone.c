/* x' = -k x with second derivatives, whose part for the parameters is wrong where the direction has neither t nor
 * p, which are then NULL.
 *
 * verify: --quick --problem hvp_of_x_alone
 * module: problem hvp_of_x_alone
 * cause: second_derivative */
#include "sens/plugin.h"

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    return SENS_OK;
}

/* J is a number. */
static void product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                    sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = -at->p[0] * V[l];
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    (void)pb, (void)k0;
    for (size_t l = 0; l < L; l++) OUT[l] -= at->x[0];
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)pb, (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) MU[l] -= X[k] * W[k * L + l];
}

static void hvp(const struct sens_problem *pb, const struct sens_at *at, size_t L,
                const struct sens_direction *v, const sens_real *W, sens_real *OUT, sens_real *MU)
{
    const sens_real wrong = v->t || v->p ? 1 : SENS_C(0.99);
    (void)pb, (void)at;
    for (size_t l = 0; l < L; l++) {
        OUT[l] = v->p ? -v->p[l] * W[l] : 0;
        if (MU && v->x) MU[l] -= wrong * v->x[l] * W[l];
    }
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    sens_real *const numbers = SENS_NEW(ctx, sens_real, 2);
    (void)option;
    if (!numbers) return SENS_NO_MEMORY;
    numbers[0] = 1, numbers[1] = SENS_C(0.75);
    *pb = (struct sens_problem){.type = pb->type, .n = 1, .np = 1, .t1 = 2, .x0 = numbers, .p = numbers + 1};
    return SENS_OK;
}

static const struct sens_problem_type type = {.name = "hvp_of_x_alone",
                                              .summary = "decay with second derivatives",
                                              .create = create,
                                              .rhs = rhs,
                                              .jvp = product,
                                              .vjp = product,
                                              .jvp_p_cols = jvp_p_cols,
                                              .vjp_p_batch = vjp_p_batch,
                                              .hvp = hvp};
static const struct sens_problem_type *const problems[] = {&type, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "hvp_of_x_alone", .problems = problems};
