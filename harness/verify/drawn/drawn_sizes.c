/* What it is about a size that makes a drawn scene wrong: that it equals another one, or the rest that it
 * leaves. */
#include <stdio.h>

#include "drawn.h"
#include "remainder.h"

struct sizes { /* a wrong scene, and an axis of it */
    const struct drawing *drawing;
    const struct drawn *drawn;
    int axis;
};

static bool is(const struct drawing *drawing, const struct drawn *drawn, enum drawn_outcome outcome)
{
    return drawn_judge(drawing, drawn).outcome == outcome;
}

/* ---- two that are equal -------------------------------------------------------------------------------- */

/* Right where one of them is larger or smaller by one, and wrong where both are larger. */
static bool is_coincidence(const struct drawing *drawing, const struct drawn *drawn, int one, int other,
                           enum drawn_outcome outcome)
{
    struct drawn larger = *drawn, smaller = *drawn, both = *drawn;
    larger.value[one]++, both.value[one]++, both.value[other]++;
    smaller.value[one]--;
    return is(drawing, &larger, DRAWN_RIGHT) && is(drawing, &both, outcome) &&
           (smaller.value[one] < 1 || is(drawing, &smaller, DRAWN_RIGHT));
}

bool drawn_blame_equal(const struct drawing *drawing, const struct drawn *drawn, enum drawn_outcome outcome,
                       struct verify_result *result)
{
    static const int sizes[] = {AXIS_STATES, AXIS_PARAMETERS, AXIS_OUTPUTS};
    for (int k = 0; k < 3; k++) {
        const int one = sizes[k], other = sizes[(k + 1) % 3];
        if (drawn->value[one] != drawn->value[other]) continue;
        if (!is_coincidence(drawing, drawn, one, other, outcome)) continue;
        verify_say(result, "it shows where %s = %s, whatever their size, and not where they differ by one",
                   axis_name(drawing, one), axis_name(drawing, other));
        verify_blame(result, CAUSE_equal_sizes, 0.99);
        return true;
    }
    return false;
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static bool is_wrong(const void *self, long size)
{
    const struct sizes *sizes = self;
    struct drawn drawn = *sizes->drawn;
    drawn.value[sizes->axis] = (double)size;
    return is(sizes->drawing, &drawn, DRAWN_WRONG);
}

bool drawn_blame_rest(const struct drawing *drawing, const struct drawn *drawn, int axis,
                      struct verify_result *result)
{
    const bool counted = axis == AXIS_STATES || axis == AXIS_PARAMETERS || axis == AXIS_OUTPUTS ||
                         axis == AXIS_STEPS || axis == AXIS_TIMES;
    const struct sizes sizes = {drawing, drawn, axis};
    if (!counted) return false;
    return remainder_blame(is_wrong, &sizes, (long)drawn->value[axis], axis_name(drawing, axis), result);
}
