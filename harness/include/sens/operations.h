/* sens/operations.h - the operations that a function consists of once it is recorded or read from text.
 *
 * One list for all that carries them out: in extended precision, where the derivation is checked
 * (harness/derive/graph), on the numbers of a variant (problems/program), and in the loops of a tape
 * (sens/tape.h). */
#ifndef SENS_OPERATIONS_H
#define SENS_OPERATIONS_H

/* OP(code, name, operands, expression): what it is of its operands a, b, c, by <tgmath.h>.
 * LESS is 1 where a < b, else 0, and LESS_EQUAL likewise: conditions of SELECT, which is b where a is not 0
 * and c where it is. FABS, FMIN and FMAX are what the C library says; where arguments tie, their derivatives
 * are one-sided: that of fabs at 0 is +1, fmin and fmax take that of the first argument. */
#define SENS_OPERATION_LIST(OP)                                                                              \
    OP(NEG, "neg", 1, -a)                                                                                    \
    OP(ADD, "add", 2, a + b)                                                                                 \
    OP(SUB, "sub", 2, a - b)                                                                                 \
    OP(MUL, "mul", 2, a *b)                                                                                  \
    OP(DIV, "div", 2, a / b)                                                                                 \
    OP(SQRT, "sqrt", 1, sqrt(a))                                                                             \
    OP(CBRT, "cbrt", 1, cbrt(a))                                                                             \
    OP(EXP, "exp", 1, exp(a))                                                                                \
    OP(EXPM1, "expm1", 1, expm1(a))                                                                          \
    OP(LOG, "log", 1, log(a))                                                                                \
    OP(LOG1P, "log1p", 1, log1p(a))                                                                          \
    OP(POW, "pow", 2, pow(a, b))                                                                             \
    OP(SIN, "sin", 1, sin(a))                                                                                \
    OP(COS, "cos", 1, cos(a))                                                                                \
    OP(TAN, "tan", 1, tan(a))                                                                                \
    OP(ASIN, "asin", 1, asin(a))                                                                             \
    OP(ACOS, "acos", 1, acos(a))                                                                             \
    OP(ATAN, "atan", 1, atan(a))                                                                             \
    OP(ATAN2, "atan2", 2, atan2(a, b))                                                                       \
    OP(SINH, "sinh", 1, sinh(a))                                                                             \
    OP(COSH, "cosh", 1, cosh(a))                                                                             \
    OP(TANH, "tanh", 1, tanh(a))                                                                             \
    OP(HYPOT, "hypot", 2, hypot(a, b))                                                                       \
    OP(FABS, "fabs", 1, fabs(a))                                                                             \
    OP(FMIN, "fmin", 2, fmin(a, b))                                                                          \
    OP(FMAX, "fmax", 2, fmax(a, b))                                                                          \
    OP(LESS, "less", 2, a < b)                                                                               \
    OP(LESS_EQUAL, "less_equal", 2, a <= b)                                                                  \
    OP(SELECT, "select", 3, a != 0 ? b : c)

#endif
