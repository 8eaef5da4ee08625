/* extremes.apart: a state that no parameter touches.
 *
 *     x_0' = -p x_0,   x_1' = v cos(v t) x_1,   G = x_0(t1) + x_1(t1):
 *     dG/dx0 = (exp(-p t1), exp(sin(v t1))),   dG/dp = -t1 x_0(0) exp(-p t1)
 *
 * dG/dp is smooth, and asks for few steps; dG/dx0 has to be right all the same. */
#include "diagonal.h"
#include "extremes.h"

enum { N = 2 };
static const double RATE = 0.75, SWING = 20, TOLERANCE = 1e-9, FIRST[N] = {1.25, 0.5};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    dx[1] = SWING * cos(SWING * at->t) * at->x[1];
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb;
    return i == 0 ? (struct diagonal_slopes){-at->p[0], -at->x[0]}
                  : (struct diagonal_slopes){SWING * cos(SWING * at->t), 0};
}

static void create(struct verify *v, struct bed *bed)
{
    const struct extremes_task task = {.type = diagonal_type(v, "apart", rhs, slopes),
                                       .n = N,
                                       .x0 = FIRST,
                                       .p = RATE,
                                       .count = 1,
                                       .times = &EXTREMES_LENGTH};
    extremes_bed(v, &task, bed);
    bed_tolerance(bed, TOLERANCE);
}

static void note(const struct bed *bed, struct worst *worst)
{
    const double by_x[N] = {exp(-RATE * EXTREMES_LENGTH), exp(sin(SWING * EXTREMES_LENGTH))};
    const double bound = EXTREMES_NORMS * (double)(bed->work.steps + bed->work.steps_reverse) * TOLERANCE;
    for (size_t i = 0; bed->out.dGdx0 && i < N; i++)
        worst_note_in(worst, SENS_IN_DGDX0, fabs(bed->out.dGdx0[i] - by_x[i]), bound * (1 + by_x[i]),
                      "dG/dx0[%zu] is %.10g, right is %.10g, at tolerance %g", i, bed->out.dGdx0[i], by_x[i],
                      TOLERANCE);
}

void extremes_check_apart(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct verify_result result =
        verify_open("extremes.apart", v->module, "x_0' = -p x_0, x_1' = v cos(v t) x_1, v = 20");
    struct bed bed;
    create(v, &bed);
    if (!(v->method->caps & SENS_CAP_TOLERANCE) || v->method->derivative != SENS_DERIVATIVE_CONTINUOUS)
        verify_skip(&result, "the derivative is not one of the exact solution, to a tolerance");
    else if (bed_solve(&bed) != SENS_OK)
        verify_skip(&result, "%s: %s", sens_status_name(bed.status), bed.message);
    else
        note(&bed, &worst);
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_one_part_only, 0.95);
    verify_blame(&result, CAUSE_outside_test, 0.9);
    verify_close(v, &result);
    bed_free(&bed);
}
