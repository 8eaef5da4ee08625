/* Two directions of the tangent as followers of the state (tangent_test.h),
 *
 *     z' = (df/dx) z + df/dq w,      z(t0) = dx0/dq w,      q = x0, then p. */
#include "tangent_test.h"

#include <string.h>
#include <tgmath.h>

#include "linear_option.h"
#include "products.h"
#include "tangent_along.h"

/* The two lanes as one block of the tangent, without a column: an initial state's lane has nothing to add. */
struct sens_tangent_test {
    struct sens_traj_followers along;
    struct sens_followers followers;
    struct sens_ode_part whole;
    struct sens_ode ode; /* for the tolerances of its components */
    size_t offset[2], count[1];
    int points;                      /* at which slopes may be asked for */
    struct sens_products **products; /* [points] */
    sens_real *start;                /* [n][lanes] */
    sens_real *weight;               /* [np] */
    struct tangent_block block;
    struct sens_cost no_cost;   /* for the tangent of a step */
    struct sens_task task;      /* with it */
    struct tangent_along steps; /* of implicit formulas; family NULL: the tableau has none */
};

static const char *const solve_choices[] = {"direct", "newton", NULL};
static const char *const factors_choices[] = {"again", "kept", NULL};

const struct sens_option sens_tangent_test_options[] = {
    [OPT_TANGENT_TEST] =
        SENS_TEST_OPTION(TEST_OUTSIDE, "directions of the tangent inside or outside the error test"),
    [OPT_STAGE_SOLVE] = {.name = "solve",
                         .kind = SENS_OPT_CHOICE,
                         .fallback = SOLVE_DIRECT,
                         .choices = solve_choices,
                         .help =
                             "systems of implicit stages: by factors of their own, or iterated to rounding "
                             "with those of one matrix a step"},
    [OPT_FACTORS] = {.name = "factors",
                     .kind = SENS_OPT_CHOICE,
                     .fallback = FACTORS_AGAIN,
                     .choices = factors_choices,
                     .help =
                         "of an implicit step: computed again for the derivative, or kept from the solve"},
    [OPT_LINEAR] = SENS_LINEAR_OPTION,
    SENS_OPTIONS_END,
};

/* +- 0.5 ... 1.5, no two alike and no sum of them in an equation of a problem. */
static sens_real irregular(size_t k)
{
    const double golden = 0.6180339887498949, share = fmod((double)(k + 1) * golden, 1);
    return (sens_real)(k % 2 ? -0.5 - share : 0.5 + share);
}

/* ---- as followers -------------------------------------------------------------------------------------- */

static void move_to(void *self, int i, sens_real t, const sens_real *x)
{
    const struct sens_tangent_test *test = self;
    sens_products_at(test->products[i], &(struct sens_at){t, x, test->block.pb->p});
}

static void slope(void *self, int i, size_t b, const sens_real *z, sens_real *dz)
{
    const struct sens_tangent_test *test = self;
    (void)b;
    sens_products_multiply(test->products[i], test->block.L, z, dz);
    tangent_add_columns(&test->block, test->products[i], dz);
}

static sens_status step(void *self, const struct sens_step *step, const sens_real *z, const sens_real *f,
                        sens_real *z1, sens_real *e)
{
    return tangent_along_step(&((struct sens_tangent_test *)self)->steps, step, z, f, z1, e);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* The explicit formula has slopes at its stages; the choice of the first step, at two points. */
static int count_points(const struct sens_tableau *tb)
{
    const struct sens_tableau *const of = tb->family == SENS_FAMILY_SWITCHED ? tb->part[0] : tb;
    return of->family == SENS_FAMILY_EXPLICIT && of->stages > 2 ? of->stages : 2;
}

static sens_status create_arrays(struct sens_ctx *ctx, const struct sens_task *task, size_t lanes,
                                 struct sens_tangent_test *test)
{
    const size_t n = task->problem->n, np = task->problem->np;
    test->start = SENS_NEW(ctx, sens_real, n * lanes);
    test->weight = SENS_NEW(ctx, sens_real, np);
    test->block.column = SENS_NEW(ctx, sens_real, n * TANGENT_COLUMNS);
    test->products = SENS_NEW(ctx, struct sens_products *, (size_t)test->points);
    if (!test->start || !test->weight || !test->block.column || !test->products) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (int i = 0; i < test->points && status == SENS_OK; i++)
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, lanes, &test->products[i]);
    return status;
}

