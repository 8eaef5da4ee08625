/* A loss of three kinds, of which the third, Tukey's, goes on beyond its width in the derivative alone.
 *
 * verify: --quick --cost third_loss
 * module: cost third_loss
 * cause: option_path */
#include <tgmath.h>

#include "sens/plugin.h"

enum kind { SQUARES, CAUCHY, TUKEY };

static enum kind kind_of(const struct sens_cost *cost)
{
    return (enum kind)cost->option[0].number;
}

static sens_real loss(enum kind kind, sens_real r, sens_real width)
{
    const sens_real q = r * r / (width * width);
    if (kind == SQUARES) return r * r / 2;
    if (kind == CAUCHY) return width * width / 2 * log1p(q);
    return width * width / 6 * (q < 1 ? q * (3 + q * (q - 3)) : 1);
}

static sens_real slope(enum kind kind, sens_real r, sens_real width)
{
    const sens_real q = r * r / (width * width);
    return kind == SQUARES ? r : kind == CAUCHY ? r / (1 + q) : r * (1 - q) * (1 - q);
}

static void phi(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, sens_real *G)
{
    (void)j, (void)p;
    const sens_real width = (sens_real)cost->option[1].number;
    for (size_t i = 0; i < cost->n; i++) G[0] += loss(kind_of(cost), x[i], width);
}

static void phi_dx(const struct sens_cost *cost, size_t j, const sens_real *x, const sens_real *p, size_t c0,
                   size_t L, sens_real *OUT)
{
    (void)j, (void)p;
    const sens_real width = (sens_real)cost->option[1].number;
    if (c0 > 0 || L == 0) return;
    for (size_t i = 0; i < cost->n; i++) OUT[i * L] += slope(kind_of(cost), x[i], width);
}

#include "observed.h"

static const char *const kinds[] = {"squares", "cauchy", "tukey", NULL};
static const struct sens_option options[] = {
    {.name = "loss", .kind = SENS_OPT_CHOICE, .choices = kinds, .help = "of residuals"},
    {.name = "width",
     .kind = SENS_OPT_REAL,
     .fallback = 4.685,
     .min = 0.01,
     .max = 1e3,
     .help = "of the loss"},
    SENS_OPTIONS_END,
};

static SENS_COST(third_loss) = {.name = "third_loss",
                                .options = options,
                                .summary = "a robust loss against 0",
                                .create = create,
                                .phi = phi,
                                .phi_dx = phi_dx};
static const struct sens_cost_type *const costs[] = {&sens_cost_third_loss, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "third_loss", .costs = costs};
