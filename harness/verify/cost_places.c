/* A cost at every observation and all over the interval, and in a whole solve: wide and shallow, along one
 * random direction at a time, for all functionals at once. */
#include <stdio.h>
#include <string.h>

#include "cost_terms.h"
#include "jacobian.h"
#include "oracle.h"

/* ---- along a line -------------------------------------------------------------------------------------- */

struct cost_line {
    const struct term *term;
    struct place place;
    const double *dx, *dp; /* one of them NULL */
};

static double *moved(struct verify *v, size_t count, const double *from, const double *direction, double s,
                     bool shaken)
{
    double *to = verify_copy(v, count, from);
    for (size_t i = 0; direction && i < count; i++) to[i] += s * direction[i];
    return shaken ? verify_shaken(v, count, to) : to;
}

static bool value_on_line(const void *self, double s, bool shaken, double *out)
{
    const struct cost_line *line = self;
    struct verify *v = line->term->at->v;
    const struct sens_cost *cost = &line->term->at->cost;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const struct place place = {moved(v, cost->n, line->place.x, line->dx, s, shaken),
                                moved(v, cost->np, line->place.p, line->dp, s, shaken)};
    for (size_t c = 0; c < cost->m; c++) out[c] = 0;
    term_add(line->term, PART_VALUE, place, 0, cost->m, out);
    sens_arena_rewind(&v->ctx.arena, mark);
    return true;
}

/* About a tenth of the numbers of `from`. */
static double *direction_beside(struct verify *v, size_t count, const double *from)
{
    double *direction = verify_perturbed(v, count, from, 0.1);
    for (size_t i = 0; i < count; i++) direction[i] -= from[i];
    return direction;
}

