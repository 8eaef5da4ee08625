/* A cost with many functionals, observations and states, with other numbers of its options, and called by
 * several threads at once. */
#include <stdio.h>
#include <string.h>

#include "cost_terms.h"
#include "made_files.h"
#include "meeting.h"

/* ---- cost.many ----------------------------------------------------------------------------------------- */

/* What cost_with calls has no argument of its own: the check under way. */
struct many {
    struct worst worst;
    struct verify_result result;
    enum cause cause; /* of what is varied now */
    bool usual;       /* the cost is right with its defaults */
    int cases;
};
static _Thread_local struct many *many;

/* Blocks that start anywhere and are of any width beside one block of all functionals. */
static void note_blocks(const struct term *term, enum part part, struct place place, struct worst *worst)
{
    struct verify *v = term->at->v;
    const size_t rows = term_rows(term, part), m = term->at->cost.m;
    const double *D = term_part(term, part, place), *bound = term_rounding(term, part, place, D);
    for (int k = 0; k < 3; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const size_t c0 = (size_t)verify_integer(v, 0, (long)m - 1), L = (size_t)verify_integer(v, 1, 200);
        double *block = verify_array(v, rows * L);
        term_add(term, part, place, c0, L, block);
        for (size_t q = 0; q < rows * L; q++) {
            const size_t c = c0 + q % L;
            const double want = c < m ? D[q / L * m + c] : 0;
            worst_note(worst, entry_distance(block[q], want), c < m ? bound[q / L * m + c] : 0,
                       "functional %zu of %zu in a block from %zu of %zu lanes, row %zu", c, m, c0, L, q / L);
        }
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

static void note_lines(const struct term *term, struct worst *worst)
{
    const struct sens_arena_mark mark = sens_arena_mark(&term->at->v->ctx.arena);
    for (enum part part = PART_DX; part <= PART_DP; part++)
        cost_note_line(worst, term, part, cost_place(term->at, 1));
    sens_arena_rewind(&term->at->v->ctx.arena, mark);
}

/* In the middle of part k of the interval, or at the first observation of part k of all. */
static struct term term_in_part(const struct cost_case *at, bool running, size_t k, size_t parts)
{
    const double length = at->problem.t1 - at->problem.t0;
    return running ? (struct term){.at = at,
                                   .running = true,
                                   .t = at->problem.t0 + length * ((double)k + 0.5) / (double)parts,
                                   .w = 1}
                   : (struct term){.at = at, .j = k * at->cost.n_obs / parts};
}

/* Is what is wrong at one time, or one observation, right at another? */
static void blame_times(const struct cost_case *at, bool running)
{
    enum { TIMES = 16 };
    const size_t parts = running || at->cost.n_obs > TIMES ? TIMES : at->cost.n_obs;
    size_t right = 0, wrong = 0;
    for (size_t k = 0; k < parts; k++) {
        struct worst here = {.count = 0};
        const struct term term = term_in_part(at, running, k, parts);
        note_lines(&term, &here);
        *(worst_passes(&here) ? &right : &wrong) += here.count > 0;
    }
    if (right > 0 && wrong > 0)
        verify_blame(&many->result, running ? CAUSE_cost_window : CAUSE_cost_observation, 0.95);
}

/* A functional for each of 65,536 states is more than there is memory for. */
static bool has_room(const struct cost_case *at)
{
    static const size_t NUMBERS = (size_t)1 << 22;
    return at->cost.m <= NUMBERS / (at->cost.n + at->cost.np);
}

/* A formula for positive states alone is one in pieces, of which the other is missing. */
static void note_signs(const struct cost_case *at, const struct worst *other, bool usual, bool by_default)
{
    if (other->count)
        worst_note(&many->worst, other->value, other->bound, "%s, states of either sign: %s", at->label,
                   other->where);
    if (worst_passes(other)) return;
    verify_blame(&many->result, CAUSE_branch, usual ? 0.95 : 0.1);
    if (!by_default) verify_blame(&many->result, many->cause, many->usual ? 0.9 : 0.1);
}

static void look_at_many(const struct cost_case *at)
{
    if (!has_room(at)) return;
    struct term term[MOST_TERMS];
    struct worst here = {.count = 0};
    struct worst other = {.count = 0}; /* at states of either sign */
    struct place signs;
    const bool first = many->cases == 0; /* the default */
    const bool has_signs = (first || many->cause == CAUSE_option_path) && cost_place_of_signs(at, &signs);
    const size_t terms = cost_terms(at, term);
    bool fails[2] = {false, false}; /* phi, g */
    for (size_t k = 0; k < terms; k++) {
        struct worst own = {.count = 0};
        const struct sens_arena_mark mark = sens_arena_mark(&at->v->ctx.arena);
        const struct place place = cost_place(at, 1);
        for (enum part part = PART_DX; part <= PART_DP; part++) {
            cost_note_line(&own, &term[k], part, place);
            if (has_signs) cost_note_line(&other, &term[k], part, signs);
            if (term_has(&term[k], part)) note_blocks(&term[k], part, place, &own);
        }
        if (!worst_passes(&own)) fails[term[k].running] = true;
        if (own.count) worst_note(&here, own.value, own.bound, "%s", own.where);
        sens_arena_rewind(&at->v->ctx.arena, mark);
    }
    many->cases++;
    if (first) many->usual = worst_passes(&here);
    note_signs(at, &other, worst_passes(&here), first);
    if (here.count == 0) return;
    worst_note(&many->worst, here.value, here.bound, "%s: %s", at->label, here.where);
    if (!worst_passes(&here)) verify_blame(&many->result, many->cause, many->usual ? 0.9 : 0.1);
    for (int running = 0; running < 2; running++)
        if (fails[running]) blame_times(at, running);
}

static const struct probe_settings usual = {.n = 4, .np = 5, .t0 = 0.25, .t1 = 2};

/* What a byte can count, and a number of 16 bits: indices may be kept in one. */
enum { BYTE = 256, SHORT = 65536 };

static void vary_past_shorts(struct verify *v, const double *set)
{
    const struct probe_settings settings = {
        .n = SHORT + (size_t)verify_integer(v, 1, 14), .np = 1, .t0 = 0.25, .t1 = 2};
    many->cause = CAUSE_size_limit;
    cost_with(v, &settings, set, look_at_many);
}

/* The usual probe first; then one with something that is large, least, none, or of another size or sign. */
static void vary_probe(struct verify *v, const double *set)
{
    const size_t large = (size_t)verify_integer(v, BYTE + 1, BYTE + 14);
    const struct {
        struct probe_settings settings;
        enum cause cause;
    } cases[] = {{usual, CAUSE_size_limit},
                 {{.n = large, .np = 5, .t0 = 0.25, .t1 = 2}, CAUSE_size_limit},
                 {{.n = 4, .np = large, .t0 = 0.25, .t1 = 2}, CAUSE_size_limit},
                 {{.n = 1, .np = 5, .t0 = 0.25, .t1 = 2}, CAUSE_too_few},
                 {{.n = 4, .np = 1, .t0 = 0.25, .t1 = 2}, CAUSE_too_few},
                 {{.n = 4, .np = 0, .t0 = 0.25, .t1 = 2}, CAUSE_empty_set},
                 {{.n = 4, .np = 5, .t0 = -3, .t1 = -1}, CAUSE_initial_time},
                 {{.n = 4, .np = 5, .t0 = 300, .t1 = 302}, CAUSE_cost_window},
                 {{.n = 4, .np = 5, .t0 = 0.25, .t1 = 2, .scale = 0x1p10}, CAUSE_state_scale},
                 {{.n = 4, .np = 5, .t0 = 0.25, .t1 = 2, .scale = 0x1p-10}, CAUSE_state_scale}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        many->cause = cases[k].cause;
        cost_with(v, &cases[k].settings, set, look_at_many);
    }
    if (!v->quick) vary_past_shorts(v, set);
}

/* A number far from 1 may be what residuals are held against, as the width of a loss is: the probe's states are near
 * 1. */
static double near_states(struct verify *v, const struct sens_option *option)
{
    const double value = verify_uniform(v, 0.1, 0.5);
    return fmin(fmax(value, option->min), option->max);
}

/* Each number to a few others: whole ones to the least, where a formula for several may fail, to a small odd one, and
 * to sizes past those of arrays on a stack; real ones near their least by 1e-7 of the way, too. */
static const double NEAR_END = 1e-7;

static void vary_option(struct verify *v, double *set, size_t which)
{
    const struct sens_option *option = &v->cost->options[which];
    const double far = 8 * fmax(fabs(option->fallback), 4), top = fmin(option->max, far);
    const double drawn = verify_uniform(v, fmax(option->min, -far), top);
    const double larger = fmin(option->max, (double)verify_integer(v, 257, v->quick ? 270 : 600));
    const double upper = option->fallback > option->min ? option->fallback : top;
    const double near_least = option->min * (1 - NEAR_END) + upper * NEAR_END;
    const double odd =
        fmin(2 * floor(option->min / 2) + 1 + 2 * (double)verify_integer(v, 1, 3), option->max);
    const double whole[] = {option->min, larger, odd, round(drawn)};
    const double real[] = {drawn, fabs(option->fallback) > 8 ? near_states(v, option) : top, near_least,
                           option->min};
    const bool is_whole = option->kind == SENS_OPT_INT;
    static const enum cause of_whole[] = {CAUSE_too_few, CAUSE_size_limit, CAUSE_option_path,
                                          CAUSE_option_path};
    for (int k = 0; k < (v->quick ? 3 : 4); k++) {
        set[which] = is_whole ? whole[k] : real[k];
        many->cause = is_whole ? of_whole[k] : CAUSE_option_path;
        cost_with(v, &usual, set, look_at_many);
    }
    set[which] = NAN;
}

/* Each other choice by itself, with states a thousand times as large or as small, and with each real number near the
 * states: a branch may lie beyond a width. */
static void vary_choice(struct verify *v, double *set, size_t which)
{
    const struct sens_option *const table = v->cost->options;
    const size_t count = sens_option_count(table);
    struct probe_settings larger = usual, smaller = usual;
    larger.scale = 0x1p10, smaller.scale = 0x1p-10;
    many->cause = CAUSE_option_path;
    for (long c = 0; c < sens_option_choices(&table[which]); c++) {
        if ((double)c == table[which].fallback) continue;
        set[which] = (double)c;
        cost_with(v, &usual, set, look_at_many);
        cost_with(v, &larger, set, look_at_many);
        cost_with(v, &smaller, set, look_at_many);
        for (size_t i = 0; i < count; i++) {
            if (table[i].kind != SENS_OPT_REAL) continue;
            set[i] = near_states(v, &table[i]);
            cost_with(v, &usual, set, look_at_many);
            set[i] = NAN;
        }
    }
    set[which] = NAN;
}

static void vary_file(struct verify *v, size_t which)
{
    const struct file_sizes sizes = {usual.n, usual.np, usual.t0, usual.t1};
    struct made_file made[2 * MADE_FILES];
    size_t count = files_make(v, &sizes, made);
    count += files_make_measured(v, &sizes, made + count);
    for (size_t k = 0; k < count; k++) {
        many->cause = made[k].quantities > 0 ? CAUSE_measured_quantities
                      : made[k].repeats      ? CAUSE_repeated_entries
                                             : CAUSE_option_path;
        cost_with_file(v, &usual, which, &made[k], look_at_many);
    }
}

void cost_check_many(struct verify *v)
{
    const struct sens_option *table = v->cost->options;
    const size_t count = sens_option_count(table);
    struct many here = {.worst = {.count = 0}};
    char label[VERIFY_SUBJECT];
    double *set = verify_array(v, count);
    snprintf(label, sizeof label, "%s", v->cost->name);
    verify_name_held(v, table, " ", sizeof label, label);
    here.result = verify_open("cost.many", v->module, label);
    many = &here;
    for (size_t i = 0; i < count; i++) set[i] = NAN;
    vary_probe(v, set);
    for (size_t i = 0; i < count; i++)
        if (table[i].kind == SENS_OPT_INT || table[i].kind == SENS_OPT_REAL)
            vary_option(v, set, i);
        else if (table[i].kind == SENS_OPT_DATA)
            vary_file(v, i);
        else
            vary_choice(v, set, i);
    many = NULL;
    if (here.cases == 0)
        verify_skip(&here.result, "the cost goes with the probe for none of the options that were tried");
    else
        verify_judge(&here.result, &here.worst);
    verify_close(v, &here.result);
}

/* ---- cost.threads -------------------------------------------------------------------------------------- */

struct caller { /* of all parts of all terms at one place */
    const struct cost_case *at;
    struct place place;
    size_t terms;
    struct term term[MOST_TERMS];
    double *alone[MOST_TERMS][PARTS], *now[MOST_TERMS][PARTS];
    long rounds, wrong;
};

static size_t numbers_of(const struct caller *caller, size_t k, enum part part)
{
    return term_rows(&caller->term[k], part) * caller->at->cost.m;
}

static void call_all(struct caller *caller, double *out[MOST_TERMS][PARTS])
{
    for (size_t k = 0; k < caller->terms; k++)
        for (enum part part = PART_VALUE; part < PARTS; part++) {
            memset(out[k][part], 0, numbers_of(caller, k, part) * sizeof(double));
            term_add(&caller->term[k], part, caller->place, 0, caller->at->cost.m, out[k][part]);
        }
}

static void call_once(void *self)
{
    struct caller *caller = self;
    bool same = true;
    call_all(caller, caller->now);
    for (size_t k = 0; k < caller->terms; k++)
        for (enum part part = PART_VALUE; part < PARTS; part++)
            same = same && memcmp(caller->now[k][part], caller->alone[k][part],
                                  numbers_of(caller, k, part) * sizeof(double)) == 0;
    caller->rounds++;
    caller->wrong += !same;
}

static void look_at_threads(const struct cost_case *at)
{
    struct verify *v = at->v;
    struct caller *caller = verify_memory(v, MEETING_THREADS, sizeof *caller);
    void *each[MEETING_THREADS];
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("cost.threads", at->v->module, at->label);
    for (int i = 0; i < MEETING_THREADS; i++) {
        caller[i] = (struct caller){.at = at, .place = cost_place(at, 1)};
        caller[i].terms = cost_terms(at, caller[i].term);
        for (size_t k = 0; k < caller[i].terms; k++)
            for (enum part part = PART_VALUE; part < PARTS; part++) {
                caller[i].alone[k][part] = verify_array(v, numbers_of(&caller[i], k, part));
                caller[i].now[k][part] = verify_array(v, numbers_of(&caller[i], k, part));
            }
        call_all(&caller[i], caller[i].alone);
        each[i] = &caller[i];
    }
    if (meeting_hold(call_once, each, v->quick ? 150 : 2000) < MEETING_THREADS) {
        verify_skip(&result, "fewer than four threads could be made");
    } else {
        for (int i = 0; i < MEETING_THREADS; i++)
            worst_note(&worst, (double)caller[i].wrong, 0,
                       "of %ld rounds beside three other threads, so many gave other bits than alone",
                       caller[i].rounds);
        verify_judge(&result, &worst);
    }
    verify_blame(&result, CAUSE_race_in_callback, 0.97);
    verify_close(v, &result);
}

void cost_check_threads(struct verify *v)
{
    static const struct probe_settings large = {.n = 40, .np = 5, .t0 = 0.25, .t1 = 2};
    const size_t count = sens_option_count(v->cost->options);
    double *set = verify_array(v, count);
    for (size_t i = 0; i < count; i++) set[i] = NAN;
    if (cost_with(v, &large, set, look_at_threads)) return;
    verify_skip_check(v, "cost.threads", v->module, v->cost->name, "the cost does not go with the probe");
}
