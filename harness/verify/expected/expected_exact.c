/* The derivative of the exact solution: from a closed form, or from fine steps. */
#include "expected.h"

#include <string.h>

/* Does the cost see the final state alone? */
static bool terminal(const struct bed *bed)
{
    return !bed->cost.type->g && bed->cost.n_obs == 1 && bed->cost.t_obs[0] == bed->problem.t1;
}

/* dG/dq [m][cols] += phi_x (dx/dq), dx/dq [n][cols] */
static void chain(const struct bed *bed, size_t cols, const double *dphi_dx, const double *S, double *dG)
{
    const size_t n = bed->problem.n, m = bed->cost.m;
    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < cols; k++) dG[c * cols + k] += dphi_dx[i * m + c] * S[i * cols + k];
}

/* G and its derivatives from x(t1), S and S0. */
static void apply_cost(const struct bed *bed, const double *S, const double *S0, struct sens_out *out)
{
    const struct sens_cost *cost = &bed->cost;
    const size_t n = bed->problem.n, np = bed->problem.np, m = cost->m;
    const double *const p = bed->problem.p;
    double *const dphi_dx = verify_array(bed->v, n * m), *const dphi_dp = verify_array(bed->v, np * m);
    memset(out->G, 0, m * sizeof *out->G);
    if (out->dGdx0) memset(out->dGdx0, 0, m * n * sizeof *out->dGdx0);
    cost->type->phi(cost, 0, out->x, p, out->G);
    cost->type->phi_dx(cost, 0, out->x, p, 0, m, dphi_dx);
    if (out->dGdp && cost->type->phi_dp) cost->type->phi_dp(cost, 0, out->x, p, 0, m, dphi_dp);
    for (size_t c = 0; out->dGdp && c < m; c++)
        for (size_t k = 0; k < np; k++) out->dGdp[c * np + k] = dphi_dp[k * m + c];
    if (out->dGdp) chain(bed, np, dphi_dx, S, out->dGdp);
    if (out->dGdx0) chain(bed, n, dphi_dx, S0, out->dGdx0);
}

static bool closed_form(const struct bed *bed, const struct sens_exact_query *query, struct sens_out *out)
{
    const struct sens_problem *pb = &bed->problem;
    if (!pb->type->exact || !terminal(bed)) return false;
    double *const S = verify_array(bed->v, pb->n * pb->np), *const S0 = verify_array(bed->v, pb->n * pb->n);
    if (!pb->type->exact(pb, query, pb->p, out->x, out->dGdp ? S : NULL, out->dGdx0 ? S0 : NULL))
        return false;
    apply_cost(bed, S, S0, out);
    return true;
}

bool expected_has_form(struct verify *v, const struct sens_problem *problem)
{
    const struct sens_exact_query query = {SENS_EXACT_ODE, problem->t1, NULL, 0};
    return problem->type->exact &&
           problem->type->exact(problem, &query, problem->p, verify_array(v, problem->n), NULL, NULL);
}

bool expected_discrete_form(const struct bed *bed, struct sens_out *value)
{
    const struct sens_exact_query query = {SENS_EXACT_DISCRETE, bed->problem.t1, bed->task.tableau,
                                           bed->task.dt};
    *value = bed_shape(bed);
    return closed_form(bed, &query, value);
}

/* The closed form replaces the value alone: what is uncertain of fine steps stays its bound. */
static sens_status exact_by(const struct bed *bed,
                            sens_status (*truth)(const struct bed *, struct sens_out *, struct sens_out *),
                            struct expected *expected)
{
    const struct sens_exact_query query = {SENS_EXACT_ODE, bed->problem.t1, NULL, 0};
    *expected = expected_zero(bed);
    expected->why = "exact";
    const sens_status status = truth(bed, &expected->value, &expected->bound);
    if (status == SENS_OK) closed_form(bed, &query, &expected->value);
    return status;
}

sens_status expected_exact(const struct bed *bed, struct expected *expected)
{
    return exact_by(bed, oracle_truth, expected);
}

sens_status expected_exact_in_reverse(const struct bed *bed, struct expected *expected)
{
    return exact_by(bed, oracle_truth_in_reverse, expected);
}
