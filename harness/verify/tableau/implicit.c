/* The order of implicit tableaux: the equations of manufactured.h in equal steps of the oracle, whose stages are solved
 * for from the formulas of sens/tableau.h, with b and again with bhat = b - e. With t as an unknown c is not used, nor
 * df/dt of a Rosenbrock pair. */
#include "implicit.h"

#include <string.h>

#include "expected.h"
#include "manufactured.h"
#include "order.h"
#include "probe.h"

enum { FIRST_STEPS = 4 };

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

/* Errors for steps halved until rounding shows: what Newton's method leaves of a stage, and each slope, which is an
 * increment of the size of the state divided by h gamma. */
static struct ladder errors_of(struct trial *trial, bool autonomous)
{
    enum { STAGE_ROUNDINGS = 16 };
    struct sens_arena *const arena = &trial->v->ctx.arena;
    struct ladder ladder = {0};
    struct sens_problem problem;
    manufactured_problem(&trial->made, autonomous, &problem);
    for (long steps = FIRST_STEPS; ladder.count < LADDER; steps *= 2) {
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

void implicit_check_order(struct verify *v)
{
    struct trial *const trial = verify_memory(v, 1, sizeof *trial);
    *trial = (struct trial){.v = v};
    manufactured_draw(v, &trial->made);
    verify_module("tableau", v->tableau->name, trial->module);
    check(trial, false);
    if (v->tableau->e) check(trial, true);
    verify_skip_check(v, "tableau.consistent", trial->module, "coefficients",
                      "it is implicit: its numbers are held to the order that they give");
    verify_skip_check(v, "tableau.dense", trial->module, "dense output",
                      "it is implicit: its dense output is not looked at by itself");
}
