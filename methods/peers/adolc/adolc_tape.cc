/* Tapes of the right-hand sides in adolc_rhs.h, and sweeps over them (ADOL-C manual, sections 1.6, 2.5
 * and 5.3). */
#include "adolc_tape.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include <adolc/adolc.h>

#include "adolc_rhs.h"

namespace {

/* ---- the right-hand sides, by name --------------------------------------------------------------------- */

/* Parameters of the tape, made one after the other from `first`. They cannot be copied, so each use fetches
 * one. */
struct fetched {
    locint first;
    pdouble operator[](size_t i) const { return getparam(first + static_cast<locint>(i)); }
};

struct entry {
    const char *name;
    unsigned forms;
    bool (*fits)(unsigned form, size_t n, size_t np);
    void (*plain)(unsigned form, size_t n, const double *t, const double *x, const double *p, double *dx);
    void (*of_x)(unsigned form, size_t n, const fetched &t, const adouble *x, const fetched &p, adouble *dx);
    void (*of_p)(unsigned form, size_t n, const fetched &t, const fetched &x, const adouble *p, adouble *dx);
};

template <class Rhs>
void plain(unsigned form, size_t n, const double *t, const double *x, const double *p, double *dx)
{
    Rhs::write(form, n, t, x, p, dx);
}

template <class Rhs>
void of_x(unsigned form, size_t n, const fetched &t, const adouble *x, const fetched &p, adouble *dx)
{
    Rhs::write(form, n, t, x, p, dx);
}

template <class Rhs>
void of_p(unsigned form, size_t n, const fetched &t, const fetched &x, const adouble *p, adouble *dx)
{
    Rhs::write(form, n, t, x, p, dx);
}

template <class Rhs> constexpr entry entry_of(const char *name, unsigned forms)
{
    return {name, forms, Rhs::fits, plain<Rhs>, of_x<Rhs>, of_p<Rhs>};
}

const entry entries[] = {
    entry_of<rhs::glv>("glv", 1),
    entry_of<rhs::vdp>("vdp", 2),
    entry_of<rhs::heat>("heat", 1),
    entry_of<rhs::forced>("forced", 22),
    entry_of<rhs::oscillator>("oscillator", 1),
};

const entry *find(const char *problem)
{
    for (const entry &e : entries)
        if (std::strcmp(e.name, problem) == 0) return &e;
    return nullptr;
}

/* ---- a tape -------------------------------------------------------------------------------------------- */

enum { BLOCK = 64 }; /* vectors of one sweep */

/* Rows of a block, as the library wants matrices. */
struct rows {
    std::vector<double> number;
    std::vector<double *> row;

    rows(size_t count, size_t length) : number(count * length), row(count)
    {
        for (size_t i = 0; i < count; i++) row[i] = number.data() + i * length;
    }
};

/* m outputs of n independents, with the other arguments as parameters. */
class tape {
  public:
    tape(size_t outputs, size_t independents, size_t fixed)
        : tag(next_tag()), m(static_cast<int>(outputs)), n(static_cast<int>(independents)), parameter(fixed),
          value(outputs), cotangent(BLOCK, outputs), adjoint(BLOCK, independents),
          tangent(independents, BLOCK), derivative(outputs, BLOCK), argument(independents)
    {
    }

    template <class Write> bool record(const double *x, const Write &write)
    {
        /* Bounds for adolc_rhs.h: the buffers hold the whole tape, so that no file is ever written. */
        const size_t size = 4096 + 16 * (static_cast<size_t>(n) + static_cast<size_t>(m) + parameter.size());
        if (size > std::numeric_limits<uint>::max() / 8) return false;
        const uint operations = static_cast<uint>(size);
        trace_on(tag, 0, operations, 5 * operations, operations, operations);
        {
            std::vector<adouble> in(static_cast<size_t>(n)), out(static_cast<size_t>(m));
            for (size_t i = 0; i < in.size(); i++) in[i] <<= x[i];
            const locint first = parameter.empty() ? 0 : mkparam_idx(parameter[0]);
            for (size_t i = 1; i < parameter.size(); i++) mkparam_idx(parameter[i]);
            write(in.data(), fetched{first}, out.data());
            for (size_t i = 0; i < out.size(); i++) out[i] >>= value[i];
        }
        trace_off();
        size_t stats[STAT_SIZE];
        tapestats(tag, stats);
        return !stats[OP_FILE_ACCESS] && !stats[LOC_FILE_ACCESS] && !stats[VAL_FILE_ACCESS] &&
               stats[TAY_STACK_SIZE] <= stats[TAY_BUFFER_SIZE];
    }

