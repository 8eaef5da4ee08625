/* Very many steps, very short ones, a state at rest, observations far apart, and a very small cost.
 *
 *     x' = p e(t),   e(t) = 1   or   s / (w^2 + s^2),   s = max(t - c, 0),   or   v cos(v t),   G = sum_j x(t_j):
 *     x(t) = x0 + p I(t),   dG/dx0 = number of observations,   dG/dp = sum_j I(t_j),
 *     I(t) = t - t0   or   log(1 + s^2 / w^2) / 2   or   sin(v t),   t0 = 0.
 *
 * Nothing has to be computed again by the harness: with e = 1 every formula is exact but for rounding, over any
 * number of steps. The other e is continuous, begins at c without
 * a sign of it before, and looks alike on every scale from the interval's down to w, so that any estimate of an error,
 * whatever its stages, asks for steps of the size of w there. With the third and p = 0 the state and the adjoint are
 * constants, and all that moves is dG/dp. */

#include "extremes.h"
#include "diagonal.h"
#include "step_rules.h"
#include "trial.h"

enum { N = 1 };
static const double BEGIN = 0.6180339887; /* c */

/* ---- the problem --------------------------------------------------------------------------------------- */

static double forcing(const struct sens_problem *pb, double t)
{
    const struct extremes_shape *const shape = pb->data;
    const double w = shape->width, v = shape->swing, since = fmax(t - BEGIN, 0);
    return w > 0 ? since / (w * w + since * since) : v > 0 ? v * cos(v * t) : 1;
}

double extremes_integral(const struct sens_problem *pb, double t)
{
    const struct extremes_shape *const shape = pb->data;
    const double w = shape->width, v = shape->swing, since = fmax(t - BEGIN, 0);
    return w > 0 ? log1p(since * since / (w * w)) / 2 : v > 0 ? sin(v * t) : t - pb->t0;
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    dx[0] = at->p[0] * forcing(pb, at->t);
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)i;
    return (struct diagonal_slopes){0, forcing(pb, at->t)};
}

static void phi(const struct sens_cost *cost, size_t j, const double *x, const double *p, double *G)
{
    (void)j, (void)p;
    for (size_t i = 0; i < cost->n; i++) G[0] += x[i];
}

static void phi_dx(const struct sens_cost *cost, size_t j, const double *x, const double *p, size_t c0,
                   size_t L, double *OUT)
{
    (void)j, (void)x, (void)p;
    for (size_t i = 0; i < cost->n && c0 == 0 && L > 0; i++) OUT[i * L] += 1;
}

const struct sens_cost_type extremes_sum = {.name = "sum", .phi = phi, .phi_dx = phi_dx};

void extremes_bed(struct verify *v, const struct extremes_task *task, struct bed *bed)
{
    const bool observes = v->method->caps & SENS_CAP_OBSERVATIONS;
    const size_t count = observes ? task->count : 1;
    const double *const times = task->times + task->count - count;
    const struct sens_problem problem = {.type = task->type,
                                         .n = task->n,
                                         .np = 1,
                                         .t0 = 0,
                                         .t1 = times[count - 1],
                                         .x0 = verify_copy(v, task->n, task->x0),
                                         .p = verify_copy(v, 1, &task->p),
                                         .x0_fixed = true,
                                         .data = task->data};
    const struct sens_cost cost = {.type = &extremes_sum,
                                   .n = task->n,
                                   .np = 1,
                                   .m = 1,
                                   .n_obs = count,
                                   .t_obs = verify_copy(v, count, times)};
    bed_create(v, &problem, &cost, v->method, bed);
}

void extremes_create(struct verify *v, struct extremes_shape shape, double p, size_t observations,
                     const double *at, struct bed *bed)
{
    struct extremes_shape *const data = verify_memory(v, 1, sizeof *data);
    *data = shape;
    const struct extremes_task task = {.type = diagonal_type(v, "forcing", rhs, slopes),
                                       .data = data,
                                       .n = N,
                                       .x0 = &EXTREMES_START,
                                       .p = p,
                                       .count = observations,
                                       .times = at};
    extremes_bed(v, &task, bed);
}

