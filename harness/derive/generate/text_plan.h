/* derive/generate/text_plan.h - how the integers of an operator (roll.h) appear in the text: as numbers, where they are
 * the same in all pieces of its cover, else as columns of a table with a row for each piece. */
#ifndef DERIVE_PLAN_H
#define DERIVE_PLAN_H

#include "roll.h"
#include "text.h"

struct plan_number {
    int32_t value;  /* the number, or how much it is more than its column; that is 0 but for bases */
    int32_t column; /* of the table; -1: none */
};

struct plan {
    const struct roll_operator *operator;
    size_t depth, width;
    struct plan_number *base;               /* [width] */
    struct plan_number *step[COVER_LEVELS]; /* [width] each */
    struct plan_number count[COVER_LEVELS], grow;
    size_t columns, id; /* of the table */
    size_t *column;     /* [columns]: which number it holds, of those of a piece one after the other */
};

/* false: no memory, nothing to release. */
bool plan_make(const struct roll_operator *operator, size_t id, struct plan *plan);
void plan_release(struct plan *plan);

/* The number, or its place in a row of the table, to which a base has its value added. */
void plan_write_number(struct text *text, struct plan_number number);

/* The table, if there is one: static const int TABLE_id[pieces][columns]. */
void plan_write_table(const struct plan *plan, struct text *text);

/* Is the number the same in all pieces, and this? */
static inline bool plan_is(struct plan_number number, int32_t value)
{
    return number.column < 0 && number.value == value;
}

#endif
