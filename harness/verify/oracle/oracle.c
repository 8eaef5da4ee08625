/* The discrete map over given steps, in plain loops:
 *
 *     Y_i = x + h sum_{j<=i} a_ij K_j,   K_i = f(t_i, Y_i),   x+ = x + h sum_i b_i K_i,
 *     G = sum_j phi(x(t_j)) + sum h b_i g(t_i, Y_i)
 *
 * Every number may be perturbed on its way (struct noise), every formula altered (struct scheme). */
#include <string.h>

#include "oracle_run.h"

/* ---- noise --------------------------------------------------------------------------------------------- */

/* xorshift64* (Vigna, ACM Trans. Math. Softw. 42 (2016)). */
static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

/* A number in [-1, 1) from 32 of the 64 bits, which for noise is fine enough. */
static double uniform_of(uint64_t bits, bool upper)
{
    return (double)(int32_t)(upper ? bits >> 32 : bits) * 0x1p-31;
}

static double uniform(uint64_t *state)
{
    return uniform_of(random_bits(state), true);
}

/* One of +1 and -1 for each draw and entry (the mixing steps of splitmix64). */
static double sign_of(uint64_t draw, uint64_t entry)
{
    uint64_t z = draw * 0x9E3779B97F4A7C15ULL + entry * 0xD1B54A32D192ED03ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) & 1 ? 1 : -1;
}

void noise_touch(struct noise *noise, size_t count, double *v)
{
    if (noise->relative == 0) return;
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        const bool upper = i % 2 == 0;
        if (upper) bits = random_bits(&noise->state);
        double u = uniform_of(bits, upper);
        if (noise->bias != BIAS_NONE) u = fabs(u);
        if (noise->bias == BIAS_FIXED) u *= sign_of(noise->draw, i);
        v[i] += v[i] * noise->relative * u;
    }
}

const double *noise_input(struct noise *noise, size_t count, const double *from, double *to)
{
    if (noise->relative == 0) return from;
    if (count) memcpy(to, from, count * sizeof *to);
    noise_touch(noise, count, to);
    return to;
}

void noise_step(const struct noise *noise, enum noise_place place, size_t first, size_t count, double *v)
{
    if (noise->rtol == 0 && noise->atol == 0) return;
    for (size_t i = 0; i < count; i++) {
        const uint64_t entry = ((uint64_t)place << 40) + first + i;
        v[i] += sign_of(noise->draw, entry) * (noise->rtol * fabs(v[i]) + noise->atol);
    }
}

/* ---- creation ------------------------------------------------------------------------------------------ */

void oracle_create(const struct bed *bed, const struct sens_tableau *tableau, const struct grid *grid,
                   struct oracle *oracle)
{
    *oracle = (struct oracle){.v = bed->v,
                              .problem = &bed->problem,
                              .cost = &bed->cost,
                              .tableau = tableau,
                              .grid = grid,
                              .shape = bed};
}

static double *abscissae(struct verify *v, const struct sens_tableau *tb)
{
    double *c = verify_array(v, (size_t)tb->stages);
    for (int i = 0; i < tb->stages; i++) c[i] = tb->c ? tb->c[i] : sens_tableau_alpha(tb, i);
    return c;
}

static struct rule rule_create(struct verify *v, const struct sens_tableau *tb)
{
    const size_t s = (size_t)tb->stages;
    struct rule rule = {.c = abscissae(v, tb), .state = verify_memory(v, s, sizeof(int)), .stretch = 1};
    for (int i = 0; i < tb->stages; i++) rule.state[i] = i;
    return rule;
}

static void find_observations(const struct oracle *oracle, struct scheme *scheme)
{
    const struct sens_cost *cost = oracle->cost;
    size_t j = 0;
    for (long k = 0; k <= scheme->steps; k++) {
        const double t = k ? oracle->grid->t1[k - 1] : oracle->problem->t0;
        const bool here = j < cost->n_obs && cost->t_obs[j] == t;
        scheme->observation[k] = here ? (long)j++ : -1;
        scheme->observed[k] = k;
    }
}

static void fill(size_t count, double value, double *v)
{
    for (size_t i = 0; i < count; i++) v[i] = value;
}

/* 0, 1, ... */
static size_t *counted(struct verify *v, size_t count)
{
    size_t *made = verify_memory(v, count, sizeof *made);
    for (size_t c = 0; c < count; c++) made[c] = c;
    return made;
}

