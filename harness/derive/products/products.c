/* derive/products/products.c - sweeps over a graph, whose every operation adds nodes to another one. */
#include "products.h"

#include <stdlib.h>

#include "array.h"
#include "copy.h"
#include "rules.h"

/* f inside the graph that is to become its product: its first nodes are those of f. */
struct sweep {
    const struct graph *f;
    struct graph *g;
    graph_node *derivative; /* [f->n_nodes] adjoints, or derivatives along a direction */
    bool *reached;          /* [f->n_nodes] by a derivative */
};

static void sweep_free(struct sweep *s)
{
    free(s->derivative);
    free(s->reached);
}

/* After a failure nothing has to be freed. */
static sens_status sweep_start(const struct graph *f, struct sweep *s)
{
    const sens_status given = graph_status(f);
    *s = (struct sweep){.f = f, .g = graph_copy(f)};
    s->derivative = calloc(f->n_nodes, sizeof *s->derivative);
    s->reached = calloc(f->n_nodes, sizeof *s->reached);
    if (given == SENS_OK && s->g && s->derivative && s->reached) return SENS_OK;
    graph_destroy(s->g);
    sweep_free(s);
    return given != SENS_OK ? given : SENS_NO_MEMORY;
}

static sens_status sweep_end(struct sweep *s, struct graph **product)
{
    sweep_free(s);
    return copy_needed(s->g, product);
}

sens_status derive_guards(const struct graph *f, struct graph **product)
{
    struct sweep s;
    *product = NULL;
    const sens_status status = sweep_start(f, &s);
    return status == SENS_OK ? sweep_end(&s, product) : status;
}

/* ---- reverse ------------------------------------------------------------------------------------------- */

static void add_adjoint(struct sweep *s, graph_node k, graph_node adjoint)
{
    s->derivative[k] = s->reached[k] ? rule_sum(s->g, s->derivative[k], adjoint) : adjoint;
    s->reached[k] = true;
}

/* The operands of node k get their part of its adjoint. */
static void pass_adjoint(struct sweep *s, size_t k)
{
    if (graph_operands(s->f->node[k].op) == 0) return;
    const struct graph_operation node = s->f->node[k];
    const graph_node adjoint = s->derivative[k], value = (graph_node)k;
    for (unsigned which = 0; which < graph_operands(node.op); which++) {
        const graph_node operand = graph_operand(&s->f->node[k], which);
        if (!rule_passes(node.op, which) || s->f->node[operand].op == GRAPH_CONSTANT) continue;
        add_adjoint(s, operand,
                    rule_is_linear(node.op)
                        ? rule_reverse(s->g, &node, which, adjoint)
                        : rule_scaled(s->g, adjoint, rule_partial(s->g, &node, value, which)));
    }
}

/* Adjoints of all nodes, from w as that of the outputs. */
static void reverse_sweep(struct sweep *s)
{
    for (size_t i = 0; i < s->f->n_outputs; i++)
        add_adjoint(s, s->f->output[i], graph_leaf(s->g, GRAPH_W, i));
    for (size_t k = s->f->n_nodes; k-- > 0;)
        if (s->reached[k]) pass_adjoint(s, k);
}

/* The adjoints of the leaves of one kind become outputs. */
static void output_adjoints(struct sweep *s, enum graph_op leaf, size_t count)
{
    const size_t first = s->g->n_outputs;
    for (size_t i = 0; i < count; i++) graph_add_output(s->g, GRAPH_ZERO);
    if (graph_status(s->g) != SENS_OK) return;
    for (size_t k = 0; k < s->f->n_nodes; k++)
        if (s->f->node[k].op == leaf && s->f->node[k].a < count)
            s->g->output[first + s->f->node[k].a] = s->derivative[k];
}

/* (df/dx)^T w, n outputs, then (df/dp)^T w, np outputs. */
static sens_status transposed(const struct graph *f, size_t n, size_t np, struct graph **product)
{
    struct sweep s;
    *product = NULL;
    const sens_status status = sweep_start(f, &s);
    if (status != SENS_OK) return status;
    reverse_sweep(&s);
    output_adjoints(&s, GRAPH_X, n);
    output_adjoints(&s, GRAPH_P, np);
    return sweep_end(&s, product);
}

