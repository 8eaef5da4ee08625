/* The problem TRICKS, whose right-hand side is one expression of many, by its option `case`: each operation that can be
 * recorded, written in each of the ways that compilers have something of their own for; then what cannot be
 * recorded. Compiled twice into one module, by each compiler there is
 * (tests/bench/derive/record/test_recording_module.c).
 *
 *     x' = (e(x_0, x_1, p, t), 1),   no products of its own */
#include <string.h>
#include <tgmath.h>

#include "sens/lanes.h"
#include "sens/plugin.h"

enum { FIRST_REFUSED = 100 };

static sens_real absolute(sens_real x)
{
    return x < 0 ? -x : x;
}

/* With an array that is zero but for its beginning, and a struct that is copied. */
static sens_real through_memory(sens_real a, sens_real b)
{
    struct pair {
        sens_real first[3], last;
    } one = {{a}, b}, two;
    memcpy(&two, &one, sizeof one);
    one = two;
    return one.first[0] * one.last + one.first[1] + one.first[2];
}

/* Newton's method for the cube root of a: the number of steps is a branch. */
static sens_real newton(sens_real a)
{
    sens_real y = 1;
    for (int k = 0; k < 60 && fabs(y * y * y - a) > SENS_C(1e-13); k++) y -= (y * y * y - a) / (3 * y * y);
    return y;
}

static sens_real arithmetic(int which, sens_real a, sens_real b, sens_real p, sens_real t)
{
    switch (which) {
    case 0:
        return a + b * p - t;
    case 1:
        return -a - (-b) + (-a) * b / -p;
    case 2:
        return -(a * -b) - -p + (-p) * b + t / -p;
    case 3:
        return a * 0 + 0 * b + (a - a) + (b - 0) + (0 - a) + a / a;
    case 4:
        return a * 1 + 1 * b + a * 2 + a / 2 + (a + a) - p * -1;
    case 5:
        return SENS_Q(1, 3) * a + SENS_C(0.1) * b - 7 * p + 3u * t - 5L * a + 2.5f * b;
    case 6:
        return through_memory(a, b);
    case 7:
        return fma(a, b, p) + ldexp(a, 3) - fma(2, 3, b);
    default:
        return 0;
    }
}

static sens_real functions(int which, sens_real a, sens_real b, sens_real p)
{
    const sens_real size = fabs(a) + SENS_C(0.5), part = a / (2 * size);
    switch (which) {
    case 10:
        return sqrt(size) + cbrt(a) + sqrt((sens_real)2);
    case 11:
        return exp(a) + expm1(b) + exp2(p) + exp((sens_real)1);
    case 12:
        return log(size) + log1p(size) + log2(size) + log10(size) + log((sens_real)3);
    case 13:
        return sin(a) + cos(-b) + tan(part) + asin(part) + acos(part) + atan(b);
    case 14:
        return sinh(a) + cosh(b) + tanh(p);
    case 15:
        return pow(size, b) + pow(a, 3) + pow(2, a) + pow(size, SENS_C(-0.5)) + pow((sens_real)2, 10);
    case 16:
        return atan2(a, b) + hypot(a, p) + atan2(a, 2) + hypot(3, b);
    case 17:
        return fabs(a) + fabs(-b) - fabs(a - b) + absolute(p - 2) + fabs((sens_real)-3);
    case 18:
        return fmin(a, b) + fmax(a, b) * fmin(p, 1) - fmax(-a, -b);
    case 19:
        return copysign(p, a) + copysign(a, -1) + copysign((sens_real)2, b);
    default:
        return 0;
    }
}

static sens_real branches(int which, sens_real a, sens_real b, sens_real p, sens_real t)
{
    switch (which) {
    case 20:
        return (a < b ? a : b) + (a > p ? 2 * a : 3 * p) + (a <= b ? t : -t);
    case 21:
        return a >= b && !(a >= p) ? a * b : a - b;
    case 22:
        return a == b ? a : a != p ? b * b : p;
    case 23:
        return newton(fabs(a) + 1);
    case 24:
        return (a ? a : 1) + (signbit(b) ? b : 2 * b);
    case 25:
        return isnan(a) || isinf(b) || !isfinite(p) || a != a ? 0 : a * a;
    case 26:
        return isless(a, b) + a * isgreaterequal(a, p) + b * islessgreater(a, b);
    case 27:
        return sens_where_less(a, b, a * a, -b) + sens_where_less(p, 1, 2, a) + sens_where_less(1, 2, a, b);
    default:
        return 0;
    }
}

