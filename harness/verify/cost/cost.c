/* The callbacks of a cost, before any solve:
 *
 *     G_c(p) = sum_{j < n_obs} phi_c(j, x(t_j), p) + int_{t0}^{t1} g_c(t, x, p) dt.
 *
 * Its derivatives against its values (cost_taylor.c), its lane blocks (cost_lanes.c), its contract
 * (cost_contract.c), and here that it adds to its outputs, is linear in the weight w, and is pure. */
#include <string.h>

#include "cost_terms.h"
#include "guard.h"

static bool same_bits(size_t count, const double *a, const double *b)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

/* ---- outputs are added to ------------------------------------------------------------------------------ */

struct addition { /* of a part to numbers that are there already */
    const struct term *term;
    enum part part;
    struct place place;
    size_t c0, L; /* the block: L = m for the value */
    double noise; /* what rounding can do to an entry of D */
};

/* Is entry q of the block a functional's? */
static bool carries(const struct addition *a, size_t q)
{
    return a->c0 + q % a->L < a->term->at->cost.m;
}

/* How outputs differ from before + D, and from before in lanes past m. */
struct sums {
    bool overwritten, past; /* D alone; something else past m */
};

static struct sums compare_sums(const struct addition *a, const double *before, const double *D,
                                const double *after, struct worst *worst)
{
    char name[VERIFY_NAME];
    struct sums sums = {.overwritten = a->c0 < a->term->at->cost.m};
    /* as many sums as there are states and parameters, if each is added by itself */
    const double sum = (double)(a->term->at->cost.n + a->term->at->cost.np + 4);
    term_name(a->term, a->part, name);
    for (size_t q = 0; q < term_rows(a->term, a->part) * a->L; q++) {
        const bool used = carries(a, q);
        const double want = used ? before[q] + D[q] : before[q], got = after[q];
        const double bound = used ? sum * (DBL_EPSILON * fabs(before[q]) + a->noise) : 0;
        worst_note(worst, entry_distance(got, want), bound,
                   "%s, c0 = %zu, L = %zu, row %zu, lane %zu: %.10g added to %.10g gives %.10g", name, a->c0,
                   a->L, q / a->L, q % a->L, D[q], before[q], got);
        if (used && entry_distance(got, want) > bound)
            sums.overwritten = sums.overwritten && entry_distance(got, D[q]) <= bound;
        if (!used && got != before[q]) sums.past = sums.past || got != 0;
    }
    return sums;
}

static void blame_sums(struct sums sums, bool repeatable, struct verify_result *result)
{
    if (!repeatable) verify_blame(result, CAUSE_impure, 1);
    if (sums.past) verify_blame(result, CAUSE_lane_past_end, 1);
    verify_blame(result, CAUSE_output_overwritten,
                 sums.overwritten           ? 1
                 : sums.past || !repeatable ? 0.2
                                            : 0.4);
    if (!sums.overwritten && !sums.past && repeatable) verify_blame(result, CAUSE_output_read, 0.9);
}

