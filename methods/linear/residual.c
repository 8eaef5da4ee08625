/* methods/linear/residual.c - see residual.h. */
#include "residual.h"

#include <tgmath.h>

bool sens_residual_leave_off(size_t rows, size_t L, sens_real entries, const sens_real *unit,
                             const sens_real *terms, sens_real *R)
{
    const sens_real rounds = SENS_EPSILON * (entries + 2);
    bool any = false;
    for (size_t l = 0; l < L; l++) {
        sens_real top = 0;
        bool off = false; /* what is no number is off */
        for (size_t i = 0; i < rows; i++)
            top = fmax(unit ? terms[i * L + l] / unit[i] : terms[i * L + l], top);
        const sens_real least = SENS_EPSILON * SENS_EPSILON * top;
        for (size_t i = 0; i < rows && !off; i++)
            off = !(fabs(R[i * L + l]) <= rounds * (terms[i * L + l] + (unit ? least * unit[i] : least)));
        for (size_t i = 0; i < rows && !off; i++) R[i * L + l] = 0;
        any = any || off;
    }
    return any;
}
