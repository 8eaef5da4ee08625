/* extremes.still: a solution that rests has derivatives all the same.
 *
 *     x_i' = c_i / s x_i (p - x_i),   x_i(0) = p (1 + d),   p = 1.25 s,   G = sum_j sum_i x_i(t_j):
 *     with d = 0:   x_i = p,   dG/dx0_i = sum_j e_ij,   dG/dp = sum_j sum_i (1 - e_ij),   e_ij = exp(-c_i 1.25 t_j)
 *
 * f is exactly 0 from the beginning to the end; df/dx and df/dp are not. A map is as smooth as its formula, so that its
 * derivative at d = 0 is the mean of those at -d and d, but for some d^2. */
#include "diagonal.h"
#include "expected.h"
#include "extremes.h"

enum { N = 3, SEEN = 3, STEPS = 64, FEW = 12 /* steps: Euler's are off by a tenth */ };
static const double RATE[N] = {1, 0.625, 1.375}, REST = 1.25, SEEN_AT[SEEN] = {0.5, 1.25, 2};
static const double MOST = 0.5; /* of what a derivative is off by where all of it is lost, by equal steps */
static const double BESIDE[] = {
    0x1p-12, 0x1p-6};            /* d: what is taken for rest at one of them may not be at the other */
static const double CURVED = 64; /* times d^2; formulas of order 1 to 4 with 1 to 64 steps differ by 6 d^2 */
/* c where a tolerance has chosen the steps: one column moves alone, the first or the last, so that a test which leaves
 * it out does not follow it. */
static const double FIRST[N] = {4, 0.25, 0.25}, LAST[N] = {0.25, 0.25, 4};
/* s where a tolerance has chosen the steps: derivatives are of size 1, and one that is measured by the size of the
 * state is measured by nothing. */
static const double LARGE = 0x1p20, TOLERANCE = 1e-9;

struct rest {
    double scale;
    const double *rate; /* [N] */
};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const struct rest *const rest = pb->data;
    for (size_t i = 0; i < N; i++) dx[i] = rest->rate[i] / rest->scale * at->x[i] * (at->p[0] - at->x[i]);
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    const struct rest *const rest = pb->data;
    const double rate = rest->rate[i] / rest->scale;
    return (struct diagonal_slopes){rate * (at->p[0] - 2 * at->x[i]), rate * at->x[i]};
}

static void create(struct verify *v, const double *rate, double scale, double beside, struct bed *bed)
{
    struct rest *const data = verify_memory(v, 1, sizeof *data);
    *data = (struct rest){scale, rate};
    const double p = scale * REST, start = p * (1 + beside), x0[N] = {start, start, start};
    const struct extremes_task task = {.type = diagonal_type(v, "rest", rhs, slopes),
                                       .data = data,
                                       .n = N,
                                       .x0 = x0,
                                       .p = p,
                                       .count = SEEN,
                                       .times = SEEN_AT};
    extremes_bed(v, &task, bed);
}

/* dG/dx0 [N] and dG/dp of the exact solution that rests. */
static double exact(const struct bed *bed, double by_x[N])
{
    const struct rest *const rest = bed->problem.data;
    double by_p = 0;
    for (size_t i = 0; i < N; i++) {
        by_x[i] = 0;
        for (size_t j = 0; j < bed->cost.n_obs; j++)
            by_x[i] += exp(-rest->rate[i] * REST * bed->cost.t_obs[j]);
        by_p += (double)bed->cost.n_obs - by_x[i];
    }
    return by_p;
}

/* Each derivative, the exact one, and what it may be off by. */
static void note_each(const struct bed *bed, const double by_x[N], double by_p, const double off_x[N],
                      double off_p, const char *words, struct worst *worst)
{
    for (size_t i = 0; bed->out.dGdx0 && i < N; i++)
        worst_note_in(worst, SENS_IN_DGDX0, fabs(bed->out.dGdx0[i] - by_x[i]), off_x[i],
                      "dG/dx0[%zu] is %.8g, right is %.8g%s", i, bed->out.dGdx0[i], by_x[i], words);
    if (bed->out.dGdp)
        worst_note_in(worst, SENS_IN_DGDP, fabs(bed->out.dGdp[0] - by_p), off_p,
                      "dG/dp is %.8g, right is %.8g%s", bed->out.dGdp[0], by_p, words);
}

/* ---- by equal steps ------------------------------------------------------------------------------------- */

static bool take_equal(struct bed *bed)
{
    return bed_fixed(bed, "rk4", STEPS) || !(bed->method->caps & SENS_CAP_TOLERANCE);
}

/* What dG/dx0_i is off by if dx_i/dx0_i stays what it is at observation k (k = 0: at the start) from there on. */
static double lost_behind(const struct bed *bed, double decay, size_t k)
{
    const double *const t = bed->cost.t_obs, start = k > 0 ? exp(-decay * t[k - 1]) : 1;
    double lost = 0;
    for (size_t j = k; j < bed->cost.n_obs; j++) lost += start - exp(-decay * t[j]);
    return lost;
}

/* By the closed form: of steps that no error test has chosen. Derivatives may be lost from the beginning or from an
 * observation on; how late a loss is told from the error of a formula of order 1 goes by the number of steps. Those of
 * a method's own need not be equal: they count half. */
