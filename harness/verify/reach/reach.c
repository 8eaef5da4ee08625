/* Products of a problem where the other groups do not look: at times all over the interval, at states beside
 * the solution, with other values of each option, at large sizes, with vectors that hold zeros, from several
 * threads, and beside other instances.
 *
 * Wide and shallow: at each place one random vector tells whether anything is wrong, as all rows and columns
 * take part in J v and f_p u. What is drawn depends on the seed; a full run draws more of it. */
#include "reach.h"
#include "remainder.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "structure.h"

/* ---- reach.sizes --------------------------------------------------------------------------------------- */

static void note_large(struct verify *v, const struct subject *subject, struct worst *worst)
{
    struct sens_at at;
    const struct reach_bases bases = {1, {subject->pb->x0}};
    for (int k = 0; k < (v->quick ? 1 : 2); k++)
        if (reach_draw_place(subject, &bases, k, 2, &at)) reach_note_place(worst, subject, &at);
    reach_note_blocks(worst, subject, (size_t)verify_integer(v, 2, 7), 3);
}

struct sized { /* instances of a problem by their number of states */
    struct verify *v;
    size_t wrong; /* the first that is wrong; 0: none so far */
};

/* Is the instance with so many states wrong? */
static bool is_wrong_size(const void *self, long n)
{
    const struct sized *sized = self;
    struct verify *v = sized->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct worst worst = {.count = 0};
    struct instance instance;
    struct subject subject;
    if (instance_sized(v, v->problem, (size_t)n, &instance) && subject_create(v, &instance, &subject))
        note_large(v, &subject, &worst);
    sens_arena_rewind(&v->ctx.arena, mark);
    return !worst_passes(&worst);
}

/* More states than a byte can count, or a table on the stack has room for, and with them more parameters; fewer where
 * every point is differentiated anew by a library, and half of n where that is the side of a grid
 * or makes parameters by its square. */
enum { PARAMETERS_MOST = 20000 };
static bool create_large(struct verify *v, size_t n, struct instance *instance)
{
    if (!instance_sized(v, v->problem, n, instance)) return false;
    const bool usable = instance->problem.n < 2 * n && instance->problem.np < PARAMETERS_MOST;
    return v->provider || usable || instance_sized(v, v->problem, n / 2, instance);
}