/* Observations equally far apart, the last at t1. */
static void create(struct verify *v, struct extremes_shape shape, double p, size_t observations,
                   struct bed *bed)
{
    double *const at = verify_array(v, observations);
    for (size_t j = 0; j < observations; j++)
        at[j] = EXTREMES_LENGTH * (double)(j + 1) / (double)observations;
    extremes_create(v, shape, p, observations, at, bed);
}

/* ---- many steps ---------------------------------------------------------------------------------------- */

/* Steps past 2^16, and observations that are multiples of them. */
enum { MANY_STEPS = 66668, FEW = 4, SUMMED = 16 };

static void note_many(const struct bed *bed, struct worst *worst)
{
    const struct sens_problem *pb = &bed->problem;
    const double rounding = SUMMED * DBL_EPSILON * (double)bed->work.steps, count = (double)bed->cost.n_obs;
    double sum = 0;
    for (size_t j = 0; j < bed->cost.n_obs; j++) sum += extremes_integral(pb, bed->cost.t_obs[j]);
    const double x = EXTREMES_START + EXTREMES_SLOPE * extremes_integral(pb, pb->t1),
                 G = count * EXTREMES_START + EXTREMES_SLOPE * sum;
    worst_note_in(worst, SENS_IN_X, fabs(bed->out.x[0] - x), rounding * x, "x is %.12g, right is %.12g",
                  bed->out.x[0], x);
    worst_note_in(worst, SENS_IN_G, fabs(bed->out.G[0] - G), rounding * G, "G is %.12g, right is %.12g",
                  bed->out.G[0], G);
    worst_note_in(worst, SENS_IN_DGDP, fabs(bed->out.dGdp[0] - sum), rounding * sum,
                  "dG/dp is %.12g, right is %.12g", bed->out.dGdp[0], sum);
    worst_note_in(worst, SENS_IN_DGDX0, fabs(bed->out.dGdx0[0] - count), rounding * count,
                  "dG/dx0 is %.12g, right is %.12g", bed->out.dGdx0[0], count);
}

/* Equal steps; where those cannot be asked for, an observation for each, which takes a full run's time. NULL: made. */
static const char *ask_for_many(struct verify *v, struct bed *bed)
{
    create(v, (struct extremes_shape){0}, EXTREMES_SLOPE, FEW, bed);
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE)
        return "the rounding of so many steps is too much for a quotient";
    if (bed_fixed(bed, "euler", MANY_STEPS)) return NULL;
    if (!(v->method->caps & SENS_CAP_OBSERVATIONS))
        return "the method takes neither fixed steps nor observations";
    if (v->quick) return "the method takes no fixed steps; as many observations are those of a full run";
    bed_free(bed);
    create(v, (struct extremes_shape){0}, EXTREMES_SLOPE, MANY_STEPS, bed);
    return NULL;
}

static void check_many(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("extremes.many", v->module, "x' = p, 66668 steps");
    struct bed bed;
    const char *const why_not = ask_for_many(v, &bed);
    bed.task.max_steps = 3 * MANY_STEPS;
    if (why_not)
        verify_skip(&result, "%s", why_not);
    else if (bed_solve(&bed) == SENS_UNSUPPORTED && !bed_is_fixed(&bed)) /* by steps that it cannot have */
        verify_skip(&result, "%s: %s", sens_status_name(bed.status), bed.message);
    else if (bed.status != SENS_OK)
        worst_note(&worst, INFINITY, 0, "%s: %s", sens_status_name(bed.status), bed.message);
    else
        note_many(&bed, &worst);
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_many_steps, 0.98);
    verify_close(v, &result);
    bed_free(&bed);
}

/* ---- short steps --------------------------------------------------------------------------------------- */

/* w as a part of the interval. */
enum { MANY = 100 }; /* observations: more steps of an observation's making than of the tolerance's */
static const double SHORTEST = 1e-9, TOLERANCE = 1e-6;

