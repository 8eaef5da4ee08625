/* Products of a problem with other values of its options; see reach.c.
 *
 * An option that is a number is set to one drawn from its range, to half as much again as its default, near its least
 * (by 1e-7 of the way; whole ones to a small odd number), to 0 where that lies inside, and to its ends. An end may be
 * where nothing can be looked at: rhs has no values there, or a size makes an instance that is too large. Then it is
 * approached as far as can be, and what is beyond is said.
 * Switches are tried two by two. An option that takes a file of numbers is given some that are made up
 * (call/made_files.h). */
#include <stdio.h>
#include <string.h>

#include "made_files.h"
#include "reach.h"

enum { DRAWN, HALF_MORE, NEAR_LEAST, VALUES, FEW = 4 };
static const double NEAR_END = 1e-7;
/* Squares of numbers that are so far from usual do not overflow; and no one has a use for them. */
static const double FAR = 1e6;

/* An instance is no larger than this, so that a quick run stays quick; of a library that differentiates every
 * point anew, MOST_PROVIDED. */
enum { MOST_STATES = 256, MOST_PROVIDED = 24, MOST_PARAMETERS = 20000, APPROACHES = 10, CLOSER = 6 };
static const size_t MOST_BYTES = (size_t)1 << 26;

static bool is_varied(const struct sens_option *option)
{
    return (option->kind == SENS_OPT_INT && strcmp(option->name, "n") != 0) || option->kind == SENS_OPT_REAL;
}

struct option_record {
    struct worst worst;
    struct verify_result result;
    bool any;     /* there was something to be seen in the last instance */
    bool usual;   /* the default instance is right */
    bool repeats; /* of a table, rows name the same places twice */
    char *left;   /* [VERIFY_TEXT / 2] values that could not be looked at */
    bool far;     /* an end is looked at: what is not finite there is not looked at */
};

static void add_left(struct option_record *record, const char *format, const char *name, double value)
    __attribute__((format(printf, 2, 0)));

static void add_left(struct option_record *record, const char *format, const char *name, double value)
{
    const size_t used = strlen(record->left);
    snprintf(record->left + used, VERIFY_TEXT / 2 - used, format, name, value);
}

/* ---- one instance -------------------------------------------------------------------------------------- */

/* The instance with these options, or with one of them a file, if there is one that is small enough. */
static bool create_from(struct verify *v, const double *set, size_t which, const struct made_file *file,
                        struct instance *instance)
{
    struct sens_arena *arena = &v->ctx.arena;
    const size_t limit = arena->limit;
    arena->limit = arena->bytes + MOST_BYTES;
    const bool made = file ? instance_with_file(v, v->problem, which, file, instance)
                           : instance_with(v, v->problem, set, instance);
    arena->limit = limit;
    const size_t most = v->provider ? MOST_PROVIDED : MOST_STATES;
    return made && instance->problem.n <= most && instance->problem.np <= MOST_PARAMETERS;
}

bool reach_create(struct verify *v, const double *set, struct instance *instance)
{
    return create_from(v, set, 0, NULL, instance);
}

/* All but one option as by default; which = SIZE_MAX: all. */
static double *set_alone(struct verify *v, size_t which, double value)
{
    const size_t count = sens_option_count(v->problem->options);
    double *set = verify_array(v, count);
    for (size_t i = 0; i < count; i++) set[i] = i == which ? value : (double)NAN;
    return set;
}

/* Do the options move nothing but t1? Then what is wrong here, and right by default, is wrong at times behind that. */
static bool moves_end_alone(struct verify *v, const struct sens_problem *other)
{
    enum { POINTS = 3 };
    struct instance made;
    const double *const set = set_alone(v, SIZE_MAX, NAN);
    if (!reach_create(v, set, &made)) return false;
    const struct sens_problem *const usual = &made.problem;
    if (!reach_other_end(usual, other)) return false;
    double *const f = verify_array(v, other->n), *const g = verify_array(v, other->n);
    for (int k = 0; k < POINTS; k++) {
        const struct sens_at at = instance_point(v, usual, k);
        if (usual->type->rhs(usual, &at, f) != SENS_OK || other->type->rhs(other, &at, g) != SENS_OK ||
            memcmp(f, g, other->n * sizeof *f) != 0)
            return false;
    }
    return memcmp(usual->x0, other->x0, other->n * sizeof *f) == 0 &&
           memcmp(usual->p, other->p, other->np * sizeof *f) == 0;
}

