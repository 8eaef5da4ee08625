/* Explicit steps on grids whose df/dx is one sparse matrix: what all stages do together, against the same steps stage
 * by stage, which is what the methods do where nothing is declared. */
#include <float.h>

#include "grid_step.h"
#include "support.h"

enum { SIDE = 7, LINES = 6, N = SIDE * LINES, NP = 2, STEPS = 12 };

/* ---- a problem whose matrix has no symmetry ----------------------------------------------------------------- */

/* x' = J(p) x + p_1 sin(t + i), with rows of three kinds and neighbours that weigh differently. */
static double entry(size_t i, size_t j, const double *p)
{
    const bool beside = i / SIDE == j / SIDE;
    if (i == j) return -(p[0] + (1 + (double)(i % 3)) * p[1]);
    if (beside && j + 1 == i) return 1.5 * p[0];
    if (beside && j == i + 1) return p[1] * p[1];
    if (j + SIDE == i) return p[0] * p[1];
    return j == i + SIDE ? 0.3 * p[1] : 0;
}

static double entry_by(size_t i, size_t j, size_t k, const double *p)
{
    const double unit[NP] = {k == 0, k == 1};
    if (i != j && i / SIDE == j / SIDE && j == i + 1) return k == 1 ? 2 * p[1] : 0;
    if (j + SIDE == i) return p[1 - k];
    return entry(i, j, unit);
}

static bool joined(size_t i, size_t j)
{
    return entry(i, j, (double[]){1, 1}) != 0;
}

static sens_status field_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    for (size_t i = 0; i < N; i++) {
        dx[i] = at->p[1] * sin(at->t + (double)i);
        for (size_t j = 0; j < N; j++) dx[i] += entry(i, j, at->p) * at->x[j];
    }
    return SENS_OK;
}

static void field_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    (void)pb;
    for (size_t q = 0; q < N * L; q++) {
        OUT[q] = 0;
        for (size_t i = 0; i < N; i++) OUT[q] += entry(i, q / L, at->p) * W[i * L + q % L];
    }
}

static void field_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    (void)pb;
    for (size_t q = 0; q < N * L; q++) {
        OUT[q] = 0;
        for (size_t j = 0; j < N; j++) OUT[q] += entry(q / L, j, at->p) * V[j * L + q % L];
    }
}

static double by_parameter(size_t i, size_t k, double t, const double *x, const double *p)
{
    double sum = k == 1 ? sin(t + (double)i) : 0;
    for (size_t j = 0; j < N; j++) sum += entry_by(i, j, k, p) * x[j];
    return sum;
}

static void field_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                          double *OUT)
{
    (void)pb;
    for (size_t q = 0; q < N * L; q++) OUT[q] += by_parameter(q / L, k0 + q % L, at->t, at->x, at->p);
}

static void field_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    (void)pb;
    for (size_t k = 0; k < K; k++)
        for (size_t q = 0; q < NP * N; q++) {
            const double value = by_parameter(q % N, q / N, t[k], X + k * N, p);
            for (size_t l = 0; l < L; l++) MU[q / N * L + l] += value * W[(k * N + q % N) * L + l];
        }
}

static void field_jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    const struct sens_pattern *const pattern = pb->structure->sparsity;
    for (size_t i = 0; i < N; i++)
        for (size_t e = pattern->start[i]; e < pattern->start[i + 1]; e++)
            J[e] = entry(i, pattern->col[e], at->p);
}

static void field_jacobian_p(const struct sens_problem *pb, const struct sens_at *at, double *value)
{
    (void)pb;
    for (size_t q = 0; q < NP * N; q++) value[q] = by_parameter(q % N, q / N, at->t, at->x, at->p);
}

static const struct sens_problem_type field = {.name = "field",
                                               .rhs = field_rhs,
                                               .vjp = field_vjp,
                                               .jvp = field_jvp,
                                               .jvp_p_cols = field_columns,
                                               .vjp_p_batch = field_batch};

