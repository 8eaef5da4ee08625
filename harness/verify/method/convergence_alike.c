/* Do the results of equal steps have one order? Where their number is doubled, or multiplied with another power of two,
 *
 *     q = log(e / e') / log(N' / N)
 *
 * is the order of each of x, G, dG/dp, dG/dx0. That of a map's own derivative is the map's, and a quadrature of lower
 * order than the formula makes G the worst of all: its error falls, and is far above the one that the state shows. */
#include <stdio.h>

#include "convergence.h"

/* A whole order less, and what two rungs tell of one; a number of steps is rounded between observations. */
static const double LESS = 0.75, SECOND = 1.75, ROUNDED = 0.05, NONE = 1e-9;

/* By which power of two the steps became more; 0: by none, as where they follow an error test. */
static double doublings(long before, long after)
{
    const double power = log2((double)after / (double)before), whole = round(power);
    return whole >= 1 && fabs(power - whole) <= ROUNDED ? whole : 0;
}

/* The order from rung k - 1 to k; NaN: rounding, or next to no error, says nothing. */
static double order_at(const struct ladder *ladder, const long *steps, int k)
{
    const bool clean = ladder_clean(ladder, k - 1) && ladder_clean(ladder, k) && ladder->error[k] > NONE;
    const double power = doublings(steps[k - 1], steps[k]);
    return clean && power > 0 ? log2(ladder->error[k - 1] / ladder->error[k]) / power : NAN;
}

/* The least by which the part is behind x, over the last two pairs of rungs: an error may be small by accident on one.
 * 0: it is not, or that cannot be told. */
static double behind(const struct ladder *x, const struct ladder *part, const long *steps, int rungs)
{
    double least = INFINITY;
    if (rungs < 3) return 0;
    for (int k = rungs - 2; k < rungs; k++) {
        const double own = order_at(part, steps, k), state = order_at(x, steps, k);
        if (isnan(own) || !(state >= SECOND)) return 0;
        least = fmin(least, state - own);
    }
    return fmax(least, 0);
}

void convergence_judge_alike(const struct ladder *const ladder[SENS_PARTS],
                             const char *const name[SENS_PARTS], const long *steps, int rungs,
                             struct verify_result *result)
{
    struct worst worst = {.count = 0};
    const struct ladder *const x = ladder[SENS_PART_X];
    for (enum sens_part k = 0; x && k < SENS_PARTS; k++) {
        char words[VERIFY_SUBJECT], state[VERIFY_SUBJECT];
        if (!ladder[k] || k == SENS_PART_X) continue;
        ladder_words(ladder[k], words);
        ladder_words(x, state);
        worst_note_in(
            &worst, 1u << k, behind(x, ladder[k], steps, rungs), LESS,
            "%s is of lower order than x, by the numbers of steps: errors %s, of x %s; orders apart", name[k],
            words, state);
    }
    if (worst_passes(&worst)) return;
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_lower_order, 0.97);
    verify_blame(result, CAUSE_missing_running_cost, 0.3);
}