    /* Where the next sweeps are: x by value, and what stands in `parameter`. */
    bool move(const double *x, bool for_reverse)
    {
        std::copy(x, x + n, argument.begin());
        set_param_vec(tag, parameter.size(), parameter.data());
        return !for_reverse || zos_forward(tag, m, n, 1, argument.data(), value.data()) >= 0;
    }

    /* adjoint.row[l] = (transposed derivative) cotangent.row[l], l < q */
    bool reverse(size_t q)
    {
        return fov_reverse(tag, m, n, static_cast<int>(q), cotangent.row.data(), adjoint.row.data()) >= 0;
    }

    /* OUT = derivative V, rows of q numbers */
    bool forward(size_t q, double **V, double **OUT)
    {
        return fov_forward(tag, m, n, static_cast<int>(q), argument.data(), V, value.data(), OUT) >= 0;
    }

  private:
    static short next_tag()
    {
        static short last = 0; /* tags are global to the library */
        if (last == std::numeric_limits<short>::max()) throw std::bad_alloc();
        return ++last;
    }

    const short tag;
    const int m, n;

  public:
    std::vector<double> parameter;
    std::vector<double> value;
    rows cotangent, adjoint;  /* [BLOCK][m], [BLOCK][n] */
    rows tangent, derivative; /* [n][BLOCK], [m][BLOCK] */

  private:
    std::vector<double> argument;
};

/* Columns l0 ... l0 + q of W [m][L] as rows. */
void take(size_t m, size_t L, size_t l0, size_t q, const double *W, rows &to)
{
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < q; l++) to.row[l][i] = W[i * L + l0 + l];
}

const double nan_value = std::numeric_limits<double>::quiet_NaN();

/* The library is not safe for threads: tapes, their cache and every sweep belong to one at a time. */
std::mutex turn;

} // namespace

struct adolc_tapes {
    adolc_tapes(size_t states, size_t parameters)
        : n(states), np(parameters), of_x(n, n, 1 + np), of_p(n, np, 1 + n)
    {
    }

    /* The tapes' parameters: t, then p; and t, then x. */
    void set(double t, const double *x, const double *p)
    {
        of_x.parameter[0] = of_p.parameter[0] = t;
        std::copy(p, p + np, of_x.parameter.begin() + 1);
        std::copy(x, x + n, of_p.parameter.begin() + 1);
    }

    const size_t n, np;
    tape of_x, of_p;
};

/* ---- C ------------------------------------------------------------------------------------------------- */

unsigned adolc_forms(const char *problem)
{
    const entry *e = find(problem);
    return e ? e->forms : 0;
}

bool adolc_rhs(const char *problem, unsigned form, size_t n, size_t np, double t, const double *x,
               const double *p, double *dx)
{
    const entry *e = find(problem);
    if (!e || form >= e->forms || !e->fits(form, n, np)) return false;
    e->plain(form, n, &t, x, p, dx);
    return true;
}

static std::unique_ptr<adolc_tapes> record(const entry &e, unsigned form, size_t n, size_t np, double t,
                                           const double *x, const double *p)
{
    std::unique_ptr<adolc_tapes> made(new adolc_tapes(n, np));
    made->set(t, x, p);
    const bool whole = made->of_x.record(x, [&](const adouble *in, const fetched &fixed, adouble *out) {
        e.of_x(form, n, fixed, in, fetched{fixed.first + 1}, out);
    }) && made->of_p.record(p, [&](const adouble *in, const fetched &fixed, adouble *out) {
        e.of_p(form, n, fixed, fetched{fixed.first + 1}, in, out);
    });
    if (!whole) made.reset();
    return made;
}

