/* derive/generate/along.h - which numbers of an operator stand still, and which advance with a loop. */
#ifndef DERIVE_ALONG_H
#define DERIVE_ALONG_H

#include "text_plan.h"

struct along_cursor { /* a place among the tokens and the integers of an operator */
    size_t token, integer;
};

/* Moves behind the expression at the cursor, which stands inside `runs` runs. */
void along_skip(const roll_token *token, struct along_cursor *at, unsigned runs);

/* A leaf that each lane has its own value of: a vector of the caller, or storage in lanes. */
bool along_is_lane(roll_token token);

/* Is integer e 0 everywhere? */
bool along_is_zero(const struct plan *plan, size_t e);

/* Is the quantity at e, inside `runs` runs, the same number everywhere? */
bool along_literal(const struct plan *plan, size_t e, unsigned runs);

/* Can the terms of the run whose body is at the cursor, inside `runs` runs with it, be taken by vectors? There is
 * nothing but + - * / in it, and every leaf stands still or advances by 1. */
bool along_terms(const struct plan *plan, struct along_cursor at, unsigned runs);

/* Is the run whose count is the quantity at e a whole number of vectors long, everywhere? */
bool along_is_whole(const struct plan *plan, size_t e, unsigned runs, unsigned width);

#endif
