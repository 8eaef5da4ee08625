/* Every group of checks, in the order of the report. A new group is one file and one line here. */
#include "groups.h"

#define VERIFY_GROUP_LIST(X)                                                                                 \
    X(verify_purity)                                                                                         \
    X(verify_products)                                                                                       \
    X(verify_second)                                                                                         \
    X(verify_structure)                                                                                      \
    X(verify_reach)                                                                                          \
    X(verify_along)                                                                                          \
    X(verify_lanes)                                                                                          \
    X(verify_initial)                                                                                        \
    X(verify_exact)                                                                                          \
    X(verify_cost)                                                                                           \
    X(verify_provider)                                                                                       \
    X(verify_wrapped)                                                                                        \
    X(verify_quotients)                                                                                      \
    X(verify_tableau)                                                                                        \
    X(verify_controller)                                                                                     \
    X(verify_asked)                                                                                          \
    X(verify_limits)                                                                                         \
    X(verify_gradient)                                                                                       \
    X(verify_coarse)                                                                                         \
    X(verify_convergence)                                                                                    \
    X(verify_steps)                                                                                          \
    X(verify_invariance)                                                                                     \
    X(verify_surroundings)                                                                                   \
    X(verify_place)                                                                                          \
    X(verify_neighbours)                                                                                     \
    X(verify_formulas)                                                                                       \
    X(verify_tolerances)                                                                                     \
    X(verify_units)                                                                                          \
    X(verify_extremes)                                                                                       \
    X(verify_drawn)                                                                                          \
    X(verify_threads)                                                                                        \
    X(verify_transforms)                                                                                     \
    X(verify_costs)                                                                                          \
    X(verify_failures)                                                                                       \
    X(verify_domain)                                                                                         \
    X(verify_structured)                                                                                     \
    X(verify_structured_pair)                                                                                \
    X(verify_pair)                                                                                           \
    X(verify_cross)

#define VERIFY_GROUP_DECLARE(group) extern const struct verify_group group;
VERIFY_GROUP_LIST(VERIFY_GROUP_DECLARE)

#define VERIFY_GROUP_ROW(group) &group,
const struct verify_group *const verify_groups[] = {VERIFY_GROUP_LIST(VERIFY_GROUP_ROW) NULL};
