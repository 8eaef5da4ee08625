/* harness/machine/vector.h - which of the widths of vectors a core multiplies at its full rate. */
#ifndef MACHINE_VECTOR_H
#define MACHINE_VECTOR_H

#include <stddef.h>

enum { VECTOR_MOST = 8 }; /* widths that are compared at most */

/* Bytes; 0: none is known. Timed at each call, for half a millisecond where nothing disturbs it. */
size_t vector_find(void);

/* shortest[i], in seconds, of `count` loops, VECTOR_MOST at most, that take turns: seconds(data, i) runs loop i
 * once and tells how long it took. Ends when of each loop two tries agree, or after 400 rounds. */
void vector_shortest(size_t count, double (*seconds)(void *data, size_t i), void *data, double *shortest);

/* The one of bytes[count], narrowest first, whose rate, in operations a second, is worth its width. */
size_t vector_at_full_rate(size_t count, const size_t *bytes, const double *rate);

#endif
