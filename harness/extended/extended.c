/* Reference solutions in extended precision: see extended.h. Compiled with SENS_EXTENDED, and again with SENS_QUAD. */
#include "extended.h"

#include <string.h>

#include "march.h"
#include "sens/decorate.h"
#include "sens/registry.h"

/* Accepted and rejected. Implicit steps solve systems; the most that a stored reference takes are 17,507, and steps of
 * what takes far more are kept short by rounding. */
enum { MAX_STEPS = 1000000, MAX_STEPS_IMPLICIT = 100000 };

#ifdef SENS_QUAD
#define ENTRY    sens_quad_solve
#define REGISTRY sens_registry_quad
#else
#define ENTRY    sens_extended_solve
#define REGISTRY sens_registry_extended
#endif
const struct sens_registry *REGISTRY(void);

/* ---- a cost restricted to some of its outputs ---------------------------------------------------------- */

struct restriction {
    struct sens_decorated_cost room;
    const size_t *row; /* [m] outputs of inner */
    sens_real *G;      /* [m of the inner cost] scratch; a request is solved by one thread */
    sens_real *one;    /* [max(n, np)] scratch, a block of one lane */
};

static void pick(const struct sens_cost *cost, sens_real *G)
{
    const struct restriction *re = cost->data;
    for (size_t c = 0; c < cost->m; c++) G[c] += re->G[re->row[c]];
}

static void spread(const struct restriction *re, size_t count, size_t l, size_t L, sens_real *OUT)
{
    for (size_t i = 0; i < count; i++) OUT[i * L + l] += re->one[i];
}

static void some_phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,
                     sens_real *G)
{
    const struct restriction *re = cost->data;
    memset(re->G, 0, cost->inner->m * sizeof *re->G);
    cost->inner->type->phi(cost->inner, j, x, p, re->G);
    pick(cost, G);
}

static void some_phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,
                        size_t c0, size_t L, sens_real *OUT)
{
    const struct restriction *re = cost->data;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) {
        memset(re->one, 0, cost->n * sizeof *re->one);
        cost->inner->type->phi_dx(cost->inner, j, x, p, re->row[c0 + l], 1, re->one);
        spread(re, cost->n, l, L, OUT);
    }
}

static void some_phi_dp(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p,
                        size_t c0, size_t L, sens_real *MU)
{
    const struct restriction *re = cost->data;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) {
        memset(re->one, 0, cost->np * sizeof *re->one);
        cost->inner->type->phi_dp(cost->inner, j, x, p, re->row[c0 + l], 1, re->one);
        spread(re, cost->np, l, L, MU);
    }
}

static void some_g(const struct sens_cost *cost, const struct sens_at *at, sens_real w, sens_real *G)
{
    const struct restriction *re = cost->data;
    memset(re->G, 0, cost->inner->m * sizeof *re->G);
    cost->inner->type->g(cost->inner, at, w, re->G);
    pick(cost, G);
}

static void some_g_dx(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0,
                      size_t L, sens_real *OUT)
{
    const struct restriction *re = cost->data;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) {
        memset(re->one, 0, cost->n * sizeof *re->one);
        cost->inner->type->g_dx(cost->inner, at, w, re->row[c0 + l], 1, re->one);
        spread(re, cost->n, l, L, OUT);
    }
}

static void some_g_dp(const struct sens_cost *cost, const struct sens_at *at, sens_real w, size_t c0,
                      size_t L, sens_real *MU)
{
    const struct restriction *re = cost->data;
    for (size_t l = 0; l < L && c0 + l < cost->m; l++) {
        memset(re->one, 0, cost->np * sizeof *re->one);
        cost->inner->type->g_dp(cost->inner, at, w, re->row[c0 + l], 1, re->one);
        spread(re, cost->np, l, L, MU);
    }
}

/* *outer = the outputs row[0 ... rows) of *inner. */
static sens_status restrict_cost(struct sens_ctx *ctx, const struct sens_cost *inner, size_t rows,
                                 const size_t *row, struct sens_cost *outer)
{
    static const struct sens_cost_type with = {.phi = some_phi,
                                               .phi_dx = some_phi_dx,
                                               .phi_dp = some_phi_dp,
                                               .g = some_g,
                                               .g_dx = some_g_dx,
                                               .g_dp = some_g_dp};
    struct restriction *re = SENS_NEW(ctx, struct restriction, 1);
    sens_real *G = SENS_NEW(ctx, sens_real, inner->m);
    sens_real *one = SENS_NEW(ctx, sens_real, inner->n > inner->np ? inner->n : inner->np);
    if (!re || !G || !one) return SENS_NO_MEMORY;
    for (size_t r = 0; r < rows; r++)
        if (row[r] >= inner->m) return sens_fail(ctx, SENS_BAD_INPUT, "output %zu of %zu", row[r], inner->m);
    *re = (struct restriction){.row = row, .G = G, .one = one};
    sens_cost_decorate(inner, &with, re, &re->room, outer);
    outer->m = rows;
    return SENS_OK;
}

/* ---- problem and cost in extended precision ------------------------------------------------------------ */

