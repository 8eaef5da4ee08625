/* drawn.between: every option of the method that is a number, between its default and its ends.
 *
 * Whole numbers are odd ones, small and large: what goes by halves, in pairs or in blocks may be right for the powers
 * of two that defaults are. Of a real number no more is known than that one which changes little between two values
 * changes no more between them:
 *
 *     d(v) <= max(16 d(end), 100 tolerances or 1e-9, 16 times the default's own error),
 *     d(v) = |x, G with v  -  x, G with the default|, relative,
 *
 * which is looked at near an end, by 1e-7 and up to a tenth of the way. A cancellation in (e^v - 1) / v shows there,
 * and neither at 0, which has a branch of its own, nor at 1. A solve that ends with a status says nothing: a limit may
 * lie between the ends, and 0 stand for none. */
#include <stdio.h>

#include "drawn.h"
#include "expected.h"

static const double NO_MORE = 16, FLOOR = 1e-9, FLOOR_TIMES = 100; /* the last one times the tolerance */
static const double NEAR_END = 1e-7, FAR = 16;

/* ---- whole numbers ------------------------------------------------------------------------------------- */

static double odd(double value)
{
    return 2 * floor(value / 2) + 1;
}

/* Between two numbers, their order as they come, with equal chances for each power. */
static double draw_log(struct verify *v, double low, double high)
{
    const double shift = 1 - fmin(low, high);
    return exp(verify_uniform(v, log(fmin(low, high) + shift), log(fmax(low, high) + shift))) - shift;
}

static void look_at_whole(struct drawing *drawing, int axis, const struct sens_option *option,
                          struct worst *worst, struct verify_result *result)
{
    struct verify *v = drawing->v;
    const double low = drawn_farthest(option, option->min), high = drawn_farthest(option, option->max);
    const double value[] = {odd(low + 1), odd(draw_log(v, low, option->fallback)),
                            odd(draw_log(v, option->fallback, high))};
    for (size_t k = 0; k < sizeof value / sizeof *value && worst_passes(worst); k++)
        if (value[k] > low && value[k] < high && (k == 0 || value[k] != value[k - 1]))
            drawn_look_at_value(drawing, axis, value[k], worst, result);
}

/* ---- real numbers -------------------------------------------------------------------------------------- */

struct found {
    struct worst worst;
    bool beside; /* it is wrong beside an end, or the default, at which it is right */
};

struct between {
    const struct drawing *drawing;
    const struct sens_option *option;
    int axis;
    struct sens_out usual; /* with the default */
    double inexact;        /* how far that is from the exact solution; 0: not known, NaN: not looked at */
};

static bool create_with(const struct between *at, double value, struct scene *scene)
{
    struct drawn drawn = at->drawing->usual;
    drawn.value[at->axis] = value;
    drawn.value[AXIS_LIMIT] = DRAWN_ENDS_LIMIT;
    if (!drawn_scene(at->drawing, &drawn, scene)) return false;
    scene->bed.task.parts = SENS_IN_STATE;
    scene->bed.out = bed_outputs(&scene->bed);
    return true;
}

/* false: it ends with a status, which is the scene's. */
static bool solve_with(const struct between *at, double value, struct scene *scene)
{
    return create_with(at, value, scene) && bed_solve(&scene->bed) == SENS_OK;
}

/* The larger one of |x - x of from| / |x of from| and the same of G; infinity: one is no number. */
static double distance(const struct bed *bed, const struct sens_out *got, const struct sens_out *from)
{
    static const unsigned parts[] = {SENS_IN_X, SENS_IN_G};
    double most = 0;
    for (int k = 0; k < 2 && isfinite(most); k++) {
        const double size = out_norm(bed, from, NULL, parts[k]), off = out_norm(bed, got, from, parts[k]);
        most = isfinite(off) ? fmax(most, size > 0 ? off / size : off) : INFINITY;
    }
    return most;
}

/* From what the default gives; NaN: not solved. */
static double apart(const struct between *at, double value)
{
    struct scene scene;
    const double off = solve_with(at, value, &scene) ? distance(&scene.bed, &scene.bed.out, &at->usual) : NAN;
    scene_free(&scene);
    return off;
}

