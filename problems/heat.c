/* Heat equation on the unit square, homogeneous Dirichlet conditions, one parameter alpha:
 *
 *     u_t = alpha (u_xx + u_yy),   u(0) = sin(mx pi x) sin(my pi y)
 *
 * Five-point Laplacian on n intervals a side, h = 1/n; the unknowns are the (n-1)^2 interior points, x along
 * a row:
 *
 *     u_ij' = alpha n^2 (u_(i-1)j + u_(i+1)j + u_i(j-1) + u_i(j+1) - 4 u_ij)
 *
 * The products by hand are what the tables of the paper compare, and an oracle for those that are derived.
 *
 * Martins and Lakshtanov, arXiv 2410.01911, Tables 1-3. The initial state is an eigenvector of the discrete
 * Laplacian, so the PDE, the semi-discrete system and the discrete map all have closed forms (LeVeque, Finite
 * Difference Methods for Ordinary and Partial Differential Equations, SIAM 2007, chapter 9): u(t) = A(alpha)
 * u(0) with
 *
 *     PDE            A = exp(-alpha lam t),      lam   = pi^2 (mx^2 + my^2)
 *     semi-discrete  A = exp(-alpha lam_h t),    lam_h = 4 n^2 (sin^2(mx pi/2n) + sin^2(my pi/2n))
 *     discrete       A = R(z)^M,                 z = -alpha lam_h dt, t = M dt, R the stability function */
#include <tgmath.h>

#include "sens/lanes.h"
#include "sens/problem.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static const long double PI = 3.14159265358979323846264338327950288L;
enum { MAX_SIDE = 399 };

struct heat {
    size_t n;        /* intervals a side */
    size_t side;     /* n - 1, interior points a side */
    unsigned mx, my; /* Fourier mode */
};

/* ---- the stencil --------------------------------------------------------------------------------------- */

/* OUT = factor * (sum of the four neighbours - 4 centre) over `count` contiguous numbers; a neighbour
 * outside the square is NULL. left and right are the neighbours of the first number. */
ALWAYS_INLINE void stencil(size_t count, sens_real factor, const sens_real *C, const sens_real *up,
                           const sens_real *down, const sens_real *left, const sens_real *right,
                           sens_real *restrict OUT)
{
    for (size_t q = 0; q < count; q++) {
        sens_real sum = -4 * C[q];
        if (up) sum += up[q];
        if (down) sum += down[q];
        if (left) sum += left[q];
        if (right) sum += right[q];
        OUT[q] = factor * sum;
    }
}

/* One row of the grid, L lanes a point: the first and the last point have one neighbour less. */
ALWAYS_INLINE void stencil_row(size_t side, size_t L, sens_real factor, const sens_real *C,
                               const sens_real *up, const sens_real *down, sens_real *OUT)
{
    const size_t last = (side - 1) * L;
    if (side == 1) {
        stencil(L, factor, C, up, down, NULL, NULL, OUT);
        return;
    }
    stencil(L, factor, C, up, down, NULL, C + L, OUT);
    stencil(last - L, factor, C + L, up ? up + L : NULL, down ? down + L : NULL, C, C + 2 * L, OUT + L);
    stencil(L, factor, C + last, up ? up + last : NULL, down ? down + last : NULL, C + last - L, NULL,
            OUT + last);
}

/* OUT [side] = factor times the stencil of row i of U [side][side]; both with L lanes. */
static void grid_row(size_t side, size_t i, size_t L, sens_real factor, const sens_real *U, sens_real *OUT)
{
    const size_t width = side * L;
    const sens_real *C = U + i * width;
    if (side == 1)
        stencil_row(side, L, factor, C, NULL, NULL, OUT);
    else if (i == 0)
        stencil_row(side, L, factor, C, NULL, C + width, OUT);
    else if (i + 1 == side)
        stencil_row(side, L, factor, C, C - width, NULL, OUT);
    else
        stencil_row(side, L, factor, C, C - width, C + width, OUT);
}

