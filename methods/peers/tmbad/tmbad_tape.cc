/* Recorded functions as tapes of TMBad, optimised and compressed (Kristensen, TMB 1.9, TMBad.hpp: ADFun).
 *
 * All of t, x and p are independents of a tape. Guards are further outputs, two numbers each. TMBad sweeps backwards
 * with one vector at a time, and has no forward mode: (df/dx) v is the reverse sweep of the tape of (x, w) -> J^T w
 * with v as its weights, which is how TMB itself does it. */
#include "tmbad_tape.h"

#include <iostream>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

/* What R would bring along: streams, and what to do where an assertion does not hold. */
#define Rcout                 std::cerr
#define Rcerr                 std::cerr
#define TMBAD_ASSERT2(x, why) (static_cast<bool>(x) ? void() : throw std::logic_error(why))
#define TMBAD_ASSERT(x)       TMBAD_ASSERT2(x, #x)
#include <TMBad/TMBad.hpp>

#include <TMBad/TMBad.cpp> // NOLINT(bugprone-suspicious-include): the library has no object file of its own

#include "walk.h"

namespace {

using TMBad::ad_aug;

/* The tape that is being made is global to the library. */
std::mutex turn;

/* ---- a function written with the library's numbers ----------------------------------------------------------- */

class numbers {
  public:
    using result = ad_aug;
    static constexpr bool computes_fixed = false, drops = false;

    numbers(const taped_function &function, const std::vector<ad_aug> &independents)
        : f(*function.graph), in(independents), n(function.n), fixed(f.n_nodes), known(f.n_nodes),
          value(f.n_nodes)
    {
    }

    bool is_fixed(graph_node k) const { return fixed[k]; }

    void leaf(graph_node k)
    {
        const graph_operation &node = f.node[k];
        value[k] = in[node.op == GRAPH_T ? 0 : node.op == GRAPH_X ? 1 + node.a : 1 + n + node.a];
    }

    void number(graph_node k, double fixed_value)
    {
        fixed[k] = true;
        known[k] = fixed_value;
        value[k] = fixed_value;
    }

    const ad_aug &active(graph_node k) const { return value[k]; }
    template <class Use> void with_fixed(graph_node k, const Use &use) { use(known[k]); }
    void keep(graph_node k, const ad_aug &computed) { value[k] = computed; }

    void less(graph_node k, graph_node a, graph_node b, bool or_equal)
    {
        const ad_aug yes = 1.0, no = 0.0;
        value[k] = or_equal ? CondExpLe(value[a], value[b], yes, no) : CondExpLt(value[a], value[b], yes, no);
    }

    void select(graph_node k, graph_node c, graph_node a, graph_node b)
    {
        value[k] = CondExpNe(value[c], ad_aug(0.0), value[a], value[b]);
    }

    ad_aug angle(const ad_aug &, const ad_aug &) { throw std::logic_error("atan2"); /* lacks */ }
    ad_aug smaller(const ad_aug &u, const ad_aug &v) { return min(u, v); }
    ad_aug larger(const ad_aug &u, const ad_aug &v) { return max(u, v); }
    ad_aug exp_less_one(const ad_aug &u) { return expm1(u); }
    ad_aug log_of_one_plus(const ad_aug &u) { return log1p(u); }

  private:
    const graph &f;
    const std::vector<ad_aug> &in;
    const size_t n;
    std::vector<bool> fixed;
    std::vector<double> known;
    std::vector<ad_aug> value;
};

/* The outputs, then both sides of each guard. */
std::vector<ad_aug> write(const taped_function &function, const std::vector<ad_aug> &in)
{
    const graph &f = *function.graph;
    numbers known(function, in);
    peers::walk<numbers>(f, known).run();
    std::vector<ad_aug> out;
    for (size_t i = 0; i < f.n_outputs; i++) out.push_back(known.active(f.output[i]));
    for (size_t k = 0; k < f.n_guards; k++) {
        out.push_back(known.active(f.guard[k].a));
        out.push_back(known.active(f.guard[k].b));
    }
    return out;
}

/* ---- a tape ---------------------------------------------------------------------------------------------------- */

class tape {
  public:
    tape(const taped_function &function, bool for_p, const taped_point &at)
        : f(function), begin(for_p ? 1 + f.n : 1), inputs(for_p ? f.np : f.n), m(f.graph->n_outputs),
          back([this](const std::vector<ad_aug> &in) { return write(f, in); }, point(at))
    {
        finish(back);
    }

