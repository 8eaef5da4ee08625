/* The discrete adjoint and the discrete tangent: equal to each other, to closed forms of the discrete map,
 * and to identities that hold to rounding, for every problem, cost, tableau, checkpoint policy and lane
 * count. */
#include "support.h"

/* Adjoint and tangent sum the same products in opposite order; each of the k steps adds a few roundings,
 * amplified no more than the gradient itself. Stiff problems at their stability boundary amplify by the
 * intermediate sensitivities; 1e-9 still leaves seven digits above any truncation error of
 * these tolerances. */
static const double to_rounding = 1e-9;

/* An adaptive explicit solve of a semi-discrete PDE rides on its stability boundary, where rounding in the
 * fast modes grows until the error test sees the state's share of it, at tol; with a stable fixed step it
 * does not grow. */
static void stay_inside_stability(struct method_bed *bed)
{
    const struct sens_problem_type *type = bed->problem.type;
    if (!type->many_states && strcmp(type->name, "conduction") != 0) return;
    bed->task.controller = named(bed->registry->controllers, "fixed");
    bed->task.dt = (bed->problem.t1 - bed->problem.t0) / 100;
}

/* A size at which the adjoint takes df/dx of glv as a coupling matrix, where there are outputs enough. */
static const double coupled_size = 12;

/* n 0: the problem's own size. */
static void create_sized(struct method_bed *bed, const char *problem, double n, const char *cost)
{
    bed_create(bed, problem, cost, n > 0 ? "n" : (const char *)NULL, n, NULL);
}

static void check_pair(const char *problem, double n, const char *cost)
{
    struct method_bed bed;
    create_sized(&bed, problem, n, cost);
    stay_inside_stability(&bed);
    size_t count;
    assert_int_equal(bed_run(&bed, "discrete_tangent", NULL), SENS_OK);
    sens_real *tangent = bed_gradient(&bed, &count);
    memset(bed.out.dGdp, 0xff, bed.cost.m * bed.problem.np * sizeof(sens_real));
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    sens_real *adjoint = bed_gradient(&bed, &count);
    const double error = relative_error(count, adjoint, tangent);
    if (!(error <= to_rounding))
        fail_msg("%s, n = %zu, %s: adjoint differs from tangent by %g", problem, bed.problem.n, cost, error);
    free(adjoint);
    free(tangent);
    bed_free(&bed);
}

static void adjoint_equals_tangent(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++)
        for (size_t j = 0; reg->costs[j]; j++) check_pair(reg->problems[i]->name, 0, reg->costs[j]->name);
    for (size_t j = 0; reg->costs[j]; j++) check_pair("glv", coupled_size, reg->costs[j]->name);
}

static void every_tableau(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->tableaux[i]; i++) {
        struct method_bed bed;
        size_t count;
        bed_create(&bed, "forced", "running", NULL);
        bed.task.tableau = reg->tableaux[i];
        bed.task.controller = named(reg->controllers, "fixed");
        bed.task.dt = (bed.problem.t1 - bed.problem.t0) / 16;
        assert_int_equal(bed_run(&bed, "discrete_tangent", NULL), SENS_OK);
        sens_real *tangent = bed_gradient(&bed, &count);
        assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
        sens_real *adjoint = bed_gradient(&bed, &count);
        /* 16 steps of a well-conditioned scalar problem: a few hundred roundings at most. */
        const double error = relative_error(count, adjoint, tangent);
        if (!(error <= 1e-13))
            fail_msg("%s: adjoint differs from tangent by %g", reg->tableaux[i]->name, error);
        free(adjoint);
        free(tangent);
        bed_free(&bed);
    }
}

/* dU/dalpha = -M R^(M-1) R'(z) lam_h dt u0: M = 1000 (Euler, RK4) steps, relative rounding of about M eps =
 * 2e-13. */
static void heat_equals_discrete_closed_form(void **state)
{
    (void)state;
    const char *const tableau[] = {"euler", "rk4"};
    const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    for (int i = 0; i < 4; i++) {
        struct method_bed bed;
        bed_create(&bed, "heat", "identity", "n", 10.0, NULL);
        bed.task.tableau = named(bed.registry->tableaux, tableau[i / 2]);
        bed.task.controller = named(bed.registry->controllers, "fixed");
        bed.task.dt = 1e-4;
        assert_int_equal(bed_run(&bed, method[i % 2], NULL), SENS_OK);
        const struct sens_exact_query query = {SENS_EXACT_DISCRETE, bed.problem.t1, bed.task.tableau,
                                               bed.task.dt};
        sens_real *x = calloc(bed.problem.n, sizeof *x), *S = calloc(bed.problem.n, sizeof *S);
        assert_true(bed.problem.type->exact(&bed.problem, &query, bed.problem.p, x, S, NULL));
        assert_true(relative_error(bed.problem.n, bed.out.x, x) < 1e-12);
        assert_true(relative_error(bed.problem.n, bed.out.dGdp, S) < 1e-12);
        free(x);
        free(S);
        bed_free(&bed);
    }
}

