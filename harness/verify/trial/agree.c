/* Targets and bounds by kind of derivative. */
#include "agree.h"

#include <float.h>
#include <string.h>

#include "probe.h"

enum { EIGHTHS = 8, MAX_STEPS = 5000, DOUBLINGS = 4, HALVINGS = 5, OUTPUTS = 2, LEAST_ORDER = 4 };
static const double LARGER_BUMP = 64, MODERATE = 1e-7, WEAK = 1e-2, LINEAR = 0.1;
/* Components times columns times steps of the quotients that a difference is bounded by. */
static const double MOST_WORK = 2e7;

struct sens_out agree_distance(const struct bed *bed, const struct sens_out *a, const struct sens_out *b)
{
    struct sens_out distance = bed_shape(bed);
    out_add_apart(bed, &distance, 1, a, b);
    return distance;
}

static struct target empty(const struct bed *bed)
{
    return (struct target){bed_shape(bed), bed_shape(bed)};
}

double target_weakness(const struct bed *bed, const struct target *target)
{
    double above = 0, below = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const double *const value = target->value.part[k], *const bound = target->bound.part[k];
        for (size_t q = 0; sens_part_wrt(k) && value && bound && q < bed_count(bed, k); q++) {
            above += bound[q] * bound[q];
            below += value[q] * value[q];
        }
    }
    return below > 0 ? sqrt(above / below) : above > 0 ? INFINITY : 0;
}

/* ---- discrete ------------------------------------------------------------------------------------------ */

sens_status target_frozen(const struct bed *bed, struct target *target)
{
    struct oracle oracle;
    if (bed->grid.steps == 0 || !(bed->method->caps & SENS_CAP_TABLEAU)) return SENS_UNSUPPORTED;
    oracle_create(bed, bed->task.tableau, &bed->grid, &oracle);
    *target = empty(bed);
    const sens_status status = oracle_tangent(&oracle, &target->value);
    return status == SENS_OK ? oracle_rounding(&oracle, &target->bound) : status;
}

/* ---- closed forms -------------------------------------------------------------------------------------- */

/* Does the cost see the final state alone? */
static bool terminal(const struct bed *bed)
{
    return !bed->cost.type->g && bed->cost.n_obs == 1 && bed->cost.t_obs[0] == bed->problem.t1;
}

/* dG/dq [m][cols] += phi_x (dx/dq), dx/dq [n][cols] */
static void chain(const struct bed *bed, size_t cols, const double *dphi_dx, const double *S, double *dG)
{
    const size_t n = bed->problem.n, m = bed->cost.m;
    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < cols; k++) dG[c * cols + k] += dphi_dx[i * m + c] * S[i * cols + k];
}

/* G and its derivatives from x(t1), S and S0. */
static void apply_cost(const struct bed *bed, const double *S, const double *S0, struct sens_out *out)
{
    const struct sens_cost *cost = &bed->cost;
    const size_t n = bed->problem.n, np = bed->problem.np, m = cost->m;
    const double *const p = bed->problem.p;
    double *const dphi_dx = verify_array(bed->v, n * m), *const dphi_dp = verify_array(bed->v, np * m);
    memset(out->G, 0, m * sizeof *out->G);
    if (out->dGdx0) memset(out->dGdx0, 0, m * n * sizeof *out->dGdx0);
    cost->type->phi(cost, 0, out->x, p, out->G);
    cost->type->phi_dx(cost, 0, out->x, p, 0, m, dphi_dx);
    if (out->dGdp && cost->type->phi_dp) cost->type->phi_dp(cost, 0, out->x, p, 0, m, dphi_dp);
    for (size_t c = 0; out->dGdp && c < m; c++)
        for (size_t k = 0; k < np; k++) out->dGdp[c * np + k] = dphi_dp[k * m + c];
    if (out->dGdp) chain(bed, np, dphi_dx, S, out->dGdp);
    if (out->dGdx0) chain(bed, n, dphi_dx, S0, out->dGdx0);
}

