/* harness/verify/blame/hypotheses.h - the catalogue of single faults, each a change of a scheme. */
#ifndef VERIFY_HYPOTHESES_H
#define VERIFY_HYPOTHESES_H

#include "oracle_run.h"

/* Where the fault sits. */
enum fault_place {
    FAULT_SWEEP = 1,  /* in the derivative alone: the states and stages are right */
    FAULT_SOLVE = 2,  /* in the map alone: a right derivative along wrong states */
    FAULT_BOTH = 4,   /* in both */
    FAULT_REPLAY = 8, /* in the stages that the derivative recomputes */
    FAULT_PLACES = 4
};

struct suspect { /* what an alteration may look at */
    const struct oracle *oracle;
    long batch; /* points of a batch and lanes that the method reports; 0: none */
    long lanes;
};

struct hypothesis {
    enum cause cause;
    const char *what; /* in words, where the cause's name does not say it all */
    unsigned places;  /* enum fault_place */
    /* Variants 0, 1, ...; false: there is no such variant, or it changes nothing on this task. */
    bool (*alter)(const struct suspect *suspect, struct scheme *scheme, long variant);
    long variants; /* 0: as many as the tableau has stages */
    double weight; /* at most 1; less for the less specific of two that may coincide */
};

/* Each ends with alter == NULL.
 *
 * Faults may coincide on a task (a lost last batch may hold all points there are). The more specific then has
 * the larger weight: what is due to one term before what is due to a batch's size, a step before a stage. */
extern const struct hypothesis hypotheses_of_steps[], hypotheses_of_terms[], hypotheses_of_numbers[];

/* [s] the stages that lambda depends on; in the arena. */
bool *live_stages(const struct oracle *oracle, const struct scheme *scheme);

/* Columns of got [m][width] that have the wrong sign, where all others are right; NULL:
 * none. */
size_t columns_reversed(size_t m, size_t width, const double *got, const double *right);

/* The factor c for which c b is nearest to a, over rows of [m][width]; counts the entries of b that are not 0. */
double nearest_factor(size_t rows, const size_t *row, size_t width, const double *a, const double *b,
                      size_t *entries);

#endif
