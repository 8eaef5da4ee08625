/* Products of a problem where the other groups do not look: at times all over the interval, at states beside
 * the solution, with other values of each option, at large sizes, with vectors that hold zeros, from several
 * threads, and beside other instances.
 *
 * Wide and shallow: at each place one random vector tells whether anything is wrong, as all rows and columns
 * take part in J v and f_p u. What is drawn depends on the seed; a full run draws more of it. */
#include "reach.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "structure.h"

/* ---- a place ------------------------------------------------------------------------------------------- */

static const enum product of_states[] = {PRODUCT_JVP, PRODUCT_VJP};
static const enum product of_parameters[] = {PRODUCT_JVP_P, PRODUCT_VJP_P};

/* The products of one kind of declaration against the problem's own. */
static void note_declared(struct worst *worst, const struct subject *subject, enum declared_by by,
                          const struct sens_at *at)
{
    struct sens_problem problem;
    struct subject declared = *subject;
    declared_problem(subject->v, subject->pb, by, &problem);
    declared.pb = &problem;
    for (int q = 0; q < (subject->pb->np > 0 ? 4 : 2); q++) {
        const enum product product = q < 2 ? of_states[q] : of_parameters[q - 2];
        const struct linear own = linear_at(subject, product, at), map = linear_at(&declared, product, at);
        structure_note_vectors(worst, &own, &map, at->t, "the structure");
    }
}

void reach_note_place(struct worst *worst, const struct subject *subject, const struct sens_at *at)
{
    const struct sens_problem_type *type = subject->pb->type;
    const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
    products_note_along(worst, subject, of_states, at);
    if (subject->pb->np > 0) products_note_along(worst, subject, of_parameters, at);
    if (type->jacobian || type->outer) note_declared(worst, subject, DECLARED_OUTER, at);
    if (type->jacobian_p) note_declared(worst, subject, DECLARED_SPARSE, at);
    if (type->coupling) note_declared(worst, subject, DECLARED_COUPLED, at);
    sens_arena_rewind(&subject->v->ctx.arena, mark);
}

bool reach_right_at(const struct subject *subject, const struct sens_at *at)
{
    struct worst worst = {.count = 0};
    reach_note_place(&worst, subject, at);
    return worst_passes(&worst);
}

/* Adds what the other groups would say of a place where a product is wrong. */
static void look_for_causes(const struct subject *subject, const struct sens_at *at,
                            struct verify_result *result)
{
    struct suspicion suspicion = {.places = 0};
    for (int q = 0; q < (subject->pb->np > 0 ? 4 : 2); q++)
        suspicion_look(&suspicion, subject, q < 2 ? of_states[q] : of_parameters[q - 2], at);
    for (int c = 0; c < CAUSE_COUNT; c++) suspicion.weight[c] *= 0.8; /* the deep groups know better */
    suspicion_tell(&suspicion, result);
}

/* ---- reach.places -------------------------------------------------------------------------------------- */

enum { BASES = 4, ATTEMPTS = 10 };
struct bases { /* states that a solve visits */
    int count;
    const double *x[BASES];
};

static struct bases bases_create(const struct subject *subject)
{
    const struct sens_problem *pb = subject->pb;
    struct bases bases = {1, {pb->x0}};
    for (int k = 1; k < BASES; k++) {
        double *const x = verify_array(subject->v, pb->n);
        const struct sens_at at = {pb->t0 + (pb->t1 - pb->t0) * k / (BASES - 1), x, pb->p};
        if (oracle_visit(subject->v, pb, at.t, x) != SENS_OK) break;
        if (subject_usable(subject, &at)) bases.x[bases.count++] = x;
    }
    return bases;
}

/* How far from the state place k is, in parts of its entries. */
static const double away[] = {0.1, 0.5, 2, 0};

static bool is_far(int k)
{
    return away[k % 4] > 0.3;
}

