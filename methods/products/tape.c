/* Tapes, block by block: see sens/tape.h.
 *
 * A call goes strip by strip, in each of these point by point: a sum over points then finds the rows that it is
 * added to in the cache. Lanes are taken 16, 8, 4 or 1 at a time. */
#include "sens/tape.h"

#include <string.h>
#include <tgmath.h>

#include "vectors.h"

/* ---- values ---------------------------------------------------------------------------------------------- */

/* to[i] = expression of value[j], value[k], ...: one loop an operation. */
#define OPERANDS_1                                                                                           \
    const sens_real a = value[index[1]];                                                                     \
    index += 2;
#define OPERANDS_2                                                                                           \
    const sens_real a = value[index[1]], b = value[index[2]];                                                \
    index += 3;
#define OPERANDS_3                                                                                           \
    const sens_real a = value[index[1]], b = value[index[2]], c = value[index[3]];                           \
    index += 4;
#define LOOP(code, name, operands, expression)                                                               \
    static void loop_##code(uint32_t rows, const uint32_t *index, const sens_real *value, sens_real *to)     \
    {                                                                                                        \
        for (uint32_t row = 0; row < rows; row++) {                                                          \
            sens_real *const at = to + index[0];                                                             \
            OPERANDS_##operands;                                                                             \
            *at = expression;                                                                                \
        }                                                                                                    \
    }
LOOP(COPY, "copy", 1, a)
SENS_OPERATION_LIST(LOOP)

typedef void loop_function(uint32_t rows, const uint32_t *index, const sens_real *value, sens_real *to);
#define ENTRY(code, name, operands, expression) loop_##code,
static loop_function *const loop[] = {ENTRY(COPY, "copy", 1, a) SENS_OPERATION_LIST(ENTRY)};
#undef ENTRY

/* sum_k value[a_k] value[b_k], in two partial sums. */
ALWAYS_INLINE sens_real products(uint32_t count, const uint32_t *index, const sens_real *value)
{
    sens_real even = 0, odd = 0;
    uint32_t k = 0;
    for (; k + 2 <= count; k += 2, index += 4) {
        even += value[index[0]] * value[index[1]];
        odd += value[index[2]] * value[index[3]];
    }
    if (k < count) even += value[index[0]] * value[index[1]];
    return even + odd;
}

static void sum_values(const struct sens_tape_block *block, const uint32_t *index, const sens_real *value,
                       sens_real *to)
{
    const uint32_t added = block->part[0], subtracted = block->part[1];
    for (uint32_t row = 0; row < block->rows; row++, index += 1 + 2 * (added + subtracted))
        to[index[0]] = products(added, index + 1, value) - products(subtracted, index + 1 + 2 * added, value);
}

static bool compare(enum sens_tape_op op, sens_real a, sens_real b)
{
    return op == SENS_TAPE_GUARD_LESS ? a < b : op == SENS_TAPE_GUARD_LESS_EQUAL ? a <= b : a == b;
}

static bool guards_hold(const struct sens_tape_block *block, const uint32_t *index, const sens_real *value)
{
    for (uint32_t row = 0; row < block->rows; row++, index += 3)
        if (compare(block->op, value[index[0]], value[index[1]]) != (index[2] != 0)) return false;
    return true;
}

/* false: a guard does not hold. */
static bool run_values(const struct sens_tape *tape, const struct sens_tape_strip *strip, sens_real *value,
                       const struct sens_tape_call *call)
{
    const uint32_t *const indices = tape->index;
    const struct sens_tape_block *block = tape->block + strip->values, *end = tape->block + strip->lanes;
    sens_real *const out = call->out;
    for (; block < end; block++) {
        const uint32_t *index = indices + block->index;
        sens_real *to = block->goal == SENS_TAPE_KEPT ? value : out;
        if (block->op < SENS_TAPE_SUM)
            loop[block->op](block->rows, index, value, to);
        else if (block->op == SENS_TAPE_SUM)
            sum_values(block, index, value, to);
        else if (!call->unguarded && !guards_hold(block, index, value))
            return false;
    }
    return true;
}

/* ---- lanes ----------------------------------------------------------------------------------------------- */

