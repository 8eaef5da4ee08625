/* cost.jumps: where a running cost has no integral that steps can follow, or a cost a derivative that neither g_x nor
 * phi_x tells.
 *
 *     lim g_c(s + d) - lim g_c(s - d)    along lines: of time, x and p held; of states, t and p held
 *     lim phi_c(s + d) - lim phi_c(s - d)    along lines of states
 *
 * A step across a jump in time is of order 1. One at a state, as of the time above a threshold, moves with the
 * solution: dG/dp has a term for where it is crossed, and g_x, which is 0 on both sides, has none. Where phi jumps, G
 * does, by what no derivative tells: two formulas that are to meet do not. */
#include <math.h>

#include "callbacks.h"
#include "cost_terms.h"

enum { PIECES = 240, HALVINGS = 60, FIRST_HALVINGS = 8, MOST_STATES = 8 };
/* A continuous g has fallen to less than this of its change over a part of the line after the first halvings, where it
 * is not steeper there than a part in so many; and a jump is one of so much of g. */
static const double STILL = 0.5, LEAST = 1e-6;

struct line_of_cost { /* from s = 0 to 1 */
    const struct cost_case *at;
    bool running; /* g from t0 to t1; else phi of observation j */
    size_t j;
    double t0, t1;
    const double *x0, *x1, *p; /* [n], [n], [np] */
};

/* g [m] at s, without a weight, or phi [m]. */
static double *value_at(const struct line_of_cost *line, double s)
{
    const size_t n = line->at->cost.n;
    const struct term term = {.at = line->at,
                              .running = line->running,
                              .j = line->j,
                              .t = line->t0 + s * (line->t1 - line->t0),
                              .w = 1};
    double *const x = verify_array(line->at->v, n);
    for (size_t i = 0; i < n; i++) x[i] = line->x0[i] + s * (line->x1[i] - line->x0[i]);
    return term_part(&term, PART_VALUE, (struct place){x, line->p});
}

struct stretch { /* of a line, and how much each functional changes over it */
    double from, to;
    const double *at_from, *at_to; /* [m] */
};

static double change_of(const struct stretch *s, size_t c)
{
    const double change = fabs(s->at_to[c] - s->at_from[c]);
    return isfinite(change) ? change : 0; /* where it has no value it does not jump */
}

/* The functional that changes most. */
static size_t most_changed(const struct stretch *s, size_t m)
{
    size_t most = 0;
    for (size_t c = 1; c < m; c++)
        if (change_of(s, c) > change_of(s, most)) most = c;
    return most;
}

/* The half over which functional c changes more; false: there is nothing between. */
static bool halve(const struct line_of_cost *line, size_t c, struct stretch *s)
{
    const double middle = s->from + (s->to - s->from) / 2;
    if (!(middle > s->from && middle < s->to)) return false;
    const double *const value = value_at(line, middle);
    if (fabs(value[c] - s->at_from[c]) > fabs(s->at_to[c] - value[c]))
        s->to = middle, s->at_to = value;
    else
        s->from = middle, s->at_from = value;
    return true;
}

/* Notes the jump in a stretch, if there is one, against nothing. */
static void note_jump(const struct line_of_cost *line, struct stretch s, double size, struct worst *worst)
{
    const size_t c = most_changed(&s, line->at->cost.m);
    const double change = change_of(&s, c);
    int halvings = 0;
    while (halvings < FIRST_HALVINGS && halve(line, c, &s)) halvings++;
    if (change_of(&s, c) > STILL * change)
        while (halvings < HALVINGS && halve(line, c, &s)) halvings++;
    const double jump = change_of(&s, c);
    const bool pole =
        jump > change / STILL; /* more than from one end to the other: it has no value between */
    const bool jumps = jump > STILL * change && !pole && jump > LEAST * size + UNDERFLOW_LOSS;
    const double t = line->t0 + s.to * (line->t1 - line->t0);
    if (!line->running)
        worst_note(
            worst, jumps ? jump : 0, 0,
            "phi of observation %zu, functional %zu, jumps between two states that lie next to one another, "
            "from %.6g to %.6g: so does G, and no derivative tells",
            line->j, c, s.at_from[c], s.at_to[c]);
    else if (line->t1 > line->t0)
        worst_note(worst, jumps ? jump : 0, 0,
                   "g of functional %zu jumps at t = %.10g with x and p held, from %.6g to %.6g: steps go "
                   "across it, and G is of order 1 at any tolerance",
                   c, t, s.at_from[c], s.at_to[c]);
    else
        worst_note(worst, jumps ? jump : 0, 0,
                   "g of functional %zu jumps between two states that lie next to one another, from %.6g to "
                   "%.6g at t = %.10g: G changes with where a solution crosses, and g_x has no term for it",
                   c, s.at_from[c], s.at_to[c], t);
}

