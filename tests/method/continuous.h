/* tests/method/continuous.h - what the tests of the continuous methods (cfsa*, casa_*) share. */
#ifndef CONTINUOUS_H
#define CONTINUOUS_H

#include "support.h"

/* The cost again with one option changed, and outputs of its size. */
static inline void set_cost(struct method_bed *bed, const char *option, double value)
{
    const struct sens_cost_type *type = bed->cost.type;
    const int index = sens_option_find(type->options, option);
    if (index < 0) return; /* a cost without this option has nothing to change */
    bed->cost_value[index].number = value;
    assert_int_equal(sens_cost_create(&bed->ctx, type, bed->cost_value, &bed->problem, &bed->cost), SENS_OK);
    const size_t m = bed->cost.m;
    bed->out.G = SENS_NEW(&bed->ctx, sens_real, m);
    bed->out.dGdp = SENS_NEW(&bed->ctx, sens_real, m * bed->problem.np);
    if (bed->out.dGdx0) bed->out.dGdx0 = SENS_NEW(&bed->ctx, sens_real, m * bed->problem.n);
}

static inline void set_accuracy(struct method_bed *bed, const char *tableau, double tol)
{
    bed->task.tableau = named(bed->registry->tableaux, tableau);
    bed->task.rtol = bed->task.atol = tol;
}

/* The closed form of bed_gradient for cost `identity`; NULL where the problem has none. To be freed. */
static inline sens_real *closed_form(const struct method_bed *bed)
{
    const struct sens_problem *pb = &bed->problem;
    const struct sens_exact_query query = {.level = SENS_EXACT_ODE, .t = pb->t1};
    if (!pb->type->exact || pb->type->many_states) return NULL;
    sens_real *x = malloc(pb->n * sizeof *x), *S = malloc(pb->n * (pb->np + pb->n) * sizeof *S);
    assert_true(x && S);
    const bool known = pb->type->exact(pb, &query, pb->p, x, S, S + pb->n * pb->np);
    free(x);
    if (known) return S;
    free(S);
    return NULL;
}

/* Error against the closed form, or against truth where given; negative where there is neither. */
static inline double error_of(const char *problem, const char *method, const char *tableau, double tol,
                              const sens_real *truth)
{
    struct method_bed bed;
    bed_create(&bed, problem, "identity", NULL);
    sens_real *exact = truth ? NULL : closed_form(&bed);
    double error = -1;
    if (truth || exact) {
        size_t count;
        set_accuracy(&bed, tableau, tol);
        assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
        sens_real *gradient = bed_gradient(&bed, &count);
        error = relative_error(count, gradient, truth ? truth : exact);
        free(gradient);
    }
    free(exact);
    bed_free(&bed);
    return error;
}

/* The error falls with the tolerance as tol^1: over six decades, the exponent is within [least, most]. */
static inline void check_slope(const char *problem, const char *method, const char *tableau,
                               const sens_real *truth, double least, double most)
{
    const double loose = error_of(problem, method, tableau, 1e-5, truth);
    if (loose < 0) return;
    const double tight = error_of(problem, method, tableau, 1e-11, truth);
    const double slope = log10(loose / tight) / 6;
    if (!(slope >= least && slope <= most))
        fail_msg("%s, %s, %s: errors %g at 1e-5 and %g at 1e-11, slope %g", problem, method, tableau, loose,
                 tight, slope);
}

/* Van der Pol, eps form, fixed initial state: dx/deps, dv/deps, then the rows dx/d(x0, v0) and dv/d(x0, v0);
 * computed in quadruple precision by extrapolation of the variational equations. */
static const sens_real vdp_truth[] = {0.211577765778018940155926, 1.28208465605032422473625,
                                      1.54365449207350602520,     5.14608699421304614043e-4,
                                      2.27007027614795311428,     7.56774212365543066663e-4};

/* Two gradients of one task by different methods, the second at 1e-12 by a pair of order eight. */
static inline double distance_to(const char *reference, struct method_bed *bed, const sens_real *gradient,
                                 size_t count)
{
    size_t same;
    set_accuracy(bed, "dop853", 1e-12);
    assert_int_equal(bed_run(bed, reference, NULL), SENS_OK);
    sens_real *other = bed_gradient(bed, &same);
    assert_int_equal(same, count);
    const double error = relative_error(count, gradient, other);
    free(other);
    return error;
}

