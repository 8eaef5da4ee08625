/* harness/machine/vector.h - which of the widths of vectors a core multiplies at its full rate. */
#ifndef MACHINE_VECTOR_H
#define MACHINE_VECTOR_H

#include <stddef.h>

/* Bytes; 0: none is known. Timed at each call, for half a millisecond in all. */
size_t vector_find(void);

/* The one of bytes[count], narrowest first, whose rate, in operations a second, is worth its width. */
size_t vector_at_full_rate(size_t count, const size_t *bytes, const double *rate);

#endif
