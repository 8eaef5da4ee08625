/* Every tableau of the registry against the order conditions of its formula, its embedded formulas and its
 * dense output, with tolerances of rounding size, and the proof that these see a wrong twelfth digit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rooted_trees.h"
#include "sens/registry.h"
#include "testing.h"

enum { MAX_DEGREE = 7 };

/* ---- copies, to be altered ----------------------------------------------------------------------------- */

struct copy {
    struct sens_tableau tb;
    sens_real a[SENS_MAX_STAGES * SENS_MAX_STAGES], b[SENS_MAX_STAGES], e[SENS_MAX_STAGES],
        e3[SENS_MAX_STAGES], c[SENS_MAX_STAGES];
    sens_real dense[SENS_MAX_STAGES * MAX_DEGREE], gamma[SENS_MAX_STAGES * SENS_MAX_STAGES];
};

static int all_stages(const struct sens_tableau *tb)
{
    return tb->stages + tb->extra_stages;
}

static void copy_of(const struct sens_tableau *tb, struct copy *copy)
{
    const size_t stages = (size_t)tb->stages, all = (size_t)all_stages(tb);
    assert_true(all < SENS_MAX_STAGES && tb->dense_degree <= MAX_DEGREE);
    copy->tb = *tb;
    copy->tb.a = memcpy(copy->a, tb->a, all * all * sizeof *tb->a);
    copy->tb.b = memcpy(copy->b, tb->b, stages * sizeof *tb->b);
    if (tb->c) copy->tb.c = memcpy(copy->c, tb->c, all * sizeof *tb->c);
    if (tb->gamma) copy->tb.gamma = memcpy(copy->gamma, tb->gamma, stages * stages * sizeof *tb->gamma);
    if (tb->e) copy->tb.e = memcpy(copy->e, tb->e, stages * sizeof *tb->e);
    if (tb->e3) copy->tb.e3 = memcpy(copy->e3, tb->e3, stages * sizeof *tb->e3);
    if (tb->dense)
        copy->tb.dense = memcpy(copy->dense, tb->dense, all * (size_t)tb->dense_degree * sizeof *tb->dense);
}

/* The tableau with its cubic Hermite interpolant written out: one more stage, the slope at the end of the
 * step. */
static void hermite_of(const struct sens_tableau *tb, struct copy *copy)
{
    const int stages = tb->stages, all = stages + 1;
    copy_of(tb, copy);
    memset(copy->a, 0, sizeof copy->a);
    memset(copy->dense, 0, sizeof copy->dense);
    for (int i = 0; i < stages; i++) {
        for (int j = 0; j < stages; j++) copy->a[i * all + j] = sens_tableau_a(tb, i, j);
        copy->a[stages * all + i] = tb->b[i];
        copy->dense[i * 3 + 1] = 3 * tb->b[i];
        copy->dense[i * 3 + 2] = -2 * tb->b[i];
    }
    copy->c[stages] = 1;
    copy->dense[0] = 1;
    copy->dense[1] -= 2;
    copy->dense[2] += 1;
    copy->dense[stages * 3 + 1] = -1;
    copy->dense[stages * 3 + 2] = 1;
    copy->tb.fsal = false; /* the slope at the end is the new stage, for FSAL pairs too */
    copy->tb.extra_stages = 1;
    copy->tb.dense_degree = 3;
    copy->tb.dense = copy->dense;
}

/* ---- order conditions ---------------------------------------------------------------------------------- */

static void method_of(const struct sens_tableau *tb, struct method *method)
{
    method->s = all_stages(tb);
    for (int k = 0; k < method->s * method->s; k++) {
        const long double gamma = tb->gamma ? tb->gamma[k] : 0;
        method->a[k] = tb->a[k];
        method->a_size[k] = fabsl(method->a[k]);
        method->only[k] = method->a[k] + gamma;
        method->only_size[k] = method->a_size[k] + fabsl(gamma);
    }
}

