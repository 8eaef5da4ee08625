/* sens/method.h - a task, and the methods that solve it.
 *
 * prepare takes all memory from the arena (it may solve the problem once to learn how many steps it takes);
 * run computes the parts of the result that the task asks for (sens/result.h), is repeatable bit for bit, and
 * allocates nothing. */
#ifndef SENS_METHOD_H
#define SENS_METHOD_H

#include "sens/controller.h"
#include "sens/cost.h"
#include "sens/problem.h"
#include "sens/result.h"
#include "sens/tableau.h"

/* Told, in order, of every accepted step of the solve that carries the state forward: from t with h to t1,
 * which is where the next step starts (t + h, or the stop that the step was cut to reach). */
struct sens_listener {
    void (*step)(void *self, sens_real t, sens_real h, sens_real t1); /* NULL: nobody listens */
    void *self;
    /* Told before each step of a tableau that switches: the one of its parts that takes it. May be NULL. */
    void (*part)(void *self, const struct sens_tableau *part);
};

/* A way to keep the stages of a solve; those on offer are in the registry. */
struct sens_ckpt_policy {
    const char *name, *summary;
    bool numbered; /* takes a number, > 0 */
    bool stages;   /* keeps the stages as they are: nothing is computed again */
};

struct sens_ckpt {
    const struct sens_ckpt_policy *policy; /* NULL: all stages */
    long number;                           /* of a policy that takes one */
};

static inline bool sens_ckpt_stages(const struct sens_ckpt *ckpt)
{
    return !ckpt->policy || ckpt->policy->stages;
}

struct sens_method_type;

struct sens_task {                         /* immutable while a method works on it */
    const struct sens_method_type *method; /* that one; for functions that serve several */
    const struct sens_problem *problem;
    const struct sens_cost *cost;
    const struct sens_tableau *tableau;
    const struct sens_controller *controller;
    sens_real rtol, atol; /* adaptive controllers; with tolerances a component the least of each */
    size_t n_tolerances;  /* 0: rtol and atol are those of all components */
    const struct sens_ode_part
        *tolerance;            /* [n_tolerances] of the state, in order; counts sum to n; all tested */
    sens_real dt;              /* controller `fixed`: the step; elsewhere the first trial step, 0 = chosen */
    long max_steps;            /* accepted and rejected trials together */
    struct sens_ckpt ckpt;     /* how the trajectory is kept */
    unsigned parts;            /* of the result, beside x and G: SENS_IN_DGDP, SENS_IN_DGDX0, ... */
    int lanes, threads, batch; /* 0 = auto */
    const struct sens_value *option; /* of the method, in the order of its table */
    struct sens_listener listener;   /* served in run by methods with SENS_CAP_STEPS */
};

static inline bool sens_task_asks(const struct sens_task *task, enum sens_part part)
{
    return (task->parts | SENS_IN_STATE) >> part & 1;
}

struct sens_work {
    long steps, rejects;                 /* of the solve that carries the state forward */
    long steps_reverse, rejects_reverse; /* of a separate backward solve; 0 where there is none */
    double t_forward, t_reverse;         /* seconds */
    /* Of the whole run, by the clock of another program that did the work: what a run is then said to have
     * taken. 0: the caller's clock tells. */
    double t_elsewhere;
    size_t bytes_traj;         /* stored trajectory */
    size_t bytes_factors;      /* of matrices that the solve left for a sweep */
    int lanes, threads, batch; /* used */
    /* Vectors multiplied through declared structure; the problem's own products are counted where they are
     * called, not here. */
    size_t vjp, jvp, vjp_p, jvp_p;
    /* Of all vectors, by either way: those that only fill up a block of lanes. They take time and count as
     * vectors, but not as useful operations. */
    size_t idle_vjp, idle_jvp, idle_vjp_p;
    /* Of linear systems: matrices factorised, vectors solved for; iterations of Newton's method. */
    long factorisations, solves, newton;
    long kept;           /* matrices that a sweep need not factorise, for it took over factors of the solve */
    long steps_implicit; /* of `steps`, by the implicit part of a tableau that switches */
    /* What iterations left of the equations that define the state at t1: the sum over the accepted steps of
     * the distance from where the iteration ended to the solution of the step's equations, relative to the
     * state, as the last corrections let expect it. 0: to rounding, or none iterates. */
    double residual;
};

