/* methods/discrete/adjoint_engine.h - steps of the discrete adjoint that were made for the problem (sens/engine.h). */
#ifndef ADJOINT_ENGINE_H
#define ADJOINT_ENGINE_H

#include "adjoint_sizes.h"
#include "sens/engine.h"

struct adjoint_engine {                    /* one worker's */
    const struct sens_step_engine *engine; /* NULL: none */
    sens_step_reverse *whole, *last;       /* of a whole block, and of the last one of the share */
    size_t L;                              /* lanes of a whole block */
    size_t points;                         /* of a step */
    size_t vectors;                        /* that went through them since the last count */
};

/* For a worker that has `share` outputs. Nothing where the problem has no engine for the tableau. SENS_UNSUPPORTED,
 * SENS_UNAVAILABLE, with a message: no such step can be made, or the cost has a running part. */
sens_status adjoint_engine_create(struct sens_ctx *ctx, const struct sens_task *task,
                                  const struct adjoint_sizes *size, size_t points, size_t share,
                                  struct adjoint_engine *steps);

/* Takes the blocks from the end of a step to its start, and adds to their mu; there is an engine. false: the family has
 * to, and nothing is done. */
bool adjoint_engine_step(struct adjoint_engine *steps, const sens_real *p, const struct sens_step *step,
                         size_t blocks, const struct adjoint_block *block);

/* Adds the vectors multiplied, and forgets them. */
void adjoint_engine_count(struct adjoint_engine *steps, bool with_mu, struct sens_work *work);

#endif