/* b - e on the stages; e NULL: b. */
static void weights_of(const struct sens_tableau *tb, const sens_real *e, struct weights *weights)
{
    *weights = (struct weights){.w = {0}};
    for (int i = 0; i < tb->stages; i++) {
        const long double b = tb->b[i], less = e ? e[i] : 0;
        weights->w[i] = b - less;
        weights->size[i] = fabsl(b) + fabsl(less);
    }
}

/* The powers of theta. A coefficient that is a sum of others carries their rounding: size is the largest of a
 * row. */
static void powers_of(const struct sens_tableau *tb, struct weights *power /*[MAX_DEGREE]*/)
{
    const int D = tb->dense_degree;
    memset(power, 0, MAX_DEGREE * sizeof *power);
    for (int i = 0; i < all_stages(tb); i++) {
        long double largest = 0;
        for (int d = 0; d < D; d++) {
            power[d].w[i] = tb->dense[i * D + d];
            largest = fmaxl(largest, fabsl(power[d].w[i]));
        }
        for (int d = 0; d < D; d++) power[d].size[i] = largest;
    }
}

/* ---- what must hold ------------------------------------------------------------------------------------ */

/* Units of the last place for each of a tree's vertices. Half a unit is the bound (tree_defect); a whole one
 * leaves room for coefficients that are themselves sums. The largest value met is 0.3. */
static const long double ulps_allowed = 1;

/* A formula of one order too high misses some condition by at least this. The smallest value met is 1.8e-5,
 * that of fehlberg78's embedded formula. */
static const long double sharp = 1e-6L;

/* Of a_ij, i and j from 0. */
static const char *place_fault(const struct sens_tableau *tb, int i, int j)
{
    const long double a = sens_tableau_a(tb, i, j);
    const bool diagonal = tb->family == SENS_FAMILY_DIRK && i > 0;
    if (tb->family == SENS_FAMILY_FIRK)
        return (i == 0 || j == 0) && a != 0 ? "the first stage is not the state alone" : NULL;
    if (j > i && a != 0) return "a is not lower triangular";
    return j == i && a != (diagonal ? sens_tableau_a(tb, 1, 1) : 0)
               ? "the diagonal of a is not that of its family"
               : NULL;
}

/* Where two stages after each other stand at the end of the step, the second is evaluated at the end of a formula of
 * its own, alpha_(i+1)j = alpha_ij + gamma_ij: how Rodas pairs get their embedded formulas. */
static const char *nested_fault(const struct sens_tableau *tb)
{
    const int s = tb->stages;
    for (int i = 0; i + 1 < s; i++) {
        const long double off = fabsl((long double)sens_tableau_alpha(tb, i) - 1) +
                                fabsl((long double)sens_tableau_alpha(tb, i + 1) - 1);
        for (int j = 0; j <= i && off < 1e-9L; j++) {
            const long double alpha = tb->a[i * s + j], gamma = tb->gamma[i * s + j],
                              next = tb->a[(i + 1) * s + j];
            const long double size = fabsl(alpha) + fabsl(gamma) + fabsl(next);
            if (fabsl(alpha + gamma - next) > ulps_allowed * SENS_EPSILON * size)
                return "a stage at the end of the step does not follow from the one before";
        }
    }
    return NULL;
}

/* alpha strictly lower, gamma lower with one number on its diagonal. */
static const char *rosenbrock_rows_fault(const struct sens_tableau *tb)
{
    const int s = tb->stages;
    if (tb->c || tb->extra_stages > 0) return "c or an extra stage of a Rosenbrock pair";
    for (int i = 0; i < s; i++)
        for (int j = i; j < s; j++) {
            if (tb->a[i * s + j] != 0) return "alpha is not strictly lower";
            if (tb->gamma[i * s + j] != (j == i ? tb->gamma[0] : 0))
                return "gamma is not lower with one diagonal";
        }
    return nested_fault(tb);
}

