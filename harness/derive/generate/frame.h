/* derive/generate/frame.h - what the two ways to write a product have in common: straight-line code (straight.h)
 * and loops (loops.h). A product becomes a static function of one of two forms,
 *
 *     void core_NAME(double t, const double *x, const double *p, double *OUT)
 *     void core_NAME(double t, const double *x, const double *p, size_t L,
 *               const double *W, const double *DT, const double *DX, const double *DP, double *OUT)
 *
 * the second in lanes: L numbers for each entry of W, DX, DP and OUT. */
#ifndef DERIVE_FRAME_H
#define DERIVE_FRAME_H

#include "graph.h"
#include "text.h"

struct frame {
    const char *name;
    bool lanes;
    bool adds;       /* OUT += */
    unsigned calls;  /* what is written of lanes: see enum generate_call */
    unsigned widest; /* numbers of the largest vector: 8, 4, 2 */
};

/* The head of the function, from `static void` to the brace. */
void frame_open(struct text *text, const struct frame *frame);

/* Includes, types and macros at the head of the text. */
void frame_prelude(struct text *text);

/* The name of the array that holds leaves of a kind: x, p, W, DT, DX, DP. Not for T and constants. */
const char *frame_array(enum graph_op leaf);

/* Is this leaf one number a lane? */
bool frame_in_lanes(enum graph_op leaf);

/* The operation on scalars, written as C: a, b, c are names or literals that may be repeated. b_constant: b is
 * that number (an exponent), else NULL. */
void frame_operation(struct text *text, enum graph_op op, const char *a, const char *b, const char *c,
                     const long double *b_constant);

/* Sums of eight parts each, in vectors va<token>_<copy>, vb..., of at most `widest` numbers: their halves as sums of
 * four, fa<token>_<copy>, fb...; and of these all parts, s<token>_<copy>. The order of the additions is the same for
 * any width. */
void frame_halve(struct text *text, size_t token, unsigned copies, unsigned widest);
void frame_add_parts(struct text *text, size_t token, unsigned copies, unsigned widest);

/* Operations that can be done to vectors of lanes: + - * / and a select whose condition is a scalar. */
bool frame_is_linear(enum graph_op op);

#endif
