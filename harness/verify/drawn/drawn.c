/* Scenes drawn at random from what the method declares, among them large ones; see drawn.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "drawn.h"

/* ---- the usual scene ----------------------------------------------------------------------------------- */

enum { USUAL_STEPS = 1500, USUAL_LIMIT = 4000 };

/* The tightest tolerance at which the method takes no more than some hundred steps. */
static struct drawn_verdict find_usual(struct verify *v, struct drawing *drawing)
{
    static const double tolerances[] = {1e-9, 1e-7, 1e-5, 1e-3};
    const bool heeds = v->method->caps & SENS_CAP_TOLERANCE;
    const int first = v->method->derivative == SENS_DERIVATIVE_CONTINUOUS ? 0 : 1;
    struct drawn_verdict verdict = {.outcome = DRAWN_UNJUDGED};
    for (int k = first; k < (heeds ? 4 : 2); k++) {
        drawn_usual(v, heeds ? tolerances[k] : 0, drawing);
        struct drawn limited = drawing->usual;
        if (heeds) limited.value[AXIS_LIMIT] = USUAL_LIMIT;
        verdict = drawn_judge(drawing, &limited);
        drawing->steps = verdict.steps;
        const bool solved = verdict.outcome != DRAWN_FAILED && verdict.outcome != DRAWN_REFUSED;
        if (solved && verdict.steps <= USUAL_STEPS) return verdict;
    }
    return verdict;
}

/* ---- which scenes -------------------------------------------------------------------------------------- */

/* What is drawn far from usual together; the rest is drawn near it, each with one chance in three. */
static const struct theme {
    int axis[4]; /* ends with -1, or is full */
} themes[] = {
    {{AXIS_OUTPUTS, AXIS_LANES, -1}},
    {{AXIS_PARAMETERS, AXIS_BATCH, AXIS_STEPS, -1}},
    {{AXIS_PARAMETERS, AXIS_LANES, -1}},
    {{AXIS_TIMES, AXIS_LAYOUT, AXIS_ENDS, -1}},
    {{AXIS_RATIO, AXIS_SCALE, -1}},
    {{AXIS_RATIO, AXIS_SCALE, AXIS_START, -1}},
    {{AXIS_THREADS, AXIS_OUTPUTS, -1}},
    {{AXIS_STEPS, AXIS_CKPT, -1}},
    {{AXIS_OUTPUTS, AXIS_BATCH, AXIS_STEPS, AXIS_START}},
    {{AXIS_STATES, AXIS_WRT, -1}},
    {{AXIS_LENGTH, AXIS_LAYOUT, AXIS_FORM, -1}},
};
enum { THEMES = sizeof themes / sizeof *themes, ROUNDS = 4 };
/* Of a long interval: the steps that are aimed at, and fewer than which it is doubled. */
enum { MANY_STEPS = 7000, LEAST_STEPS = 4200, LENGTHENINGS = 2 };

static bool in_theme(const struct theme *theme, int axis)
{
    for (int k = 0; k < 4 && theme->axis[k] >= 0; k++)
        if (theme->axis[k] == axis) return true;
    return false;
}

/* Many steps are taken on a long interval where their number cannot be set. */
static bool is_drawn(const struct drawing *drawing, const struct theme *theme, int axis)
{
    return axis_declared(drawing, axis) || (axis == AXIS_STEPS && !in_theme(theme, AXIS_BATCH));
}

/* Is all that a theme can draw for this method drawn by another as well? */
static bool is_contained(const struct drawing *drawing, int theme, int other)
{
    for (int k = 0; k < 4 && themes[theme].axis[k] >= 0; k++) {
        const int axis = themes[theme].axis[k];
        const bool too = in_theme(&themes[other], axis) && is_drawn(drawing, &themes[other], axis);
        if (is_drawn(drawing, &themes[theme], axis) && !too) return false;
    }
    return true;
}

/* Of two that draw the same, the first is no repetition. */
static bool is_repetition(const struct drawing *drawing, int theme)
{
    for (int other = 0; other < THEMES; other++)
        if (other != theme && is_contained(drawing, theme, other) &&
            (other < theme || !is_contained(drawing, other, theme)))
            return true;
    return false;
}

static bool is_fixed(const struct sens_registry *reg, const struct drawn *drawn)
{
    const size_t k = (size_t)drawn->value[AXIS_CONTROLLER];
    return !reg->controllers[k]->adaptive;
}

