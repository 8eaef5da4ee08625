/* order.decay: within the tolerance by formulas of low order, whichever way the only state that moves
 * does, and within a tight one, which the steps that any run begins with do not reach. */
#include "convergence.h"
#include "diagonal.h"

/* x_1' = -p x_1 between two states that stay where they are: an error test, or a test of having settled, that
 * looks at one of the ends alone sees nothing, and one that has lost the sign of a change sees no fall. */
enum { N = 3, MOVES = 1, LOW_STEPS = 20000 };
static const double LOOSE = 1e-7, TIGHT = 1e-11, STAYS = 0.75, LENGTH = 2;

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    for (size_t i = 0; i < N; i++) dx[i] = 0;
    dx[MOVES] = -at->p[0] * at->x[MOVES];
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb;
    return i == MOVES ? (struct diagonal_slopes){-at->p[0], -at->x[i]} : (struct diagonal_slopes){0, 0};
}

static void create_bed(struct verify *v, double tol, double from, struct bed *bed)
{
    const double x0[N] = {STAYS, from, STAYS}, p = 1;
    const struct sens_problem pb = {.type = diagonal_type(v, "decay beside constants", rhs, slopes),
                                    .n = N,
                                    .np = 1,
                                    .t0 = 0,
                                    .t1 = LENGTH,
                                    .x0 = verify_copy(v, N, x0),
                                    .p = verify_copy(v, 1, &p)};
    struct sens_cost cost;
    const unsigned parts = probe_parts_for(v->method);
    probe_cost(v, &pb, 1, parts & PROBE_AT_T1 ? PROBE_AT_T1 : parts, &cost);
    bed_create(v, &pb, &cost, v->method, bed);
    bed->task.parts = SENS_IN_DGDP;
    bed_tolerance(bed, tol);
    bed->task.max_steps = LOW_STEPS;
    bed->out = bed_outputs(bed);
}

/* Every step adds twice its tolerance at most, and the equation lets none of it grow. */
static void note_state(const struct bed *bed, const char *tableau, double from, struct worst *worst)
{
    const long steps = bed->grid.steps > bed->work.steps ? bed->grid.steps : bed->work.steps;
    const double p = bed->problem.p[0];
    for (size_t i = 0; i < N && steps > 0; i++) {
        const double x0 = bed->problem.x0[i], right = i == MOVES ? x0 * exp(-p * LENGTH) : x0;
        worst_note_in(worst, SENS_IN_X, fabs(bed->out.x[i] - right),
                      2 * (double)steps * (bed->task.atol + bed->task.rtol * fabs(x0)),
                      "%s tol %g, x_1 from %g, %ld steps: x_%zu = %.12g is not %.12g", tableau,
                      bed->task.rtol, from, steps, i, bed->out.x[i], right);
    }
}

static void note_decay(struct verify *v, const char *tableau, double tol, double from, struct worst *worst)
{
    struct bed bed;
    create_bed(v, tol, from, &bed);
    if (bed_tableau(&bed, tableau) && bed_solve(&bed) == SENS_OK) note_state(&bed, tableau, from, worst);
    bed_free(&bed);
}

void convergence_decay(struct verify *v)
{
    static const char *const tableaux[] = {"heun", "midpoint", "bs32"};
    const unsigned both = SENS_CAP_TOLERANCE | SENS_CAP_TABLEAU;
    const size_t count = sizeof tableaux / sizeof *tableaux;
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("order.decay", v->module, "a decay beside constants");
    const bool takes = (v->method->caps & both) == both;
    for (size_t k = 0; k < count && takes; k++) {
        note_decay(v, tableaux[k], LOOSE, 1, &worst);
        note_decay(v, tableaux[k], LOOSE, -1, &worst);
    }
    const bool loose = worst_passes(&worst);
    if (takes) note_decay(v, "bs32", TIGHT, 1, &worst);
    if (!takes)
        verify_skip(&result, "the method does not take both a tolerance and a tableau");
    else
        verify_judge_or(&result, &worst, "it solves this by no formula of low order");
    verify_blame(&result, loose ? CAUSE_tolerance_floor : CAUSE_unseen_component, loose ? 0.97 : 0.95);
    verify_blame(&result, CAUSE_solver_not_derivative, loose ? 0.3 : 0.8);
    verify_blame(&result, CAUSE_controller_norm, 0.6);
    verify_close(v, &result);
}
