/* Factors of the forward solve in its reverse and tangent sweep, and those of one matrix a step (solve=newton): the
 * derivative is the same, whatever is kept; operations and bytes by their formula; every entry of the derivative, so
 * that no seed is missing. */
#include <float.h>

#include "support.h"

enum { AGAIN, KEPT };
enum { DIRECT, NEWTON };

static const struct sens_tableau *const *implicit(void)
{
    return sens_registry_baseline()->implicit_tableaux;
}

static long implicit_stages(const struct sens_tableau *tb)
{
    long count = 0;
    for (int i = 0; i < tb->stages; i++) count += sens_tableau_a(tb, i, i) != 0;
    return count;
}

static bool iterates(const struct sens_tableau *tb) /* with one matrix a step for its own systems */
{
    return tb->family == SENS_FAMILY_DIRK || tb->family == SENS_FAMILY_SWITCHED;
}

static bool keeps_none(const struct sens_tableau *tb)
{
    return tb->family == SENS_FAMILY_SWITCHED || tb->a_explicit; /* which is for problems with a split */
}

/* ---- the derivative ------------------------------------------------------------------------------------ */

static void check_equal(const struct method_bed *bed, const char *what, const struct bed_solved *kept,
                        const struct bed_solved *again, const struct bed_solved *tangent, double bound)
{
    const double error = relative_error(kept->count, kept->gradient, tangent->gradient);
    if (!(error <= bound)) fail_msg("%s, %s: %g from the tangent", bed->task.tableau->name, what, error);
    assert_true(kept->work.kept > 0 && kept->work.bytes_factors > 0);
    assert_true(again->work.kept == 0 && again->work.bytes_factors == 0);
    /* the very matrix: the same factors, to the last bit */
    if (bed->task.tableau->family == SENS_FAMILY_ROSENBROCK)
        assert_memory_equal(kept->gradient, again->gradient, kept->count * sizeof *kept->gradient);
}

static void check_problem(struct method_bed *bed, const char *what, double bound)
{
    static const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    const struct bed_solved tangent = bed_solved(bed, "discrete_tangent", "factors", AGAIN);
    for (size_t k = 0; k < 2; k++) {
        const struct bed_solved again = bed_solved(bed, method[k], "factors", AGAIN),
                                kept = bed_solved(bed, method[k], "factors", KEPT);
        check_equal(bed, what, &kept, &again, &tangent, bound);
        free(kept.gradient), free(again.gradient);
    }
    free(tangent.gradient);
}

static void check_iterated(struct method_bed *bed, const char *what, double bound)
{
    static const char *const method[] = {"discrete_adjoint", "discrete_tangent"};
    const struct bed_solved tangent = bed_solved(bed, "discrete_tangent", "solve", DIRECT);
    for (size_t k = 0; k < 2; k++) {
        const struct bed_solved newton = bed_solved(bed, method[k], "solve", NEWTON);
        const double error = relative_error(newton.count, newton.gradient, tangent.gradient);
        if (!(error <= bound))
            fail_msg("%s, %s, %s: %g from the tangent", bed->task.tableau->name, what, method[k], error);
        assert_true(newton.work.kept == 0 && newton.work.bytes_factors == 0);
        free(newton.gradient);
    }
    free(tangent.gradient);
}

typedef void check_bed(struct method_bed *bed, const char *what, double bound);

/* Systems that are dense and sparse, one row a state and many lanes: the first `problems`, and Robertson's problem over
 * 4e7. conduction, vdp and heat have no second derivatives. Bound: rounding times what it grows to; the residual of a
 * correction has the rounding of its terms, h |J| times as large as the solution. */
static void check_on_all(const struct sens_tableau *tb, size_t problems, check_bed *check)
{
    static const char *const problem[] = {"logistic",   "oscillator", "chain", "forced",
                                          "conduction", "vdp",        "heat"};
    struct method_bed bed;
    for (size_t q = 0; q < problems; q++) {
        bed_create(&bed, problem[q], "identity", NULL);
        bed.task.tableau = tb;
        bed.task.rtol = bed.task.atol = 1e-5;
        if (!tb->e && tb->family != SENS_FAMILY_SWITCHED) fix_steps(&bed, tb, 32);
        check(&bed, problem[q], 1e-13);
        bed_free(&bed);
    }
    if (tb->order < 3) return;
    bed_create(&bed, "robertson", "identity", "T", 4e7, NULL);
    bed.task.tableau = tb;
    bed.task.rtol = 1e-5, bed.task.atol = 1e-9;
    check(&bed, "robertson", 1e-11);
    bed_free(&bed);
}

