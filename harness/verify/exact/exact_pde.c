/* exact.pde: the closed form of the equations that the problem approximates (a PDE, on a grid of n points)
 *
 *     |x_pde(t) - x(t)| / |x_pde(t)|     falls with n, x the solution of the ODE
 *
 * and where the problem takes no other n, the two are as near as any approximation should be. */
#include "exact.h"
#include "oracle.h"

static const double FALLS = 0.75, NO_ERROR = 1e-6, NEAR = 0.1;

/* At three quarters of the interval. NaN: there is no such form, or no solution. */
static double distance_of(const struct subject *subject)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    const double t = pb->t0 + (pb->t1 - pb->t0) * 0.75;
    const struct sens_exact_query query = {.level = SENS_EXACT_PDE, .t = t};
    double *const z = verify_array(v, pb->n), *const x = verify_array(v, pb->n);
    double off = 0, size = 0;
    if (!pb->type->exact(pb, &query, pb->p, z, NULL, NULL)) return NAN;
    if (oracle_visit(v, pb, t, x) != SENS_OK) return NAN;
    for (size_t i = 0; i < pb->n; i++) off += pow(z[i] - x[i], 2), size += pow(z[i], 2);
    return size > 0 ? sqrt(off / size) : NAN;
}

/* The same with about twice the n; NaN: not solved. false: it has no other n. */
static bool finer_distance(const struct subject *subject, double *distance)
{
    struct verify *v = subject->v;
    const int option = sens_option_find(v->problem->options, "n");
    struct instance instance;
    struct subject finer;
    if (option < 0) return false;
    const double usual = subject->pb->option[option].number;
    if (!instance_sized(v, v->problem, (size_t)(2 * usual), &instance) ||
        !subject_create(v, &instance, &finer))
        return false;
    *distance = distance_of(&finer);
    return true;
}

void exact_check_pde(const struct subject *subject, const char *check)
{
    struct worst worst = {.count = 0};
    const double usual = distance_of(subject);
    if (isnan(usual)) {
        subject_skip(subject, check, "no closed form of what it approximates, or no solution of the ODE");
        return;
    }
    double finer;
    const bool has_finer = finer_distance(subject, &finer);
    if (has_finer && isnan(finer)) {
        subject_skip(subject, check, "with twice the n the ODE is not solved by explicit steps");
        return;
    }
    if (!has_finer)
        worst_note(&worst, usual, NEAR, "the ODE's solution is off by a part of the closed form");
    else
        worst_note(&worst, finer, fmax(FALLS * usual, NO_ERROR),
                   "the ODE's solution is off by %.3g of the closed form, and with twice the n by", usual);
    struct verify_result result = subject_open(subject, check);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_closed_form_wrong, 0.9);
    verify_blame(&result, CAUSE_rhs_itself, 0.5);
    verify_close(subject->v, &result);
}
