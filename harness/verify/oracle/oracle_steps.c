/* Steps of the oracle's own, and the derivative of the exact solution on them.
 *
 * The controller is the plainest there is: err = max_i |e_i| / (atol + rtol |x_i|), a step is accepted when
 * err <= 1, and h <- h min(5, max(1/5, 0.9 err^(-1/q))) with q the lower order of the pair plus one (Hairer,
 * Norsett & Wanner, Solving Ordinary Differential Equations I, II.4). */
#include <string.h>

#include "oracle_run.h"

/* ---- one step ------------------------------------------------------------------------------------------ */

struct stepper {
    const struct sens_problem *problem;
    const struct sens_tableau *tableau;
    double rtol, atol;
    double *x, *next; /* [n] */
    double *Y;        /* [n] */
    double *K;        /* [s][n] */
};

static sens_status stages(const struct stepper *stepper, double t, double h)
{
    const struct sens_problem *pb = stepper->problem;
    const struct sens_tableau *tb = stepper->tableau;
    const int row = tb->stages + tb->extra_stages;
    for (int i = 0; i < tb->stages; i++) {
        run_combine(pb->n, stepper->x, h, i, tb->a + i * row, stepper->K, stepper->Y);
        const struct sens_at at = {t + tb->c[i] * h, stepper->Y, pb->p};
        const sens_status status = pb->type->rhs(pb, &at, stepper->K + (size_t)i * pb->n);
        if (status != SENS_OK) return status;
    }
    run_combine(pb->n, stepper->x, h, tb->stages, tb->b, stepper->K, stepper->next);
    return SENS_OK;
}

/* The scaled error of the step just made; infinite where it is not a number. */
static double scaled_error(const struct stepper *stepper, double h)
{
    const struct sens_tableau *tb = stepper->tableau;
    const size_t n = stepper->problem->n;
    double err = 0;
    for (size_t q = 0; q < n; q++) {
        double e = 0;
        for (int i = 0; i < tb->stages; i++) e += h * tb->e[i] * stepper->K[(size_t)i * n + q];
        const double scaled = fabs(e) / (stepper->atol + stepper->rtol * fabs(stepper->x[q]));
        if (!isfinite(scaled) || !isfinite(stepper->next[q])) return INFINITY;
        err = fmax(err, scaled);
    }
    return err;
}

/* ---- all steps ----------------------------------------------------------------------------------------- */

static double factor(const struct sens_tableau *tb, double err)
{
    const int order = tb->order < tb->order_hat ? tb->order : tb->order_hat;
    return fmin(5, fmax(0.2, 0.9 * pow(err, -1.0 / (order + 1))));
}

/* To one stop; *h is the next trial step, in and out. */
static sens_status reach(struct stepper *stepper, double *t, double stop, double *h, long max_steps,
                         struct grid *grid)
{
    while (*t < stop) {
        const bool lands = *t + *h * (1 + 1e-9) >= stop;
        const double step = lands ? stop - *t : *h;
        if (grid->steps >= max_steps || *t + step == *t) return SENS_STEP_LIMIT;
        const sens_status status = stages(stepper, *t, step);
        if (sens_fatal(status)) return status;
        const double err = status == SENS_OK ? scaled_error(stepper, step) : INFINITY;
        const double proposed = step * factor(stepper->tableau, err);
        if (err > 1) {
            *h = proposed;
            continue;
        }
        *h = lands ? fmax(*h, proposed) : proposed;
        const double t1 = lands ? stop : *t + step;
        if (!grid_append(grid, *t, step, t1)) return SENS_NO_MEMORY;
        memcpy(stepper->x, stepper->next, stepper->problem->n * sizeof *stepper->x);
        *t = t1;
    }
    return SENS_OK;
}

static sens_status steps_from(struct verify *v, const struct sens_problem *problem,
                              const struct sens_cost *cost, const struct sens_tableau *tableau, double rtol,
                              double atol, double first, long max_steps, struct grid *grid)
{
    if (problem->mass) return SENS_UNSUPPORTED; /* of explicit steps */
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct stepper stepper = {.problem = problem, .tableau = tableau, .rtol = rtol, .atol = atol};
    stepper.x = verify_array(v, problem->n);
    stepper.next = verify_array(v, problem->n);
    stepper.Y = verify_array(v, problem->n);
    stepper.K = verify_array(v, (size_t)tableau->stages * problem->n);
    sens_problem_x0(problem, problem->p, stepper.x);
    double t = problem->t0, h = first;
    sens_status status = SENS_OK;
    for (size_t j = 0; j < cost->n_obs && status == SENS_OK; j++)
        status = reach(&stepper, &t, cost->t_obs[j], &h, max_steps, grid);
    if (status == SENS_OK) status = reach(&stepper, &t, problem->t1, &h, max_steps, grid);
    sens_arena_rewind(&v->ctx.arena, mark);
    return status;
}

sens_status oracle_steps(struct verify *v, const struct sens_problem *problem, const struct sens_cost *cost,
                         const struct sens_tableau *tableau, double tol, long max_steps, struct grid *grid)
{
    const double atol = tol * verify_state_unit(v, problem);
    return oracle_steps_within(v, problem, cost, tableau, tol, atol, max_steps, grid);
}

