/* derive/generate/product.h - one product as a static function: straight-line where it is small, else loops. */
#ifndef DERIVE_PRODUCT_H
#define DERIVE_PRODUCT_H

#include "frame.h"
#include "generate.h"

/* Operations and outputs up to which straight-line code is written: in lanes, where each operation is written for five
 * widths; and of numbers, where short loops cost more than what is in them. */
enum { PRODUCT_SMALL = 60, PRODUCT_SMALL_NUMBERS = 256 };

/* The function of outputs [first, first + count) of the graph; what was counted is added to *counted. */
sens_status product_write(struct text *text, const struct frame *frame, const struct graph *graph,
                          size_t first, size_t count, struct generate_count *counted);

#endif
