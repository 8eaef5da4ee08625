/* The steps that a solve took, or would take. */
#include "expected.h"

enum { EIGHTHS = 8, MAX_STEPS = 5000 };
static const double MODERATE = 1e-7, SETTLED = 0.1;

/* Steps from `from` to `to`, the last of which ends there exactly. */
static bool append_segment(struct grid *grid, double from, double to, long steps)
{
    const double h = (to - from) / (double)steps;
    for (long k = 0; k < steps; k++) {
        const double t = from + (double)k * h, t1 = k + 1 == steps ? to : from + (double)(k + 1) * h;
        if (!grid_append(grid, t, h, t1)) return false;
    }
    return true;
}

bool expected_equal_steps(const struct bed *bed, long steps, struct grid *grid)
{
    const struct sens_problem *pb = &bed->problem;
    const double dt = (pb->t1 - pb->t0) / (double)steps;
    double from = pb->t0;
    *grid = (struct grid){.steps = 0};
    for (size_t j = 0; j <= bed->cost.n_obs; j++) {
        const double to = j < bed->cost.n_obs ? bed->cost.t_obs[j] : pb->t1;
        const long between = lround((to - from) / dt);
        if (to > from && !append_segment(grid, from, to, between > 0 ? between : 1)) {
            grid_free(grid);
            return false;
        }
        from = fmax(from, to);
    }
    return true;
}

bool expected_rebuilds(const struct bed *bed)
{
    return (bed->method->caps & SENS_CAP_TABLEAU) && (bed_is_fixed(bed) || bed->grid.steps > 0);
}

static bool copy_grid(const struct grid *from, struct grid *to)
{
    *to = (struct grid){.steps = 0};
    for (long k = 0; k < from->steps; k++)
        if (!grid_append(to, from->t[k], from->h[k], from->t1[k])) return false;
    return true;
}

bool expected_grid(const struct bed *bed, struct grid *grid)
{
    const struct sens_task *task = &bed->task;
    const double length = bed->problem.t1 - bed->problem.t0;
    *grid = (struct grid){.steps = 0};
    if (bed->grid.steps > 0) return copy_grid(&bed->grid, grid);
    if (bed_is_fixed(bed)) return expected_equal_steps(bed, lround(length / task->dt), grid);
    const sens_status status = oracle_steps_within(bed->v, &bed->problem, &bed->cost, task->tableau,
                                                   task->rtol, task->atol, task->max_steps, grid);
    if (status != SENS_OK) grid_free(grid);
    return status == SENS_OK;
}

static sens_status own_steps(const struct bed *bed, double tol, struct grid *grid)
{
    const struct sens_tableau *const own = verify_formula(bed->v, "cash_karp");
    return oracle_steps(bed->v, &bed->problem, &bed->cost, own, tol, MAX_STEPS, grid);
}

bool expected_solvable(const struct bed *bed, double tol, long *steps)
{
    struct grid grid = {.steps = 0};
    const sens_status status = own_steps(bed, tol, &grid);
    *steps = grid.steps;
    grid_free(&grid);
    return status == SENS_OK;
}

/* NULL: it does not get there. */
static const double *end_state(const struct bed *bed, double tol)
{
    struct grid grid = {.steps = 0};
    struct oracle oracle;
    double *const x1 = verify_array(bed->v, bed->problem.n), *const G = verify_array(bed->v, bed->cost.m);
    oracle_create(bed, verify_formula(bed->v, "cash_karp"), &grid, &oracle);
    const bool there =
        own_steps(bed, tol, &grid) == SENS_OK && oracle_map(&oracle, bed->problem.p, NULL, x1, G) == SENS_OK;
    grid_free(&grid);
    return there ? x1 : NULL;
}

bool expected_settled(const struct bed *bed, double tol, double other)
{
    const double *const x = end_state(bed, tol), *const y = end_state(bed, other);
    double size = 0, apart = 0;
    for (size_t i = 0; x && y && i < bed->problem.n; i++) {
        size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
        apart = fmax(apart, fabs(x[i] - y[i]));
    }
    return x && y && apart <= SETTLED * size;
}

long expected_fixed_steps(const struct bed *bed)
{
    long steps;
    return expected_solvable(bed, MODERATE, &steps) ? (2 * steps / EIGHTHS + 1) * EIGHTHS : 0;
}
