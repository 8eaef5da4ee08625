/* derive/products/rules.c - the derivatives of single operations. */
#include "rules.h"

static graph_node constant(struct graph *g, long double value)
{
    return graph_constant(g, value);
}
static graph_node neg(struct graph *g, graph_node a)
{
    return graph_apply(g, GRAPH_NEG, a, 0, 0);
}
static graph_node add(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_ADD, a, b, 0);
}
static graph_node sub(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_SUB, a, b, 0);
}
static graph_node mul(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_MUL, a, b, 0);
}
static graph_node quotient(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_DIV, a, b, 0);
}
static graph_node function(struct graph *g, enum graph_op op, graph_node a)
{
    return graph_apply(g, op, a, 0, 0);
}
static graph_node either(struct graph *g, graph_node condition, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_SELECT, condition, a, b);
}

/* ---- products ------------------------------------------------------------------------------------------ */

static bool one_sided(const struct graph_operation *node)
{
    return node->op == GRAPH_SELECT && (node->b == GRAPH_ZERO || node->c == GRAPH_ZERO);
}

/* Of a sum of adjoints so many nodes, at its end, are looked at for sides of a select: they may be shared by many sums,
 * and are written anew for each. */
enum { MOST_NODES = 128 };

static bool has_side(const struct graph *g, graph_node a, unsigned *left)
{
    const struct graph_operation *node = &g->node[a];
    if (*left == 0) return false;
    --*left;
    if (one_sided(node)) return true;
    if (node->op != GRAPH_ADD && node->op != GRAPH_NEG) return false;
    return has_side(g, node->a, left) || (node->op == GRAPH_ADD && has_side(g, node->b, left));
}

static graph_node scaled(struct graph *g, graph_node adjoint, graph_node factor, unsigned *left)
{
    const struct graph_operation node = g->node[adjoint];
    unsigned ahead = *left;
    if (!has_side(g, adjoint, &ahead)) return mul(g, adjoint, factor);
    --*left;
    if (node.op == GRAPH_NEG) return neg(g, scaled(g, node.a, factor, left));
    const graph_node one = node.op == GRAPH_ADD ? node.a : node.b,
                     two = node.op == GRAPH_ADD ? node.b : node.c;
    const graph_node first = scaled(g, one, factor, left), second = scaled(g, two, factor, left);
    return node.op == GRAPH_ADD ? rule_sum(g, first, second) : either(g, node.a, first, second);
}

graph_node rule_scaled(struct graph *graph, graph_node adjoint, graph_node factor)
{
    const bool finite = graph_operands(graph->node[factor].op) == 0; /* an input, or a constant */
    unsigned left = MOST_NODES;
    return finite ? mul(graph, adjoint, factor) : scaled(graph, adjoint, factor, &left);
}

graph_node rule_sum(struct graph *graph, graph_node a, graph_node b)
{
    const struct graph_operation one = graph->node[a], two = graph->node[b];
    if (!one_sided(&one) || !one_sided(&two) || one.a != two.a) return add(graph, a, b);
    return either(graph, one.a, rule_sum(graph, one.b, two.b), rule_sum(graph, one.c, two.c));
}

/* ---- linear operations --------------------------------------------------------------------------------- */

bool rule_passes(enum graph_op op, unsigned operand)
{
    if (op == GRAPH_LESS || op == GRAPH_LESS_EQUAL) return false;
    return operand < graph_operands(op) && (op != GRAPH_SELECT || operand > 0);
}

bool rule_is_linear(enum graph_op op)
{
    switch (op) {
    case GRAPH_NEG:
    case GRAPH_ADD:
    case GRAPH_SUB:
    case GRAPH_FABS:
    case GRAPH_FMIN:
    case GRAPH_FMAX:
    case GRAPH_SELECT:
        return true;
    default:
        return false;
    }
}

/* 1 where the first of two sides is taken; at a tie the first. */
static graph_node side(struct graph *g, const struct graph_operation *node)
{
    switch (node->op) {
    case GRAPH_FABS:
        return graph_apply(g, GRAPH_LESS_EQUAL, GRAPH_ZERO, node->a, 0);
    case GRAPH_FMIN:
        return graph_apply(g, GRAPH_LESS_EQUAL, node->a, node->b, 0);
    case GRAPH_FMAX:
        return graph_apply(g, GRAPH_LESS_EQUAL, node->b, node->a, 0);
    default:
        return node->a;
    }
}

graph_node rule_forward(struct graph *graph, const struct graph_operation *node, const graph_node d[3])
{
    switch (node->op) {
    case GRAPH_NEG:
        return neg(graph, d[0]);
    case GRAPH_ADD:
        return add(graph, d[0], d[1]);
    case GRAPH_SUB:
        return sub(graph, d[0], d[1]);
    case GRAPH_FABS:
        return either(graph, side(graph, node), d[0], neg(graph, d[0]));
    case GRAPH_SELECT:
        return either(graph, side(graph, node), d[1], d[2]);
    default:
        return either(graph, side(graph, node), d[0], d[1]);
    }
}

graph_node rule_reverse(struct graph *graph, const struct graph_operation *node, unsigned operand,
                        graph_node adjoint)
{
    const unsigned first = node->op == GRAPH_SELECT;
    switch (node->op) {
    case GRAPH_NEG:
        return neg(graph, adjoint);
    case GRAPH_ADD:
        return adjoint;
    case GRAPH_SUB:
        return operand == 0 ? adjoint : neg(graph, adjoint);
    case GRAPH_FABS:
        return either(graph, side(graph, node), adjoint, neg(graph, adjoint));
    default:
        return operand == first ? either(graph, side(graph, node), adjoint, GRAPH_ZERO)
                                : either(graph, side(graph, node), GRAPH_ZERO, adjoint);
    }
}