struct lane_rows {
    sens_real *at;
    size_t step;
};

struct lane_frame {         /* some lanes at one point */
    const sens_real *value; /* of the point */
    const sens_real *v, *extra[3];
    size_t v_step; /* L: from a row of these, and of the outputs, to the next */
    sens_real *kept;
    struct lane_rows goal[3]; /* by enum sens_tape_goal */
};

#if defined SENS_EXTENDED
enum { LANES_4 = 4 };
#define QUARTET_TYPE      sens_real
#define QUARTET_IN_MEMORY sens_real
#elif defined __AVX__
enum { LANES_4 = 1 };
#define QUARTET_TYPE      quartet
#define QUARTET_IN_MEMORY quartet_in_memory
#else
enum { LANES_4 = 2 };
#define QUARTET_TYPE      vector
#define QUARTET_IN_MEMORY vector_in_memory
#endif

#define KERNEL(name)   name##_16
#define WIDTH          16
#define COUNT          (16 / VECTOR)
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "tape_kernel.h"

#define KERNEL(name)   name##_8
#define WIDTH          8
#define COUNT          (8 / VECTOR)
#define TYPE           vector
#define TYPE_IN_MEMORY vector_in_memory
#include "tape_kernel.h"

#define KERNEL(name)   name##_4
#define WIDTH          4
#define COUNT          LANES_4
#define TYPE           QUARTET_TYPE
#define TYPE_IN_MEMORY QUARTET_IN_MEMORY
#include "tape_kernel.h"

#define KERNEL(name)   name##_1
#define WIDTH          1
#define COUNT          1
#define TYPE           sens_real
#define TYPE_IN_MEMORY sens_real
#include "tape_kernel.h"

static size_t widest(size_t lanes)
{
    return lanes >= 16 ? 16 : lanes >= 8 ? 8 : lanes >= 4 ? 4 : 1;
}

static void run_width(const struct lane_frame *f, size_t width, const struct sens_tape *tape,
                      const struct sens_tape_strip *strip)
{
    if (width == 16)
        blocks_16(f, tape, strip->lanes, strip->end);
    else if (width == 8)
        blocks_8(f, tape, strip->lanes, strip->end);
    else if (width == 4)
        blocks_4(f, tape, strip->lanes, strip->end);
    else
        blocks_1(f, tape, strip->lanes, strip->end);
}

static void clear_width(size_t width, sens_real *v)
{
    if (width == 16)
        clear_16(v);
    else if (width == 8)
        clear_8(v);
    else if (width == 4)
        clear_4(v);
    else
        clear_1(v);
}

static const sens_real *moved(const sens_real *v, size_t by)
{
    return v ? v + by : NULL;
}

static sens_real *moved_output(sens_real *v, size_t by)
{
    return v ? v + by : NULL;
}

/* Lanes at, ..., at + width - 1 of a point. Entry by entry: an initialiser would clear it first, at the cost of some
 * rows. */
ALWAYS_INLINE void set_frame(struct lane_frame *f, const struct sens_tape_call *call, size_t point, size_t at,
                             size_t width, const sens_real *value, sens_real *kept)
{
    f->value = value;
    f->v = moved(call->v, point * call->v_step + at);
    for (size_t k = 0; k < 3; k++) f->extra[k] = moved(call->extra[k], at);
    f->v_step = call->lanes;
    f->kept = kept;
    f->goal[SENS_TAPE_KEPT] = (struct lane_rows){kept, width};
    f->goal[SENS_TAPE_WRITTEN] = (struct lane_rows){moved_output(call->out, at), call->lanes};
    f->goal[SENS_TAPE_ADDED] = (struct lane_rows){moved_output(call->sum, at), call->lanes};
}

/* Lanes first, ..., first + lanes - 1 at a point; kept [n_lane_values][lanes], in groups of lanes. */
static void run_lanes(const struct sens_tape *tape, const struct sens_tape_strip *strip,
                      const struct sens_tape_call *call, size_t point, size_t first, size_t lanes,
                      const sens_real *value, sens_real *kept)
{
    for (size_t l = 0, width; l < lanes; l += width) {
        struct lane_frame f;
        width = widest(lanes - l);
        set_frame(&f, call, point, first + l, width, value, kept + l * tape->n_lane_values);
        run_width(&f, width, tape, strip);
    }
}