/* OUT = factor n^2 (stencil) U. The discrete Laplacian is symmetric: this is also its transpose. */
static void laplacian(const struct heat *heat, size_t L, sens_real factor, const sens_real *U, sens_real *OUT)
{
    const sens_real scale = factor * (sens_real)(heat->n * heat->n);
    for (size_t i = 0; i < heat->side; i++) grid_row(heat->side, i, L, scale, U, OUT + i * heat->side * L);
}

/* ---- the problem --------------------------------------------------------------------------------------- */

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    laplacian(pb->data, 1, at->p[0], at->x, dx);
    return SENS_OK;
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                sens_real *OUT)
{
    laplacian(pb->data, L, at->p[0], W, OUT);
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                sens_real *OUT)
{
    laplacian(pb->data, L, at->p[0], V, OUT);
}

/* df/dalpha = Laplacian of u, a column of its own length. */
static void jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       sens_real *OUT)
{
    const struct heat *heat = pb->data;
    const size_t side = heat->side;
    sens_real slope[MAX_SIDE];
    (void)k0; /* the only column is 0 */
    if (L == 0) return;
    for (size_t i = 0; i < side; i++) {
        grid_row(side, i, 1, (sens_real)(heat->n * heat->n), at->x, slope);
        sens_lanes_axpy(side, 1, 1, slope, OUT + i * side);
    }
}

/* MU += sum_k (Laplacian X_k)^T W_k, as many rows of the grid at a time as there is room for. */
static void vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                        const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    const struct heat *heat = pb->data;
    const size_t side = heat->side;
    sens_real slope[MAX_SIDE];
    (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0, rows; i < side; i += rows) {
            rows = MAX_SIDE / side < side - i ? MAX_SIDE / side : side - i;
            for (size_t r = 0; r < rows; r++)
                grid_row(side, i + r, 1, (sens_real)(heat->n * heat->n), X + k * pb->n, slope + r * side);
            sens_lanes_add_row(rows * side, L, slope, W + (k * pb->n + i * side) * L, MU);
        }
}

/* Of a stencil: two multiplications a point, and an addition for each of its neighbours. The only column of
 * df/dp is one, which the vectors of the transposed product share. */
static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    const double side = (double)((const struct heat *)pb->data)->side, points = side * side;
    const double stencils = 2 * points + 4 * side * (side - 1);
    ops->rhs = ops->vjp = ops->jvp = stencils;
    ops->vjp_p = 2 * points;
    ops->jvp_p = stencils + points;
}

/* ---- structure: one sparse matrix for all t and u, which fewer vectors do without -------------------------- */

/* The neighbours of point (i, j), and itself, in the order of rows; their number. */
static size_t neighbours(size_t side, size_t i, size_t j, size_t *col)
{
    const size_t own = i * side + j;
    size_t count = 0;
    if (i > 0) col[count++] = own - side;
    if (j > 0) col[count++] = own - 1;
    col[count++] = own;
    if (j + 1 < side) col[count++] = own + 1;
    if (i + 1 < side) col[count++] = own + side;
    return count;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    const struct heat *heat = pb->data;
    const struct sens_pattern *pattern = pb->structure->sparsity;
    const sens_real scale = at->p[0] * (sens_real)(heat->n * heat->n);
    for (size_t q = 0; q < pb->n; q++)
        for (size_t e = pattern->start[q]; e < pattern->start[q + 1]; e++)
            J[e] = pattern->col[e] == q ? -4 * scale : scale;
}

/* The column of all points. */
static void jacobian_p(const struct sens_problem *pb, const struct sens_at *at, sens_real *value)
{
    const struct heat *heat = pb->data;
    laplacian(heat, 1, 1, at->x, value);
}

