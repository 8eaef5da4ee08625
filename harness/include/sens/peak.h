/* sens/peak.h - loops of known work, for measuring what a core can do at best with one instruction set. */
#ifndef SENS_PEAK_H
#define SENS_PEAK_H

#include <stddef.h>

/* Kept to doubles in every precision. `count` is a multiple of `block`, arrays are 64-byte aligned, and every
 * function passes `passes` times over them. What is returned depends on all that was read or computed. */
struct sens_peak {
    size_t block;
    size_t vector;                                                         /* bytes of a vector */
    double flops;                                                          /* of one pass of fma */
    double (*fma)(size_t passes, double factor, double term);              /* in registers */
    double (*read)(size_t passes, size_t count, const double *a);          /* sum: 8 bytes a number */
    void (*write)(size_t passes, size_t count, double *a, double value);   /* 8 bytes a number */
    void (*copy)(size_t passes, size_t count, double *a, const double *b); /* a = b: 16 bytes */
    void (*triad)(size_t passes, size_t count, double *a, const double *b, const double *c,
                  double factor); /* a = b + factor c: 24 bytes */
};

extern const struct sens_peak sens_peak;

#endif
