/* Right-hand sides as graphs, as their recording would make them. */
#ifndef RHS_SUPPORT_H
#define RHS_SUPPORT_H

#include "graph.h"

struct rhs {
    struct graph *graph;
    size_t n, np;
};

static inline graph_node add(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_ADD, a, b, 0);
}
static inline graph_node sub(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_SUB, a, b, 0);
}
static inline graph_node mul(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_MUL, a, b, 0);
}
static inline graph_node quotient(struct graph *g, graph_node a, graph_node b)
{
    return graph_apply(g, GRAPH_DIV, a, b, 0);
}
static inline graph_node function(struct graph *g, enum graph_op op, graph_node a)
{
    return graph_apply(g, op, a, 0, 0);
}
static inline graph_node X(struct graph *g, size_t i)
{
    return graph_leaf(g, GRAPH_X, i);
}
static inline graph_node P(struct graph *g, size_t j)
{
    return graph_leaf(g, GRAPH_P, j);
}
static inline graph_node number(struct graph *g, long double value)
{
    return graph_constant(g, value);
}

/* x_i' = x_i (r_i + sum_j A_ij x_j), p = [r | A] */
static inline struct rhs glv_graph(size_t n)
{
    struct graph *g = graph_create();
    for (size_t i = 0; i < n; i++) {
        graph_node sum = P(g, i);
        for (size_t j = 0; j < n; j++) sum = add(g, sum, mul(g, P(g, n + i * n + j), X(g, j)));
        graph_add_output(g, mul(g, X(g, i), sum));
    }
    return (struct rhs){g, n, n + n * n};
}

/* u_ij' = p0 n^2 (sum of the neighbours - 4 u_ij) on side x side points, 0 around */
static inline struct rhs heat_graph(size_t side)
{
    struct graph *g = graph_create();
    const graph_node scale = mul(g, P(g, 0), number(g, (long double)((side + 1) * (side + 1))));
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            graph_node sum = mul(g, number(g, -4), X(g, i * side + j));
            if (i > 0) sum = add(g, sum, X(g, (i - 1) * side + j));
            if (i + 1 < side) sum = add(g, sum, X(g, (i + 1) * side + j));
            if (j > 0) sum = add(g, sum, X(g, i * side + j - 1));
            if (j + 1 < side) sum = add(g, sum, X(g, i * side + j + 1));
            graph_add_output(g, mul(g, scale, sum));
        }
    return (struct rhs){g, side * side, 1};
}

/* x_k' = sum_i x_i sum_j p_kij x_j */
static inline struct rhs quadratic_graph(size_t n)
{
    struct graph *g = graph_create();
    for (size_t k = 0; k < n; k++) {
        graph_node sum = number(g, 0);
        for (size_t i = 0; i < n; i++) {
            graph_node inner = number(g, 0);
            for (size_t j = 0; j < n; j++) inner = add(g, inner, mul(g, P(g, (k * n + i) * n + j), X(g, j)));
            sum = add(g, sum, mul(g, X(g, i), inner));
        }
        graph_add_output(g, sum);
    }
    return (struct rhs){g, n, n * n * n};
}

/* x_k' = sum_i p_i tanh(sum_j q_ij x_j) x_k, p = [p | q] */
static inline struct rhs layer_graph(size_t n)
{
    struct graph *g = graph_create();
    graph_node sum = number(g, 0);
    for (size_t i = 0; i < n; i++) {
        graph_node inner = number(g, 0);
        for (size_t j = 0; j < n; j++) inner = add(g, inner, mul(g, P(g, n + i * n + j), X(g, j)));
        sum = add(g, sum, mul(g, P(g, i), function(g, GRAPH_TANH, inner)));
    }
    for (size_t k = 0; k < n; k++) graph_add_output(g, mul(g, sum, X(g, k)));
    return (struct rhs){g, n, n + n * n};
}

/* y_0' = p_0, y_i' = p_i y_(i-1) */
static inline struct rhs chain_graph(size_t n)
{
    struct graph *g = graph_create();
    for (size_t i = 0; i < n; i++) graph_add_output(g, i == 0 ? P(g, 0) : mul(g, P(g, i), X(g, i - 1)));
    return (struct rhs){g, n, n};
}

