/* A module of problems whose products are ADOL-C's, adolc_glv for glv and so on, so that `verify` can be
 * asked about them: to it they are problems like any other. */
#include <string.h>

#include "sens/plugin.h"
#include "sens/registry.h"

extern const struct sens_plugin adolc_module; /* methods/peers/adolc/adolc.c */

static const struct sens_problem *inner_of(const struct sens_problem *pb)
{
    return pb->data;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    return inner_of(pb)->type->rhs(inner_of(pb), at, dx);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    inner_of(pb)->type->vjp(inner_of(pb), at, L, W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    inner_of(pb)->type->jvp(inner_of(pb), at, L, V, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    inner_of(pb)->type->jvp_p_cols(inner_of(pb), at, k0, L, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    inner_of(pb)->type->vjp_p_batch(inner_of(pb), K, t, X, p, L, W, MU);
}

static const struct sens_problem_type *original(const char *name)
{
    const struct sens_problem_type *const *type = sens_registry_baseline()->problems;
    while (*type && strcmp((*type)->name, name) != 0) type++;
    return *type;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *problem)
{
    const struct sens_problem_type *type = original(problem->type->name + strlen("adolc_"));
    struct sens_problem *inner = SENS_NEW(ctx, struct sens_problem, 1);
    if (!type) return sens_fail(ctx, SENS_BAD_INPUT, "no such problem");
    if (!inner) return SENS_NO_MEMORY;
    sens_status status = sens_problem_create(ctx, type, option, inner);
    const struct sens_provider_request request = {.inner = inner, .threads = 1};
    if (status == SENS_OK) status = adolc_module.providers[0]->wrap(ctx, &request, inner);
    if (status != SENS_OK) return status;
    *problem = *inner;
    problem->data = inner;
    return SENS_OK;
}

#define TAPED(id)                                                                                            \
    static struct sens_problem_type taped_##id = {.name = "adolc_" #id,                                      \
                                                  .summary = "with the products of ADOL-C",                  \
                                                  .create = create,                                          \
                                                  .rhs = rhs,                                                \
                                                  .vjp = vjp,                                                \
                                                  .jvp = jvp,                                                \
                                                  .jvp_p_cols = jvp_p_cols,                                  \
                                                  .vjp_p_batch = vjp_p_batch}
TAPED(glv);
TAPED(vdp);
TAPED(heat);
TAPED(forced);
TAPED(oscillator);

/* The options are the original's, which the program keeps. */
__attribute__((constructor)) static void take_options(void)
{
    struct sens_problem_type *const taped[] = {&taped_glv, &taped_vdp, &taped_heat, &taped_forced,
                                               &taped_oscillator};
    for (size_t i = 0; i < sizeof taped / sizeof *taped; i++) {
        const struct sens_problem_type *type = original(taped[i]->name + strlen("adolc_"));
        if (!type) continue;
        taped[i]->options = type->options;
        taped[i]->many_states = type->many_states;
    }
}

static const struct sens_problem_type *const problems[] = {&taped_glv,    &taped_vdp,        &taped_heat,
                                                           &taped_forced, &taped_oscillator, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "adolc_problems", .problems = problems};
