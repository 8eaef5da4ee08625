/* Implicit steps that iterate, diagonally or fully implicit, and their derivatives: against the closed form of the
 * discrete map of a linear equation, as stiff as can be; the order on a stiff equation; adjoint against tangent against
 * differences of values; the same bits whatever is kept; operations by their formula; bad ends. */
#include "stiff_support.h"

static const struct sens_tableau *const *implicit(void)
{
    return of_families(SENS_FAMILY_DIRK, SENS_FAMILY_FIRK);
}

/* ---- a linear equation --------------------------------------------------------------------------------- */

/* M k = k, [s][s], by Gauss-Jordan with the largest pivot: a stage may depend on any other. */
static void eliminate(int s, long double M[SENS_MAX_STAGES][SENS_MAX_STAGES + 1])
{
    for (int c = 0; c < s; c++) {
        int best = c;
        for (int i = c + 1; i < s; i++)
            if (fabsl(M[i][c]) > fabsl(M[best][c])) best = i;
        for (int j = 0; j <= s; j++) {
            const long double kept = M[c][j];
            M[c][j] = M[best][j], M[best][j] = kept;
        }
        for (int i = 0; i < s; i++) {
            const long double l = M[i][c] / M[c][c];
            for (int j = c; j <= s && i != c; j++) M[i][j] -= l * M[c][j];
        }
    }
    for (int c = 0; c < s; c++) M[c][s] /= M[c][c];
}

/* k = (I - z A)^-1 right. */
static void solve_stages(const struct sens_tableau *tb, long double z, const long double *right,
                         long double *k)
{
    long double M[SENS_MAX_STAGES][SENS_MAX_STAGES + 1];
    const int s = tb->stages;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) M[i][j] = (i == j) - z * sens_tableau_a(tb, i, j);
        M[i][s] = right[i];
    }
    eliminate(s, M);
    for (int i = 0; i < s; i++) k[i] = M[i][s];
}

/* R(z) = 1 + z b^T k and R'(z) of a step of y' = z y: k = 1 + z A k, k' = A k + z A k'. */
static void stability(const struct sens_tableau *tb, double z, double *R, double *dR)
{
    long double k[SENS_MAX_STAGES], dk[SENS_MAX_STAGES], right[SENS_MAX_STAGES] = {0}, value = 1, slope = 0;
    for (int i = 0; i < tb->stages; i++) right[i] = 1;
    solve_stages(tb, z, right, k);
    for (int i = 0; i < tb->stages; i++) {
        right[i] = 0;
        for (int j = 0; j < tb->stages; j++) right[i] += sens_tableau_a(tb, i, j) * k[j];
    }
    solve_stages(tb, z, right, dk);
    for (int i = 0; i < tb->stages; i++) {
        value += z * tb->b[i] * k[i];
        slope += tb->b[i] * (k[i] + z * dk[i]);
    }
    *R = (double)value, *dR = (double)slope;
}

/* y' = -k y: y_M = R(z)^M y_0, dy_M/dk = -h M R^(M-1) R'(z) y_0 with z = -k h, to the rounding of s stages and M steps,
 * each of whose terms is at most |z a| as large as the sum that they cancel to. */
static void check_decay(const struct sens_tableau *tableau, const char *method, double k)
{
    enum { STEPS = 4 };
    struct method_bed bed;
    double R, dR;
    bed_create(&bed, "decay", "identity", "k", k, "T", 2.0, NULL);
    fix_steps(&bed, tableau, STEPS);
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    const double h = bed.task.dt, z = -k * h;
    stability(tableau, z, &R, &dR);
    const double x = pow(R, STEPS), dk = -h * STEPS * pow(R, STEPS - 1) * dR;
    const double off[] = {bed.out.x[0] - x, bed.out.dGdx0[0] - x, bed.out.dGdp[0] - dk};
    const double size[] = {x, x, dk}, bound = 1e-13 * (1 + fabs(z) * (fabs(R) > 0.5 ? 1e-2 : 1));
    for (int q = 0; q < 3; q++)
        if (!(fabs(off[q]) <= bound * fmax(fabs(size[q]), pow(fabs(R), STEPS - 1) * 1e-3)))
            fail_msg("%s, %s, k = %g: %.17g is off by %g", tableau->name, method, k, size[q], off[q]);
    assert_true(bed.work.residual <= 1e-15 * (1 + fabs(z)));
    bed_free(&bed);
}

