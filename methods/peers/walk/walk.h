/* methods/peers/walk/walk.h - a recorded function, evaluated with the numbers of a library that overloads operators.
 *
 * A Library says what its numbers are. Nodes are fixed (not differentiated: constants, and what a library makes of the
 * leaves that are no independents) or active; k is a node.
 *
 *     bool is_fixed(k)                whether it is, once it was kept
 *     leaf(k), number(k, double)      keep a leaf, a constant
 *     const active &active(k)         its number, made of a fixed one where it is
 *     with_fixed(k, use)              use(the fixed number), whatever its type is
 *     keep(k, result)                 of an operation
 *     both_fixed(k, op, a, b)         an operation on fixed numbers (b = a where it has one operand), where
 *                                     Library::computes_fixed; else they are made active
 *     less(k, a, b, or_equal), select(k, c, a, b)   1 or 0; a where c is not 0, else b
 *     smaller(u, v), larger(u, v), angle(u, v)   fmin, fmax, atan2
 *     exp_less_one(u), log_of_one_plus(u)        expm1, log1p: its own, or those below, of type Library::result
 *     drop(k)                         nothing needs it any more; where Library::drops
 */
#ifndef PEERS_WALK_H
#define PEERS_WALK_H

#include <cmath>
#include <vector>

extern "C" {
#include "taper.h"
}

