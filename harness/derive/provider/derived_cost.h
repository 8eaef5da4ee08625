/* derive/provider/derived_cost.h - a cost whose gradients come from its recorded functions.
 *
 *     dphi_c/dx, dphi_c/dp, dg_c/dx, dg_c/dp  for c0 <= c < c0 + L:  (d phi/dx)^T W with unit vectors as W,
 *
 * which is what the transposed products of a tape are. phi_j of each observation and g are recorded by themselves.
 * Costs with many outputs are taken apart into groups of these, so that a block of lanes does not pay for all of
 * them. */
#ifndef DERIVE_DERIVED_COST_H
#define DERIVE_DERIVED_COST_H

#include "sens/provider.h"

/* wrap_cost and account_cost of sens/provider.h, by the tape. */
sens_status derived_cost_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                              const struct sens_cost *inner, struct sens_cost *wrapped);
void derived_cost_account(const struct sens_cost *wrapped, struct sens_provider_account *account);

#endif
