/* derive/tape/tape_plan.h - the items of a tape before they have an order and places. */
#ifndef DERIVE_TAPE_PLAN_H
#define DERIVE_TAPE_PLAN_H

#include "compile_tape.h"

struct words { /* numbers that grow in count */
    uint32_t *at;
    size_t count, room;
};
bool words_grow(struct words *words, size_t count); /* room for so many in all; false: no memory */
static inline bool words_push(struct words *words, uint32_t word)
{
    if (words->count == words->room && !words_grow(words, words->count + 1)) return false;
    words->at[words->count++] = word;
    return true;
}
void words_free(struct words *words);

/* One operation of the tape. Its operands are nodes, in the order of the tape's indices; a LANE_LOAD has the
 * index of a row instead, a guard the nodes a and b and what they were. */
struct item {
    enum sens_tape_op op;
    enum sens_tape_goal goal;
    uint32_t part[4];
    uint32_t row;      /* of the output, where it goes to one */
    graph_node node;   /* what it computes */
    size_t first, end; /* its operands in plan->operand */
    uint32_t strip, level, place;
};

enum { NO_ITEM = 0 }; /* in item_of; else the item's number + 1 */

struct plan {
    struct graph *g; /* of its own: factors of lane values are added to it */
    struct tape_request request;
    size_t n_original; /* nodes that were there before */
    graph_node one;    /* the constant 1 */
    bool *lane;        /* [n_original] does it depend on a vector? */
    uint32_t *uses;    /* of lane nodes by lane nodes [n_original]; then of values [nodes] */
    uint32_t *item_of; /* [n_original]; then [nodes] */
    struct item *item;
    size_t n_items, item_room;
    struct item none; /* written to after a failure */
    struct words operand, todo;
    struct words guards, roots; /* items with an effect: guards, and what writes to an output */
    struct words part[4];       /* pairs of a sum that is being collected */
    sens_status status;         /* the first failure */
};

bool is_lane(const struct plan *plan, graph_node node);
bool is_row_of_v(const struct plan *plan, graph_node node); /* a leaf that is read where it stands */
bool is_lane_op(enum sens_tape_op op);
void plan_fail(struct plan *plan, sens_status status);

/* A new item without operands, and operands to the newest one. */
struct item *plan_item(struct plan *plan, enum sens_tape_op op, graph_node node);
void plan_operand(struct plan *plan, uint32_t word);
/* The pairs collected in plan->part become its operands; they are forgotten. */
void plan_parts(struct plan *plan);

void plan_lanes(struct plan *plan);  /* lane outputs, and what they need of lanes */
void plan_values(struct plan *plan); /* guards, outputs without lanes, and what all the others need */

/* order [n_items]: operands before what uses them, strip by strip, equal operations together. */
void plan_order(struct plan *plan, uint32_t *order);
sens_status plan_emit(const struct plan *plan, const uint32_t *order, struct sens_tape **tape);

#endif
