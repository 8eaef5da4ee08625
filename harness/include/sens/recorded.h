/* sens/recorded.h - the mode in which a source records its operations, in place of computing with them.
 *
 * The text of a problem is compiled once more with
 *
 *     -include sens/recorded.h -mlong-double-128 -O0 -g1 -fno-builtin -ffp-contract=off
 *
 * and sens_real is then a float of 128 bits. x86-64 has no instructions for it: a compiler calls a function
 * for every operation (__addtf3, __lttf2, ...) and for those of <math.h>. Here these calls get other names,
 * sens_record_..., which the program has. A number that depends on t, x or p is a NaN which says where its
 * value stands in the record, and with which sign; any other number is a constant, computed with as usual.
 *
 * Without an optimiser, because it may put the constant c for x where x == c was found to hold, and the
 * derivative with respect to x would be lost. Before all other headers, because <tgmath.h> may have functions
 * that call those of <math.h>. One of these that cannot be recorded does not compile. */
#ifndef SENS_RECORDED_H
#define SENS_RECORDED_H
#define SENS_RECORDED

#if !defined __x86_64__ || __LDBL_MANT_DIG__ != 113
#error "a recorded part needs x86-64 and -mlong-double-128"
#endif
#if defined __OPTIMIZE__ || defined __FAST_MATH__
#error "a recorded part needs -O0 and no -ffast-math: an optimiser may compute with what is recorded"
#endif
#if defined _TGMATH_H || defined __CLANG_TGMATH_H
#error "a recorded part needs -include sens/recorded.h: it stands before all other headers"
#endif

#include <math.h>
#include <stdbool.h>

/* ---- what the compiler calls --------------------------------------------------------------------------- */

/* An alias for the assembler: the call goes to our function, with its arguments and its place. Functions
 * that make a 128-bit number out of another are not here: what they make is a constant. */
#define SENS_RECORD_CALL(call, ours) __asm__(".set " #call ", " #ours);
SENS_RECORD_CALL(__addtf3, sens_record_add)
SENS_RECORD_CALL(__subtf3, sens_record_subtract)
SENS_RECORD_CALL(__multf3, sens_record_multiply)
SENS_RECORD_CALL(__divtf3, sens_record_divide)
SENS_RECORD_CALL(__negtf2, sens_record_negate)
SENS_RECORD_CALL(__lttf2, sens_record_less)
SENS_RECORD_CALL(__letf2, sens_record_less_equal)
SENS_RECORD_CALL(__gttf2, sens_record_greater)
SENS_RECORD_CALL(__getf2, sens_record_greater_equal)
SENS_RECORD_CALL(__eqtf2, sens_record_equal)
SENS_RECORD_CALL(__netf2, sens_record_equal) /* both are 0 where the two are equal */
SENS_RECORD_CALL(__unordtf2, sens_record_unordered)
SENS_RECORD_CALL(__trunctfdf2, sens_record_to_double)
SENS_RECORD_CALL(__trunctfsf2, sens_record_to_float)
SENS_RECORD_CALL(__fixtfsi, sens_record_to_int)
SENS_RECORD_CALL(__fixtfdi, sens_record_to_long)
SENS_RECORD_CALL(__fixunstfsi, sens_record_to_unsigned)
SENS_RECORD_CALL(__fixunstfdi, sens_record_to_unsigned_long)
SENS_RECORD_CALL(__fixtfti, sens_record_to_int128)
SENS_RECORD_CALL(__fixunstfti, sens_record_to_unsigned_int128)
SENS_RECORD_CALL(__trunctfxf2, sens_record_to_float80)
SENS_RECORD_CALL(__powitf2, sens_record_powi)
SENS_RECORD_CALL(__multc3, sens_record_multiply_complex)
SENS_RECORD_CALL(__divtc3, sens_record_divide_complex)

/* ---- what sources call: <math.h> ----------------------------------------------------------------------- */

