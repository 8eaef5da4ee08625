/* A problem whose callbacks let other threads go first. */
#include <sched.h>

#include "sens/decorate.h"
#include "trial.h"

/* The inner problem, whose callbacks give way to other threads before they work: whatever threads share is
 * then seen half made, on one processor too. */
static sens_status yield_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    sched_yield();
    return pb->inner->type->rhs(pb->inner, at, dx);
}

static void yield_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *W,
                      double *OUT)
{
    sched_yield();
    pb->inner->type->vjp(pb->inner, at, L, W, OUT);
}

static void yield_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                      double *OUT)
{
    sched_yield();
    pb->inner->type->jvp(pb->inner, at, L, V, OUT);
}

struct sens_problem trial_yielding(struct verify *v, const struct sens_problem *inner)
{
    static const struct sens_problem_decoration with = {
        .type = {.rhs = yield_rhs, .vjp = yield_vjp, .jvp = yield_jvp}};
    struct sens_problem problem;
    sens_problem_decorate(inner, &with, NULL, verify_memory(v, 1, sizeof(struct sens_decorated_problem)),
                          &problem);
    return problem;
}
