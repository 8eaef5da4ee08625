/* What equations need beside f: costs, the interval, the initial state. */
#include <math.h>
#include <string.h>

#include "writer.h"

/* ---- costs --------------------------------------------------------------------------------------------- */

/* The time of an observation. */
static bool term_time(struct making *making, const struct cost_term *term, long double *t)
{
    const struct equations *made = making->made;
    *t = made->t1;
    if (term->kind != COST_AT) return true;
    if (!writer_number(&making->writer, term->time, "the time of a cost", t)) return false;
    *t = (double)*t;
    return (*t >= made->t0 && *t <= made->t1) ||
           writer_refuse(&making->writer, term->time->place, "the time %Lg is not in %g .. %g", *t, made->t0,
                         made->t1);
}

/* Keeps the times increasing, each once. */
static void add_time(struct equations *made, double t)
{
    size_t k = 0;
    while (k < made->n_obs && made->t_obs[k] < t) k++;
    if (k < made->n_obs && made->t_obs[k] == t) return;
    memmove(made->t_obs + k + 1, made->t_obs + k, (made->n_obs - k) * sizeof *made->t_obs);
    made->t_obs[k] = t;
    made->n_obs++;
}

/* The times of all costs. *integral: whether one has an integral. */
static bool make_times(struct making *making, bool *integral)
{
    size_t terms = 0;
    long double t;
    for (const struct declaration *d = making->writer.syntax->declarations; d; d = d->next)
        for (const struct cost_term *term = d->terms; term; term = term->next) terms++;
    making->made->t_obs = making_memory(making, terms, sizeof *making->made->t_obs);
    if (!making->made->t_obs) return false;
    for (const struct declaration *d = making->writer.syntax->declarations; d; d = d->next)
        for (const struct cost_term *term = d->terms; term; term = term->next) {
            *integral = *integral || term->kind == COST_INTEGRAL;
            if (term->kind == COST_INTEGRAL) continue;
            if (!term_time(making, term, &t)) return false;
            add_time(making->made, (double)t);
        }
    return true;
}

static bool add_term(struct making *making, size_t cost, const struct cost_term *term)
{
    struct equations *made = making->made;
    struct graph *graph = making->writer.graph;
    long double t;
    size_t j = 0;
    if (term->kind != COST_INTEGRAL && !term_time(making, term, &t)) return false;
    const graph_node value = writer_write(&making->writer, term->value);
    if (making->writer.failed) return false;
    while (term->kind != COST_INTEGRAL && made->t_obs[j] < (double)t) j++;
    graph_node *sum = term->kind == COST_INTEGRAL ? &made->g[cost] : &made->phi[j * made->m + cost];
    *sum = graph_apply(graph, term->minus ? GRAPH_SUB : GRAPH_ADD, *sum, value, 0);
    return true;
}

bool making_costs(struct making *making)
{
    struct equations *made = making->made;
    const struct declaration *const all = making->writer.syntax->declarations;
    bool integral = false;
    if (!make_times(making, &integral)) return false;
    made->m = making->writer.syntax->costs;
    made->at_end = made->n_obs && made->t_obs[made->n_obs - 1] == made->t1;
    made->phi = making_memory(making, made->n_obs * made->m, sizeof *made->phi);
    made->g = integral ? making_memory(making, made->m, sizeof *made->g) : NULL;
    if (!made->phi || (integral && !made->g)) return false;
    for (const struct declaration *d = all; d; d = d->next)
        for (const struct cost_term *term = d->terms; term; term = term->next)
            if (!add_term(making, d->number, term)) return false;
    return true;
}

/* ---- the interval and the initial state ---------------------------------------------------------------- */

bool making_interval(struct making *making)
{
    const struct syntax *syntax = making->writer.syntax;
    long double t0, t1 = 0;
    if (!writer_number(&making->writer, syntax->t0, "the begin of the interval", &t0)) return false;
    if (syntax->final_time >= 0)
        t1 = making->writer.option[syntax->final_time].number;
    else if (!writer_number(&making->writer, syntax->t1, "the end of the interval", &t1))
        return false;
    making->made->t0 = (double)t0;
    making->made->t1 = (double)t1;
    if (!isfinite(making->made->t0) || !isfinite(making->made->t1))
        return writer_refuse(&making->writer, syntax->interval_place,
                             "an end of the interval, %Lg .. %Lg, is no number in double", t0, t1);
    return making->made->t1 > making->made->t0 ||
           writer_refuse(&making->writer, syntax->interval_place,
                         "the end %Lg of the interval is not behind %Lg", t1, t0);
}

enum { ON_STATE = 1, ON_PARAMETER = 2 };

/* What each node depends on. */
static unsigned char *dependence(struct making *making)
{
    const struct graph *graph = making->writer.graph;
    unsigned char *on = making_memory(making, graph->n_nodes, 1);
    for (size_t k = 0; on && k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        const unsigned operands = graph_operands(node->op);
        if (node->op == GRAPH_X || node->op == GRAPH_T) on[k] = ON_STATE;
        if (node->op == GRAPH_P) on[k] = ON_PARAMETER;
        if (operands) on[k] = (unsigned char)(on[node->a] | on[node->b] | on[node->c]);
    }
    return on;
}

static struct text_place place_of_state(const struct making *making, size_t state)
{
    const struct declaration *d = making->writer.syntax->declarations;
    for (;; d = d->next) {
        const size_t count = d->kind == DECLARE_STATE ? making->writer.array[d->number].shape.count : 0;
        if (state < count) return d->place;
        state -= count;
    }
}

/* x0 at the nominal parameters, in extended precision, rounded once. */
bool making_initial(struct making *making)
{
    struct equations *made = making->made;
    const struct graph *graph = making->writer.graph;
    const unsigned char *on = dependence(making);
    long double *value = making_memory(making, graph->n_nodes, sizeof *value),
                *p = making_memory(making, made->np, sizeof *p),
                *zero = making_memory(making, made->n, sizeof *zero);
    made->x0 = making_memory(making, made->n, sizeof *made->x0);
    if (!on || !value || !p || !zero || !made->x0) return false;
    for (size_t k = 0; k < made->np; k++) p[k] = made->p[k];
    graph_evaluate(graph, &(struct graph_point){.t = made->t0, .x = zero, .p = p}, value);
    for (size_t i = 0; i < made->n; i++) {
        if (on[made->initial[i]] & ON_STATE)
            return writer_refuse(
                &making->writer, place_of_state(making, i),
                "an initial value is made of numbers, options and parameters, not of t or states");
        made->x0_depends = made->x0_depends || on[made->initial[i]] & ON_PARAMETER;
        made->x0[i] = (double)value[made->initial[i]];
        if (!isfinite(made->x0[i]))
            return writer_refuse(&making->writer, place_of_state(making, i),
                                 "an initial value is not finite");
    }
    return true;
}
