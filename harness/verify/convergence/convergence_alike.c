/* Do the results have one order? Where the number of steps becomes N' from N,
 *
 *     q = log(e / e') / log(N' / N)
 *
 * is the order of each of x, G, dG/dp, dG/dx0. Of a discrete method, whose steps are doubled, or multiplied with
 * another power of two: that of a map's own derivative is the map's, and a quadrature of lower order than the formula
 * makes G the worst of all: its error falls, and is far above the one that the state shows. Of a continuous one, whose
 * tolerance falls: its derivative may be read from an interpolant, whose order limits it; a line between the ends of a
 * step, or a cubic that takes two slopes for one another, is of order 2, below that of any interpolant in use. */

#include "convergence.h"

/* A whole order less, and what two rungs tell of one; a number of steps is rounded between observations. */
static const double LESS = 0.75, SECOND = 1.75, ROUNDED = 0.05, NONE = 1e-9;
/* The error of what is read from an interpolant of order q falls as h^(q + 1); by so much less it is let pass, so that
 * of a formula of its own a quadratic between the ends of a step does. */
static const double LET = 0.5;

/* By which power of two the steps became more, which need not be whole where they follow an error test; 0: by none that
 * tells an order. */
static double doublings(bool equal, long before, long after)
{
    const double power = log2((double)after / (double)before), whole = round(power);
    if (!equal) return power >= 0.5 ? power : 0;
    return whole >= 1 && fabs(power - whole) <= ROUNDED ? whole : 0;
}

/* The order from rung k - 1 to k; NaN: rounding, or next to no error, says nothing. */
static double order_at(const struct ladder *ladder, bool equal, const long *steps, int k)
{
    const bool clean = ladder_clean(ladder, k - 1) && ladder_clean(ladder, k) && ladder->error[k] > NONE;
    const double power = doublings(equal, steps[k - 1], steps[k]);
    return clean && power > 0 ? log2(ladder->error[k - 1] / ladder->error[k]) / power : NAN;
}

/* The least by which the part is behind x, or what is expected of it, over the last two pairs of rungs: an error may be
 * small by accident on one. 0: it is not, or that cannot be told. */
static double behind(const struct ladder *x, const struct ladder *part, double most,
                     const struct rungs *rungs)
{
    double least = INFINITY;
    if (rungs->count < 3) return 0;
    for (int k = rungs->count - 2; k < rungs->count; k++) {
        const double own = order_at(part, rungs->equal, rungs->steps, k);
        const double state = order_at(x, rungs->equal, rungs->steps, k);
        if (isnan(own) || !(state >= SECOND)) return 0;
        least = fmin(least, fmin(state, most) - own);
    }
    return fmax(least, 0);
}

void convergence_judge_alike(const struct ladder *const ladder[SENS_PARTS],
                             const char *const name[SENS_PARTS], const struct rungs *rungs,
                             struct verify_result *result)
{
    const double most = rungs->equal ? INFINITY : rungs->interpolant + 1 - LET;
    struct worst worst = {.count = 0};
    const struct ladder *const x = ladder[SENS_PART_X];
    for (enum sens_part k = 0; x && k < SENS_PARTS; k++) {
        char words[VERIFY_SUBJECT], state[VERIFY_SUBJECT];
        if (!ladder[k] || k == SENS_PART_X) continue;
        ladder_words(ladder[k], words);
        ladder_words(x, state);
        worst_note_in(
            &worst, 1u << k, behind(x, ladder[k], most, rungs), LESS,
            "%s is of lower order than x, by the numbers of steps: errors %s, of x %s; orders apart", name[k],
            words, state);
    }
    if (worst_passes(&worst)) return;
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_lower_order, 0.97);
    verify_blame(result, CAUSE_missing_running_cost, 0.3);
}
