/* harness/analyse/rank/invariants.h - sums of states that stay as they are: c^T x = const along every solution.
 *
 * That is c^T f(t, x, p) = 0 for all x: c lies in the null space of the matrix whose rows are f at many points. The
 * points are drawn, at the sizes that the states have along the solution; the parameters are nominal. What is found is
 * held against f at points that were not used. With a mass matrix, M x' = f, it is (M^T c)^T x that stays.
 *
 * d/dt c^T S_k = c^T df/dp_k: where c^T f stays 0 as p_k changes, c^T S_k(t) = c^T dx0/dp_k. Where it does not, the
 * invariant is one of the given p_k alone, and says nothing of S_k. */
#ifndef ANALYSE_INVARIANTS_H
#define ANALYSE_INVARIANTS_H

#include "analysis.h"

struct invariants { /* memory of the arena; of all that span the same, those of few terms */
    size_t count;
    double *c;     /* [count][n], of x; whole numbers where they can be */
    bool *depends; /* [count][np]: with another p_k it is none */
};

/* SENS_NO_MEMORY, SENS_UNAVAILABLE: no LAPACK; SENS_RHS_FAILED: f has no values around the solution. */
sens_status invariants_find(struct sens_ctx *ctx, const struct analysis *analysis,
                            struct invariants *invariants);

struct invariant_check {
    double value;   /* c^T x at t0 */
    double drift_x; /* largest |c^T x(t) - c^T x0| by sum |c_i x_i| */
    /* Of the k that it does not depend on, the largest |c^T S_k(t) - c^T dx0/dp_k| by the largest sum of all times
     * |c_i| (|S_ik| + off_ik / rtol), where off is the error of S_ik and what a relative change of p_k by 1 does to the
     * last digit of x_i: both count for no more than rtol. */
    double drift_S;
};
/* Of c [n], which depends on p_k or not [np], along one solution. SENS_NO_MEMORY. */
sens_status invariant_follow(struct sens_ctx *ctx, const struct analysis *analysis,
                             const struct solution *solution, const double *c, const bool *depends,
                             struct invariant_check *check);

/* "2 a + b - c" of the names; cut where it is too long. */
enum { INVARIANT_TEXT = 1024 };
void invariant_text(const struct analysis *analysis, const double *c, char text[INVARIANT_TEXT]);

#endif