static void check_short(struct verify *v)
{
    struct worst worst = {.count = 0}, chain = {.count = 0};
    struct verify_result result =
        verify_open("extremes.short", v->module, "x' = p s / (w^2 + s^2), w = 1e-9 of the interval");
    struct bed bed;
    create(v, (struct extremes_shape){.width = SHORTEST * EXTREMES_LENGTH}, EXTREMES_SLOPE, MANY, &bed);
    bed_tolerance(&bed, TOLERANCE);
    const double x = EXTREMES_START + EXTREMES_SLOPE * extremes_integral(&bed.problem, EXTREMES_LENGTH);
    if (!(v->method->caps & SENS_CAP_TOLERANCE) || v->method->derivative == SENS_DERIVATIVE_DIFFERENCE)
        verify_skip(&result, "the method takes no tolerance, or its quotients no steps of their own");
    else if (bed_solve(&bed) != SENS_OK)
        verify_skip(&result, "%s: %s", sens_status_name(bed.status), bed.message);
    else
        worst_note_in(&worst, SENS_IN_X, fabs(bed.out.x[0] - x),
                      EXTREMES_NORMS * (double)bed.work.steps * TOLERANCE * (1 + x),
                      "x is %.12g, right is %.12g", bed.out.x[0], x);
    if (worst.count) steps_note_chain(&bed, &chain);
    if (!worst_passes(&chain)) worst = chain;
    if (worst.count) verify_judge(&result, &worst);
    if (!worst_passes(&chain)) verify_blame(&result, CAUSE_missing_step, 0.98);
    verify_blame(&result, CAUSE_least_step, worst_passes(&chain) ? 0.98 : 0.3);
    verify_close(v, &result);
    bed_free(&bed);
}

/* ---- a state at rest ----------------------------------------------------------------------------------- */

static const double SWING = 150, TIGHT = 1e-7; /* v, some 48 periods; the tolerance */

void extremes_test_all(struct bed *bed)
{
    for (size_t i = 0; i < sens_option_count(bed->method->options); i++) {
        const long inside = bed_error_test(bed, i, "inside");
        if (inside >= 0) bed->option[i].number = (double)inside;
    }
}

static void check_rest(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct verify_result result =
        verify_open("extremes.rest", v->module, "x' = p v cos(v t), p = 0, v = 150");
    struct bed bed;
    create(v, (struct extremes_shape){.swing = SWING}, 0, 1, &bed);
    bed_tolerance(&bed, TIGHT);
    extremes_test_all(&bed);
    const double right = extremes_integral(&bed.problem, EXTREMES_LENGTH);
    if (!(v->method->caps & SENS_CAP_TOLERANCE) || v->method->derivative != SENS_DERIVATIVE_CONTINUOUS)
        verify_skip(&result, "the derivative is not one of the exact solution, to a tolerance");
    else if (bed_solve(&bed) != SENS_OK)
        verify_skip(&result, "%s: %s", sens_status_name(bed.status), bed.message);
    else
        worst_note_in(&worst, SENS_IN_DGDP, fabs(bed.out.dGdp[0] - right),
                      EXTREMES_NORMS * (double)(bed.work.steps + bed.work.steps_reverse) * TIGHT * 2,
                      "dG/dp is %.12g, right is %.12g, at tolerance %g", bed.out.dGdp[0], right, TIGHT);
    if (worst.count) verify_judge(&result, &worst);
    const bool lost = worst.count > 0 && bed.out.dGdp[0] == 0;
    verify_blame(&result, CAUSE_exact_zero, lost ? 0.99 : 0);
    verify_blame(&result, CAUSE_outside_test, 0.98);
    verify_close(v, &result);
    bed_free(&bed);
}

/* ---- observations far apart ---------------------------------------------------------------------------- */

enum { OBSERVED = 2, RK4_STEPS = 4000 };
/* p; the first observation; of what is right. A step of a formula of order 2, which the derivative of a map may be of,
 * is off by a twentieth there. */
static const double RATE = 150, NEAR = 0.002, COARSE = 0.25, NOTHING = 1e-140;

static sens_status decay(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    return SENS_OK;
}

static struct diagonal_slopes decay_slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb;
    return (struct diagonal_slopes){-at->p[0], -at->x[i]};
}

/* x' = -p x: the adjoint falls to e^(-300) of itself between the observations, and is 1 again at the first. */
static void create_gap(struct verify *v, double atol, struct bed *bed)
{
    static const double at[OBSERVED] = {NEAR, EXTREMES_LENGTH};
    const struct extremes_task task = {.type = diagonal_type(v, "decay", decay, decay_slopes),
                                       .n = N,
                                       .x0 = &EXTREMES_START,
                                       .p = RATE,
                                       .count = OBSERVED,
                                       .times = at};
    extremes_bed(v, &task, bed);
    bed->task.rtol = TIGHT;
    bed->task.atol = atol;
}

