/* derive/roll/cut.h - where a graph is cut into expressions: which nodes are stored, and which are written out
 * wherever they are used. */
#ifndef DERIVE_CUT_H
#define DERIVE_CUT_H

#include "graph.h"

enum { CUT_LONG_SUM = 8 }; /* terms from which on a sum is a loop */

struct cut_node {
    bool needed, in_lanes, stored;
    bool uniform;        /* depends on t, p and constants alone */
    bool heavy;          /* holds a function, a division, a select or a long sum */
    unsigned char depth; /* of what is written out */
    uint16_t size;       /* operations that are written out, up to a limit */
    uint32_t uses;       /* by needed nodes and outputs */
    uint32_t user;       /* the last node that uses it; itself: an output */
    uint32_t terms;      /* of a sum, through sums that are written out; else 1 */
    uint32_t scales;     /* products with something in lanes that it is a factor of */
};

/* node [n_nodes], for outputs [first, first + count). The number of operations that they need goes to
 * *operations. SENS_UNSUPPORTED: an operation on lanes that is not linear in them. */
sens_status cut_graph(const struct graph *graph, size_t first, size_t count, struct cut_node *node,
                      size_t *operations);

static inline graph_node cut_operand(const struct graph_operation *node, unsigned which)
{
    return which == 0 ? node->a : which == 1 ? node->b : node->c;
}

static inline bool cut_is_sum(enum graph_op op)
{
    return op == GRAPH_ADD || op == GRAPH_SUB || op == GRAPH_NEG;
}

static inline bool cut_leaf_in_lanes(enum graph_op op)
{
    return op == GRAPH_W || op == GRAPH_DT || op == GRAPH_DX || op == GRAPH_DP;
}

#endif