/* At most 1.3e-14 was met, of Robertson's problem over 4e7 1.7e-12. */
static void the_derivative_is_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++)
        if (!keeps_none(implicit()[i]))
            check_on_all(implicit()[i], implicit()[i]->family == SENS_FAMILY_ROSENBROCK ? 4 : 7,
                         check_problem);
}

/* Explicit steps on heat, the last, are so long that the map itself amplifies rounding: not those that switch.
 * At most 6.3e-15 was met, of Robertson's problem over 4e7 5.9e-12. */
static void one_matrix_a_step(void **state)
{
    (void)state;
    for (size_t i = 0; implicit()[i]; i++)
        if (iterates(implicit()[i]) && !implicit()[i]->a_explicit)
            check_on_all(implicit()[i], implicit()[i]->family == SENS_FAMILY_SWITCHED ? 6 : 7,
                         check_iterated);
}

/* A checkpoint store that computes stages again has no factors of the solve: they are computed again, too. */
static void checkpoints_compute_them_again(void **state)
{
    static const char *const tableau[] = {"rodas4", "sdirk4a", "kvaerno54", "radau_iia5"};
    (void)state;
    for (size_t i = 0; i < sizeof tableau / sizeof *tableau; i++) {
        struct method_bed bed;
        bed_create(&bed, "robertson", "identity", NULL);
        bed.task.tableau = named(implicit(), tableau[i]);
        bed.task.ckpt = bed_every(&bed, 3);
        const struct bed_solved again = bed_solved(&bed, "discrete_adjoint", "factors", AGAIN);
        const struct bed_solved kept = bed_solved(&bed, "discrete_adjoint", "factors", KEPT);
        assert_true(kept.work.kept == 0 && kept.work.bytes_factors == 0);
        assert_int_equal(kept.work.factorisations, again.work.factorisations);
        assert_memory_equal(kept.gradient, again.gradient, kept.count * sizeof *kept.gradient);
        free(kept.gradient), free(again.gradient);
        bed_free(&bed);
    }
}

/* Threads read the same factors; lanes are those of one thread, so that the bits are the same. */
static void threads_share_them(void **state)
{
    enum { TABLEAUX = 3 };
    static const char *const tableau[TABLEAUX] = {"sdirk4a", "tr_bdf2", "radau_iia5"}, *const problem[] = {
                                                                                           "conduction",
                                                                                           "chain"};
    (void)state;
    for (size_t i = 0; i < 2 * TABLEAUX; i++) {
        struct method_bed bed;
        bed_create(&bed, problem[i / TABLEAUX], "identity", "n", 24.0, NULL);
        bed.task.tableau = named(implicit(), tableau[i % TABLEAUX]);
        bed.task.rtol = bed.task.atol = 1e-4;
        bed.task.lanes = 4;
        bed.task.threads = 1;
        const struct bed_solved alone = bed_solved(&bed, "discrete_adjoint", "factors", KEPT);
        bed.task.threads = 3;
        const struct bed_solved shared = bed_solved(&bed, "discrete_adjoint", "factors", KEPT);
        assert_true(shared.work.threads > 1 && shared.work.kept > alone.work.kept);
        assert_memory_equal(shared.gradient, alone.gradient, alone.count * sizeof *alone.gradient);
        free(alone.gradient), free(shared.gradient);
        bed_free(&bed);
    }
}

/* ---- operations and bytes ------------------------------------------------------------------------------ */

/* In M equal steps of a linear equation: M factorisations forwards, none in the sweep; one is kept in the place of each
 * that is not made, one a step of a Rosenbrock pair, one a stage of the others. Dense: n^2 numbers and n pivots a
 * step. A fully implicit step has a real and a complex one, of n^2 pairs, in the place of any in the sweep. */
