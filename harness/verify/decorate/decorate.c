/* Problems and costs around an inner one: every call is handed on, with one thing changed. */
#include <string.h>

#include "decorate.h"

/* ---- what every decorated problem has in common -------------------------------------------------------- */

void decorate_wrap(struct verify *v, const struct sens_problem *inner,
                   const struct sens_problem_decoration *with, const void *data, struct sens_problem *problem)
{
    sens_problem_decorate(inner, with, data, verify_memory(v, 1, sizeof(struct sens_decorated_problem)),
                          problem);
    problem->structure = NULL; /* what is declared is of the inner problem */
}

/* ---- fault injection ----------------------------------------------------------------------------------- */

struct planned { /* the decoration's own data, which is const: what it counts is the caller's */
    struct injection *injection;
};

static struct injection *plan_of(const struct sens_problem *pb)
{
    return ((const struct planned *)pb->data)->injection;
}

/* Counts a call; does the fault fall on it? */
static bool falls(struct injection *plan, enum inject_where where, size_t vectors)
{
    const unsigned long call = ++plan->calls[where];
    plan->vectors[where] += vectors;
    return plan->at && plan->where == where && (call == plan->at || (plan->stays && call > plan->at));
}

static double spoilt(const struct injection *plan)
{
    return plan->how == INJECT_INFINITY ? (double)INFINITY : (double)NAN;
}

/* Is it the point of the plan? */
static bool is_point(const struct injection *plan, const struct sens_problem *pb, const struct sens_at *at)
{
    bool same = plan->point[0] == at->t;
    for (size_t i = 0; i < pb->n; i++) same = same && plan->point[1 + i] == at->x[i];
    return same;
}

static sens_status inject_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    struct injection *const plan = plan_of(pb);
    const bool call = falls(plan, INJECT_RHS, 1),
               now = plan->point ? is_point(plan, pb, at) : call && !plan->found;
    if (call && plan->found) {
        plan->found[0] = at->t;
        memcpy(plan->found + 1, at->x, pb->n * sizeof *at->x);
    }
    if (now && plan->how == INJECT_RECOVERABLE) return SENS_OUT_OF_DOMAIN;
    if (now && plan->how == INJECT_FATAL) return SENS_RHS_FAILED;
    const sens_status status = pb->inner->type->rhs(pb->inner, at, dx);
    if (now) dx[0] = spoilt(plan);
    return status;
}

static void inject_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                       double *OUT)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_VJP, L);
    pb->inner->type->vjp(pb->inner, at, L, W, OUT);
    if (now && L) OUT[0] = spoilt(plan);
}

static void inject_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                       double *OUT)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_JVP, L);
    pb->inner->type->jvp(pb->inner, at, L, V, OUT);
    if (now && L) OUT[0] = spoilt(plan);
}

static void inject_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                              double *OUT)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_JVP_P, L);
    pb->inner->type->jvp_p_cols(pb->inner, at, k0, L, OUT);
    if (now && L) OUT[0] = spoilt(plan);
}

static void inject_vjp_p_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                               const double *p, size_t L, const double *W, double *MU)
{
    struct injection *const plan = plan_of(pb);
    const bool now = falls(plan, INJECT_VJP_P, K * L);
    pb->inner->type->vjp_p_batch(pb->inner, K, t, X, p, L, W, MU);
    if (now && L && pb->np) MU[0] = spoilt(plan);
}

void decorate_inject(struct verify *v, const struct sens_problem *inner, struct injection *injection,
                     struct sens_problem *problem)
{
    static const struct sens_problem_decoration with = {.type = {.rhs = inject_rhs,
                                                                 .vjp = inject_vjp,
                                                                 .jvp = inject_jvp,
                                                                 .jvp_p_cols = inject_jvp_p_cols,
                                                                 .vjp_p_batch = inject_vjp_p_batch}};
    struct planned *plan = verify_memory(v, 1, sizeof *plan);
    plan->injection = injection;
    decorate_wrap(v, inner, &with, plan, problem);
}
