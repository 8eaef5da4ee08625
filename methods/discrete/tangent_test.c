/* Two directions of the tangent as followers of the state (tangent_test.h),
 *
 *     z' = (df/dx) z + df/dq w,      z(t0) = dx0/dq w,      q = x0, then p. */
#include "tangent_test.h"

#include <string.h>
#include <tgmath.h>

#include "linear_option.h"
#include "products.h"

enum { COLUMNS = 16 }; /* of df/dp at a time */

struct sens_tangent_test {
    struct sens_traj_followers along;
    struct sens_followers followers;
    struct sens_ode_part whole;
    struct sens_ode ode; /* for the tolerances of its components */
    const struct sens_problem *pb;
    size_t offset[2], count[1];
    size_t lanes; /* 1 or 2: the initial states first */
    bool wrt_p;   /* the last lane is the parameters' */
    int stages;
    struct sens_products **products; /* [stages] */
    sens_real *start;                /* [n][lanes] */
    sens_real *weight;               /* [np] */
    sens_real *column;               /* [n][COLUMNS] */
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

/* Of the derivative of f at stage i, or of the initial state. */
typedef void column_product(const struct sens_tangent_test *test, int i, size_t k0, size_t L, sens_real *OUT);

static void rhs_columns(const struct sens_tangent_test *test, int i, size_t k0, size_t L, sens_real *OUT)
{
    sens_products_add_columns(test->products[i], k0, L, OUT);
}

static void x0_columns(const struct sens_tangent_test *test, int i, size_t k0, size_t L, sens_real *OUT)
{
    (void)i;
    test->pb->type->x0_jvp_cols(test->pb, test->pb->p, k0, L, OUT);
}

/* z [n][lanes], lane of the parameters += sum_k weight_k column_k */
static void add_weighted(const struct sens_tangent_test *test, column_product *product, int i, sens_real *z)
{
    const size_t n = test->pb->n, np = test->pb->np, lane = test->lanes - 1;
    for (size_t k0 = 0, L; k0 < np; k0 += L) {
        L = np - k0 < COLUMNS ? np - k0 : COLUMNS;
        memset(test->column, 0, n * L * sizeof *test->column);
        product(test, i, k0, L, test->column);
        for (size_t r = 0; r < n; r++)
            for (size_t l = 0; l < L; l++)
                z[r * test->lanes + lane] += test->weight[k0 + l] * test->column[r * L + l];
    }
}

/* ---- as followers -------------------------------------------------------------------------------------- */

static void move_to(void *self, int i, sens_real t, const sens_real *x)
{
    const struct sens_tangent_test *test = self;
    sens_products_at(test->products[i], &(struct sens_at){t, x, test->pb->p});
}

static void slope(void *self, int i, size_t b, const sens_real *z, sens_real *dz)
{
    const struct sens_tangent_test *test = self;
    (void)b;
    sens_products_multiply(test->products[i], test->lanes, z, dz);
    if (!test->wrt_p) return;
    if (!sens_products_add_weighted(test->products[i], test->weight, test->lanes, dz + test->lanes - 1))
        add_weighted(test, rhs_columns, i, dz);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static sens_status create_arrays(struct sens_ctx *ctx, const struct sens_task *task,
                                 struct sens_tangent_test *test)
{
    const size_t n = test->pb->n, np = test->pb->np;
    test->start = SENS_NEW(ctx, sens_real, n * test->lanes);
    test->weight = SENS_NEW(ctx, sens_real, np);
    test->column = SENS_NEW(ctx, sens_real, n * COLUMNS);
    test->products = SENS_NEW(ctx, struct sens_products *, (size_t)test->stages);
    if (!test->start || !test->weight || !test->column || !test->products) return SENS_NO_MEMORY;
    sens_status status = SENS_OK;
    for (int i = 0; i < test->stages && status == SENS_OK; i++)
        status = sens_products_create(ctx, task->problem, SENS_JVP, 1, test->lanes, &test->products[i]);
    return status;
}

/* A parameter counts by its size, so that what is tested is no smaller than the state; one below 1 counts as
 * 1. */
static void set_start(struct sens_tangent_test *test, bool wrt_x0)
{
    const struct sens_problem *pb = test->pb;
    memset(test->start, 0, pb->n * test->lanes * sizeof *test->start);
    for (size_t i = 0; wrt_x0 && i < pb->n; i++) test->start[i * test->lanes] = irregular(i);
    for (size_t k = 0; k < pb->np; k++) {
        const sens_real size = fabs(pb->p[k]);
        test->weight[k] = irregular(k) * (size > 1 ? size : 1);
    }
    if (test->wrt_p && sens_problem_x0_depends(pb)) add_weighted(test, x0_columns, 0, test->start);
}

sens_status sens_tangent_test_create(struct sens_ctx *ctx, const struct sens_task *task, bool wanted,
                                     struct sens_tangent_test **made)
{
    const struct sens_problem *pb = task->problem;
    const bool wrt_p = task->parts & SENS_IN_DGDP && pb->np > 0, wrt_x0 = task->parts & SENS_IN_DGDX0;
    const size_t lanes = (size_t)wrt_x0 + wrt_p;
    *made = NULL;
    if (!wanted || !task->controller->adaptive || !task->tableau->e || lanes == 0) return SENS_OK;
    if (task->tableau->family != SENS_FAMILY_EXPLICIT)
        return sens_fail(
            ctx, SENS_UNSUPPORTED,
            "sens_test=inside: steps of tableau %s carry no tangent; take sens_test=outside, and compare "
            "with a smaller tol, or take an explicit tableau",
            task->tableau->name);
    struct sens_tangent_test *test = SENS_NEW(ctx, struct sens_tangent_test, 1);
    if (!test) return SENS_NO_MEMORY;
    *test =
        (struct sens_tangent_test){.pb = pb, .lanes = lanes, .wrt_p = wrt_p, .stages = task->tableau->stages};
    const sens_status status = create_arrays(ctx, task, test);
    if (status != SENS_OK) return status;
    set_start(test, wrt_x0);
    sens_problem_ode(task, NULL, &test->whole, &test->ode);
    test->offset[1] = test->count[0] = pb->n * lanes;
    test->followers =
        (struct sens_followers){.blocks = 1,
                                .offset = test->offset,
                                .count = test->count,
                                .part = {.rtol = task->rtol, .atol = task->atol, .tested = true},
                                .rows = task->n_tolerances ? &test->ode : NULL,
                                .at = move_to,
                                .slope = slope,
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
    for (int i = 0; test && i < test->stages; i++)
        sens_products_count(test->products[i], 0, test->lanes, work);
}
