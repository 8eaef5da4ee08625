/* A stage of a reverse sweep with few states, in one piece: see sens_lanes_stage in sens/lanes.h.
 *
 *     kappa = sum_j (scale w_j) v_j,    theta = J^T kappa
 *
 * With n known to the compiler a block of SMALL_LANES lanes passes from the sum to the product in registers.
 * The numbers are those of sens_lanes_combine and sens_packed_multiply; without contraction, bit for bit. */
#include "vectors.h"

#include "sens/lanes.h"

enum { SMALL_LANES = 8, SMALL = 8 };

ALWAYS_INLINE void stage_known(const size_t n, int terms, sens_real scale, const sens_real *w,
                               const sens_real *const *v, const sens_real *J, sens_real *kappa,
                               sens_real *theta)
{
    for (size_t l = 0; l < SMALL_LANES; l += VECTOR) {
        vector sum[SMALL], product[SMALL];
#pragma GCC unroll 8
        for (size_t r = 0; r < n; r++)
            sum[r] = scale * w[0] * *(const vector_in_memory *)&v[0][r * SMALL_LANES + l];
        for (int j = 1; j < terms; j++) {
            const sens_real weight = scale * w[j], *from = v[j] + l;
#pragma GCC unroll 8
            for (size_t r = 0; r < n; r++)
                sum[r] += weight * *(const vector_in_memory *)&from[r * SMALL_LANES];
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
        for (size_t r = 0; r < n; r++) *(vector_in_memory *)&theta[r * SMALL_LANES + l] = product[r];
    }
}

void sens_lanes_stage(size_t n, size_t L, int terms, sens_real scale, const sens_real *w,
                      const sens_real *const *v, const sens_real *J, sens_real *kappa, sens_real *theta)
{
    switch (L == SMALL_LANES ? n : 0) {
    case 1:
        stage_known(1, terms, scale, w, v, J, kappa, theta);
        break;
    case 2:
        stage_known(2, terms, scale, w, v, J, kappa, theta);
        break;
    case 3:
        stage_known(3, terms, scale, w, v, J, kappa, theta);
        break;
    case 4:
        stage_known(4, terms, scale, w, v, J, kappa, theta);
        break;
    case 5:
        stage_known(5, terms, scale, w, v, J, kappa, theta);
        break;
    case 6:
        stage_known(6, terms, scale, w, v, J, kappa, theta);
        break;
    case 7:
        stage_known(7, terms, scale, w, v, J, kappa, theta);
        break;
    case 8:
        stage_known(8, terms, scale, w, v, J, kappa, theta);
        break;
    default: {
        const struct sens_packed transposed = sens_packed_view(n, n, J, n);
        sens_lanes_combine(n * L, terms, scale, w, v, kappa);
        sens_packed_multiply(&transposed, L, kappa, theta);
        break;
    }
    }
}
