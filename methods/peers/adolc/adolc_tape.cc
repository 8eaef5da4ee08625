/* Tapes of recorded functions, and vector sweeps over them (ADOL-C manual, sections 1.6, 2.5 and 5.3).
 *
 * The independents of a tape are x or p; what is left of t, x and p are its parameters, set before a sweep. Both sides
 * of each guard are further dependents, compared after the forward sweep: comparisons on the tape itself, which the
 * manual has for this (section 1.7), print a warning whenever they go another way. */
#include "adolc_tape.h"

#include <algorithm>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include <adolc/adolc.h>

#include "walk.h"

namespace {

enum { BLOCK = 64 }; /* vectors of one sweep */

/* The library is not safe for threads: tapes and every sweep belong to one at a time. */
std::mutex turn;

/* ---- a function written with the library's numbers ---------------------------------------------------------- */

/* Parameters of the tape, made one after the other from `first`: t, then p (or x). */
class numbers {
  public:
    using result = adouble;
    static constexpr bool computes_fixed = false, drops = true;

    numbers(const graph &function, graph_op independent_leaf, const std::vector<adouble> &independents,
            locint first_parameter)
        : f(function), independent(independent_leaf), in(independents), first(first_parameter),
          kind(function.n_nodes, ACTIVE), constant(function.n_nodes), value(function.n_nodes)
    {
    }

    bool is_fixed(graph_node k) const { return kind[k] != ACTIVE; }

    void leaf(graph_node k)
    {
        if (f.node[k].op != independent) kind[k] = PARAMETER;
    }

    void number(graph_node k, double known)
    {
        kind[k] = CONSTANT;
        constant[k] = known;
    }

    const adouble &active(graph_node k)
    {
        if (kind[k] == ACTIVE && f.node[k].op == independent) return in[f.node[k].a];
        if (!value[k]) {
            value[k].emplace();
            with_fixed(k, [&](const auto &known) { *value[k] = known; });
        }
        return *value[k];
    }

    template <class Use> void with_fixed(graph_node k, const Use &use)
    {
        if (kind[k] == CONSTANT)
            use(constant[k]);
        else
            use(getparam(first + (f.node[k].op == GRAPH_T ? 0 : 1 + f.node[k].a)));
    }

    template <class Result> void keep(graph_node k, const Result &computed) { value[k].emplace(computed); }

    void less(graph_node k, graph_node a, graph_node b, bool or_equal)
    {
        const adouble gap = active(b) - active(a), yes = 1.0, no = 0.0;
        value[k].emplace();
        if (or_equal)
            condeqassign(*value[k], gap, yes, no);
        else
            condassign(*value[k], gap, yes, no);
    }

    void select(graph_node k, graph_node c, graph_node a, graph_node b)
    {
        const adouble &condition = active(c), &yes = active(a), &no = active(b);
        value[k].emplace();
        condassign(*value[k], condition, yes, no);
    }

    adouble angle(const adouble &u, const adouble &v) { return atan2(u, v); }
    adouble smaller(const adouble &u, const adouble &v) { return fmin(u, v); }
    adouble larger(const adouble &u, const adouble &v) { return fmax(u, v); }
    adouble exp_less_one(const adouble &u) { return peers::expm1_of<adouble>(u); }
    adouble log_of_one_plus(const adouble &u) { return peers::log1p_of<adouble>(u); }
    void drop(graph_node k) { value[k].reset(); }

  private:
    enum is { ACTIVE, CONSTANT, PARAMETER };
    const graph &f;
    const graph_op independent;
    const std::vector<adouble> &in;
    const locint first;
    std::vector<is> kind;
    std::vector<double> constant;
    std::vector<std::optional<adouble>> value;
};

/* ---- a tape -------------------------------------------------------------------------------------------------- */

/* Rows of a block, as the library wants matrices. */
struct rows {
    std::vector<double> number;
    std::vector<double *> row;

