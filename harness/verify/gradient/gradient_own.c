/* gradient.own: a discrete method whose map the harness cannot make again, against the method's own values,
 *
 *     d/ds G(p + s dp, x0(p + s dp)) = (dG/dp) dp,    d/ds G(p, x0 + s dx) = (dG/dx0) dx    at s = 0,
 *
 * by central differences of whole solves. That is the derivative of the map where the steps are the same for
 * every s. Those of a method that takes no tolerance mostly are. Those of one with a step controller are
 * where only a faint copy of the problem is moved, which no error test sees (decorate_faint).
 *
 * Values are known to rounding, or to what an iteration leaves of the equations of a step (sens_work.residual):
 * inputs are shaken by as much to see what it does to the differences. It is limited, so that a method cannot
 * excuse itself with it.
 *
 * Where many tasks are looked at, p and x0 are moved together first, and by fewer steps: what is right there,
 * to a bound that is as small, is right. */
#include <string.h>

#include "decorate.h"
#include "gradient_case.h"
#include "jacobian.h"
#include "probe.h"

struct own {
    struct bed *bed;
    size_t first_p, first_x; /* the first entries that are moved; those before stay as they are, to the bit */
    const double *p, *x0;
    const double *dp, *dx; /* directions; NULL: none */
    double *moved_p, *moved_x0, *start;
    double residual;                /* relative: what an iteration leaves of values, beside their rounding */
    const struct sens_out *allowed; /* what each entry may be off by; NULL: nothing */
    struct grid steps;              /* of the solve at s = 0 */
    long count;
    bool steady; /* so far all solves took these steps */
    bool alone;  /* moved solves compute no gradient: it is what they cost */
    bool dear;   /* and few of them are made */
};

/* to = from + s d, and a few units off if asked for, from entry `first` on. */
static void move(const struct own *own, size_t first, size_t count, const double *from, const double *d,
                 double s, bool shaken, double *to)
{
    struct verify *v = own->bed->v;
    for (size_t i = 0; i < count; i++) {
        const double exact = from[i] + (d && i >= first ? s * d[i] : 0);
        const double off = (4 * DBL_EPSILON + own->residual) * verify_uniform(v, -1, 1);
        to[i] = shaken && i >= first ? exact * (1 + off) : exact;
    }
}

/* The initial state at s: where p is moved too, beside the one that follows from p. */
static void move_start(struct own *own, double s, bool shaken)
{
    const struct sens_problem *pb = &own->bed->problem;
    const bool follows = own->dp && own->dx && sens_problem_x0_depends(pb);
    if (follows) sens_problem_x0(pb, own->moved_p, own->start);
    move(own, own->first_x, pb->n, follows ? own->start : own->x0, own->dx, s, shaken, own->moved_x0);
}

/* For curve.value: G. */
static bool value(const void *self, double s, bool shaken, double *out)
{
    struct own *own = *(struct own *const *)self;
    struct bed *bed = own->bed;
    struct sens_problem *pb = &bed->problem;
    const bool fixed = pb->x0_fixed;
    move(own, own->first_p, pb->np, own->p, own->dp, s, shaken, own->moved_p);
    move_start(own, s, shaken);
    if (own->dx) pb->x0_fixed = true; /* else the initial state follows from the parameters */
    if (sens_problem_x0_depends(pb)) sens_problem_x0(pb, own->moved_p, own->moved_x0);
    pb->p = own->moved_p;
    pb->x0 = own->moved_x0;
    const unsigned parts = bed->task.parts;
    const struct sens_out all = bed->out;
    if (own->alone) {
        bed->task.parts = SENS_IN_STATE;
        bed->out = out_only(&all, SENS_IN_STATE);
    }
    const bool solved = bed_solve(bed) == SENS_OK;
    bed->task.parts = parts;
    bed->out = all;
    memcpy(out, bed->out.G, bed->cost.m * sizeof *out);
    own->steady = own->steady && own->count == bed->work.steps && grid_same(&own->steps, &bed->grid);
    pb->p = own->p;
    pb->x0 = own->x0;
    pb->x0_fixed = fixed;
    return solved;
}

static double *direction(struct verify *v, size_t first, size_t count, const double *at)
{
    double *d = verify_perturbed(v, count, at, 0.1);
    for (size_t i = 0; i < count; i++) d[i] = i < first ? 0 : d[i] - at[i];
    return d;
}

/* The method's derivative of output c along d, and the size of its terms. */
static double along(size_t count, const double *row, const double *d, double *size)
{
    double sum = 0;
    *size = 0;
    for (size_t k = 0; k < count; k++) sum += row[k] * d[k], *size += fabs(row[k] * d[k]);
    return sum;
}

