/* derive/roll/normal.c - sums and products with any number of operands, in an order of their own.
 *
 * Signs are kept beside an expression until it has its place: a sum takes them term by term, a product
 * multiplies those of its factors, and whatever else takes them as a token NEG. */
#include "normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "order.h"

/* ---- room ---------------------------------------------------------------------------------------------- */

static bool grow(struct normal *b, void *array, size_t wanted, size_t *room, size_t size)
{
    if (wanted > *room) b->failed = b->failed || !array_grow(array, wanted, room, size);
    return !b->failed;
}

bool normal_grow(struct normal *b, size_t tokens, size_t integers)
{
    return grow(b, &b->token, b->n_tokens + tokens, &b->token_room, sizeof *b->token) &&
           grow(b, &b->integer, b->n_integers + integers, &b->integer_room, sizeof *b->integer);
}

static void push_item(struct normal *b, struct normal_item item)
{
    if (grow(b, &b->item, b->n_items + 1, &b->item_room, sizeof *b->item)) b->item[b->n_items++] = item;
}

static void push_todo(struct normal *b, graph_node node, bool negative)
{
    if (!grow(b, &b->todo, b->n_todo + 1, &b->todo_room, sizeof *b->todo)) return;
    b->todo[b->n_todo++] = (struct normal_node){node, negative};
}

static void push(struct normal *b, roll_token token)
{
    if (normal_ensure(b, 1, 0)) b->token[b->n_tokens++] = token;
}

static void push_quantity(struct normal *b, roll_token token, int32_t start)
{
    if (!normal_ensure(b, 1, 1)) return;
    b->token[b->n_tokens++] = token;
    b->integer[b->n_integers++] = start;
}

/* A token before what stands from `at` on. */
static void put_before(struct normal *b, size_t at, roll_token token)
{
    if (!normal_ensure(b, 1, 0)) return;
    memmove(b->token + at + 1, b->token + at, (b->n_tokens - at) * sizeof *b->token);
    b->token[at] = token;
    b->n_tokens++;
}

/* ---- values -------------------------------------------------------------------------------------------- */

static bool value(struct normal *b, graph_node k, bool whole);

static bool constant(struct normal *b, long double number)
{
    push_quantity(b, roll_make(ROLL_CONSTANT, 0), constants_index(&b->constants, fabsl(number)));
    return number < 0;
}

static bool constant_node(struct normal *b, graph_node k)
{
    long double number = 0;
    if (b->known[k] == 0) {
        graph_is_constant(b->graph, k, &number);
        const int32_t index = constants_index(&b->constants, fabsl(number)) + 1;
        b->known[k] = number < 0 ? -index : index;
    }
    push_quantity(b, roll_make(ROLL_CONSTANT, 0), (b->known[k] < 0 ? -b->known[k] : b->known[k]) - 1);
    return b->known[k] < 0;
}

static void stored(struct normal *b, graph_node k)
{
    push_quantity(b, roll_make(ROLL_STORED, b->cut[k].in_lanes), (int32_t)b->place[k].class);
    if (normal_ensure(b, 0, 1)) b->integer[b->n_integers++] = (int32_t)b->place[k].member;
}

static bool is_written_out(const struct normal *b, graph_node k)
{
    return !b->cut[k].stored && graph_operands(b->graph->node[k].op) > 0;
}

/* Made at the end of the lists, and known as an item. */
static void make_item(struct normal *b, graph_node k, bool negative)
{
    const size_t token = b->n_tokens, integer = b->n_integers, items = b->n_items;
    negative ^= value(b, k, false);
    b->n_items = items;
    push_item(b,
              (struct normal_item){token, b->n_tokens - token, integer, b->n_integers - integer, negative});
}