sens_status oracle_steps_within(struct verify *v, const struct sens_problem *problem,
                                const struct sens_cost *cost, const struct sens_tableau *tableau, double rtol,
                                double atol, long max_steps, struct grid *grid)
{
    const double length = problem->t1 - problem->t0;
    return steps_from(v, problem, cost, tableau, rtol, atol, 1e-3 * length, max_steps, grid);
}

sens_status oracle_long_steps(struct verify *v, const struct sens_problem *problem,
                              const struct sens_cost *cost, const struct sens_tableau *tableau, double tol,
                              long max_steps, struct grid *grid)
{
    const double atol = tol * verify_state_unit(v, problem);
    return steps_from(v, problem, cost, tableau, tol, atol, problem->t1 - problem->t0, max_steps, grid);
}

/* ---- the exact derivative ------------------------------------------------------------------------------ */

/* The difference between two grids, which is added, has their rounding, too: one perturbed run beside it will do. */
enum { TRUTH_STEPS = 5000, TRUTH_DRAWS = 1 };
static const double TRUTH_TOL = 1e-12;

sens_status oracle_visit(struct verify *v, const struct sens_problem *problem, double stop, double *x)
{
    enum { VISIT_STEPS = 2000 };
    const struct sens_tableau *tableau = verify_formula(v, "cash_karp");
    struct grid grid = {.steps = 0};
    if (!tableau) return SENS_UNAVAILABLE;
    if (problem->mass) return SENS_UNSUPPORTED;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const double atol = 1e-4 * verify_state_unit(v, problem);
    struct stepper stepper = {.problem = problem, .tableau = tableau, .rtol = 1e-4, .atol = atol};
    stepper.x = x;
    stepper.next = verify_array(v, problem->n);
    stepper.Y = verify_array(v, problem->n);
    stepper.K = verify_array(v, (size_t)tableau->stages * problem->n);
    sens_problem_x0(problem, problem->p, x);
    double t = problem->t0, h = 1e-3 * (problem->t1 - problem->t0);
    const sens_status status = reach(&stepper, &t, stop, &h, VISIT_STEPS, &grid);
    grid_free(&grid);
    sens_arena_rewind(&v->ctx.arena, mark);
    return status;
}

bool oracle_halve(const struct grid *grid, struct grid *half)
{
    for (long k = 0; k < grid->steps; k++) {
        const double h = grid->h[k] / 2, middle = grid->t[k] + h;
        if (!grid_append(half, grid->t[k], h, middle) || !grid_append(half, middle, h, grid->t1[k]))
            return false;
    }
    return true;
}

typedef sens_status derivative_of(const struct oracle *oracle, struct sens_out *out);

static sens_status truth_on(const struct bed *bed, const struct sens_tableau *tb, derivative_of *compute,
                            const struct grid *grid, const struct grid *half, struct sens_out *truth,
                            struct sens_out *uncertainty)
{
    struct oracle coarse, fine;
    struct sens_out rough = bed_shape(bed);
    oracle_create(bed, tb, grid, &coarse);
    oracle_create(bed, tb, half, &fine);
    const bool in_reverse = compute == oracle_adjoint || run_too_dear(&coarse, &rough);
    sens_status status = compute(&coarse, &rough);
    if (status == SENS_OK) status = compute(&fine, truth);
    if (status == SENS_OK)
        status = oracle_rounding_cheaply(&coarse, in_reverse ? NULL : &rough, in_reverse ? &rough : NULL,
                                         TRUTH_DRAWS, uncertainty);
    if (status == SENS_OK) out_add_apart(bed, uncertainty, 1, &rough, truth);
    return status;
}

static sens_status truth_by(const struct bed *bed, derivative_of *compute, struct sens_out *truth,
                            struct sens_out *uncertainty)
{
    const struct sens_tableau *tb = verify_formula(bed->v, "dop853");
    struct grid grid = {.steps = 0}, half = {.steps = 0};
    if (!tb) return SENS_UNAVAILABLE;
    sens_status status = oracle_steps(bed->v, &bed->problem, &bed->cost, tb, TRUTH_TOL, TRUTH_STEPS, &grid);
    if (status == SENS_OK && !oracle_halve(&grid, &half)) status = SENS_NO_MEMORY;
    if (status == SENS_OK) status = truth_on(bed, tb, compute, &grid, &half, truth, uncertainty);
    grid_free(&grid);
    grid_free(&half);
    return status;
}

static sens_status explicit_truth(const struct bed *bed, struct sens_out *truth, struct sens_out *uncertainty)
{
    return truth_by(bed, oracle_tangent, truth, uncertainty);
}

sens_status oracle_truth_in_reverse(const struct bed *bed, struct sens_out *truth,
                                    struct sens_out *uncertainty)
{
    return truth_by(bed, oracle_adjoint, truth, uncertainty);
}

sens_status oracle_truth(const struct bed *bed, struct sens_out *truth, struct sens_out *uncertainty)
{
    const sens_status status = explicit_truth(bed, truth, uncertainty);
    const bool usable = status == SENS_OK && out_finite(bed, uncertainty);
    struct sens_out stiff, unsure;
    if (usable || oracle_stiff_truth(bed, &stiff, &unsure) != SENS_OK) return status;
    *truth = stiff;
    *uncertainty = unsure;
    return SENS_OK;
}
