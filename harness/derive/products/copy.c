/* derive/products/copy.c - nodes of one graph in another. */
#include "copy.h"

#include <stdlib.h>

/* The node as one of `into`; place: where its operands are there. */
static graph_node copy_node(struct graph *into, const struct graph_operation *node, const graph_node *place)
{
    if (graph_operands(node->op)) {
        /* an operand that is not there is node 0, which every graph has first */
        return graph_apply(into, node->op, place[node->a], place[node->b], place[node->c]);
    }
    return graph_leaf(into, node->op, node->a);
}

static void copy_guard(struct graph *into, const struct graph_guard *guard, const graph_node *place)
{
    graph_add_guard(into, guard->comparison, place[guard->a], place[guard->b], guard->held);
}

static void place_node(struct graph *into, const struct graph *f, size_t k, graph_node *place)
{
    long double value;
    place[k] = graph_is_constant(f, (graph_node)k, &value) ? graph_constant(into, value)
                                                           : copy_node(into, &f->node[k], place);
}

void copy_all(struct graph *into, const struct graph *f, graph_node *place)
{
    for (size_t k = 0; k < f->n_nodes; k++) place_node(into, f, k, place);
    for (size_t k = 0; k < f->n_guards; k++) copy_guard(into, &f->guard[k], place);
}

/* needed [n_nodes]: those that outputs and guards are made of. */
static void mark_needed(const struct graph *g, bool *needed)
{
    for (size_t k = 0; k < g->n_outputs; k++) needed[g->output[k]] = true;
    for (size_t k = 0; k < g->n_guards; k++) needed[g->guard[k].a] = needed[g->guard[k].b] = true;
    for (size_t k = g->n_nodes; k-- > 0;) {
        const struct graph_operation *node = &g->node[k];
        if (needed[k] && graph_operands(node->op)) needed[node->a] = needed[node->b] = needed[node->c] = true;
    }
}

sens_status keep_needed(struct graph *graph)
{
    sens_status status = graph_status(graph);
    bool *needed = calloc(graph->n_nodes, sizeof *needed);
    if (status == SENS_OK && needed) mark_needed(graph, needed);
    if (status == SENS_OK && (!needed || !graph_keep(graph, needed))) status = SENS_NO_MEMORY;
    free(needed);
    return status;
}

sens_status copy_needed(struct graph *whole, struct graph **product)
{
    const sens_status status = keep_needed(whole);
    if (status != SENS_OK) {
        graph_destroy(whole);
        whole = NULL;
    }
    *product = whole;
    return status;
}

sens_status copy_outputs(const struct graph *from, size_t first, size_t count, struct graph **taken)
{
    struct graph *whole = graph_create();
    graph_node *place = calloc(from->n_nodes, sizeof *place);
    *taken = NULL;
    if (!whole || !place) {
        free(place);
        graph_destroy(whole);
        return SENS_NO_MEMORY;
    }
    copy_all(whole, from, place);
    for (size_t i = first; i < first + count; i++) graph_add_output(whole, place[from->output[i]]);
    free(place);
    return copy_needed(whole, taken);
}
