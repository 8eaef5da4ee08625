/* harness/verify/trial/agree.h - what a method has to agree with on a task, and how closely, by what it declares.
 *
 *     kind         target T                              bound
 *     discrete     tangent of the map on its own steps   rounding, measured (oracle_rounding)
 *     continuous   derivative of the exact solution      what local errors of the size of the tolerance do,
 *                                                        measured (oracle_tolerance), and T's uncertainty
 *     difference   tangent of the map on fixed steps     truncation of a quotient with a larger bump, and the
 *                                                        rounding of two values over the bump
 *
 * So two methods a and b agree when |a - b| <= bound_a + bound_b + |T_a - T_b|, entry by entry. */
#ifndef VERIFY_AGREE_H
#define VERIFY_AGREE_H

#include "oracle.h"

struct target {
    struct sens_out value, bound;
};

/* Discrete: on the steps of the last bed_solve; SENS_UNSUPPORTED where the method reports none, or has a
 * tableau of its own. */
sens_status target_frozen(const struct bed *bed, struct target *target);
struct horizon { /* what a task is made of */
    const struct sens_problem *problem;
    const struct sens_method_type *method;
    double tol;
    unsigned parts;                    /* of the probe cost */
    const struct sens_cost_type *cost; /* NULL: the probe cost */
};
/* A task with its continuous target, on the problem's interval or, where errors of the size of the tolerance
 * grow so much on it that nothing could be told, on the longest of its halves, quarters, ... on which they do
 * not. *exact* is the derivative of the exact solution, from the closed form where there is one that the cost
 * can use, else from fine steps, with its own uncertainty as the bound; *target* has the bound widened by
 * what the task's tolerances allow. */
sens_status agree_horizon(struct verify *v, const struct horizon *want, struct bed *bed, struct target *exact,
                          struct target *target);
/* Difference: on equal steps of the task's tableau, as many as make the bound small where that is possible;
 * their number, or 0, and why. */
long target_difference(const struct bed *bed, struct target *target, const char **why_not);
/* The bound of a quotient over given steps, from the derivative of the map and its rounding. */
sens_status target_quotient(const struct bed *bed, const struct grid *grid, struct target *target);
/* From the closed form of the discrete map of a fixed-step task: values only, whose bound is that of
 * target_frozen. false: there is none. */
bool agree_discrete_form(const struct bed *bed, struct sens_out *value);

/* Does the harness's own adaptive solve get to t1 at this tolerance, and in how many steps? */
bool agree_solvable(const struct bed *bed, double tol, long *steps);
/* A number of equal steps that follows the solution, a multiple of 8 so that they meet every observation of
 * the probe cost; 0: none. */
long agree_fixed_steps(const struct bed *bed);
/* |a - b|, entry by entry. */
struct sens_out agree_distance(const struct bed *bed, const struct sens_out *a, const struct sens_out *b);
/* Blames single faults by what they do on the steps that the method reported, or on steps of its tolerance.
 */
void agree_blame(const struct bed *bed, const struct sens_out *right, struct verify_result *result);
/* |bound|_F / |value|_F over the gradients: above 1, the comparison says nothing. */
double target_weakness(const struct bed *bed, const struct target *target);

#endif