static void decay_is_its_closed_form(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++)
        for (double k = 0.1; k < 2e3; k *= 10) {
            check_decay(implicit()[i], "discrete_adjoint", k);
            check_decay(implicit()[i], "discrete_tangent", k);
        }
}

/* ---- a stiff equation ---------------------------------------------------------------------------------- */

static double pr_error(const struct sens_tableau *tableau, double stiffness, double dt)
{
    const double start = sin(0.3), stop = 1.5;
    const struct sens_problem pb = {
        .type = &prothero_robinson, .n = 1, .np = 1, .t0 = 0.3, .t1 = stop, .x0 = &start, .p = &stiffness};
    const struct sens_task task = {.problem = &pb, .rtol = 1e-9, .atol = 1e-9};
    const struct sens_solver_settings settings = {
        .tableau = tableau, .controller = named(sens_controllers, "fixed"), .dt = dt, .max_steps = 100000};
    struct sens_ctx ctx = {.cores = 1};
    struct sens_ode_part whole;
    struct sens_ode ode;
    struct sens_solver *solver;
    double y = NAN;
    sens_problem_ode(&task, NULL, &whole, &ode);
    assert_int_equal(sens_solver_create(&ctx, &ode, &settings, &solver), SENS_OK);
    assert_int_equal(sens_solver_solve(&ctx, solver, pb.t0, &start, 1, &stop, NULL, &y, NULL), SENS_OK);
    sens_arena_release(&ctx.arena);
    return fabs(y - sin(stop));
}

/* Not stiff: the classical order. As stiff as 1e6: stage order 1 (SDIRK) or 2 (explicit first stage) is what is left of
 * it, and a stiffly accurate formula divides the error by the stiffness: Hairer & Wanner II, IV.15. */
static void orders_on_a_stiff_equation(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        const struct sens_tableau *tb = implicit()[i];
        const double mild = log2(pr_error(tb, 1, 0.1) / pr_error(tb, 1, 0.05));
        if (!(mild > tb->order - 0.4)) fail_msg("%s: order %.2f", tb->name, mild);
        const double coarse = pr_error(tb, 1e6, 0.1), fine = pr_error(tb, 1e6, 0.05);
        const bool damped =
            tb->fsal && strcmp(tb->name, "crank_nicolson") != 0 && strcmp(tb->name, "theta") != 0;
        const double factor = log2(coarse / fine);
        if (!(factor > 0.8)) fail_msg("%s: stiff order %.2f", tb->name, factor);
        if (damped && !(coarse < 1e-6)) fail_msg("%s: stiff error %g", tb->name, coarse);
    }
}

/* ---- adjoint, tangent, values -------------------------------------------------------------------------- */

static void check_pair(const struct sens_tableau *tableau, const char *problem, const char *cost, long every)
{
    struct method_bed bed;
    bed_create(&bed, problem, cost, NULL);
    if (tableau->e)
        bed.task.tableau = tableau, bed.task.rtol = bed.task.atol = 1e-5;
    else
        fix_steps(&bed, tableau, 40);
    /* a few hundred roundings; on vdp and robertson these are 20 times as large on their way */
    sens_real *adjoint = check_tangent(&bed, 1e-11);
    check_checkpoints(&bed, every, adjoint);
    free(adjoint);
    bed_free(&bed);
}

static void adjoint_equals_tangent_whatever_is_kept(void **state)
{
    (void)state;
    const char *const problem[] = {"robertson", "vdp", "forced", "logistic", "conduction", "glv", "chain"};
    for (size_t i = 0; implicit()[i]; i++)
        for (size_t k = 0; k < sizeof problem / sizeof *problem; k++) {
            if (!implicit()[i]->e && k < 2)
                continue; /* equal steps would have to resolve the first instant */
            check_pair(implicit()[i], problem[k], "running", 3);
            check_pair(implicit()[i], problem[k], "tracking", 1);
        }
}

static void frozen_differences(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        struct sens_work work;
        if (!implicit()[i]->e) continue;
        check_frozen(implicit()[i], "robertson", "identity", &work);
        assert_true(work.newton > 0 && work.factorisations > 0 && work.solves >= work.newton);
    }
}

/* ---- operations ---------------------------------------------------------------------------------------- */

/* Of a step: matrices, and iterations that go to rounding at once. */
struct operations {
    long forward, reverse, iterations;
};

/* Diagonally implicit: one matrix for all stages, iterated one by one; one for each in the reverse sweep. Fully
 * implicit: a real and a complex one for all stages together; one of three times the size in the reverse sweep. */
