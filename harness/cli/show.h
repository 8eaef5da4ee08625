/* harness/cli/show.h - what is known of a module, as JSON, from which the text is made as well. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <jansson.h>
#include <stddef.h>

#include "sens/registry.h"

/* An array of objects, one for each problem, cost, method, tableau and controller of this name. Members:
 * kind, name, summary, options (an array, where there are any) and what else there is to say, as text,
 * numbers or lists of text. */
json_t *show_describe(const struct sens_registry *reg, const char *name);

/* The key NAMEs (wanted in messages) that show_describe knows; name [max]. */
size_t show_names(const struct sens_registry *reg, const char **name, size_t max);

#endif
