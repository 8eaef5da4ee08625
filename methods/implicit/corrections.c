/* Corrections of lanes, see corrections.h. */
#include "corrections.h"

#include <string.h>
#include <tgmath.h>

#include "rules.h"

enum { MOST_CORRECTIONS = 20 };

static const sens_real LEAST =
    SENS_C(0x1p-1022); /* what is smaller has fewer digits, and a vector that decays ends there */

static const sens_real WORTHLESS = SENS_C(0.5); /* a ratio of two corrections: factors of M cost less */

struct correction_lane {
    enum { GOES_ON, DONE, FAILED } end;
    sens_real most; /* the largest entry of its last correction */
    sens_real top;  /* the largest of X */
    bool rounding;  /* that is rounding of the largest entry of X */
};

sens_status corrections_create(struct sens_ctx *ctx, size_t rows, size_t L, struct corrections *corrections)
{
    *corrections = (struct corrections){.rows = rows,
                                        .lane = SENS_NEW(ctx, struct correction_lane, L),
                                        .last = SENS_NEW(ctx, sens_real, rows * L)};
    return corrections->lane && corrections->last ? SENS_OK : SENS_NO_MEMORY;
}

void corrections_start(struct corrections *corrections, size_t L, sens_real *X)
{
    memset(X, 0, corrections->rows * L * sizeof *X);
    for (size_t l = 0; l < L; l++) corrections->lane[l] = (struct correction_lane){.end = GOES_ON};
    corrections->count = 0;
}

/* An entry with a correction d is settled where that is its rounding, or was no smaller than half of the one before,
 * once: the noise that is left falls and rises. *last: of the one before; 0: the entry is settled. */
static bool settle(sens_real d, sens_real x, sens_real *last)
{
    const bool settled = d <= SENS_EPSILON * x + LEAST || d >= *last / 2;
    *last = settled ? 0 : d;
    return settled;
}

/* X += D in a lane, and what becomes of it. */
static void correct_lane(struct corrections *corrections, size_t L, size_t l, const sens_real *D,
                         sens_real *X)
{
    struct correction_lane *const lane = &corrections->lane[l];
    const sens_real before = lane->most;
    const bool was_rounding = lane->rounding;
    sens_real most = 0, top = 0;
    bool settled = true;
    for (size_t r = 0; r < corrections->rows; r++) {
        sens_real *const last = &corrections->last[r * L + l];
        const sens_real d = fabs(D[r * L + l]), x = fabs(X[r * L + l] += D[r * L + l]);
        if (d > most || isnan(d)) most = d; /* once it is no number, it stays so */
        top = sens_larger(x, top);
        if (!was_rounding)
            *last = d;
        else if (!settle(d, x, last))
            settled = false;
    }
    lane->most = most;
    lane->top = top;
    lane->rounding = most <= 64 * SENS_EPSILON * top + LEAST;
    const bool there = most == 0 || (was_rounding && settled && lane->rounding);
    const bool stuck = corrections->count == MOST_CORRECTIONS ||
                       (corrections->count > 1 && most > WORTHLESS * before && !lane->rounding);
    if (isfinite(most) && there)
        lane->end = DONE;
    else if (!isfinite(most) || stuck)
        lane->end = FAILED;
}

bool corrections_add(struct corrections *corrections, size_t L, const sens_real *D, sens_real *X)
{
    bool going = false;
    corrections->count++;
    for (size_t l = 0; l < L; l++) {
        if (corrections->lane[l].end == GOES_ON) correct_lane(corrections, L, l, D, X);
        going = going || corrections->lane[l].end == GOES_ON;
    }
    return going;
}

sens_real corrections_left(const struct corrections *corrections, size_t L)
{
    sens_real left = 0;
    for (size_t l = 0; l < L; l++) {
        const struct correction_lane *const lane = &corrections->lane[l];
        const sens_real part = lane->end == FAILED ? lane->most / lane->top : 0;
        if (part > left || isnan(part)) left = part;
    }
    return left;
}

bool corrections_failed(const struct corrections *corrections, size_t L)
{
    for (size_t l = 0; l < L; l++)
        if (corrections->lane[l].end == FAILED) return true;
    return false;
}

void corrections_replace(const struct corrections *corrections, size_t L, const sens_real *right,
                         sens_real *X)
{
    for (size_t q = 0; q < corrections->rows * L; q++)
        if (corrections->lane[q % L].end == FAILED) X[q] = right[q];
}
