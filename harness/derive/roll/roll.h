/* derive/roll/roll.h - a graph as few operators: expressions of one shape, computed in loops.
 *
 * The graph is cut into expressions (cut.h). In normal form sums and products have any number of operands, in an
 * order by shape and index; terms of one shape whose indices advance evenly are a run, a loop inside the sum, and
 * runs of runs likewise. Expressions of one shape are a class, whatever their indices. The members of a class are
 * covered by loops in up to three levels (cover.h): one operator. What advances unevenly takes its indices
 * from a table.
 *
 * An expression is a list of tokens in prefix order, and a list of integers, those of each token in order:
 *     LEAF op         an entry of an array: a quantity, its index
 *     STORED lanes    a value that was stored: a quantity, its slot among those of its kind
 *     CONSTANT        a quantity, its index among the constants
 *     SUM n, PRODUCT n, NEG, OP op      their operands follow
 *     RUN             the sum of what follows over k = 0 .. count - 1; count is a quantity
 * A quantity is start, step_1, step_2, ...: an index start + step_1 k_1 + step_2 k_2 with k_1 of the innermost
 * run that it stands in, k_2 of the next one outwards.
 * The first integer of a member is where its value goes: an output or a slot. */
#ifndef DERIVE_ROLL_H
#define DERIVE_ROLL_H

#include "cover.h"
#include "graph.h"

enum roll_kind { ROLL_LEAF, ROLL_STORED, ROLL_SUM, ROLL_PRODUCT, ROLL_NEG, ROLL_OP, ROLL_RUN, ROLL_CONSTANT };
typedef uint32_t roll_token;

static inline roll_token roll_make(enum roll_kind kind, size_t detail)
{
    return (roll_token)kind << 28 | (roll_token)detail;
}
static inline enum roll_kind roll_kind(roll_token token)
{
    return (enum roll_kind)(token >> 28);
}
static inline size_t roll_detail(roll_token token) /* op, lanes, or number of operands */
{
    return token & ((1u << 28) - 1);
}

enum roll_target { ROLL_OUTPUT, ROLL_SLOT, ROLL_SLOT_LANES };

struct roll_operator {
    const roll_token *token; /* [n_tokens] */
    size_t n_tokens;
    enum roll_target target;
    bool in_lanes;
    bool sequential; /* a member may use values of members before it */
    size_t members;
    int32_t *value; /* [members][cover.width], the rows that the cover speaks of */
    struct cover cover;
};

struct rolled {
    struct roll_operator *operators; /* [n_operators], in the order in which they can run */
    size_t n_operators;
    size_t slots, slots_in_lanes; /* values that are stored, of each kind */
    long double *constant;        /* [n_constants] */
    size_t n_constants;
    size_t operations; /* of the graph, as far as the outputs need it */
    roll_token *token; /* of all operators */
};

/* Outputs [first, first + count) of the graph; without_zeros: but those that are 0. SENS_NO_MEMORY;
 * SENS_UNSUPPORTED: an operation on lanes that is not linear in them, or 2^28 nodes or more. *rolled is then
 * NULL. */
sens_status roll_graph(const struct graph *graph, size_t first, size_t count, bool without_zeros,
                       struct rolled **rolled);
void roll_destroy(struct rolled *rolled); /* NULL: nothing is done */

/* Does a token have a quantity? Inside `runs` runs it is 1 + runs integers. */
static inline bool roll_has_quantity(roll_token token)
{
    const enum roll_kind kind = roll_kind(token);
    return kind == ROLL_LEAF || kind == ROLL_STORED || kind == ROLL_CONSTANT || kind == ROLL_RUN;
}

/* Tokens of the expression that starts here, with all its operands. */
size_t roll_length(const roll_token *token);

/* Operands of a token. */
size_t roll_operands(roll_token token);

#endif
