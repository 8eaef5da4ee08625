/* The policies on offer. */
#include "store.h"

#include <stdint.h>

const struct sens_ckpt_policy *const sens_ckpt_policies[] = {
#define STORE_POLICY(name) &sens_store_##name.policy,
    SENS_STORE_LIST(STORE_POLICY) NULL,
#undef STORE_POLICY
};

sens_status sens_store_create(struct sens_ctx *ctx, const struct sens_ckpt *ckpt,
                              const struct sens_store_setup *setup, struct sens_store **store)
{
    const struct sens_ckpt_policy *policy = ckpt->policy ? ckpt->policy : sens_ckpt_policies[0];
    const struct sens_store_type *type = (const struct sens_store_type *)policy;
    struct sens_store_setup numbered = *setup;
    numbered.number = ckpt->number;
    if (policy->numbered && ckpt->number < 1)
        return sens_fail(ctx, SENS_BAD_INPUT, "ckpt = %s:%ld: the number must be positive", policy->name,
                         ckpt->number);
    return type->create(ctx, &numbered, store);
}

sens_real *sens_store_rows(struct sens_ctx *ctx, size_t rows, size_t row)
{
    if (row && rows > SIZE_MAX / sizeof(sens_real) / row) return NULL;
    return SENS_NEW(ctx, sens_real, rows * row);
}
