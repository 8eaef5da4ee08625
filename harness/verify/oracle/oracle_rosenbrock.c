/* Rosenbrock steps of the oracle, from the formula as it is published (sens/tableau.h), with dense systems solved
 * by GSL: with K_i = k_i / h, J = df/dx and f_t = df/dt at the start of the step,
 *
 *     (I - h gamma J) K_i = f(t + alpha_i h, Y_i) + h J sum_{j<i} gamma_ij K_j + h gamma_i f_t,
 *     Y_i = x + h sum_{j<i} alpha_ij K_j,      x+ = x + h sum_i b_i K_i
 *
 * Tangent, of a direction S by a parameter q or an initial state, with D_i along (h gamma_i, h sum_{j<=i} gamma_ij
 * K_j):
 *
 *     (I - h gamma J) L_i = J_i Z_i + f_q(t_i, Y_i) + h J sum_{j<i} gamma_ij L_j + (D_i f_x) S + D_i f_q
 *
 * Adjoint, with w_i for kappa_i and z_i = J^T w_i:
 *
 *     (I - h gamma J)^T w_i = h (b_i lambda + sum_{j>i} (alpha_ji theta_j + gamma_ji z_j)) + nodes
 *     lambda += sum_i (theta_i + (D_i f_x)^T w_i),      mu += sum_i (f_p(t_i, Y_i) + D_i f_p)^T w_i
 *
 * The running cost is taken at nodes of Gauss, at x + h sum_i B_i(theta) K_i. */
#include <string.h>

#include "oracle_run.h"

enum { NODES = 3 };

struct rosenbrock {
    const struct sens_tableau *tb;
    int nodes;
    double theta[NODES], weight[NODES];
    double *B;          /* [nodes][s] */
    double *node;       /* [n] */
    double *J;          /* [n][n] at the start of the step */
    double h;           /* before J, in the sweep */
    double *f_t;        /* [n] */
    double *u;          /* [n] sum_{j<=i} gamma_ij K_j */
    double *H, *P;      /* [n][n], [n][np]: D_i f_x, D_i f_p of the stage at hand */
    double *tau, *many; /* [n], [n][n]: a direction in n lanes */
    double *OUT, *MU;   /* [n][n], [np][n] */
    double *z;          /* [m][s][n] */
    double *extra;      /* [m][n] */
    double *eta;        /* [m][nodes][n] */
};

/* ---- creation ------------------------------------------------------------------------------------------ */

/* Gauss and Legendre's on [0, 1], of the order of the formula. */
static void find_nodes(struct rosenbrock *ros)
{
    const double two = 0.5 / sqrt(3), three = 0.5 * sqrt(0.6);
    const struct rosenbrock rule[NODES] = {
        {.theta = {0.5}, .weight = {1}},
        {.theta = {0.5 - two, 0.5 + two}, .weight = {0.5, 0.5}},
        {.theta = {0.5 - three, 0.5, 0.5 + three}, .weight = {5.0 / 18, 4.0 / 9, 5.0 / 18}}};
    ros->nodes = (ros->tb->order + 1) / 2;
    memcpy(ros->theta, rule[ros->nodes - 1].theta, sizeof ros->theta);
    memcpy(ros->weight, rule[ros->nodes - 1].weight, sizeof ros->weight);
}

void run_rosenbrock_create(struct run *run)
{
    struct verify *v = run->oracle->v;
    const struct sens_tableau *tb = run->oracle->tableau;
    const size_t n = run->n, s = (size_t)tb->stages;
    if (tb->family != SENS_FAMILY_ROSENBROCK) return;
    struct rosenbrock *ros = run->rosenbrock = verify_memory(v, 1, sizeof *ros);
    *ros = (struct rosenbrock){.tb = tb};
    find_nodes(ros);
    ros->B = verify_array(v, (size_t)ros->nodes * s);
    for (size_t q = 0; q < (size_t)ros->nodes; q++)
        for (size_t i = 0; i < s; i++)
            for (int d = 0; d < tb->dense_degree; d++)
                ros->B[q * s + i] +=
                    tb->dense[i * (size_t)tb->dense_degree + (size_t)d] * pow(ros->theta[q], d + 1);
    ros->node = verify_array(v, n), ros->f_t = verify_array(v, n), ros->u = verify_array(v, n);
    ros->J = verify_array(v, n * n), ros->H = verify_array(v, n * n), ros->P = verify_array(v, n * run->np);
    ros->tau = verify_array(v, n), ros->many = verify_array(v, n * n);
    ros->OUT = verify_array(v, n * n), ros->MU = verify_array(v, n * run->np);
    ros->z = verify_array(v, run->m * s * n), ros->extra = verify_array(v, run->m * n);
    ros->eta = verify_array(v, run->m * (size_t)ros->nodes * n);
}

/* ---- a step -------------------------------------------------------------------------------------------- */