/* In stratum k of the interval, beside one of the states: as far as rhs goes. false: nowhere. */
static bool draw_place(const struct subject *subject, const struct bases *bases, int k, int strata,
                       struct sens_at *at)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    const double *base = bases->x[verify_integer(v, 0, bases->count - 1)];
    double amount = away[k % 4];
    at->t = pb->t0 + (pb->t1 - pb->t0) * (k + verify_uniform(v, 0, 1)) / strata;
    for (int tries = 0; tries < ATTEMPTS; tries++, amount /= 2) {
        at->x = verify_perturbed(v, pb->n, base, amount);
        at->p = verify_perturbed(v, pb->np, pb->p, fmin(amount, 0.2));
        if (subject_usable(subject, at)) return true;
    }
    return false;
}

/* Right at most other times, with everything else the same? */
static bool right_elsewhen(const struct subject *subject, struct sens_at at)
{
    enum { OTHERS = 8 };
    const struct sens_problem *pb = subject->pb;
    int right = 0, tried = 0;
    for (int k = 0; k < OTHERS; k++) {
        at.t = pb->t0 + (pb->t1 - pb->t0) * (k + 0.5) / OTHERS;
        if (!subject_usable(subject, &at)) continue;
        tried++;
        right += reach_right_at(subject, &at);
    }
    return 2 * right > tried;
}

static bool right_on_solution(const struct subject *subject, const struct bases *bases, struct sens_at at)
{
    for (int k = 0; k < bases->count; k++) {
        at.x = bases->x[k];
        if (subject_usable(subject, &at) && !reach_right_at(subject, &at)) return false;
    }
    return true;
}

/* beside: it is wrong at places beside the solution alone. */
static void blame_place(const struct subject *subject, const struct bases *bases, const struct sens_at *at,
                        bool beside, struct verify_result *result)
{
    if (right_elsewhen(subject, *at)) verify_blame(result, CAUSE_product_window, 0.95);
    if (beside && right_on_solution(subject, bases, *at))
        verify_blame(result, CAUSE_product_off_solution, 0.9);
    look_for_causes(subject, at, result);
}

static void check_places(const struct subject *subject)
{
    const int strata = subject->v->quick ? 8 : 100;
    const struct bases bases = bases_create(subject);
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.places");
    bool beside = true;
    struct sens_at at, wrong = {.x = NULL};
    for (int k = 0; k < strata; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&subject->v->ctx.arena);
        const bool drawn = draw_place(subject, &bases, k, strata, &at);
        struct worst here = {.count = 0};
        if (drawn) reach_note_place(&here, subject, &at);
        if (here.count) worst_note(&worst, here.value, here.bound, "%s", here.where);
        const bool right = worst_passes(&here);
        beside = beside && (right || is_far(k));
        if (!right && !wrong.x)
            wrong = at; /* which stays */
        else
            sens_arena_rewind(&subject->v->ctx.arena, mark);
    }
    verify_judge(&result, &worst);
    if (wrong.x) blame_place(subject, &bases, &wrong, beside, &result);
    verify_close(subject->v, &result);
}

/* ---- reach.options ------------------------------------------------------------------------------------- */

enum { VALUES = 4 };

/* The ends, the middle and a number between; whole numbers up to a size that is still looked at in no time.
 */
static void values_of(struct verify *v, const struct sens_option *option, double value[VALUES])
{
    const double far = 8 * fmax(fabs(option->fallback), 4);
    const double low = fmax(option->min, -far), high = fmin(option->max, far);
    value[0] = verify_uniform(v, low, high);
    value[1] = option->fallback == 0 ? fmin(1, high) : fmin(fmax(1.5 * option->fallback, low), high);
    value[2] = option->kind == SENS_OPT_INT ? high : option->max;
    value[3] = option->min;
    for (int k = 0; option->kind == SENS_OPT_INT && k < VALUES; k++) value[k] = round(value[k]);
}

static bool is_varied(const struct sens_option *option)
{
    return (option->kind == SENS_OPT_INT && strcmp(option->name, "n") != 0) || option->kind == SENS_OPT_REAL;
}

