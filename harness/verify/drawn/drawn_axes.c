/* The axes of drawn scenes: their usual values, what is drawn, what they are called. */
#include <stdio.h>
#include <string.h>

#include "drawn.h"

enum form { SIZE, VALUE, CHOICE };

/* Near the usual value, and far from it; both ends included. */
struct range {
    double low, high;
};

static const struct axis {
    const char *name, *words; /* printf format of the value */
    enum form form;
    unsigned cap; /* SENS_CAP_* that it needs */
    double usual;
    struct range near, large;
    enum cause cause;
} axes[AXIS_OPTION] = {
    [AXIS_STATES] = {"n", "n = %.0f", SIZE, 0, 4, {1, 9}, {65, 140}, CAUSE_many_states},
    [AXIS_PARAMETERS] = {"np", "np = %.0f", SIZE, 0, 5, {1, 9}, {257, 400}, CAUSE_many_parameters},
    [AXIS_OUTPUTS] = {"m", "m = %.0f", SIZE, 0, 3, {1, 12}, {101, 300}, CAUSE_many_outputs},
    [AXIS_STEPS] = {"steps",
                    "%.0f equal steps",
                    SIZE,
                    SENS_CAP_CONTROLLER,
                    32,
                    {20, 70},
                    {4100, 6000},
                    CAUSE_many_steps},
    [AXIS_LANES] = {"lanes", "lanes = %.0f", SIZE, SENS_CAP_LANES, 0, {1, 20}, {65, 200}, CAUSE_many_lanes},
    [AXIS_BATCH] =
        {"batch", "batch = %.0f", SIZE, SENS_CAP_BATCH, 0, {1, 40}, {257, 2000}, CAUSE_large_batch},
    [AXIS_THREADS] =
        {"threads", "threads = %.0f", SIZE, SENS_CAP_THREADS, 1, {2, 3}, {4, 9}, CAUSE_data_race},
    [AXIS_CKPT] = {"ckpt", "ckpt = %.0f", SIZE, SENS_CAP_CKPT, 0, {1, 31}, {5000, 9000}, CAUSE_checkpoint},
    [AXIS_TIMES] = {"observations",
                    "%.0f observations between",
                    SIZE,
                    SENS_CAP_OBSERVATIONS,
                    2,
                    {0, 9},
                    {131, 200},
                    CAUSE_many_observations},
    [AXIS_LAYOUT] = {"observation times",
                     "observation times of layout %.0f",
                     VALUE,
                     SENS_CAP_OBSERVATIONS,
                     0,
                     {1, 2},
                     {1, 2},
                     CAUSE_observation_times},
    [AXIS_ENDS] =
        {"observed ends", "ends %.0f", VALUE, SENS_CAP_OBSERVATIONS, 3, {0, 2}, {0, 1}, CAUSE_observation_t0},
    [AXIS_START] = {"t0", "t0 = %.6g", VALUE, 0, 0.25, {-3, 3}, {-50, 50}, CAUSE_initial_time},
    [AXIS_LENGTH] =
        {"t1 - t0", "t1 - t0 = %.6g", VALUE, 0, 2, {0.5, 2.5}, {0.02, 0.2}, CAUSE_interval_length},
    [AXIS_RATIO] = {"rtol and atol",
                    "atol / rtol = 1e%.0f",
                    VALUE,
                    SENS_CAP_TOLERANCE,
                    0,
                    {-4, 4},
                    {-4, 4},
                    CAUSE_tolerances_mixed},
    [AXIS_SCALE] =
        {"size of the states", "states of size 2^%.0f", VALUE, 0, 0, {-10, 10}, {-10, 10}, CAUSE_state_scale},
    [AXIS_WRT] =
        {"wrt", "wrt %.0f", CHOICE, 0, SENS_WRT_P | SENS_WRT_X0, {1, 2}, {1, 2}, CAUSE_one_part_only},
    [AXIS_PARTS] = {"parts of the cost",
                    "parts %.0f of the cost",
                    VALUE,
                    0,
                    3,
                    {0, 2},
                    {0, 2},
                    CAUSE_missing_running_cost},
    [AXIS_FORM] = {"form", "form %.0f", VALUE, 0, 2, {0, 3}, {0, 3}, CAUSE_missing_initial_term},
    [AXIS_TABLEAU] = {"tableau", "", CHOICE, SENS_CAP_TABLEAU, 0, {0, 0}, {0, 0}, CAUSE_option_value},
    [AXIS_CONTROLLER] =
        {"controller", "", CHOICE, SENS_CAP_CONTROLLER, 0, {0, 0}, {0, 0}, CAUSE_option_value},
    [AXIS_LIMIT] = {"max_steps", "max_steps = %.0f", VALUE, 0, 1e5, {2e4, 1e6}, {2e4, 1e6}, CAUSE_step_limit},
};

