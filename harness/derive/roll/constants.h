/* derive/roll/constants.h - the constants of expressions, each with an index; sequences that runs and classes go
 * through have consecutive ones. */
#ifndef DERIVE_CONSTANTS_H
#define DERIVE_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct constants {
    long double *value;
    size_t count, room;
    uint32_t *slot; /* index + 1 of single ones; 0: free */
    size_t slots, singles;
    bool failed; /* no memory */
};

/* The index of a constant, the same for equal ones. */
int32_t constants_index(struct constants *constants, long double value);

/* The first index of these constants, [count] indices, in this order, consecutively. */
int32_t constants_sequence(struct constants *constants, const int32_t *index, size_t count);

void constants_release(struct constants *constants);

#endif
