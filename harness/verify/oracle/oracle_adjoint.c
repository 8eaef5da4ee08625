/* The derivative of the discrete map in reverse, one output at a time, in plain loops; the formulas stand in
 * oracle_run.h. Stage states are recomputed from the states between steps. */
#include <string.h>

#include "oracle_run.h"

struct sweep {
    size_t count;      /* outputs swept */
    const size_t *row; /* [count] which */
    bool wrt_p;
    double *lambda; /* [count][n] */
    double *mu;     /* [count][np] */
    double *theta;  /* [count][s][n] of the step at hand */
    double *kappa;  /* [n] */
    double *from;   /* [count][n], for unsolved_in_mu: what kappa of an implicit stage is solved from */
    double *nu,
        *g;       /* [count][n] of additive steps: the cotangent of f_E; what theta has beside J_I^T kappa */
    double *w_in; /* [n] a perturbed input */
    double *phi;  /* [n + np] what an observation adds */
};

static struct sweep sweep_create(const struct run *run, size_t rows, const size_t *row, bool wrt_p)
{
    struct verify *v = run->oracle->v;
    size_t *all = verify_memory(v, run->m, sizeof *all);
    for (size_t c = 0; c < run->m; c++) all[c] = c;
    struct sweep sweep = {.count = row ? rows : run->m, .row = row ? row : all, .wrt_p = wrt_p};
    sweep.lambda = verify_array(v, sweep.count * run->n);
    sweep.mu = verify_array(v, sweep.count * run->np);
    sweep.theta = verify_array(v, sweep.count * (size_t)run->reverse->stages * run->n);
    sweep.kappa = verify_array(v, run->n);
    sweep.from = verify_array(v, sweep.count * run->n);
    if (run->N)
        sweep.nu = verify_array(v, sweep.count * run->n), sweep.g = verify_array(v, sweep.count * run->n);
    sweep.w_in = verify_array(v, run->n);
    sweep.phi = verify_array(v, run->n + run->np);
    return sweep;
}

static void clear(size_t count, double *v)
{
    for (size_t q = 0; q < count; q++) v[q] = 0;
}

/* to += factor from */
static void add(size_t count, double factor, const double *from, double *to)
{
    for (size_t q = 0; q < count; q++) to[q] += factor * from[q];
}

/* ---- one stage ----------------------------------------------------------------------------------------- */

/* kappa = h (b_i lambda + sum_{j>i} a_ji theta_j), a [s][s]. */
static void cotangent(const struct run *run, const double *a, long k, int i, const double *lambda,
                      const double *theta, double *kappa)
{
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    for (size_t q = 0; q < n; q++) {
        double sum = 0;
        for (size_t j = (size_t)i + 1; j < s; j++) sum += a[j * s + (size_t)i] * theta[j * n + q];
        kappa[q] = scheme->h[k] * scheme->b[i] * lambda[q] + scheme->ha[k] * sum;
    }
}

/* Of an implicit stage, for every output: (I - h a_ii J)^T kappa = what kappa was + h a_ii hq bq g_x; with a mass
 * matrix in the place of I, and of an explicit one M^T kappa = what it was. */
static void solve_cotangents(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double h_gamma = scheme->ha[k] * scheme->a[(size_t)i * s + (size_t)i];
    const double w = scheme->factor[TERM_G_X] * scheme->hq[k] * scheme->bq[i];
    for (size_t e = 0; e < sweep->count && h_gamma == 0 && run->mass; e++) {
        double *kappa = sweep->theta + (e * s + (size_t)i) * n;
        if (!run_mass_solve(run, true, kappa)) kappa[0] = NAN;
    }
    for (size_t e = 0; e < sweep->count && scheme->unsolved_in_mu; e++)
        memcpy(sweep->from + e * n, sweep->theta + (e * s + (size_t)i) * n, n * sizeof *sweep->from);
    if (h_gamma == 0) return;
    struct sens_at at = run_point(run, &scheme->rule[RULE_COST], k, i);
    for (size_t e = 0; e < sweep->count && cost->type->g_dx && w != 0; e++)
        cost->type->g_dx(cost, &at, h_gamma * w, scheme->g_row[sweep->row[e]], 1,
                         sweep->theta + (e * s + (size_t)i) * n);
    at = run_point(run, &scheme->rule[RULE_JACOBIAN], k, i);
    run_implicit_factor(run, &at, h_gamma, !scheme->not_transposed);
    for (size_t e = 0; e < sweep->count; e++) {
        double *kappa = sweep->theta + (e * s + (size_t)i) * n;
        if (!run_solve(run, kappa)) kappa[0] = NAN;
        noise_touch(&run->noise, n, kappa);
    }
}

