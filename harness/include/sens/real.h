/* sens/real.h - the working precision.
 *
 * Numerical sources (problems, methods, lane kernels) are compiled once per variant: in double for every
 * instruction set, and in extended precision for the reference solutions: once in that of the x87 (64-bit
 * significand), and, with GCC and a library that has _Float128, once in quadruple precision (113 bits).
 * They write sens_real, take functions from <tgmath.h>, and constants from SENS_C or SENS_Q, so that nothing
 * is rounded to double on the way.
 *
 * Problems and costs are compiled once more, to be recorded (sens/recorded.h): their derivative products
 * come from that where they are not written by hand. A branch on a value that depends on t, x or p is then
 * recorded as it was taken; where another one would be taken, it is recorded anew. That is the right thing
 * for a switch of the whole system, and a slow one for a case that differs from cell to cell: there, write
 * sens_where_less. */
#ifndef SENS_REAL_H
#define SENS_REAL_H

#include <float.h>

/* Behind the declaration of a function or an object that several sources of a module share: it is there once more
 * in the part that is recorded, under another name for the linker. */
#ifdef SENS_RECORDED
#define SENS_EXTENDED        /* no vector types */
#define SENS_LINK_NAME(name) __asm__("recorded_" #name)
#else
#define SENS_LINK_NAME(name)
#endif

#if defined SENS_QUAD /* beside SENS_EXTENDED */
__extension__ typedef _Float128 sens_real;
#define SENS_C(literal) (__extension__ literal##F128)
#define SENS_EPSILON    SENS_C(0x1p-112)
#elif defined SENS_EXTENDED
typedef long double sens_real;
#ifdef SENS_RECORDED
#define SENS_EPSILON DBL_EPSILON /* the values that decide branches are in double */
#else
#define SENS_EPSILON LDBL_EPSILON
#endif
#define SENS_C(literal) literal##L
#else
typedef double sens_real;
#define SENS_EPSILON    DBL_EPSILON
#define SENS_C(literal) literal
#endif

/* The rational num/den of two whole numbers, correctly rounded in the working precision. */
#define SENS_Q(num, den) ((sens_real)(num) / (sens_real)(den))

/* x where a < b, and y elsewhere (or where a or b is NaN). x and y are computed and have to be finite in
 * either case; the derivative is that of the one which is taken. */
static inline sens_real sens_where_less(sens_real a, sens_real b, sens_real x, sens_real y)
{
#ifdef SENS_RECORDED
    return sens_record_where_less(a, b, x, y);
#else
    return a < b ? x : y;
#endif
}

#endif
