/* harness/derive/record/agreement.h - is the recorded part the same as the problem? */
#ifndef DERIVE_AGREEMENT_H
#define DERIVE_AGREEMENT_H

#include "recording.h"

struct agreement_point {
    size_t n, np;
    struct sens_at at;
};

struct disagreement { /* of the first output that differs */
    size_t output;
    double computed, recorded;
    bool on_edge; /* rounding decides a comparison of the graph there, or a guard does not hold */
};

/* Are these, out [n_outputs], the values of the outputs of the graph at the point, but for rounding? SENS_OK;
 * SENS_UNSUPPORTED: no, see *found; SENS_NO_MEMORY. */
sens_status graph_agrees(const struct graph *graph, const struct agreement_point *point, const double *out,
                         struct disagreement *found);

/* Records f and x0, or the cost's functions, at the nominal point and compares them there with those in double: a
 * module may have been linked from parts that do not belong together, or a recorded source may call a
 * function that was compiled in double alone. Where they cannot be computed at that point, or rounding decides a
 * comparison there, nothing is said.
 * SENS_UNSUPPORTED with a message: they differ, or cannot be recorded; SENS_NO_MEMORY. */
sens_status recording_agrees(struct sens_ctx *ctx, const struct recording *recording,
                             const struct sens_problem *pb);
sens_status recording_cost_agrees(struct sens_ctx *ctx, const struct recording *recording,
                                  const struct sens_problem *pb, const struct sens_cost *cost);

#endif