/* ---- a call ---------------------------------------------------------------------------------------------- */

/* Numbers of one point: its values, then its lane values, each from a multiple of 64 bytes on. */
static size_t values_size(const struct sens_tape *tape)
{
    return (tape->n_values + 7) / 8 * 8;
}

static size_t point_size(const struct sens_tape *tape)
{
    return values_size(tape) + tape->n_lane_values * SENS_TAPE_LANES;
}

static size_t room(const struct sens_tape *tape, size_t points)
{
    return points * point_size(tape);
}

/* Few numbers without a call, which takes longer than they do. */
ALWAYS_INLINE void copy_numbers(size_t count, const sens_real *restrict from, sens_real *restrict to)
{
    if (count >= 8) {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    if (count & 4) memcpy(to, from, 4 * sizeof *to), to += 4, from += 4;
    if (count & 2) memcpy(to, from, 2 * sizeof *to), to += 2, from += 2;
    if (count & 1) *to = *from;
}

static void prepare(const struct sens_tape *tape, size_t points, sens_real *memory)
{
    for (size_t k = 0; k < points; k++) {
        sens_real *value = memory + k * point_size(tape);
        if (tape->n_constants) copy_numbers(tape->n_constants, tape->constant, value);
    }
}

static void enter_point(const struct sens_tape *tape, const struct sens_tape_call *call, size_t point,
                        sens_real *value)
{
    value[tape->t_at] = call->t[point];
    if (tape->n_x) copy_numbers(tape->n_x, call->x + point * call->x_step, value + tape->x_at);
    if (tape->n_p) copy_numbers(tape->n_p, call->p, value + tape->p_at);
}

/* All strips for some of the lanes, at most SENS_TAPE_LANES. */
static bool run_group(const struct sens_tape *tape, const struct sens_tape_call *call, size_t first,
                      size_t lanes, sens_real *memory)
{
    for (size_t k = 0; k < call->points; k++) {
        sens_real *value = memory + k * point_size(tape), *kept = value + values_size(tape);
        enter_point(tape, call, k, value);
        for (size_t l = 0, width; l < lanes; l += width) {
            width = widest(lanes - l);
            clear_width(width, kept + l * tape->n_lane_values); /* lane value 0 */
        }
    }
    for (size_t s = 0; s < tape->n_strips; s++)
        for (size_t k = 0; k < call->points; k++) {
            sens_real *value = memory + k * point_size(tape), *kept = value + values_size(tape);
            if (!run_values(tape, &tape->strip[s], value, call)) return false;
            run_lanes(tape, &tape->strip[s], call, k, first, lanes, value, kept);
        }
    return true;
}

/* One point with no lanes, or with as many as a kernel takes at a time: the same frame serves all strips. What is
 * left of the loops above takes as long as the operations of a small product. */
static bool run_at_once(const struct sens_tape *tape, const struct sens_tape_call *call, sens_real *value)
{
    const size_t L = call->lanes;
    sens_real *const kept = value + values_size(tape);
    struct lane_frame f;
    enter_point(tape, call, 0, value);
    if (L > 0) {
        clear_width(L, kept); /* lane value 0 */
        set_frame(&f, call, 0, 0, L, value, kept);
    }
    for (const struct sens_tape_strip *strip = tape->strip; strip < tape->strip + tape->n_strips; strip++) {
        if (!run_values(tape, strip, value, call)) return false;
        if (L > 0) run_width(&f, L, tape, strip);
    }
    return true;
}

static bool run(const struct sens_tape *tape, const struct sens_tape_call *call, sens_real *memory)
{
    const size_t L = call->lanes;
    if (call->points == 1 && (L == 0 || L == widest(L))) return run_at_once(tape, call, memory);
    for (size_t first = 0; first < L || first == 0; first += SENS_TAPE_LANES)
        if (!run_group(tape, call, first, L - first < SENS_TAPE_LANES ? L - first : SENS_TAPE_LANES, memory))
            return false;
    return true;
}

const struct sens_tape_functions sens_tape = {.room = room, .prepare = prepare, .run = run};
