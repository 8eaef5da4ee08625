/* sens/tape.h - a tape: a straight program on numbers and on blocks of lanes, run block by block.
 *
 * It computes y = A(t, x, p) v for L vectors v at once, or, without lanes, numbers that depend on a point. What
 * depends on the point alone are its values: computed once a point. What depends on the vectors are its lane
 * values [L] each: sums of (value) x (lane value), which is all that a derivative product needs beside products
 * of two lane values (second derivatives) and choices.
 *
 * Equal operations that do not depend on each other stand in one block, so that an operation is decoded once a
 * block. Blocks make up strips, short enough for the caches; in a strip come those on values, then those on
 * lanes. Places of values and lane values are used again when nothing needs them any more.
 *
 * A tape may hold guards: comparisons of values that have to be what they were when the tape was made. They come
 * before everything that writes to an output. */
#ifndef SENS_TAPE_H
#define SENS_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sens/operations.h"
#include "sens/real.h"

enum sens_tape_op {
    SENS_TAPE_COPY,
#define SENS_TAPE_ENUM(code, name, operands, expression) SENS_TAPE_##code,
    SENS_OPERATION_LIST(SENS_TAPE_ENUM)
#undef SENS_TAPE_ENUM
        SENS_TAPE_SUM,          /* of products of two values, less others */
    SENS_TAPE_GUARD_LESS,       /* rows of three: is a < b what c says? */
    SENS_TAPE_GUARD_LESS_EQUAL, /* likewise a <= b, */
    SENS_TAPE_GUARD_EQUAL,      /* a == b */
    SENS_TAPE_LANE_LOAD,        /* a lane value is a row of an input: extra[part[0]] */
    SENS_TAPE_LANE_SUM,         /* of products of a value and a lane value, less others */
    SENS_TAPE_LANE_PRODUCT,     /* of two lane values */
    SENS_TAPE_LANE_SELECT       /* one of two lane values, by a value */
};

enum sens_tape_goal {
    SENS_TAPE_KEPT,    /* a place of the tape */
    SENS_TAPE_WRITTEN, /* a row of `out` */
    SENS_TAPE_ADDED    /* a row of `sum`, to which it is added; lanes only */
};

/* `rows` operations, of indices that follow each other: first where the result goes, then operands. Of a sum
 * these are pairs, part[0] to be added and part[1] to be subtracted; of a sum of lanes, whose pairs are a value
 * and a lane value, so many rows of v, and then part[2] and part[3] of lane values that were kept. Of a product
 * or a choice of lanes part[k] = 1 where its operand k is a row of v. */
struct sens_tape_block {
    enum sens_tape_op op;
    enum sens_tape_goal goal;
    uint32_t rows, part[4];
    size_t index; /* where they begin */
};

struct sens_tape_strip {
    size_t values, lanes, end; /* blocks from `values` on, and from `lanes` to before `end` */
};

/* Values: constants, t, x and p where they are used, then places. Lane value 0 is 0. */
struct sens_tape {
    size_t n_values, n_lane_values;
    size_t n_constants;
    const sens_real *constant;
    size_t t_at, x_at, p_at; /* place of t, x_0, p_0 */
    size_t n_x, n_p;         /* so many are used: 0, or all */
    size_t n_strips;
    const struct sens_tape_strip *strip;
    const struct sens_tape_block *block;
    const uint32_t *index;
};

enum { SENS_TAPE_LANES = 16, SENS_TAPE_POINTS = 8 }; /* so many are taken at a time */

struct sens_tape_call {
    size_t points;             /* at most SENS_TAPE_POINTS; more than one only where nothing is WRITTEN */
    const sens_real *t, *x;    /* [points], [points][n_x] */
    const sens_real *p;        /* [n_p] */
    size_t x_step;             /* from the x of a point to the next */
    size_t lanes;              /* L */
    const sens_real *v;        /* [points][rows of v][L] */
    size_t v_step;             /* from the v of a point to the next */
    const sens_real *extra[3]; /* dt [1][L], dx [n][L], dp [np][L]; what no LANE_LOAD reads may be NULL */
    sens_real *out, *sum;      /* [rows][L], or numbers */
    bool unguarded;            /* guards are passed over */
};

struct sens_tape_functions {
    /* Numbers that a call needs of its own for so many points, aligned to 64 bytes. */
    size_t (*room)(const struct sens_tape *tape, size_t points);
    /* To be called once for such memory. */
    void (*prepare)(const struct sens_tape *tape, size_t points, sens_real *room);
    /* false: a guard does not hold at one of the points, and nothing is written. */
    bool (*run)(const struct sens_tape *tape, const struct sens_tape_call *call, sens_real *room);
};

extern const struct sens_tape_functions sens_tape;

#endif
