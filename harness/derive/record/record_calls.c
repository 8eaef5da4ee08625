/* harness/derive/record/record_calls.c - what compilers call for numbers of 128 bits (sens/recorded.h).
 *
 * Constants are computed with as the compiler does it; where a recorded number takes part, there is a node.
 * Signs of recorded numbers are carried along: a + (-b) is a - b, (-a) b is -(a b), with equal rounding. */
#include "record_calls.h"

#include <math.h>

#define CALLER __builtin_return_address(0)

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static bool constants(record_number a, record_number b)
{
    return !recorder_is_node(a) && !recorder_is_node(b);
}

/* Is it minus a node? */
static bool negative(struct record_words words)
{
    return record_words_are_node(words) && words.high & RECORD_SIGN;
}

/* op(a, b), or minus that. */
static record_number applied(enum graph_op op, struct record_words a, struct record_words b, bool minus,
                             const void *caller)
{
    struct record_words made = recorder_apply_plain(op, a, b, caller);
    if (minus) made.high ^= RECORD_SIGN;
    return record_of_words(made);
}

static record_number sum(struct record_words a, struct record_words b, const void *caller)
{
    if (negative(a) && negative(b)) return applied(GRAPH_ADD, a, b, true, caller);
    if (negative(a)) return applied(GRAPH_SUB, b, a, false, caller);
    return applied(negative(b) ? GRAPH_SUB : GRAPH_ADD, a, b, false, caller);
}

static record_number difference(struct record_words a, struct record_words b, const void *caller)
{
    if (negative(a) && negative(b)) return applied(GRAPH_SUB, b, a, false, caller);
    if (negative(a)) return applied(GRAPH_ADD, a, b, true, caller);
    return applied(negative(b) ? GRAPH_ADD : GRAPH_SUB, a, b, false, caller);
}

/* Of a product or a quotient. */
static record_number with_signs(enum graph_op op, struct record_words a, struct record_words b,
                                const void *caller)
{
    return applied(op, a, b, negative(a) != negative(b), caller);
}

record_number sens_record_add(record_number a, record_number b)
{
    return constants(a, b) ? a + b : sum(record_words(a), record_words(b), CALLER);
}

record_number sens_record_subtract(record_number a, record_number b)
{
    return constants(a, b) ? a - b : difference(record_words(a), record_words(b), CALLER);
}

record_number sens_record_multiply(record_number a, record_number b)
{
    return constants(a, b) ? a * b : with_signs(GRAPH_MUL, record_words(a), record_words(b), CALLER);
}

record_number sens_record_divide(record_number a, record_number b)
{
    return constants(a, b) ? a / b : with_signs(GRAPH_DIV, record_words(a), record_words(b), CALLER);
}

record_number sens_record_negate(record_number a)
{
    return -a;
}

record_number sens_record_fma(record_number a, record_number b, record_number c)
{
    const record_number product =
        constants(a, b) ? a * b : with_signs(GRAPH_MUL, record_words(a), record_words(b), CALLER);
    return constants(product, c) ? product + c : sum(record_words(product), record_words(c), CALLER);
}

record_number sens_record_where_less(record_number a, record_number b, record_number x, record_number y)
{
    if (constants(a, b)) return a < b ? x : y;
    return recorder_apply(GRAPH_SELECT, recorder_apply(GRAPH_LESS, a, b, 0, CALLER), x, y, CALLER);
}

/* ---- comparisons: the sign of a word is what compilers look at ------------------------------------------- */

long sens_record_less(record_number a, record_number b)
{
    return (constants(a, b) ? a < b : recorder_compare(GRAPH_IS_LESS, a, b, CALLER)) ? -1 : 1;
}

long sens_record_less_equal(record_number a, record_number b)
{
    return (constants(a, b) ? a <= b : recorder_compare(GRAPH_IS_LESS_EQUAL, a, b, CALLER)) ? -1 : 1;
}

long sens_record_greater(record_number a, record_number b)
{
    return (constants(a, b) ? a > b : recorder_compare(GRAPH_IS_LESS, b, a, CALLER)) ? 1 : -1;
}

