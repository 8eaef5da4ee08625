/* A problem whose callbacks let other threads go first. */
#include <sched.h>

#include "trial.h"

/* The inner problem, whose callbacks give way to other threads before they work: whatever threads share is
 * then seen half made, on one processor too. data stays the inner one's. */
struct yielding {
    struct sens_problem_type type; /* first: a problem's type points here */
    const struct sens_problem_type *inner;
};

static const struct sens_problem_type *inner_of(const struct sens_problem *pb)
{
    return ((const struct yielding *)(const void *)pb->type)->inner;
}

static sens_status yield_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    sched_yield();
    return inner_of(pb)->rhs(pb, at, dx);
}

static void yield_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    sched_yield();
    inner_of(pb)->vjp(pb, at, L, W, OUT);
}

static void yield_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    sched_yield();
    inner_of(pb)->jvp(pb, at, L, V, OUT);
}

struct sens_problem trial_yielding(struct verify *v, const struct sens_problem *inner)
{
    struct yielding *made = verify_memory(v, 1, sizeof *made);
    struct sens_problem problem = *inner;
    *made = (struct yielding){*inner->type, inner->type};
    made->type.rhs = yield_rhs;
    made->type.vjp = yield_vjp;
    made->type.jvp = yield_jvp;
    problem.type = &made->type;
    return problem;
}
