/* A step controller whose steps grow with a power of the error that has the wrong sign for errors that are accepted.
 *
 * verify: --quick --check controller.*
 * module: controller exponent_of_steps
 * cause: controller_law */
#define A32 0.75
#define RALSTON_ALONE
#include "ralston.h"

static sens_real upside_down(struct sens_controller_memory *memory, sens_real h, sens_real err,
                             const struct sens_tableau *tableau)
{
    const sens_real right = factor(memory, h, err, tableau);
    return err > 1 ? right : fmin(right, 1 + fmin(1, err));
}

static const struct sens_controller wrong = {.name = "exponent_of_steps",
                                             .summary = "h grows where the error does",
                                             .adaptive = true,
                                             .add = largest,
                                             .norm = read_off,
                                             .factor = upside_down};
static const struct sens_tableau *const tableaux[] = {&ralston, NULL};
static const struct sens_controller *const controllers[] = {&plain, &wrong, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "exponent_of_steps", .tableaux = tableaux,
               .controllers = controllers};