static struct sens_at start_of(struct run *run, const struct scheme *scheme, long k)
{
    return run_input(run, scheme, scheme->t[k], scheme->h[k], run->state + (size_t)k * run->n);
}

static double gamma_ij(const struct rosenbrock *ros, int i, int j)
{
    return ros->tb->gamma[i * ros->tb->stages + j];
}

/* out += factor J v. */
static void add_J(const struct run *run, double factor, const double *v, double *out)
{
    const size_t n = run->n;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) out[r] += factor * run->rosenbrock->J[r * n + c] * v[c];
}

void run_rosenbrock_start(struct run *run, const struct scheme *scheme, long k)
{
    const struct sens_problem *pb = run->oracle->problem;
    struct rosenbrock *ros = run->rosenbrock;
    const struct sens_at at = start_of(run, scheme, k);
    pb->type->jvp(pb, &at, run->n, run->unit, ros->J);
    noise_touch(&run->noise, run->n * run->n, ros->J);
    if (pb->type->rhs_t) pb->type->rhs_t(pb, &at, ros->f_t);
    noise_touch(&run->noise, run->n, ros->f_t);
    run_implicit_factor(run, &at, scheme->h[k] * ros->tb->gamma[0], false);
}

sens_status run_rosenbrock_slope(struct run *run, const struct scheme *scheme, long k, int i, double *K)
{
    const struct rosenbrock *ros = run->rosenbrock;
    const size_t n = run->n;
    const double h = scheme->h[k];
    for (int j = 0; j < i; j++) add_J(run, h * gamma_ij(ros, i, j), run->K + (size_t)j * n, K);
    const double slope = scheme->factor[TERM_SLOPE_T] * h * sens_tableau_gamma(ros->tb, i);
    for (size_t q = 0; q < n; q++) K[q] += slope * ros->f_t[q];
    if (!run_solve(run, K)) return SENS_SINGULAR;
    noise_touch(&run->noise, n, K);
    return SENS_OK;
}

/* ---- second derivatives -------------------------------------------------------------------------------- */

/* The direction of D_i; its number, [n] in ros->u. */
static double direction_of(struct run *run, const struct scheme *scheme, long k, int i)
{
    struct rosenbrock *ros = run->rosenbrock;
    const double factor = scheme->h[k] * scheme->factor[TERM_SECOND];
    for (size_t q = 0; q < run->n; q++) {
        ros->u[q] = 0;
        for (int j = 0; j <= i; j++)
            ros->u[q] += factor * gamma_ij(ros, i, j) * run->K[(size_t)j * run->n + q];
    }
    noise_touch(&run->noise, run->n, ros->u);
    return factor * scheme->factor[TERM_SLOPE_T] * sens_tableau_gamma(ros->tb, i);
}

/* H and P of stage i, by n unit vectors. */
static void find_second(struct run *run, const struct scheme *scheme, long k, int i)
{
    const struct sens_problem *pb = run->oracle->problem;
    struct rosenbrock *ros = run->rosenbrock;
    const size_t n = run->n, np = run->np;
    const double tau = direction_of(run, scheme, k, i);
    const struct sens_at at = start_of(run, scheme, k);
    const struct sens_direction along = {.t = ros->tau, .x = ros->many};
    for (size_t l = 0; l < n; l++) ros->tau[l] = tau;
    for (size_t q = 0; q < n * n; q++) ros->many[q] = ros->u[q / n];
    memset(ros->MU, 0, n * np * sizeof *ros->MU);
    pb->type->hvp(pb, &at, n, &along, run->unit, ros->OUT, ros->MU);
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) ros->H[r * n + c] = ros->OUT[c * n + r];
        for (size_t p = 0; p < np; p++) ros->P[r * np + p] = ros->MU[p * n + r];
    }
    noise_touch(&run->noise, n * n, ros->H);
    noise_touch(&run->noise, n * np, ros->P);
}

/* ---- tangent ------------------------------------------------------------------------------------------- */

void run_rosenbrock_tangent(struct run *run, long k, int i)
{
    if (i == 0) run_rosenbrock_start(run, run->forward, k);
    find_second(run, run->forward, k, i);
}

void run_rosenbrock_direction(struct run *run, long k, int i, size_t parameter, const double *S, double *L)
{
    const struct rosenbrock *ros = run->rosenbrock;
    const size_t n = run->n;
    double *const own = L + (size_t)i * n;
    for (int j = 0; j < i; j++) add_J(run, run->forward->h[k] * gamma_ij(ros, i, j), L + (size_t)j * n, own);
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) own[r] += ros->H[r * n + c] * S[c];
        if (parameter < run->np) own[r] += ros->P[r * run->np + parameter];
    }
    if (!run_solve(run, own)) own[0] = NAN;
    noise_touch(&run->noise, n, own);
}