static bool closed_form(const struct bed *bed, const struct sens_exact_query *query, struct sens_out *out)
{
    const struct sens_problem *pb = &bed->problem;
    double *const S = verify_array(bed->v, pb->n * pb->np), *const S0 = verify_array(bed->v, pb->n * pb->n);
    if (!pb->type->exact || !terminal(bed)) return false;
    if (!pb->type->exact(pb, query, pb->p, out->x, out->dGdp ? S : NULL, out->dGdx0 ? S0 : NULL))
        return false;
    apply_cost(bed, S, S0, out);
    return true;
}

/* Has this instance a closed form? */
static bool has_closed_form(struct verify *v, const struct sens_problem *problem)
{
    const struct sens_exact_query query = {SENS_EXACT_ODE, problem->t1, NULL, 0};
    return problem->type->exact &&
           problem->type->exact(problem, &query, problem->p, verify_array(v, problem->n), NULL, NULL);
}

bool agree_discrete_form(const struct bed *bed, struct sens_out *value)
{
    const struct sens_exact_query query = {SENS_EXACT_DISCRETE, bed->problem.t1, bed->task.tableau,
                                           bed->task.dt};
    *value = bed_shape(bed);
    return closed_form(bed, &query, value);
}

/* ---- continuous ---------------------------------------------------------------------------------------- */

static sens_status target_exact(const struct bed *bed, struct target *target)
{
    const struct sens_exact_query query = {SENS_EXACT_ODE, bed->problem.t1, NULL, 0};
    *target = empty(bed);
    const sens_status status = oracle_truth(bed, &target->value, &target->bound);
    if (status == SENS_OK) closed_form(bed, &query, &target->value);
    return status;
}

/* The tolerance that a continuous method really has: the interpolant of a pair may have a lower order than
 * its error estimate, so that with local errors tol = C h^(q+1) the state between the steps is only good to
 * h^(d+1) = tol^((d+1)/(q+1)). */
static double effective_tolerance(const struct bed *bed)
{
    const struct sens_tableau *tableau = bed->task.tableau;
    const double order = (tableau->dense_order + 1.0) / (tableau->order_hat + 1.0);
    return pow(bed->task.rtol, fmin(order, 1));
}

/* The tangent over steps of the task's tolerance, and what errors of that size do to it. */
static sens_status tolerance_target(const struct bed *bed, struct target *target)
{
    struct oracle oracle;
    struct grid grid = {.steps = 0};
    const double tol = effective_tolerance(bed);
    *target = empty(bed);
    sens_status status =
        oracle_steps(bed->v, &bed->problem, &bed->cost, bed->task.tableau, bed->task.rtol, MAX_STEPS, &grid);
    oracle_create(bed, bed->task.tableau, &grid, &oracle);
    if (status == SENS_OK) status = oracle_tangent(&oracle, &target->value);
    if (status == SENS_OK) status = oracle_tolerance(&oracle, tol, tol, &target->bound);
    grid_free(&grid);
    return status;
}

/* The exact value in place of the tangent's. */
static sens_status settle(const struct bed *bed, struct target *exact, struct target *target)
{
    const sens_status status = target_exact(bed, exact);
    if (status != SENS_OK) return status;
    target->value = exact->value;
    out_add(bed, &target->bound, 1, &exact->bound);
    return SENS_OK;
}

/* The closed form can be used where the cost sees the final state alone. */
static sens_status create_cost(struct verify *v, const struct horizon *want,
                               const struct sens_problem *problem, struct sens_cost *cost)
{
    if (want->cost) return sens_cost_create(&v->ctx, want->cost, NULL, problem, cost);
    const unsigned final = want->parts & (PROBE_AT_T1 | PROBE_EXPLICIT);
    probe_cost(v, problem, OUTPUTS, has_closed_form(v, problem) ? final : want->parts, cost);
    return SENS_OK;
}

/* The task on [t0, t0 + fraction (t1 - t0)]. */
static sens_status create_bed(struct verify *v, const struct horizon *want, double fraction, struct bed *bed)
{
    struct sens_problem problem = *want->problem;
    struct sens_cost cost;
    if (fraction < 1) problem.t1 = problem.t0 + fraction * (problem.t1 - problem.t0);
    const sens_status status = create_cost(v, want, &problem, &cost);
    if (status != SENS_OK) return status;
    bed_create(v, &problem, &cost, want->method, bed);
    bed->task.rtol = bed->task.atol = want->tol;
    return SENS_OK;
}

