/* Fully implicit steps: orders of state and sensitivity where the equation is stiff; the iterated systems of the sweeps
 * against those factorised themselves, with operations counted; a lane by itself; how many steps a filtered estimate
 * asks for. What they share with diagonally implicit ones is in test_implicit.c. */
#include "support.h"

static const char *const names[] = {"radau_iia5", "radau_ia5", "lobatto_iiic4", "gauss6"};
enum { NAMES = sizeof names / sizeof *names, DIRECT = 0, NEWTON = 1 };

static const struct sens_tableau *tableau(size_t k)
{
    return named(sens_registry_baseline()->implicit_tableaux, names[k]);
}

/* ---- Prothero & Robinson --------------------------------------------------------------------------------- */

/* y' = -k (y - sin(p t)) + p cos(p t), y = sin(p t), dy/dp = t cos(p t), with k in the problem's data. */
static double stiffness(const struct sens_problem *pb)
{
    return *(const double *)pb->data;
}

static sens_status pr_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const double phase = at->p[0] * at->t;
    dx[0] = -stiffness(pb) * (at->x[0] - sin(phase)) + at->p[0] * cos(phase);
    return SENS_OK;
}

static void pr_product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    (void)at;
    for (size_t l = 0; l < L; l++) OUT[l] = -stiffness(pb) * V[l];
}

static double pr_by_p(const struct sens_problem *pb, double t, double p)
{
    return stiffness(pb) * t * cos(p * t) + cos(p * t) - p * t * sin(p * t);
}

static void pr_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                       double *OUT)
{
    (void)k0;
    if (L > 0) OUT[0] += pr_by_p(pb, at->t, at->p[0]);
}

static void pr_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                     const double *p, size_t L, const double *W, double *MU)
{
    (void)X;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) MU[l] += pr_by_p(pb, t[k], p[0]) * W[k * L + l];
}

static const struct sens_problem_type prothero_robinson = {.name = "prothero-robinson",
                                                           .rhs = pr_rhs,
                                                           .jvp = pr_product,
                                                           .vjp = pr_product,
                                                           .jvp_p_cols = pr_columns,
                                                           .vjp_p_batch = pr_batch};

struct pr_errors {
    double state, sensitivity;
};

static struct pr_errors pr_errors(size_t k, const char *method, double stiff, int steps)
{
    enum { STOP = 2 };
    const double start = 0, p = 1.3;
    struct method_bed bed;
    bed_create(&bed, "decay", "identity", NULL);
    bed.problem = (struct sens_problem){
        .type = &prothero_robinson, .n = 1, .np = 1, .t1 = STOP, .x0 = &start, .p = &p, .data = &stiff};
    fix_steps(&bed, tableau(k), steps);
    const double stop = STOP;
    bed.cost.t_obs = &stop;
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    const struct pr_errors errors = {fabs(bed.out.x[0] - sin(p * STOP)),
                                     fabs(bed.out.dGdp[0] - STOP * cos(p * STOP))};
    bed_free(&bed);
    return errors;
}

/* Where nothing is stiff, the classical order. Where the stiffness is far above 1 / h: Hairer & Wanner II, table
 * IV.15.1, of the global error: h^s / k for Radau IIA and h^(s-1) / k for Lobatto IIIC; h^s for Radau IA and h^(s+1)
 * for Gauss with s odd. The sensitivity obeys an equation of the same kind, and so has the same orders. */
static void orders_on_a_stiff_equation(void **state)
{
    static const double mild[NAMES] = {5, 5, 4, 6}, stiff[NAMES] = {3, 3, 2, 4};
    const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    (void)state;
    for (size_t k = 0; k < NAMES; k++)
        for (size_t m = 0; m < 2; m++)
            for (int far = 0; far < 2; far++) {
                const double number = far ? 1e6 : 0.5, order = far ? stiff[k] : mild[k];
                const int steps = far ? 8 : 4;
                const struct pr_errors coarse = pr_errors(k, method[m], number, steps);
                const struct pr_errors fine = pr_errors(k, method[m], number, 2 * steps);
                const double of_state = log2(coarse.state / fine.state);
                const double of_sensitivity = log2(coarse.sensitivity / fine.sensitivity);
                if (!(of_state > order - 0.4 && of_sensitivity > order - 0.4))
                    fail_msg("%s, %s, stiffness %g: orders %.2f and %.2f", names[k], method[m], number,
                             of_state, of_sensitivity);
            }
}

