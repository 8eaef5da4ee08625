/* harness/verify/base/verify.h - the checks that tell a wrong gradient from a right one, and name the cause.
 *
 * A group is a set of checks that are made together on one module (a problem, a cost, a method, a tableau) or
 * on a method applied to a problem. A unit is a group with its modules; units are independent of one another,
 * and the program runs each in a process of its own. Nothing here prints, forks or looks at a clock.
 *
 * Three derivatives are told apart (sens/method.h, enum sens_derivative):
 *     continuous   of the exact solution
 *     discrete     of the discrete map over the frozen accepted grid
 *     difference   of the discrete map with its step controller, by difference quotients */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

#include "sens/registry.h"

enum verify_verdict {
    VERIFY_PASS,
    VERIFY_FAIL,
    VERIFY_SKIP, /* the check does not apply or could not be made; the text says why */
    VERIFY_LIMIT /* it failed as a known limit (limits.c) lets expect */
};

enum { VERIFY_NAME = 64, VERIFY_SUBJECT = 192, VERIFY_TEXT = 640, VERIFY_BLAMES = 5 };

/* A probable cause (causes.h) and how well it explains the failure: 1 reproduces the numbers, 0 not at
 * all. */
struct verify_blame {
    char cause[VERIFY_NAME];
    double weight;
};

struct verify_result {            /* of one check on one subject; plain data: it crosses a pipe */
    char check[VERIFY_NAME];      /* id of a struct verify_check */
    char module[VERIFY_NAME];     /* whose fault a failure is: "problem glv", "method cfsa" */
    char subject[VERIFY_SUBJECT]; /* what was looked at: instance, cost, tableau, controller, tolerance */
    enum verify_verdict verdict;
    unsigned parts;         /* fail: SENS_IN_*; 0: the check does not tell */
    bool declared;          /* limit: one that the method declares itself */
    bool unmade;            /* fail: a skip that --require does not allow; nothing was found wrong */
    double value, bound;    /* pass: value <= bound; NaN where nothing is compared */
    char text[VERIFY_TEXT]; /* fail: the evidence; skip, limit: the reason; "" for a pass */
    int blames;             /* best first */
    struct verify_blame blame[VERIFY_BLAMES];
};

/* How closely a pass of a check holds its module to what is right. */
enum verify_level {
    VERIFY_UNLEVELLED, /* says nothing of that: a status, memory, two settings that agree with one another */
    VERIFY_TO_TOLERANCE, /* right to the size of a tolerance or a step, or to the slope of an error */
    VERIFY_TO_ROUNDING   /* right to rounding, that of extrapolated differences among it */
};

struct verify_group;

struct verify_check {
    const char *id;          /* "vjp.transpose" */
    const char *summary;     /* one line: what holds */
    const char *bound;       /* one line: where the bound comes from */
    const char *explanation; /* a few sentences: what is done, what a failure means, what to look at first */
    enum verify_level level;
    bool essential; /* a module on which it is made in no case at all fails */
};

/* What a group is about, and so which modules its units have. */
enum verify_kind {
    VERIFY_PROBLEM,    /* problem: its callbacks, before any solve */
    VERIFY_COST,       /* cost: its callbacks */
    VERIFY_METHOD,     /* method: on the harness's own probe problem and cost */
    VERIFY_TABLEAU,    /* tableau */
    VERIFY_CONTROLLER, /* step controller */
    VERIFY_PAIR,       /* method and problem */
    VERIFY_CROSS,      /* problem: every method against every other */
    VERIFY_PROVIDER,   /* provider of products: what it can wrap */
    VERIFY_WRAPPED,    /* provider and problem: what it makes of the problem */
    VERIFY_QUOTIENTS   /* the same of a provider that is approximate */
};

/* What the tasks that a method solved in this unit were like: from the least to the largest of each. */
enum verify_axis {
    TRIED_N,
    TRIED_NP,
    TRIED_M,
    TRIED_STEPS,
    TRIED_OBSERVATIONS,
    TRIED_LANES,
    TRIED_THREADS,
    TRIED_RTOL,
    TRIED_ATOL,
    TRIED_T0,
    TRIED_LENGTH,
    TRIED_AXES
};
struct verify_tried {
    long tasks;
    double least[TRIED_AXES], most[TRIED_AXES];
};

/* What a problem may offer, and a method may do without (sens/problem.h). */
enum verify_offer { VERIFY_RHS_T = 1, VERIFY_HVP = 2 };

/* One unit at work. */
struct verify {
    const struct sens_registry *reg;
    const struct verify_group *const *groups; /* all that there are; ends with NULL */
    bool quick;
    unsigned long seed; /* 0: the standard run; else sizes, tolerances, points and directions drawn from it */
    const struct sens_problem_type *problem; /* the unit's modules; NULL those it does not have */
    const struct sens_cost_type *cost;
    const struct sens_method_type *method;
    const struct sens_tableau *tableau;
    const struct sens_controller *controller;
    const struct sens_provider *provider; /* with a problem: that problem as it wraps it */
    char module[VERIFY_NAME]; /* whose fault a failure is, unless it shows otherwise: "method cfsa" */
    const struct sens_option *const *held; /* options that were given, which are not varied; NULL: none */
    const char *method_glob;               /* VERIFY_CROSS: which methods take part; NULL = all */
    const char *problem_glob;              /* VERIFY_COST: problems that were named; NULL: none */
    gsl_rng *rng;      /* seeded from seed and the names of group and modules: a unit is reproducible alone */
    bool reintegrates; /* the method has shown a backward solve that stores nothing: the state goes back */
    struct verify_tried tried;
    bool offers_found;
    unsigned offers;     /* VERIFY_*: what the method refuses to go without, once found */
    char refused[256];   /* what it says without them */
    struct sens_ctx ctx; /* arena of the unit */
    void (*emit)(void *self, const struct verify_result *result);
    void *self;
};

struct verify_group {
    const char *name;
    enum verify_kind kind;
    const struct verify_check *checks; /* ends with id == NULL */
    void (*run)(struct verify *v);     /* emits at least one result for each of its checks */
    bool wraps;     /* VERIFY_PROBLEM: made on the problems that a provider wraps, too, as its module */
    bool elsewhere; /* VERIFY_PROBLEM: looks where no solve of a pair goes, and says nothing of one */
};

/* NULL: none of the groups has it. */
const struct verify_check *verify_find_check(const struct verify_group *const *groups, const char *id);

struct verify_unit {
    const struct verify_group *group;
    const struct sens_problem_type *problem;
    const struct sens_cost_type *cost;
    const struct sens_method_type *method;
    const struct sens_tableau *tableau;
    const struct sens_provider *provider;
    const struct sens_controller *controller;
};

/* Runs the group of the unit in this process. reg, groups, quick, seed, the globs, emit, self are the caller's.
 * SENS_NO_MEMORY when the session cannot be set up. */
sens_status verify_run_unit(const struct verify_unit *unit, struct verify *v);

/* "problem glv", "method cfsa on problem glv", ... into name [VERIFY_SUBJECT]; and the one of its modules that the
 * unit is about: "method cfsa". */
void verify_unit_name(const struct verify_unit *unit, char *name);
void verify_unit_module(const struct verify_unit *unit, char module[VERIFY_NAME]);

#endif
