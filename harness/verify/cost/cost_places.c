/* A cost at every observation and all over the interval: wide and shallow, along one random direction at a
 * time, for all functionals at once. */
#include <stdio.h>
#include <string.h>

#include "cost_terms.h"
#include "jacobian.h"

/* ---- along a line -------------------------------------------------------------------------------------- */

struct cost_line {
    const struct term *term;
    struct place place;
    const double *dx, *dp; /* one of them NULL */
};

double *cost_moved(struct verify *v, size_t count, const double *from, const double *direction, double s,
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
    const struct place place = {cost_moved(v, cost->n, line->place.x, line->dx, s, shaken),
                                cost_moved(v, cost->np, line->place.p, line->dp, s, shaken)};
    for (size_t c = 0; c < cost->m; c++) out[c] = 0;
    term_add(line->term, PART_VALUE, place, 0, cost->m, out);
    sens_arena_rewind(&v->ctx.arena, mark);
    return true;
}

double *cost_direction(struct verify *v, size_t count, const double *from)
{
    double *direction = verify_perturbed(v, count, from, 0.1);
    for (size_t i = 0; i < count; i++) direction[i] -= from[i];
    return direction;
}

/* What is wrong is so along any direction. Differences that cross kinks of a cost are off by more than they know of in
 * a direction now and then: one that passes is enough, of three. */
void cost_note_directions(struct worst *worst, void (*compare)(const void *self, struct worst *here),
                          const void *self)
{
    enum { DIRECTIONS = 3 };
    struct worst least = {.count = 0};
    for (int k = 0; k < DIRECTIONS; k++) {
        struct worst here = {.count = 0};
        compare(self, &here);
        if (here.count == 0) continue; /* no difference resolves it */
        if (least.count == 0 || here.value * least.bound < least.value * here.bound) least = here;
        if (worst_passes(&here)) break;
    }
    if (least.count) worst_note(worst, least.value, least.bound, "%s", least.where);
}

struct any_line {
    const struct term *term;
    enum part part;
    struct place place;
};

/* Along one random direction. */
static void compare_on_line(struct worst *worst, const struct term *term, enum part part, struct place place)
{
    struct verify *v = term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t rows = term_rows(term, part), m = term->at->cost.m;
    const double *along = cost_direction(v, rows, part == PART_DX ? place.x : place.p);
    const struct cost_line line = {term, place, part == PART_DX ? along : NULL,
                                   part == PART_DX ? NULL : along};
    const double *lost = term_rounding(term, PART_VALUE, place, term_part(term, PART_VALUE, place));
    const struct sens_problem *const pb = &term->at->problem;
    const struct curve curve = {
        v, m, value_on_line, &line, false, lost, curve_inputs(pb->n, place.x, pb->np, place.p)};
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

static void try_line(const void *self, struct worst *worst)
{
    const struct any_line *any = self;
    compare_on_line(worst, any->term, any->part, any->place);
}

void cost_note_line(struct worst *worst, const struct term *term, enum part part, struct place place)
{
    const struct any_line any = {term, part, place};
    cost_note_directions(worst, try_line, &any);
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

struct entries { /* of a derivative, at a place */
    const double *D, *rounding;
    struct differences N;
    size_t count;
};

static struct entries entries_at(const struct term *term, enum part part, struct place place)
{
    const double *const D = term_part(term, part, place);
    return (struct entries){D, term_rounding(term, part, place, D), term_differences(term, part, place),
                            term_rows(term, part) * term->at->cost.m};
}

/* Past its bound; negative: it is not. */
static double excess(const struct entries *e, size_t q)
{
    return fabs(e->D[q] - e->N.d[q]) - (e->rounding[q] + e->N.bound[q]);
}

/* Is the entry right, and something? */
static bool is_right_in(const struct entries *e, size_t q)
{
    return excess(e, q) <= 0 && fabs(e->N.d[q]) > e->N.bound[q];
}

/* What is wrong by a formula is wrong at almost every place. */
bool cost_blame_branch(const struct term *term, enum part part, struct place place,
                       struct verify_result *result)
{
    static const double factor[] = {1, 1, 0.3, -1, 3, -3};
    const struct sens_problem *pb = &term->at->problem;
    struct verify *v = term->at->v;
    if (cost_is_large(term->at)) return false;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const struct entries here = entries_at(term, part, place);
    size_t worst = 0;
    bool found = false;
    for (size_t q = 0; q < here.count; q++)
        if (isfinite(here.N.bound[q]) && !(excess(&here, q) <= excess(&here, worst))) worst = q;
    for (size_t k = 0; here.count && k < sizeof factor / sizeof *factor && !found; k++) {
        double *const x = verify_perturbed(v, pb->n, k % 2 ? place.x : pb->x0, 0.1);
        for (size_t i = 0; i < pb->n; i++) x[i] *= factor[k];
        const struct place other = {x, verify_perturbed(v, pb->np, place.p, 0.05)};
        const struct entries there = entries_at(term, part, other);
        found = is_right_in(&there, worst);
    }
    sens_arena_rewind(&v->ctx.arena, mark);
    if (!found) return false;
    verify_say(result, "right for other states and parameters");
    verify_blame(result, CAUSE_branch, 0.97);
    return true;
}

/* ---- every place --------------------------------------------------------------------------------------- */

struct place_record {
    struct worst worst;
    size_t right, wrong; /* terms of one kind */
    struct verify_result *result;
};

bool cost_is_wrong(const struct term *term, enum part part, struct place place)
{
    struct worst worst = {.count = 0};
    cost_note_line(&worst, term, part, place);
    return !worst_passes(&worst);
}

/* The first one that is wrong tells. */
static void examine(const struct term *term, struct place place, struct verify_result *result)
{
    for (enum part part = PART_DX; part <= PART_DP; part++)
        if (cost_is_wrong(term, part, place) && cost_blame_branch(term, part, place, result)) return;
}

static void look_at_term(const struct term *term, struct place_record *record)
{
    const struct sens_arena_mark mark = sens_arena_mark(&term->at->v->ctx.arena);
    const struct place place = cost_place(term->at, 1);
    struct worst here = {.count = 0};
    for (enum part part = PART_DX; part <= PART_DP; part++) cost_note_line(&here, term, part, place);
    if (here.count) worst_note(&record->worst, here.value, here.bound, "%s", here.where);
    if (worst_passes(&here))
        record->right++;
    else if (record->wrong++ == 0)
        examine(term, place, record->result);
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
    const int strata = at->v->quick ? 100 : 1000;
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
    struct verify_result result = verify_open("cost.places", at->v->module, at->label);
    struct place_record observed = {.result = &result}, running = {.result = &result};
    look_at_observations(at, &observed);
    look_at_times(at, &running);
    const bool fine = worst_passes(&observed.worst);
    verify_judge(&result,
                 observed.worst.count && (!fine || !running.worst.count) ? &observed.worst : &running.worst);
    blame_places(&observed, CAUSE_cost_observation, "observations", &result);
    blame_places(&running, CAUSE_cost_window, "times", &result);
    verify_close(at->v, &result);
}
