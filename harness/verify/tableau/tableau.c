/* A tableau by its coefficients and by what it does to equations with a known solution (manufactured.h).
 *
 * Order p: the error over a fixed interval falls as h^p. */
#include "conditions.h"
#include "implicit.h"
#include "manufactured.h"
#include "order.h"

enum { FIRST_STEPS = 2 };

struct trial {
    struct verify *v;
    const struct sens_tableau *tableau;
    struct manufactured made;
    struct sens_problem problem;
    struct rk_step step;
    char module[VERIFY_NAME], subject[VERIFY_SUBJECT];
};

static void create(struct verify *v, struct trial *trial)
{
    *trial = (struct trial){.v = v, .tableau = v->tableau};
    manufactured_draw(v, &trial->made);
    trial->step = rk_step_create(v, v->tableau, UNKNOWNS);
    verify_module("tableau", v->tableau->name, trial->module);
}

/* ---- tableau.consistent -------------------------------------------------------------------------------- */

/* sum v_i = target; both sides are sums of rounded numbers. */
static void note_sum(struct worst *worst, int count, const double *v, double target, const char *what,
                     int row)
{
    double sum = 0, size = fabs(target);
    for (int i = 0; i < count; i++) {
        sum += v[i];
        size += fabs(v[i]);
    }
    worst_note(worst, fabs(sum - target), (count + 1) * DBL_EPSILON * size, "%s %d: %.17g is not %.17g", what,
               row, sum, target);
}

static bool last_row_is_b(const struct sens_tableau *tb)
{
    const int last = tb->stages - 1;
    for (int j = 0; j < tb->stages; j++)
        if (sens_tableau_a(tb, last, j) != tb->b[j]) return false;
    return tb->c[last] == 1;
}

static void note_triangle(struct worst *worst, const struct sens_tableau *tb)
{
    const int rows = tb->stages + tb->extra_stages;
    for (int i = 0; i < rows; i++)
        for (int j = i; j < rows; j++)
            worst_note(worst, fabs(sens_tableau_a(tb, i, j)), 0, "a[%d][%d] of an explicit method", i, j);
}

static void check_consistent(struct trial *trial)
{
    const struct sens_tableau *tb = trial->tableau;
    const int rows = tb->stages + tb->extra_stages;
    struct worst stage = {0}, weight = {0};
    struct verify_result result = verify_open("tableau.consistent", trial->module, "coefficients");
    for (int i = 0; i < rows; i++) note_sum(&stage, rows, tb->a + i * rows, tb->c[i], "c = sum a, stage", i);
    note_triangle(&stage, tb);
    note_sum(&weight, tb->stages, tb->b, 1, "sum b, order", tb->order);
    if (tb->e) note_sum(&weight, tb->stages, tb->e, 0, "sum e, order", tb->order_hat);
    if (tb->e3) note_sum(&weight, tb->stages, tb->e3, 0, "sum e3, order", 3);
    conditions_note_pair(&weight, tb);
    const bool stages_right = worst_passes(&stage), fsal_right = tb->fsal == last_row_is_b(tb);
    verify_judge(&result, stages_right ? &weight : &stage);
    if (!fsal_right)
        verify_fail(&result, "fsal is %s, yet the last row of a and c_s %s b and 1",
                    tb->fsal ? "set" : "not set", tb->fsal ? "are not" : "are");
    verify_blame(&result, CAUSE_tableau_coefficient, 0.9);
    if (!stages_right) verify_blame(&result, CAUSE_stage_time, 0.7);
    if (!worst_passes(&weight)) verify_blame(&result, CAUSE_wrong_weights, 0.6);
    if (!fsal_right) verify_blame(&result, CAUSE_stale_slope, 0.5);
    verify_close(trial->v, &result);
}

/* ---- tableau.order ------------------------------------------------------------------------------------- */

/* The formula: b, or bhat = b - e. */
static double weight(const struct sens_tableau *tb, bool embedded, int i)
{
    return embedded ? tb->b[i] - tb->e[i] : tb->b[i];
}

static void advance(struct trial *trial, bool embedded, double h, double *x)
{
    const struct sens_tableau *tb = trial->tableau;
    for (size_t q = 0; q < UNKNOWNS; q++) {
        double sum = 0;
        for (int i = 0; i < tb->stages; i++)
            sum += weight(tb, embedded, i) * trial->step.K[(size_t)i * UNKNOWNS + q];
        x[q] += h * sum;
    }
}

