/* harness/modules/variants.h - the tables of the compiled variants, as a loaded module may extend them. */
#ifndef MODULES_VARIANTS_H
#define MODULES_VARIANTS_H

#include <stddef.h>

#include "sens/registry.h"

enum {
    VARIANTS = 1
#ifdef SENS_HAVE_AVX2
               + 1
#endif
#ifdef SENS_HAVE_AVX512
               + 1
#endif
};

/* [VARIANTS], the same objects as in variant_all. */
struct sens_registry *variant_tables(void);

/* Entries before the NULL at the end; 0 for NULL. */
size_t variant_table_length(const void *const *table);
/* A new table of both, each ending with NULL or NULL itself, that lives as long as the process; NULL without
 * memory. */
const void **variant_joined(const void *const *first, const void *const *second);
/* One more in the table of a variant, for as long as the process lives. false: no memory. */
bool variant_add_problem(struct sens_registry *reg, const struct sens_problem_type *type);
bool variant_add_cost(struct sens_registry *reg, const struct sens_cost_type *type);

/* The names of one kind in a registry, in its order; of problems then those that wait to be read. */
enum { NAMES_MAX = 256 };
struct variant_names {
    size_t count;
    const char *name[NAMES_MAX];
};
/* key: problem, cost, method, provider, tableau or controller; none for another. */
void variant_names(const struct sens_registry *reg, const char *key, struct variant_names *names);

#endif
