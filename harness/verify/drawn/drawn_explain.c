/* What a drawn scene needs to go wrong: every axis is put to its usual value as long as the outcome stays,
 * then the border between right and wrong is sought on the first size that is left. */
#include <stdio.h>
#include <string.h>

#include "drawn.h"

enum { OTHER_SCENES = 2 };

struct reduced { /* a scene from which nothing can be taken away */
    struct drawn drawn;
    struct drawn_verdict verdict;
    int count, axis[AXES]; /* that are not as usual */
};

static bool is_usual(const struct drawing *drawing, const struct drawn *drawn, int axis)
{
    return drawn->value[axis] == drawing->usual.value[axis];
}

static struct reduced reduce(const struct drawing *drawing, const struct drawn *drawn,
                             const struct drawn_verdict *verdict)
{
    struct reduced reduced = {.drawn = *drawn, .verdict = *verdict};
    for (int axis = 0; axis < AXES; axis++) {
        if (is_usual(drawing, &reduced.drawn, axis)) continue;
        struct drawn without = reduced.drawn;
        without.value[axis] = drawing->usual.value[axis];
        const struct drawn_verdict other = drawn_judge(drawing, &without);
        if (other.outcome != verdict->outcome) continue;
        reduced.drawn = without;
        reduced.verdict = other;
    }
    for (int axis = 0; axis < AXES; axis++)
        if (!is_usual(drawing, &reduced.drawn, axis)) reduced.axis[reduced.count++] = axis;
    return reduced;
}

/* ---- the border ---------------------------------------------------------------------------------------- */

/* The last value at which the outcome is another, next to one where it is this. */
static double border(const struct drawing *drawing, struct reduced *reduced, int axis)
{
    double other = drawing->usual.value[axis], here = reduced->drawn.value[axis];
    while (fabs(here - other) > 1) {
        struct drawn middle = reduced->drawn;
        middle.value[axis] = floor((here + other) / 2);
        const struct drawn_verdict verdict = drawn_judge(drawing, &middle);
        if (verdict.outcome == reduced->verdict.outcome) {
            reduced->drawn = middle;
            reduced->verdict = verdict;
            here = middle.value[axis];
        } else {
            other = middle.value[axis];
        }
    }
    return other;
}