sens_status agree_horizon(struct verify *v, const struct horizon *want, struct bed *bed, struct target *exact,
                          struct target *target)
{
    double fraction = 1;
    sens_status status = SENS_OK;
    *bed = (struct bed){.v = v, .problem = *want->problem, .method = want->method};
    for (int k = 0; k <= HALVINGS; k++, fraction /= 2) {
        status = create_bed(v, want, fraction, bed);
        if (status != SENS_OK) return status;
        status = tolerance_target(bed, target);
        if (status == SENS_OK && target_weakness(bed, target) < WEAK) break;
    }
    return status == SENS_OK ? settle(bed, exact, target) : status;
}

/* ---- difference ---------------------------------------------------------------------------------------- */

/* Equal steps as a grid: t, or the observation that it is but for rounding. */
static double land(const struct sens_cost *cost, double t, double h)
{
    for (size_t j = 0; j < cost->n_obs; j++)
        if (fabs(t - cost->t_obs[j]) < h / 1000) return cost->t_obs[j];
    return t;
}

static bool fixed_grid(const struct bed *bed, long steps, struct grid *grid)
{
    const double t0 = bed->problem.t0, t1 = bed->problem.t1, h = (t1 - t0) / (double)steps;
    double t = t0;
    grid->steps = 0;
    for (long k = 1; k <= steps; k++) {
        const double end = k < steps ? land(&bed->cost, t0 + (double)k * h, h) : t1;
        if (!grid_append(grid, t, h, end)) return false;
        t = end;
    }
    return true;
}

bool agree_solvable(const struct bed *bed, double tol, long *steps)
{
    const struct sens_tableau *const *tableau = bed->v->reg->tableaux;
    struct grid grid = {.steps = 0};
    while (*tableau && (*tableau)->order_hat < LEAST_ORDER) tableau++;
    const sens_status status =
        !*tableau ? SENS_UNAVAILABLE
                  : oracle_steps(bed->v, &bed->problem, &bed->cost, *tableau, tol, MAX_STEPS, &grid);
    *steps = grid.steps;
    grid_free(&grid);
    return status == SENS_OK;
}

long agree_fixed_steps(const struct bed *bed)
{
    long steps;
    return agree_solvable(bed, MODERATE, &steps) ? (2 * steps / EIGHTHS + 1) * EIGHTHS : 0;
}

/* The bump of a forward difference of the best size, as in methods/difference/finite_difference.c: sqrt(eps)
 * |q|. A two-sided one is no worse. */
static double bump(double q)
{
    return sqrt(DBL_EPSILON) * (q != 0 ? fabs(q) : 1);
}

/* Column k of a gradient [m][cols] at value q of its variable; G_above at q + LARGER_BUMP bump. */
static void column_bound(const struct bed *bed, size_t k, size_t cols, double q, const double *G_above,
                         const struct sens_out *tangent, const double *gradient, const double *G_noise,
                         double *bound)
{
    const double h = LARGER_BUMP * bump(q);
    for (size_t c = 0; c < bed->cost.m; c++) {
        const double quotient = (G_above[c] - tangent->G[c]) / h;
        const double truncation = fabs(quotient - gradient[c * cols + k]);
        const double sum = truncation + 4 * G_noise[c] / bump(q);
        bound[c * cols + k] += isfinite(sum) ? sum : INFINITY;
    }
}

static sens_status parameter_columns(const struct oracle *oracle, const struct bed *bed,
                                     const struct sens_out *tangent, const double *noise,
                                     struct sens_out *bound)
{
    const size_t np = bed->problem.np;
    double *const p = verify_copy(bed->v, np, bed->problem.p), *const G = verify_array(bed->v, bed->cost.m);
    double *const x1 = verify_array(bed->v, bed->problem.n);
    for (size_t k = 0; bound->dGdp && k < np; k++) {
        const double q = p[k];
        p[k] = q + LARGER_BUMP * bump(q);
        const sens_status status = oracle_map(oracle, p, NULL, x1, G);
        if (status != SENS_OK) return status;
        p[k] = q;
        column_bound(bed, k, np, q, G, tangent, tangent->dGdp, noise, bound->dGdp);
    }
    return SENS_OK;
}