long sens_record_greater_equal(record_number a, record_number b)
{
    return (constants(a, b) ? a >= b : recorder_compare(GRAPH_IS_LESS_EQUAL, b, a, CALLER)) ? 1 : -1;
}

long sens_record_equal(record_number a, record_number b)
{
    return (constants(a, b) ? a == b : recorder_compare(GRAPH_IS_EQUAL, a, b, CALLER)) ? 0 : 1;
}

/* Is a or b a NaN? No recorded number is one where it is recorded; elsewhere it may be: a guard. */
static bool is_nan(record_number a, const void *caller)
{
    return recorder_is_node(a) ? !recorder_compare(GRAPH_IS_EQUAL, a, a, caller) : a != a;
}

long sens_record_unordered(record_number a, record_number b)
{
    return is_nan(a, CALLER) || is_nan(b, CALLER);
}

/* ---- conversions: of constants ------------------------------------------------------------------------- */

static bool converts(record_number a, const char *what, const void *caller)
{
    if (recorder_is_node(a)) recorder_refuse(caller, what);
    return !recorder_is_node(a);
}

static const char to_double[] =
    "a value that depends on t, x or p becomes a double, which cannot be recorded",
                  to_whole[] =
                      "a value that depends on t, x or p becomes a whole number, which cannot be recorded";

double sens_record_to_double(record_number a)
{
    return converts(a, to_double, CALLER) ? (double)a : (double)NAN;
}

float sens_record_to_float(record_number a)
{
    return converts(a, to_double, CALLER) ? (float)a : NAN;
}

int sens_record_to_int(record_number a)
{
    return converts(a, to_whole, CALLER) ? (int)a : 0;
}

long sens_record_to_long(record_number a)
{
    return converts(a, to_whole, CALLER) ? (long)a : 0;
}

unsigned sens_record_to_unsigned(record_number a)
{
    return converts(a, to_whole, CALLER) ? (unsigned)a : 0;
}

unsigned long sens_record_to_unsigned_long(record_number a)
{
    return converts(a, to_whole, CALLER) ? (unsigned long)a : 0;
}

record_whole sens_record_to_int128(record_number a)
{
    return converts(a, to_whole, CALLER) ? (record_whole)a : 0;
}

record_natural sens_record_to_unsigned_int128(record_number a)
{
    return converts(a, to_whole, CALLER) ? (record_natural)a : 0;
}

long double sens_record_to_float80(record_number a)
{
    return converts(a, to_double, CALLER) ? (long double)a : (long double)NAN;
}

/* ---- complex numbers: of constants --------------------------------------------------------------------- */

static const char no_complex[] = "a complex number depends on t, x or p, which cannot be recorded";

static bool complex_constants(record_number a, record_number b, record_number c, record_number d,
                              const void *caller)
{
    return converts(a, no_complex, caller) && converts(b, no_complex, caller) &&
           converts(c, no_complex, caller) && converts(d, no_complex, caller);
}

static record_complex complex_number(record_number real, record_number imaginary)
{
    record_complex z;
    __real__ z = real;
    __imag__ z = imaginary;
    return z;
}

/* (a + b i)(c + d i), (a + b i)/(c + d i) */
record_complex sens_record_multiply_complex(record_number a, record_number b, record_number c,
                                            record_number d)
{
    if (!complex_constants(a, b, c, d, CALLER)) return complex_number(NAN, NAN);
    return complex_number(a * c - b * d, a * d + b * c);
}

record_complex sens_record_divide_complex(record_number a, record_number b, record_number c, record_number d)
{
    const record_number square = c * c + d * d;
    if (!complex_constants(a, b, c, d, CALLER)) return complex_number(NAN, NAN);
    return complex_number((a * c + b * d) / square, (b * c - a * d) / square);
}

/* ---- <math.h> ------------------------------------------------------------------------------------------ */

/* Of constants the functions have 64 bits, as a constant in a graph has. */
#define OF_ONE(name, op)                                                                                     \
    record_number sens_record_##name(record_number a)                                                        \
    {                                                                                                        \
        return recorder_is_node(a) ? recorder_apply(op, a, 0, 0, CALLER) : name##l((long double)a);          \
    }