/* A choice among solvers that go together. */
static void draw_solver(const struct drawing *drawing, struct drawn *drawn)
{
    const struct sens_registry *reg = drawing->v->reg;
    if (axis_declared(drawing, AXIS_CONTROLLER) && verify_integer(drawing->v, 0, 2) == 0)
        drawn->value[AXIS_CONTROLLER] = axis_draw(drawing, AXIS_CONTROLLER);
    if (drawing->v->method->derivative == SENS_DERIVATIVE_CONTINUOUS && is_fixed(reg, drawn))
        drawn->value[AXIS_CONTROLLER] = drawing->usual.value[AXIS_CONTROLLER]; /* which has no bound */
    if (!axis_declared(drawing, AXIS_TABLEAU) || verify_integer(drawing->v, 0, 2) > 0) return;
    drawn->value[AXIS_TABLEAU] = axis_draw(drawing, AXIS_TABLEAU);
    if (!reg->tableaux[(size_t)drawn->value[AXIS_TABLEAU]]->e)
        drawn->value[AXIS_TABLEAU] = drawing->usual.value[AXIS_TABLEAU];
}

static void use_fixed(const struct drawing *drawing, struct drawn *drawn)
{
    const struct sens_registry *reg = drawing->v->reg;
    for (size_t k = 0; reg->controllers[k]; k++)
        if (!reg->controllers[k]->adaptive) drawn->value[AXIS_CONTROLLER] = (double)k;
}

/* 0: not solved. */
static long steps_of(const struct drawing *drawing, const struct drawn *drawn)
{
    struct sens_arena *arena = &drawing->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct scene scene;
    const bool solved = drawn_scene(drawing, drawn, &scene) && bed_solve(&scene.bed) == SENS_OK;
    const long steps = solved ? scene.bed.work.steps : 0;
    scene_free(&scene);
    sens_arena_rewind(arena, mark);
    return steps;
}

/* A long interval, where the number of steps cannot be set, with a forcing that does not die away. Not for a
 * continuous derivative: what is integrated back grows on it; nor where the number of steps is the same on
 * any interval: they may then be too long to be stable, and one that takes no tolerance cannot know. */
static void use_long_interval(const struct drawing *drawing, struct drawn *drawn)
{
    const double usual = drawing->usual.value[AXIS_LENGTH];
    if (drawing->steps <= 0 || drawing->v->method->derivative == SENS_DERIVATIVE_CONTINUOUS) return;
    drawn->value[AXIS_FORM] = (int)drawn->value[AXIS_FORM] & 2;
    drawn->value[AXIS_LENGTH] = ceil(usual * MANY_STEPS / (double)drawing->steps);
    for (int k = 0; k < LENGTHENINGS; k++) {
        const long steps = steps_of(drawing, drawn);
        if (steps > 0 ? steps < 2 * drawing->steps : !(drawing->v->method->caps & SENS_CAP_TOLERANCE))
            drawn->value[AXIS_LENGTH] = usual;
        if (steps < 2 * drawing->steps || steps >= LEAST_STEPS) return;
        drawn->value[AXIS_LENGTH] *= 2;
    }
}

/* Many steps with few of everything else, or some hundred points for the batches. */
static void take_steps(const struct drawing *drawing, const struct theme *theme, struct drawn *drawn)
{
    static const int few[] = {AXIS_STATES, AXIS_PARAMETERS, AXIS_OUTPUTS};
    const bool set = axis_declared(drawing, AXIS_STEPS), batches = in_theme(theme, AXIS_BATCH);
    if (batches && !axis_declared(drawing, AXIS_BATCH)) {
        drawn->value[AXIS_STEPS] = drawing->usual.value[AXIS_STEPS];
        return;
    }
    if (set && batches) drawn->value[AXIS_STEPS] = (double)verify_integer(drawing->v, 100, 140);
    if (set) use_fixed(drawing, drawn);
    if (batches) return;
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        drawn->value[few[k]] = fmin(drawn->value[few[k]], 3);
    if (!set) use_long_interval(drawing, drawn);
}

/* Quotients take two solves for each parameter: without a forcing of each. */
static void make_cheap(const struct drawing *drawing, struct drawn *drawn)
{
    if (drawing->v->method->derivative == SENS_DERIVATIVE_DIFFERENCE)
        drawn->value[AXIS_FORM] = (double)((int)drawn->value[AXIS_FORM] | 1);
}

/* What is far from usual would be idle where only a part is asked for. */
static bool needs_all(const struct theme *theme)
{
    return in_theme(theme, AXIS_PARAMETERS) || in_theme(theme, AXIS_OUTPUTS) || in_theme(theme, AXIS_STEPS);
}