    sens_status reverse(const taped_point &at, bool unguarded, size_t L, const double *W, bool add,
                        double *OUT)
    {
        if (!move(back, point(at), unguarded)) return SENS_OUT_OF_DOMAIN;
        for (size_t l = 0; l < L; l++) {
            back.clear_deriv();
            for (size_t i = 0; i < m; i++) back.deriv_dep(at_most(i)) += W[i * L + l];
            back.reverse();
            for (size_t k = 0; k < inputs; k++) {
                const double one = back.deriv_inv(at_most(begin + k));
                OUT[k * L + l] = add ? OUT[k * L + l] + one : one;
            }
        }
        return SENS_OK;
    }

    sens_status forward(const taped_point &at, bool unguarded, size_t L, const double *V, double *OUT)
    {
        std::vector<double> in = point(at);
        if (!move(back, in, unguarded)) return SENS_OUT_OF_DOMAIN;
        if (ahead.Domain() == 0) make_ahead();
        const size_t first = in.size();
        in.resize(ahead.Domain(), 0.0);
        ahead.glob.forward(ahead.DomainVecSet(in));
        for (size_t l = 0; l < L; l++) {
            ahead.clear_deriv();
            for (size_t k = 0; k < inputs; k++) ahead.deriv_dep(at_most(k)) += V[k * L + l];
            ahead.reverse();
            for (size_t i = 0; i < m; i++) OUT[i * L + l] = ahead.deriv_inv(at_most(first + i));
        }
        return SENS_OK;
    }

  private:
    static TMBad::Index at_most(size_t index) { return static_cast<TMBad::Index>(index); }

    static void finish(TMBad::ADFun<> &made)
    {
        made.optimize();
        TMBad::compress(made.glob);
    }

    std::vector<double> point(const taped_point &at) const
    {
        std::vector<double> in(1, at.t);
        if (f.n > 0) in.insert(in.end(), at.x, at.x + f.n);
        if (f.np > 0) in.insert(in.end(), at.p, at.p + f.np);
        return in;
    }

    /* (t, x, p, w) -> the part of J^T w that is wanted. */
    void make_ahead()
    {
        std::vector<bool> wanted(1 + f.n + f.np, false);
        for (size_t k = 0; k < inputs; k++) wanted[begin + k] = true;
        ahead = back.WgtJacFun(wanted);
        finish(ahead);
    }

    bool move(TMBad::ADFun<> &made, const std::vector<double> &in, bool unguarded)
    {
        made.glob.forward(made.DomainVecSet(in));
        for (size_t k = 0; k < f.graph->n_guards && !unguarded; k++) {
            const double a = made.glob.value_dep(at_most(m + 2 * k)),
                         b = made.glob.value_dep(at_most(m + 2 * k + 1));
            if (graph_holds(f.graph->guard[k].comparison, a, b) != f.graph->guard[k].held) return false;
        }
        return true;
    }

    const taped_function f;
    const size_t begin, inputs, m;
    TMBad::ADFun<> back, ahead;
};

/* ---- C: no exception may pass ------------------------------------------------------------------------------------ */

template <class Work> sens_status guarded(const Work &work)
{
    const std::lock_guard<std::mutex> mine(turn);
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return SENS_NO_MEMORY;
    } catch (...) { /* an assertion, or what it does not have */
        return SENS_UNSUPPORTED;
    }
}

bool lacks(graph_op op)
{
    return op == GRAPH_ATAN2;
}

sens_status create(const taped_function *f, bool by_p, const taped_point *at, void **made)
{
    return guarded([&] {
        *made = new tape(*f, by_p, *at);
        return SENS_OK;
    });
}

void destroy(void *made)
{
    const std::lock_guard<std::mutex> mine(turn);
    delete static_cast<tape *>(made);
}

sens_status reverse(void *made, const taped_point *at, bool unguarded, size_t L, const double *W, bool add,
                    double *OUT)
{
    return guarded([&] { return static_cast<tape *>(made)->reverse(*at, unguarded, L, W, add, OUT); });
}

sens_status forward(void *made, const taped_point *at, bool unguarded, size_t L, const double *V, double *OUT)
{
    return guarded([&] { return static_cast<tape *>(made)->forward(*at, unguarded, L, V, OUT); });
}

} // namespace

extern const struct taper tmbad_taper = {lacks, create, destroy, reverse, forward};