sens_status derive_vjp(const struct graph *f, size_t n, struct graph **product)
{
    return transposed(f, n, 0, product);
}

sens_status derive_vjp_p(const struct graph *f, size_t np, struct graph **product)
{
    return transposed(f, 0, np, product);
}

/* ---- forward ------------------------------------------------------------------------------------------- */

/* The derivative of a leaf along the direction; 0 where that has no such part. */
static graph_node of_leaf(struct sweep *s, const struct graph_operation *leaf, unsigned parts)
{
    if (leaf->op == GRAPH_T && parts & DERIVE_T) return graph_leaf(s->g, GRAPH_DT, 0);
    if (leaf->op == GRAPH_X && parts & DERIVE_X) return graph_leaf(s->g, GRAPH_DX, leaf->a);
    if (leaf->op == GRAPH_P && parts & DERIVE_P) return graph_leaf(s->g, GRAPH_DP, leaf->a);
    return GRAPH_ZERO;
}

static graph_node of_operation(struct sweep *s, size_t k)
{
    const struct graph_operation node = s->f->node[k];
    graph_node d[3] = {GRAPH_ZERO, GRAPH_ZERO, GRAPH_ZERO}, sum = GRAPH_ZERO;
    for (unsigned which = 0; which < graph_operands(node.op); which++) {
        if (!rule_passes(node.op, which)) continue;
        d[which] = s->derivative[graph_operand(&s->f->node[k], which)];
        if (d[which] == GRAPH_ZERO || rule_is_linear(node.op)) continue;
        const graph_node partial = rule_partial(s->g, &node, (graph_node)k, which);
        sum = rule_sum(s->g, sum, rule_scaled(s->g, d[which], partial));
    }
    return rule_is_linear(node.op) ? rule_forward(s->g, &node, d) : sum;
}

/* `seed`: what the derivative of t is; its leaf where it is GRAPH_ZERO. */
static void forward_sweep(struct sweep *s, unsigned parts, graph_node seed)
{
    for (size_t k = 0; k < s->f->n_nodes; k++) {
        const struct graph_operation *node = &s->f->node[k];
        s->derivative[k] = graph_operands(node->op) ? of_operation(s, k) : of_leaf(s, node, parts);
        if (node->op == GRAPH_T && seed != GRAPH_ZERO) s->derivative[k] = seed;
    }
    for (size_t i = 0; i < s->f->n_outputs; i++) graph_add_output(s->g, s->derivative[s->f->output[i]]);
}

sens_status derive_along(const struct graph *f, unsigned parts, struct graph **product)
{
    struct sweep s;
    *product = NULL;
    const sens_status status = sweep_start(f, &s);
    if (status != SENS_OK) return status;
    forward_sweep(&s, parts, GRAPH_ZERO);
    return sweep_end(&s, product);
}

sens_status derive_rhs_t(const struct graph *f, struct graph **product)
{
    struct sweep s;
    *product = NULL;
    const sens_status status = sweep_start(f, &s);
    if (status != SENS_OK) return status;
    forward_sweep(&s, 0, graph_constant(s.g, 1));
    return sweep_end(&s, product);
}

sens_status derive_hvp(const struct graph *f, size_t n, size_t np, unsigned parts, struct graph **product)
{
    struct graph *gradient;
    *product = NULL;
    sens_status status = transposed(f, n, np, &gradient);
    if (status != SENS_OK) return status;
    status = derive_along(gradient, parts, product);
    graph_destroy(gradient);
    return status;
}

/* ---- entries of a Jacobian ------------------------------------------------------------------------------ */

enum { FEW_NODES = 32 };

struct entry { /* of df/dx or df/dp */
    size_t output, input;
    graph_node value;
};

struct entry_list {
    struct entry *entry;
    size_t count, room;
    graph_node *stack; /* [f->n_nodes] */
};