/* ---- the cost's nodes ---------------------------------------------------------------------------------- */

int run_rosenbrock_nodes(const struct run *run)
{
    return run->rosenbrock ? run->rosenbrock->nodes : 0;
}

const double *run_rosenbrock_weights(const struct run *run, int q)
{
    return run->rosenbrock->B + (size_t)(q * run->rosenbrock->tb->stages);
}

struct sens_at run_rosenbrock_node(struct run *run, const struct scheme *scheme, long k, int q, double *w)
{
    struct rosenbrock *ros = run->rosenbrock;
    const double h = scheme->h[k];
    run_combine(run->n, run->state + (size_t)k * run->n, h, scheme->stages, run_rosenbrock_weights(run, q),
                run->K, ros->node);
    noise_touch(&run->noise, run->n, ros->node);
    *w = scheme->hq[k] * ros->weight[q];
    return run_input(run, scheme, scheme->t[k] + ros->theta[q] * h, h, ros->node);
}

/* ---- adjoint ------------------------------------------------------------------------------------------- */

static long step_from(const struct scheme *scheme, long k, long shift)
{
    return k + shift < 0 || k + shift >= scheme->steps ? k : k + shift;
}

static bool is_transposed(const struct scheme *scheme)
{
    return !scheme->not_transposed && !scheme->matrix_not_transposed;
}

/* J, its h and the matrix of the sweep: those of the step, or as a fault another's. */
static void start_reverse(struct run *run, const struct scheme *scheme, long k)
{
    struct rosenbrock *ros = run->rosenbrock;
    const long from = step_from(scheme, k, scheme->J_from);
    run_rosenbrock_start(run, scheme, from);
    const struct sens_at at = start_of(run, scheme, from);
    ros->h = scheme->h[step_from(scheme, k, scheme->h_gamma_from)];
    run_implicit_factor(run, &at, ros->h * ros->tb->gamma[0], is_transposed(scheme));
}

void run_rosenbrock_reverse_start(struct run *run, size_t count, const size_t *row, long k)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    struct rosenbrock *ros = run->rosenbrock;
    const size_t n = run->n, nodes = (size_t)ros->nodes;
    start_reverse(run, scheme, k);
    memset(ros->extra, 0, run->m * n * sizeof *ros->extra);
    memset(ros->eta, 0, run->m * nodes * n * sizeof *ros->eta);
    for (size_t q = 0; q < nodes && cost->type->g_dx; q++) {
        double w;
        const struct sens_at at = run_rosenbrock_node(run, scheme, k, (int)q, &w);
        for (size_t e = 0; e < count; e++) {
            double *const eta = ros->eta + (e * nodes + q) * n;
            cost->type->g_dx(cost, &at, scheme->factor[TERM_G_X] * w, scheme->g_row[row[e]], 1, eta);
            noise_touch(&run->noise, n, eta);
            for (size_t r = 0; r < n; r++) ros->extra[e * n + r] += eta[r];
        }
    }
}

/* kappa += what later stages' J K and the nodes add, then the solution, for output e; the second derivatives. */
void run_rosenbrock_cotangent(struct run *run, long k, int i, size_t e, double *kappa, double *mu)
{
    const struct sens_problem *pb = run->oracle->problem;
    const struct scheme *scheme = run->reverse;
    struct rosenbrock *ros = run->rosenbrock;
    const size_t n = run->n, s = (size_t)scheme->stages, nodes = (size_t)ros->nodes;
    double *const z = ros->z + (e * s + (size_t)i) * n;
    const double h = scheme->h[k];
    for (size_t r = 0; r < n; r++) {
        for (int j = i + 1; j < scheme->stages; j++)
            kappa[r] += ros->h * gamma_ij(ros, j, i) * ros->z[(e * s + (size_t)j) * n + r];
        for (size_t q = 0; q < nodes; q++)
            kappa[r] += h * ros->B[q * s + (size_t)i] * ros->eta[(e * nodes + q) * n + r];
    }
    if (!run_solve(run, kappa)) kappa[0] = NAN;
    noise_touch(&run->noise, n, kappa);
    for (size_t c = 0; c < n; c++) {
        z[c] = 0;
        for (size_t r = 0; r < n; r++)
            z[c] += ros->J[is_transposed(scheme) ? r * n + c : c * n + r] * kappa[r];
    }
    const double tau = direction_of(run, scheme, k, i);
    const struct sens_at at = start_of(run, scheme, k);
    pb->type->hvp(pb, &at, 1, &(struct sens_direction){.t = &tau, .x = ros->u}, kappa, ros->OUT, mu);
    noise_touch(&run->noise, n, ros->OUT);
    for (size_t r = 0; r < n; r++) ros->extra[e * n + r] += ros->OUT[r];
}

const double *run_rosenbrock_extra(const struct run *run, size_t e)
{
    return run->rosenbrock->extra + e * run->n;
}