/* Flux form: q_j = k_j n^2 (x_(j+1) - x_j), x_i' = q_i - q_(i-1); with `exponential` k_j exp(x_j + x_(j+1)) */
static inline struct rhs conduction_graph(size_t n, bool exponential)
{
    struct graph *g = graph_create();
    const graph_node scale = number(g, (long double)(n * n));
    for (size_t i = 0; i < n; i++) {
        graph_node flow[2] = {GRAPH_ZERO, GRAPH_ZERO};
        for (size_t side = 0; side < 2; side++) {
            if (i + side < 1 || i + side >= n) continue;
            const size_t j = i + side - 1;
            graph_node k = mul(g, scale, P(g, j));
            if (exponential) k = mul(g, k, function(g, GRAPH_EXP, add(g, X(g, j), X(g, j + 1))));
            flow[side] = mul(g, k, sub(g, X(g, j + 1), X(g, j)));
        }
        graph_add_output(g, sub(g, flow[1], flow[0]));
    }
    return (struct rhs){g, n, n > 1 ? n - 1 : 0};
}

/* The Brusselator on a square, u and v interleaved, p = [A, B, alpha]:
 *     u' = A + u^2 v - (B + 1) u + alpha n^2 lap u,   v' = B u - u^2 v + alpha n^2 lap v
 * periodic, or without flux through the boundary. */
static inline struct rhs brusselator_graph(size_t side, bool periodic)
{
    struct graph *g = graph_create();
    const graph_node scale = mul(g, P(g, 2), number(g, (long double)(side * side)));
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            const size_t row[4] = {i + side - 1, i + 1, i, i}, column[4] = {j, j, j + side - 1, j + 1};
            const bool inside[4] = {i > 0, i + 1 < side, j > 0, j + 1 < side};
            for (size_t c = 0; c < 2; c++) {
                const size_t cell = 2 * (i * side + j);
                const graph_node u = X(g, cell), v = X(g, cell + 1), own = X(g, cell + c);
                const graph_node uuv = mul(g, mul(g, u, u), v);
                graph_node lap = GRAPH_ZERO;
                size_t neighbours = 0;
                for (size_t k = 0; k < 4; k++) {
                    if (!periodic && !inside[k]) continue;
                    lap = add(g, lap, X(g, 2 * (row[k] % side * side + column[k] % side) + c));
                    neighbours++;
                }
                lap = sub(g, lap, mul(g, number(g, (long double)neighbours), own));
                const graph_node reaction =
                    c == 0 ? sub(g, add(g, P(g, 0), uuv), mul(g, add(g, P(g, 1), number(g, 1)), u))
                           : sub(g, mul(g, P(g, 1), u), uuv);
                graph_add_output(g, add(g, reaction, mul(g, scale, lap)));
            }
        }
    return (struct rhs){g, 2 * side * side, 3};
}

/* x' = y, y' = mu (1 - x^2) y - x */
static inline struct rhs vdp_graph(void)
{
    struct graph *g = graph_create();
    const graph_node x = X(g, 0), y = X(g, 1);
    graph_add_output(g, y);
    graph_add_output(g, sub(g, mul(g, mul(g, P(g, 0), sub(g, number(g, 1), mul(g, x, x))), y), x));
    return (struct rhs){g, 2, 1};
}

static inline struct rhs robertson_graph(void)
{
    struct graph *g = graph_create();
    const graph_node slow = mul(g, P(g, 0), X(g, 0)), back = mul(g, mul(g, P(g, 1), X(g, 1)), X(g, 2));
    const graph_node fast = mul(g, mul(g, P(g, 2), X(g, 1)), X(g, 1));
    graph_add_output(g, add(g, function(g, GRAPH_NEG, slow), back));
    graph_add_output(g, sub(g, sub(g, slow, back), fast));
    graph_add_output(g, fast);
    return (struct rhs){g, 3, 3};
}

#endif
