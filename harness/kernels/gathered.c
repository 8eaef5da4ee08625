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

bool sens_lanes_add_gathered(const struct sens_gather *g, size_t L, size_t cols, const sens_real *phi,
                             bool add, sens_real *const *out)
{
    switch (L % HALF == 0 ? cols : SENS_FEW_COLUMNS + 1) {
    case 1:
        all_lanes(1, add, g, L, phi, out);
        return true;
    case 2:
        all_lanes(2, add, g, L, phi, out);
        return true;
    case 3:
        all_lanes(3, add, g, L, phi, out);
        return true;
    case 4:
        all_lanes(4, add, g, L, phi, out);
        return true;
    case 5:
        all_lanes(5, add, g, L, phi, out);
        return true;
    case 6:
        all_lanes(6, add, g, L, phi, out);
        return true;
    case 7:
        all_lanes(7, add, g, L, phi, out);
        return true;
    case 8:
        all_lanes(8, add, g, L, phi, out);
        return true;
    case 9:
        all_lanes(9, add, g, L, phi, out);
        return true;
    case 10:
        all_lanes(10, add, g, L, phi, out);
        return true;
    case 11:
        all_lanes(11, add, g, L, phi, out);
        return true;
    case 12:
        all_lanes(12, add, g, L, phi, out);
        return true;
    default:
        return cols == 0;
    }
}
