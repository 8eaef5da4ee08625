/* Cases of a cost, its terms, and the derivatives of a term by differences. */
#include "cost_terms.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "jacobian.h"
#include "probe.h"

/* ---- options ------------------------------------------------------------------------------------------- */

static double clamp(const struct sens_option *option, double number)
{
    return fmin(fmax(number, option->min), option->max);
}

/* Away from the default: whole numbers 7, a weight that is 0 by default 1/2, the next choice. */
static double stirred(const struct sens_option *option)
{
    const double fallback = option->fallback;
    if (option->kind == SENS_OPT_INT) return clamp(option, 7);
    if (option->kind == SENS_OPT_REAL) return clamp(option, fallback == 0 ? 0.5 : 1.5 * fallback);
    return (double)(((long)fallback + 1) % sens_option_choices(option));
}

static double drawn(struct verify *v, const struct sens_option *option)
{
    const double low = fmax(option->min, 1), high = fmin(option->max, 20);
    if (option->kind == SENS_OPT_INT)
        return low <= high ? (double)verify_integer(v, (long)low, (long)high) : option->fallback;
    if (option->kind == SENS_OPT_REAL)
        return clamp(option, (option->fallback == 0 ? 1 : option->fallback) * verify_uniform(v, 0.1, 2));
    return (double)verify_integer(v, 0, sens_option_choices(option) - 1);
}

static void name_option(const struct sens_option *option, double number, char label[VERIFY_SUBJECT])
{
    const size_t used = strlen(label);
    if (option->kind == SENS_OPT_CHOICE)
        snprintf(label + used, VERIFY_SUBJECT - used, " %s=%s", option->name,
                 option->choices[(size_t)number]);
    else
        snprintf(label + used, VERIFY_SUBJECT - used, " %s=%.4g", option->name, number);
}

/* How many of them. */
static size_t vary_options(struct cost_case *at, const struct sens_option *table, struct sens_value *value)
{
    size_t varied = 0;
    for (size_t i = 0; i < sens_option_count(table); i++) {
        if (table[i].kind == SENS_OPT_DATA || verify_held(at->v, &table[i])) continue;
        varied++;
        value[i].number = at->v->seed ? drawn(at->v, &table[i]) : stirred(&table[i]);
        name_option(&table[i], value[i].number, at->label);
    }
    return varied;
}

/* ---- names ---------------------------------------------------------------------------------------------- */

/* Before what a result of a provider is about: "cost terminal on "; else "". */
static const char *cost_named(const struct verify *v, char name[VERIFY_NAME])
{
    if (!v->provider) return "";
    snprintf(name, VERIFY_NAME, "cost %.48s on ", v->cost->name);
    return name;
}

/* ---- cases --------------------------------------------------------------------------------------------- */

/* Does create succeed with what sens_cost_create does not accept? */
static bool breaks_contract(struct verify *v, const struct sens_value *value, const struct sens_problem *pb)
{
    struct sens_ctx scratch = {.message = ""};
    struct sens_cost made = {.type = v->cost, .n = pb->n, .np = pb->np};
    const sens_status status = v->cost->create(&scratch, value, pb, &made);
    sens_arena_release(&scratch.arena);
    return status == SENS_OK;
}

/* Looks at the cost on the problem, with defaults or other options. false: they do not go together, or there
 * are no other options. */
static bool look_at(struct cost_case *at, bool vary, void (*look)(const struct cost_case *at))
{
    struct verify *v = at->v;
    const struct sens_option *table = v->cost->options;
    struct sens_value *value = verify_memory(v, sens_option_count(table), sizeof *value);
    sens_option_defaults(table, value);
    if (vary && vary_options(at, table, value) == 0) return false;
    at->valid = verify_create_cost(v, v->cost, value, &at->problem, &at->cost) == SENS_OK;
    if (!at->valid && !breaks_contract(v, value, &at->problem)) return false;
    look(at);
    return true;
}

/* With the values; begins the label. */
static bool look_at_probe(struct verify *v, const struct probe_settings *settings,
                          const struct sens_value *value, const char *words,
                          void (*look)(const struct cost_case *at))
{
    struct cost_case at = {.v = v, .clean = fp_state_read()};
    char name[VERIFY_NAME];
    snprintf(at.label, sizeof at.label, "%sprobe n=%zu np=%zu t0=%g scale=%g", cost_named(v, name),
             settings->n, settings->np, settings->t0, settings->scale > 0 ? settings->scale : 1);
    verify_name_held(v, v->cost->options, " ", sizeof at.label, at.label);
    const size_t used = strlen(at.label);
    snprintf(at.label + used, sizeof at.label - used, "%s", words);
    probe_problem(v, settings, &at.problem);
    at.valid = verify_create_cost(v, v->cost, value, &at.problem, &at.cost) == SENS_OK;
    if (at.valid) look(&at);
    return at.valid;
}

