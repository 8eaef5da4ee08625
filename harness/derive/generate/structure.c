/* derive/generate/structure.c - factors are operands of the products that the entries are. */
#include "structure.h"

#include <stdlib.h>

#include "copy.h"

/* node = factor rest, as it was written: the other operand; the constant 1 where node is the factor itself. Returns
 * false if it is no such product. */
static bool divides(struct graph *graph, graph_node node, graph_node factor, graph_node *rest)
{
    const struct graph_operation *operation = &graph->node[node];
    if (node == factor) {
        *rest = graph_constant(graph, 1);
        return true;
    }
    if (operation->op != GRAPH_MUL || (operation->a != factor && operation->b != factor)) return false;
    *rest = operation->a == factor ? operation->b : operation->a;
    return true;
}

/* ---- outer products ------------------------------------------------------------------------------------ */

/* Columns of the block that starts at parameter `first`, by the pattern alone: one entry a row, `cols` of them in
 * each column 0, 1, ..., n - 1. 0: it is none. */
static size_t block_columns(const struct sens_pattern *pattern, size_t n, size_t first)
{
    size_t cols = 0;
    while (first + cols < pattern->rows && pattern->start[first + cols + 1] == first + cols + 1 &&
           pattern->col[first + cols] == 0)
        cols++;
    if (cols == 0 || n > (pattern->rows - first) / cols) return 0;
    for (size_t k = 0; k < n * cols; k++)
        if (pattern->start[first + k + 1] != first + k + 1 || pattern->col[first + k] != k / cols) return 0;
    return cols;
}

static size_t find_blocks(const struct sens_pattern *pattern, size_t n, struct sens_outer *blocks)
{
    size_t count = 0, first = 0;
    while (first < pattern->rows) {
        const size_t cols = block_columns(pattern, n, first);
        if (cols == 0) return 0;
        blocks[count++] = (struct sens_outer){first, cols};
        first += n * cols;
    }
    return count;
}

/* The operand that two products share; of a block with one column the entry itself. */
static graph_node shared_factor(const struct graph *graph, graph_node one, graph_node two)
{
    const struct graph_operation *a = &graph->node[one], *b = &graph->node[two];
    if (one == two) return one;
    if (a->op == GRAPH_MUL && (a->a == two || a->b == two)) return two;
    if (b->op == GRAPH_MUL && (b->a == one || b->b == one)) return one;
    if (a->op != GRAPH_MUL || b->op != GRAPH_MUL) return GRAPH_ZERO;
    if (a->a == b->a || a->a == b->b) return a->a;
    return a->b == b->a || a->b == b->b ? a->b : GRAPH_ZERO;
}

/* s from the block with the fewest columns, by the first and the last entry of each row. */
static void find_s(const struct graph *graph, const struct sens_outer *blocks, size_t n_blocks, size_t n,
                   graph_node *s)
{
    struct sens_outer block = blocks[0];
    for (size_t b = 1; b < n_blocks; b++)
        if (blocks[b].cols < block.cols) block = blocks[b];
    for (size_t i = 0; i < n; i++) {
        const graph_node *row = graph->output + block.first + i * block.cols;
        s[i] = shared_factor(graph, row[0], row[block.cols - 1]);
    }
}

/* Are all entries of the block s_i phi_j? phi is appended to the outputs. */
static bool add_phi(struct graph *graph, struct sens_outer block, const graph_node *s, size_t n)
{
    for (size_t j = 0; j < block.cols; j++) {
        graph_node phi = GRAPH_ZERO, other;
        for (size_t i = 0; i < n; i++) {
            if (!divides(graph, graph->output[block.first + i * block.cols + j], s[i],
                         i == 0 ? &phi : &other))
                return false;
            if (i > 0 && other != phi) return false;
        }
        graph_add_output(graph, phi);
    }
    return true;
}

struct outer { /* their factors are appended to the outputs of the graph of (df/dp)^T: s [n], then phi */
    size_t n_blocks, columns;
    struct sens_outer *blocks;
    graph_node *s; /* [n] nodes of that graph */
};