void cost_note_line(struct worst *worst, const struct term *term, enum part part, struct place place)
{
    struct verify *v = term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t rows = term_rows(term, part), m = term->at->cost.m;
    const double *along = direction_beside(v, rows, part == PART_DX ? place.x : place.p);
    const struct cost_line line = {term, place, part == PART_DX ? along : NULL,
                                   part == PART_DX ? NULL : along};
    const struct curve curve = {v, m, value_on_line, &line, false};
    const double *D = term_part(term, part, place), *rounding = term_rounding(term, part, place, D);
    double *slope = verify_array(v, m), *bound = verify_array(v, m);
    char name[VERIFY_NAME];
    term_name(term, part, name);
    curve_slope(&curve, 1, slope, bound);
    for (size_t c = 0; c < m; c++) {
        double got = 0, noise = 0;
        for (size_t i = 0; i < rows; i++) {
            got += D[i * m + c] * along[i];
            noise += rounding[i * m + c] * fabs(along[i]) + DBL_EPSILON * fabs(D[i * m + c] * along[i]);
        }
        if (isfinite(bound[c]))
            worst_note(worst, fabs(got - slope[c]), bound[c] + (double)(rows + 4) * noise,
                       "%s, functional %zu of %zu: %.10g along a direction, by differences %.10g", name, c, m,
                       got, slope[c]);
    }
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* ---- every place --------------------------------------------------------------------------------------- */

struct place_record {
    struct worst worst;
    size_t right, wrong; /* terms of one kind */
};

static void look_at_term(const struct term *term, struct place_record *record)
{
    const struct sens_arena_mark mark = sens_arena_mark(&term->at->v->ctx.arena);
    const struct place place = cost_place(term->at, 1);
    struct worst here = {.count = 0};
    for (enum part part = PART_DX; part <= PART_DP; part++) cost_note_line(&here, term, part, place);
    if (here.count) worst_note(&record->worst, here.value, here.bound, "%s", here.where);
    if (worst_passes(&here))
        record->right++;
    else
        record->wrong++;
    sens_arena_rewind(&term->at->v->ctx.arena, mark);
}

static void look_at_observations(const struct cost_case *at, struct place_record *record)
{
    const size_t n_obs = at->cost.n_obs, most = at->v->quick ? 40 : 1000;
    for (size_t k = 0; k < n_obs && k < most; k++) {
        const size_t low = k * n_obs / most, high = (k + 1) * n_obs / most; /* one in each of so many parts */
        const size_t j = n_obs <= most ? k : (size_t)verify_integer(at->v, (long)low, (long)high - 1);
        const struct term term = {.at = at, .j = j};
        look_at_term(&term, record);
    }
}

static void look_at_times(const struct cost_case *at, struct place_record *record)
{
    const int strata = at->v->quick ? 10 : 100;
    const double t0 = at->problem.t0, length = at->problem.t1 - t0;
    for (int k = 0; k < strata && at->cost.type->g; k++) {
        const double t = t0 + length * (k + verify_uniform(at->v, 0, 1)) / strata;
        const struct term term = {.at = at, .running = true, .t = t, .w = verify_uniform(at->v, 0.5, 1.5)};
        look_at_term(&term, record);
    }
}

static void blame_places(const struct place_record *record, enum cause cause, const char *words,
                         struct verify_result *result)
{
    if (record->wrong == 0) return;
    verify_say(result, "wrong at %zu of %zu %s", record->wrong, record->wrong + record->right, words);
    verify_blame(result, cause, record->right > record->wrong ? 0.97 : 0.2);
    verify_blame(result, CAUSE_product_factor, 0.2);
}

void cost_check_places(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.places", at->module, at->label);
    struct place_record observed = {.worst = {.count = 0}}, running = {.worst = {.count = 0}};
    look_at_observations(at, &observed);
    look_at_times(at, &running);
    const bool fine = worst_passes(&observed.worst);
    verify_judge(&result,
                 observed.worst.count && (!fine || !running.worst.count) ? &observed.worst : &running.worst);
    blame_places(&observed, CAUSE_cost_observation, "observations", &result);
    blame_places(&running, CAUSE_cost_window, "times", &result);
    verify_close(at->v, &result);
}

/* ---- a whole solve ------------------------------------------------------------------------------------- */

enum { STEPS = 16 };
static const struct sens_method_type no_method = {.name = "none"};

/* Steps that land on the observations, about so many. */
static bool make_grid(const struct bed *bed, struct grid *grid)
{
    const struct sens_problem *pb = &bed->problem;
    double from = pb->t0;
    *grid = (struct grid){.steps = 0};
    for (size_t j = 0; j <= bed->cost.n_obs; j++) {
        const double to = j < bed->cost.n_obs ? bed->cost.t_obs[j] : pb->t1;
        const double length = to - from;
        const long parts = (long)fmax(1, ceil(STEPS * length / (pb->t1 - pb->t0)));
        for (long k = 0; length > 0 && k < parts; k++) {
            const double t = from + length * (double)k / (double)parts;
            const double end = k + 1 < parts ? from + length * (double)(k + 1) / (double)parts : to;
            if (!grid_append(grid, t, end - t, end)) return false;
        }
        if (length > 0) from = to;
    }
    return true;
}

struct solve_line { /* G over the steps, along a direction of p or of x0 */
    const struct oracle *oracle;
    const double *dx0, *dp;
    double *x1;
};

static bool solve_on_line(const void *self, double s, bool shaken, double *out)
{
    const struct solve_line *line = self;
    const struct sens_problem *pb = line->oracle->problem;
    struct verify *v = line->oracle->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const double *p = moved(v, pb->np, pb->p, line->dp, s, shaken);
    double *x0 = verify_array(v, pb->n);
    sens_problem_x0(pb, p, x0);
    const double *from = moved(v, pb->n, x0, line->dx0, s, shaken);
    const bool solved = oracle_map(line->oracle, p, from, line->x1, out) == SENS_OK;
    sens_arena_rewind(&v->ctx.arena, mark);
    return solved;
}

/* One gradient, of `size` columns, along the direction against the slope of G. */
static void note_gradient(struct worst *worst, const struct solve_line *line, size_t size,
                          const double *along, const double *gradient, const double *rounding,
                          const char *what)
{
    struct verify *v = line->oracle->v;
    const size_t m = line->oracle->cost->m;
    const struct curve curve = {v, m, solve_on_line, line, false};
    double *slope = verify_array(v, m), *bound = verify_array(v, m);
    curve_slope(&curve, 1, slope, bound);
    for (size_t c = 0; c < m; c++) {
        double got = 0, noise = 0;
        for (size_t k = 0; k < size; k++) {
            got += gradient[c * size + k] * along[k];
            noise += rounding[c * size + k] * fabs(along[k]);
        }
        if (isfinite(bound[c]))
            worst_note(worst, fabs(got - slope[c]), bound[c] + noise,
                       "%s of functional %zu of %zu: %.10g along a direction, by differences of G %.10g",
                       what, c, m, got, slope[c]);
    }
}

static void note_solve(struct worst *worst, const struct oracle *oracle, const struct sens_out *out,
                       const struct sens_out *rounding, const char *what)
{
    const struct sens_problem *pb = oracle->problem;
    struct verify *v = oracle->v;
    struct solve_line line = {.oracle = oracle, .x1 = verify_array(v, pb->n)};
    char name[VERIFY_NAME];
    if (out->dGdp && pb->np > 0) {
        line.dp = direction_beside(v, pb->np, pb->p);
        snprintf(name, sizeof name, "dG/dp %s", what);
        note_gradient(worst, &line, pb->np, line.dp, out->dGdp, rounding->dGdp, name);
    }
    if (!out->dGdx0) return;
    line.dp = NULL;
    line.dx0 = direction_beside(v, pb->n, pb->x0);
    snprintf(name, sizeof name, "dG/dx0 %s", what);
    note_gradient(worst, &line, pb->n, line.dx0, out->dGdx0, rounding->dGdx0, name);
}

void cost_check_solve(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.solve", at->module, at->label);
    struct worst worst = {.count = 0};
    struct bed bed;
    struct grid grid = {.steps = 0};
    struct oracle oracle;
    bed_create(at->v, &at->problem, &at->cost, &no_method, &bed);
    struct sens_out forward = bed_shape(&bed), reverse = bed_shape(&bed), rounding = bed_shape(&bed);
    const bool made = make_grid(&bed, &grid);
    oracle_create(&bed, bed.task.tableau, &grid, &oracle);
    if (made && oracle_tangent(&oracle, &forward) == SENS_OK &&
        oracle_adjoint(&oracle, &reverse) == SENS_OK && oracle_rounding(&oracle, &rounding) == SENS_OK &&
        out_finite(&bed, &forward)) {
        note_solve(&worst, &oracle, &forward, &rounding, "forward");
        note_solve(&worst, &oracle, &reverse, &rounding, "in reverse");
    }
    if (worst.count == 0)
        verify_skip(&result, "the problem could not be solved on %ld fixed steps of cash_karp", grid.steps);
    else
        verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_cost_order, 0.4);
    verify_close(at->v, &result);
    grid_free(&grid);
    bed_free(&bed);
}
