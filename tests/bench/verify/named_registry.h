/* tests/bench/verify/named_registry.h - a registry of names with nothing behind them. */
#ifndef NAMED_REGISTRY_H
#define NAMED_REGISTRY_H

#include "sens/registry.h"

static const struct sens_problem_type good = {.name = "good"}, bad = {.name = "bad"};
static const struct sens_problem_type *const problems[] = {&good, &bad, NULL};
static const struct sens_cost_type cost = {.name = "cost"};
static const struct sens_cost_type *const costs[] = {&cost, NULL};
static const struct sens_method_type one = {.name = "one"}, two = {.name = "two"};
static const struct sens_method_type *const methods[] = {&one, &two, NULL};
static const struct sens_tableau rk4 = {.name = "rk4"};
static const struct sens_tableau *const tableaux[] = {&rk4, NULL};
static const struct sens_registry registry = {
    .isa = "none", .problems = problems, .costs = costs, .methods = methods, .tableaux = tableaux};

#endif
