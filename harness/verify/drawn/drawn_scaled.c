/* drawn.scaled: with atol scaled as the states, a power of two changes no decision of an error test; and a
 * difference quotient of a very large or a very small number is as good as any. */
#include <string.h>

#include "drawn.h"

enum { POWER = 20, BUMP_POWER = 40 /* 1e12 */, LOW_ORDER = 3 };

/* A pair of low order, whose steps follow the tolerance closely; else the usual one. */
static double low_pair(const struct verify *v, double usual)
{
    for (size_t k = 0; v->reg->tableaux[k]; k++)
        if (v->reg->tableaux[k]->e && v->reg->tableaux[k]->order == LOW_ORDER) return (double)k;
    return usual;
}

static double adaptive(const struct verify *v)
{
    size_t k = 0;
    while (v->reg->controllers[k] && strcmp(v->reg->controllers[k]->name, "odeint") != 0) k++;
    return (double)k;
}

/* Only what scales with the states: no sensitivities to x0, no integral. */
static struct drawn scene_of(const struct drawing *drawing, double power)
{
    struct drawn drawn = drawing->usual;
    drawn.scaled = true;
    drawn.value[AXIS_SCALE] = power;
    drawn.value[AXIS_WRT] = SENS_WRT_P;
    drawn.value[AXIS_PARTS] = 2;
    drawn.value[AXIS_TABLEAU] = low_pair(drawing->v, drawn.value[AXIS_TABLEAU]);
    drawn.value[AXIS_CONTROLLER] = adaptive(drawing->v);
    return drawn;
}

/* x [n] over its scale, and what the tolerance lets it be off. */
static sens_status solve(const struct drawing *drawing, double power, double *x, double *bound)
{
    const struct drawn drawn = scene_of(drawing, power);
    struct scene scene;
    sens_status status = drawn_scene(drawing, &drawn, &scene) ? bed_solve(&scene.bed) : SENS_UNSUPPORTED;
    const struct sens_task *task = &scene.bed.task;
    for (size_t i = 0; i < scene.bed.problem.n && status == SENS_OK; i++) {
        x[i] = scene.bed.out.x[i] * exp2(-power);
        bound[i] = task->rtol * fabs(x[i]) + task->atol * exp2(-power);
    }
    scene_free(&scene);
    return status;
}

static void note_power(const struct drawing *drawing, double power, const double *x, const double *bound,
                       struct worst *worst)
{
    const size_t n = (size_t)drawing->usual.value[AXIS_STATES];
    double *scaled = verify_array(drawing->v, n), *ignored = verify_array(drawing->v, n);
    const sens_status status = solve(drawing, power, scaled, ignored);
    if (status != SENS_OK)
        worst_note(worst, INFINITY, 0, "states of size 2^%.0f: %s", power, sens_status_name(status));
    for (size_t i = 0; i < n && status == SENS_OK; i++)
        worst_note_in(worst, SENS_IN_X, fabs(scaled[i] - x[i]), bound[i],
                      "states of size 2^%.0f: x[%zu] / 2^%.0f: %.12g is not %.12g", power, i, power,
                      scaled[i], x[i]);
}

/* ---- quotients ----------------------------------------------------------------------------------------- */

/* dG/dx0 for states of this size, which a bump of any fixed size misses by far. The part of the cost that
 * depends on p would drown small states. */
static void note_quotient(const struct drawing *drawing, double power, struct worst *worst)
{
    struct drawn drawn = drawing->usual;
    drawn.scaled = true;
    drawn.value[AXIS_SCALE] = power;
    drawn.value[AXIS_WRT] = SENS_WRT_X0;
    drawn.value[AXIS_PARTS] = 0;
    const struct drawn_verdict verdict = drawn_judge(drawing, &drawn);
    const bool solved = verdict.outcome == DRAWN_RIGHT || verdict.outcome == DRAWN_WRONG;
    if (solved && verdict.worst.count > 0)
        worst_note(worst, verdict.worst.value, verdict.worst.bound, "states of size 2^%.0f: %s", power,
                   verdict.worst.where);
    else if (verdict.outcome != DRAWN_UNJUDGED)
        worst_note(worst, INFINITY, 0, "states of size 2^%.0f: %s", power, verdict.message);
}

static void check_quotients(const struct drawing *drawing, struct verify_result *result)
{
    struct worst worst = {.count = 0};
    if (drawn_judge(drawing, &drawing->usual).outcome != DRAWN_RIGHT) {
        verify_skip(result, "with states of size 1 it is not right, or cannot be judged");
        return;
    }
    note_quotient(drawing, BUMP_POWER, &worst);
    note_quotient(drawing, -BUMP_POWER, &worst);
    verify_judge(result, &worst);
    verify_blame(result, CAUSE_state_scale, 0.98);
}

/* ---- the check ----------------------------------------------------------------------------------------- */

void drawn_check_scaled(const struct drawing *drawing)
{
    struct verify *v = drawing->v;
    const size_t n = (size_t)drawing->usual.value[AXIS_STATES];
    double *x = verify_array(v, n), *bound = verify_array(v, n);
    struct verify_result result =
        verify_open("drawn.scaled", v->module, "probe, states and atol scaled together");
    struct worst worst = {.count = 0};
    if (v->method->derivative == SENS_DERIVATIVE_DIFFERENCE) {
        check_quotients(drawing, &result);
    } else if (!(v->method->caps & SENS_CAP_TOLERANCE)) {
        verify_skip(&result, "the method declares no tolerance");
    } else if (solve(drawing, 0, x, bound) != SENS_OK) {
        verify_skip(&result, "the scene with states of size 1 is not solved");
    } else {
        note_power(drawing, POWER, x, bound, &worst);
        note_power(drawing, -POWER, x, bound, &worst);
        verify_judge(&result, &worst);
        verify_blame(&result, CAUSE_tolerances_mixed, 0.98);
        verify_blame(&result, CAUSE_state_scale, 0.97);
    }
    verify_close(v, &result);
}