/* What a fully implicit stage adds to the right-hand sides of all: kappa_j += h a_ij hq bq g_x of stage i. */
static void couple_running(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double w = scheme->factor[TERM_G_X] * scheme->hq[k] * scheme->bq[i];
    if (!cost->type->g_dx || w == 0) return;
    const struct sens_at at = run_point(run, &scheme->rule[RULE_COST], k, i);
    for (size_t e = 0; e < sweep->count; e++)
        for (size_t j = 1; j < s; j++)
            cost->type->g_dx(cost, &at, scheme->ha[k] * scheme->a[(size_t)i * s + j] * w,
                             scheme->g_row[sweep->row[e]], 1, sweep->theta + (e * s + j) * n);
}

/* kappa of all stages: kappa_i - h sum_j a_ji J_j^T kappa_j = h b_i lambda + h sum_j a_ji hq bq g_x(j). */
static void coupled_cotangents(struct run *run, const struct sweep *sweep, long k)
{
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const enum run_side side = scheme->not_transposed ? SIDE_NOT_TRANSPOSED : SIDE_TRANSPOSED;
    for (size_t e = 0; e < sweep->count; e++)
        for (size_t i = 0; i < s; i++)
            for (size_t q = 0; q < n; q++)
                sweep->theta[(e * s + i) * n + q] = scheme->h[k] * scheme->b[i] * sweep->lambda[e * n + q];
    for (int i = 1; i < scheme->stages; i++) {
        couple_running(run, sweep, k, i);
        const struct sens_at at = run_point(run, &scheme->rule[RULE_JACOBIAN], k, i);
        run_coupled_block(run, scheme, scheme->ha[k], i, &at, side);
    }
    run_factor(run);
    for (size_t e = 0; e < sweep->count; e++) {
        double *kappa = sweep->theta + (e * s + 1) * n;
        if (!run_solve(run, kappa)) kappa[0] = NAN;
        noise_touch(&run->noise, (s - 1) * n, kappa);
    }
}

/* mu += f_p^T kappa, for every output; kappa of output e is theta's place of this stage. */
static void add_parameters(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_problem *pb = run->oracle->problem;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double factor = scheme->factor[TERM_PARAMETERS] * scheme->in_mu[(size_t)k * s + (size_t)i];
    if (!sweep->wrt_p || factor == 0) return;
    const struct sens_at at = run_point(run, &scheme->rule[RULE_PARAMETER], k, i);
    for (size_t e = 0; e < sweep->count; e++) {
        const double *const kappa =
            scheme->unsolved_in_mu ? sweep->from + e * n : sweep->theta + (e * s + (size_t)i) * n;
        for (size_t q = 0; q < n; q++) sweep->w_in[q] = factor * kappa[q];
        noise_touch(&run->noise, n, sweep->w_in);
        pb->type->vjp_p_batch(pb, 1, &at.t, at.x, at.p, 1, sweep->w_in, sweep->mu + e * run->np);
        noise_touch(&run->noise, run->np, sweep->mu + e * run->np);
    }
}

/* theta = J^T kappa (or, as a fault, J kappa), for every output; kappa is replaced. */
static void multiply(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_problem *pb = run->system;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const struct sens_at at = run_point(run, &scheme->rule[RULE_JACOBIAN], k, i);
    if (scheme->a[(size_t)i * s + (size_t)i] == 0) run_form_entries(run, i, &at, !scheme->not_transposed);
    for (size_t e = 0; e < sweep->count; e++) {
        double *theta = sweep->theta + (e * s + (size_t)i) * n;
        memcpy(sweep->w_in, theta, n * sizeof *theta);
        noise_touch(&run->noise, n, sweep->w_in);
        if (scheme->not_transposed)
            pb->type->jvp(pb, &at, 1, sweep->w_in, theta);
        else
            pb->type->vjp(pb, &at, 1, sweep->w_in, theta);
        run_add_moved(run, i, sweep->w_in, theta);
        for (size_t q = 0; q < n; q++) theta[q] *= scheme->factor[TERM_JACOBIAN];
        noise_touch(&run->noise, n, theta);
    }
}

