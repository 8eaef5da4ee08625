/* methods/discrete/adjoint_family.h - what differs in the discrete adjoint from one family of schemes to
 * another: how a step carries lambda, and what mu is made of, from its end back to its start.
 *
 * The same for all families (discrete_adjoint.c): groups of blocks, observations, threads, batches, results.
 * The sweep goes through a step in parts: each part is linearised once, by forming or factorising whatever it
 * takes, and then every block of lanes of the group goes through it. */
#ifndef ADJOINT_FAMILY_H
#define ADJOINT_FAMILY_H

#include "batch.h"
#include "trajectory.h"

struct adjoint_plan { /* of a task */
    size_t points;    /* of a step: where f is evaluated and df/dp gathered */
    size_t parts;     /* of a step */
    size_t vectors;   /* [n][L] of a block, beside its lambda */
    size_t kept;      /* numbers of a step that are worth finding once for all groups; 0: none */
    size_t lanes;     /* of a block, where there are as many outputs; 0: as for other families */
    bool adds_to_mu;  /* a sweep adds to mu, beside what goes to the slots */
    bool no_slots;    /* a sweep adds all of mu: nothing goes to slots */
    void *own;        /* the family's */
};

struct adjoint_step { /* where a sweep stands */
    sens_real h;
    const struct sens_step *step;
    const struct sens_at *at; /* [points] */
    const sens_real *kept;    /* [kept]; NULL: they are not kept */
};

struct adjoint_block { /* outputs c0 ... in L lanes, the last of which may be past the share */
    size_t c0, L;
    sens_real *lambda;     /* [n][L], then the family's vectors, each in the room of a whole block */
    sens_real *mu;         /* [np][L]; NULL unless dG/dp is asked for */
    struct sens_slot slot; /* where the cotangents of df/dp go, [points][n][L], as products.h says of one */
    void *own;             /* the family's */
};

struct adjoint_family {
    /* All memory is taken from the arena by these three. SENS_NO_MEMORY, SENS_UNSUPPORTED. Whole blocks have
     * L lanes; a worker is one thread's, a block one worker's. */
    sens_status (*plan)(struct sens_ctx *ctx, const struct sens_task *task, struct adjoint_plan *plan);
    sens_status (*create_worker)(struct sens_ctx *ctx, void *own, size_t L, void **worker);
    sens_status (*create_block)(struct sens_ctx *ctx, void *own, size_t L, struct adjoint_block *block);

    /* Before the first step of a run: what depends on p alone. */
    void (*begin)(void *worker, const sens_real *p);
    /* The points of a step; their number, at most the plan's. */
    size_t (*points)(const void *own, const struct sens_step *step, struct sens_at *at);
    /* What is kept of a step. NULL: plan.kept is 0. */
    void (*keep)(void *worker, const struct adjoint_step *step, sens_real *kept);

    /* A part of a step: the parts come in order, in each the blocks after linearise. Any
     * status of a solve. */
    sens_status (*linearise)(void *worker, size_t part, const struct adjoint_step *step);
    sens_status (*sweep)(void *worker, size_t part, const struct adjoint_step *step,
                         const struct adjoint_block *block);

    /* Adds the vectors multiplied, and forgets them: sens_products_count. */
    void (*count)(void *worker, size_t idle, size_t lanes, struct sens_work *work);
};

extern const struct adjoint_family adjoint_runge_kutta; /* explicit and diagonally implicit */
extern const struct adjoint_family adjoint_firk;        /* fully implicit */
extern const struct adjoint_family adjoint_rosenbrock;
extern const struct adjoint_family adjoint_switched; /* the first, step by step */

/* theta += w dg/dx and mu += w dg/dp at a point, for families: the cost has a running part. */
void adjoint_add_running_cost(const struct sens_cost *cost, const struct sens_at *at, sens_real w,
                              const struct adjoint_block *block, sens_real *theta);

#endif
