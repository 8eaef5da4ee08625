/* fail.domain: a right-hand side that is not defined everywhere asks for smaller steps.
 *
 * Logistic growth that has begun above what can live,   y' = p y (1 - y),   y(0) = 4,   defined for y > 0 alone. The
 * first trial step is the whole interval, so long that its stages lie far below 0, and those of a fourth of it, too:
 * what is solved is solved by making the step smaller as often as it takes. A method whose steps are its own may give
 * up with a status; where it does not, what it got is that of the steps that it reports, and holds nothing of those
 * that failed. */
#include "diagonal.h"
#include "trial.h"

static const char name[] = "logistic growth above 0";
static const double FROM = 4, RATE = 1, LENGTH = 64, TOL = 1e-6;
enum { LIMIT = 4000 };
/* Of G, which the error test of such a method need not see; what a trial of the whole interval leaves is of the size of
 * G. */
static const double WIDE = 0.05;

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dy)
{
    (void)pb;
    const double y = at->x[0];
    if (!(y > 0)) return SENS_OUT_OF_DOMAIN;
    dy[0] = at->p[0] * y * (1 - y);
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const double y = at->x[0];
    (void)pb, (void)i;
    return (struct diagonal_slopes){at->p[0] * (1 - 2 * y), y * (1 - y)};
}

static void create_bed(struct verify *v, struct bed *bed)
{
    const struct sens_problem pb = {.type = diagonal_type(v, name, rhs, slopes),
                                    .n = 1,
                                    .np = 1,
                                    .t0 = 0,
                                    .t1 = LENGTH,
                                    .x0 = verify_copy(v, 1, &FROM),
                                    .p = verify_copy(v, 1, &RATE)};
    struct sens_cost cost;
    probe_cost(v, &pb, 1, probe_parts_for(v->method), &cost);
    bed_create(v, &pb, &cost, v->method, bed);
    bed_tolerance(bed, TOL);
    bed->task.max_steps = LIMIT;
    bed->task.dt = LENGTH;
    bed_controller(bed, "odeint");
}

/* Does it make steps smaller by a controller, as often as it takes? */
static bool adapts(const struct bed *bed)
{
    return bed->method->caps & SENS_CAP_CONTROLLER;
}

/* A continuous derivative may need a solve back through what decays, which not every method can do. */
static bool fails_perhaps_on_the_way_back(const struct bed *bed)
{
    return bed->status != SENS_OK && bed->method->derivative == SENS_DERIVATIVE_CONTINUOUS;
}

static bool note_exact(const struct bed *bed, struct worst *worst)
{
    struct expected expected;
    if (!(bed->method->caps & SENS_CAP_TOLERANCE) || expected_exact(bed, &expected) != SENS_OK) return false;
    expected = expected_state(&expected);
    expected.bound.x[0] = fmax(expected.bound.x[0], WIDE * fabs(expected.value.x[0]));
    expected.bound.G[0] = fmax(expected.bound.G[0], WIDE * fabs(expected.value.G[0]));
    expected_compare(worst, bed, &bed->out, &expected);
    return true;
}

/* A status is worse than any number. Those of a derivative of the steps taken are compared, or where these are the
 * method's own the state and G with the exact ones. false: they cannot be, and nothing is known of the numbers. */
static bool note_solve(struct bed *bed, struct worst *worst)
{
    struct expected expected;
    worst_note(worst, bed->status == SENS_OK ? 0 : INFINITY, 0,
               "the first trial step is the interval, smaller ones stay where rhs is defined: %s",
               sens_status_name(bed->status));
    if (bed->status != SENS_OK) return false;
    if (!expected_rebuilds(bed)) return note_exact(bed, worst);
    if (bed->method->derivative == SENS_DERIVATIVE_DISCRETE && expected_declared(bed, &expected) == SENS_OK)
        expected_compare(worst, bed, &bed->out, &expected);
    return true;
}

static void run(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct bed bed;
    struct verify_result result = verify_open("fail.domain", v->module, name);
    create_bed(v, &bed);
    const sens_status status = bed_solve(&bed);
    const bool compared = note_solve(&bed, &worst);
    if (fails_perhaps_on_the_way_back(&bed))
        verify_skip(&result, "%s: a solve back may fail on what decays", sens_status_name(status));
    else if (!adapts(&bed) && !compared)
        verify_skip(&result, "the method takes no controller, and %s",
                    status != SENS_OK ? "gives up with a status" : "its steps are its own");
    else
        verify_judge(&result, &worst);
    const bool gave_up = status != SENS_OK;
    if (result.verdict == VERIFY_FAIL && gave_up) verify_blame(&result, CAUSE_not_made_smaller, 0.9);
    const double rejection = gave_up                ? 0.4
                             : bed.work.rejects > 0 ? 0.97
                                                    : 0.05; /* of none nothing can stay */
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, CAUSE_after_rejection, rejection);
    verify_close(v, &result);
    bed_free(&bed);
}

static const struct verify_check checks[] = {
    {.id = "fail.domain",
     .summary = "where the right-hand side is not defined, a smaller step is tried, as often as it takes",
     .bound = "a solve without a status, and rounding for the derivative of the steps taken",
     .explanation =
         "Logistic growth that begins at 4 times its capacity is solved with the whole interval as the "
         "first trial step. rhs returns SENS_OUT_OF_DOMAIN for y <= 0, where the stages of a long step lie; "
         "short ones stay above. A method that takes a controller tries smaller steps after a recoverable "
         "status until one succeeds. One whose steps are its own may end with a status instead; else its "
         "state and G are compared with the exact ones. The results are those of the steps that are "
         "reported: what a step that failed has added to the state, to G or "
         "to the tangents is taken back. Look for a status that ends the solve, for a least step that is "
         "more than rounding, and for what is left of a trial."},
    {.id = NULL}};

const struct verify_group verify_domain = {
    .name = "domain", .kind = VERIFY_METHOD, .checks = checks, .run = run};