struct scheme *scheme_create(const struct oracle *oracle)
{
    struct verify *v = oracle->v;
    const struct sens_tableau *tb = oracle->tableau;
    const struct grid *grid = oracle->grid;
    const size_t s = (size_t)tb->stages, steps = (size_t)grid->steps;
    struct scheme *scheme = verify_memory(v, 1, sizeof *scheme);
    *scheme = (struct scheme){.stages = tb->stages, .steps = grid->steps};
    scheme->a = verify_array(v, s * s);
    for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j < s; j++) scheme->a[i * s + j] = sens_tableau_a(tb, (int)i, (int)j);
    if (tb->a_explicit) scheme->ae = verify_copy(v, s * s, tb->a_explicit);
    scheme->b = verify_copy(v, s, tb->b);
    scheme->bq = verify_copy(v, s, tb->b);
    scheme->c = abscissae(v, tb);
    scheme->h = verify_copy(v, steps, grid->h);
    scheme->ha = verify_copy(v, steps, grid->h);
    scheme->hq = verify_copy(v, steps, grid->h);
    scheme->t = verify_copy(v, steps, grid->t);
    for (int r = 0; r < RULES; r++) scheme->rule[r] = rule_create(v, tb);
    scheme->taken = verify_memory(v, steps, sizeof *scheme->taken);
    memset(scheme->taken, 1, steps * sizeof *scheme->taken);
    scheme->in_lambda = verify_array(v, steps * s);
    scheme->in_mu = verify_array(v, steps * s);
    fill(steps * s, 1, scheme->in_lambda);
    fill(steps * s, 1, scheme->in_mu);
    scheme->observation = verify_memory(v, steps + 1, sizeof *scheme->observation);
    scheme->observed = verify_memory(v, steps + 1, sizeof *scheme->observed);
    find_observations(oracle, scheme);
    scheme->phi_row = counted(v, oracle->cost->m);
    scheme->g_row = counted(v, oracle->cost->m);
    fill(TERMS, 1, scheme->factor);
    return scheme;
}

void run_create(const struct oracle *oracle, const struct scheme *forward, struct run *run)
{
    struct verify *v = oracle->v;
    const size_t n = oracle->problem->n, np = oracle->problem->np, s = (size_t)forward->stages;
    *run = (struct run){
        .oracle = oracle, .forward = forward, .replay = forward, .reverse = forward, .p = oracle->problem->p};
    run->n = n;
    run->np = np;
    run->m = oracle->cost->m;
    run->state = verify_array(v, ((size_t)forward->steps + 1) * n);
    run->Y = verify_array(v, s * n);
    run->K = verify_array(v, s * n);
    run->kept = verify_array(v, (size_t)forward->steps * n);
    run->rounded = verify_array(v, n);
    run->x_in = verify_array(v, n);
    run->p_in = verify_array(v, np);
    run_additive_create(run);
    run_implicit_create(run);
    run_coupled_create(run);
    run_rosenbrock_create(run);
    run_entries_create(run);
}

void scheme_take(const struct oracle *oracle, const struct scheme *scheme, long k)
{
    const size_t s = (size_t)scheme->stages;
    if (!oracle->grid->part || oracle->tableau->family != SENS_FAMILY_SWITCHED) return;
    const long from = k + scheme->part_from, at = from < 0 || from >= scheme->steps ? k : from;
    const struct sens_tableau *tb = scheme->one_part ? scheme->one_part : oracle->grid->part[at];
    memcpy(scheme->a, tb->a, s * s * sizeof *tb->a);
    memcpy(scheme->b, tb->b, s * sizeof *tb->b);
    memcpy(scheme->c, tb->c, s * sizeof *tb->c);
    memcpy(scheme->bq, tb->b, s * sizeof *tb->b);
    for (int r = 0; r < RULES; r++) memcpy(scheme->rule[r].c, tb->c, s * sizeof *tb->c);
}

/* ---- points -------------------------------------------------------------------------------------------- */

/* Times that are summed up step by step are off by more than one rounding. */
static const double SUMMED = 4;

/* t, earlier in one draw and later in the next: where f jumps at a time that steps end at, each has its side of it. Not
 * outside the interval, where rhs may not be defined. */
static double time_input(struct run *run, double t, double h)
{
    const struct sens_problem *pb = run->oracle->problem;
    if (run->noise.relative == 0) return t;
    const double size = SUMMED * fmax(fabs(t), fabs(h)) * run->noise.relative;
    const double off = size * fabs(uniform(&run->noise.state));
    return fmin(fmax(run->noise.draw % 2 ? t - off : t + off, fmin(t, pb->t0)), fmax(t, pb->t1));
}

void run_round(size_t count, const double *from, double *to)
{
    for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
}

