/* The tangent of the discrete map, one direction S at a time, in plain loops:
 *
 *     Z_i = S + h sum_{j<=i} a_ij L_j,   L_i = J(t_i, Y_i) Z_i + f_p(t_i, Y_i),   S+ = S + h sum_i b_i L_i,
 *     dG = sum_j (phi_x S + phi_p) + sum h b_i (g_x Z_i + g_p) */
#include <string.h>

#include "oracle_run.h"

struct directions { /* the parameters asked for, then the initial states */
    size_t p, x0, all;
    double *S;          /* [all][n] */
    double *L;          /* [all][s][n] */
    double *L_explicit; /* [all][s][n] the same of f_E, of additive steps */
    double *Z;          /* [n] */
    double *v_in;       /* [n] a perturbed input */
    double *g_x, *g_p;  /* [m][n], [m][np] of the cost at hand */
    double *dG;         /* [m][all] */
};

static struct directions directions_create(const struct run *run, const struct sens_out *out)
{
    struct verify *v = run->oracle->v;
    struct directions d = {.p = out->dGdp ? run->np : 0, .x0 = out->dGdx0 ? run->n : 0};
    d.all = d.p + d.x0;
    d.S = verify_array(v, d.all * run->n);
    d.L = verify_array(v, (size_t)run->forward->stages * d.all * run->n);
    if (run->N) d.L_explicit = verify_array(v, (size_t)run->forward->stages * d.all * run->n);
    d.Z = verify_array(v, run->n);
    d.v_in = verify_array(v, run->n);
    d.g_x = verify_array(v, run->m * run->n);
    d.g_p = verify_array(v, run->m * run->np);
    d.dG = verify_array(v, run->m * d.all);
    return d;
}

static void clear(size_t count, double *v)
{
    for (size_t i = 0; i < count; i++) v[i] = 0;
}

/* dG[:, k] += g_x z + g_p[:, k]. */
static void add_to_dG(struct run *run, const struct directions *d, size_t k, const double *z)
{
    for (size_t c = 0; c < run->m; c++) {
        double *dG = d->dG + c * d->all + k;
        for (size_t q = 0; q < run->n; q++) *dG += d->g_x[c * run->n + q] * z[q];
        if (k < d->p) *dG += d->g_p[c * run->np + k];
        noise_touch(&run->noise, 1, dG);
    }
}

static void observe_tangent(struct run *run, const struct directions *d, long k)
{
    const struct sens_cost *cost = run->oracle->cost;
    const long j = run->forward->observation[k];
    if (j < 0) return;
    const struct sens_at at = run_observed(run, run->forward, k, run->forward->observed[k]);
    clear(run->m * run->n, d->g_x);
    clear(run->m * run->np, d->g_p);
    for (size_t c = 0; c < run->m; c++) {
        cost->type->phi_dx(cost, (size_t)j, at.x, at.p, c, 1, d->g_x + c * run->n);
        if (cost->type->phi_dp) cost->type->phi_dp(cost, (size_t)j, at.x, at.p, c, 1, d->g_p + c * run->np);
    }
    for (size_t q = 0; q < d->all; q++) add_to_dG(run, d, q, d->S + q * run->n);
}

/* g_x, g_p with a weight. */
static void take_running(struct run *run, const struct directions *d, const struct sens_at *at, double w)
{
    const struct sens_cost *cost = run->oracle->cost;
    clear(run->m * run->n, d->g_x);
    clear(run->m * run->np, d->g_p);
    for (size_t c = 0; c < run->m; c++) {
        cost->type->g_dx(cost, at, w, c, 1, d->g_x + c * run->n);
        if (cost->type->g_dp) cost->type->g_dp(cost, at, w, c, 1, d->g_p + c * run->np);
    }
}

/* g_x, g_p of stage i with its weight; false when it has none. */
static bool running_derivative(struct run *run, const struct directions *d, long k, int i)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->forward;
    const double w = scheme->hq[k] * scheme->bq[i];
    if (!cost->type->g_dx || w == 0 || run->rosenbrock) return false;
    const struct sens_at at = run_point(run, &scheme->rule[RULE_COST], k, i);
    take_running(run, d, &at, w);
    return true;
}

/* (I - h a_ii J) L = what L was, a mass matrix in the place of I; Z += h a_ii L. */
static void implicit_direction(struct run *run, double h_gamma, double *L, double *Z)
{
    if (!run_solve(run, L)) L[0] = NAN;
    noise_touch(&run->noise, run->n, L);
    for (size_t r = 0; r < run->n; r++) Z[r] += h_gamma * L[r];
}

