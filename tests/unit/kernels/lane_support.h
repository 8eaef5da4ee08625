/* Memory with fences, and what a kernel's sum may differ by from the same sum as a plain loop.
 *
 * Without contraction of a b + c a kernel has the bits of the plain loop, in every instruction set: all
 * copies of the kernels then agree with one another. With it, the two differ in which roundings are left out:
 * each is within (terms + 1) eps of the exact sum, in units of the sum of the absolute values. */
#ifndef TESTS_UNIT_LANE_SUPPORT_H
#define TESTS_UNIT_LANE_SUPPORT_H

#include <float.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* SENS_TEST_FMA: the kernels are those of an instruction set with fused operations. */
#if !defined SENS_TEST_REPRO && (defined __FP_FAST_FMA || defined SENS_TEST_FMA)
static const bool contracted = true;
#else
static const bool contracted = false;
#endif

enum { FENCE = 16, MARK = -77 };

/* [count] numbers to be written, between two fences. */
static inline double *fenced_new(size_t count)
{
    double *made = malloc((count + 2 * FENCE) * sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < count + 2 * FENCE; i++) made[i] = MARK;
    return made + FENCE;
}

static inline void fenced_free(size_t count, double *v)
{
    for (size_t i = 0; i < FENCE; i++) assert_true(v[count + i] == MARK && v[-1 - (ptrdiff_t)i] == MARK);
    free(v - FENCE);
}

/* [count] numbers in [-1/2, 1/2), to be read: of just this size, so that the address sanitizer sees more. */
static inline double *random_new(gsl_rng *rng, size_t count)
{
    double *made = malloc((count ? count : 1) * sizeof *made);
    assert_non_null(made);
    for (size_t i = 0; i < count; i++) made[i] = gsl_rng_uniform(rng) - 0.5;
    return made;
}

/* Is `got` the sum of `terms` products whose absolute values sum to `size`, which a plain loop
 * finds `want`? */
static inline bool same_sum(double got, double want, size_t terms, double size)
{
    if (!contracted) return got == want;
    return fabs(got - want) <= 2 * (double)(terms + 1) * DBL_EPSILON * size;
}

static inline bool same_bits(size_t count, const double *a, const double *b)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

/* Can this machine run the copy of the kernels that is linked? */
static inline bool supported(void)
{
#ifdef SENS_TEST_AVX512
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#elif defined SENS_TEST_FMA
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

static inline int make_rng(void **state)
{
    *state = gsl_rng_alloc(gsl_rng_mt19937);
    return *state ? 0 : -1;
}

static inline int free_rng(void **state)
{
    gsl_rng_free(*state);
    return 0;
}

enum { SKIPPED = 77 };

#endif