/* x_j0 dx_k/dx_j0 - sum_i A_ij dx_k/dA_ij = delta_kj x_j(T): a symmetry that every Runge-Kutta method keeps,
 * so true to rounding at any tolerance (facts of the GLV set-up; 1e-12 allows for sums of N products). */
static void require_species_scaling(double species)
{
    struct method_bed bed;
    create_sized(&bed, "glv", species, "identity");
    bed.task.rtol = bed.task.atol = 1e-3;
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    const size_t n = bed.problem.n, np = bed.problem.np;
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++) {
            sens_real sum = bed.problem.x0[j] * bed.out.dGdx0[k * n + j];
            for (size_t i = 0; i < n; i++)
                sum -= bed.problem.p[n + i * n + j] * bed.out.dGdp[k * np + n + i * n + j];
            assert_true(fabs(sum - (k == j ? bed.out.x[j] : 0)) < 1e-12);
        }
    bed_free(&bed);
}

static void glv_species_scaling(void **state)
{
    (void)state;
    require_species_scaling(7);
    require_species_scaling(coupled_size);
}

struct sizes { /* as in struct sens_task */
    long ckpt;
    int lanes, threads, batch;
};

static sens_real *gradient_with(const char *problem, double n, const char *cost, const char *method,
                                const char *tableau, struct sizes sizes, size_t *count)
{
    struct method_bed bed;
    create_sized(&bed, problem, n, cost);
    bed.task.tableau = named(bed.registry->tableaux, tableau);
    bed.task.ckpt = bed_every(&bed, sizes.ckpt);
    bed.task.lanes = sizes.lanes;
    bed.task.threads = sizes.threads;
    bed.task.batch = sizes.batch;
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    sens_real *gradient = bed_gradient(&bed, count);
    bed_free(&bed);
    return gradient;
}

/* Costs of one output and of several, the latter for the threads to share; FSAL or not. */
static void checkpoints_and_threads_change_no_bit(void **state)
{
    (void)state;
    const struct sizes variant[] = {{1, 1, 1, 0},      {2, 1, 1, 0}, {3, 1, 2, 0}, {7, 1, 2, 0},
                                    {100000, 1, 1, 0}, {0, 1, 2, 0}, {0, 1, 3, 0}};
    const char *const problem[] = {"glv", "vdp", "forced", "glv"}, *const cost[] = {"tracking", "identity"},
                      *const tableau[] = {"cash_karp", "dopri5"};
    for (int q = 0; q < 16; q++) {
        const char *const pb = problem[q % 4], *const G = cost[q / 4 % 2], *const tb = tableau[q / 8];
        const double n = q % 4 == 3 ? coupled_size : 0;
        const struct sizes plain = {0, 1, 1, 0};
        size_t count;
        sens_real *stored = gradient_with(pb, n, G, "discrete_adjoint", tb, plain, &count);
        for (size_t i = 0; i < sizeof variant / sizeof variant[0]; i++) {
            sens_real *other = gradient_with(pb, n, G, "discrete_adjoint", tb, variant[i], &count);
            assert_memory_equal(stored, other, count * sizeof *stored);
            free(other);
        }
        free(stored);
    }
}

/* Each thread that has blocks has a window of its own to recompute into; a thread without blocks
 * has nothing. */
static void memory_of_threads(void **state)
{
    (void)state;
    struct method_bed bed;
    bed_create(&bed, "glv", "identity", "n", 6.0, NULL);
    bed.task.ckpt = bed_every(&bed, 3);
    bed.task.lanes = 2;                                        /* three blocks */
    const size_t window = (3 + 1) * 6 * 6 * sizeof(sens_real); /* [k + 1][stages][n] */
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    const size_t one = bed.work.bytes_traj;
    for (int threads = 1; threads <= 5; threads++) {
        const int used = threads < 3 ? threads : 3;
        bed.task.threads = threads;
        assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
        assert_int_equal(bed.work.threads, used);
        assert_int_equal(bed.work.bytes_traj, one + (size_t)(used - 1) * window);
    }
    bed_free(&bed);
}