/* Constants may become whole numbers and doubles, and are rounded. */
static sens_real constants(sens_real a)
{
    const sens_real seven = 7;
    const int steps = (int)floor(seven / 2) + (int)(unsigned)seven + (int)(long)round(SENS_C(2.5)) +
                      (int)(unsigned long)ceil(SENS_C(0.1)) + (int)trunc(SENS_C(-1.5)) + (int)rint(seven);
    const double half = (double)seven / 2;
    return a * steps + (float)seven + half + fmod(seven, 4);
}

static sens_real kernels(sens_real a, sens_real b, sens_real p)
{
    const sens_real A[4] = {a, 2, p, 1}, v[2] = {b, a};
    sens_real y[2] = {0}, OUT[2] = {1, a};
    sens_matvec(2, 2, A, v, y);
    sens_lanes_add_product(sens_dense_transposed(2, 2, A), (struct sens_lanes){.v = v, .step = 1}, 1, OUT);
    return y[0] * y[1] + OUT[0] - OUT[1];
}

static sens_real kept; /* what no right-hand side may do */

static sens_real refused(int which, sens_real a, sens_real b)
{
    const sens_real before = kept;
    kept = 0;
    switch (which) {
    case FIRST_REFUSED:
        return (double)a;
    case FIRST_REFUSED + 1:
        return (sens_real)(int)a;
    case FIRST_REFUSED + 2:
        return a * (float)b;
    case FIRST_REFUSED + 3:
        return (sens_real)(unsigned long)a + (sens_real)(long)b;
    case FIRST_REFUSED + 4:
        return floor(a);
    case FIRST_REFUSED + 5:
        return fmod(a, b);
    case FIRST_REFUSED + 6:
        return sqrt(-1 - a * a);
    case FIRST_REFUSED + 7:
        return a / (b - b);
    case FIRST_REFUSED + 8: /* a number of the call before, the second time */
        kept = a;
        return before + a;
    case FIRST_REFUSED + 9: /* two sources in one module */
#ifdef SENS_RECORDED
        return a;
#else
        return 2 * a;
#endif
    default:
        return (sens_real)NAN;
    }
}

struct tricks {
    int which;
};

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    const struct tricks *tricks = pb->data;
    const int which = tricks->which;
    const sens_real a = at->x[0], b = at->x[1], p = at->p[0];
    dx[1] = 1;
    if (which < 10)
        dx[0] = arithmetic(which, a, b, p, at->t);
    else if (which < 20)
        dx[0] = functions(which, a, b, p);
    else if (which < 30)
        dx[0] = branches(which, a, b, p, at->t);
    else if (which < FIRST_REFUSED)
        dx[0] = which == 30 ? constants(a) : kernels(a, b, p);
    else
        dx[0] = refused(which, a, b);
    return which == 99 && a < 0 ? SENS_OUT_OF_DOMAIN : SENS_OK;
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    struct tricks *tricks = SENS_NEW(ctx, struct tricks, 1);
    sens_real *x0 = SENS_NEW(ctx, sens_real, 2), *p = SENS_NEW(ctx, sens_real, 1);
    if (!tricks || !x0 || !p) return SENS_NO_MEMORY;
    tricks->which = (int)option[0].number;
    x0[0] = SENS_C(0.7), x0[1] = SENS_C(-0.4), p[0] = SENS_C(1.3);
    *pb = (struct sens_problem){.n = 2, .np = 1, .t1 = 1, .x0 = x0, .p = p, .data = tricks};
    return SENS_OK;
}

static const struct sens_option options[] = {
    {.name = "case", .kind = SENS_OPT_INT, .min = 0, .max = 200, .help = "which expression"},
    SENS_OPTIONS_END,
};

static const struct sens_problem_type tricks = {
    .name = TRICKS, .summary = "one expression of many", .options = options, .create = create, .rhs = rhs};
static const struct sens_problem_type *const problems[] = {&tricks, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = TRICKS, .problems = problems};
