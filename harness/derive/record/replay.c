/* A list of operations as a graph: see replay.h. */
#include "replay.h"

#include <stdlib.h>

static graph_node replay_one(const struct program *program, const struct program_operation *op,
                             const graph_node *node, struct graph *graph)
{
    switch ((enum graph_op)op->op) {
    case GRAPH_CONSTANT:
        return graph_constant(graph, program->constant[op->a]);
    case GRAPH_T:
    case GRAPH_X:
    case GRAPH_P:
        return graph_leaf(graph, (enum graph_op)op->op, op->a);
    default:
        break;
    }
    const unsigned operands = graph_operands((enum graph_op)op->op);
    return graph_apply(graph, (enum graph_op)op->op, node[op->a], operands > 1 ? node[op->b] : 0,
                       operands > 2 ? node[op->c] : 0);
}

sens_status replay_program(const struct program *program, size_t only, struct graph *graph)
{
    graph_node *node = calloc(program->count + 1, sizeof *node);
    if (!node) return SENS_NO_MEMORY;
    for (size_t k = 0; k < program->count; k++)
        node[k] = replay_one(program, &program->operation[k], node, graph);
    for (size_t c = 0; c < program->outputs; c++)
        if (!only || c == only - 1) graph_add_output(graph, node[program->output[c]]);
    free(node);
    return graph_status(graph);
}
