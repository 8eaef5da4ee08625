/* Implicit tableaux: A- and L-stability, the theta method for every theta, and the simplifying assumptions of the
 * fully implicit ones. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "sens/registry.h"
#include "testing.h"

static const struct sens_tableau *find(const char *name)
{
    const struct sens_tableau *const *implicit = sens_registry_baseline()->implicit_tableaux;
    while (*implicit && strcmp((*implicit)->name, name) != 0) implicit++;
    return *implicit;
}

/* ---- stability ----------------------------------------------------------------------------------------- */

/* k of M k = k, [s][s]: elimination with the largest pivot. */
static void eliminate(int s, long double complex M[SENS_MAX_STAGES][SENS_MAX_STAGES], long double complex *k)
{
    for (int c = 0; c < s; c++) {
        int best = c;
        for (int i = c + 1; i < s; i++)
            if (cabsl(M[i][c]) > cabsl(M[best][c])) best = i;
        for (int j = 0; j < s; j++) {
            const long double complex kept = M[c][j];
            M[c][j] = M[best][j], M[best][j] = kept;
        }
        const long double complex kept = k[c];
        k[c] = k[best], k[best] = kept;
        for (int i = 0; i < s; i++) {
            const long double complex l = M[i][c] / M[c][c];
            for (int j = c; j < s && i != c; j++) M[i][j] -= l * M[c][j];
            if (i != c) k[i] -= l * k[c];
        }
    }
    for (int c = 0; c < s; c++) k[c] /= M[c][c];
}

/* R(z) = 1 + z sum_i b_i k_i, where k_i = 1 + z sum_j a_ij k_j: a step of y' = z y. */
static double complex stability(const struct sens_tableau *tb, double complex z)
{
    long double complex M[SENS_MAX_STAGES][SENS_MAX_STAGES], k[SENS_MAX_STAGES], R = 1;
    for (int i = 0; i < tb->stages; i++) {
        k[i] = 1;
        for (int j = 0; j < tb->stages; j++) M[i][j] = (i == j) - z * sens_tableau_a(tb, i, j);
    }
    eliminate(tb->stages, M, k);
    for (int i = 0; i < tb->stages; i++) R += z * tb->b[i] * k[i];
    return (double complex)R;
}

/* Named among these. */
static bool is_one_of(const struct sens_tableau *tb, const char *const *name)
{
    while (*name && strcmp(*name, tb->name) != 0) name++;
    return *name != NULL;
}

/* |R(infinity)| where it is not 0. */
static double far_value(const struct sens_tableau *tb)
{
    static const char *const not_damping[] = {"crank_nicolson", "gauss6", NULL};
    return is_one_of(tb, not_damping) ? 1 : strcmp(tb->name, "theta") == 0 ? 2. / 3 : 0;
}

static const char *const ends_in_a_sum[] = {"radau_ia5", "gauss6", NULL};

/* R is analytic where Re z < 0, as its poles are at the eigenvalues of A^-1, which are on the right: |R| <= 1 on the
 * imaginary axis is A-stability. L: and R(infinity) = 0. The bound on |R|: rounding of some ten sums. Far off these are
 * sums of terms of that size, which cancel: a few roundings of it are left, where a coefficient that is wrong in its
 * last but three digits leaves a thousand times as much. (valgrind computes long double as double.) */
static const double FAR = 1e9;
static void test_stability(void **state)
{
    (void)state;
    const struct sens_tableau *const *const implicit = sens_registry_baseline()->implicit_tableaux;
    for (size_t k = 0; implicit[k]; k++) {
        const struct sens_tableau *tb = implicit[k];
        if (tb->family == SENS_FAMILY_ROSENBROCK) continue; /* test_rosenbrock_pairs.c */
        if (tb->family == SENS_FAMILY_SWITCHED) continue;   /* its parts are in the lists */
        assert_true(sens_tableau_a(tb, 1, 1) > 0 &&
                    (tb->a_explicit || tb->fsal == !is_one_of(tb, ends_in_a_sum)));
        for (int q = -400; q <= 800; q++) {
            const double y = pow(10, q / 100.), size = cabs(stability(tb, I * y));
            if (!(size <= 1 + 1e-12)) fail_msg("%s: |R(%g i)| = %.17g", tb->name, y, size);
        }
        const double far = cabs(stability(tb, -FAR)), off = fabs(far - far_value(tb));
        if (off > 8 * DBL_EPSILON * FAR) fail_msg("%s: |R(%g)| = %g", tb->name, -FAR, far);
    }
    for (size_t k = 0; sens_registry_baseline()->tableaux[k]; k++) /* explicit: never */
        assert_true(cabs(stability(sens_registry_baseline()->tableaux[k], I * 1e3)) > 1);
}

/* ---- the theta method ------------------------------------------------------------------------------------ */

/* Largest defect of the conditions of order 1, or of the one of order 2: sum_i b_i c_i = 1/2. */
static long double order_defect(const struct sens_tableau *tb, int order)
{
    long double sum = 0, worst = 0;
    for (int i = 0; i < tb->stages; i++) {
        long double row = -(long double)tb->c[i];
        for (int j = 0; j < tb->stages; j++) row += sens_tableau_a(tb, i, j);
        worst = fmaxl(worst, fabsl(row));
        sum += order == 1 ? tb->b[i] : tb->b[i] * tb->c[i];
    }
    return fmaxl(worst, fabsl(sum - 1.0L / order));
}

/* R(z) = (1 + (1 - theta) z) / (1 - theta z). With theta >= 1/2 A-stable; below, stable on [-2 / (1 - 2 theta), 0] and
 * at no point behind it. */
