/* methods/continuous/cfsa_common.h - the variational equations of a task, which cfsa and cfsa_gsl integrate
 * by different solvers.
 *
 * S = dx/dq for all directions q, the parameters before the initial states, falls into lane blocks [n][width]
 * one after another, and dG into blocks [m][width] in the same way. A block holds directions of one kind. The
 * last ones of a kind are as many as there are, made up to whole vectors with lanes that stay 0. */
#ifndef CFSA_COMMON_H
#define CFSA_COMMON_H

#include "gradient.h"
#include "products.h"
#include "sens/method.h"

struct cfsa_block {
    size_t first, count; /* directions */
    size_t lane, width;  /* count <= width <= L */
};

struct cfsa_system {
    const struct sens_task *task;
    size_t n, m, L;
    size_t np, n_dir;         /* directions that are parameters (0 unless asked for); all directions */
    size_t blocks, lanes;     /* lanes: of all blocks */
    struct cfsa_block *block; /* [blocks] */
    sens_real *column;        /* [n][L] columns of df/dp on their way into wider blocks */
};

/* Fills *system; memory from the arena. SENS_NO_MEMORY. */
sens_status cfsa_create(struct sens_ctx *ctx, const struct sens_task *task, struct cfsa_system *system);

/* At t0: x = x0(p), and S [lanes * n] of dx0/dp and the identity. */
void cfsa_start(const struct cfsa_system *system, sens_real *x, sens_real *S);

/* dS = J S + df/dp of block b, J and df/dp where `products` stand. */
void cfsa_slope(const struct cfsa_system *system, struct sens_products *products, size_t b,
                const sens_real *S, sens_real *dS);

/* dG += g_x S of block b: S is the block, dG [lanes * m] the whole. */
void cfsa_add_block(const struct cfsa_system *system, const struct sens_gradient *gradient, size_t b,
                    const sens_real *S, sens_real *dG);

/* dG += g_p for all blocks. */
void cfsa_add_explicit(const struct cfsa_system *system, const struct sens_gradient *gradient, sens_real *dG);

/* dG += phi_x S + phi_p of observation j; `gradient` is storage. */
void cfsa_observe(const struct cfsa_system *system, struct sens_gradient *gradient, size_t j,
                  const sens_real *x, const sens_real *S, sens_real *dG);

/* Copies x, G [m] and dG to *out; SENS_DIVERGED, and nothing written, where one is not finite. */
sens_status cfsa_write(const struct cfsa_system *system, const sens_real *x, const sens_real *G,
                       const sens_real *dG, const struct sens_out *out);

#endif
