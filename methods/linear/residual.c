/* methods/linear/residual.c - see residual.h. */
#include "residual.h"

#include "lane_vectors.h"

struct equations { /* as sens_residual_leave_off has them, from some lane on */
    size_t rows, L;
    sens_real rounds;
    const sens_real *unit, *terms;
    sens_real *R;
};

/* The smallest terms that count in an equation of unit 1. */
ALWAYS_INLINE quartet find_least(const struct equations *of, size_t count)
{
    quartet top = {0};
    for (size_t i = 0; i < of->rows; i++) {
        const quartet terms = lanes_load_some(count, of->terms + i * of->L);
        top = lanes_larger(of->unit ? terms / of->unit[i] : terms, top);
    }
    return SENS_EPSILON * SENS_EPSILON * top;
}

/* So many lanes at once. */
ALWAYS_INLINE bool leave_off(const struct equations *of, size_t count)
{
    const quartet least = find_least(of, count), none = {0};
    lanes_truth right = least >= none; /* all */
    for (size_t i = 0; i < of->rows; i++) {
        const quartet R = lanes_load_some(count, of->R + i * of->L);
        const quartet terms = lanes_load_some(count, of->terms + i * of->L);
        right &= lanes_sizes(R) <= of->rounds * (terms + (of->unit ? least * of->unit[i] : least));
    }
    bool any = false;
    for (size_t l = 0; l < count; l++) { /* what is no number is off */
        for (size_t i = 0; lanes_true(right, l) && i < of->rows; i++) of->R[i * of->L + l] = 0;
        any = any || !lanes_true(right, l);
    }
    return any;
}

bool sens_residual_leave_off(size_t rows, size_t L, sens_real entries, const sens_real *unit,
                             const sens_real *terms, sens_real *R)
{
    const sens_real rounds = SENS_EPSILON * (entries + 2);
    bool any = false;
    for (size_t first = 0; first < L; first += QUARTET) {
        const size_t count = L - first < QUARTET ? L - first : QUARTET;
        const struct equations of = {rows, L, rounds, unit, terms + first, R + first};
        const bool some = count == QUARTET ? leave_off(&of, QUARTET) : leave_off(&of, count);
        any = any || some;
    }
    return any;
}
