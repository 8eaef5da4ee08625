/* harness/measure/closer.h - what a second solve at a hundredth of the tolerance says of the first. */
#ifndef MEASURE_CLOSER_H
#define MEASURE_CLOSER_H

#include "measure.h"

struct closer {
    double x, gradient; /* how far the results of the cell moved, relative to where they moved to */
    double rtol;        /* of the second solve */
    double steps;       /* that it took */
    bool
        same; /* both gave the same numbers, as a program does that does not look at its tolerance: no estimate */
    bool stability; /* the scheme is explicit, and its steps are as many as before: stability sets them */
};

/* *rec and *out are of a run of the cell that succeeded. false: no estimate; the method takes no tolerance, the second
 * solve failed, or it would take longer than some 20 s. */
bool closer_solve(struct sens_ctx *ctx, const struct cell *cell, const struct record *rec,
                  const struct sens_out *out, struct closer *closer);

#endif