long double sens_record_sqrt(long double a);
long double sens_record_cbrt(long double a);
long double sens_record_exp(long double a);
long double sens_record_expm1(long double a);
long double sens_record_log(long double a);
long double sens_record_log1p(long double a);
long double sens_record_sin(long double a);
long double sens_record_cos(long double a);
long double sens_record_tan(long double a);
long double sens_record_asin(long double a);
long double sens_record_acos(long double a);
long double sens_record_atan(long double a);
long double sens_record_sinh(long double a);
long double sens_record_cosh(long double a);
long double sens_record_tanh(long double a);
long double sens_record_fabs(long double a);
long double sens_record_exp2(long double a);
long double sens_record_log2(long double a);
long double sens_record_log10(long double a);
long double sens_record_floor(long double a);
long double sens_record_ceil(long double a);
long double sens_record_trunc(long double a);
long double sens_record_round(long double a);
long double sens_record_rint(long double a);
long double sens_record_pow(long double a, long double b);
long double sens_record_atan2(long double a, long double b);
long double sens_record_hypot(long double a, long double b);
long double sens_record_fmin(long double a, long double b);
long double sens_record_fmax(long double a, long double b);
long double sens_record_copysign(long double a, long double b);
long double sens_record_fmod(long double a, long double b);
long double sens_record_fma(long double a, long double b, long double c);
long double sens_record_ldexp(long double a, int power);
long double sens_record_where_less(long double a, long double b, long double x, long double y);