/* single: enum single, of the scheme that is followed. */
static struct sens_at input(struct run *run, unsigned single, double t, double h, const double *x)
{
    const double time = time_input(run, t, h);
    struct sens_at at = {single & SINGLE_TIME ? (float)time : time,
                         noise_input(&run->noise, run->n, x, run->x_in),
                         noise_input(&run->noise, run->np, run->p, run->p_in)};
    if (single & SINGLE_STATE) run_round(run->n, at.x, run->x_in), at.x = run->x_in;
    if (single & SINGLE_PARAMETERS) run_round(run->np, at.p, run->p_in), at.p = run->p_in;
    return at;
}

struct sens_at run_input(struct run *run, const struct scheme *scheme, double t, double h, const double *x)
{
    return input(run, scheme->single, t, h, x);
}

/* A state that an interpolant gives is as far off as the end of a step. */
struct sens_at run_point(struct run *run, const struct rule *rule, long k, int i)
{
    const double *const t = rule->t ? rule->t : run->reverse->t, h = run->replay->ha[k];
    const double *x = run->state + (size_t)k * run->n;
    const size_t stage = (size_t)rule->state[i], first = (size_t)(k * run->replay->stages);
    const double *Y = run->given ? run->given + (first + stage) * run->n : run->Y + stage * run->n;
    if (rule->first_state) x = Y = run->state;
    const struct sens_at at = input(run, run->reverse->single, t[k] + rule->c[i] * h, h, Y);
    if (rule->stretch == 1 && run->noise.rtol == 0 && run->noise.atol == 0) return at;
    for (size_t q = 0; q < run->n; q++) run->x_in[q] = x[q] + rule->stretch * (Y[q] - x[q]);
    noise_step(&run->noise, PLACE_STATE, 0, run->n, run->x_in);
    return (struct sens_at){at.t, run->x_in, at.p};
}

struct sens_at run_observed(struct run *run, const struct scheme *scheme, long k, long seen)
{
    const double t = run->oracle->cost->t_obs[scheme->observation[k]];
    return input(run, scheme->single, t, 0, run->state + (size_t)seen * run->n);
}

/* ---- the map ------------------------------------------------------------------------------------------- */

void run_combine(size_t n, const double *x, double h, int count, const double *w, const double *K,
                 double *out)
{
    for (size_t q = 0; q < n; q++) {
        double sum = 0;
        for (int j = 0; j < count; j++) sum += w[j] * K[(size_t)j * n + q];
        out[q] = x[q] + h * sum;
    }
}

static sens_status slope(struct run *run, const struct scheme *scheme, long k, int i)
{
    const struct sens_problem *pb = run->system;
    const long from = k - scheme->slope_from;
    double *K = run->K + (size_t)i * run->n;
    if (i == 0 && from != k && from >= 0 && from < scheme->steps) {
        memcpy(K, run->kept + (size_t)from * run->n, run->n * sizeof *K);
        return SENS_OK;
    }
    const double t = scheme->t[k] + scheme->c[i] * scheme->ha[k];
    const double h_gamma = scheme->ha[k] * scheme->a[(size_t)i * (size_t)scheme->stages + (size_t)i];
    if (h_gamma != 0) {
        double *const Y = run->Y + (size_t)i * run->n;
        const struct sens_at at = {time_input(run, t, scheme->ha[k]), Y,
                                   noise_input(&run->noise, run->np, run->p, run->p_in)};
        const sens_status status = run_implicit_stage(run, h_gamma, &at, Y, K);
        for (size_t q = 0; q < run->n; q++) K[q] /= h_gamma;
        noise_touch(&run->noise, run->n, K);
        return status;
    }
    const struct sens_at at = input(run, scheme->single, t, scheme->ha[k], run->Y + (size_t)i * run->n);
    const sens_status status = pb->type->rhs(pb, &at, K);
    noise_touch(&run->noise, run->n, K);
    if (status == SENS_OK && run->mass && !run_mass_solve(run, false, K)) return SENS_SINGULAR;
    return status == SENS_OK && run->rosenbrock ? run_rosenbrock_slope(run, scheme, k, i, K) : status;
}

/* N_i of an additive step. */
static sens_status explicit_slope(struct run *run, const struct scheme *scheme, long k, int i)
{
    const double t = scheme->t[k] + scheme->c[i] * scheme->ha[k];
    const struct sens_at at = input(run, scheme->single, t, scheme->ha[k], run->Y + (size_t)i * run->n);
    return run_additive_slope(run, &at, i);
}

