/* Stages of a reverse sweep with few states, in one piece: see sens_lanes_stages in sens/lanes.h.
 *
 *     kappa = sum_j (scale w_j) v_j,    theta = J^T kappa
 *
 * With n known to the compiler a block of SMALL_LANES lanes passes from the sum to the product in registers.
 * The numbers are those of sens_lanes_combine and sens_packed_multiply; without contraction, bit for bit. */
#include "vectors.h"

#include "sens/lanes.h"

enum { SMALL_LANES = 8, SMALL = 8 };

/* The lanes of one vector, from the first of the pointers on. */
ALWAYS_INLINE void stage_known(const size_t n, const struct sens_stage *stage, sens_real scale,
                               const sens_real *J, size_t l, sens_real *kappa)
{
    vector sum[SMALL], product[SMALL];
    const sens_real *from = stage->v[0] + l, first = scale * stage->w[0];
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) sum[r] = first * *(const vector_in_memory *)&from[r * SMALL_LANES];
    for (int j = 1; j < stage->terms; j++) {
        const sens_real weight = scale * stage->w[j];
        from = stage->v[j] + l;
#pragma GCC unroll 8
        for (size_t r = 0; r < n; r++) sum[r] += weight * *(const vector_in_memory *)&from[r * SMALL_LANES];
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) *(vector_in_memory *)&kappa[r * SMALL_LANES + l] = sum[r];
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) product[r] = (vector){0};
#pragma GCC unroll 8
    for (size_t k = 0; k < n; k++)
#pragma GCC unroll 8
        for (size_t r = 0; r < n; r++) product[r] += J[k * n + r] * sum[k];
#pragma GCC unroll 8
    for (size_t r = 0; r < n; r++) *(vector_in_memory *)&stage->theta[r * SMALL_LANES + l] = product[r];
}

ALWAYS_INLINE void stages_known(const size_t n, size_t count, const struct sens_stage *stage, sens_real scale,
                                const sens_real *J, sens_real *kappa)
{
    for (size_t l = 0; l < SMALL_LANES; l += VECTOR)
        for (size_t s = 0; s < count; s++)
            stage_known(n, &stage[s], scale, J + s * n * n, l, kappa + s * n * SMALL_LANES);
}

void sens_lanes_stages(size_t n, size_t L, size_t count, const struct sens_stage *stage, sens_real scale,
                       const sens_real *J, sens_real *kappa)
{
    switch (L == SMALL_LANES ? n : 0) {
    case 1:
        stages_known(1, count, stage, scale, J, kappa);
        return;
    case 2:
        stages_known(2, count, stage, scale, J, kappa);
        return;
    case 3:
        stages_known(3, count, stage, scale, J, kappa);
        return;
    case 4:
        stages_known(4, count, stage, scale, J, kappa);
        return;
    case 5:
        stages_known(5, count, stage, scale, J, kappa);
        return;
    case 6:
        stages_known(6, count, stage, scale, J, kappa);
        return;
    case 7:
        stages_known(7, count, stage, scale, J, kappa);
        return;
    case 8:
        stages_known(8, count, stage, scale, J, kappa);
        return;
    default:
        break;
    }
    for (size_t s = 0; s < count; s++, J += n * n, kappa += n * L) {
        const struct sens_packed transposed = sens_packed_view(n, n, J, n);
        sens_lanes_combine(n * L, stage[s].terms, scale, stage[s].w, stage[s].v, kappa);
        sens_packed_multiply(&transposed, L, kappa, stage[s].theta);
    }
}