static struct operations operations_of(const struct sens_tableau *tb)
{
    struct operations of = {2, 1, 1};
    if (tb->family == SENS_FAMILY_FIRK) return of;
    of = (struct operations){.forward = 1};
    for (int i = 0; i < tb->stages; i++) of.reverse += sens_tableau_a(tb, i, i) != 0;
    of.iterations = of.reverse;
    return of;
}

/* Of a linear equation in M equal steps: the first correction is the solution, the second sees it. An iteration solves
 * with each matrix of the step, and the reverse sweep with each of its own, one vector a lane. */
static void operations_by_formula(void **state)
{
    (void)state;
    enum { STEPS = 16, LANES = 4 };
    for (size_t i = 0; implicit()[i]; i++) {
        struct method_bed bed;
        const struct operations of = operations_of(implicit()[i]);
        bed_create(&bed, "oscillator", "identity", NULL);
        fix_steps(&bed, implicit()[i], STEPS);
        bed.task.lanes = LANES;
        assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
        assert_int_equal(bed.work.lanes, LANES);
        assert_int_equal(bed.work.factorisations, STEPS * (of.forward + of.reverse));
        assert_int_equal(bed.work.newton, 2 * STEPS * of.iterations);
        assert_int_equal(bed.work.solves, of.forward * bed.work.newton + LANES * STEPS * of.reverse);
        bed_free(&bed);
    }
}

/* Robertson to t = 4e7: a step may be as long as the solution is smooth, and these take 36 to 84. Unfiltered, the
 * estimate counts what is gone within the step, which sdirk4b then cannot do within max_steps. */
static void the_estimate_is_filtered(void **state)
{
    (void)state;
    enum { LIMIT = 110 };
    const char *const tableau[] = {"sdirk4a", "sdirk4b", "sdirk2a", "tr_bdf2"};
    for (size_t i = 0; i < sizeof tableau / sizeof *tableau; i++) {
        struct method_bed bed;
        bed_create(&bed, "robertson", "identity", "T", 4e7, NULL);
        bed.task.tableau = named(implicit(), tableau[i]);
        bed.task.rtol = bed.task.atol = 1e-4;
        assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
        assert_true(bed.work.steps + bed.work.rejects <= LIMIT);
        bed_free(&bed);
    }
}

/* ---- bad ends ------------------------------------------------------------------------------------------ */

static void a_singular_matrix_is_a_status(void **state)
{
    (void)state;
    check_singular(named(implicit(), "sdirk4b"));
}

/* What follows from a J that is no number, and from a system whose J is not known. */
static void no_jacobian_is_a_status(void **state)
{
    (void)state;
    struct sens_problem_type type = prothero_robinson;
    const double start = 0, stop = 1, stiffness = 10;
    const struct sens_problem pb = {
        .type = &type, .n = 1, .np = 1, .t1 = stop, .x0 = &start, .p = &stiffness};
    const struct sens_task task = {.problem = &pb, .rtol = 1e-6, .atol = 1e-6};
    const struct sens_solver_settings settings = {.tableau = named(implicit(), "sdirk4a"),
                                                  .controller = named(sens_controllers, "odeint"),
                                                  .max_steps = 1000};
    struct sens_ctx ctx = {.cores = 1};
    struct sens_ode_part whole;
    struct sens_ode ode;
    struct sens_solver *solver;
    double y = 7;
    type.jvp = nan_product;
    sens_problem_ode(&task, NULL, &whole, &ode);
    assert_int_equal(sens_solver_create(&ctx, &ode, &settings, &solver), SENS_OK);
    const sens_status status = sens_solver_solve(&ctx, solver, 0, &start, 1, &stop, NULL, &y, NULL);
    assert_true(sens_fatal(status) && y == 7);
    ode.problem = NULL;
    assert_int_equal(sens_solver_create(&ctx, &ode, &settings, &solver), SENS_UNSUPPORTED);
    sens_arena_release(&ctx.arena);
}

static void others_refuse(void **state)
{
    (void)state;
    check_others_refuse(named(implicit(), "sdirk4a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_is_its_closed_form),
        cmocka_unit_test(orders_on_a_stiff_equation),
        cmocka_unit_test(adjoint_equals_tangent_whatever_is_kept),
        cmocka_unit_test(frozen_differences),
        cmocka_unit_test(operations_by_formula),
        cmocka_unit_test(the_estimate_is_filtered),
        cmocka_unit_test(a_singular_matrix_is_a_status),
        cmocka_unit_test(no_jacobian_is_a_status),
        cmocka_unit_test(others_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
