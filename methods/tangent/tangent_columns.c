/* What the families share of a block of directions, see tangent_family.h. */
#include <string.h>

#include "tangent_family.h"

/* ---- columns of df/dp and dx0/dp in their lanes -------------------------------------------------------- */

/* OUT += columns of df/dp where the products stand, or of dx0/dp where they are NULL. */
static void columns(const struct tangent_block *block, struct sens_products *products, size_t k0, size_t L,
                    sens_real *OUT)
{
    if (products)
        sens_products_add_columns(products, k0, L, OUT);
    else
        block->pb->type->x0_jvp_cols(block->pb, block->pb->p, k0, L, OUT);
}

/* Number of directions from number l that are consecutive parameters; 0 when that is an initial state. */
static size_t run_length(const struct tangent_block *block, size_t l)
{
    const size_t *col = block->col + l;
    size_t length = 0;
    while (l + length < block->count && col[length] < block->pb->np && col[length] == col[0] + length)
        length++;
    return length;
}

/* OUT[r * L] += sum_k weight_k column_k, r < n */
static void add_weighted(const struct tangent_block *block, struct sens_products *products, sens_real *OUT)
{
    const size_t n = block->pb->n, np = block->pb->np, L = block->L;
    if (products && sens_products_add_weighted(products, block->weight, L, OUT)) return;
    for (size_t k0 = 0, width; k0 < np; k0 += width) {
        width = np - k0 < TANGENT_COLUMNS ? np - k0 : TANGENT_COLUMNS;
        memset(block->column, 0, n * width * sizeof *block->column);
        columns(block, products, k0, width, block->column);
        for (size_t r = 0; r < n; r++)
            for (size_t q = 0; q < width; q++)
                OUT[r * L] += block->weight[k0 + q] * block->column[r * width + q];
    }
}

void tangent_add_columns(const struct tangent_block *block, struct sens_products *products, sens_real *OUT)
{
    const size_t n = block->pb->n, L = block->L;
    for (size_t l = 0; l < block->count;) {
        const size_t length = run_length(block, l);
        if (length == L) {
            columns(block, products, block->col[l], length, OUT);
        } else if (length > 0) {
            memset(block->column, 0, n * length * sizeof *block->column);
            columns(block, products, block->col[l], length, block->column);
            for (size_t r = 0; r < n; r++)
                for (size_t q = 0; q < length; q++) OUT[r * L + l + q] += block->column[r * length + q];
        }
        l += length > 0 ? length : 1;
    }
    if (block->weight) add_weighted(block, products, OUT + L - 1);
}

/* ---- the cost along a block ---------------------------------------------------------------------------- */

void tangent_add_cost(const struct tangent_block *block, const struct sens_gradient *gradient,
                      const sens_real *S)
{
    const size_t *col = block->col, L = block->L, m = gradient->cost->m, np = block->pb->np;
    sens_gradient_multiply(gradient, L, S, block->dG);
    for (size_t l = 0; gradient->dp && l < block->count; l++)
        for (size_t c = 0; col[l] < np && c < m; c++)
            block->dG[c * L + l] += sens_gradient_explicit(gradient, c, col[l]);
}