static void say_needs(const struct drawing *drawing, struct reduced *reduced, struct verify_result *result)
{
    char words[VERIFY_NAME], all[VERIFY_TEXT / 2] = "", beside[VERIFY_NAME] = "";
    for (int k = 0; k < reduced->count; k++) {
        const int axis = reduced->axis[k];
        if (beside[0] || !axis_is_size(axis)) continue;
        const double right = border(drawing, reduced, axis);
        axis_words(drawing, axis, right, words);
        snprintf(beside, sizeof beside, ", not with %.40s", words);
    }
    for (int k = 0; k < reduced->count; k++) {
        const size_t used = strlen(all);
        axis_words(drawing, reduced->axis[k], reduced->drawn.value[reduced->axis[k]], words);
        snprintf(all + used, sizeof all - used, "%s%s", k ? " and " : "", words);
    }
    verify_say(result, "with all else as usual it shows only with %s%s", all, beside);
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

/* Does the message say what is refused? */
static bool names(const char *message, const struct drawing *drawing, const struct reduced *reduced, int axis)
{
    char words[VERIFY_NAME];
    const char *value = words;
    axis_words(drawing, axis, reduced->drawn.value[axis], words);
    if (axis >= AXIS_OPTION && strstr(words, " = ")) value = strstr(words, " = ") + 3;
    if (strstr(message, axis_name(drawing, axis)) || strstr(message, value)) return true;
    return axis == AXIS_WRT && (strstr(message, "x0") || strstr(message, "initial") || strstr(message, " p"));
}

/* Another scene with the same choices: its sizes, times and values are drawn anew. Every k-th state in place
 * of every one is a choice too, whatever k. */
static struct drawn other_scene(const struct drawing *drawing, const struct reduced *reduced)
{
    struct drawn other = reduced->drawn;
    for (int axis = 0; axis < AXIS_OPTION; axis++)
        if (!axis_is_choice(axis) && axis_declared(drawing, axis) && verify_integer(drawing->v, 0, 1))
            other.value[axis] = axis_draw(drawing, axis);
    if (reduced->drawn.value[AXIS_CKPT] > 1)
        other.value[AXIS_CKPT] = 1 + fmax(axis_draw(drawing, AXIS_CKPT), 1);
    return other;
}

/* A method may refuse an alternative that it is given, as such: whatever the sizes, and by its name. */
static bool is_excused(const struct drawing *drawing, const struct reduced *reduced)
{
    bool named = false;
    for (int k = 0; k < reduced->count; k++) {
        if (!axis_is_choice(reduced->axis[k]) && reduced->axis[k] != AXIS_CKPT) return false;
        named = named || names(reduced->verdict.message, drawing, reduced, reduced->axis[k]);
    }
    for (int k = 0; k < OTHER_SCENES && named; k++) {
        const struct drawn other = other_scene(drawing, reduced);
        if (drawn_judge(drawing, &other).outcome != reduced->verdict.outcome) return false;
    }
    return named;
}

/* An option's value may be a bad one, which a status says. */
static bool is_option_alone(const struct reduced *reduced)
{
    for (int k = 0; k < reduced->count; k++)
        if (reduced->axis[k] < AXIS_OPTION) return false;
    return reduced->count > 0;
}

static bool explain_status(const struct drawing *drawing, const struct reduced *reduced,
                           struct verify_result *result)
{
    const bool refused = reduced->verdict.outcome == DRAWN_REFUSED;
    if (refused ? is_excused(drawing, reduced) : is_option_alone(reduced)) {
        verify_skip(result, "%s", reduced->verdict.message);
        return true;
    }
    verify_fail(result, "%s", reduced->verdict.message);
    if (refused) verify_say(result, "the method declares what it refuses here");
    verify_blame(result, refused ? CAUSE_refuses_declared : CAUSE_solver_not_derivative, 0.9);
    return false;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* What it is about the sizes. false: nothing more than that they are large or small. */
static bool blame_sizes(const struct drawing *drawing, const struct reduced *reduced,
                        struct verify_result *result)
{
    const enum drawn_outcome outcome = reduced->verdict.outcome;
    if (drawn_blame_equal(drawing, &reduced->drawn, outcome, result)) return true;
    for (int k = 0; k < reduced->count && outcome == DRAWN_WRONG; k++)
        if (drawn_blame_rest(drawing, &reduced->drawn, reduced->axis[k], result)) return true;
    return false;
}

static bool is_needed(const struct reduced *reduced, int axis)
{
    for (int k = 0; k < reduced->count; k++)
        if (reduced->axis[k] == axis) return true;
    return false;
}

static void blame(const struct drawing *drawing, const struct reduced *reduced, struct verify_result *result)
{
    static const double weights[] = {0.99, 0.95, 0.9};
    const int extra = reduced->count - 1;
    const bool told = !reduced->verdict.known_cause && blame_sizes(drawing, reduced, result);
    for (int k = 0; k < reduced->count && extra < 3; k++)
        if (!told || !axis_is_size(reduced->axis[k]))
            axis_blame(reduced->axis[k], reduced->drawn.value[reduced->axis[k]], weights[extra], result);
    /* irregular stops cut steps of other lengths, where these go from stop to stop */
    if (is_needed(reduced, AXIS_LAYOUT)) verify_blame(result, CAUSE_missing_step, 0.9);
    if (reduced->verdict.known_cause) verify_blame(result, reduced->verdict.cause, 1);
    if (reduced->verdict.outcome == DRAWN_WRONG) drawn_blame_catalogue(drawing, &reduced->drawn, result);
}

void drawn_explain(const struct drawing *drawing, const struct drawn *drawn,
                   const struct drawn_verdict *verdict, struct verify_result *result)
{
    if (drawn_judge(drawing, drawn).outcome != verdict->outcome) {
        verify_fail(result, "%s%s; the same scene once more is another", verdict->worst.where,
                    verdict->message);
        verify_blame(result, CAUSE_data_race, drawn->value[AXIS_THREADS] > 1 ? 0.95 : 0.4);
        verify_blame(result, CAUSE_stale_workspace, 0.6);
        return;
    }
    struct reduced reduced = reduce(drawing, drawn, verdict);
    if (verdict->outcome != DRAWN_WRONG && explain_status(drawing, &reduced, result)) return;
    if (verdict->outcome == DRAWN_WRONG) verify_judge(result, &reduced.verdict.worst);
    if (reduced.count > 0)
        say_needs(drawing, &reduced, result);
    else
        verify_say(result, "it shows with everything as usual");
    blame(drawing, &reduced, result);
}