static bool add_entry(struct entry_list *list, struct entry entry)
{
    if (!array_grow(&list->entry, list->count + 1, &list->room, sizeof *list->entry)) return false;
    list->entry[list->count++] = entry;
    return true;
}

static int descending(const void *one, const void *two)
{
    const graph_node a = *(const graph_node *)one, b = *(const graph_node *)two;
    return (a < b) - (a > b);
}

/* Last first; a row of a sparse matrix has few. */
static void sort_nodes(graph_node *node, size_t count)
{
    if (count > FEW_NODES) qsort(node, count, sizeof *node, descending);
    for (size_t k = 1; k < count && count <= FEW_NODES; k++) {
        const graph_node moved = node[k];
        size_t to = k;
        for (; to > 0 && node[to - 1] < moved; to--) node[to] = node[to - 1];
        node[to] = moved;
    }
}

/* The nodes that the derivative of an output reaches, in no order; their count. Clears what they held. */
static size_t nodes_below(struct sweep *s, graph_node output, graph_node *stack)
{
    size_t count = 0;
    stack[count++] = output;
    s->reached[output] = true;
    for (size_t at = 0; at < count; at++) {
        const struct graph_operation *node = &s->f->node[stack[at]];
        for (unsigned which = 0; which < graph_operands(node->op); which++) {
            const graph_node operand = graph_operand(node, which);
            if (!rule_passes(node->op, which) || s->reached[operand]) continue;
            s->reached[operand] = true;
            stack[count++] = operand;
        }
    }
    for (size_t at = 0; at < count; at++) s->reached[stack[at]] = false;
    return count;
}

/* The row of output i: a reverse sweep over what it is made of. false: no memory. */
static bool jacobian_row(struct sweep *s, enum graph_op leaf, size_t i, struct entry_list *list)
{
    const size_t count = nodes_below(s, s->f->output[i], list->stack);
    bool done = true;
    sort_nodes(list->stack, count);
    add_adjoint(s, s->f->output[i], graph_constant(s->g, 1));
    for (size_t at = 0; at < count; at++) {
        const graph_node k = list->stack[at];
        if (s->reached[k]) pass_adjoint(s, k);
        if (s->reached[k] && s->f->node[k].op == leaf)
            done = done && add_entry(list, (struct entry){i, s->f->node[k].a, s->derivative[k]});
        s->reached[k] = false;
    }
    return done;
}

/* Sorts by output or by input, equal ones in their order. start [keys + 1] is room, as is spare [count]. */
static void sort_entries(struct entry_list *list, bool by_input, size_t keys, size_t *start,
                         struct entry *spare)
{
    for (size_t k = 0; k <= keys; k++) start[k] = 0;
    for (size_t e = 0; e < list->count; e++)
        start[(by_input ? list->entry[e].input : list->entry[e].output) + 1]++;
    for (size_t k = 0; k < keys; k++) start[k + 1] += start[k];
    for (size_t e = 0; e < list->count; e++)
        spare[start[by_input ? list->entry[e].input : list->entry[e].output]++] = list->entry[e];
    for (size_t e = 0; e < list->count; e++) list->entry[e] = spare[e];
}

/* Row by row, or column by column; false: no memory. */
static bool sort_list(struct entry_list *list, bool by_columns, size_t outputs, size_t inputs)
{
    size_t *start = malloc(((outputs > inputs ? outputs : inputs) + 1) * sizeof *start);
    struct entry *spare = malloc((list->count + 1) * sizeof *spare);
    if (start && spare) {
        sort_entries(list, !by_columns, by_columns ? outputs : inputs, start, spare);
        sort_entries(list, by_columns, by_columns ? inputs : outputs, start, spare);
    }
    const bool done = start && spare;
    free(start);
    free(spare);
    return done;
}

