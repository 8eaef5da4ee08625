/* derive/generate/step.h - C for whole steps of an explicit Runge-Kutta pair (sens/engine.h): of the state, and of the
 * discrete adjoint for L lanes.
 *
 * The text defines one function, sens_step_forward or sens_step_reverse, of the type of that name, over the functions
 * of generate.h for f and its derivatives, which are part of it. Stages, coefficients, n and L are constants; what a
 * step computes stays in variables, which the compiler keeps in registers as far as they go. */
#ifndef DERIVE_STEP_H
#define DERIVE_STEP_H

#include "generate.h"
#include "sens/tableau.h"

enum { STEP_MOST_STATES = 16 };

struct step_request {
    const struct graph *f; /* of x [n] and p [np]; n <= STEP_MOST_STATES */
    size_t n, np;
    unsigned widest;                    /* as generate_source has it */
    const struct sens_tableau *tableau; /* explicit */
    /* Of a reverse step: */
    size_t lanes;
    size_t width; /* numbers of a vector, which divides the lanes: 1, 2, 4, 8 */
    bool with_mu;
};

/* *source: the text, the caller frees it; *count: the operations and operators of all that is in it. SENS_NO_MEMORY;
 * SENS_UNSUPPORTED as generate_source. */
sens_status step_write_forward(const struct step_request *request, char **source,
                               struct generate_count *count);
sens_status step_write_reverse(const struct step_request *request, char **source,
                               struct generate_count *count);

#endif