struct declared {
    struct sens_pattern sparsity, sparsity_p;
    struct sens_structure structure;
    size_t start[N + 1], col[N * 5], start_p[NP + 1], col_p[NP * N];
};

static void declare(struct declared *d)
{
    d->start[0] = 0;
    for (size_t i = 0; i < N; i++) {
        d->start[i + 1] = d->start[i];
        for (size_t j = 0; j < N; j++)
            if (joined(i, j) || joined(j, i)) d->col[d->start[i + 1]++] = j;
    }
    for (size_t k = 0; k <= NP; k++) d->start_p[k] = k * N;
    for (size_t q = 0; q < NP * N; q++) d->col_p[q] = q % N;
    d->sparsity = (struct sens_pattern){N, N, d->start, d->col};
    d->sparsity_p = (struct sens_pattern){NP, N, d->start_p, d->col_p};
    d->structure = (struct sens_structure){.jacobian = field_jacobian,
                                           .jacobian_p = field_jacobian_p,
                                           .sparsity = &d->sparsity,
                                           .sparsity_p = &d->sparsity_p,
                                           .jacobian_constant = true};
}

/* ---- beds --------------------------------------------------------------------------------------------------- */

static struct declared declared; /* of `field` */

/* The heat problem of as many states or a few less, and `field`, on the bed of one that has as many. */
static void create(struct method_bed *bed, bool heat, const char *cost, bool whole)
{
    static const double p[NP] = {0.7, 1.3};
    static double x0[N];
    for (size_t i = 0; i < N; i++) x0[i] = 1 + 0.5 * sin(0.3 * (double)(i * i));
    bed_create(bed, heat ? "heat" : "chain", cost, "n", heat ? (double)SIDE : (double)N, "T",
               heat ? 0.05 : 0.8, NULL);
    if (!heat) {
        bed->problem = (struct sens_problem){.type = &field,
                                             .n = N,
                                             .np = NP,
                                             .t0 = bed->problem.t0,
                                             .t1 = bed->problem.t1,
                                             .x0 = x0,
                                             .p = p,
                                             .structure = &declared.structure};
        bed->cost.np = NP;
    }
    if (!whole) bed->problem.structure = NULL;
    bed->task.parts = SENS_IN_GRADIENT;
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_task_asks(&bed->task, k) && !bed->out.part[k])
            bed->out.part[k] = SENS_NEW(&bed->ctx, sens_real, bed_count(bed, k));
}

static double apart(size_t count, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (size_t q = 0; q < count; q++) most = fmax(most, fabs(a[q] - b[q])), size = fmax(size, fabs(b[q]));
    return most / size;
}

struct shape {
    const char *method, *tableau, *cost;
    bool heat;
    int lanes, threads;
    long ckpt; /* 0: all stages are kept */
    unsigned parts;
};

static double *solve(const struct shape *shape, bool whole, struct method_bed *bed, size_t *count)
{
    create(bed, shape->heat, shape->cost, whole);
    fix_steps(bed, named(bed->registry->tableaux, shape->tableau), STEPS);
    if (strcmp(shape->method, "discrete_adjoint") == 0) bed->task.ckpt = bed_every(bed, shape->ckpt);
    bed->task.lanes = shape->lanes, bed->task.threads = shape->threads;
    if (shape->parts) bed->task.parts = shape->parts;
    const sens_status status = bed_run(bed, shape->method, NULL);
    if (status != SENS_OK)
        fail_msg("%s, %s, heat %d: %s %s", shape->method, shape->tableau, shape->heat,
                 sens_status_name(status), bed->ctx.message);
    return bed_gradient(bed, count);
}

/* Is the gradient that of steps taken stage by stage, to the rounding of both? At most 4e-15 of the largest entry was
 * met. */
