/* Recorded functions evaluated with Sacado's numbers: RadVec for the vector reverse mode, SFad for the forward one.
 *
 * Sacado keeps no tape between points: each evaluation of the function leaves what one sweep needs
 * (Weighted_GradcompVec: all vectors in that sweep). So the function is evaluated anew at each point, with plain
 * numbers for what does not depend on the independents, and guards and choices are looked at while it is. */
#include "sacado_tape.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include <Sacado_tradvec.hpp>

#include <Sacado_No_Kokkos.hpp>

#include "walk.h"

namespace {

using reverse_number = Sacado::RadVec::ADvari<double>;
using reverse_variable = Sacado::RadVec::ADvar<double>;
enum { BLOCK = 16 }; /* vectors of a forward evaluation */
using forward_number = Sacado::Fad::SFad<double, BLOCK>;

/* The memory of an evaluation is the library's, and global to it. */
std::mutex turn;

/* ---- numbers of an evaluation ------------------------------------------------------------------------------- */

/* What a node is kept as: a number of the reverse mode lives in the library's memory. */
template <class Number> struct kept {
    Number number;
    const Number &get() const { return number; }
    template <class Result> void set(const Result &result) { number = result; }
};

template <> struct kept<reverse_number> {
    const reverse_number *place = nullptr;
    const reverse_number &get() const { return *place; }
    void set(const reverse_number &result) { place = &result; }
    void set(double known) { place = new reverse_number(known); }
};

template <class Number> struct result_of {
    using type = Number;
};
template <> struct result_of<reverse_number> {
    using type = const reverse_number &;
};

template <class Number> class numbers {
  public:
    using result = typename result_of<Number>::type;
    static constexpr bool computes_fixed = true, drops = false;

    numbers(const taped_function &function, bool by_p)
        : f(*function.graph), independent(by_p ? GRAPH_P : GRAPH_X), in(by_p ? function.np : function.n),
          fixed(f.n_nodes), known(f.n_nodes), value(f.n_nodes)
    {
    }

    /* Where the next evaluation is: t, x and p by value, of which x or p are in `in` already. */
    void move(const taped_point &point) { at = point; }

    bool is_fixed(graph_node k) const { return fixed[k]; }

    void leaf(graph_node k)
    {
        const graph_operation &node = f.node[k];
        if (node.op == independent)
            keep(k, in[node.a].get());
        else
            number(k, node.op == GRAPH_T ? at.t : node.op == GRAPH_X ? at.x[node.a] : at.p[node.a]);
    }

    void number(graph_node k, double fixed_value)
    {
        fixed[k] = true;
        known[k] = fixed_value;
    }

    const Number &active(graph_node k)
    {
        if (fixed[k]) value[k].set(known[k]);
        return value[k].get();
    }

    template <class Use> void with_fixed(graph_node k, const Use &use) { use(known[k]); }

    template <class Result> void keep(graph_node k, const Result &computed)
    {
        fixed[k] = false;
        value[k].set(computed);
    }

    void both_fixed(graph_node k, graph_op op, graph_node a, graph_node b)
    {
        const auto plain = [&](double computed) { number(k, computed); };
        if (!peers::arithmetic(op, known[a], known[b], plain))
            number(k, static_cast<double>(graph_operate(op, known[a], known[b], 0)));
    }

    double plain(graph_node k) const { return fixed[k] ? known[k] : val_of(value[k].get()); }

    void less(graph_node k, graph_node a, graph_node b, bool or_equal)
    {
        number(k, (or_equal ? plain(a) <= plain(b) : plain(a) < plain(b)) ? 1 : 0);
    }

    void select(graph_node k, graph_node c, graph_node a, graph_node b)
    {
        const graph_node taken = plain(c) != 0 ? a : b;
        if (fixed[taken])
            number(k, known[taken]);
        else
            keep(k, value[taken].get());
    }

    result angle(const Number &u, const Number &v) { return atan2(u, v); }
    result smaller(const Number &u, const Number &v) { return min(u, v); }
    result larger(const Number &u, const Number &v) { return max(u, v); }
    result exp_less_one(const Number &u) { return peers::expm1_of<result>(u); }
    result log_of_one_plus(const Number &u) { return peers::log1p_of<result>(u); }

    bool guards_hold() const
    {
        for (size_t k = 0; k < f.n_guards; k++)
            if (graph_holds(f.guard[k].comparison, plain(f.guard[k].a), plain(f.guard[k].b)) !=
                f.guard[k].held)
                return false;
        return true;
    }

  private:
    static double val_of(const reverse_number &number) { return number.Val; }
    static double val_of(const forward_number &number) { return number.val(); }

    const graph &f;
    const graph_op independent;

  public:
    std::vector<kept<Number>> in; /* the independents */

  private:
    taped_point at{};
    std::vector<bool> fixed;
    std::vector<double> known;
    std::vector<kept<Number>> value;
};

/* ---- sweeps ---------------------------------------------------------------------------------------------------- */

class tape {
  public:
    tape(const taped_function &function, bool for_p)
        : f(function), by_p(for_p), n(by_p ? f.np : f.n), m(f.graph->n_outputs), back(f, by_p),
          ahead(f, by_p), walk_back(*f.graph, back), walk_ahead(*f.graph, ahead)
    {
    }