static double gap_cost(void)
{
    return EXTREMES_START * exp(-RATE * NEAR); /* what the second observation adds is 1e-130 */
}

static void note_gap(const struct bed *bed, struct worst *worst)
{
    const double by_x0 = exp(-RATE * NEAR), by_p = -NEAR * EXTREMES_START * by_x0; /* the other is 1e-130 */
    worst_note_in(worst, SENS_IN_DGDX0, fabs(bed->out.dGdx0[0] - by_x0), COARSE * by_x0,
                  "dG/dx0 is %.6g, right is %.6g", bed->out.dGdx0[0], by_x0);
    worst_note_in(worst, SENS_IN_DGDP, fabs(bed->out.dGdp[0] - by_p), COARSE * fabs(by_p),
                  "dG/dp is %.6g, right is %.6g", bed->out.dGdp[0], by_p);
}

/* Notes the solve, or says why there is nothing to note. */
static void solve_gap(struct bed *bed, struct worst *worst, struct verify_result *result)
{
    if (bed_solve(bed) != SENS_OK)
        verify_skip(result, "%s: %s", sens_status_name(bed->status), bed->message);
    else if (fabs(bed->out.G[0] - gap_cost()) > COARSE * gap_cost())
        verify_skip(result, "G is %.3g where %.3g is right: its steps are too long for this state",
                    bed->out.G[0], gap_cost());
    else
        note_gap(bed, worst);
}

/* Twice: where an absolute tolerance lets the state go, explicit steps near their limit of stability may keep the
 * adjoint up; where it does not, equal steps become too many. */
