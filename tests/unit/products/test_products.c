/* methods/products: the derivative of f along a direction of the parameters is the weighted sum of its columns. */
#include "method/support.h"
#include "products.h"

static void create(const char *problem, struct method_bed *bed)
{
    bed_create(bed, problem, "identity", NULL);
}

/* By what the problem declares, and column by column: within the rounding of the sum. A direction stands in a block
 * of lanes, whose other numbers stay. */
static void along_direction(const char *problem)
{
    enum { STEP = 3 };
    struct method_bed bed;
    create(problem, &bed);
    const size_t n = bed.problem.n, np = bed.problem.np;
    struct sens_products *products;
    assert_int_equal(sens_products_create(&bed.ctx, &bed.problem, SENS_JVP, 1, 2, &products), SENS_OK);
    sens_real *const weight = SENS_NEW(&bed.ctx, sens_real, np), *const column =
                                                                     SENS_NEW(&bed.ctx, sens_real, n);
    sens_real *const out = SENS_NEW(&bed.ctx, sens_real, n * STEP), *const sum =
                                                                        SENS_NEW(&bed.ctx, sens_real, n);
    sens_real *const size = SENS_NEW(&bed.ctx, sens_real, n);
    assert_true(weight && column && out && sum && size);
    sens_products_begin(products, bed.problem.p);
    sens_products_at(products, &(struct sens_at){bed.problem.t0, bed.problem.x0, bed.problem.p});
    for (size_t k = 0; k < np; k++) {
        weight[k] = (k % 2 ? 1 : -1) * (0.25 + (sens_real)k / 7);
        memset(column, 0, n * sizeof *column);
        sens_products_add_columns(products, k, 1, column);
        for (size_t i = 0; i < n; i++)
            sum[i] += weight[k] * column[i], size[i] += fabs(weight[k] * column[i]);
    }
    for (size_t q = 0; q < n * STEP; q++) out[q] = 5;
    assert_true(sens_products_add_weighted(products, weight, STEP, out + 1));
    for (size_t i = 0; i < n; i++) {
        assert_true(size[i] > 0);
        assert_true(out[i * STEP] == 5 && out[i * STEP + 2] == 5);
        assert_true(fabs(out[i * STEP + 1] - 5 - sum[i]) <= 4 * (sens_real)np * DBL_EPSILON * (5 + size[i]));
    }
    bed_free(&bed);
}

static void test_outer(void **state)
{
    (void)state;
    along_direction("glv");
}

static void test_sparse(void **state)
{
    (void)state;
    along_direction("conduction");
}

static void test_undeclared(void **state)
{
    (void)state;
    struct method_bed bed;
    struct sens_products *products;
    create("glv", &bed);
    bed.problem.structure = NULL;
    assert_int_equal(sens_products_create(&bed.ctx, &bed.problem, SENS_JVP, 1, 2, &products), SENS_OK);
    sens_real out[2] = {5, 5};
    assert_false(sens_products_add_weighted(products, bed.problem.p, 1, out));
    assert_true(out[0] == 5 && out[1] == 5);
    bed_free(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outer),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_undeclared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