/* What entries that are off by no more than `allowed` do to the derivative along d. */
static double allowed_along(size_t count, const double *allowed, const double *d)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += allowed[k] * fabs(d[k]);
    return sum;
}

/* A bound that is no more than this share of the terms is one of rounding. */
static const double TIGHT = 1e-8;
/* Of the terms, what rounding leaves in units of it, and what an iteration does in units of what it tells. */
static const double ROUNDED = 64, LEFT = 8;

/* The gradient along dp and dx, as far as they are, against the differences. false: a bound is not tight. */
static bool note_direction(struct own *own, unsigned part, const struct sens_out *gradient,
                           struct worst *worst)
{
    struct verify *v = own->bed->v;
    const size_t m = own->bed->cost.m, n = own->bed->problem.n, np = own->bed->problem.np;
    const struct curve curve = {.v = v, .n = m, .value = value, .self = &own, .dear = own->dear};
    double *const slope = verify_array(v, m), *const bound = verify_array(v, m);
    const double unknown = ROUNDED * DBL_EPSILON + LEFT * own->residual;
    bool tight = true;
    curve_slope(&curve, 1, slope, bound);
    for (size_t c = 0; c < m; c++) {
        double in_p = 0, in_x = 0, got = 0, allowed = 0;
        if (own->dp) got += along(np, gradient->dGdp + c * np, own->dp, &in_p);
        if (own->dx) got += along(n, gradient->dGdx0 + c * n, own->dx, &in_x);
        if (own->dp && own->allowed) allowed += allowed_along(np, own->allowed->dGdp + c * np, own->dp);
        if (own->dx && own->allowed) allowed += allowed_along(n, own->allowed->dGdx0 + c * n, own->dx);
        tight = tight && bound[c] <= fmax(TIGHT * (in_p + in_x), allowed);
        if (isfinite(bound[c]))
            worst_note_in(worst, part, fabs(got - slope[c]), bound[c] + allowed + unknown * (in_p + in_x),
                          "dG_%zu along a direction of %s: %.10g is not %.10g", c,
                          part == SENS_IN_DGDP    ? "p"
                          : part == SENS_IN_DGDX0 ? "x0"
                                                  : "p and x0",
                          got, slope[c]);
    }
    return tight;
}

/* Along a direction of p, then one of x0. */
static void note_apart(struct own *own, const double *dp, const double *dx, const struct sens_out *gradient,
                       struct worst *worst)
{
    own->dp = dp, own->dx = NULL;
    if (dp) note_direction(own, SENS_IN_DGDP, gradient, worst);
    own->dp = NULL, own->dx = dx;
    if (dx) note_direction(own, SENS_IN_DGDX0, gradient, worst);
}

/* Along one direction of both, by few solves. false: nothing follows from them. */
static bool note_together(struct own *own, const double *dp, const double *dx,
                          const struct sens_out *gradient, struct worst *worst)
{
    struct worst noted = {.count = 0};
    own->dp = dp, own->dx = dx, own->dear = true;
    const bool tight = note_direction(own, SENS_IN_OTHER, gradient, &noted);
    own->dear = false;
    if (!tight || noted.count == 0 || !worst_passes(&noted)) return false;
    *worst = noted;
    return true;
}

/* What a discrete method's iteration may leave: little beside the error that the steps may make, or half of
 * the digits. With more, the derivative of the numbers cannot be told from that of the solution. */
static void note_residual(const struct bed *bed, double residual, struct worst *worst)
{
    const bool tolerance = bed->method->caps & SENS_CAP_TOLERANCE && bed->task.rtol > 0;
    const double most = tolerance ? (double)bed->task.rtol / 10 : 1e-8;
    if (bed->method->derivative == SENS_DERIVATIVE_DISCRETE && residual != 0)
        worst_note_in(worst, SENS_IN_OTHER, residual, most,
                      "the iterations of all steps leave %.3g of the state", residual);
}

enum thoroughness { IN_FULL, BY_VALUES /* moved solves compute no gradient */, BY_FEW /* of these */ };

struct held { /* what is held against the values */
    size_t first_p, first_x;
    enum thoroughness how;
    const struct sens_out *got, *allowed; /* NULL: of the solved bed; nothing */
};

