/* harness/derive/graph/graph.c - building a graph: hash-consing by an open-addressed table. */
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Nodes are found in the row of slots of their newest operand, where those are that were made at about the same time,
 * and the cache holds them; a leaf, and what has no room there, where its hash says, or some strides behind. Nothing is
 * ever taken out: what would be found behind a free slot was never there. */
struct slot {
    uint32_t hash;
    uint32_t node; /* + 1; 0: free */
};
struct graph_index { /* at most half full */
    struct slot *slot;
    size_t slots; /* a power of two; 0: there are none, until a node is looked for */
};

enum {
    FIRST_SLOTS = 1024,
    ROW = 8,
    OPERANDS_OF_ROW = 4 /* as many rows as there are fours of nodes, at least */
};

static const char *const op_name[GRAPH_OPS] = {
#define LEAF(code, name)                       [GRAPH_##code] = name,
#define NAME(code, name, operands, expression) [GRAPH_##code] = name,
    GRAPH_LEAF_LIST(LEAF) SENS_OPERATION_LIST(NAME)
#undef LEAF
#undef NAME
};

const char *graph_op_name(enum graph_op op)
{
    return op_name[op];
}

sens_status graph_status(const struct graph *graph)
{
    return graph->status;
}

static void fail(struct graph *graph, sens_status status)
{
    if (graph->status == SENS_OK) graph->status = status;
}

/* Room for one more. false: no memory, which stays in the graph. */
static bool grow(struct graph *graph, void *array, size_t count, size_t *room, size_t size)
{
    if (graph->status == SENS_OK && count >= *room && !array_grow(array, count + 1, room, size))
        fail(graph, SENS_NO_MEMORY);
    return graph->status == SENS_OK;
}

/* ---- equal nodes --------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint32_t hash_of(const struct graph_operation *node)
{
    const uint64_t low = (uint64_t)node->op << 32 | node->a;
    return (uint32_t)mix(mix(low) ^ ((uint64_t)node->b << 32 | node->c));
}

static bool same(const struct graph_operation *one, const struct graph_operation *two)
{
    return one->op == two->op && one->a == two->a && one->b == two->b && one->c == two->c;
}

/* Is it free, or does it hold an equal node? */
static bool ends_search(const struct graph *graph, const struct slot *slot, uint32_t hash,
                        const struct graph_operation *node)
{
    return !slot->node || (slot->hash == hash && same(&graph->node[slot->node - 1], node));
}

static graph_node newest_operand(const struct graph_operation *node)
{
    const graph_node later = node->a > node->b ? node->a : node->b;
    return later > node->c ? later : node->c;
}

/* The slot that holds an equal node, or the free one where it belongs. */
static struct slot *slot_of(const struct graph *graph, const struct graph_index *index, uint32_t hash,
                            const struct graph_operation *node)
{
    if (graph_operands(node->op) > 0) {
        struct slot *const row = index->slot + newest_operand(node) / OPERANDS_OF_ROW * ROW;
        for (size_t k = 0; k < ROW; k++)
            if (ends_search(graph, &row[k], hash, node)) return &row[k];
    }
    const size_t mask = index->slots - 1, stride = (hash >> 7 | 1) & mask;
    size_t at = hash & mask;
    while (!ends_search(graph, &index->slot[at], hash, node)) at = (at + stride) & mask;
    return &index->slot[at];
}

/* Slots for so many nodes, for all that there are at least, and as many again. */
static bool widen(struct graph *graph, size_t nodes)
{
    struct graph_index wider = {.slots = FIRST_SLOTS};
    if (nodes < graph->n_nodes) nodes = graph->n_nodes;
    while (wider.slots < 4 * nodes) wider.slots *= 2;
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot) {
        fail(graph, SENS_NO_MEMORY);
        return false;
    }
    for (size_t k = 0; k < graph->n_nodes; k++) {
        const uint32_t hash = hash_of(&graph->node[k]);
        *slot_of(graph, &wider, hash, &graph->node[k]) = (struct slot){hash, (uint32_t)k + 1};
    }
    free(graph->index->slot);
    *graph->index = wider;
    return true;
}

static graph_node intern(struct graph *graph, struct graph_operation node)
{
    if (graph->status != SENS_OK) return GRAPH_ZERO;
    if (2 * graph->n_nodes >= graph->index->slots && !widen(graph, graph->n_nodes)) return GRAPH_ZERO;
    const uint32_t hash = hash_of(&node);
    struct slot *const slot = slot_of(graph, graph->index, hash, &node);
    if (slot->node) return slot->node - 1;
    if (graph->n_nodes >= UINT32_MAX - 1) fail(graph, SENS_UNSUPPORTED);
    if (!grow(graph, &graph->node, graph->n_nodes, &graph->node_room, sizeof *graph->node)) return GRAPH_ZERO;
    graph->node[graph->n_nodes] = node;
    *slot = (struct slot){hash, (uint32_t)graph->n_nodes + 1};
    return (graph_node)graph->n_nodes++;
}