/* mu += w g_p. */
static void add_explicit(struct run *run, const struct sweep *sweep, const struct sens_at *at, double w)
{
    const struct sens_cost *cost = run->oracle->cost;
    if (!cost->type->g_dp || !sweep->wrt_p) return;
    for (size_t e = 0; e < sweep->count; e++) {
        const size_t c = run->reverse->g_row[sweep->row[e]];
        cost->type->g_dp(cost, at, run->reverse->factor[TERM_G_P] * w, c, 1, sweep->mu + e * run->np);
        noise_touch(&run->noise, run->np, sweep->mu + e * run->np);
    }
}

/* theta += hq bq g_x, mu += hq bq g_p. */
static void add_running(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double w = scheme->hq[k] * scheme->bq[i];
    if (!cost->type->g_dx || w == 0 || run->rosenbrock) return;
    struct sens_at at = run_point(run, &scheme->rule[RULE_COST], k, i);
    for (size_t e = 0; e < sweep->count; e++) {
        const size_t c = scheme->g_row[sweep->row[e]];
        double *theta = sweep->theta + (e * s + (size_t)i) * n;
        cost->type->g_dx(cost, &at, scheme->factor[TERM_G_X] * w, c, 1, theta);
        noise_touch(&run->noise, n, theta);
    }
    if (scheme->g_p) at = run_point(run, scheme->g_p, k, i);
    add_explicit(run, sweep, &at, w);
}

/* ---- additive steps ------------------------------------------------------------------------------------ */

/* nu and g = (J - J_I)^T nu + hq bq g_x; then kappa, which is h b_i lambda + h sum_{j>i} a_ji theta_j, += h a_ii g. */
static void explicit_cotangents(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double h_gamma = scheme->ha[k] * scheme->a[(size_t)i * s + (size_t)i];
    const double w = scheme->factor[TERM_G_X] * scheme->hq[k] * scheme->bq[i];
    const struct sens_at at = run_point(run, &scheme->rule[RULE_JACOBIAN], k, i);
    for (size_t e = 0; e < sweep->count; e++) {
        double *const nu = sweep->nu + e * n, *const g = sweep->g + e * n;
        double *const kappa = sweep->theta + (e * s + (size_t)i) * n;
        cotangent(run, scheme->ae, k, i, sweep->lambda + e * n, sweep->theta + e * s * n, nu);
        noise_touch(&run->noise, n, nu);
        run_additive_vjp(run, &at, scheme->not_transposed || scheme->explicit_not_transposed, nu, g);
        for (size_t q = 0; q < n; q++) g[q] *= scheme->factor[TERM_JACOBIAN];
        if (cost->type->g_dx && w != 0) cost->type->g_dx(cost, &at, w, scheme->g_row[sweep->row[e]], 1, g);
        add(n, h_gamma, g, kappa);
    }
    if (h_gamma == 0) return;
    run_implicit_factor(run, &at, h_gamma, !scheme->not_transposed);
    for (size_t e = 0; e < sweep->count; e++) {
        double *const kappa = sweep->theta + (e * s + (size_t)i) * n;
        if (!run_solve(run, kappa)) kappa[0] = NAN;
        noise_touch(&run->noise, n, kappa);
    }
}

