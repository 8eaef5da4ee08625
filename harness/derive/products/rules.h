/* derive/products/rules.h - the derivatives of single operations. */
#ifndef DERIVE_RULES_H
#define DERIVE_RULES_H

#include "graph.h"

/* Does the derivative pass from the operation to this operand? Not to those of a comparison, nor to the
 * condition of a select. */
bool rule_passes(enum graph_op op, unsigned operand);

/* A smooth operation: its derivative with respect to an operand, given the operands and the value. */
graph_node rule_partial(struct graph *graph, const struct graph_operation *node, graph_node value,
                        unsigned operand);

/* NEG, FABS, FMIN, FMAX, SELECT, ADD, SUB: what is handed on is the derivative itself, or 0, not a product. */
bool rule_is_linear(enum graph_op op);

/* A linear operation forward: the derivative of its value, given those of its operands. */
graph_node rule_forward(struct graph *graph, const struct graph_operation *node, const graph_node d[3]);

/* A linear operation in reverse: what an operand gets of the adjoint of the value. */
graph_node rule_reverse(struct graph *graph, const struct graph_operation *node, unsigned operand,
                        graph_node adjoint);

/* adjoint factor. In an adjoint that stands on one side of a select the factor goes to that side alone: on
 * the other one it may not be finite, and would turn 0 into NaN. */
graph_node rule_scaled(struct graph *graph, graph_node adjoint, graph_node factor);

/* The sum of two adjoints; on one side of one condition they stay there together. */
graph_node rule_sum(struct graph *graph, graph_node a, graph_node b);

#endif