OF_ONE(sqrt, GRAPH_SQRT)
OF_ONE(cbrt, GRAPH_CBRT)
OF_ONE(exp, GRAPH_EXP)
OF_ONE(expm1, GRAPH_EXPM1)
OF_ONE(log, GRAPH_LOG)
OF_ONE(log1p, GRAPH_LOG1P)
OF_ONE(sin, GRAPH_SIN)
OF_ONE(cos, GRAPH_COS)
OF_ONE(tan, GRAPH_TAN)
OF_ONE(asin, GRAPH_ASIN)
OF_ONE(acos, GRAPH_ACOS)
OF_ONE(atan, GRAPH_ATAN)
OF_ONE(sinh, GRAPH_SINH)
OF_ONE(cosh, GRAPH_COSH)
OF_ONE(tanh, GRAPH_TANH)

#define OF_TWO(name, op)                                                                                     \
    record_number sens_record_##name(record_number a, record_number b)                                       \
    {                                                                                                        \
        return constants(a, b) ? name##l((long double)a, (long double)b)                                     \
                               : recorder_apply(op, a, b, 0, CALLER);                                        \
    }
OF_TWO(pow, GRAPH_POW)
OF_TWO(atan2, GRAPH_ATAN2)
OF_TWO(hypot, GRAPH_HYPOT)
OF_TWO(fmin, GRAPH_FMIN)
OF_TWO(fmax, GRAPH_FMAX)

record_number sens_record_powi(record_number a, int power)
{
    return recorder_is_node(a) ? recorder_apply(GRAPH_POW, a, power, 0, CALLER) : powl((long double)a, power);
}

/* By another base: of a recorded number through the natural one. */
static const long double LN2 = 0.693147180559945309417232121458176568L,
                         LN10 = 2.302585092994045684017991454684364208L;

record_number sens_record_exp2(record_number a)
{
    return recorder_is_node(a) ? recorder_apply(GRAPH_POW, 2, a, 0, CALLER) : exp2l((long double)a);
}

record_number sens_record_log2(record_number a)
{
    if (!recorder_is_node(a)) return log2l((long double)a);
    return recorder_apply(GRAPH_DIV, recorder_apply(GRAPH_LOG, a, 0, 0, CALLER), LN2, 0, CALLER);
}

record_number sens_record_log10(record_number a)
{
    if (!recorder_is_node(a)) return log10l((long double)a);
    return recorder_apply(GRAPH_DIV, recorder_apply(GRAPH_LOG, a, 0, 0, CALLER), LN10, 0, CALLER);
}

record_number sens_record_ldexp(record_number a, int power)
{
    const record_number factor = ldexpl(1, power);
    return recorder_is_node(a) ? with_signs(GRAPH_MUL, record_words(a), record_words(factor), CALLER)
                               : a * factor;
}

static record_number magnitude(record_number a, const void *caller)
{
    const record_number size = recorder_minus(a) ? -a : a;
    return recorder_is_node(a) ? recorder_apply(GRAPH_FABS, size, 0, 0, caller) : size;
}

record_number sens_record_fabs(record_number a)
{
    return magnitude(a, CALLER);
}

/* The sign of a recorded number is a guard. */
record_number sens_record_copysign(record_number a, record_number b)
{
    const bool minus =
        recorder_is_node(b) ? recorder_compare(GRAPH_IS_LESS, b, 0, CALLER) : recorder_minus(b);
    return minus ? -magnitude(a, CALLER) : magnitude(a, CALLER);
}

/* Steps: constant between jumps, and the place of the jumps is no comparison that a guard could hold. */
static const char step[] = "a value that depends on t, x or p is rounded to a whole number (or fmod), which "
                           "cannot be recorded";

#define OF_CONSTANT(name)                                                                                    \
    record_number sens_record_##name(record_number a)                                                        \
    {                                                                                                        \
        return converts(a, step, CALLER) ? name##l((long double)a) : a;                                      \
    }
OF_CONSTANT(floor)
OF_CONSTANT(ceil)
OF_CONSTANT(trunc)
OF_CONSTANT(round)
OF_CONSTANT(rint)

record_number sens_record_fmod(record_number a, record_number b)
{
    if (!converts(a, step, CALLER) || !converts(b, step, CALLER)) return a;
    return fmodl((long double)a, (long double)b);
}