bool cost_with(struct verify *v, const struct probe_settings *settings, const double *set,
               void (*look)(const struct cost_case *at))
{
    const struct sens_option *table = v->cost->options;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    char words[VERIFY_SUBJECT] = "";
    struct sens_value *value = verify_memory(v, sens_option_count(table), sizeof *value);
    sens_option_defaults(table, value);
    for (size_t i = 0; i < sens_option_count(table); i++) {
        if (isnan(set[i]) || verify_held(v, &table[i])) continue;
        value[i].number = set[i];
        name_option(&table[i], set[i], words);
    }
    const bool looked = look_at_probe(v, settings, value, words, look);
    sens_arena_rewind(&v->ctx.arena, mark);
    return looked;
}

bool cost_breaks_contract(struct verify *v, const struct probe_settings *settings)
{
    const struct sens_option *table = v->cost->options;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct sens_value *value = verify_memory(v, sens_option_count(table), sizeof *value);
    struct sens_problem problem;
    struct sens_cost cost;
    sens_option_defaults(table, value);
    probe_problem(v, settings, &problem);
    const bool made = verify_create_cost(v, v->cost, value, &problem, &cost) == SENS_OK;
    const bool broken = !made && breaks_contract(v, value, &problem);
    sens_arena_rewind(&v->ctx.arena, mark);
    return broken;
}

bool cost_with_file(struct verify *v, const struct probe_settings *settings, size_t option,
                    const struct made_file *file, void (*look)(const struct cost_case *at))
{
    const struct sens_option *table = v->cost->options;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    char words[VERIFY_SUBJECT];
    struct sens_value *value = verify_memory(v, sens_option_count(table), sizeof *value);
    sens_option_defaults(table, value);
    value[option] = (struct sens_value){.data = file->number,
                                        .count = file->count,
                                        .measured = file->measured,
                                        .quantities = file->quantities,
                                        .quantity = file->quantity};
    snprintf(words, sizeof words, " %s=%s", table[option].name, file->words);
    const bool looked = look_at_probe(v, settings, value, words, look);
    sens_arena_rewind(&v->ctx.arena, mark);
    return looked;
}

/* The probe (NULL) or a registered problem. */
static bool make_problem(struct cost_case *at, const struct sens_problem_type *type)
{
    struct verify *v = at->v;
    struct probe_settings settings = {.n = 5, .np = 4, .t0 = 0.25, .t1 = 2};
    struct instance instance;
    char name[VERIFY_NAME];
    if (type) {
        if (!instance_create(v, type, 0, &instance)) return false;
        at->problem = instance.problem;
        snprintf(at->label, sizeof at->label, "%s%.*s", cost_named(v, name), VERIFY_NAME, instance.label);
        return true;
    }
    if (v->seed) settings.n = (size_t)verify_integer(v, 1, 12), settings.np = (size_t)verify_integer(v, 0, 9);
    probe_problem(v, &settings, &at->problem);
    snprintf(at->label, sizeof at->label, "%sprobe n=%zu np=%zu", cost_named(v, name), settings.n,
             settings.np);
    return true;
}

static bool look_at_problem(struct verify *v, const struct sens_problem_type *type, bool vary,
                            const struct fp_state *clean, void (*look)(const struct cost_case *at))
{
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct cost_case at = {.v = v, .clean = *clean};
    const bool looked = make_problem(&at, type) && look_at(&at, vary, look);
    sens_arena_rewind(&v->ctx.arena, mark);
    return looked;
}

static const char *const preferred[] = {"glv", "initial", "vdp", "forced"};
enum { PREFERRED = sizeof preferred / sizeof *preferred, NAMED = PREFERRED, SMALL, LARGE, RANKS };

static int rank_of(const struct verify *v, const struct sens_problem_type *type)
{
    for (int k = 0; k < PREFERRED; k++)
        if (strcmp(type->name, preferred[k]) == 0) return k;
    if (v->problem_glob && fnmatch(v->problem_glob, type->name, 0) == 0) return NAMED;
    return type->many_states ? LARGE : SMALL;
}

bool cost_is_large(const struct cost_case *at)
{
    enum { EACH_MOST = 2048 };
    return at->problem.n + at->problem.np > EACH_MOST;
}

/* In a quick run the probe, the preferred ones, and of those that were named so many: who names a problem and a cost
 * asks for this cost on that problem. */
static int enough_problems(const struct verify *v)
{
    enum { NAMED_MOST = 4 };
    int named = 0;
    for (size_t i = 0; v->reg->problems[i]; i++) named += rank_of(v, v->reg->problems[i]) == NAMED;
    return !v->quick ? INT_MAX : 1 + PREFERRED + (named < NAMED_MOST ? named : NAMED_MOST);
}

