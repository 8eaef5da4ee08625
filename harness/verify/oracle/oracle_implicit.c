/* Implicit stages of the oracle: dense systems with J from products with unit vectors, solved by GSL.
 *
 *     Y = base + z,   z = h a_ii f(t_i, Y):      (I - h a_ii J(Y)) d = h a_ii f(Y) - z,   z += d
 *
 * or with a mass matrix M, whose K_i are those of M K_i = f(t_i, Y_i),
 *
 *     M z = h a_ii f(t_i, Y):   (M - h a_ii J(Y)) d = h a_ii f(Y) - M z,
 *
 * by Newton's method, until corrections are rounding; near the solution, while corrections fall tenfold, J is that of
 * the iterate before. The last correction is then made once more, with noise and its own J: what errors of f do to the
 * stage goes through the same matrix as f. */
#include <gsl/gsl_linalg.h>
#include <string.h>

#include "oracle_run.h"

bool run_iterates(struct iteration *it)
{
    enum { LEAST = 7, MOST = 50 };
    const double near = 1e-3, rounding = 1e-10; /* of corrections, relative */
    if (it->count == 0) {
        *it = (struct iteration){.count = 1, .size = INFINITY, .before = INFINITY, .anew = true};
        return true;
    }
    const bool falls = it->size < it->before / 2, tried = it->count >= LEAST && it->anew;
    if (it->count == MOST || it->size <= DBL_EPSILON || (!falls && (tried || it->size < rounding)))
        return false;
    it->anew = !(it->size <= near && it->size < it->before / 10);
    it->before = it->size;
    it->count++;
    return true;
}

void run_mass_create(struct run *run)
{
    const struct sens_mass *const mass = run->oracle->problem->mass;
    if (!mass) return;
    const size_t n = run->n;
    run->mass = verify_array(run->oracle->v, n * n);
    for (size_t i = 0; i < n; i++) {
        double largest = 0;
        for (size_t e = mass->pattern.start[i]; e < mass->pattern.start[i + 1]; e++) {
            run->mass[i * n + mass->pattern.col[e]] = mass->value[e];
            largest = fmax(largest, fabs(mass->value[e]));
        }
        run->algebraic = run->algebraic || largest == 0;
    }
}

void run_entries_create(struct run *run)
{
    enum { FORMED_LARGEST = 32 }; /* states: of more, explicit steps take products */
    struct verify *v = run->oracle->v;
    const size_t n = run->n, stages = run->coupled ? (size_t)run->forward->stages : 1;
    if (run->oracle->tableau->family == SENS_FAMILY_EXPLICIT && n > FORMED_LARGEST) return;
    run->unit = verify_array(v, n * n);
    run->J = verify_array(v, n * n);
    run->moved = verify_array(v, stages * n * n);
    for (size_t q = 0; q < n; q++) run->unit[q * n + q] = 1;
}

void run_implicit_create(struct run *run)
{
    struct verify *v = run->oracle->v;
    const size_t n = run->n;
    const enum sens_family family = run->oracle->tableau->family;
    if (family == SENS_FAMILY_EXPLICIT || family == SENS_FAMILY_FIRK) return;
    run->M = verify_array(v, n * n);
    run->base = verify_array(v, n);
    run->d = verify_array(v, n);
    run->order = verify_memory(v, n, sizeof *run->order);
    run->unknowns = n;
    run_mass_create(run);
}

void run_factor(struct run *run)
{
    int sign;
    gsl_matrix_view matrix = gsl_matrix_view_array(run->M, run->unknowns, run->unknowns);
    gsl_permutation permutation = {run->unknowns, run->order};
    gsl_linalg_LU_decomp(&matrix.matrix, &permutation, &sign);
}

bool run_solve(const struct run *run, double *x)
{
    const size_t all = run->unknowns;
    for (size_t q = 0; q < all; q++)
        if (!isfinite(x[q]) || !isfinite(run->M[q * all + q]) || run->M[q * all + q] == 0) return false;
    gsl_matrix_view matrix = gsl_matrix_view_array(run->M, all, all);
    gsl_vector_view vector = gsl_vector_view_array(x, all);
    gsl_permutation permutation = {all, run->order};
    gsl_linalg_LU_svx(&matrix.matrix, &permutation, &vector.vector);
    return true;
}

double run_mass_entry(const struct run *run, bool transposed, size_t i, size_t j)
{
    const size_t at = transposed ? j * run->n + i : i * run->n + j;
    return run->mass ? run->mass[at] : i == j;
}

void run_move_entries(struct run *run, int i, double *J)
{
    const size_t count = run->n * run->n;
    double *const moved = run->moved ? run->moved + (run->coupled ? (size_t)i * count : 0) : NULL;
    for (size_t q = 0; q < count && moved; q++) moved[q] = J[q];
    noise_touch(&run->noise, count, J);
    for (size_t q = 0; q < count && moved; q++) moved[q] = J[q] - moved[q];
}