/* Of the solved bed. false: its steps are not the same for all solves, and nothing was learned. */
static bool note_own(struct bed *bed, const struct held *held, struct worst *worst)
{
    struct verify *v = bed->v;
    const size_t first_p = held->first_p, first_x = held->first_x;
    const struct sens_problem *pb = &bed->problem;
    const struct sens_out got = held->got ? *held->got : bed_keep(bed);
    struct worst noted = {.count = 0};
    struct own own = {.bed = bed,
                      .first_p = first_p,
                      .first_x = first_x,
                      .p = pb->p,
                      .x0 = pb->x0,
                      .alone = held->how != IN_FULL};
    own.moved_p = verify_array(v, pb->np);
    own.moved_x0 = verify_array(v, pb->n);
    own.start = verify_array(v, pb->n);
    own.allowed = held->allowed;
    own.residual = bed->work.residual;
    own.steps = bed->grid;
    own.count = bed->work.steps;
    own.steady = true;
    bed->grid = (struct grid){.steps = 0};
    const double *const dp = got.dGdp && pb->np > 0 ? direction(v, first_p, pb->np, pb->p) : NULL;
    const double *const dx = got.dGdx0 ? direction(v, first_x, pb->n, pb->x0) : NULL;
    if (held->how != BY_FEW || !note_together(&own, dp, dx, &got, &noted))
        note_apart(&own, dp, dx, &got, &noted);
    note_residual(bed, own.residual, &noted);
    grid_free(&own.steps);
    if (own.steady) *worst = noted;
    return own.steady;
}

/* Where the derivative of the map is far from those of the solution and of the map with its controller. */
static const double LOOSE = 1e-4, HALF_OF_DIGITS = 1e6; /* of bounds that are rounding */

bool gradient_note_faint(const struct bed *bed, struct worst *worst)
{
    struct verify *v = bed->v;
    struct sens_problem problem;
    struct sens_cost cost;
    struct bed twin;
    if (bed->problem.n > DECORATE_FAINT_MOST || bed->problem.np > DECORATE_FAINT_MOST || bed->problem.mass)
        return false; /* none is */
    decorate_faint(v, &bed->problem, &problem);
    decorate_faint_cost(v, &bed->cost, &cost);
    bed_create(v, &problem, &cost, bed->method, &twin);
    twin.task = bed->task;
    bed_tolerance(&twin, LOOSE);
    const struct held faint = {.first_p = bed->problem.np, .first_x = bed->problem.n};
    const bool held = bed_solve(&twin) == SENS_OK && note_own(&twin, &faint, worst);
    bed_free(&twin);
    return held;
}

/* Where the steps that are told are the same for all solves although an error test chooses them (their number, say,
 * from a few), the derivative is held to the values themselves: a difference quotient in it has other digits than
 * beside a faint copy. Nothing is noted where they move. */
static void note_in_the_open(const struct bed *bed, struct worst *worst)
{
    struct bed same = *bed;
    struct worst noted = {.count = 0};
    const struct held whole = {.how = BY_FEW};
    same.out = bed_outputs(&same);
    same.grid = (struct grid){.steps = 0};
    bed_tolerance(&same, LOOSE);
    if (bed_solve(&same) == SENS_OK && same.grid.steps > 0 && note_own(&same, &whole, &noted) &&
        noted.count > 0 && !worst_passes(&noted))
        *worst = noted;
    bed_free(&same);
}

/* On a solve of its own, of these parts. */
static bool note_again(const struct bed *bed, unsigned parts, const struct held *held, struct worst *worst)
{
    struct bed same = *bed;
    same.task.parts = parts;
    same.out = bed_outputs(&same);
    same.grid = (struct grid){.steps = 0};
    const bool noted = bed_solve(&same) == SENS_OK && note_own(&same, held, worst);
    bed_free(&same);
    return noted;
}

bool gradient_note_own(const struct bed *bed, bool by_few, struct worst *worst)
{
    const struct held whole = {.how = by_few ? BY_FEW : BY_VALUES};
    return note_again(bed, bed->task.parts, &whole, worst);
}

bool gradient_note_quotient(const struct bed *bed, const struct sens_out *got, const struct sens_out *allowed,
                            struct worst *worst)
{
    const struct held quotient = {.how = BY_FEW, .got = got, .allowed = allowed};
    return note_again(bed, SENS_IN_STATE, &quotient, worst);
}

/* Is the gradient the exact one, to the tolerance? */
static bool exact_to_tolerance(struct gradient_case *given)
{
    const struct bed *bed = &given->scene.bed;
    struct worst worst = {0};
    if (!case_truth(given)) return false;
    const struct expected gradient = expected_gradient(&given->truth);
    expected_compare(&worst, bed, &bed->out, &gradient);
    return worst.count > 0 && worst.unbounded == 0 && worst_passes(&worst);
}

bool gradient_own_is_right(const struct gradient_case *given, bool adaptive,
                           const struct sens_problem *problem, const struct sens_cost *cost)
{
    const struct bed *bed = &given->scene.bed;
    struct worst worst = {.count = 0};
    struct bed twin;
    bed_create(bed->v, problem, cost, bed->method, &twin);
    twin.task.rtol = bed->task.rtol, twin.task.atol = bed->task.atol;
    const bool held =
        (!adaptive && gradient_note_own(&twin, true, &worst)) || gradient_note_faint(&twin, &worst);
    bed_free(&twin);
    return held && worst.count > 0 && worst_passes(&worst);
}

