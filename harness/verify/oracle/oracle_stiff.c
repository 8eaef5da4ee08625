/* The derivative of the exact solution of a stiff problem, where explicit steps sit on the boundary of
 * stability and rounding grows from one to the next.
 *
 * Radau IIA of order 9 (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.5): collocation at
 * the roots c_1 < ... < c_5 = 1 of d^4/dx^4 (x^4 (x - 1)^5),
 *
 *     z_i = h sum_j a_ij f(t + c_j h, x + z_j),    x+ = x + z_5,    sum_j a_ij c_j^(k-1) = c_i^k / k,
 *     T_i = S + h sum_j a_ij (J_j T_j + f_p,j),    S+ = T_5,
 *
 * or with a mass matrix M, M z_i and M (T_i - S) on the left; the z_i by Newton's method, the tangents T_i with its
 * last matrix, I (or M) - h a_ij J_j. Steps by halving: the results of one step and of two halves differ by no more
 * than the tolerance. */
#include <gsl/gsl_linalg.h>
#include <string.h>

#include "oracle_run.h"

enum {
    S = 5,
    LARGEST = STIFF_LARGEST,
    NEWTON = 20,
    STEPS = 3000,
    DRAWS = 2,
    SAFETY = 32,
    TOLERANCE_SAFETY = 16
};
static const double TOL = 1e-11,
                    SMALL = 1e-3; /* of a state against the largest: what its error is held against */

static const double c[S] = {0.057104196114517682193, 0.27684301363812382768, 0.58359043236891682006,
                            0.86024013565621944785, 1};

struct stiff {
    const struct bed *bed;
    const struct sens_problem *pb;
    size_t n, cols; /* cols = np + n: directions */
    double a[S * S];
    double *x, *S0;     /* [n], [n][cols] */
    double *z, *f, *r;  /* [S][n] */
    double *J, *M, *dz; /* [S][n][n]; [S n][S n]; [S n]: one column of the tangent */
    double *T;          /* [S][n][cols] */
    double *Y;          /* [n] */
    size_t *order;      /* of the factors of M */
    struct noise noise;
};

/* ---- the formula --------------------------------------------------------------------------------------- */

/* Row i of a: sum_j c_j^(k-1) a_ij = c_i^k / k, k = 1 ... S. */
static void make_tableau(double *a)
{
    for (int i = 0; i < S; i++) {
        double V[S * S], right[S];
        size_t order[S];
        int sign;
        for (int k = 0; k < S; k++) {
            right[k] = pow(c[i], k + 1) / (k + 1);
            for (int j = 0; j < S; j++) V[k * S + j] = pow(c[j], k);
        }
        gsl_matrix_view matrix = gsl_matrix_view_array(V, S, S);
        gsl_vector_view vector = gsl_vector_view_array(right, S);
        gsl_vector_view row = gsl_vector_view_array(a + i * S, S);
        gsl_permutation permutation = {S, order};
        gsl_linalg_LU_decomp(&matrix.matrix, &permutation, &sign);
        gsl_linalg_LU_solve(&matrix.matrix, &permutation, &vector.vector, &row.vector);
    }
}

static void create(const struct bed *bed, struct stiff *s)
{
    struct verify *v = bed->v;
    const size_t n = bed->problem.n, np = bed->problem.np;
    *s = (struct stiff){.bed = bed, .pb = &bed->problem, .n = n, .cols = np + n};
    make_tableau(s->a);
    s->x = verify_array(v, n), s->Y = verify_array(v, n);
    s->z = verify_array(v, S * n), s->f = verify_array(v, S * n), s->r = verify_array(v, S * n);
    s->J = verify_array(v, S * n * n), s->M = verify_array(v, S * n * S * n), s->dz = verify_array(v, S * n);
    s->S0 = verify_array(v, n * s->cols), s->T = verify_array(v, S * n * s->cols);
    s->order = verify_memory(v, S * n, sizeof *s->order);
}

