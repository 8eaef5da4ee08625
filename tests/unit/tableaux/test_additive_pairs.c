/* Additive pairs against the order conditions of both parts together: with the same b and c for both, for every rooted
 * tree with each vertex but the root in one of two colours,
 *
 *     sum_i w_i u_i(tau) = 1 / gamma(tau),
 *     u_i(tau) = prod over the children tau' of the root of sum_j a_ij u_j(tau'),
 *
 * a by the colour of tau' (Kennedy & Carpenter, Appl. Numer. Math. 44 (2003), section 2; Araujo, Murua & Sanz-Serna,
 * SIAM J. Numer. Anal. 34 (1997) 1926-1947). One colour alone gives the conditions of that part, mixed ones the
 * coupling. */
#include <math.h>
#include <string.h>

#include "rooted_trees.h"
#include "sens/registry.h"
#include "testing.h"

struct pair {
    const struct sens_tableau *tb;
    sens_real a_explicit[SENS_MAX_STAGES * SENS_MAX_STAGES], a[SENS_MAX_STAGES * SENS_MAX_STAGES];
};

static size_t find_pairs(struct pair *pair)
{
    const struct sens_tableau *const *const implicit = sens_registry_baseline()->implicit_tableaux;
    size_t count = 0;
    for (size_t k = 0; implicit[k]; k++) {
        const struct sens_tableau *const tb = implicit[k];
        const size_t size = (size_t)(tb->stages * tb->stages) * sizeof(sens_real);
        if (!tb->a_explicit) continue;
        assert_true(count < 4 && tb->family == SENS_FAMILY_DIRK && !tb->fsal);
        pair[count].tb = tb;
        memcpy(pair[count].a, tb->a, size);
        memcpy(pair[count++].a_explicit, tb->a_explicit, size);
    }
    return count;
}

/* u_i of a tree whose vertex v > 0 is explicit where bit v - 1 of `colours` is set; `size`: of the absolute values. */
static void coloured_weights(const struct pair *pair, const struct tree *tree, unsigned colours, bool size,
                             long double *u)
{
    const int s = pair->tb->stages;
    long double product[MAX_VERTICES][SENS_MAX_STAGES];
    for (int v = 0; v < tree->n; v++)
        for (int i = 0; i < s; i++) product[v][i] = 1;
    for (int v = tree->n - 1; v > 0; v--) {
        const sens_real *const a = colours >> (v - 1) & 1 ? pair->a_explicit : pair->a;
        for (int i = 0; i < s; i++) {
            long double sum = 0;
            for (int j = 0; j < s; j++) {
                const long double entry = a[i * s + j];
                sum += (size ? fabsl(entry) : entry) * product[v][j];
            }
            product[tree->parent[v]][i] *= sum;
        }
    }
    for (int i = 0; i < s; i++) u[i] = product[0][i];
}

/* The largest defect over all coloured trees with n vertices, in units of rounding of the terms and a vertex; *absolute
 * the largest in itself. */
static long double defect(const struct pair *pair, bool embedded, int n, long double *absolute)
{
    const struct sens_tableau *const tb = pair->tb;
    struct tree tree[TREES_OF_ORDER_9];
    const size_t count = trees_of_order(n, tree);
    long double worst = 0;
    *absolute = 0;
    for (size_t k = 0; k < count; k++)
        for (unsigned colours = 0; colours < 1U << (n - 1); colours++) {
            long double u[SENS_MAX_STAGES], u_size[SENS_MAX_STAGES], sum = -1 / tree_gamma(&tree[k]),
                                                                     size = -sum;
            coloured_weights(pair, &tree[k], colours, false, u);
            coloured_weights(pair, &tree[k], colours, true, u_size);
            for (int i = 0; i < tb->stages; i++) {
                const long double b = tb->b[i], e = embedded ? tb->e[i] : 0;
                sum += (b - e) * u[i];
                size += (fabsl(b) + fabsl(e)) * u_size[i];
            }
            *absolute = fmaxl(*absolute, fabsl(sum));
            worst = fmaxl(worst, fabsl(sum) / (size * SENS_EPSILON * n));
        }
    return worst;
}

/* The first order whose conditions do not hold to rounding, as in test_tableaux.c; c is the row sum of both. */
static int first_missed(const struct pair *pair, bool embedded)
{
    const int s = pair->tb->stages;
    for (int i = 0; i < s; i++) {
        long double off = 2 * (long double)pair->tb->c[i];
        for (int j = 0; j < s; j++) off -= (long double)pair->a[i * s + j] + pair->a_explicit[i * s + j];
        if (fabsl(off) > 8 * SENS_EPSILON) return 0;
    }
    for (int n = 1;; n++) {
        long double absolute;
        if (defect(pair, embedded, n, &absolute) > 1) return n;
    }
}

static void orders_with_coupling(void **state)
{
    (void)state;
    struct pair pair[4];
    const size_t count = find_pairs(pair);
    assert_int_equal(count, 2);
    for (size_t k = 0; k < count; k++) {
        const struct sens_tableau *const tb = pair[k].tb;
        long double beyond;
        assert_int_equal(first_missed(&pair[k], false), tb->order + 1);
        assert_int_equal(first_missed(&pair[k], true), tb->order_hat + 1);
        defect(&pair[k], true, tb->order_hat + 1, &beyond);
        assert_true(beyond > 1e-4L); /* the estimate sees an error of the order below */
        for (int i = 0; i < tb->stages; i++) {
            assert_true(tb->a[(tb->stages - 1) * tb->stages + i] == tb->b[i]); /* stiffly accurate */
            for (int j = i; j < tb->stages; j++) assert_true(tb->a_explicit[i * tb->stages + j] == 0);
        }
    }
}

/* A change in the twelfth digit of an explicit coefficient, or of two of a row whose sum stays as it is. */
static void wrong_digits_are_seen(void **state)
{
    (void)state;
    struct pair pair[4];
    const size_t count = find_pairs(pair);
    for (size_t k = 0; k < count; k++)
        for (int q = 0, s = pair[k].tb->stages; q < s * s; q++) {
            struct pair wrong = pair[k];
            if (wrong.a_explicit[q] == 0) continue;
            wrong.a_explicit[q] += 1e-12;
            assert_true(first_missed(&wrong, false) <= wrong.tb->order);
            if (q % s == 0) continue;
            wrong.a_explicit[q - q % s] -= 1e-12;
            assert_true(first_missed(&wrong, false) <= wrong.tb->order);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_with_coupling),
        cmocka_unit_test(wrong_digits_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