static struct drawn draw_scene(const struct drawing *drawing, const struct theme *theme)
{
    struct verify *v = drawing->v;
    struct drawn drawn = drawing->usual;
    drawn.layout = (unsigned long)verify_integer(v, 1, 1000000);
    for (int axis = 0; axis < AXIS_TABLEAU; axis++) {
        const bool large = in_theme(theme, axis);
        const long chance = axis == AXIS_CKPT ? 1 : 2; /* every distance is another case */
        if (!axis_declared(drawing, axis) || (!large && verify_integer(v, 0, chance) > 0)) continue;
        if (!large && (axis == AXIS_RATIO || axis == AXIS_SCALE)) continue;
        if ((axis == AXIS_WRT || axis == AXIS_PARTS) && needs_all(theme)) continue;
        drawn.value[axis] = large ? axis_draw_large(drawing, axis) : axis_draw(drawing, axis);
    }
    drawn.value[AXIS_STATES] = fmin(drawn.value[AXIS_STATES], drawing->most_states);
    draw_solver(drawing, &drawn);
    if (in_theme(theme, AXIS_STEPS)) take_steps(drawing, theme, &drawn);
    if (in_theme(theme, AXIS_PARAMETERS)) make_cheap(drawing, &drawn);
    /* Once the relative tolerance is the tight one, once the absolute one. */
    if (drawn.value[AXIS_RATIO] != 0) {
        drawn.value[AXIS_RATIO] = in_theme(theme, AXIS_START) ? 4 : -4;
        drawn.value[AXIS_SCALE] = in_theme(theme, AXIS_START) ? 10 : -10;
    }
    return drawn;
}

/* ---- drawn.right --------------------------------------------------------------------------------------- */

/* Two that are led back tell what a third would. */
enum { MOST_LED_BACK = 2 };

/* A right method may be slow, as one with dense systems of several n unknowns is: a third of what a unit has by
 * default, in seconds of processor time. */
static double most_seconds(const struct verify *v)
{
    return v->quick ? 20 : 100;
}

static double seconds_used(void)
{
    struct timespec used;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0
               ? (double)used.tv_sec + 1e-9 * (double)used.tv_nsec
               : 0;
}

/* Dense systems take the third power of n, and a scene some dozen solves: as many states as a third of the time
 * allows, by a solve with some. */
static void choose_states(struct drawing *drawing)
{
    enum { PILOT = 40, SOLVES = 30 };
    struct sens_arena *const arena = &drawing->v->ctx.arena;
    const struct sens_arena_mark mark = sens_arena_mark(arena);
    struct drawn drawn = drawing->usual;
    struct scene scene;
    const double before = seconds_used();
    drawn.value[AXIS_STATES] = PILOT;
    if (drawn_scene(drawing, &drawn, &scene)) bed_solve(&scene.bed);
    const double each = SOLVES * (seconds_used() - before);
    scene_free(&scene);
    sens_arena_rewind(arena, mark);
    drawing->most_states = each > 0 ? PILOT * cbrt(most_seconds(drawing->v) / 3 / each) : INFINITY;
    drawing->most_states = fmax(floor(drawing->most_states), PILOT);
}

/* false: skipped. */
static bool check_scene(struct drawing *drawing, const struct drawn *drawn)
{
    int *const led_back = &drawing->led_back;
    struct verify *v = drawing->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    char subject[VERIFY_SUBJECT];
    drawn_subject(drawing, drawn, subject);
    struct verify_result result = verify_open("drawn.right", v->module, subject);
    if (seconds_used() > most_seconds(v)) {
        verify_skip(&result, "tasks before took more than %g s of processor time", most_seconds(v));
        verify_close(v, &result);
        return true;
    }
    const struct drawn_verdict verdict = drawn_judge(drawing, drawn);
    const bool known = verdict.outcome == DRAWN_WRONG && *led_back >= MOST_LED_BACK;
    if (verdict.outcome == DRAWN_RIGHT || known)
        verify_judge(&result, &verdict.worst);
    else if (verdict.outcome == DRAWN_UNJUDGED)
        verify_skip(&result, "%s", verdict.message);
    else
        drawn_explain(drawing, drawn, &verdict, &result);
    if (verdict.outcome == DRAWN_WRONG && !known) ++*led_back;
    verify_close(v, &result);
    sens_arena_rewind(&v->ctx.arena, mark);
    return result.verdict != VERIFY_SKIP;
}