static void tangent_stage(struct run *run, const struct directions *d, long k, int i)
{
    const struct sens_problem *pb = run->system;
    const struct scheme *scheme = run->forward;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const bool running = running_derivative(run, d, k, i);
    if (run->rosenbrock) run_rosenbrock_tangent(run, k, i);
    const struct sens_at at = run_point(run, &scheme->rule[RULE_JACOBIAN], k, i);
    const double h_gamma = scheme->h[k] * scheme->a[(size_t)i * s + (size_t)i];
    if (h_gamma != 0)
        run_implicit_factor(run, &at, h_gamma, false);
    else
        run_form_entries(run, i, &at, false);
    for (size_t q = 0; q < d->all; q++) {
        double *L = d->L + q * s * n; /* [s][n] of this direction */
        double *const explicit = run->N ? d->L_explicit + q * s * n : NULL;
        run_combine(n, d->S + q * n, scheme->h[k], i, scheme->a + (size_t)i * s, L, d->Z);
        if (explicit) run_combine(n, d->Z, scheme->h[k], i, scheme->ae + (size_t)i * s, explicit, d->Z);
        noise_touch(&run->noise, n, d->Z);
        pb->type->jvp(pb, &at, 1, noise_input(&run->noise, n, d->Z, d->v_in), L + (size_t)i * n);
        run_add_moved(run, i, d->Z, L + (size_t)i * n);
        if (q < d->p) pb->type->jvp_p_cols(pb, &at, q, 1, L + (size_t)i * n);
        noise_touch(&run->noise, n, L + (size_t)i * n);
        if (h_gamma != 0) implicit_direction(run, h_gamma, L + (size_t)i * n, d->Z);
        if (h_gamma == 0 && run->mass && !run_mass_solve(run, false, L + (size_t)i * n))
            L[(size_t)i * n] = NAN;
        if (run->rosenbrock) run_rosenbrock_direction(run, k, i, q < d->p ? q : run->np, d->S + q * n, L);
        if (explicit) run_additive_jvp(run, &at, d->Z, q < d->p ? (long)q : -1, explicit + (size_t)i * n);
        if (running) add_to_dG(run, d, q, d->Z);
    }
}

/* (J_i S + f_p) and the matrix of stage i of a fully implicit step. */
static void coupled_stage(struct run *run, const struct directions *d, long k, int i)
{
    const struct sens_problem *pb = run->oracle->problem;
    const struct scheme *scheme = run->forward;
    const size_t n = run->n, s = (size_t)scheme->stages;
    const struct sens_at at = run_point(run, &scheme->rule[RULE_JACOBIAN], k, i);
    run_coupled_block(run, scheme, scheme->h[k], i, &at, SIDE_PLAIN);
    for (size_t q = 0; q < d->all; q++) {
        double *L = d->L + (q * s + (size_t)i) * n;
        pb->type->jvp(pb, &at, 1, noise_input(&run->noise, n, d->S + q * n, d->v_in), L);
        run_add_moved(run, i, d->S + q * n, L);
        if (q < d->p) pb->type->jvp_p_cols(pb, &at, q, 1, L);
        noise_touch(&run->noise, n, L);
    }
}

/* The running cost by Z = S + h sum_j weight_j L_j, each direction. */
static void add_all_to_dG(struct run *run, const struct directions *d, long k, const double *weight)
{
    const struct scheme *scheme = run->forward;
    const size_t n = run->n, s = (size_t)scheme->stages;
    for (size_t q = 0; q < d->all; q++) {
        run_combine(n, d->S + q * n, scheme->h[k], scheme->stages, weight, d->L + q * s * n, d->Z);
        noise_touch(&run->noise, n, d->Z);
        add_to_dG(run, d, q, d->Z);
    }
}

/* L_i - h J_i sum_j a_ij L_j = J_i S + f_p, and Z_i = S + h sum_j a_ij L_j where the cost asks for it. */
static void coupled_stages(struct run *run, const struct directions *d, long k)
{
    const struct scheme *scheme = run->forward;
    const size_t n = run->n, s = (size_t)scheme->stages;
    for (int i = 1; i < scheme->stages; i++) coupled_stage(run, d, k, i);
    run_factor(run);
    for (size_t q = 0; q < d->all; q++) {
        double *L = d->L + q * s * n;
        clear(n, L);
        if (!run_solve(run, L + n)) L[n] = NAN;
        noise_touch(&run->noise, (s - 1) * n, L + n);
    }
    for (int i = 1; i < scheme->stages; i++) {
        if (!running_derivative(run, d, k, i)) continue;
        add_all_to_dG(run, d, k, scheme->a + (size_t)i * s);
    }
}

