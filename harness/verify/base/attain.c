/* A method of low order cannot meet a tolerance that one of fifth order meets with ease: a second-order
 * method takes 1e4 times the steps from 1e-3 to 1e-11. */
#include "attain.h"

static const double LOOSEST = 1e-3, TIGHTER = 100, HIGH_ORDER = 4, LOOSER = 10;
enum { LOOKS = 4 };

/* Trial steps at this tolerance; 0: it fails, or does not say. */
static long steps_at(struct bed *bed, double tol)
{
    bed_tolerance(bed, tol);
    if (bed_solve(bed) != SENS_OK) return 0;
    return bed->work.steps > 0 ? bed->work.steps + bed->work.rejects : bed->grid.steps;
}

/* From two tolerances, TIGHTER apart, and their steps. */
static double order_of(long loose, long tight)
{
    return tight > loose ? log(TIGHTER) / log((double)tight / (double)loose) : INFINITY;
}

static double reach(struct bed *bed, double wanted, long most)
{
    double tol = LOOSEST;
    long before = steps_at(bed, tol);
    for (int k = 0; k < LOOKS && before > 0 && tol / TIGHTER > wanted; k++) {
        const long steps = steps_at(bed, tol / TIGHTER);
        if (steps == 0) return tol; /* the last that it met */
        const double order = order_of(before, steps);
        tol /= TIGHTER;
        before = steps;
        if (!(order < HIGH_ORDER) && k == 0) continue; /* the loosest may take the fewest steps there are */
        if (!(order < HIGH_ORDER)) return wanted;
        const double reached = tol * pow((double)steps / (double)most, order);
        if (k > 0 || reached <= wanted) return fmax(wanted, reached);
    }
    return wanted;
}

/* An order says how steps grow, and not that they come in powers of two, or that their last number is within
 * the limit: what was reckoned is solved for. */
static double met(struct bed *bed, double reckoned)
{
    double tol = reckoned;
    while (tol < LOOSEST && steps_at(bed, tol) == 0) tol *= LOOSER;
    return fmin(tol, fmax(reckoned, LOOSEST));
}

double attain_tolerance(struct bed *bed, double wanted, long most)
{
    const unsigned caps = bed->method->caps;
    const double rtol = bed->task.rtol, atol = bed->task.atol;
    if (!(caps & SENS_CAP_TOLERANCE) || caps & SENS_CAP_TABLEAU) return wanted;
    double reached = reach(bed, wanted, most);
    if (reached > wanted) reached = met(bed, reached);
    bed->task.rtol = rtol;
    bed->task.atol = atol;
    return reached;
}