struct setting {
    struct sens_problem_type type; /* of a model */
    struct sens_problem problem;
    struct sens_cost cost, restricted;
    const struct sens_cost *wanted; /* &cost or &restricted */
};

static const sens_real *widened(struct sens_ctx *ctx, size_t count, const double *value)
{
    sens_real *wide = SENS_NEW(ctx, sens_real, count);
    for (size_t i = 0; wide && i < count; i++) wide[i] = value[i];
    return wide;
}

/* Of one of ours, by its name; of a model, made to *own. */
static const struct sens_problem_type *extended_problem(const struct sens_extended_request *rq,
                                                        struct sens_problem_type *own)
{
    const struct sens_problem_type *const *type = REGISTRY()->problems;
    if (rq->model) {
        *own = *REGISTRY()->written;
        own->name = rq->problem;
        own->model = rq->model;
        own->options = rq->model_options;
        return own;
    }
    while (*type && strcmp((*type)->name, rq->problem) != 0) type++;
    return *type;
}

static const struct sens_cost_type *extended_cost(const char *name)
{
    const struct sens_cost_type *const *type = REGISTRY()->costs;
    if (strcmp(name, REGISTRY()->own->name) == 0) return REGISTRY()->own;
    while (*type && strcmp((*type)->name, name) != 0) type++;
    return *type;
}

static sens_status set_up(struct sens_ctx *ctx, const struct sens_extended_request *rq, struct setting *set)
{
    const struct sens_problem_type *problem = extended_problem(rq, &set->type);
    const struct sens_cost_type *cost = extended_cost(rq->cost);
    set->wanted = rq->rows ? &set->restricted : &set->cost;
    if (!problem) return sens_fail(ctx, SENS_UNAVAILABLE, "problem %s has no extended build", rq->problem);
    if (!problem->vjp)
        return sens_fail(ctx, SENS_UNAVAILABLE, "problem %s has no products in extended precision",
                         rq->problem);
    if (!cost) return sens_fail(ctx, SENS_UNAVAILABLE, "cost %s has no extended build", rq->cost);
    if (sens_gradients_lack(cost))
        return sens_fail(ctx, SENS_UNAVAILABLE, "cost %s has no gradients in extended precision", rq->cost);
    sens_status status = sens_problem_create(ctx, problem, rq->problem_value, &set->problem);
    if (status != SENS_OK) return status;
    struct sens_problem *pb = &set->problem;
    if (pb->mass)
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "problem %s has a mass matrix, which extended precision does not take: compare with the "
            "same equations as x' = f, where they have that form",
            rq->problem);
    pb->t1 = rq->t1;
    if (!(pb->t1 > pb->t0)) return sens_fail(ctx, SENS_BAD_INPUT, "t1 = %g is not after t0", rq->t1);
    if (rq->p && !(pb->p = widened(ctx, pb->np, rq->p))) return SENS_NO_MEMORY;
    if (rq->x0 && sens_problem_x0_depends(pb))
        return sens_fail(ctx, SENS_BAD_INPUT, "x0 of %s depends on p", rq->problem);
    if (rq->x0 && !(pb->x0 = widened(ctx, pb->n, rq->x0))) return SENS_NO_MEMORY;
    status = sens_cost_create(ctx, cost, rq->cost_value, pb, &set->cost);
    if (status != SENS_OK || !rq->rows) return status;
    return restrict_cost(ctx, &set->cost, rq->rows, rq->row, &set->restricted);
}

/* ---- the ways -------------------------------------------------------------------------------------- */

/* Of 113 bits a caller has room for 64. */
static void hand_over(size_t count, const sens_real *value, long double *result)
{
    for (size_t i = 0; i < count; i++) result[i] = (long double)value[i];
}

/* Room for what a task asks for. */
static sens_status allocate_parts(struct sens_ctx *ctx, const struct sens_task *task, struct sens_out *out,
                                  size_t count[SENS_PARTS])
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape =
            sens_part_shape(k, task->problem->n, task->problem->np, task->cost->m);
        count[k] = sens_task_asks(task, k) ? shape.rows * shape.cols : 0;
        if (count[k] && !(out->part[k] = SENS_NEW(ctx, sens_real, count[k]))) return SENS_NO_MEMORY;
    }
    return SENS_OK;
}

