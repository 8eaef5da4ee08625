/* harness/verify/method/convergence.h - what the checks of the group convergence share. */
#ifndef VERIFY_CONVERGENCE_H
#define VERIFY_CONVERGENCE_H

#include "scene.h"

/* The probe of the group: standard, or drawn. */
struct scene_settings convergence_settings(struct verify *v, const char *tableau, const char *controller);

/* order.exact */
void convergence_exact(struct verify *v);

/* order.decay */
void convergence_decay(struct verify *v);

/* test.inside and test.dilution */
void convergence_inside(struct verify *v, const char *tableau, const char *controller);
void convergence_dilution(struct verify *v, const char *tableau, const char *controller);

#endif