/* ---- what is declared ---------------------------------------------------------------------------------- */

static const struct sens_option *option_of(const struct drawing *drawing, int axis)
{
    const struct sens_option *table = drawing->v->method->options;
    const size_t k = (size_t)(axis - AXIS_OPTION);
    return axis >= AXIS_OPTION && k < sens_option_count(table) ? &table[k] : NULL;
}

/* -1: there is none. */
static long choice_number(const struct sens_option *option, const char *name)
{
    for (long c = 0; option->kind == SENS_OPT_CHOICE && option->choices[c]; c++)
        if (strcmp(option->choices[c], name) == 0) return c;
    return -1;
}

/* The default; of what may be outside the error test, to be inside, for outside it nothing has a bound. */
static double usual_choice(const struct sens_option *option)
{
    const long inside = choice_number(option, "inside"), outside = choice_number(option, "outside");
    return inside >= 0 && outside >= 0 ? (double)inside : option->fallback;
}

static bool is_quotient(const struct drawing *drawing)
{
    return drawing->v->method->derivative == SENS_DERIVATIVE_DIFFERENCE;
}

static const char OUTSIDE[] = "what is outside the error test has no bound";

const char *axis_why_not(const struct drawing *drawing, int axis)
{
    const struct sens_method_type *method = drawing->v->method;
    const bool continuous = method->derivative == SENS_DERIVATIVE_CONTINUOUS;
    if (axis >= AXIS_OPTION) {
        const struct sens_option *option = option_of(drawing, axis);
        if (!option) return "no option";
        if (option->kind == SENS_OPT_DATA) return "a file of numbers";
        return continuous && choice_number(option, "outside") >= 0 ? OUTSIDE : NULL;
    }
    if ((axes[axis].cap & method->caps) != axes[axis].cap) return "the method declares none";
    if (axis == AXIS_STEPS && continuous) return "a continuous derivative has no bound with a fixed step";
    if (axis == AXIS_CONTROLLER && is_quotient(drawing))
        return "quotients have a bound with the fixed step alone";
    if (axis == AXIS_RATIO && is_quotient(drawing)) return "the fixed step takes no tolerance";
    return NULL;
}

bool axis_declared(const struct drawing *drawing, int axis)
{
    return !axis_why_not(drawing, axis);
}

const char *axis_name(const struct drawing *drawing, int axis)
{
    const struct sens_option *option = option_of(drawing, axis);
    return option ? option->name : axes[axis].name;
}

bool axis_is_size(int axis)
{
    return axis < AXIS_OPTION && axes[axis].form == SIZE;
}

bool axis_is_choice(int axis)
{
    return axis >= AXIS_OPTION || axes[axis].form == CHOICE;
}

/* ---- usual values -------------------------------------------------------------------------------------- */

static size_t table_length(const void *table)
{
    const void *const *entry = table;
    size_t count = 0;
    while (entry[count]) count++;
    return count;
}

static double tableau_number(const struct verify *v, const char *name)
{
    size_t k = 0;
    while (v->reg->tableaux[k] && strcmp(v->reg->tableaux[k]->name, name) != 0) k++;
    return (double)k;
}

static double controller_number(const struct verify *v, const char *name)
{
    size_t k = 0;
    while (v->reg->controllers[k] && strcmp(v->reg->controllers[k]->name, name) != 0) k++;
    return (double)k;
}

void drawn_usual(struct verify *v, double tol, struct drawing *drawing)
{
    *drawing = (struct drawing){.v = v, .tol = tol, .usual = {.layout = 1}};
    struct drawn *usual = &drawing->usual;
    for (int axis = 0; axis < AXIS_OPTION; axis++) usual->value[axis] = axes[axis].usual;
    for (size_t k = 0; k < sens_option_count(v->method->options) && k < AXIS_OPTIONS; k++)
        usual->value[AXIS_OPTION + (int)k] = usual_choice(&v->method->options[k]);
    usual->value[AXIS_TABLEAU] = tableau_number(v, "cash_karp");
    usual->value[AXIS_CONTROLLER] = controller_number(v, is_quotient(drawing) ? "fixed" : "odeint");
    if (!(v->method->caps & SENS_CAP_OBSERVATIONS)) {
        usual->value[AXIS_TIMES] = 0;
        usual->value[AXIS_ENDS] = 2;
    }
    if (!(v->method->caps & SENS_CAP_RUNNING_COST)) usual->value[AXIS_PARTS] = 2;
}