/* ---- the iterated systems -------------------------------------------------------------------------------- */

static void check_solves(struct method_bed *bed, const char *what)
{
    const struct bed_solved tangent = bed_solved(bed, "discrete_tangent", "solve", DIRECT);
    const struct bed_solved other[] = {bed_solved(bed, "discrete_adjoint", "solve", DIRECT),
                                       bed_solved(bed, "discrete_adjoint", "solve", NEWTON),
                                       bed_solved(bed, "discrete_tangent", "solve", NEWTON)};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        const double error = relative_error(tangent.count, other[k].gradient, tangent.gradient);
        /* rounding times what it grows to: at most 2e-12 was met, of Robertson's problem over 4e7; a stop
         * at rounding of the largest entry alone shows as 5e-10 */
        if (!(error <= 2e-11)) fail_msg("%s, %s, %zu: %g", bed->task.tableau->name, what, k, error);
        free(other[k].gradient);
    }
    free(tangent.gradient);
}

static void all_solves_agree(void **state)
{
    const char *const problem[] = {"vdp", "conduction", "glv", "chain", "heat", "logistic"};
    (void)state;
    for (size_t k = 0; k < NAMES; k++) {
        struct method_bed bed;
        for (size_t q = 0; q < sizeof problem / sizeof *problem; q++) {
            bed_create(&bed, problem[q], "identity", NULL);
            bed.task.tableau = tableau(k);
            bed.task.rtol = bed.task.atol = 1e-5;
            check_solves(&bed, problem[q]);
            bed_free(&bed);
        }
        bed_create(&bed, "robertson", "identity", "T", 4e7, NULL);
        bed.task.tableau = tableau(k);
        bed.task.rtol = bed.task.atol = 1e-6;
        check_solves(&bed, "robertson");
        bed_free(&bed);
    }
}

/* df/dx of these is one matrix: its factors are those of the coupled system, the first correction is the solution
 * and the others are rounding. A real and a complex factorisation a step then, in each sweep, and none of three times
 * the size; of a solve at least one correction and one that sees it, each with both. */
static void iteration_by_formula(void **state)
{
    enum { STEPS = 16, LANES = 4 };
    const char *const problem[] = {"oscillator", "conduction"}; /* dense, sparse */
    (void)state;
    for (size_t k = 0; k < 2 * NAMES; k++) {
        struct method_bed bed;
        bed_create(&bed, problem[k % 2], "identity", NULL);
        fix_steps(&bed, tableau(k / 2), STEPS);
        bed.task.lanes = LANES;
        struct bed_solved direct = bed_solved(&bed, "discrete_adjoint", "solve", DIRECT);
        struct bed_solved newton = bed_solved(&bed, "discrete_adjoint", "solve", NEWTON);
        const long groups = ((long)bed.cost.m + LANES - 1) / LANES, lanes = groups * LANES;
        const long sweep = direct.work.solves - 2 * direct.work.newton;
        assert_int_equal(direct.work.factorisations, (2 + 1) * STEPS);
        assert_int_equal(newton.work.factorisations, (2 + 2) * STEPS);
        assert_int_equal(sweep, STEPS * lanes);
        const long again = newton.work.solves - 2 * newton.work.newton;
        assert_true(again >= 2 * 2 * sweep && again % (2 * LANES) == 0);
        free(direct.gradient), free(newton.gradient);
        bed_free(&bed);
    }
}

/* A lane stops by itself: alone and among others it has the same bits. */
static void a_lane_is_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * NAMES; k++) {
        struct method_bed bed;
        struct bed_solved by[2];
        bed_create(&bed, k % 2 ? "robertson" : "glv", "identity", NULL);
        bed.task.tableau = tableau(k / 2);
        bed.task.rtol = 1e-4, bed.task.atol = 1e-8;
        for (int q = 0; q < 2; q++) {
            bed.task.lanes = q ? 8 : 1;
            by[q] = bed_solved(&bed, "discrete_adjoint", "solve", NEWTON);
        }
        assert_memory_equal(by[0].gradient, by[1].gradient, by[0].count * sizeof *by[0].gradient);
        free(by[0].gradient), free(by[1].gradient);
        bed_free(&bed);
    }
}

/* ---- rows and columns of different size -------------------------------------------------------------------- */