void run_form_entries(struct run *run, int i, const struct sens_at *at, bool transposed)
{
    const struct sens_problem *pb = run->system;
    if (!run->moved || run->noise.relative == 0) return;
    (transposed ? pb->type->vjp : pb->type->jvp)(pb, at, run->n, run->unit, run->J);
    run_move_entries(run, i, run->J);
}

void run_add_moved(const struct run *run, int i, const double *v, double *out)
{
    const size_t n = run->n;
    if (!run->moved || run->noise.relative == 0) return;
    const double *const moved = run->moved + (run->coupled ? (size_t)i * n * n : 0);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) out[r] += moved[r * n + c] * v[c];
}

void run_implicit_factor(struct run *run, const struct sens_at *at, double h_gamma, bool transposed)
{
    const struct sens_problem *pb = run->system;
    const size_t n = run->n;
    if (transposed)
        pb->type->vjp(pb, at, n, run->unit, run->M);
    else
        pb->type->jvp(pb, at, n, run->unit, run->M);
    run_move_entries(run, 0, run->M);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            run->M[i * n + j] = run_mass_entry(run, transposed, i, j) - h_gamma * run->M[i * n + j];
    run_factor(run);
}

bool run_mass_solve(struct run *run, bool transposed, double *K)
{
    const size_t n = run->n;
    for (size_t i = 0; i < n && run->algebraic; i++) K[i] = 0;
    if (run->algebraic) return true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) run->M[i * n + j] = run_mass_entry(run, transposed, i, j);
    run_factor(run);
    const bool solved = run_solve(run, K);
    noise_touch(&run->noise, n, K);
    return solved;
}

double run_mass_times(const struct run *run, size_t i, const double *z)
{
    double sum = run->mass ? 0 : z[i];
    for (size_t j = 0; run->mass && j < run->n; j++) sum += run->mass[i * run->n + j] * z[j];
    return sum;
}

/* z += d at a point, with the matrix there if it is `anew`; *size: the largest correction relative to its component. */
static sens_status correct(struct run *run, const struct sens_at *at, double h_gamma, bool anew, double *z,
                           double *size)
{
    const struct sens_problem *pb = run->system;
    const sens_status status = pb->type->rhs(pb, at, run->d);
    if (status != SENS_OK) return status;
    noise_touch(&run->noise, run->n, run->d);
    for (size_t q = 0; q < run->n; q++) run->d[q] = h_gamma * run->d[q] - run_mass_times(run, q, z);
    if (anew) run_implicit_factor(run, at, h_gamma, false);
    if (!run_solve(run, run->d)) return SENS_SINGULAR;
    *size = 0;
    for (size_t q = 0; q < run->n; q++) {
        z[q] += run->d[q];
        if (run->d[q] != 0) *size = fmax(*size, fabs(run->d[q]) / fabs(run->base[q] + z[q]));
    }
    return SENS_OK;
}

/* Without noise. */
static sens_status iterate(struct run *run, double t, double h_gamma, double *Y, double *z)
{
    const struct noise noise = run->noise;
    struct iteration it = {.count = 0};
    sens_status status = SENS_OK;
    run->noise = (struct noise){.relative = 0};
    while (status == SENS_OK && run_iterates(&it)) {
        const struct sens_at at = {t, Y, run->p};
        status = correct(run, &at, h_gamma, it.anew, z, &it.size);
        for (size_t q = 0; q < run->n; q++) Y[q] = run->base[q] + z[q];
    }
    run->noise = noise;
    return status;
}

/* Where Newton's method ends is no rounding of the solution, but some of them away: solvers stop at 64 of them, and
 * mostly are nearer. What f makes of that goes through the same matrix: nothing where the step is short, all of it
 * where it is stiff. */
static const double *solved_input(struct run *run, const double *Y)
{
    enum { ROUNDINGS = 16 };
    struct noise wide = run->noise;
    wide.relative *= ROUNDINGS;
    const double *const touched = noise_input(&wide, run->n, Y, run->x_in);
    run->noise.state = wide.state;
    return touched;
}

sens_status run_implicit_stage(struct run *run, double h_gamma, const struct sens_at *at, double *Y,
                               double *z)
{
    const size_t n = run->n;
    double size;
    memcpy(run->base, Y, n * sizeof *Y);
    memset(z, 0, n * sizeof *z);
    sens_status status = iterate(run, at->t, h_gamma, Y, z);
    if (status != SENS_OK || run->noise.relative == 0) return status;
    const double *const touched = solved_input(run, Y);
    status = correct(run, &(struct sens_at){at->t, touched, at->p}, h_gamma, true, z, &size);
    for (size_t q = 0; q < n; q++) Y[q] = run->base[q] + z[q];
    noise_touch(&run->noise, n, Y);
    return status;
}
