/* vdp: the two scalings agree, and the variational equations made of the products reach the published
 * truth. */
#include "steps.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>

enum { EPS, MU, FIXED = 0, DEPENDENT };

/* Values of the quadruple-precision solution at t = 0.5, mu = 1000: extrapolation with variational
 * equations. */
static const double X_END[2] = {1.59698077865970440110177, -1.02910301587870790455048};
static const double DX_DEPS[2] = {0.211577765778018940155926, 1.28208465605032422473625};
static const double DX_DEPS_TOTAL[2] = {0.211641160298989809019, 1.28217788288214803596};
static const double DX_DX0[4] = {1.54365449207350602520, 5.14608699421304614043e-4, 2.27007027614795311428,
                                 7.56774212365543066663e-4};

static struct sens_problem vdp(struct sens_ctx *ctx, int form, int initial)
{
    return make_problem(ctx, "vdp", (struct setting[]){{"form", form}, {"initial", initial}, {0}});
}

static void test_initial_state(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    for (int form = EPS; form <= MU; form++) {
        const struct sens_problem pb = vdp(&ctx, form, FIXED);
        assert_true(pb.p[0] == (form == EPS ? 1e-3 : 1e3));
        assert_true(pb.x0[0] == 2);
        /* to one unit: where long double is no wider (valgrind), create cannot round correctly */
        assert_true(fabs(pb.x0[1] - (-0.6665433433927755)) <= 1.2e-16);
        assert_true(pb.t0 == 0 && pb.t1 == 0.5);

        /* fixed: whatever the parameter; dependent: a function of it */
        const struct sens_problem moving = vdp(&ctx, form, DEPENDENT);
        const double other = 2 * pb.p[0];
        double x[2];
        assert_true(!sens_problem_x0_depends(&pb) && sens_problem_x0_depends(&moving));
        sens_problem_x0(&pb, &other, x);
        assert_true(x[0] == 2 && x[1] == pb.x0[1]);
        sens_problem_x0(&moving, &other, x);
        assert_true(x[0] == 2 && fabs(x[1] - pb.x0[1]) > 1e-5);
    }
    sens_arena_release(&ctx.arena);
}

/* f is the same; d/dmu = -eps^2 d/deps, in f_p and in dx0/dp. */
static void test_scalings(void **state)
{
    (void)state;
    struct sens_ctx ctx = {0};
    const struct sens_problem eps = vdp(&ctx, EPS, DEPENDENT), mu = vdp(&ctx, MU, DEPENDENT);
    const double x[2] = {1.3, -0.7}, p[2] = {2e-3, 500};
    double f[2][2], d[2][2] = {{0}}, d0[2][2] = {{0}};
    const struct sens_at at[2] = {{0, x, &p[0]}, {0, x, &p[1]}};
    eps.type->rhs(&eps, &at[0], f[0]);
    mu.type->rhs(&mu, &at[1], f[1]);
    eps.type->jvp_p_cols(&eps, &at[0], 0, 1, d[0]);
    mu.type->jvp_p_cols(&mu, &at[1], 0, 1, d[1]);
    eps.type->x0_jvp_cols(&eps, &p[0], 0, 1, d0[0]);
    mu.type->x0_jvp_cols(&mu, &p[1], 0, 1, d0[1]);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(f[0][i] - f[1][i]) <= 1e-14 * fabs(f[0][i]));
        assert_true(fabs(d[1][i] + p[0] * p[0] * d[0][i]) <= 1e-14 * fabs(d[1][i]));
        assert_true(fabs(d0[1][i] + p[0] * p[0] * d0[0][i]) <= 1e-14 * fabs(d0[1][i]));
    }
    sens_arena_release(&ctx.arena);
}

/* y = [x (2) | T (2 x 3)], T = dx/d(p, x0): T' = J T + [f_p | 0 0]. */
static int variational(double t, const double y[], double dy[], void *self)
{
    const struct sens_problem *pb = self;
    const struct sens_at at = {t, y, pb->p};
    double column[2] = {0};
    pb->type->rhs(pb, &at, dy);
    pb->type->jvp(pb, &at, 3, y + 2, dy + 2);
    pb->type->jvp_p_cols(pb, &at, 0, 1, column);
    dy[2] += column[0], dy[5] += column[1];
    return GSL_SUCCESS;
}

static void require_close(double got, double want)
{
    /* GSL's rk8pd at 1e-13 on a problem whose solution depends on v0 only to 1e-3: 1e-9 leaves a factor of
     * 100. */
    if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.17g is not %.17g", got, want);
}

static void require_truth(int form, int initial)
{
    struct sens_ctx ctx = {0};
    struct sens_problem pb = vdp(&ctx, form, initial);
    double y[8] = {0, 0, 0, 1, 0, 0, 0, 1}, column[2] = {0}, t = pb.t0;
    sens_problem_x0(&pb, pb.p, y);
    if (sens_problem_x0_depends(&pb)) pb.type->x0_jvp_cols(&pb, pb.p, 0, 1, column);
    y[2] = column[0], y[5] = column[1];
    gsl_odeiv2_system system = {variational, NULL, 8, &pb};
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-5, 1e-15, 1e-13);
    assert_non_null(driver);
    assert_int_equal(gsl_odeiv2_driver_apply(driver, &t, pb.t1, y), GSL_SUCCESS);
    const double *deps = initial == FIXED ? DX_DEPS : DX_DEPS_TOTAL, scale = form == EPS ? 1 : -1e-6;
    for (int i = 0; i < 2; i++) {
        require_close(y[i], X_END[i]);
        require_close(y[2 + 3 * i], scale * deps[i]);
        require_close(y[3 + 3 * i], DX_DX0[2 * i]);
        require_close(y[4 + 3 * i], DX_DX0[2 * i + 1]);
    }
    gsl_odeiv2_driver_free(driver);
    sens_arena_release(&ctx.arena);
}

static void test_truth(void **state)
{
    (void)state;
    for (int form = EPS; form <= MU; form++)
        for (int initial = FIXED; initial <= DEPENDENT; initial++) require_truth(form, initial);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_state),
        cmocka_unit_test(test_scalings),
        cmocka_unit_test(test_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
