/* A problem along its solution: at many places, closely one after the other, so that what holds nearly
 * everywhere is found where it does not.
 *
 * The harness's own steps lead from t0 to t1. At each place the products are compared with one central
 * difference along one direction, and with one another: a few calls, and a rough idea of what differs. The
 * places that differ most are then looked at as in reach.places, with measured bounds; nothing is judged by
 * the rough comparison. The implicit part of a split is looked at where the solution of the whole goes. */
#include <stdio.h>
#include <string.h>

#include "along.h"
#include "oracle.h"
#include "scene.h"

enum { QUICK_PLACES = 1000, PLACES = 10000, MOST_STEPS = 20000 };
static const double TOL = 1e-6;

/* ---- from t0 to t1 ------------------------------------------------------------------------------------- */

/* The problem whose solution leads the way. */
static const struct sens_problem *guide(const struct walk *walk)
{
    return walk->subject->whole ? walk->subject->whole : walk->subject->pb;
}

static void visit(struct walk *walk, double t, const double *x)
{
    walk->at = (struct sens_at){t, x, walk->subject->pb->p};
    if (!walk->valueless && !subject_usable(walk->subject, &walk->at)) walk->valueless = true, walk->gap = t;
    walk_visit(walk);
}

/* Visits the places up to the end of step k, from its beginning x. */
static int visit_step(struct walk *walk, const struct sens_tableau *tb, const struct grid *grid, long k,
                      const double *x, struct rk_step *step, int place, int places)
{
    const struct sens_problem *pb = guide(walk);
    for (; place < places; place++) {
        const double t = pb->t0 + (walk->end - pb->t0) * (place + 0.5) / places;
        if (t >= grid->t1[k]) break;
        if (rk_step(pb, tb, grid->t[k], t - grid->t[k], x, step) != SENS_OK) continue;
        visit(walk, t, step->x1);
    }
    return place;
}

static void follow(struct walk *walk, const struct sens_tableau *tb, const struct grid *grid)
{
    const struct subject *subject = walk->subject;
    const struct sens_problem *pb = guide(walk);
    const int places = subject->v->quick ? QUICK_PLACES : PLACES;
    struct rk_step step = rk_step_create(subject->v, tb, pb->n);
    double *const x = walk->last;
    sens_problem_x0(pb, pb->p, x);
    int place = 0;
    for (long k = 0; k < grid->steps; k++) {
        place = visit_step(walk, tb, grid, k, x, &step, place, places);
        if (rk_step(pb, tb, grid->t[k], grid->h[k], x, &step) != SENS_OK) return;
        memcpy(x, step.x1, pb->n * sizeof *x);
    }
}

static void take(struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct sens_tableau *tb = verify_formula(subject->v, "cash_karp");
    const struct sens_cost none = {.n_obs = 0};
    struct grid grid = {.steps = 0};
    walk->status = SENS_UNAVAILABLE;
    if (!tb) return;
    walk->status = oracle_steps(subject->v, guide(walk), &none, tb, TOL, MOST_STEPS, &grid);
    if (grid.steps > 0) walk->end = grid.t1[grid.steps - 1];
    if (grid.steps >= MOST_STEPS) walk->status = SENS_UNSUPPORTED; /* stiff: no fault of rhs */
    follow(walk, tb, &grid);
    grid_free(&grid);
}

/* ---- judgement ----------------------------------------------------------------------------------------- */

/* Of states that are not about to be infinite: has rhs no value there, nor a little later? */
static bool has_no_values(const struct walk *walk)
{
    static const double LATER = 1e-7, LARGE = 1e6;
    const struct sens_problem *pb = walk->subject->pb;
    double size = 0, first = 0;
    for (size_t i = 0; i < pb->n; i++)
        size = fmax(size, fabs(walk->last[i])), first = fmax(first, fabs(pb->x0[i]));
    const struct sens_at here = {walk->end, walk->last, pb->p},
                         later = {walk->end + LATER * (pb->t1 - pb->t0), walk->last, pb->p};
    if (!(size <= LARGE * (1 + first))) return false;
    return !subject_usable(walk->subject, &here) || !subject_usable(walk->subject, &later);
}

static void judge_values(const struct walk *walk)
{
    const struct subject *subject = walk->subject;
    struct verify_result result = subject_open(subject, "along.values");
    const bool fatal = sens_fatal(walk->status) && walk->status != SENS_STEP_LIMIT &&
                       walk->status != SENS_UNSUPPORTED && walk->status != SENS_UNAVAILABLE &&
                       walk->status != SENS_NO_MEMORY;
    if (walk->status == SENS_OK)
        result.verdict = VERIFY_PASS;
    else if (fatal)
        verify_fail(&result, "rhs ends the solution with %s behind t = %.10g, where it is to go to %.10g",
                    sens_status_name(walk->status), walk->end, subject->pb->t1);
    else if (walk->status == SENS_STEP_LIMIT && has_no_values(walk))
        verify_fail(&result, "rhs has no values behind t = %.10g, and the solution is to go to %.10g",
                    walk->end, subject->pb->t1);
    else
        verify_skip(&result, "followed to t = %.6g alone, of %.6g: explicit steps end there", walk->end,
                    subject->pb->t1);
    verify_blame(&result, CAUSE_no_values, 1);
    verify_close(subject->v, &result);
}