static struct sens_at stage_point(const struct stiff *s, double t, double h, size_t i)
{
    for (size_t q = 0; q < s->n; q++) s->Y[q] = s->x[q] + s->z[i * s->n + q];
    return (struct sens_at){t + c[i] * h, s->Y, s->pb->p};
}

/* f and J at the stages; J by products with unit vectors. */
static sens_status evaluate(const struct stiff *s, double t, double h)
{
    const size_t n = s->n;
    double unit[LARGEST * LARGEST] = {0};
    for (size_t q = 0; q < n; q++) unit[q * n + q] = 1;
    for (size_t i = 0; i < S; i++) {
        const struct sens_at at = stage_point(s, t, h, i);
        const sens_status status = s->pb->type->rhs(s->pb, &at, s->f + i * n);
        if (status != SENS_OK) return status;
        s->pb->type->jvp(s->pb, &at, n, unit, s->J + i * n * n);
    }
    return SENS_OK;
}

/* Entry (r, k) of the mass matrix. */
static double mass(const struct stiff *s, size_t r, size_t k)
{
    const struct sens_mass *const of = s->pb->mass;
    if (!of) return r == k;
    for (size_t e = of->pattern.start[r]; e < of->pattern.start[r + 1]; e++)
        if (of->pattern.col[e] == k) return of->value[e];
    return 0;
}

/* Factors of I - h a_ij J_j, or with the mass matrix in the place of I. */
static void factor(const struct stiff *s, double h)
{
    const size_t n = s->n, N = S * n;
    int sign;
    for (size_t i = 0; i < S; i++)
        for (size_t j = 0; j < S; j++)
            for (size_t r = 0; r < n; r++)
                for (size_t k = 0; k < n; k++)
                    s->M[(i * n + r) * N + j * n + k] =
                        (i == j ? mass(s, r, k) : 0) - h * s->a[i * S + j] * s->J[(j * n + r) * n + k];
    gsl_matrix_view matrix = gsl_matrix_view_array(s->M, N, N);
    gsl_permutation permutation = {N, s->order};
    gsl_linalg_LU_decomp(&matrix.matrix, &permutation, &sign);
}

static double largest(size_t count, const double *v)
{
    double most = 0;
    for (size_t q = 0; q < count; q++) most = isnan(v[q]) || isnan(most) ? NAN : fmax(most, fabs(v[q]));
    return most;
}

/* Of a singular matrix: not a number. */
static void solve(const struct stiff *s, double *right)
{
    const size_t N = S * s->n;
    for (size_t q = 0; q < N; q++)
        if (s->M[q * N + q] == 0) right[q] = NAN;
    if (isnan(largest(N, right))) return; /* the library would end the program */
    gsl_matrix_view matrix = gsl_matrix_view_array(s->M, N, N);
    gsl_vector_view vector = gsl_vector_view_array(right, N);
    gsl_permutation permutation = {N, s->order};
    gsl_linalg_LU_svx(&matrix.matrix, &permutation, &vector.vector);
}

/* r_i = h sum_j a_ij f_j - M z_i */
static void residual(const struct stiff *s, double h)
{
    const size_t n = s->n;
    for (size_t i = 0; i < S; i++)
        for (size_t q = 0; q < n; q++) {
            double r = 0;
            for (size_t k = 0; k < n; k++) r -= mass(s, q, k) * s->z[i * n + k];
            for (size_t j = 0; j < S; j++) r += h * s->a[i * S + j] * s->f[j * n + q];
            s->r[i * n + q] = r;
        }
}

