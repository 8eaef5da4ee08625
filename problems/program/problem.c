/* A problem of lists of operations: f and x0 evaluated in order, their products by sweeps over them. */
#include "written.h"

#include <string.h>
#include <tgmath.h>

#include "observe.h"

static struct workspace evaluated(const struct written *written, const struct evaluation *evaluation,
                                  const struct sens_at *at)
{
    const struct workspace work = workspace_take(written->scratch);
    evaluation_values(evaluation, at, &work);
    return work;
}

/* ---- f ------------------------------------------------------------------------------------------------- */

/* Not finite: the solver sees it itself; it rejects what is not. */
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct written *written = pb->data;
    const struct workspace work = evaluated(written, &written->f, at);
    for (size_t i = 0; i < pb->n; i++) dx[i] = work.value[written->f.program->output[i]];
    workspace_give(&work);
    return SENS_OK;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    const struct written *written = pb->data;
    if (L == 0) return;
    const struct workspace work = evaluated(written, &written->f, at);
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    evaluation_reverse(&written->f, &work, &(struct evaluation_pull){.W = W, .L = L}, OUT, NULL);
    workspace_give(&work);
}

static void forward(const struct sens_problem *pb, const struct sens_at *at,
                    const struct evaluation_seed *seed, sens_real *OUT)
{
    const struct written *written = pb->data;
    if (seed->L == 0) return;
    const struct workspace work = evaluated(written, &written->f, at);
    evaluation_forward(&written->f, &work, seed, OUT);
    workspace_give(&work);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    memset(OUT, 0, pb->n * L * sizeof *OUT);
    forward(pb, at, &(struct evaluation_seed){.V = V, .L = L}, OUT);
}

static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    forward(pb, at, &(struct evaluation_seed){.first = k0, .L = L}, OUT);
}

static void rhs_t(const struct sens_problem *pb, const struct sens_at *at, sens_real *OUT)
{
    memset(OUT, 0, pb->n * sizeof *OUT);
    forward(pb, at, &(struct evaluation_seed){.t = true, .L = 1}, OUT);
}

static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const struct written *written = pb->data;
    if (L == 0) return;
    for (size_t k = 0; k < K; k++) {
        const struct sens_at at = {t[k], X + k * pb->n, p};
        const struct workspace work = evaluated(written, &written->f, &at);
        const struct evaluation_pull pull = {.W = W + k * pb->n * L, .L = L};
        evaluation_reverse(&written->f, &work, &pull, NULL, MU);
        workspace_give(&work);
    }
}

/* Additions, multiplications, divisions, functions: a change of sign or a choice is none. */
static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const struct written *written = pb->data;
    const struct program *f = written->f.program;
    double count = 0;
    for (size_t k = 0; k < f->count; k++)
        count += f->operation[k].op >= GRAPH_ADD && f->operation[k].op < GRAPH_FABS;
    ops->rhs = count;
}

/* ---- x0 ------------------------------------------------------------------------------------------------ */

static struct workspace initial_at(const struct sens_problem *pb, const sens_real *p)
{
    const struct written *written = pb->data;
    const struct sens_at at = {pb->t0, NULL, p};
    return evaluated(written, &written->initial, &at);
}

static void x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    const struct written *written = pb->data;
    const struct workspace work = initial_at(pb, p);
    for (size_t i = 0; i < pb->n; i++) x[i] = work.value[written->initial.program->output[i]];
    workspace_give(&work);
}

static void x0_vjp(const struct sens_problem *pb, const sens_real *p, size_t L, const sens_real *W,
                   sens_real *MU)
{
    const struct written *written = pb->data;
    const struct workspace work = initial_at(pb, p);
    evaluation_reverse(&written->initial, &work, &(struct evaluation_pull){.W = W, .L = L}, NULL, MU);
    workspace_give(&work);
}

static void x0_jvp_cols(const struct sens_problem *pb, const sens_real *p, size_t k0, size_t L,
                        sens_real *OUT)
{
    const struct written *written = pb->data;
    const struct workspace work = initial_at(pb, p);
    evaluation_forward(&written->initial, &work, &(struct evaluation_seed){.first = k0, .L = L}, OUT);
    workspace_give(&work);
}

