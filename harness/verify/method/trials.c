/* Are the trial steps that a method tells of those that it made?
 *
 * What it tells is held against what it obeys: max_steps bounds accepted and rejected trials together, of the solve
 * forward and of one back apart. So the larger of the two sums is just enough, and one less is not. Two equations make
 * either of them the larger one,
 *
 *     x' = cos(8 t) + p:              lambda and dG/dp need no steps, x does;
 *     x' = -4 p (x - 1),  x(0) = 1:   x is constant, and lambda is not,
 *
 * from a first step of the whole interval, so that trials are rejected. With the fixed step all numbers are known. */
#include <stdio.h>

#include "diagonal.h"
#include "probe.h"
#include "trial.h"
#include "trials.h"

/* ---- equations ----------------------------------------------------------------------------------------- */

static sens_status wave_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = cos(8 * at->t) + at->p[0];
    return SENS_OK;
}

static struct diagonal_slopes wave_slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb, (void)at, (void)i;
    return (struct diagonal_slopes){0, 1};
}

static const double RATE = -4;

static sens_status rest_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = RATE * at->p[0] * (at->x[0] - 1);
    return SENS_OK;
}

static struct diagonal_slopes rest_slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb, (void)i;
    return (struct diagonal_slopes){RATE * at->p[0], RATE * (at->x[0] - 1)};
}

/* ---- the check ----------------------------------------------------------------------------------------- */

static void create(struct verify *v, const struct sens_problem_type *type, struct bed *bed)
{
    static const double ONE = 1;
    const struct sens_problem problem = {
        .type = type, .n = 1, .np = 1, .t1 = 2, .x0 = verify_copy(v, 1, &ONE), .p = verify_copy(v, 1, &ONE)};
    struct sens_cost cost;
    probe_cost(v, &problem, 1, PROBE_AT_T1 & probe_parts_for(v->method), &cost);
    bed_create(v, &problem, &cost, v->method, bed);
}

static void note_least(struct bed *bed, struct worst *worst)
{
    bed->task.dt = bed->problem.t1 - bed->problem.t0;
    if (bed_solve(bed) != SENS_OK) return;
    const struct sens_work told = bed->work;
    const long forward = told.steps + told.rejects, back = told.steps_reverse + told.rejects_reverse;
    const long most = forward > back ? forward : back;
    for (int less = 0; less < 2 && most > 1; less++) {
        bed->task.max_steps = most - less;
        const bool solved = bed_solve(bed) == SENS_OK;
        worst_note(worst, solved == (less == 0) ? 0 : 1, 0,
                   "%s: %ld trials are told (%ld rejected), %ld on the way back (%ld); max_steps = %ld %s",
                   bed->problem.type->name, forward, told.rejects, back, told.rejects_reverse, most - less,
                   solved ? "is enough" : "is not enough");
    }
}

static void note_fixed(struct bed *bed, struct worst *worst)
{
    enum { STEPS = 24 };
    const struct sens_work *const told = &bed->work;
    if (!bed_fixed(bed, bed->task.tableau->name, STEPS) || bed_solve(bed) != SENS_OK) return;
    worst_note(worst, fabs((double)(told->steps - STEPS)), 0, "%ld steps are told of %d fixed ones",
               told->steps, STEPS);
    if (told->steps_reverse != 0)
        worst_note(worst, fabs((double)(told->steps_reverse - STEPS)), 0,
                   "%ld steps on the way back are told of %d fixed ones", told->steps_reverse, STEPS);
    worst_note(worst, (double)(told->rejects + told->rejects_reverse), 0,
               "%ld + %ld fixed steps are rejected", told->rejects, told->rejects_reverse);
}

/* Of whom the counts are those of trials: one with steps of its own may make several of a trial, or a solve several
 * times. */
static const char *why_not(const struct sens_method_type *method)
{
    if (!(method->caps & SENS_CAP_CONTROLLER)) return "the method's steps are its own";
    if (method->library) return "what a library counts is its own business";
    return method->derivative == SENS_DERIVATIVE_DIFFERENCE ? "the solve is one of many" : NULL;
}

void trials_check(struct verify *v)
{
    const struct sens_problem_type *const type[] = {diagonal_type(v, "wave", wave_rhs, wave_slopes),
                                                    diagonal_type(v, "rest", rest_rhs, rest_slopes)};
    struct verify_result result = verify_open("work.trials", v->module, "wave and rest, n=1");
    struct worst worst = {.count = 0};
    const char *const why = why_not(v->method);
    for (int k = 0; k < 2 && !why; k++) {
        struct bed bed;
        create(v, type[k], &bed);
        note_least(&bed, &worst);
        note_fixed(&bed, &worst);
        bed_free(&bed);
    }
    if (worst.count > 0)
        verify_judge(&result, &worst);
    else
        verify_skip(&result, "%s", why ? why : "the method solves neither equation");
    verify_blame(&result, CAUSE_work_miscounted, 0.96);
    verify_blame(&result, CAUSE_limit_ignored, 0.955);
    verify_close(v, &result);
}
