/* Rosenbrock pairs: A- and L-stability, and the conditions beyond their order that Rodas pairs satisfy, with tolerances
 * of rounding size. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "sens/registry.h"
#include "testing.h"

/* ---- stability ----------------------------------------------------------------------------------------- */

/* R(z) = 1 + z sum_i w_i k_i, where k_i = 1 + z sum_{j<=i} beta_ij k_j: a step of y' = z y; beta = a + gamma. w: b, or
 * b - e. */
static double complex stability(const struct sens_tableau *tb, bool embedded, double complex z)
{
    const int s = tb->stages;
    double complex k[SENS_MAX_STAGES], R = 1;
    for (int i = 0; i < s; i++) {
        double complex sum = 1;
        double diagonal = 0;
        for (int j = 0; j <= i; j++) {
            const double beta = tb->a[i * s + j] + tb->gamma[i * s + j];
            if (j < i) sum += z * beta * k[j];
            diagonal = beta;
        }
        k[i] = sum / (1 - z * diagonal);
        R += z * (tb->b[i] - (embedded ? tb->e[i] : 0)) * k[i];
    }
    return R;
}

/* R is analytic where Re z < 0, as its poles are at 1 / gamma > 0: |R| <= 1 on the imaginary axis is A-stability. L:
 * and R(infinity) = 0. The bounds: rounding of some ten sums; ros4's gamma has five digits, which leave |R(infinity)| =
 * 1.52e-5, and |R| past 1 by as little. */
static void test_stability(void **state)
{
    (void)state;
    const struct sens_tableau *const *const implicit = sens_registry_baseline()->implicit_tableaux;
    for (size_t k = 0; implicit[k]; k++) {
        const struct sens_tableau *tb = implicit[k];
        const double rounded = strcmp(tb->name, "ros4") == 0 ? 1.6e-5 : 0;
        if (tb->family != SENS_FAMILY_ROSENBROCK) continue;
        for (int q = -400; q <= 800; q++) {
            const double y = pow(10, q / 100.), size = cabs(stability(tb, false, I * y));
            if (!(size <= 1 + 1e-12)) fail_msg("%s: |R(%g i)| = %.17g", tb->name, y, size);
        }
        const double far = cabs(stability(tb, false, -1e9));
        if (far > 1e-7 + rounded) fail_msg("%s: |R(-1e9)| = %g", tb->name, far);
    }
}

/* ---- what Rosenbrock pairs of differential-algebraic and parabolic equations satisfy ------------------- */

/* u = B^-1 v, and v = B v, with beta. */
static void solve_beta(const struct sens_tableau *tb, const long double *v, long double *u)
{
    const int s = tb->stages;
    for (int i = 0; i < s; i++) {
        u[i] = v[i];
        for (int j = 0; j < i; j++)
            u[i] -= ((long double)tb->a[i * s + j] + (long double)tb->gamma[i * s + j]) * u[j];
        u[i] /= (long double)tb->gamma[0];
    }
}

static void multiply(const struct sens_tableau *tb, bool with_gamma, const long double *v, long double *out)
{
    const int s = tb->stages;
    for (int i = 0; i < s; i++) {
        out[i] = 0;
        for (int j = 0; j <= i; j++)
            out[i] +=
                ((long double)tb->a[i * s + j] + (with_gamma ? (long double)tb->gamma[i * s + j] : 0)) * v[j];
    }
}

static void expect_weighted(const struct sens_tableau *tb, bool embedded, const long double *v,
                            long double target, const char *what)
{
    long double sum = -target, size = fabsl(target);
    for (int i = 0; i < tb->stages; i++) {
        const long double b = (long double)tb->b[i] - (embedded ? (long double)tb->e[i] : 0);
        sum += b * v[i];
        size += fabsl(b * v[i]);
    }
    /* coefficients are rounded, and their errors go through some ten stages: 1e3 ulps leave three digits more than a
     * coefficient that is wrong in its twelfth digit would */
    if (!(fabsl(sum) <= 1e3L * SENS_EPSILON * size))
        fail_msg("%s%s: %s is off by %Lg", tb->name, embedded ? ", embedded" : "", what, sum);
}