static void operations_by_formula(void **state)
{
    enum { STEPS = 16, LANES = 4 };
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        const struct sens_tableau *tb = implicit()[i];
        struct method_bed bed;
        if (keeps_none(tb)) continue;
        bed_create(&bed, "oscillator", "identity", NULL);
        fix_steps(&bed, tb, STEPS);
        bed.task.lanes = LANES;
        const size_t n = bed.problem.n;
        const struct bed_solved kept = bed_solved(&bed, "discrete_adjoint", "factors", KEPT);
        const bool coupled = tb->family == SENS_FAMILY_FIRK;
        const long forwards = coupled ? 2 : 1;
        const long a_step = tb->family == SENS_FAMILY_ROSENBROCK ? 1 : coupled ? 2 : implicit_stages(tb);
        const size_t numbers = coupled ? 3 * n * n : n * n, pivots = coupled ? 2 * n : n;
        assert_int_equal(kept.work.factorisations, STEPS * forwards);
        assert_int_equal(kept.work.kept, STEPS * a_step);
        assert_int_equal(kept.work.bytes_factors,
                         STEPS * (numbers * sizeof(double) + pivots * sizeof(size_t)));
        free(kept.gradient);
        bed_free(&bed);
    }
}

/* In M equal steps of a linear equation: one factorisation a step forwards, and one in the sweep. */
static void one_factorisation_a_step(void **state)
{
    enum { STEPS = 16, LANES = 4 };
    (void)state;
    for (size_t i = 0; implicit()[i]; i++) {
        const struct sens_tableau *tb = implicit()[i];
        struct method_bed bed;
        if (tb->family != SENS_FAMILY_DIRK || tb->a_explicit) continue;
        bed_create(&bed, "oscillator", "identity", NULL);
        fix_steps(&bed, tb, STEPS);
        bed.task.lanes = LANES;
        const struct bed_solved direct = bed_solved(&bed, "discrete_adjoint", "solve", DIRECT),
                                newton = bed_solved(&bed, "discrete_adjoint", "solve", NEWTON);
        assert_int_equal(direct.work.factorisations, STEPS * (1 + implicit_stages(tb)));
        assert_int_equal(newton.work.factorisations, STEPS * (1 + 1));
        free(direct.gradient), free(newton.gradient);
        bed_free(&bed);
    }
}

/* Each thread has the matrix of a step for itself, and a lane stops by itself: the bits are the same for any number of
 * threads, and of a dense system for any number of lanes. */
static void threads_and_lanes_give_the_same(void **state)
{
    static const char *const problem[] = {"conduction", "glv", "robertson"};
    (void)state;
    for (size_t q = 0; q < 3; q++) {
        struct method_bed bed;
        struct bed_solved by[3];
        bed_create(&bed, problem[q], "identity", NULL);
        bed.task.tableau = named(implicit(), "sdirk4a");
        bed.task.rtol = 1e-4, bed.task.atol = 1e-8;
        for (int k = 0; k < 3; k++) {
            bed.task.threads = k == 1 ? 3 : 1;
            bed.task.lanes = k == 2 ? 1 : 4;
            by[k] = bed_solved(&bed, "discrete_adjoint", "solve", NEWTON);
        }
        assert_memory_equal(by[1].gradient, by[0].gradient, by[0].count * sizeof *by[0].gradient);
        if (q > 0) assert_memory_equal(by[2].gradient, by[0].gradient, by[0].count * sizeof *by[0].gradient);
        for (int k = 0; k < 3; k++) free(by[k].gradient);
        bed_free(&bed);
    }
}

/* Sparse: of a tridiagonal matrix L and U have at most n - 1 numbers each beside the diagonal, three times as many
 * where pivots are exchanged; each with its row, and what KLU keeps beside them for each row. Complex numbers are two,
 * and the fully implicit step has both. */