static double error_of(struct trial *trial, bool embedded, long steps)
{
    const struct sens_problem *pb = &trial->problem;
    const double h = (pb->t1 - pb->t0) / (double)steps;
    double x[UNKNOWNS];
    manufactured_state(&trial->made, pb->t0, x);
    for (long k = 0; k < steps; k++) {
        const sens_status status = rk_step(pb, trial->tableau, pb->t0 + (double)k * h, h, x, &trial->step);
        if (status != SENS_OK) return NAN;
        advance(trial, embedded, h, x);
    }
    return manufactured_distance(&trial->made, pb->t1, x);
}

/* Errors for steps halved until rounding shows: every step rounds the state once and each slope h K_i once,
 * and the flow makes no more than tenfold of it. */
static struct ladder errors_of(struct trial *trial, bool embedded)
{
    struct ladder ladder = {0};
    const double length = trial->problem.t1 - trial->problem.t0;
    for (long steps = FIRST_STEPS; ladder.count < LADDER; steps *= 2) {
        const double floor = 10 * DBL_EPSILON * (double)(steps + trial->tableau->stages);
        ladder_add(&ladder, length / (double)steps, error_of(trial, embedded, steps), floor);
        if (!ladder_clean(&ladder, ladder.count - 1)) break;
    }
    return ladder;
}

static bool has_order(struct trial *trial, bool embedded, bool autonomous, int order)
{
    manufactured_problem(&trial->made, autonomous, &trial->problem);
    const struct ladder ladder = errors_of(trial, embedded);
    return order_is_met(&ladder, order);
}

static void blame_order(struct trial *trial, bool embedded, int order, struct verify_result *result)
{
    const bool without_c = has_order(trial, embedded, true, order);
    const bool main_right = !embedded || has_order(trial, false, false, trial->tableau->order);
    if (without_c) {
        verify_say(result, "with t as an unknown, where c is not used, the order is right");
        verify_blame(result, CAUSE_stage_time, 1);
    }
    verify_blame(result, CAUSE_tableau_coefficient, without_c ? 0.8 : 0.95);
    if (embedded && main_right) verify_say(result, "b has its order: e is wrong");
    if (!without_c) verify_blame(result, CAUSE_wrong_weights, 0.5);
}

static void check_order(struct trial *trial, bool embedded)
{
    const struct sens_tableau *tb = trial->tableau;
    const int order = embedded ? tb->order_hat : tb->order;
    manufactured_problem(&trial->made, false, &trial->problem);
    const struct ladder ladder = errors_of(trial, embedded);
    struct verify_result result =
        verify_open("tableau.order", trial->module, embedded ? "embedded formula" : "formula");
    order_judge(&ladder, order, &result);
    if (result.verdict == VERIFY_FAIL) blame_order(trial, embedded, order, &result);
    verify_close(trial->v, &result);
}

/* ---- tableau.dense ------------------------------------------------------------------------------------- */

/* The largest error of the dense output of one step from the exact solution. */
static double dense_error(struct trial *trial, double h)
{
    const struct sens_problem *pb = &trial->problem;
    double x[UNKNOWNS], at[UNKNOWNS], largest = 0;
    manufactured_state(&trial->made, pb->t0, x);
    sens_status status = rk_step(pb, trial->tableau, pb->t0, h, x, &trial->step);
    for (int place = 1; place <= 4; place++) {
        const double theta = 0.23 * place;
        if (status == SENS_OK) status = rk_dense(pb, trial->tableau, pb->t0, h, x, &trial->step, theta, at);
        if (status != SENS_OK) return NAN;
        largest = fmax(largest, manufactured_distance(&trial->made, pb->t0 + theta * h, at));
    }
    return largest;
}

/* At theta = 1 the weights are b. */
static void note_end_weights(struct worst *worst, const struct sens_tableau *tb)
{
    for (int i = 0; i < tb->stages + tb->extra_stages; i++) {
        double size = 0;
        for (int d = 0; d < tb->dense_degree; d++) size += fabs(tb->dense[i * tb->dense_degree + d]);
        const double b = i < tb->stages ? tb->b[i] : 0;
        worst_note(worst, fabs(rk_dense_weight(tb, i, 1) - b),
                   2 * tb->dense_degree * DBL_EPSILON * (size + fabs(b)),
                   "dense weight %d at the end is not b", i);
    }
}

