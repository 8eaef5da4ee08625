/* derive/generate/straight.h - a product as straight-line code, a statement an operation: the fastest form of
 * small ones. */
#ifndef DERIVE_STRAIGHT_H
#define DERIVE_STRAIGHT_H

#include "frame.h"

/* The function of outputs [first, first + count) of the graph, which go to OUT[0 .. count). SENS_NO_MEMORY;
 * SENS_UNSUPPORTED: an operation on lanes that is not linear. */
sens_status straight_write(struct text *text, const struct frame *frame, const struct graph *graph,
                           size_t first, size_t count);

#endif
