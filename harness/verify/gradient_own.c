/* gradient.own: a discrete method whose tableau or steps the harness does not know, against its own values,
 *
 *     d/ds G(p + s dp, x0 + s dx) at s = 0  =  (dG/dp) dp + (dG/dx0) dx,
 *
 * by central differences of whole solves. Steps that take no notice of a tolerance are the same for every s,
 * so that G is a smooth function of s. */
#include <string.h>

#include "gradient_case.h"
#include "jacobian.h"

struct own {
    struct bed *bed;
    const double *p, *x0, *dp, *dx; /* dx NULL: the initial state follows from the parameters */
    double *moved_p, *moved_x0;
};

/* v + s d, and a few roundings off if asked for. */
static void move(struct verify *v, size_t count, const double *from, const double *d, double s, bool shaken,
                 double *to)
{
    for (size_t i = 0; i < count; i++) {
        const double exact = from[i] + (d ? s * d[i] : 0);
        to[i] = shaken ? exact * (1 + 4 * DBL_EPSILON * verify_uniform(v, -1, 1)) : exact;
    }
}

/* For curve.value: G. */
static bool value(const void *self, double s, bool shaken, double *out)
{
    const struct own *own = self;
    struct bed *bed = own->bed;
    move(bed->v, bed->problem.np, own->p, own->dp, s, shaken, own->moved_p);
    move(bed->v, bed->problem.n, own->x0, own->dx, s, shaken, own->moved_x0);
    if (sens_problem_x0_depends(&bed->problem)) sens_problem_x0(&bed->problem, own->moved_p, own->moved_x0);
    bed->problem.p = own->moved_p;
    bed->problem.x0 = own->moved_x0;
    const bool solved = bed_solve(bed) == SENS_OK;
    memcpy(out, bed->out.G, bed->cost.m * sizeof *out);
    bed->problem.p = own->p;
    bed->problem.x0 = own->x0;
    return solved;
}

static double *direction(struct verify *v, size_t count, const double *at)
{
    double *d = verify_perturbed(v, count, at, 0.1);
    for (size_t i = 0; i < count; i++) d[i] -= at[i];
    return d;
}

/* The method's derivative of output c along the direction, and the size of its terms. */
static double along(const struct own *own, const struct sens_out *got, size_t c, double *size)
{
    const size_t np = own->bed->problem.np, n = own->bed->problem.n;
    double sum = 0;
    *size = 0;
    for (size_t k = 0; got->dGdp && k < np; k++) {
        const double term = got->dGdp[c * np + k] * own->dp[k];
        sum += term, *size += fabs(term);
    }
    for (size_t i = 0; got->dGdx0 && own->dx && i < n; i++) {
        const double term = got->dGdx0[c * n + i] * own->dx[i];
        sum += term, *size += fabs(term);
    }
    return sum;
}

static void note_outputs(struct own *own, const struct sens_out *got, struct worst *worst)
{
    struct verify *v = own->bed->v;
    const size_t m = own->bed->cost.m;
    const struct curve curve = {.v = v, .n = m, .value = value, .self = own};
    double *slope = verify_array(v, m), *bound = verify_array(v, m), size;
    curve_slope(&curve, 1, slope, bound);
    for (size_t c = 0; c < m; c++) {
        const double d = along(own, got, c, &size);
        if (isfinite(bound[c]))
            worst_note(worst, fabs(d - slope[c]), bound[c] + 64 * DBL_EPSILON * size,
                       "dG_%zu along a direction: %.10g is not %.10g", c, d, slope[c]);
    }
}

/* Is there nothing else that the gradient could be held against? */
static bool applies(const struct scene *scene)
{
    const struct sens_method_type *method = scene->bed.method;
    return method->derivative == SENS_DERIVATIVE_DISCRETE && !(method->caps & SENS_CAP_TOLERANCE) &&
           !scene_rebuilds(scene);
}

void gradient_check_own(struct gradient_case *given)
{
    struct bed *bed = &given->scene.bed;
    struct verify *v = bed->v;
    struct verify_result result = verify_open("gradient.own", given->scene.module, given->scene.subject);
    struct worst worst = {0};
    if (applies(&given->scene)) {
        const struct sens_problem *pb = &bed->problem;
        const struct sens_out got = bed_keep(bed);
        struct own own = {.bed = bed, .p = pb->p, .x0 = pb->x0, .dp = direction(v, pb->np, pb->p)};
        if (!sens_problem_x0_depends(pb)) own.dx = direction(v, pb->n, pb->x0);
        own.moved_p = verify_array(v, pb->np);
        own.moved_x0 = verify_array(v, pb->n);
        note_outputs(&own, &got, &worst);
        verify_judge(&result, &worst);
        verify_blame(&result, CAUSE_derivative_not_solver, 0.6);
        if (sens_problem_x0_depends(pb)) verify_blame(&result, CAUSE_missing_initial_term, 0.3);
        verify_blame(&result, CAUSE_missing_parameter_term, 0.2);
    } else {
        verify_skip(&result, "the map can be made again, or has a tolerance to be held against");
    }
    verify_close(v, &result);
}
