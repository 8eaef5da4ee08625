/* harness/derive/graph/graph.h - a function as a directed acyclic graph of operations.
 *
 * Nodes stand in the order of evaluation: operands before what uses them. Equal operations on equal operands
 * are one node (hash-consing). Node 0 is the constant 0, so that memory that was zeroed means 0. Leaves are
 * the inputs of an ODE, t, x_i and p_j, and those of its derivative products: w_i, the vector that a
 * transposed product takes, and the direction (dt, dx_i, dp_j) of a forward one. A product is linear in the
 * latter; they become lanes.
 *
 * Two things are never simplified away: a term that is 0 at one point and not at another, and terms that
 * cancel (x - x stays, so that all rows of a grid have one shape). Folded are operations on constants alone,
 * a + 0, a - 0, 0 - a, 0 a, 1 a, a / 1, 0 / a, -(-a): with 0 and 1 as constants of the source, whatever a is.
 *
 * A builder never returns an error: the first failure (no memory, too many nodes) stays in the graph, and
 * graph_status tells it. */
#ifndef DERIVE_GRAPH_H
#define DERIVE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sens/operations.h"
#include "sens/status.h"

/* LEAF(code, name). They have an index in place of operands: T and DT 0; CONSTANT has its value there
 * (graph_is_constant). */
#define GRAPH_LEAF_LIST(LEAF)                                                                                \
    LEAF(CONSTANT, "constant")                                                                               \
    LEAF(T, "t")                                                                                             \
    LEAF(X, "x")                                                                                             \
    LEAF(P, "p")                                                                                             \
    LEAF(W, "w")                                                                                             \
    LEAF(DT, "dt")                                                                                           \
    LEAF(DX, "dx")                                                                                           \
    LEAF(DP, "dp")

enum graph_op {
#define GRAPH_LEAF(code, name)                            GRAPH_##code,
#define GRAPH_OPERATION(code, name, operands, expression) GRAPH_##code,
    GRAPH_LEAF_LIST(GRAPH_LEAF) SENS_OPERATION_LIST(GRAPH_OPERATION)
#undef GRAPH_LEAF
#undef GRAPH_OPERATION
        GRAPH_OPS
};

typedef uint32_t graph_node; /* its place in the order of evaluation */

struct graph_operation {
    enum graph_op op;
    graph_node a, b, c; /* operands; of a leaf, a is its index; what is not used is 0 */
};

/* A comparison that decided what was recorded: at another point it holds only if a < b (or a <= b, a == b) is
 * again `held`. A comparison with NaN holds for none of the three. */
enum graph_comparison { GRAPH_IS_LESS, GRAPH_IS_LESS_EQUAL, GRAPH_IS_EQUAL };
struct graph_guard {
    enum graph_comparison comparison;
    graph_node a, b;
    bool held;
};

struct graph_index; /* finds equal nodes */

struct graph { /* read by anybody, written by the functions below alone */
    struct graph_operation *node;
    size_t n_nodes;
    graph_node *output;
    size_t n_outputs;
    struct graph_guard *guard; /* in the order in which they were met */
    size_t n_guards;
    struct graph_index *index;
    sens_status status;
    size_t node_room, output_room, guard_room;
};

enum { GRAPH_ZERO = 0 }; /* the node of the constant 0 */

/* An empty graph; NULL: no memory. The caller destroys it. */
struct graph *graph_create(void);
void graph_destroy(struct graph *graph); /* NULL: nothing is done */

/* A graph with the same nodes and guards, and no outputs; NULL: no memory. The caller destroys it. */
struct graph *graph_copy(const struct graph *graph);

/* Removes nodes that are not kept [n_nodes]; what is kept, outputs and guards need none of these. false: no memory,
 * and nothing is changed. */
bool graph_keep(struct graph *graph, const bool *kept);

/* Of its outputs [first, first + count) stay. */
void graph_keep_outputs(struct graph *graph, size_t first, size_t count);

/* Room for so many nodes in all, so that none is moved on the way there; more may come. */
void graph_reserve(struct graph *graph, size_t nodes);

/* The node of a leaf, a constant, an operation (operands that it does not have are 0): an old one where there
 * is an equal one. Constants have 64 bits of significand; +0 and -0 are one, any NaN is one. After a failure
 * GRAPH_ZERO. */
graph_node graph_leaf(struct graph *graph, enum graph_op leaf, size_t index);
graph_node graph_constant(struct graph *graph, long double value);
graph_node graph_apply(struct graph *graph, enum graph_op op, graph_node a, graph_node b, graph_node c);

void graph_add_output(struct graph *graph, graph_node node);
void graph_add_guard(struct graph *graph, enum graph_comparison comparison, graph_node a, graph_node b,
                     bool held);

/* SENS_OK, or the first failure: SENS_NO_MEMORY; SENS_UNSUPPORTED where there are more than 2^32 - 1 nodes. */
sens_status graph_status(const struct graph *graph);

const char *graph_op_name(enum graph_op op);
static inline unsigned graph_operands(enum graph_op op) /* 0: a leaf */
{
#define GRAPH_NONE(code, name)                        0,
#define GRAPH_COUNT(code, name, operands, expression) operands,
    static const unsigned char count[] = {GRAPH_LEAF_LIST(GRAPH_NONE) SENS_OPERATION_LIST(GRAPH_COUNT)};
#undef GRAPH_NONE
#undef GRAPH_COUNT
    return count[op];
}
static inline graph_node graph_operand(const struct graph_operation *node, unsigned which)
{
    return which == 0 ? node->a : which == 1 ? node->b : node->c;
}
bool graph_is_constant(const struct graph *graph, graph_node node,
                       long double *value); /* value may be NULL */

/* The operation on numbers: the definition that everything else is compared with. */
long double graph_operate(enum graph_op op, long double a, long double b, long double c);

struct graph_point { /* values of the leaves; NULL where the graph has none of that kind */
    long double t;
    const long double *x, *p; /* [n], [np] */
    const long double *w;     /* [n] */
    long double dt;
    const long double *dx, *dp; /* [n], [np] */
};

/* value [n_nodes]: all nodes at a point. */
void graph_evaluate(const struct graph *graph, const struct graph_point *at, long double *value);

/* Is the operation one that is finite there and has no finite derivative by an operand that is no constant: sqrt, cbrt
 * and x^c with c < 1 other than 0 at 0, x^y with x < 0 (by y), asin and acos at 1 and -1, hypot and atan2 at the
 * origin? value [n_nodes]. */
bool graph_lacks_slope(const struct graph *graph, graph_node node, const double *value);

bool graph_holds(enum graph_comparison comparison, long double a, long double b);

/* Do all guards hold with these values of the nodes? */
bool graph_guards_hold(const struct graph *graph, const long double *value);

#endif