/* Nothing to differentiate by but the initial state. */
static void check_without_parameters(struct drawing *drawing)
{
    struct drawn drawn = drawing->usual;
    drawn.value[AXIS_PARAMETERS] = drawn.value[AXIS_FORM] = 0;
    check_scene(drawing, &drawn);
}

/* Observations in close pairs, the first close to t0 and the last to t1, with none at these; on an interval that no
 * step which is a power of two, or a simple fraction, divides: the last one is cut. */
static void check_close_to_ends(struct drawing *drawing)
{
    static const double CUT = 0.957;
    struct drawn drawn = drawing->usual;
    if (!axis_declared(drawing, AXIS_LAYOUT)) return;
    drawn.value[AXIS_TIMES] = 5;
    drawn.value[AXIS_LAYOUT] = 2;
    drawn.value[AXIS_ENDS] = 0;
    drawn.value[AXIS_LENGTH] *= CUT;
    check_scene(drawing, &drawn);
}

/* Where it is the checkpoints that are refused, once more without them. */
static void check_drawn(struct drawing *drawing, struct drawn drawn)
{
    if (check_scene(drawing, &drawn) || drawn.value[AXIS_CKPT] <= 1) return;
    drawing->every_state = true;
    drawn.value[AXIS_CKPT] = 1;
    check_scene(drawing, &drawn);
}

/* Every option at another value, with all else as usual but the times: an option may make other axes idle. */
static void check_options(struct drawing *drawing, int rounds)
{
    const size_t options = sens_option_count(drawing->v->method->options);
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < options && k < AXIS_OPTIONS; k++) {
            struct drawn drawn = drawing->usual;
            const int axis = AXIS_OPTION + (int)k;
            if (!axis_declared(drawing, axis)) continue;
            drawn.value[axis] = axis_draw(drawing, axis);
            check_scene(drawing, &drawn);
        }
}

/* ---- drawn.varied -------------------------------------------------------------------------------------- */

static void check_varied(const struct drawing *drawing)
{
    struct verify_result result = verify_open("drawn.varied", drawing->v->module, "all scenes of drawn");
    char none[VERIFY_TEXT / 2] = "";
    for (int axis = 0; axis < AXES; axis++) {
        const char *const why = axis_why_not(drawing, axis);
        const size_t used = strlen(none);
        if (!why || strcmp(why, "no option") == 0) continue;
        if (strcmp(why, "the method declares none") == 0)
            snprintf(none + used, sizeof none - used, "%s%s", used ? ", " : "", axis_name(drawing, axis));
        else
            verify_skip(&result, "not varied: %s (%s)", axis_name(drawing, axis), why);
    }
    if (none[0]) verify_skip(&result, "not varied: %s (the method declares none)", none);
    if (drawing->left[0]) verify_skip(&result, "not varied: %s", drawing->left);
    verify_close(drawing->v, &result);
}

/* ---- the group ----------------------------------------------------------------------------------------- */

/* What is wrong from the start has nothing to do with what is drawn. */
static bool check_usual(const struct drawing *drawing, const struct drawn_verdict *verdict)
{
    struct verify *v = drawing->v;
    if (verdict->outcome == DRAWN_RIGHT) return true;
    struct verify_result result = verify_open("drawn.right", v->module, "probe, everything as usual");
    if (verdict->outcome == DRAWN_WRONG) {
        verify_judge(&result, &verdict->worst);
        drawn_blame_catalogue(drawing, &drawing->usual, &result);
    } else {
        verify_skip(&result, "%s: see solve.completes", verdict->message);
    }
    verify_close(v, &result);
    return false;
}

static void run(struct verify *v)
{
    struct drawing drawing;
    const struct drawn_verdict verdict = find_usual(v, &drawing);
    const int rounds = v->quick ? 1 : ROUNDS;
    const bool right = check_usual(&drawing, &verdict);
    if (right) choose_states(&drawing);
    if (right) {
        for (int k = 0; k < rounds * THEMES; k++)
            if (!v->quick || !is_repetition(&drawing, k % THEMES))
                check_drawn(&drawing, draw_scene(&drawing, &themes[k % THEMES]));
        check_options(&drawing, rounds);
        check_without_parameters(&drawing);
        check_close_to_ends(&drawing);
    }
    drawn_check_ends(&drawing, right);
    drawn_check_scaled(&drawing);
    drawn_check_between(&drawing, right);
    check_varied(&drawing);
    drawn_tell_tried(v);
}