static sens_status state_columns(const struct oracle *oracle, const struct bed *bed,
                                 const struct sens_out *tangent, const double *noise, struct sens_out *bound)
{
    const size_t n = bed->problem.n;
    double *const x0 = verify_copy(bed->v, n, bed->problem.x0), *const G = verify_array(bed->v, bed->cost.m);
    double *const x1 = verify_array(bed->v, n);
    for (size_t k = 0; bound->dGdx0 && k < n; k++) {
        const double q = x0[k];
        x0[k] = q + LARGER_BUMP * bump(q);
        const sens_status status = oracle_map(oracle, bed->problem.p, x0, x1, G);
        if (status != SENS_OK) return status;
        x0[k] = q;
        column_bound(bed, k, n, q, G, tangent, tangent->dGdx0, noise, bound->dGdx0);
    }
    return SENS_OK;
}

sens_status target_quotient(const struct bed *bed, const struct grid *grid, struct target *target)
{
    struct oracle oracle;
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    const double *const noise = verify_copy(bed->v, bed->cost.m, target->bound.G);
    const sens_status status = parameter_columns(&oracle, bed, &target->value, noise, &target->bound);
    return status == SENS_OK ? state_columns(&oracle, bed, &target->value, noise, &target->bound) : status;
}

static sens_status difference_on(const struct bed *bed, const struct grid *grid, struct target *target)
{
    struct oracle oracle;
    *target = empty(bed);
    oracle_create(bed, bed->task.tableau, grid, &oracle);
    sens_status status = oracle_tangent(&oracle, &target->value);
    if (status == SENS_OK) status = oracle_rounding(&oracle, &target->bound);
    return status == SENS_OK ? target_quotient(bed, grid, target) : status;
}

/* Where the truncation of the larger bump is not small against the derivative, G is not near a straight line
 * over it, and nothing follows for the smaller one. */
long target_difference(const struct bed *bed, struct target *target, const char **why_not)
{
    const double share = (double)bed->problem.n * (double)(bed->problem.n + bed->problem.np);
    const long most = (long)fmin(MAX_STEPS, MOST_WORK / share);
    long steps = agree_fixed_steps(bed);
    *why_not = steps == 0     ? "the harness's own solve fails at a tolerance of 1e-7"
               : steps > most ? "quotients of so many columns over so many steps are too much work"
                              : "no number of steps makes the quotient's truncation small: the map fails, "
                                "jumps or bends within a bump's reach";
    for (int k = 1; steps > 0 && steps <= most && k <= DOUBLINGS; k++, steps *= 2) {
        struct grid grid = {.steps = 0};
        const bool usable = fixed_grid(bed, steps, &grid) && difference_on(bed, &grid, target) == SENS_OK;
        grid_free(&grid);
        if (usable && (target_weakness(bed, target) < (k < DOUBLINGS ? WEAK : LINEAR))) return steps;
    }
    return 0;
}

/* ---- blame --------------------------------------------------------------------------------------------- */

/* The steps of the task, where the method has not reported them. */
static bool likely_steps(const struct bed *bed, struct grid *grid)
{
    const struct sens_problem *pb = &bed->problem;
    if (bed->task.tableau->order_hat == 0)
        return fixed_grid(bed, lround((pb->t1 - pb->t0) / bed->task.dt), grid);
    return oracle_steps(bed->v, pb, &bed->cost, bed->task.tableau, bed->task.rtol, MAX_STEPS, grid) ==
           SENS_OK;
}

void agree_blame(const struct bed *bed, const struct sens_out *right, struct verify_result *result)
{
    struct oracle oracle;
    struct grid grid = {.steps = 0};
    const bool reported = bed->grid.steps > 0;
    oracle_create(bed, bed->task.tableau, reported ? &bed->grid : &grid, &oracle);
    if (reported || likely_steps(bed, &grid))
        oracle_blame_gradient(&oracle, &bed->out, right, &bed->work, result);
    if (bed->work.steps_reverse > 0) verify_blame(result, CAUSE_unstable_reverse, 0.3);
    grid_free(&grid);
}
