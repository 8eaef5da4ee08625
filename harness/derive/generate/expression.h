/* derive/generate/expression.h - an expression of a rolled graph (roll.h) as C: one number, or a vector of numbers
 * that lie side by side, be it lanes, neighbouring outputs or neighbouring terms of a run. */
#ifndef DERIVE_EXPRESSION_H
#define DERIVE_EXPRESSION_H

#include "text_plan.h"

enum expression_axis {
    EXPRESSION_NUMBERS, /* no vectors */
    EXPRESSION_LANES,   /* a vector holds lanes: leaves in lanes are vectors */
    EXPRESSION_OUTPUTS, /* it holds neighbours in the innermost loop: leaves that advance with it are vectors */
    EXPRESSION_TERMS    /* it holds neighbours in a run: the sum of its parts comes at the end */
};

enum { EXPRESSION_COPIES = 16 };

struct expression_style {
    enum expression_axis axis;
    unsigned width;   /* numbers of a vector: 8, 4, 2, 1; of EXPRESSION_TERMS: of the widest that there is */
    unsigned vectors; /* EXPRESSION_LANES: so many side by side */
    unsigned rows; /* turns of the innermost loop that are done together, in vectors on EXPRESSION_OUTPUTS */
};

/* Statements that compute the operator for one turn of its loops (style->rows turns of the innermost) and store
 * the values. adds: outputs are added to. */
void expression_write(struct text *text, const struct plan *plan, const struct expression_style *style,
                      const long double *constant, bool adds);

/* Can the operator be written along this axis? */
bool expression_can(const struct plan *plan, enum expression_axis axis);

/* Is there a run, of which the terms of rows share something: worth more than one row? */
bool expression_has_run(const struct plan *plan);

/* Does it read constants from a table, because they are not the same everywhere? */
bool expression_reads_table(const struct plan *plan);

#endif