/* The causes of a place that is wrong. */
static void blame_options(const struct subject *subject, const struct sens_at *at,
                          struct option_record *record)
{
    const bool later = record->usual && moves_end_alone(subject->v, subject->pb);
    verify_blame(&record->result, CAUSE_option_path, record->usual ? 0.95 : 0.2);
    if (record->repeats) verify_blame(&record->result, CAUSE_repeated_entries, 0.97);
    if (later) verify_blame(&record->result, CAUSE_product_window, 0.97);
    reach_look_for_causes(subject, at, &record->result);
}

/* At the nominal point: what an option switches on may depend on t, lack its second derivatives, or change x0(p). */
static void look_at_rest(const struct subject *subject, const char *label, struct option_record *record)
{
    struct worst here = {.count = 0};
    const struct sens_at at = instance_point(subject->v, subject->pb, 0);
    if (!worst_passes(&record->worst) || !subject_usable(subject, &at)) return;
    initial_note(&here, subject, &at);
    enum cause cause = worst_passes(&here) ? second_note(&here, subject, &at) : CAUSE_initial_products;
    /* Of the default instance x0.algebraic tells. */
    if (worst_passes(&here) && record->usual && initial_note_followed(&here, subject))
        cause = CAUSE_initial_held;
    if (here.count) worst_note(&record->worst, here.value, here.bound, "%s: %s", label, here.where);
    if (worst_passes(&here)) return;
    verify_blame(&record->result, CAUSE_option_path, record->usual ? 0.95 : 0.2);
    verify_blame(&record->result, cause, 0.9);
}

/* Points of a batch, at times all over the interval: what an option switches on may be found once for all of them. */
static void look_at_batch(const struct subject *subject, const char *label, struct option_record *record)
{
    enum { POINTS = 8 };
    struct worst here = {.count = 0};
    if (subject->pb->np == 0 || !worst_passes(&record->worst)) return;
    batch_note(&here, subject, POINTS, 1);
    worst_note(&record->worst, here.value, here.bound, "%s: vjp_p_batch beside its points one by one: %s",
               label, here.where);
    if (worst_passes(&here)) return;
    verify_blame(&record->result, CAUSE_option_path, record->usual ? 0.9 : 0.2);
    verify_blame(&record->result, CAUSE_batch_one_point, 0.96);
}

/* Two places, beside the nominal one. false: there is nothing to be seen. */
static bool look_at_places(const struct subject *subject, struct option_record *record)
{
    struct sens_at at;
    bool any = false;
    const bool fine = worst_passes(&record->worst);
    const struct reach_bases bases = {1, {subject->pb->x0}};
    for (int k = 0; k < 2; k++) {
        struct worst here = {.count = 0};
        if (!reach_draw_place(subject, &bases, k, 2, &at)) continue;
        reach_note_place(&here, subject, &at);
        if (record->far && !isfinite(here.value)) continue;
        any = any || here.count > 0;
        if (here.count)
            worst_note(&record->worst, here.value, here.bound, "%s: %s", subject->label, here.where);
        if (!fine || worst_passes(&here)) continue;
        blame_options(subject, &at, record);
        break;
    }
    return any;
}

static void look_at_subject(struct subject *subject)
{
    struct option_record *const record = subject->own;
    if (!look_at_places(subject, record)) return;
    record->any = true;
    if (subject->whole) return; /* x0 and batches are the whole problem's */
    look_at_rest(subject, subject->label, record);
    look_at_batch(subject, subject->label, record);
}

/* With the implicit part of a split. false: there is nothing to be seen in it. */
static bool look_at_instance(struct verify *v, struct instance *instance, struct option_record *record)
{
    struct subject subject;
    if (!subject_create(v, instance, &subject)) return false;
    subject.own = record, record->any = false;
    subject_with_part(&subject, look_at_subject);
    return record->any;
}

static bool look_at_options(struct verify *v, const double *set, struct option_record *record)
{
    struct instance instance;
    return reach_create(v, set, &instance) && look_at_instance(v, &instance, record);
}