static void require_same(const struct shape *shape)
{
    struct method_bed one, other;
    size_t count;
    double *const got = solve(shape, true, &one, &count), *const want = solve(shape, false, &other, &count);
    const double far = apart(count, got, want);
    if (!(far < 1e-13))
        fail_msg("%s, %s, %s, %s, %d lanes, %d threads, ckpt %ld, parts %u: %g apart", shape->method,
                 shape->heat ? "heat" : "field", shape->tableau, shape->cost, shape->lanes, shape->threads,
                 shape->ckpt, shape->parts, far);
    free(got), free(want);
    bed_free(&one), bed_free(&other);
}

/* ---- tests -------------------------------------------------------------------------------------------------- */

static const char *const methods[] = {"discrete_adjoint", "casa_dense", "casa_reverse"};

static void gradients_are_those_of_stages(void **state)
{
    (void)state;
    const struct sens_tableau *const *all = sens_registry_baseline()->tableaux;
    for (; *all; all++) {
        if ((*all)->family != SENS_FAMILY_EXPLICIT) continue;
        for (int k = 0; k < 3; k++)
            for (int heat = 0; heat < 2; heat++)
                require_same(&(struct shape){methods[k], (*all)->name, "identity", heat, 0, 1, 0, 0});
    }
}

/* Whole vectors, others, and more than outputs; checkpoints; parts of the gradient; several times of observation. */
static void gradients_in_any_shape(void **state)
{
    (void)state;
    static const int lanes[] = {1, 2, 3, 4, 8, 12, 16, 64};
    for (int k = 0; k < 3; k++)
        for (int heat = 0; heat < 2; heat++) {
            for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
                require_same(&(struct shape){methods[k], "rk4", "identity", heat, lanes[l], 1, 0, 0});
            require_same(&(struct shape){methods[k], "cash_karp", "snapshots", heat, 0, 1, 0, 0});
            require_same(&(struct shape){methods[k], "dopri5", "identity", heat, 0, 1, 0, SENS_IN_DGDP});
            require_same(&(struct shape){methods[k], "dopri5", "identity", heat, 0, 1, 0, SENS_IN_DGDX0});
            require_same(&(struct shape){methods[k], "euler", "terminal", heat, 0, 1, 0, SENS_IN_DGDX0});
        }
    for (int heat = 0; heat < 2; heat++)
        for (long ckpt = 1; ckpt <= 5; ckpt += 2)
            require_same(&(struct shape){"discrete_adjoint", "rk4", "identity", heat, 0, 2, ckpt, 0});
}

/* sum_k r_k (h (shift + scale y))^k */
static long double stability_at(const struct grid_step *step, const struct wave_matrix *matrix, double h,
                                long double y)
{
    const long double z = (long double)h * ((long double)matrix->shift + (long double)matrix->scale * y);
    long double sum = 0, power = 1;
    for (size_t k = 0; k <= step->degree; k++, power *= z) sum += step->r[k] * power;
    return sum;
}

/* The same by the polynomial in A, and the sum of the absolute values of its terms. */
static long double polynomial_at(const struct grid_step *step, const struct wave_matrix *matrix, double h,
                                 long double y, long double *size)
{
    double q[SENS_WAVE_DEGREE + 1];
    long double sum = 0, power = 1;
    wave_matrix_polynomial(matrix, h, step->degree, step->r, q);
    *size = 0;
    for (size_t k = 0; k <= step->degree; k++, power *= y)
        sum += (long double)q[k] * power, *size += fabsl((long double)q[k] * power);
    return sum;
}

/* Of a matrix, a formula and a step: is the polynomial right in all of the spectrum, to the last digits of its terms
 * there, and at the eigenvalue 0 of J^T if that is in the spectrum or near it? */
