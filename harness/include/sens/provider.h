/* sens/provider.h - another source of the derivative products of a problem, such as automatic
 * differentiation.
 *
 * A provider fills the slots vjp, jvp, jvp_p_cols and vjp_p_batch (sens/problem.h) for the same right-hand
 * side, so that any method runs on it. It belongs to a module (sens/plugin.h) and is asked for by name:
 * vjp=NAME. */
#ifndef SENS_PROVIDER_H
#define SENS_PROVIDER_H

#include "sens/cost.h"

struct sens_registry; /* sens/registry.h */

struct sens_provider_request {           /* what the products are wanted of */
    const struct sens_problem *inner;    /* inner->option: what it was created with */
    const struct sens_registry *variant; /* the instruction set that the methods run on */
    int threads;                         /* at most so many call the products at a time */
};

struct sens_provider_account { /* beside the runs, seconds */
    double n_recorded;         /* times that the right-hand side, or x0(p), was recorded */
    double t_record, t_analyse, t_generate, t_compile;
    const char *ran, *why; /* what ran in its place, and why, in words; NULL: itself */
    const char *broken; /* why its products are none, and what came out is no result; NULL: they are right */
};

struct sens_engine_account { /* what compiled steps took, seconds, and steps of runs that the library took */
    double t_record, t_generate, t_compile;
    long by_library;
};

struct sens_provider {
    const char *name, *summary;
    const char *(*library)(void); /* version and build, on one line */

    /* The products may be called from several threads at a time, and do not wait for each other. Without it
     * they may be called so as well, and have to make one call wait for another by a lock of their own; methods
     * are then run on one thread. */
    bool parallel;

    /* Of providers that take any right-hand side: the one with the highest rank is taken for a problem that has no
     * products of its own. 0: only when asked for. */
    int rank;

    /* The products are difference quotients, with errors far above rounding: verified to 1e-4 of the largest terms. */
    bool approximate;

    /* The wrapped problem has a structure of its own, found by the provider. */
    bool declares;

    /* *wrapped is *inner with the products of this provider and without the structure of *inner; the rest, rhs
     * included, is that of *inner, which is copied: the two may be one. sens_problem_decorate does it
     * (sens/decorate.h), and wrapped->structure = NULL, or that of the provider. Memory comes from the arena.
     * SENS_UNSUPPORTED, with a message, for a problem that this provider does not know; SENS_NO_MEMORY. */
    sens_status (*wrap)(struct sens_ctx *ctx, const struct sens_provider_request *request,
                        struct sens_problem *wrapped);

    /* rhs=generated: decorates *wrapped with a right-hand side that is made from that of request->inner, the same
     * instance before anyone has decorated it, and compared with it. NULL: it makes none. SENS_UNSUPPORTED, with a
     * message: none can be had; SENS_NO_MEMORY. */
    sens_status (*wrap_rhs)(struct sens_ctx *ctx, const struct sens_provider_request *request,
                            struct sens_problem *wrapped);

    /* engine=compiled: sets problem->engine (sens/engine.h) for steps by this tableau, made from the right-hand side
     * of request->inner, the same instance before anyone has decorated it. SENS_UNSUPPORTED, with a message: none can
     * be had; SENS_NO_MEMORY. Both NULL: it makes none. *problem must stay where it is. */
    sens_status (*make_engine)(struct sens_ctx *ctx, const struct sens_provider_request *request,
                               const struct sens_tableau *tableau, struct sens_problem *problem);
    void (*account_engine)(const struct sens_step_engine *engine, struct sens_engine_account *account);
    /* Why the products at a point where rhs is finite are not, in words: true. NULL: it does not know. */
    bool (*explain)(const struct sens_problem *wrapped, const struct sens_at *at, size_t size, char *text);

    /* What it took so far; NULL: nothing is told. */
    void (*account)(const struct sens_problem *wrapped, struct sens_provider_account *account);

    /* Gradients of costs: *wrapped is *inner, which was created on request->inner and is copied (the two may be one),
     * with phi_dx, phi_dp, g_dx and g_dp of this provider. Memory comes from the arena. SENS_UNSUPPORTED, with a
     * message, for a cost that this provider cannot take; SENS_NO_MEMORY. account_cost is like account. Both NULL: it
     * makes none. */
    sens_status (*wrap_cost)(struct sens_ctx *ctx, const struct sens_provider_request *request,
                             const struct sens_cost *inner, struct sens_cost *wrapped);
    void (*account_cost)(const struct sens_cost *wrapped, struct sens_provider_account *account);
};

#endif
