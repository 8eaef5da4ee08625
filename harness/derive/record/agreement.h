/* harness/derive/record/agreement.h - is the recorded part the same as the problem? */
#ifndef DERIVE_AGREEMENT_H
#define DERIVE_AGREEMENT_H

#include "recording.h"

/* Records f, x0 and the cost's functions at the nominal point and compares them there with those in double:
 * a module may have been linked from parts that do not belong together, or a recorded source may call a
 * function that was compiled in double alone. Where they cannot be computed at that point, nothing is said.
 * SENS_UNSUPPORTED with a message: they differ, or cannot be recorded; SENS_NO_MEMORY. */
sens_status recording_agrees(struct sens_ctx *ctx, const struct recording *recording,
                             const struct sens_problem *pb, const struct sens_cost *cost);

#endif