static void check_addition(const struct addition *a, struct worst *worst, struct verify_result *result)
{
    struct verify *v = a->term->at->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const size_t count = term_rows(a->term, a->part) * a->L;
    double *D = verify_array(v, count), *again = verify_array(v, count), scale = 1;
    struct worst here = {.count = 0};
    term_add(a->term, a->part, a->place, a->c0, a->L, D);
    term_add(a->term, a->part, a->place, a->c0, a->L, again);
    for (size_t q = 0; q < count; q++) scale = fmax(scale, isfinite(D[q]) ? fabs(D[q]) : 1);
    double *before = verify_random(v, count);
    for (size_t q = 0; q < count; q++) before[q] *= scale;
    double *after = verify_copy(v, count, before);
    term_add(a->term, a->part, a->place, a->c0, a->L, after);
    const struct sums sums = compare_sums(a, before, D, after, &here);
    if (here.count) worst_note(worst, here.value, here.bound, "%s", here.where);
    if (!worst_passes(&here)) blame_sums(sums, same_bits(count, D, again), result);
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* The value, or each of some blocks. */
static void check_additions(const struct term *term, enum part part, struct place place, struct worst *worst,
                            struct verify_result *result)
{
    const size_t m = term->at->cost.m, block[][2] = {{0, m}, {0, m + 3}, {m - 1, 1}, {m / 2, 4}, {m, 2}};
    const size_t blocks = part == PART_VALUE ? 1 : sizeof block / sizeof *block;
    const double *D = term_part(term, part, place), *rounding = term_rounding(term, part, place, D);
    struct addition a = {.term = term, .part = part, .place = place};
    for (size_t q = 0; q < term_rows(term, part) * m; q++) a.noise = fmax(a.noise, rounding[q]);
    for (size_t b = 0; b < blocks; b++) {
        a.c0 = block[b][0], a.L = block[b][1];
        check_addition(&a, worst, result);
    }
}

static void check_accumulate(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.accumulate", at->v->module, at->label);
    struct worst worst = {.count = 0};
    struct term term[MOST_TERMS];
    const struct place place = cost_place(at, 1);
    for (size_t k = 0, terms = cost_terms(at, term); k < terms; k++)
        for (enum part part = PART_VALUE; part < PARTS; part++)
            if (term_has(&term[k], part)) check_additions(&term[k], part, place, &worst, &result);
    verify_judge(&result, &worst);
    verify_close(at->v, &result);
}

/* ---- the weight of the running cost -------------------------------------------------------------------- */

/* What a part is in terms of w: the hypotheses of a fault. */
enum law { LAW_IGNORED, LAW_TWICE, LAW_MAGNITUDE, LAWS };

static double law_value(enum law law, double w)
{
    return law == LAW_IGNORED ? 1 : law == LAW_TWICE ? w * w : fabs(w);
}

static const double weights[] = {0, -1, 0.5, -0.3, 8};
enum { WEIGHTS = sizeof weights / sizeof *weights };

static bool has_law(size_t count, enum law law, double w, const double *unit, const double *rounding,
                    const double *got)
{
    for (size_t q = 0; q < count; q++)
        if (fabs(got[q] - law_value(law, w) * unit[q]) > law_value(law, w) * rounding[q]) return false;
    return true;
}

static void check_weight_of(struct term term, enum part part, struct place place, struct worst *worst,
                            struct verify_result *result)
{
    const size_t count = term_rows(&term, part) * term.at->cost.m;
    bool follows[LAWS] = {true, true, true};
    struct worst here = {.count = 0};
    char name[VERIFY_NAME];
    term.w = 1;
    const double *unit = term_part(&term, part, place), *rounding = term_rounding(&term, part, place, unit);
    for (int k = 0; k < WEIGHTS; k++) {
        const double w = term.w = weights[k], *got = term_part(&term, part, place);
        term_name(&term, part, name);
        for (size_t q = 0; q < count; q++)
            worst_note(&here, entry_distance(got[q], w * unit[q]), fabs(w) * rounding[q],
                       "%s, entry %zu: %.10g is not w times %.10g", name, q, got[q], unit[q]);
        for (enum law law = 0; law < LAWS; law++)
            follows[law] = follows[law] && has_law(count, law, w, unit, rounding, got);
    }
    if (here.count) worst_note(worst, here.value, here.bound, "%s", here.where);
    if (worst_passes(&here)) return;
    static const char *const words[LAWS] = {"w is ignored", "w enters twice", "the sign of w is ignored"};
    for (enum law law = 0; law < LAWS; law++)
        if (follows[law]) verify_say(result, "%s", words[law]);
    verify_blame(result, CAUSE_cost_weight,
                 follows[LAW_IGNORED] || follows[LAW_TWICE] || follows[LAW_MAGNITUDE] ? 1 : 0.7);
    verify_blame(result, CAUSE_product_factor, 0.3);
}

static void check_weight(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.weight", at->v->module, at->label);
    struct worst worst = {.count = 0};
    struct term term[MOST_TERMS];
    const struct place place = cost_place(at, 1);
    for (size_t k = 0, terms = cost_terms(at, term); k < terms; k++)
        for (enum part part = PART_VALUE; term[k].running && part < PARTS; part++)
            if (term_has(&term[k], part)) check_weight_of(term[k], part, place, &worst, &result);
    verify_judge(&result, &worst);
    verify_close(at->v, &result);
}

/* ---- purity -------------------------------------------------------------------------------------------- */

/* All m lanes of a part, with guards round the output. */
static double *guarded_part(const struct term *term, enum part part, struct place place)
{
    const size_t count = term_rows(term, part) * term->at->cost.m;
    double *const out = guard_create(term->at->v, count);
    term_add(term, part, place, 0, term->at->cost.m, out);
    return out;
}

/* Notes a property that holds or not; a cause where it does not. */
static void note_property(bool holds, enum cause cause, const char *name, const char *words,
                          struct worst *worst, struct verify_result *result)
{
    worst_note(worst, holds ? 0 : INFINITY, 0, "%s: %s", name, words);
    if (!holds) verify_blame(result, cause, 1);
}

/* The part at a place, before and after everything else was called at another one. */
static void check_part_pure(const struct cost_case *at, const struct term *term, enum part part,
                            const struct place place[2], struct worst *worst, struct verify_result *result)
{
    struct verify *v = at->v;
    const size_t count = term_rows(term, part) * at->cost.m, n = at->cost.n, np = at->cost.np;
    const struct place copy = {verify_copy(v, n, place[0].x), verify_copy(v, np, place[0].p)};
    struct term other[MOST_TERMS];
    char name[VERIFY_NAME], fp[160];
    term_name(term, part, name);
    const double *first = guarded_part(term, part, copy), *again = guarded_part(term, part, copy);
    for (size_t k = 0, terms = cost_terms(at, other); k < terms; k++)
        for (enum part p = PART_VALUE; p < PARTS; p++) guarded_part(&other[k], p, place[1]);
    const double *later = guarded_part(term, part, copy);
    const struct fp_state after = fp_state_read();
    fp_state_difference(&at->clean, &after, fp);
    fp_state_restore(&at->clean);
    note_property(same_bits(count, first, again), CAUSE_impure, name, "a second call gives other bits", worst,
                  result);
    note_property(same_bits(count, first, later), CAUSE_impure, name,
                  "other bits after calls at another point", worst, result);
    note_property(same_bits(n, copy.x, place[0].x) && same_bits(np, copy.p, place[0].p), CAUSE_input_changed,
                  name, "x or p is changed", worst, result);
    note_property(guard_breaches(count, first) == 0, CAUSE_out_of_bounds, name, "written outside the output",
                  worst, result);
    note_property(fp[0] == '\0', CAUSE_fp_environment, name, fp, worst, result);
}

static void check_pure(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.pure", at->v->module, at->label);
    struct worst worst = {.count = 0};
    struct term term[MOST_TERMS];
    const struct place place[2] = {cost_place(at, 1), cost_place(at, 2)};
    for (size_t k = 0, terms = cost_terms(at, term); k < terms; k++)
        for (enum part part = PART_VALUE; part < PARTS; part++) {
            const struct sens_arena_mark mark = sens_arena_mark(&at->v->ctx.arena);
            check_part_pure(at, &term[k], part, place, &worst, &result);
            sens_arena_rewind(&at->v->ctx.arena, mark);
        }
    verify_judge(&result, &worst);
    verify_close(at->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static const struct verify_check checks[] = {
    {.id = "cost.times",
     .summary = "observation times lie in [t0, t1] and increase; callbacks come in their pairs",
     .bound = "none: a property of the instance",
     .explanation = "An instance is made on a few problems, with the default options and with others, and "
                    "looked at, and one on a probe for each of many intervals of time. The integrator lands "
                    "on each observation time in turn, so that times must be strictly increasing and inside "
                    "the interval; a value without its derivative cannot be differentiated. A failure is a "
                    "fault of the cost's create: look at how it makes t_obs from t0, t1 and its options."},
    {.id = "cost.taylor",
     .level = VERIFY_TO_ROUNDING,
     .essential = true,
     .summary = "phi_dx, phi_dp, g_dx, g_dp are the derivatives of phi and g",
     .bound = "error estimate of extrapolated central differences, plus measured rounding of the derivative",
     .explanation =
         "Every entry of the derivatives is compared with central differences of the value, extrapolated "
         "to step zero (Ridders 1982), at the nominal and at a perturbed point, for the first, middle and "
         "last observation and for the running cost at two times. A missing phi_dp or g_dp stands for "
         "zero. Which of the two is wrong, value or derivative, differences cannot tell. On a failure the "
         "derivative is compared with the right one times a factor, at other points, times and "
         "observations, and lane by lane; the words say which of them fits. Look first at the entry that "
         "is named. Not made with more than 2,048 states and parameters."},
    {.id = "cost.lanes",
     .summary = "lane l of a block is functional c0 + l, for every c0 and lane count; lanes past m are left",
     .bound = "rounding of an entry, measured by shaking the inputs; nothing for lanes past m",
     .explanation =
         "Blocks of 0 to 33 lanes that start at functional 0, 1, m/2, m - 1, m and m + 3 are compared with "
         "one block of all m functionals. Methods ask for blocks of their vector width, of which the last "
         "reaches past m: those lanes must be left as they are, and nothing before or behind the block "
         "written. A failure that ends at a multiple of a vector is a lost tail; one for c0 > 0 alone "
         "ignores c0."},
    {.id = "cost.accumulate",
     .summary = "all outputs are added to",
     .bound = "n + np roundings of the sum, and measured rounding of what is added; nothing for lanes past m",
     .explanation =
         "Values and derivatives are added to outputs that hold random numbers. A task's functional is the "
         "sum of its observations and its integral, and a method hands the same output to each of them: a "
         "cost that overwrites loses all terms but the last. Look for = where += is due."},
    {.id = "cost.weight",
     .summary = "g, g_dx and g_dp are proportional to w; with w = 0 nothing changes",
     .bound = "rounding of an entry at w = 1, measured by shaking the inputs, times |w|",
     .explanation =
         "The weight is h b_i, a quadrature weight, which may be zero or negative. The parts of the running "
         "cost are computed with w = 0, -1, 0.5, -0.3 and 8 and compared with w times those of w = 1. A "
         "failure of one part alone leaves value and derivative with different weights: the gradient is then "
         "wrong for running costs only."},
    {.id = "cost.pure",
     .summary = "equal inputs give equal bits; inputs and memory around the outputs stay untouched",
     .bound = "none: bits are compared",
     .explanation =
         "Every part is computed twice, and again after all parts were computed at another point. x and p "
         "are compared with copies, guards round the outputs and the floating-point environment are "
         "checked. A failure means state that lives between calls (a cached factor, an uninitialised "
         "number), or a write where none is due."},
    {.id = "cost.parameters",
     .summary =
         "phi and g read p and x where they are asked, and create makes nothing of the problem's p or x0",
     .bound = "none: bits are compared",
     .explanation = "An instance that was created at the nominal parameters and one that was created at "
                    "others are asked for their values at the others. Where they differ, G depends on p by "
                    "numbers that create made of it: phi and g do not have them in their p, and their "
                    "derivatives leave them out. Read p in phi and g; what is data, and not to move with p, "
                    "comes from an option. The same is done with x0; a cost whose data come from the initial "
                    "state and stay as they are says so by data_of_x0 (sens/cost.h)."},
    {.id = "cost.equal",
     .summary = "derivatives are right where two states are equal and the value is smooth",
     .bound = "a hundredth of the slope, or of the terms of its derivative",
     .explanation =
         "One state is set to the value of another, and phi and g are moved along a random direction, "
         "forward and back. Where both slopes agree to a thousandth, the value has a derivative there, and "
         "phi_dx and g_dx have to give it. A largest of two numbers that are equal may have the derivative "
         "of either; a smooth sum that is written with one, as log(e^a + e^b) is, may not."},
    {.id = "cost.zero",
     .summary =
         "phi_dx and g_dx are numbers where a state is exactly 0 or at an option's default, and right for "
         "the others",
     .bound = "is it a number where the value is one and has a slope on both sides? Of the others: that of "
              "differences",
     .explanation =
         "A species that is not there yet is exactly 0. One state at a time is set to 0, and to the defaults "
         "of real options, as a setpoint is; where the value is finite and its quotients on either side do "
         "not grow towards that place, the derivative must be a number. x |x|^(q-2) is none at x = 0 for "
         "q < 2, though |x|^q has the slope 0 there: one solve with such a state ends as diverged. "
         "Derivatives by the other states and by the parameters are compared with differences that leave "
         "this state at 0: what skips a state of 0 must not skip them."},
    {.id = "cost.jumps",
     .summary = "g does not jump, in time while x and p are held, nor do g and phi from state to state",
     .bound = "none: a change that stays when the line is halved down to two neighbouring numbers",
     .explanation =
         "g is looked at 241 times over the interval, and along lines of states, all and one after the "
         "other, from 0 to twice what they are; between two of them the half with the greater change is "
         "halved on. A method steps across a jump in time: G and its gradient are then of order 1 in the "
         "step, at any tolerance, and no observation helps, for a step that ends there looks at one side and "
         "the next step at the other, both at the same time. A jump at a state, as of the time that a "
         "solution spends above a threshold, moves with the solution, and g_x, which is 0 on both sides, "
         "does not tell of it. Of phi the same lines of states are looked at, for the first and the last "
         "observation: where it jumps, two formulas that are to meet do not, as those of a loss whose outer "
         "branch has no constant. Let g rise over a short time or a small distance, or solve up to the jump "
         "and go on from there."},
    {.id = "cost.places",
     .summary = "phi_dx, phi_dp at every observation, g_dx, g_dp all over the interval, for all functionals",
     .bound = "error estimate of extrapolated differences along a line, plus measured rounding",
     .explanation =
         "At each observation (at most 40 of them in a quick run) and at a time in each of 100 parts of the "
         "interval (1,000 in a full run) the derivatives are multiplied by one random direction and "
         "compared, for all functionals, with differences of the value along that direction, at a state and "
         "parameters drawn for that place. A window of two hundredths of the interval is hit for certain, in "
         "a full run one of two thousandths. The words name the place that is wrong; where others are right, "
         "look for what tells it from them.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "cost.solve",
     .summary = "the gradient of a whole solve with the cost is that of G over the same steps",
     .bound = "error estimate of extrapolated differences of G, plus measured rounding of the derivative",
     .explanation =
         "The harness solves the problem on fixed steps that land on all observations, and differentiates "
         "the map forward and in reverse by plain loops. Both gradients, multiplied by a random direction in "
         "p and one in x0, are compared for each functional with differences of G. A cost that is right term "
         "by term and fails here depends on the order in which it is called.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "cost.many",
     .summary = "other sizes, none and many, other times and scales, and other numbers of its options",
     .bound = "as cost.places; rounding of an entry for blocks of lanes",
     .explanation =
         "Each option that is a number is set to others, whole numbers to more than 256, one that is a "
         "file is given made-up rows of numbers in several layouts, of which those are looked at that are "
         "taken, and the cost is put on the probe with more than 256 states or parameters (in a full run "
         "also with more than 65,536 states, where it has few functionals), with one of them or no "
         "parameter, before t = 0, with states of either sign, and with states a thousand times as large "
         "or as small. The first, the last and the middle terms are looked at as in cost.places, and "
         "blocks that start at a random functional and have up to 200 lanes are compared with one block "
         "of all functionals. Look for arrays of a fixed length, and for what an option switches on.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "cost.threads",
     .summary = "callbacks that four threads call at once give the bits that they give alone",
     .bound = "none: equal bits",
     .explanation =
         "As reach.threads, for all parts of all terms of a cost, each thread at a place of its own."},
    {.id = "cost.empty",
     .summary = "sens_cost_create refuses a cost without outputs, or with observation times that cannot be",
     .bound = "none: a status is compared",
     .explanation =
         "Costs of the check's own, with m = 0 or times outside [t0, t1], twice the same or decreasing, "
         "are to be refused with a status, and the instance left untouched. A failure is the harness's "
         "own: harness/core/instance.c lets through what every method relies on."},
    {.id = NULL},
};

static bool is_of_running(const struct verify_check *check)
{
    return strcmp(check->id, "cost.weight") == 0;
}

/* The checks between cost.times and cost.empty; run skips those of a running cost where there is none. */
static void skip_rest(const struct cost_case *at)
{
    for (const struct verify_check *check = checks + 1; strcmp(check->id, "cost.empty") != 0; check++)
        if (!is_of_running(check) || at->v->cost->g)
            verify_skip_check(at->v, check->id, at->v->module, at->label, "the instance fails cost.times");
}

static void look(const struct cost_case *at)
{
    if (!cost_check_times(at)) {
        skip_rest(at);
        return;
    }
    if (cost_is_large(at))
        verify_skip_check(at->v, "cost.taylor", at->v->module, at->label,
                          "more than 2,048 states and parameters: cost.places looks along directions");
    else
        cost_check_taylor(at);
    cost_check_lanes(at);
    check_accumulate(at);
    if (at->cost.type->g) check_weight(at);
    cost_check_jumps(at);
    check_pure(at);
    cost_check_parameters(at);
    cost_check_zero(at);
    cost_check_equal(at);
    cost_check_places(at);
    cost_check_solve(at);
}

/* The reason why there is no case. */
static const char *refusal(const struct verify *v)
{
    return v->ctx.message[0] ? v->ctx.message : "no problem goes with it";
}

static void run(struct verify *v)
{
    v->ctx.message[0] = '\0';
    if (cost_each(v, look) == 0)
        for (const struct verify_check *check = checks; strcmp(check->id, "cost.empty") != 0; check++)
            if (!is_of_running(check) || v->cost->g)
                verify_skip_check(v, check->id, v->module, "", refusal(v));
    for (const struct verify_check *check = checks; check->id && !v->cost->g; check++)
        if (is_of_running(check)) verify_skip_check(v, check->id, v->module, "", "no running cost");
    cost_check_intervals(v);
    cost_check_many(v);
    cost_check_threads(v);
    cost_check_empty(v);
}

const struct verify_group verify_cost = {.name = "cost", .kind = VERIFY_COST, .checks = checks, .run = run};