sens_status run_stages(struct run *run, const struct scheme *scheme, long k)
{
    const size_t n = run->n, s = (size_t)scheme->stages;
    const double *x = run->state + (size_t)k * n;
    scheme_take(run->oracle, scheme, k);
    scheme_take(run->oracle, run->forward, k);
    scheme_take(run->oracle, run->reverse, k);
    if (scheme->single & SINGLE_KEPT) run_round(n, x, run->rounded), x = run->rounded;
    if (run->coupled) return run_coupled_stages(run, scheme, k, x);
    if (run->rosenbrock) run_rosenbrock_start(run, scheme, k);
    for (int i = 0; i < scheme->stages; i++) {
        double *Y = run->Y + (size_t)i * n;
        run_combine(n, x, scheme->ha[k], i, scheme->a + (size_t)i * s, run->K, Y);
        if (run->N) run_combine(n, Y, scheme->ha[k], i, scheme->ae + (size_t)i * s, run->N, Y);
        if (i > 0) noise_touch(&run->noise, n, Y);
        sens_status status = slope(run, scheme, k, i);
        if (status == SENS_OK && run->N) status = explicit_slope(run, scheme, k, i);
        if (status != SENS_OK) return status;
    }
    return SENS_OK;
}

/* G += what is observed after step k - 1. */
static void observe(struct run *run, long k, double *G)
{
    const struct sens_cost *cost = run->oracle->cost;
    const long j = run->forward->observation[k];
    if (j < 0) return;
    const struct sens_at at = run_observed(run, run->forward, k, run->forward->observed[k]);
    cost->type->phi(cost, (size_t)j, at.x, at.p, G);
    noise_touch(&run->noise, run->m, G);
}

/* At the nodes of a Rosenbrock step. */
static void add_nodes(struct run *run, long k, double *G)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->forward;
    for (int q = 0; q < run_rosenbrock_nodes(run); q++) {
        double w;
        const struct sens_at at = run_rosenbrock_node(run, scheme, k, q, &w);
        cost->type->g(cost, &at, scheme->factor[TERM_G] * w, G);
        noise_touch(&run->noise, run->m, G);
    }
}

static void add_running(struct run *run, long k, double *G)
{
    const struct sens_cost *cost = run->oracle->cost;
    const struct scheme *scheme = run->forward;
    if (!cost->type->g) return;
    add_nodes(run, k, G);
    for (int i = 0; i < scheme->stages && !run->rosenbrock; i++) {
        if (scheme->bq[i] == 0) continue;
        const struct sens_at at = run_point(run, &scheme->rule[RULE_COST], k, i);
        cost->type->g(cost, &at, scheme->factor[TERM_G] * scheme->hq[k] * scheme->bq[i], G);
        noise_touch(&run->noise, run->m, G);
    }
    noise_step(&run->noise, PLACE_QUADRATURE, 0, run->m, G);
}

static void keep_slope(struct run *run, long k)
{
    const size_t n = run->n, last = (size_t)run->forward->stages - 1;
    memcpy(run->kept + (size_t)k * n, run->K + last * n, n * sizeof *run->kept);
}

/* state[k + 1] from the stages of step k. */
static void advance(struct run *run, long k)
{
    const struct scheme *scheme = run->forward;
    double *x = run->state + (size_t)k * run->n, *next = x + run->n;
    run_combine(run->n, x, scheme->h[k], scheme->stages, scheme->b, run->K, next);
    if (run->N) run_combine(run->n, next, scheme->h[k], scheme->stages, scheme->b, run->N, next);
    noise_touch(&run->noise, run->n, next);
    noise_step(&run->noise, PLACE_STATE, 0, run->n, next);
}

sens_status run_forward(struct run *run, const double *x0, double *G)
{
    const struct scheme *scheme = run->forward;
    memcpy(run->state, x0, run->n * sizeof *x0);
    noise_touch(&run->noise, run->n, run->state);
    fill(run->m, 0, G);
    observe(run, 0, G);
    for (long k = 0; k < scheme->steps; k++) {
        double *x = run->state + (size_t)k * run->n;
        memcpy(x + run->n, x, run->n * sizeof *x);
        if (scheme->taken[k]) {
            const sens_status status = run_stages(run, scheme, k);
            if (status != SENS_OK) return status;
            advance(run, k);
            add_running(run, k, G);
            keep_slope(run, k);
        }
        observe(run, k + 1, G);
    }
    return SENS_OK;
}

sens_status oracle_map(const struct oracle *oracle, const double *p, const double *x0, double *x1, double *G)
{
    struct verify *v = oracle->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct run run;
    const struct scheme *scheme = scheme_create(oracle);
    run_create(oracle, scheme, &run);
    run.p = p;
    double *start = verify_array(v, run.n);
    if (!x0) sens_problem_x0(oracle->problem, p, start);
    const sens_status status = run_forward(&run, x0 ? x0 : start, G);
    if (status == SENS_OK) memcpy(x1, run.state + (size_t)scheme->steps * run.n, run.n * sizeof *x1);
    sens_arena_rewind(&v->ctx.arena, mark);
    return status;
}
