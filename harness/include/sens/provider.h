/* sens/provider.h - another source of the derivative products of a problem, such as automatic
 * differentiation.
 *
 * A provider fills the slots vjp, jvp, jvp_p_cols and vjp_p_batch (sens/problem.h) for the same right-hand
 * side, so that any method runs on it. It belongs to a module (sens/plugin.h) and is asked for by name:
 * vjp=NAME. */
#ifndef SENS_PROVIDER_H
#define SENS_PROVIDER_H

#include "sens/problem.h"

struct sens_provider {
    const char *name, *summary;
    const char *(*library)(void); /* version and build, on one line */

    /* *wrapped is *inner with the products of this provider and without its structure; the rest, rhs
     * included, is that of *inner, which is copied: the two may be one. sens_problem_decorate does it
     * (sens/decorate.h), and wrapped->structure = NULL. Memory comes from the arena. The
     * products may be called from several threads, but are free to take turns: time them on one.
     * SENS_UNSUPPORTED, with a message, for a problem that this provider does not know; SENS_NO_MEMORY. */
    sens_status (*wrap)(struct sens_ctx *ctx, const struct sens_problem *inner, struct sens_problem *wrapped);
};

#endif
