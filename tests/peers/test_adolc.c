/* Derivative products by ADOL-C are those written by hand, to rounding, and methods get the same gradients
 * from them.
 *
 * Sums of up to 40 terms in another order differ by some 40 units of rounding of their terms, which at random
 * points are no more than ten times their sum: 1e-13 of the largest component. */
#include "method/support.h"
#include "sens/plugin.h"

extern const struct sens_plugin sens_plugin;
static const double CLOSE = 1e-13;

static const struct problem_case {
    const char *name, *option; /* NULL: no option */
    double value;
} cases[] = {
    {"glv", "n", 1},       {"glv", "n", 5},    {"glv", "n", 20},        {"vdp", "form", 0},
    {"vdp", "form", 1},    {"heat", "n", 6},   {"heat", "n", 2},        {"forced", "form", 0},
    {"forced", "form", 1}, {"forced", "q", 0}, {"oscillator", NULL, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static void create_case(struct method_bed *bed, const struct problem_case *c)
{
    if (c->option)
        bed_create(bed, c->name, "identity", c->option, c->value, NULL);
    else
        bed_create(bed, c->name, "identity", NULL);
}

static sens_status wrap(struct method_bed *bed, const struct sens_problem *inner,
                        struct sens_problem *wrapped)
{
    const struct sens_provider_request request = {.inner = inner, .threads = 1};
    return sens_plugin.providers[0]->wrap(&bed->ctx, &request, wrapped);
}

/* ---- products ------------------------------------------------------------------------------------------ */

static unsigned long generator;

static double uniform(void)
{
    generator = generator * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(generator >> 11) * 0x1p-52 - 1;
}

static double *numbers(size_t count, const double *around)
{
    double *made = malloc((count + 1) * sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < count; i++)
        made[i] = around ? around[i] * (1 + 0.5 * uniform()) + 0.01 * uniform() : uniform();
    return made;
}

/* Both outputs begin with the same numbers, to which some products add. */
struct pair {
    size_t count;
    double *hand, *taped;
};

static struct pair outputs(size_t count)
{
    struct pair pair = {count, numbers(count, NULL), NULL};
    pair.taped = numbers(count, NULL);
    memcpy(pair.taped, pair.hand, count * sizeof *pair.hand);
    return pair;
}

static void expect_close(struct pair pair, const char *what)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < pair.count; i++) {
        assert_true(isfinite(pair.taped[i]));
        difference = fmax(difference, fabs(pair.hand[i] - pair.taped[i]));
        size = fmax(size, fabs(pair.hand[i]));
    }
    if (!(difference <= CLOSE * size)) fail_msg("%s: off by %.2g of %.2g", what, difference, size);
    free(pair.hand);
    free(pair.taped);
}

static void check_products(const struct sens_problem *hand, const struct sens_problem *taped, size_t L)
{
    enum { K = 3 };
    const size_t n = hand->n, np = hand->np, columns = L < np ? L : np, k0 = np - columns;
    double *t = numbers(K, NULL), *X = numbers(K * n, NULL), *p = numbers(np, hand->p),
           *W = numbers(K * n * L, NULL);
    for (size_t k = 0; k < K; k++) {
        t[k] = hand->t0 + (hand->t1 - hand->t0) * (t[k] + 1) / 2;
        for (size_t i = 0; i < n; i++) X[k * n + i] = hand->x0[i] * (1 + 0.5 * X[k * n + i]) + 0.05;
    }
    for (size_t k = 0; k < K; k++) {
        const struct sens_at at = {t[k], X + k * n, p};
        struct pair out = outputs(n * L);
        hand->type->vjp(hand, &at, L, W, out.hand);
        taped->type->vjp(taped, &at, L, W, out.taped);
        expect_close(out, "vjp");
        out = outputs(n * L);
        hand->type->jvp(hand, &at, L, W, out.hand);
        taped->type->jvp(taped, &at, L, W, out.taped);
        expect_close(out, "jvp");
        out = outputs(n * columns);
        hand->type->jvp_p_cols(hand, &at, k0, columns, out.hand);
        taped->type->jvp_p_cols(taped, &at, k0, columns, out.taped);
        expect_close(out, "jvp_p_cols");
    }
    struct pair MU = outputs(np * L);
    hand->type->vjp_p_batch(hand, K, t, X, p, L, W, MU.hand);
    taped->type->vjp_p_batch(taped, K, t, X, p, L, W, MU.taped);
    expect_close(MU, "vjp_p_batch");
    free(t);
    free(X);
    free(p);
    free(W);
}