static void require_all_modes(const struct grid_step *step, const struct wave_matrix *matrix, double h)
{
    enum { PLACES = 41 };
    const long double most = matrix->most, y0 = -(long double)matrix->shift / (long double)matrix->scale;
    long double size, of_slow;
    const long double slow = polynomial_at(step, matrix, h, y0, &of_slow) - 1;
    const long double near = fabsl(y0) <= 1.25L * most ? of_slow : 0;
    for (int i = 0; i < PLACES; i++) {
        const long double y = most * (2.0L * i / (PLACES - 1) - 1),
                          far = fabsl(polynomial_at(step, matrix, h, y, &size) -
                                      stability_at(step, matrix, h, y));
        if (!(far <= 2 * DBL_EPSILON * (size + near)))
            fail_msg("%s, shift %g, scale %g, h %g: %Lg at %Lg, of %Lg", step->task->tableau->name,
                     matrix->shift, matrix->scale, h, far, y, size);
    }
    if (fabsl(y0) == most && !(fabsl(slow) <= 1e-18L * of_slow))
        fail_msg("%s, h %g: %Lg from 1", step->task->tableau->name, h, slow);
}

/* Wherever in the spectrum the eigenvalue 0 of J^T lies, or far from it, as of couplings that are weak, or so weak that
 * their powers underflow. Where it lies at the end, as of diffusion, the polynomial is 1 there to a hundredth of a last
 * digit of its terms, for it is the same in each step, and rounding would add up in modes of which a step leaves nearly
 * all: 4e-17 of the terms and more where each coefficient is rounded by itself. */
static void polynomials_are_right_in_all_modes(void **state)
{
    (void)state;
    enum { MOST = 4 };
    static const double relative[] = {-40, -4, -3.9, -3, -2.1, -1, -0.1, -1e-3, -1e-6, 1e-9, 0.5, 2, 4, 7};
    static const double rates[] = {-6, -4, -2.5, -1.9, -0.5, 1e-9, 3};
    static const double scales[] = {1, -1, 1e-6, -1e-30, 1e-90, 1e-200};
    enum { RELATIVE = sizeof relative / sizeof *relative, RATES = sizeof rates / sizeof *rates };
    const struct sens_tableau *const *all = sens_registry_baseline()->tableaux;
    for (; *all; all++) {
        struct method_bed bed;
        struct grid_step step;
        if ((*all)->family != SENS_FAMILY_EXPLICIT) continue;
        create(&bed, true, "identity", true);
        fix_steps(&bed, *all, STEPS);
        assert_int_equal(grid_step_create(&bed.ctx, &bed.task, 4, &step), SENS_OK);
        for (size_t c = 0; c < sizeof scales / sizeof *scales; c++)
            for (size_t s = 0; s < RELATIVE + RATES; s++)
                for (double h = 1e-4; h <= 1; h *= 1.7) {
                    const double shift = s < RELATIVE ? relative[s] * scales[c] : rates[s - RELATIVE];
                    require_all_modes(&step,
                                      &(struct wave_matrix){
                                          .A.ones = true, .shift = shift, .scale = scales[c], .most = MOST},
                                      s < RELATIVE ? h : 1);
                }
        bed_free(&bed);
    }
}

/* r_k = b^T A^(k-1) 1, here from the left. Coefficients of dop853 go up to 40: in double the sums would be off by
 * 2e-14, and a step at h |J| = 4 by a thousand times that. */
static void large_coefficients_cost_no_digits(void **state)
{
    (void)state;
    struct method_bed bed;
    struct grid_step step;
    long double row[SENS_WAVE_DEGREE];
    create(&bed, true, "identity", true);
    const struct sens_tableau *const tb = named(bed.registry->tableaux, "dop853");
    fix_steps(&bed, tb, STEPS);
    assert_int_equal(grid_step_create(&bed.ctx, &bed.task, 4, &step), SENS_OK);
    assert_int_equal(step.degree, tb->stages);
    for (int j = 0; j < tb->stages; j++) row[j] = tb->b[j];
    for (int k = 1; k <= tb->stages; k++) {
        long double sum = 0, next[SENS_WAVE_DEGREE] = {0};
        for (int j = 0; j < tb->stages; j++) sum += row[j];
        if (!(fabsl(step.r[k] - sum) <= 1e-16L * fabsl(sum)))
            fail_msg("r_%d: %Lg and %Lg", k, step.r[k], sum);
        for (int i = 0; i < tb->stages; i++)
            for (int j = 0; j < i; j++) next[j] += row[i] * (long double)sens_tableau_a(tb, i, j);
        memcpy(row, next, sizeof row);
    }
    bed_free(&bed);
}