    rows(size_t count, size_t length) : number(count * length), row(count)
    {
        for (size_t i = 0; i < count; i++) row[i] = number.data() + i * length;
    }
};

/* Tags are global to the library, and used again. */
std::vector<short> free_tags;
short last_tag;

/* The library's places for numbers, of which it has as many as were ever wanted at a time; a tape keeps all of them. */
size_t most_places;

short take_tag()
{
    if (!free_tags.empty()) {
        const short tag = free_tags.back();
        free_tags.pop_back();
        return tag;
    }
    if (last_tag == std::numeric_limits<short>::max()) throw std::bad_alloc();
    free_tags.reserve(static_cast<size_t>(last_tag) + 1); /* giving one back needs no memory */
    return ++last_tag;
}

/* The library keeps what reverse sweeps need of at most TBUFNUM tapes, and ends with an error beyond. So a tape that
 * has not been used for long is given up, and recorded again at its point when it is. */
class tape;
std::list<tape *> living; /* the last used first */

class tape {
  public:
    tape(const taped_function &function, bool for_p, const taped_point &at)
        : f(function), by_p(for_p), n(by_p ? f.np : f.n), m(f.graph->n_outputs),
          dependents(m + 2 * f.graph->n_guards), t0(at.t), x0(at.x, at.x + f.n), p0(at.p, at.p + f.np),
          parameter(1 + (by_p ? f.n : f.np)), argument(n), value(dependents), cotangent(BLOCK, dependents),
          adjoint(BLOCK, n), tangent(n, BLOCK), derivative(dependents, BLOCK)
    {
    }
    tape(const tape &) = delete;
    tape &operator=(const tape &) = delete;
    ~tape() { give_up(); }

    /* Before each sweep; false: it cannot be recorded. */
    bool ready()
    {
        if (tag >= 0) {
            living.splice(living.begin(), living, place);
            return true;
        }
        if (living.size() >= TBUFNUM - 2) living.back()->give_up();
        living.push_front(this);
        place = living.begin();
        tag = take_tag();
        if (record({t0, x0.data(), p0.data()})) return true;
        give_up();
        return false;
    }

    sens_status reverse(const taped_point &at, bool unguarded, size_t L, const double *W, bool add,
                        double *OUT)
    {
        move(at);
        const int code = zos_forward(tag, whole(dependents), whole(n), 1, argument.data(), value.data());
        sens_status status = outcome(code, unguarded);
        for (size_t l0 = 0, q; l0 < L && status == SENS_OK; l0 += q) {
            q = std::min<size_t>(BLOCK, L - l0);
            for (size_t i = 0; i < m; i++)
                for (size_t l = 0; l < q; l++) cotangent.row[l][i] = W[i * L + l0 + l];
            if (fov_reverse(tag, whole(dependents), whole(n), whole(q), cotangent.row.data(),
                            adjoint.row.data()) < 0)
                return SENS_UNSUPPORTED;
            for (size_t i = 0; i < n; i++)
                for (size_t l = 0; l < q; l++) {
                    double &to = OUT[i * L + l0 + l];
                    to = add ? to + adjoint.row[l][i] : adjoint.row[l][i];
                }
        }
        return status;
    }

    sens_status forward(const taped_point &at, bool unguarded, size_t L, const double *V, double *OUT)
    {
        sens_status status = SENS_OK;
        move(at);
        for (size_t l0 = 0, q; l0 < L && status == SENS_OK; l0 += q) {
            q = std::min<size_t>(BLOCK, L - l0);
            for (size_t i = 0; i < n; i++) std::copy(V + i * L + l0, V + i * L + l0 + q, tangent.row[i]);
            const int code = fov_forward(tag, whole(dependents), whole(n), whole(q), argument.data(),
                                         tangent.row.data(), value.data(), derivative.row.data());
            status = outcome(code, unguarded);
            for (size_t i = 0; i < m && status == SENS_OK; i++)
                std::copy(derivative.row[i], derivative.row[i] + q, OUT + i * L + l0);
        }
        return status;
    }

  private:
    void give_up()
    {
        if (tag < 0) return;
        removeTape(tag, ADOLC_REMOVE_COMPLETELY);
        free_tags.push_back(tag);
        tag = -1;
        living.erase(place);
    }

    bool record(const taped_point &at)
    {
        /* Bounds, so that the buffers hold the whole tape and no file is ever written. */
        const size_t size = 4096 + 8 * (f.graph->n_nodes + f.graph->n_guards + m + n + parameter.size());
        if (size + most_places > std::numeric_limits<uint>::max() / 8) return false;
        const uint room = static_cast<uint>(size), values = static_cast<uint>(size + most_places);
        set(at);
        trace_on(tag, 0, room, 5 * room, room, values);
        write();
        trace_off();
        size_t stats[STAT_SIZE];
        tapestats(tag, stats);
        most_places = std::max(most_places, stats[NUM_MAX_LIVES]);
        return !stats[OP_FILE_ACCESS] && !stats[LOC_FILE_ACCESS] && !stats[VAL_FILE_ACCESS] &&
               stats[TAY_STACK_SIZE] <= stats[TAY_BUFFER_SIZE];
    }

