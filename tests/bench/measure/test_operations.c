/* The work of a run, from counts that are chosen here and costs that are worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"
#include "testing.h"

static struct sens_ctx ctx;
static struct cell cell;

/* Pairs "key=value", ends with NULL. */
static void resolve(const char *const *pair)
{
    struct spec spec = {.count = 0};
    struct bench_error error = {.text = ""};
    sens_arena_release(&ctx.arena);
    for (; *pair; pair++) {
        char key[32];
        const size_t length = strcspn(*pair, "=");
        snprintf(key, sizeof key, "%.*s", (int)length, *pair);
        assert_true(spec_set(&spec, key, *pair + length + 1, "test", &error));
    }
    if (cell_resolve(&ctx, &spec, &cell, &error) != SENS_OK) fail_msg("%s", error.text);
    spec_free(&spec);
}
#define RESOLVE(...) resolve((const char *const[]){__VA_ARGS__, "method=discrete_adjoint", NULL})

static int release(void **state)
{
    (void)state;
    sens_arena_release(&ctx.arena);
    return 0;
}

/* Both sources of counts are added, and neither hides the other. */
static void counts_add_up(void **state)
{
    (void)state;
    const struct sens_counts seen = {.rhs = 1, .vjp = 2, .jvp = 3, .jvp_p = 4, .vjp_p = 5, .jacobian = 6};
    const struct sens_work work = {
        .vjp = 10, .jvp = 20, .vjp_p = 30, .jvp_p = 40, .idle_vjp = 7, .idle_jvp = 8, .idle_vjp_p = 9};
    struct operation_counts sum;
    operations_count(&seen, &work, &sum);
    assert_true(sum.rhs == 1 && sum.jacobian == 6);
    assert_true(sum.vjp == 12 && sum.jvp == 23 && sum.vjp_p == 35 && sum.jvp_p == 44);
    assert_true(sum.idle_vjp == 7 && sum.idle_jvp == 8 && sum.idle_vjp_p == 9);
}

/* glv, n = 3, np = 12: rhs 2 n^2 + 2 n = 24, J v 2 n^2 = 18, (df/dp)^T w 2 np = 24, a column 2; J has 9
 * numbers. */
static void by_hand(void **state)
{
    (void)state;
    const struct operation_counts counts = {
        .rhs = 7, .jacobian = 99, .vjp = 5, .jvp = 4, .vjp_p = 3, .jvp_p = 11};
    struct operation_sum sum;
    RESOLVE("problem=glv", "n=3");
    operations_sum(&cell, &counts, 4, 6, &sum);
    assert_true(sum.flops == 7 * 24 + 5 * 18 + 4 * 18 + 3 * 24 + 11 * 2);
    assert_true(sum.flops_reverse == 5 * 18 + 3 * 24);
    /* 18; 6 + 9/4; 3 + 24/6; 2 x 2 numbers */
    assert_true(sum.bytes == 8 * (7 * 18 + 9 * (6 + 9 / 4.0) + 3 * 7 + 11 * 4));
    struct operation_counts padded = counts; /* idle vectors are moved, but are of no use */
    padded.idle_vjp = 2, padded.idle_jvp = 1, padded.idle_vjp_p = 3;
    struct operation_sum useful;
    operations_sum(&cell, &padded, 4, 6, &useful);
    assert_true(useful.flops_reverse == 3 * 18 && useful.bytes == sum.bytes);
    assert_true(useful.flops == 7 * 24 + 3 * 18 + 3 * 18 + 11 * 2);
    operations_sum(&cell, &counts, 0, 0, &sum); /* methods without lanes and batches */
    assert_true(sum.bytes == 8 * (7 * 18 + 9 * 15 + 3 * 27 + 11 * 4));
    RESOLVE("problem=glv", "n=3", "structure=none"); /* the same work, told or not */
    operations_sum(&cell, &counts, 4, 6, &sum);
    assert_true(sum.flops_reverse == 5 * 18 + 3 * 24);
}

/* What was used and has no known cost makes the sum unknown; what was not used does not. */
static void unknown_costs(void **state)
{
    (void)state;
    struct operation_sum sum;
    RESOLVE("problem=decay");
    cell.operations.jvp = NAN;
    operations_sum(&cell, &(struct operation_counts){.rhs = 2, .vjp = 1}, 1, 1, &sum);
    assert_true(sum.flops == 2 + 1);
    operations_sum(&cell, &(struct operation_counts){.rhs = 2, .jvp = 1}, 1, 1, &sum);
    assert_true(isnan(sum.flops) && sum.flops_reverse == 0);
}

