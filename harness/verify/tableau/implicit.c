/* The order of implicit tableaux: the equations of manufactured.h in equal steps of the oracle, whose stages are solved
 * for from the formulas of sens/tableau.h, with b and again with bhat = b - e. With t as an unknown c is not used, nor
 * df/dt of a Rosenbrock pair. */
#include "implicit.h"

#include <float.h>
#include <string.h>

#include "conditions.h"
#include "expected.h"
#include "manufactured.h"
#include "order.h"
#include "probe.h"

enum { FIRST_STEPS = 4, QUICK_LADDER = 9 };

struct trial {
    struct verify *v;
    struct manufactured made;
    struct sens_tableau tableau; /* with the weights that are tried */
    char module[VERIFY_NAME];
};

static void weigh(struct trial *trial, bool embedded)
{
    const struct sens_tableau *const tb = trial->v->tableau;
    double *const b = verify_array(trial->v, (size_t)tb->stages);
    for (int i = 0; i < tb->stages; i++) b[i] = embedded ? tb->b[i] - tb->e[i] : tb->b[i];
    trial->tableau = *tb;
    trial->tableau.b = b;
}

static double error_of(struct trial *trial, const struct sens_problem *problem, long steps)
{
    struct verify *const v = trial->v;
    struct sens_cost cost;
    struct bed bed;
    struct grid grid;
    struct oracle oracle;
    double x[UNKNOWNS], G;
    probe_cost(v, problem, 1, PROBE_AT_T1, &cost);
    bed_create(v, problem, &cost, v->reg->methods[0], &bed);
    if (!expected_equal_steps(&bed, steps, &grid)) return NAN;
    oracle_create(&bed, &trial->tableau, &grid, &oracle);
    const sens_status status = oracle_map(&oracle, problem->p, NULL, x, &G);
    grid_free(&grid);
    bed_free(&bed);
    return status == SENS_OK ? manufactured_distance(&trial->made, problem->t1, x) : NAN;
}

/* Errors for steps halved until rounding shows, in a quick run to 1,024 of them: what Newton's method leaves of a
 * stage, and each slope, which is an increment of the size of the state divided by h gamma. */
static struct ladder errors_of(struct trial *trial, bool autonomous)
{
    enum { STAGE_ROUNDINGS = 16 };
    struct sens_arena *const arena = &trial->v->ctx.arena;
    struct ladder ladder = {0};
    struct sens_problem problem;
    manufactured_problem(&trial->made, autonomous, &problem);
    const int most = trial->v->quick ? QUICK_LADDER : LADDER;
    for (long steps = FIRST_STEPS; ladder.count < most; steps *= 2) {
        const struct sens_arena_mark mark = sens_arena_mark(arena);
        const double floor = 10 * STAGE_ROUNDINGS * DBL_EPSILON * (double)(steps + trial->v->tableau->stages);
        ladder_add(&ladder, (problem.t1 - problem.t0) / (double)steps, error_of(trial, &problem, steps),
                   floor);
        sens_arena_rewind(arena, mark);
        if (!ladder_clean(&ladder, ladder.count - 1)) break;
    }
    return ladder;
}

static bool has_order(struct trial *trial, bool autonomous, int order)
{
    const struct ladder ladder = errors_of(trial, autonomous);
    return order_is_met(&ladder, order);
}

static void check(struct trial *trial, bool embedded)
{
    const struct sens_tableau *const tb = trial->v->tableau;
    const int order = embedded ? tb->order_hat : tb->order;
    struct verify_result result =
        verify_open("tableau.order", trial->module, embedded ? "embedded formula" : "formula");
    weigh(trial, embedded);
    const struct ladder ladder = errors_of(trial, false);
    order_judge(&ladder, order, &result);
    if (result.verdict == VERIFY_FAIL) {
        const bool without_t = has_order(trial, true, order);
        if (without_t) verify_say(&result, "with t as an unknown the order is right");
        verify_blame(&result, CAUSE_stage_time, without_t ? 1 : 0);
        verify_blame(&result, CAUSE_tableau_coefficient, without_t ? 0.8 : 0.95);
    }
    verify_close(trial->v, &result);
}

