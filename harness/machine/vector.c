/* How wide the vectors are that a core multiplies at its full rate, found by timing: a processor may take an
 * instruction of 64 bytes in two halves, and hwloc does not tell. */
#include "vector.h"

#include <math.h>

#include "modules.h"
#include "seconds.h"

enum { PASSES = 10000, TRIES = 9 }; /* some twenty microseconds a try: a millisecond would be interrupted */

static double seconds_of(const struct sens_peak *loops)
{
    const double start = seconds_now();
    volatile double sink = loops->fma(PASSES, 0.5, 1e-3);
    (void)sink;
    return seconds_now() - start;
}

size_t vector_at_full_rate(size_t count, const size_t *bytes, const double *rate)
{
    const double worth = 1.4; /* whole: 2, or less where wide vectors lower the clock; in halves: 1 */
    size_t widest = 0;
    for (size_t i = 1; i < count; i++)
        if (rate[i] > worth * rate[widest]) widest = i;
    return count > 0 ? bytes[widest] : 0;
}

/* The shortest time of each counts, as what disturbs a try makes it longer, and they take turns. */
size_t vector_find(void)
{
    enum { MOST = 8 };
    const struct sens_registry *const *all = variant_all();
    const struct sens_peak *loops[MOST];
    size_t bytes[MOST], count = 0;
    double shortest[MOST], rate[MOST];
    for (size_t i = 0; all[i] && count < MOST; i++)
        if (variant_supported(all[i])) loops[count] = all[i]->peak, shortest[count++] = INFINITY;
    for (int round = 0; round < TRIES; round++)
        for (size_t i = 0; i < count; i++) shortest[i] = fmin(shortest[i], seconds_of(loops[i]));
    for (size_t i = 0; i < count; i++)
        bytes[i] = loops[i]->vector, rate[i] = shortest[i] > 0 ? loops[i]->flops * PASSES / shortest[i] : 0;
    return vector_at_full_rate(count, bytes, rate);
}