static sens_status solve_adjoint(struct sens_ctx *ctx, const struct sens_extended_request *rq,
                                 const struct setting *set, struct sens_extended_result *result)
{
    const struct sens_registry *reg = REGISTRY();
    const struct sens_method_type *const *method = reg->methods;
    const struct sens_tableau *const *tableau = reg->tableaux;
    const struct sens_controller *const *controller = reg->controllers;
    while (*method && strcmp((*method)->name, "discrete_adjoint") != 0) method++;
    while (*tableau && strcmp((*tableau)->name, rq->tableau) != 0) tableau++;
    while (*controller && strcmp((*controller)->name, "odeint") != 0) controller++;
    if (!*method || !*tableau || !*controller)
        return sens_fail(ctx, SENS_UNAVAILABLE, "no discrete adjoint with tableau %s", rq->tableau);
    struct sens_value *option = SENS_NEW(ctx, struct sens_value, sens_option_count((*method)->options));
    if (!option) return SENS_NO_MEMORY;
    sens_option_defaults((*method)->options, option);
    const struct sens_task task = {.method = *method,
                                   .problem = &set->problem,
                                   .cost = set->wanted,
                                   .tableau = *tableau,
                                   .controller = *controller,
                                   .rtol = rq->tolerance,
                                   .atol = rq->tolerance,
                                   .max_steps = MAX_STEPS,
                                   .parts = rq->parts,
                                   .threads = 1,
                                   .option = option};
    struct sens_out out = {.x = NULL};
    size_t count[SENS_PARTS];
    struct sens_work work = {0};
    void *state = NULL;
    sens_status status = allocate_parts(ctx, &task, &out, count);
    if (status == SENS_OK) status = (*method)->prepare(ctx, &task, &state);
    if (status == SENS_OK) status = (*method)->run(ctx, state, &out, &work);
    if ((*method)->release && state) (*method)->release(state);
    if (status != SENS_OK) return status;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) hand_over(count[k], out.part[k], result->part[k]);
    result->steps = work.steps, result->rejects = work.rejects;
    return SENS_OK;
}

/* The columns a request asks for, in a list; *cols 0 when it asks for no derivative. */
static sens_status list_columns(struct sens_ctx *ctx, const struct sens_extended_request *rq,
                                const struct sens_problem *pb, size_t *cols, const size_t **col)
{
    size_t *list = SENS_NEW(ctx, size_t, pb->np + pb->n + rq->cols);
    if (!list) return SENS_NO_MEMORY;
    *cols = 0;
    *col = list;
    for (size_t k = 0; k < rq->cols; k++) {
        if (rq->col[k] >= pb->np + pb->n) return sens_fail(ctx, SENS_BAD_INPUT, "column %zu", rq->col[k]);
        list[(*cols)++] = rq->col[k];
    }
    if (rq->cols) return SENS_OK;
    for (size_t k = 0; k < pb->np && rq->parts & SENS_IN_DGDP; k++) list[(*cols)++] = k;
    for (size_t i = 0; i < pb->n && rq->parts & SENS_IN_DGDX0; i++) list[(*cols)++] = pb->np + i;
    return SENS_OK;
}

/* D [m][cols] into its places of dGdp and dGdx0. */
static void place_columns(const struct sens_extended_request *rq, const struct setting *set, size_t cols,
                          const size_t *col, const sens_real *D, struct sens_extended_result *result)
{
    const size_t n = set->problem.n, np = set->problem.np;
    for (size_t c = 0; c < set->wanted->m; c++)
        for (size_t k = 0; k < cols; k++) {
            if (col[k] < np && rq->parts & SENS_IN_DGDP)
                hand_over(1, &D[c * cols + k], &result->dGdp[c * np + col[k]]);
            if (col[k] >= np && rq->parts & SENS_IN_DGDX0)
                hand_over(1, &D[c * cols + k], &result->dGdx0[c * n + col[k] - np]);
        }
}

static sens_status solve_forward(struct sens_ctx *ctx, const struct sens_extended_request *rq,
                                 const struct setting *set, struct sens_extended_result *result)
{
    static const struct sens_march_rule *const rule[] = {[SENS_EXTENDED_GBS] = &sens_march_gbs,
                                                         [SENS_EXTENDED_RADAU] = &sens_march_radau,
                                                         [SENS_EXTENDED_EULER] = &sens_march_euler};
    struct sens_march_task task = {.rule = rule[rq->method],
                                   .problem = &set->problem,
                                   .cost = set->wanted,
                                   .tolerance = rq->tolerance,
                                   .max_steps =
                                       rq->method == SENS_EXTENDED_GBS ? MAX_STEPS : MAX_STEPS_IMPLICIT};
    const size_t n = set->problem.n, m = set->wanted->m;
    sens_status status = list_columns(ctx, rq, &set->problem, &task.cols, &task.col);
    if (status != SENS_OK) return status;
    struct sens_march_out out = {.x = SENS_NEW(ctx, sens_real, n),
                                 .G = SENS_NEW(ctx, sens_real, m),
                                 .D = SENS_NEW(ctx, sens_real, m * task.cols)};
    if (!out.x || !out.G || !out.D) return SENS_NO_MEMORY;
    status = sens_march_solve(ctx, &task, &out);
    if (status != SENS_OK) return status;
    hand_over(n, out.x, result->x);
    hand_over(m, out.G, result->G);
    place_columns(rq, set, task.cols, task.col, out.D, result);
    result->steps = out.steps;
    result->rejects = out.rejects;
    return SENS_OK;
}

sens_status ENTRY(struct sens_ctx *ctx, const struct sens_extended_request *request,
                  struct sens_extended_result *result)
{
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    struct setting set = {0};
    sens_status status = set_up(ctx, request, &set);
    if (status == SENS_OK)
        status = request->method == SENS_EXTENDED_ADJOINT ? solve_adjoint(ctx, request, &set, result)
                                                          : solve_forward(ctx, request, &set, result);
    sens_arena_rewind(&ctx->arena, mark);
    return status;
}