/* Threads share outputs out, and checkpoints find a step's matrix again: neither changes a bit. */
static void threads_and_checkpoints_change_no_bit(void **state)
{
    (void)state;
    for (int heat = 0; heat < 2; heat++) {
        struct shape shape = {"discrete_adjoint", "cash_karp", "identity", heat, 4, 1, 0, 0};
        struct method_bed first, bed;
        size_t count;
        double *const want = solve(&shape, true, &first, &count);
        for (shape.threads = 1; shape.threads <= 4; shape.threads++)
            for (shape.ckpt = 0; shape.ckpt <= 4; shape.ckpt += 2) {
                double *const got = solve(&shape, true, &bed, &count);
                assert_true(memcmp(got, want, count * sizeof *got) == 0);
                free(got);
                bed_free(&bed);
            }
        free(want);
        bed_free(&first);
    }
}

/* All stages at once multiply each output by as many powers of J as the formula has stages that matter, and by one
 * matrix for dG/dp; that takes a product a stage and parameter, for each step once, or for each thread. */
static void products_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *tableau;
        size_t degree, stages;
    } formula[] = {{"euler", 1, 1}, {"rk4", 4, 4}, {"dopri5", 6, 7}, {"cash_karp", 6, 6}};
    for (size_t k = 0; k < sizeof formula / sizeof *formula; k++) {
        struct method_bed bed;
        size_t count;
        const struct shape shape = {"discrete_adjoint", formula[k].tableau, "identity", false, 2, 1, 0, 0};
        free(solve(&shape, true, &bed, &count));
        assert_int_equal(bed.work.vjp, STEPS * formula[k].degree * N);
        assert_int_equal(bed.work.vjp_p, STEPS * N);
        assert_int_equal(bed.work.jvp, STEPS * formula[k].stages * NP);
        assert_int_equal(bed.work.jvp_p, STEPS * formula[k].stages * NP);
        assert_int_equal(bed.work.batch, 0);
        bed_free(&bed);
    }
}

/* Few outputs are not worth a step's matrix; a running cost and steps with a matrix of their own have none: stage by
 * stage, an output is multiplied once for dG/dp at each stage. */
static void others_go_stage_by_stage(void **state)
{
    (void)state;
    static const char *const costs[] = {"terminal", "running"};
    for (int k = 0; k < 2; k++) {
        struct method_bed bed;
        size_t count;
        const struct shape shape = {"discrete_adjoint", "rk4", costs[k], false, 0, 1, 0, 0};
        free(solve(&shape, true, &bed, &count));
        assert_true(bed.work.vjp_p >= (size_t)4 * STEPS * bed.cost.m && bed.work.jvp == 0);
        bed_free(&bed);
    }
}

/* An end that overflows is refused, not written. */
static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct method_bed bed;
        create(&bed, false, "identity", true);
        fix_steps(&bed, named(bed.registry->tableaux, "rk4"), STEPS);
        const double p[NP] = {1e100, 1e100};
        bed.problem.p = p;
        bed.out.dGdp[0] = -77;
        assert_true(bed_run(&bed, methods[k], NULL) != SENS_OK);
        assert_true(bed.out.dGdp[0] == -77);
        bed_free(&bed);
    }
}

int main(void)
{
    declare(&declared);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_stages),
        cmocka_unit_test(gradients_in_any_shape),
        cmocka_unit_test(polynomials_are_right_in_all_modes),
        cmocka_unit_test(large_coefficients_cost_no_digits),
        cmocka_unit_test(threads_and_checkpoints_change_no_bit),
        cmocka_unit_test(products_are_counted),
        cmocka_unit_test(others_go_stage_by_stage),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