int cost_each(struct verify *v, void (*look)(const struct cost_case *at))
{
    const int enough = enough_problems(v);
    const int first = v->seed ? (int)verify_integer(v, 0, PREFERRED - 1) : 0;
    const struct fp_state clean = fp_state_read();
    int problems = 0, cases = 0;
    for (int k = -1; k < RANKS && problems < enough; k++) {
        const int rank = k >= 0 && k < PREFERRED ? (k + first) % PREFERRED : k;
        for (const struct sens_problem_type *const *type = v->reg->problems; *type; type++) {
            if (problems == enough || (rank >= 0 && rank_of(v, *type) != rank)) continue;
            const struct sens_problem_type *const taken = rank < 0 ? NULL : *type;
            const int before = cases;
            for (int vary = 0; vary < 2; vary++) cases += look_at_problem(v, taken, vary, &clean, look);
            if (cases > before) problems++;
            if (rank < 0) break;
        }
    }
    return cases;
}

/* ---- terms --------------------------------------------------------------------------------------------- */

static size_t add_running(const struct cost_case *at, struct term term[MOST_TERMS], size_t count)
{
    static const double passed[] = {0.375, 0.8, 0, 1}, weight[] = {0.75, -1.25, 0.5, 1.5};
    const double t0 = at->problem.t0, length = at->problem.t1 - t0;
    for (int k = 0; k < 4; k++) {
        const double s = at->v->seed && k < 2 ? verify_uniform(at->v, 0, 1) : passed[k];
        term[count++] = (struct term){.at = at, .running = true, .t = t0 + s * length, .w = weight[k]};
    }
    return count;
}

size_t cost_terms(const struct cost_case *at, struct term term[MOST_TERMS])
{
    const size_t n_obs = at->cost.n_obs, observation[] = {0, n_obs / 2, n_obs - 1};
    size_t count = 0;
    for (size_t k = 0; n_obs > 0 && k < 3; k++)
        if (k == 0 || observation[k] != observation[k - 1])
            term[count++] = (struct term){.at = at, .j = observation[k]};
    return at->cost.type->g ? add_running(at, term, count) : count;
}

static bool has_value(const struct cost_case *at, struct place place)
{
    struct term term[MOST_TERMS];
    const struct sens_arena_mark mark = sens_arena_mark(&at->v->ctx.arena);
    bool finite = true;
    for (size_t k = cost_terms(at, term); k-- > 0;) {
        const double *value = term_part(&term[k], PART_VALUE, place);
        for (size_t c = 0; c < at->cost.m; c++) finite = finite && isfinite(value[c]);
    }
    sens_arena_rewind(&at->v->ctx.arena, mark);
    return finite;
}

struct place cost_place(const struct cost_case *at, int which)
{
    const struct sens_problem *pb = &at->problem;
    struct place place = {pb->x0, pb->p};
    for (double amount = 0.1; which > 0 && amount > 1e-4; amount /= 4) {
        place = (struct place){verify_perturbed(at->v, pb->n, pb->x0, amount),
                               verify_perturbed(at->v, pb->np, pb->p, amount)};
        if (has_value(at, place)) break;
    }
    return place;
}

bool cost_place_of_signs(const struct cost_case *at, struct place *place)
{
    const size_t n = at->problem.n;
    double *const x = verify_copy(at->v, n, at->problem.x0);
    for (size_t i = 0; i < n; i++) x[i] *= verify_uniform(at->v, -1.5, 1.5);
    *place = (struct place){x, at->problem.p};
    return has_value(at, *place);
}

size_t term_rows(const struct term *term, enum part part)
{
    const struct sens_cost *cost = &term->at->cost;
    return part == PART_VALUE ? 1 : part == PART_DX ? cost->n : cost->np;
}

bool term_has(const struct term *term, enum part part)
{
    const struct sens_cost_type *type = term->at->cost.type;
    return part != PART_DP || (term->running ? type->g_dp != NULL : type->phi_dp != NULL);
}

static void add_running_part(const struct term *term, enum part part, struct place place, size_t c0, size_t L,
                             double *OUT)
{
    const struct sens_cost *cost = &term->at->cost;
    const struct sens_at at = {.t = term->t, .x = place.x, .p = place.p};
    if (part == PART_VALUE)
        cost->type->g(cost, &at, term->w, OUT);
    else
        (part == PART_DX ? cost->type->g_dx : cost->type->g_dp)(cost, &at, term->w, c0, L, OUT);
}

void term_add(const struct term *term, enum part part, struct place place, size_t c0, size_t L, double *OUT)
{
    const struct sens_cost *cost = &term->at->cost;
    if (!term_has(term, part)) return;
    if (term->running)
        add_running_part(term, part, place, c0, L, OUT);
    else if (part == PART_VALUE)
        cost->type->phi(cost, term->j, place.x, place.p, OUT);
    else
        (part == PART_DX ? cost->type->phi_dx : cost->type->phi_dp)(cost, term->j, place.x, place.p, c0, L,
                                                                    OUT);
}

