/* derive/engine/agree.h - do two engines compute the same product? */
#ifndef DERIVE_AGREE_H
#define DERIVE_AGREE_H

#include "engine.h"
#include "refuse.h"

/* Compares a product of two engines of one recording: at the point of the recording, whatever the guards say by
 * rounding there, and at random points near it and far from it, where guards tell other paths, with one lane and with
 * as many as fall into all blocks, as far as calls with these are served (enum generate_call). The difference of each
 * number is held against what it changes by when t, x, p and the vectors change by one part in 2^36, which tells the
 * size of the terms that it is a sum of: any wrong term is far beyond. False, with a sentence: they differ, also in
 * what the guards say, or there is no memory. entries: numbers that PRODUCT_JACOBIAN and PRODUCT_JACOBIAN_P write. */
bool engines_agree(struct engine *tested, struct engine *right, enum product_kind kind, unsigned serves,
                   size_t entries, const struct function_shape *shape, const struct sens_at *at,
                   struct bench_error *error);

#endif
