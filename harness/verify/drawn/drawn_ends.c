/* drawn.ends: every option of the method that is a number, at its least and at its most.
 *
 * A whole number that is declared to be any in 1 ... 1000000 is not tried at a million: what is further than
 * FAR from its default is not varied, which drawn.varied says. A bad value may cost accuracy, but not truth: an
 * error that falls with the tolerance is none of the option's, and of a real number (a tolerance of its own,
 * the bump of a quotient) no more is asked than a status, or numbers. */
#include <stdio.h>
#include <string.h>

#include "drawn.h"

enum { FAR = 1024, FAR_TIMES = 16 };
static const double TIGHTER = 1e-2, FALLS = 0.2; /* the tolerance; an error of order 1/2 in it, or more */

double drawn_farthest(const struct sens_option *option, double end)
{
    const double far = fmax(FAR, FAR_TIMES * fabs(option->fallback));
    if (option->kind != SENS_OPT_INT) return end;
    return fmin(fmax(end, option->fallback - far), option->fallback + far);
}

static void add_left(struct drawing *drawing, const char *words)
{
    const size_t used = strlen(drawing->left);
    snprintf(drawing->left + used, sizeof drawing->left - used, "%s%s", used ? ", " : "", words);
}

/* Wrong by more than a bad value explains? */
static bool is_fault(const struct drawing *drawing, const struct drawn *drawn,
                     const struct sens_option *option, const struct drawn_verdict *verdict)
{
    struct drawing tight = *drawing;
    if (verdict->known_cause || !isfinite(verdict->worst.value)) return true;
    if (option->kind != SENS_OPT_INT) return false;
    if (drawing->v->method->derivative == SENS_DERIVATIVE_DISCRETE || drawing->tol <= 0) return true;
    tight.tol *= TIGHTER;
    const struct drawn_verdict other = drawn_judge(&tight, drawn);
    return other.outcome == DRAWN_WRONG && other.worst.value > FALLS * verdict->worst.value;
}

void drawn_look_at_value(struct drawing *drawing, int axis, double value, struct worst *worst,
                         struct verify_result *result)
{
    const struct sens_option *const option = &drawing->v->method->options[axis - AXIS_OPTION];
    struct drawn drawn = drawing->usual;
    char words[VERIFY_NAME], left[VERIFY_NAME + 16];
    if (value == drawn.value[axis]) return;
    drawn.value[axis] = value;
    drawn.value[AXIS_LIMIT] = DRAWN_ENDS_LIMIT;
    if (axis_declared(drawing, AXIS_LAYOUT)) drawn.value[AXIS_LAYOUT] = 1; /* steps of many lengths */
    axis_words(drawing, axis, value, words);
    const struct drawn_verdict verdict = drawn_judge(drawing, &drawn);
    snprintf(left, sizeof left, "%s (%s)", words, sens_status_name(verdict.status));
    if (verdict.outcome == DRAWN_REFUSED || verdict.outcome == DRAWN_FAILED) add_left(drawing, left);
    if (verdict.outcome == DRAWN_RIGHT)
        worst_note(worst, verdict.worst.value, verdict.worst.bound, "%s: %s", words, verdict.worst.where);
    if (verdict.outcome != DRAWN_WRONG || !is_fault(drawing, &drawn, option, &verdict)) return;
    worst_note(worst, verdict.worst.value, verdict.worst.bound, "%s: %s", words, verdict.worst.where);
    drawn.value[AXIS_LIMIT] = drawing->usual.value[AXIS_LIMIT];
    drawn_explain(drawing, &drawn, &verdict, result);
}

/* The option at this end, with all else as usual. */
static void look_at_end(struct drawing *drawing, int axis, const struct sens_option *option, double end,
                        struct worst *worst, struct verify_result *result)
{
    const double value = drawn_farthest(option, end);
    char left[VERIFY_NAME + 16];
    snprintf(left, sizeof left, "%s beyond %g", option->name, value);
    if (value != end) add_left(drawing, left);
    drawn_look_at_value(drawing, axis, value, worst, result);
}

void drawn_check_ends(struct drawing *drawing, bool usual)
{
    struct verify *v = drawing->v;
    const struct sens_option *const table = v->method->options;
    struct worst worst = {.count = 0};
    struct verify_result result = verify_open("drawn.ends", v->module, "probe, options at their ends");
    for (size_t k = 0; k < sens_option_count(table) && k < AXIS_OPTIONS; k++) {
        const int axis = AXIS_OPTION + (int)k;
        const bool number = table[k].kind == SENS_OPT_INT || table[k].kind == SENS_OPT_REAL;
        if (!usual || !number || !axis_declared(drawing, axis) || verify_held(v, &table[k])) continue;
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        look_at_end(drawing, axis, &table[k], table[k].min, &worst, &result);
        if (worst_passes(&worst)) look_at_end(drawing, axis, &table[k], table[k].max, &worst, &result);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    if (!usual)
        verify_skip(&result, "the usual scene is not solved, or not right: see drawn.right");
    else if (worst.count == 0)
        verify_skip(&result, "no option of the method is a number with ends that can be judged");
    else if (worst_passes(&worst))
        verify_judge(&result, &worst);
    verify_close(v, &result);
}
