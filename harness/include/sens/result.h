/* sens/result.h - the parts of a result, one line each.
 *
 * A part is a matrix, row-major. With n states, np parameters and m outputs its line
 *
 *     PART(with, ID, name, title, rows, cols, wrt)
 *
 * makes the member `name` of struct sens_out, its place SENS_PART_ID in part[] and its bit SENS_IN_ID in sets
 * of parts; says how people write it, its shape, and which derivatives it belongs to: those with respect to
 * p, to x0, or 0, none. One part more is one line more here, and a method that names it in its `more` and
 * fills it: memory, dump and report, the tests that a result is finite and the same every time, and the
 * comparisons that verify makes bit for bit go over this list. What is held to a truth or a bound is the first
 * order alone: a bound for another part has to be written. One part more changes SENS_PLUGIN_ABI by itself. */
#ifndef SENS_RESULT_H
#define SENS_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "sens/real.h"

enum { SENS_WRT_P = 1, SENS_WRT_X0 = 2 }; /* what to differentiate with respect to */

/* The state at t1; the outputs, one of each cost functional; their gradients. */
#define SENS_RESULT(PART, with)                                                                              \
    PART(with, X, x, "x", n, 1, 0)                                                                           \
    PART(with, G, G, "G", m, 1, 0)                                                                           \
    PART(with, DGDP, dGdp, "dG/dp", m, np, SENS_WRT_P)                                                       \
    PART(with, DGDX0, dGdx0, "dG/dx0", m, n, SENS_WRT_X0)                                                    \
    /* more above this line: what a reference holds leads the list */

#define SENS_PART_PLACE_(with, ID, ...) SENS_PART_##ID,
enum sens_part { SENS_RESULT(SENS_PART_PLACE_, ) SENS_PARTS };

#define SENS_PART_BIT_(with, ID, ...) SENS_IN_##ID = 1 << SENS_PART_##ID,
enum { SENS_RESULT(SENS_PART_BIT_, ) SENS_IN_NOTHING = 0 };

/* Sets of parts: of every solve; gradients; what every method can compute, and every truth knows. */
enum {
    SENS_IN_STATE = SENS_IN_X | SENS_IN_G,
    SENS_IN_GRADIENT = SENS_IN_DGDP | SENS_IN_DGDX0,
    SENS_IN_FIRST = SENS_IN_STATE | SENS_IN_GRADIENT
};

/* The arrays of a result: each by its name, and all as part[SENS_PARTS]. */
#define SENS_PART_MEMBER_(number, ID, name, ...) number *name;
#define SENS_RESULT_ARRAYS(number)                                                                           \
    union {                                                                                                  \
        struct {                                                                                             \
            SENS_RESULT(SENS_PART_MEMBER_, number)                                                           \
        };                                                                                                   \
        number *part[SENS_PARTS];                                                                            \
    }

/* Owned by the caller: x, G, and what else the task asks for; NULL: not asked for. Holds results only after
 * SENS_OK, and may be partly overwritten otherwise. */
struct sens_out {
    SENS_RESULT_ARRAYS(sens_real);
};

struct sens_part_shape {
    const char *name, *title; /* "dGdp" in files and messages, "dG/dp" for people */
    size_t rows, cols;
    unsigned wrt; /* SENS_WRT_*; 0: no derivative */
};

#define SENS_PART_SHAPE_(with, ID, name, title, rows, cols, wrt) {#name, title, rows, cols, wrt},
static inline struct sens_part_shape sens_part_shape(enum sens_part part, size_t n, size_t np, size_t m)
{
    const struct sens_part_shape shape[SENS_PARTS] = {SENS_RESULT(SENS_PART_SHAPE_, )};
    return shape[part];
}

/* The derivatives that a part belongs to: SENS_WRT_*; 0: none. */
static inline unsigned sens_part_wrt(enum sens_part part)
{
    return sens_part_shape(part, 0, 0, 0).wrt;
}

/* The parts that belong to these derivatives, and those that belong to none; bits. */
static inline unsigned sens_parts_of(unsigned wrt)
{
    unsigned parts = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++) {
        const unsigned by = sens_part_wrt(k);
        if (by == 0 || by & wrt) parts |= 1u << k;
    }
    return parts;
}

/* The derivatives that parts belong to: SENS_WRT_*. */
static inline unsigned sens_parts_wrt(unsigned parts)
{
    unsigned wrt = 0;
    for (enum sens_part k = 0; k < SENS_PARTS; k++)
        if (parts >> k & 1) wrt |= sens_part_wrt(k);
    return wrt;
}

#endif