static sens_status declare(struct sens_ctx *ctx, size_t side, struct sens_problem *problem)
{
    const size_t n = side * side, entries = n + 4 * side * (side - 1);
    struct sens_pattern *pattern = SENS_NEW(ctx, struct sens_pattern, 2);
    size_t *start = SENS_NEW(ctx, size_t, n + 1), *col = SENS_NEW(ctx, size_t, entries);
    size_t *start_p = SENS_NEW(ctx, size_t, 2), *col_p = SENS_NEW(ctx, size_t, n);
    struct sens_structure *declared = SENS_NEW(ctx, struct sens_structure, 1);
    if (!pattern || !start || !col || !start_p || !col_p || !declared) return SENS_NO_MEMORY;
    for (size_t q = 0; q < n; q++)
        start[q + 1] = start[q] + neighbours(side, q / side, q % side, col + start[q]), col_p[q] = q;
    start_p[1] = n;
    pattern[0] = (struct sens_pattern){.rows = n, .cols = n, .start = start, .col = col};
    pattern[1] = (struct sens_pattern){.rows = 1, .cols = n, .start = start_p, .col = col_p};
    *declared = (struct sens_structure){.jacobian = jacobian,
                                        .jacobian_p = jacobian_p,
                                        .sparsity = &pattern[0],
                                        .sparsity_p = &pattern[1],
                                        .jacobian_costs_more = true,
                                        .jacobian_p_costs_more = true,
                                        .jacobian_constant = true};
    problem->structure = declared;
    return SENS_OK;
}

/* ---- closed forms, in long double in every variant: the truth that results are compared with ----------- */

/* u(t) = factor u(0), dfactor = d factor / d alpha. */
struct amplitude {
    long double factor, dfactor;
};

static long double mode_value(const struct heat *heat, size_t i, size_t j)
{
    const long double step = PI / (long double)heat->n;
    return sin((long double)(heat->my * (i + 1)) * step) * sin((long double)(heat->mx * (j + 1)) * step);
}

/* Minus the eigenvalue of the Laplacian (PDE) or of the five-point Laplacian. */
static long double eigenvalue(const struct heat *heat, enum sens_exact_level level)
{
    const long double mx = heat->mx, my = heat->my, n = (long double)heat->n;
    if (level == SENS_EXACT_PDE) return PI * PI * (mx * mx + my * my);
    const long double sx = sin(mx * PI / (2 * n)), sy = sin(my * PI / (2 * n));
    return 4 * n * n * (sx * sx + sy * sy);
}

/* R(z) = 1 + z sum_i b_i Y_i with Y_i = 1 + z sum_j a_ij Y_j, and R'(z), by the recursion over the stages. */
static void stability_function(const struct sens_tableau *tb, long double z, long double *R, long double *dR)
{
    long double Y[SENS_MAX_STAGES], dY[SENS_MAX_STAGES];
    *R = 1, *dR = 0;
    for (int i = 0; i < tb->stages; i++) {
        Y[i] = 1, dY[i] = 0;
        for (int j = 0; j < i; j++) {
            Y[i] += z * (long double)sens_tableau_a(tb, i, j) * Y[j];
            dY[i] += (long double)sens_tableau_a(tb, i, j) * (Y[j] + z * dY[j]);
        }
        *R += z * (long double)tb->b[i] * Y[i];
        *dR += (long double)tb->b[i] * (Y[i] + z * dY[i]);
    }
}

static struct amplitude continuous_amplitude(long double alpha, long double lam, long double t)
{
    const long double factor = exp(-alpha * lam * t);
    return (struct amplitude){.factor = factor, .dfactor = -lam * t * factor};
}

/* M steps of size dt: R^M and M R^(M-1) R' dz/dalpha, dz/dalpha = -lam dt. */
static struct amplitude discrete_amplitude(const struct sens_exact_query *q, long double alpha,
                                           long double lam, long double t)
{
    const long double M = round(t / (long double)q->dt);
    long double R, dR;
    if (M == 0) return (struct amplitude){.factor = 1};
    const long double dt = t / M; /* the step a solver takes: q->dt carries the rounding of a typed decimal */
    stability_function(q->tableau, -alpha * lam * dt, &R, &dR);
    return (struct amplitude){.factor = pow(R, M), .dfactor = -M * pow(R, M - 1) * dR * lam * dt};
}

/* Is the initial state the mode (no other was given)? */
static bool starts_from_mode(const struct sens_problem *pb)
{
    const struct heat *heat = pb->data;
    for (size_t i = 0; i < heat->side; i++)
        for (size_t j = 0; j < heat->side; j++)
            if (pb->x0[i * heat->side + j] != (sens_real)(double)mode_value(heat, i, j)) return false;
    return true;
}