static const char *rows_fault(const struct sens_tableau *tb)
{
    const int s = all_stages(tb);
    if (tb->family == SENS_FAMILY_ROSENBROCK) return rosenbrock_rows_fault(tb);
    for (int i = 0; i < s; i++) {
        long double sum = -(long double)tb->c[i], size = fabsl(sum);
        for (int j = 0; j < s; j++) {
            const long double a = sens_tableau_a(tb, i, j);
            const char *const fault = place_fault(tb, i, j);
            if (fault) return fault;
            sum += a;
            size += fabsl(a);
        }
        if (fabsl(sum) > ulps_allowed * SENS_EPSILON * size) return "c is not the row sum of a";
    }
    return NULL;
}

/* Of a Rosenbrock pair, b_j = alpha_sj + gamma_sj and alpha_s = 1, to the rounding of the sums. */
static bool is_stiffly_accurate(const struct sens_tableau *tb)
{
    const int last = tb->stages - 1;
    long double off = fabsl((long double)sens_tableau_alpha(tb, last) - 1), size = 1;
    for (int j = 0; j <= last; j++) {
        const long double a = tb->a[last * tb->stages + j], gamma = tb->gamma[last * tb->stages + j];
        off = fmaxl(off, fabsl(a + gamma - (long double)tb->b[j]));
        size += fabsl(a) + fabsl(gamma);
    }
    return off <= ulps_allowed * SENS_EPSILON * size;
}

/* Whether the last row of a equals b, bit for bit, and its c is 1. */
static bool last_is_next(const struct sens_tableau *tb)
{
    const int s = tb->stages;
    if (tb->family == SENS_FAMILY_ROSENBROCK) return is_stiffly_accurate(tb);
    for (int j = 0; j < s; j++)
        if (sens_tableau_a(tb, s - 1, j) != tb->b[j] ||
            (tb->a_explicit && tb->a_explicit[(s - 1) * s + j] != tb->b[j]))
            return false;
    return tb->c[s - 1] == 1;
}

/* Where there are extra stages, the slope at the end of the step is a stage: the last one of an FSAL pair,
 * else the first extra one. */
static bool has_end_slope(const struct sens_tableau *tb)
{
    for (int j = 0; j < tb->stages; j++)
        if (sens_tableau_a(tb, tb->stages, j) != tb->b[j]) return false;
    return tb->c[tb->stages] == 1;
}

static const char *sum_fault(const struct sens_tableau *tb, const sens_real *e)
{
    long double sum = 0, size = 0;
    for (int i = 0; i < tb->stages; i++) {
        sum += e[i];
        size += fabsl((long double)e[i]);
    }
    return fabsl(sum) > ulps_allowed * SENS_EPSILON * size ? "error weights do not sum to 0" : NULL;
}

static bool has_order(const struct method *method, const struct weights *weights, int order)
{
    for (int n = 1; n <= order; n++)
        if (formula_defect(method, weights, n).ulps > ulps_allowed) return false;
    return true;
}

static const char *formula_fault(const struct sens_tableau *tb)
{
    struct method method;
    struct weights weights;
    method_of(tb, &method);
    weights_of(tb, NULL, &weights);
    if (!has_order(&method, &weights, tb->order)) return "order of b";
    if (!tb->e) return NULL;
    weights_of(tb, tb->e, &weights);
    if (!has_order(&method, &weights, tb->order_hat)) return "order of b - e";
    if (!tb->e3) return NULL;
    weights_of(tb, tb->e3, &weights);
    return has_order(&method, &weights, 3) ? NULL : "order of b - e3";
}

