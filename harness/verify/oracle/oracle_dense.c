/* A solve between its steps: the continuous extension of the tableau,
 *
 *     x(t + theta h) = x + sum_d theta^d q_d,   q_d = h sum_i B_id K_i,
 *
 * or the cubic on (x, f, x1, f1): q_1 = h f, q_2 = 3 (x1 - x) - h (2 f + f1), q_3 = h (f + f1)
 * - 2 (x1 - x). */
#include "oracle_run.h"

enum { HERMITE = 3 };

static int degree_of(const struct sens_tableau *tb)
{
    return tb->dense_degree > 0 ? tb->dense_degree : HERMITE;
}

/* Slopes of the stages that only the extension needs, after the others in K [s + extra][n]. */
static sens_status extra_slopes(struct run *run, long k, double *K, double *Y)
{
    const struct sens_tableau *tb = run->oracle->tableau;
    const struct sens_problem *pb = run->oracle->problem;
    const struct scheme *scheme = run->forward;
    const int all = tb->stages + tb->extra_stages;
    sens_status status = SENS_OK;
    for (int i = tb->stages; i < all && status == SENS_OK; i++) {
        run_combine(run->n, run->state + (size_t)k * run->n, scheme->h[k], i, tb->a + (size_t)i * (size_t)all,
                    K, Y);
        const struct sens_at at = {scheme->t[k] + tb->c[i] * scheme->h[k], Y, run->p};
        status = pb->type->rhs(pb, &at, K + (size_t)i * run->n);
    }
    return status;
}

static sens_status fit_extension(struct run *run, long k, double *K, double *q)
{
    const struct sens_tableau *tb = run->oracle->tableau;
    const size_t n = run->n, D = (size_t)tb->dense_degree;
    const sens_status status = extra_slopes(run, k, K, q);
    for (size_t d = 0; d < D; d++)
        for (size_t e = 0; e < n; e++) {
            double sum = 0;
            for (int i = 0; i < tb->stages + tb->extra_stages; i++)
                sum += tb->dense[(size_t)i * D + d] * K[(size_t)i * n + e];
            q[d * n + e] = run->forward->h[k] * sum;
        }
    return status;
}

static sens_status fit_cubic(struct run *run, long k, const double *K, double *f1, double *q)
{
    const struct sens_problem *pb = run->oracle->problem;
    const double h = run->forward->h[k], *x = run->state + (size_t)k * run->n, *x1 = x + run->n;
    const struct sens_at at = {run->oracle->grid->t1[k], x1, run->p};
    const sens_status status = pb->type->rhs(pb, &at, f1);
    for (size_t e = 0; e < run->n; e++) {
        const double rise = x1[e] - x[e], f = K[e];
        q[e] = h * f;
        q[run->n + e] = 3 * rise - h * (2 * f + f1[e]);
        q[2 * run->n + e] = h * (f + f1[e]) - 2 * rise;
    }
    return status;
}

/* q [steps][degree][n] */
static sens_status fit(struct run *run, double *q)
{
    const struct sens_tableau *tb = run->oracle->tableau;
    struct verify *v = run->oracle->v;
    const size_t n = run->n, s = (size_t)tb->stages, row = (size_t)degree_of(tb) * n;
    double *K = verify_array(v, (s + (size_t)tb->extra_stages) * n), *f1 = verify_array(v, n);
    sens_status status = SENS_OK;
    for (long k = 0; k < run->forward->steps && status == SENS_OK; k++, q += row) {
        status = run_stages(run, run->forward, k);
        for (size_t e = 0; e < s * n; e++) K[e] = run->K[e];
        if (status == SENS_OK)
            status = tb->dense_degree > 0 ? fit_extension(run, k, K, q) : fit_cubic(run, k, K, f1, q);
    }
    return status;
}

static void evaluate(const struct run *run, const double *q, double t, double *x)
{
    const struct scheme *scheme = run->forward;
    const size_t n = run->n, degree = (size_t)degree_of(run->oracle->tableau);
    long low = 0, high = scheme->steps - 1; /* the last step that starts at or before t */
    while (low < high) {
        const long middle = (low + high + 1) / 2;
        if (scheme->t[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    const double theta = (t - scheme->t[low]) / scheme->h[low];
    const double *of_step = q + (size_t)low * degree * n;
    for (size_t e = 0; e < n; e++) {
        double sum = 0;
        for (size_t d = degree; d-- > 0;) sum = theta * (sum + of_step[d * n + e]);
        x[e] = run->state[(size_t)low * n + e] + sum;
    }
}

/* given [steps][s][n]: states at the stage times of another oracle's steps; state [steps + 1][n]: between them. */
static sens_status interpolate(struct run *run, const struct oracle *other, double *given, double *state)
{
    const struct sens_tableau *tb = other->tableau;
    const struct grid *grid = other->grid;
    const size_t row = (size_t)degree_of(run->oracle->tableau) * run->n;
    double *q = verify_array(run->oracle->v, (size_t)run->forward->steps * row);
    const sens_status status = fit(run, q);
    if (status != SENS_OK) return status;
    for (long k = 0; k < grid->steps; k++, state += run->n) {
        evaluate(run, q, grid->t[k], state);
        for (int i = 0; i < tb->stages; i++, given += run->n)
            evaluate(run, q, grid->t[k] + tb->c[i] * grid->h[k], given);
    }
    evaluate(run, q, run->oracle->problem->t1, state);
    return SENS_OK;
}

sens_status oracle_adjoint_along(const struct oracle *solve, const struct oracle *over, struct sens_out *out)
{
    struct verify *v = solve->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t n = solve->problem->n, points = (size_t)(over->grid->steps * over->tableau->stages);
    double *given = verify_array(v, points * n), *x0 = verify_array(v, n);
    struct run forward, reverse;
    run_create(solve, scheme_create(solve), &forward);
    run_create(over, scheme_create(over), &reverse);
    sens_problem_x0(solve->problem, solve->problem->p, x0);
    sens_status status = run_forward(&forward, x0, out->G);
    if (status == SENS_OK) status = interpolate(&forward, over, given, reverse.state);
    reverse.given = given;
    if (status == SENS_OK) status = run_reverse(&reverse, 0, NULL, out);
    sens_arena_rewind(&v->ctx.arena, mark);
    return status;
}