static void check_theta(const struct sens_tableau *tb, double theta)
{
    const double coarse = 1e-3, edge = 2 / (1 - 2 * theta);
    assert_true(order_defect(tb, 1) <= SENS_EPSILON);
    assert_int_equal(order_defect(tb, 2) <= SENS_EPSILON, theta == 0.5);
    assert_int_equal(tb->order, theta == 0.5 ? 2 : 1);
    double most = 0;
    for (int q = -200; q <= 400; q++) {
        const double complex z = I * pow(10, q / 100.);
        const double complex R = stability(tb, z), known = (1 + (1 - theta) * z) / (1 - theta * z);
        if (!(cabs(R - known) <= 1e-11 * cabs(z))) fail_msg("theta = %g: R is off at %g i", theta, cimag(z));
        most = fmax(most, cabs(R));
    }
    assert_int_equal(most <= 1 + 1e-12, theta >= 0.5);
    if (theta < 0.5 - coarse)
        assert_true(cabs(stability(tb, -edge * (1 - coarse))) < 1 &&
                    cabs(stability(tb, -edge * (1 + coarse))) > 1);
    const double far = cabs(stability(tb, -FAR));
    assert_true(fabs(far - (1 - theta) / theta) <= 8 * DBL_EPSILON * FAR / theta);
}

static void test_theta(void **state)
{
    (void)state;
    static const double some[] = {0.01, 0.25, 0.3, 0.49, 0.5, 0.51, 0.55, 0.6, 0.75, 0.9, 1};
    struct sens_ctx ctx = {.cores = 1};
    const struct sens_tableau *made, *const plain = find("theta");
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        assert_int_equal(sens_registry_baseline()->theta_tableau(&ctx, some[k], "theta:some", &made),
                         SENS_OK);
        assert_string_equal(made->name, "theta:some");
        check_theta(made, some[k]);
        const struct sens_tableau *same = some[k] == 1     ? find("backward_euler")
                                          : some[k] == 0.5 ? find("crank_nicolson")
                                          : some[k] == 0.6 ? plain
                                                           : made;
        assert_memory_equal(made->a, same->a, 4 * sizeof *made->a); /* the same bits */
        assert_memory_equal(made->b, same->b, 2 * sizeof *made->b);
        assert_int_equal(made->order, same->order);
    }
    static const double wrong[] = {0, -0.1, 1.0001, NAN, INFINITY};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(sens_registry_baseline()->theta_tableau(&ctx, wrong[k], "theta", &made),
                         SENS_BAD_INPUT);
    ctx.arena.fail_at = ctx.arena.allocations + 1;
    assert_int_equal(sens_registry_baseline()->theta_tableau(&ctx, 0.7, "theta", &made), SENS_NO_MEMORY);
    sens_arena_release(&ctx.arena);
}

/* ---- fully implicit ones --------------------------------------------------------------------------------- */

/* The simplifying assumptions of Butcher (Hairer & Wanner, Solving ODEs II, IV.5), of the implicit stages:
 *     B(p): sum_i b_i c_i^(k-1) = 1 / k,                      k <= p
 *     C(q): sum_j a_ij c_j^(k-1) = c_i^k / k,                 k <= q
 *     D(r): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k,   k <= r
 * each of them up to the number given, to rounding, and no further. */
struct assumptions {
    const char *name;
    int B, C, D;
};

static long double power(long double c, int k)
{
    return k == 0 ? 1 : c * power(c, k - 1);
}

static long double defect_B(const struct sens_tableau *tb, int k)
{
    long double sum = -1.0L / k;
    for (int i = 1; i < tb->stages; i++) sum += tb->b[i] * power(tb->c[i], k - 1);
    return fabsl(sum);
}

static long double defect_C(const struct sens_tableau *tb, int k)
{
    long double worst = 0;
    for (int i = 1; i < tb->stages; i++) {
        long double sum = -power(tb->c[i], k) / k;
        for (int j = 1; j < tb->stages; j++) sum += sens_tableau_a(tb, i, j) * power(tb->c[j], k - 1);
        worst = fmaxl(worst, fabsl(sum));
    }
    return worst;
}

static long double defect_D(const struct sens_tableau *tb, int k)
{
    long double worst = 0;
    for (int j = 1; j < tb->stages; j++) {
        long double sum = -(long double)tb->b[j] * (1 - power(tb->c[j], k)) / k;
        for (int i = 1; i < tb->stages; i++)
            sum += tb->b[i] * power(tb->c[i], k - 1) * (long double)sens_tableau_a(tb, i, j);
        worst = fmaxl(worst, fabsl(sum));
    }
    return worst;
}

static void expect_assumption(const struct sens_tableau *tb, char letter, int most)
{
    long double (*const defect)(const struct sens_tableau *, int) = letter == 'B'   ? defect_B
                                                                    : letter == 'C' ? defect_C
                                                                                    : defect_D;
    for (int k = 1; k <= most; k++)
        if (defect(tb, k) > 3 * SENS_EPSILON) fail_msg("%s: %c(%d)", tb->name, letter, k);
    if (defect(tb, most + 1) < 1e-4L) fail_msg("%s: %c(%d), too", tb->name, letter, most + 1);
}

static void test_assumptions(void **state)
{
    (void)state;
    static const struct assumptions known[] = {
        {"radau_iia5", 5, 3, 2}, {"radau_ia5", 5, 2, 3}, {"lobatto_iiic4", 4, 2, 2}, {"gauss6", 6, 3, 3}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct sens_tableau *tb = find(known[k].name);
        assert_non_null(tb);
        expect_assumption(tb, 'B', known[k].B);
        expect_assumption(tb, 'C', known[k].C);
        expect_assumption(tb, 'D', known[k].D);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stability),
        cmocka_unit_test(test_theta),
        cmocka_unit_test(test_assumptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
