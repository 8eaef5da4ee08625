/* From a graph with everything in it to the operations that some outputs need. */
#include <stdlib.h>

#include "model.h"

struct lowering {
    struct sens_ctx *ctx;
    const struct graph *graph;
    graph_node *place; /* [n_nodes] in the program, plus one; 0: not in it */
};

/* Marks what the outputs need; returns how many operations that are, and of them constants. */
static size_t mark(struct lowering *lowering, size_t outputs, const graph_node *output, size_t *constants)
{
    const struct graph *graph = lowering->graph;
    size_t count = 0;
    *constants = 0;
    for (size_t c = 0; c < outputs; c++) lowering->place[output[c]] = 1;
    for (size_t k = graph->n_nodes; k-- > 0;) {
        const struct graph_operation *node = &graph->node[k];
        const unsigned operands = graph_operands(node->op);
        if (!lowering->place[k]) continue;
        count++;
        *constants += node->op == GRAPH_CONSTANT;
        if (operands > 0) lowering->place[node->a] = 1;
        if (operands > 1) lowering->place[node->b] = 1;
        if (operands > 2) lowering->place[node->c] = 1;
    }
    return count;
}

static unsigned char leaf_on(enum graph_op op)
{
    return op == GRAPH_T ? PROGRAM_ON_T : op == GRAPH_X ? PROGRAM_ON_X : op == GRAPH_P ? PROGRAM_ON_P : 0;
}

/* One operation at the end of the program. */
static void put(struct lowering *lowering, size_t k, struct program *program, struct program_operation *to,
                long double *constant)
{
    const struct graph_operation *node = &lowering->graph->node[k];
    const unsigned operands = graph_operands(node->op);
    *to = (struct program_operation){.op = (unsigned char)node->op, .on = leaf_on(node->op), .a = node->a};
    if (node->op == GRAPH_CONSTANT) {
        graph_is_constant(lowering->graph, (graph_node)k, &constant[program->constants]);
        to->a = (graph_node)program->constants++;
    }
    if (operands == 0) return;
    to->a = lowering->place[node->a] - 1;
    to->b = operands > 1 ? lowering->place[node->b] - 1 : to->a;
    to->c = operands > 2 ? lowering->place[node->c] - 1 : to->a;
    to->on = program->operation[to->a].on | program->operation[to->b].on | program->operation[to->c].on;
}

static sens_status fill(struct lowering *lowering, size_t outputs, const graph_node *output,
                        struct program *program)
{
    size_t constants;
    const size_t count = mark(lowering, outputs, output, &constants);
    struct program_operation *operation = SENS_NEW(lowering->ctx, struct program_operation, count);
    long double *constant = SENS_NEW(lowering->ctx, long double, constants);
    graph_node *const out = SENS_NEW(lowering->ctx, graph_node, outputs);
    if (!operation || !constant || !out) return SENS_NO_MEMORY;
    *program =
        (struct program){.operation = operation, .constant = constant, .outputs = outputs, .output = out};
    for (size_t k = 0; k < lowering->graph->n_nodes; k++) {
        if (!lowering->place[k]) continue;
        put(lowering, k, program, &operation[program->count], constant);
        lowering->place[k] = (graph_node)++program->count;
    }
    for (size_t c = 0; c < outputs; c++) out[c] = lowering->place[output[c]] - 1;
    return SENS_OK;
}

sens_status model_lower(struct sens_ctx *ctx, const struct graph *graph, size_t outputs,
                        const graph_node *output, struct program *program)
{
    struct lowering lowering = {ctx, graph, calloc(graph->n_nodes, sizeof *lowering.place)};
    const sens_status status = lowering.place ? fill(&lowering, outputs, output, program) : SENS_NO_MEMORY;
    free(lowering.place);
    return status;
}