/* Lanes and batches change the order of no sum over components, only contraction of a*b+c: a few ulp per
 * step. */
static void lanes_and_batches_agree(void **state)
{
    (void)state;
    const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    for (int k = 0; k < 4; k++) {
        const int q = k % 2;
        const double n = k < 2 ? 0 : coupled_size;
        size_t count;
        sens_real *one =
            gradient_with("glv", n, "identity", method[q], "cash_karp", (struct sizes){0, 1, 1, 1}, &count);
        const int lanes[] = {2, 3, 4, 5, 7, 8, 16, 33};
        for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
            const struct sizes sizes = {0, lanes[i], 1, q ? 0 : 24};
            sens_real *many = gradient_with("glv", n, "identity", method[q], "cash_karp", sizes, &count);
            const double error = relative_error(count, many, one);
#ifdef SENS_TEST_REPRO
            assert_memory_equal(many, one, count * sizeof *one);
#endif
            if (!(error < 1e-13)) fail_msg("%s: %d lanes differ from 1 by %g", method[q], lanes[i], error);
            free(many);
        }
        free(one);
    }
}

/* A solve that fails halfway gives a status; a second run of the same state gives the same bits and allocates
 * nothing. */
static void require_repeatable(const struct sens_method_type *method, double n)
{
    struct method_bed bed;
    create_sized(&bed, "glv", n, "identity");
    sens_option_defaults(method->options, bed.method_value);
    void *prepared = NULL;
    assert_int_equal(method->prepare(&bed.ctx, &bed.task, &prepared), SENS_OK);
    assert_int_equal(method->run(&bed.ctx, prepared, &bed.out, &bed.work), SENS_OK);
    size_t count;
    sens_real *first = bed_gradient(&bed, &count);
    const size_t allocations = bed.ctx.arena.allocations;
    memset(bed.out.dGdp, 0xff, bed.cost.m * bed.problem.np * sizeof(sens_real));
    memset(bed.out.dGdx0, 0xff, bed.cost.m * bed.problem.n * sizeof(sens_real));
    assert_int_equal(method->run(&bed.ctx, prepared, &bed.out, &bed.work), SENS_OK);
    assert_int_equal(bed.ctx.arena.allocations, allocations);
    sens_real *second = bed_gradient(&bed, &count);
    if (memcmp(first, second, count * sizeof *first) != 0)
        fail_msg("%s: the second run differs", method->name);
    if (method->release) method->release(prepared);
    free(first);
    free(second);
    bed_free(&bed);
}

static void run_is_repeatable_and_allocates_nothing(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->methods[i]; i++) require_repeatable(reg->methods[i], 3);
    require_repeatable(named(reg->methods, "discrete_adjoint"), coupled_size);
}

/* Each allocation of prepare in turn, with those after it. */
static void require_refusals(const struct sens_method_type *method, const char *problem, double n)
{
    for (size_t fail_at = 1;; fail_at++) {
        struct method_bed bed;
        create_sized(&bed, problem, n, "identity");
        sens_option_defaults(method->options, bed.method_value);
        bed.ctx.arena.fail_at = bed.ctx.arena.allocations + fail_at;
        void *prepared = NULL;
        const sens_status status = method->prepare(&bed.ctx, &bed.task, &prepared);
        const bool refused = bed.ctx.arena.allocations >= bed.ctx.arena.fail_at;
        if (status == SENS_OK && method->release) method->release(prepared);
        bed_free(&bed);
        assert_int_equal(status, refused ? SENS_NO_MEMORY : SENS_OK);
        if (!refused) break;
    }
}

static void every_refused_allocation_is_a_status(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->methods[i]; i++) require_refusals(reg->methods[i], "logistic", 0);
    require_refusals(named(reg->methods, "discrete_adjoint"), "glv", coupled_size);
}

