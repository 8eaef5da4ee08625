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

struct key { /* what items in one block have in common, most significant first */
    uint32_t word[9];
    uint32_t place, item;
};

static int compare_keys(const void *one, const void *two)
{
    const struct key *a = one, *b = two;
    for (unsigned k = 0; k < 9; k++)
        if (a->word[k] != b->word[k]) return a->word[k] < b->word[k] ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void sort_items(const struct plan *plan, uint32_t *order, size_t count, struct key *key)
{
    for (size_t k = 0; k < count; k++) {
        const struct item *item = &plan->item[order[k]];
        key[k] = (struct key){{item->strip, is_lane_op(item->op), item->level, item->op, item->goal,
                               item->part[0], item->part[1], item->part[2], item->part[3]},
                              (uint32_t)k,
                              order[k]};
    }
    if (count) qsort(key, count, sizeof *key, compare_keys);
    for (size_t k = 0; k < count; k++) order[k] = key[k].item;
}

void plan_order(struct plan *plan, uint32_t *order)
{
    struct walk w = {.plan = plan, .order = order};
    w.next = calloc(plan->n_items + 1, sizeof *w.next);
    w.stack = calloc(plan->n_items + 1, sizeof *w.stack);
    struct key *key = calloc(plan->n_items + 1, sizeof *key);
    if (w.next && w.stack && key) {
        const size_t guards = by_need(&w);
        cut_strips(plan, order, w.count, guards);
        sort_items(plan, order, w.count, key);
        plan->n_items = w.count; /* what nothing needs is not there */
    } else {
        plan_fail(plan, SENS_NO_MEMORY);
    }
    free(w.next);
    free(w.stack);
    free(key);
}