/* Of the implicit part: where that of the whole ends is the whole's business. */
static void judge_part_values(const struct walk *walk)
{
    struct verify_result result = subject_open(walk->subject, "along.values");
    if (walk->valueless)
        verify_fail(&result, "f_I has no values at t = %.10g, where the solution goes", walk->gap);
    else if (walk->end > walk->subject->pb->t0)
        result.verdict = VERIFY_PASS;
    else
        verify_skip(&result, "there is no solution to follow");
    verify_blame(&result, CAUSE_no_values, 1);
    verify_close(walk->subject->v, &result);
}

/* Are they right? */
static bool judge_products(const struct walk *walk)
{
    struct verify_result result = subject_open(walk->subject, "along.products");
    walk_judge_products(walk, &result);
    verify_close(walk->subject->v, &result);
    return result.verdict != VERIFY_FAIL;
}

static void judge_calls(struct walk *walk)
{
    enum { SEVERAL = 20 };
    const struct subject *subject = walk->subject;
    struct verify_result result = subject_open(subject, "along.rhs");
    const bool pure = worst_passes(&walk->pure);
    verify_judge(&result, &walk->pure);
    if (!pure) verify_blame(&result, CAUSE_impure, 1);
    for (size_t i = 0; i < subject->pb->n; i++) {
        if (walk->sloped[i] < SEVERAL || 10 * walk->flat[i] < 9 * walk->sloped[i]) continue;
        verify_fail(
            &result,
            "component %zu of f stays the same, to the last bit, at %ld of %ld places where a step of 1e-10 "
            "has to move it",
            i, walk->flat[i], walk->sloped[i]);
        verify_blame(&result, CAUSE_single_precision, 1);
    }
    verify_close(subject->v, &result);
}

static void look_along(struct subject *subject)
{
    struct walk walk = walk_create(subject);
    take(&walk);
    if (subject->whole)
        judge_part_values(&walk);
    else
        judge_values(&walk);
    judge_calls(&walk);
    const bool right = judge_products(&walk);
    if (subject->whole) return; /* f_I alone has no solution to be differentiated */
    if (right)
        along_check_solution(subject);
    else
        subject_skip(subject, "along.solution", "the products are wrong on the way (along.products)");
}

static void look(struct subject *subject)
{
    subject_with_part(subject, look_along);
}

static const struct verify_check checks[] = {
    {.id = "along.values",
     .summary = "rhs has values wherever the solution goes, from t0 to t1",
     .bound = "none: it is so or not",
     .explanation =
         "The harness's own steps follow the solution. A failure is a right-hand side that ends it with a "
         "status, or that is no number behind some time although the state is not about to be infinite: no "
         "method can solve the problem, and none is to blame. A stiff problem, for which 20,000 explicit "
         "steps do not do, is followed as far as they go. The implicit part of a split must have values at "
         "1,000 places of the whole's solution (10,000 in a full run)."},
    {.id = "along.rhs",
     .summary = "rhs gives the same bits whatever was called before, and moves with the state",
     .bound = "none: equal bits",
     .explanation =
         "At 1,000 places of the solution (10,000 in a full run) rhs is called, then a step of 1e-10 beside "
         "it, then there again: the first and the last must agree bit for bit. A failure is a number that is "
         "kept between calls, and taken for that of a point that is near. Where the Jacobian says that a "
         "component moves by many roundings along that step and it does not at nine places of ten, it is "
         "computed in single precision, or from large numbers that cancel."},
    {.id = "along.products",
     .summary = "the products agree with rhs at many places of the solution, close to one another",
     .bound = "as reach.places",
     .explanation =
         "At 1,000 places of the solution (10,000 in a full run) J v + f_p u is compared with one central "
         "difference, and with the transposed products, roughly. The places that differ most are then "
         "looked at as in reach.places, and these are judged. A failure is a derivative that is wrong in a "
         "narrow band of states or a narrow window of time, which a solve passes through: look at what is "
         "done there with an if, or at the entries of a table.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "along.solution",
     .summary =
         "the derivative of the solution by the products is that of whole solutions at other parameters",
     .bound = "how far differences over three bumps lie apart, errors of solves, measured, and 1e-4",
     .explanation =
         "Along a random direction of p, dx(t1)/dp by the products is compared with differences of whole "
         "solutions over three bumps. Where these agree with one another and not with it, and the products "
         "pass their own checks, f jumps at a time or a state that moves with a parameter: the time of a "
         "switch has a derivative, which neither df/dx nor df/dp has. Make the switch smooth, or scale time "
         "so that it stays where it is. An initial state that is not differentiated shows here, too."},
    {.id = NULL}};

static void run(struct verify *v)
{
    subject_each(v, checks, look);
}

const struct verify_group verify_along = {
    .name = "along", .kind = VERIFY_PROBLEM, .checks = checks, .run = run};