double *term_part(const struct term *term, enum part part, struct place place)
{
    double *made = verify_array(term->at->v, term_rows(term, part) * term->at->cost.m);
    term_add(term, part, place, 0, term->at->cost.m, made);
    return made;
}

void term_name(const struct term *term, enum part part, char name[VERIFY_NAME])
{
    static const char *const suffix[PARTS] = {"", "_dx", "_dp"};
    if (term->running)
        snprintf(name, VERIFY_NAME, "g%s at t = %.4g, w = %g", suffix[part], term->t, term->w);
    else
        snprintf(name, VERIFY_NAME, "phi%s of observation %zu", suffix[part], term->j);
}

/* ---- rounding and differences -------------------------------------------------------------------------- */

static struct term shaken_term(const struct term *term, double stretch)
{
    struct term shaken = *term;
    shaken.t = *verify_shaken(term->at->v, 1, &term->t);
    shaken.w = term->w * stretch;
    return shaken;
}

static struct place shaken_place(const struct term *term, struct place place)
{
    const struct sens_problem *pb = &term->at->problem;
    return (struct place){verify_shaken(term->at->v, pb->n, place.x),
                          verify_shaken(term->at->v, pb->np, place.p)};
}

double entry_distance(double a, double b)
{
    return isfinite(a) || isfinite(b) ? fabs(a - b) : 0;
}

double *term_rounding(const struct term *term, enum part part, struct place place, const double *D)
{
    enum { SHAKES = 4 };
    const size_t count = term_rows(term, part) * term->at->cost.m;
    /* Shaken, a sum of N terms spreads by their mean square; in another order it may by
     * sqrt(N) times that. Terms that cancel whatever x and p are leave their rounding alone, of which only another w
     * tells, that multiplies each of them. */
    const double factor = 4 + sqrt((double)(term->at->cost.n + term->at->cost.np));
    struct verify *v = term->at->v;
    double *bound = verify_array(v, count);
    for (size_t q = 0; q < count; q++) bound[q] = isfinite(D[q]) ? 8 * DBL_EPSILON * fabs(D[q]) : 0;
    for (int k = 0; k < SHAKES; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const double stretch = term->running ? 1 + 1e-6 * verify_uniform(v, 0, 1) : 1;
        const struct term shaken = shaken_term(term, stretch);
        const double *E = term_part(&shaken, part, shaken_place(term, place));
        for (size_t q = 0; q < count; q++)
            bound[q] = fmax(bound[q], factor * entry_distance(E[q] / stretch, D[q]));
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    return bound;
}

struct axis { /* the value along one coordinate of x or p */
    const struct term *term;
    enum part part;
    struct place place;
    size_t k;
};

static bool value_along(const void *self, double s, bool shaken, double *out)
{
    const struct axis *axis = self;
    const struct term *term = axis->term;
    const struct sens_problem *pb = &term->at->problem;
    double *x = verify_copy(term->at->v, pb->n, axis->place.x);
    double *p = verify_copy(term->at->v, pb->np, axis->place.p);
    struct place place = {x, p};
    (axis->part == PART_DX ? x : p)[axis->k] += s;
    if (shaken) place = shaken_place(term, place);
    for (size_t c = 0; c < term->at->cost.m; c++) out[c] = 0;
    const struct term used = shaken ? shaken_term(term, 1) : *term;
    term_add(&used, PART_VALUE, place, 0, term->at->cost.m, out);
    return true;
}

/* A tenth of the coordinate, of the mean magnitude of all where it is 0. */
static double first_step(size_t count, const double *at, size_t k)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++) mean += fabs(at[i]) / (double)count;
    return 0.1 * (at[k] != 0 ? fabs(at[k]) : mean > 0 ? mean : 1);
}

struct differences term_differences(const struct term *term, enum part part, struct place place)
{
    struct verify *v = term->at->v;
    const size_t rows = term_rows(term, part), m = term->at->cost.m;
    const struct differences made = {verify_array(v, rows * m), verify_array(v, rows * m)};
    struct axis axis = {term, part, place, 0};
    const struct sens_problem *const pb = &term->at->problem;
    const struct curve curve = {.v = v,
                                .n = m,
                                .value = value_along,
                                .self = &axis,
                                .inputs = curve_inputs(pb->n, place.x, pb->np, place.p)};
    for (; axis.k < rows; axis.k++)
        curve_slope(&curve, first_step(rows, part == PART_DX ? place.x : place.p, axis.k),
                    made.d + axis.k * m, made.bound + axis.k * m);
    return made;
}
