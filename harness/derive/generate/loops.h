/* derive/generate/loops.h - a product as loops, from its rolled form: what all lanes share once, then the lanes in
 * blocks of 16, 8, 4, 2 and 1; one lane by vectors of outputs or of terms. */
#ifndef DERIVE_LOOPS_H
#define DERIVE_LOOPS_H

#include "frame.h"
#include "roll.h"

/* SENS_NO_MEMORY. */
sens_status loops_write(struct text *text, const struct frame *frame, const struct rolled *rolled);

#endif
