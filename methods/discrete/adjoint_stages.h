/* methods/discrete/adjoint_stages.h - the stages that a step of the discrete adjoint goes through backwards,
 * and where their vectors lie in a block's state: lambda, theta_1 ... theta_s, each `vector` numbers long. */
#ifndef ADJOINT_STAGES_H
#define ADJOINT_STAGES_H

#include "sens/method.h"

struct adjoint_sum { /* weights, and where the vectors are in a block's state */
    int terms;
    sens_real weight[SENS_MAX_STAGES + 1];
    size_t offset[SENS_MAX_STAGES + 1];
};

struct adjoint_stage { /* a live one: b_i or any a_ji of a live stage j > i is nonzero */
    int i;
    struct adjoint_sum kappa; /* b_i lambda + sum_{j>i} a_ji theta_j, without the zeros */
};

struct adjoint_stages {
    size_t vector, all; /* all: of the tableau */
    int live;
    struct adjoint_stage *stage; /* [live], the last one first */
    struct adjoint_sum lambda;   /* lambda + sum_i theta_i */
};

/* Memory from the arena. SENS_NO_MEMORY; SENS_UNSUPPORTED for more than SENS_MAX_STAGES. */
sens_status adjoint_find_stages(struct sens_ctx *ctx, const struct sens_tableau *tableau, size_t vector,
                                struct adjoint_stages *stages);

/* Where theta_i is. */
size_t adjoint_theta(const struct adjoint_stages *stages, int i);

#endif
