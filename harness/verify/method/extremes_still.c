/* extremes.still: a solution that rests has derivatives all the same.
 *
 *     x_i' = c_i x_i (p - x_i),   x_i(0) = p,   G = sum_j sum_i x_i(t_j):
 *     x_i = p,   dG/dx0_i = sum_j exp(-c_i p t_j),   dG/dp = sum_j sum_i (1 - exp(-c_i p t_j))
 *
 * f is exactly 0 from the beginning to the end; df/dx and df/dp are not. */
#include "diagonal.h"
#include "expected.h"
#include "extremes.h"

enum { N = 3, SEEN = 2, STEPS = 64 };
static const double RATE[N] = {1, 0.625, 1.375}, REST = 1.25, SEEN_AT[SEEN] = {0.75, 2};
static const double MOST = 0.1; /* of the derivative, by equal steps: what is lost is all of it */

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb;
    for (size_t i = 0; i < N; i++) dx[i] = RATE[i] * at->x[i] * (at->p[0] - at->x[i]);
    return SENS_OK;
}

static struct diagonal_slopes slopes(const struct sens_problem *pb, const struct sens_at *at, size_t i)
{
    (void)pb;
    return (struct diagonal_slopes){RATE[i] * (at->p[0] - 2 * at->x[i]), RATE[i] * at->x[i]};
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

static const struct sens_cost_type sum_type = {.name = "sum", .phi = phi, .phi_dx = phi_dx};

static void create(struct verify *v, struct bed *bed)
{
    const double x0[N] = {REST, REST, REST};
    const size_t seen = v->method->caps & SENS_CAP_OBSERVATIONS ? SEEN : 1;
    const struct sens_problem problem = {.type = diagonal_type(v, "rest", rhs, slopes),
                                         .n = N,
                                         .np = 1,
                                         .t0 = 0,
                                         .t1 = SEEN_AT[SEEN - 1],
                                         .x0 = verify_copy(v, N, x0),
                                         .p = verify_copy(v, 1, &REST),
                                         .x0_fixed = true};
    const struct sens_cost cost = {.type = &sum_type,
                                   .n = N,
                                   .np = 1,
                                   .m = 1,
                                   .n_obs = seen,
                                   .t_obs = verify_copy(v, seen, SEEN_AT + SEEN - seen)};
    bed_create(v, &problem, &cost, v->method, bed);
}

/* By the closed form: of steps that no error test has chosen. */
static void note_closed_form(const struct bed *bed, struct worst *worst)
{
    double by_p = 0;
    for (size_t i = 0; i < N; i++) {
        double by_x = 0;
        for (size_t j = 0; j < bed->cost.n_obs; j++) by_x += exp(-RATE[i] * REST * bed->cost.t_obs[j]);
        by_p += (double)bed->cost.n_obs - by_x;
        if (bed->out.dGdx0)
            worst_note_in(worst, SENS_IN_DGDX0, fabs(bed->out.dGdx0[i] - by_x), MOST * by_x,
                          "dG/dx0[%zu] is %.6g, right is %.6g", i, bed->out.dGdx0[i], by_x);
    }
    if (bed->out.dGdp)
        worst_note_in(worst, SENS_IN_DGDP, fabs(bed->out.dGdp[0] - by_p), MOST * by_p,
                      "dG/dp is %.6g, right is %.6g", bed->out.dGdp[0], by_p);
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

void extremes_check_still(struct verify *v)
{
    struct worst worst = {.count = 0};
    struct verify_result result =
        verify_open("extremes.still", v->module, "x_i' = c_i x_i (p - x_i) from x_i = p");
    struct bed bed;
    create(v, &bed);
    const bool equal = bed_fixed(&bed, "rk4", STEPS) || !(v->method->caps & SENS_CAP_TOLERANCE);
    if (bed_solve(&bed) != SENS_OK)
        verify_skip(&result, "%s: %s", sens_status_name(bed.status), bed.message);
    else if (!note_own_steps(&bed, &worst) && equal)
        note_closed_form(&bed, &worst);
    else if (worst.count == 0)
        verify_skip(&result, "steps that are chosen for a state at rest follow no derivative");
    if (worst.count) verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_rest_skipped, 0.98);
    verify_close(v, &result);
    bed_free(&bed);
}
