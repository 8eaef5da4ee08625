/* harness/machine/peak.h - what this machine can do, measured: operations in registers and bandwidths. */
#ifndef MACHINE_PEAK_H
#define MACHINE_PEAK_H

#include <stddef.h>
#include <stdio.h>

#include "refuse.h"
#include "sens/registry.h"

struct peak_rate {
    char what[8];  /* fma, or what is done to arrays: read, write, copy, triad */
    char isa[16];  /* instruction set of the loop */
    char level[8]; /* where the arrays of a thread fit: L1, L2, L3, DRAM; "-" for fma */
    int threads;   /* at once, each bound to a core of its own and with arrays of its own */
    size_t bytes;  /* of the arrays of one thread; 0 for fma */
    int samples;
    double median, min, max; /* of all threads together; GFLOP/s for fma, else GB/s */
};

enum { PEAK_RATES = 64 };
struct peak {
    size_t count;
    struct peak_rate rate[PEAK_RATES];
};

/* fma with every instruction set that this CPU supports, then the arrays with the best one; with one thread
 * and with all cores. About 1.5 s when quick, else 5 s. */
bool peak_measure(bool quick, struct peak *peak, struct bench_error *error);

/* GFLOP/s of fma, the fastest of a few samples of 1 ms. The caller is worker 0 of so many threads; the others
 * are bound by `bind` unless it is NULL. NaN when they cannot be started. */
double peak_fma(const struct sens_registry *variant, int threads, void (*bind)(int worker));

/* A rate as `what=fma isa=avx2 level=- threads=1 bytes=0 samples=5 median=... min=... max=...`. */
void peak_write(FILE *out, const struct peak_rate *rate);

/* The lines `#! peak: RATE` of a result file; a remark that says why where it cannot be measured. `peak` is measured
 * where it has no rates yet. */
void peak_write_prelude(FILE *out, struct peak *peak);

/* peak_loop.c: `threads` threads, of which the caller is the first, do the same loop at the same time. */
enum peak_kind { PEAK_FMA, PEAK_READ, PEAK_WRITE, PEAK_COPY, PEAK_TRIAD, PEAK_KINDS };
struct peak_loop {
    const struct sens_peak *loops;
    enum peak_kind kind;
    int threads;
    void (*bind)(int worker); /* for the threads that are started; may be NULL */
    size_t bytes;             /* of the arrays of one thread, about; not for fma */
    int samples;
    double seconds; /* of a sample, at least */
};
/* rate[samples], in 1e9 operations or bytes a second; *passes of the last sample (may be NULL). false: no
 * memory or no threads. */
bool peak_loop_run(const struct peak_loop *loop, double *rate, size_t *passes);
/* Operations (fma) or bytes of one pass of one thread. */
double peak_loop_work(const struct peak_loop *loop);

#endif