/* ---- the instance -------------------------------------------------------------------------------------- */

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static sens_status evaluations(struct sens_ctx *ctx, struct written *written)
{
    const struct program_equations *equations = &written->equations;
    size_t longest = most(equations->f.count, most(equations->initial.count, equations->g.count));
    written->phi = SENS_NEW(ctx, struct evaluation, equations->n_obs);
    if (!written->phi || evaluation_create(ctx, &equations->f, &written->f) != SENS_OK ||
        evaluation_create(ctx, &equations->initial, &written->initial) != SENS_OK ||
        evaluation_create(ctx, &equations->g, &written->g) != SENS_OK)
        return SENS_NO_MEMORY;
    for (size_t j = 0; j < equations->n_obs; j++) {
        if (evaluation_create(ctx, &equations->phi[j], &written->phi[j]) != SENS_OK) return SENS_NO_MEMORY;
        longest = most(longest, equations->phi[j].count);
    }
    written->scratch = evaluation_scratch_create(ctx, longest);
    return written->scratch ? SENS_OK : SENS_NO_MEMORY;
}

/* NULL where there is no memory. */
static const struct sens_mass *make_mass(struct sens_ctx *ctx, const struct program_equations *equations)
{
    const size_t n = equations->n, entries = equations->mass_start[n];
    struct sens_mass *const mass = SENS_NEW(ctx, struct sens_mass, 1);
    sens_real *const value = SENS_NEW(ctx, sens_real, entries);
    if (!mass || !value) return NULL;
    for (size_t e = 0; e < entries; e++) value[e] = equations->mass[e];
    *mass = (struct sens_mass){
        .pattern = {.rows = n, .cols = n, .start = equations->mass_start, .col = equations->mass_col},
        .value = value};
    return mass;
}

/* f_I as a problem of its own. */
static sens_status make_implicit(struct sens_ctx *ctx, const struct sens_value *option,
                                 struct sens_problem *pb)
{
    struct sens_problem_type *const type = SENS_NEW(ctx, struct sens_problem_type, 1);
    struct sens_problem *const part = SENS_NEW(ctx, struct sens_problem, 1);
    if (!type || !part) return SENS_NO_MEMORY;
    *type = *pb->type;
    type->model = pb->type->model->implicit;
    pb->implicit = part;
    return sens_problem_create(ctx, type, option, part);
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    const struct sens_model *model = pb->type ? pb->type->model : NULL;
    if (!model) return sens_fail(ctx, SENS_BAD_INPUT, "a problem of operations without any");
    struct written *written = SENS_NEW(ctx, struct written, 1);
    if (!written) return SENS_NO_MEMORY;
    struct program_equations *equations = &written->equations;
    sens_status status = model->write(ctx, model, option, equations);
    if (status == SENS_OK) status = evaluations(ctx, written);
    sens_real *const state = SENS_NEW(ctx, sens_real, equations->n), *const p = SENS_NEW(ctx, sens_real,
                                                                                         equations->np);
    if (status != SENS_OK || !state || !p) return status == SENS_OK ? SENS_NO_MEMORY : status;
    for (size_t i = 0; i < equations->n; i++) state[i] = equations->x0[i];
    for (size_t k = 0; k < equations->np; k++) p[k] = equations->p[k];
    pb->n = equations->n;
    pb->np = equations->np;
    pb->t0 = equations->t0;
    pb->t1 = equations->t1;
    pb->x0 = state;
    pb->p = p;
    pb->x0_fixed = !equations->x0_depends;
    pb->data = written;
    if (equations->mass && !(pb->mass = make_mass(ctx, equations))) return SENS_NO_MEMORY;
    return equations->split ? make_implicit(ctx, option, pb) : SENS_OK;
}

SENS_PROBLEM(written) = {
    .name = "written",
    .summary = "lists of operations",
    .create = create,
    .rhs = rhs,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .rhs_t = rhs_t,
    .operations = operations,
    .x0 = x0,
    .x0_vjp = x0_vjp,
    .x0_jvp_cols = x0_jvp_cols,
    .observe = program_observe,
};