static bool sparse_bytes(const char *tableau, size_t systems, size_t numbers)
{
    enum { STEPS = 8, N = 200 };
    struct method_bed bed;
    bed_create(&bed, "conduction", "sampled", "n", (double)N, NULL);
    fix_steps(&bed, named(implicit(), tableau), STEPS);
    const struct bed_solved kept = bed_solved(&bed, "discrete_adjoint", "factors", KEPT);
    const size_t least = 3 * N * numbers * sizeof(double),
                 most = N * (4 * (8 * numbers + 8 * systems) + 40 * numbers + 120 * systems),
                 dense = N * N * numbers * sizeof(double) + N * systems * sizeof(size_t);
    const bool there = kept.work.bytes_factors != STEPS * dense;
    if (there) assert_in_range(kept.work.bytes_factors, STEPS * least, STEPS * most);
    free(kept.gradient);
    bed_free(&bed);
    return there;
}

static void bytes_of_sparse_factors(void **state)
{
    (void)state;
    if (!sparse_bytes("sdirk4a", 1, 1)) skip(); /* no library: factorised as dense */
    assert_true(sparse_bytes("radau_iia5", 2, 3));
}

/* x' = p (1 - x^3) from far away in steps of a length at which df/dx at the stages, -3 p x^2, is far from that at its
 * start: corrections with these factors do not converge, and factors of the stage itself do the rest. */
static sens_status cubic_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = at->p[0] * (1 - at->x[0] * at->x[0] * at->x[0]);
    return SENS_OK;
}

static void cubic_product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                          double *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = -3 * at->p[0] * at->x[0] * at->x[0] * V[l];
}

static void cubic_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                        const double *p, size_t L, const double *W, double *MU)
{
    (void)pb, (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) MU[l] += (1 - X[k] * X[k] * X[k]) * W[k * L + l];
}

static void cubic_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                          double *OUT)
{
    (void)pb, (void)k0;
    for (size_t l = 0; l < L; l++) OUT[l] += 1 - at->x[0] * at->x[0] * at->x[0];
}

static const struct sens_problem_type cubic = {.name = "cubic",
                                               .rhs = cubic_rhs,
                                               .jvp = cubic_product,
                                               .vjp = cubic_product,
                                               .vjp_p_batch = cubic_batch,
                                               .jvp_p_cols = cubic_columns};

/* a_step: factorisations of a step in the sweep, by itself; least: where corrections were enough */
static void check_failing(const char *tableau, const char *option, long a_step, long least)
{
    static const struct sens_structure none = {.jacobian = NULL};
    static const double x0 = 0.02, p = 300;
    struct method_bed bed;
    bed_create(&bed, "decay", "identity", "T", 0.006, NULL);
    bed.problem = (struct sens_problem){
        .type = &cubic, .n = 1, .np = 1, .t1 = 0.006, .x0 = &x0, .p = &p, .structure = &none};
    bed.task.tableau = named(implicit(), tableau);
    bed.task.rtol = bed.task.atol = 1e-2;
    const struct bed_solved itself = bed_solved(&bed, "discrete_adjoint", option, 0),
                            near = bed_solved(&bed, "discrete_adjoint", option, 1);
    const long steps = itself.work.steps, forwards = itself.work.factorisations - a_step * steps;
    print_message("%s, %s: %ld factorisations forwards, %ld in the sweep with near ones\n", tableau, option,
                  forwards, near.work.factorisations - forwards);
    assert_true(near.work.factorisations > forwards + least * steps);
    assert_true(near.work.factorisations < itself.work.factorisations);
    assert_true(relative_error(near.count, near.gradient, itself.gradient) <= 1e-13);
    free(near.gradient), free(itself.gradient);
    bed_free(&bed);
}

static void where_corrections_fail(void **state)
{
    (void)state;
    check_failing("sdirk4a", "factors", 5, 0);
    check_failing("radau_iia5", "factors", 1, 0);
    check_failing("sdirk4a", "solve", 5, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_derivative_is_the_same),
        cmocka_unit_test(checkpoints_compute_them_again),
        cmocka_unit_test(threads_share_them),
        cmocka_unit_test(operations_by_formula),
        cmocka_unit_test(bytes_of_sparse_factors),
        cmocka_unit_test(where_corrections_fail),
        cmocka_unit_test(one_matrix_a_step),
        cmocka_unit_test(one_factorisation_a_step),
        cmocka_unit_test(threads_and_lanes_give_the_same),
    };
    return cmocka_run_group_tests_name("kept_factors", tests, NULL, NULL);
}
