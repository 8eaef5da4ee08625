/* derive/roll/normal.h - an expression of a graph in normal form (roll.h). */
#ifndef DERIVE_NORMAL_H
#define DERIVE_NORMAL_H

#include "constants.h"
#include "cut.h"
#include "roll.h"

/* Where a stored node is: a member of a class. In the integers of an expression that is being made, a STORED
 * token has the class first and then its quantity, the place among the members. */
struct normal_place {
    uint32_t class, member;
};

struct normal_item { /* an operand of a sum or a product, in the lists */
    size_t token, n_tokens, integer, n_integers;
    bool negative;
};

struct normal { /* the lists grow and shrink like a stack */
    const struct graph *graph;
    const struct cut_node *cut;
    const struct normal_place *place; /* [n_nodes] of stored nodes */
    int32_t *known; /* [n_nodes] of constants that were met: index + 1, negative where the constant is */
    struct constants constants;
    roll_token *token;
    int32_t *integer;
    struct normal_item *item, *sorted;
    struct normal_node {
        graph_node node;
        bool negative;
    } * todo;
    size_t n_tokens, n_integers, n_items, n_todo;
    size_t token_room, integer_room, item_room, sorted_room, todo_room;
    bool failed; /* no memory */
};

/* Makes the lists empty, then the expression of a node, which is written out even if it is stored. */
void normal_expression(struct normal *normal, graph_node node);

/* The same for an output: of a stored node its slot. */
void normal_output(struct normal *normal, graph_node node);
void normal_release(struct normal *normal);

/* For other files of this folder: room for that many more, and items of a sum appended to it as runs and
 * single terms (runs.c), all of one shape and sign. Returns how many operands they became. */
bool normal_grow(struct normal *normal, size_t tokens, size_t integers);
static inline bool normal_ensure(struct normal *normal, size_t tokens, size_t integers)
{
    const bool room = normal->n_tokens + tokens <= normal->token_room &&
                      normal->n_integers + integers <= normal->integer_room;
    return (room && !normal->failed) || normal_grow(normal, tokens, integers);
}
size_t normal_append_terms(struct normal *normal, const struct normal_item *item, size_t count);
void normal_append(struct normal *normal, const struct normal_item *item);

/* What the integers of an expression are, one flag set each. */
enum { NORMAL_FIXED = 1, NORMAL_LAST = 2, NORMAL_CONSTANT = 4, NORMAL_CLASS = 8 };
void normal_flags(const roll_token *token, unsigned char *flag);

#endif
