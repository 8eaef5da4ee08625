/* How wide the vectors are that a core multiplies at its full rate, found by timing: a processor may take an
 * instruction of 64 bytes in two halves, and hwloc does not tell. */
#include "vector.h"

#include <math.h>
#include <stdbool.h>

#include "modules.h"
#include "seconds.h"

enum { PASSES = 10000 }; /* some twenty microseconds a try: a millisecond would be interrupted */

static double seconds_of(void *data, size_t i)
{
    const struct sens_peak *const *loops = data;
    const double start = seconds_now();
    volatile double sink = loops[i]->fma(PASSES, 0.5, 1e-3);
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

/* A single short time may come from a moment when the clock stood higher, and where others share the core all
 * of a few tries are disturbed: the shortest counts when another try came as close to it as NEAR. */
void vector_shortest(size_t count, double (*seconds)(void *data, size_t i), void *data, double *shortest)
{
    enum { LEAST = 9, MOST = 400 };
    const double near = 1.05; /* of two rates a tenth more or less decides nothing: worth is 1.4 */
    double second[VECTOR_MOST];
    for (size_t i = 0; i < count; i++) shortest[i] = second[i] = INFINITY;
    bool settled = false;
    for (int round = 0; round < MOST && !(settled && round >= LEAST); round++) {
        settled = true;
        for (size_t i = 0; i < count; i++) {
            const double took = seconds(data, i);
            second[i] = fmin(second[i], fmax(took, shortest[i]));
            shortest[i] = fmin(shortest[i], took);
            if (!(second[i] <= near * shortest[i])) settled = false;
        }
    }
}

size_t vector_find(void)
{
    const struct sens_registry *const *all = variant_all();
    const struct sens_peak *loops[VECTOR_MOST];
    size_t bytes[VECTOR_MOST], count = 0;
    double shortest[VECTOR_MOST], rate[VECTOR_MOST];
    for (size_t i = 0; all[i] && count < VECTOR_MOST; i++)
        if (variant_supported(all[i])) loops[count++] = all[i]->peak;
    vector_shortest(count, seconds_of, loops, shortest);
    for (size_t i = 0; i < count; i++)
        bytes[i] = loops[i]->vector, rate[i] = shortest[i] > 0 ? loops[i]->flops * PASSES / shortest[i] : 0;
    return vector_at_full_rate(count, bytes, rate);
}
