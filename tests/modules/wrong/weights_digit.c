/* Heun's formula with 1e-6 of one weight in the other: their sum is 1, each row's is c, and the errors for halved steps
 * fall as h^2 until rounding ends them.
 *
 * verify: --quick --check tableau.*
 * module: tableau weights_digit
 * cause: tableau_coefficient wrong_weights */
#include <sens/plugin.h>
#include <sens/tableau.h>

static const sens_real a[4] = {[2] = 1}, b[2] = {0.5 + 1e-6, 0.5 - 1e-6}, e[2] = {-0.5, 0.5}, c[2] = {0, 1};

static const struct sens_tableau tableau = {
    .name = "weights_digit",
    .summary = "Heun's formula with a wrong digit",
    .source = "a copy with a mistake",
    .stages = 2,
    .order = 2,
    .order_hat = 1,
    .a = a,
    .b = b,
    .e = e,
    .c = c,
    .dense_order = 2,
};

static const struct sens_tableau *const tableaux[] = {&tableau, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "weights_digit", .tableaux = tableaux};
