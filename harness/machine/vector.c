/* How wide the vectors are that a core multiplies at its full rate, found by timing: a processor may take an
 * instruction of 64 bytes in two halves, and hwloc does not tell. */
#include "vector.h"

#include <math.h>
#include <pthread.h>

#include "modules.h"
#include "seconds.h"

enum { PASSES = 10000, TRIES = 5 }; /* some twenty microseconds a try: a millisecond would be interrupted */

/* Operations a second, at most: what disturbs a try makes it slower. */
static double rate_of(const struct sens_peak *loops)
{
    double shortest = INFINITY;
    volatile double sink = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = seconds_now();
        sink = sink + loops->fma(PASSES, 0.5, 1e-3);
        shortest = fmin(shortest, seconds_now() - start);
    }
    return shortest > 0 ? loops->flops * PASSES / shortest : 0;
}

size_t vector_at_full_rate(size_t count, const size_t *bytes, const double *rate)
{
    const double worth =
        1.4; /* 2 at full rate, 1 in halves; less than 2 where wide vectors lower the clock */
    size_t widest = 0;
    for (size_t i = 1; i < count; i++)
        if (rate[i] > worth * rate[widest]) widest = i;
    return count > 0 ? bytes[widest] : 0;
}

static size_t found;

static void find(void)
{
    enum { MOST = 8 };
    const struct sens_registry *const *all = variant_all();
    size_t bytes[MOST], count = 0;
    double rate[MOST];
    for (size_t i = 0; all[i] && count < MOST; i++) {
        if (!variant_supported(all[i])) continue;
        bytes[count] = all[i]->peak->vector;
        rate[count++] = rate_of(all[i]->peak);
    }
    found = vector_at_full_rate(count, bytes, rate);
}

size_t machine_vector(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return found;
}