/* The operands of k through operations of the same kind, as items from b->n_items on. */
static void flatten(struct normal *b, graph_node k, bool sum)
{
    const size_t bottom = b->n_todo;
    push_todo(b, k, false);
    for (bool first = true; b->n_todo > bottom && !b->failed; first = false) {
        const struct normal_node next = b->todo[--b->n_todo];
        const struct graph_operation *node = &b->graph->node[next.node];
        const bool same_kind = sum ? cut_is_sum(node->op) : node->op == GRAPH_MUL || node->op == GRAPH_NEG;
        if (!first && !(same_kind && is_written_out(b, next.node))) {
            make_item(b, next.node, next.negative);
        } else if (node->op == GRAPH_NEG) {
            push_todo(b, node->a, !next.negative);
        } else {
            push_todo(b, node->b, sum && next.negative != (node->op == GRAPH_SUB));
            push_todo(b, node->a, next.negative);
        }
    }
}

/* What stands from `token` and `integer` on in the lists moves down to (to_token, to_integer), the new end. */
static void settle(struct normal *b, size_t to_token, size_t to_integer, size_t token, size_t integer)
{
    if (b->failed) return;
    memmove(b->token + to_token, b->token + token, (b->n_tokens - token) * sizeof *b->token);
    memmove(b->integer + to_integer, b->integer + integer, (b->n_integers - integer) * sizeof *b->integer);
    b->n_tokens -= token - to_token;
    b->n_integers -= integer - to_integer;
}

void normal_append(struct normal *b, const struct normal_item *item)
{
    if (!normal_ensure(b, item->n_tokens + 1, item->n_integers)) return;
    memcpy(b->token + b->n_tokens, b->token + item->token, item->n_tokens * sizeof *b->token);
    memcpy(b->integer + b->n_integers, b->integer + item->integer, item->n_integers * sizeof *b->integer);
    b->n_tokens += item->n_tokens;
    b->n_integers += item->n_integers;
}

static bool sort_items(struct normal *b, size_t first)
{
    if (!grow(b, &b->sorted, b->n_items - first, &b->sorted_room, sizeof *b->sorted)) return false;
    order_items(b->token, b->integer, b->item + first, b->n_items - first, b->sorted);
    return true;
}

/* Items of one sign and shape follow each other. */
static size_t same_shape(const struct normal *b, size_t first)
{
    size_t count = 1;
    while (first + count < b->n_items && b->item[first].negative == b->item[first + count].negative &&
           order_of_shapes(b->token, &b->item[first], &b->item[first + count]) == 0)
        count++;
    return count;
}

static bool sum(struct normal *b, graph_node k)
{
    const size_t token = b->n_tokens, integer = b->n_integers, first = b->n_items;
    flatten(b, k, true);
    if (b->failed || !sort_items(b, first)) return false;
    if (b->n_items - first == 1) return b->item[first].negative;
    const size_t from_token = b->n_tokens, from_integer = b->n_integers;
    size_t operands = 0, count;
    push(b, 0);
    for (size_t at = first; at < b->n_items && !b->failed; at += count) {
        count = same_shape(b, at);
        operands += normal_append_terms(b, &b->item[at], count);
    }
    if (b->failed) return false;
    const bool negative = operands == 1 && roll_kind(b->token[from_token + 1]) == ROLL_NEG;
    b->token[from_token] = roll_make(ROLL_SUM, operands);
    settle(b, token, integer, from_token + (operands == 1) + negative, from_integer);
    return negative;
}

/* May two constants be multiplied beforehand? Not if the product would leave the range of a double. */
static bool in_range(long double number)
{
    return fabsl(number) > 1e-280L && fabsl(number) < 1e280L;
}

/* Constants among the factors become one. */
static bool multiply_constants(struct normal *b, size_t first)
{
    long double number = 1;
    size_t kept = first;
    bool negative = false, any = false;
    for (size_t at = first; at < b->n_items; at++) {
        struct normal_item item = b->item[at];
        const bool is = roll_kind(b->token[item.token]) == ROLL_CONSTANT;
        const long double factor = is ? b->constants.value[b->integer[item.integer]] : 0;
        negative ^= item.negative;
        item.negative = false;
        if (is && (!any || in_range(number * factor))) {
            number *= factor;
            any = true;
        } else
            b->item[kept++] = item;
    }
    b->n_items = kept;
    if (any && (number != 1 || kept == first)) {
        const size_t token = b->n_tokens, integer = b->n_integers;
        negative ^= constant(b, number);
        push_item(b, (struct normal_item){token, 1, integer, 1, false});
    }
    return negative;
}

