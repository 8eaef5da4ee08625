/* methods/trajectory/kept_factors.h - the factors that the steps of a solve were taken with, kept for a sweep.
 *
 * Nothing is copied: after an accepted step the scheme goes on with others like its own systems (shifted.h), and
 * those with the factors stay here. Memory: a pattern's factors are as large as their entries, as much again for
 * each step; dense ones 8 n^2 bytes a step, complex ones twice that. */
#ifndef SENS_KEPT_FACTORS_H
#define SENS_KEPT_FACTORS_H

#include "scheme.h"

struct sens_kept;

/* The factors of a scheme that has made no step yet will be used for M^T X = B in lanes. Memory from the arena, which
 * gives back what a library holds. SENS_NO_MEMORY. */
sens_status sens_kept_turn(struct sens_ctx *ctx, struct sens_scheme *scheme);

/* Of so many steps of a scheme that has made one at least. *kept stays NULL where the scheme has no factors. Memory as
 * above. SENS_NO_MEMORY, with a message of what it would take. */
sens_status sens_kept_create(struct sens_ctx *ctx, struct sens_scheme *scheme, long steps,
                             struct sens_kept **kept);

/* Step k was accepted: its factors stay here. */
void sens_kept_take(struct sens_kept *kept, long k);

/* Those of step k, as many as the scheme has; NULL: the scheme's were not those of the step. */
const struct sens_shifted *const *sens_kept_at(const struct sens_kept *kept, long k);

/* Sets bytes_factors. */
void sens_kept_count(const struct sens_kept *kept, struct sens_work *work);

#endif