/* ---- draws --------------------------------------------------------------------------------------------- */

static double whole(struct verify *v, double low, double high)
{
    return (double)verify_integer(v, (long)low, (long)high);
}

/* A tableau that the controller of the scene can use is sought where the scene is made. */
static double draw_entry(const struct drawing *drawing, int axis)
{
    const struct verify *v = drawing->v;
    const size_t count =
        axis == AXIS_TABLEAU ? table_length(v->reg->tableaux) : table_length(v->reg->controllers);
    return whole(drawing->v, 0, (double)count - 1);
}

/* Near the default: what a number that is declared to be any in 0 ... 1e300 means, nobody can tell. Numbers
 * that are 0 by default, which means automatic, are of the size of the tolerance: a tolerance of its own, or
 * the bump of a quotient, are right with it. */
static double draw_number(const struct drawing *drawing, const struct sens_option *option)
{
    struct verify *v = drawing->v;
    const double fallback = option->fallback;
    double value = fallback * pow(2, verify_uniform(v, -1, 1));
    if (option->kind == SENS_OPT_INT) {
        const double low = fmax(option->min, floor(fallback / 4));
        value = whole(v, low, fmin(option->max, fmax(2 * fallback, fallback + 8)));
        if (value == fallback) value = value < option->max ? value + 1 : value - 1;
    } else if (fallback == 0) {
        const double bump = sqrt(DBL_EPSILON) * pow(2, verify_uniform(v, 0, 3));
        value = is_quotient(drawing) ? bump : drawing->tol > 0 ? drawing->tol : 1e-9;
    }
    return fmin(fmax(value, option->min), option->max);
}

static double draw_option(const struct drawing *drawing, int axis)
{
    const struct sens_option *option = option_of(drawing, axis);
    const long choices = sens_option_choices(option);
    if (option->kind != SENS_OPT_CHOICE) return draw_number(drawing, option);
    if (choices < 2) return option->fallback;
    const long other = verify_integer(drawing->v, 0, choices - 2);
    return (double)(other < (long)usual_choice(option) ? other : other + 1);
}

static double draw_in(const struct drawing *drawing, int axis, const struct range *range)
{
    struct verify *v = drawing->v;
    if (axis >= AXIS_OPTION) return draw_option(drawing, axis);
    if (axis == AXIS_TABLEAU || axis == AXIS_CONTROLLER) return draw_entry(drawing, axis);
    if (axis == AXIS_START || axis == AXIS_LENGTH) return verify_uniform(v, range->low, range->high);
    if (axis == AXIS_RATIO || axis == AXIS_SCALE) return verify_integer(v, 0, 1) ? range->low : range->high;
    if (axis == AXIS_CKPT && drawing->every_state) return 1;
    if (axis == AXIS_PARTS && !(v->method->caps & SENS_CAP_RUNNING_COST)) return 2 * whole(v, 0, 1);
    return whole(v, range->low, range->high);
}

double axis_draw(const struct drawing *drawing, int axis)
{
    return draw_in(drawing, axis, axis < AXIS_OPTION ? &axes[axis].near : NULL);
}

double axis_draw_large(const struct drawing *drawing, int axis)
{
    static const struct range few = {257, 260}; /* a quotient takes two solves for each */
    if (axis == AXIS_PARAMETERS && is_quotient(drawing)) return draw_in(drawing, axis, &few);
    return draw_in(drawing, axis, axis < AXIS_OPTION ? &axes[axis].large : NULL);
}

/* ---- words --------------------------------------------------------------------------------------------- */