static void check_gap(struct verify *v)
{
    const double absolute[] = {TIGHT, NOTHING};
    const unsigned caps = v->method->caps;
    struct worst worst = {.count = 0};
    struct verify_result result =
        verify_open("extremes.gap", v->module, "x' = -p x, p = 150, seen at 0.002 and 2");
    for (size_t k = 0; k < sizeof absolute / sizeof *absolute; k++) {
        struct bed bed;
        create_gap(v, absolute[k], &bed);
        const bool steps = (caps & SENS_CAP_TOLERANCE) || bed_fixed(&bed, "rk4", RK4_STEPS);
        if ((caps & SENS_CAP_OBSERVATIONS) && steps)
            solve_gap(&bed, &worst, &result);
        else
            verify_skip(&result, "the method takes no observations, or neither tolerance nor fixed steps");
        bed_free(&bed);
    }
    if (worst.count) {
        result.verdict = VERIFY_PASS; /* one of the two is enough */
        verify_judge(&result, &worst);
    }
    verify_blame(&result, CAUSE_scale_threshold, 0.97);
    verify_close(v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static void run(struct verify *v)
{
    check_many(v);
    check_short(v);
    extremes_check_landing(v);
    extremes_check_still(v);
    extremes_check_apart(v);
    check_rest(v);
    check_gap(v);
    extremes_check_cost(v);
}

static const struct verify_check checks[] = {
    {.id = "extremes.many",
     .summary = "more than 2^16 steps are right",
     .bound = "16 eps of each number for every step: sums of as many terms",
     .explanation = "x' = p is solved by 66,668 equal steps of Euler's formula, which is exact for it, with "
                    "observations on the way; in a full run, where the method takes no fixed steps, with as "
                    "many observations. State, G and gradient are known. A failure is a number of steps that "
                    "is kept in too few bits, or a table with room for fewer. A method without fixed steps "
                    "that answers `unsupported` is skipped; so are difference quotients.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "extremes.short",
     .summary = "steps are as short as the tolerance needs, whatever the interval and the observations",
     .bound = "16 times the tolerance for every step taken",
     .explanation =
         "x' = p s / (w^2 + s^2), s = max(t - c, 0), has structure on every scale down to w, 1e-9 of the "
         "interval. An error test asks for steps of that size behind c. A method that takes a step without a "
         "test where it is shorter than some least one, or takes 100 observations for steps enough, gets "
         "another state. One that gives up with a status is skipped.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "extremes.landing",
     .summary = "a step that ends at a stop ends there, however short of it the one before would have ended",
     .bound = "16 times the tolerance for every step taken",
     .explanation =
         "x' = p v cos(v t) is observed at 1,500 random times (3,000 in a full run), some steps apart, so "
         "that a step would often end a little before a stop. Taken for one that has arrived, or cut off by "
         "a time that is compared with a margin, it leaves the state that much behind, at any tolerance: the "
         "derivative is that of the wrong state, and agrees with it. Stretch such a step to the stop, or add "
         "a last short one. The state at the end is known.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "extremes.still",
     .summary = "a solution that rests has derivatives all the same",
     .bound =
         "discrete, on steps that can be made again: rounding; by other equal steps: half of what is lost "
         "where the solve ends at once, from 12 steps on (24 of a method's own) also at the first of "
         "three observations, from 64 (128) on also at the second, and 64 d^2 from the mean of starts "
         "d = 2^-12 and 2^-6 on both sides; continuous: 16 times the tolerance for every step",
     .explanation =
         "x_i' = c_i / s x_i (p - x_i) begins at x_i = p = 1.25 s, where f is exactly 0, and stays there; "
         "df/dx and df/dp are not 0. A method loses them if it skips steps in which nothing moves, stops "
         "when the state has settled, or ends the derivative's iteration with the state's. By equal steps "
         "the derivatives are also held to the mean of those from starts at p (1 - d) and p (1 + d): a map "
         "is as smooth as its formula. A continuous derivative is held to its tolerance with s = 2^20, where "
         "c_0 is larger than the others and where c_2 is: a column outside the error test, or measured by "
         "the size of the state, does not make the steps shorter. Steps that an error test has chosen for a "
         "discrete derivative, and that cannot be made again, are not judged.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "extremes.apart",
     .summary = "dG/dx0 follows the tolerance where dG/dp asks for few steps",
     .bound = "16 times the tolerance for every step taken, forwards and back",
     .explanation =
         "x_0' = -p x_0 beside x_1' = v cos(v t) x_1, which p does not touch. dG/dp is smooth, dG/dx0 goes "
         "through six periods. A continuous derivative whose steps back are chosen by dG/dp alone is off "
         "there by what those steps miss, at any tolerance.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "extremes.rest",
     .summary = "dG/dp follows the tolerance where state and adjoint are at rest",
     .bound = "32 times the tolerance for every step taken, forwards and back",
     .explanation =
         "x' = p v cos(v t) at p = 0: the state and the adjoint are constants, which any step solves, and "
         "dG/dp is an integral with 48 periods. A continuous derivative has the accuracy that the tolerance "
         "asks for where dG/dp is in the error test of the solve back, or in what tells whether steps are "
         "many enough; else it is off by its own size, at any tolerance. What an option may take into the "
         "test (inside, outside) is inside. A method that leaves dG/dp outside, and has no option for it, "
         "says so by a limit of this check.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "extremes.gap",
     .summary = "an observation counts however small the adjoint of later ones has become",
     .bound = "a quarter: what is lost is the whole",
     .explanation =
         "x' = -p x with p = 150 is observed at t = 0.002 and 2. Backwards from the last observation the "
         "adjoint falls to e^-300 of itself, and at the first it is 1 again. A sweep that ends where the "
         "adjoint has become small, or takes small numbers for nothing, loses that one.",
     .level = VERIFY_TO_TOLERANCE},
    {.id = "extremes.cost",
     .summary = "the gradient of 2^-100 G is 2^-100 that of G",
     .bound = "discrete: twice the measured effect of rounding; difference: that of a quotient",
     .explanation =
         "The cost is given in another unit, a power of two, which rounds nothing. A failure means that "
         "small numbers are taken for nothing (a threshold against denormals, a relative tolerance that ends "
         "as an absolute one): compare with what they are small against. Not for continuous derivatives, "
         "whose error test of the adjoint has an absolute tolerance."},
    {.id = NULL}};

const struct verify_group verify_extremes = {
    .name = "extremes", .kind = VERIFY_METHOD, .checks = checks, .run = run};
