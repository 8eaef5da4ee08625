/* sens/decorate.h - a problem or a cost around an inner one: another source of products, a counter, a change
 * of units.
 *
 * It has a type of its own, whose functions call those of the inner type, with the inner instance, except for
 * those that the decorator writes. These reach the inner instance as pb->inner and what is theirs as
 * pb->data. A decorator may stand around another. */
#ifndef SENS_DECORATE_H
#define SENS_DECORATE_H

#include "sens/cost.h"

/* What a decorator writes itself, each function in the place of the inner one, where that has one; the
 * four products also where it has none. */
struct sens_problem_decoration {
    struct sens_problem_type type;   /* functions alone; NULL: the inner one's are handed on */
    struct sens_structure structure; /* likewise */
    /* f, t, x or p mean something else than for the inner problem. Nothing is handed on then but what every
     * problem has (rhs, the four products, x0 and its two), and rhs_t and hvp where rhs itself is handed on: no
     * structure, no closed form, no other slot. */
    bool another;
    /* It writes rhs, and hands on what that of the inner problem gives. */
    bool same_rhs;
};

struct sens_decorated_problem { /* memory for the type, and what the calls are handed on to */
    struct sens_problem inner;
    struct sens_problem_type type;
    struct sens_structure structure;
};

/* *problem is *inner, which is copied to *room (the two may be one), with this decoration and data.
 * Identities stay behind: they are the inner instance's. To x0, its products and the closed form the inner
 * problem has the interval and the nominal values that the decorated one was given since. */
void sens_problem_decorate(const struct sens_problem *inner, const struct sens_problem_decoration *with,
                           const void *data, struct sens_decorated_problem *room,
                           struct sens_problem *problem);

/* The problem itself, below whatever stands around it. */
static inline const struct sens_problem *sens_problem_innermost(const struct sens_problem *pb)
{
    while (pb->inner) pb = pb->inner;
    return pb;
}

struct sens_decorated_cost {
    struct sens_cost inner;
    struct sens_cost_type type;
};

/* The same for a cost, whose functions reach the inner one as cost->inner. */
void sens_cost_decorate(const struct sens_cost *inner, const struct sens_cost_type *with, const void *data,
                        struct sens_decorated_cost *room, struct sens_cost *cost);

#endif
