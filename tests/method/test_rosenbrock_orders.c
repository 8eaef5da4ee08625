/* Rosenbrock steps: against the closed form of the discrete map of a linear equation, as stiff as can be; orders,
 * classical and on a stiff equation, of the state and of its derivative, of a running cost and of the dense output. */
#include "stiff_support.h"

static const struct sens_tableau *const *pairs(void)
{
    return of_families(SENS_FAMILY_ROSENBROCK, SENS_FAMILY_ROSENBROCK);
}

/* ---- a linear equation --------------------------------------------------------------------------------- */

/* R(z) and R'(z) of a step of y' = z y, with beta = alpha + gamma. */
static void stability(const struct sens_tableau *tb, double z, double *R, double *dR)
{
    const int s = tb->stages;
    double k[SENS_MAX_STAGES], dk[SENS_MAX_STAGES];
    *R = 1, *dR = 0;
    for (int i = 0; i < s; i++) {
        const double gamma = tb->gamma[0];
        double sum = 1, dsum = 0;
        for (int j = 0; j < i; j++) {
            const double beta = tb->a[i * s + j] + tb->gamma[i * s + j];
            sum += z * beta * k[j];
            dsum += beta * (k[j] + z * dk[j]);
        }
        k[i] = sum / (1 - z * gamma);
        dk[i] = (dsum + gamma * k[i]) / (1 - z * gamma);
        *R += z * tb->b[i] * k[i];
        *dR += tb->b[i] * (k[i] + z * dk[i]);
    }
}

/* y' = -k y: y_M = R(z)^M y_0, dy_M/dk = -h M R^(M-1) R'(z) y_0 with z = -k h. R is a sum of terms of the size of the
 * coefficients, up to 1e2, that cancel to what is left where k is large. */
static void check_decay(const struct sens_tableau *tableau, const char *method, double k)
{
    enum { STEPS = 4 };
    struct method_bed bed;
    double R, dR;
    bed_create(&bed, "decay", "identity", "k", k, "T", 2.0, NULL);
    fix_steps(&bed, tableau, STEPS);
    assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
    const double h = bed.task.dt;
    stability(tableau, -k * h, &R, &dR);
    const double x = pow(R, STEPS), dk = -h * STEPS * pow(R, STEPS - 1) * dR;
    const double before = STEPS * pow(fabs(R), STEPS - 1), rounding = 1e-14;
    const double off[] = {bed.out.x[0] - x, bed.out.dGdx0[0] - x, bed.out.dGdp[0] - dk};
    const double bound[] = {rounding * (fabs(x) + 10 * before), rounding * (fabs(x) + 10 * before),
                            rounding *
                                (fabs(dk) + 10 * h * (before + STEPS * STEPS * pow(fabs(R), STEPS - 2)))};
    for (int q = 0; q < 3; q++)
        if (!(fabs(off[q]) <= bound[q]))
            fail_msg("%s, %s, k = %g: part %d is off by %g, not %g", tableau->name, method, k, q, off[q],
                     bound[q]);
    assert_int_equal(bed.work.newton, 0);
    assert_true(bed.work.residual == 0);
    bed_free(&bed);
}

static void decay_is_its_closed_form(void **state)
{
    (void)state;
    for (size_t i = 0; pairs()[i]; i++)
        for (double k = 0.1; k < 2e3; k *= 10) {
            check_decay(pairs()[i], "discrete_adjoint", k);
            check_decay(pairs()[i], "discrete_tangent", k);
        }
}

/* ---- orders -------------------------------------------------------------------------------------------- */

enum { STATE, BY_P, BY_X0, ERRORS };

static void errors_of(const struct sens_tableau *tableau, double stiffness, int steps, double *error)
{
    struct method_bed bed;
    create_stiff(&bed, &prothero_robinson, stiffness);
    fix_steps(&bed, tableau, steps);
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    error[STATE] = fabs(bed.out.x[0] - sin(1.5));
    error[BY_P] = fabs(bed.out.dGdp[0]);
    error[BY_X0] = fabs(bed.out.dGdx0[0] - exp(-stiffness * 1.5));
    bed_free(&bed);
}

/* Not stiff: the classical order, of the derivatives as of the state. Very stiff, p h = 4e4 and more: of second order
 * for pairs that are not stiffly accurate, of first order and below h / p for those that are (Hairer & Wanner II,
 * IV.15), of third order for rodas5p, which is made for it. dy/dp is that error over p h, to a factor of ten. */
static void orders(void **state)
{
    (void)state;
    for (size_t i = 0; pairs()[i]; i++) {
        const struct sens_tableau *tb = pairs()[i];
        const int steps = tb->order > 3 ? 20 : 60;
        double coarse[ERRORS], fine[ERRORS];
        errors_of(tb, 1, steps, coarse);
        errors_of(tb, 1, 2 * steps, fine);
        for (int q = 0; q < ERRORS; q++)
            if (!(log2(coarse[q] / fine[q]) > tb->order - 0.3))
                fail_msg("%s: order %.2f of part %d", tb->name, log2(coarse[q] / fine[q]), q);
        errors_of(tb, 1e6, 20, coarse);
        errors_of(tb, 1e6, 40, fine);
        const double factor = log2(coarse[STATE] / fine[STATE]), by_p = log2(coarse[BY_P] / fine[BY_P]);
        print_message("%s: stiff error %.2e, order %.2f; of dy/dp %.2e, %.2f\n", tb->name, coarse[STATE],
                      factor, coarse[BY_P], by_p);
        const double most = tb->fsal ? 1.5 / 20 / 1e6 : 1e-2; /* h / p */
        if (!(coarse[STATE] < most)) fail_msg("%s: stiff error %g", tb->name, coarse[STATE]);
        const double least = strcmp(tb->name, "rodas5p") == 0 ? 2.8 : tb->fsal ? 0.9 : 1.8;
        if (!(factor > least && by_p > fmin(least, 0.9))) fail_msg("%s: stiff order %.2f", tb->name, factor);
        if (!(coarse[BY_P] * 1e6 < 10 * most))
            fail_msg("%s: stiff error %g of dy/dp", tb->name, coarse[BY_P]);
    }
}

