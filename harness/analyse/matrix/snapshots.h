/* harness/analyse/matrix/snapshots.h - the whole state at every time of a grid, as a cost:
 *
 *     G_(j n + i) = x_i(t_j),    so that dG/dp [times][n][np] is S(t) = dx/dp on the grid. */
#ifndef ANALYSE_SNAPSHOTS_H
#define ANALYSE_SNAPSHOTS_H

#include "sens/cost.h"

/* t [times] increasing in [t0, t1]; it has to stay. SENS_BAD_INPUT otherwise. */
sens_status snapshots_create(struct sens_ctx *ctx, const struct sens_problem *pb, size_t times,
                             const double *t, struct sens_cost *cost);

#endif
