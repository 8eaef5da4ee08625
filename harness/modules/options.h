/* harness/modules/options.h - what a table of options has to be, see sens/option.h. */
#ifndef MODULES_OPTIONS_H
#define MODULES_OPTIONS_H

#include <stdbool.h>

#include "refuse.h"
#include "sens/option.h"

/* Each option can be asked for by its name and no other is meant by it; it has a help and a known kind; what it is
 * when it is not given is a value that could be given. Else false, and a message that begins with the owner ("plugin
 * FILE: method 'NAME'") and names the option and the value. Loaded modules are held to it when they are loaded, those
 * of the tree by a test. NULL: no option. */
bool options_check(const char *owner, const struct sens_option *table, struct bench_error *error);

#endif