enum { VALUES = 4 };

/* G and its derivatives, of `steps` steps. */
static void running_values(const struct sens_tableau *tb, int steps, double *value)
{
    struct method_bed bed;
    bed_create(&bed, "logistic", "running", NULL);
    fix_steps(&bed, tb, steps);
    assert_int_equal(bed_run(&bed, "discrete_adjoint", NULL), SENS_OK);
    value[0] = bed.out.G[0], value[1] = bed.out.dGdx0[0];
    value[2] = bed.out.dGdp[0], value[3] = bed.out.dGdp[1];
    bed_free(&bed);
}

/* The cost along the way, and its derivatives, are of the order of the state; ros4's dense output is of order 2, its
 * cost of order 3. The truth: steps so short that rounding is all there is. */
static void running_costs_have_their_order(void **state)
{
    (void)state;
    double truth[VALUES], coarse[VALUES], fine[VALUES];
    running_values(named(pairs(), "rodas5p"), 1000, truth);
    for (size_t i = 0; pairs()[i]; i++) {
        const struct sens_tableau *tb = pairs()[i];
        const int steps = tb->order > 4 ? 16 : 64;
        double off[2] = {0, 0};
        running_values(tb, steps, coarse);
        running_values(tb, 2 * steps, fine);
        for (int q = 0; q < VALUES; q++) {
            off[0] = fmax(off[0], fabs(coarse[q] - truth[q]));
            off[1] = fmax(off[1], fabs(fine[q] - truth[q]));
        }
        const double order = log2(off[0] / off[1]), least = strcmp(tb->name, "ros4") == 0 ? 3 : tb->order;
        if (!(order > least - 0.4)) fail_msg("%s: order %.2f of a running cost", tb->name, order);
    }
}

/* ---- dense output -------------------------------------------------------------------------------------- */

struct shown {
    struct sens_scheme *scheme;
    double *coef, end, middle;
};

/* y' = y cos t, which is forced's: y = e^(sin t). */
static sens_status look(void *self, const struct sens_step *step)
{
    struct shown *shown = self;
    double y;
    shown->scheme->type->dense->build(shown->scheme, step, shown->coef);
    shown->scheme->type->dense->eval(shown->scheme, shown->coef, 1, &y);
    shown->end = fmax(shown->end, fabs(y - step->y1[0]));
    shown->scheme->type->dense->eval(shown->scheme, shown->coef, 0.4, &y);
    shown->middle =
        fmax(shown->middle, fabs(y - step->y[0] * exp(sin(step->t + 0.4 * step->h) - sin(step->t))));
    return SENS_OK;
}

static void look_at_steps(const struct sens_tableau *tb, int steps, struct shown *shown)
{
    struct method_bed bed;
    struct sens_ode_part whole;
    struct sens_ode ode;
    struct sens_solver *solver;
    size_t size;
    double end;
    bed_create(&bed, "forced", "identity", "p", 1.0, "y0", 1.0, NULL);
    fix_steps(&bed, tb, steps);
    const struct sens_solver_settings settings = sens_solver_settings(&bed.task);
    sens_problem_ode(&bed.task, NULL, &whole, &ode);
    assert_int_equal(sens_solver_create(&bed.ctx, &ode, &settings, &solver), SENS_OK);
    *shown = (struct shown){.scheme = sens_solver_scheme(solver)};
    assert_int_equal(shown->scheme->type->dense->create(&bed.ctx, shown->scheme, &size), SENS_OK);
    shown->coef = SENS_NEW(&bed.ctx, double, size);
    assert_int_equal(sens_solver_solve(&bed.ctx, solver, bed.problem.t0, bed.problem.x0, 1, &bed.problem.t1,
                                       &(struct sens_step_watcher){look, shown}, &end, NULL),
                     SENS_OK);
    bed_free(&bed);
}

static void dense_output_has_its_order(void **state)
{
    (void)state;
    for (size_t i = 0; pairs()[i]; i++) {
        struct shown coarse, fine;
        look_at_steps(pairs()[i], 32, &coarse);
        look_at_steps(pairs()[i], 64, &fine);
        const double order = log2(coarse.middle / fine.middle);
        /* of one step: that of the formula, and one more */
        if (!(order > pairs()[i]->dense_order + 0.6)) fail_msg("%s: order %.2f", pairs()[i]->name, order);
        assert_true(coarse.end <= 1e-14 * 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay_is_its_closed_form),
        cmocka_unit_test(orders),
        cmocka_unit_test(running_costs_have_their_order),
        cmocka_unit_test(dense_output_has_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