/* Every problem and cost, with and without explicit dependence on the parameters. arenstorf, which amplifies
 * errors by 1e4 and more, says nothing at the bounds of the others. */
static inline void check_against(const char *method, const char *reference, double bound)
{
    const struct sens_registry *reg = sens_registry_baseline();
    for (size_t i = 0; reg->problems[i]; i++)
        for (size_t j = 0; reg->costs[j] && !reg->problems[i]->many_states; j++)
            for (int rho = 0; rho < 2; rho++) {
                struct method_bed bed;
                size_t count;
                const char *problem = reg->problems[i]->name;
                if (strcmp(problem, "arenstorf") == 0) continue;
                bed_create(&bed, problem, reg->costs[j]->name, NULL);
                set_cost(&bed, "rho", rho);
                set_cost(&bed, "discount", 0.5); /* the integrand depends on t: stage times matter */
                set_accuracy(&bed, "dop853", 1e-12);
                assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
                sens_real *gradient = bed_gradient(&bed, &count);
                const double error = distance_to(reference, &bed, gradient, count);
                if (!(error <= bound))
                    fail_msg("%s, %s, rho %d: %s differs from %s by %g", problem, reg->costs[j]->name, rho,
                             method, reference, error);
                free(gradient);
                bed_free(&bed);
            }
}

/* Eleven outputs and 143 directions, or three of a quadratic cost: no multiple of most lane counts. */
static inline void check_lanes(const char *method, const char *cost, double m)
{
    const int lanes[] = {1, 2, 3, 5, 8, 11, 16, 64};
    sens_real *first = NULL;
    for (size_t q = 0; q < sizeof lanes / sizeof lanes[0]; q++) {
        struct method_bed bed;
        size_t count;
        bed_create(&bed, "glv", cost, "n", 11.0, NULL);
        set_cost(&bed, "m", m);
        bed.task.lanes = lanes[q];
        assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
        assert_int_equal(bed.work.lanes, lanes[q]);
        sens_real *gradient = bed_gradient(&bed, &count);
        if (!first) first = malloc(count * sizeof *first), memcpy(first, gradient, count * sizeof *first);
        /* The steps respond to rounding in the last bits of h alone: a few ulp of the gradient. */
        const double error = relative_error(count, gradient, first);
        if (!(error <= 1e-12))
            fail_msg("%s, %s: %d lanes differ from 1 by %g", method, cost, lanes[q], error);
        free(gradient);
        bed_free(&bed);
    }
    free(first);
}

/* A second run of one state has the same bits, counts the same steps and allocates nothing. */
static inline void check_repeatable(const char *method, const char *cost)
{
    struct method_bed bed;
    size_t count;
    bed_create(&bed, "initial", cost, NULL);
    bed.method = named(bed.registry->methods, method);
    sens_option_defaults(bed.method->options, bed.method_value);
    void *state = NULL;
    sens_real *gradient[2];
    long steps[2];
    assert_int_equal(bed.method->prepare(&bed.ctx, &bed.task, &state), SENS_OK);
    const size_t allocations = bed.ctx.arena.allocations;
    for (int run = 0; run < 2; run++) {
        memset(bed.out.dGdp, 0xff, bed.cost.m * bed.problem.np * sizeof *bed.out.dGdp);
        memset(bed.out.dGdx0, 0xff, bed.cost.m * bed.problem.n * sizeof *bed.out.dGdx0);
        assert_int_equal(bed.method->run(&bed.ctx, state, &bed.out, &bed.work), SENS_OK);
        gradient[run] = bed_gradient(&bed, &count);
        steps[run] = bed.work.steps + bed.work.rejects + bed.work.steps_reverse + bed.work.rejects_reverse;
    }
    assert_int_equal(steps[0], steps[1]);
    assert_int_equal(bed.ctx.arena.allocations, allocations);
    assert_memory_equal(gradient[0], gradient[1], count * sizeof *gradient[0]);
    if (bed.method->release) bed.method->release(state);
    free(gradient[0]);
    free(gradient[1]);
    bed_free(&bed);
}