/* The pattern of the sorted list. */
static sens_status make_pattern(const struct entry_list *list, bool by_columns, size_t rows, size_t cols,
                                struct sens_pattern *pattern)
{
    size_t *start = calloc(rows + 1, sizeof *start), *col = calloc(list->count + 1, sizeof *col);
    if (!start || !col) {
        free(start);
        free(col);
        return SENS_NO_MEMORY;
    }
    for (size_t e = 0; e < list->count; e++) {
        const struct entry *entry = &list->entry[e];
        start[(by_columns ? entry->input : entry->output) + 1]++;
        col[e] = by_columns ? entry->output : entry->input;
    }
    for (size_t r = 0; r < rows; r++) start[r + 1] += start[r];
    *pattern = (struct sens_pattern){.rows = rows, .cols = cols, .start = start, .col = col};
    return SENS_OK;
}

static bool all_rows(struct sweep *s, enum graph_op leaf, struct entry_list *list)
{
    list->stack = calloc(s->f->n_nodes, sizeof *list->stack);
    if (!list->stack) return false;
    for (size_t i = 0; i < s->f->n_outputs; i++)
        if (!jacobian_row(s, leaf, i, list)) return false;
    return true;
}

/* Entries of df/dleaf, `inputs` leaves; transposed: of (df/dleaf)^T. */
static sens_status derive_entries(const struct graph *f, enum graph_op leaf, size_t inputs, bool by_columns,
                                  struct derive_entries *entries)
{
    struct sweep s;
    struct entry_list list = {.entry = NULL};
    *entries = (struct derive_entries){.graph = NULL};
    sens_status status = sweep_start(f, &s);
    if (status != SENS_OK) return status;
    const bool complete = all_rows(&s, leaf, &list) && sort_list(&list, by_columns, f->n_outputs, inputs);
    for (size_t e = 0; e < list.count; e++) graph_add_output(s.g, list.entry[e].value);
    status = sweep_end(&s, &entries->graph);
    if (status == SENS_OK && !complete) status = SENS_NO_MEMORY;
    if (status == SENS_OK)
        status = make_pattern(&list, by_columns, by_columns ? inputs : f->n_outputs,
                              by_columns ? f->n_outputs : inputs, &entries->pattern);
    free(list.entry);
    free(list.stack);
    if (status != SENS_OK) derive_entries_destroy(entries);
    return status;
}

sens_status derive_jacobian(const struct graph *f, size_t n, struct derive_entries *entries)
{
    return derive_entries(f, GRAPH_X, n, false, entries);
}

sens_status derive_jacobian_p(const struct graph *f, size_t np, struct derive_entries *entries)
{
    return derive_entries(f, GRAPH_P, np, true, entries);
}

sens_status derive_dense(const struct derive_entries *entries, struct graph **product)
{
    const struct sens_pattern *pattern = &entries->pattern;
    struct graph *dense = graph_copy(entries->graph);
    *product = NULL;
    for (size_t r = 0; dense && r < pattern->rows; r++) {
        size_t e = pattern->start[r];
        for (size_t c = 0; c < pattern->cols; c++) {
            const bool entry = e < pattern->start[r + 1] && pattern->col[e] == c;
            graph_add_output(dense, entry ? entries->graph->output[e++] : GRAPH_ZERO);
        }
    }
    const sens_status status = dense ? graph_status(dense) : SENS_NO_MEMORY;
    if (status == SENS_OK)
        *product = dense;
    else
        graph_destroy(dense);
    return status;
}

bool derive_few_entries(const struct graph *f, enum graph_op leaf, size_t most)
{
    struct sweep s = {.f = f, .reached = calloc(f->n_nodes, sizeof *s.reached)};
    graph_node *stack = calloc(f->n_nodes, sizeof *stack);
    bool few = s.reached && stack;
    size_t entries = 0;
    for (size_t i = 0; few && i < f->n_outputs; i++) {
        const size_t count = nodes_below(&s, f->output[i], stack);
        for (size_t k = 0; k < count; k++) entries += f->node[stack[k]].op == leaf;
        few = entries <= most;
    }
    free(s.reached);
    free(stack);
    return few;
}

void derive_entries_destroy(struct derive_entries *entries)
{
    free((void *)entries->pattern.start);
    free((void *)entries->pattern.col);
    graph_destroy(entries->graph);
    *entries = (struct derive_entries){.graph = NULL};
}