struct adolc_tapes *adolc_tapes_get(const char *problem, unsigned form, size_t n, size_t np, double t,
                                    const double *x, const double *p)
{
    using key = std::tuple<std::string, unsigned, size_t>;
    static std::map<key, std::unique_ptr<adolc_tapes>> known; /* the tapes are the library's, and global */
    const std::lock_guard<std::mutex> mine(turn);
    const entry *e = find(problem);
    if (!e || form >= e->forms || !e->fits(form, n, np)) return nullptr;
    try {
        std::unique_ptr<adolc_tapes> &place = known[key(problem, form, n)];
        if (!place) place = record(*e, form, n, np, t, x, p);
        return place.get();
    } catch (...) { /* no exception may pass into C */
        return nullptr;
    }
}

/* OUT [outputs][L] = or += the transposed product of the tape at x with W [n][L], a block of lanes at a time. */
static void reverse_blocks(tape &sweep, const double *x, size_t n, size_t outputs, bool add, size_t L,
                           const double *W, double *OUT)
{
    bool good = sweep.move(x, true);
    for (size_t l0 = 0, q; l0 < L; l0 += q) {
        q = std::min<size_t>(BLOCK, L - l0);
        take(n, L, l0, q, W, sweep.cotangent);
        good = good && sweep.reverse(q);
        for (size_t i = 0; i < outputs; i++)
            for (size_t l = 0; l < q; l++) {
                const double one = good ? sweep.adjoint.row[l][i] : nan_value;
                double &to = OUT[i * L + l0 + l];
                to = add ? to + one : one;
            }
    }
}

void adolc_vjp(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t L,
               const double *W, double *OUT)
{
    const std::lock_guard<std::mutex> mine(turn);
    tapes->set(t, x, p);
    reverse_blocks(tapes->of_x, x, tapes->n, tapes->n, false, L, W, OUT);
}

void adolc_vjp_p(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t L,
                 const double *W, double *MU)
{
    const std::lock_guard<std::mutex> mine(turn);
    tapes->set(t, x, p);
    reverse_blocks(tapes->of_p, p, tapes->n, tapes->np, true, L, W, MU);
}

/* With a row of the tangents for each independent and one of the derivatives for each output. */
static void forward_block(tape &sweep, size_t n, size_t q, bool add, size_t L, double *OUT)
{
    const bool good = sweep.forward(q, sweep.tangent.row.data(), sweep.derivative.row.data());
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < q; l++) {
            const double one = good ? sweep.derivative.row[i][l] : nan_value;
            OUT[i * L + l] = add ? OUT[i * L + l] + one : one;
        }
}

void adolc_jvp(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t L,
               const double *V, double *OUT)
{
    const std::lock_guard<std::mutex> mine(turn);
    const size_t n = tapes->n;
    tape &sweep = tapes->of_x;
    tapes->set(t, x, p);
    sweep.move(x, false);
    for (size_t l0 = 0, q; l0 < L; l0 += q) {
        q = std::min<size_t>(BLOCK, L - l0);
        for (size_t i = 0; i < n; i++) std::copy(V + i * L + l0, V + i * L + l0 + q, sweep.tangent.row[i]);
        forward_block(sweep, n, q, false, L, OUT + l0);
    }
}

void adolc_jvp_p_cols(struct adolc_tapes *tapes, double t, const double *x, const double *p, size_t k0,
                      size_t L, double *OUT)
{
    const std::lock_guard<std::mutex> mine(turn);
    tape &sweep = tapes->of_p;
    tapes->set(t, x, p);
    sweep.move(p, false);
    std::fill(sweep.tangent.number.begin(), sweep.tangent.number.end(), 0.0);
    for (size_t l0 = 0, q; l0 < L; l0 += q) {
        q = std::min<size_t>(BLOCK, L - l0);
        for (size_t l = 0; l < q; l++) sweep.tangent.row[k0 + l0 + l][l] = 1;
        forward_block(sweep, tapes->n, q, true, L, OUT + l0);
        for (size_t l = 0; l < q; l++) sweep.tangent.row[k0 + l0 + l][l] = 0;
    }
}
