/* gradient.coarse: equations of a step that take many iterations to solve, or whose matrix is far from its diagonal.
 *
 *     y' = -p k y^3 / s^2,   y(0) = s,   p = 1,   0 <= t <= 1,     k = z N, N the number of steps: h k = z,
 *     x' = p k B x (oscillators.h),   x_i' = p k (x_(i-1)^2 - x_i^2) (ring.h).
 *
 * N is counted once, at k = 1. The steps of a method that takes no tolerance stay as its option says, so that h k =
 * z; one that takes a tolerance chooses them anew at 0.1, where h k is about z at most. Nothing but its iteration
 * tells whether the equations of a step are solved. Newton's, from a guess of the size of z, takes away a third of
 * the distance each time, so that a few leave an error of the state's own size. Then the derivative that the
 * implicit function theorem gives is not that of the values; a status is an answer, and so are the values of a
 * formula that solves nothing. With s = 1 and with a small one, which is the same in other units. */
#include "gradient_case.h"

#include <string.h>

#include "diagonal.h"
#include "oscillators.h"
#include "probe.h"
#include "ring.h"

static const double RATE = 1;

struct cubic {
    const double *k;
    double start;
};

static double speed(const struct sens_problem *pb)
{
    const struct cubic *const made = pb->data;
    return *made->k / (made->start * made->start);
}

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dy)
{
    const double y = at->x[0];
    dy[0] = -at->p[0] * speed(pb) * y * y * y;
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const double y = at->x[0], k = speed(pb);
    (void)i;
    return (struct diagonal_slopes){-3 * at->p[0] * k * y * y, -k * y * y * y};
}

static void make_cubic(struct verify *v, const double *k, double start, struct sens_problem *problem)
{
    struct cubic *const made = verify_memory(v, 1, sizeof *made);
    *made = (struct cubic){k, start};
    *problem = (struct sens_problem){.type = diagonal_type(v, "cubic decay", rhs, slopes),
                                     .n = 1,
                                     .np = 1,
                                     .t1 = 1,
                                     .x0 = verify_copy(v, 1, &start),
                                     .p = verify_copy(v, 1, &RATE),
                                     .data = made};
}

static void cubic_problem(struct verify *v, const double *k, struct sens_problem *problem)
{
    make_cubic(v, k, 1, problem);
}

static void small_cubic_problem(struct verify *v, const double *k, struct sens_problem *problem)
{
    make_cubic(v, k, 1e-9, problem);
}

/* Is the map the method's own? */
static bool applies(const struct bed *bed)
{
    return bed->method->derivative == SENS_DERIVATIVE_DISCRETE && !expected_rebuilds(bed);
}

/* With h k = z. false: a status, or the steps move. */
static bool note_one(struct bed *bed, double *k, double z, long steps, struct worst *worst)
{
    struct worst here = {.count = 0};
    *k = z * (double)steps;
    if (!gradient_note_own(bed, true, &here) || here.count == 0) return false;
    worst_note(worst, here.value, here.bound, "k = %g times the steps: %s", z, here.where);
    return true;
}

/* The tolerance, for methods that take one, and the most steps that they may take at it. */
static const double LOOSE = 0.1;
enum { MOST_STEPS = 2000 };

static const double SHORTEST = 1e-3; /* an h k that is small for any fault of the equations */

enum { STIFFNESSES = 4 };

struct equations {
    const char *subject;
    void (*problem)(struct verify *v, const double *k, struct sens_problem *problem);
    double stiffness[STIFFNESSES]; /* h k */
    double easy; /* h k at which they are easily solved: few iterations do; no row is exchanged */
    enum cause cause;
    double perhaps; /* weight of the cause where it is wrong there too, and right on the shortest steps */
    /* The same without what the cause needs, in place of those: NULL, there is none. */
    void (*beside)(struct verify *v, const double *k, struct sens_problem *problem);
};

static const struct equations equations[] = {
    {"y' = -p k y^3, coarse steps", cubic_problem, {3, 10, 30, 1000}, 0.1, CAUSE_not_converged, 0.6, NULL},
    {"y' = -p k y^3 from 1e-9, coarse steps",
     small_cubic_problem,
     {3, 10, 30, 1000},
     1e-3,
     CAUSE_state_scale,
     0.9,
     NULL},
    {"x' = p k B x, coarse steps", oscillators_problem, {3, 6, 12, 40}, 0.5, CAUSE_row_exchange, 0.2, NULL},
    {"x' = p k C x, coarse steps", oscillators_in_turn, {3, 6, 12, 40}, 0.05, CAUSE_row_exchange, 0.2, NULL},
    {"x_i' = p k (x_(i-1)^2 - x_i^2), a ring",
     ring_problem,
     {0.2, 0.5, 1, 2},
     0.2,
     CAUSE_matrix_entries,
     0.2,
     ring_open_problem},
};

