/* Where the products of a failed run, or its cost, stop being numbers: the run once more, on one thread and without a
 * structure, each product and each part of the cost looked at. The first that is not finite, of vectors and states
 * that are, is told; of a product, where the provider has an explanation for the point. Slow, and done for runs alone
 * that have failed. */
#include "explain.h"

#include <math.h>
#include <stdio.h> /* snprintf */

#include "sens/decorate.h"

static const double patience = 5; /* seconds of a run that is made once more for a better sentence */

struct look {
    struct sens_decorated_problem room;
    struct sens_decorated_cost cost_room;
    const struct sens_provider *provider; /* NULL: nobody explains products */
    const struct sens_problem *wrapped;   /* by the provider */
    bool found, of_cost;
    double t;
    char text[512];
};

static bool all_finite(size_t count, const double *v)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(v[k])) return false;
    return true;
}

/* A product was written to OUT, from in where it has vectors. */
static void note(const struct sens_problem *pb, const struct sens_at *at, size_t n_in, const double *in,
                 size_t n_out, const double *OUT)
{
    struct look *look = (struct look *)pb->data;
    if (look->found || !look->provider || all_finite(n_out, OUT) || !all_finite(n_in, in)) return;
    look->found = look->provider->explain(look->wrapped, at, sizeof look->text, look->text);
    look->t = at->t;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                double *OUT)
{
    pb->inner->type->vjp(pb->inner, at, L, W, OUT);
    note(pb, at, pb->n * L, W, pb->n * L, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                double *OUT)
{
    pb->inner->type->jvp(pb->inner, at, L, V, OUT);
    note(pb, at, pb->n * L, V, pb->n * L, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    pb->inner->type->jvp_p_cols(pb->inner, at, k0, L, OUT);
    note(pb, at, 0, NULL, pb->n * L, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    pb->inner->type->vjp_p_batch(pb->inner, K, t, X, p, L, W, MU);
    for (size_t k = 0; k < K; k++) {
        const struct sens_at at = {t[k], X + k * pb->n, p};
        note(pb, &at, pb->n * L, W + k * pb->n * L, pb->np * L, MU);
    }
}

/* A part of the cost was added to what was finite, at a state that is. */
static void note_cost(const struct sens_cost *cost, const char *part, double t, const double *x,
                      const double *G)
{
    struct look *look = (struct look *)cost->data;
    if (look->found || !all_finite(cost->n, x)) return;
    for (size_t c = 0; c < cost->m && !look->found; c++) {
        if (isfinite(G[c])) continue;
        look->found = look->of_cost = true;
        look->t = t;
        snprintf(look->text, sizeof look->text, "%s %zu of the cost is %s, while the state is finite", part,
                 c, isnan(G[c]) ? "no number" : "infinite");
    }
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    const bool finite = all_finite(cost->m, G);
    cost->inner->type->phi(cost->inner, j, x, p, G);
    if (finite) note_cost(cost, "output", cost->t_obs[j], x, G);
}

static void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    const bool finite = all_finite(cost->m, G);
    cost->inner->type->g(cost->inner, at, w, G);
    if (finite) note_cost(cost, "the integrand of output", at->t, at->x, G);
}

/* A gradient of outputs c0 ... was added to what was finite, at a state that is: OUT [count][L]. */
static void note_gradient(const struct sens_cost *cost, const char *part, double t, const double *x,
                          size_t c0, size_t L, size_t count, const double *OUT)
{
    struct look *look = (struct look *)cost->data;
    if (look->found || !all_finite(cost->n, x)) return;
    for (size_t q = 0; q < count * L && !look->found; q++) {
        if (isfinite(OUT[q])) continue;
        look->found = look->of_cost = true;
        look->t = t;
        snprintf(look->text, sizeof look->text,
                 "the derivative of %s %zu of the cost is not finite, while the state is", part, c0 + q % L);
    }
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    const bool finite = all_finite(cost->n * L, OUT);
    cost->inner->type->phi_dx(cost->inner, j, x, p, c0, L, OUT);
    if (finite) note_gradient(cost, "output", cost->t_obs[j], x, c0, L, cost->n, OUT);
}

static void phi_dp(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *MU)
{
    const bool finite = all_finite(cost->np * L, MU);
    cost->inner->type->phi_dp(cost->inner, j, x, p, c0, L, MU);
    if (finite) note_gradient(cost, "output", cost->t_obs[j], x, c0, L, cost->np, MU);
}

static void g_dx(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *OUT)
{
    const bool finite = all_finite(cost->n * L, OUT);
    cost->inner->type->g_dx(cost->inner, at, w, c0, L, OUT);
    if (finite) note_gradient(cost, "the integrand of output", at->t, at->x, c0, L, cost->n, OUT);
}

static void g_dp(const struct sens_cost *cost, const struct sens_at *at, double w, size_t c0, size_t L,
                 double *MU)
{
    const bool finite = all_finite(cost->np * L, MU);
    cost->inner->type->g_dp(cost->inner, at, w, c0, L, MU);
    if (finite) note_gradient(cost, "the integrand of output", at->t, at->x, c0, L, cost->np, MU);
}

static void run_again(struct sens_ctx *ctx, const struct cell *cell, struct look *look)
{
    static const struct sens_problem_decoration looking = {
        .type = {.vjp = vjp, .jvp = jvp, .jvp_p_cols = jvp_p_cols, .vjp_p_batch = vjp_p_batch}};
    const struct sens_cost_type *const parts = cell->cost.type;
    const struct sens_cost_type looking_at_cost = {.phi = parts->phi ? phi : NULL,
                                                   .phi_dx = parts->phi_dx ? phi_dx : NULL,
                                                   .phi_dp = parts->phi_dp ? phi_dp : NULL,
                                                   .g = parts->g ? g : NULL,
                                                   .g_dx = parts->g_dx ? g_dx : NULL,
                                                   .g_dp = parts->g_dp ? g_dp : NULL};
    struct sens_problem problem;
    struct sens_cost cost;
    struct sens_out out;
    struct sens_work work = {.steps = 0};
    struct sens_task task = cell->task;
    void *state = NULL;
    sens_problem_decorate(&cell->problem, &looking, look, &look->room, &problem);
    sens_cost_decorate(&cell->cost, &looking_at_cost, look, &look->cost_room, &cost);
    problem.structure = NULL;
    task.problem = &problem;
    task.cost = &cost;
    task.threads = 1;
    if (cell_out_create(ctx, cell, &out) != SENS_OK) return;
    if (cell->method->prepare(ctx, &task, &state) != SENS_OK) return;
    (void)cell->method->run(ctx, state, &out, &work); /* it fails as it did */
    if (cell->method->release) cell->method->release(state);
}

/* Who explains: the provider of the products, or for products by hand the one that derives them, which looks at the
 * problem in place of being run. false: nobody. */
static bool find_provider_of(struct sens_ctx *ctx, const struct cell *cell, struct look *look,
                             struct sens_problem *derived)
{
    const struct sens_provider_request request = {
        .inner = &cell->problem, .variant = cell->variant, .threads = 1};
    look->provider = cell->provider ? cell->provider : sens_registry_deriver(cell->variant);
    if (!look->provider || !look->provider->explain) return false;
    look->wrapped = cell->generated_rhs ? cell->problem.inner : &cell->problem;
    if (cell->provider) return true;
    look->wrapped = derived;
    return look->provider->wrap(ctx, &request, derived) == SENS_OK;
}

void measure_explain(struct sens_ctx *ctx, const struct cell *cell, sens_status status, double seconds,
                     struct bench_error *reason)
{
    struct look look = {.found = false};
    struct sens_problem derived;
    struct bench_error said;
    if (status != SENS_DIVERGED && status != SENS_NONFINITE && status != SENS_STEP_UNDERFLOW) return;
    if (reason->text[0]) return;
    snprintf(said.text, sizeof said.text, "%s", ctx->message[0] ? ctx->message : sens_status_message(status));
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    if (!find_provider_of(ctx, cell, &look, &derived)) look.provider = NULL;
    if (seconds < patience) run_again(ctx, cell, &look);
    sens_arena_rewind(&ctx->arena, mark);
    if (look.of_cost)
        bench_refuse(reason, "at t = %.9g %s (%.300s)", look.t + 0.0, look.text, said.text);
    else if (look.found)
        bench_refuse(reason, "%.300s; at t = %.9g %s", said.text, look.t, look.text);
    else
        bench_refuse(reason, "%s", said.text);
}