static const char *flags_words(int axis, int value)
{
    static const char *const layout[] = {"equally spaced observations", "irregular observation times",
                                         "observations in close pairs"};
    static const char *const ends[] = {"no observation at t0 nor t1", "none at t1", "none at t0",
                                       "both ends"};
    static const char *const wrt[] = {"wrt nothing", "wrt p only", "wrt x0 only", "wrt p and x0"};
    static const char *const parts[] = {"no running cost, no explicit p", "no explicit p", "no running cost",
                                        "every part of the cost"};
    static const char *const form[] = {"x0 fixed", "autonomous, x0 fixed", "x0(p)", "autonomous"};
    if (axis == AXIS_LAYOUT) return layout[value % 3];
    return (axis == AXIS_ENDS ? ends : axis == AXIS_WRT ? wrt : axis == AXIS_PARTS ? parts : form)[value & 3];
}

void axis_words(const struct drawing *drawing, int axis, double value, char words[VERIFY_NAME])
{
    const struct sens_registry *reg = drawing->v->reg;
    const struct sens_option *option = option_of(drawing, axis);
    const bool flags = axis == AXIS_LAYOUT || axis == AXIS_ENDS || axis == AXIS_WRT || axis == AXIS_PARTS ||
                       axis == AXIS_FORM;
    if (option && option->kind == SENS_OPT_CHOICE)
        snprintf(words, VERIFY_NAME, "%s = %s", option->name, option->choices[(size_t)value]);
    else if (option)
        snprintf(words, VERIFY_NAME, "%s = %.6g", option->name, value);
    else if (axis == AXIS_TABLEAU)
        snprintf(words, VERIFY_NAME, "%s", reg->tableaux[(size_t)value]->name);
    else if (axis == AXIS_CONTROLLER)
        snprintf(words, VERIFY_NAME, "%s", reg->controllers[(size_t)value]->name);
    else if (flags)
        snprintf(words, VERIFY_NAME, "%s", flags_words(axis, (int)value));
    else
        snprintf(words, VERIFY_NAME, axes[axis].words, value);
}

void drawn_subject(const struct drawing *drawing, const struct drawn *drawn, char subject[VERIFY_SUBJECT])
{
    size_t used = (size_t)snprintf(subject, VERIFY_SUBJECT, "probe");
    for (int axis = 0; axis < AXES; axis++) {
        char words[VERIFY_NAME];
        if (drawn->value[axis] == drawing->usual.value[axis]) continue;
        axis_words(drawing, axis, drawn->value[axis], words);
        if (used + strlen(words) + 2 < VERIFY_SUBJECT)
            used += (size_t)snprintf(subject + used, VERIFY_SUBJECT - used, ", %s", words);
    }
    if (used == strlen("probe")) snprintf(subject, VERIFY_SUBJECT, "probe, everything as usual");
}

/* ---- causes -------------------------------------------------------------------------------------------- */

void axis_blame(int axis, double value, double weight, struct verify_result *result)
{
    const int bits = (int)value;
    if (axis >= AXIS_OPTION) {
        verify_blame(result, CAUSE_option_value, weight);
        return;
    }
    if (value == 0 && (axis == AXIS_PARAMETERS || axis == AXIS_TIMES)) {
        verify_blame(result, CAUSE_empty_set, weight);
        return;
    }
    if (axis_is_size(axis) && axes[axis].near.low == 1 && value < axes[axis].usual) {
        verify_blame(result, CAUSE_too_few, weight);
        return;
    }
    if (axis == AXIS_ENDS) {
        if (!(bits & 2)) verify_blame(result, CAUSE_stops_early, weight);
        if (!(bits & 1)) verify_blame(result, CAUSE_observation_t0, weight);
        return;
    }
    verify_blame(result, axes[axis].cause, weight);
    if (axis == AXIS_LENGTH && value > axes[axis].near.high) verify_blame(result, CAUSE_many_steps, weight);
    if (axis == AXIS_PARTS) verify_blame(result, CAUSE_missing_explicit_cost, weight);
    if (axis == AXIS_START) verify_blame(result, CAUSE_absolute_time, 0.97 * weight);
    if (axis == AXIS_THREADS) verify_blame(result, CAUSE_many_threads, 0.99 * weight);
    if (axis == AXIS_LAYOUT || axis == AXIS_TIMES)
        verify_blame(result, CAUSE_observation_between, 0.9 * weight);
    if (axis == AXIS_LANES || axis == AXIS_OUTPUTS) verify_blame(result, CAUSE_lanes_lost, 0.8 * weight);
    if (axis == AXIS_BATCH) verify_blame(result, CAUSE_last_batch, 0.8 * weight);
}