static void note_closed_form(const struct bed *bed, struct worst *worst)
{
    double by_x[N], off[N], off_p = 0;
    const double by_p = exact(bed, by_x);
    const struct rest *const rest = bed->problem.data;
    const size_t seen = bed->cost.n_obs;
    const long steps = bed_is_fixed(bed) ? bed->work.steps : bed->work.steps / 2;
    const size_t latest = steps < FEW ? 1 : steps < STEPS ? 2 : seen;
    for (size_t i = 0; i < N; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < seen && k < latest; k++)
            least = fmin(least, lost_behind(bed, rest->rate[i] * REST, k));
        off[i] = MOST * least;
        off_p += off[i];
    }
    note_each(bed, by_x, by_p, off, off_p, "", worst);
}

/* What is right at rest by what the method has on both sides of it: a map is as smooth as its formula. */
static void note_beside(const struct bed *bed, double d, struct worst *worst)
{
    double by_x[N] = {0}, off[N], by_p = 0;
    bool made = true;
    for (int side = -1; side <= 1 && made; side += 2) {
        struct bed beside;
        create(bed->v, RATE, 1, side * d, &beside);
        made = take_equal(&beside) && bed_solve(&beside) == SENS_OK && beside.work.steps == bed->work.steps;
        for (size_t i = 0; made && beside.out.dGdx0 && i < N; i++) by_x[i] += beside.out.dGdx0[i] / 2;
        if (made && beside.out.dGdp) by_p += beside.out.dGdp[0] / 2;
        bed_free(&beside);
    }
    const double most = CURVED * d * d;
    for (size_t i = 0; i < N; i++) off[i] = most;
    if (made) note_each(bed, by_x, by_p, off, N * most, " by the mean of both sides", worst);
}

/* On the steps that were taken, where these can be made again; false: they are not known. */
static bool note_own_steps(const struct bed *bed, struct worst *worst)
{
    struct expected expected;
    if (bed->method->derivative != SENS_DERIVATIVE_DISCRETE || !expected_rebuilds(bed) ||
        expected_declared(bed, &expected) != SENS_OK)
        return false;
    expected_compare(worst, bed, &bed->out, &expected);
    return true;
}

static void check_equal(struct verify *v, struct worst *worst, struct verify_result *result)
{
    struct bed bed;
    create(v, RATE, 1, 0, &bed);
    const bool equal = take_equal(&bed);
    if (bed_solve(&bed) != SENS_OK) {
        verify_skip(result, "%s: %s", sens_status_name(bed.status), bed.message);
    } else if (!note_own_steps(&bed, worst) && equal) {
        note_closed_form(&bed, worst);
        const bool differs = v->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
        for (size_t k = 0; !differs && k < sizeof BESIDE / sizeof *BESIDE; k++)
            note_beside(&bed, BESIDE[k], worst);
    } else if (worst->count == 0) {
        verify_skip(result, "steps that are chosen for a state at rest follow no derivative");
    }
    bed_free(&bed);
}

/* ---- by a tolerance ------------------------------------------------------------------------------------- */

/* The sensitivities of a continuous method, or its adjoint, are in the error test, each by its own size. */
static void check_tolerance(struct verify *v, const double *rate, struct worst *worst,
                            struct verify_result *result)
{
    struct bed bed;
    double by_x[N], off[N];
    create(v, rate, LARGE, 0, &bed);
    bed.task.rtol = bed.task.atol = TOLERANCE;
    extremes_test_all(&bed);
    if (bed_solve(&bed) != SENS_OK) {
        verify_skip(result, "%s: %s", sens_status_name(bed.status), bed.message);
    } else {
        const double each = EXTREMES_NORMS * (double)(bed.work.steps + bed.work.steps_reverse) * TOLERANCE,
                     by_p = exact(&bed, by_x);
        for (size_t i = 0; i < N; i++) off[i] = each * (1 + by_x[i]);
        note_each(&bed, by_x, by_p, off, each * (1 + by_p), ", at tolerance 1e-9 and x = 1.25 2^20", worst);
    }
    bed_free(&bed);
}

void extremes_check_still(struct verify *v)
{
    struct worst worst = {.count = 0}, by_tolerance = {.count = 0};
    struct verify_result result =
        verify_open("extremes.still", v->module, "x_i' = c_i / s x_i (p - x_i) from x_i = p");
    check_equal(v, &worst, &result);
    if (v->method->caps & SENS_CAP_TOLERANCE && v->method->derivative == SENS_DERIVATIVE_CONTINUOUS) {
        check_tolerance(v, FIRST, &by_tolerance, &result);
        check_tolerance(v, LAST, &by_tolerance, &result);
    }
    if (!worst_passes(&by_tolerance) || worst.count == 0) worst = by_tolerance;
    if (worst.count) {
        result.verdict = VERIFY_PASS; /* one of the two is enough */
        verify_judge(&result, &worst);
    }
    if (!worst_passes(&by_tolerance)) verify_blame(&result, CAUSE_outside_test, 0.98);
    if (worst_passes(&by_tolerance)) verify_blame(&result, CAUSE_rest_skipped, 0.98);
    verify_close(v, &result);
}
