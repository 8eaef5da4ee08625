/* core/vectors.h - the vector types of the lane kernels: GCC vectors as wide as the instruction set's, and
 * half as wide. Explicit, because gcc keeps an array of scalar accumulators in memory. */
#ifndef SENS_VECTORS_H
#define SENS_VECTORS_H

#include "sens/real.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

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

#endif
