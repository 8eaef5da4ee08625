/* Functions and their derivatives in one list of nodes, see formula.h. */
#include "formula.h"

#include <stdlib.h>

#include "products.h"

/* The node k of a graph, as it is numbered in the list. */
static json_t *write_node(const struct graph *graph, graph_node k, const json_int_t *number)
{
    const struct graph_operation *node = &graph->node[k];
    json_t *const one = json_pack("[s]", graph_op_name(node->op));
    long double value;
    if (graph_is_constant(graph, k, &value)) {
        json_array_append_new(one, json_real((double)value));
    } else if (graph_operands(node->op) == 0) {
        if (node->op != GRAPH_T) json_array_append_new(one, json_integer(node->a));
    }
    for (unsigned i = 0; i < graph_operands(node->op); i++)
        json_array_append_new(one, json_integer(number[graph_operand(node, i)]));
    return one;
}

struct list {
    json_t *nodes;
    size_t count;
};

/* Appends the nodes of a graph that its outputs need; number[k] is where node k then is. */
static sens_status append_nodes(struct list *list, const struct graph *graph, json_int_t *number)
{
    bool *const needed = calloc(graph->n_nodes, sizeof *needed);
    if (!needed) return SENS_NO_MEMORY;
    for (size_t i = 0; i < graph->n_outputs; i++) needed[graph->output[i]] = true;
    for (size_t k = graph->n_nodes; k-- > 0;)
        for (unsigned i = 0; needed[k] && i < graph_operands(graph->node[k].op); i++)
            needed[graph_operand(&graph->node[k], i)] = true;
    sens_status status = SENS_OK;
    for (size_t k = 0; k < graph->n_nodes && status == SENS_OK; k++) {
        if (!needed[k]) continue;
        number[k] = (json_int_t)list->count++;
        if (list->count > FORMULA_NODES)
            status = SENS_UNSUPPORTED;
        else if (json_array_append_new(list->nodes, write_node(graph, (graph_node)k, number)) != 0)
            status = SENS_NO_MEMORY;
    }
    free(needed);
    return status;
}

/* Appends a graph; its outputs then are nodes of the list, in *outputs. */
static sens_status append(struct list *list, const struct graph *graph, json_t **outputs)
{
    json_int_t *const number = calloc(graph->n_nodes, sizeof *number);
    sens_status status = number ? append_nodes(list, graph, number) : SENS_NO_MEMORY;
    *outputs = json_array();
    for (size_t i = 0; status == SENS_OK && i < graph->n_outputs; i++)
        if (json_array_append_new(*outputs, json_integer(number[graph->output[i]])) != 0)
            status = SENS_NO_MEMORY;
    free(number);
    return status;
}

/* The entries of a pattern; transposed: it is that of the transpose. */
static json_t *write_pattern(const struct sens_pattern *pattern, bool transposed)
{
    json_t *const row = json_array(), *const col = json_array();
    for (size_t r = 0; r < pattern->rows; r++)
        for (size_t e = pattern->start[r]; e < pattern->start[r + 1]; e++) {
            json_array_append_new(row, json_integer((json_int_t)(transposed ? pattern->col[e] : r)));
            json_array_append_new(col, json_integer((json_int_t)(transposed ? r : pattern->col[e])));
        }
    return json_pack("{s:o, s:o}", "row", row, "col", col);
}

static sens_status append_derivative(struct list *list, const struct graph *f, bool by_p, size_t inputs,
                                     json_t *formula)
{
    struct derive_entries entries = {.graph = NULL};
    json_t *nodes = NULL;
    sens_status status = by_p ? derive_jacobian_p(f, inputs, &entries) : derive_jacobian(f, inputs, &entries);
    if (status == SENS_OK) status = append(list, entries.graph, &nodes);
    json_t *const matrix = status == SENS_OK ? write_pattern(&entries.pattern, by_p) : NULL;
    if (status == SENS_OK && (json_object_set(matrix, "node", nodes) != 0 ||
                              json_object_set(formula, by_p ? "p" : "x", matrix) != 0))
        status = SENS_NO_MEMORY;
    json_decref(matrix);
    json_decref(nodes);
    derive_entries_destroy(&entries);
    return status;
}

sens_status formula_write(const struct graph *f, bool of_x, size_t n, size_t np, json_t **formula)
{
    struct list list = {.nodes = json_array()};
    json_t *value = NULL;
    json_t *const made = json_object();
    sens_status status = made && list.nodes ? append(&list, f, &value) : SENS_NO_MEMORY;
    if (status == SENS_OK && of_x) status = append_derivative(&list, f, false, n, made);
    if (status == SENS_OK && np > 0) status = append_derivative(&list, f, true, np, made);
    if (status == SENS_OK &&
        (json_object_set(made, "value", value) != 0 || json_object_set(made, "nodes", list.nodes) != 0))
        status = SENS_NO_MEMORY;
    json_decref(value);
    json_decref(list.nodes);
    *formula = status == SENS_OK ? made : NULL;
    if (status != SENS_OK) json_decref(made);
    return status;
}