/* dG at the nodes of a Rosenbrock step. */
static void tangent_nodes(struct run *run, const struct directions *d, long k)
{
    const struct scheme *scheme = run->forward;
    if (!run->oracle->cost->type->g_dx) return;
    for (int node = 0; node < run_rosenbrock_nodes(run); node++) {
        double w;
        const struct sens_at at = run_rosenbrock_node(run, scheme, k, node, &w);
        take_running(run, d, &at, w);
        add_all_to_dG(run, d, k, run_rosenbrock_weights(run, node));
    }
}

static void tangent_step(struct run *run, const struct directions *d, long k)
{
    const struct scheme *scheme = run->forward;
    const size_t n = run->n, s = (size_t)scheme->stages;
    if (run->coupled) coupled_stages(run, d, k);
    for (int i = 0; i < scheme->stages && !run->coupled; i++) tangent_stage(run, d, k, i);
    tangent_nodes(run, d, k);
    for (size_t q = 0; q < d->all; q++) {
        run_combine(n, d->S + q * n, scheme->h[k], scheme->stages, scheme->b, d->L + q * s * n, d->Z);
        if (run->N)
            run_combine(n, d->Z, scheme->h[k], scheme->stages, scheme->b, d->L_explicit + q * s * n, d->Z);
        memcpy(d->S + q * n, d->Z, n * sizeof *d->Z);
    }
    noise_touch(&run->noise, d->all * n, d->S);
    noise_step(&run->noise, PLACE_TANGENT, 0, d->all * n, d->S);
    if (run->oracle->cost->type->g_dx)
        noise_step(&run->noise, PLACE_QUADRATURE, run->m, run->m * d->all, d->dG);
}

static void start_directions(struct run *run, const struct directions *d)
{
    const struct sens_problem *pb = run->oracle->problem;
    if (sens_problem_x0_depends(pb))
        for (size_t q = 0; q < d->p; q++)
            pb->type->x0_jvp_cols(pb, noise_input(&run->noise, run->np, run->p, run->p_in), q, 1,
                                  d->S + q * run->n);
    for (size_t i = 0; i < d->x0; i++) d->S[(d->p + i) * run->n + i] = 1;
    noise_touch(&run->noise, d->p * run->n, d->S);
}

static void write_directions(const struct run *run, const struct directions *d, struct sens_out *out)
{
    for (size_t c = 0; c < run->m; c++) {
        const double *dG = d->dG + c * d->all;
        if (d->p) memcpy(out->dGdp + c * run->np, dG, d->p * sizeof *dG);
        if (d->x0) memcpy(out->dGdx0 + c * run->n, dG + d->p, d->x0 * sizeof *dG);
    }
}

sens_status run_tangent(struct run *run, struct sens_out *out)
{
    struct verify *v = run->oracle->v;
    const struct directions d = directions_create(run, out);
    double *x0 = verify_array(v, run->n);
    sens_problem_x0(run->oracle->problem, run->p, x0);
    sens_status status = run_forward(run, x0, out->G);
    start_directions(run, &d);
    if (status == SENS_OK) observe_tangent(run, &d, 0);
    for (long k = 0; k < run->forward->steps && status == SENS_OK; k++) {
        status = run_stages(run, run->replay, k);
        if (status != SENS_OK) return status;
        tangent_step(run, &d, k);
        observe_tangent(run, &d, k + 1);
    }
    if (status != SENS_OK) return status;
    memcpy(out->x, run->state + (size_t)run->forward->steps * run->n, run->n * sizeof *out->x);
    write_directions(run, &d, out);
    return SENS_OK;
}

bool run_too_dear(const struct oracle *oracle, const struct sens_out *out)
{
    const size_t p = out->dGdp ? oracle->problem->np : 0, x0 = out->dGdx0 ? oracle->problem->n : 0;
    return p + x0 > DIRECTIONS_MOST && p + x0 > DEAR * oracle->cost->m;
}

sens_status oracle_tangent(const struct oracle *oracle, struct sens_out *out)
{
    struct sens_arena *arena = &oracle->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct run run;
    run_create(oracle, scheme_create(oracle), &run);
    const sens_status status =
        run_too_dear(oracle, out) ? run_adjoint(&run, 0, NULL, out) : run_tangent(&run, out);
    sens_arena_rewind(arena, mark);
    return status;
}
