/* The end of Newton's method, see newton.h. */
#include "newton.h"

#include <tgmath.h>

#include "rules.h"

enum { MOST_ITERATIONS = 16, MOST_RENEWALS = 8, MOST_GROWTHS = 3 };
static const sens_real SLOW = SENS_C(0.1); /* a theta: two more iterations for a digit or so */
/* Units of rounding, 2e-13 with doubles, far below every tolerance (shallow_water, side = 40: 70 to 90). */
static const sens_real MOST_NOISE = 1024;

/* Below which size a component of this part does not matter to the error test. */
static sens_real least_size(const struct sens_ode_part *part, sens_real top)
{
    return part->rtol > 0 ? part->atol / part->rtol : SENS_C(1e-3) * top;
}

static void measure_part(const struct sens_ode_part *part, const sens_real *d, const sens_real *Y,
                         sens_real top, struct sens_newton *it)
{
    const sens_real least = least_size(part, top);
    for (size_t q = 0; q < part->count; q++) {
        const sens_real off = fabs(d[q]), y = fabs(Y[q]);
        if (off == 0) continue;
        it->largest = sens_larger(off, it->largest);
        it->own = sens_larger(off / y, it->own); /* infinite: Newton goes on, as far as it is of use */
        it->near = sens_larger(off / sens_larger(y, fmin(least, top)), it->near);
        it->size = sens_larger(off / sens_larger(y, least), it->size);
    }
}

/* Of one stage or of all of them, one after the other. */
static void measure(const struct sens_ode *ode, size_t size, const sens_real *d, const sens_real *Y,
                    struct sens_newton *it)
{
    const sens_real before = it->size;
    sens_real top = 0;
    for (size_t q = 0; q < size; q++) top = sens_larger(fabs(Y[q]), top);
    it->own = it->near = it->size = it->largest = 0;
    for (size_t q = 0; q < size;)
        for (size_t k = 0; k < ode->n_parts; q += ode->part[k].count, k++)
            measure_part(&ode->part[k], d + q, Y + q, top, it);
    if (top > 0) it->largest /= top;
    it->theta = it->count > 1 && before > 0 ? it->size / before : SENS_C(0.5);
    it->growths += it->theta > 1;
    if (it->count > 1) it->fastest = it->count > 2 ? fmin(it->theta, it->fastest) : it->theta;
}

/* What is left, as a multiple of the last correction. The first ratio alone may be small by luck, where the second
 * correction passes through 0 in its course: with one of 1e-7, and then of 6e-5, as much as 1e-13 of the state was
 * left. So it is taken for the second power of the one that follows. */
static sens_real left_of(const struct sens_newton *it)
{
    const sens_real theta = it->count == 2 ? sqrt(it->theta) : it->theta;
    return theta < 0.5 ? theta / (1 - theta) : 1;
}

/* Rounding of f, which on a fine grid is a difference of terms some hundred times as large as what moves a component:
 * corrections by one matrix shrink by one ratio, and these have ceased to all at once. A new df/dx would not help. */
static bool is_noise(const struct sens_newton *it)
{
    return it->count > 2 && it->theta > SLOW && it->fastest <= SLOW * SLOW &&
           it->near <= MOST_NOISE * SENS_EPSILON;
}

/* Rounding: of each component, or of what matters where the corrections get no smaller. What is below the tolerances
 * altogether is converged like everything else: derivatives are of the map, whatever the scale of the states. */
static bool is_done(const struct sens_newton *it)
{
    const sens_real unit = SENS_EPSILON;
    return left_of(it) * it->own <= unit || (it->theta > SLOW && it->near <= 64 * unit) || is_noise(it);
}

/* Far below the tolerance, where the iteration is at its end: it converges still, or it did, and what goes up and down
 * since is rounding that the problem amplifies (transistor: that of a base voltage, some thousand times). */
static bool will_do(const struct sens_ode *ode, const struct sens_newton *it)
{
    sens_real bound = SENS_C(1e-9);
    for (size_t k = 0; k < ode->n_parts; k++) {
        const sens_real rtol = ode->part[k].rtol;
        if (rtol > 0) bound = fmin(rtol * SENS_C(1e-3), bound);
    }
    return (it->theta < 1 || it->fastest <= SLOW) && left_of(it) * it->size <= bound;
}

enum sens_newton_next sens_newton_judge(const struct sens_ode *ode, size_t size, const sens_real *d,
                                        const sens_real *Y, struct sens_newton *it)
{
    it->count++;
    measure(ode, size, d, Y, it);
    if (is_done(it)) return SENS_NEWTON_DONE;
    if (it->count == MOST_ITERATIONS || it->growths == MOST_GROWTHS)
        return will_do(ode, it) ? SENS_NEWTON_DONE : SENS_NEWTON_FAILED;
    if (it->count == 1 || it->theta <= SLOW || it->renewals++ >= MOST_RENEWALS) return SENS_NEWTON_GO_ON;
    return SENS_NEWTON_RENEW;
}

double sens_newton_left(const struct sens_newton *it)
{
    return (double)(left_of(it) * it->largest);
}