static bool has_factors(struct graph *graph, struct outer *outer, size_t n)
{
    find_s(graph, outer->blocks, outer->n_blocks, n, outer->s);
    for (size_t i = 0; i < n; i++) {
        if (outer->s[i] == GRAPH_ZERO) return false;
        graph_add_output(graph, outer->s[i]);
    }
    for (size_t b = 0; b < outer->n_blocks; b++) {
        if (!add_phi(graph, outer->blocks[b], outer->s, n)) return false;
        outer->columns += outer->blocks[b].cols;
    }
    return true;
}

/* *found: whether there are outer products. What `outer` points to is for the caller to free, found or not. */
static sens_status find_outer(struct derive_entries *jacobian_p, size_t n, struct outer *outer, bool *found)
{
    const struct sens_pattern *pattern = &jacobian_p->pattern;
    *outer = (struct outer){.blocks = malloc((pattern->rows + 1) * sizeof *outer->blocks),
                            .s = malloc((n + 1) * sizeof *outer->s)};
    *found = false;
    if (!outer->blocks || !outer->s) return SENS_NO_MEMORY;
    outer->n_blocks = find_blocks(pattern, n, outer->blocks);
    *found = outer->n_blocks > 0 && has_factors(jacobian_p->graph, outer, n);
    return graph_status(jacobian_p->graph);
}

/* ---- coupling ------------------------------------------------------------------------------------------ */

/* varies [n_nodes]: what depends on t or x. */
static bool *varying(const struct graph *graph)
{
    bool *varies = calloc(graph->n_nodes, sizeof *varies);
    for (size_t k = 0; varies && k < graph->n_nodes; k++) {
        const struct graph_operation *node = &graph->node[k];
        const unsigned operands = graph_operands(node->op);
        varies[k] = (operands > 0 && varies[node->a]) || (operands > 1 && varies[node->b]) ||
                    (operands > 2 && varies[node->c]) || node->op == GRAPH_T || node->op == GRAPH_X;
    }
    return varies;
}

/* The nodes s of another graph as nodes of this one. false: no memory. */
static bool copy_factors(struct graph *into, const struct graph *from, const graph_node *s, size_t n,
                         graph_node *copied)
{
    graph_node *place = calloc(from->n_nodes, sizeof *place);
    if (!place) return false;
    copy_all(into, from, place);
    for (size_t i = 0; i < n; i++) copied[i] = place[s[i]];
    free(place);
    return graph_status(into) == SENS_OK;
}

/* An entry of the diagonal, d + s_i m. m is the first term of the sum at its top that is s_i times a function of p,
 * as the product rule leaves it behind in x_i (r_i + sum_j A_ij x_j): without it the rows of d are sums without a
 * gap. 0 where there is none. */
static graph_node split_diagonal(struct graph *graph, graph_node entry, graph_node s_i, const bool *varies,
                                 graph_node *m)
{
    const struct graph_operation sum = graph->node[entry];
    if (sum.op == GRAPH_ADD && divides(graph, sum.a, s_i, m) && !varies[*m]) return sum.b;
    if (sum.op == GRAPH_ADD && divides(graph, sum.b, s_i, m) && !varies[*m]) return sum.a;
    *m = GRAPH_ZERO;
    return entry;
}

/* M from the entries, then d. An entry that the pattern lacks is 0. d [n]: memory. */
static bool add_coupling(struct derive_entries *jacobian, const graph_node *s, size_t n, const bool *varies,
                         graph_node *d)
{
    struct graph *graph = jacobian->graph;
    const struct sens_pattern *pattern = &jacobian->pattern;
    for (size_t i = 0; i < n; i++) {
        size_t e = pattern->start[i];
        d[i] = GRAPH_ZERO;
        for (size_t k = 0; k < n; k++) {
            const bool is_entry = e < pattern->start[i + 1] && pattern->col[e] == k;
            graph_node m = GRAPH_ZERO;
            if (is_entry && i == k)
                d[i] = split_diagonal(graph, graph->output[e], s[i], varies, &m);
            else if (is_entry && (!divides(graph, graph->output[e], s[i], &m) || varies[m]))
                return false;
            graph_add_output(graph, m);
            e += is_entry;
        }
    }
    for (size_t i = 0; i < n; i++) graph_add_output(graph, d[i]);
    return true;
}

