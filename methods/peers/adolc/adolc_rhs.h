/* methods/peers/adolc/adolc_rhs.h - right-hand sides for any scalar: double, to be compared with the
 * problem's own, and ADOL-C's, to be taped.
 *
 * A is the scalar, X and P give it or one of the tape's parameters by index. A parameter of the tape is
 * written into products where it can be; a variable of its own for it (A a = p[0]) is differentiated like any
 * other. */
#ifndef ADOLC_RHS_H
#define ADOLC_RHS_H

#include <cmath>
#include <cstddef>

namespace rhs {

using std::size_t;

/* A variable of its own. */
template <class A, class V> A copy(const V &value)
{
    A made;
    made = value;
    return made;
}

/* x_i' = x_i (r_i + sum_j A_ij x_j), p = [r | A]: problems/glv.c */
struct glv {
    static bool fits(unsigned, size_t n, size_t np) { return np == n + n * n; }

    template <class A, class T, class X, class P>
    static void write(unsigned, size_t n, const T &, const X &x, const P &p, A *dx)
    {
        for (size_t i = 0; i < n; i++) {
            A growth = copy<A>(p[i]);
            for (size_t j = 0; j < n; j++) growth += p[n + i * n + j] * x[j];
            dx[i] = growth * x[i];
        }
    }
};

/* x' = v, v' = rate ((1 - x^2) v - x), rate = 1/p (form 0) or p (form 1): problems/vdp.c */
struct vdp {
    static bool fits(unsigned, size_t n, size_t np) { return n == 2 && np == 1; }

    template <class A, class T, class X, class P>
    static void write(unsigned form, size_t, const T &, const X &state, const P &p, A *dx)
    {
        const A x = copy<A>(state[0]), v = copy<A>(state[1]);
        const A force = (1 - x * x) * v - x;
        dx[0] = v;
        if (form == 0)
            dx[1] = force / p[0];
        else
            dx[1] = force * p[0];
    }
};

/* u' = alpha n^2 (the five-point stencil), n^2 intervals: problems/heat.c */
struct heat {
    static size_t side(size_t points)
    {
        return static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(points))));
    }

    static bool fits(unsigned, size_t n, size_t np) { return np == 1 && side(n) * side(n) == n; }

    template <class A, class T, class X, class P>
    static void write(unsigned, size_t n, const T &, const X &u, const P &p, A *dx)
    {
        const size_t m = side(n);
        const double scale = static_cast<double>((m + 1) * (m + 1));
        size_t q = 0;
        for (size_t row = 0; row < m; row++)
            for (size_t col = 0; col < m; col++, q++) {
                A sum = u[q] * -4.0;
                if (row > 0) sum += u[q - m];
                if (row + 1 < m) sum += u[q + m];
                if (col > 0) sum += u[q - 1];
                if (col + 1 < m) sum += u[q + 1];
                sum *= scale;
                dx[q] = sum * p[0];
            }
    }
};

/* y' = p cos(t) y (form 0), or p t^q with q = form - 1: problems/forced.c */
struct forced {
    static bool fits(unsigned, size_t n, size_t np) { return n == 1 && np == 1; }

    template <class A, class T, class X, class P>
    static void write(unsigned form, size_t, const T &time, const X &y, const P &p, A *dx)
    {
        using std::cos;
        const A t = copy<A>(time[0]);
        A factor = 1;
        for (unsigned q = 1; q < form; q++) factor *= t;
        if (form == 0) factor = cos(t) * y[0];
        dx[0] = factor * p[0];
    }
};

/* x' = v, v' = -omega^2 x - 2 zeta v: problems/oscillator.c */
struct oscillator {
    static bool fits(unsigned, size_t n, size_t np) { return n == 2 && np == 2; }

    template <class A, class T, class X, class P>
    static void write(unsigned, size_t, const T &, const X &x, const P &p, A *dx)
    {
        const A omega = copy<A>(p[0]), zeta = copy<A>(p[1]), v = copy<A>(x[1]);
        dx[0] = v;
        dx[1] = -omega * omega * x[0] - 2 * zeta * v;
    }
};

} // namespace rhs

#endif
