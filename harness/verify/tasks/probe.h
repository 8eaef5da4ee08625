/* harness/verify/tasks/probe.h - the harness's own problem and cost, so that a method is not blamed for a
 * registered problem's fault, and every part of the contract is exercised.
 *
 *     x_i' = -d_i x_i + v_i x_(i+1) + sum_q u_iq p_q x_(i+1) x_(i+2) + sum_q c_iq p_q sin(w_q t),
 *     x_i(t0) = y_i + sum_q e_iq p_q^2   where x0_depends,
 *     G_c = sum_j phi_c(j, x(t_j), p) + int g_c(t, x, p) dt,
 *
 * indices mod n, with fixed irrational coefficients: nothing is symmetric, zero or equal by accident. It offers what a
 * problem has to, and neither df/dt nor second derivatives, so that a method shows what it does without them; but for a
 * method that refuses to (offers.h). */
#ifndef VERIFY_PROBE_H
#define VERIFY_PROBE_H

#include "check.h"

struct probe_settings {
    size_t n, np;    /* n >= 1, np >= 0 */
    bool autonomous; /* no explicit t */
    bool x0_depends;
    double t0, t1;
    double scale; /* of the states: x / scale solves the equations above; 0: 1 */
};
void probe_problem(struct verify *v, const struct probe_settings *settings, struct sens_problem *problem);
/* With these VERIFY_* whatever the method. */
void probe_problem_with(struct verify *v, const struct probe_settings *settings, unsigned offers,
                        struct sens_problem *problem);
/* The type's observe (probe_quantities.c): any number is one of a quantity. */
struct probe_quantities {
    const struct sens_problem *problem;
    const size_t *number; /* [count of the observer] */
};
sens_status probe_observe(struct sens_ctx *ctx, const struct sens_problem *pb, size_t count,
                          const size_t *number, struct sens_observer *observer);
/* M of M x' = f for n states, nonsingular and not symmetric, in the arena of v. M_ii and M_i,i+1 alone are not 0;
 * `turned`: each row is the one before, so that with three states or more the diagonal is 0. */
const struct sens_mass *probe_mass(struct verify *v, size_t n, bool turned);

enum probe_parts {
    PROBE_AT_T0 = 1,         /* an observation at t0 */
    PROBE_BETWEEN = 2,       /* observations between t0 and t1, at 3/8 and 5/8 where nothing else is said */
    PROBE_AT_T1 = 4,         /* an observation at t1 */
    PROBE_RUNNING = 8,       /* an integral */
    PROBE_EXPLICIT_PHI = 16, /* phi depends on p as well */
    PROBE_EXPLICIT_G = 32,   /* g does */
    PROBE_EXPLICIT = PROBE_EXPLICIT_PHI | PROBE_EXPLICIT_G
};
/* m outputs, all different, nonlinear in x. */
void probe_cost(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                struct sens_cost *cost);
/* The same, with observations on which no small number of equal steps lands, two of them close to each other. */
void probe_cost_uneven(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                       struct sens_cost *cost);
/* The same, with 24 observations in the first 1/200 of the interval, and none between these and t1. */
void probe_cost_crowded(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                        struct sens_cost *cost);
/* The same, observed at the given times in place of those of the parts: increasing, in [t0, t1], copied.
 * The integral's clock is no faster on a short interval: a quadrature outside the error test follows it. */
void probe_cost_at(struct verify *v, const struct sens_problem *problem, size_t m, unsigned parts,
                   size_t n_obs, const double *t_obs, struct sens_cost *cost);
/* The parts that a method can do by its caps. */
unsigned probe_parts_for(const struct sens_method_type *method);
extern const struct sens_cost_type probe_cost_type; /* .name = "probe" */

#endif
