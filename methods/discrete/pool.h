/* methods/discrete/pool.h - a few threads, started once by prepare, that share out the lane blocks of a run. */
#ifndef SENS_POOL_H
#define SENS_POOL_H

#include "sens/context.h"

struct sens_pool;

/* `threads` workers in all, the caller's own thread among them; with 1 no thread is started. SENS_NO_MEMORY
 * when threads cannot be started. */
sens_status sens_pool_create(struct sens_ctx *ctx, int threads, struct sens_pool **pool);

/* Calls work(self, worker) once for each worker = 0 ... threads - 1 and returns when all have finished. */
void sens_pool_run(struct sens_pool *pool, void (*work)(void *self, int worker), void *self);

/* Wakes the threads for a run that is about to come, within a tenth of a millisecond. */
void sens_pool_rouse(struct sens_pool *pool);

/* Ends the threads; NULL is allowed. The memory belongs to the arena. */
void sens_pool_release(struct sens_pool *pool);

#endif
