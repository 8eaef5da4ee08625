/* sens/real.h - the working precision.
 *
 * Numerical sources (problems, methods, lane kernels) are compiled once per variant: in double for every
 * instruction set, and once in extended precision (x87, 64-bit significand) for the reference solutions.
 * They write sens_real, take functions from <tgmath.h>, and constants from SENS_C or SENS_Q, so that nothing
 * is rounded to double on the way. */
#ifndef SENS_REAL_H
#define SENS_REAL_H

#include <float.h>

#ifdef SENS_EXTENDED
typedef long double sens_real;
#define SENS_EPSILON    LDBL_EPSILON
#define SENS_C(literal) literal##L
#else
typedef double sens_real;
#define SENS_EPSILON    DBL_EPSILON
#define SENS_C(literal) literal
#endif

/* The rational num/den of two whole numbers, correctly rounded in the working precision. */
#define SENS_Q(num, den) ((sens_real)(num) / (sens_real)(den))

#endif
