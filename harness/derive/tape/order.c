/* derive/tape/order.c - the order of the items of a tape.
 *
 * First by need: guards, then outputs one after the other, each with what it needs and what is not there yet.
 * So neighbours need neighbours, and what is kept is soon used up. Then this order is cut into strips, and in
 * each of them equal operations are put together as far as they do not depend on each other: by level. */
#include <stdlib.h>

#include "tape_plan.h"

enum { STRIP_WORDS = 8192 }; /* indices of a strip, 32 KB */

/* The item that computes the k-th operand; NO_ITEM: none has to. */
static uint32_t item_of_operand(const struct plan *plan, const struct item *item, size_t k)
{
    const bool index = item->op == SENS_TAPE_LANE_LOAD;
    const bool held =
        item->op >= SENS_TAPE_GUARD_LESS && item->op <= SENS_TAPE_GUARD_EQUAL && k == item->first + 2;
    return index || held ? NO_ITEM : plan->item_of[plan->operand.at[k]];
}

/* ---- by need ---------------------------------------------------------------------------------------------- */

struct walk {
    struct plan *plan;
    uint32_t *order;
    size_t count;
    size_t *next; /* [n_items] operand of it to look at next; 0: not met yet */
    uint32_t *stack;
};

static void visit(struct walk *w, uint32_t root)
{
    size_t depth = 0;
    if (w->next[root]) return;
    w->next[root] = w->plan->item[root].first + 1;
    w->stack[depth++] = root;
    while (depth) {
        const uint32_t at = w->stack[depth - 1];
        const struct item *item = &w->plan->item[at];
        if (w->next[at] - 1 == item->end) {
            w->order[w->count++] = at;
            depth--;
            continue;
        }
        const uint32_t needed = item_of_operand(w->plan, item, w->next[at]++ - 1);
        if (needed == NO_ITEM || w->next[needed - 1]) continue;
        w->next[needed - 1] = w->plan->item[needed - 1].first + 1;
        w->stack[depth++] = needed - 1;
    }
}

/* The count of items that come first because guards need them. */
static size_t by_need(struct walk *w)
{
    const struct words *roots = &w->plan->roots, *first = &w->plan->guards;
    for (size_t k = 0; k < first->count; k++) visit(w, first->at[k]);
    const size_t guards = w->count;
    for (size_t k = 0; k < roots->count; k++) visit(w, roots->at[k]);
    return guards;
}

/* ---- strips and levels -------------------------------------------------------------------------------------- */

static void cut_strips(struct plan *plan, const uint32_t *order, size_t count, size_t guards)
{
    uint32_t strip = 0;
    size_t words = 0;
    for (size_t k = 0; k < count; k++) {
        struct item *item = &plan->item[order[k]];
        const size_t own = 1 + item->end - item->first;
        if (words && (words + own > STRIP_WORDS || k == guards)) {
            strip++;
            words = 0;
        }
        words += own;
        item->strip = strip;
        item->level = 0;
        for (size_t i = item->first; i < item->end; i++) {
            const uint32_t needed = item_of_operand(plan, item, i);
            if (needed == NO_ITEM || plan->item[needed - 1].strip != strip) continue;
            const uint32_t level = plan->item[needed - 1].level + 1;
            if (level > item->level) item->level = level;
        }
    }
}

/* The place in its strip is the last of the bits of a key, what the items of a block have in common comes before:
 * lanes or not, level, operation, goal, and a hash of the parts. Where two hashes are equal by chance blocks are
 * shorter. A strip has at most STRIP_WORDS items. */
enum { PLACE_BITS = 13, HASH_BITS = 29, GOAL_BITS = 2, OP_BITS = 6, LEVEL_BITS = 13 };
_Static_assert(STRIP_WORDS <= 1 << PLACE_BITS && SENS_TAPE_LANE_SELECT < 1 << OP_BITS, "a key has 64 bits");

static uint64_t key_of(const struct item *item, size_t place)
{
    uint64_t hash = 0;
    for (unsigned k = 0; k < 4; k++) hash = (hash ^ item->part[k]) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t key = is_lane_op(item->op);
    key = key << LEVEL_BITS | item->level;
    key = key << OP_BITS | item->op;
    key = key << GOAL_BITS | item->goal;
    key = key << HASH_BITS | hash >> (64 - HASH_BITS);
    return key << PLACE_BITS | place;
}

static int compare_keys(const void *one, const void *two)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;
    return (a > b) - (a < b);
}

/* key and spare [STRIP_WORDS] */
static void sort_strip(const struct plan *plan, uint32_t *order, size_t count, uint64_t *key, uint32_t *spare)
{
    for (size_t k = 0; k < count; k++) {
        key[k] = key_of(&plan->item[order[k]], k);
        spare[k] = order[k];
    }
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t k = 0; k < count; k++) order[k] = spare[key[k] & ((1 << PLACE_BITS) - 1)];
}

static void sort_items(const struct plan *plan, uint32_t *order, size_t count, uint64_t *key, uint32_t *spare)
{
    for (size_t first = 0, end; first < count; first = end) {
        const uint32_t strip = plan->item[order[first]].strip;
        for (end = first + 1; end < count && plan->item[order[end]].strip == strip;) end++;
        sort_strip(plan, order + first, end - first, key, spare);
    }
}

void plan_order(struct plan *plan, uint32_t *order)
{
    struct walk w = {.plan = plan, .order = order};
    w.next = calloc(plan->n_items + 1, sizeof *w.next);
    w.stack = calloc(plan->n_items + 1, sizeof *w.stack);
    uint64_t *key = malloc(STRIP_WORDS * sizeof *key);
    uint32_t *spare = malloc(STRIP_WORDS * sizeof *spare);
    if (w.next && w.stack && key && spare) {
        const size_t guards = by_need(&w);
        cut_strips(plan, order, w.count, guards);
        sort_items(plan, order, w.count, key, spare);
        plan->n_items = w.count; /* what nothing needs is not there */
    } else {
        plan_fail(plan, SENS_NO_MEMORY);
    }
    free(w.next);
    free(w.stack);
    free(key);
    free(spare);
}