/* Counts below, at and above a block of vectors; twice, so that each sweep follows one of another kind. */
static void test_products(void **state)
{
    (void)state;
    static const size_t lanes[] = {0, 1, 3, 64, 65, 130, 1};
    for (size_t c = 0; c < CASES; c++) {
        struct method_bed bed;
        struct sens_problem taped;
        create_case(&bed, &cases[c]);
        assert_int_equal(wrap(&bed, &bed.problem, &taped), SENS_OK);
        assert_null(taped.structure);
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++)
            check_products(&bed.problem, &taped, lanes[k]);
        bed_free(&bed);
    }
}

/* ---- methods ------------------------------------------------------------------------------------------- */

/* The steps are the same, because rhs is; the gradient differs by rounding that the adjoint carries along. */
static void test_gradients(void **state)
{
    (void)state;
    static const char *const methods[] = {"discrete_adjoint", "discrete_tangent", "casa_dense"};
    for (size_t c = 0; c < CASES; c++) {
        if (strcmp(cases[c].name, "vdp") == 0) continue; /* stiff: rounding grows */
        for (size_t k = 0; k < 2 * sizeof methods / sizeof *methods; k++) {
            struct method_bed bed;
            struct sens_problem taped;
            size_t count;
            create_case(&bed, &cases[c]);
            assert_int_equal(wrap(&bed, &bed.problem, &taped), SENS_OK);
            bed.task.threads = 1 + (int)(k % 2);
            assert_int_equal(bed_run(&bed, methods[k / 2], NULL), SENS_OK);
            sens_real *hand = bed_gradient(&bed, &count);
            const long steps = bed.work.steps;
            bed.task.problem = &taped;
            assert_int_equal(bed_run(&bed, methods[k / 2], NULL), SENS_OK);
            sens_real *by_tape = bed_gradient(&bed, &count);
            assert_int_equal(bed.work.steps, steps);
            /* a continuous adjoint chooses its steps by products: equal to its tolerance */
            const double bound = strcmp(methods[k / 2], "casa_dense") == 0 ? 1e-6 : 1e-11;
            if (!(relative_error(count, by_tape, hand) <= bound))
                fail_msg("%s, %s: off by %.2g", cases[c].name, methods[k / 2],
                         relative_error(count, by_tape, hand));
            free(hand);
            free(by_tape);
            bed_free(&bed);
        }
    }
}

/* ---- what is refused ----------------------------------------------------------------------------------- */

static const struct sens_problem *original;

/* What the template is not: the last component is off by a little. */
static sens_status other_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const sens_status status = original->type->rhs(original, at, dx);
    dx[pb->n - 1] += 1e-6 * at->x[0];
    return status;
}

static void test_refused(void **state)
{
    (void)state;
    struct method_bed bed;
    struct sens_problem taped;
    bed_create(&bed, "arenstorf", "identity", NULL);
    assert_int_equal(wrap(&bed, &bed.problem, &taped), SENS_UNSUPPORTED);
    assert_non_null(strstr(bed.ctx.message, "arenstorf"));
    bed_free(&bed);
    for (size_t c = 0; c < CASES; c++) {
        create_case(&bed, &cases[c]);
        struct sens_problem_type type = *bed.problem.type;
        struct sens_problem other = bed.problem;
        type.rhs = other_rhs;
        other.type = &type;
        original = &bed.problem;
        assert_int_equal(wrap(&bed, &other, &taped), SENS_UNSUPPORTED);
        bed.ctx.arena.limit = bed.ctx.arena.bytes;
        assert_int_equal(wrap(&bed, &bed.problem, &taped), SENS_NO_MEMORY);
        bed_free(&bed);
    }
}

/* In place; what is not a product is the problem's own. */
static void test_in_place(void **state)
{
    (void)state;
    struct method_bed bed;
    bed_create(&bed, "vdp", "identity", "initial", 1.0, NULL);
    struct sens_problem pb = bed.problem;
    double x[2], own[2], MU = 0, MU_own = 0;
    const double W[2] = {1, 2};
    assert_int_equal(wrap(&bed, &pb, &pb), SENS_OK);
    assert_true(sens_problem_x0_depends(&pb));
    sens_problem_x0(&pb, pb.p, x);
    sens_problem_x0(&bed.problem, pb.p, own);
    assert_memory_equal(x, own, sizeof x);
    pb.type->x0_vjp(&pb, pb.p, 1, W, &MU);
    bed.problem.type->x0_vjp(&bed.problem, pb.p, 1, W, &MU_own);
    assert_true(MU == MU_own && MU != 0);
    const struct sens_at at = {0, pb.x0, pb.p};
    assert_int_equal(pb.type->rhs(&pb, &at, x), SENS_OK);
    assert_int_equal(bed.problem.type->rhs(&bed.problem, &at, own), SENS_OK);
    assert_memory_equal(x, own, sizeof x);
    bed_free(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
