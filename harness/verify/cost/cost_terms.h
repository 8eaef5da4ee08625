/* harness/verify/cost/cost_terms.h - a cost on a problem, taken apart into the terms that it is the sum of:
 *
 *     phi_c(j, x, p), j < n_obs,   and   w g_c(t, x, p) at a time t with a weight w.
 *
 * A term has three parts: its value [1][m] and its derivatives [n][m], [np][m] with respect to x and p. */
#ifndef VERIFY_COST_TERMS_H
#define VERIFY_COST_TERMS_H

#include "check.h"
#include "decorate.h"
#include "fpstate.h"
#include "made_files.h"
#include "probe.h"

struct cost_case {
    struct verify *v;
    struct sens_problem problem;
    struct sens_cost cost;
    /* false: create succeeds with what sens_cost_create refuses, or its gradients cannot be derived; v->ctx.message
     * says why */
    bool valid;
    char label[VERIFY_SUBJECT];
    struct fp_state clean; /* the floating-point environment before the cost was first called */
};

/* More states and parameters than are worth a difference for each. */
bool cost_is_large(const struct cost_case *at);

/* look(case) for the unit's cost on five problems in quick mode, and those that were named, else on all, with its
 * defaults and with other options; memory is given back after each. Returns how many there were. */
int cost_each(struct verify *v, void (*look)(const struct cost_case *at));

enum part { PART_VALUE, PART_DX, PART_DP, PARTS };

struct term {
    const struct cost_case *at;
    bool running;
    size_t j;    /* observation */
    double t, w; /* running */
};
struct place {
    const double *x, *p;
};

enum { MOST_TERMS = 7 };
/* The first, middle and last observation, the running cost at four times; returns how many there are. */
size_t cost_terms(const struct cost_case *at, struct term term[MOST_TERMS]);
/* 0: nominal; else perturbed, within the domain of the cost as far as it can be had. */
struct place cost_place(const struct cost_case *at, int which);
/* States of either sign, where a loss may have another branch. false: the cost has no value there. */
bool cost_place_of_signs(const struct cost_case *at, struct place *place);

size_t term_rows(const struct term *term, enum part part);
/* Is there a callback for it? A missing phi_dp or g_dp stands for zero. */
bool term_has(const struct term *term, enum part part);
/* OUT [rows][L] += lanes c0 ... c0 + L - 1 of the part; the value has all m lanes whatever c0 and L say. */
void term_add(const struct term *term, enum part part, struct place place, size_t c0, size_t L, double *OUT);
/* All m lanes by themselves. */
double *term_part(const struct term *term, enum part part, struct place place);
/* |a - b|; 0 where both are no numbers: cost.taylor says that. */
double entry_distance(double a, double b);
/* Entry by entry, what rounding can do to D = term_part(...): the spread when the inputs are shaken by a few
 * roundings, and a few roundings of the entry itself. */
double *term_rounding(const struct term *term, enum part part, struct place place, const double *D);
/* "phi_dx of observation 2", "g_dp at t = 0.5" */
void term_name(const struct term *term, enum part part, char name[VERIFY_NAME]);

/* The derivatives by differences of the value alone. */
struct differences {
    double *d, *bound; /* [rows][m]; an entry that cannot be had has an infinite bound */
};
struct differences term_differences(const struct term *term, enum part part, struct place place);

/* look(case) for the unit's cost on a probe of these sizes, with the options `set` (NaN: the default). false: they
 * do not go together. */
bool cost_with(struct verify *v, const struct probe_settings *settings, const double *set,
               void (*look)(const struct cost_case *at));

/* By default, on a probe of these sizes: does create succeed with what sens_cost_create refuses? v->ctx.message says
 * why it does. */
bool cost_breaks_contract(struct verify *v, const struct probe_settings *settings);

/* The same with a file for one option in place of other options. */
bool cost_with_file(struct verify *v, const struct probe_settings *settings, size_t option,
                    const struct made_file *file, void (*look)(const struct cost_case *at));

/* from + s direction (NULL: none), a few roundings off where `shaken`. */
double *cost_moved(struct verify *v, size_t count, const double *from, const double *direction, double s,
                   bool shaken);
/* About a tenth of the numbers of `from`. */
double *cost_direction(struct verify *v, size_t count, const double *from);
/* Is the part wrong along a random direction? */
bool cost_is_wrong(const struct term *term, enum part part, struct place place);

/* cost.places (cost_places.c), cost.solve (cost_solve.c), cost.many, cost.threads (cost_many.c) */
void cost_check_places(const struct cost_case *at);
void cost_check_solve(const struct cost_case *at);
void cost_check_many(struct verify *v);
void cost_check_threads(struct verify *v);
/* Notes one part along a random direction: D^T direction against the slope of the value, for all
 * functionals. */
void cost_note_line(struct worst *worst, const struct term *term, enum part part, struct place place);
/* Notes the comparison along a direction that `compare` draws each time, the most favourable of three. */
void cost_note_directions(struct worst *worst, void (*compare)(const void *self, struct worst *here),
                          const void *self);

/* The part is wrong at the place. Is it right at others, for the same observation or time? Then the cost is
 * one in pieces, which is said and blamed. */
bool cost_blame_branch(const struct term *term, enum part part, struct place place,
                       struct verify_result *result);

/* cost.taylor (cost_taylor.c) */
void cost_check_taylor(const struct cost_case *at);
/* cost.lanes (cost_lanes.c) */
void cost_check_lanes(const struct cost_case *at);
/* cost.times, cost.empty (cost_contract.c). false: the instance is not fit for further checks. */
bool cost_check_times(const struct cost_case *at);
/* cost.times on many intervals of time. */
void cost_check_intervals(struct verify *v);
void cost_check_empty(struct verify *v);
/* cost.parameters (cost_contract.c) */
void cost_check_parameters(const struct cost_case *at);
/* cost.zero (cost_singular.c), cost.jumps (cost_jumps.c) */
void cost_check_zero(const struct cost_case *at);
void cost_check_equal(const struct cost_case *at);
void cost_check_jumps(const struct cost_case *at);

#endif