static void scan(const struct line_of_cost *line, struct worst *worst)
{
    struct verify *v = line->at->v;
    const struct sens_arena_mark all = sens_arena_mark(&v->ctx.arena);
    const double *value[PIECES + 1];
    double size = 0;
    for (int k = 0; k <= PIECES; k++) {
        value[k] = value_at(line, (double)k / PIECES);
        for (size_t c = 0; c < line->at->cost.m; c++) size = fmax(size, fabs(value[k][c]));
    }
    for (int k = 0; k < PIECES; k++) {
        const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
        note_jump(line, (struct stretch){(double)k / PIECES, (k + 1.0) / PIECES, value[k], value[k + 1]},
                  size, worst);
        sens_arena_rewind(&v->ctx.arena, mark);
    }
    sens_arena_rewind(&v->ctx.arena, all);
}

/* Of g at a time, or of phi at the first and the last observation. */
static void scan_line(const struct cost_case *at, const double *from, const double *to, const double *p,
                      struct worst *worst)
{
    const double t = at->problem.t0 + (at->problem.t1 - at->problem.t0) * verify_uniform(at->v, 0, 1);
    struct line_of_cost line = {.at = at, .running = true, .t0 = t, .t1 = t, .x0 = from, .x1 = to, .p = p};
    if (at->cost.type->g) scan(&line, worst);
    line.running = false;
    if (at->cost.n_obs > 0) scan(&line, worst);
    line.j = at->cost.n_obs - 1;
    if (at->cost.n_obs > 1) scan(&line, worst);
}

/* One state, or all (which = n), from 0 to twice what it is. */
static void scan_states(const struct cost_case *at, struct place place, size_t which, struct worst *worst)
{
    struct verify *v = at->v;
    const size_t n = at->cost.n;
    double *const none = verify_copy(v, n, place.x), *const twice = verify_copy(v, n, place.x);
    for (size_t i = 0; i < n; i++)
        if (which == n || i == which) none[i] = 0, twice[i] = place.x[i] == 0 ? 1 : 2 * place.x[i];
    scan_line(at, none, twice, place.p, worst);
}

void cost_check_jumps(const struct cost_case *at)
{
    struct verify_result result = verify_open("cost.jumps", at->v->module, at->label);
    struct worst worst = {.count = 0};
    const struct place place = cost_place(at, 1);
    const size_t n = at->cost.n, states = n < MOST_STATES ? n : MOST_STATES;
    const struct line_of_cost in_time = {.at = at,
                                         .running = true,
                                         .t0 = at->problem.t0,
                                         .t1 = at->problem.t1,
                                         .x0 = place.x,
                                         .x1 = place.x,
                                         .p = place.p};
    if (at->cost.type->g) scan(&in_time, &worst);
    scan_states(at, place, n, &worst);
    for (size_t q = 0; n > 1 && q < states; q++) scan_states(at, place, q * n / states, &worst);
    verify_judge(&result, &worst);
    if (result.verdict == VERIFY_FAIL) verify_blame(&result, CAUSE_cost_jump, 1);
    verify_close(at->v, &result);
}