/* M [n][n] and then d [n] are appended to the outputs of the graph of df/dx, if it is so. */
static sens_status find_coupling(struct derive_entries *jacobian, const struct graph *of_p,
                                 const graph_node *s, size_t n, bool *found)
{
    graph_node *own = malloc((n + 1) * sizeof *own), *d = malloc((n + 1) * sizeof *d);
    bool *varies = NULL;
    *found = false;
    graph_constant(jacobian->graph, 1); /* before the nodes are counted: a quotient may be it */
    const bool copied = own && d && copy_factors(jacobian->graph, of_p, s, n, own);
    if (copied) varies = varying(jacobian->graph);
    if (varies) *found = add_coupling(jacobian, own, n, varies, d);
    free(own);
    free(d);
    free(varies);
    if (!varies) return SENS_NO_MEMORY;
    return graph_status(jacobian->graph);
}

bool structure_is_constant(const struct graph *graph, size_t outputs, bool *constant)
{
    bool *varies = varying(graph);
    *constant = true;
    for (size_t i = 0; varies && i < outputs; i++) *constant = *constant && !varies[graph->output[i]];
    free(varies);
    return varies;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/* Two parts whose outputs follow each other. */
static sens_status take_parts(const struct graph *from, size_t first, const size_t count[2],
                              struct graph **part)
{
    const sens_status status = copy_outputs(from, first, count[0], &part[0]);
    return status == SENS_OK ? copy_outputs(from, first + count[0], count[1], &part[1]) : status;
}

static sens_status add_coupled(const struct graph *f, size_t n, const struct graph *of_p, const graph_node *s,
                               struct structure *structure)
{
    struct derive_entries jacobian = {.graph = NULL};
    const size_t count[2] = {n * n, n};
    bool found = false;
    if (derive_few_entries(f, GRAPH_X, n * n / 2)) return SENS_OK;
    sens_status status = derive_jacobian(f, n, &jacobian);
    const size_t first = status == SENS_OK ? jacobian.graph->n_outputs : 0;
    if (status == SENS_OK) status = find_coupling(&jacobian, of_p, s, n, &found);
    if (found && status == SENS_OK)
        status = take_parts(jacobian.graph, first, count, &structure->part[STRUCTURE_COUPLING]);
    derive_entries_destroy(&jacobian);
    return status;
}

static sens_status add_outer(const struct graph *f, size_t n, struct derive_entries *jacobian_p,
                             struct structure *structure)
{
    const size_t first = jacobian_p->graph->n_outputs;
    struct outer outer;
    bool found;
    sens_status status = find_outer(jacobian_p, n, &outer, &found);
    if (found && status == SENS_OK) {
        const size_t count[2] = {n, outer.columns};
        structure->n_blocks = outer.n_blocks;
        structure->blocks = outer.blocks;
        outer.blocks = NULL;
        status = take_parts(jacobian_p->graph, first, count, &structure->part[STRUCTURE_S]);
        if (status == SENS_OK) status = add_coupled(f, n, jacobian_p->graph, outer.s, structure);
    }
    free(outer.blocks);
    free(outer.s);
    return status;
}

sens_status structure_find(const struct graph *f, size_t n, size_t np, struct structure *structure)
{
    struct derive_entries jacobian_p = {.graph = NULL};
    *structure = (struct structure){.n_blocks = 0};
    if (np < n || np == 0 || !derive_few_entries(f, GRAPH_P, np)) return SENS_OK;
    sens_status status = derive_jacobian_p(f, np, &jacobian_p);
    if (status == SENS_OK) status = add_outer(f, n, &jacobian_p, structure);
    derive_entries_destroy(&jacobian_p);
    if (status != SENS_OK) structure_release(structure);
    return status;
}

void structure_release(struct structure *structure)
{
    for (int k = 0; k < STRUCTURE_PARTS; k++) graph_destroy(structure->part[k]);
    free(structure->blocks);
    *structure = (struct structure){.n_blocks = 0};
}
