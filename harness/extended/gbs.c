/* The rule of Gragg, Bulirsch and Stoer, explicit: a step H by the smoothed midpoint rule with n_j = 2, 4,
 * ..., 16 substeps, extrapolated in (H/n_j)^2: order 16. Hairer, Norsett, Wanner: Solving Ordinary
 * Differential Equations I, II.9, eq. (9.10) and (9.13). Increments are extrapolated, not states, so that
 * rounding stays near one unit in the last place of a step. */
#include <string.h>

#include "march.h"

enum { TABLE = 8 }; /* rows of the extrapolation table */

struct gbs {
    sens_real *slope0, *slope, *stage, *d, *d_old;
    sens_real *table[TABLE]; /* the current row of increments */
};

/* The increment over [t, t + H] by the smoothed midpoint rule with `parts` substeps. */
static sens_status midpoint(const struct sens_march *march, int parts, sens_real *increment)
{
    const struct gbs *gbs = march->own;
    const size_t size = march->size;
    const sens_real h = march->H / parts;
    for (size_t i = 0; i < size; i++) {
        gbs->d_old[i] = 0;
        gbs->d[i] = h * gbs->slope0[i];
    }
    for (int part = 1; part <= parts; part++) {
        for (size_t i = 0; i < size; i++) gbs->stage[i] = march->y[i] + (march->carry[i] + gbs->d[i]);
        const sens_status status =
            sens_variation_slope(march->system, march->t + part * h, gbs->stage, gbs->slope);
        if (status != SENS_OK) return status;
        if (part == parts) break;
        for (size_t i = 0; i < size; i++) {
            const sens_real next = gbs->d_old[i] + 2 * h * gbs->slope[i];
            gbs->d_old[i] = gbs->d[i];
            gbs->d[i] = next;
        }
    }
    for (size_t i = 0; i < size; i++) increment[i] = (gbs->d[i] + gbs->d_old[i] + h * gbs->slope[i]) / 2;
    return SENS_OK;
}

/* Aitken-Neville: row j of the table from row j - 1 and its own first entry, which stands in table[j]. */
static void extrapolate(const struct gbs *gbs, size_t size, int j)
{
    for (int k = 1; k <= j; k++) {
        const sens_real ratio = (sens_real)(j + 1) / (sens_real)(j + 1 - k), divisor = ratio * ratio - 1;
        sens_real *above = gbs->table[k - 1], *entry = gbs->table[j];
        for (size_t i = 0; i < size; i++) {
            const sens_real left = entry[i];
            entry[i] = left + (left - above[i]) / divisor;
            above[i] = left;
        }
    }
}

static sens_status begin(struct sens_march *march)
{
    const struct gbs *gbs = march->own;
    return sens_variation_slope(march->system, march->t, march->y, gbs->slope0);
}

static sens_status trial(struct sens_march *march)
{
    const struct gbs *gbs = march->own;
    for (int j = 0; j < TABLE; j++) {
        const sens_status status = midpoint(march, 2 * (j + 1), gbs->table[j]);
        if (status != SENS_OK) return status;
        extrapolate(gbs, march->size, j);
    }
    const sens_real *last = gbs->table[TABLE - 1], *before = gbs->table[TABLE - 2];
    memcpy(march->increment, last, march->size * sizeof *last);
    for (size_t i = 0; i < march->size; i++) march->estimate[i] = last[i] - before[i];
    return SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, struct sens_march *march)
{
    const size_t size = sens_variation_size(march->system);
    struct gbs *gbs = SENS_NEW(ctx, struct gbs, 1);
    if (!gbs) return SENS_NO_MEMORY;
    sens_real **const vector[] = {&gbs->slope0, &gbs->slope, &gbs->stage, &gbs->d, &gbs->d_old};
    bool enough = true;
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++)
        enough = (*vector[i] = SENS_NEW(ctx, sens_real, size)) && enough;
    for (int j = 0; j < TABLE; j++) enough = (gbs->table[j] = SENS_NEW(ctx, sens_real, size)) && enough;
    march->own = gbs;
    return enough ? SENS_OK : SENS_NO_MEMORY;
}

const struct sens_march_rule sens_march_gbs = {
    .name = "Gragg-Bulirsch-Stoer",
    .order = 2 * TABLE - 1,
    .block = 32,
    .memory = 1,
    .share = SENS_C(0x1p-14),
    .share_x = SENS_C(0x1p-14),
    .create = create,
    .begin = begin,
    .trial = trial,
};