/* ---- building ------------------------------------------------------------------------------------------ */

struct graph *graph_create(void)
{
    struct graph *graph = calloc(1, sizeof *graph);
    if (!graph) return NULL;
    graph->index = calloc(1, sizeof *graph->index);
    if (!graph->index || graph_constant(graph, 0) != GRAPH_ZERO || graph->status != SENS_OK) {
        graph_destroy(graph);
        return NULL;
    }
    return graph;
}

void graph_destroy(struct graph *graph)
{
    if (!graph) return;
    if (graph->index) free(graph->index->slot);
    free(graph->index);
    free(graph->node);
    free(graph->output);
    free(graph->guard);
    free(graph);
}

void graph_reserve(struct graph *graph, size_t nodes)
{
    if (graph->status != SENS_OK || nodes >= UINT32_MAX / 4) return;
    if (2 * nodes >= graph->index->slots && !widen(graph, nodes)) return;
    if (nodes <= graph->node_room) return;
    struct graph_operation *larger = realloc(graph->node, nodes * sizeof *larger);
    if (!larger) {
        fail(graph, SENS_NO_MEMORY);
        return;
    }
    graph->node = larger;
    graph->node_room = nodes;
}

static void *copied(const void *array, size_t count, size_t size)
{
    void *copy = malloc((count + 1) * size);
    if (copy && count) memcpy(copy, array, count * size);
    return copy;
}

struct graph *graph_copy(const struct graph *graph)
{
    struct graph *copy = calloc(1, sizeof *copy);
    if (!copy) return NULL;
    copy->index = calloc(1, sizeof *copy->index);
    copy->node = copied(graph->node, graph->n_nodes, sizeof *graph->node);
    copy->guard = copied(graph->guard, graph->n_guards, sizeof *graph->guard);
    if (!copy->index || !copy->node || !copy->guard) {
        graph_destroy(copy);
        return NULL;
    }
    copy->n_nodes = copy->node_room = graph->n_nodes;
    copy->n_guards = copy->guard_room = graph->n_guards;
    copy->status = graph->status;
    return copy;
}

/* place [n_nodes]: where they go. The order stays, and so nothing can become equal or simpler. */
static void move_nodes(struct graph *graph, const bool *kept, graph_node *place)
{
    size_t count = 0;
    for (size_t k = 0; k < graph->n_nodes; k++) {
        struct graph_operation node = graph->node[k];
        if (k != GRAPH_ZERO && !kept[k]) continue;
        if (graph_operands(node.op) > 0) {
            node.a = place[node.a];
            node.b = place[node.b];
            node.c = place[node.c];
        }
        place[k] = (graph_node)count;
        graph->node[count++] = node;
    }
    graph->n_nodes = count;
}

void graph_keep_outputs(struct graph *graph, size_t first, size_t count)
{
    memmove(graph->output, graph->output + first, count * sizeof *graph->output);
    graph->n_outputs = count;
}

bool graph_keep(struct graph *graph, const bool *kept)
{
    graph_node *place = calloc(graph->n_nodes, sizeof *place);
    if (!place) return false;
    move_nodes(graph, kept, place);
    for (size_t i = 0; i < graph->n_outputs; i++) graph->output[i] = place[graph->output[i]];
    for (size_t k = 0; k < graph->n_guards; k++) {
        graph->guard[k].a = place[graph->guard[k].a];
        graph->guard[k].b = place[graph->guard[k].b];
    }
    free(place);
    free(graph->index->slot);
    *graph->index = (struct graph_index){.slots = 0};
    struct graph_operation *fitting = realloc(graph->node, graph->n_nodes * sizeof *fitting);
    if (fitting) {
        graph->node = fitting;
        graph->node_room = graph->n_nodes;
    }
    return true;
}

graph_node graph_leaf(struct graph *graph, enum graph_op leaf, size_t index)
{
    if (index > UINT32_MAX) fail(graph, SENS_UNSUPPORTED);
    return intern(graph, (struct graph_operation){.op = leaf, .a = (graph_node)index});
}

/* The value of a constant in three words: a and b the significand as a whole number of 64 bits, c the power of
 * two that it is multiplied with, and the sign. */
static const uint32_t EXPONENT_OFFSET = 1u << 20, NOT_FINITE = 1u << 29, SIGN = 1u << 30;

static struct graph_operation encoded(long double value)
{
    struct graph_operation node = {.op = GRAPH_CONSTANT};
    if (value == 0) return node;
    if (isnan(value) || isinf(value)) {
        node.a = isnan(value) ? 1u : 0u;
        node.c = NOT_FINITE | (isinf(value) && value < 0 ? SIGN : 0u);
        return node;
    }
    int exponent;
    const uint64_t significand = (uint64_t)ldexpl(frexpl(fabsl(value), &exponent), 64);
    node.a = (graph_node)significand;
    node.b = (graph_node)(significand >> 32);
    node.c = ((uint32_t)exponent + EXPONENT_OFFSET) | (value < 0 ? SIGN : 0u);
    return node;
}

