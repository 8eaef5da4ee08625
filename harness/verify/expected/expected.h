/* harness/verify/expected/expected.h - what must come out of a task, how closely, and why.
 *
 *     kind         value                                 bound
 *     discrete     derivative of the map on its steps    rounding, measured (oracle_rounding)
 *     continuous   derivative of the exact solution      its uncertainty, and what local errors of the size of
 *                                                        the tolerance do, measured (oracle_tolerance)
 *     difference   derivative of the map on its steps    rounding, the truncation of a quotient with a larger
 *                                                        bump, and the rounding of two values over the bump
 *
 * So two methods a and b agree when |a - b| <= bound_a + bound_b + |value_a - value_b|, entry by entry. A bound
 * is put together: expected_map and expected_exact begin one, expected_allow_* add to it. */
#ifndef VERIFY_EXPECTED_H
#define VERIFY_EXPECTED_H

#include "oracle.h"

struct expected {
    struct sens_out value, bound;
    const char *why; /* of what the value is, in words; where nothing can be expected, why not */
};

/* All zero, in the bed's arena. */
struct expected expected_zero(const struct bed *bed);
/* Notes what `got` is off by, over the parts that both have. */
void expected_compare(struct worst *worst, const struct bed *bed, const struct sens_out *got,
                      const struct expected *expected);
/* Of x and G alone; of the gradients alone. */
struct expected expected_state(const struct expected *expected);
struct expected expected_gradient(const struct expected *expected);
/* |bound|_F / |value|_F over the gradients: above 1, a comparison says nothing. */
double expected_weakness(const struct bed *bed, const struct expected *expected);

/* Notes the residual of an identity at `got` (NULL: at the expected value itself), against what the bounds and so many
 * roundings of its terms make of it, and the residual at the expected value. */
void expected_note_identity(struct worst *worst, const struct bed *bed, const struct sens_identity *identity,
                            const struct expected *expected, const struct sens_out *got, double roundings);

/* ---- steps (expected_grid.c) ---------------------------------------------------------------------------- */

/* Equal steps on [t0, t1], `steps` in all where the observations are multiples of one; they land on the
 * observations whatever these are. To be freed by grid_free, here and below. false without memory. */
bool expected_equal_steps(const struct bed *bed, long steps, struct grid *grid);
/* Does every step that is known of the method's map come from the task: its tableau, and the steps either
 * reported or fixed? */
bool expected_rebuilds(const struct bed *bed);
/* The steps of the last solve: those reported, or those that the fixed step means; else those of the task's
 * pair (cash_karp where the method takes none) at the task's tolerance. false: they could not be made. */
bool expected_grid(const struct bed *bed, struct grid *grid);
/* Does the harness's own adaptive solve get to t1 at this tolerance, and in how many steps? */
bool expected_solvable(const struct bed *bed, double tol, long *steps);
/* Does it end at the same state at two tolerances, to a tenth of the largest entry? If not, neighbours part, and what
 * a method meets on its way is not what another meets. */
bool expected_settled(const struct bed *bed, double tol, double other);
/* A number of equal steps that follows the solution, a multiple of 8 so that they meet every observation of
 * the probe cost; 0: none. */
long expected_fixed_steps(const struct bed *bed);

/* ---- values, with what is uncertain of them (expected.c, expected_exact.c) ------------------------------ */

/* The derivative of the map over the grid, to rounding. */
sens_status expected_map(const struct bed *bed, const struct grid *grid, struct expected *expected);
/* On the steps of the last bed_solve; SENS_UNSUPPORTED where the method reports none, or has a tableau of its
 * own. */
sens_status expected_reported_map(const struct bed *bed, struct expected *expected);
/* The derivative of the exact solution, from the closed form where there is one that the cost can use, else
 * from fine steps; bound: what is uncertain of the latter. */
sens_status expected_exact(const struct bed *bed, struct expected *expected);
/* The same two where outputs are few and directions many. Noise is measured in reverse alone, and for it that
 * of the map is doubled. */
sens_status expected_map_in_reverse(const struct bed *bed, const struct grid *grid,
                                    struct expected *expected);
sens_status expected_exact_in_reverse(const struct bed *bed, struct expected *expected);
/* Has the problem a closed form of the exact solution? */
bool expected_has_form(struct verify *v, const struct sens_problem *problem);
/* The closed form of the map of a fixed-step task, values only: what rounding does to it, expected_map tells.
 * false: there is none. */
bool expected_discrete_form(const struct bed *bed, struct sens_out *value);
/* The exact derivative of a stiff problem of few states on its whole interval, by implicit steps, and what the
 * task's tolerance allows a method that took as many steps as the last solve. */
sens_status expected_stiff(const struct bed *bed, struct expected *expected);

/* ---- what a method may be off by ------------------------------------------------------------------------ */

struct local_error { /* rtol |y| + atol, at each step */
    double rtol, atol;
};
/* What the task's tolerance means on the steps of a solve, which show what order the method has. */
struct local_error expected_local_error(const struct bed *bed);
/* What it means before there is a solve, for a method that reads the state from the pair's interpolant. */
struct local_error expected_interpolant_error(const struct bed *bed);
/* Adds what such errors on the steps of the grid do. */
sens_status expected_allow_errors(const struct bed *bed, const struct grid *grid, struct local_error error,
                                  struct expected *expected);
/* Adds what the quotients of two values, each with the noise of the bound of G, are off the derivative of the
 * map over the grid. */
sens_status expected_allow_quotient(const struct bed *bed, const struct grid *grid,
                                    struct expected *expected);

/* ---- by what the method declares ------------------------------------------------------------------------ */

/* What the method has to get on the task last solved. SENS_UNSUPPORTED: its steps are not known. */
sens_status expected_declared(const struct bed *bed, struct expected *expected);
/* The bound of that alone, without the uncertainty of an exact value. */
sens_status expected_allowed(const struct bed *bed, struct sens_out *bound);

struct horizon { /* what a task is made of */
    const struct sens_problem *problem;
    const struct sens_method_type *method;
    double tol;
    unsigned parts;                    /* of the probe cost */
    const struct sens_cost_type *cost; /* NULL: the probe cost */
    bool crowded; /* the probe cost is observed many times in a small part of the interval */
};
/* A task for a continuous method with what is expected of it, on the problem's interval or, where errors of the
 * size of the tolerance grow so much on it that nothing could be told, on the longest of its halves, quarters,
 * ... on which they do not. *exact* has the uncertainty of the value alone as its bound, *expected* what the
 * tolerances allow beside it. */
sens_status expected_horizon(struct verify *v, const struct horizon *want, struct bed *bed,
                             struct expected *exact, struct expected *expected);
/* Difference quotients on equal steps of the task's tableau, as many as make the bound small where that is
 * possible; their number, or 0. */
long expected_difference(const struct bed *bed, struct expected *expected);

#endif
