/* A PI controller that keeps the errors of rejected trials as if they had been accepted: behind a bad one a step that
 * is rejected once more may grow.
 *
 * verify: --quick --check controller.*
 * module: controller error_of_rejected
 * cause: controller_law */
#define A32 0.75
#define RALSTON_ALONE
#include "ralston.h"

static sens_real pi_factor(struct sens_controller_memory *memory, sens_real h, sens_real err,
                           const struct sens_tableau *tableau)
{
    (void)h;
    const sens_real order = (sens_real)tableau->order_hat + 1, err_now = fmax(err, SENS_C(1e-10));
    const sens_real before =
        memory->err_old > 0 ? pow(fmax(memory->err_old, SENS_C(1e-4)), SENS_C(0.4) / order) : 1;
    const sens_real value = SENS_C(0.9) * pow(err_now, SENS_C(-0.7) / order) * before;
    memory->err_old = err;
    memory->rejected = err > 1;
    return fmin(5, fmax(SENS_C(0.2), value));
}

static const struct sens_controller pi = {.name = "error_of_rejected",
                                          .summary = "PI control",
                                          .adaptive = true,
                                          .add = largest,
                                          .norm = read_off,
                                          .factor = pi_factor};
static const struct sens_tableau *const tableaux[] = {&ralston, NULL};
static const struct sens_controller *const controllers[] = {&plain, &pi, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "error_of_rejected", .tableaux = tableaux,
               .controllers = controllers};