static long double decoded(const struct graph_operation *node)
{
    const long double sign = node->c & SIGN ? -1 : 1;
    if (node->c & NOT_FINITE) return node->a ? (long double)NAN : sign * (long double)INFINITY;
    const uint64_t significand = (uint64_t)node->b << 32 | node->a;
    if (significand == 0) return 0;
    return sign * ldexpl((long double)significand, (int)(node->c & (SIGN - 1)) - (int)EXPONENT_OFFSET - 64);
}

graph_node graph_constant(struct graph *graph, long double value)
{
    return intern(graph, encoded(value));
}

bool graph_is_constant(const struct graph *graph, graph_node node, long double *value)
{
    if (graph->node[node].op != GRAPH_CONSTANT) return false;
    if (value) *value = decoded(&graph->node[node]);
    return true;
}

/* As encoded: 2^63 2^(1 - 64). */
static bool is_one(const struct graph *graph, graph_node node)
{
    const struct graph_operation *at = &graph->node[node];
    return at->op == GRAPH_CONSTANT && at->a == 0 && at->b == UINT32_C(1) << 31 &&
           at->c == EXPONENT_OFFSET + 1;
}

/* The operation on constants alone is a constant. What is no operand is 0, a constant, too. */
static bool all_constant(const struct graph *graph, const struct graph_operation *node)
{
    return graph->node[node->a].op == GRAPH_CONSTANT && graph->node[node->b].op == GRAPH_CONSTANT &&
           graph->node[node->c].op == GRAPH_CONSTANT;
}

static graph_node fold(struct graph *graph, const struct graph_operation *node)
{
    long double value[3] = {0};
    for (unsigned k = 0; k < graph_operands(node->op); k++)
        value[k] = decoded(&graph->node[graph_operand(node, k)]);
    return graph_constant(graph, graph_operate(node->op, value[0], value[1], value[2]));
}

static graph_node plain(struct graph *graph, enum graph_op op, graph_node a, graph_node b)
{
    return intern(graph, (struct graph_operation){.op = op, .a = a, .b = b});
}

static graph_node negated(struct graph *graph, graph_node a)
{
    const struct graph_operation *node = &graph->node[a];
    return node->op == GRAPH_NEG ? node->a : plain(graph, GRAPH_NEG, a, 0);
}

/* Sums and products with a 0 or a 1 of the source; operands of a sum or a product in one order, so that a + b
 * and b + a are one node. */
static graph_node arithmetic(struct graph *graph, enum graph_op op, graph_node a, graph_node b)
{
    switch (op) {
    case GRAPH_NEG:
        return negated(graph, a);
    case GRAPH_ADD:
        if (a == GRAPH_ZERO) return b;
        if (b == GRAPH_ZERO) return a;
        return a < b ? plain(graph, op, a, b) : plain(graph, op, b, a);
    case GRAPH_SUB:
        if (b == GRAPH_ZERO) return a;
        if (a == GRAPH_ZERO) return negated(graph, b);
        return plain(graph, op, a, b);
    case GRAPH_MUL:
        if (a == GRAPH_ZERO || b == GRAPH_ZERO) return GRAPH_ZERO;
        if (is_one(graph, a)) return b;
        if (is_one(graph, b)) return a;
        return a < b ? plain(graph, op, a, b) : plain(graph, op, b, a);
    case GRAPH_DIV:
        if (a == GRAPH_ZERO && b != GRAPH_ZERO) return GRAPH_ZERO;
        if (is_one(graph, b)) return a;
        return plain(graph, op, a, b);
    default:
        return plain(graph, op, a, b);
    }
}

graph_node graph_apply(struct graph *graph, enum graph_op op, graph_node a, graph_node b, graph_node c)
{
    const struct graph_operation node = {.op = op, .a = a, .b = b, .c = c};
    if (graph->status != SENS_OK) return GRAPH_ZERO;
    if (all_constant(graph, &node)) return fold(graph, &node);
    if (op != GRAPH_SELECT) return arithmetic(graph, op, a, b);
    if (b == c) return b;
    return intern(graph, node);
}

void graph_add_output(struct graph *graph, graph_node node)
{
    if (grow(graph, &graph->output, graph->n_outputs, &graph->output_room, sizeof *graph->output))
        graph->output[graph->n_outputs++] = node;
}

void graph_add_guard(struct graph *graph, enum graph_comparison comparison, graph_node a, graph_node b,
                     bool held)
{
    if (!grow(graph, &graph->guard, graph->n_guards, &graph->guard_room, sizeof *graph->guard)) return;
    graph->guard[graph->n_guards++] =
        (struct graph_guard){.comparison = comparison, .a = a, .b = b, .held = held};
}