/* mu, then theta = J_I^T kappa + g in the place of kappa, and what the running cost adds to mu. */
static void additive_stage(struct run *run, const struct sweep *sweep, long k, int i)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double w = scheme->hq[k] * scheme->bq[i];
    const double factor = scheme->factor[TERM_PARAMETERS] * scheme->in_mu[(size_t)k * s + (size_t)i];
    explicit_cotangents(run, sweep, k, i);
    const struct sens_at at = run_point(run, &scheme->rule[RULE_PARAMETER], k, i);
    for (size_t e = 0; e < sweep->count && sweep->wrt_p && factor != 0; e++)
        run_additive_parameters(run, &at, factor, sweep->nu + e * n, sweep->theta + (e * s + (size_t)i) * n,
                                sweep->mu + e * run->np);
    multiply(run, sweep, k, i);
    for (size_t e = 0; e < sweep->count; e++)
        add(n, 1, sweep->g + e * n, sweep->theta + (e * s + (size_t)i) * n);
    if (!cost->type->g_dp || w == 0) return;
    const struct sens_at seen = run_point(run, scheme->g_p ? scheme->g_p : &scheme->rule[RULE_COST], k, i);
    add_explicit(run, sweep, &seen, w);
}

/* ---- Rosenbrock steps ---------------------------------------------------------------------------------- */

static void start_rosenbrock(struct run *run, const struct sweep *sweep, long k)
{
    run_rosenbrock_reverse_start(run, sweep->count, sweep->row, k);
    for (int q = 0; q < run_rosenbrock_nodes(run) && run->oracle->cost->type->g_dp; q++) {
        double w;
        const struct sens_at at = run_rosenbrock_node(run, run->reverse, k, q, &w);
        add_explicit(run, sweep, &at, w);
    }
}

static void solve_rosenbrock(struct run *run, const struct sweep *sweep, long k, int i)
{
    const size_t n = run->n, s = (size_t)run->reverse->stages;
    for (size_t e = 0; e < sweep->count; e++)
        run_rosenbrock_cotangent(run, k, i, e, sweep->theta + (e * s + (size_t)i) * n,
                                 sweep->wrt_p ? sweep->mu + e * run->np : NULL);
}

/* ---- steps and observations ---------------------------------------------------------------------------- */

static void reverse_step(struct run *run, const struct sweep *sweep, long k)
{
    const struct scheme *scheme = run->reverse;
    const size_t n = run->n, s = (size_t)scheme->stages;
    if (run->coupled) coupled_cotangents(run, sweep, k);
    if (run->rosenbrock) start_rosenbrock(run, sweep, k);
    for (int i = scheme->stages - 1; i >= 0; i--) {
        for (size_t e = 0; e < sweep->count && !run->coupled; e++) {
            double *theta = sweep->theta + e * s * n;
            cotangent(run, scheme->a, k, i, sweep->lambda + e * n, theta, sweep->kappa);
            memcpy(theta + (size_t)i * n, sweep->kappa, n * sizeof *theta);
            noise_touch(&run->noise, n, theta + (size_t)i * n);
        }
        if (run->N) {
            additive_stage(run, sweep, k, i);
            continue;
        }
        if (!run->coupled) solve_cotangents(run, sweep, k, i);
        if (run->rosenbrock) solve_rosenbrock(run, sweep, k, i);
        add_parameters(run, sweep, k, i);
        multiply(run, sweep, k, i);
        add_running(run, sweep, k, i);
    }
    for (size_t e = 0; e < sweep->count && run->rosenbrock; e++)
        add(n, 1, run_rosenbrock_extra(run, e), sweep->lambda + e * n);
    for (size_t e = 0; e < sweep->count; e++)
        for (size_t i = s; i-- > 0;)
            for (size_t q = 0; q < n; q++)
                sweep->lambda[e * n + q] +=
                    scheme->in_lambda[(size_t)k * s + i] * sweep->theta[(e * s + i) * n + q];
    if (scheme->single & SINGLE_ADJOINT) {
        run_round(sweep->count * n, sweep->lambda, sweep->lambda);
        run_round(sweep->count * run->np, sweep->mu, sweep->mu);
    }
    noise_touch(&run->noise, sweep->count * n, sweep->lambda);
    noise_step(&run->noise, PLACE_TANGENT, 0, sweep->count * n, sweep->lambda);
    noise_step(&run->noise, PLACE_QUADRATURE, 0, sweep->count * run->np, sweep->mu);
}