/* Those of the files that the problem takes. */
static void look_at_files(struct verify *v, size_t which, struct option_record *record)
{
    const struct sens_arena_mark all = sens_arena_mark(&v->ctx.arena);
    struct made_file file[MADE_FILES];
    struct instance usual, instance;
    if (!reach_create(v, set_alone(v, SIZE_MAX, NAN), &usual)) return;
    const struct sens_problem *const pb = &usual.problem;
    const size_t count = files_make(v, &(struct file_sizes){pb->n, pb->np, pb->t0, pb->t1}, file);
    for (size_t k = 0; k < count; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        record->repeats = file[k].repeats;
        if (create_from(v, NULL, which, &file[k], &instance)) look_at_instance(v, &instance, record);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    record->repeats = false;
    sens_arena_rewind(&v->ctx.arena, all);
}

/* An option that is a parameter acts through p alone: between two instances that differ in it. */
static void look_at_parameter(struct verify *v, const double *usual, const double *set, size_t which,
                              struct option_record *record)
{
    struct worst here = {.count = 0};
    reach_note_parameter(v, usual, set, which, &here);
    if (here.count) worst_note(&record->worst, here.value, here.bound, "%s", here.where);
    if (!worst_passes(&here)) verify_blame(&record->result, CAUSE_nominal_kept, 1);
}

/* ---- one option ---------------------------------------------------------------------------------------- */

/* Half way from an end to the default: of the logarithm, for ends may be 1e300. */
static double nearer(const struct sens_option *option, double value)
{
    const double fallback = option->fallback;
    const bool alike = value * fallback > 0;
    const double half = alike ? copysign(sqrt(fabs(value)) * sqrt(fabs(fallback)), value)
                              : fallback + copysign(sqrt(fabs(value - fallback)), value - fallback) / 2;
    return option->kind == SENS_OPT_INT ? round(half) : half;
}

/* Near the default, the ends among them where these are near. */
static double draw_value(struct verify *v, const struct sens_option *option, int which)
{
    const double far = 8 * fmax(fabs(option->fallback), 4);
    const double low = fmax(option->min, -far), high = fmin(option->max, far);
    const double more = option->fallback == 0 ? fmin(1, high) : fmin(fmax(1.5 * option->fallback, low), high);
    const bool whole = option->kind == SENS_OPT_INT;
    const double upper = option->fallback > low ? option->fallback : high;
    const double odd = fmin(2 * (double)verify_integer(v, (long)(low / 2), (long)(low / 2) + 3) + 1, high);
    const double near = whole ? odd : low * (1 - NEAR_END) + upper * NEAR_END;
    const double value = which == NEAR_LEAST ? near : which == DRAWN ? verify_uniform(v, low, high) : more;
    return whole ? round(value) : value;
}

static bool look_at_value(struct verify *v, size_t which, double value, struct option_record *record)
{
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const double *const set = set_alone(v, which, value);
    const bool seen = look_at_options(v, set, record);
    if (v->problem->options[which].kind == SENS_OPT_REAL)
        look_at_parameter(v, set_alone(v, SIZE_MAX, NAN), set, which, record);
    sens_arena_rewind(&v->ctx.arena, mark);
    return seen;
}

/* Between what is seen and what is not: as near to the latter as a few looks come. */
static double close_in(struct verify *v, size_t which, double seen, double unseen,
                       struct option_record *record)
{
    const bool whole = v->problem->options[which].kind == SENS_OPT_INT;
    for (int k = 0; k < CLOSER && whole && fabs(unseen - seen) > 1; k++) {
        const double middle = round((seen + unseen) / 2);
        *(look_at_value(v, which, middle, record) ? &seen : &unseen) = middle;
    }
    return seen;
}

/* The end, or as near to it as there is something to be seen. */
static void approach(struct verify *v, size_t which, double end, struct option_record *record)
{
    const struct sens_option *option = &v->problem->options[which];
    const bool whole = option->kind == SENS_OPT_INT;
    double value = whole ? end : verify_towards(option, end, FAR), unseen = end;
    record->far = true;
    for (int k = 0; k < APPROACHES && value != option->fallback; k++, value = nearer(option, value)) {
        if (!look_at_value(v, which, value, record)) {
            unseen = value;
            continue;
        }
        if (value == end) return;
        add_left(record, ", %s beyond %g", option->name, close_in(v, which, value, unseen, record));
        return;
    }
    if (end != option->fallback) add_left(record, ", %s towards %g", option->name, end);
}

static void vary_option(struct verify *v, size_t which, struct option_record *record)
{
    const struct sens_option *option = &v->problem->options[which];
    record->far = false;
    for (int k = DRAWN; k < VALUES; k++) look_at_value(v, which, draw_value(v, option, k), record);
    if (option->min < 0 && option->max > 0 && option->fallback != 0) look_at_value(v, which, 0, record);
    approach(v, which, option->min, record);
    approach(v, which, option->max, record);
}

/* ---- all options --------------------------------------------------------------------------------------- */

/* By another choice each option that is a parameter acts through p alone, too. */
static void vary_parameters(struct verify *v, size_t choice, double chosen, struct option_record *record)
{
    const struct sens_option *const table = v->problem->options;
    for (size_t i = 0; i < sens_option_count(table); i++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        if (table[i].kind != SENS_OPT_REAL || verify_held(v, &table[i])) continue;
        double *const usual = set_alone(v, choice, chosen), *const set = set_alone(v, choice, chosen);
        set[i] = draw_value(v, &table[i], HALF_MORE);
        look_at_parameter(v, usual, set, i, record);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

static void vary_choice(struct verify *v, size_t which, struct option_record *record)
{
    const struct sens_option *const option = &v->problem->options[which];
    for (long c = 0; c < sens_option_choices(option); c++)
        if (c != (long)option->fallback) vary_parameters(v, which, (double)c, record);
}

/* All options at once, near their defaults: two that are right alone need not be together. */
static void vary_together(struct verify *v, struct option_record *record)
{
    const struct sens_option *table = v->problem->options;
    const size_t count = sens_option_count(table);
    for (int k = 0; k < (v->quick ? 1 : 8); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        double *set = verify_array(v, count);
        for (size_t i = 0; i < count; i++) {
            const long choices = sens_option_choices(&table[i]);
            set[i] = NAN;
            if (choices) set[i] = (double)verify_integer(v, 0, choices - 1);
            if (is_varied(&table[i]))
                set[i] = draw_value(v, &table[i], (int)verify_integer(v, DRAWN, HALF_MORE));
        }
        look_at_options(v, set, record);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
}

/* How many an option switches between, if it is a switch: a choice, or a whole number of few values. */
static long positions(const struct sens_option *option)
{
    const bool few = option->kind == SENS_OPT_INT && option->max - option->min < FEW;
    return option->kind == SENS_OPT_CHOICE ? sens_option_choices(option)
           : few                           ? (long)(option->max - option->min) + 1
                                           : 0;
}

static double position(const struct sens_option *option, long k)
{
    return option->kind == SENS_OPT_INT ? option->min + (double)k : (double)k;
}

/* Switches a and b, both in other positions than by default. */
static void vary_pair(struct verify *v, size_t a, size_t b, int *left, struct option_record *record)
{
    const struct sens_option *const one = &v->problem->options[a], *const other = &v->problem->options[b];
    for (long i = 0; i < positions(one); i++)
        for (long k = 0; k < positions(other) && *left > 0; k++) {
            const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
            double *const set = set_alone(v, a, position(one, i));
            set[b] = position(other, k);
            if (set[a] == one->fallback || set[b] == other->fallback) continue;
            look_at_options(v, set, record);
            --*left;
            sens_arena_rewind(&v->ctx.arena, mark);
        }
}

/* What two switches do together, each alone need not do. */
static void vary_switches(struct verify *v, struct option_record *record)
{
    const struct sens_option *const table = v->problem->options;
    const size_t count = sens_option_count(table);
    int left = v->quick ? 24 : 240;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            if (!verify_held(v, &table[a]) && !verify_held(v, &table[b])) vary_pair(v, a, b, &left, record);
}

void reach_name_problem(const struct verify *v, char label[VERIFY_SUBJECT])
{
    snprintf(label, VERIFY_SUBJECT, "%s", v->problem->name);
    verify_name_held(v, v->problem->options, " ", VERIFY_SUBJECT, label);
}

void reach_check_options(struct verify *v, const char *module, bool usual, char left[VERIFY_TEXT / 2])
{
    char label[VERIFY_SUBJECT];
    const struct sens_option *table = v->problem->options;
    struct option_record record = {.worst = {.count = 0}, .usual = usual, .left = left};
    reach_name_problem(v, label);
    record.result = verify_open("reach.options", module, label);
    for (size_t i = 0; i < sens_option_count(table); i++)
        if (verify_held(v, &table[i]))
            continue;
        else if (is_varied(&table[i]))
            vary_option(v, i, &record);
        else if (table[i].kind == SENS_OPT_DATA)
            look_at_files(v, i, &record);
        else
            vary_choice(v, i, &record);
    record.far = false;
    vary_switches(v, &record);
    if (sens_option_count(table) > 0) vary_together(v, &record);
    verify_judge_or(&record.result, &record.worst,
                    "the problem has no options of numbers, or takes none that was tried");
    verify_close(v, &record.result);
}
