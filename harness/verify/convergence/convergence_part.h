/* harness/verify/convergence/convergence_part.h - the results part by part, with their errors from rung to rung, and
 * what order.exact looks at beside its rungs. */
#ifndef VERIFY_CONVERGENCE_PART_H
#define VERIFY_CONVERGENCE_PART_H

#include "convergence.h"
#include "refinement.h"

struct part { /* of the results, with the error on each rung */
    const char *name;
    size_t count;
    const double *got, *truth, *unsure;
    double done; /* relative: an error below is none */
    bool judged;
    struct ladder ladder;
};

/* Of a scene whose results are to become `goal`. */
void convergence_find_parts(const struct scene *scene, const struct expected *goal, enum way way,
                            struct part part[SENS_PARTS]);
/* The error of the last solve. */
void convergence_add_rung(struct part *part, double h);

/* The error a few steps beside a rung is that of the rung, or at least of the one before: on each of them one
 * error may be small by accident, so that a factor is allowed. */
static const double CONVERGENCE_BESIDE = 4;

/* What it solved on the rung, it solves beside it: that there is no solution is a failure. */
bool convergence_fails_beside(struct bed *bed, const char *words, struct verify_result *result);

/* Observed a sliver later, the error is still that of the last rung. A fixed step has to meet what is observed. */
void convergence_judge_slivers(struct scene *scene, const struct part part[SENS_PARTS],
                               const struct refinement *by, const struct rungs *rungs,
                               struct verify_result *result);
/* Nine observations, unevenly or almost evenly apart: no error is much larger than the largest usual one, or by a
 * tolerance than its own. */
void convergence_judge_stops(struct scene *scene, const struct part part[SENS_PARTS],
                             const struct refinement *by, const struct rungs *rungs,
                             struct verify_result *result);

#endif