static bool is_right(struct bed *bed, double *k, double z, long steps)
{
    struct worst worst = {.count = 0};
    return note_one(bed, k, z, steps, &worst) && worst_passes(&worst);
}

static void open_bed(struct verify *v, const double *k,
                     void (*make)(struct verify *v, const double *k, struct sens_problem *problem),
                     struct bed *bed)
{
    struct sens_problem problem;
    struct sens_cost cost;
    make(v, k, &problem);
    /* explicit terms are no smaller than 1, and would hide what a small state does */
    probe_cost(v, &problem, 1, probe_parts_for(v->method) & ~(unsigned)PROBE_EXPLICIT, &cost);
    bed_create(v, &problem, &cost, v->method, bed);
    if (!(v->method->caps & SENS_CAP_TOLERANCE)) return;
    bed_tolerance(bed, LOOSE);
    bed->task.max_steps = MOST_STEPS;
}

static bool is_right_beside(const struct equations *given, struct verify *v, double *k, long steps)
{
    struct bed bed;
    bool right = true;
    open_bed(v, k, given->beside, &bed);
    for (size_t i = 0; i < STIFFNESSES && right; i++) right = is_right(&bed, k, given->stiffness[i], steps);
    bed_free(&bed);
    return right;
}

/* That the equations are to blame: is it right where they are easily solved, or where their peculiarity is not? On the
 * shortest steps a fault of another kind may be too small to be seen. */
static double trust(const struct equations *given, struct bed *bed, double *k, long steps)
{
    if (given->beside) return is_right_beside(given, bed->v, k, steps) ? 0.95 : given->perhaps;
    return is_right(bed, k, given->easy, steps) ? 0.95
           : is_right(bed, k, SHORTEST, steps)  ? given->perhaps
                                                : 0.2;
}

static void check(struct verify *v, const struct equations *given)
{
    struct worst worst = {.count = 0};
    struct bed bed;
    double *const k = verify_array(v, 1);
    struct verify_result result = verify_open("gradient.coarse", v->module, given->subject);
    open_bed(v, k, given->problem, &bed);
    *k = 1;
    const bool solved = applies(&bed) && bed_solve(&bed) == SENS_OK;
    const long steps = bed.grid.steps > bed.work.steps ? bed.grid.steps : bed.work.steps;
    for (size_t i = 0; solved && steps > 0 && i < STIFFNESSES; i++)
        note_one(&bed, k, given->stiffness[i], steps, &worst);
    if (!applies(&bed))
        verify_skip(&result, "it is no discrete derivative, or its steps are made again elsewhere");
    else
        verify_judge_or(&result, &worst,
                        "all of it ends with a status, or has no derivative that could be told");
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, given->cause, trust(given, &bed, k, steps));
    verify_close(v, &result);
    bed_free(&bed);
}

static void run(struct verify *v)
{
    for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) check(v, &equations[i]);
}

static const struct verify_check checks[] = {
    {.id = "gradient.coarse",
     .summary = "where the equations of a step are hard to solve, the derivative is that of the values, or "
                "there is none",
     .bound = "as gradient.own",
     .explanation =
         "y' = -p k y^3 is solved with steps h such that h k is 3, 10, 30 and 1000, and the gradient is "
         "compared with differences of the method's own values. Methods that take a tolerance solve it for "
         "the same k at 0.1, where their steps are shorter if they see the need. Newton's iteration takes "
         "away a third of the distance each time there, so that a larger h k takes it more. A method that "
         "ends it after a fixed number, and takes what it has for a solution, gives a derivative of "
         "something else. Look at what happens where the iteration has not converged: it has to end with a "
         "status (not_converged), or to be told (sens_work.residual). The same is solved from y = 1e-9, "
         "which is another unit. Two linear oscillations are solved so, too: the matrix of a step is far "
         "from its diagonal there, and elimination has to exchange rows, those of its factors among them; of "
         "the second each row with the next in turn. Of reactions on a ring, which begin in one of six "
         "states, most entries of df/dx are 0 at first, and elimination fills in what the declared pattern "
         "leaves out.",
     .level = VERIFY_TO_ROUNDING},
    {.id = NULL}};

const struct verify_group verify_coarse = {
    .name = "coarse", .kind = VERIFY_METHOD, .checks = checks, .run = run};
