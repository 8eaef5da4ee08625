/* sens/engine.h - whole steps of an explicit Runge-Kutta pair as functions made for one problem, engine=compiled.
 *
 * A step of the state, and a step of the discrete adjoint for a block of L lanes, each in one call, with the sizes of
 * the problem and the coefficients of the tableau known to the compiler. What they compute is what the library does by
 * right-hand sides, sums and products, in the same order of operations. */
#ifndef SENS_ENGINE_H
#define SENS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "sens/real.h"
#include "sens/status.h"
#include "sens/tableau.h"

/* Y [stages][n] begins with the state at t; the stages after it are written, and K [stages][n], the slopes at all of
 * them; y1 [n], where the step of h ends, unless the pair is FSAL, whose last stage that is; and e [n], the error
 * estimate, where there is one. Nothing aliases, but that y1 is not read. */
typedef void sens_step_forward(sens_real t, sens_real h, const sens_real *p, sens_real *Y, sens_real *K,
                               sens_real *y1, sens_real *e);

/* lambda [n][L] goes from the end of the step to its start, and mu [np][L] is added to. Without it where that was not
 * asked for: mu is NULL. The cost has no running part. */
typedef void sens_step_reverse(sens_real t, sens_real h, const sens_real *p, const sens_real *Y,
                               sens_real *lambda, sens_real *mu);

struct sens_step_engine {
    const struct sens_tableau *tableau; /* of the steps */
    sens_step_forward *forward;
    /* The step of so many lanes: made when it is first asked for, which takes a compiler's time, and compared with
     * plain loops over the problem's own functions. SENS_UNSUPPORTED, SENS_UNAVAILABLE, with a sentence in *why. */
    sens_status (*reverse)(const struct sens_step_engine *engine, size_t L, bool with_mu,
                           sens_step_reverse **made, const char **why);
    /* Were the functions made for the branches that f takes at these stages? Where not, what they write is not the
     * step, and the library takes it. NULL: there are no branches. From any thread. */
    bool (*holds)(const struct sens_step_engine *engine, sens_real t, sens_real h, const sens_real *p,
                  const sens_real *Y);
};

#endif