static double inexact(struct between *at)
{
    struct scene scene;
    struct expected exact;
    if (!isnan(at->inexact)) return at->inexact;
    const bool made =
        create_with(at, at->option->fallback, &scene) && expected_exact(&scene.bed, &exact) == SENS_OK;
    at->inexact = made ? distance(&scene.bed, &at->usual, &exact.value) : 0;
    scene_free(&scene);
    return at->inexact;
}

/* A value so far from the end that it is no longer beside it, as a part of the way. */
static const double BESIDE = 1e-2;

/* near: how near it is to the end or to the default, as a part of the way. An end may give what the default gives, so
 * that it allows nothing; the default's own error is looked at only then, as it takes long. */
static void note_value(struct between *at, double value, double near, double reached, double far,
                       struct found *found)
{
    const double from = at->option->fallback, tol = at->drawing->tol;
    const double off = apart(at, value);
    double bound = fmax(NO_MORE * far, tol > 0 ? FLOOR_TIMES * tol : FLOOR);
    if (isnan(off)) return;
    if (off > bound) bound = fmax(bound, NO_MORE * inexact(at));
    worst_note(&found->worst, off, bound,
               "%s = %.6g: x and G are so far from those with %g, and those with %g are %.3g",
               at->option->name, value, from, reached, far);
    found->beside = found->beside || (near < BESIDE && off > bound);
}

/* Beside the end, beside the default, and one that is drawn, by their parts of the way to the end. */
static void look_towards(struct between *at, double end, struct found *found)
{
    struct verify *v = at->drawing->v;
    const double from = at->option->fallback, span = FAR * fmax(fabs(from), 1);
    const double reached = fmin(fmax(end, from - span), from + span);
    const double near[] = {NEAR_END, 1e-5, 1e-3, 1e-2, 1e-1, pow(10, -verify_uniform(v, 1, 6))};
    if (reached == from) return;
    const double far = apart(at, reached);
    if (isinf(far))
        worst_note(&found->worst, far, 0, "%s = %.6g: x or G is no number, and success is reported",
                   at->option->name, reached);
    if (!isfinite(far)) return;
    /* sums in which nothing is lost where the end is 0 */
    for (size_t k = 0; k < sizeof near / sizeof *near; k++)
        note_value(at, reached * (1 - near[k]) + from * near[k], near[k], reached, far, found);
    note_value(at, reached * NEAR_END + from * (1 - NEAR_END), NEAR_END, reached, far, found);
}

static void look_at_real(const struct drawing *drawing, int axis, const struct sens_option *option,
                         struct found *found)
{
    struct between at = {.drawing = drawing, .option = option, .axis = axis, .inexact = NAN};
    struct scene scene;
    const bool solved = solve_with(&at, option->fallback, &scene);
    if (solved) at.usual = bed_keep(&scene.bed);
    scene_free(&scene);
    if (!solved) return;
    look_towards(&at, option->min, found);
    look_towards(&at, option->max, found);
}

/* ---- the check ----------------------------------------------------------------------------------------- */

void drawn_check_between(struct drawing *drawing, bool usual)
{
    struct verify *v = drawing->v;
    const struct sens_option *const table = v->method->options;
    struct found found = {.worst = {.count = 0}};
    struct worst *const worst = &found.worst;
    struct verify_result result =
        verify_open("drawn.between", v->module, "probe, options between their ends");
    for (size_t k = 0; usual && k < sens_option_count(table) && k < AXIS_OPTIONS; k++) {
        const int axis = AXIS_OPTION + (int)k;
        if (!axis_declared(drawing, axis) || verify_held(v, &table[k]) || !worst_passes(worst)) continue;
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        if (table[k].kind == SENS_OPT_INT) look_at_whole(drawing, axis, &table[k], worst, &result);
        if (table[k].kind == SENS_OPT_REAL) look_at_real(drawing, axis, &table[k], &found);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    if (!usual)
        verify_skip(&result, "the usual scene is not solved, or not right: see drawn.right");
    else if (worst->count == 0)
        verify_skip(&result, "no option of the method is a number with values between that can be judged");
    else if (result.verdict != VERIFY_FAIL)
        verify_judge(&result, worst);
    if (found.beside) verify_blame(&result, CAUSE_cancels, 0.96);
    verify_blame(&result, CAUSE_option_value, 0.95);
    verify_close(v, &result);
}