/* The derivative of a method of order q converges with order q in the fixed step. */
static void gradient_order_equals_method_order(void **state)
{
    (void)state;
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->tableaux[i]; i++) {
        double error[2];
        const int order = reg->tableaux[i]->order;
        const int steps = order >= 7 ? 3 : order >= 5 ? 8 : 24;
        for (int halving = 0; halving < 2; halving++) {
            struct method_bed bed;
            size_t count;
            bed_create(&bed, "logistic", "identity", NULL);
            bed.task.tableau = reg->tableaux[i];
            bed.task.controller = named(reg->controllers, "fixed");
            bed.task.dt = (bed.problem.t1 - bed.problem.t0) / (steps << halving);
            assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
            sens_real *gradient = bed_gradient(&bed, &count), exact[3], x[1];
            const struct sens_exact_query query = {SENS_EXACT_ODE, bed.problem.t1, NULL, 0};
            assert_true(bed.problem.type->exact(&bed.problem, &query, bed.problem.p, x, exact, exact + 2));
            error[halving] = relative_error(3, gradient, exact);
            free(gradient);
            bed_free(&bed);
        }
        const double slope = log2(error[0] / error[1]);
        /* Half an order: the steps are few, so the next term of the expansion still shows. */
        if (!(slope > order - 0.5))
            fail_msg("%s: gradient order %g, not %d", reg->tableaux[i]->name, slope, order);
    }
}

/* An oscillator at rest: x = 0 whatever the step, so that the state alone takes a dozen. With the tangent in
 * the test the derivative is good to the tolerance; adjoint and tangent see the same steps. */
static void the_tangent_chooses_steps_where_the_state_is_at_rest(void **state)
{
    (void)state;
    static const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    enum { INSIDE, OUTSIDE };
    sens_real *gradient[2], exact[4], S[4], x[2];
    size_t count = 0;
    for (int k = 0; k < 2; k++) {
        struct method_bed bed;
        bed_create(&bed, "oscillator", "identity", "position", 0.0, "velocity", 0.0, "T", 20.0, NULL);
        bed.task.tableau = named(bed.registry->tableaux, "dopri5");
        bed.task.rtol = bed.task.atol = 1e-10;
        assert_int_equal(bed_run(&bed, method[k], NULL), SENS_OK);
        const long at_rest = bed.work.steps;
        assert_int_equal(bed_run(&bed, method[k], "sens_test", (double)INSIDE, NULL), SENS_OK);
        assert_true(bed.work.steps > 20 * at_rest);
        long alone, tested;
        assert_int_equal(bed.registry->tangent_steps(&bed.ctx, &bed.task, &alone, &tested), SENS_OK);
        assert_int_equal(alone, at_rest);
        assert_int_equal(tested, bed.work.steps);
        const struct sens_exact_query query = {SENS_EXACT_ODE, bed.problem.t1, NULL, 0};
        assert_true(bed.problem.type->exact(&bed.problem, &query, bed.problem.p, x, S, exact));
        gradient[k] = bed_gradient(&bed, &count); /* dG/dp = 0, then dG/dx0 */
        assert_int_equal(count, 8);
        for (int q = 0; q < 4; q++) assert_true(gradient[k][q] == 0);
        /* Some 850 local errors of 1e-10 on a solution that is damped from 1 to 0.07. */
        assert_true(relative_error(4, gradient[k] + 4, exact) < 1e-7);
        bed_free(&bed);
    }
    assert_true(relative_error(count, gradient[0], gradient[1]) < 1e-12);
    free(gradient[0]);
    free(gradient[1]);
}

/* What the state does not need it does not change: with a fixed step there is nothing to test. */
static void a_fixed_step_has_no_test(void **state)
{
    (void)state;
    struct method_bed bed;
    size_t count;
    bed_create(&bed, "glv", "running", NULL);
    bed.task.controller = named(bed.registry->controllers, "fixed");
    bed.task.dt = (bed.problem.t1 - bed.problem.t0) / 64;
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    sens_real *outside = bed_gradient(&bed, &count);
    assert_int_equal(bed_run(&bed, "discrete_adjoint", "sens_test", 0.0, NULL), SENS_OK);
    sens_real *inside = bed_gradient(&bed, &count);
    assert_memory_equal(inside, outside, count * sizeof *inside);
    free(outside);
    free(inside);
    bed_free(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_equals_tangent),
        cmocka_unit_test(every_tableau),
        cmocka_unit_test(heat_equals_discrete_closed_form),
        cmocka_unit_test(glv_species_scaling),
        cmocka_unit_test(checkpoints_and_threads_change_no_bit),
        cmocka_unit_test(memory_of_threads),
        cmocka_unit_test(lanes_and_batches_agree),
        cmocka_unit_test(run_is_repeatable_and_allocates_nothing),
        cmocka_unit_test(every_refused_allocation_is_a_status),
        cmocka_unit_test(gradient_order_equals_method_order),
        cmocka_unit_test(the_tangent_chooses_steps_where_the_state_is_at_rest),
        cmocka_unit_test(a_fixed_step_has_no_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
