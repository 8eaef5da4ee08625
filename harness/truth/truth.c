/* What the derivative should be: closed forms, stored references, and the distance to them.
 *
 * With the closed form x(t), S = dx/dp, S0 = dx/dx0 of a problem, the chain rule gives for every cost
 *
 *     G = sum_j phi(j, x(t_j), p) + int g dt,
 *     dG/dp = sum_j (phi_x S + phi_p) + int (g_x S + g_p) dt,   dG/dx0 likewise.
 *
 * Integrals are composite Gauss-Legendre sums (16 points a panel), the panels doubled until
 * the result moves by less than 1e-14 of its norm. Closed forms are evaluated in double by the cell's own
 * variant: good to about 1e-15. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_integration.h>

#include "truth.h"

#include "reference.h"

enum { GAUSS_POINTS = 16, PANELS_MIN = 4, PANELS_MAX = 4096, BLOCK = 64 /* functionals at a time */ };
#define GAUSS_TOLERANCE 1e-14

static bool all_finite(size_t count, const double *value)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(value[i])) return false;
    return true;
}

/* ---- closed forms -------------------------------------------------------------------------------------- */

struct closed_form {
    const struct cell *cell;
    struct sens_exact_query query;
    double *x, *S, *S0;      /* [n], [n][np], [n][n]; NULL: not wanted or not known */
    double *cost_x, *cost_p; /* [n][BLOCK], [np][BLOCK] */
    struct truth *truth;
    size_t total;   /* G and the gradients are one array of this length, from truth->G on */
    double *before; /* [total] */
};

/* x, S, S0 at time t. */
static bool evaluate(struct closed_form *cf, double t)
{
    const struct sens_problem *pb = &cf->cell->problem;
    cf->query.t = t;
    return pb->type->exact(pb, &cf->query, pb->p, cf->x, cf->S, cf->S0);
}

/* out [width][cols] += cost_x^T S, S [n][cols], for the `width` functionals of a block */
static void chain(const struct closed_form *cf, size_t width, const double *S, size_t cols, double *out)
{
    for (size_t i = 0; i < cf->cell->problem.n; i++)
        for (size_t c = 0; c < width; c++) {
            const double weight = cf->cost_x[i * BLOCK + c];
            if (weight == 0) continue;
            for (size_t k = 0; k < cols; k++) out[c * cols + k] += weight * S[i * cols + k];
        }
}

/* Adds what cost_x and cost_p say to the derivatives of the functionals c0 ... c0 + width - 1. */
static void add_derivatives(const struct closed_form *cf, size_t c0, size_t width)
{
    const size_t np = cf->cell->problem.np, n = cf->cell->problem.n;
    if (cf->S0) chain(cf, width, cf->S0, n, cf->truth->dGdx0 + c0 * n);
    if (!cf->S) return;
    double *dGdp = cf->truth->dGdp + c0 * np;
    chain(cf, width, cf->S, np, dGdp);
    for (size_t c = 0; c < width; c++)
        for (size_t k = 0; k < np; k++) dGdp[c * np + k] += cf->cost_p[k * BLOCK + c];
}

struct part { /* of the cost at x, S, S0: the observation j, or the running cost with a weight */
    bool running;
    size_t j;
    double weight;
};

static void add_part(struct closed_form *cf, double t, const struct part *part)
{
    const struct sens_cost *cost = &cf->cell->cost;
    const struct sens_cost_type *type = cost->type;
    const struct sens_at at = {t, cf->x, cf->cell->problem.p};
    if (part->running)
        type->g(cost, &at, part->weight, cf->truth->G);
    else
        type->phi(cost, part->j, at.x, at.p, cf->truth->G);
    for (size_t c0 = 0; c0 < cost->m; c0 += BLOCK) {
        memset(cf->cost_x, 0, cost->n * BLOCK * sizeof *cf->cost_x);
        memset(cf->cost_p, 0, cost->np * BLOCK * sizeof *cf->cost_p);
        if (part->running) {
            type->g_dx(cost, &at, part->weight, c0, BLOCK, cf->cost_x);
            if (type->g_dp) type->g_dp(cost, &at, part->weight, c0, BLOCK, cf->cost_p);
        } else {
            type->phi_dx(cost, part->j, at.x, at.p, c0, BLOCK, cf->cost_x);
            if (type->phi_dp) type->phi_dp(cost, part->j, at.x, at.p, c0, BLOCK, cf->cost_p);
        }
        add_derivatives(cf, c0, cost->m - c0 < BLOCK ? cost->m - c0 : BLOCK);
    }
}

