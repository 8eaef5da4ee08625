/* Loops of known work, see sens/peak.h.
 *
 * Chains x <- a x + b that do not depend on each other keep every multiplier busy when there are as many as
 * the product of latency and units (8 on most cores). Each chain is a variable of its own: gcc keeps an array
 * of them in memory, and the loop then measures that. Without a fused operation half of the chains multiply
 * and half add, so that neither kind of unit waits for the other. */
#include "sens/peak.h"

#if defined __FMA__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { WIDTH = 8 };
#elif defined __AVX__
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double vector __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));

/* By name, because -ffp-contract=off would leave two operations. */
#if defined __FMA__ && defined __AVX512F__
enum { FLOPS = 2 };
#define STEP(i) x##i = (vector)_mm512_fmadd_pd((__m512d)x##i, (__m512d)a, (__m512d)b);
#elif defined __FMA__
enum { FLOPS = 2 };
#define STEP(i) x##i = (vector)_mm256_fmadd_pd((__m256d)x##i, (__m256d)a, (__m256d)b);
#else
enum { FLOPS = 1 };
#define STEP(i) x##i = i % 2 ? x##i * a : x##i + b;
#endif

/* X(i) for the chains; with a and b they fill 16 registers. */
#define CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
enum { CHAIN_COUNT = 14, BLOCK = 8 * WIDTH };

static vector spread(double value)
{
    vector v;
    for (int i = 0; i < WIDTH; i++) v[i] = value;
    return v;
}

static double gather(vector v)
{
    double sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += v[i];
    return sum;
}

static double fma_passes(size_t passes, double factor, double term)
{
    const vector a = spread(factor), b = spread(term);
#define START(i) vector x##i = spread(term + i); /* all different, else they are one */
#define TOTAL(i) total += x##i;
    CHAINS(START)
    for (size_t pass = 0; pass < passes; pass++) {
        CHAINS(STEP)
    }
    vector total = spread(0);
    CHAINS(TOTAL)
    return gather(total);
}

/* The compiler is not to know that a pass does what the last one did. */
#define FORGET(pointer) __asm__ volatile("" : "+r"(pointer) : : "memory")

static double read_passes(size_t passes, size_t count, const double *a)
{
    vector s0 = spread(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (size_t pass = 0; pass < passes; pass++) {
        const vector *v = (const vector *)a;
        for (size_t i = 0; i < count; i += BLOCK, v += 8) {
            s0 += v[0], s1 += v[1], s2 += v[2], s3 += v[3];
            s4 += v[4], s5 += v[5], s6 += v[6], s7 += v[7];
        }
        FORGET(a);
    }
    return gather(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)));
}

static void write_passes(size_t passes, size_t count, double *a, double value)
{
    const vector x = spread(value);
    for (size_t pass = 0; pass < passes; pass++) {
        vector *v = (vector *)a;
        for (size_t i = 0; i < count; i += BLOCK, v += 8)
            v[0] = x, v[1] = x, v[2] = x, v[3] = x, v[4] = x, v[5] = x, v[6] = x, v[7] = x;
        FORGET(a);
    }
}

static void copy_passes(size_t passes, size_t count, double *a, const double *b)
{
    for (size_t pass = 0; pass < passes; pass++) {
        vector *v = (vector *)a;
        const vector *w = (const vector *)b;
        for (size_t i = 0; i < count; i += BLOCK, v += 8, w += 8) {
            v[0] = w[0], v[1] = w[1], v[2] = w[2], v[3] = w[3];
            v[4] = w[4], v[5] = w[5], v[6] = w[6], v[7] = w[7];
        }
        FORGET(a);
        FORGET(b);
    }
}

static void triad_passes(size_t passes, size_t count, double *a, const double *b, const double *c,
                         double factor)
{
    const vector s = spread(factor);
    for (size_t pass = 0; pass < passes; pass++) {
        vector *v = (vector *)a;
        const vector *w = (const vector *)b, *z = (const vector *)c;
        for (size_t i = 0; i < count; i += BLOCK, v += 8, w += 8, z += 8) {
            v[0] = w[0] + s * z[0], v[1] = w[1] + s * z[1], v[2] = w[2] + s * z[2], v[3] = w[3] + s * z[3];
            v[4] = w[4] + s * z[4], v[5] = w[5] + s * z[5], v[6] = w[6] + s * z[6], v[7] = w[7] + s * z[7];
        }
        FORGET(a);
        FORGET(b);
    }
}

const struct sens_peak sens_peak = {
    .block = BLOCK,
    .vector = sizeof(vector),
    .flops = (double)FLOPS * CHAIN_COUNT * WIDTH,
    .fma = fma_passes,
    .read = read_passes,
    .write = write_passes,
    .copy = copy_passes,
    .triad = triad_passes,
};
