/* Stages of a reverse sweep with few states, in one piece: see sens_lanes_stages in kernels.h.
 *
 *     kappa = sum_j (scale w_j) v_j,    theta = J^T kappa,    lambda += sum theta
 *
 * With n known to the compiler a block of eight or four lanes passes from the sum to the product in
 * registers. The numbers are those of sens_lanes_combine and sens_packed_multiply; without contraction, bit
 * for bit. */
#include "vectors.h"

#include "kernels.h"

enum { EIGHT = 8, FOUR = 4 };

#define STAGE          stage_of_eight
#define STAGES         stages_of_eight
#define LANES          EIGHT
#define WIDTH          VECTOR
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "small_kernel.h"

#define STAGE          stage_of_four
#define STAGES         stages_of_four
#define LANES          FOUR
#define WIDTH          QUARTET
#define TYPE           quartet
#define TYPE_IN_MEMORY quartet_in_memory
#include "small_kernel.h"

ALWAYS_INLINE void stages_known(const size_t n, const size_t lanes, size_t count,
                                const struct sens_stage *stage, sens_real scale, const sens_real *J,
                                sens_real *kappa, sens_real *lambda)
{
    if (lanes == EIGHT)
        stages_of_eight(n, count, stage, scale, J, kappa, lambda);
    else
        stages_of_four(n, count, stage, scale, J, kappa, lambda);
}

ALWAYS_INLINE void few_states(size_t n, const size_t lanes, size_t count, const struct sens_stage *stage,
                              sens_real scale, const sens_real *J, sens_real *kappa, sens_real *lambda)
{
    switch (n) {
        CASES_1_TO_8(stages_known, lanes, count, stage, scale, J, kappa, lambda)
    default:
        return;
    }
}

void sens_lanes_stages(size_t n, size_t L, size_t count, const struct sens_stage *stage, sens_real scale,
                       const sens_real *J, sens_real *kappa, sens_real *lambda)
{
    if (n <= SENS_FEW_STATES && L == EIGHT) {
        few_states(n, EIGHT, count, stage, scale, J, kappa, lambda);
        return;
    }
    if (n <= SENS_FEW_STATES && L == FOUR) {
        few_states(n, FOUR, count, stage, scale, J, kappa, lambda);
        return;
    }
    for (size_t s = 0; s < count; s++, J += n * n, kappa += n * L) {
        const struct sens_packed transposed = sens_packed_view(n, n, J, n);
        sens_lanes_combine(n * L, stage[s].terms, scale, stage[s].w, stage[s].v, kappa);
        sens_packed_multiply(&transposed, L, kappa, stage[s].theta);
    }
    for (size_t s = 0; s < count && lambda; s++) sens_lanes_axpy(n, L, 1, stage[s].theta, lambda);
}
