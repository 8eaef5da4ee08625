/* kernels/vectors.h - the vector types of the lane kernels: GCC vectors as wide as the instruction set's, and
 * half as wide. Explicit, because gcc keeps an array of scalar accumulators in memory. */
#ifndef SENS_VECTORS_H
#define SENS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sens/real.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Cases of a switch over a number that f, inlined, knows as its first argument then. Each of them returns. */
#define CASE(number, f, ...)                                                                                 \
    case number:                                                                                             \
        f(number, __VA_ARGS__);                                                                              \
        return;
#define CASES_1_TO_6(f, ...)                                                                                 \
    CASE(1, f, __VA_ARGS__)                                                                                  \
    CASE(2, f, __VA_ARGS__)                                                                                  \
    CASE(3, f, __VA_ARGS__)                                                                                  \
    CASE(4, f, __VA_ARGS__)                                                                                  \
    CASE(5, f, __VA_ARGS__)                                                                                  \
    CASE(6, f, __VA_ARGS__)
#define CASES_1_TO_8(f, ...)                                                                                 \
    CASES_1_TO_6(f, __VA_ARGS__)                                                                             \
    CASE(7, f, __VA_ARGS__)                                                                                  \
    CASE(8, f, __VA_ARGS__)
#define CASES_7_TO_12(f, ...)                                                                                \
    CASE(7, f, __VA_ARGS__)                                                                                  \
    CASE(8, f, __VA_ARGS__)                                                                                  \
    CASE(9, f, __VA_ARGS__)                                                                                  \
    CASE(10, f, __VA_ARGS__)                                                                                 \
    CASE(11, f, __VA_ARGS__)                                                                                 \
    CASE(12, f, __VA_ARGS__)

#if defined SENS_EXTENDED
enum { VECTOR = 1, HALF = 1, QUARTET = 1, REGISTERS = 8 };
typedef sens_real vector, vector_in_memory, half, half_in_memory, quartet, quartet_in_memory;
#else
#if defined __AVX512F__
enum { VECTOR = 8, HALF = 4, QUARTET = 4, REGISTERS = 32 };
#elif defined __AVX__
enum { VECTOR = 4, HALF = 2, QUARTET = 4, REGISTERS = 16 };
#else
enum { VECTOR = 2, HALF = 1, QUARTET = 2, REGISTERS = 16 };
#endif
#define VECTOR_OF(lanes)           __attribute__((vector_size((lanes) * sizeof(sens_real))))
#define VECTOR_IN_MEMORY_OF(lanes) VECTOR_OF(lanes) __attribute__((aligned(sizeof(sens_real)), may_alias))
typedef sens_real vector VECTOR_OF(VECTOR);
typedef sens_real vector_in_memory VECTOR_IN_MEMORY_OF(VECTOR);
typedef sens_real half VECTOR_OF(HALF);
typedef sens_real half_in_memory VECTOR_IN_MEMORY_OF(HALF);
typedef sens_real quartet VECTOR_OF(QUARTET); /* a part of four partial sums */
typedef sens_real quartet_in_memory VECTOR_IN_MEMORY_OF(QUARTET);
#endif

/* Asks for what lies `ahead` numbers after v, to be written or not; it may be past the end:
 * nothing is read. */
ALWAYS_INLINE void prefetch_numbers(const sens_real *v, size_t ahead, const bool written)
{
    const uintptr_t place = (uintptr_t)v + ahead * sizeof *v;
    if (written)
        __builtin_prefetch((const void *)place, 1); // NOLINT(performance-no-int-to-ptr)
    else
        __builtin_prefetch((const void *)place); // NOLINT(performance-no-int-to-ptr)
}

#if !defined SENS_EXTENDED && defined __AVX__
/* columns[j][i] = rows[i][j] */
ALWAYS_INLINE void transpose_four(const quartet rows[4], quartet columns[4])
{
    const quartet even01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    const quartet even23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
    const quartet odd01 = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    const quartet odd23 = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    columns[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    columns[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    columns[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    columns[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}
#endif

#endif