static bool add_observations(struct closed_form *cf)
{
    const struct sens_cost *cost = &cf->cell->cost;
    for (size_t j = 0; j < cost->n_obs; j++) {
        if (!evaluate(cf, cost->t_obs[j])) return false;
        add_part(cf, cost->t_obs[j], &(struct part){.j = j});
    }
    return true;
}

/* Adds the integrals over [t0, t1] in `panels` panels. */
static bool add_integrals(struct closed_form *cf, const gsl_integration_glfixed_table *rule, size_t panels)
{
    const struct sens_problem *pb = &cf->cell->problem;
    const double width = (pb->t1 - pb->t0) / (double)panels;
    for (size_t k = 0; k < panels * GAUSS_POINTS; k++) {
        const size_t panel = k / GAUSS_POINTS;
        const double left = pb->t0 + width * (double)panel;
        double t, weight;
        gsl_integration_glfixed_point(left, left + width, k % GAUSS_POINTS, &t, &weight, rule);
        if (!evaluate(cf, t)) return false;
        add_part(cf, t, &(struct part){.running = true, .weight = weight});
    }
    return true;
}

static bool settled(const struct closed_form *cf)
{
    double norm = 0, change = 0;
    for (size_t i = 0; i < cf->total; i++) {
        norm = hypot(norm, cf->truth->G[i]);
        change = hypot(change, cf->truth->G[i] - cf->before[i]);
    }
    return change <= GAUSS_TOLERANCE * norm;
}

/* The integrals of a running cost, refined until they settle. */
static bool integrate(struct closed_form *cf)
{
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(GAUSS_POINTS);
    bool done = false, known = rule != NULL;
    for (size_t panels = PANELS_MIN; known && !done && panels <= PANELS_MAX; panels *= 2) {
        memcpy(cf->before, cf->truth->G, cf->total * sizeof *cf->before);
        memset(cf->truth->G, 0, cf->total * sizeof *cf->before);
        known = add_integrals(cf, rule, panels);
        done = known && panels > PANELS_MIN && settled(cf);
    }
    if (rule) gsl_integration_glfixed_table_free(rule);
    return done;
}

/* Is this part asked for, and one that a truth can know? */
static bool is_known(const struct cell *cell, enum sens_part part)
{
    return sens_task_asks(&cell->task, part) && SENS_IN_FIRST >> part & 1;
}

/* Arrays of a truth for all m outputs; the gradients follow G in one array. */
static bool allocate_truth(struct sens_ctx *ctx, const struct cell *cell, struct truth *truth, size_t *total)
{
    size_t at[SENS_PARTS], count = 0, *const row = SENS_NEW(ctx, size_t, cell->cost.m);
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        at[k] = count;
        if (is_known(cell, k)) count += shape.rows * shape.cols;
    }
    double *const value = SENS_NEW(ctx, double, count);
    if (!row || !value) return false;
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (is_known(cell, k)) truth->part[k] = value + at[k];
    for (size_t c = 0; c < cell->cost.m; c++) row[c] = c;
    *total = count - at[SENS_PART_G];
    truth->rows = cell->cost.m;
    truth->row = row;
    return true;
}

static bool allocate_work(struct sens_ctx *ctx, struct closed_form *cf)
{
    const size_t n = cf->cell->problem.n, np = cf->cell->problem.np;
    cf->S = cf->truth->dGdp ? SENS_NEW(ctx, double, (n * np)) : NULL;
    cf->S0 = cf->truth->dGdx0 ? SENS_NEW(ctx, double, (n * n)) : NULL;
    cf->cost_x = SENS_NEW(ctx, double, n *BLOCK);
    cf->cost_p = SENS_NEW(ctx, double, np *BLOCK);
    cf->before = cf->cell->cost.type->g ? SENS_NEW(ctx, double, cf->total) : NULL;
    return (cf->S || !cf->truth->dGdp) && (cf->S0 || !cf->truth->dGdx0) && cf->cost_x && cf->cost_p &&
           (cf->before || !cf->cell->cost.type->g);
}