/* Whoever calls one of these is told so when it is compiled. */
#define SENS_CANNOT_RECORD __attribute__((error("it cannot be recorded")))
SENS_CANNOT_RECORD long double sens_cannot_record_acosh(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_asinh(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_atanh(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_erf(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_erfc(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_lgamma(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_tgamma(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_gamma(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_j0(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_j1(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_jn(int n, long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_y0(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_y1(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_yn(int n, long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_fdim(long double a, long double b);
SENS_CANNOT_RECORD long double sens_cannot_record_frexp(long double a, int *power);
SENS_CANNOT_RECORD long double sens_cannot_record_modf(long double a, long double *whole);
SENS_CANNOT_RECORD long double sens_cannot_record_logb(long double a);
SENS_CANNOT_RECORD int sens_cannot_record_ilogb(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_scalb(long double a, long double b);
SENS_CANNOT_RECORD long double sens_cannot_record_scalbn(long double a, int power);
SENS_CANNOT_RECORD long double sens_cannot_record_scalbln(long double a, long power);
SENS_CANNOT_RECORD long double sens_cannot_record_remainder(long double a, long double b);
SENS_CANNOT_RECORD long double sens_cannot_record_remquo(long double a, long double b, int *part);
SENS_CANNOT_RECORD long double sens_cannot_record_drem(long double a, long double b);
SENS_CANNOT_RECORD long sens_cannot_record_lrint(long double a);
SENS_CANNOT_RECORD long long sens_cannot_record_llrint(long double a);
SENS_CANNOT_RECORD long sens_cannot_record_lround(long double a);
SENS_CANNOT_RECORD long long sens_cannot_record_llround(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_nextafter(long double a, long double b);
SENS_CANNOT_RECORD long double sens_cannot_record_nexttoward(long double a, long double b);
SENS_CANNOT_RECORD long double sens_cannot_record_significand(long double a);
SENS_CANNOT_RECORD void sens_cannot_record_sincos(long double a, long double *sine, long double *cosine);
SENS_CANNOT_RECORD long double sens_cannot_record_exp10(long double a);
SENS_CANNOT_RECORD long double sens_cannot_record_nan(const char *text);
SENS_CANNOT_RECORD long double sens_cannot_record_strtold(const char *text, char **end);

#define sqrtl        sens_record_sqrt
#define cbrtl        sens_record_cbrt
#define expl         sens_record_exp
#define expm1l       sens_record_expm1
#define logl         sens_record_log
#define log1pl       sens_record_log1p
#define sinl         sens_record_sin
#define cosl         sens_record_cos
#define tanl         sens_record_tan
#define asinl        sens_record_asin
#define acosl        sens_record_acos
#define atanl        sens_record_atan
#define sinhl        sens_record_sinh
#define coshl        sens_record_cosh
#define tanhl        sens_record_tanh
#define fabsl        sens_record_fabs
#define exp2l        sens_record_exp2
#define log2l        sens_record_log2
#define log10l       sens_record_log10
#define floorl       sens_record_floor /* of constants, like the next four and fmodl */
#define ceill        sens_record_ceil
#define truncl       sens_record_trunc
#define roundl       sens_record_round
#define rintl        sens_record_rint
#define nearbyintl   sens_record_rint
#define powl         sens_record_pow
#define atan2l       sens_record_atan2
#define hypotl       sens_record_hypot
#define fminl        sens_record_fmin
#define fmaxl        sens_record_fmax
#define copysignl    sens_record_copysign
#define fmodl        sens_record_fmod
#define fmal         sens_record_fma
#define ldexpl       sens_record_ldexp
#define acoshl       sens_cannot_record_acosh
#define asinhl       sens_cannot_record_asinh
#define atanhl       sens_cannot_record_atanh
#define erfl         sens_cannot_record_erf
#define erfcl        sens_cannot_record_erfc
#define lgammal      sens_cannot_record_lgamma
#define tgammal      sens_cannot_record_tgamma
#define gammal       sens_cannot_record_gamma
#define j0l          sens_cannot_record_j0
#define j1l          sens_cannot_record_j1
#define jnl          sens_cannot_record_jn
#define y0l          sens_cannot_record_y0
#define y1l          sens_cannot_record_y1
#define ynl          sens_cannot_record_yn
#define fdiml        sens_cannot_record_fdim
#define frexpl       sens_cannot_record_frexp
#define modfl        sens_cannot_record_modf
#define logbl        sens_cannot_record_logb
#define ilogbl       sens_cannot_record_ilogb
#define scalbl       sens_cannot_record_scalb
#define scalbnl      sens_cannot_record_scalbn
#define scalblnl     sens_cannot_record_scalbln
#define remainderl   sens_cannot_record_remainder
#define remquol      sens_cannot_record_remquo
#define dreml        sens_cannot_record_drem
#define lrintl       sens_cannot_record_lrint
#define llrintl      sens_cannot_record_llrint
#define lroundl      sens_cannot_record_lround
#define llroundl     sens_cannot_record_llround
#define nextafterl   sens_cannot_record_nextafter
#define nexttowardl  sens_cannot_record_nexttoward
#define significandl sens_cannot_record_significand
#define sincosl      sens_cannot_record_sincos
#define exp10l       sens_cannot_record_exp10
#define nanl         sens_cannot_record_nan
#define strtold      sens_cannot_record_strtold

/* Its functions call those above. */
#include <tgmath.h>

/* With them comes <complex.h>. Nothing here needs its short names, and equations have them for themselves: the infected
 * of an epidemic, a complex of two proteins. _Complex and _Complex_I say the same. */
#undef I
#undef complex

#undef nexttoward
#define nexttoward sens_cannot_record_nexttoward

/* Compilers read the sign of a number out of its bits; of a recorded one that would be part of its name. */
#undef signbit
#define signbit(number) ((number) < 0)

/* ---- what sources call: this folder -------------------------------------------------------------------- */

/* Functions on sens_real are there once more, in this mode. */
#define sens_lanes_add_product        sens_recorded_add_product
#define sens_lanes_add_row            sens_recorded_add_row
#define sens_lanes_add_csr            sens_recorded_add_csr
#define sens_lanes_add_csr_transposed sens_recorded_add_csr_transposed
#define sens_lanes_scale_rows         sens_recorded_scale_rows
#define sens_lanes_combine_rows       sens_recorded_combine_rows
#define sens_lanes_axpy               sens_recorded_axpy
#define sens_matvec                   sens_recorded_matvec
#define sens_problem_x0               sens_recorded_problem_x0
#define sens_problem_operations       sens_recorded_problem_operations
#define sens_problem_create           sens_recorded_problem_create
#define sens_problem_decorate         sens_recorded_problem_decorate
#define sens_cost_create              sens_recorded_cost_create
#define sens_cost_decorate            sens_recorded_cost_decorate

#endif
