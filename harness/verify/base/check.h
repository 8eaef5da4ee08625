/* harness/verify/base/check.h - what a group of checks is written with. */
#ifndef VERIFY_CHECK_H
#define VERIFY_CHECK_H

#include <math.h>

#include "causes.h"
#include "verify.h"

/* ---- results ------------------------------------------------------------------------------------------- */

/* The worst of many comparisons that make one check: the one with the largest value / bound. A value that is
 * not a number is worse than any number. */
struct worst {
    size_t count;
    size_t unbounded; /* not compared: their bounds are infinite */
    unsigned parts;   /* beyond their bounds: SENS_IN_* */
    double value, bound;
    char where[VERIFY_TEXT / 2];
};
/* Compares value <= bound (both >= 0; 0 <= 0 passes; an infinite bound compares nothing, unless value is no
 * finite number). format says where, in words: "component 3, L = 8". */
void worst_note(struct worst *worst, double value, double bound, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for an entry of this part of the outputs. */
void worst_note_in(struct worst *worst, unsigned part, double value, double bound, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool worst_passes(const struct worst *worst);

/* A result under way: make it, add blame and words, close it. `module` is "problem glv" and so on. */
struct verify_result verify_open(const char *check, const char *module, const char *subject);
/* Verdict, value, bound and, for a failure, text from the worst comparison; skipped when nothing was
 * noted. */
void verify_judge(struct verify_result *result, const struct worst *worst);
/* The same; where nothing was noted, skipped for this reason. */
void verify_judge_or(struct verify_result *result, const struct worst *worst, const char *why);
void verify_fail(struct verify_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
void verify_skip(struct verify_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends to the text. */
void verify_say(struct verify_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a probable cause, or raises its weight; the best VERIFY_BLAMES stay, best first. */
void verify_blame(struct verify_result *result, enum cause cause, double weight);
/* Looks the result up in the known limits and hands it on. A blame on a pass or skip is dropped. */
void verify_close(struct verify *v, struct verify_result *result);
/* open + skip + close, for each of the group's checks that a unit cannot make. */
void verify_skip_check(struct verify *v, const char *check, const char *module, const char *subject,
                       const char *reason);

/* Tells what this unit left as it is, so that nothing is known about it: a skip of the check, with the
 * words. */
void verify_not_varied(struct verify *v, const char *check, const char *module, const char *subject,
                       const char *words);

/* "problem glv" for the modules of the unit. */
void verify_module(const char *kind, const char *name, char module[VERIFY_NAME]);

/* Derives what a module leaves out: the tape. What is compiled is compared with the tape, and looked at where it is
 * named (--provider compiled). NULL: there is none. */
const struct sens_provider *verify_deriver(const struct verify *v);
/* sens_cost_create; with the gradients of the unit's provider, or derived ones where the cost has none. */
sens_status verify_create_cost(struct verify *v, const struct sens_cost_type *type,
                               const struct sens_value *value, const struct sens_problem *problem,
                               struct sens_cost *cost);

/* ---- known limits (limits.c) --------------------------------------------------------------------------- */

/* What is wrong with a limit that the method declares, in words; NULL: nothing. */
const char *limits_fault(const struct verify_group *const *groups, const struct sens_method_type *method,
                         const struct sens_limit *limit);
/* A failure that the method declares, or that is expected of every method, is a limit; a pass that should
 * have failed is a failure. A declared limit that has a fault excuses nothing. */
void limits_apply(const struct verify *v, const struct sens_method_type *method,
                  struct verify_result *result);
/* Index and value of the choice that holds_with names ("type=2a"); false: the method has none such. */
bool limits_choice(const struct sens_method_type *method, const char *holds_with, size_t *option,
                   double *value);

/* ---- arrays -------------------------------------------------------------------------------------------- */

/* Zeroed numbers from the unit's arena. Never NULL: without memory verify_run_unit returns SENS_NO_MEMORY. */
double *verify_array(struct verify *v, size_t count);
void *verify_memory(struct verify *v, size_t count, size_t size);
double *verify_copy(struct verify *v, size_t count, const double *from);
/* Standard normal numbers. */
double *verify_random(struct verify *v, size_t count);
/* v with normal noise of `amount` times each entry (of the mean magnitude where the entry is 0). */
double *verify_perturbed(struct verify *v, size_t count, const double *from, double amount);
/* Uniform in [low, high]; whole numbers, both ends included. */
double verify_uniform(struct verify *v, double low, double high);
long verify_integer(struct verify *v, long low, long high);

/* ---- options ------------------------------------------------------------------------------------------- */

/* Was this option, of a module of the registry, given by the user? Then it keeps its default. */
bool verify_held(const struct verify *v, const struct sens_option *option);
/* Appends "SEPARATOR NAME=VALUE" for each option of the table that was given. */
void verify_name_held(const struct verify *v, const struct sens_option *table, const char *separator,
                      size_t size, char *text);

/* The end of an option's range, but no farther from 0 than `far` times its default, nor nearer than that part of it
 * (of 1 where it is 0): a model of a file allows any number. */
double verify_towards(const struct sens_option *option, double end, double far);

/* ---- instances of a problem ---------------------------------------------------------------------------- */

struct instance {
    struct sens_problem problem;
    char label[VERIFY_SUBJECT / 2]; /* "glv", "glv form=may", "glv n=7 seed=12 p,x0 +-5%" */
};
/* Standard run (seed 0): number 0 is the default instance (options named n at most 8), numbers 1, 2, ... set
 * one CHOICE option to each other choice. Random run: every number below 2 is a draw of every CHOICE, of
 * every INT option named n (at most 12) or seed, with p and x0 perturbed by up to 5 % where the problem
 * accepts it. false: there is no such number. */
bool instance_create(struct verify *v, const struct sens_problem_type *type, int number,
                     struct instance *instance);
/* The default instance with the option n set. false: there is no such option, or it does not take the
 * size. */
bool instance_sized(struct verify *v, const struct sens_problem_type *type, size_t n,
                    struct instance *instance);
/* Likewise with the least n at which it has as many states: on a grid these are not n. */
bool instance_of_states(struct verify *v, const struct sens_problem_type *type, size_t states,
                        struct instance *instance);
/* The default instance with the options `set` (of count options, in the order of the table; NaN: its default,
 * with n at most 8). false: it does not take them. */
bool instance_with(struct verify *v, const struct sens_problem_type *type, const double *set,
                   struct instance *instance);
/* The default instance with a file for one option (call/made_files.h). false: it does not take it. */
struct made_file;
bool instance_with_file(struct verify *v, const struct sens_problem_type *type, size_t option,
                        const struct made_file *file, struct instance *instance);
/* A point: which = 0 nominal (x0, p) in the middle of [t0, t1]; else perturbed by 10 %, at another time. */
struct sens_at instance_point(struct verify *v, const struct sens_problem *pb, int which);

#endif