static bool right_with_parts(const struct gradient_case *given, bool adaptive, unsigned parts)
{
    const struct bed *bed = &given->scene.bed;
    struct sens_cost cost;
    probe_cost(bed->v, &bed->problem, bed->cost.m, parts & probe_parts_for(bed->method), &cost);
    return gradient_own_is_right(given, adaptive, &bed->problem, &cost);
}

/* Is there one part of the cost without which it is right? Then the fault is in what that part adds. */
static bool blame_cost_parts(const struct gradient_case *given, bool adaptive, struct verify_result *result)
{
    const unsigned parts = given->parts;
    const struct case_part *found = NULL;
    for (const struct case_part *one = case_parts; one < case_parts + CASE_PARTS; one++) {
        if (!(parts & one->part)) continue;
        if (!right_with_parts(given, adaptive, (parts & ~one->part) | PROBE_AT_T1)) continue;
        if (found) return false; /* it is small, and any other cost hides it */
        found = one;
    }
    if (!found) return false;
    verify_say(result, "right without %s", found->words);
    verify_blame(result, found->cause, 0.97);
    return true;
}

/* A gradient that is the exact one to a tight tolerance, and yet not that of the method's values at a loose
 * one, lacks no term and follows the tolerance: it is the derivative of something else, or has a matrix that is
 * held and gets better as the steps do. */
static void blame_own(struct gradient_case *given, bool adaptive, bool digits, struct verify_result *result)
{
    if (!digits && case_tells(result) && blame_cost_parts(given, adaptive, result)) return;
    if (result->parts == SENS_IN_DGDP) {
        const bool initial = sens_problem_x0_depends(&given->scene.bed.problem);
        verify_say(result, "dG/dx0 is that of the values");
        verify_blame(result, CAUSE_parameter_sum, initial ? 0.7 : 0.95);
        verify_blame(result, CAUSE_missing_initial_term, initial ? 0.6 : 0);
        verify_blame(result, CAUSE_missing_parameter_term, 0.3);
        return;
    }
    case_blame_linear(given, adaptive, result);
    verify_blame(result, CAUSE_difference_quotient, digits ? 0.95 : 0);
    verify_blame(result, CAUSE_single_precision, digits ? 0.7 : 0);
    if (adaptive && exact_to_tolerance(given)) {
        verify_say(result, "at the tolerance %.0e of the task it is the exact one, to the tolerance",
                   (double)given->scene.bed.task.rtol);
        verify_blame(result, CAUSE_kind_misdeclared, 0.9);
        return;
    }
    verify_blame(result, CAUSE_derivative_not_solver, 0.6);
    verify_blame(result, CAUSE_kind_misdeclared, adaptive ? 0.4 : 0);
    if (sens_problem_x0_depends(&given->scene.bed.problem))
        verify_blame(result, CAUSE_missing_initial_term, 0.3);
    verify_blame(result, CAUSE_missing_parameter_term, 0.2);
    verify_blame(result, CAUSE_mass_matrix, given->scene.bed.problem.mass ? 0.9 : 0);
}

void gradient_check_own(struct gradient_case *given)
{
    const struct bed *bed = &given->scene.bed;
    const bool adaptive = bed->method->caps & SENS_CAP_TOLERANCE && !bed_is_fixed(&given->scene.bed);
    struct verify_result result = verify_open("gradient.own", given->scene.module, given->scene.subject);
    struct worst worst = {0};
    bool digits = false;
    if (bed->method->derivative != SENS_DERIVATIVE_DISCRETE) {
        verify_skip(&result, "the method does not declare the derivative of the discrete map");
    } else if (expected_rebuilds(&given->scene.bed)) {
        verify_skip(&result, "gradient.frozen makes the map again");
    } else if ((!adaptive && gradient_note_own(bed, false, &worst)) || gradient_note_faint(bed, &worst)) {
        const bool beside = worst_passes(&worst);
        if (adaptive && beside) note_in_the_open(bed, &worst);
        /* right beside a faint copy, and half of the digits where the values themselves move */
        digits = adaptive && beside && worst.value < HALF_OF_DIGITS * worst.bound;
        verify_judge(&result, &worst);
        if (result.verdict == VERIFY_FAIL) blame_own(given, adaptive, digits, &result);
    } else {
        verify_skip(&result, "the method's steps move with parameters that no error test should see");
    }
    verify_close(bed->v, &result);
    given->to_rounding = given->to_rounding || case_compared(&result);
}
