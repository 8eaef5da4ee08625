#include "guard.h"

#include "check.h"

enum { GUARD = 64 };
static const double CANARY = 7.25e-290; /* so small that whatever is added to it shows */

double *guard_create(struct verify *v, size_t count)
{
    double *const output = verify_array(v, count + 2 * GUARD) + GUARD;
    for (size_t i = 0; i < GUARD; i++) output[count + i] = *(output - 1 - i) = CANARY;
    return output;
}

size_t guard_breaches(size_t count, const double *output)
{
    size_t broken = 0;
    for (size_t i = 0; output && i < GUARD; i++)
        broken += (size_t)(output[count + i] != CANARY) + (size_t)(*(output - 1 - i) != CANARY);
    return broken;
}