static void note_size(struct verify *v, size_t n, bool large, struct worst *worst, struct sized *sized)
{
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    struct instance instance;
    struct subject subject;
    const bool made = large ? create_large(v, n, &instance) : instance_sized(v, v->problem, n, &instance);
    if (made && subject_create(v, &instance, &subject)) {
        struct worst here = {.count = 0};
        note_large(v, &subject, &here);
        if (here.count) worst_note(worst, here.value, here.bound, "%s: %s", instance.label, here.where);
        if (!sized->wrong && !worst_passes(&here)) sized->wrong = n;
    }
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* What large ones begin at; products of a provider take long. */
enum { LARGE = 260, LARGE_PROVIDED = 20, MOST_PROVIDED = 24 };

/* Where n does not go as far as large ones: its largest, at which numbers of a fixed width that are made of n are as
 * large as they get. */
static void note_most(struct verify *v, struct worst *worst, struct sized *sized)
{
    const int size = sens_option_find(v->problem->options, "n");
    const double most = size < 0 ? INFINITY : v->problem->options[size].max;
    if (most < (v->provider ? MOST_PROVIDED : LARGE)) note_size(v, (size_t)most, true, worst, sized);
}

/* Large ones, and small ones of each remainder by eight: loops over vectors have another rest for each. */
static void vary_states(struct verify *v, struct worst *worst, struct sized *sized)
{
    enum { EIGHT = 8 };
    const size_t first = v->seed ? (size_t)verify_integer(v, 5, 24) : EIGHT + 1;
    for (int k = 0; k < (v->quick ? 1 : 3); k++) {
        const long low = v->provider ? LARGE_PROVIDED
                         : k == 0    ? LARGE
                                     : 30,
                   high = v->provider ? MOST_PROVIDED
                          : k == 0    ? 270
                                      : 200;
        note_size(v, (size_t)verify_integer(v, low, high), true, worst, sized);
    }
    note_most(v, worst, sized);
    for (size_t n = first; n < first + (size_t)(v->quick ? EIGHT : 2 * EIGHT) && !v->provider; n++)
        note_size(v, n, false, worst, sized);
}

/* More lanes and points than a block or a batch of a method has, and many points in few lanes. */
static void vary_blocks(struct verify *v, const struct subject *subject, struct worst *worst)
{
    enum { MANY, STANDARD = 3 };
    static const size_t standard[STANDARD][2] = {[MANY] = {2, 4099}, {131, 259}, {67, 517}};
    for (int k = v->provider ? MANY + 1 : MANY; k < (v->quick ? STANDARD : 9); k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        const bool drawn = k >= STANDARD || (v->seed && k != MANY);
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
    const struct reach_bases bases = {1, {subject->pb->x0}};
    struct worst worst = {.count = 0};
    struct sens_at at;
    for (int k = 0; k < 2; k++)
        if (reach_draw_place(subject, &bases, k, 2, &at)) reach_note_place(&worst, subject, &at);
    for (size_t L = 1; L <= 9; L++) reach_note_blocks(&worst, subject, L, L);
    initial_note_followed(&worst, subject);
    return worst_passes(&worst);
}

static void check_sizes(const struct subject *subject, bool usual)
{
    struct sized sized = {.v = subject->v};
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.sizes");
    vary_blocks(subject->v, subject, &worst);
    const bool blocks = worst_passes(&worst);
    vary_states(subject->v, &worst, &sized);
    verify_judge(&result, &worst);
    const bool rest = usual && blocks && sized.wrong &&
                      remainder_blame(is_wrong_size, &sized, (long)sized.wrong, "n", &result);
    verify_blame(&result, CAUSE_size_limit, usual && !rest ? 0.95 : 0.1);
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
         "and the declared structure with the same numbers. Where rhs jumps at a time that is the value of "
         "an option, products at exactly that time may not be those of the other side than rhs takes. A "
         "window of two hundredths of the interval is hit for certain in a full run, and by chance in a "
         "quick one: --seed draws other times.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.far",
     .summary =
         "the products agree with rhs at states and parameters orders of magnitude from the nominal ones",
     .bound = "as reach.places",
     .explanation =
         "One entry of x or p is moved by up to four orders of magnitude, in one case of four by eight, up "
         "or down, and of some the sign is changed; or all states by one factor; or each by its own; or each "
         "state and each parameter. Where rhs has no values, nearer. 250 places of each kind (2,500 in a "
         "full run) are compared roughly, as in along.products, and those that differ most are looked at as "
         "in reach.places. What is not finite there is no failure. One that fits parameters, or starts from "
         "another state, comes to such places. A failure is nearly always a branch: an if on a state or a "
         "parameter that the nominal ones do not reach.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.branches",
     .summary = "the products agree with rhs on both sides of every comparison that rhs makes",
     .bound = "as reach.places",
     .explanation =
         "rhs is recorded, with the comparisons that it makes on the way. 1,200 points are drawn near the "
         "solution, far from it, and onwards from where a comparison came nearest to turning; where one goes "
         "the other way for the first time the products are looked at as in reach.places, and rhs is "
         "recorded again for the comparisons that follow. Between two points on either side, at the same "
         "time, f must not jump by about the same share, 1e-6 to 2e-3 of its largest terms, wherever the "
         "comparison is crossed: two formulas for the same thing do not meet then. Comparisons that never "
         "turned are told at the end of the report. A failure is a branch of rhs whose derivative is that of "
         "another. A problem that cannot be recorded (a module without a recorded part) is skipped: "
         "reach.far looks for its branches by chance.",
     .level = VERIFY_UNLEVELLED},
    {.id = "reach.options",
     .summary = "the products agree with rhs whatever numbers its options have",
     .bound = "as reach.places",
     .explanation =
         "Each option that is a number is set to others: one drawn from its range, half as much again as the "
         "default, one near its least (by 1e-7 of the way, or a small odd number), 0 between them, and its "
         "ends, or as far towards them as an instance can be had that has values and is not too large to "
         "look at (what lies beyond is in reach.varied); then all at once are drawn. At two places of each "
         "instance reach.places is repeated, and at one what is said of df/dt and of second derivatives "
         "(products.rhs_t, products.hvp), and of x0(p). An option that is a parameter has to act through p "
         "alone, by each choice of the others. A failure is a term that an option switches on, or scales, "
         "and that a product does not have; or a number that create makes of p.",
     .level = VERIFY_TO_ROUNDING},
    {.id = "reach.sizes",
     .summary = "the products are right for many states, parameters, lanes and points of a batch",
     .bound = "as reach.places; rounding of a sum with its measured magnitude for blocks and batches",
     .explanation =
         "Where the problem has an option n, an instance with more than 256 states, or with the largest n "
         "where that is less, goes through reach.places, and eight of small sizes one after the other, as "
         "loops that take eight at a time have another rest for each. Blocks of more than 64 and 128 "
         "lanes are compared with one random combination of their lanes, batches of more than 256 and 512 "
         "points, and of 4,099 in two lanes, with the sum of single points, and blocks of columns from a "
         "random one on with single columns. Look for arrays of a fixed length.",
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
    {.id = "reach.at_zero",
     .summary = "where a state or a parameter is exactly 0, or a parameter whole, the products are what they "
                "are beside it",
     .bound = "the products on both sides, and what lies between them",
     .explanation =
         "One entry of x or p after the other (24 drawn where there are more) is set to 0, unless it is a "
         "parameter by an option that does not take 0, and a little above and below it; a parameter to the "
         "nearest whole number, too, for exponents may be taken apart there. Where the products exist on "
         "both sides, that at the number itself must lie between them, but for a thousandth of its size: a "
         "kink may have either slope, or one between. Where the two sides agree, it has to be a number. A "
         "failure is an if that asks whether a number is 0, to avoid a division perhaps, and gives another "
         "derivative there; or such a division.",
     .level = VERIFY_UNLEVELLED},
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
         "own, and are interrupted 150 times (2,000 in a full run), so that one sleeps in the middle of a "
         "callback while others go on. Every result is compared with that of one thread. A difference is "
         "memory that the calls share: a static array, or work space in the instance. It shows by chance."},
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
static void tell_the_rest(struct verify *v, const struct subject *subject, const char *left)
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
    snprintf(words + strlen(words), sizeof words - strlen(words), "%s", left);
    reach_name_problem(v, label);
    verify_not_varied(v, "reach.varied", subject->v->module, label, words);
}

static void look(struct subject *subject)
{
    reach_check_places(subject);
    reach_check_far(subject);
    reach_check_branches(subject);
    reach_check_zeros(subject);
    reach_check_at_zero(subject);
    reach_check_scale(subject);
}

/* What is made once, on the default instance; where there is none, subject_each has said so. */
static void look_once(struct verify *v)
{
    struct instance instance;
    struct subject subject;
    char left[VERIFY_TEXT / 2] = "";
    if (!instance_create(v, v->problem, 0, &instance) || !subject_create(v, &instance, &subject)) return;
    reach_check_instances(&subject); /* first: what changes after many calls has not changed yet */
    reach_check_threads(&subject);
    const bool usual = is_usual_right(&subject);
    check_sizes(&subject, usual);
    reach_check_options(v, subject.v->module, usual, left);
    tell_the_rest(v, &subject, left);
}

static void run(struct verify *v)
{
    look_once(v);
    subject_each(v, checks, look);
}

const struct verify_group verify_reach = {
    .name = "reach", .kind = VERIFY_PROBLEM, .checks = checks, .run = run, .wraps = true, .elsewhere = true};