/* A parameter counts by its size, so that what is tested is no smaller than the state; one below 1 counts as
 * 1. */
static void set_start(struct sens_tangent_test *test, bool wrt_x0)
{
    const struct sens_problem *pb = test->block.pb;
    memset(test->start, 0, pb->n * test->block.L * sizeof *test->start);
    for (size_t i = 0; wrt_x0 && i < pb->n; i++) test->start[i * test->block.L] = irregular(i);
    for (size_t k = 0; k < pb->np; k++) {
        const sens_real size = fabs(pb->p[k]);
        test->weight[k] = irregular(k) * (size > 1 ? size : 1);
    }
    if (sens_problem_x0_depends(pb)) tangent_add_columns(&test->block, NULL, test->start);
}

/* What takes the two lanes through implicit steps; no cost is summed on the way. */
static sens_status create_steps(struct sens_ctx *ctx, const struct sens_task *task,
                                struct sens_tangent_test *test)
{
    static const struct sens_cost_type none = {.name = "none"};
    if (task->tableau->family == SENS_FAMILY_EXPLICIT) return SENS_OK;
    test->no_cost = (struct sens_cost){.type = &none};
    test->task = *task;
    test->task.cost = &test->no_cost;
    test->steps = (struct tangent_along){.blocks = 1, .block = &test->block, .offset = test->offset};
    return tangent_along_create(ctx, &test->task, test->block.L, test->block.L, &test->steps);
}

sens_status sens_tangent_test_create(struct sens_ctx *ctx, const struct sens_task *task, bool wanted,
                                     struct sens_tangent_test **made)
{
    const struct sens_problem *pb = task->problem;
    const bool wrt_p = task->parts & SENS_IN_DGDP && pb->np > 0, wrt_x0 = task->parts & SENS_IN_DGDX0;
    const size_t lanes = (size_t)wrt_x0 + wrt_p;
    *made = NULL;
    if (!wanted || !task->controller->adaptive || !task->tableau->e || lanes == 0) return SENS_OK;
    struct sens_tangent_test *test = SENS_NEW(ctx, struct sens_tangent_test, 1);
    if (!test) return SENS_NO_MEMORY;
    *test =
        (struct sens_tangent_test){.points = count_points(task->tableau), .block = {.pb = pb, .L = lanes}};
    sens_status status = create_arrays(ctx, task, lanes, test);
    if (status != SENS_OK) return status;
    test->block.weight = wrt_p ? test->weight : NULL;
    test->offset[1] = test->count[0] = pb->n * lanes;
    set_start(test, wrt_x0);
    sens_problem_ode(task, NULL, &test->whole, &test->ode);
    status = create_steps(ctx, task, test);
    if (status != SENS_OK) return status;
    test->followers =
        (struct sens_followers){.blocks = 1,
                                .offset = test->offset,
                                .count = test->count,
                                .part = {.rtol = task->rtol, .atol = task->atol, .tested = true},
                                .rows = task->n_tolerances ? &test->ode : NULL,
                                .at = move_to,
                                .slope = slope,
                                .step = test->steps.family ? step : NULL,
                                .self = test};
    test->along = (struct sens_traj_followers){.who = &test->followers, .start = test->start};
    *made = test;
    return SENS_OK;
}

const struct sens_traj_followers *sens_tangent_test_followers(const struct sens_tangent_test *test)
{
    return test ? &test->along : NULL;
}

void sens_tangent_test_count(struct sens_tangent_test *test, struct sens_work *work)
{
    for (int i = 0; test && i < test->points; i++)
        sens_products_count(test->products[i], 0, test->block.L, work);
    if (test && test->steps.family) tangent_along_count(&test->steps, 0, work);
}
