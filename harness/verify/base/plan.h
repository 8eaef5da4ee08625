/* harness/verify/base/plan.h - which units a run has, and in which order.
 *
 * A unit is in the plan when each of its modules matches the pattern of its kind and, where patterns are
 * given, at least one of its modules is of a kind that has one; where methods are named and providers are
 * not, providers are left out, and the other way round. Left out, unless they are named, are sources of
 * products that find a structure by themselves, as they do not take every problem, and in a quick run models, which
 * take a minute. With method/problem pairs come the groups on the problems themselves: a pair is worth
 * running only on a problem whose callbacks can be trusted. */
#ifndef VERIFY_PLAN_H
#define VERIFY_PLAN_H

#include "verify.h"

struct verify_choice { /* glob patterns (fnmatch); NULL: all */
    const char *problem, *method, *cost, *provider, *check;
    const char *require; /* checks that may not be skipped; NULL: none but the essential ones */
    bool quick;          /* more is left out: plan_leaves */
};

struct plan_unit {
    struct verify_unit unit;
    bool support; /* not asked for: it tells whether the problem of a pair can be trusted */
};

/* In the order of the report: problems, costs, tableaux, controllers, providers, methods, pairs, cross; within a kind
 * module after module, and for each its groups in their order. */
struct verify_plan {
    size_t count;
    struct plan_unit *unit;
    struct verify_choice choice; /* that it was made by */
};

/* groups ends with NULL. false without memory; else plan_free. */
bool plan_create(const struct sens_registry *reg, const struct verify_group *const *groups,
                 const struct verify_choice *choice, struct verify_plan *plan);
void plan_free(struct verify_plan *plan);

/* Is a problem, or a provider, left out because it is not named? The other one is NULL. */
bool plan_leaves(const struct verify_choice *choice, const struct sens_problem_type *problem,
                 const struct sens_provider *provider);

/* The unit runs only where the problem's own units (VERIFY_PROBLEM) have no failure. */
bool plan_needs_trust(const struct verify_unit *unit);
/* Is this a unit about the problem of the other one, and about nothing else? */
bool plan_vouches(const struct verify_unit *unit, const struct verify_unit *other);

/* What there is of a unit beside its module: "group pair on problem glv". */
void plan_subject(const struct verify_unit *unit, char subject[VERIFY_SUBJECT]);

/* Is the result to be reported? A supporting unit's only when it is a failure. */
bool plan_shows(const struct plan_unit *unit, const struct verify_choice *choice,
                const struct verify_result *result);

/* Is a check of this pattern made, and shown, in the plan? */
bool plan_makes(const struct verify_plan *plan, const struct verify_choice *choice, const char *pattern);

/* The check that belongs to every unit: that it ends by itself, and has a result for each of its checks. */
extern const struct verify_check plan_completes;

#endif
