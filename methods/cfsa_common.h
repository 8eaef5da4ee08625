/* methods/cfsa_common.h - the variational system of a task, which cfsa and cfsa_gsl integrate by different
 * solvers.
 *
 * Its state is y = [x | S]: x [n], then S = dx/dq for n_dir directions q, the parameters before the initial
 * states, in lane blocks [n][width] one after another. A block holds directions of one kind, and has its true
 * width: there are no padded lanes that a mean over components would have to leave out. */
#ifndef CFSA_COMMON_H
#define CFSA_COMMON_H

#include "sens/method.h"

struct cfsa_system {
    const struct sens_task *task;
    size_t n, m, L;
    size_t np, n_dir;   /* directions that are parameters (0 unless asked for); all directions */
    size_t size;        /* n (1 + n_dir), the length of y */
    sens_real *cost_dx; /* [n][CFSA_COST_LANES] */
    sens_real *cost_dp; /* [problem's np][CFSA_COST_LANES]; NULL where nothing asks for it */
};

enum { CFSA_COST_LANES = 8 };

/* Fills *system; memory from the arena. SENS_NO_MEMORY. */
sens_status cfsa_create(struct sens_ctx *ctx, const struct sens_task *task, struct cfsa_system *system);

/* y [size] at t0: x0(p), dx0/dp and the identity. */
void cfsa_start(const struct cfsa_system *system, sens_real *y);

/* dy [size] = [f | J S + df/dp]. The status of the right-hand side. */
sens_status cfsa_slope(const struct cfsa_system *system, sens_real t, const sens_real *y, sens_real *dy);

/* dG [m][n_dir] += w (g_x S + g_p) at (t, y). The cost has a running part. */
void cfsa_add_running(const struct cfsa_system *system, sens_real t, const sens_real *y, sens_real w,
                      sens_real *dG);

/* dG [m][n_dir] += phi_x S + phi_p of observation j at y. */
void cfsa_observe(const struct cfsa_system *system, size_t j, const sens_real *y, sens_real *dG);

/* Copies x from y, G [m] and dG [m][n_dir] to *out; SENS_DIVERGED, and nothing written, where one is not
 * finite. */
sens_status cfsa_write(const struct cfsa_system *system, const sens_real *y, const sens_real *G,
                       const sens_real *dG, const struct sens_out *out);

#endif
