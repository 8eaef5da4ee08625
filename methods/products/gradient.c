/* The gradient of a cost at one point, see gradient.h. Functionals stand in lanes, as costs write them; their
 * transpose times S is one product of a matrix and a lane block for each group. */
#include "gradient.h"

#include <string.h>

#include "sens/lanes.h"

enum { LANES = 8 };

sens_status sens_gradient_create(struct sens_ctx *ctx, const struct sens_task *task, bool explicit_p,
                                 struct sens_gradient *gradient)
{
    const struct sens_cost *cost = task->cost;
    const size_t n = task->problem->n, np = task->problem->np;
    const bool has_dp = explicit_p && (cost->type->phi_dp || cost->type->g_dp);
    const size_t groups = (cost->m + LANES - 1) / LANES;
    *gradient = (struct sens_gradient){
        .cost = cost,
        .n = n,
        .np = np,
        .groups = groups,
        .dx = SENS_NEW(ctx, sens_real, groups * n * LANES),
        .rows = SENS_NEW(ctx, size_t, groups * 2),
        .dp = has_dp ? SENS_NEW(ctx, sens_real, groups * np * LANES) : NULL,
    };
    return gradient->dx && gradient->rows && (gradient->dp || !has_dp) ? SENS_OK : SENS_NO_MEMORY;
}

static void clear(const struct sens_gradient *gradient)
{
    const size_t n = gradient->n, np = gradient->np;
    memset(gradient->dx, 0, gradient->groups * n * LANES * sizeof *gradient->dx);
    if (gradient->dp) memset(gradient->dp, 0, gradient->groups * np * LANES * sizeof *gradient->dp);
}

static bool has_weight(const sens_real *row)
{
    for (size_t c = 0; c < LANES; c++)
        if (row[c] != 0) return true;
    return false;
}

/* A functional may look at few components: the others need no product. */
static void find_rows(const struct sens_gradient *gradient)
{
    const size_t n = gradient->n;
    for (size_t g = 0; g < gradient->groups; g++) {
        const sens_real *dx = gradient->dx + g * n * LANES;
        size_t first = 0, end = n;
        while (end > 0 && !has_weight(dx + (end - 1) * LANES)) end--;
        while (first < end && !has_weight(dx + first * LANES)) first++;
        gradient->rows[2 * g] = first, gradient->rows[2 * g + 1] = end;
    }
}

void sens_gradient_running(struct sens_gradient *gradient, const struct sens_at *at, sens_real w)
{
    const struct sens_cost *cost = gradient->cost;
    clear(gradient);
    for (size_t g = 0; g < gradient->groups; g++) {
        cost->type->g_dx(cost, at, w, g * LANES, LANES, gradient->dx + g * gradient->n * LANES);
        if (gradient->dp && cost->type->g_dp)
            cost->type->g_dp(cost, at, w, g * LANES, LANES, gradient->dp + g * gradient->np * LANES);
    }
    find_rows(gradient);
}

void sens_gradient_observed(struct sens_gradient *gradient, size_t j, const sens_real *x, const sens_real *p)
{
    const struct sens_cost *cost = gradient->cost;
    clear(gradient);
    for (size_t g = 0; g < gradient->groups; g++) {
        cost->type->phi_dx(cost, j, x, p, g * LANES, LANES, gradient->dx + g * gradient->n * LANES);
        if (gradient->dp && cost->type->phi_dp)
            cost->type->phi_dp(cost, j, x, p, g * LANES, LANES, gradient->dp + g * gradient->np * LANES);
    }
    find_rows(gradient);
}

void sens_gradient_multiply(const struct sens_gradient *gradient, size_t L, const sens_real *S, sens_real *dG)
{
    const size_t n = gradient->n, m = gradient->cost->m;
    for (size_t g = 0; g < gradient->groups; g++) {
        const size_t first = gradient->rows[2 * g], end = gradient->rows[2 * g + 1], c0 = g * LANES;
        const struct sens_matrix weight = {.rows = m - c0 < LANES ? m - c0 : LANES,
                                           .cols = end - first,
                                           .a = gradient->dx + (g * n + first) * LANES,
                                           .row_step = 1,
                                           .col_step = LANES};
        const struct sens_lanes block = {.v = S + first * L, .step = L};
        sens_lanes_add_product(weight, block, L, dG + c0 * L);
    }
}

sens_real sens_gradient_explicit(const struct sens_gradient *gradient, size_t c, size_t k)
{
    return gradient->dp[(c / LANES * gradient->np + k) * LANES + c % LANES];
}
