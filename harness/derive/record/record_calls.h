/* harness/derive/record/record_calls.h - the functions of sens/recorded.h, as the program sees them: a long
 * double of a recorded source is a record_number here. */
#ifndef DERIVE_RECORD_CALLS_H
#define DERIVE_RECORD_CALLS_H

#include "recorder.h"

__extension__ typedef __int128 record_whole;
__extension__ typedef unsigned __int128 record_natural;

__extension__ typedef _Complex float record_complex __attribute__((mode(TC)));

/* clang-format off */
record_number sens_record_add(record_number a, record_number b);
record_number sens_record_subtract(record_number a, record_number b);
record_number sens_record_multiply(record_number a, record_number b);
record_number sens_record_divide(record_number a, record_number b);
record_number sens_record_negate(record_number a);
long sens_record_less(record_number a, record_number b);
long sens_record_less_equal(record_number a, record_number b);
long sens_record_greater(record_number a, record_number b);
long sens_record_greater_equal(record_number a, record_number b);
long sens_record_equal(record_number a, record_number b);
long sens_record_unordered(record_number a, record_number b);
double sens_record_to_double(record_number a);
float sens_record_to_float(record_number a);
int sens_record_to_int(record_number a);
long sens_record_to_long(record_number a);
unsigned sens_record_to_unsigned(record_number a);
unsigned long sens_record_to_unsigned_long(record_number a);
record_whole sens_record_to_int128(record_number a);
record_natural sens_record_to_unsigned_int128(record_number a);
long double sens_record_to_float80(record_number a);
record_complex sens_record_multiply_complex(record_number a, record_number b, record_number c, record_number d);
record_complex sens_record_divide_complex(record_number a, record_number b, record_number c, record_number d);
record_number sens_record_powi(record_number a, int power);
record_number sens_record_sqrt(record_number a);
record_number sens_record_cbrt(record_number a);
record_number sens_record_exp(record_number a);
record_number sens_record_expm1(record_number a);
record_number sens_record_log(record_number a);
record_number sens_record_log1p(record_number a);
record_number sens_record_sin(record_number a);
record_number sens_record_cos(record_number a);
record_number sens_record_tan(record_number a);
record_number sens_record_asin(record_number a);
record_number sens_record_acos(record_number a);
record_number sens_record_atan(record_number a);
record_number sens_record_sinh(record_number a);
record_number sens_record_cosh(record_number a);
record_number sens_record_tanh(record_number a);
record_number sens_record_fabs(record_number a);
record_number sens_record_exp2(record_number a);
record_number sens_record_log2(record_number a);
record_number sens_record_log10(record_number a);
record_number sens_record_floor(record_number a);
record_number sens_record_ceil(record_number a);
record_number sens_record_trunc(record_number a);
record_number sens_record_round(record_number a);
record_number sens_record_rint(record_number a);
record_number sens_record_pow(record_number a, record_number b);
record_number sens_record_atan2(record_number a, record_number b);
record_number sens_record_hypot(record_number a, record_number b);
record_number sens_record_fmin(record_number a, record_number b);
record_number sens_record_fmax(record_number a, record_number b);
record_number sens_record_copysign(record_number a, record_number b);
record_number sens_record_fmod(record_number a, record_number b);
record_number sens_record_fma(record_number a, record_number b, record_number c);
record_number sens_record_ldexp(record_number a, int power);
record_number sens_record_where_less(record_number a, record_number b, record_number x, record_number y);
/* clang-format on */

#endif
