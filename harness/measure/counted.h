/* harness/measure/counted.h - a decorator that counts the calls of a problem's functions. */
#ifndef MEASURE_COUNTED_H
#define MEASURE_COUNTED_H

#include <stdatomic.h>

#include "sens/problem.h"

/* rhs and jacobian count calls (one of coupling is one of jacobian), the products count vectors: L a call, K
 * L a call of vjp_p_batch. Atomic, because a method may work on several threads. */
struct sens_counts {
    atomic_ulong rhs, vjp, jvp, jvp_p, vjp_p, jacobian;
};

/* A problem that behaves as `inner` and adds its calls to *counts. Memory comes from the arena; *inner is
 * copied, counts must outlive it. SENS_NO_MEMORY. */
sens_status sens_counted_create(struct sens_ctx *ctx, const struct sens_problem *inner,
                                struct sens_counts *counts, struct sens_problem *counted);

#endif