/* ---- powers -------------------------------------------------------------------------------------------- */

/* a^e, without pow for the exponents that derivatives of low powers have. */
static graph_node power(struct graph *g, graph_node a, long double e)
{
    if (e == 0) return constant(g, 1);
    if (e == 1) return a;
    if (e == 2) return mul(g, a, a);
    if (e == 3) return mul(g, mul(g, a, a), a);
    return graph_apply(g, GRAPH_POW, a, constant(g, e), 0);
}

static graph_node is_not_zero(struct graph *g, graph_node a)
{
    return graph_apply(g, GRAPH_LESS, GRAPH_ZERO, function(g, GRAPH_FABS, a), 0);
}

/* d(a^b)/da = b a^(b-1), and 0 where a and b are. For other a it is 0 at b = 0 by itself, as its own derivative by b,
 * a^(b-1), is not. */
static graph_node power_by_base(struct graph *g, graph_node a, graph_node b)
{
    long double exponent;
    if (graph_is_constant(g, b, &exponent))
        return exponent == 0 ? GRAPH_ZERO : mul(g, b, power(g, a, exponent - 1));
    const graph_node less = sub(g, b, constant(g, 1)),
                     sizes = add(g, function(g, GRAPH_FABS, a), function(g, GRAPH_FABS, b));
    return either(g, is_not_zero(g, sizes), mul(g, b, graph_apply(g, GRAPH_POW, a, less, 0)), GRAPH_ZERO);
}

/* d(a^b)/db = a^b log a, and for a = 0 < b its limit 0. */
static graph_node power_by_exponent(struct graph *g, graph_node a, graph_node b, graph_node value)
{
    const graph_node product = mul(g, value, function(g, GRAPH_LOG, a));
    const graph_node positive = graph_apply(g, GRAPH_LESS, GRAPH_ZERO, b, 0);
    return either(g, is_not_zero(g, a), product, either(g, positive, GRAPH_ZERO, product));
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static graph_node inverse(struct graph *g, graph_node a)
{
    return quotient(g, constant(g, 1), a);
}

static graph_node squared(struct graph *g, graph_node a)
{
    return mul(g, a, a);
}

/* sqrt(1 - a^2), without cancellation near 1 */
static graph_node cosine_of_asin(struct graph *g, graph_node a)
{
    const graph_node one = constant(g, 1);
    return function(g, GRAPH_SQRT, mul(g, sub(g, one, a), add(g, one, a)));
}

/* |a|, or 350: from there on 1 by cosh squared is as good as 0, and cosh is not to be infinite where it is
 * differentiated once more. */
static graph_node held_back(struct graph *g, graph_node a)
{
    return graph_apply(g, GRAPH_FMIN, function(g, GRAPH_FABS, a), constant(g, 350), 0);
}

static graph_node partial_of_one(struct graph *g, enum graph_op op, graph_node a, graph_node value)
{
    switch (op) {
    case GRAPH_SQRT:
        return quotient(g, constant(g, 0.5L), value);
    case GRAPH_CBRT:
        return inverse(g, mul(g, constant(g, 3), squared(g, value)));
    case GRAPH_EXP:
        return value;
    case GRAPH_EXPM1: /* value + 1 has no digits left where exp is small */
        return function(g, GRAPH_EXP, a);
    case GRAPH_LOG:
        return inverse(g, a);
    case GRAPH_LOG1P:
        return inverse(g, add(g, constant(g, 1), a));
    case GRAPH_SIN:
        return function(g, GRAPH_COS, a);
    case GRAPH_COS:
        return neg(g, function(g, GRAPH_SIN, a));
    case GRAPH_TAN:
        return add(g, constant(g, 1), squared(g, value));
    case GRAPH_ASIN:
        return inverse(g, cosine_of_asin(g, a));
    case GRAPH_ACOS:
        return neg(g, inverse(g, cosine_of_asin(g, a)));
    case GRAPH_ATAN:
        return inverse(g, add(g, constant(g, 1), squared(g, a)));
    case GRAPH_SINH:
        return function(g, GRAPH_COSH, a);
    case GRAPH_COSH:
        return function(g, GRAPH_SINH, a);
    case GRAPH_TANH: /* 1 - value^2 likewise */
        return squared(g, inverse(g, function(g, GRAPH_COSH, held_back(g, a))));
    default:
        return GRAPH_ZERO;
    }
}

/* atan2(a, b): b / h^2 and -a / h^2, h = hypot(a, b), in two steps: h^2 may underflow */
static graph_node partial_of_angle(struct graph *g, graph_node a, graph_node b, unsigned operand)
{
    const graph_node h = graph_apply(g, GRAPH_HYPOT, a, b, 0);
    const graph_node other = operand == 0 ? b : neg(g, a);
    return quotient(g, quotient(g, other, h), h);
}

graph_node rule_partial(struct graph *graph, const struct graph_operation *node, graph_node value,
                        unsigned operand)
{
    const graph_node a = node->a, b = node->b;
    switch (node->op) {
    case GRAPH_MUL:
        return operand == 0 ? b : a;
    case GRAPH_DIV:
        return operand == 0 ? inverse(graph, b) : neg(graph, quotient(graph, value, b));
    case GRAPH_POW:
        return operand == 0 ? power_by_base(graph, a, b) : power_by_exponent(graph, a, b, value);
    case GRAPH_ATAN2:
        return partial_of_angle(graph, a, b, operand);
    case GRAPH_HYPOT:
        return quotient(graph, operand == 0 ? a : b, value);
    default:
        return partial_of_one(graph, node->op, a, value);
    }
}