/* No S0: dx/dx0 of one mode says nothing of the others. */
static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const sens_real *p,
                  sens_real *x, sens_real *S, sens_real *S0)
{
    const bool discrete = q->level == SENS_EXACT_DISCRETE;
    if (S0 || !starts_from_mode(pb)) return false;
    if (discrete && !(q->tableau && q->tableau->family == SENS_FAMILY_EXPLICIT && q->dt > 0)) return false;
    const long double alpha = (long double)p[0], t = (long double)(q->t - pb->t0),
                      lam = eigenvalue(pb->data, q->level);
    const struct amplitude a =
        discrete ? discrete_amplitude(q, alpha, lam, t) : continuous_amplitude(alpha, lam, t);
    for (size_t i = 0; i < pb->n; i++) {
        x[i] = (sens_real)(a.factor * pb->x0[i]);
        if (S) S[i] = (sens_real)(a.dfactor * pb->x0[i]);
    }
    return true;
}

/* ---- instance ------------------------------------------------------------------------------------------ */

enum { OPTION_N, OPTION_ALPHA, OPTION_MX, OPTION_MY, OPTION_T };

static const struct sens_option options[] = {
    [OPTION_N] = {.name = "n",
                  .kind = SENS_OPT_INT,
                  .fallback = 10,
                  .min = 2,
                  .max = MAX_SIDE + 1,
                  .help = "intervals a side; (n-1)^2 unknowns"},
    [OPTION_ALPHA] = {.name = "alpha",
                      .kind = SENS_OPT_REAL,
                      .fallback = 1,
                      .min = 1e-6,
                      .max = 1e6,
                      .help = "diffusivity, the parameter"},
    [OPTION_MX] = {.name = "mx",
                   .kind = SENS_OPT_INT,
                   .fallback = 1,
                   .min = 1,
                   .max = MAX_SIDE,
                   .help = "Fourier mode of the initial state in x, less than n"},
    [OPTION_MY] = {.name = "my",
                   .kind = SENS_OPT_INT,
                   .fallback = 1,
                   .min = 1,
                   .max = MAX_SIDE,
                   .help = "Fourier mode of the initial state in y, less than n"},
    [OPTION_T] =
        {.name = "T", .kind = SENS_OPT_REAL, .fallback = 0.1, .min = 1e-9, .max = 1e3, .help = "final time"},
    SENS_OPTIONS_END};

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *problem)
{
    const size_t n = (size_t)option[OPTION_N].number, side = n - 1;
    const unsigned mx = (unsigned)option[OPTION_MX].number, my = (unsigned)option[OPTION_MY].number;
    if (mx >= n || my >= n)
        return sens_fail(ctx, SENS_BAD_INPUT, "heat: modes mx=%u, my=%u need more than n=%zu intervals", mx,
                         my, n);
    struct heat *heat = SENS_NEW(ctx, struct heat, 1);
    sens_real *state = SENS_NEW(ctx, sens_real, side * side);
    sens_real *alpha = SENS_NEW(ctx, sens_real, 1);
    if (!heat || !state || !alpha) return SENS_NO_MEMORY;
    *heat = (struct heat){.n = n, .side = side, .mx = mx, .my = my};
    alpha[0] = option[OPTION_ALPHA].number;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) state[i * side + j] = (sens_real)(double)mode_value(heat, i, j);
    problem->n = side * side;
    problem->np = 1;
    problem->t1 = option[OPTION_T].number;
    problem->x0 = state;
    problem->p = alpha;
    problem->data = heat;
    return declare(ctx, side, problem);
}

SENS_PROBLEM(heat) = {
    .name = "heat",
    .summary = "heat equation on the unit square, five-point Laplacian, one parameter",
    .reference = "Martins and Lakshtanov, Appl. Math. Comput. 510 (2025) 129699, Tables 1-3",
    .options = options,
    .create = create,
    .rhs = rhs,
    .autonomous = true,
    .vjp = vjp,
    .jvp = jvp,
    .jvp_p_cols = jvp_p_cols,
    .vjp_p_batch = vjp_p_batch,
    .operations = operations,
    .exact = exact,
    .many_states = true,
};
