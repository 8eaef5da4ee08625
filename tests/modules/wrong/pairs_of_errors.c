/* A step controller that takes estimates two at a time, and leaves out the last of an odd number.
 *
 * verify: --quick --check controller.*
 * module: controller pairs_of_errors
 * cause: controller_norm */
#define A32 0.75
#define RALSTON_ALONE
#include "ralston.h"

static void in_pairs(const struct sens_ode_part *piece, const struct sens_trial *trial,
                     struct sens_error_norm *norm)
{
    struct sens_ode_part even = *piece;
    even.count -= piece->count % 2;
    largest(&even, trial, norm);
}

static const struct sens_controller pairs = {.name = "pairs_of_errors",
                                             .summary = "two at a time",
                                             .adaptive = true,
                                             .add = in_pairs,
                                             .norm = read_off,
                                             .factor = factor};
static const struct sens_tableau *const tableaux[] = {&ralston, NULL};
static const struct sens_controller *const controllers[] = {&plain, &pairs, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "pairs_of_errors", .tableaux = tableaux,
               .controllers = controllers};
