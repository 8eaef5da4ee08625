/* harness/verify/oracle/oracle.h - the discrete map of a task over given steps and its derivative, a second time.
 *
 * Plain loops, no lanes, no batches, no engine: written from the formulas of sens/tableau.h, so that it
 * shares nothing with the methods but the problem's own callbacks. Its tangent uses rhs, jvp, jvp_p_cols,
 * x0_jvp_cols; its adjoint vjp and vjp_p_batch with one lane and one point; its map only rhs, x0, phi, g.
 *
 * Bounds are measured, not picked: the same computation is repeated with random perturbations of relative
 * size A in everything that a computer would round (inputs and outputs of every callback, every new state; of
 * few states the entries of df/dx, which a method may take as numbers), and the largest deviation seen, times
 * ORACLE_SAFETY, bounds what rounding (A = 4 eps) or a local error of size tol (A = tol) can do to each entry,
 * conditioning included (Monte Carlo arithmetic: Parker, UCLA CSD-970002 (1997); Vignes, Math. Comput. Simul. 35
 * (1993)). */
#ifndef VERIFY_ORACLE_H
#define VERIFY_ORACLE_H

#include "bed.h"

struct oracle {
    struct verify *v;
    const struct sens_problem *problem;
    const struct sens_cost *cost;
    const struct sens_tableau *tableau;
    const struct grid *grid;
    const struct bed *shape; /* sizes and what is asked for (wrt) */
};

void oracle_create(const struct bed *bed, const struct sens_tableau *tableau, const struct grid *grid,
                   struct oracle *oracle);

/* x(t1) and G over the grid for parameters p and initial state x0 (NULL: x0(p)). Any failure of rhs:
 * its status. */
sens_status oracle_map(const struct oracle *oracle, const double *p, const double *x0, double *x1, double *G);
/* x, G, dGdp, dGdx0 forward; arrays of *out as in bed_shape. Where the directions are more than 100, and more
 * than 16 times the outputs, in reverse, too: work must not grow with the square of a size. */
sens_status oracle_tangent(const struct oracle *oracle, struct sens_out *out);
/* The same in reverse. */
sens_status oracle_adjoint(const struct oracle *oracle, struct sens_out *out);
/* A continuous adjoint in plain loops: the state and G over the steps of `solve`, and in reverse, along the
 * continuous extension of its tableau, over those of `over`. */
sens_status oracle_adjoint_along(const struct oracle *solve, const struct oracle *over, struct sens_out *out);

/* Entry by entry, what rounding can do to x, G, dGdp, dGdx0 of this task, whoever computes it. `tangent` and `adjoint`
 * are what oracle_tangent and oracle_adjoint give, where the caller has it; NULL: it is computed. */
sens_status oracle_rounding(const struct oracle *oracle, const struct sens_out *tangent,
                            struct sens_out *bound);
/* The same from this many perturbed runs, at least 1, by the cheaper of tangent and adjoint. */
sens_status oracle_rounding_cheaply(const struct oracle *oracle, const struct sens_out *tangent,
                                    const struct sens_out *adjoint, int draws, struct sens_out *bound);
/* What a tolerance lets happen to a continuous method's results: local errors of size rtol |y| + atol at
 * every step and product, in one direction each time so that they add up, by tangent and adjoint; and the
 * truncation of plain steps at that tolerance, of their quadrature and their interpolant. `oracle` has finer
 * steps; `tangent` as in oracle_rounding. Of this and of oracle_rounding: infinity where deviations are as large as
 * the result (they are not proportional to the noise then, and bound nothing). */
sens_status oracle_tolerance(const struct oracle *oracle, double rtol, double atol,
                             const struct sens_out *tangent, struct sens_out *bound);

/* Steps of an embedded pair of the registry at a tolerance, landing on the observation times; malloc'ed
 * arrays of grid. SENS_STEP_LIMIT past max_steps, or what rhs says. */
sens_status oracle_steps(struct verify *v, const struct sens_problem *problem, const struct sens_cost *cost,
                         const struct sens_tableau *tableau, double tol, long max_steps, struct grid *grid);
/* The same, errors held against rtol |x| + atol. */
sens_status oracle_steps_within(struct verify *v, const struct sens_problem *problem,
                                const struct sens_cost *cost, const struct sens_tableau *tableau, double rtol,
                                double atol, long max_steps, struct grid *grid);

/* The same, with the whole interval tried first: the longest that the state allows. */
sens_status oracle_long_steps(struct verify *v, const struct sens_problem *problem,
                              const struct sens_cost *cost, const struct sens_tableau *tableau, double tol,
                              long max_steps, struct grid *grid);

/* x [n] at `stop` on the way, by steps at a loose tolerance: a place that solves visit. */
sens_status oracle_visit(struct verify *v, const struct sens_problem *problem, double stop, double *x);

/* The derivative of the exact solution: the tangent of dop853 on fine steps, with the steps halved for the
 * uncertainty (entry by entry: the difference of both, plus rounding). Where rounding grows on explicit
 * steps, or they are too many: of an implicit formula of order 9 (oracle_stiff.c). */
sens_status oracle_truth(const struct bed *bed, struct sens_out *truth, struct sens_out *uncertainty);
/* The same by the adjoint, where there are many directions and few outputs. */
sens_status oracle_truth_in_reverse(const struct bed *bed, struct sens_out *truth,
                                    struct sens_out *uncertainty);

/* The derivative of the exact solution by implicit steps, for stiff problems of few states; *truth and
 * *uncertainty are made in the arena. SENS_UNSUPPORTED for too many states. */
sens_status oracle_stiff_truth(const struct bed *bed, struct sens_out *truth, struct sens_out *uncertainty);
enum { STIFF_LARGEST = 16 }; /* states */
/* What errors of tol |y| + tol of the state and of its derivatives do on each of `steps` steps: on those of
 * the formula, which are fewer, they are as many times as large. */
sens_status oracle_stiff_tolerance(const struct bed *bed, double tol, long steps, struct sens_out *bound);

/* ---- whose fault (faults.c) ---------------------------------------------------------------------------- */

/* Recomputes the derivative with each single fault of a catalogue (stage times without c_i h, a_ij for a_ji,
 * the last batch lost, ...) and blames those that reproduce what a method got: weight 1 when the distance is
 * rounding, less as it grows, none when the faulty derivative is no nearer than the right one. Adds what the
 * pattern of the error says (only dGdp, only some lanes, sign, factor). `right`: the derivative it should
 * have. Adds the three distances (exact, frozen, sign) to the text. */
void oracle_blame_gradient(const struct oracle *oracle, const struct sens_out *got,
                           const struct sens_out *right, const struct sens_work *work,
                           struct verify_result *result);
/* The same for the state and G alone. */
void oracle_blame_state(const struct oracle *oracle, const struct sens_out *got, const struct sens_out *right,
                        struct verify_result *result);

#endif
