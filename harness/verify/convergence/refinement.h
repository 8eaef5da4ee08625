/* harness/verify/convergence/refinement.h - how the steps of a method are made finer, rung by rung: by what it has for
 * that. */
#ifndef VERIFY_REFINEMENT_H
#define VERIFY_REFINEMENT_H

#include "scene.h"

enum way { BY_TOLERANCE, BY_STEP, BY_OPTION, BY_INTERVAL };

struct refinement {
    enum way way;
    size_t option; /* BY_OPTION: its number */
    double factor; /* and what it is multiplied with from rung to rung */
};

/* Of the method of the scene: a tolerance, a fixed step, an option of its own; else shorter intervals. */
struct refinement refinement_find(struct scene *scene);
/* Rung k = 0, 1, ...; *h: the tolerance, or a length in proportion to the steps. false: there is none. */
bool refinement_take(struct bed *bed, const struct refinement *by, int k, double *h);
/* The steps from t0 to t1 of rung k, with an odd number where it has an even one between observations at 3/8
 * and 5/8, or the other way round: a rule may be right for one of them alone. false: nothing counts steps. */
bool refinement_turn_parity(struct bed *bed, const struct refinement *by, int k);
/* The subject of a result: the scene's, and what is refined. */
void refinement_say(const struct scene *scene, const struct refinement *by, char subject[VERIFY_SUBJECT]);
/* Of the last solve, as they are told or counted. */
long refinement_steps(const struct bed *bed);

/* The most that a solve may take; equal ones as well. */
enum { MAX_STEPS = 50000 };

#endif