/* At theta = 0 the state and its slope, at theta = 1 the next state and its slope. */
static const char *ends_fault(const struct sens_tableau *tb)
{
    const int D = tb->dense_degree, last = tb->fsal ? tb->stages - 1 : tb->stages;
    for (int i = 0; i < all_stages(tb); i++) {
        const sens_real *B = tb->dense + i * D;
        long double end = i < tb->stages ? -(long double)tb->b[i] : 0, slope = i == last ? -1 : 0, size = 1;
        for (int d = 1; d <= D; d++) {
            end += B[d - 1];
            slope += (long double)d * B[d - 1];
            size += d * fabsl((long double)B[d - 1]);
        }
        if (fabsl(end) > ulps_allowed * SENS_EPSILON * size) return "dense output at 1";
        if (tb->family == SENS_FAMILY_ROSENBROCK) continue; /* which promises no slopes */
        if (B[0] != (i == 0)) return "slope of the dense output at 0";
        if (fabsl(slope) > ulps_allowed * SENS_EPSILON * size) return "slope of the dense output at 1";
    }
    return NULL;
}

static const char *dense_fault(const struct sens_tableau *tb)
{
    struct method method;
    struct weights power[MAX_DEGREE];
    struct copy hermite;
    if (!tb->dense) {
        hermite_of(tb, &hermite);
        tb = &hermite.tb;
    }
    const char *fault = ends_fault(tb);
    if (fault) return fault;
    method_of(tb, &method);
    powers_of(tb, power);
    for (int n = 1; n <= tb->dense_order; n++)
        if (dense_defect(&method, power, tb->dense_degree, n).ulps > ulps_allowed)
            return "order of the dense output";
    return NULL;
}

/* The first thing wrong with a tableau; NULL: nothing. */
static const char *fault_of(const struct sens_tableau *tb)
{
    if (tb->c && tb->c[0] != 0) return "c_1 is not 0";
    const char *fault = rows_fault(tb);
    if (!fault && last_is_next(tb) != tb->fsal) fault = "fsal flag";
    if (!fault && !tb->fsal && tb->extra_stages > 0 && !has_end_slope(tb)) fault = "first extra stage";
    if (!fault && tb->e) fault = sum_fault(tb, tb->e);
    if (!fault && tb->e3) fault = sum_fault(tb, tb->e3);
    if (!fault) fault = formula_fault(tb);
    return fault ? fault : dense_fault(tb);
}

/* ---- tests --------------------------------------------------------------------------------------------- */

/* Explicit ones, then implicit ones. */
static const struct sens_tableau *tableau_at(size_t k)
{
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->tableaux[i]; i++)
        if (k-- == 0) return reg->tableaux[i];
    return reg->implicit_tableaux[k];
}

/* Hairer, Norsett, Wanner, table II.2.1. */
static void test_number_of_trees(void **state)
{
    (void)state;
    static const size_t expected[MAX_VERTICES] = {1, 1, 2, 4, 9, 20, 48, 115, TREES_OF_ORDER_9};
    struct tree tree[TREES_OF_ORDER_9];
    for (int n = 1; n <= MAX_VERTICES; n++) assert_int_equal(trees_of_order(n, tree), expected[n - 1]);
}

static const struct sens_tableau *find(const char *name)
{
    const struct sens_tableau *found = NULL;
    for (size_t k = 0; tableau_at(k); k++)
        if (strcmp(tableau_at(k)->name, name) == 0) {
            assert_null(found);
            found = tableau_at(k);
        }
    return found;
}

static void test_list(void **state)
{
    (void)state;
    static const char *const required[] = {
        "euler",          "heun",           "midpoint", "rk4",        "bs32",
        "dopri5",         "cash_karp",      "tsit5",    "verner65",   "fehlberg45",
        "dop853",         "fehlberg78",     "sdirk2a",  "sdirk2b",    "sdirk3a",
        "sdirk4a",        "sdirk4b",        "tr_bdf2",  "kvaerno43",  "kvaerno54",
        "crank_nicolson", "backward_euler", "ros2",     "ros3",       "ros4",
        "rodas3",         "rodas4",         "rodas5p",  "radau_iia5", "radau_ia5",
        "lobatto_iiic4",  "gauss6",         "theta",    "ark32",      "ark43"};
    for (size_t k = 0; k < sizeof required / sizeof *required; k++) assert_non_null(find(required[k]));
    for (size_t k = 0; tableau_at(k); k++) {
        const struct sens_tableau *tb = tableau_at(k);
        assert_ptr_equal(find(tb->name), tb);
        assert_non_null(tb->summary);
        assert_non_null(tb->source);
        assert_int_equal(tb->e != NULL, tb->order_hat > 0);
        assert_int_equal(tb->dense != NULL, tb->dense_degree > 0);
    }
}