static const struct verify_check checks[] = {
    {.id = "drawn.right",
     .summary = "scenes drawn from what the method declares, large ones among them, are solved and right",
     .bound = "that of the kind of derivative: rounding, the tolerance, or a quotient's truncation and noise",
     .explanation =
         "Sizes, times of observation, the interval, tolerances, lanes, threads, batches, checkpoints, "
         "the tableau, and options at other values than their defaults are drawn at random, some near the "
         "usual and some far from it; another --seed draws others, and a full run more. All outputs are "
         "judged by one mean with weights of one sign. A discrete derivative that cannot be replayed on "
         "the same steps is also compared with differences of the method's own values beside a faint copy "
         "of the problem (gradient.own), where an option has another value than usual or the exact "
         "solution allows more than a hundredth of the derivative. When a scene is wrong, one value after "
         "the other is put back to the usual as long as the fault stays: what is left is named, and for a "
         "size the border between right and wrong. A refusal (unsupported) is excused where it refuses a "
         "choice as such, whatever the sizes, and names it; never for a size, a time or a tolerance that "
         "the method declares to take. Behind 20 s of processor time (100 in a full run) no more are "
         "drawn."},
    {.id = "drawn.ends",
     .summary = "every option that is a number is right at its least and at its most",
     .bound = "that of drawn.right; of a real number: a status, or numbers that are finite",
     .explanation =
         "Each option of the method that is a whole number is set to its ends, but no further than 1,024 "
         "from the default (or 16 times it), with observations at uneven distances and all else as usual, "
         "and the scene is judged like those of drawn.right. A status other than ok is taken for an "
         "answer. Where the derivative is not one of the steps taken, an error that falls as the "
         "tolerance is made a hundred times smaller is one of accuracy, and no fault. What was not tried, "
         "or refused, is in drawn.varied. A failure is a table with room for the default, or a branch "
         "that only an end takes."},
    {.id = "drawn.between",
     .summary = "every option that is a number is right between its default and its ends",
     .bound = "that of drawn.right for whole numbers; of real ones 16 times what the end itself changes, or "
              "what the default is off by, and no less than 100 times the tolerance or 1e-9",
     .explanation =
         "Whole numbers are set to the least odd one and to two odd ones drawn below and above the default, "
         "and judged as in drawn.ends: halves, pairs and blocks may be right for even numbers alone. A real "
         "number is set near its ends, by 1e-7 to a tenth of the way, beside its default, and to one drawn "
         "near the end, which counts as no farther than 16 max(|default|, 1): x and G may be no farther from "
         "those of the default than 16 times as far as those of the end are. A value that ends with a status "
         "is not judged. Such a fault is right at the default and at the end: digits cancel beside a value "
         "that has a branch of its own."},
    {.id = "drawn.scaled",
     .summary =
         "states and atol scaled together by 2^20 or 2^-20 take the same steps, and give the scaled state",
     .bound = "the tolerance; equal bits where nothing but the states is in the error test",
     .explanation =
         "The probe is solved with states of size 1, and with states of size 2^20 and 2^-20 and an atol that "
         "is scaled alike, for the derivative by the parameters alone. rtol and atol / |x| are the same, so "
         "the error test must decide the same, and powers of two round alike. A difference means that rtol "
         "and atol are exchanged, that one is taken for both, or that a size of the states is built in: all "
         "of it hides where rtol = atol and the states are near 1. Look at what the error is divided by. Of "
         "difference quotients dG/dx0 is judged with states of size 2^40 and 2^-40: their bump has to follow "
         "the size of what is bumped.",
     .level = VERIFY_UNLEVELLED},
    {.id = "drawn.varied",
     .summary = "everything that drawn.right can vary is varied",
     .bound = "none: what is not varied is said",
     .explanation =
         "A method hides what nobody varies. This lists what drawn.right leaves as it is for this method, "
         "because the method does not declare it (lanes, threads, checkpoints, ...) or because nothing "
         "tells what would then be right."},
    {.id = "drawn.tried",
     .summary = "says between which ends the tasks lay that were solved",
     .bound = "none: nothing is compared",
     .explanation =
         "Always a skip: the least and the largest number of states, parameters, outputs, steps, "
         "observations, lanes and threads, the tolerances, t0 and the length of the interval, over all tasks "
         "of this group that the method solved. What lies beyond was not tried in it. What one of them was "
         "when another was what is in the subjects of drawn.right."},
    {.id = NULL}};

const struct verify_group verify_drawn = {
    .name = "drawn", .kind = VERIFY_METHOD, .checks = checks, .run = run};
