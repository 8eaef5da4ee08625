/* methods/implicit/corrections.h - when corrections of a solution are at their end: X += P^-1 (B - M X) with
 * factors of a P near M, each lane as if it were alone.
 *
 * A lane is done where its largest correction is rounding of its largest entry, and from then on each entry has
 * settled: an entry that is far smaller than others is brought to its own rounding, too; and where its correction is 0
 * throughout, for whoever forms the residual found nothing to correct. It has failed where its
 * corrections do not halve from one to the next, or are no numbers: factors of M itself then cost less. No
 * tolerance of a solve enters. */
#ifndef CORRECTIONS_H
#define CORRECTIONS_H

#include "sens/method.h"

struct correction_lane; /* corrections.c */

struct corrections { /* one a thread */
    size_t rows;
    struct correction_lane *lane; /* [L] */
    sens_real *last;              /* [rows][L] corrections before, their sizes */
    int count;
};

/* For vectors of so many rows in at most L lanes. Memory from the arena. SENS_NO_MEMORY. */
sens_status corrections_create(struct sens_ctx *ctx, size_t rows, size_t L, struct corrections *corrections);

/* X [rows][L] = 0. */
void corrections_start(struct corrections *corrections, size_t L, sens_real *X);

/* X += D in the lanes that go on. Do any after it? */
bool corrections_add(struct corrections *corrections, size_t L, const sens_real *D, sens_real *X);

/* The last correction of a lane that has failed, as a part of the lane's largest entry: the largest of these. 0: none
 * has failed; NaN: some is no number. */
sens_real corrections_left(const struct corrections *corrections, size_t L);

/* Has any lane failed? Those that have are taken from `right` in the end. */
bool corrections_failed(const struct corrections *corrections, size_t L);
void corrections_replace(const struct corrections *corrections, size_t L, const sens_real *right,
                         sens_real *X);

#endif