static void note_dense_order(struct trial *trial, struct worst *worst)
{
    const int local = trial->tableau->dense_order + 1;
    struct ladder ladder = {0};
    double slope, h = 0.8;
    manufactured_problem(&trial->made, false, &trial->problem);
    for (; ladder.count < LADDER; h /= 2) {
        ladder_add(&ladder, h, dense_error(trial, h), 10 * DBL_EPSILON);
        if (!ladder_clean(&ladder, ladder.count - 1)) break;
    }
    if (!ladder_slope(&ladder, &slope)) slope = NAN;
    worst_note(worst, ladder_missing(local, slope), 0.5,
               "the dense output of one step is off by h^%.2f, declared order %d; order + 1 - slope", slope,
               local - 1);
}

static void check_dense(struct trial *trial)
{
    struct worst worst = {0};
    struct verify_result result = verify_open("tableau.dense", trial->module, "dense output");
    if (trial->tableau->dense_degree > 0) note_end_weights(&worst, trial->tableau);
    note_dense_order(trial, &worst);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_tableau_coefficient, 0.9);
    verify_close(trial->v, &result);
}

static void run(struct verify *v)
{
    if (v->tableau->family != SENS_FAMILY_EXPLICIT) {
        implicit_check_order(v);
        return;
    }
    struct trial *trial = verify_memory(v, 1, sizeof *trial);
    create(v, trial);
    check_consistent(trial);
    check_order(trial, false);
    if (v->tableau->e) check_order(trial, true);
    check_dense(trial);
}

static const struct verify_check checks[] = {
    {.id = "tableau.consistent",
     .summary = "c_i = sum_j a_ij, sum b = 1, sum e = 0, a is strictly lower, fsal is what a and b say, "
                "conditions of order",
     .bound = "rounding of the coefficients and of their sums: (s + 1) eps sum |a|",
     .explanation =
         "The sums that every consistent Runge-Kutta pair satisfies are formed from the stored numbers. A "
         "row of a that does not sum to its c_i is a mistyped a_ij or c_i: the method is then wrong on "
         "non-autonomous problems at least. Weights b that do not sum to 1 make every step too long or too "
         "short; weights e that do not sum to 0 make the controller see an error of size h where there is "
         "none. The flag fsal must be set exactly where the last row of a equals b, bit for bit, and c_s "
         "is 1, because the engine then takes the last stage for the new state and its slope for the next "
         "step's first. The conditions of order up to 5 are formed, of b and of b - e, by rooted trees: a "
         "digit that is too small for the order in h to show is seen. Look at the row named."},
    {.id = "tableau.order",
     .level = VERIFY_TO_TOLERANCE,
     .essential = true,
     .summary = "the error at fixed steps falls at least as h to the declared order, for b and for bhat",
     .bound = "declared order - slope at the fine end <= 1/2; steps halved down to rounding",
     .explanation =
         "Nonlinear, coupled, non-autonomous equations with a known solution are solved by plain loops with "
         "halved steps, with b and again with bhat = b - e. The slope is taken over the last two or three "
         "errors that stand clear of rounding. Too low a slope means that a condition of order is not "
         "satisfied, by one wrong digit perhaps: the error first falls as it should and then more slowly. "
         "Stages of implicit tableaux are solved for by Newton's method, with df/dx by hand. Where the same "
         "equations with t as one more unknown show the right order, a and b are right and c is not. Compare "
         "the coefficients with the publication named in the tableau's source."},
    {.id = "tableau.dense",
     .summary = "the dense output ends in b and has the declared order inside a step",
     .bound = "end: rounding of the coefficients; order: dense_order + 1 - slope of one step's error <= 1/2",
     .explanation =
         "The polynomial weights are summed at theta = 1, where they must be b, and the dense output of "
         "one step from the exact solution is compared with the solution at four places inside the step, "
         "for halved steps. A failure at the end is a coefficient that breaks continuity; a slope that is "
         "too low is a wrong coefficient of the interpolant or of its extra stages. Methods that read the "
         "state between steps (casa_dense) inherit the error. Of Rosenbrock pairs the conditions of order "
         "are formed at two places inside the step."},
    {.id = NULL}};

const struct verify_group verify_tableau = {
    .name = "tableau", .kind = VERIFY_TABLEAU, .checks = checks, .run = run};
