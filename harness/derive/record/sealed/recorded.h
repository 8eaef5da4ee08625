/* harness/derive/record/sealed/recorded.h - the way into the sources that were compiled to be recorded.
 *
 * They are a variant of their own, sealed like the others, and the modules of others have such a part too
 * (sens/recorded.h). Their numbers have 128 bits, a type that the rest of the program does not know: here
 * they pass as void. An instance belongs to the ctx it was created with. */
#ifndef RECORDED_H
#define RECORDED_H

#include "sens/context.h"
#include "sens/option.h"

struct recorded_problem;
struct recorded_cost;

struct recorded_start { /* what an instance is created from: the numbers are those of the one in double */
    const void *type;   /* struct sens_problem_type, of the recorded part; NULL: there is none */
    const char *name;
    const struct sens_value *option;
    size_t n, np;
    double t0, t1;
    const double *x0, *p; /* [n], [np] */
    bool x0_fixed;
};

struct recorded_entry {
    const void *const *problems, *const *costs; /* the types of the program itself; they end with NULL */

    /* SENS_BAD_INPUT, with a message, where the instance has other sizes than those of the start. Without a type it
     * has its numbers alone: enough to create a cost on it. */
    sens_status (*create_problem)(struct sens_ctx *ctx, const struct recorded_start *start,
                                  struct recorded_problem **made);
    sens_status (*create_cost)(struct sens_ctx *ctx, const void *type, const struct sens_value *option,
                               const struct recorded_problem *problem, struct recorded_cost **made);

    /* Numbers of 128 bits: t [1], x and dx [n], p [np], G [m]. phi and g add to G. */
    sens_status (*rhs)(const struct recorded_problem *problem, const void *t, const void *x, const void *p,
                       void *dx);
    void (*x0)(const struct recorded_problem *problem, const void *p, void *x);
    void (*g)(const struct recorded_cost *cost, const void *t, const void *x, const void *p, void *G);
    void (*phi)(const struct recorded_cost *cost, size_t j, const void *x, const void *p, void *G);

    size_t (*outputs)(const struct recorded_cost *cost); /* m */
};

const struct recorded_entry *sens_recorded_entry(void);

#endif
