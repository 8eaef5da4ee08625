/* A cost in a whole solve: the gradient, forward and in reverse, against differences of G, and where on the
 * way a wrong one comes from. */
#include <stdio.h>
#include <string.h>

#include "cost_terms.h"
#include "expected.h"
#include "jacobian.h"
#include "oracle_run.h"

/* ---- the solve ----------------------------------------------------------------------------------------- */

enum { STEPS = 16 };
/* Where f changes within so small a part of the direction, as beside a pole, and G by no more than rounding,
 * differences of G do not see what that adds to the slope. Terms by themselves are looked at more closely
 * (cost.taylor); what a solve alone shows is how they are put together. */
static const double NARROW = 1e-4;
static const struct sens_method_type no_method = {.name = "none"};

struct solve_line { /* G over the steps, along a direction of p or of x0 */
    const struct oracle *oracle;
    const double *dx0, *dp;
    const double *lost; /* [m]: rounding of G in the steps, which no shaken input tells */
    double *x1;
};

static bool solve_on_line(const void *self, double s, bool shaken, double *out)
{
    const struct solve_line *line = self;
    const struct sens_problem *pb = line->oracle->problem;
    struct verify *v = line->oracle->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const double *p = cost_moved(v, pb->np, pb->p, line->dp, s, shaken);
    double *x0 = verify_array(v, pb->n);
    sens_problem_x0(pb, p, x0);
    const double *from = cost_moved(v, pb->n, x0, line->dx0, s, shaken);
    const bool solved = oracle_map(line->oracle, p, from, line->x1, out) == SENS_OK;
    sens_arena_rewind(&v->ctx.arena, mark);
    return solved;
}

/* One gradient, of `size` columns, along the direction against the slope of G. */
static void note_gradient(struct worst *worst, const struct solve_line *line, size_t size,
                          const double *along, const double *gradient, const double *rounding,
                          const char *what)
{
    struct verify *v = line->oracle->v;
    const size_t m = line->oracle->cost->m;
    const struct sens_problem *const pb = line->oracle->problem;
    const struct curve curve = {
        v, m, solve_on_line, line, false, line->lost, curve_inputs(pb->n, pb->x0, pb->np, pb->p)};
    double *slope = verify_array(v, m), *bound = verify_array(v, m);
    curve_slope(&curve, 1, slope, bound);
    for (size_t c = 0; c < m; c++) {
        double got = 0, noise = 0;
        for (size_t k = 0; k < size; k++) {
            got += gradient[c * size + k] * along[k];
            noise += rounding[c * size + k] * fabs(along[k]);
        }
        if (isfinite(bound[c]))
            worst_note(worst, fabs(got - slope[c]), bound[c] + noise + line->lost[c] / NARROW,
                       "%s of functional %zu of %zu: %.10g along a direction, by differences of G %.10g",
                       what, c, m, got, slope[c]);
    }
}

struct gradient { /* of a solve */
    const struct oracle *oracle;
    const struct sens_out *out, *rounding;
    const char *what;
    bool by_p;
};

/* Along a direction of its own. */
static void compare_gradient(const void *self, struct worst *here)
{
    const struct gradient *g = self;
    const struct sens_problem *pb = g->oracle->problem;
    struct verify *v = g->oracle->v;
    struct solve_line line = {.oracle = g->oracle, .lost = g->rounding->G, .x1 = verify_array(v, pb->n)};
    char name[VERIFY_NAME];
    snprintf(name, sizeof name, "%s %s", g->by_p ? "dG/dp" : "dG/dx0", g->what);
    if (g->by_p) {
        line.dp = cost_direction(v, pb->np, pb->p);
        note_gradient(here, &line, pb->np, line.dp, g->out->dGdp, g->rounding->dGdp, name);
    } else {
        line.dx0 = cost_direction(v, pb->n, pb->x0);
        note_gradient(here, &line, pb->n, line.dx0, g->out->dGdx0, g->rounding->dGdx0, name);
    }
}