namespace peers {

/* ---- functions that not all libraries have; R is their result ------------------------------------------------ */

template <class R, class U> R expm1_of(const U &u)
{
    return 2.0 * sinh(u * 0.5) * exp(u * 0.5);
}

/* Near 0 the second term puts right what 1 + u has lost (Kahan). */
template <class R, class U> R log1p_of(const U &u)
{
    R v = 1.0 + u;
    return log(v) - ((v - 1.0) - u) / v;
}

template <class R, class U> R cbrt_of(const U &u)
{
    return u / pow(u * u, 1.0 / 3.0);
}

template <class R, class U> R hypot_of(const U &u, const U &v)
{
    return sqrt(u * u + v * v);
}

/* ---- operations: keep(op(u)), keep(op(u, v)) ---------------------------------------------------------------- */

template <class U, class Keep> void unary(graph_op op, const U &u, const Keep &keep)
{
    using std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::fabs, std::log, std::sin,
        std::sinh, std::sqrt, std::tan, std::tanh;
    switch (op) {
    case GRAPH_NEG:
        return keep(-u);
    case GRAPH_SQRT:
        return keep(sqrt(u));
    case GRAPH_EXP:
        return keep(exp(u));
    case GRAPH_LOG:
        return keep(log(u));
    case GRAPH_SIN:
        return keep(sin(u));
    case GRAPH_COS:
        return keep(cos(u));
    case GRAPH_TAN:
        return keep(tan(u));
    case GRAPH_ASIN:
        return keep(asin(u));
    case GRAPH_ACOS:
        return keep(acos(u));
    case GRAPH_ATAN:
        return keep(atan(u));
    case GRAPH_SINH:
        return keep(sinh(u));
    case GRAPH_COSH:
        return keep(cosh(u));
    case GRAPH_TANH:
        return keep(tanh(u));
    default:
        return keep(fabs(u));
    }
}

template <class U, class V, class Keep> bool arithmetic(graph_op op, const U &u, const V &v, const Keep &keep)
{
    switch (op) {
    case GRAPH_ADD:
        return keep(u + v), true;
    case GRAPH_SUB:
        return keep(u - v), true;
    case GRAPH_MUL:
        return keep(u * v), true;
    case GRAPH_DIV:
        return keep(u / v), true;
    default:
        return false;
    }
}

/* ---- the walk ------------------------------------------------------------------------------------------------ */

template <class Library> class walk {
  public:
    walk(const graph &function, Library &with) : f(function), library(with), uses(function.n_nodes, 0)
    {
        for (size_t k = 0; k < f.n_nodes; k++)
            for (unsigned i = 0; i < graph_operands(f.node[k].op); i++) uses[graph_operand(&f.node[k], i)]++;
        for (size_t i = 0; i < f.n_outputs; i++) uses[f.output[i]]++; /* these stay */
        for (size_t i = 0; i < f.n_guards; i++) uses[f.guard[i].a]++, uses[f.guard[i].b]++;
    }

    /* All nodes that something needs, in the order of evaluation; once where Library::drops. */
    void run()
    {
        for (graph_node k = 0; k < f.n_nodes; k++) {
            if (uses[k] == 0) continue;
            node(k);
            if constexpr (Library::drops) drop_operands(k);
        }
    }

  private:
    const graph &f;
    Library &library;
    std::vector<size_t> uses;

    void drop_operands(graph_node k)
    {
        for (unsigned i = 0; i < graph_operands(f.node[k].op); i++) {
            const graph_node used = graph_operand(&f.node[k], i);
            if (--uses[used] == 0) library.drop(used);
        }
    }

    void node(graph_node k)
    {
        const graph_operation &at = f.node[k];
        long double value;
        if (graph_is_constant(&f, k, &value)) return library.number(k, static_cast<double>(value));
        switch (graph_operands(at.op)) {
        case 0:
            return library.leaf(k);
        case 1:
            return one(k, at);
        case 2:
            return two(k, at);
        default:
            return library.select(k, at.a, at.b, at.c);
        }
    }

    auto keeper(graph_node k)
    {
        return [this, k](auto &&result) { library.keep(k, std::forward<decltype(result)>(result)); };
    }

    void one(graph_node k, const graph_operation &at)
    {
        using result = typename Library::result;
        if constexpr (Library::computes_fixed) {
            if (library.is_fixed(at.a)) return library.both_fixed(k, at.op, at.a, at.a);
        }
        const auto &u = library.active(at.a);
        switch (at.op) {
        case GRAPH_EXPM1:
            return library.keep(k, library.exp_less_one(u));
        case GRAPH_LOG1P:
            return library.keep(k, library.log_of_one_plus(u));
        case GRAPH_CBRT:
            return library.keep(k, cbrt_of<result>(u));
        default:
            return unary(at.op, u, keeper(k));
        }
    }

    void two(graph_node k, const graph_operation &at)
    {
        const bool fixed_a = library.is_fixed(at.a), fixed_b = library.is_fixed(at.b);
        bool done = false;
        if (at.op == GRAPH_LESS || at.op == GRAPH_LESS_EQUAL)
            return library.less(k, at.a, at.b, at.op == GRAPH_LESS_EQUAL);
        if constexpr (Library::computes_fixed) {
            if (fixed_a && fixed_b) return library.both_fixed(k, at.op, at.a, at.b);
        }
        if (fixed_a)
            library.with_fixed(
                at.a, [&](const auto &u) { done = arithmetic(at.op, u, library.active(at.b), keeper(k)); });
        else if (fixed_b)
            library.with_fixed(at.b, [&](const auto &v) {
                done = arithmetic(at.op, library.active(at.a), v, keeper(k));
                if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>) {
                    if (at.op == GRAPH_POW) done = (keeper(k)(pow(library.active(at.a), v)), true);
                }
            });
        if (!done) both_active(k, at.op, library.active(at.a), library.active(at.b));
    }

    template <class U> void both_active(graph_node k, graph_op op, const U &u, const U &v)
    {
        if (arithmetic(op, u, v, keeper(k))) return;
        switch (op) {
        case GRAPH_POW:
            return library.keep(k, pow(u, v));
        case GRAPH_ATAN2:
            return library.keep(k, library.angle(u, v));
        case GRAPH_HYPOT:
            return library.keep(k, hypot_of<typename Library::result>(u, v));
        case GRAPH_FMIN:
            return library.keep(k, library.smaller(u, v));
        default:
            return library.keep(k, library.larger(u, v));
        }
    }
};

} // namespace peers

#endif
