/* sens/plugin.h - a module of problems, costs, methods, providers of products, tableaux or
 * step controllers built outside this tree.
 *
 * A shared object that defines one object named sens_plugin and is loaded with `--plugin FILE`:
 *
 *     static const struct sens_method_type *const methods[] = {&sens_method_mine, NULL};
 *     SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "mine", .methods = methods};
 *
 * It includes the headers of this folder only and may call every function they declare: the program exports
 * them, in double precision. One copy serves all instruction sets. Loading it must leave the floating-point
 * state as it is: a module linked with -ffast-math is refused.
 *
 * Names (of the module, of what it offers, of choices) are made of letters, digits and _ . + -, begin with a
 * letter or digit and have at most 63 characters; names of options begin with a letter, have no + and -, and
 * differ from the keys that every cell has (tol, dt, ...). A number has min <= fallback <= max; the fallback
 * of a choice is the index of one of its choices. What a module prints to standard output goes to standard
 * error: results are not its own. */
#ifndef SENS_PLUGIN_H
#define SENS_PLUGIN_H

#include "sens/cost.h"
#include "sens/decorate.h"
#include "sens/lanes.h"
#include "sens/method.h"
#include "sens/problem.h"
#include "sens/provider.h"

/* 100 times a number, plus the parts of a result. The number is raised with every incompatible change of a header of
 * this folder; a line more in the list of sens/result.h changes the sum by itself. */
#define SENS_PLUGIN_ABI (100 * 20 + SENS_PARTS)

struct sens_plugin {
    size_t size;                                     /* of this struct, where the module was compiled */
    unsigned abi;                                    /* SENS_PLUGIN_ABI, likewise */
    const char *name;                                /* of the module, for messages */
    const struct sens_problem_type *const *problems; /* the tables end with NULL; NULL = none */
    const struct sens_cost_type *const *costs;
    const struct sens_method_type *const *methods;
    const struct sens_provider *const *providers;
    const struct sens_tableau *const *tableaux;
    const struct sens_controller *const *controllers; /* adaptive: the fixed step is the program's own */
};

#define SENS_PLUGIN_HEADER .size = sizeof(struct sens_plugin), .abi = SENS_PLUGIN_ABI

/* Defines the object; the declaration keeps it visible under -fvisibility=hidden. */
#define SENS_PLUGIN                                                                                          \
    extern const struct sens_plugin sens_plugin SENS_LINK_NAME(sens_plugin)                                  \
        __attribute__((visibility("default")));                                                              \
    const struct sens_plugin sens_plugin

#endif