/* z, and M of the last iteration but one; until rounding is reached. */
static sens_status newton(const struct stiff *s, double t, double h)
{
    const size_t n = s->n;
    double before = INFINITY;
    memset(s->z, 0, S * n * sizeof *s->z);
    for (int k = 0; k < NEWTON; k++) {
        const sens_status status = evaluate(s, t, h);
        if (status != SENS_OK) return status;
        factor(s, h);
        residual(s, h);
        solve(s, s->r);
        const double change = largest(S * n, s->r), size = largest(n, s->x) + largest(S * n, s->z);
        if (!isfinite(change)) return SENS_DIVERGED;
        for (size_t q = 0; q < S * n; q++) s->z[q] += s->r[q];
        if (change <= DBL_EPSILON * size || (change <= 1e-13 * size && change >= before)) return SENS_OK;
        before = change;
    }
    return SENS_DIVERGED;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* x+ in `to`. */
static sens_status step(const struct stiff *s, double t, double h, const double *from, double *to)
{
    memmove(s->x, from, s->n * sizeof *to);
    const sens_status status = newton(s, t, h);
    for (size_t q = 0; q < s->n && status == SENS_OK; q++) to[q] = s->x[q] + s->z[(S - 1) * s->n + q];
    return status;
}

/* The largest difference of one step and two halves, against the tolerance; x1 [n] by the halves. */
static double error_of(const struct stiff *s, double t, double h, const double *x0, double *once, double *x1)
{
    const bool made = step(s, t, h, x0, once) == SENS_OK && step(s, t, h / 2, x0, x1) == SENS_OK &&
                      step(s, t + h / 2, h / 2, x1, x1) == SENS_OK;
    const double most = made ? largest(s->n, x1) : NAN;
    double error = 0;
    for (size_t q = 0; q < s->n; q++)
        error = fmax(error, fabs(once[q] - x1[q]) / (TOL * (fabs(x1[q]) + SMALL * most) + DBL_MIN));
    return isfinite(most) ? error : INFINITY;
}

static bool find_steps(const struct stiff *s, struct grid *grid)
{
    const struct sens_problem *pb = s->pb;
    const struct sens_cost *cost = &s->bed->cost;
    struct verify *v = s->bed->v;
    double *const x = verify_array(v, s->n), *const once = verify_array(v, s->n),
                  *const x1 = verify_array(v, s->n);
    double t = pb->t0, h = 1e-4 * (pb->t1 - pb->t0);
    size_t j = 0;
    sens_problem_x0(pb, pb->p, x);
    while (t < pb->t1 && grid->steps < STEPS) {
        while (j < cost->n_obs && cost->t_obs[j] <= t) j++;
        const double stop = j < cost->n_obs ? cost->t_obs[j] : pb->t1;
        const bool lands = t + 1.000001 * h >= stop;
        const double length = lands ? stop - t : h, error = error_of(s, t, length, x, once, x1);
        if (t + length == t) return false;
        h = length * fmin(4, fmax(0.1, 0.8 * pow(error, -1.0 / (2 * S))));
        if (error > 1) continue;
        if (!grid_append(grid, t, length, lands ? stop : t + length)) return false;
        memcpy(x, x1, s->n * sizeof *x);
        t = grid->t1[grid->steps - 1];
    }
    return t >= pb->t1;
}

/* ---- the derivative ------------------------------------------------------------------------------------ */

/* T_i of all stages, at the converged z. */
static sens_status tangents(const struct stiff *s, double t, double h, double *slope)
{
    const size_t n = s->n, np = s->pb->np;
    const sens_status status = evaluate(s, t, h);
    if (status != SENS_OK) return status;
    factor(s, h);
    memset(slope, 0, S * n * s->cols * sizeof *slope); /* J_j S + f_p,j */
    for (size_t j = 0; j < S; j++) {
        const struct sens_at at = stage_point(s, t, h, j);
        double *const to = slope + j * n * s->cols;
        s->pb->type->jvp(s->pb, &at, s->cols, s->S0, to);
        for (size_t k = 0; k < np; k++) {
            double column[LARGEST] = {0};
            s->pb->type->jvp_p_cols(s->pb, &at, k, 1, column);
            for (size_t q = 0; q < n; q++) to[q * s->cols + k] += column[q];
        }
    }
    for (size_t k = 0; k < s->cols; k++) {
        for (size_t q = 0; q < S * n; q++) {
            s->dz[q] = 0;
            for (size_t j = 0; j < S; j++)
                s->dz[q] += h * s->a[q / n * S + j] * slope[(j * n + q % n) * s->cols + k];
        }
        solve(s, s->dz);
        for (size_t q = 0; q < S * n; q++) s->T[q * s->cols + k] = s->S0[q % n * s->cols + k] + s->dz[q];
    }
    return SENS_OK;
}

/* The gradient += g_x T + g_p, where g_x [n][m] and g_p [np][m]. */
static void add_gradient(const struct stiff *s, const double *g_x, const double *g_p, const double *T,
                         struct sens_out *out)
{
    const size_t n = s->n, np = s->pb->np, m = s->bed->cost.m;
    for (size_t cost = 0; cost < m; cost++)
        for (size_t k = 0; k < s->cols; k++) {
            double sum = k < np ? g_p[k * m + cost] : 0;
            for (size_t q = 0; q < n; q++) sum += g_x[q * m + cost] * T[q * s->cols + k];
            if (k < np && out->dGdp) out->dGdp[cost * np + k] += sum;
            if (k >= np && out->dGdx0) out->dGdx0[cost * n + (k - np)] += sum;
        }
}

static void observe(const struct stiff *s, size_t j, struct sens_out *out)
{
    const struct sens_cost *cost = &s->bed->cost;
    struct verify *v = s->bed->v;
    double *const x = verify_array(v, s->n * cost->m), *const p = verify_array(v, s->pb->np * cost->m);
    cost->type->phi(cost, j, s->x, s->pb->p, out->G);
    cost->type->phi_dx(cost, j, s->x, s->pb->p, 0, cost->m, x);
    if (cost->type->phi_dp) cost->type->phi_dp(cost, j, s->x, s->pb->p, 0, cost->m, p);
    add_gradient(s, x, p, s->S0, out);
}

static void integrate(const struct stiff *s, double t, double h, struct sens_out *out)
{
    const struct sens_cost *cost = &s->bed->cost;
    struct verify *v = s->bed->v;
    for (size_t i = 0; cost->type->g && i < S; i++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        double *const x = verify_array(v, s->n * cost->m), *const p = verify_array(v, s->pb->np * cost->m);
        const struct sens_at at = stage_point(s, t, h, i);
        const double w = h * s->a[(S - 1) * S + i];
        cost->type->g(cost, &at, w, out->G);
        cost->type->g_dx(cost, &at, w, 0, cost->m, x);
        if (cost->type->g_dp) cost->type->g_dp(cost, &at, w, 0, cost->m, p);
        add_gradient(s, x, p, s->T + i * s->n * s->cols, out);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

static void start(struct stiff *s)
{
    const struct sens_problem *pb = s->pb;
    const size_t n = s->n, np = pb->np;
    sens_problem_x0(pb, pb->p, s->x);
    memset(s->S0, 0, n * s->cols * sizeof *s->S0);
    for (size_t q = 0; q < n; q++) s->S0[q * s->cols + np + q] = 1;
    for (size_t k = 0; sens_problem_x0_depends(pb) && k < np; k++) {
        double column[LARGEST] = {0};
        pb->type->x0_jvp_cols(pb, pb->p, k, 1, column);
        for (size_t q = 0; q < n; q++) s->S0[q * s->cols + k] = column[q];
    }
}

/* out, zero at first, over the grid. */
static sens_status follow(struct stiff *s, const struct grid *grid, struct sens_out *out)
{
    const struct sens_cost *cost = &s->bed->cost;
    double *const slope = verify_array(s->bed->v, S * s->n * s->cols);
    size_t j = 0;
    start(s);
    if (cost->n_obs && cost->t_obs[0] == s->pb->t0) observe(s, j++, out);
    for (long k = 0; k < grid->steps; k++) {
        sens_status status = newton(s, grid->t[k], grid->h[k]);
        if (status == SENS_OK) status = tangents(s, grid->t[k], grid->h[k], slope);
        if (status != SENS_OK) return status;
        integrate(s, grid->t[k], grid->h[k], out);
        for (size_t q = 0; q < s->n; q++) s->x[q] += s->z[(S - 1) * s->n + q];
        memcpy(s->S0, s->T + (S - 1) * s->n * s->cols, s->n * s->cols * sizeof *s->S0);
        noise_touch(&s->noise, s->n, s->x);
        noise_touch(&s->noise, s->n * s->cols, s->S0);
        noise_step(&s->noise, PLACE_STATE, 0, s->n, s->x);
        noise_step(&s->noise, PLACE_TANGENT, 0, s->n * s->cols, s->S0);
        if (j < cost->n_obs && cost->t_obs[j] == grid->t1[k]) observe(s, j++, out);
    }
    memcpy(out->x, s->x, s->n * sizeof *out->x);
    return SENS_OK;
}

/* ---- truth --------------------------------------------------------------------------------------------- */

static sens_status truth_on(struct stiff *s, const struct grid *grid, const struct grid *half,
                            struct sens_out *truth, struct sens_out *uncertainty)
{
    struct sens_out coarse = bed_shape(s->bed);
    sens_status status = follow(s, half, truth);
    if (status == SENS_OK) status = follow(s, grid, &coarse);
    if (status == SENS_OK) out_add_apart(s->bed, uncertainty, 1, &coarse, truth);
    for (int draw = 1; draw <= DRAWS && status == SENS_OK; draw++) {
        struct sens_out shaken = bed_shape(s->bed);
        s->noise = (struct noise){.relative = 4 * DBL_EPSILON,
                                  .bias = draw > 1 ? BIAS_UP : BIAS_NONE,
                                  .state = UINT64_C(0x2545F4914F6CDD1D) * (uint64_t)draw};
        status = follow(s, grid, &shaken);
        if (status == SENS_OK) out_add_apart(s->bed, uncertainty, SAFETY, &shaken, &coarse);
    }
    return status;
}

sens_status oracle_stiff_truth(const struct bed *bed, struct sens_out *truth, struct sens_out *uncertainty)
{
    struct stiff stiff;
    struct grid grid = {.steps = 0}, half = {.steps = 0};
    if (bed->problem.n > LARGEST) return SENS_UNSUPPORTED;
    create(bed, &stiff);
    *truth = bed_shape(bed);
    *uncertainty = bed_shape(bed);
    sens_status status = SENS_STEP_LIMIT;
    if (find_steps(&stiff, &grid) && oracle_halve(&grid, &half))
        status = truth_on(&stiff, &grid, &half, truth, uncertainty);
    grid_free(&grid);
    grid_free(&half);
    return status;
}

/* One sign for each number and draw, so that the errors of all steps add up. */
static sens_status tolerance_on(struct stiff *s, const struct grid *grid, double tol, struct sens_out *bound)
{
    struct sens_out still = bed_shape(s->bed);
    sens_status status = follow(s, grid, &still);
    for (int draw = 1; draw <= DRAWS && status == SENS_OK; draw++) {
        struct sens_out moved = bed_shape(s->bed);
        s->noise = (struct noise){.rtol = tol, .atol = tol, .draw = (uint64_t)draw};
        status = follow(s, grid, &moved);
        if (status == SENS_OK) out_add_apart(s->bed, bound, TOLERANCE_SAFETY, &moved, &still);
    }
    return status;
}

sens_status oracle_stiff_tolerance(const struct bed *bed, double tol, long steps, struct sens_out *bound)
{
    struct stiff stiff;
    struct grid grid = {.steps = 0};
    if (bed->problem.n > LARGEST) return SENS_UNSUPPORTED;
    create(bed, &stiff);
    *bound = bed_shape(bed);
    sens_status status = SENS_STEP_LIMIT;
    if (find_steps(&stiff, &grid))
        status = tolerance_on(&stiff, &grid, tol * fmax(1, (double)steps / (double)grid.steps), bound);
    grid_free(&grid);
    return status;
}