/* Which derivative a method computes. */
enum sens_derivative {
    /* Of the discrete map on its frozen accepted grid: of the numbers computed, to rounding. Where an
     * iteration solves for the steps, it is that of their equations at the numbers computed, to what the
     * iteration left (sens_work.residual, at most a tenth of rtol, or 1e-8 without a tolerance). */
    SENS_DERIVATIVE_DISCRETE,
    SENS_DERIVATIVE_CONTINUOUS, /* of the exact solution, to its tolerance */
    SENS_DERIVATIVE_DIFFERENCE  /* a difference quotient of the discrete map, its step controller included */
};

enum {                              /* what a method takes notice of; a key it does not is refused */
       SENS_CAP_TABLEAU = 1,        /* tableau */
       SENS_CAP_CONTROLLER = 2,     /* controller, the fixed step among them */
       SENS_CAP_CKPT = 4,           /* ckpt */
       SENS_CAP_LANES = 8,          /* lanes */
       SENS_CAP_THREADS = 16,       /* threads */
       SENS_CAP_BATCH = 32,         /* batch */
       SENS_CAP_RUNNING_COST = 64,  /* costs with g */
       SENS_CAP_OBSERVATIONS = 128, /* observation times other than t1 */
       SENS_CAP_STEPS = 256,        /* listener */
       SENS_CAP_TOLERANCE = 512,    /* rtol, atol; asked of every SENS_DERIVATIVE_CONTINUOUS */
       SENS_CAP_IMPLICIT = 1024,    /* tableaux of other families than the explicit one, too */
       SENS_CAP_COMPONENTS = 2048,  /* with SENS_CAP_TOLERANCE: rtol and atol of each component */
       SENS_CAP_MASS = 4096,        /* problems with a mass matrix */
       SENS_CAP_ENGINE = 8192       /* engine: steps made for the problem (sens/engine.h) */
};

/* What a failure of `sensbench verify` is in, where its check tells: the bits of the parts, and these. */
enum {
    SENS_IN_DIGITS = 1 << SENS_PARTS, /* in the last digits alone, of whatever part */
    SENS_IN_OTHER =
        1 << (SENS_PARTS + 1) /* in anything else: a status, a count, a bound on something derived */
};

/* A check of `sensbench verify` that the method is known to fail, and why: what follows from how it works, or
 * from the library that computes it. Such a failure is reported as a limit, neither as passed nor as failed.
 * It is the author's word, so not everything can be excused (check limits.declared):
 *     no check that says whether the method solves at all: solve.completes, state.map, unit.completes, nor
 *     gradient.rounding, which says that a discrete derivative was held to rounding in some way;
 *     a check to rounding only with `only`, and not with every part;
 *     an essential check (order.exact) only in dG/dp or only in dG/dx0, and only with an option of the method
 *     with which it holds: verify makes it with that option, too, and there nothing is excused;
 *     a discrete method has gradient.own or gradient.frozen made somewhere without excuse, which may be with
 *     such an option, too. */
struct sens_limit {
    const char *check;   /* the name of one check; no pattern */
    const char *subject; /* glob pattern on what was looked at: "forced form=power*quad=outside*" */
    const char *reason;
    unsigned only; /* SENS_IN_*: a failure in anything else is none of this; 0: any failure */
    bool always;   /* expected of every matching result: one that passes is a failure, but for random draws */
    const char *holds_with; /* of these and gradient.own, .frozen: "type=2a"; else NULL */
};

struct sens_method_type {
    const char *name, *summary, *reference;
    enum sens_derivative derivative;
    unsigned caps;
    unsigned more;                     /* parts that it computes beyond SENS_IN_FIRST */
    const struct sens_option *options; /* ends with SENS_OPTIONS_END; may be NULL */
    sens_status (*prepare)(struct sens_ctx *ctx, const struct sens_task *task, void **state);
    sens_status (*run)(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work);
    void (*release)(void *state); /* what the arena cannot free (threads, a library's objects); may be NULL */
    /* Of a method that a library or another program computes: its name, version and build, on one line. NULL: it is
     * our code. */
    const char *(*library)(const struct sens_method_type *type);
    const void *data;                /* of the method, for functions that serve several */
    const struct sens_limit *limits; /* ends with check == NULL; may be NULL */
};

/* The parts that a method computes when it is asked for these derivatives: SENS_WRT_*. */
static inline unsigned sens_method_parts(const struct sens_method_type *method, unsigned wrt)
{
    return sens_parts_of(wrt) & (SENS_IN_FIRST | method->more);
}

#define SENS_METHOD(id) const struct sens_method_type sens_method_##id SENS_LINK_NAME(sens_method_##id)

#endif
