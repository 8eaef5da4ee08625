/* harness/verify/reach/reach.h - what a solve may come upon and the ordinary points, sizes and options do not: for
 * the group reach. */
#ifndef VERIFY_REACH_H
#define VERIFY_REACH_H

#include "calls.h"
#include "products.h"

/* Notes all products, and those of the declared structure, at one point, each with one random vector. */
void reach_note_place(struct worst *worst, const struct subject *subject, const struct sens_at *at);
/* Is that within its bounds? */
bool reach_right_at(const struct subject *subject, const struct sens_at *at);

/* Notes blocks of L lanes against one random combination of the lanes, at a point: jvp, vjp, columns of
 * jvp_p_cols from a random one on, and vjp_p_batch of K points, which is also compared with single points. */
void reach_note_blocks(struct worst *worst, const struct subject *subject, size_t L, size_t K);

/* ---- reach.places (reach_places.c) ---- */

enum { REACH_BASES = 4 };
struct reach_bases { /* states that a solve visits */
    int count;
    const double *x[REACH_BASES];
};
struct reach_bases reach_bases_create(const struct subject *subject);
/* In stratum k of the interval, beside one of the states: as far as rhs goes. at->x and at->p are of the
 * unit's arena. false: nowhere. */
bool reach_draw_place(const struct subject *subject, const struct reach_bases *bases, int k, int strata,
                      struct sens_at *at);
/* Adds what the other groups would say of a place where a product is wrong. */
void reach_look_for_causes(const struct subject *subject, const struct sens_at *at,
                           struct verify_result *result);
/* The same, and whether it is wrong at that time alone; `beside`: at states beside the solution alone. */
void reach_blame_place(const struct subject *subject, const struct reach_bases *bases,
                       const struct sens_at *at, bool beside, struct verify_result *result);
void reach_check_places(const struct subject *subject);
/* reach_sides.c: notes the products at times that an option names, where rhs jumps. */
void reach_note_sides(struct worst *worst, const struct subject *subject);

/* reach.far (reach_far.c): places several orders of magnitude away. */
void reach_check_far(const struct subject *subject);
/* One of these; `number` says which entries are far. at->x and at->p are of the unit's arena. false: rhs has no values
 * there. */
bool reach_draw_far(const struct subject *subject, const struct reach_bases *bases, int number,
                    struct sens_at *at);

/* reach.branches (reach_branches.c): both sides of the comparisons of rhs. */
void reach_check_branches(const struct subject *subject);

/* reach.options (reach_options.c). `usual`: the default instance is right. Adds to `left` what was not varied. */
void reach_check_options(struct verify *v, const char *module, bool usual, char left[VERIFY_TEXT / 2]);
/* The instance with these options (NaN: the default), if there is one that is small enough. */
bool reach_create(struct verify *v, const double *set, struct instance *instance);
/* reach_parameter.c: notes what the instance with option `which` of `set` has of it beside the parameter that it is. */
void reach_note_parameter(struct verify *v, const double *usual_set, const double *set, size_t which,
                          struct worst *worst);
/* Of two instances: equal sizes, t0 and t1; equal sizes and t0, and another t1. */
bool reach_same_interval(const struct sens_problem *a, const struct sens_problem *b);
bool reach_other_end(const struct sens_problem *a, const struct sens_problem *b);
/* The problem, with the options that were given: the subject of what is said of more than one instance. */
void reach_name_problem(const struct verify *v, char label[VERIFY_SUBJECT]);

/* reach.at_zero (reach_zero.c) */
void reach_check_at_zero(const struct subject *subject);
/* reach.zeros and reach.scale (reach_linear.c) */
void reach_check_zeros(const struct subject *subject);
void reach_check_scale(const struct subject *subject);
/* reach.threads and reach.instances (reach_calls.c) */
void reach_check_threads(const struct subject *subject);
void reach_check_instances(const struct subject *subject);

#endif
