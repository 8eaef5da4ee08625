/* The recorded sources' own side of recorded.h. Compiled with SENS_RECORDED only. */
#include "recorded.h"

#include "sens/cost.h"

struct recorded_problem {
    struct sens_problem pb;
};

struct recorded_cost {
    struct sens_cost cost;
};

/* NULL without memory. */
static const sens_real *copy(struct sens_ctx *ctx, size_t count, const double *v)
{
    sens_real *made = SENS_NEW(ctx, sens_real, count);
    for (size_t i = 0; made && i < count; i++) made[i] = v[i];
    return made;
}

/* Of a problem without a recorded part: what a cost may ask of any problem, its name and numbers. */
static sens_status stand_in(struct sens_ctx *ctx, const struct recorded_start *start, struct sens_problem *pb)
{
    struct sens_problem_type *type = SENS_NEW(ctx, struct sens_problem_type, 1);
    if (!type) return SENS_NO_MEMORY;
    type->name = start->name;
    *pb = (struct sens_problem){.type = type, .n = start->n, .np = start->np};
    return SENS_OK;
}

static sens_status create_problem(struct sens_ctx *ctx, const struct recorded_start *start,
                                  struct recorded_problem **made)
{
    const struct sens_problem_type *type = start->type;
    struct recorded_problem *recorded = SENS_NEW(ctx, struct recorded_problem, 1);
    if (!recorded) return SENS_NO_MEMORY;
    struct sens_problem *pb = &recorded->pb;
    const sens_status status =
        type ? sens_problem_create(ctx, type, start->option, pb) : stand_in(ctx, start, pb);
    if (status != SENS_OK) return status;
    if (pb->n != start->n || pb->np != start->np)
        return sens_fail(ctx, SENS_BAD_INPUT,
                         "problem %s: its recorded part has n=%zu np=%zu, not n=%zu np=%zu", type->name,
                         pb->n, pb->np, start->n, start->np);
    pb->t0 = start->t0, pb->t1 = start->t1;
    pb->x0 = copy(ctx, pb->n, start->x0);
    pb->p = copy(ctx, pb->np, start->p);
    pb->x0_fixed = start->x0_fixed;
    pb->structure = NULL;
    *made = recorded;
    return pb->x0 && pb->p ? SENS_OK : SENS_NO_MEMORY;
}

static sens_status create_cost(struct sens_ctx *ctx, const void *type, const struct sens_value *option,
                               const struct recorded_problem *problem, struct recorded_cost **made)
{
    *made = SENS_NEW(ctx, struct recorded_cost, 1);
    return *made ? sens_cost_create(ctx, type, option, &problem->pb, &(*made)->cost) : SENS_NO_MEMORY;
}

static sens_status rhs(const struct recorded_problem *problem, const void *t, const void *x, const void *p,
                       void *dx)
{
    const sens_real *const time = t;
    const struct sens_at at = {*time, x, p};
    return problem->pb.type->rhs(&problem->pb, &at, dx);
}

static void x0(const struct recorded_problem *problem, const void *p, void *x)
{
    sens_problem_x0(&problem->pb, p, x);
}

static void g(const struct recorded_cost *cost, const void *t, const void *x, const void *p, void *G)
{
    const sens_real *const time = t;
    const struct sens_at at = {*time, x, p};
    cost->cost.type->g(&cost->cost, &at, 1, G);
}

static void phi(const struct recorded_cost *cost, size_t j, const void *x, const void *p, void *G)
{
    cost->cost.type->phi(&cost->cost, j, x, p, G);
}

static size_t outputs(const struct recorded_cost *cost)
{
    return cost->cost.m;
}

/* ---- what there is ------------------------------------------------------------------------------------- */

#define SENS_PROBLEM_ENTRY(id) extern SENS_PROBLEM(id);
#define SENS_COST_ENTRY(id)    extern SENS_COST(id);
#include "registry.def"
#undef SENS_PROBLEM_ENTRY
#undef SENS_COST_ENTRY

#define SENS_PROBLEM_ENTRY(id) &sens_problem_##id,
#define SENS_COST_ENTRY(id)
static const void *const problems[] = {
#include "registry.def"
    NULL};
#undef SENS_PROBLEM_ENTRY
#undef SENS_COST_ENTRY

#define SENS_PROBLEM_ENTRY(id)
#define SENS_COST_ENTRY(id) &sens_cost_##id,
static const void *const costs[] = {
#include "registry.def"
    NULL};

const struct recorded_entry *sens_recorded_entry(void)
{
    static const struct recorded_entry entry = {.problems = problems,
                                                .costs = costs,
                                                .create_problem = create_problem,
                                                .create_cost = create_cost,
                                                .rhs = rhs,
                                                .x0 = x0,
                                                .g = g,
                                                .phi = phi,
                                                .outputs = outputs};
    return &entry;
}