/* Counted with a pencil in the problems' sources. */
static void costs_of_problems(void **state)
{
    (void)state;
    static const struct {
        const char *problem, *option;
        struct sens_operations expected;
    } known[] = {
        {"decay", "k=1", {1, 1, 1, 2, 1, 1}},         {"forced", "form=cosine", {3, 1, 1, 2, 1, 1}},
        {"forced", "form=power", {2, 1, 1, 2, 1, 1}}, {"logistic", "r=1", {4, 1, 1, 4, 1, 1}},
        {"initial", "k=1", {3, 6, 6, 12, 2, 4}},      {"oscillator", "omega=1", {5, 6, 6, 8, 2, 4}},
        {"robertson", "k1=1", {8, 15, 15, 18, 3, 9}}, {"arenstorf", "mu=0.5", {33, 28, 28, 8, 4, 16}},
        {"vdp", "form=eps", {6, 3, 3, 2, 1, 2}},      {"vdp", "form=mu", {5, 3, 3, 2, 1, 2}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char problem[64];
        snprintf(problem, sizeof problem, "problem=%s", known[i].problem);
        RESOLVE(problem, known[i].option);
        if (memcmp(&cell.operations, &known[i].expected, sizeof cell.operations) != 0)
            fail_msg("%s %s: rhs %g, vjp %g, vjp_p %g", problem, known[i].option, cell.operations.rhs,
                     cell.operations.vjp, cell.operations.vjp_p);
    }
    RESOLVE("problem=heat", "n=4"); /* 9 points: 4 with two neighbours, 4 with three, 1 with four */
    assert_true(cell.operations.rhs == 9 * 2 + 4 * 2 + 4 * 3 + 4);
}

static void zeros(const struct sens_problem *pb, const struct sens_at *at, sens_real *value)
{
    (void)pb, (void)at, (void)value;
}

static void structures(void **state)
{
    (void)state;
    RESOLVE("problem=glv");
    assert_string_equal(operations_structure(&cell.problem), "dense+outer");
    RESOLVE("problem=glv", "structure=none");
    assert_string_equal(operations_structure(&cell.problem), "none");
    RESOLVE("problem=decay");
    assert_string_equal(operations_structure(&cell.problem), "none");
    static const struct sens_pattern pattern = {.rows = 1};
    RESOLVE("problem=glv");
    struct sens_structure declared = *cell.problem.structure;
    declared.outer = NULL;
    cell.problem.structure = &declared;
    assert_string_equal(operations_structure(&cell.problem), "dense");
    declared.sparsity = &pattern;
    assert_string_equal(operations_structure(&cell.problem), "sparse");
    declared.jacobian_costs_more = declared.jacobian_p_costs_more = true;
    assert_string_equal(operations_structure(&cell.problem), "sparse.systems");
    declared.jacobian_p = zeros;
    assert_string_equal(operations_structure(&cell.problem), "sparse.systems+sparse.columns");
    declared.sparsity = NULL;
    assert_string_equal(operations_structure(&cell.problem), "dense.systems+sparse.columns");
}

/* Rates are work by time; where there was no reverse part there is no rate of it. */
static void rates(void **state)
{
    (void)state;
    struct record *rec = record_create();
    assert_non_null(rec);
    const struct operation_counts counts = {.rhs = 1000, .jacobian = 3, .vjp = 500, .vjp_p = 100};
    RESOLVE("problem=glv", "n=3");
    rec->number[COL_lanes] = 4;
    rec->number[COL_batch] = 6;
    rec->number[COL_t_total_s] = 0.5;
    rec->number[COL_t_reverse_s] = 0.25;
    operations_record(&cell, &counts, 8, rec);
    assert_true(rec->number[COL_flops] == 35400 && rec->number[COL_n_jacobian] == 3);
    assert_true(rec->number[COL_gflops] == 35400 / 0.5 / 1e9);
    assert_true(rec->number[COL_gflops_reverse] == 11400 / 0.25 / 1e9);
    assert_true(rec->number[COL_share] == rec->number[COL_gflops] / 8);
    assert_true(rec->number[COL_share_reverse] == rec->number[COL_gflops_reverse] / 8);
    assert_true(rec->number[COL_bytes] == 8 * (1000 * 18 + 500 * 8.25 + 100 * 7.0));
    assert_true(rec->number[COL_gbytes] == rec->number[COL_bytes] / 0.5 / 1e9);
    rec->number[COL_t_reverse_s] = 0;
    operations_record(&cell, &counts, NAN, rec);
    assert_true(isnan(rec->number[COL_gflops_reverse]) && isnan(rec->number[COL_share]));
    free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_add_up),     cmocka_unit_test(by_hand),    cmocka_unit_test(unknown_costs),
        cmocka_unit_test(costs_of_problems), cmocka_unit_test(structures), cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
