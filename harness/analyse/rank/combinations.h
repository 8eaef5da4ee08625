/* harness/analyse/rank/combinations.h - parameters that only count together, and as what.
 *
 * A null vector of the stacked matrix is a direction w in the logarithms of the parameters along which no state moves.
 * If w is in whole numbers, what does not change along it are products of powers of its parameters: (1, -1) leaves
 * k1 k2, (1, 1) leaves k1 / k2. If p_k w_k is, these are sums. Near the given values that may be chance, so it is
 * tried: the parameters are moved along the direction, the one that is moved most by a fifth, and the states are solved
 * for again, without any derivative; so from values beside the given ones, where a - b and a / b are two things if
 * a = b was given. A product or sum is one where no state moves by more than ten times rtol; any other direction is
 * local, a statement near the given values. */
#ifndef ANALYSE_COMBINATIONS_H
#define ANALYSE_COMBINATIONS_H

#include "spectrum.h"

enum combination_kind { COMBINATION_PRODUCT, COMBINATION_SUM, COMBINATION_LOCAL };
extern const char *const combination_kind_name[];

enum { COMBINATION_TEXT = 1024 };
struct combination {
    enum combination_kind kind;
    double *w;     /* [cols] d ln p, whole for a product; d p, whole for a sum */
    double change; /* largest change of a state, by its unit, along it; NaN: it could not be solved */
    char text[COMBINATION_TEXT]; /* "k1 and k2 only as k1 * k2" */
};

struct combinations { /* memory of the arena */
    size_t count;     /* cols - rank */
    struct combination *combination;
};

/* SENS_NO_MEMORY. A solve that fails leaves its change NaN. */
sens_status combinations_find(struct sens_ctx *ctx, const struct analysis *analysis,
                              const struct stacked *stacked, const struct spectrum *spectrum,
                              struct combinations *combinations);

/* combination_words.c: of a whole direction, by names: "a and b only as a * b", "a, b and c only as a * b and a / c".
 * Powers, or, for a sum, multiples. */
void combination_words(size_t cols, const double *w, const char *const *name, enum combination_kind kind,
                       char text[COMBINATION_TEXT]);

#endif
