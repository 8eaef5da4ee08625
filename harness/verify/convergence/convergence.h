/* harness/verify/convergence/convergence.h - what the checks of the group convergence share. */
#ifndef VERIFY_CONVERGENCE_H
#define VERIFY_CONVERGENCE_H

#include "scene.h"

/* The probe of the group: standard, or drawn. */
struct scene_settings convergence_settings(struct verify *v, const char *tableau, const char *controller);

/* order.exact */
void convergence_exact(struct verify *v);
/* The number of steps on each rung of a ladder; equal: refined by their number, and not by a tolerance. */
struct rungs {
    const long *steps;
    int count;
    bool equal;
    int interpolant; /* its order, where one is read */
};
/* Fails it where the rungs show that G or a gradient is of lower order than x (convergence_alike.c). A part that is not
 * judged is NULL. */
void convergence_judge_alike(const struct ladder *const ladder[SENS_PARTS],
                             const char *const name[SENS_PARTS], const struct rungs *rungs,
                             struct verify_result *result);

/* order.mass */
void convergence_mass(struct verify *v);

/* order.decay */
void convergence_decay(struct verify *v);

/* test.inside and test.dilution */
void convergence_inside(struct verify *v, const char *tableau, const char *controller);
void convergence_dilution(struct verify *v, const char *tableau, const char *controller);

#endif