    static int whole(size_t count) { return static_cast<int>(count); }

    /* Of a forward sweep (manual, section 3.1). */
    sens_status outcome(int code, bool unguarded) const
    {
        return code < 0 ? SENS_UNSUPPORTED : unguarded || guards_hold() ? SENS_OK : SENS_OUT_OF_DOMAIN;
    }

    void set(const taped_point &at)
    {
        parameter[0] = at.t;
        if (by_p && f.n > 0) std::copy(at.x, at.x + f.n, parameter.begin() + 1);
        if (!by_p) std::copy(at.p, at.p + f.np, parameter.begin() + 1);
        std::copy(by_p ? at.p : at.x, (by_p ? at.p : at.x) + n, argument.begin());
    }

    void move(const taped_point &at)
    {
        set(at);
        set_param_vec(tag, parameter.size(), parameter.data());
    }

    void write()
    {
        const graph &function = *f.graph;
        std::vector<adouble> in(n);
        for (size_t i = 0; i < n; i++) in[i] <<= argument[i];
        const locint first = mkparam_idx(parameter[0]);
        for (size_t i = 1; i < parameter.size(); i++) mkparam_idx(parameter[i]);
        numbers known(function, by_p ? GRAPH_P : GRAPH_X, in, first);
        peers::walk<numbers>(function, known).run();
        size_t written = 0;
        const auto write_one = [&](graph_node k) { /* each its own: two may be one node */
                                                   adouble out = known.active(k);
                                                   out >>= value[written++];
        };
        for (size_t i = 0; i < m; i++) write_one(function.output[i]);
        for (size_t k = 0; k < function.n_guards; k++)
            write_one(function.guard[k].a), write_one(function.guard[k].b);
    }

    /* By the values of the last forward sweep. */
    bool guards_hold() const
    {
        for (size_t k = 0; k < f.graph->n_guards; k++) {
            const graph_guard &guard = f.graph->guard[k];
            if (graph_holds(guard.comparison, value[m + 2 * k], value[m + 2 * k + 1]) != guard.held)
                return false;
        }
        return true;
    }

    const taped_function f;
    const bool by_p;
    const size_t n, m, dependents; /* the outputs, then both sides of each guard */
    const double t0;               /* where it was recorded */
    const std::vector<double> x0, p0;
    std::vector<double> parameter, argument, value;
    rows cotangent, adjoint;  /* [BLOCK][m], [BLOCK][n] */
    rows tangent, derivative; /* [n][BLOCK], [m][BLOCK] */
    short tag = -1;           /* < 0: not recorded now */
    std::list<tape *>::iterator place;
};

/* ---- C: no exception may pass ---------------------------------------------------------------------------------- */

template <class Work> sens_status guarded(const Work &work)
{
    const std::lock_guard<std::mutex> mine(turn);
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return SENS_NO_MEMORY;
    } catch (...) { /* what the library throws where it sees no way on */
        return SENS_UNSUPPORTED;
    }
}

sens_status create(const taped_function *f, bool by_p, const taped_point *at, void **made)
{
    return guarded([&] {
        std::unique_ptr<tape> fresh(new tape(*f, by_p, *at));
        if (!fresh->ready()) return SENS_UNSUPPORTED;
        *made = fresh.release();
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
    return guarded([&] {
        tape *const mine = static_cast<tape *>(made);
        return mine->ready() ? mine->reverse(*at, unguarded, L, W, add, OUT) : SENS_UNSUPPORTED;
    });
}

sens_status forward(void *made, const taped_point *at, bool unguarded, size_t L, const double *V, double *OUT)
{
    return guarded([&] {
        tape *const mine = static_cast<tape *>(made);
        return mine->ready() ? mine->forward(*at, unguarded, L, V, OUT) : SENS_UNSUPPORTED;
    });
}

} // namespace

extern const struct taper adolc_taper = {nullptr, create, destroy, reverse, forward};
