/* Sums of few outer products of rows that lie apart, see sens_lanes_add_gathered in kernels.h.
 *
 *     out_q (+)= sum_k phi(k, q) (s_k v_k),   k ascending from out_q or from 0
 *
 * Each row is scaled where it is used, in a register: with more columns than fit the registers it would be
 * scaled again for every part, and is better gathered once. */
#include "vectors.h"

#include "kernels.h"

#define KERNEL         gathered_vector
#define WIDTH          VECTOR
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "gathered_kernel.h"

#define KERNEL         gathered_half
#define WIDTH          HALF
#define TYPE           half
#define TYPE_IN_MEMORY half_in_memory
#include "gathered_kernel.h"

/* L is a multiple of HALF. */
ALWAYS_INLINE void lanes_of(const size_t R, const bool add, const struct sens_gather *g, size_t L,
                            const sens_real *phi, sens_real *const *out)
{
    size_t l = 0;
    for (; l + VECTOR <= L; l += VECTOR) gathered_vector(R, add, g, l, phi, out);
    if (l < L) gathered_half(R, add, g, l, phi, out);
}

ALWAYS_INLINE void all_lanes(const size_t R, bool add, const struct sens_gather *g, size_t L,
                             const sens_real *phi, sens_real *const *out)
{
    if (add)
        lanes_of(R, true, g, L, phi, out);
    else
        lanes_of(R, false, g, L, phi, out);
}

ALWAYS_INLINE void all_columns(size_t cols, const struct sens_gather *g, size_t L, const sens_real *phi,
                               bool add, sens_real *const *out)
{
    switch (cols) {
        CASES_1_TO_6(all_lanes, add, g, L, phi, out)
        CASES_7_TO_12(all_lanes, add, g, L, phi, out)
    default:
        return;
    }
}

bool sens_lanes_add_gathered(const struct sens_gather *g, size_t L, size_t cols, const sens_real *phi,
                             bool add, sens_real *const *out)
{
    if (L % HALF != 0 || cols > SENS_FEW_COLUMNS) return cols == 0;
    all_columns(cols, g, L, phi, add, out);
    return true;
}