struct option_record {
    struct worst worst;
    struct verify_result result;
    bool usual;                 /* the default instance is right */
    char left[VERIFY_TEXT / 2]; /* names of options that could not be set to anything else */
};

/* Looks at the instance with these options. false: there is none. */
static bool look_at_options(struct verify *v, const double *set, struct option_record *record)
{
    struct instance instance;
    struct subject subject;
    struct sens_at at;
    const bool fine = worst_passes(&record->worst);
    if (!instance_with(v, v->problem, set, &instance) || !subject_create(v, &instance, &subject))
        return false;
    const struct bases bases = {1, {instance.problem.x0}};
    for (int k = 0; k < 2; k++) {
        struct worst here = {.count = 0};
        if (!draw_place(&subject, &bases, k, 2, &at)) continue;
        reach_note_place(&here, &subject, &at);
        if (here.count)
            worst_note(&record->worst, here.value, here.bound, "%s: %s", instance.label, here.where);
        if (!fine || worst_passes(&here)) continue;
        verify_blame(&record->result, CAUSE_option_path, record->usual ? 0.95 : 0.2);
        look_for_causes(&subject, &at, &record->result);
        break;
    }
    return true;
}

static void vary_option(struct verify *v, size_t which, struct option_record *record)
{
    const struct sens_option *table = v->problem->options;
    const size_t count = sens_option_count(table);
    double value[VALUES], *set = verify_array(v, count);
    bool any = false;
    values_of(v, &table[which], value);
    for (size_t i = 0; i < count; i++) set[i] = NAN;
    for (int k = 0; k < (v->quick ? 2 : VALUES); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        set[which] = value[k];
        any = look_at_options(v, set, record) || any;
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    const size_t used = strlen(record->left);
    if (!any) snprintf(record->left + used, sizeof record->left - used, " %s", table[which].name);
}

/* All options at once, near their defaults: two that are right alone need not be together. */
static void vary_together(struct verify *v, struct option_record *record)
{
    const struct sens_option *table = v->problem->options;
    const size_t count = sens_option_count(table);
    double value[VALUES], *set = verify_array(v, count);
    for (int k = 0; k < (v->quick ? 1 : 8); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        for (size_t i = 0; i < count; i++) {
            long choices = 0;
            set[i] = NAN;
            while (table[i].kind == SENS_OPT_CHOICE && table[i].choices[choices]) choices++;
            if (choices) set[i] = (double)verify_integer(v, 0, choices - 1);
            if (!is_varied(&table[i])) continue;
            values_of(v, &table[i], value);
            set[i] = value[verify_integer(v, 0, 1)];
        }
        look_at_options(v, set, record);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

/* The problem, with the options that were given: the subject of what is said of more than one instance. */
static void name_problem(const struct verify *v, char label[VERIFY_SUBJECT])
{
    snprintf(label, VERIFY_SUBJECT, "%s", v->problem->name);
    verify_name_held(v, v->problem->options, " ", VERIFY_SUBJECT, label);
}

static void check_options(struct verify *v, const char *module, bool usual)
{
    char label[VERIFY_SUBJECT];
    const struct sens_option *table = v->problem->options;
    struct option_record record = {.worst = {.count = 0}, .usual = usual, .left = ""};
    name_problem(v, label);
    record.result = verify_open("reach.options", module, label);
    for (size_t i = 0; i < sens_option_count(table); i++)
        if (is_varied(&table[i]) && !verify_held(v, &table[i])) vary_option(v, i, &record);
    if (sens_option_count(table) > 0) vary_together(v, &record);
    if (record.worst.count == 0)
        verify_skip(&record.result, "the problem has no options of numbers");
    else
        verify_judge(&record.result, &record.worst);
    if (record.left[0]) verify_say(&record.result, "not varied:%s", record.left);
    verify_close(v, &record.result);
}

/* ---- reach.sizes --------------------------------------------------------------------------------------- */

static void note_large(struct verify *v, const struct subject *subject, struct worst *worst)
{
    struct sens_at at;
    const struct bases bases = {1, {subject->pb->x0}};
    for (int k = 0; k < (v->quick ? 1 : 2); k++)
        if (draw_place(subject, &bases, k, 2, &at)) reach_note_place(worst, subject, &at);
    reach_note_blocks(worst, subject, (size_t)verify_integer(v, 2, 7), 3);
}

/* More states than a table on the stack has room for, and with them more parameters; fewer where every point
 * is differentiated anew by a library. */
static void vary_states(struct verify *v, struct worst *worst, char label[VERIFY_SUBJECT])
{
    for (int k = 0; k < (v->quick ? 1 : 3); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const long low = v->provider ? 20 : k == 0 ? 130 : 30, high = v->provider ? 24 : k == 0 ? 135 : 200;
        const size_t n = (size_t)verify_integer(v, low, high);
        struct instance instance;
        struct subject subject;
        if (instance_sized(v, v->problem, n, &instance) && subject_create(v, &instance, &subject)) {
            struct worst here = {.count = 0};
            note_large(v, &subject, &here);
            if (here.count) worst_note(worst, here.value, here.bound, "%s: %s", instance.label, here.where);
            snprintf(label, VERIFY_SUBJECT, "%s", instance.label);
        }
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

/* More lanes and points than a block or a batch of a method has. */
static void vary_blocks(struct verify *v, const struct subject *subject, struct worst *worst)
{
    static const size_t standard[][2] = {{131, 259}, {67, 517}};
    for (int k = 0; k < (v->quick ? 2 : 8); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const bool drawn = v->seed || k >= 2;
        const size_t L = drawn ? (size_t)verify_integer(v, 34, 300) : standard[k][0];
        const size_t K = drawn ? (size_t)verify_integer(v, 131, 600) : standard[k][1];
        reach_note_blocks(worst, subject, L, K);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

/* Is the default instance right, in small blocks and at two places? What is wrong with it is wrong at any
 * size and with any option, and another check's business. */
static bool is_usual_right(const struct subject *subject)
{
    const struct bases bases = {1, {subject->pb->x0}};
    struct worst worst = {.count = 0};
    struct sens_at at;
    for (int k = 0; k < 2; k++)
        if (draw_place(subject, &bases, k, 2, &at)) reach_note_place(&worst, subject, &at);
    for (size_t L = 1; L <= 9; L++) reach_note_blocks(&worst, subject, L, L);
    return worst_passes(&worst);
}

static void check_sizes(const struct subject *subject, bool usual)
{
    char label[VERIFY_SUBJECT] = "";
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.sizes");
    vary_blocks(subject->v, subject, &worst);
    vary_states(subject->v, &worst, label);
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_size_limit, usual ? 0.95 : 0.1);
    verify_blame(&result, CAUSE_lane_tail, 0.2);
    verify_close(subject->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

static const struct verify_check checks[] = {
    {.id = "reach.places",
     .summary = "the products agree with rhs all over the interval, and at states beside the solution",
     .bound = "truncation and rounding of extrapolated differences along a line, and rounding of the product",
     .explanation =
         "The interval is cut into 8 parts, 100 in a full run, and in each a time is drawn, and a state and "
         "parameters beside the ones that a solve visits, up to a few times their size where rhs has values. "
         "There J v and f_p u are compared with differences of rhs along v and u, the transposed products "
         "and the declared structure with the same numbers. A window of two hundredths of the interval is "
         "hit for certain in a full run, and by chance in a quick one: --seed draws other times.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.options",
     .summary = "the products agree with rhs whatever numbers its options have",
     .bound = "as reach.places",
     .explanation =
         "Each option that is a number is set to others: one drawn from its range, half as much again as the "
         "default, and in a full run both ends; then all at once are drawn. At two places of each instance "
         "reach.places is repeated. A failure is a term that an option switches on, or scales, and that a "
         "product does not have.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.sizes",
     .summary = "the products are right for many states, parameters, lanes and points of a batch",
     .bound = "as reach.places; rounding of a sum with its measured magnitude for blocks and batches",
     .explanation =
         "An instance with more than 128 states, where the problem has an option n, goes through "
         "reach.places. Blocks of more than 64 and 128 lanes are compared with one random combination of "
         "their lanes, batches of more than 256 and 512 points with the sum of single points, and blocks of "
         "columns from a random one on with single columns. Look for arrays of a fixed length.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.zeros",
     .summary = "a product of vectors that hold zeros is written, or added to, like any other",
     .bound = "none for equal bits; rounding of the product for sums",
     .explanation =
         "Vectors that are zero, that are zero in all lanes but one, and that are zero in half their entries "
         "are multiplied. What the output of vjp and jvp held before must not matter; a batch of zeros must "
         "leave its output alone; and the products of two vectors whose entries exclude one another add up "
         "to that of the sum. A failure is work that is skipped where a number is zero.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.scale",
     .summary = "a product of 2^k times a vector is 2^k times its product",
     .bound = "rounding of the product",
     .explanation =
         "Vectors are scaled by powers of two from 2^-200 to 2^200. A failure is a threshold below which "
         "numbers count as nothing, or a limit above which they are clipped: adjoints may be of any size.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.threads",
     .summary = "callbacks that four threads call at once give the bits that they give alone",
     .bound = "none: equal bits",
     .explanation =
         "Four threads call all callbacks of one instance, each at a point and with a number of lanes of its "
         "own, and are interrupted 150 times (2,000 in a full run), so that one sleeps in the "
         "middle of a callback while others go on. Every result is compared with that of one thread. A "
         "difference is memory that the calls share: a static array, or work space in the instance. It shows "
         "by chance."},
    {.id = "reach.instances",
     .summary = "an instance is not changed by other instances, nor by many calls",
     .bound = "none: equal bits",
     .explanation =
         "The callbacks of an instance are called before and after others with other options and sizes were "
         "created and used, and after some thousand calls of rhs; a second instance with the same options "
         "must give the same bits. A failure is memory that belongs to the type and not to the instance."},
    {.id = "reach.varied",
     .summary = "says what of a problem is not varied in any run",
     .bound = "none: nothing is compared",
     .explanation =
         "Always a skip: options of data, options that were given on the command line, and sizes and times "
         "beyond those that are tried. About them nothing is known."},
    {.id = NULL}};

/* What no seed and no longer run varies. */
static void tell_the_rest(struct verify *v, const struct subject *subject)
{
    char words[VERIFY_TEXT / 2] = "times outside [t0, t1]", label[VERIFY_SUBJECT];
    const struct sens_option *table = v->problem->options;
    for (size_t i = 0; i < sens_option_count(table); i++) {
        const size_t used = strlen(words);
        if (table[i].kind == SENS_OPT_DATA || verify_held(v, &table[i]))
            snprintf(words + used, sizeof words - used, ", %s", table[i].name);
    }
    const size_t used = strlen(words);
    snprintf(words + used, sizeof words - used,
             sens_option_find(table, "n") < 0 ? ", the number of states: there is no option n"
             : v->provider                    ? ", more than 24 states"
                                              : ", more than 200 states");
    name_problem(v, label);
    verify_not_varied(v, "reach.varied", subject->module, label, words);
}

static void look(struct subject *subject)
{
    check_places(subject);
    reach_check_zeros(subject);
    reach_check_scale(subject);
}

/* What is made once, on the default instance; where there is none, subject_each has said so. */
static void look_once(struct verify *v)
{
    struct instance instance;
    struct subject subject;
    if (!instance_create(v, v->problem, 0, &instance) || !subject_create(v, &instance, &subject)) return;
    reach_check_instances(&subject); /* first: what changes after many calls has not changed yet */
    reach_check_threads(&subject);
    const bool usual = is_usual_right(&subject);
    check_sizes(&subject, usual);
    check_options(v, subject.module, usual);
    tell_the_rest(v, &subject);
}

static void run(struct verify *v)
{
    look_once(v);
    subject_each(v, checks, look);
}

const struct verify_group verify_reach = {
    .name = "reach", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true};