/* ---- coefficients -------------------------------------------------------------------------------------- */

/* c is the sum of each row, of both parts; what is solved for has one diagonal. */
static void note_rows(struct worst *worst, const struct sens_tableau *tb)
{
    const int s = tb->stages;
    for (int i = 0; i < s && tb->c; i++) {
        double sum = 0, both = 0, size = fabs(tb->c[i]);
        for (int j = 0; j < s; j++) {
            sum += sens_tableau_a(tb, i, j);
            both += tb->a_explicit ? tb->a_explicit[i * s + j] : sens_tableau_a(tb, i, j);
            size += fabs(sens_tableau_a(tb, i, j)) + (tb->a_explicit ? fabs(tb->a_explicit[i * s + j]) : 0);
        }
        worst_note(worst, fmax(fabs(sum - tb->c[i]), fabs(both - tb->c[i])), (s + 1) * DBL_EPSILON * size,
                   "c = sum a, stage %d: %.17g and %.17g are not %.17g", i, sum, both, tb->c[i]);
    }
    for (int i = 1; i < s && tb->gamma; i++)
        worst_note(worst, fabs(tb->gamma[i * s + i] - tb->gamma[0]), 0, "gamma[%d][%d] is not gamma[0][0]", i,
                   i);
}

static void check_coefficients(struct verify *v, const char *module)
{
    const struct sens_tableau *const tb = v->tableau;
    struct worst rows = {0}, worst = {0};
    struct verify_result result = verify_open("tableau.consistent", module, "coefficients");
    note_rows(&rows, tb);
    conditions_note_pair(&worst, tb);
    verify_judge(&result, worst_passes(&rows) ? &worst : &rows);
    verify_blame(&result, CAUSE_tableau_coefficient, 0.9);
    if (!worst_passes(&rows)) verify_blame(&result, CAUSE_stage_time, 0.7);
    if (!worst_passes(&worst)) verify_blame(&result, CAUSE_wrong_weights, 0.6);
    verify_close(v, &result);
}

/* At two places, and at the end, where the weights are b. */
static void check_dense(struct verify *v, const char *module)
{
    static const double places[] = {0.3, 0.8, 1};
    const struct sens_tableau *const tb = v->tableau;
    const size_t D = (size_t)tb->dense_degree;
    double *const w = verify_array(v, (size_t)tb->stages);
    struct worst worst = {0};
    struct verify_result result = verify_open("tableau.dense", module, "dense output");
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        for (int i = 0; i < tb->stages; i++) {
            w[i] = rk_dense_weight(tb, i, places[k]);
            if (places[k] < 1) continue;
            double size = fabs(tb->b[i]);
            for (size_t d = 0; d < D; d++) size += fabs(tb->dense[(size_t)i * D + d]);
            worst_note(&worst, fabs(w[i] - tb->b[i]), 2 * (double)D * DBL_EPSILON * size,
                       "dense weight %d at the end is not b", i);
        }
        conditions_note(&worst, tb, w, tb->dense_order, places[k], "dense output");
    }
    verify_judge(&result, &worst);
    verify_blame(&result, CAUSE_tableau_coefficient, 0.9);
    verify_close(v, &result);
}

void implicit_check_order(struct verify *v)
{
    struct trial *const trial = verify_memory(v, 1, sizeof *trial);
    *trial = (struct trial){.v = v};
    manufactured_draw(v, &trial->made);
    verify_module("tableau", v->tableau->name, trial->module);
    check(trial, false);
    if (v->tableau->e) check(trial, true);
    check_coefficients(v, trial->module);
    if (v->tableau->dense_degree > 0)
        check_dense(v, trial->module);
    else
        verify_skip_check(v, "tableau.dense", trial->module, "dense output",
                          "it is implicit: its dense output is a cubic, which all of them share");
}