/* Only parameters, or only initial states: the part asked for, equal to its share of the whole. */
static inline void check_parts(const char *method)
{
    for (enum sens_part part = SENS_PART_DGDP; part <= SENS_PART_DGDX0; part++) {
        struct method_bed bed;
        bed_create(&bed, "initial", "tracking", NULL);
        assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
        const size_t count = bed_count(&bed, part);
        sens_real *const whole = bed.out.part[part], *const alone = SENS_NEW(&bed.ctx, sens_real, count);
        bed.out.dGdp = bed.out.dGdx0 = NULL; /* writing there would crash */
        bed.out.part[part] = alone;
        bed.task.parts = 1u << part;
        assert_int_equal(bed_run(&bed, method, NULL), SENS_OK);
        /* Other components in the error test, other steps: both right to a multiple of tol = 1e-8. */
        assert_true(relative_error(count, alone, whole) < 1e-6);
        bed_free(&bed);
    }
}

/* ---- failures ------------------------------------------------------------------------------------------ */

static inline void fill(struct method_bed *bed, unsigned char byte)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (bed->out.part[k]) memset(bed->out.part[k], byte, bed_count(bed, k) * sizeof *bed->out.part[k]);
}

static inline bool filled(size_t count, const sens_real *v, unsigned char byte)
{
    const unsigned char *bytes = (const unsigned char *)v;
    for (size_t q = 0; q < count * sizeof *v; q++)
        if (bytes[q] != byte) return false;
    return true;
}

/* The method ends with this status, a message where the solver has one, and untouched outputs. */
static inline void check_failure(struct method_bed *bed, const char *method, sens_status expected)
{
    fill(bed, 0x5a);
    const sens_status status = bed_run(bed, method, NULL);
    if (status != expected)
        fail_msg("%s: %s instead of %s", method, sens_status_name(status), sens_status_name(expected));
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        assert_true(!bed->out.part[k] || filled(bed_count(bed, k), bed->out.part[k], 0x5a));
}

/* Right-hand sides that stop working at t = 1/2. */
static inline sens_status leaves_domain(const struct sens_problem *pb, const struct sens_at *at,
                                        sens_real *dx)
{
    dx[0] = at->x[0] * (sens_real)pb->n;
    return at->t > 0.5 ? SENS_OUT_OF_DOMAIN : SENS_OK;
}

static inline sens_status breaks(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    dx[0] = at->x[0] * (sens_real)pb->n;
    return at->t > 0.5 ? SENS_RHS_FAILED : SENS_OK;
}

static inline sens_status becomes_nan(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    dx[0] = at->t > 0.5 ? (sens_real)NAN : at->x[0] * (sens_real)pb->n;
    return SENS_OK;
}

/* A gradient that is not finite is no result, even where every step was: the observation at t0 spoils it. */
static inline void infinite_at_start(const struct sens_cost *cost, size_t j, const sens_real *x,
                                     const sens_real *p, size_t c0, size_t L, sens_real *OUT)
{
    (void)cost, (void)x, (void)p, (void)c0;
    for (size_t l = 0; l < L && j == 0; l++) OUT[l] = (sens_real)INFINITY;
}

static inline void check_infinite_gradient(const char *method)
{
    struct method_bed bed;
    bed_create(&bed, "logistic", "tracking", NULL);
    struct sens_cost_type infinite = *bed.cost.type;
    infinite.phi_dx = infinite_at_start;
    bed.cost.type = &infinite;
    check_failure(&bed, method, SENS_DIVERGED);
    bed_free(&bed);
}

static inline void check_failures(const char *method)
{
    const struct {
        sens_status (*rhs)(const struct sens_problem *, const struct sens_at *, sens_real *);
        sens_status expected;
    } way[] = {{leaves_domain, SENS_DIVERGED}, {breaks, SENS_RHS_FAILED}, {becomes_nan, SENS_DIVERGED}};
    for (size_t q = 0; q < sizeof way / sizeof way[0]; q++) {
        struct method_bed bed;
        bed_create(&bed, "logistic", "identity", NULL);
        struct sens_problem_type broken = *bed.problem.type;
        broken.rhs = way[q].rhs;
        bed.problem.type = &broken;
        check_failure(&bed, method, way[q].expected);
        bed_free(&bed);
    }
    struct method_bed bed;
    bed_create(&bed, "logistic", "identity", NULL);
    bed.task.max_steps = 3;
    check_failure(&bed, method, SENS_STEP_LIMIT);
    bed_free(&bed);
    check_infinite_gradient(method);
}

#endif