/* phi [np] behind phi_x += phi_p, of another observation or at another state where the scheme says so. */
static void observe_explicit(struct run *run, const struct sweep *sweep, long k, struct sens_at at, size_t c)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const long j = scheme->phi_p ? scheme->phi_p[k] : scheme->observation[k];
    if (!cost->type->phi_dp || !sweep->wrt_p) return;
    if (scheme->phi_p_at) at = run_observed(run, scheme, k, scheme->phi_p_at[k]);
    cost->type->phi_dp(cost, (size_t)j, at.x, at.p, c, 1, sweep->phi + run->n);
}

static void observe(struct run *run, const struct sweep *sweep, long k)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->reverse;
    const long j = scheme->observation[k];
    if (j < 0) return;
    const struct sens_at at = run_observed(run, scheme, k, scheme->observed[k]);
    for (size_t e = 0; e < sweep->count; e++) {
        const size_t c = scheme->phi_row[sweep->row[e]];
        double *lambda = sweep->lambda + e * run->n, *mu = sweep->mu + e * run->np;
        clear(run->n + run->np, sweep->phi);
        cost->type->phi_dx(cost, (size_t)j, at.x, at.p, c, 1, sweep->phi);
        observe_explicit(run, sweep, k, at, c);
        noise_touch(&run->noise, run->n + run->np, sweep->phi);
        add(run->n, scheme->factor[TERM_PHI_X], sweep->phi, lambda);
        add(run->np, scheme->factor[TERM_PHI_P], sweep->phi + run->n, mu);
        noise_touch(&run->noise, run->n, lambda);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* mu += (dx0/dp)^T lambda. */
static void add_initial(struct run *run, const struct sweep *sweep, const double *lambda, double *mu)
{
    const struct sens_problem *pb = run->oracle->problem;
    const bool enters = sens_problem_x0_depends(pb) || (run->reverse->x0_always && pb->type->x0_vjp);
    if (!enters || !sweep->wrt_p) return;
    clear(run->n, sweep->w_in);
    add(run->n, run->reverse->factor[TERM_INITIAL], lambda, sweep->w_in);
    noise_touch(&run->noise, run->n, sweep->w_in);
    pb->type->x0_vjp(pb, noise_input(&run->noise, run->np, run->p, run->p_in), 1, sweep->w_in, mu);
}

static void write_sweep(struct run *run, const struct sweep *sweep, struct sens_out *out)
{
    for (size_t e = 0; e < sweep->count; e++) {
        const double *lambda = sweep->lambda + e * run->n;
        double *mu = sweep->mu + e * run->np;
        add_initial(run, sweep, lambda, mu);
        if (out->dGdp) memcpy(out->dGdp + sweep->row[e] * run->np, mu, run->np * sizeof *mu);
        if (out->dGdx0) memcpy(out->dGdx0 + sweep->row[e] * run->n, lambda, run->n * sizeof *lambda);
    }
}

sens_status run_adjoint(struct run *run, size_t rows, const size_t *row, struct sens_out *out)
{
    double *x0 = verify_array(run->oracle->v, run->n);
    sens_problem_x0(run->oracle->problem, run->p, x0);
    const sens_status status = run_forward(run, x0, out->G);
    return status == SENS_OK ? run_reverse(run, rows, row, out) : status;
}

sens_status run_reverse(struct run *run, size_t rows, const size_t *row, struct sens_out *out)
{
    const struct scheme *scheme = run->reverse;
    const struct sweep sweep = sweep_create(run, rows, row, out->dGdp != NULL);
    for (long k = scheme->steps - 1; k >= 0; k--) {
        observe(run, &sweep, k + 1);
        if (!scheme->taken[k]) continue;
        const sens_status status = run_stages(run, run->replay, k);
        if (status != SENS_OK) return status;
        reverse_step(run, &sweep, k);
    }
    observe(run, &sweep, 0);
    memcpy(out->x, run->state + (size_t)scheme->steps * run->n, run->n * sizeof *out->x);
    write_sweep(run, &sweep, out);
    return SENS_OK;
}

sens_status oracle_adjoint(const struct oracle *oracle, struct sens_out *out)
{
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct run run;
    run_create(oracle, scheme_create(oracle), &run);
    const sens_status status = run_adjoint(&run, 0, NULL, out);
    sens_arena_rewind(arena, mark);
    return status;
}