/* Fills the truth. SENS_NO_TRUTH where the closed form, or a part of it that is needed, does not exist. */
static sens_status fill(struct closed_form *cf)
{
    struct truth *truth = cf->truth;
    const double t1 = cf->cell->problem.t1;
    if (!evaluate(cf, t1) && cf->S0) { /* a problem may know dx/dp only */
        cf->S0 = NULL;
        truth->dGdx0 = NULL;
    }
    if (!evaluate(cf, t1)) return SENS_NO_TRUTH;
    if (cf->cell->cost.type->g && !integrate(cf)) return SENS_NO_TRUTH;
    if (!add_observations(cf) || !evaluate(cf, t1)) return SENS_NO_TRUTH;
    memcpy(truth->x, cf->x, cf->cell->problem.n * sizeof *truth->x);
    const bool finite = all_finite(cf->cell->problem.n, truth->x) && all_finite(cf->total, truth->G);
    return finite ? SENS_OK : SENS_NO_TRUTH;
}

static sens_status closed_form(struct sens_ctx *ctx, const struct cell *cell, enum sens_exact_level level,
                               struct truth *truth)
{
    static const char *const kind[] = {
        [SENS_EXACT_PDE] = "pde", [SENS_EXACT_ODE] = "ode", [SENS_EXACT_DISCRETE] = "discrete"};
    const bool discrete = level == SENS_EXACT_DISCRETE;
    if (!cell->problem.type->exact) return SENS_NO_TRUTH;
    /* the discrete map is known for fixed steps, and not what its own quadrature does with a running cost */
    if (discrete && (!cell->task.controller || cell->cost.type->g || cell->task.controller->adaptive))
        return SENS_NO_TRUTH;
    struct truth made = {.kind = kind[level]};
    struct closed_form cf = {.cell = cell, .truth = &made, .query = {.level = level}};
    if (discrete) cf.query.tableau = cell->task.tableau, cf.query.dt = cell->task.dt;
    const struct sens_arena_mark start = sens_arena_mark(&ctx->arena);
    sens_status status = (cf.x = SENS_NEW(ctx, double, cell->problem.n)) ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK && !evaluate(&cf, cell->problem.t1))
        status = SENS_NO_TRUTH; /* before n * np numbers are allocated */
    if (status == SENS_OK && !allocate_truth(ctx, cell, &made, &cf.total)) status = SENS_NO_MEMORY;
    const struct sens_arena_mark mark = sens_arena_mark(&ctx->arena);
    if (status == SENS_OK) status = allocate_work(ctx, &cf) ? fill(&cf) : SENS_NO_MEMORY;
    sens_arena_rewind(&ctx->arena, status == SENS_OK ? mark : start);
    if (status == SENS_OK) *truth = made;
    return status;
}

/* ---- stored references --------------------------------------------------------------------------------- */

/* A part in double; NULL without memory. */
static double *narrowed(struct sens_ctx *ctx, const struct reference *ref, enum sens_part part)
{
    const size_t count = reference_count(ref, part);
    double *const value = SENS_NEW(ctx, double, count);
    for (size_t i = 0; value && i < count; i++) value[i] = (double)ref->part[part][i];
    return value;
}

static sens_status from_reference(struct sens_ctx *ctx, const struct cell *cell, struct truth *truth,
                                  struct bench_error *error)
{
    char path[DATA_PATH];
    struct reference ref;
    const sens_status status = reference_find(ctx, cell, NULL, path, &ref, error);
    if (status != SENS_OK) return status;
    struct truth made = {.kind = "reference", .rows = ref.rows, .row = ref.row};
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        if (!is_known(cell, k) || !ref.part[k]) continue;
        made.part[k] = narrowed(ctx, &ref, k);
        if (!made.part[k]) return SENS_NO_MEMORY;
    }
    *truth = made;
    return SENS_OK;
}

/* Is there a gradient, asked for, that it does not know? */
static bool truth_lacks(const struct cell *cell, const struct truth *truth)
{
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_part_wrt(k) && is_known(cell, k) && !truth->part[k]) return true;
    return false;
}