/* Index 1: Hairer & Wanner II, VI.4 (4.15 ...), omega = B^-1. The embedded formula ends before the last stage. */
static void expect_differential_algebraic(const struct sens_tableau *tb, bool embedded)
{
    const int s = tb->stages;
    long double one[SENS_MAX_STAGES], alpha2[SENS_MAX_STAGES], alpha3[SENS_MAX_STAGES],
        mixed[SENS_MAX_STAGES];
    long double u[SENS_MAX_STAGES], w[SENS_MAX_STAGES];
    for (int i = 0; i < s; i++) {
        const long double alpha = sens_tableau_alpha(tb, i);
        one[i] = 1, alpha2[i] = alpha * alpha, alpha3[i] = alpha2[i] * alpha;
    }
    multiply(tb, true, one, u);
    multiply(tb, false, u, mixed);
    for (int i = 0; i < s; i++) mixed[i] *= (long double)sens_tableau_alpha(tb, i);
    solve_beta(tb, alpha2, u);
    expect_weighted(tb, embedded, u, 1, "sum b omega alpha^2 = 1");
    solve_beta(tb, alpha3, w);
    expect_weighted(tb, embedded, w, 1, "sum b omega alpha^3 = 1");
    solve_beta(tb, mixed, w);
    expect_weighted(tb, embedded, w, 0.5L, "sum b omega alpha_i alpha_ij beta_j = 1/2");
    multiply(tb, false, u, w);
    for (int i = 0; i < s; i++) w[i] *= (long double)sens_tableau_alpha(tb, i);
    if (tb->order > 3 && (!embedded || tb->order_hat > 3))
        expect_weighted(tb, embedded, w, 0.25L, "sum b alpha_i alpha_ij omega_jk alpha_k^2 = 1/4");
}

/* Parabolic equations, and Prothero & Robinson's: b^T B^j (2 B^2 e - alpha^2) = 0 for all j (Lubich & Ostermann, IMA J.
 * Numer. Anal. 15 (1995); Steinebach, BIT 63 (2023)). */
static void expect_parabolic(const struct sens_tableau *tb, bool embedded)
{
    const int s = tb->stages;
    long double v[SENS_MAX_STAGES], u[SENS_MAX_STAGES];
    for (int i = 0; i < s; i++) u[i] = 1;
    multiply(tb, true, u, v);
    multiply(tb, true, v, u);
    for (int i = 0; i < s; i++) u[i] = 2 * u[i] - powl((long double)sens_tableau_alpha(tb, i), 2);
    for (int j = 0; j < s; j++) {
        expect_weighted(tb, embedded, u, 0, "b^T B^j (2 B^2 e - alpha^2)");
        multiply(tb, true, u, v);
        memcpy(u, v, sizeof u);
    }
}

static const struct sens_tableau *find(const char *name)
{
    const struct sens_tableau *const *all = sens_registry_baseline()->implicit_tableaux;
    while (*all && strcmp((*all)->name, name) != 0) all++;
    assert_non_null(*all);
    return *all;
}

static void test_rodas_conditions(void **state)
{
    (void)state;
    const char *const algebraic[] = {"rodas3", "rodas4", "rodas5p"};
    for (size_t k = 0; k < sizeof algebraic / sizeof *algebraic; k++) {
        const struct sens_tableau *tb = find(algebraic[k]);
        for (int embedded = 0; embedded < 2; embedded++) {
            expect_differential_algebraic(tb, embedded);
            assert_true(cabs(stability(tb, embedded, -1e9)) < 1e-7);
        }
    }
    expect_parabolic(find("rodas5p"), false);
    expect_parabolic(find("rodas5p"), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stability),
        cmocka_unit_test(test_rodas_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
