/* derive/provider/differences.h - products by difference quotients. */
#ifndef DERIVE_DIFFERENCES_H
#define DERIVE_DIFFERENCES_H

#include "sens/provider.h"

/* As a provider does (sens/provider.h). Columns of df/dx that share no row are shifted together, where the
 * recorded right-hand side tells which these are; else each alone (Curtis, Powell and Reid, J. Inst. Maths
 * Applics 13 (1974) 117). */
sens_status differences_wrap(struct sens_ctx *ctx, const struct sens_provider_request *request,
                             struct sens_problem *wrapped);

/* group [columns of `rows`]: each column goes into the first group none of whose columns has a row of it.
 * `columns` is the same pattern by columns. The arena is used and rewound. SENS_NO_MEMORY. */
sens_status differences_groups(struct sens_ctx *ctx, const struct sens_pattern *rows,
                               const struct sens_pattern *columns, size_t *group, size_t *groups);
sens_status differences_transpose(struct sens_ctx *ctx, const struct sens_pattern *from,
                                  struct sens_pattern *to);

#endif
