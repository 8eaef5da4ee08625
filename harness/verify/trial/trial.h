/* harness/verify/trial/trial.h - one method solving the probe in more than one way: how far apart its results may
 * lie, and what a difference says. For the groups invariance, costs and failures. */
#ifndef VERIFY_TRIAL_H
#define VERIFY_TRIAL_H

#include "scene.h"

/* ---- tasks --------------------------------------------------------------------------------------------- */

/* m outputs with every part that the method can do; sizes drawn in a random run. A method of difference
 * quotients gets a fixed step: on steps of its own, the noise of its values is tol over the bump. One of the
 * continuous kind gets a tight tolerance, which is all that bounds its difference from itself. */
struct scene_settings trial_settings(struct verify *v, size_t m);
/* The same, and where the method takes no tableau or no controller, its own. */
struct scene_settings trial_open_settings(struct verify *v, size_t m);
/* The same with fixed steps. */
struct scene_settings trial_fixed_settings(struct verify *v, size_t m);
/* The decorated problem and cost with the numbers of the scene's task. */
void trial_decorated(const struct scene *scene, const struct sens_problem *problem,
                     const struct sens_cost *cost, struct bed *bed);

/* The problem with callbacks that give way to other threads before they work, so that what threads share is
 * seen half made, on one processor too. */
struct sens_problem trial_yielding(struct verify *v, const struct sens_problem *inner);

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* Does a solve of the task, as it stands, get what is expected? What is wrong from the start is another check's
 * business, and says nothing of what is varied here. */
bool trial_right(struct scene *scene);
/* Why trial_apart, after a solve, gave no bound: the status and message of the solve, or what is not
 * known. */
void trial_skip(const struct bed *bed, struct verify_result *result);
/* The bound alone, twice: two right solves of one task lie no further apart. */
sens_status trial_apart(struct scene *scene, struct sens_out *apart);
/* The same for solves that differ in nothing which may reach the steps, after one of the scene's task: a method whose
 * map is its own, and cannot be made again, is held to its own digits. */
sens_status trial_same(struct scene *scene, struct sens_out *apart);
/* How far apart the same derivative may be that was computed in another way: nine digits. */
void trial_digits(const struct bed *bed, const struct sens_out *right, struct sens_out *apart);
/* All zero: the same numbers. */
struct sens_out trial_nothing(const struct bed *bed);

/* Notes the last solve of bed against `right`; a status is worse than any number. */
void trial_compare(struct worst *worst, const struct bed *bed, const struct sens_out *right,
                   const struct sens_out *bound, const char *what);

/* The same after a change that may reach the error test: where a method whose derivative is that of its map
 * (discrete, or by differences) reports other steps than `steps`, its result is compared with that on its
 * own. */
void trial_compare_anew(struct worst *worst, const struct bed *bed, const struct grid *steps,
                        const struct sens_out *right, const struct sens_out *bound, const char *what);

/* ---- what a difference says ---------------------------------------------------------------------------- */

struct pattern {
    bool any;        /* something differs by more than the bound */
    bool parameters; /* dG/dp does */
    bool states;     /* dG/dx0 does */
    bool results;    /* x or G does */
    bool doubled;    /* all that differs is twice what it should be */
    bool unset;      /* all that differs is 0 or no number */
    double relative; /* the largest |difference| over the largest number of its array */
};
struct pattern trial_pattern(const struct bed *bed, const struct sens_out *got, const struct sens_out *right,
                             const struct sens_out *bound);
/* Both: what holds of one and the other. */
void trial_merge(struct pattern *all, const struct pattern *one);
/* Which rows of the gradient are wrong, and whose they are, where L outputs travel together. */
void trial_blame_rows(const struct bed *bed, const struct sens_out *got, const struct sens_out *right,
                      const struct sens_out *bound, size_t L, struct verify_result *result);
/* Are the rows that begin a block of L right, and no others? */
bool trial_first_alone(const struct bed *bed, const struct sens_out *got, const struct sens_out *right,
                       const struct sens_out *bound, size_t L);

#endif
