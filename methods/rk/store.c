/* The policies on offer. */
#include "store.h"

#include <stdint.h>

const struct sens_store_type *const sens_stores[] = {&sens_store_stages, &sens_store_every, NULL};

sens_real *sens_store_rows(struct sens_ctx *ctx, size_t rows, size_t row)
{
    if (row && rows > SIZE_MAX / sizeof(sens_real) / row) return NULL;
    return SENS_NEW(ctx, sens_real, rows * row);
}