/* A stored reference that knows all gradients is put in the place of a closed form that does not. One that cannot be
 * used takes nothing away. */
static sens_status complete(struct sens_ctx *ctx, const struct cell *cell, struct truth *truth,
                            struct bench_error *error)
{
    struct truth stored;
    struct bench_error why = {.text = ""};
    const sens_status status = from_reference(ctx, cell, &stored, &why);
    if (status == SENS_NO_MEMORY) {
        *error = why;
        return status;
    }
    if (status == SENS_OK && !truth_lacks(cell, &stored)) *truth = stored;
    return SENS_OK;
}

sens_status truth_find(struct sens_ctx *ctx, const struct cell *cell, enum bench_truth level,
                       struct truth *truth, struct bench_error *error)
{
    sens_status status = SENS_NO_TRUTH;
    error->text[0] = '\0';
    if (level == TRUTH_PDE) status = closed_form(ctx, cell, SENS_EXACT_PDE, truth);
    if (level == TRUTH_ODE || level == TRUTH_AUTO) status = closed_form(ctx, cell, SENS_EXACT_ODE, truth);
    if (level == TRUTH_DISCRETE) status = closed_form(ctx, cell, SENS_EXACT_DISCRETE, truth);
    if (level == TRUTH_AUTO && status == SENS_OK && truth_lacks(cell, truth))
        return complete(ctx, cell, truth, error);
    if (level == TRUTH_REFERENCE || (level == TRUTH_AUTO && status == SENS_NO_TRUTH))
        status = from_reference(ctx, cell, truth, error);
    if (status != SENS_OK && !error->text[0])
        bench_refuse(error, "%s: %s", cell->text, sens_status_message(status));
    return status;
}

/* ---- distance ------------------------------------------------------------------------------------------ */

/* Sums in long double: its range takes the square of any double. */
struct distance {
    long double square, norm_square, largest;
};

static void measure(struct distance *di, size_t count, const double *value, const double *exact)
{
    for (size_t i = 0; i < count; i++) {
        const long double e = (long double)value[i] - exact[i];
        di->square += e * e;
        di->norm_square += (long double)exact[i] * exact[i];
        if (fabsl(e) > di->largest) di->largest = fabsl(e);
    }
}

/* Relative to a zero truth only zero is no error. */
static double relative(const struct distance *di)
{
    if (di->norm_square == 0) return di->square == 0 ? 0 : INFINITY;
    return (double)sqrtl(di->square / di->norm_square);
}

/* The gradients that both know. */
static unsigned gradients(const struct truth *truth, const struct sens_out *out)
{
    unsigned both = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (sens_part_wrt(k) && truth->part[k] && out->part[k]) both |= 1u << k;
    return both;
}

/* Row after row, in each all gradients. */
static void measure_rows(const struct cell *cell, const struct truth *truth, const struct sens_out *out,
                         unsigned parts, struct distance *gradient)
{
    for (size_t r = 0; r < truth->rows; r++)
        for (enum sens_part k = 0; k < SENS_PARTS; k++) {
            const size_t cols = cell_part(cell, k).cols;
            if (!(parts >> k & 1)) continue;
            measure(gradient, cols, out->part[k] + truth->row[r] * cols, truth->part[k] + r * cols);
        }
}

/* A result with an entry that is not finite, in a known row or not, has no error but NaN; nor has one of which the
 * truth knows a part alone. */
void truth_compare(const struct cell *cell, const struct truth *truth, const struct sens_out *out,
                   struct truth_error *error)
{
    const size_t n = cell->problem.n;
    const unsigned parts = gradients(truth, out);
    struct distance state = {0}, gradient = {0};
    *error = (struct truth_error){NAN, NAN, NAN};
    if (truth->x && out->x && all_finite(n, out->x)) {
        measure(&state, n, out->x, truth->x);
        error->err_x = relative(&state);
    }
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const struct sens_part_shape shape = cell_part(cell, k);
        if (parts >> k & 1 && !all_finite(shape.rows * shape.cols, out->part[k])) return;
    }
    if (!parts || truth_lacks(cell, truth)) return;
    measure_rows(cell, truth, out, parts, &gradient);
    error->err_grad = relative(&gradient);
    error->err_grad_max = (double)gradient.largest;
}
