/* Does the state end where a publication says? x(t1) by GSL's implicit extrapolation (Bader and Deuflhard, Numer.
 * Math. 41 (1983) 373-398), which solves stiff equations and shares no solver with the methods. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdio.h>

#include "exact.h"
#include "program.h"

/* The tolerances of two solves, of each state and of the smallest published. Allowed are the difference of the
 * two, which is about ten times the error of the tighter, and what errors of its tolerance add up to over its
 * steps. */
static const double TIGHT = 1e-12, LOOSER = 1e-11;
static const double FIRST = 1e-12; /* step, of the interval */
enum { STEPS = 100000 };

struct equations {
    const struct sens_problem *pb;
    double *unit; /* [n][n] the identity */
};

static int slope(double t, const double x[], double dx[], void *self)
{
    const struct sens_problem *pb = ((const struct equations *)self)->pb;
    return pb->type->rhs(pb, &(struct sens_at){t, x, pb->p}, dx) == SENS_OK ? GSL_SUCCESS : GSL_EBADFUNC;
}

/* J by rows is J times unit vectors, a lane each. */
static int jacobian(double t, const double x[], double *J, double dt[], void *self)
{
    const struct equations *equations = self;
    const struct sens_problem *pb = equations->pb;
    const struct sens_at at = {t, x, pb->p};
    pb->type->jvp(pb, &at, pb->n, equations->unit, J);
    pb->type->rhs_t(pb, &at, dt);
    return GSL_SUCCESS;
}

/* x [n] at t1, by errors of tol |x_i| + tol `smallest` a step. The number of steps; 0: it is not reached. */
static unsigned long solve(struct equations *equations, double tol, double smallest, double *x)
{
    const struct sens_problem *pb = equations->pb;
    const double first = FIRST * (pb->t1 - pb->t0);
    gsl_odeiv2_system system = {slope, jacobian, pb->n, equations};
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_bsimp, first, tol * smallest, tol);
    double t = pb->t0;
    if (!driver) return 0;
    for (size_t i = 0; i < pb->n; i++) x[i] = pb->x0[i];
    gsl_odeiv2_driver_set_nmax(driver, STEPS);
    const bool solved = gsl_odeiv2_driver_apply(driver, &t, pb->t1, x) == GSL_SUCCESS;
    const unsigned long steps = solved ? driver->n : 0;
    gsl_odeiv2_driver_free(driver);
    return steps;
}

/* x [n] at t1, and what it may be off by; false: it is not reached. */
static bool solve_twice(struct verify *v, const struct sens_problem *pb, const struct program_known *known,
                        double *x, double *bound)
{
    struct equations equations = {pb, verify_array(v, pb->n * pb->n)};
    double smallest = INFINITY, *looser = verify_array(v, pb->n);
    for (size_t i = 0; i < pb->n; i++) {
        equations.unit[i * pb->n + i] = 1;
        if (known->unit[i] > 0) smallest = fmin(smallest, fabs(known->value[i]) + known->unit[i]);
    }
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    const unsigned long steps = solve(&equations, TIGHT, smallest, x);
    const bool solved = steps > 0 && solve(&equations, LOOSER, smallest, looser) > 0;
    gsl_set_error_handler(handler);
    for (size_t i = 0; i < pb->n; i++)
        bound[i] = fabs(x[i] - looser[i]) + (double)steps * TIGHT * (fabs(x[i]) + smallest);
    return solved;
}

static void judge(struct verify *v, const struct sens_problem *pb, const struct program_known *known,
                  struct verify_result *result)
{
    struct worst worst = {.count = 0};
    double *x = verify_array(v, pb->n), *bound = verify_array(v, pb->n);
    if (!solve_twice(v, pb, known, x, bound)) {
        verify_fail(result, "the equations are not solved to their end");
        return;
    }
    for (size_t i = 0; i < pb->n; i++)
        if (known->unit[i] > 0)
            worst_note(&worst, fabs(x[i] - known->value[i]), known->unit[i] + bound[i],
                       "x_%zu ends at %.16g, published is %.16g", i, x[i], known->value[i]);
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_rhs_itself, 0.8);
}

/* false: no such number, or no memory. */
static bool check_set(struct verify *v, size_t number, const char *check)
{
    const struct sens_problem_type *const type = v->problem;
    char subject[VERIFY_SUBJECT];
    struct sens_value *option = verify_memory(v, sens_option_count(type->options), sizeof *option);
    struct program_known known;
    struct sens_problem pb;
    if (!type->model || !type->model->known) return false;
    sens_option_defaults(type->options, option);
    const sens_status status = type->model->known(&v->ctx, type->model, number, option, &known);
    if (status == SENS_UNSUPPORTED || status == SENS_NO_MEMORY) return false;
    snprintf(subject, sizeof subject, "%s as publication %zu has it", type->name, number + 1);
    struct verify_result result = verify_open(check, v->module, subject);
    const bool made = status == SENS_OK && sens_problem_create(&v->ctx, type, option, &pb) == SENS_OK;
    if (made && pb.mass)
        verify_skip(&result, "GSL takes no mass matrix");
    else if (made)
        judge(v, &pb, &known, &result);
    else
        verify_fail(&result, "the problem with these options cannot be made: %s", v->ctx.message);
    verify_close(v, &result);
    return true;
}

void exact_check_published(struct verify *v, const char *check)
{
    char subject[VERIFY_SUBJECT];
    size_t count = 0;
    while (check_set(v, count, check)) count++;
    if (count > 0) return;
    snprintf(subject, sizeof subject, "%s", v->problem->name);
    verify_name_held(v, v->problem->options, " ", sizeof subject, subject);
    verify_skip_check(v, check, v->module, subject, "no publication's values are given");
}