static void note_solve(struct worst *worst, const struct oracle *oracle, const struct sens_out *out,
                       const struct sens_out *rounding, const char *what)
{
    struct gradient gradient = {oracle, out, rounding, what, true};
    if (out->dGdp && oracle->problem->np > 0) cost_note_directions(worst, compare_gradient, &gradient);
    gradient.by_p = false;
    if (out->dGdx0) cost_note_directions(worst, compare_gradient, &gradient);
}

/* ---- where --------------------------------------------------------------------------------------------- */

/* The parts of a term at a state of the solve. Is one wrong? */
static bool look_at(const struct term *term, struct place place, struct verify_result *result)
{
    for (enum part part = PART_DX; part <= PART_DP; part++) {
        char name[VERIFY_NAME];
        if (!term_has(term, part) || !cost_is_wrong(term, part, place)) continue;
        term_name(term, part, name);
        verify_say(result, "%s is wrong at the state that the solve has there", name);
        if (!cost_blame_branch(term, part, place, result))
            verify_blame(result, part == PART_DX ? CAUSE_jacobian_entry : CAUSE_parameter_entry, 0.4);
        return true;
    }
    return false;
}

/* The terms at the states between steps. Where all are right, it is how they are put together. */
static void blame_terms(const struct cost_case *at, const struct oracle *oracle, struct verify_result *result)
{
    const struct sens_problem *pb = &at->problem;
    const struct scheme *const scheme = scheme_create(oracle);
    double *const x0 = verify_array(at->v, pb->n), *const G = verify_array(at->v, at->cost.m);
    struct run run;
    run_create(oracle, scheme, &run);
    sens_problem_x0(pb, pb->p, x0);
    bool wrong = run_forward(&run, x0, G) != SENS_OK;
    for (long k = 0; k <= scheme->steps && !wrong; k++) {
        const struct place place = {run.state + (size_t)k * pb->n, pb->p};
        const double t = k ? oracle->grid->t1[k - 1] : pb->t0;
        const long j = scheme->observation[k];
        const struct term running = {.at = at, .running = true, .t = t, .w = 0.7};
        const struct term observed = {.at = at, .j = (size_t)j};
        wrong = (at->cost.type->g && look_at(&running, place, result)) ||
                (j >= 0 && look_at(&observed, place, result));
    }
    if (!wrong) verify_blame(result, CAUSE_cost_order, 0.45);
}

/* ---- the check ----------------------------------------------------------------------------------------- */

/* Where equal steps are too long for what is stiff, numbers grow until they overflow: a product of two in one gradient
 * before it does in the other. */
static bool stays_mild(const struct bed *bed, const struct sens_out *out)
{
    static const double HUGE_NUMBER = 1e100;
    return out_norm(bed, out, NULL, SENS_IN_G | SENS_IN_DGDP | SENS_IN_DGDX0) <= HUGE_NUMBER;
}

void cost_check_solve(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.solve", at->v->module, at->label);
    struct worst worst = {.count = 0};
    struct bed bed;
    struct grid grid = {.steps = 0};
    struct oracle oracle;
    bed_create(at->v, &at->problem, &at->cost, &no_method, &bed);
    struct sens_out reverse = bed_shape(&bed);
    struct expected forward;
    const bool made = expected_equal_steps(&bed, STEPS, &grid);
    oracle_create(&bed, bed.task.tableau, &grid, &oracle);
    if (made && expected_map(&bed, &grid, &forward) == SENS_OK &&
        oracle_adjoint(&oracle, &reverse) == SENS_OK && stays_mild(&bed, &forward.value)) {
        note_solve(&worst, &oracle, &forward.value, &forward.bound, "forward");
        note_solve(&worst, &oracle, &reverse, &forward.bound, "in reverse");
    }
    if (worst.count == 0)
        verify_skip(&result, "the problem could not be solved on %ld fixed steps of cash_karp", grid.steps);
    else
        verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) blame_terms(at, &oracle, &result);
    verify_close(at->v, &result);
    grid_free(&grid);
    bed_free(&bed);
}