static void test_no_fault(void **state)
{
    (void)state;
    for (size_t k = 0; tableau_at(k); k++) {
        const char *fault = fault_of(tableau_at(k));
        if (fault) fail_msg("%s: %s", tableau_at(k)->name, fault);
    }
}

static void expect_not_of_order(const struct sens_tableau *tb, const sens_real *e, int order,
                                const char *what)
{
    struct method method;
    struct weights weights;
    method_of(tb, &method);
    weights_of(tb, e, &weights);
    if (formula_defect(&method, &weights, order).absolute < sharp)
        fail_msg("%s: %s has order %d too", tb->name, what, order);
}

/* An order claimed too low would make a controller wrong, and an estimate of the same order as b useless. */
static void test_orders_are_sharp(void **state)
{
    (void)state;
    for (size_t k = 0; tableau_at(k); k++) {
        const struct sens_tableau *tb = tableau_at(k);
        expect_not_of_order(tb, NULL, tb->order + 1, "b");
        if (tb->e) expect_not_of_order(tb, tb->e, tb->order_hat + 1, "b - e");
        if (tb->e3) expect_not_of_order(tb, tb->e3, 4, "b - e3");
        struct copy dense;
        struct method method;
        struct weights power[MAX_DEGREE];
        if (tb->dense)
            copy_of(tb, &dense);
        else
            hermite_of(tb, &dense);
        method_of(&dense.tb, &method);
        powers_of(&dense.tb, power);
        if (dense_defect(&method, power, dense.tb.dense_degree, tb->dense_order + 1).absolute < sharp)
            fail_msg("%s: dense output has order %d too", tb->name, tb->dense_order + 1);
    }
}

/* Changes each coefficient of an array of the copy in turn by a unit of its twelfth digit;
 * number of changes. */
static size_t expect_caught(struct copy *copy, sens_real *array, int count, const char *what)
{
    size_t changes = 0;
    for (int k = 0; k < count; k++) {
        const sens_real kept = array[k];
        if (kept == 0) continue;
        array[k] += (sens_real)pow(10, floor(log10(fabs((double)kept))) - 11);
        if (!fault_of(&copy->tb)) fail_msg("%s: a wrong digit in %s[%d] is not seen", copy->tb.name, what, k);
        array[k] = kept;
        changes++;
    }
    return changes;
}

static void test_wrong_digit_is_caught(void **state)
{
    (void)state;
    size_t changes = 0;
    for (size_t k = 0; tableau_at(k); k++) {
        const struct sens_tableau *tb = tableau_at(k);
        const int s = tb->stages, all = all_stages(tb);
        struct copy copy;
        copy_of(tb, &copy);
        changes += expect_caught(&copy, copy.a, all * all, "a");
        changes += expect_caught(&copy, copy.b, s, "b");
        if (tb->c) changes += expect_caught(&copy, copy.c, all, "c");
        if (tb->gamma) changes += expect_caught(&copy, copy.gamma, s * s, "gamma");
        if (tb->e) changes += expect_caught(&copy, copy.e, s, "e");
        if (tb->e3) changes += expect_caught(&copy, copy.e3, s, "e3");
        if (tb->dense) changes += expect_caught(&copy, copy.dense, all * tb->dense_degree, "dense");
        assert_null(fault_of(&copy.tb));
    }
    assert_true(changes > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_of_trees),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_no_fault),
        cmocka_unit_test(test_orders_are_sharp),
        cmocka_unit_test(test_wrong_digit_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
