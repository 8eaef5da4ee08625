/* derive/generate/guards.c - sum over the guards of (1 - holds). */
#include "guards.h"

#include <stdlib.h>

/* place [f->n_nodes]: where the nodes of f are in `into`. */
static void copy_nodes(struct graph *into, const struct graph *f, graph_node *place)
{
    for (size_t k = 0; k < f->n_nodes; k++) {
        const struct graph_operation *node = &f->node[k];
        long double value;
        if (graph_is_constant(f, (graph_node)k, &value))
            place[k] = graph_constant(into, value);
        else if (graph_operands(node->op) > 0)
            place[k] = graph_apply(into, node->op, place[node->a], place[node->b], place[node->c]);
        else
            place[k] = graph_leaf(into, node->op, node->a);
    }
}

/* 1 where the comparison is what it was when f was recorded, else 0; a NaN holds for none of the three. */
static graph_node held(struct graph *graph, const struct graph_guard *guard, const graph_node *place)
{
    const graph_node a = place[guard->a], b = place[guard->b], one = graph_constant(graph, 1);
    const enum graph_op op = guard->comparison == GRAPH_IS_LESS ? GRAPH_LESS : GRAPH_LESS_EQUAL;
    graph_node is = graph_apply(graph, op, a, b, 0);
    if (guard->comparison == GRAPH_IS_EQUAL)
        is = graph_apply(graph, GRAPH_MUL, is, graph_apply(graph, GRAPH_LESS_EQUAL, b, a, 0), 0);
    return guard->held ? is : graph_apply(graph, GRAPH_SUB, one, is, 0);
}

static void count_broken(struct graph *graph, const struct graph *f, const graph_node *place)
{
    const graph_node one = graph_constant(graph, 1);
    graph_node broken = GRAPH_ZERO;
    for (size_t k = 0; k < f->n_guards; k++)
        broken = graph_apply(graph, GRAPH_ADD, broken,
                             graph_apply(graph, GRAPH_SUB, one, held(graph, &f->guard[k], place), 0), 0);
    graph_add_output(graph, broken);
}

sens_status guards_broken(const struct graph *f, struct graph **guards)
{
    graph_node *place = calloc(f->n_nodes, sizeof *place);
    *guards = graph_create();
    sens_status status = *guards && place ? SENS_OK : SENS_NO_MEMORY;
    if (status == SENS_OK) {
        copy_nodes(*guards, f, place);
        count_broken(*guards, f, place);
        status = graph_status(*guards);
    }
    free(place);
    if (status == SENS_OK) return SENS_OK;
    graph_destroy(*guards);
    *guards = NULL;
    return status;
}
