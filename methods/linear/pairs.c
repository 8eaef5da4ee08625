/* Complex lanes as pairs of numbers and back, see kernel.h. */
#include "kernel.h"

static sens_real *pair_of(const struct sens_kernel_pairs *how, const sens_real *pairs, size_t i, size_t c)
{
    return (sens_real *)pairs + 2 * (i * how->down + c * how->right);
}

void sens_kernel_to_pairs(const struct sens_kernel_pairs *how, const sens_real *X, sens_real *pairs)
{
    for (size_t i = 0; i < how->n; i++)
        for (size_t c = 0; c < how->count; c++) {
            const sens_real *const lane = X + 2 * i * how->L + how->first + c;
            pair_of(how, pairs, i, c)[0] = lane[0];
            pair_of(how, pairs, i, c)[1] = lane[how->L];
        }
}

void sens_kernel_from_pairs(const struct sens_kernel_pairs *how, const sens_real *pairs, sens_real *X)
{
    for (size_t i = 0; i < how->n; i++)
        for (size_t c = 0; c < how->count; c++) {
            sens_real *const lane = X + 2 * i * how->L + how->first + c;
            lane[0] = pair_of(how, pairs, i, c)[0];
            lane[how->L] = pair_of(how, pairs, i, c)[1];
        }
}