/* x' = -k (x - b cos(t) y), y' = -b y, y = 2 e^(-b t), with k in the problem's data: rows of the system of a step are
 * h k apart, and so are columns of its transpose. dy(1)/db = -2 e^(-b). */
static sens_status apart_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    dx[0] = -stiffness(pb) * (at->x[0] - at->p[0] * cos(at->t) * at->x[1]);
    dx[1] = -at->p[0] * at->x[1];
    return SENS_OK;
}

static void apart_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    const double k = stiffness(pb), b = at->p[0];
    for (size_t l = 0; l < L; l++) {
        OUT[l] = -k * (V[l] - b * cos(at->t) * V[L + l]);
        OUT[L + l] = -b * V[L + l];
    }
}

static void apart_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    const double k = stiffness(pb), b = at->p[0];
    for (size_t l = 0; l < L; l++) {
        OUT[l] = -k * W[l];
        OUT[L + l] = k * b * cos(at->t) * W[l] - b * W[L + l];
    }
}

static void apart_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                          double *OUT)
{
    (void)k0;
    if (L == 0) return;
    OUT[0] += stiffness(pb) * cos(at->t) * at->x[1];
    OUT[L] -= at->x[1];
}

static void apart_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++)
            MU[l] += X[2 * k + 1] * (stiffness(pb) * cos(t[k]) * W[2 * k * L + l] - W[(2 * k + 1) * L + l]);
}

static const struct sens_problem_type apart = {.name = "apart",
                                               .rhs = apart_rhs,
                                               .jvp = apart_jvp,
                                               .vjp = apart_vjp,
                                               .jvp_p_cols = apart_columns,
                                               .vjp_p_batch = apart_batch};

/* The error of dy/db by a direct solve. */
static double apart_error(size_t k, const char *method, double rate)
{
    static const struct sens_structure none = {.jacobian = NULL};
    static const double x0[2] = {1, 2}, b = 1;
    struct method_bed bed;
    bed_create(&bed, "decay", "identity", "T", 1.0, NULL);
    bed.cost.m = 2;
    bed.problem = (struct sens_problem){
        .type = &apart, .data = &rate, .n = 2, .np = 1, .t1 = 1, .x0 = x0, .p = &b, .structure = &none};
    bed.task.tableau = tableau(k);
    bed.task.rtol = bed.task.atol = 1e-9;
    const struct bed_solved solved = bed_solved(&bed, method, "linear", SENS_KERNEL_OWN);
    const double exact = -2 * exp(-1.0), error = fabs(solved.gradient[1] / exact - 1);
    free(solved.gradient);
    bed_free(&bed);
    return error;
}

/* At most 6e-10, the steps' own. Rounding of one row in the other's unknown was 1e-6 at 1e14, any number at 1e20. */
static void rates_may_be_far_apart(void **state)
{
    static const double rate[] = {1e4, 1e14, 1e20};
    const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    (void)state;
    for (size_t k = 0; k < NAMES; k++)
        for (size_t q = 0; q < 6; q++) {
            const double error = apart_error(k, method[q % 2], rate[q / 2]);
            if (!(error <= 1e-9))
                fail_msg("%s, %s, rate %g: %g", names[k], method[q % 2], rate[q / 2], error);
        }
}

/* ---- the estimate ---------------------------------------------------------------------------------------- */

/* Robertson to t = 4e7: these take 88 to 117 trials. Unfiltered, radau_ia5 takes 712, and gauss6 more than 20000. */
static void the_estimate_is_filtered(void **state)
{
    enum { LIMIT = 130 };
    (void)state;
    for (size_t k = 0; k < NAMES; k++) {
        struct method_bed bed;
        bed_create(&bed, "robertson", "identity", "T", 4e7, NULL);
        bed.task.tableau = tableau(k);
        bed.task.rtol = 1e-4, bed.task.atol = 1e-8;
        assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
        if (bed.work.steps + bed.work.rejects > LIMIT)
            fail_msg("%s: %ld steps, %ld rejected", names[k], bed.work.steps, bed.work.rejects);
        bed_free(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_on_a_stiff_equation),
        cmocka_unit_test(all_solves_agree),
        cmocka_unit_test(iteration_by_formula),
        cmocka_unit_test(rates_may_be_far_apart),
        cmocka_unit_test(a_lane_is_alone),
        cmocka_unit_test(the_estimate_is_filtered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