/* A factor that is one token, and what it comes after: leaves, by kind and index, then a constant. */
static bool is_leaf(const struct graph_operation *node)
{
    return graph_operands(node->op) == 0 && node->op != GRAPH_CONSTANT;
}

static bool comes_after(const struct graph_operation *one, const struct graph_operation *two)
{
    return one->op != two->op ? one->op > two->op : one->a > two->a;
}

/* A leaf times a leaf or a constant, what most terms are: at once what is made of any product below. */
static bool is_pair(const struct normal *b, graph_node one, graph_node two)
{
    long double number = 0;
    const struct graph_operation *node = b->graph->node;
    if (!is_leaf(&node[one])) return is_leaf(&node[two]) && is_pair(b, two, one);
    return is_leaf(&node[two]) || (graph_is_constant(b->graph, two, &number) && fabsl(number) != 1);
}

static bool pair(struct normal *b, graph_node one, graph_node two)
{
    const struct graph_operation *node = b->graph->node;
    if (is_leaf(&node[two]) && (!is_leaf(&node[one]) || comes_after(&node[one], &node[two])))
        return pair(b, two, one);
    push(b, roll_make(ROLL_PRODUCT, 2));
    push_quantity(b, roll_make(ROLL_LEAF, node[one].op), (int32_t)node[one].a);
    if (!is_leaf(&node[two])) return constant_node(b, two);
    push_quantity(b, roll_make(ROLL_LEAF, node[two].op), (int32_t)node[two].a);
    return false;
}

static bool product(struct normal *b, graph_node k)
{
    const struct graph_operation *node = &b->graph->node[k];
    if (is_pair(b, node->a, node->b)) return pair(b, node->a, node->b);
    const size_t token = b->n_tokens, integer = b->n_integers, first = b->n_items;
    flatten(b, k, false);
    if (b->failed) return false;
    const bool negative = multiply_constants(b, first);
    if (b->failed || !sort_items(b, first)) return false;
    const size_t from_token = b->n_tokens, from_integer = b->n_integers, count = b->n_items - first;
    if (count > 1) push(b, roll_make(ROLL_PRODUCT, count));
    for (size_t at = first; at < b->n_items; at++) normal_append(b, &b->item[at]);
    settle(b, token, integer, from_token, from_integer);
    return negative;
}

static void operation(struct normal *b, const struct graph_operation *node)
{
    push(b, roll_make(ROLL_OP, node->op));
    for (unsigned which = 0; which < graph_operands(node->op); which++) {
        const size_t at = b->n_tokens, items = b->n_items;
        const bool negative = value(b, cut_operand(node, which), false);
        b->n_items = items;
        if (negative) put_before(b, at, roll_make(ROLL_NEG, 1));
    }
}

/* The value of node k, or its negative: then true. whole: written out even if it is stored. */
static bool value(struct normal *b, graph_node k, bool whole)
{
    const struct graph_operation *node = &b->graph->node[k];
    if (b->failed) return false;
    if (node->op == GRAPH_CONSTANT) return constant_node(b, k);
    if (b->cut[k].stored && !whole) {
        stored(b, k);
        return false;
    }
    if (graph_operands(node->op) == 0) {
        push_quantity(b, roll_make(ROLL_LEAF, node->op), (int32_t)node->a);
        return false;
    }
    if (cut_is_sum(node->op)) return sum(b, k);
    if (node->op == GRAPH_MUL) return product(b, k);
    operation(b, node);
    return false;
}

static void from_the_start(struct normal *b, graph_node node, bool whole)
{
    b->n_tokens = b->n_integers = b->n_items = b->n_todo = 0;
    if (value(b, node, whole)) put_before(b, 0, roll_make(ROLL_NEG, 1));
    b->failed = b->failed || b->constants.failed;
}

void normal_expression(struct normal *b, graph_node node)
{
    from_the_start(b, node, true);
}

void normal_output(struct normal *b, graph_node node)
{
    from_the_start(b, node, false);
}

void normal_release(struct normal *b)
{
    constants_release(&b->constants);
    free(b->token);
    free(b->integer);
    free(b->item);
    free(b->sorted);
    free(b->todo);
    free(b->known);
}