    sens_status reverse(const taped_point &at, bool unguarded, size_t L, const double *W, bool add,
                        double *OUT)
    {
        const double *const inputs = by_p ? at.p : at.x;
        for (size_t i = 0; i < n; i++) back.in[i].set(inputs[i]);
        back.move(at);
        walk_back.run();
        if (!unguarded && !back.guards_hold()) {
            reverse_variable::Weighted_GradcompVec(0, nullptr, nullptr,
                                                   nullptr); /* its memory is free again */
            return SENS_OUT_OF_DOMAIN;
        }
        sweep(L, W);
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < L; l++) {
                const double one = back.in[i].get().aval[l];
                OUT[i * L + l] = add ? OUT[i * L + l] + one : one;
            }
        return SENS_OK;
    }

    sens_status forward(const taped_point &at, bool unguarded, size_t L, const double *V, double *OUT)
    {
        ahead.move(at);
        for (size_t l0 = 0; l0 < L; l0 += BLOCK) {
            const size_t q = std::min<size_t>(BLOCK, L - l0);
            seed(at, q, L, V + l0);
            walk_ahead.run();
            if (!unguarded && !ahead.guards_hold()) return SENS_OUT_OF_DOMAIN;
            for (size_t i = 0; i < m; i++) {
                const forward_number &y = ahead.active(f.graph->output[i]);
                for (size_t l = 0; l < q; l++) OUT[i * L + l0 + l] = y.dx(static_cast<int>(l));
            }
        }
        return SENS_OK;
    }

  private:
    /* Each output is a variable of its own, as the function of a user would have it: two may be one node. */
    void sweep(size_t L, const double *W)
    {
        std::vector<reverse_variable> out;
        std::vector<reverse_variable *> place(m);
        std::vector<double> weight(m * L);
        std::vector<double *> row(L);
        std::vector<reverse_variable **> places(L, place.data());
        std::vector<size_t> count(L, m);
        out.reserve(m);
        for (size_t i = 0; i < m; i++) {
            out.emplace_back(back.active(f.graph->output[i]));
            place[i] = &out[i];
            for (size_t l = 0; l < L; l++) weight[l * m + i] = W[i * L + l];
        }
        for (size_t l = 0; l < L; l++) row[l] = weight.data() + l * m;
        reverse_variable::Weighted_GradcompVec(L, count.data(), places.data(), row.data());
    }

    void seed(const taped_point &at, size_t q, size_t L, const double *V)
    {
        const double *const inputs = by_p ? at.p : at.x;
        for (size_t i = 0; i < n; i++) {
            forward_number one(BLOCK, inputs[i]);
            for (size_t l = 0; l < q; l++) one.fastAccessDx(static_cast<int>(l)) = V[i * L + l];
            ahead.in[i].set(one);
        }
    }

    const taped_function f;
    const bool by_p;
    const size_t n, m;
    numbers<reverse_number> back;
    numbers<forward_number> ahead;
    peers::walk<numbers<reverse_number>> walk_back;
    peers::walk<numbers<forward_number>> walk_ahead;
};

/* ---- C: no exception may pass ---------------------------------------------------------------------------------- */

sens_status create(const taped_function *f, bool by_p, const taped_point *, void **made)
{
    try {
        *made = new tape(*f, by_p);
        return SENS_OK;
    } catch (...) {
        return SENS_NO_MEMORY;
    }
}

void destroy(void *made)
{
    delete static_cast<tape *>(made);
}

sens_status reverse(void *made, const taped_point *at, bool unguarded, size_t L, const double *W, bool add,
                    double *OUT)
{
    const std::lock_guard<std::mutex> mine(turn);
    try {
        return static_cast<tape *>(made)->reverse(*at, unguarded, L, W, add, OUT);
    } catch (...) {
        return SENS_NO_MEMORY;
    }
}

sens_status forward(void *made, const taped_point *at, bool unguarded, size_t L, const double *V, double *OUT)
{
    const std::lock_guard<std::mutex> mine(turn);
    try {
        return static_cast<tape *>(made)->forward(*at, unguarded, L, V, OUT);
    } catch (...) {
        return SENS_NO_MEMORY;
    }
}

} // namespace

extern const struct taper sacado_taper = {nullptr, create, destroy, reverse, forward};
