/* derive/products/linear.c - is a function linear in x, with coefficients of p alone? */
#include <stdlib.h>

#include "products.h"

/* What a node is made of, each kind one of the next. LINEAR: coefficients of p alone times x, and a number of t, p. */
enum kind { OF_P, OF_T, LINEAR, OTHER };

static enum kind most(enum kind a, enum kind b)
{
    return a > b ? a : b;
}

static enum kind of_product(enum kind a, enum kind b)
{
    if (a == OF_P || b == OF_P) return most(a, b);
    return a == OF_T && b == OF_T ? OF_T : OTHER;
}

static enum kind of_quotient(enum kind a, enum kind b)
{
    if (b == OF_P) return a;
    return most(a, b) == OF_T ? OF_T : OTHER;
}

/* kind: of the nodes before. */
static enum kind of_node(const struct graph_operation *node, const enum kind *kind)
{
    enum kind of_operands = OF_P;
    for (unsigned which = 0; which < graph_operands(node->op); which++)
        of_operands = most(of_operands, kind[graph_operand(node, which)]);
    switch (node->op) {
    case GRAPH_CONSTANT:
    case GRAPH_P:
        return OF_P;
    case GRAPH_T:
        return OF_T;
    case GRAPH_X:
        return LINEAR;
    case GRAPH_NEG:
    case GRAPH_ADD:
    case GRAPH_SUB:
        return of_operands;
    case GRAPH_MUL:
        return of_product(kind[node->a], kind[node->b]);
    case GRAPH_DIV:
        return of_quotient(kind[node->a], kind[node->b]);
    default:
        return graph_operands(node->op) > 0 && of_operands <= OF_T ? of_operands : OTHER;
    }
}

bool derive_is_linear(const struct graph *f)
{
    enum kind *const kind = calloc(f->n_nodes, sizeof *kind);
    bool linear = kind && f->n_guards == 0;
    for (size_t k = 0; linear && k < f->n_nodes; k++) kind[k] = of_node(&f->node[k], kind);
    for (size_t i = 0; linear && i < f->n_outputs; i++) linear = kind[f->output[i]] != OTHER;
    free(kind);
    return linear;
}
